/* SPDX-License-Identifier: ISC */
#include "values/note.h"

#include <string.h>

static bool
is_control(char byte)
{
	return (unsigned char)byte < 0x20 || byte == 0x7f;
}

static bool
is_within_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

enum note_look
note_look(const char *note)
{
	const size_t length = strlen(note);
	enum note_look look = NOTE_GOOD;

	if (length > NOTE_MAX)
		return NOTE_LONG;
	if (strpbrk(note, "\n\r") != NULL)
		return NOTE_BREAK;
	for (size_t i = 0; i < length; i++)
		if (is_control(note[i]))
			look = NOTE_CONTROL;
	return look;
}

bool
note_valid(const char *note)
{
	return note_look(note) == NOTE_GOOD;
}

void
note_clean(const char *text, size_t length, char note[NOTE_MAX + 1])
{
	if (length > NOTE_MAX) {
		length = NOTE_MAX;
		while (length > 0 && is_within_character(text[length]))
			length--;
	}
	for (size_t i = 0; i < length; i++)
		note[i] = (char)(is_control(text[i]) ? '?' : text[i]);
	note[length] = '\0';
}
