/* SPDX-License-Identifier: ISC */
/*
 * The receiver's side of a generation: a FILE that knows the newest one it has seen lets in nobody
 * who is older.
 *
 * What MUST stay:
 *  - FILE is read and raised, and the command runs, under one flock(2) on FILE itself, which the
 *    command inherits: so nobody is let in while an older one still writes, also when the one who
 *    let that in was killed;
 *  - a newer generation is on the disk before its command starts;
 *  - what is missing is made anew, what is damaged is not.
 *
 * There is no state directory here: this works where the receiver is.
 */
#ifndef LOCKRUN_ELECTION_FENCE_H
#define LOCKRUN_ELECTION_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/fencefile.h"
#include "kernel/signals.h"
#include "values/lockname.h"

struct fence {
	const char *path;
	const char *name;	 /* of the lock */
	uint64_t generation;	 /* that wants to be let in */
	struct signals *signals; /* taken over; one that ends a process ends the wait */

	struct fencefile file;
	bool inside;   /* what we run under holds it, in the same term: it is not ours to give up */
	uint64_t seen; /* with FENCE_STALE */
	int signal;    /* with FENCE_SIGNAL */
};

enum fence_result {
	FENCE_PASSED,
	FENCE_STALE, /* a newer generation was seen */
	FENCE_SIGNAL,
	FENCE_FAULT,
};

/*
 * Ask to be let in. The caller sets the first four fields. Blocks while the command of another one
 * that was let in runs. With FENCE_PASSED it is locked, raised and on the disk, until fence_leave;
 * with anything else nothing is held.
 */
enum fence_result fence_pass(struct fence *fence, struct fault *fault);

/* The descriptor that the command must inherit; -1 when inside. */
int fence_inheritance(const struct fence *fence);

/* Let the next one in: unlock for all copies that the command has left behind. */
void fence_leave(struct fence *fence);

#endif
