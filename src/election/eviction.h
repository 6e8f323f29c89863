/* SPDX-License-Identifier: ISC */
/*
 * Ending a term from outside. A leader is asked, so that no pid is involved; only where nobody is
 * left to be asked, or does not answer, are its processes ended, and then none but those that the
 * process table and a lock agree on. The lock is never taken away: who evicts waits for the end.
 */
#ifndef LOCKRUN_ELECTION_EVICTION_H
#define LOCKRUN_ELECTION_EVICTION_H

#include "election/patience.h"
#include "election/roster.h"

struct eviction {
	const struct lockdir *lock;
	struct signals *signals; /* taken over, so that Ctrl-C ends the wait and nothing else */
	const char *reason;	 /* for whoever has to go; may be empty */
	duration_t wait;	 /* DURATION_NEVER for as long as it takes */
	bool force;		 /* end its processes when it does not answer */
	int signal;		 /* with ACQUIRE_SIGNAL */
	pid_t refused;		 /* with ACQUIRE_FAULT and EPERM, the process */
};

/*
 * Ask a holder to stop and wait for its end; a stopped lockrun is continued, so that it can hear.
 * One that went on to compete again, because its term had ended anyway, is told once more.
 * ACQUIRE_TAKEN when it has gone, ACQUIRE_LATE when it is still there after wait, ACQUIRE_SIGNAL,
 * ACQUIRE_FAULT.
 */
enum acquire
evict_holder(struct eviction *eviction, const struct roster_entry *holder, struct fault *fault);

/*
 * End what a killed lockrun left behind, or a command that took its lockrun's place: what has
 * inherited the lock in the last term of the roster. Whoever leads by then is not touched. As
 * above.
 */
enum acquire
evict_leftovers(struct eviction *eviction, const struct roster *roster, struct fault *fault);

/*
 * End the wait of a waiter, or of one that rests between two terms, by SIGTERM to its lockrun; the
 * reason stands in `ask` by then. ACQUIRE_TAKEN, ACQUIRE_AGAIN when it is not there any more (it
 * may lead by now, or wait again), or ACQUIRE_FAULT.
 */
enum acquire
evict_waiter(struct eviction *eviction, const struct roster_entry *waiter, struct fault *fault);

/* The same, and wait for its end. As evict_holder, or ACQUIRE_AGAIN. */
enum acquire
evict_resting(struct eviction *eviction, const struct roster_entry *resting, struct fault *fault);

#endif
