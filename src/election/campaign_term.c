/* SPDX-License-Identifier: ISC */
/* The second half of a campaign: what is done while the lock is ours. */
#include "election/campaign.h"

#include <bsd/string.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "election/asks.h"
#include "election/engine.h"
#include "election/generation.h"
#include "election/previous.h"
#include "election/terms.h"
#include "kernel/clock.h"
#include "kernel/lockwatch.h"

static void
close_and_forget(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

static void
describe(struct campaign *campaign, const char *condition)
{
	strlcpy(campaign->text.condition, condition, sizeof(campaign->text.condition));
	queue_describe(&campaign->queue, &campaign->text);
}

/* What cannot be used is found out while nothing ran and no number is spent. */
static int
open_records(struct campaign *campaign, struct fault *fault)
{
	int ask_fd;

	ask_fd = lockdir_file(&campaign->lock, STATE_ASK, STATE_CONTEND, fault);
	if (ask_fd == -1)
		return -1;
	close(ask_fd);
	/* Shared holders have no generation, and so no record. */
	if (campaign->candidacy->mode == TICKET_SHARED)
		return 0;
	campaign->terms_fd = terms_open(&campaign->lock, fault);
	return campaign->terms_fd == -1 ? -1 : 0;
}

/* What became of the terms before, and which generation is the next. */
static int
look_back(struct campaign *campaign, struct generation *generation, struct fault *fault)
{
	/* Shared holders have no generation; but it is theirs to know what they read after. */
	if (campaign->candidacy->mode == TICKET_SHARED) {
		campaign->previous = previous_read(&campaign->lock);
		return 0;
	}
	if (generation_look(&campaign->lock, generation, fault) == -1)
		return -1;
	campaign->previous = previous_after(&campaign->lock, &generation->plan, generation->boot);
	return 0;
}

static void
introduce(const struct campaign *campaign, const struct generation *generation, struct term *term)
{
	term->generation = generation->plan.next;
	term->pid = getpid();
	term->before = campaign->previous.ran;
	term->sync = campaign->previous.sync_owed ? SYNC_OWED : SYNC_NO;
	term->queued_ms = campaign->queued_ms;
	term->begun_ms = clock_realtime_ms();
	strlcpy(term->contender, campaign->contender, sizeof(term->contender));
	strlcpy(term->command, campaign->text.command, sizeof(term->command));
	strlcpy(term->note, campaign->text.note, sizeof(term->note));
	clock_boot_id(term->boot);
}

static int
terms_fault(const struct campaign *campaign, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];

	return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s",
	    lockdir_path(&campaign->lock, STATE_TERMS, path));
}

/*
 * Recorded first, then given, and only then recorded as started: whoever is killed on the way has
 * run nothing, and its successor can tell. A full disk may keep the record away as a whole, and
 * then the successor does not know; but what says that nothing ran must not stay.
 */
static int
begin(struct campaign *campaign, struct generation *generation, struct term *term,
    struct fault *fault)
{
	const bool refuses = campaign->candidacy->refuse_after_lost;
	const enum term_sync owed = term->sync;
	const bool sync = refuses || owed != SYNC_NO;
	bool recorded;

	term->stage = TERM_BEGUN;
	recorded = terms_write(campaign->terms_fd, term) == 0;
	if (term->generation != 0 &&
	    generation_give(&campaign->lock, generation, sync, fault) == -1)
		return -1;
	campaign->led = campaign->text.generation = term->generation;
	campaign->text.command_pid = 0;
	campaign->text.since_ms = term->begun_ms;
	describe(campaign, "leading");
	term->stage = TERM_STARTED;
	if (refuses)
		term->sync = SYNC_YES;
	if (terms_write(campaign->terms_fd, term) == -1 && (recorded || sync))
		return terms_fault(campaign, fault);
	if (!sync || campaign->terms_fd == -1 || fdatasync(campaign->terms_fd) == 0)
		return 0;
	terms_fault(campaign, fault);
	/* It will not be. */
	term->stage = TERM_BEGUN;
	term->sync = owed;
	(void)terms_write(campaign->terms_fd, term);
	return -1;
}

enum acquire
campaign_begin_term(struct campaign *campaign, struct term *term, struct fault *fault)
{
	struct generation generation = {.number = -1};
	enum acquire result = ACQUIRE_FAULT;

	memset(term, 0, sizeof(*term));
	if (open_records(campaign, fault) == -1 || look_back(campaign, &generation, fault) == -1)
		return ACQUIRE_FAULT;
	if (campaign->candidacy->refuse_after_lost && previous_is_lost(&campaign->previous)) {
		if (!terms_read(
			&campaign->lock, campaign->previous.ran.generation, &campaign->lost))
			campaign->lost = (struct term){.stage = TERM_EMPTY};
		result = ACQUIRE_REFUSED;
	} else {
		introduce(campaign, &generation, term);
		if (begin(campaign, &generation, term, fault) == 0)
			result = ACQUIRE_TAKEN;
	}
	generation_close(&generation);
	return result;
}

void
campaign_inheritance(const struct campaign *campaign, int inheritance[PROCESS_INHERITED])
{
	inheritance[0] = campaign->lock_fd;
	inheritance[1] = campaign->also.fd;
}

int
campaign_watch(struct campaign *campaign, const struct term *term)
{
	struct fault fault;
	int fd;

	fd = lockdir_file(&campaign->lock, STATE_ASK, STATE_CONTEND, &fault);
	/* Shared holders do not lead alone: what is asked may be asked of another. */
	if (fd != -1 && term->generation != 0)
		asks_clear(fd, term->generation, campaign->contender);
	close_and_forget(&fd);
	campaign->watch_fd = lockwatch_open(&campaign->lock, campaign->candidacy->watch_queue);
	return campaign->watch_fd;
}

void
campaign_watch_drain(struct campaign *campaign)
{
	if (campaign->watch_fd != -1)
		lockwatch_drain(campaign->watch_fd);
}

bool
campaign_asked(struct campaign *campaign, const struct term *term, struct ask *ask)
{
	struct fault fault;
	bool asked;
	int fd;

	/* By its name each time: whoever removed it and asked anew wants to be heard as well. */
	fd = lockdir_file(&campaign->lock, STATE_ASK, STATE_READ, &fault);
	if (fd == -1)
		return false;
	if (lseek(fd, 0, SEEK_END) < campaign->asked_to)
		campaign->asked_to = 0;
	asked = asks_next(fd, &campaign->asked_to, term->generation, campaign->contender, ask);
	close(fd);
	return asked;
}

bool
campaign_is_lost(const struct campaign *campaign)
{
	return !lockdir_is_current(&campaign->lock, campaign->lock_fd);
}

bool
campaign_is_wanted(const struct campaign *campaign)
{
	return queue_is_wanted(&campaign->queue, campaign->candidacy->mode);
}

/* Record what has become of a term. Without it the successor knows less, but nothing wrong. */
static void
record_end(const struct campaign *campaign, struct term *term)
{
	if (term->sync == SYNC_OWED)
		term->sync = SYNC_NO;
	(void)terms_write(campaign->terms_fd, term);
	if (term->sync == SYNC_YES && campaign->terms_fd != -1)
		(void)fdatasync(campaign->terms_fd);
}

void
campaign_hand_over(struct campaign *campaign, struct term *term)
{
	term->stage = TERM_UNREPORTED;
	record_end(campaign, term);
}

void
campaign_tell_command(struct campaign *campaign, pid_t command)
{
	campaign->text.command_pid = command;
	queue_describe(&campaign->queue, &campaign->text);
}

void
campaign_tell_life(
    struct campaign *campaign, duration_t limit, int64_t heard_ms, const char *report)
{
	struct ticket_text *text = &campaign->text;

	text->watchdog_ms = (limit + DURATION_MILLISECOND - 1) / DURATION_MILLISECOND;
	text->heard_ms = heard_ms;
	strlcpy(text->report, report, sizeof(text->report));
	queue_describe(&campaign->queue, text);
}

void
campaign_tell_stepping_down(struct campaign *campaign, enum reason reason)
{
	strlcpy(campaign->text.reason, reason_word(reason), sizeof(campaign->text.reason));
	describe(campaign, "stepping-down");
}

void
campaign_end_term(struct campaign *campaign, struct term *term, const struct outcome *outcome)
{
	term->stage = TERM_ENDED;
	term->ended_ms = clock_realtime_ms();
	term->ran = outcome->ran;
	term->reason = outcome->reason;
	term->status = outcome->status;
	term->signal = outcome->signal;
	term->killed = outcome->killed;
	record_end(campaign, term);
	terms_count(campaign->terms_fd, term);
	/* Explicitly, for all copies: a daemon that the command left behind may have one. */
	also_flock_release(&campaign->also);
	lock_unmark(campaign->lock_fd);
	lock_release(campaign->lock_fd);
}

void
campaign_leave(struct campaign *campaign)
{
	if (campaign->candidacy->again)
		engine_begin_rest(campaign, "backoff");
	else
		engine_end_rest(campaign);
	queue_leave(&campaign->queue);
	also_flock_close(&campaign->also);
	close_and_forget(&campaign->lock_fd);
	close_and_forget(&campaign->terms_fd);
	close_and_forget(&campaign->watch_fd);
	lockdir_close(&campaign->lock);
	joining_end(&campaign->joining);
	patience_end(&campaign->patience);
}
