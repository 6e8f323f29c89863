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

#define ATTEMPTS 1000

void
queue_init(struct queue *queue, const struct lockdir *lock)
{
	memset(queue, 0, sizeof(*queue));
	queue->lock = lock;
	queue->fd = -1;
}

/* Make, under a private name, a file that is locked: QUEUE_PASSED asks for another attempt. */
static enum queue_result
make_private(struct queue *queue, char private[TICKET_NAME_SIZE])
{
	enum lock_result locked;
	int error;

	ticket_private_pack(queue->ticket.arrival, arc4random(), arc4random(), private);
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
attempt_to_queue(struct queue *queue, uint64_t at)
{
	char private[TICKET_NAME_SIZE];
	enum queue_result result;
	int error;

	result = make_private(queue, private);
	if (result != QUEUE_OK)
		return result;
	queue->ticket.number = at;
	if ((at != 0 || choose_number(queue, &queue->ticket) == QUEUE_OK) &&
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

static enum queue_result
make_ticket(struct queue *queue, const struct ticket *wanted, uint64_t at)
{
	enum queue_result result = QUEUE_PASSED;

	queue->ticket = *wanted;
	queue->ticket.pid = getpid();
	queue->ticket.pidns = proctable_namespace();
	queue->text_length = 0;
	for (int i = 0; i < ATTEMPTS && result == QUEUE_PASSED; i++)
		result = attempt_to_queue(queue, at);
	if (result != QUEUE_PASSED)
		return result;
	errno = EAGAIN;
	return QUEUE_ERROR;
}

void
queue_pass(const struct queue *queue, const struct ticket *frozen)
{
	char name[TICKET_NAME_SIZE];
	int fd;

	/* First: whoever sees that it is gone has to see why. */
	fd =
	    lockdir_ticket_create(queue->lock, ticket_pass_pack((uint64_t)clock_monotonic(), name));
	if (fd != -1)
		close(fd);
	lockdir_ticket_remove(queue->lock, ticket_pack(frozen, name));
}

/* A time that is yet to come is of a time namespace, or from before a reboot. */
static bool
note_pass(const char *name, void *context)
{
	const uint64_t now = (uint64_t)clock_monotonic();
	duration_t *last = context;
	uint64_t passed;

	if (ticket_pass_unpack(name, &passed) && passed <= now && (duration_t)passed > *last)
		*last = (duration_t)passed;
	return true;
}

duration_t
queue_last_pass(const struct queue *queue)
{
	duration_t last = 0;

	(void)lockdir_ticket_each(queue->lock, note_pass, &last);
	return last;
}

enum queue_result
queue_up(struct queue *queue, enum ticket_mode mode, enum ticket_kind kind, uint64_t at)
{
	const struct ticket wanted = {
	    .arrival = (uint64_t)clock_boottime(),
	    .mode = mode,
	    .kind = kind,
	    .state = TICKET_WAITING,
	};

	return make_ticket(queue, &wanted, at);
}

enum queue_result
queue_rest(struct queue *queue, enum ticket_mode mode)
{
	const struct ticket wanted = {
	    .arrival = (uint64_t)clock_boottime(),
	    .mode = mode,
	    .kind = TICKET_QUEUED,
	    .state = TICKET_RESTING,
	};

	return make_ticket(queue, &wanted, wanted.arrival);
}

bool
queue_is_passed(const struct queue *queue)
{
	return queue->fd != -1 && !lockdir_ticket_is_named(queue->fd);
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
queue_read_text(int fd, struct ticket_text *text)
{
	char bytes[TICKET_TEXT_SIZE];
	const ssize_t length = pread(fd, bytes, sizeof(bytes), 0);

	ticket_text_unpack(bytes, length > 0 ? (size_t)length : 0, text);
}

bool
queue_read_live(const struct lockdir *lock, const char *name, struct ticket_text *text)
{
	bool alive;
	int fd;

	fd = lockdir_ticket_open(lock, name);
	if (fd == -1)
		return false;
	alive = lock_try(fd, LOCK_SHARED) == LOCK_BUSY;
	if (alive)
		queue_read_text(fd, text);
	close(fd);
	return alive;
}

struct dead {
	const struct lockdir *lock;
	bool remove;
	unsigned count;
};

static bool
count_if_dead(const char *name, void *context)
{
	struct dead *dead = context;
	struct ticket ticket;
	int fd;

	if (!ticket_unpack(name, &ticket) || (fd = lockdir_ticket_open(dead->lock, name)) == -1)
		return true;
	if (lock_try(fd, LOCK_SHARED) == LOCK_TAKEN) {
		dead->count++;
		if (dead->remove)
			lockdir_ticket_remove(dead->lock, name);
	}
	close(fd);
	return true;
}

unsigned
queue_dead(const struct queue *queue, bool remove)
{
	struct dead dead = {.lock = queue->lock, .remove = remove};

	(void)lockdir_ticket_each(queue->lock, count_if_dead, &dead);
	return dead.count;
}

void
queue_leave(struct queue *queue)
{
	if (queue->fd == -1)
		return;
	close(queue->fd);
	queue->fd = -1;
	lockdir_ticket_remove(queue->lock, queue->name);
}
