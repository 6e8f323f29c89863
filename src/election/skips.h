/* SPDX-License-Identifier: ISC */
/* Counting those who were turned away, though they never held the lock. */
#ifndef LOCKRUN_ELECTION_SKIPS_H
#define LOCKRUN_ELECTION_SKIPS_H

#include <stdbool.h>

#include "kernel/lockdir.h"
#include "values/record.h"

/*
 * Count one. Waits for others that count for a few milliseconds at most; after that, and on any
 * failure, this one is not counted: it is a count for people.
 */
void skips_count(const struct lockdir *lock);

/* Read the counts; all zero when there are none. */
void skips_read(const struct lockdir *lock, struct skips *skips);

#endif
