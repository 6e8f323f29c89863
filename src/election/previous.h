/* SPDX-License-Identifier: ISC */
/* Reading what became of the last terms of a lock; values/record.h says what follows from it. */
#ifndef LOCKRUN_ELECTION_PREVIOUS_H
#define LOCKRUN_ELECTION_PREVIOUS_H

#include "kernel/lockdir.h"
#include "values/record.h"

/*
 * What the next leader is told, when plan is what `number` says in this boot. True for as long as
 * the lock is held, shared or not, by who asks.
 */
struct previous
previous_after(const struct lockdir *lock, const struct number_plan *plan, const char *boot);

/*
 * The same for readers. While an exclusive term leads, that is the last one. Unknown, of no
 * generation, when `number` is damaged or missing.
 */
struct previous previous_read(const struct lockdir *lock);

#endif
