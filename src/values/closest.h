/* SPDX-License-Identifier: ISC */
/* What was probably meant by a word that is a slip of the finger away from a known one. */
#ifndef LOCKRUN_VALUES_CLOSEST_H
#define LOCKRUN_VALUES_CLOSEST_H

#include <stddef.h>

/*
 * The number of insertions, deletions, substitutions and transpositions of neighbours that lead
 * from a to b. Words of more than 63 bytes are WORD_FAR from all others.
 */
#define WORD_FAR 64
unsigned word_distance(const char *a, const char *b);

/*
 * The word of count candidates that word was probably meant to be (two edits away at most, and
 * fewer than half of its length), or NULL.
 */
const char *closest_word(const char *word, const char *const *candidates, size_t count);

#endif
