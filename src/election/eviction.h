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
#include "kernel/proctable.h"

/* By then a lockrun that is alive has said that it steps down. */
#define EVICTION_ANSWER (2 * DURATION_SECOND)
/* From SIGTERM to SIGKILL, as lockrun itself does it. */
#define EVICTION_GRACE (10 * DURATION_SECOND)

struct eviction {
	const struct lockdir *lock;
	struct signals *signals; /* taken over, so that Ctrl-C ends the wait and nothing else */
	const char *reason;	 /* for whoever has to go; may be empty */
	duration_t wait;	 /* DURATION_NEVER for as long as it takes */
	bool force;		 /* end its processes when it does not answer */
	/* Told of the SIGTERM that was sent with force: a process, and how many more; or NULL. */
	void (*terminated)(
	    const struct eviction *eviction, const struct process_stat *first, unsigned more);
	bool answers;  /* with ACQUIRE_LATE: it steps down by itself; force adds nothing */
	int signal;    /* with ACQUIRE_SIGNAL */
	pid_t refused; /* with ACQUIRE_FAULT and EPERM, the process */
};

/*
 * Ask a holder to stop and wait for its end; a stopped lockrun is continued, so that it can hear.
 * With force one that does not answer within EVICTION_ANSWER is ended, with its tree.
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

/* What may not be signalled, as a fault. Returns ACQUIRE_FAULT. */
enum acquire eviction_not_allowed(struct eviction *eviction, pid_t pid, struct fault *fault);

/* The same, and wait for its end. As evict_holder, or ACQUIRE_AGAIN. */
enum acquire
evict_resting(struct eviction *eviction, const struct roster_entry *resting, struct fault *fault);

#endif
