/* SPDX-License-Identifier: ISC */
/*
 * Waiting with a limit: for a lock, until a deadline, unless a signal ends it.
 *
 * The deadline lies on CLOCK_BOOTTIME, so that a machine that was suspended past it does not start
 * its job late. What is due is looked at again after every grant.
 */
#ifndef LOCKRUN_ELECTION_PATIENCE_H
#define LOCKRUN_ELECTION_PATIENCE_H

#include <stdbool.h>

#include "election/observer.h"
#include "kernel/lock.h"
#include "kernel/signals.h"

enum acquire {
	ACQUIRE_TAKEN,
	ACQUIRE_AGAIN, /* nothing was taken: look again who is ahead */
	ACQUIRE_BUSY,
	ACQUIRE_TOO_MANY, /* as many wait as may */
	ACQUIRE_LATE,
	ACQUIRE_SIGNAL,	     /* one that ends the wait, or stops it */
	ACQUIRE_PARENT_GONE, /* whoever started us is gone, and we were not to outlive it */
	ACQUIRE_INELIGIBLE,  /* we are not to lead at present */
	ACQUIRE_NESTED,	     /* we are inside of the very lock */
	ACQUIRE_JOINED,	     /* the run that we joined has ended, and its outcome is ours */
	ACQUIRE_LOST,	     /* how the run that we joined ended will never be known */
	ACQUIRE_REFUSED,     /* it is not known how the last term ended */
	ACQUIRE_FAULT,	     /* errno tells */
};

struct patience {
	struct signals *signals;
	const struct observer *observer;
	duration_t deadline;  /* DURATION_NEVER for none */
	int alarm;	      /* timerfd(2) for the deadline; -1 until there is a wait */
	int parent;	      /* a descriptor that is readable when our parent is gone; or -1 */
	int signal;	      /* with ACQUIRE_SIGNAL */
	bool waited;	      /* there was a wait, so the deadline may have passed */
	duration_t remind_at; /* CLOCK_MONOTONIC; one wait may be made of many */
};

/* Something to look at from time to time during a wait. */
struct lookout {
	/* Returns how long until the next look, or 0 to end the wait with ACQUIRE_AGAIN. */
	duration_t (*look)(void *context);
	void *context;
	duration_t first; /* how long until the first look */
};

/* Begin now; wait may be DURATION_NEVER, parent -1. */
void patience_begin(struct patience *patience, struct signals *signals,
    const struct observer *observer, duration_t wait, int parent);

/* Before a wait for something else than so far: the observer is told of that one, too. */
void patience_tell_again(const struct patience *patience);

/* Try for a lock on fd, without patience: ACQUIRE_TAKEN, ACQUIRE_BUSY or ACQUIRE_FAULT. */
enum acquire patience_none(int fd, enum lock_mode mode);

/*
 * Wait for a lock on fd; lookout may be NULL. ACQUIRE_TAKEN, or ACQUIRE_AGAIN, ACQUIRE_LATE,
 * ACQUIRE_SIGNAL, ACQUIRE_PARENT_GONE or ACQUIRE_FAULT without the lock. No thread is left.
 */
enum acquire patience_wait(
    struct patience *patience, int fd, enum lock_mode mode, const struct lookout *lookout);

/*
 * Try for a lock that is held just now, and not by a contender of ours (lock_is_marked): something
 * that does not queue, such as a cleaner of old files, may hold it for a moment, so look again for
 * a fraction of a second. ACQUIRE_TAKEN, or ACQUIRE_BUSY, or as above.
 */
enum acquire patience_try(struct patience *patience, int fd, enum lock_mode mode);

/*
 * Wait until fd is readable (or -1), or for a length of time. It is no wait for the lock: nobody is
 * told, and the deadline does not count. ACQUIRE_TAKEN when either has come, or as above.
 */
enum acquire patience_await(struct patience *patience, int fd, duration_t length);

/* Wait for a length of time. ACQUIRE_TAKEN when it has passed, or as above. */
enum acquire patience_pause(struct patience *patience, duration_t length);

/* ACQUIRE_TAKEN when neither the deadline nor a signal has come. Does not block. */
enum acquire patience_left(struct patience *patience);

/* Tell the observer that the wait is over, or interrupted; also where there was none. */
void patience_tell_over(const struct patience *patience);

void patience_end(struct patience *patience);

#endif
