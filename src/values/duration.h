/* SPDX-License-Identifier: ISC */
/* Lengths of time, as people write them and as the program counts them: in nanoseconds. */
#ifndef LOCKRUN_VALUES_DURATION_H
#define LOCKRUN_VALUES_DURATION_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t duration_t; /* nanoseconds; never negative in a value that was parsed */

#define DURATION_NEVER	     INT64_MAX
#define DURATION_MILLISECOND ((duration_t)1000000)
#define DURATION_SECOND	     ((duration_t)1000000000)
#define DURATION_MAX	     (DURATION_SECOND * 86400 * 36500) /* a hundred years */
#define DURATION_TEXT_SIZE   16

enum duration_verdict {
	DURATION_OK,
	DURATION_MALFORMED, /* not DIGITS[.DIGITS][ms|s|m|h|d], nothing else around it */
	DURATION_HUGE,	    /* above DURATION_MAX */
};

/*
 * Read "250ms", "30", "30s", "1.5m", "2h" or "1d" (a bare number counts seconds) into *result.
 * What lies between two nanoseconds is rounded up, so that a tiny limit never becomes none.
 * No sign, no white space, no exponent, no locale. Pure.
 */
enum duration_verdict duration_parse(const char *text, duration_t *result);

/*
 * Write a length for people into text and return text: "0s", "250ms", "3.2s" (below 10 s),
 * "45s", "2m05s", "2h13m", "3d04h". Rounds down. Negative counts as 0.
 */
char *duration_format(duration_t length, char text[DURATION_TEXT_SIZE]);

/*
 * Whether the machine was suspended while CLOCK_MONOTONIC and CLOCK_BOOTTIME went on by these
 * lengths: the former stands still then. The two are never read at one instant, hence a margin.
 */
bool duration_slept(duration_t monotonic, duration_t boottime);

#endif
