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

enum acquire
eviction_not_allowed(struct eviction *eviction, pid_t pid, struct fault *fault)
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
	return error == EPERM || error == EACCES
		   ? eviction_not_allowed(eviction, entry->ticket.pid, fault)
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

	/* It has nothing to end but its rest. */
	eviction->answers = true;
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

static void
tell_terminated(const struct eviction *eviction, const struct census *census)
{
	struct process_stat first;

	if (eviction->terminated != NULL && census->living > 0 &&
	    proctable_read(census->living_pid, &first))
		eviction->terminated(eviction, &first, census->living - 1);
}

/*
 * It does not answer: end its tree, as it would have, and then itself. It keeps the lock until it
 * is gone, so nobody leads before. Before each round it is asked of the ticket whether the pid is
 * still its owner's: a pid that was given to another must not cost that one its children.
 */
static enum acquire
end_tree(struct eviction *eviction, const struct roster_entry *holder, duration_t until,
    struct fault *fault)
{
	const struct tree tree = {.root = holder->ticket.pid};
	const duration_t kill_at = clock_monotonic() + EVICTION_GRACE;
	struct census census = {0};
	int signal = SIGTERM;

	do {
		if (signal_owner(eviction, holder, 0, fault) == ACQUIRE_FAULT)
			return ACQUIRE_FAULT;
		if (!is_held_by(eviction->lock, holder))
			return ACQUIRE_TAKEN;
		census = tree_signal(&tree, signal);
		if (signal == SIGTERM) {
			tree_signal(&tree, SIGCONT);
			tell_terminated(eviction, &census);
		}
		if (census.refused > 0)
			return eviction_not_allowed(eviction, census.refused_pid, fault);
		eviction->signal = signals_pending_end(eviction->signals);
		if (eviction->signal != 0)
			return ACQUIRE_SIGNAL;
		if (census.living > 0 && clock_monotonic() >= until)
			return ACQUIRE_LATE;
		if (census.living > 0)
			clock_poll(NULL, 0, clock_monotonic() + ROUND);
		signal = clock_monotonic() >= kill_at ? SIGKILL : 0;
	} while (census.living > 0);
	return signal_owner(eviction, holder, SIGKILL, fault) == ACQUIRE_FAULT ? ACQUIRE_FAULT
									       : ACQUIRE_TAKEN;
}

static duration_t
left_until(duration_t until)
{
	const duration_t now = clock_monotonic();

	if (until == DURATION_NEVER)
		return DURATION_NEVER;
	return until > now ? until - now : 0;
}

static duration_t
shorter(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

/*
 * Wait as long as it answers, which is to say that it steps down and is not frozen: it is left to
 * its own grace then, which -k may have made long or endless.
 */
static enum acquire
await_answer(struct eviction *eviction, const struct roster_entry *holder, duration_t until,
    struct fault *fault)
{
	const duration_t longest = eviction->force ? EVICTION_ANSWER : DURATION_NEVER;
	enum acquire result;

	do {
		result =
		    await_leaving(eviction, holder, shorter(left_until(until), longest), fault);
		if (result != ACQUIRE_LATE)
			return result;
		eviction->answers = is_stepping_down(eviction->lock, holder);
	} while (eviction->answers && clock_monotonic() < until);
	return ACQUIRE_LATE;
}

static enum acquire
end_term(struct eviction *eviction, const struct roster_entry *holder, struct fault *fault)
{
	const duration_t until = clock_after(clock_monotonic(), eviction->wait);
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
	result = await_answer(eviction, holder, until, fault);
	if (result != ACQUIRE_LATE || !eviction->force || clock_monotonic() >= until)
		return result;
	result = end_tree(eviction, holder, until, fault);
	return result == ACQUIRE_TAKEN ? await_leaving(eviction, holder, left_until(until), fault)
				       : result;
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
