/* SPDX-License-Identifier: ISC */
#include "election/engine.h"

#include <bsd/string.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "election/admission.h"
#include "election/asks.h"
#include "election/generation.h"
#include "election/roster.h"
#include "election/terms.h"
#include "kernel/clock.h"

#define ENTER_ATTEMPTS 100

void
engine_begin_anew(struct campaign *campaign)
{
	const struct campaign before = *campaign;
	const struct candidacy *candidacy = before.candidacy;

	*campaign = (struct campaign){
	    .candidacy = candidacy,
	    .lock = {.fd = -1, .queue = -1},
	    .queue = {.fd = -1},
	    .lock_fd = -1,
	    .terms_fd = -1,
	    .watch_fd = -1,
	    .rest_lock = before.rest_lock,
	    .rest = before.rest,
	    .led = before.led,
	};
	memcpy(campaign->contender, before.contender, sizeof(campaign->contender));
	joining_begin(&campaign->joining);
	also_flock_init(&campaign->also, candidacy->also_flock, candidacy->also_mode);
	patience_begin(&campaign->patience, candidacy->signals, candidacy->observer,
	    candidacy->wait, candidacy->parent);
}

void
engine_strike_old_asks(struct campaign *campaign)
{
	struct fault fault;
	int fd;

	/* A generation is told by its number. */
	if (campaign->candidacy->mode != TICKET_SHARED)
		return;
	fd = lockdir_file(&campaign->lock, STATE_ASK, STATE_CONTEND, &fault);
	if (fd == -1)
		return;
	asks_strike(fd, campaign->contender);
	close(fd);
}

void
engine_introduce(struct campaign *campaign, const char *condition)
{
	const struct candidacy *candidacy = campaign->candidacy;
	struct ticket_text *text = &campaign->text;

	campaign->queued_ms = clock_realtime_ms();
	strlcpy(text->contender, campaign->contender, sizeof(text->contender));
	strlcpy(text->condition, condition, sizeof(text->condition));
	text->since_ms = campaign->queued_ms;
	command_name(candidacy->command, text->command);
	if (candidacy->note != NULL)
		strlcpy(text->note, candidacy->note, sizeof(text->note));
}

enum acquire
engine_fault(const struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	const int error = errno;
	/* No thread for the wait, no descriptor: the lock is not to blame for that. */
	const bool is_ours =
	    error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;

	fault_set(fault, is_ours ? FAULT_SYSTEM : FAULT_LOCK_UNUSABLE, error, "%s",
	    lockdir_path(&campaign->lock, STATE_LOCK, path));
	return ACQUIRE_FAULT;
}

/* The first time, or a cleaner was there. */
static int
make_lockdir(const struct campaign *campaign, struct lockdir *lock, struct fault *fault)
{
	const struct candidacy *candidacy = campaign->candidacy;
	char number[NUMBER_FILE_SIZE];
	const struct state_seed seeds[] = {
	    {STATE_LOCK, "", 0},
	    {STATE_ASK, "", 0},
	    {STATE_NUMBER, number, sizeof(number)},
	    {STATE_TERMS, terms_seed(), TERM_FILE_SIZE},
	};

	generation_seed(number);
	return lockdir_open(candidacy->directory, candidacy->name->text, STATE_CONTEND, seeds,
	    sizeof(seeds) / sizeof(seeds[0]), lock, fault);
}

int
engine_open(const struct campaign *campaign, struct lockdir *lock, struct fault *fault)
{
	const struct candidacy *candidacy = campaign->candidacy;

	if (lockdir_open(candidacy->directory, candidacy->name->text, STATE_READ, NULL, 0, lock,
		fault) == -1)
		/* Whoever may not write to DIR need not look at what is in it. */
		return fault->kind == FAULT_FILE_UNUSABLE && fault->error == EACCES &&
			       !statedir_may_write(candidacy->directory)
			   ? statedir_write_fault(
				 candidacy->directory, candidacy->directory->path, EACCES, fault)
			   : -1;
	if (lock->fd != -1 && lock->queue != -1)
		return 0;
	lockdir_close(lock);
	return make_lockdir(campaign, lock, fault);
}

void
engine_note_stop(struct campaign *campaign, enum acquire result)
{
	const struct lockdir *lock =
	    campaign->lock.fd != -1 ? &campaign->lock : &campaign->rest_lock;
	struct fault fault;
	off_t offset = 0;
	int fd;

	if (result != ACQUIRE_SIGNAL || campaign->patience.signal != SIGTERM || lock->fd == -1 ||
	    (fd = lockdir_file(lock, STATE_ASK, STATE_READ, &fault)) == -1)
		return;
	while (
	    !campaign->stopped && asks_next(fd, &offset, 0, campaign->contender, &campaign->stop))
		campaign->stopped = campaign->stop.verb == ASK_STOP;
	close(fd);
}

enum lock_mode
engine_lock_mode(const struct campaign *campaign)
{
	return campaign->candidacy->mode == TICKET_SHARED ? LOCK_SHARED : LOCK_EXCLUSIVE;
}

enum queue_result
engine_look_ahead(const struct campaign *campaign, struct ticket *ahead, int *fd)
{
	enum queue_result result = QUEUE_CLEAR;

	if (campaign->candidacy->join)
		result = queue_look_for_run(&campaign->queue, ahead, fd);
	if (campaign->candidacy->join && result == QUEUE_CLEAR)
		result = queue_look_for_leader(&campaign->queue, ahead, fd);
	if (result != QUEUE_CLEAR)
		return result;
	return queue_look_ahead(&campaign->queue, campaign->candidacy->mode, ahead, fd);
}

/* A ticket, or none where that is not possible; then the kernel's order has to do. */
static enum acquire
take_any_ticket(struct campaign *campaign, const struct roster_entry *victim, struct fault *fault)
{
	const struct candidacy *candidacy = campaign->candidacy;
	const enum ticket_kind kind = candidacy->join		? TICKET_JOIN
				      : candidacy->if_available ? TICKET_TRY
								: TICKET_QUEUED;
	struct happened no_ticket = {.what = HAPPENING_NO_TICKET};

	if (queue_up(&campaign->queue, candidacy->mode, kind,
		victim != NULL ? victim->ticket.number : 0) == QUEUE_OK) {
		queue_describe(&campaign->queue, &campaign->text);
		return ACQUIRE_TAKEN;
	}
	/* The kernel has no locks to give, or none here: then `lock` cannot be had either. And what
	 * was removed under us is to be opened anew. */
	if (errno == ENOLCK || errno == EOPNOTSUPP || errno == EROFS || errno == EACCES ||
	    errno == ENOENT)
		return engine_fault(campaign, fault);
	no_ticket.error = errno;
	candidacy->observer->observe(candidacy->observer->context, &no_ticket);
	return ACQUIRE_TAKEN;
}

/* The same, unless so many wait that we are not to join them. */
static enum acquire
take_ticket(struct campaign *campaign, const struct roster_entry *victim, struct fault *fault)
{
	const unsigned most = campaign->candidacy->max_waiters;
	enum acquire result = ACQUIRE_TOO_MANY;
	struct admission admission;

	if (most == 0 || campaign->candidacy->if_available)
		return take_any_ticket(campaign, victim, fault);
	if (admission_begin(&admission, &campaign->queue, most))
		result = take_any_ticket(campaign, victim, fault);
	if (result == ACQUIRE_TAKEN && !admission_stands(&admission)) {
		queue_leave(&campaign->queue);
		result = ACQUIRE_TOO_MANY;
	}
	admission_end(&admission);
	if (result != ACQUIRE_TOO_MANY)
		return result;
	/* Who is inside of it has another difficulty, or does not wait. */
	switch (engine_nesting(campaign)) {
	case NESTING_REFUSED:
		return ACQUIRE_NESTED;
	case NESTING_SHARES:
		return take_any_ticket(campaign, victim, fault);
	case NESTING_NONE:
		break;
	}
	return ACQUIRE_TOO_MANY;
}

/* Several may share: each is asked. */
static int
ask_to_make_room(struct campaign *campaign, const struct roster *roster, struct fault *fault)
{
	const struct roster_entry *victim;
	struct ask ask;

	for (size_t i = 0; i < roster->count; i++) {
		victim = &roster->entries[i];
		if (victim->ticket.state != TICKET_HOLDING)
			continue;
		ask = (struct ask){.verb = ASK_REPLACE, .generation = victim->text.generation};
		if (ask.generation == 0)
			strlcpy(ask.contender, victim->text.contender, sizeof(ask.contender));
		strlcpy(ask.reason, campaign->text.note, sizeof(ask.reason));
		if (asks_send(&campaign->lock, &ask, fault) == -1)
			return -1;
	}
	return 0;
}

/*
 * In its place first, then the question: when it goes, nobody else is next. Only those that we saw
 * are asked, and only once: whoever leads after them did not stand in our way. The place is the
 * first one's, before all who wait; the other sharers keep the lock from us as well.
 */
static enum acquire
replace_holder(struct campaign *campaign, struct fault *fault)
{
	struct roster roster;
	enum acquire result;

	campaign->replaced = true;
	if (engine_nesting(campaign) == NESTING_REFUSED)
		return ACQUIRE_NESTED;
	if (roster_read(&campaign->lock, &roster, fault) == -1)
		return ACQUIRE_FAULT;
	result = take_ticket(campaign, roster_holder(&roster), fault);
	if (result == ACQUIRE_TAKEN && ask_to_make_room(campaign, &roster, fault) == -1)
		result = ACQUIRE_FAULT;
	roster_free(&roster);
	return result;
}

enum nesting
engine_nesting(struct campaign *campaign)
{
	if (!campaign->nested_checked)
		campaign->nested = nested_find(&campaign->lock);
	campaign->nested_checked = true;
	if (!campaign->nested.inside)
		return NESTING_NONE;
	return ticket_conflicts(campaign->nested.mode, campaign->candidacy->mode) ? NESTING_REFUSED
										  : NESTING_SHARES;
}

static enum acquire
enter_once(struct campaign *campaign, struct fault *fault)
{
	struct ticket ahead;

	if (engine_open(campaign, &campaign->lock, fault) == -1)
		return ACQUIRE_FAULT;
	queue_init(&campaign->queue, &campaign->lock);
	joining_arrive(campaign);
	/* A try that cannot succeed needs no ticket. */
	if (campaign->candidacy->if_available && !campaign->candidacy->join &&
	    engine_look_ahead(campaign, &ahead, NULL) == QUEUE_AHEAD &&
	    ahead.state == TICKET_HOLDING && engine_nesting(campaign) != NESTING_SHARES)
		return campaign->nested.inside ? ACQUIRE_NESTED : ACQUIRE_BUSY;
	if (campaign->candidacy->replace && !campaign->replaced)
		return replace_holder(campaign, fault);
	return take_ticket(campaign, NULL, fault);
}

enum acquire
engine_enter(struct campaign *campaign, struct fault *fault)
{
	enum acquire result;

	/* What was there a moment ago may be gone again: prune, or a cleaner. */
	for (int i = 0; i < ENTER_ATTEMPTS; i++) {
		result = enter_once(campaign, fault);
		if (result != ACQUIRE_FAULT || fault->error != ENOENT)
			return result;
		lockdir_close(&campaign->lock);
	}
	return result;
}
