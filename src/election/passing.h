/* SPDX-License-Identifier: ISC */
/*
 * Passing frozen waiters, so that one that was stopped (SIGSTOP, a frozen cgroup, a debugger) does
 * not wedge those behind it.
 *
 * One rule without process states: the lock is free, and still the first in the queue does not
 * take it. Who sees that twice, with time enough in between for a hand-over, takes that one's name
 * away while holding the lock. MUST stay:
 *  - only who holds the lock removes a live ticket's name, and gives the lock back at once; the
 *    owner, thawed, finds its name gone before it can hold;
 *  - the first is that of all who wait, in whatever mode: one that is awake may wait for a frozen
 *    one that the looker itself would not have to wait for;
 *  - nobody is suspected until the last pass is so old that all have looked since: who waited for
 *    the one that was passed does not know before that it is next.
 * tests/model/queue.pml shows what goes wrong without one of these.
 */
#ifndef LOCKRUN_ELECTION_PASSING_H
#define LOCKRUN_ELECTION_PASSING_H

#include "election/patience.h"
#include "election/queue.h"

struct passing {
	const struct queue *queue;
	int predecessor; /* the file of the ticket that we wait for; -1 for none */
	bool suspects;	 /* the last look found the lock free and somebody who does not take it */
	bool passed_one; /* somebody was passed */
	struct ticket suspect;
};

/* A lookout for patience_wait: looks every 5 s, and twice within 250 ms when it suspects. */
struct lookout passing_lookout(struct passing *passing);

/*
 * The two looks at once, for a try; waits in between. True when somebody was passed, so that it is
 * worth looking again who is ahead. *left tells what ended the wait otherwise.
 */
bool passing_try(struct passing *passing, struct patience *patience, enum acquire *left);

#endif
