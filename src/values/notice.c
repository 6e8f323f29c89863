/* SPDX-License-Identifier: ISC */
#include "values/notice.h"

#include <string.h>

/* A line with this key and, unless that is NULL, this very value. */
static const struct notice_row {
	const char *key;
	const char *value;
} signs_of_life[] = {
    {"READY", "1"},
    {"RELOADING", "1"},
    {"STOPPING", "1"},
    {"WATCHDOG", "1"},
    {"STATUS", NULL},
};

static bool
is_word(const char *bytes, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(bytes, word, length) == 0;
}

static void
keep_status(const char *value, size_t length, struct notice *notice)
{
	note_clean(value, length, notice->status);
	notice->has_status = true;
}

static void
read_line(const char *line, size_t length, struct notice *notice)
{
	const char *equals = memchr(line, '=', length);
	size_t key, rest;

	if (equals == NULL)
		return;
	key = (size_t)(equals - line);
	rest = length - key - 1;
	for (size_t i = 0; i < sizeof(signs_of_life) / sizeof(signs_of_life[0]); i++) {
		const struct notice_row *row = &signs_of_life[i];

		if (is_word(line, key, row->key) &&
		    (row->value == NULL || is_word(equals + 1, rest, row->value)))
			notice->alive = true;
	}
	if (is_word(line, key, "WATCHDOG") && is_word(equals + 1, rest, "trigger"))
		notice->gives_up = true;
	if (is_word(line, key, "STATUS"))
		keep_status(equals + 1, rest, notice);
}

void
notice_read(const char *bytes, size_t length, struct notice *notice)
{
	const char *newline;

	memset(notice, 0, sizeof(*notice));
	/* The last line needs no newline. */
	while (length > 0) {
		newline = memchr(bytes, '\n', length);
		if (newline == NULL) {
			read_line(bytes, length, notice);
			return;
		}
		read_line(bytes, (size_t)(newline - bytes), notice);
		length -= (size_t)(newline - bytes) + 1;
		bytes = newline + 1;
	}
}
