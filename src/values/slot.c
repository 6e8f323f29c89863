/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/slot.h"

#define FIELD_TEXT_SIZE 24 /* the digits of any number, and its sign */

static uint64_t
checksum(const char *bytes, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void
write_tail(const char *slot, size_t size, char tail[SLOT_TAIL_SIZE + 1])
{
	snprintf(tail, SLOT_TAIL_SIZE + 1, "sum=%016" PRIx64 "\n",
	    checksum(slot, size - SLOT_TAIL_SIZE));
}

void
slot_seal(const char *text, char *slot, size_t size)
{
	const size_t room = size - SLOT_TAIL_SIZE;
	size_t length = strlen(text);
	char tail[SLOT_TAIL_SIZE + 1];

	if (length > room - 1)
		length = room - 1;
	memset(slot, ' ', room);
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes of a file, not a string */
	memcpy(slot, text, length);
	write_tail(slot, size, tail);
	memcpy(slot + room, tail, SLOT_TAIL_SIZE);
}

bool
slot_sound(const char *slot, size_t size)
{
	char tail[SLOT_TAIL_SIZE + 1];

	write_tail(slot, size, tail);
	return memcmp(slot + size - SLOT_TAIL_SIZE, tail, SLOT_TAIL_SIZE) == 0;
}

void
slot_read(const char *slot, size_t size, struct slot_reader *reader)
{
	reader->at = slot;
	reader->end = slot + size - SLOT_TAIL_SIZE;
	reader->bad = false;
}

/* Step over "key=". False, and bad, when something else stands there. */
static bool
take_key(struct slot_reader *reader, const char *key)
{
	const size_t length = strlen(key);

	if (reader->bad || (size_t)(reader->end - reader->at) <= length ||
	    memcmp(reader->at, key, length) != 0 || reader->at[length] != '=') {
		reader->bad = true;
		return false;
	}
	reader->at += length + 1;
	return true;
}

/* Copy what stands before stop to text and step over both. */
static void
take_until(struct slot_reader *reader, char stop, char *text, size_t size)
{
	const char *end = memchr(reader->at, stop, (size_t)(reader->end - reader->at));
	size_t length;

	if (end == NULL || (length = (size_t)(end - reader->at)) >= size) {
		reader->bad = true;
		return;
	}
	memcpy(text, reader->at, length);
	text[length] = '\0';
	reader->at = end + 1;
}

uint64_t
slot_take_number(struct slot_reader *reader, const char *key)
{
	char text[FIELD_TEXT_SIZE] = "";

	if (take_key(reader, key))
		take_until(reader, ' ', text, sizeof(text));
	return strtoull(text, NULL, 10);
}

int64_t
slot_take_signed(struct slot_reader *reader, const char *key)
{
	char text[FIELD_TEXT_SIZE] = "";

	if (take_key(reader, key))
		take_until(reader, ' ', text, sizeof(text));
	return strtoll(text, NULL, 10);
}

int
slot_take_int(struct slot_reader *reader, const char *key)
{
	const int64_t value = slot_take_signed(reader, key);

	if (value < INT_MIN || value > INT_MAX) {
		reader->bad = true;
		return 0;
	}
	return (int)value;
}

void
slot_take_word(struct slot_reader *reader, const char *key, char *word, size_t size)
{
	word[0] = '\0';
	if (take_key(reader, key))
		take_until(reader, ' ', word, size);
	if (strcmp(word, "-") == 0)
		word[0] = '\0';
}

void
slot_take_text(struct slot_reader *reader, const char *key, char *text, size_t size)
{
	char digits[FIELD_TEXT_SIZE] = "";
	size_t length;

	text[0] = '\0';
	if (take_key(reader, key))
		take_until(reader, ':', digits, sizeof(digits));
	length = strtoul(digits, NULL, 10);
	if (reader->bad || length >= size || length >= (size_t)(reader->end - reader->at) ||
	    reader->at[length] != ' ') {
		reader->bad = true;
		return;
	}
	memcpy(text, reader->at, length);
	text[length] = '\0';
	reader->at += length + 1;
}
