/* SPDX-License-Identifier: ISC */
#include "election/forget.h"

#include <errno.h>
#include <unistd.h>

#include "election/floor.h"
#include "election/generation.h"
#include "election/roster.h"
#include "election/terms.h"
#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/lockdir.h"

/*
 * Whether nobody knows how the last term that may have run ended; by its record, since after a boot
 * none may have been the last.
 */
static bool
is_lost(const struct roster *roster)
{
	const struct term *term = &roster->last_term;
	struct previous previous = roster->previous;

	/* Nothing was given, or the number tells nothing; that is a fault of its own. */
	if (!roster->has_last_term && previous.ran.generation == 0)
		return false;
	if (roster->has_last_term)
		previous.ran.outcome = term_outcome(term, roster->boot);
	if (roster->has_last_term && previous.ran.outcome == OUTCOME_NOT_STARTED)
		previous.ran = term->before;
	return previous_is_lost(&previous);
}

/* What its last term says about whether it may go. */
static enum forget
judge(const struct lockdir *lock, const struct roster *roster, duration_t older_than)
{
	const struct term *term = &roster->last_term;
	int64_t used_ms = lockdir_made_ms(lock);

	if (roster->count > 0 || roster_is_held(roster))
		return FORGET_IN_USE;
	if (is_lost(roster))
		return FORGET_LOST;
	if (roster->has_last_term)
		used_ms = term->ended_ms != 0 ? term->ended_ms : term->begun_ms;
	if (roster->skips.last_ms > used_ms)
		used_ms = roster->skips.last_ms;
	return (clock_realtime_ms() - used_ms) * DURATION_MILLISECOND < older_than ? FORGET_YOUNG
										   : FORGET_DONE;
}

static enum forget
look_at(const struct lockdir *lock, duration_t older_than, struct fault *fault)
{
	struct roster roster;
	enum forget verdict;

	if (roster_read(lock, &roster, fault) == -1)
		return FORGET_FAULT;
	verdict = judge(lock, &roster, older_than);
	roster_free(&roster);
	return verdict;
}

/* The lock is ours: nobody leads, and nobody can begin to until its directory has moved. */
static enum forget
forget_held(const struct lockdir *lock, int lock_fd, duration_t older_than, struct fault *fault)
{
	enum forget verdict;
	uint64_t highest;

	if (!lockdir_is_current(lock, lock_fd))
		return FORGET_IN_USE;
	verdict = look_at(lock, older_than, fault);
	if (verdict == FORGET_DONE && (generation_highest(lock, &highest, fault) == -1 ||
					  floor_raise(lock->directory, highest, fault) == -1 ||
					  lockdir_remove(lock, fault) == -1))
		verdict = FORGET_FAULT;
	return verdict;
}

static enum forget
forget_free(const struct lockdir *lock, duration_t older_than, struct fault *fault)
{
	enum forget result = FORGET_IN_USE;
	int lock_fd;

	lock_fd = lockdir_file(lock, STATE_LOCK, STATE_CONTEND, fault);
	/* Another one was quicker to forget it. */
	if (lock_fd == -1)
		return fault->error == ENOENT ? FORGET_IN_USE : FORGET_FAULT;
	if (lock_try(lock_fd, LOCK_EXCLUSIVE) == LOCK_TAKEN)
		result = forget_held(lock, lock_fd, older_than, fault);
	close(lock_fd);
	return result;
}

enum forget
forget_lock(
    const struct statedir *directory, const char *name, duration_t older_than, struct fault *fault)
{
	enum forget result = FORGET_IN_USE;
	struct lockdir lock;

	if (lockdir_open(directory, name, STATE_READ, NULL, 0, &lock, fault) == -1)
		return FORGET_FAULT;
	/* Looked at from outside first: one that stays is busy for no contender. */
	if (lock.fd != -1)
		result = look_at(&lock, older_than, fault);
	if (result == FORGET_DONE)
		result = forget_free(&lock, older_than, fault);
	lockdir_close(&lock);
	return result;
}
