/* SPDX-License-Identifier: ISC */
/*
 * What all slots of a record have in common: one line of "key=value" words of a fixed size, blanks
 * up to its end, and "sum=" with 64-bit FNV-1a over all before it as the last word. Any single
 * byte that differs changes that sum.
 *
 * Reading: the words are taken in the order in which they were written; the first that is missing
 * or malformed sets bad, and nothing is taken after it. Who reads packs the result again and
 * compares, so that these readers need not be strict about the form of numbers.
 */
#ifndef LOCKRUN_VALUES_SLOT_H
#define LOCKRUN_VALUES_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT_TAIL_SIZE 21 /* "sum=", 16 hexadecimal digits, newline */

/* Make text, which must leave a blank before the tail, a slot of size bytes. */
void slot_seal(const char *text, char *slot, size_t size);
/* Whether the sum agrees with what stands before it. */
bool slot_sound(const char *slot, size_t size);

struct slot_reader {
	const char *at;
	const char *end; /* where the tail begins */
	bool bad;
};

void slot_read(const char *slot, size_t size, struct slot_reader *reader);
uint64_t slot_take_number(struct slot_reader *reader, const char *key);
int64_t slot_take_signed(struct slot_reader *reader, const char *key);
/* A signed number that has to fit an int. */
int slot_take_int(struct slot_reader *reader, const char *key);
/* A word without blanks; "-" is the empty one. */
void slot_take_word(struct slot_reader *reader, const char *key, char *word, size_t size);
/* "key=LENGTH:TEXT", where TEXT may hold anything. */
void slot_take_text(struct slot_reader *reader, const char *key, char *text, size_t size);

#endif
