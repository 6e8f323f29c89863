/* SPDX-License-Identifier: ISC */
/*
 * What is asked of a leader, in `ask`: a line with an addressee. So no pid is involved, and it
 * works across the users of a group directory and across pid namespaces. An addressee that no
 * longer leads is nobody: generations never come back. To a waiter, a line only tells why: it does
 * not watch the file, and has to be signalled.
 */
#ifndef LOCKRUN_ELECTION_ASKS_H
#define LOCKRUN_ELECTION_ASKS_H

#include <stdbool.h>

#include "kernel/lockdir.h"
#include "values/record.h"

/*
 * Add a line, under a lock on the file that is held for a moment only. Returns 0, or -1 with a
 * fault. Blocks for at most a second when somebody sits on that lock.
 */
int asks_send(const struct lockdir *lock, const struct ask *ask, struct fault *fault);

/*
 * A leader's side: the next thing that is asked of this generation or contender, from *offset on,
 * which moves behind it. False when there is nothing more. Does not wait for the lock on the file,
 * since whoever is frozen with it must not hold a leader up.
 */
bool asks_next(int fd, off_t *offset, uint64_t generation, const char *contender, struct ask *ask);

/* Whether it was ever asked to stop, or to make room. */
bool asks_stop(int fd, uint64_t generation, const char *contender);

/*
 * Strike out what was asked of a contender in an earlier term that it shared, which has no
 * generation to tell by. Blocks for at most a second when somebody sits on that lock.
 */
void asks_strike(int fd, const char *contender);

/* Empty the file at the begin of a term, unless something in it is asked of this term. */
void asks_clear(int fd, uint64_t generation, const char *contender);

#endif
