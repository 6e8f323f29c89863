/* SPDX-License-Identifier: ISC */
/*
 * Watching over the command of a term: signals are passed on, limits are kept, and the lock is
 * held for as long as anything of the command lives that was told to go.
 */
#ifndef LOCKRUN_ELECTION_SUPERVISE_H
#define LOCKRUN_ELECTION_SUPERVISE_H

#include "election/campaign.h"
#include "election/eligibility.h"
#include "kernel/notify.h"
#include "kernel/tree.h"
#include "values/options.h"

struct supervision {
	pid_t command;
	const struct tree *tree;
	const struct term *term;
	struct campaign *campaign; /* NULL: nothing is asked of the term, and nothing lost */
	struct signals *signals;   /* with its descriptor made */
	const struct observer *observer;
	int parent; /* readable when our parent is gone, to step down then; or -1 */
	const struct notify *notify; /* where the command gives signs of life; NULL: it need not */
	duration_t watchdog;	     /* step down after so long without one */
	const struct eligibility *eligibility; /* asked again and again; NULL: it is not */
	duration_t max_hold;		       /* DURATION_NEVER for no limit */
	duration_t kill_after; /* from SIGTERM to SIGKILL; DURATION_NEVER for never */
	bool kill_on_signal;   /* also when it was a signal to us that began the step-down */
	duration_t yield; /* step down for who queues, after that long; DURATION_NEVER: do not */
	enum leftovers leftovers;
};

/*
 * Watch over a command that was started, until it has ended and, if it was made to step down or
 * leftovers says so, all of its descendants have too. Blocks for as long as that takes: the lock
 * must stay held, so there is no way out before. Returns how the term ended.
 */
struct outcome supervise(const struct supervision *supervision);

#endif
