/* SPDX-License-Identifier: ISC */
#include "election/campaign.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/generation.h"
#include "election/passing.h"
#include "election/terms.h"
#include "kernel/clock.h"

/* How often a lock may be replaced under us before that stops looking like an accident. */
#define SETTLE_ATTEMPTS 100

/*
 * Something that does not queue (a cleaner of old files, a script with flock(1)) may hold the lock
 * for a moment: a try looks again for this long before it calls that busy.
 */
#define FOREIGN_PATIENCE (250 * DURATION_MILLISECOND)
#define FOREIGN_INTERVAL (10 * DURATION_MILLISECOND)

/* ---- queue up ---- */

static void
introduce(struct campaign *campaign, const struct candidacy *candidacy)
{
	struct ticket_text *text = &campaign->text;

	snprintf(campaign->contender, sizeof(campaign->contender), "%08x%08x%08x%08x", arc4random(),
	    arc4random(), arc4random(), arc4random());
	campaign->queued_ms = clock_realtime_ms();
	strlcpy(text->contender, campaign->contender, sizeof(text->contender));
	strlcpy(text->condition, "waiting", sizeof(text->condition));
	text->since_ms = campaign->queued_ms;
	command_name(candidacy->command, text->command);
	if (candidacy->note != NULL)
		strlcpy(text->note, candidacy->note, sizeof(text->note));
}

static enum acquire
lock_fault(const struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	int error = errno;

	fault_set(fault, FAULT_LOCK_UNUSABLE, error, "%s",
	    lockdir_path(&campaign->lock, STATE_LOCK, path));
	return ACQUIRE_FAULT;
}

static int
open_lockdir(struct campaign *campaign, struct fault *fault)
{
	char number[NUMBER_FILE_SIZE], terms[TERM_FILE_SIZE];
	const struct state_seed seeds[] = {
	    {STATE_LOCK, "", 0},
	    {STATE_ASK, "", 0},
	    {STATE_NUMBER, number, sizeof(number)},
	    {STATE_TERMS, terms, sizeof(terms)},
	};

	const struct candidacy *candidacy = campaign->candidacy;

	if (lockdir_open(candidacy->directory, candidacy->name->text, STATE_READ, NULL, 0,
		&campaign->lock, fault) == -1)
		return -1;
	if (campaign->lock.fd != -1 && campaign->lock.queue != -1)
		return 0;
	/* The first time, or a cleaner was there. */
	lockdir_close(&campaign->lock);
	generation_seed(number);
	terms_seed(terms);
	return lockdir_open(candidacy->directory, candidacy->name->text, STATE_CONTEND, seeds,
	    sizeof(seeds) / sizeof(seeds[0]), &campaign->lock, fault);
}

static enum lock_mode
lock_mode(const struct campaign *campaign)
{
	return campaign->candidacy->mode == TICKET_SHARED ? LOCK_SHARED : LOCK_EXCLUSIVE;
}

static enum queue_result
look_ahead(const struct campaign *campaign, struct ticket *ahead, int *fd)
{
	return queue_look_ahead(&campaign->queue, campaign->candidacy->mode, ahead, fd);
}

/* A ticket, or none where that is not possible; then the kernel's order has to do. */
static enum acquire
take_ticket(struct campaign *campaign, struct fault *fault)
{
	const struct candidacy *candidacy = campaign->candidacy;
	struct happened no_ticket = {.what = HAPPENING_NO_TICKET};

	if (queue_up(&campaign->queue, candidacy->mode,
		candidacy->if_available ? TICKET_TRY : TICKET_QUEUED) == QUEUE_OK) {
		queue_describe(&campaign->queue, &campaign->text);
		return ACQUIRE_TAKEN;
	}
	/* The kernel has no locks to give, or none here: then `lock` cannot be had either. */
	if (errno == ENOLCK || errno == EOPNOTSUPP || errno == EROFS || errno == EACCES)
		return lock_fault(campaign, fault);
	no_ticket.error = errno;
	candidacy->observer->observe(candidacy->observer->context, &no_ticket);
	return ACQUIRE_TAKEN;
}

enum nesting {
	NESTING_NONE,
	NESTING_SHARES, /* inside, and both share: we lead already in a way, and pass the queue */
	NESTING_REFUSED,
};

/* Whoever is in the way may be we ourselves. */
static enum nesting
nesting(struct campaign *campaign)
{
	if (!campaign->nested_checked)
		campaign->nested = nested_find(&campaign->lock);
	campaign->nested_checked = true;
	if (!campaign->nested.inside)
		return NESTING_NONE;
	return ticket_conflicts(campaign->nested.mode, campaign->candidacy->mode) ? NESTING_REFUSED
										  : NESTING_SHARES;
}

/* Open the lock's directory and take a ticket; also when everything has to be done anew. */
static enum acquire
enter(struct campaign *campaign, struct fault *fault)
{
	struct ticket ahead;

	if (open_lockdir(campaign, fault) == -1)
		return ACQUIRE_FAULT;
	queue_init(&campaign->queue, &campaign->lock);
	/* A try that cannot succeed needs no ticket. */
	if (campaign->candidacy->if_available &&
	    look_ahead(campaign, &ahead, NULL) == QUEUE_AHEAD && ahead.state == TICKET_HOLDING &&
	    nesting(campaign) != NESTING_SHARES)
		return campaign->nested.inside ? ACQUIRE_NESTED : ACQUIRE_BUSY;
	return take_ticket(campaign, fault);
}

static enum acquire
unless_left(struct campaign *campaign, enum acquire result)
{
	if (result != ACQUIRE_TAKEN)
		campaign_leave(campaign);
	return result;
}

enum acquire
campaign_queue_up(struct campaign *campaign, const struct candidacy *candidacy, struct fault *fault)
{
	memset(campaign, 0, sizeof(*campaign));
	campaign->candidacy = candidacy;
	campaign->lock_fd = campaign->terms_fd = campaign->watch_fd = -1;
	campaign->lock.fd = campaign->lock.queue = campaign->queue.fd = -1;
	patience_begin(&campaign->patience, candidacy->signals, candidacy->observer,
	    candidacy->wait, candidacy->parent);
	introduce(campaign, candidacy);
	return unless_left(campaign, enter(campaign, fault));
}

/* ---- acquire ---- */

/* Somebody is ahead: wait for its end, or for it to be passed. */
static enum acquire
wait_behind(struct campaign *campaign, const struct ticket *ahead, int fd)
{
	struct passing passing = {
	    .queue = &campaign->queue,
	    .mode = campaign->candidacy->mode,
	    .predecessor = fd,
	};
	const struct lookout lookout = passing_lookout(&passing);
	const bool may_be_frozen = ahead->state == TICKET_WAITING;
	enum acquire left = ACQUIRE_TAKEN;

	if (!campaign->candidacy->if_available)
		return patience_wait(
		    &campaign->patience, fd, LOCK_SHARED, may_be_frozen ? &lookout : NULL);
	if (may_be_frozen && passing_try(&passing, &campaign->patience, &left))
		return ACQUIRE_AGAIN;
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
		switch (look_ahead(campaign, &ahead, &fd)) {
		case QUEUE_AHEAD:
			break;
		case QUEUE_ERROR:
			return lock_fault(campaign, fault);
		default:
			return ACQUIRE_TAKEN;
		}
		switch (nesting(campaign)) {
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
	return result == ACQUIRE_FAULT ? lock_fault(campaign, fault) : result;
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
		switch (lock_try(campaign->lock_fd, lock_mode(campaign))) {
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

/* Somebody holds it who has no ticket: flock(1), what a killed lockrun left behind, or we. */
static enum acquire
wait_for_lock(struct campaign *campaign)
{
	if (nesting(campaign) == NESTING_REFUSED)
		return ACQUIRE_NESTED;
	if (campaign->candidacy->if_available)
		return try_again(campaign);
	return patience_wait(&campaign->patience, campaign->lock_fd, lock_mode(campaign), NULL);
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
	switch (lock_try(campaign->lock_fd, lock_mode(campaign))) {
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
	return result == ACQUIRE_FAULT ? lock_fault(campaign, fault) : result;
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
	return enter(campaign, fault);
}

enum settled {
	SETTLED,
	SETTLED_NOT_OUR_TURN,
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
		return SETTLED_ANEW;
	if (blocked && campaign->queue.fd != -1 &&
	    look_ahead(campaign, &ahead, NULL) == QUEUE_AHEAD &&
	    nesting(campaign) != NESTING_SHARES)
		return SETTLED_NOT_OUR_TURN;
	if (queue_hold(&campaign->queue) == QUEUE_PASSED)
		return SETTLED_ANEW;
	return SETTLED;
}

static enum acquire
acquire(struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	enum acquire result;
	bool blocked;

	for (int i = 0; i < SETTLE_ATTEMPTS; i++) {
		result = wait_for_turn(campaign, fault);
		if (result == ACQUIRE_TAKEN)
			result = take_lock(campaign, &blocked, fault);
		/* The directory is gone, and with it the name to make a file under. */
		if (result == ACQUIRE_FAULT && fault->error == ENOENT) {
			if ((result = enter_anew(campaign, fault)) != ACQUIRE_TAKEN)
				return result;
			continue;
		}
		if (result != ACQUIRE_TAKEN)
			return result;
		switch (settle(campaign, blocked)) {
		case SETTLED:
			lock_mark(campaign->lock_fd, lock_mode(campaign));
			return patience_left(&campaign->patience);
		case SETTLED_NOT_OUR_TURN:
			give_back(campaign);
			if (campaign->candidacy->if_available)
				return ACQUIRE_BUSY;
			break;
		case SETTLED_ANEW:
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
	return unless_left(campaign, result);
}
