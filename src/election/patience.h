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
	ACQUIRE_BUSY,
	ACQUIRE_LATE,
	ACQUIRE_SIGNAL,
	ACQUIRE_FAULT, /* errno tells */
};

struct patience {
	struct signals *signals;
	const struct observer *observer;
	duration_t deadline; /* DURATION_NEVER for none */
	int alarm;	     /* timerfd(2) for the deadline; -1 until there is a wait */
	int signal;	     /* with ACQUIRE_SIGNAL */
	bool waited;	     /* there was a wait, so the deadline may have passed */
};

/* Begin now; wait may be DURATION_NEVER. */
void patience_begin(struct patience *patience, struct signals *signals,
    const struct observer *observer, duration_t wait);

/*
 * Wait for a lock on fd. ACQUIRE_TAKEN, or ACQUIRE_LATE, ACQUIRE_SIGNAL or ACQUIRE_FAULT without
 * the lock. No thread is left.
 */
enum acquire patience_wait(struct patience *patience, int fd, enum lock_mode mode);

/* Wait for a length of time. ACQUIRE_TAKEN when it has passed, or as above. */
enum acquire patience_pause(struct patience *patience, duration_t length);

/* ACQUIRE_TAKEN when neither the deadline nor a signal has come. Does not block. */
enum acquire patience_left(struct patience *patience);

void patience_end(struct patience *patience);

#endif
