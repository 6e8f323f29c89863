/* SPDX-License-Identifier: ISC */
/*
 * Are we inside of the lock that we ask for? Waiting for it would be waiting for ourselves.
 *
 * Told by the kernel, not by the environment, which can be stale or forged: we have inherited a
 * descriptor of this very file that holds a lock, or a holder's process is our ancestor.
 */
#ifndef LOCKRUN_ELECTION_NESTED_H
#define LOCKRUN_ELECTION_NESTED_H

#include "kernel/lockdir.h"
#include "values/ticket.h"

struct nested {
	bool inside;
	enum ticket_mode mode; /* how the lock is held that we are inside of */
	pid_t pid;	       /* of the lockrun that holds it; 0 when only a descriptor tells */
	uint64_t generation;   /* 0 when not known */
};

/* Find out. Needs /proc; without it, it finds nothing. */
struct nested nested_find(const struct lockdir *lock);

#endif
