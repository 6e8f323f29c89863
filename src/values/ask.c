/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "values/record.h"

static const struct ask_row {
	enum ask_verb verb;
	const char *word;
} ask_table[] = {
    {ASK_STOP, "stop"},
    {ASK_REPLACE, "replace"},
    {ASK_SIGNAL, "signal"},
};
#define ASK_ROWS (sizeof(ask_table) / sizeof(ask_table[0]))

#define GENERATION "generation="
#define CONTENDER  "contender="

int
ask_pack(const struct ask *ask, char line[ASK_LINE_SIZE])
{
	const char *word = "";
	char addressee[sizeof(CONTENDER) + CONTENDER_SIZE];

	for (size_t i = 0; i < ASK_ROWS; i++)
		if (ask_table[i].verb == ask->verb)
			word = ask_table[i].word;
	if (ask->generation != 0)
		snprintf(addressee, sizeof(addressee), GENERATION "%" PRIu64, ask->generation);
	else
		snprintf(addressee, sizeof(addressee), CONTENDER "%s", ask->contender);
	return snprintf(line, ASK_LINE_SIZE, "%s %s %s\n", word, addressee, ask->reason);
}

/* Cut the word off that stands before the next blank; NULL when there is no blank. */
static char *
take_word(char **rest)
{
	char *word = *rest, *blank = strchr(word, ' ');

	if (blank == NULL)
		return NULL;
	*blank = '\0';
	*rest = blank + 1;
	return word;
}

static bool
take_addressee(const char *word, struct ask *ask)
{
	if (strncmp(word, GENERATION, strlen(GENERATION)) == 0) {
		ask->generation = strtoull(word + strlen(GENERATION), NULL, 10);
		return ask->generation != 0;
	}
	if (strncmp(word, CONTENDER, strlen(CONTENDER)) != 0)
		return false;
	word += strlen(CONTENDER);
	return word[0] != '\0' && word[strspn(word, "0123456789abcdef")] == '\0' &&
	       strlcpy(ask->contender, word, sizeof(ask->contender)) < sizeof(ask->contender);
}

bool
ask_unpack(const char *line, struct ask *ask)
{
	char copy[ASK_LINE_SIZE], again[ASK_LINE_SIZE];
	char *rest = copy, *verb, *addressee;
	struct ask found;
	size_t i = 0;
	int length;

	memset(&found, 0, sizeof(found));
	if (strlcpy(copy, line, sizeof(copy)) >= sizeof(copy))
		return false;
	if ((verb = take_word(&rest)) == NULL || (addressee = take_word(&rest)) == NULL)
		return false;
	while (i < ASK_ROWS && strcmp(ask_table[i].word, verb) != 0)
		i++;
	if (i == ASK_ROWS || !take_addressee(addressee, &found) || !note_valid(rest))
		return false;
	found.verb = ask_table[i].verb;
	strlcpy(found.reason, rest, sizeof(found.reason));
	/* As with tickets: what reads too kindly is caught by writing it again. */
	length = ask_pack(&found, again);
	again[length - 1] = '\0';
	if (strcmp(again, line) != 0)
		return false;
	*ask = found;
	return true;
}
