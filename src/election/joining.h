/* SPDX-License-Identifier: ISC */
/*
 * Sharing a run (--join): whoever joins waits for a term that is in flight, or about to be, and
 * takes its outcome over without a run of its own.
 *
 * MUST stay, so that nobody ever gets the status of a term that it did not join:
 *  - which term it is, generation and contender, is told by the ticket that is waited for: the
 *    leader's own, or that of another who joins. The record has to agree in both; one that was
 *    written over, by the 64th term after it, tells nothing, and no other is taken in its place;
 *  - a term that had ended when we came is not ours to share, also when those who joined it are
 *    still on their way out;
 *  - the record of an end is final when the leader's ticket is gone, so that is asked first.
 *
 * For election/campaign.c only; all others see election/campaign.h.
 */
#ifndef LOCKRUN_ELECTION_JOINING_H
#define LOCKRUN_ELECTION_JOINING_H

#include <stdbool.h>

#include "election/patience.h"
#include "kernel/lockdir.h"
#include "values/record.h"
#include "values/ticket.h"

struct campaign;

struct joining {
	bool arrived;	      /* the two below are known */
	uint64_t newest;      /* the newest generation when we came, 0 for none */
	bool newest_was_over; /* and whether that term had ended */

	uint64_t generation; /* of the term that we joined; 0 while there is none */
	char leader[CONTENDER_SIZE];
	int terms_fd;	  /* its record, also when somebody removes that */
	bool overwritten; /* with ACQUIRE_LOST: why its end is not known */
	struct term term; /* with ACQUIRE_JOINED: how it ended */
};

/* Remember what was in flight when we came. Only the first call counts. */
void joining_arrive(struct campaign *campaign);

/*
 * Somebody was found ahead, with its ticket open as fd, or nobody (NULL, -1): does that decide what
 * becomes of us? ACQUIRE_JOINED: the term that we joined has ended. ACQUIRE_LOST: its end will
 * never be known; after one that was lost that is so only with refuse_after_lost. ACQUIRE_TAKEN: go
 * on, to wait for the one ahead or to lead.
 */
enum acquire joining_meet(struct campaign *campaign, const struct ticket *ahead, int fd);

/* With ACQUIRE_LOST, say so in a fault. */
void joining_fault(const struct campaign *campaign, struct fault *fault);

/* Whoever was ahead has left: it may have told more before it did. */
void joining_learn(struct campaign *campaign, int fd);

/*
 * The lock is ours. True when a term that we could have joined has ended meanwhile, though no
 * ticket told us of it; there is nothing left to run then.
 */
bool joining_missed(struct campaign *campaign);

/* Whether the ticket ahead is one to wait for even for somebody who else would not wait. */
bool joining_shares(const struct campaign *campaign, const struct ticket *ahead);

/* Whether somebody leads by now whom we could join, wherever its ticket stands. */
bool joining_has_run(const struct campaign *campaign);

/* Looks whether the term that we joined has ended, before another lookout looks. */
struct joining_watch {
	const struct joining *joining;
	const struct lookout *then;
};
struct lookout joining_lookout(struct joining_watch *watch);

void joining_begin(struct joining *joining);
void joining_end(struct joining *joining);

#endif
