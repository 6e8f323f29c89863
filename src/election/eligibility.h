/* SPDX-License-Identifier: ISC */
/*
 * Whether we are to lead at all: a check, a shell command of the user's, says so by succeeding. One
 * that takes too long says no, and is ended with all that it started.
 */
#ifndef LOCKRUN_ELECTION_ELIGIBILITY_H
#define LOCKRUN_ELECTION_ELIGIBILITY_H

#include "election/patience.h"
#include "kernel/process.h"

struct eligibility {
	const char *command;	  /* for /bin/sh -c */
	char *const *environment; /* NULL-terminated */
	const struct process_entry *entry;
	duration_t every; /* how often a leader asks again; DURATION_NEVER: not */
};

#define CHECK_TEXT_SIZE 64

struct check {
	pid_t pid;		    /* 0: none is being made */
	duration_t until;	    /* CLOCK_MONOTONIC */
	char text[CHECK_TEXT_SIZE]; /* after a no, why: "the check exited with 1" */
};

/*
 * Ask, and wait for the answer: ACQUIRE_TAKEN for yes, ACQUIRE_INELIGIBLE for no with check->text,
 * ACQUIRE_SIGNAL, ACQUIRE_PARENT_GONE, or ACQUIRE_FAULT with a fault. Nothing that it has started
 * is left but after a yes or a no of the check's own. Blocks for five seconds at most.
 */
enum acquire eligibility_ask(const struct eligibility *eligibility, struct patience *patience,
    struct check *check, struct fault *fault);

enum eligible {
	ELIGIBLE_YES,
	ELIGIBLE_NO,
	ELIGIBLE_NOT_KNOWN, /* it was not asked, or did not answer yet */
};

/* A leader that asks from time to time, and at once when the machine has slept. */
struct eligibility_watch {
	const struct eligibility *with; /* NULL: nothing is asked */
	struct check check;
	duration_t ask_at;		/* CLOCK_MONOTONIC; DURATION_NEVER: not any more */
	duration_t monotonic, boottime; /* when it looked last */
};

void
eligibility_watch_begin(struct eligibility_watch *watch, const struct eligibility *eligibility);

/* Ask when it is time to, and hear the answer: a no with check.text. Does not block. */
enum eligible eligibility_watch_look(struct eligibility_watch *watch);

/* When to look again; the end of the check is a SIGCHLD. */
duration_t eligibility_watch_next(const struct eligibility_watch *watch);

/* Ask no more; what is being asked is ended. May be called twice. */
void eligibility_watch_end(struct eligibility_watch *watch);

#endif
