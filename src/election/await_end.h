/* SPDX-License-Identifier: ISC */
/* Waiting, outside of the queue, for a term to end. */
#ifndef LOCKRUN_ELECTION_AWAIT_END_H
#define LOCKRUN_ELECTION_AWAIT_END_H

#include "election/patience.h"
#include "election/roster.h"

/*
 * Wait until a holder has left. ACQUIRE_TAKEN when it has, ACQUIRE_LATE after wait, ACQUIRE_SIGNAL
 * with *signal, or ACQUIRE_FAULT with errno. Takes over the signals; disturbs nobody.
 */
enum acquire await_end(const struct lockdir *lock, const struct roster_entry *holder,
    duration_t wait, struct signals *signals, int *signal);

#endif
