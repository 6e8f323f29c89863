/* SPDX-License-Identifier: ISC */
/* Forgetting locks that nobody uses, without letting a generation go back. */
#ifndef LOCKRUN_ELECTION_FORGET_H
#define LOCKRUN_ELECTION_FORGET_H

#include "kernel/statedir.h"
#include "values/duration.h"

enum forget {
	FORGET_DONE,
	FORGET_IN_USE,
	FORGET_YOUNG, /* used within the length of time */
	FORGET_LOST,  /* how its last term ended is not known: a person may want to know */
	FORGET_FAULT,
};

/*
 * Forget a lock that was idle for at least older_than: raise the floor, then take its directory
 * out of the way while holding the lock, then delete it. Contenders that come at that moment find
 * that their directory has moved, and start in a new one. Does not wait for anybody.
 */
enum forget forget_lock(
    const struct statedir *directory, const char *name, duration_t older_than, struct fault *fault);

#endif
