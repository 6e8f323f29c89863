/* SPDX-License-Identifier: ISC */
/*
 * What every fuzz target has in common. A target is one function that is fed any bytes; what it
 * expects of the code with EXPECTS, and what the sanitizers say, are its findings.
 */
#ifndef LOCKRUN_TESTS_FUZZ_H
#define LOCKRUN_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/slot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EXPECTS(what)                                                              \
	do {                                                                       \
		if (!(what)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                   \
		}                                                                  \
	} while (0)

/* The input as a string; it ends at the first NUL. */
static inline char *
fuzz_string(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/*
 * The input as a slot. Nobody guesses a checksum, so an input that is no whole slot is the text of
 * one, and is sealed.
 */
static inline void
fuzz_slot(const uint8_t *data, size_t size, char *slot, size_t slot_size)
{
	char *text;

	if (size == slot_size) {
		memcpy(slot, data, size);
		return;
	}
	text = fuzz_string(data, size);
	slot_seal(text, slot, slot_size);
	free(text);
}

#endif
