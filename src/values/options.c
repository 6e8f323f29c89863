/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "values/lockname.h"
#include "values/option_rules.h"
#include "values/option_search.h"
#include "values/status.h"

#define KILL_AFTER (10 * DURATION_SECOND)
#define OLDER_THAN (DURATION_SECOND * 86400 * 30)

/* The value that the next argument is, or NULL with the fault. */
static const char *
next_value(struct option_reading *reading, const struct option_row *row,
    const struct option_spelling *spelling)
{
	if (*reading->next != NULL)
		return *reading->next++;
	fault_set(reading->fault, FAULT_USAGE_VALUE_MISSING, 0, "%s", spelling->text);
	fault_hint(reading->fault, "write %s %s", spelling->text, row->metavar);
	return NULL;
}

/* Whether the next argument belongs to the option when no value is attached to it. */
static bool
takes_next(const struct option_row *row)
{
	return row->metavar != NULL && row->value != OPTION_DURATION_IF_ANY;
}

static int
read_long(struct option_reading *reading, const char *word)
{
	const struct option_spelling spelling = option_spell_long(word);
	const struct option_row *row = option_find(&spelling, reading->subcommand);
	const char *equals = spelling.name + spelling.length;
	const char *value = *equals == '=' ? equals + 1 : NULL;

	if (row == NULL)
		return option_refuse_unknown(reading, &spelling, spelling.name);
	if (row->metavar == NULL && value != NULL)
		return fault_set(reading->fault, FAULT_USAGE_VALUE_UNWANTED, 0, "%s", word);
	if (takes_next(row) && value == NULL)
		if ((value = next_value(reading, row, &spelling)) == NULL)
			return -1;
	return option_store(reading, row, &spelling, value);
}

static int
read_letters(struct option_reading *reading, const char *word)
{
	const char *value;

	for (const char *letter = word + 1; *letter != '\0'; letter++) {
		const struct option_spelling spelling = option_spell_letter(*letter);
		const struct option_row *row = option_find(&spelling, reading->subcommand);

		if (row == NULL)
			return option_refuse_unknown(reading, &spelling, word + 1);
		if (takes_next(row)) {
			value =
			    letter[1] != '\0' ? letter + 1 : next_value(reading, row, &spelling);
			return value != NULL ? option_store(reading, row, &spelling, value) : -1;
		}
		if (option_store(reading, row, &spelling, NULL) == -1)
			return -1;
	}
	return 0;
}

/* Whose words are one of its own and a COMMAND, which is left as it is. */
static bool
takes_command(enum subcommand subcommand)
{
	return subcommand == SUB_RUN || subcommand == SUB_FENCE;
}

/* A lone dash is a word. */
static bool
is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

static bool
asks_for_text(const struct options *options)
{
	return options->help || options->version;
}

/* Read options; up to the first word where COMMAND follows, else all, with words moved to the
 * front. */
static int
read_options(struct option_reading *reading)
{
	char **words = reading->next;
	size_t count = 0;
	bool ended = false;

	while (*reading->next != NULL) {
		char *word = *reading->next;

		if (ended || !is_option(word)) {
			if (takes_command(reading->subcommand))
				break;
			words[count++] = word;
			reading->next++;
			continue;
		}
		reading->next++;
		if (strcmp(word, "--") == 0)
			ended = true;
		else if ((word[1] == '-' ? read_long : read_letters)(reading, word) == -1)
			return -1;
		if (asks_for_text(reading->options))
			break;
	}
	/* Who asks for a text gets that, whatever else there is. */
	while (asks_for_text(reading->options) && *reading->next != NULL)
		reading->next++;
	reading->options->words = reading->next;
	if (!takes_command(reading->subcommand) && !asks_for_text(reading->options)) {
		words[count] = NULL;
		reading->options->words = words;
		reading->options->word_count = count;
	}
	return 0;
}

/* What stands behind the options: NAME or FILE, and [--] COMMAND [ARG...]. */
static int
read_command(struct option_reading *reading)
{
	struct options *options = reading->options;
	const bool named = reading->subcommand == SUB_RUN;
	char **command = options->words + 1;
	struct option_spelling spelling;
	enum fault_kind refused;
	struct lockname name;

	if (options->words[0] == NULL)
		return fault_set(reading->fault,
		    named ? FAULT_USAGE_NO_NAME : FAULT_USAGE_WORD_MISSING, 0, "command line");
	while (options->words[options->word_count] != NULL)
		options->word_count++;
	if (named && option_refuse_subcommand(reading, options->words[0], *command) == -1)
		return -1;
	if (*command != NULL && strcmp(*command, "--") == 0) {
		command++;
	} else if (*command != NULL && is_option(*command)) {
		spelling = command[0][1] == '-' ? option_spell_long(*command)
						: option_spell_letter(command[0][1]);
		refused = option_refused(&spelling);
		return fault_set(reading->fault,
		    refused != FAULT_NONE ? refused : FAULT_USAGE_DASH_COMMAND, 0, "%s", *command);
	}
	/* What is wrong with the name says more than that the command is missing. */
	if (named && *command == NULL &&
	    lockname_parse(options->words[0], &name, reading->fault) == -1)
		return -1;
	if (*command == NULL)
		return fault_set(
		    reading->fault, FAULT_USAGE_NO_COMMAND, 0, "\"%s\"", options->words[0]);
	options->command = command;
	return 0;
}

static bool
is_set(const char *variable)
{
	return variable != NULL && variable[0] != '\0';
}

/* Whoever set it may not have thought of lockrun: no reason not to run. */
static void
take_note(struct options *options, const char *note)
{
	options->note = note;
	options->note_was = note_look(note);
	if (options->note_was == NOTE_GOOD)
		return;
	note_clean(note, strlen(note), options->note_cleaned);
	options->note = options->note_cleaned;
}

int
options_parse(enum subcommand subcommand, char **arguments, const char *getenv_note,
    const char *getenv_dir, struct options *options, struct fault *fault)
{
	struct option_reading reading = {subcommand, arguments, options, fault, NULL};

	*options = (struct options){
	    .wait = DURATION_NEVER,
	    .conflict_status = STATUS_NOT_ACQUIRED,
	    .max_waiters = -1,
	    .max_hold = DURATION_NEVER,
	    .kill_after = KILL_AFTER,
	    .yield = DURATION_NEVER,
	    .watchdog = DURATION_NEVER,
	    .eligible_every = DURATION_NEVER,
	    .complain_after = DURATION_NEVER,
	    .older_than = OLDER_THAN,
	    .command_status_map = -1,
	    .backoff = {BACKOFF_MIN, BACKOFF_MAX},
	};
	if (read_options(&reading) == -1)
		return -1;
	if (asks_for_text(options))
		return 0;
	reading.directory = options->directory;
	if (options->directory == NULL && is_set(getenv_dir))
		options->directory = getenv_dir;
	if (subcommand == SUB_FENCE)
		return read_command(&reading);
	if (subcommand != SUB_RUN)
		return 0;
	if (options->note == NULL && is_set(getenv_note))
		take_note(options, getenv_note);
	if (options_agree(options, fault) == -1)
		return -1;
	return read_command(&reading);
}
