/* SPDX-License-Identifier: ISC */
/* Chance that is the same in every run: what a simulation found once, it finds again. */
#ifndef LOCKRUN_TESTS_CHANCE_H
#define LOCKRUN_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t
random_bits(void)
{
	static uint64_t state = 88172645463325252U;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* True once in so many times. */
static inline bool
chance(unsigned in)
{
	return random_bits() % in == 0;
}

#endif
