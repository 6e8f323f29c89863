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
 * End the wait of a waiter, by SIGTERM to its lockrun, which finds the reason in `ask`.
 * ACQUIRE_TAKEN or ACQUIRE_FAULT.
 */
enum acquire
evict_waiter(struct eviction *eviction, const struct roster_entry *waiter, struct fault *fault);

#endif
