/* SPDX-License-Identifier: ISC */
/* Looking through the queue: who stands before us, who behind, and who of them is alive. */
#include "election/queue.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/lock.h"

#define PRIVATE_LEAVE (60 * DURATION_SECOND)
#define FOUND_AT_ONCE 32

/*
 * What to look for. One pass over the directory keeps the first few finds, in the order in
 * which they will be examined. Most passes need just the first; a queue in which many were killed
 * at once needs a pass for each few of them.
 */
struct search {
	const struct lockdir *lock;
	enum ticket_mode mode;
	const struct ticket *after, *before; /* bounds, both exclusive; NULL for none */
	bool nearest_first;		     /* from the end of the queue; else from its begin */
	bool waiting_only, holding_only;
	bool runs_only; /* exclusive ones that join or hold: whose outcome can be shared */
	bool no_joiners;
	duration_t now;
	size_t count;
	struct ticket found[FOUND_AT_ONCE];
	struct ticket bound; /* the last one found by a pass that met only dead ones */
};

/* A try never waits, so it counts for nobody until it holds; who rests is outside of the queue. */
static bool
counts_for_nobody(const struct ticket *ticket)
{
	return ticket->state == TICKET_RESTING ||
	       (ticket->kind == TICKET_TRY && ticket->state == TICKET_WAITING);
}

/* Whether a live ticket like this one has to be waited for, or would have to wait. */
static bool
matters(const struct search *search, const struct ticket *ticket)
{
	if (search->before != NULL && ticket_order(ticket, search->before) >= 0)
		return false;
	if (search->after != NULL && ticket_order(ticket, search->after) <= 0)
		return false;
	if (search->waiting_only && ticket->state != TICKET_WAITING)
		return false;
	if (search->holding_only && ticket->state != TICKET_HOLDING)
		return false;
	if (search->runs_only &&
	    (ticket->mode != TICKET_EXCLUSIVE ||
		(ticket->kind != TICKET_JOIN && ticket->state != TICKET_HOLDING)))
		return false;
	if (search->no_joiners && ticket->kind == TICKET_JOIN && ticket->state == TICKET_WAITING)
		return false;
	if (counts_for_nobody(ticket))
		return false;
	return ticket_conflicts(ticket->mode, search->mode);
}

static bool
comes_first(const struct search *search, const struct ticket *a, const struct ticket *b)
{
	const int order = ticket_order(a, b);

	return search->nearest_first ? order > 0 : order < 0;
}

static void
insert(struct search *search, const struct ticket *ticket)
{
	size_t at = search->count;

	while (at > 0 && comes_first(search, ticket, &search->found[at - 1]))
		at--;
	if (at == FOUND_AT_ONCE)
		return;
	if (search->count < FOUND_AT_ONCE)
		search->count++;
	memmove(
	    &search->found[at + 1], &search->found[at], (search->count - 1 - at) * sizeof(*ticket));
	search->found[at] = *ticket;
}

/* Remove a name whose lock can be had. */
static void
remove_if_dead(const struct lockdir *lock, const char *name)
{
	int fd;

	fd = lockdir_ticket_open(lock, name);
	if (fd == -1)
		return;
	if (lock_try(fd, LOCK_SHARED) == LOCK_TAKEN)
		lockdir_ticket_remove(lock, name);
	close(fd);
}

/*
 * A private name is debris when its lock can be had, but its maker may just not have come to
 * locking it. Taking it away then is harmless (the maker tries again) and a waste, so leave fresh
 * ones alone. A time that is yet to come is from before a reboot.
 */
static bool
is_fresh(uint64_t made, duration_t now)
{
	return made <= (uint64_t)now && (uint64_t)now - made <= PRIVATE_LEAVE;
}

static void
sweep(const struct search *search, const char *name)
{
	uint64_t made;

	if (ticket_private_unpack(name, &made) && !is_fresh(made, search->now))
		remove_if_dead(search->lock, name);
	/* By then all have noticed that somebody was passed. */
	if (ticket_pass_unpack(name, &made) && !is_fresh(made, clock_monotonic()))
		remove_if_dead(search->lock, name);
}

static bool
consider(const char *name, void *context)
{
	struct search *search = context;
	struct ticket ticket;

	if (ticket_unpack(name, &ticket)) {
		if (matters(search, &ticket))
			insert(search, &ticket);
		else if (counts_for_nobody(&ticket))
			/* Nobody waits for it, so nobody else would find out that it is dead. */
			remove_if_dead(search->lock, name);
	} else {
		sweep(search, name);
	}
	return true;
}

/*
 * QUEUE_AHEAD: alive, its file in *fd. QUEUE_CLEAR: dead, or no ticket at all. QUEUE_PASSED: the
 * name is gone, so the listing that gave it is old.
 */
static enum queue_result
examine(const struct lockdir *lock, const struct ticket *ticket, int *fd)
{
	char name[TICKET_NAME_SIZE];
	enum lock_result lived;

	*fd = lockdir_ticket_open(lock, ticket_pack(ticket, name));
	if (*fd == -1) {
		if (errno == ENOENT)
			return QUEUE_PASSED;
		/* What is not a regular file is nobody's ticket. */
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? QUEUE_ERROR
									     : QUEUE_CLEAR;
	}
	lived = lock_try(*fd, LOCK_SHARED);
	if (lived == LOCK_BUSY)
		return QUEUE_AHEAD;
	if (lived == LOCK_TAKEN)
		lockdir_ticket_remove(lock, name);
	close(*fd);
	return lived == LOCK_TAKEN ? QUEUE_CLEAR : QUEUE_ERROR;
}

/* The nearest live one of a pass; QUEUE_PASSED when the pass has to be made anew. */
static enum queue_result
examine_all(const struct search *search, struct ticket *ahead, int *fd)
{
	enum queue_result result;
	int candidate;

	for (size_t i = 0; i < search->count; i++) {
		result = examine(search->lock, &search->found[i], &candidate);
		if (result == QUEUE_CLEAR)
			continue;
		if (result != QUEUE_AHEAD)
			return result;
		*ahead = search->found[i];
		if (fd != NULL)
			*fd = candidate;
		else
			close(candidate);
		return QUEUE_AHEAD;
	}
	return QUEUE_CLEAR;
}

/* The first that is alive. */
static enum queue_result
look(struct search *search, struct ticket *first, int *fd)
{
	enum queue_result result;

	search->now = clock_boottime();
	for (;;) {
		search->count = 0;
		if (lockdir_ticket_each(search->lock, consider, search) == -1)
			return QUEUE_ERROR;
		result = examine_all(search, first, fd);
		if (result == QUEUE_PASSED)
			continue;
		if (result != QUEUE_CLEAR || search->count < FOUND_AT_ONCE)
			return result;
		/* All of them were dead, and there may be more behind. */
		search->bound = search->found[FOUND_AT_ONCE - 1];
		if (search->nearest_first)
			search->before = &search->bound;
		else
			search->after = &search->bound;
	}
}

enum queue_result
queue_look_ahead(const struct queue *queue, enum ticket_mode mode, struct ticket *ahead, int *fd)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = mode,
	    .before = queue->fd == -1 ? NULL : &queue->ticket,
	    .nearest_first = true,
	};

	return look(&search, ahead, fd);
}

enum queue_result
queue_look_for_run(const struct queue *queue, struct ticket *ahead, int *fd)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = TICKET_EXCLUSIVE,
	    .before = queue->fd == -1 ? NULL : &queue->ticket,
	    .nearest_first = true,
	    .runs_only = true,
	};

	return look(&search, ahead, fd);
}

enum queue_result
queue_look_for_leader(const struct queue *queue, struct ticket *leader, int *fd)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = TICKET_EXCLUSIVE,
	    .runs_only = true,
	    .holding_only = true,
	};

	return look(&search, leader, fd);
}

enum queue_result
queue_first_waiting(const struct queue *queue, struct ticket *first)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = TICKET_EXCLUSIVE,
	    .before = queue->fd == -1 ? NULL : &queue->ticket,
	    .waiting_only = true,
	};

	return look(&search, first, NULL);
}

bool
queue_has_holder(const struct queue *queue)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = TICKET_EXCLUSIVE,
	    .before = queue->fd == -1 ? NULL : &queue->ticket,
	    .holding_only = true,
	};
	struct ticket holder;

	return look(&search, &holder, NULL) == QUEUE_AHEAD;
}

bool
queue_is_wanted(const struct queue *queue, enum ticket_mode mode)
{
	struct search search = {
	    .lock = queue->lock,
	    .mode = mode,
	    .after = queue->fd == -1 ? NULL : &queue->ticket,
	    .waiting_only = true,
	    .no_joiners = mode == TICKET_EXCLUSIVE,
	};
	struct ticket first;

	return look(&search, &first, NULL) == QUEUE_AHEAD;
}

struct others {
	const struct queue *queue;
	unsigned most;
	unsigned count;
};

static bool
count_if_waiting(const char *name, void *context)
{
	struct others *others = context;
	const struct queue *queue = others->queue;
	struct ticket ticket;
	int fd;

	if (!ticket_unpack(name, &ticket) || ticket.state != TICKET_WAITING ||
	    ticket.kind == TICKET_TRY ||
	    (queue->fd != -1 && ticket_order(&ticket, &queue->ticket) == 0))
		return true;
	if (examine(queue->lock, &ticket, &fd) == QUEUE_AHEAD) {
		others->count++;
		close(fd);
	}
	return others->count < others->most;
}

unsigned
queue_count_waiting(const struct queue *queue, unsigned most)
{
	struct others others = {.queue = queue, .most = most};

	(void)lockdir_ticket_each(queue->lock, count_if_waiting, &others);
	return others.count;
}
