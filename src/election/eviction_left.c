/* SPDX-License-Identifier: ISC */
/* Ending what is left of a term whose lockrun is gone. */
#include "election/eviction.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/lockers.h"

#define ROUND (50 * DURATION_MILLISECOND)
/* One that ends at this moment is out of sight before its lock is gone. */
#define UNSEEN_ROUNDS 5

/* It holds the lock, and none of the processes that we may look into has it. */
static enum acquire
out_of_sight(const struct lockdir *lock, struct fault *fault)
{
	fault_set(fault, FAULT_NOT_ALLOWED, EPERM,
	    "%s: held by a process of another user or another pid namespace", lock->name);
	return ACQUIRE_FAULT;
}

/*
 * Whether what is left still has the lock: a new holder has a ticket; or, when it took its
 * lockrun's place as well, a newer generation, which is given only where nobody else holds.
 */
static bool
is_left(const struct eviction *eviction, int lock_fd, uint64_t generation)
{
	struct roster roster;
	struct fault fault;
	bool left;

	if (!lock_is_marked(lock_fd) || roster_read(eviction->lock, &roster, &fault) == -1)
		return false;
	left = roster.held == 0 && roster_is_held(&roster) && roster.generation == generation;
	roster_free(&roster);
	return left;
}

/* One round: those that have the lock, and those below them that were noted. */
static struct census
signal_left(int fd, pid_t taker, const struct tree *below, int signal)
{
	struct census census = lockers_signal_left(fd, taker, signal);
	const struct census noted = tree_signal_noted(below, signal);

	if (signal == SIGTERM) {
		lockers_signal_left(fd, taker, SIGCONT);
		tree_signal_noted(below, SIGCONT);
	}
	census.living += noted.living;
	if (noted.refused > 0) {
		census.refused += noted.refused;
		census.refused_pid = noted.refused_pid;
	}
	return census;
}

/* Before it is so: who is gone has no name any more. */
static void
tell_terminated(const struct eviction *eviction, int fd, pid_t taker)
{
	struct process_stat first;
	size_t count = 0;

	if (eviction->terminated != NULL)
		count = lockers_list_left(fd, taker, &first, 1);
	if (count > 0)
		eviction->terminated(eviction, &first, (unsigned)count - 1);
}

enum acquire
evict_leftovers(struct eviction *eviction, const struct roster *roster, struct fault *fault)
{
	const pid_t taker = roster->last_term.pid;
	const duration_t begin = clock_monotonic();
	const duration_t kill_at = eviction->force ? begin + EVICTION_GRACE : DURATION_NEVER;
	const duration_t until = clock_after(begin, eviction->wait);
	struct tree below = {0};
	struct census census = {.living = 1};
	int fd, signal = SIGTERM, unseen = 0;
	enum acquire result = ACQUIRE_TAKEN;

	fd = lockdir_file(eviction->lock, STATE_LOCK, STATE_READ, fault);
	if (fd == -1)
		return ACQUIRE_FAULT;
	signals_take_over(eviction->signals);
	/* Some close all descriptors of what they start: these are found before their parents go.
	 */
	if (eviction->force) {
		tell_terminated(eviction, fd, taker);
		lockers_note_below(fd, taker, &below);
	}
	while (result == ACQUIRE_TAKEN && (is_left(eviction, fd, roster->generation) ||
					      tree_signal_noted(&below, 0).living > 0)) {
		/* The walk through all descriptors of all processes is not for waiting. */
		if (signal != 0)
			census = signal_left(fd, taker, &below, signal);
		eviction->signal = signals_pending_end(eviction->signals);
		unseen = census.living > 0 ? 0 : unseen + 1;
		if (census.refused > 0)
			result = eviction_not_allowed(eviction, census.refused_pid, fault);
		else if (unseen >= UNSEEN_ROUNDS)
			result = out_of_sight(eviction->lock, fault);
		else if (eviction->signal != 0)
			result = ACQUIRE_SIGNAL;
		else if (clock_monotonic() >= until)
			result = ACQUIRE_LATE;
		else
			clock_poll(NULL, 0, clock_monotonic() + ROUND);
		signal = clock_monotonic() >= kill_at ? SIGKILL : 0;
	}
	close(fd);
	return result;
}
