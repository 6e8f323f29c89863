/* SPDX-License-Identifier: ISC */
/*
 * What lockrun tells people of a run, on standard error and in the process title. Without -v it
 * speaks when something needs attention (nothing was run, a step-down, a process that stays);
 * with -q not even of that, only of errors.
 */
#ifndef LOCKRUN_COMMANDS_NARRATE_H
#define LOCKRUN_COMMANDS_NARRATE_H

#include "election/campaign.h"
#include "values/options.h"

struct narrator {
	const struct options *options;
	const struct lockname *name;
	const struct statedir *directory;
	const struct campaign *campaign;
	bool live; /* a wait is shown on a terminal, in one line that is drawn again and again */
};

void narrate_begin(struct narrator *narrator, const struct options *options,
    const struct lockname *name, const struct statedir *directory, const struct campaign *campaign);

/* How often to be told of a wait that goes on; DURATION_NEVER for not at all. */
duration_t narrate_every(const struct narrator *narrator);

/* Which other versions of the lock are led; once the directory is open. */
void narrate_versions(const struct narrator *narrator);

/* What an observer hears. */
void narrate_observe(const struct narrator *narrator, const struct happened *happened);

/*
 * Nothing was run, and why: the conflict line. has_run tells whether an earlier term has. False
 * when that is worth no word.
 */
bool narrate_not_acquired(const struct narrator *narrator, enum acquire why, bool has_run);

/* Until the next term, or the next attempt at one. */
void narrate_rest(const struct narrator *narrator, duration_t delay);

/* The run that was joined has ended. */
void narrate_joined(const struct narrator *narrator, const struct term *term);

/* Events cannot be written; error is an errno value. */
void narrate_no_events(const struct narrator *narrator, int error);

/* Where the command exited with a number that lockrun uses for "nothing ran": say that it ran. */
void narrate_misleading(const char *object, const struct outcome *outcome);

/* How the command ended, where the caller could misread it. */
void narrate_end(const struct narrator *narrator, const struct outcome *outcome);

#endif
