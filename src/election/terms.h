/* SPDX-License-Identifier: ISC */
/*
 * The records of the last terms, a slot each; each is written by its own term only, and while it
 * holds the lock. They are for people and for the next leader's knowledge; exclusion does not rest
 * on them.
 */
#ifndef LOCKRUN_ELECTION_TERMS_H
#define LOCKRUN_ELECTION_TERMS_H

#include "kernel/lockdir.h"
#include "values/record.h"

/* What a new `terms` holds: TERM_FILE_SIZE bytes that stay here. */
const char *terms_seed(void);

/*
 * Open the records for the length of a term, made anew when a cleaner took them away. Returns a
 * descriptor of the caller's, or -1 with a fault.
 */
int terms_open(const struct lockdir *lock, struct fault *fault);

/* Write the record of term; fd may be -1. Returns 0, or -1 with errno. */
int terms_write(int fd, const struct term *term);

/* Add a term that has ended to the sums; fd may be -1. */
void terms_count(int fd, const struct term *term);

/* Read the sums. False when there are none, or damaged ones. */
bool terms_sums(const struct lockdir *lock, struct sums *sums);

/*
 * Open the records for reading, so that they can be read even when somebody removes them
 * meanwhile. Returns a descriptor of the caller's, or -1.
 */
int terms_open_to_read(const struct lockdir *lock);

/* Read whatever term the slot of a generation holds. False for none, a damaged one, or fd -1. */
bool terms_read_from(int fd, uint64_t generation, struct term *term);

/* Read whatever term a slot (below TERM_SLOTS) holds. False for none, or a damaged one. */
bool terms_read_slot(const struct lockdir *lock, uint64_t slot, struct term *term);

/*
 * Read the record of the newest generation where plan can be trusted and it is there, otherwise
 * the record with the largest generation of all. False when there is none.
 */
bool terms_newest(const struct lockdir *lock, const struct number_plan *plan, struct term *term);

/* Read the record of one generation. False when there is none, or another's, or a damaged one. */
bool terms_read(const struct lockdir *lock, uint64_t generation, struct term *term);

#endif
