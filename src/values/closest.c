/* SPDX-License-Identifier: ISC */
#include <stdbool.h>
#include <string.h>

#include "values/closest.h"

#define LONGEST 63
#define NEAR	2

static unsigned
smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned
word_distance(const char *a, const char *b)
{
	const size_t a_length = strnlen(a, LONGEST + 1), b_length = strnlen(b, LONGEST + 1);
	unsigned char rows[LONGEST + 1][LONGEST + 1];

	if (a_length > LONGEST || b_length > LONGEST)
		return WORD_FAR;
	for (unsigned i = 0; i <= a_length; i++)
		rows[i][0] = (unsigned char)i;
	for (unsigned j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned char)j;
	for (size_t i = 1; i <= a_length; i++)
		for (size_t j = 1; j <= b_length; j++) {
			unsigned best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			best = smaller(best, smaller(rows[i - 1][j], rows[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = smaller(best, rows[i - 2][j - 2] + 1);
			rows[i][j] = (unsigned char)best;
		}
	return rows[a_length][b_length];
}

const char *
closest_word(const char *word, const char *const *candidates, size_t count)
{
	const char *closest = NULL;
	unsigned least = NEAR + 1;

	for (size_t i = 0; i < count; i++) {
		const unsigned distance = word_distance(word, candidates[i]);

		if (distance < least && 2UL * distance < strlen(word)) {
			least = distance;
			closest = candidates[i];
		}
	}
	return closest;
}
