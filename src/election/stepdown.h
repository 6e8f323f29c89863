/* SPDX-License-Identifier: ISC */
/*
 * Stepping down: SIGTERM and SIGCONT to the command and all of its descendants, a grace, SIGKILL
 * in rounds until none is left. The lock stays held until then, with no limit on that.
 */
#ifndef LOCKRUN_ELECTION_STEPDOWN_H
#define LOCKRUN_ELECTION_STEPDOWN_H

#include "election/supervise.h"

struct stepdown {
	const struct supervision *with;
	bool command_ended; /* set by who reaps it */
	bool begun;
	bool leftovers; /* it began after the command's own end */
	enum reason reason;
	bool killed; /* SIGKILL was sent */
	bool refusal_told;
	duration_t kill_at;   /* all points of CLOCK_MONOTONIC; DURATION_NEVER: not */
	duration_t remark_at; /* when to say that something is still there */
};

void stepdown_init(struct stepdown *stepdown, const struct supervision *supervision);

/* Begin for a reason, or give a later reason that has a limit. text may be NULL. */
void stepdown_begin(struct stepdown *stepdown, enum reason reason, const char *text);

/*
 * The command has ended by itself: begin with what it left behind, because nothing is to be left
 * (REASON_FINISHED) or for one of the reasons above. The outcome stays the command's own.
 */
void stepdown_begin_leftovers(struct stepdown *stepdown, enum reason reason);

/* Another SIGTERM to all, since we got another one. */
void stepdown_again(struct stepdown *stepdown);

/* Send SIGKILL when it is time to. */
void stepdown_continue(struct stepdown *stepdown, duration_t now);

/* When stepdown_continue has something to do next. */
duration_t stepdown_next(const struct stepdown *stepdown);

/* Whether nothing of the command is left. */
bool stepdown_is_complete(struct stepdown *stepdown);

#endif
