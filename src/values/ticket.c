/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/ticket.h"

static bool
is_control(char byte)
{
	return (unsigned char)byte < 0x20 || byte == 0x7f;
}

char *
ticket_pack(const struct ticket *ticket, char name[TICKET_NAME_SIZE])
{
	snprintf(name, TICKET_NAME_SIZE, "%020" PRIu64 ".%020" PRIu64 ".%ld.%" PRIu64 ".%c%c%c",
	    ticket->number, ticket->arrival, (long)ticket->pid, ticket->pidns, (char)ticket->mode,
	    (char)ticket->kind, (char)ticket->state);
	return name;
}

/* Read a number and the dot behind it, and step over both. */
static bool
take_field(const char **at, uint64_t *value)
{
	char *end;

	*value = strtoull(*at, &end, 10);
	if (end == *at || *end != '.')
		return false;
	*at = end + 1;
	return true;
}

static bool
one_of(char byte, const char *bytes)
{
	return byte != '\0' && strchr(bytes, byte) != NULL;
}

bool
ticket_unpack(const char *name, struct ticket *ticket)
{
	const char *at = name;
	char again[TICKET_NAME_SIZE];
	struct ticket found;
	uint64_t pid;

	if (!take_field(&at, &found.number) || !take_field(&at, &found.arrival) ||
	    !take_field(&at, &pid) || !take_field(&at, &found.pidns))
		return false;
	if (pid == 0 || pid > INT_MAX)
		return false;
	if (!one_of(at[0], "xs") || !one_of(at[1], "qnj") || !one_of(at[2], "whr"))
		return false;
	found.pid = (pid_t)pid;
	found.mode = (unsigned char)at[0];
	found.kind = (unsigned char)at[1];
	found.state = (unsigned char)at[2];
	/* strtoull forgives blanks, signs, zeros and overflow; writing it again does not. */
	if (strcmp(ticket_pack(&found, again), name) != 0)
		return false;
	*ticket = found;
	return true;
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#define PRIVATE_PREFIX ".new-"

char *
ticket_private_pack(
    uint64_t arrival, uint32_t random1, uint32_t random2, char name[TICKET_NAME_SIZE])
{
	snprintf(name, TICKET_NAME_SIZE, PRIVATE_PREFIX "%020" PRIu64 "-%08x%08x", arrival, random1,
	    random2);
	return name;
}

bool
ticket_private_unpack(const char *name, uint64_t *arrival)
{
	const char *digits = name + strlen(PRIVATE_PREFIX);
	char *end;

	if (strncmp(name, PRIVATE_PREFIX, strlen(PRIVATE_PREFIX)) != 0)
		return false;
	*arrival = strtoull(digits, &end, 10);
	return end > digits && *end == '-';
}

#define PASS_PREFIX ".passed-"

char *
ticket_pass_pack(uint64_t passed, char name[TICKET_NAME_SIZE])
{
	snprintf(name, TICKET_NAME_SIZE, PASS_PREFIX "%020" PRIu64, passed);
	return name;
}

bool
ticket_pass_unpack(const char *name, uint64_t *passed)
{
	char again[TICKET_NAME_SIZE];

	if (strncmp(name, PASS_PREFIX, strlen(PASS_PREFIX)) != 0)
		return false;
	*passed = strtoull(name + strlen(PASS_PREFIX), NULL, 10);
	return strcmp(ticket_pass_pack(*passed, again), name) == 0;
}

int
ticket_order(const struct ticket *a, const struct ticket *b)
{
	int order = compare(a->number, b->number);

	if (order == 0)
		order = compare(a->arrival, b->arrival);
	if (order == 0)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	if (order == 0)
		order = compare(a->pidns, b->pidns);
	return order;
}

const char *
ticket_kind_word(enum ticket_kind kind)
{
	switch (kind) {
	case TICKET_TRY:
		return "try";
	case TICKET_JOIN:
		return "join";
	default:
		return "queued";
	}
}

bool
ticket_conflicts(enum ticket_mode earlier, enum ticket_mode later)
{
	return earlier == TICKET_EXCLUSIVE || later == TICKET_EXCLUSIVE;
}

size_t
ticket_text_pack(const struct ticket_text *text, char bytes[TICKET_TEXT_SIZE])
{
	return (size_t)snprintf(bytes, TICKET_TEXT_SIZE,
	    "contender=%s\nsince=%" PRId64 "\ngeneration=%" PRIu64 "\njoins=%" PRIu64
	    "\nleader=%s\ncondition=%s\nreason=%s\ncommand=%s\ncommand-pid=%" PRId64
	    "\nnote=%s\nwatchdog=%" PRId64 "\nheard=%" PRId64 "\nreport=%s\n",
	    text->contender, text->since_ms, text->generation, text->joins, text->leader,
	    text->condition, text->reason, text->command, text->command_pid, text->note,
	    text->watchdog_ms, text->heard_ms, text->report);
}

enum text_form {
	TEXT_WORD,
	TEXT_NUMBER,
};

static const struct text_field {
	const char *key;
	enum text_form form;
	size_t offset;
	size_t size;
} text_fields[] = {
#define TEXT_FIELD(key, form, member)                            \
	{                                                        \
		key, form, offsetof(struct ticket_text, member), \
		    sizeof(((struct ticket_text *)0)->member)    \
	}
    TEXT_FIELD("contender", TEXT_WORD, contender),
    TEXT_FIELD("since", TEXT_NUMBER, since_ms),
    TEXT_FIELD("generation", TEXT_NUMBER, generation),
    TEXT_FIELD("joins", TEXT_NUMBER, joins),
    TEXT_FIELD("leader", TEXT_WORD, leader),
    TEXT_FIELD("condition", TEXT_WORD, condition),
    TEXT_FIELD("reason", TEXT_WORD, reason),
    TEXT_FIELD("command", TEXT_WORD, command),
    TEXT_FIELD("command-pid", TEXT_NUMBER, command_pid),
    TEXT_FIELD("note", TEXT_WORD, note),
    TEXT_FIELD("watchdog", TEXT_NUMBER, watchdog_ms),
    TEXT_FIELD("heard", TEXT_NUMBER, heard_ms),
    TEXT_FIELD("report", TEXT_WORD, report),
};

/* Digits only, up to INT64_MAX: that fits both kinds of field. */
static bool
take_digits(const char *value, size_t length, int64_t *number)
{
	int64_t sum = 0;

	if (length == 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9' || sum > (INT64_MAX - (value[i] - '0')) / 10)
			return false;
		sum = sum * 10 + (value[i] - '0');
	}
	*number = sum;
	return true;
}

static void
copy_word(const char *value, size_t length, char *to, size_t size)
{
	if (length >= size)
		return;
	for (size_t i = 0; i < length; i++)
		if (is_control(value[i]))
			return;
	memcpy(to, value, length);
	to[length] = '\0';
}

static void
take_line(const char *line, size_t length, struct ticket_text *text)
{
	const char *equals = memchr(line, '=', length);
	size_t key, rest;
	int64_t number;

	if (equals == NULL)
		return;
	key = (size_t)(equals - line);
	rest = length - key - 1;
	for (size_t i = 0; i < sizeof(text_fields) / sizeof(text_fields[0]); i++) {
		const struct text_field *field = &text_fields[i];
		char *to = (char *)text + field->offset;

		if (strlen(field->key) != key || memcmp(field->key, line, key) != 0)
			continue;
		if (field->form == TEXT_WORD)
			copy_word(equals + 1, rest, to, field->size);
		else if (take_digits(equals + 1, rest, &number))
			memcpy(to, &number, sizeof(number));
	}
}

void
ticket_text_unpack(const char *bytes, size_t length, struct ticket_text *text)
{
	const char *newline;

	memset(text, 0, sizeof(*text));
	/* A last line without its newline may be half of one: a number cut short is a wrong one. */
	while (length > 0 && (newline = memchr(bytes, '\n', length)) != NULL) {
		const size_t line = (size_t)(newline - bytes);

		take_line(bytes, line, text);
		bytes += line + 1;
		length -= line + 1;
	}
}

void
command_name(const char *path, char name[COMMAND_NAME_MAX + 1])
{
	size_t end = strlen(path), start, length;

	while (end > 1 && path[end - 1] == '/')
		end--;
	start = end;
	while (start > 0 && path[start - 1] != '/')
		start--;
	if (start == end)
		start = 0;
	length = end - start;
	if (length > COMMAND_NAME_MAX) {
		length = COMMAND_NAME_MAX;
		/* Cut between two characters of UTF-8, not within one. */
		while (length > 0 && ((unsigned char)path[start + length] & 0xc0) == 0x80)
			length--;
	}
	for (size_t i = 0; i < length; i++)
		name[i] = (char)(is_control(path[start + i]) ? '?' : path[start + i]);
	name[length] = '\0';
}
