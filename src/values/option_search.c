/* SPDX-License-Identifier: ISC */
#include "values/option_search.h"

#include <stdio.h>
#include <string.h>

#include "values/lockname.h"

#define NAMES_MOST 64 /* more than the table has rows */
#define WORDS_SIZE 128

static const struct subcommand_row {
	enum subcommand subcommand;
	const char *word;
} subcommand_table[] = {
    {SUB_RUN, "run"},
    {SUB_NAME, "name"},
    {SUB_STATUS, "status"},
    {SUB_STOP, "stop"},
    {SUB_CHECK, "check"},
    {SUB_SIGNAL, "signal"},
    {SUB_HISTORY, "history"},
    {SUB_STATS, "stats"},
    {SUB_WATCH, "watch"},
    {SUB_PRUNE, "prune"},
    {SUB_DOCTOR, "doctor"},
    {SUB_FENCE, "fence"},
};
#define SUBCOMMAND_ROWS (sizeof(subcommand_table) / sizeof(subcommand_table[0]))

/* What other programs call it. */
static const struct foreign_row {
	const char *word;
	const char *meant;
} foreign_table[] = {
    {"help", "\"lockrun --help\""},
    {"version", "\"lockrun --version\""},
    {"list", "\"lockrun status\""},
    {"ls", "\"lockrun status\""},
    {"ps", "\"lockrun status\""},
    {"show", "\"lockrun status\""},
    {"kill", "\"lockrun stop\" or \"lockrun signal\""},
    {"log", "\"lockrun history\""},
    {"logs", "\"lockrun history\""},
};
#define FOREIGN_ROWS (sizeof(foreign_table) / sizeof(foreign_table[0]))

/* Options of flock(1) that would not do what they do there, so that the way out has to be told. */
static const struct refused_row {
	const char *name;
	char letter;
	enum fault_kind kind;
} refused_table[] = {
    {"command", 'c', FAULT_USAGE_SHELL_STRING},
    {"timeout", 0, FAULT_USAGE_TIMEOUT},
};
#define REFUSED_ROWS (sizeof(refused_table) / sizeof(refused_table[0]))

struct option_spelling
option_spell_long(const char *word)
{
	struct option_spelling spelling = {.name = word + 2, .length = strcspn(word + 2, "=")};

	snprintf(spelling.text, sizeof(spelling.text), "--%.*s",
	    (int)(spelling.length < OPTION_SPELLED_SIZE ? spelling.length : OPTION_SPELLED_SIZE),
	    spelling.name);
	return spelling;
}

struct option_spelling
option_spell_letter(char letter)
{
	struct option_spelling spelling = {.letter = letter};

	snprintf(spelling.text, sizeof(spelling.text), "-%c", letter);
	return spelling;
}

static bool
spells(const struct option_spelling *spelling, const char *name, char letter)
{
	if (spelling->name == NULL)
		return letter != 0 && spelling->letter == letter;
	return strlen(name) == spelling->length &&
	       memcmp(name, spelling->name, spelling->length) == 0;
}

const struct option_row *
option_find(const struct option_spelling *spelling, unsigned subcommands)
{
	for (size_t i = 0; i < option_table_length; i++)
		if ((option_table[i].subcommands & subcommands) != 0 &&
		    spells(spelling, option_table[i].name, option_table[i].letter))
			return &option_table[i];
	return NULL;
}

enum fault_kind
option_refused(const struct option_spelling *spelling)
{
	for (size_t i = 0; i < REFUSED_ROWS; i++)
		if (spells(spelling, refused_table[i].name, refused_table[i].letter))
			return refused_table[i].kind;
	return FAULT_NONE;
}

/* "lockrun run, lockrun stop": all subcommands that take this option. */
static void
list_takers(const struct option_spelling *spelling, char words[WORDS_SIZE])
{
	size_t length = 0;

	words[0] = '\0';
	for (size_t i = 0; i < SUBCOMMAND_ROWS && length < WORDS_SIZE; i++)
		if (option_find(spelling, subcommand_table[i].subcommand) != NULL)
			length += (size_t)snprintf(words + length, WORDS_SIZE - length,
			    "%slockrun %s", length > 0 ? ", " : "", subcommand_table[i].word);
}

static const char *
closest_option(const char *word, unsigned subcommands)
{
	const char *names[NAMES_MOST];
	size_t count = 0;

	for (size_t i = 0; i < option_table_length && count < NAMES_MOST; i++)
		if ((option_table[i].subcommands & subcommands) != 0)
			names[count++] = option_table[i].name;
	return closest_word(word, names, count);
}

int
option_refuse_unknown(
    const struct option_reading *reading, const struct option_spelling *spelling, const char *word)
{
	const enum fault_kind refused = option_refused(spelling);
	const char *meant;
	char takers[WORDS_SIZE], written[OPTION_SPELLED_SIZE];

	if (refused != FAULT_NONE && reading->subcommand == SUB_RUN)
		return fault_set(reading->fault, refused, 0, "%s", spelling->text);
	if (option_find(spelling, SUB_ALL) != NULL) {
		list_takers(spelling, takers);
		fault_set(reading->fault, FAULT_USAGE_NOT_HERE, 0, "%s", spelling->text);
		return fault_hint(reading->fault, "it belongs to: %s", takers);
	}
	fault_set(reading->fault, FAULT_USAGE_UNKNOWN_OPTION, 0, "%s", spelling->text);
	snprintf(written, sizeof(written), "%.*s", (int)strcspn(word, "="), word);
	meant = closest_option(written, reading->subcommand);
	if (meant != NULL)
		return fault_hint(reading->fault, "did you mean --%s?", meant);
	return fault_hint(reading->fault, "--help lists them all");
}

/* A subcommand of which the options came first. */
static int
refuse_late(const struct option_reading *reading, const struct subcommand_row *row)
{
	const struct option_spelling directory = option_spell_letter('d');

	fault_set(reading->fault, FAULT_USAGE_SUBCOMMAND_LATE, 0, "\"%s\"", row->word);
	if (reading->directory != NULL && option_find(&directory, row->subcommand) != NULL)
		return fault_hint(
		    reading->fault, "lockrun %s -d %s ...", row->word, reading->directory);
	return fault_hint(reading->fault, "lockrun %s ...", row->word);
}

static int
refuse_word(const struct option_reading *reading, const char *word, const char *meant)
{
	fault_set(reading->fault, FAULT_USAGE_UNKNOWN_SUBCOMMAND, 0, "\"%s\"", word);
	return fault_hint(reading->fault, "did you mean %s?", meant);
}

static int
refuse_bare(const struct option_reading *reading, const char *word)
{
	struct lockname name;
	struct fault bad;

	(void)lockname_parse(word, &name, &bad);
	fault_set(reading->fault, FAULT_USAGE_UNKNOWN_SUBCOMMAND, 0, "\"%s\"", word);
	return fault_hint(reading->fault,
	    "lockrun --help lists the subcommands; a name that would do: %s", bad.hint);
}

/* Of small letters and dashes alone. */
static bool
is_bare(const char *word)
{
	return word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

int
option_refuse_subcommand(
    const struct option_reading *reading, const char *word, const char *following)
{
	const char *words[SUBCOMMAND_ROWS], *closest;
	char meant[WORDS_SIZE];

	if (strchr(word, ':') != NULL)
		return 0;
	for (size_t i = 0; i < SUBCOMMAND_ROWS; i++) {
		if (strcmp(subcommand_table[i].word, word) == 0)
			return refuse_late(reading, &subcommand_table[i]);
		words[i] = subcommand_table[i].word;
	}
	for (size_t i = 0; i < FOREIGN_ROWS; i++) {
		if (strcmp(foreign_table[i].word, word) == 0 &&
		    (following == NULL || strcmp(following, "--") != 0))
			return refuse_word(reading, word, foreign_table[i].meant);
	}
	closest = closest_word(word, words, SUBCOMMAND_ROWS);
	if (closest != NULL) {
		snprintf(meant, sizeof(meant), "\"lockrun %s\"", closest);
		return refuse_word(reading, word, meant);
	}
	return following == NULL && is_bare(word) ? refuse_bare(reading, word) : 0;
}
