/* SPDX-License-Identifier: ISC */
/* Notes: one short line of somebody's own words, in tickets, terms, asks and signs of life. */
#ifndef LOCKRUN_VALUES_NOTE_H
#define LOCKRUN_VALUES_NOTE_H

#include <stdbool.h>
#include <stddef.h>

#define NOTE_MAX 200 /* bytes */

enum note_look {
	NOTE_GOOD,
	NOTE_LONG,    /* more than NOTE_MAX bytes */
	NOTE_BREAK,   /* a line break */
	NOTE_CONTROL, /* another byte below 0x20, or 0x7f */
};

/* What is wrong with a note. */
enum note_look note_look(const char *note);

/* True for at most NOTE_MAX bytes without control characters (below 0x20, and 0x7f). */
bool note_valid(const char *note);

/* Make a valid note of length bytes: cut where a character (UTF-8) begins, '?' for control ones. */
void note_clean(const char *text, size_t length, char note[NOTE_MAX + 1]);

#endif
