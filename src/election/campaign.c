/* SPDX-License-Identifier: ISC */
#include "election/campaign.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/engine.h"
#include "election/turn.h"

/* How often a lock may be replaced under us before that stops looking like an accident. */
#define SETTLE_ATTEMPTS 100

/* How often who waits for the file itself looks whether file and ticket still count. */
#define CURRENT_EVERY (5 * DURATION_SECOND)

static enum acquire
unless_left(struct campaign *campaign, enum acquire result)
{
	engine_note_stop(campaign, result);
	if (result != ACQUIRE_TAKEN)
		campaign_leave(campaign);
	return result;
}

void
campaign_begin(struct campaign *campaign, const struct candidacy *candidacy)
{
	memset(campaign, 0, sizeof(*campaign));
	campaign->candidacy = candidacy;
	snprintf(campaign->contender, sizeof(campaign->contender), "%08x%08x%08x%08x", arc4random(),
	    arc4random(), arc4random(), arc4random());
	campaign->rest_lock.fd = campaign->rest_lock.queue = campaign->rest.fd = -1;
	engine_begin_anew(campaign);
}

/* Are we to lead at all? */
static enum acquire
ask_eligibility(struct campaign *campaign, struct fault *fault)
{
	if (campaign->candidacy->eligibility == NULL)
		return ACQUIRE_TAKEN;
	return eligibility_ask(
	    campaign->candidacy->eligibility, &campaign->patience, &campaign->check, fault);
}

/* Ctrl-Z stops us, and the answer of before it may not be true any more. */
static enum acquire
ask_at_first(struct campaign *campaign, struct fault *fault)
{
	enum acquire result;

	while ((result = ask_eligibility(campaign, fault)) == ACQUIRE_SIGNAL &&
	       signal_stops(campaign->patience.signal))
		signals_stop_by(campaign->patience.signal);
	return result;
}

enum acquire
campaign_ask(struct campaign *campaign, struct fault *fault)
{
	engine_begin_anew(campaign);
	return unless_left(campaign, ask_at_first(campaign, fault));
}

enum acquire
campaign_queue_up(struct campaign *campaign, struct fault *fault)
{
	enum acquire result;

	engine_begin_anew(campaign);
	if (campaign->candidacy->eligibility != NULL)
		engine_begin_rest(campaign, "ineligible");
	engine_introduce(campaign, "waiting");
	result = ask_at_first(campaign, fault);
	if (result == ACQUIRE_TAKEN)
		result = engine_enter(campaign, fault);
	if (result == ACQUIRE_TAKEN &&
	    also_flock_check(&campaign->also, &campaign->lock, fault) == -1)
		result = ACQUIRE_FAULT;
	if (result == ACQUIRE_TAKEN) {
		engine_strike_old_asks(campaign);
		engine_end_rest(campaign);
	}
	return unless_left(campaign, result);
}

/* ---- acquire ---- */

/* Whoever holds a file that was removed may do so for ever, while all others meet at a new one. */
static duration_t
look_whether_current(void *context)
{
	const struct campaign *campaign = context;

	if (queue_is_passed(&campaign->queue))
		return 0;
	return lockdir_is_current(&campaign->lock, campaign->lock_fd) ? CURRENT_EVERY : 0;
}

/* Whoever took it before our eyes may have told by now that it leads. */
static enum acquire
unless_joinable(const struct campaign *campaign, enum acquire result)
{
	return result == ACQUIRE_BUSY && joining_has_run(campaign) ? ACQUIRE_AGAIN : result;
}

/* Somebody holds it who has no ticket: flock(1), what a killed lockrun left behind, or we. */
static enum acquire
wait_for_lock(struct campaign *campaign)
{
	const struct lookout lookout = {
	    .look = look_whether_current, .context = campaign, .first = CURRENT_EVERY};

	if (engine_nesting(campaign) == NESTING_REFUSED)
		return ACQUIRE_NESTED;
	if (joining_has_run(campaign))
		return ACQUIRE_AGAIN;
	if (campaign->candidacy->if_available)
		return unless_joinable(
		    campaign, patience_try(&campaign->patience, campaign->lock_fd,
				  engine_lock_mode(campaign)));
	return patience_wait(
	    &campaign->patience, campaign->lock_fd, engine_lock_mode(campaign), &lookout);
}

/* Take the lock; *blocked tells that time has passed since we looked who is ahead. */
static enum acquire
take_lock(struct campaign *campaign, bool *blocked, struct fault *fault)
{
	enum acquire result;

	*blocked = false;
	campaign->lock_fd = lockdir_file(&campaign->lock, STATE_LOCK, STATE_CONTEND, fault);
	if (campaign->lock_fd == -1)
		return ACQUIRE_FAULT;
	result = patience_none(campaign->lock_fd, engine_lock_mode(campaign));
	*blocked = result == ACQUIRE_BUSY;
	if (*blocked)
		result = wait_for_lock(campaign);
	return result == ACQUIRE_FAULT ? engine_fault(campaign, fault) : result;
}

/* Closing gives the lock up as well: no command has inherited it yet. */
static void
give_back(struct campaign *campaign)
{
	if (campaign->lock_fd != -1)
		close(campaign->lock_fd);
	campaign->lock_fd = -1;
	also_flock_close(&campaign->also);
	campaign->also.in_the_way = false;
	strlcpy(campaign->text.condition, "waiting", sizeof(campaign->text.condition));
}

/* Everything anew, by the full path: DIR or NAME is no longer what we opened. */
static enum acquire
enter_anew(struct campaign *campaign, struct fault *fault)
{
	give_back(campaign);
	queue_leave(&campaign->queue);
	lockdir_close(&campaign->lock);
	if (statedir_reopen(campaign->candidacy->directory, fault) == -1)
		return ACQUIRE_FAULT;
	return engine_enter(campaign, fault);
}

enum settled {
	SETTLED,
	SETTLED_NOT_OUR_TURN,
	SETTLED_AGAIN, /* another file has the name; our place in the queue is what it was */
	SETTLED_ANEW,
};

/*
 * The lock is ours; is it the right one, and were we next? Three things may have happened while we
 * were blocked: somebody with an earlier ticket came back from a wait of its own (rescan), the
 * file was replaced (compare the inode by path: what we hold then excludes nobody who comes after),
 * or we were frozen and passed (our ticket has lost its name).
 */
static enum settled
settle(struct campaign *campaign, bool blocked)
{
	struct ticket ahead;

	if (!lockdir_is_current(&campaign->lock, campaign->lock_fd))
		return lockdir_in_place(&campaign->lock) ? SETTLED_AGAIN : SETTLED_ANEW;
	if (blocked && campaign->queue.fd != -1 &&
	    engine_look_ahead(campaign, &ahead, NULL) == QUEUE_AHEAD &&
	    engine_nesting(campaign) != NESTING_SHARES)
		return SETTLED_NOT_OUR_TURN;
	if (queue_is_passed(&campaign->queue))
		return SETTLED_ANEW;
	return SETTLED;
}

/* Whoever asks why nobody leads is to find that in the ticket. */
static void
tell_at(struct campaign *campaign, const char *condition)
{
	if (strcmp(campaign->text.condition, condition) == 0)
		return;
	strlcpy(campaign->text.condition, condition, sizeof(campaign->text.condition));
	queue_describe(&campaign->queue, &campaign->text);
}

static duration_t
look_from_also(void *context)
{
	tell_at(context, TICKET_AT_ALSO);
	return look_whether_current(context);
}

/*
 * Ours, and our turn. What else has to be had comes now, in this order; ACQUIRE_AGAIN when the lock
 * was taken away meanwhile. Readers are told that we hold when nothing is left to wait for.
 */
static enum acquire
complete(struct campaign *campaign, struct fault *fault)
{
	const struct lookout lookout = {.look = look_from_also, .context = campaign};
	enum acquire result;

	result = also_flock_take(&campaign->also, engine_lock_mode(campaign),
	    campaign->candidacy->if_available, &campaign->patience, &lookout, fault);
	if (result == ACQUIRE_TAKEN && campaign->candidacy->eligibility != NULL) {
		tell_at(campaign, TICKET_AT_CHECK);
		result = ask_eligibility(campaign, fault);
	}
	if (result != ACQUIRE_TAKEN)
		return result;
	if (look_whether_current(campaign) == 0 || queue_hold(&campaign->queue) == QUEUE_PASSED)
		return ACQUIRE_AGAIN;
	lock_mark(campaign->lock_fd, engine_lock_mode(campaign));
	return patience_left(&campaign->patience);
}

/* One loop on purpose: each way out of a wait stands beside the others. */
static enum acquire /* NOLINTNEXTLINE(readability-function-cognitive-complexity) */
acquire(struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	enum settled settled;
	enum acquire result;
	bool blocked;

	for (int anew = 0; anew < SETTLE_ATTEMPTS;) {
		settled = SETTLED_ANEW;
		result = turn_await(campaign, fault);
		/* Who was passed must not wait for the lock: those who queue do not see that. */
		if (result == ACQUIRE_TAKEN && !queue_is_passed(&campaign->queue) &&
		    (result = take_lock(campaign, &blocked, fault)) == ACQUIRE_TAKEN)
			settled = settle(campaign, blocked);
		/* The directory is gone, and with it the name to make a file under. */
		if (result == ACQUIRE_FAULT && fault->error == ENOENT) {
			anew++;
			if ((result = enter_anew(campaign, fault)) != ACQUIRE_TAKEN)
				return result;
			continue;
		}
		if (result == ACQUIRE_AGAIN) {
			give_back(campaign);
			continue;
		}
		if (result != ACQUIRE_TAKEN)
			return result;
		switch (settled) {
		case SETTLED:
			if (joining_missed(campaign))
				return ACQUIRE_JOINED;
			result = complete(campaign, fault);
			if (result != ACQUIRE_AGAIN)
				return result;
			give_back(campaign);
			break;
		case SETTLED_NOT_OUR_TURN:
			give_back(campaign);
			if (campaign->candidacy->if_available && !campaign->candidacy->join)
				return ACQUIRE_BUSY;
			break;
		case SETTLED_AGAIN:
			anew++;
			give_back(campaign);
			break;
		case SETTLED_ANEW:
			anew++;
			result = enter_anew(campaign, fault);
			if (result != ACQUIRE_TAKEN)
				return result;
			break;
		}
	}
	fault_set(
	    fault, FAULT_LOCK_UNSETTLED, 0, "%s", lockdir_path(&campaign->lock, STATE_LOCK, path));
	return ACQUIRE_FAULT;
}

/* Ctrl-Z: leave the queue, so that nobody waits for us, and join again when continued. */
static enum acquire
suspend(struct campaign *campaign, struct fault *fault)
{
	enum acquire result;

	patience_tell_over(&campaign->patience);
	give_back(campaign);
	/* Whoever wants us to stop is to find us, and to continue us. */
	engine_begin_rest(campaign, "suspended");
	queue_leave(&campaign->queue);
	signals_stop_by(campaign->patience.signal);
	result = enter_anew(campaign, fault);
	if (result == ACQUIRE_TAKEN)
		engine_end_rest(campaign);
	return result;
}

enum acquire
campaign_acquire(struct campaign *campaign, struct fault *fault)
{
	enum acquire result = acquire(campaign, fault);

	while (result == ACQUIRE_SIGNAL && signal_stops(campaign->patience.signal)) {
		result = suspend(campaign, fault);
		if (result == ACQUIRE_TAKEN)
			result = acquire(campaign, fault);
	}
	patience_tell_over(&campaign->patience);
	return unless_left(campaign, result);
}
