/* SPDX-License-Identifier: ISC */
#include "election/queue.h"

#include <bsd/stdlib.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/proctable.h"

/*
 * A ticket that is being made has a private name until it is locked, so that no named ticket is
 * ever unlocked while its maker lives. It carries the time, for whoever cleans up after a maker
 * that was killed in between.
 */
#define PRIVATE_PREFIX	".new-"
#define PRIVATE_FORMAT	PRIVATE_PREFIX "%020llu-%08x%08x"
#define PRIVATE_LEAVE	(60 * DURATION_SECOND)
#define ATTEMPTS	1000
#define NEAREST_AT_ONCE 32

void
queue_init(struct queue *queue, const struct lockdir *lock)
{
	memset(queue, 0, sizeof(*queue));
	queue->lock = lock;
	queue->fd = -1;
}

/* ---- looking ahead ---- */

/*
 * One pass over the directory keeps the nearest few candidates, nearest first. Most passes need
 * just the first; a queue in which many were killed at once needs a pass for each few of them.
 */
struct candidates {
	const struct queue *queue;
	enum ticket_mode mode;
	const struct ticket *before; /* only what stands before this one; NULL for all */
	duration_t now;
	size_t count;
	struct ticket nearest[NEAREST_AT_ONCE];
};

/* Whether a live ticket like this one has to be waited for. */
static bool
matters(const struct candidates *candidates, const struct ticket *ticket)
{
	if (candidates->before != NULL && ticket_order(ticket, candidates->before) >= 0)
		return false;
	/* A try never waits, so it counts for nobody until it holds. */
	if (ticket->kind == TICKET_TRY && ticket->state == TICKET_WAITING)
		return false;
	return ticket_conflicts(ticket->mode, candidates->mode);
}

static void
insert(struct candidates *candidates, const struct ticket *ticket)
{
	size_t at = candidates->count;

	while (at > 0 && ticket_order(ticket, &candidates->nearest[at - 1]) > 0)
		at--;
	if (at == NEAREST_AT_ONCE)
		return;
	if (candidates->count < NEAREST_AT_ONCE)
		candidates->count++;
	memmove(&candidates->nearest[at + 1], &candidates->nearest[at],
	    (candidates->count - 1 - at) * sizeof(*ticket));
	candidates->nearest[at] = *ticket;
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
static void
sweep(const struct candidates *candidates, const char *name)
{
	unsigned long long made;

	if (sscanf(name, PRIVATE_PREFIX "%20llu-", &made) == 1 &&
	    (made > (unsigned long long)candidates->now ||
		made + PRIVATE_LEAVE < (unsigned long long)candidates->now))
		remove_if_dead(candidates->queue->lock, name);
}

static bool
consider(const char *name, void *context)
{
	struct candidates *candidates = context;
	struct ticket ticket;

	if (ticket_unpack(name, &ticket)) {
		if (matters(candidates, &ticket))
			insert(candidates, &ticket);
	} else if (strncmp(name, PRIVATE_PREFIX, strlen(PRIVATE_PREFIX)) == 0) {
		sweep(candidates, name);
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
		/* A symlink or a device with a ticket's name is nobody's. */
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
examine_all(const struct candidates *candidates, struct ticket *ahead, int *fd)
{
	enum queue_result result;
	int candidate;

	for (size_t i = 0; i < candidates->count; i++) {
		result = examine(candidates->queue->lock, &candidates->nearest[i], &candidate);
		if (result == QUEUE_CLEAR)
			continue;
		if (result != QUEUE_AHEAD)
			return result;
		*ahead = candidates->nearest[i];
		if (fd != NULL)
			*fd = candidate;
		else
			close(candidate);
		return QUEUE_AHEAD;
	}
	return QUEUE_CLEAR;
}

enum queue_result
queue_look_ahead(const struct queue *queue, enum ticket_mode mode, struct ticket *ahead, int *fd)
{
	struct candidates pass = {.queue = queue, .mode = mode};
	struct ticket farthest;
	enum queue_result result;

	pass.now = clock_boottime();
	pass.before = queue->fd == -1 ? NULL : &queue->ticket;
	for (;;) {
		pass.count = 0;
		if (lockdir_ticket_each(queue->lock, consider, &pass) == -1)
			return QUEUE_ERROR;
		result = examine_all(&pass, ahead, fd);
		if (result == QUEUE_PASSED)
			continue;
		if (result != QUEUE_CLEAR || pass.count < NEAREST_AT_ONCE)
			return result;
		/* All of them were dead, and there may be more behind. */
		farthest = pass.nearest[NEAREST_AT_ONCE - 1];
		pass.before = &farthest;
	}
}

/* ---- queueing up ---- */

/* Make, under a private name, a file that is locked: QUEUE_PASSED asks for another attempt. */
static enum queue_result
make_private(struct queue *queue, char private[TICKET_NAME_SIZE])
{
	enum lock_result locked;
	int error;

	snprintf(private, TICKET_NAME_SIZE, PRIVATE_FORMAT,
	    (unsigned long long)queue->ticket.arrival, arc4random(), arc4random());
	queue->fd = lockdir_ticket_create(queue->lock, private);
	if (queue->fd == -1)
		return errno == EEXIST ? QUEUE_PASSED : QUEUE_ERROR;
	locked = lock_try(queue->fd, LOCK_EXCLUSIVE);
	if (locked == LOCK_TAKEN)
		return QUEUE_OK;
	/* Busy: somebody looks at this very moment whether we are debris. */
	error = errno;
	lockdir_ticket_remove(queue->lock, private);
	close(queue->fd);
	queue->fd = -1;
	errno = error;
	return locked == LOCK_BUSY ? QUEUE_PASSED : QUEUE_ERROR;
}

/* Larger than every live number, whatever clock it was made with. */
static enum queue_result
choose_number(const struct queue *queue, struct ticket *ticket)
{
	const struct queue outside = {.lock = queue->lock, .fd = -1};
	struct ticket last;
	enum queue_result result;

	ticket->number = ticket->arrival;
	/* To an exclusive one, all earlier ones matter. */
	result = queue_look_ahead(&outside, TICKET_EXCLUSIVE, &last, NULL);
	if (result == QUEUE_AHEAD && last.number >= ticket->number)
		ticket->number = last.number + 1;
	return result == QUEUE_ERROR ? QUEUE_ERROR : QUEUE_OK;
}

static enum queue_result
attempt_to_queue(struct queue *queue)
{
	char private[TICKET_NAME_SIZE];
	enum queue_result result;
	int error;

	result = make_private(queue, private);
	if (result != QUEUE_OK)
		return result;
	if (choose_number(queue, &queue->ticket) == QUEUE_OK &&
	    lockdir_ticket_rename(queue->lock, private, ticket_pack(&queue->ticket, queue->name)) ==
		0)
		return QUEUE_OK;
	error = errno;
	lockdir_ticket_remove(queue->lock, private);
	close(queue->fd);
	queue->fd = -1;
	errno = error;
	/* ENOENT: taken for debris between the creation and the lock. */
	return error == ENOENT ? QUEUE_PASSED : QUEUE_ERROR;
}

enum queue_result
queue_up(struct queue *queue, enum ticket_mode mode, enum ticket_kind kind)
{
	enum queue_result result = QUEUE_PASSED;

	queue->ticket = (struct ticket){
	    .arrival = (uint64_t)clock_boottime(),
	    .pid = getpid(),
	    .pidns = proctable_namespace(),
	    .mode = mode,
	    .kind = kind,
	    .state = TICKET_WAITING,
	};
	queue->text_length = 0;
	for (int i = 0; i < ATTEMPTS && result == QUEUE_PASSED; i++)
		result = attempt_to_queue(queue);
	if (result != QUEUE_PASSED)
		return result;
	errno = EAGAIN;
	return QUEUE_ERROR;
}

enum queue_result
queue_hold(struct queue *queue)
{
	struct ticket holding = queue->ticket;
	char name[TICKET_NAME_SIZE];

	if (queue->fd == -1)
		return QUEUE_OK;
	holding.state = TICKET_HOLDING;
	if (lockdir_ticket_rename(queue->lock, queue->name, ticket_pack(&holding, name)) == -1)
		return lockdir_ticket_has(queue->lock, queue->name) ? QUEUE_OK : QUEUE_PASSED;
	queue->ticket = holding;
	memcpy(queue->name, name, sizeof(name));
	return QUEUE_OK;
}

void
queue_describe(struct queue *queue, const struct ticket_text *text)
{
	char bytes[TICKET_TEXT_SIZE];
	size_t length;

	if (queue->fd == -1)
		return;
	length = ticket_text_pack(text, bytes);
	if (pwrite(queue->fd, bytes, length, 0) != (ssize_t)length)
		return;
	if (length < queue->text_length && ftruncate(queue->fd, (off_t)length) == -1)
		return;
	queue->text_length = length;
}

void
queue_leave(struct queue *queue)
{
	if (queue->fd == -1)
		return;
	lockdir_ticket_remove(queue->lock, queue->name);
	close(queue->fd);
	queue->fd = -1;
}
