/* SPDX-License-Identifier: ISC */
#include "election/campaign.h"

#include <bsd/stdlib.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/engine.h"
#include "election/passing.h"
#include "kernel/clock.h"

/* How often a lock may be replaced under us before that stops looking like an accident. */
#define SETTLE_ATTEMPTS 100

/*
 * Something that does not queue (a cleaner of old files, a script with flock(1)) may hold the lock
 * for a moment: a try looks again for this long before it calls that busy.
 */
#define FOREIGN_PATIENCE (250 * DURATION_MILLISECOND)
#define FOREIGN_INTERVAL (10 * DURATION_MILLISECOND)

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

static void
outside(struct campaign *campaign, const struct candidacy *candidacy)
{
	memset(campaign, 0, sizeof(*campaign));
	campaign->candidacy = candidacy;
	campaign->lock_fd = campaign->terms_fd = campaign->watch_fd = -1;
	campaign->lock.fd = campaign->lock.queue = campaign->queue.fd = -1;
	joining_begin(&campaign->joining);
	patience_begin(&campaign->patience, candidacy->signals, candidacy->observer,
	    candidacy->wait, candidacy->parent);
}

void
campaign_begin(struct campaign *campaign, const struct candidacy *candidacy)
{
	outside(campaign, candidacy);
	snprintf(campaign->contender, sizeof(campaign->contender), "%08x%08x%08x%08x", arc4random(),
	    arc4random(), arc4random(), arc4random());
}

enum acquire
campaign_queue_up(struct campaign *campaign, struct fault *fault)
{
	char contender[CONTENDER_SIZE];

	memcpy(contender, campaign->contender, sizeof(contender));
	outside(campaign, campaign->candidacy);
	memcpy(campaign->contender, contender, sizeof(contender));
	engine_introduce(campaign);
	return unless_left(campaign, engine_enter(campaign, fault));
}

/* ---- acquire ---- */

/* Somebody is ahead: wait for its end, or for it to be passed. */
static enum acquire
wait_behind(struct campaign *campaign, const struct ticket *ahead, int fd)
{
	struct passing passing = {
	    .queue = &campaign->queue,
	    .predecessor = fd,
	};
	const struct lookout pass = passing_lookout(&passing);
	struct joining_watch watch = {.joining = &campaign->joining, .then = &pass};
	const struct lookout lookout = joining_lookout(&watch);
	const bool may_be_frozen = ahead->state == TICKET_WAITING;
	enum acquire left = joining_meet(campaign, ahead, fd);

	if (left != ACQUIRE_TAKEN)
		return left;
	if (!campaign->candidacy->if_available || joining_shares(campaign, ahead)) {
		left = patience_wait(
		    &campaign->patience, fd, LOCK_SHARED, may_be_frozen ? &lookout : NULL);
		joining_learn(campaign, fd);
		return left;
	}
	/* Once: who stands behind the one that was passed has to get the time to notice. */
	if (may_be_frozen && !campaign->passed_one &&
	    passing_try(&passing, &campaign->patience, &left)) {
		campaign->passed_one = true;
		return ACQUIRE_AGAIN;
	}
	return left != ACQUIRE_TAKEN ? left : ACQUIRE_BUSY;
}

/* Wait until no conflicting ticket stands before ours: one departure wakes one waiter. */
static enum acquire
wait_for_turn(struct campaign *campaign, struct fault *fault)
{
	enum acquire result = ACQUIRE_AGAIN;
	struct ticket ahead;
	int fd;

	while (result == ACQUIRE_AGAIN || result == ACQUIRE_TAKEN) {
		if (campaign->queue.fd == -1)
			return ACQUIRE_TAKEN;
		switch (engine_look_ahead(campaign, &ahead, &fd)) {
		case QUEUE_AHEAD:
			break;
		case QUEUE_ERROR:
			return engine_fault(campaign, fault);
		default:
			return joining_meet(campaign, NULL, -1);
		}
		switch (engine_nesting(campaign)) {
		case NESTING_NONE:
			result = wait_behind(campaign, &ahead, fd);
			break;
		case NESTING_REFUSED:
			result = ACQUIRE_NESTED;
			break;
		case NESTING_SHARES:
			close(fd);
			return ACQUIRE_TAKEN;
		}
		close(fd);
	}
	return result == ACQUIRE_FAULT ? engine_fault(campaign, fault) : result;
}

/* A try at a lock that no contender of ours holds: whoever does may be gone in a moment. */
static enum acquire
try_again(struct campaign *campaign)
{
	const duration_t until = clock_monotonic() + FOREIGN_PATIENCE;
	enum acquire result;

	while (!lock_is_marked(campaign->lock_fd) && clock_monotonic() < until) {
		result = patience_pause(&campaign->patience, FOREIGN_INTERVAL);
		if (result != ACQUIRE_TAKEN)
			return result;
		switch (lock_try(campaign->lock_fd, engine_lock_mode(campaign))) {
		case LOCK_TAKEN:
			return ACQUIRE_TAKEN;
		case LOCK_ERROR:
			return ACQUIRE_FAULT;
		case LOCK_BUSY:
			break;
		}
	}
	return ACQUIRE_BUSY;
}

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
		return unless_joinable(campaign, try_again(campaign));
	return patience_wait(
	    &campaign->patience, campaign->lock_fd, engine_lock_mode(campaign), &lookout);
}

/* Take the lock; *blocked tells that time has passed since we looked who is ahead. */
static enum acquire
take_lock(struct campaign *campaign, bool *blocked, struct fault *fault)
{
	enum acquire result = ACQUIRE_TAKEN;

	*blocked = false;
	campaign->lock_fd = lockdir_file(&campaign->lock, STATE_LOCK, STATE_CONTEND, fault);
	if (campaign->lock_fd == -1)
		return ACQUIRE_FAULT;
	switch (lock_try(campaign->lock_fd, engine_lock_mode(campaign))) {
	case LOCK_TAKEN:
		break;
	case LOCK_BUSY:
		*blocked = true;
		result = wait_for_lock(campaign);
		break;
	case LOCK_ERROR:
		result = ACQUIRE_FAULT;
		break;
	}
	return result == ACQUIRE_FAULT ? engine_fault(campaign, fault) : result;
}

/* Closing gives the lock up as well: no command has inherited it yet. */
static void
give_back(struct campaign *campaign)
{
	if (campaign->lock_fd != -1)
		close(campaign->lock_fd);
	campaign->lock_fd = -1;
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
	if (queue_hold(&campaign->queue) == QUEUE_PASSED)
		return SETTLED_ANEW;
	return SETTLED;
}

static enum acquire
acquire(struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	enum settled settled;
	enum acquire result;
	bool blocked;

	for (int anew = 0; anew < SETTLE_ATTEMPTS;) {
		settled = SETTLED_ANEW;
		result = wait_for_turn(campaign, fault);
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
			lock_mark(campaign->lock_fd, engine_lock_mode(campaign));
			return patience_left(&campaign->patience);
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
	patience_tell_over(&campaign->patience);
	give_back(campaign);
	queue_leave(&campaign->queue);
	signals_stop_by(campaign->patience.signal);
	return enter_anew(campaign, fault);
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
