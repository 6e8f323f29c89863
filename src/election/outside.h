/* SPDX-License-Identifier: ISC */
/* Who holds a lock without a ticket: a process outside lockrun, or what a killed one left behind.
 */
#ifndef LOCKRUN_ELECTION_OUTSIDE_H
#define LOCKRUN_ELECTION_OUTSIDE_H

#include "election/roster.h"
#include "kernel/proctable.h"

/*
 * Whether a process that is no contender and left behind by none holds the lock, as flock(1) on
 * the file itself does, and which. False also when it does not show, as in another pid namespace.
 * Takes nothing; but reads all locks of the machine, and maybe all processes.
 */
bool outside_find(const struct lockdir *lock, struct process_stat *who);

/* Of an orphaned lock: those that hold it, as many as there is room for. Returns how many. */
size_t outside_list_left(const struct lockdir *lock, const struct roster *roster,
    struct process_stat *list, size_t room);

#endif
