/* SPDX-License-Identifier: ISC */
/*
 * Locks that the kernel keeps: flock(2) for exclusion and for the life of tickets, open file
 * description locks (fcntl(2), F_OFD_*) for telling readers without disturbing anybody.
 *
 * Both belong to the open file description, not to a process: they last until it is unlocked or
 * its last copy is closed, also a copy that a command inherited.
 */
#ifndef LOCKRUN_KERNEL_LOCK_H
#define LOCKRUN_KERNEL_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum lock_mode {
	LOCK_SHARED,
	LOCK_EXCLUSIVE,
};

enum lock_result {
	LOCK_TAKEN,
	LOCK_BUSY,
	LOCK_ERROR, /* errno tells: ENOLCK, ENOMEM, EBADF, EIO and what a file system adds */
};

/* Try to lock fd without waiting. */
enum lock_result lock_try(int fd, enum lock_mode mode);

/* Unlock fd for all of its copies. */
void lock_release(int fd);

/*
 * Tell readers that fd's lock is held. fd must be open for reading and writing. A failure is not
 * told: nothing rests on the mark.
 */
void lock_mark(int fd, enum lock_mode mode);
void lock_unmark(int fd);

/* A reader's question: does somebody hold a mark on this file? Takes nothing. */
bool lock_is_marked(int fd);
/* Whether a mark, where there is one, is that of a shared lock. */
bool lock_is_marked_shared(int fd);

/*
 * A wait for a lock. flock(2) cannot be polled, so a thread sits in it and reports through an
 * eventfd(2). An abandoned thread would be granted the lock later and nobody would know, so
 * whoever began a wait must finish it, and must not fork before.
 */
struct lock_wait {
	pthread_t thread;
	int fd;
	enum lock_mode mode;
	int over; /* eventfd; readable when the thread is through */
	atomic_bool abandoned;
	int error; /* what the thread got: 0 when the lock is ours; valid once over is readable */
};

/* Begin to wait. fd stays the caller's. Returns 0, or -1 with errno and nothing begun. */
int lock_wait_begin(struct lock_wait *wait, int fd, enum lock_mode mode);

/*
 * End the wait: collect the grant, or call the thread off when it still waits. Blocks only for as
 * long as that thread needs to notice. LOCK_BUSY says that it was called off without a grant.
 */
enum lock_result lock_wait_finish(struct lock_wait *wait);

#endif
