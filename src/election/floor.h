/* SPDX-License-Identifier: ISC */
/*
 * The floor of a directory: the highest generation that a forgotten lock had. A lock that comes
 * back starts above it, so that no receiver meets a generation twice.
 *
 * MUST stay: it is raised and synced before a lock is forgotten, and read before the first
 * generation of a lock is given, while holding that lock.
 */
#ifndef LOCKRUN_ELECTION_FLOOR_H
#define LOCKRUN_ELECTION_FLOOR_H

#include <stdint.h>

#include "kernel/statedir.h"

/* The floor; 0 when nothing was forgotten yet. Returns 0, or -1 with FAULT_NUMBER_DAMAGED. */
int floor_read(const struct statedir *directory, uint64_t *generation, struct fault *fault);

/*
 * Raise it to at least generation, and sync. Waits for others that do so. Returns 0, or -1 with a
 * fault and nothing to rely on.
 */
int floor_raise(const struct statedir *directory, uint64_t generation, struct fault *fault);

/*
 * Write a damaged one anew, to say generation, and sync; one that is sound by now is raised to at
 * least that. Only where a person has decided. As above.
 */
int floor_mend(const struct statedir *directory, uint64_t generation, struct fault *fault);

#endif
