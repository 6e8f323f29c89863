/* SPDX-License-Identifier: ISC */
#include "election/eviction.h"

#include <bsd/string.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "election/asks.h"
#include "election/await_end.h"
#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/lockers.h"
#include "kernel/tree.h"

/* By then a lockrun that is alive has said that it steps down. */
#define ANSWER_WITHIN (2 * DURATION_SECOND)
/* From SIGTERM to SIGKILL, as lockrun itself does it. */
#define GRACE (10 * DURATION_SECOND)
#define ROUND (50 * DURATION_MILLISECOND)
/* One that ends at this moment is out of sight before its lock is gone. */
#define UNSEEN_ROUNDS 5
#define RETURNS	      100 /* how often one may come back */

static enum acquire
system_fault(const struct lockdir *lock, int error, struct fault *fault)
{
	fault_set(fault, FAULT_LOCK_UNUSABLE, error, "%s", lock->name);
	return ACQUIRE_FAULT;
}

static enum acquire
not_allowed(struct eviction *eviction, pid_t pid, struct fault *fault)
{
	eviction->refused = pid;
	fault_set(fault, FAULT_NOT_ALLOWED, EPERM, "%s: pid %d", eviction->lock->name, pid);
	return ACQUIRE_FAULT;
}

/* ACQUIRE_BUSY: the ticket is alive, and that pid does not have it. ACQUIRE_AGAIN: it has gone. */
static enum acquire
try_to_signal(
    struct eviction *eviction, const struct roster_entry *entry, int signal, struct fault *fault)
{
	char name[TICKET_NAME_SIZE];
	int fd, result, error, alive;

	fd = lockdir_ticket_open(eviction->lock, ticket_pack(&entry->ticket, name));
	if (fd == -1)
		return errno == ENOENT ? ACQUIRE_AGAIN : system_fault(eviction->lock, errno, fault);
	result = lockers_signal_one(entry->ticket.pid, fd, signal);
	error = errno;
	alive = result == -1 && error == ESRCH && lock_try(fd, LOCK_SHARED) == LOCK_BUSY;
	close(fd);
	if (alive)
		return ACQUIRE_BUSY;
	if (result == 0 || error == ESRCH)
		return result == 0 ? ACQUIRE_TAKEN : ACQUIRE_AGAIN;
	return error == EPERM || error == EACCES ? not_allowed(eviction, entry->ticket.pid, fault)
						 : system_fault(eviction->lock, error, fault);
}

/* Signal the lockrun of a ticket: whoever has that ticket locked, and nobody else. */
static enum acquire
signal_owner(
    struct eviction *eviction, const struct roster_entry *entry, int signal, struct fault *fault)
{
	enum acquire result;

	if (!entry->same_namespace) {
		fault_set(fault, FAULT_OTHER_NAMESPACE, 0, "%s: pid %d", eviction->lock->name,
		    entry->ticket.pid);
		return ACQUIRE_FAULT;
	}
	for (int i = 0; i < UNSEEN_ROUNDS; i++) {
		result = try_to_signal(eviction, entry, signal, fault);
		if (result != ACQUIRE_BUSY)
			return result;
		clock_poll(NULL, 0, clock_monotonic() + ROUND);
	}
	fault_set(
	    fault, FAULT_OTHER_PROCESS, 0, "%s: pid %d", eviction->lock->name, entry->ticket.pid);
	return ACQUIRE_FAULT;
}

static enum acquire
await_leaving(struct eviction *eviction, const struct roster_entry *contender, duration_t wait,
    struct fault *fault)
{
	const enum acquire result =
	    await_end(eviction->lock, contender, wait, eviction->signals, &eviction->signal);

	return result == ACQUIRE_FAULT ? system_fault(eviction->lock, errno, fault) : result;
}

/* ---- who does not hold ---- */

enum acquire
evict_waiter(struct eviction *eviction, const struct roster_entry *waiter, struct fault *fault)
{
	struct ask ask = {.verb = ASK_STOP};
	enum acquire result;

	strlcpy(ask.contender, waiter->text.contender, sizeof(ask.contender));
	strlcpy(ask.reason, eviction->reason, sizeof(ask.reason));
	if (ask.contender[0] != '\0')
		(void)asks_send(eviction->lock, &ask, fault);
	result = signal_owner(eviction, waiter, SIGTERM, fault);
	if (result == ACQUIRE_TAKEN && waiter->frozen)
		result = signal_owner(eviction, waiter, SIGCONT, fault);
	return result;
}

enum acquire
evict_resting(struct eviction *eviction, const struct roster_entry *resting, struct fault *fault)
{
	const enum acquire result = evict_waiter(eviction, resting, fault);

	return result == ACQUIRE_TAKEN ? await_leaving(eviction, resting, eviction->wait, fault)
				       : result;
}

/* ---- a holder ---- */

/* Whether its ticket is still there, and alive. */
static bool
is_held_by(const struct lockdir *lock, const struct roster_entry *holder)
{
	char name[TICKET_NAME_SIZE];
	bool held;
	int fd;

	fd = lockdir_ticket_open(lock, ticket_pack(&holder->ticket, name));
	if (fd == -1)
		return false;
	held = lock_try(fd, LOCK_SHARED) == LOCK_BUSY;
	close(fd);
	return held;
}

/* Whether it does what it was asked; one that is frozen does not, whatever it said before. */
static bool
is_stepping_down(const struct lockdir *lock, const struct roster_entry *holder)
{
	const struct roster_entry *now;
	struct roster roster;
	struct fault fault;
	bool stepping;

	if (roster_read(lock, &roster, &fault) == -1)
		return false;
	now = roster_find(&roster, holder->text.contender);
	stepping =
	    now == NULL || (strcmp(now->text.condition, "stepping-down") == 0 && !now->frozen);
	roster_free(&roster);
	return stepping;
}

/*
 * It does not answer: end its tree, as it would have, and then itself. It keeps the lock until it
 * is gone, so nobody leads before. Before each round it is asked of the ticket whether the pid is
 * still its owner's: a pid that was given to another must not cost that one its children.
 */
static enum acquire
end_tree(struct eviction *eviction, const struct roster_entry *holder, struct fault *fault)
{
	const struct tree tree = {.root = holder->ticket.pid};
	const duration_t kill_at = clock_monotonic() + GRACE;
	struct census census = {0};
	int signal = SIGTERM;

	do {
		if (signal_owner(eviction, holder, 0, fault) == ACQUIRE_FAULT)
			return ACQUIRE_FAULT;
		if (!is_held_by(eviction->lock, holder))
			return ACQUIRE_TAKEN;
		census = tree_signal(&tree, signal);
		if (signal == SIGTERM)
			tree_signal(&tree, SIGCONT);
		if (census.refused > 0)
			return not_allowed(eviction, census.refused_pid, fault);
		eviction->signal = signals_pending_end(eviction->signals);
		if (eviction->signal != 0)
			return ACQUIRE_SIGNAL;
		if (census.living > 0)
			clock_poll(NULL, 0, clock_monotonic() + ROUND);
		signal = clock_monotonic() >= kill_at ? SIGKILL : 0;
	} while (census.living > 0);
	return signal_owner(eviction, holder, SIGKILL, fault) == ACQUIRE_FAULT ? ACQUIRE_FAULT
									       : ACQUIRE_TAKEN;
}

static duration_t
shorter(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

static enum acquire
end_term(struct eviction *eviction, const struct roster_entry *holder, struct fault *fault)
{
	const duration_t patience =
	    eviction->force ? shorter(eviction->wait, ANSWER_WITHIN) : eviction->wait;
	struct ask ask = {.verb = ASK_STOP, .generation = holder->text.generation};
	enum acquire result;

	strlcpy(ask.contender, ask.generation == 0 ? holder->text.contender : "",
	    sizeof(ask.contender));
	strlcpy(ask.reason, eviction->reason, sizeof(ask.reason));
	if (asks_send(eviction->lock, &ask, fault) == -1)
		return ACQUIRE_FAULT;
	/* One that is stopped cannot hear. */
	if (holder->frozen && signal_owner(eviction, holder, SIGCONT, fault) == ACQUIRE_FAULT)
		return ACQUIRE_FAULT;
	result = await_leaving(eviction, holder, patience, fault);
	if (result != ACQUIRE_LATE || !eviction->force)
		return result;
	/* One that has heard gets the grace that it may be giving; -k can have made that longer. */
	if (is_stepping_down(eviction->lock, holder))
		result = await_leaving(eviction, holder, shorter(eviction->wait, GRACE), fault);
	if (result == ACQUIRE_LATE)
		result = end_tree(eviction, holder, fault);
	if (result != ACQUIRE_TAKEN)
		return result;
	return await_leaving(eviction, holder, eviction->wait, fault);
}

/* Whether a contender is there, and as what. */
static bool
is_there(const struct lockdir *lock, const char *contender, struct roster_entry *as)
{
	const struct roster_entry *found;
	struct roster roster;
	struct fault fault;

	if (contender[0] == '\0' || roster_read(lock, &roster, &fault) == -1)
		return false;
	found = roster_find(&roster, contender);
	*as = found != NULL ? *found : *as;
	roster_free(&roster);
	return found != NULL;
}

/* One whose term had ended before it heard competes again: it is told once more, for good. */
enum acquire
evict_holder(struct eviction *eviction, const struct roster_entry *holder, struct fault *fault)
{
	enum acquire result = end_term(eviction, holder, fault);
	struct roster_entry now;

	for (int i = 0; i < RETURNS && (result == ACQUIRE_TAKEN || result == ACQUIRE_AGAIN) &&
			is_there(eviction->lock, holder->text.contender, &now);
	     i++)
		result = now.ticket.state == TICKET_HOLDING ? end_term(eviction, &now, fault)
							    : evict_resting(eviction, &now, fault);
	return result == ACQUIRE_AGAIN ? ACQUIRE_TAKEN : result;
}

/* ---- what is left of one ---- */

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

enum acquire
evict_leftovers(struct eviction *eviction, const struct roster *roster, struct fault *fault)
{
	const pid_t taker = roster->last_term.pid;
	const duration_t begin = clock_monotonic();
	const duration_t kill_at = eviction->force ? begin + GRACE : DURATION_NEVER;
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
	if (eviction->force)
		lockers_note_below(fd, taker, &below);
	while (result == ACQUIRE_TAKEN && (is_left(eviction, fd, roster->generation) ||
					      tree_signal_noted(&below, 0).living > 0)) {
		/* The walk through all descriptors of all processes is not for waiting. */
		if (signal != 0)
			census = signal_left(fd, taker, &below, signal);
		eviction->signal = signals_pending_end(eviction->signals);
		unseen = census.living > 0 ? 0 : unseen + 1;
		if (census.refused > 0)
			result = not_allowed(eviction, census.refused_pid, fault);
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
