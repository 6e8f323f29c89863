/* SPDX-License-Identifier: ISC */
/*
 * Reading an election from outside: who holds, who waits, in order. Takes no lock that a contender
 * could trip over (a shared lock on a dead ticket excludes nobody), creates nothing, and is true
 * for the moment in which it looked.
 */
#ifndef LOCKRUN_ELECTION_ROSTER_H
#define LOCKRUN_ELECTION_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/lockdir.h"
#include "values/record.h"
#include "values/ticket.h"

struct roster_entry {
	struct ticket ticket;
	struct ticket_text text;
	bool same_namespace; /* the pid means something here */
	bool frozen;	     /* its process is stopped */
	bool silent;	     /* its command has not been heard for most of what --watchdog allows */
};

struct roster {
	bool absent;		      /* no lock of this name is there */
	struct roster_entry *entries; /* the live ones, in order; holders, waiters, and who rests */
	size_t count;
	size_t held;	     /* how many of them hold */
	size_t resting;	     /* how many rest, outside of the queue */
	bool unsupervised;   /* it is held by a command that took its lockrun's place (--no-fork) */
	bool orphaned;	     /* the lock is held by what a killed lockrun left behind */
	bool orphans_share;  /* and shares it: the newest generation is not its own */
	uint64_t generation; /* the newest that was given; 0 for none */
	struct fault damage; /* of a kind other than FAULT_NONE: no run can get a generation here */
	uint64_t inode;	     /* of the lock; 0 when it is not there */
	struct skips skips;
	bool has_last_term;
	struct term last_term;	  /* of that generation */
	struct previous previous; /* what the next leader is told; while one leads, of that one */
	char boot[BOOT_ID_SIZE];  /* the present one */
};

/*
 * Look at a lock (opened with STATE_READ; what is missing reads as nothing). Returns 0, or -1 with
 * a fault. roster_free gives the entries back.
 */
int roster_read(const struct lockdir *lock, struct roster *roster, struct fault *fault);

/* The same, less those who wait or rest: as quick beside a thousand of them as beside none. */
int roster_read_holders(const struct lockdir *lock, struct roster *roster, struct fault *fault);
void roster_free(struct roster *roster);

/* Whether it is held, by a contender or by what is left of one. */
bool roster_is_held(const struct roster *roster);

/*
 * Whether a term still leads, under a lockrun or in the place of one, or has begun to since we
 * looked.
 */
bool roster_leads(const struct roster *roster, const struct term *term);

/*
 * What became of a term that does not lead any more: of the last one, what the next leader is
 * told; of others, what their records say.
 */
enum term_outcome roster_outcome(const struct roster *roster, const struct term *term);

/* The first holder, or NULL. */
const struct roster_entry *roster_holder(const struct roster *roster);
/* The contender, or NULL. */
const struct roster_entry *roster_find(const struct roster *roster, const char *contender);
/* How many wait. */
size_t roster_waiting(const struct roster *roster);
/* How many wait before contender; all that wait when it is in no queue. */
size_t roster_ahead_of(const struct roster *roster, const char *contender);

#endif
