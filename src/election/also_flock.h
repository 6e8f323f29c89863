/* SPDX-License-Identifier: ISC */
/*
 * A second lock: flock(2) on a file that scripts lock with flock(1), from the grant to the end of
 * the term (--also-flock), so that those that were not moved over yet stay excluded.
 *
 * It comes after the lock itself, always in this order, so that contenders of one lock cannot
 * wait for each other. Who waits for it holds the lock already, and is next; nobody else is kept
 * from anything that it could have.
 */
#ifndef LOCKRUN_ELECTION_ALSO_FLOCK_H
#define LOCKRUN_ELECTION_ALSO_FLOCK_H

#include "election/patience.h"
#include "kernel/lockdir.h"

struct also_flock {
	const char *path; /* NULL: there is none, and all of these do nothing */
	mode_t mode;	  /* what a missing file is made with */
	int fd;		  /* -1 while it is not held */
	bool in_the_way;  /* it is what is waited for, or was given up on */
};

/* With no lock held. path and mode may be NULL and 0. */
void also_flock_init(struct also_flock *also, const char *path, mode_t mode);

/*
 * Find out, while nothing was waited for, what would not do: a file that cannot be opened, or the
 * lock itself, on which flock(1) excludes us anyway. Makes nothing. Returns 0, or -1 with a fault.
 */
int
also_flock_check(const struct also_flock *also, const struct lockdir *lock, struct fault *fault);

/*
 * Take it. Blocks as patience and if_available say. lookout is what the caller has to look at
 * meanwhile; when that ends the wait, so does this with ACQUIRE_AGAIN. ACQUIRE_FAULT comes with
 * its fault, also when we are inside of a lock on this very file. With anything but ACQUIRE_TAKEN
 * it is not held.
 */
enum acquire also_flock_take(struct also_flock *also, enum lock_mode mode, bool if_available,
    struct patience *patience, const struct lookout *lookout, struct fault *fault);

/* Unlock it for all who have inherited it. */
void also_flock_release(const struct also_flock *also);

/* Close it, which gives it up unless a command has inherited it. */
void also_flock_close(struct also_flock *also);

#endif
