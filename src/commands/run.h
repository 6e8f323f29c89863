/* SPDX-License-Identifier: ISC */
/* What the steps of a run hand on to each other, and what they do when nothing is run. */
#ifndef LOCKRUN_COMMANDS_RUN_H
#define LOCKRUN_COMMANDS_RUN_H

#include "commands/environment.h"
#include "commands/narrate.h"
#include "election/campaign.h"
#include "election/events.h"
#include "kernel/notify.h"
#include "kernel/process.h"
#include "kernel/tree.h"
#include "values/options.h"

struct run {
	struct options options;
	struct process_entry *entry;
	struct tree tree; /* what lives below us */
	struct lockname name;
	struct statedir directory;
	struct observer observer;
	struct narrator narrator;
	struct events events;
	struct candidacy candidacy;
	struct campaign campaign;
	struct eligibility eligibility;
	struct environment check_environment; /* of its checks */
	struct term term;
	bool unguarded;	      /* this one runs without the lock */
	struct notify notify; /* open from the start of a command to its end, with --watchdog */
	duration_t led_from;  /* CLOCK_MONOTONIC */

	/* --loop */
	struct outcome last; /* of the last term; before one has run, of the last attempt */
	bool has_run;	     /* one has */
	uint64_t terms;	     /* how many have begun */
	struct backoff backoff;
	enum acquire told; /* why nothing is run, as far as it was said since the last term */
	char fault[FAULT_MESSAGE_SIZE]; /* the same of a fault */
	duration_t say_again;		/* CLOCK_MONOTONIC; when that is worth a word again */
	bool rests_ineligible;		/* and has said so */
	bool hopeless;			/* trying again would not help */
};

/*
 * Everything that comes before the queue and needs to be done once: open what events go to, take
 * the signals over, and say what the contender wants. Returns 0, or -1 with a fault.
 */
int run_prepare(struct run *run, struct fault *fault);

/* Open the state directory, for each term anew. ACQUIRE_TAKEN, or ACQUIRE_FAULT with a fault. */
enum acquire run_open_directory(struct run *run, struct fault *fault);

/*
 * The first event of an attempt; got is how far it came. A loop that is not eligible says so once,
 * until it is.
 */
void run_tell_waiting(struct run *run, enum acquire got);

/* An observer: what happens goes to people and to events. context is the run. */
void run_observe(void *context, const struct happened *happened);

/*
 * After a term, or an attempt at one: note the outcome in last, and with --loop rest before the
 * next one. True when that is to begin; false when there is none, and *outcome says why.
 */
bool run_again(struct run *run, struct outcome *outcome);

/*
 * We do not lead: leave the campaign, tell people and events why, and count who was turned away.
 * With ACQUIRE_JOINED the outcome is that of the run that we joined. fault is read for
 * ACQUIRE_FAULT, and filled in for ACQUIRE_NESTED, ACQUIRE_REFUSED and ACQUIRE_LOST.
 */
struct outcome run_not_acquired(struct run *run, enum acquire why, struct fault *fault);

/*
 * The lock manager cannot be used, and the command is to run nevertheless (--on-unavailable run):
 * leave the campaign, ask whether it is eligible, and make the term one without lock, generation
 * and record. What was got with that: ACQUIRE_TAKEN with unguarded set and fault as it was, or what
 * is in the way. Anything else than that fault is returned as it is.
 */
enum acquire run_unguarded(struct run *run, enum acquire got, struct fault *fault);

/* Say that, and why. */
void run_tell_unguarded(struct run *run, const struct fault *fault);

/* We lead and the command cannot be started: end the term, leave, and tell. */
struct outcome run_not_started(struct run *run, const struct fault *fault);

#endif
