/* SPDX-License-Identifier: ISC */
/*
 * The flock engine's way into a lock's directory and queue. For election/campaign.c only; all
 * others see election/campaign.h.
 */
#ifndef LOCKRUN_ELECTION_ENGINE_H
#define LOCKRUN_ELECTION_ENGINE_H

#include "election/campaign.h"
#include "kernel/lock.h"

/* Nothing is left of an earlier term but our name, and the ticket that we rest by. */
void engine_begin_anew(struct campaign *campaign);

/* Say who we are and what we do, in what will be the ticket's text. */
void engine_introduce(struct campaign *campaign, const char *condition);

/* What stands in `ask` by now was asked of an earlier term. */
void engine_strike_old_asks(struct campaign *campaign);

/*
 * Be seen outside of the queue, in this condition unless we are seen there already; not any more. A
 * failure is not told.
 */
void engine_begin_rest(struct campaign *campaign, const char *condition);
void engine_end_rest(struct campaign *campaign);

/* Open the lock's directory, and make it when it is not there. Returns 0, or -1 with a fault. */
int engine_open(const struct campaign *campaign, struct lockdir *lock, struct fault *fault);

/* Open it and take a ticket; also when everything has to be done anew. */
enum acquire engine_enter(struct campaign *campaign, struct fault *fault);

/* ACQUIRE_FAULT, with errno as the reason why `lock` cannot be used. */
enum acquire engine_fault(const struct campaign *campaign, struct fault *fault);

/* Before leaving: if a signal ended the wait, see whether a stop was behind that. */
void engine_note_stop(struct campaign *campaign, enum acquire result);

enum lock_mode engine_lock_mode(const struct campaign *campaign);

/* queue_look_ahead for us; for one who joins, a run to share comes first. */
enum queue_result engine_look_ahead(const struct campaign *campaign, struct ticket *ahead, int *fd);

enum nesting {
	NESTING_NONE,
	NESTING_SHARES, /* inside, and both share: we lead already in a way, and pass the queue */
	NESTING_REFUSED,
};

/* Whoever is in the way may be we ourselves. Asked when somebody is; the answer is kept. */
enum nesting engine_nesting(struct campaign *campaign);

#endif
