/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/options.h"
#include "values/status.h"

#define NAME  "shop:v1:leader:sync"
#define WORDS 24

static struct options options;
static struct fault fault;
static const char *note_variable, *dir_variable;

/* Parse the arguments, which a blank or, where one is to hold a blank, a '|' keeps apart. */
static int
parse(enum subcommand subcommand, const char *line)
{
	static char copy[1024];
	static char *arguments[WORDS];
	const char separator[] = {strchr(line, '|') != NULL ? '|' : ' ', '\0'};
	char *rest = copy;
	size_t count = 0;

	strcpy(copy, line);
	while (line[0] != '\0' && rest != NULL && count < WORDS - 1)
		arguments[count++] = strsep(&rest, separator);
	arguments[count] = NULL;
	memset(&options, 0xff, sizeof(options));
	memset(&fault, 0, sizeof(fault));
	return options_parse(subcommand, arguments, note_variable, dir_variable, &options, &fault);
}

static void
defaults(void)
{
	EXPECT_INT(parse(SUB_RUN, NAME " true"), 0);
	EXPECT(!options.if_available && !options.verbose && !options.quiet && !options.json);
	EXPECT(options.wait == DURATION_NEVER && options.max_hold == DURATION_NEVER);
	EXPECT(options.kill_after == 10 * DURATION_SECOND && !options.kill_after_given);
	EXPECT_INT(options.conflict_status, STATUS_NOT_ACQUIRED);
	EXPECT(options.note == NULL && options.directory == NULL && options.reason == NULL);
	EXPECT(options.app == NULL && options.scope_count == 0);
	EXPECT(!options.help && !options.version);
	EXPECT_INT(options.word_count, 2);
	EXPECT_STR(options.words[0], NAME);
	EXPECT_STR(options.command[0], "true");
	EXPECT(options.command[1] == NULL);
}

static void
rows_are_unique(void)
{
	EXPECT(option_table_length < 64);
	for (size_t i = 0; i < option_table_length; i++) {
		const struct option_row *a = &option_table[i];

		ROW(EXPECT(a->help[0] != '\0' && a->name[0] != '\0'), "%s", a->name);
		ROW(EXPECT((a->subcommands & ~(unsigned)SUB_ALL) == 0 && a->subcommands != 0), "%s",
		    a->name);
		ROW(EXPECT((a->metavar == NULL) ==
			   (a->value == OPTION_FLAG || a->value == OPTION_HABIT)),
		    "%s", a->name);
		for (size_t j = i + 1; j < option_table_length; j++) {
			const struct option_row *b = &option_table[j];

			if ((a->subcommands & b->subcommands) == 0)
				continue;
			ROW(EXPECT(strcmp(a->name, b->name) != 0), "%s", a->name);
			ROW(EXPECT(a->letter == 0 || a->letter != b->letter), "%s", a->name);
		}
	}
}

/* A value that the option takes: the last of its choices, else of sevens. */
static const char *
sample(const struct option_row *row)
{
	if (row->value == OPTION_BACKOFF)
		return "7:7";
	return row->value == OPTION_CHOICE ? strrchr(row->metavar, '|') + 1 : "7";
}

/* Options that another one has to be there for. */
static const char *
company(const struct option_row *row)
{
	if (row->field == offsetof(struct options, eligible_every))
		return "--eligible=check ";
	return row->trait == OPTION_LOOPING ? "--loop " : "";
}

static bool
needs_value(const struct option_row *row)
{
	return row->metavar != NULL && row->value != OPTION_DURATION_IF_ANY;
}

static int
choices_before_last(const struct option_row *row)
{
	int bars = 0;

	for (const char *at = row->metavar; *at != '\0'; at++)
		bars += *at == '|';
	return bars;
}

/* Every option in every spelling and for every subcommand that takes it leads to its field. */
static void
expect_stored(const struct option_row *row, const char *spelled)
{
	const char *field = (const char *)&options + row->field;

	switch (row->value) {
	case OPTION_FLAG:
		ROW(EXPECT(*(const bool *)field), "%s", spelled);
		break;
	case OPTION_DURATION:
	case OPTION_POSITIVE:
	case OPTION_POSITIVE_OR_NEVER:
	case OPTION_DURATION_IF_ANY:
		ROW(EXPECT_INT(*(const duration_t *)(const void *)field, 7 * DURATION_SECOND), "%s",
		    spelled);
		break;
	case OPTION_CHOICE:
		ROW(EXPECT_INT(*(const int *)(const void *)field, choices_before_last(row)), "%s",
		    spelled);
		break;
	case OPTION_STATUS:
	case OPTION_COUNT:
		ROW(EXPECT_INT(*(const int *)(const void *)field, 7), "%s", spelled);
		break;
	case OPTION_BACKOFF:
		ROW(EXPECT_INT(options.backoff.min, 7 * DURATION_SECOND), "%s", spelled);
		ROW(EXPECT_INT(options.backoff.max, 7 * DURATION_SECOND), "%s", spelled);
		break;
	case OPTION_GENERATION:
	case OPTION_TERMS:
		ROW(EXPECT_INT(*(const uint64_t *)(const void *)field, 7), "%s", spelled);
		break;
	case OPTION_SCOPE:
		ROW(EXPECT_INT(options.scope_count, 1), "%s", spelled);
		ROW(EXPECT_STR(options.scopes[0], "7"), "%s", spelled);
		break;
	case OPTION_TEXT:
	case OPTION_NOTE:
	case OPTION_EVENTS:
		ROW(EXPECT_STR(*(const char *const *)(const void *)field, "7"), "%s", spelled);
		break;
	case OPTION_HABIT:
		break;
	}
}

static void
try_spelling(const struct option_row *row, enum subcommand subcommand, const char *spelled)
{
	char line[256];

	snprintf(line, sizeof(line), "%s%s%s", company(row), spelled,
	    subcommand == SUB_RUN ? " " NAME " true" : "");
	ROW(EXPECT_INT(parse(subcommand, line), 0), "%s", line);
	expect_stored(row, line);
	if (options.help || options.version)
		return;
	EXPECT_INT(options.word_count, subcommand == SUB_RUN ? 2 : 0);
	/* the last of two wins, except for scopes, which are gathered */
	if (row->metavar == NULL || row->value == OPTION_SCOPE)
		return;
	if (row->value == OPTION_BACKOFF)
		snprintf(
		    line, sizeof(line), "--loop --%s=9:9 %s " NAME " true", row->name, spelled);
	else
		snprintf(line, sizeof(line), "%s--%s=%.*s %s%s", company(row), row->name,
		    row->value == OPTION_CHOICE ? (int)strcspn(row->metavar, "|") : 1,
		    row->value == OPTION_CHOICE ? row->metavar : "9", spelled,
		    subcommand == SUB_RUN ? " " NAME " true" : "");
	ROW(EXPECT_INT(parse(subcommand, line), 0), "%s", line);
	expect_stored(row, line);
}

static void
try_spellings(const struct option_row *row, enum subcommand subcommand)
{
	const bool valued = row->metavar != NULL;
	char spelled[128];

	snprintf(spelled, sizeof(spelled), "--%s%s%s", row->name, valued ? "=" : "",
	    valued ? sample(row) : "");
	try_spelling(row, subcommand, spelled);
	if (needs_value(row)) {
		snprintf(spelled, sizeof(spelled), "--%s %s", row->name, sample(row));
		try_spelling(row, subcommand, spelled);
	}
	if (row->letter == 0)
		return;
	snprintf(spelled, sizeof(spelled), "-%c%s", row->letter, valued ? sample(row) : "");
	try_spelling(row, subcommand, spelled);
	if (needs_value(row)) {
		snprintf(spelled, sizeof(spelled), "-%c %s", row->letter, sample(row));
		try_spelling(row, subcommand, spelled);
	}
}

static void
every_option_in_every_spelling(void)
{
	for (size_t i = 0; i < option_table_length; i++)
		for (unsigned bit = 1; bit < SUB_ALL; bit <<= 1)
			if ((option_table[i].subcommands & bit) != 0)
				try_spellings(&option_table[i], bit);
}

/* Of every option: the value missing, one too many, another subcommand, an abbreviation. */
static void
misuse(const struct option_row *row, enum subcommand subcommand)
{
	char line[128];

	snprintf(line, sizeof(line), "--%.*s", (int)strlen(row->name) - 1, row->name);
	ROW(EXPECT_INT(parse(subcommand, line), -1), "%s", line);
	ROW(EXPECT_INT(fault.kind, FAULT_USAGE_UNKNOWN_OPTION), "%s", line);
	if (row->value == OPTION_DURATION_IF_ANY)
		return;
	snprintf(line, sizeof(line), "--%s%s", row->name, row->metavar != NULL ? "" : "=yes");
	ROW(EXPECT_INT(parse(subcommand, line), -1), "%s", line);
	ROW(EXPECT_INT(fault.kind,
		row->metavar != NULL ? FAULT_USAGE_VALUE_MISSING : FAULT_USAGE_VALUE_UNWANTED),
	    "%s", line);
}

static bool
taken(const char *name, unsigned subcommand)
{
	for (size_t i = 0; i < option_table_length; i++)
		if (strcmp(option_table[i].name, name) == 0 &&
		    (option_table[i].subcommands & subcommand) != 0)
			return true;
	return false;
}

static void
every_option_misused(void)
{
	char line[128];

	for (size_t i = 0; i < option_table_length; i++) {
		const struct option_row *row = &option_table[i];

		for (unsigned bit = 1; bit < SUB_ALL; bit <<= 1) {
			if ((row->subcommands & bit) != 0)
				misuse(row, bit);
			if (taken(row->name, bit))
				continue;
			snprintf(line, sizeof(line), "--%s", row->name);
			ROW(EXPECT_INT(parse(bit, line), -1), "%s", line);
			ROW(EXPECT_INT(fault.kind, FAULT_USAGE_NOT_HERE), "%s", line);
		}
	}
}

static const struct {
	enum subcommand subcommand;
	const char *line;
	enum fault_kind kind;
	const char *object;
	const char *hint; /* NULL: whatever it is */
} refused[] = {
    {SUB_RUN, "", FAULT_USAGE_NO_NAME, "command line", NULL},
    {SUB_RUN, "-n", FAULT_USAGE_NO_NAME, "command line", NULL},
    {SUB_RUN, "--", FAULT_USAGE_NO_NAME, "command line", NULL},
    {SUB_RUN, NAME, FAULT_USAGE_NO_COMMAND, "\"" NAME "\"", NULL},
    {SUB_RUN, NAME " --", FAULT_USAGE_NO_COMMAND, "\"" NAME "\"", NULL},
    {SUB_RUN, "-- " NAME, FAULT_USAGE_NO_COMMAND, "\"" NAME "\"", NULL},
    {SUB_FENCE, "", FAULT_USAGE_WORD_MISSING, "command line", NULL},
    {SUB_FENCE, "--", FAULT_USAGE_WORD_MISSING, "command line", NULL},
    {SUB_FENCE, "/a/file", FAULT_USAGE_NO_COMMAND, "\"/a/file\"", NULL},
    {SUB_FENCE, "file --", FAULT_USAGE_NO_COMMAND, "\"file\"", NULL},
    {SUB_FENCE, "file -n true", FAULT_USAGE_DASH_COMMAND, "-n", ""},
    {SUB_FENCE, "file|-c|echo 1", FAULT_USAGE_SHELL_STRING, "-c", ""},
    {SUB_FENCE, "-d /x file true", FAULT_USAGE_NOT_HERE, "-d", NULL},
    {SUB_RUN, "-d /x status", FAULT_USAGE_SUBCOMMAND_LATE, "\"status\"",
	"lockrun status -d /x ..."},
    {SUB_RUN, "-d /x check " NAME, FAULT_USAGE_SUBCOMMAND_LATE, "\"check\"", "lockrun check ..."},
    {SUB_RUN, "-v stop --force " NAME, FAULT_USAGE_SUBCOMMAND_LATE, "\"stop\"", "lockrun stop ..."},
    {SUB_RUN, "frobnicate", FAULT_USAGE_UNKNOWN_SUBCOMMAND, "\"frobnicate\"",
	"lockrun --help lists the subcommands; a name that would do: frobnicate:v1:leader:main"},
    {SUB_RUN, "kill " NAME, FAULT_USAGE_UNKNOWN_SUBCOMMAND, "\"kill\"",
	"did you mean \"lockrun stop\" or \"lockrun signal\"?"},
    {SUB_RUN, "--wiat 5 " NAME " true", FAULT_USAGE_UNKNOWN_OPTION, "--wiat",
	"did you mean --wait?"},
    {SUB_RUN, "--if-availabel=3 x y", FAULT_USAGE_UNKNOWN_OPTION, "--if-availabel",
	"did you mean --if-available?"},
    {SUB_RUN, "-if-available x y", FAULT_USAGE_UNKNOWN_OPTION, "-i",
	"did you mean --if-available?"},
    {SUB_RUN, "--frobnicate x y", FAULT_USAGE_UNKNOWN_OPTION, "--frobnicate",
	"--help lists them all"},
    {SUB_RUN, "-nz x y", FAULT_USAGE_UNKNOWN_OPTION, "-z", NULL},
    {SUB_RUN, "--=3 x y", FAULT_USAGE_UNKNOWN_OPTION, "--", NULL},
    {SUB_RUN, "--json x y", FAULT_USAGE_NOT_HERE, "--json",
	"it belongs to: lockrun status, lockrun history, lockrun stats, lockrun watch"},
    {SUB_STATUS, "-q", FAULT_USAGE_NOT_HERE, "-q", "it belongs to: lockrun run, lockrun stop"},
    {SUB_CHECK, "-d /x", FAULT_USAGE_NOT_HERE, "-d", NULL},
    {SUB_RUN, "-w", FAULT_USAGE_VALUE_MISSING, "-w", "write -w DURATION"},
    {SUB_RUN, "-nw", FAULT_USAGE_VALUE_MISSING, "-w", NULL},
    {SUB_RUN, "--dir= x y", FAULT_USAGE_VALUE_MISSING, "--dir \"\"", NULL},
    {SUB_RUN, "-v=yes x y", FAULT_USAGE_UNKNOWN_OPTION, "-=", NULL},
    {SUB_RUN, "--verbose=yes x y", FAULT_USAGE_VALUE_UNWANTED, "--verbose=yes", NULL},
    {SUB_RUN, "--exclusive= x y", FAULT_USAGE_VALUE_UNWANTED, "--exclusive=", NULL},
    {SUB_RUN, "-w 5parsecs x y", FAULT_USAGE_DURATION, "-w \"5parsecs\"", ""},
    {SUB_RUN, "--wait=-1 x y", FAULT_USAGE_DURATION, "--wait \"-1\"", ""},
    {SUB_RUN, "--wait= x y", FAULT_USAGE_DURATION, "--wait \"\"", ""},
    {SUB_RUN, "-w never x y", FAULT_USAGE_DURATION, "-w \"never\"", ""},
    {SUB_RUN, "-w 36501d x y", FAULT_USAGE_DURATION, "-w \"36501d\"", "(36500d at most)"},
    {SUB_RUN, "-m 0 x y", FAULT_USAGE_DURATION_ZERO, "-m 0", "leave it out for no limit"},
    {SUB_RUN, "--max-hold=0ms x y", FAULT_USAGE_DURATION_ZERO, "--max-hold 0ms", NULL},
    {SUB_RUN, "-k 0 x y", FAULT_USAGE_DURATION_ZERO, "-k 0", "write never for no limit"},
    {SUB_RUN, "-E 600 x y", FAULT_USAGE_NUMBER, "-E \"600\"", NULL},
    {SUB_RUN, "-E 256 x y", FAULT_USAGE_NUMBER, "-E \"256\"", NULL},
    {SUB_RUN, "-E -1 x y", FAULT_USAGE_NUMBER, "-E \"-1\"", NULL},
    {SUB_RUN, "-E +1 x y", FAULT_USAGE_NUMBER, "-E \"+1\"", NULL},
    {SUB_RUN, "-E| 1|x|y", FAULT_USAGE_NUMBER, "-E \" 1\"", NULL},
    {SUB_RUN, "-E 0x1 x y", FAULT_USAGE_NUMBER, "-E \"0x1\"", NULL},
    {SUB_RUN, "-E 99999999999999999999 x y", FAULT_USAGE_NUMBER, NULL, NULL},
    {SUB_RUN, "--conflict-exit-code= x y", FAULT_USAGE_NUMBER, "--conflict-exit-code \"\"", NULL},
    {SUB_RUN, "--max-waiters 1.5 x y", FAULT_USAGE_COUNT, "--max-waiters \"1.5\"", ""},
    {SUB_RUN, "--max-waiters=-1 x y", FAULT_USAGE_COUNT, "--max-waiters \"-1\"", ""},
    {SUB_RUN, "--max-waiters= x y", FAULT_USAGE_COUNT, "--max-waiters \"\"", ""},
    {SUB_RUN, "--max-waiters 2147483648 x y", FAULT_USAGE_COUNT, NULL, NULL},
    {SUB_RUN, "--note|a\nb|x|y", FAULT_USAGE_NOTE_BREAK, "--note \"a\nb\"", NULL},
    {SUB_STOP, "--reason|a\tb|x", FAULT_USAGE_NOTE_CONTROL, "--reason \"a\tb\"", NULL},
    {SUB_RUN, "--events fd:x x y", FAULT_USAGE_DESCRIPTOR, "--events \"fd:x\"", "./fd:x"},
    {SUB_RUN, "--events=fd: x y", FAULT_USAGE_DESCRIPTOR, NULL, NULL},
    {SUB_RUN, "-n -w 5 x y", FAULT_USAGE_TWICE_MEANT, NULL, NULL},
    {SUB_RUN, "-w 0 -n x y", FAULT_USAGE_TWICE_MEANT, NULL, NULL},
    {SUB_RUN, "-w5 --nonblock x y", FAULT_USAGE_TWICE_MEANT, NULL, NULL},
    {SUB_RUN, "-s --join x y", FAULT_USAGE_TWICE_MEANT, "--join and --shared", NULL},
    {SUB_RUN, "--join --replace x y", FAULT_USAGE_TWICE_MEANT, "--join and --replace", NULL},
    {SUB_RUN, "-F --join x y", FAULT_USAGE_UNSUPERVISED, "--no-fork and --join", NULL},
    {SUB_RUN, "--max-terms 0 -r x y", FAULT_USAGE_TERMS, "--max-terms \"0\"", ""},
    {SUB_RUN, "-r --max-terms=+1 x y", FAULT_USAGE_TERMS, "--max-terms \"+1\"", ""},
    {SUB_RUN, "-r --backoff 1s x y", FAULT_USAGE_BACKOFF, "--backoff \"1s\"", ""},
    {SUB_RUN, "-r --backoff 2s:1s x y", FAULT_USAGE_BACKOFF, "--backoff \"2s:1s\"", ""},
    {SUB_RUN, "-r --backoff :1s x y", FAULT_USAGE_BACKOFF, NULL, NULL},
    {SUB_RUN, "-r --backoff 1s: x y", FAULT_USAGE_BACKOFF, NULL, NULL},
    {SUB_RUN, "-r --backoff 1s:2s:3s x y", FAULT_USAGE_BACKOFF, NULL, NULL},
    {SUB_RUN, "-r --backoff 1s:36501d x y", FAULT_USAGE_BACKOFF, NULL, NULL},
    {SUB_RUN, "-r --backoff 0:0 x y", FAULT_USAGE_BACKOFF_ZERO, "--backoff \"0:0\"", ""},
    {SUB_RUN, "-r --backoff 0ms:1s x y", FAULT_USAGE_BACKOFF_ZERO, NULL, NULL},
    {SUB_RUN, "-r --backoff= x y", FAULT_USAGE_BACKOFF, NULL, NULL},
    {SUB_RUN, "--max-terms 3 x y", FAULT_USAGE_ALONE, "--max-terms", "add --loop, or leave it out"},
    {SUB_RUN, "--backoff 1s:2s x y", FAULT_USAGE_ALONE, "--backoff", NULL},
    {SUB_RUN, "-r -F x y", FAULT_USAGE_UNSUPERVISED, "--no-fork and --loop", NULL},
    {SUB_RUN, "-r --join x y", FAULT_USAGE_TWICE_MEANT, "--join and --loop", NULL},
    {SUB_RUN, "-c true " NAME, FAULT_USAGE_SHELL_STRING, "-c", ""},
    {SUB_RUN, "-nc true " NAME, FAULT_USAGE_SHELL_STRING, "-c", ""},
    {SUB_RUN, "--command true " NAME, FAULT_USAGE_SHELL_STRING, "--command", ""},
    {SUB_RUN, NAME "|-c|echo 1", FAULT_USAGE_SHELL_STRING, "-c", ""},
    {SUB_RUN, NAME "|--command=echo 1", FAULT_USAGE_SHELL_STRING, "--command=echo 1", ""},
    {SUB_RUN, "--timeout 5 x y", FAULT_USAGE_TIMEOUT, "--timeout", ""},
    {SUB_RUN, "--timeout=5 x y", FAULT_USAGE_TIMEOUT, "--timeout", ""},
    {SUB_RUN, NAME " -n true", FAULT_USAGE_DASH_COMMAND, "-n", ""},
    {SUB_RUN, NAME " --wait 5 true", FAULT_USAGE_DASH_COMMAND, "--wait", ""},
    {SUB_RUN, "-- " NAME " -x", FAULT_USAGE_DASH_COMMAND, "-x", ""},
    {SUB_NAME,
	"--scope 1 --scope 2 --scope 3 --scope 4 --scope 5 --scope 6 --scope=7 --scope=8 --scope=9 "
	"--scope=10 --scope=11 --scope=12 --scope=13 --scope=14 --scope=15 --scope=16 --scope=17",
	FAULT_USAGE_EXTRA_WORD, "--scope \"17\"", NULL},
};

static void
refusals(void)
{
	for (size_t i = 0; i < ROWS(refused); i++) {
		ROW(EXPECT_INT(parse(refused[i].subcommand, refused[i].line), -1), "%s",
		    refused[i].line);
		ROW(EXPECT_INT(fault.kind, refused[i].kind), "%s", refused[i].line);
		if (refused[i].object != NULL)
			ROW(EXPECT_STR(fault.object, refused[i].object), "%s", refused[i].line);
		if (refused[i].hint != NULL)
			ROW(EXPECT_STR(fault.hint, refused[i].hint), "%s", refused[i].line);
		if (fault.kind < FAULT_COUNT && fault_row(fault.kind) != NULL)
			ROW(EXPECT(
				fault_row(fault.kind)->remedy[0] != '\0' || fault.hint[0] != '\0'),
			    "%s", refused[i].line);
	}
}

static void
values(void)
{
	EXPECT_INT(parse(SUB_RUN, "-w 0 -m 1.5m -k never -E 0 x y"), 0);
	EXPECT_INT(options.wait, 0);
	EXPECT_INT(options.max_hold, 90 * DURATION_SECOND);
	EXPECT(options.kill_after == DURATION_NEVER && options.kill_after_given);
	EXPECT_INT(options.conflict_status, 0);
	EXPECT_INT(parse(SUB_RUN, "-E 255 -k 250ms -nqv x y"), 0);
	EXPECT_INT(options.conflict_status, 255);
	EXPECT_INT(options.kill_after, 250 * DURATION_MILLISECOND);
	EXPECT(options.if_available && options.verbose && !options.quiet);
	EXPECT_INT(parse(SUB_RUN, "--verbose -q x y"), 0);
	EXPECT(!options.verbose && options.quiet);
	EXPECT_INT(parse(SUB_RUN, "--events fd:99999999999 x y"), 0);
	EXPECT_STR(options.events, "fd:99999999999");
	EXPECT_INT(parse(SUB_RUN, "-vw5 x y"), 0);
	EXPECT_INT(options.wait, 5 * DURATION_SECOND);
	EXPECT_INT(parse(SUB_RUN, "-r x y"), 0);
	EXPECT(options.loop && options.max_terms == 0);
	EXPECT_INT(options.backoff.min, DURATION_SECOND);
	EXPECT_INT(options.backoff.max, 60 * DURATION_SECOND);
	EXPECT_INT(parse(SUB_RUN, "-r --backoff 1ms:1.5s --max-terms 12 x y"), 0);
	EXPECT_INT(options.backoff.min, DURATION_MILLISECOND);
	EXPECT_INT(options.backoff.max, 1500 * DURATION_MILLISECOND);
	EXPECT_INT(options.max_terms, 12);
	EXPECT_INT(parse(SUB_RUN, "-d|--|x|y"), 0);
	EXPECT_STR(options.directory, "--");
	EXPECT_INT(parse(SUB_RUN, "--note=a=b -x x y"), 0);
	EXPECT_STR(options.note, "a=b");
	EXPECT_INT(parse(SUB_STOP, "-w 5 --reason|x"), -1);
	EXPECT_INT(
	    parse(SUB_NAME, "--app a --protocol 1 --kind k --resource r --scope s --scope t"), 0);
	EXPECT_INT(options.scope_count, 2);
	EXPECT_STR(options.scopes[1], "t");
}

static void
command_is_untouched(void)
{
	EXPECT_INT(parse(SUB_RUN, "-n|" NAME "|printf|<%s>|-n||--|-c|a b|--help"), 0);
	EXPECT_STR(options.command[0], "printf");
	EXPECT_STR(options.command[2], "-n");
	EXPECT_STR(options.command[3], "");
	EXPECT_STR(options.command[4], "--");
	EXPECT_STR(options.command[5], "-c");
	EXPECT_STR(options.command[6], "a b");
	EXPECT_STR(options.command[7], "--help");
	EXPECT(options.command[8] == NULL && !options.help);
	EXPECT_INT(parse(SUB_RUN, NAME " -- -dash -- x"), 0);
	EXPECT_STR(options.command[0], "-dash");
	EXPECT_STR(options.command[1], "--");
	EXPECT_INT(options.word_count, 5);
	EXPECT_INT(parse(SUB_RUN, "-- " NAME " true"), 0);
	EXPECT_STR(options.words[0], NAME);
	EXPECT_STR(options.command[0], "true");
	EXPECT_INT(parse(SUB_RUN, "-- -n -- true"), 0);
	EXPECT_STR(options.words[0], "-n");
	EXPECT_STR(options.command[0], "true");
	EXPECT_INT(parse(SUB_RUN, "- -"), 0);
	EXPECT_STR(options.words[0], "-");
	EXPECT_STR(options.command[0], "-");
	EXPECT_INT(parse(SUB_RUN, NAME "||x"), 0);
	EXPECT_STR(options.command[0], "");
	EXPECT_INT(parse(SUB_FENCE, "a/file|printf|-n|--|--help"), 0);
	EXPECT_STR(options.words[0], "a/file");
	EXPECT_STR(options.command[0], "printf");
	EXPECT_STR(options.command[3], "--help");
	EXPECT(options.command[4] == NULL && !options.help);
	EXPECT_INT(parse(SUB_FENCE, "-- -file -- -dash"), 0);
	EXPECT_STR(options.words[0], "-file");
	EXPECT_STR(options.command[0], "-dash");
}

static void
words_of_other_subcommands(void)
{
	EXPECT_INT(parse(SUB_STATUS, "a --json b -d /x - -- --json"), 0);
	EXPECT(options.json && options.command == NULL);
	EXPECT_STR(options.directory, "/x");
	EXPECT_INT(options.word_count, 4);
	EXPECT_STR(options.words[0], "a");
	EXPECT_STR(options.words[1], "b");
	EXPECT_STR(options.words[2], "-");
	EXPECT_STR(options.words[3], "--json");
	EXPECT(options.words[4] == NULL);
	EXPECT_INT(parse(SUB_CHECK, ""), 0);
	EXPECT_INT(options.word_count, 0);
	EXPECT(options.words[0] == NULL);
}

static void
help_and_version_end_it(void)
{
	EXPECT_INT(parse(SUB_RUN, "--help --nonsense"), 0);
	EXPECT(options.help && options.words != NULL);
	EXPECT_INT(parse(SUB_RUN, "-vh"), 0);
	EXPECT(options.help);
	EXPECT_INT(parse(SUB_RUN, "-n -w 5 -V"), 0);
	EXPECT(options.version);
	EXPECT_INT(parse(SUB_STOP, "x -h --nonsense"), 0);
	EXPECT(options.help);
	EXPECT_INT(parse(SUB_STOP, "--version"), -1);
}

static void
environment(void)
{
	note_variable = "from ci";
	dir_variable = "/var/x";
	EXPECT_INT(parse(SUB_RUN, "x y"), 0);
	EXPECT_STR(options.note, "from ci");
	EXPECT_STR(options.directory, "/var/x");
	EXPECT_INT(parse(SUB_RUN, "--note|mine|-d|/y|x|y"), 0);
	EXPECT_STR(options.note, "mine");
	EXPECT_STR(options.directory, "/y");
	EXPECT_INT(parse(SUB_RUN, "--note||x|y"), 0);
	EXPECT_STR(options.note, "");
	EXPECT_INT(parse(SUB_STATUS, ""), 0);
	EXPECT_STR(options.directory, "/var/x");
	note_variable = "two\nlines";
	EXPECT_INT(parse(SUB_RUN, "x y"), 0);
	EXPECT_INT(options.note_was, NOTE_BREAK);
	EXPECT_STR(options.note, "two?lines");
	EXPECT_INT(parse(SUB_RUN, "--note ok x y"), 0);
	EXPECT_INT(parse(SUB_RUN, "--help"), 0);
	EXPECT_INT(parse(SUB_STOP, "x"), 0);
	note_variable = dir_variable = "";
	EXPECT_INT(parse(SUB_RUN, "x y"), 0);
	EXPECT(options.note == NULL && options.directory == NULL);
	note_variable = dir_variable = NULL;
}

int
main(void)
{
	TEST(defaults);
	TEST(rows_are_unique);
	TEST(every_option_in_every_spelling);
	TEST(every_option_misused);
	TEST(refusals);
	TEST(values);
	TEST(command_is_untouched);
	TEST(words_of_other_subcommands);
	TEST(help_and_version_end_it);
	TEST(environment);
	return expect_status();
}
