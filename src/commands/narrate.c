/* SPDX-License-Identifier: ISC */
#include "commands/narrate.h"

#include <bsd/string.h>
#include <bsd/unistd.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/conflict.h"
#include "commands/say.h"
#include "election/view.h"
#include "kernel/clock.h"

/* For a terminal, and for a log. */
#define DRAW_EVERY   DURATION_SECOND
#define REMARK_EVERY (60 * DURATION_SECOND)

/* ---- nothing was run ---- */

/* Cron mails every word: a skip is told of when the holder is old, and then even with -q. */
static bool
is_worth_a_word(const struct options *options, duration_t held)
{
	if (options->verbose)
		return true;
	if (options->complain_after != DURATION_NEVER)
		return held >= options->complain_after;
	return !options->quiet;
}

/* The last line of a wait; with -v it has a time, as the first one has. */
static void
say_why(const struct narrator *narrator, const char *why, const char *consequence)
{
	(narrator->options->verbose ? say_timed : say)(
	    "%s: %s; %s", narrator->name->text, why, consequence);
}

static bool
say_conflict(const struct narrator *narrator, enum acquire why)
{
	const struct options *options = narrator->options;
	char text[DESCRIBE_SIZE + 64], waited[DURATION_TEXT_SIZE];
	struct conflict conflict;

	/* Looking costs more than the whole try. */
	if (!is_worth_a_word(options, DURATION_NEVER))
		return false;
	conflict_look(narrator, &conflict);
	if (!is_worth_a_word(options, conflict.held))
		return false;
	strlcpy(text, conflict.text, sizeof(text));
	if (why == ACQUIRE_LATE)
		snprintf(text, sizeof(text), "%s; gave up after %s", conflict.text,
		    duration_format(options->wait, waited));
	else if (why == ACQUIRE_TOO_MANY)
		snprintf(text, sizeof(text), "%s; no more than %d may wait (--max-waiters)",
		    conflict.text, options->max_waiters);
	say_why(narrator, text, options->loop ? "trying again" : "nothing was run");
	return true;
}

bool
narrate_not_acquired(const struct narrator *narrator, enum acquire why, bool has_run)
{
	const char *consequence = has_run ? "no further term" : "nothing was run";
	const struct campaign *campaign = narrator->campaign;
	char text[SAY_CLEAN_SIZE + 64], reason[SAY_CLEAN_SIZE];

	switch (why) {
	case ACQUIRE_SIGNAL:
		if (campaign->stopped)
			snprintf(text, sizeof(text), "stopped while waiting: %s",
			    say_clean(campaign->stop.reason, reason));
		else
			snprintf(text, sizeof(text), "%s while waiting",
			    strsignal(campaign->patience.signal));
		break;
	case ACQUIRE_INELIGIBLE:
		snprintf(text, sizeof(text), "not eligible: %s", campaign->check.text);
		if (narrator->options->loop)
			consequence = "asking again";
		break;
	case ACQUIRE_PARENT_GONE:
		strlcpy(text, "the process that started lockrun is gone", sizeof(text));
		break;
	default:
		return say_conflict(narrator, why);
	}
	if (!narrator->options->quiet)
		say_why(narrator, text, consequence);
	return true;
}

void
narrate_rest(const struct narrator *narrator, duration_t delay)
{
	char length[DURATION_TEXT_SIZE];

	setproctitle("%s: backoff", narrator->name->text);
	if (narrator->options->verbose)
		say_timed("%s: again in %s", narrator->name->text, duration_format(delay, length));
}

/* Whoever sees a bad status wants to know whose it is. */
void
narrate_joined(const struct narrator *narrator, const struct term *term)
{
	const struct options *options = narrator->options;
	char command[SAY_CLEAN_SIZE], outcome[DESCRIBE_SIZE];

	if (options->quiet || (term->reason == REASON_FINISHED && !options->verbose))
		return;
	(options->verbose ? say_timed : say)("%s: joined generation %" PRIu64 " of pid %d (%s): %s",
	    narrator->name->text, term->generation, term->pid, say_clean(term->command, command),
	    describe_outcome(term, outcome));
}

void
narrate_no_events(const struct narrator *narrator, int error)
{
	char where[SAY_CLEAN_SIZE];

	say("--events %s: %s; going on without", say_clean(narrator->options->events, where),
	    strerror(error));
}

/* ---- what happens ---- */

static void
waiting(const struct narrator *narrator)
{
	struct conflict conflict;

	setproctitle("%s: waiting", narrator->name->text);
	if (!narrator->options->verbose)
		return;
	conflict_look(narrator, &conflict);
	say_timed("%s: waiting: %s", narrator->name->text, conflict.text);
}

static void
still_waiting(const struct narrator *narrator)
{
	char waited[DURATION_TEXT_SIZE];
	struct conflict conflict;

	conflict_look(narrator, &conflict);
	describe_since(narrator->campaign->queued_ms, waited);
	if (narrator->live)
		say_live(narrator->name->text, "position %zu after %s: %s", conflict.position,
		    waited, conflict.text);
	else
		say_timed("%s: still waiting, position %zu after %s: %s", narrator->name->text,
		    conflict.position, waited, conflict.text);
}

static void
leading(const struct narrator *narrator, const struct happened *happened)
{
	char what[64];

	if (happened->generation != 0)
		snprintf(what, sizeof(what), "leading, generation %" PRIu64, happened->generation);
	else
		strlcpy(what, happened->degraded ? "running without the lock" : "sharing",
		    sizeof(what));
	setproctitle("%s: %s, pid %d", narrator->name->text, what, happened->pid);
	if (narrator->options->verbose)
		say_timed("%s: %s, pid %d, in %s", narrator->name->text, what, happened->pid,
		    narrator->directory->path);
}

static void
stepping_down(const struct narrator *narrator, const struct happened *happened)
{
	const struct options *options = narrator->options;
	char why[SAY_CLEAN_SIZE + 64], text[SAY_CLEAN_SIZE], length[DURATION_TEXT_SIZE];

	setproctitle("%s: stepping down (%s)", narrator->name->text, reason_word(happened->reason));
	/* Whoever sent a signal knows; the others may wonder. */
	if (options->quiet || (happened->reason == REASON_SIGNAL && !options->verbose))
		return;
	if (happened->reason == REASON_MAX_HOLD)
		snprintf(why, sizeof(why), "held for %s (max-hold)",
		    duration_format(options->max_hold, length));
	else if (happened->reason == REASON_WATCHDOG && happened->text == NULL)
		snprintf(why, sizeof(why), "no sign of life for %s (watchdog)",
		    duration_format(options->watchdog, length));
	else if (happened->text != NULL && happened->text[0] != '\0')
		snprintf(why, sizeof(why), "%s: %s", reason_word(happened->reason),
		    say_clean(happened->text, text));
	else
		strlcpy(why, reason_word(happened->reason), sizeof(why));
	if (happened->grace == DURATION_NEVER)
		say("%s: stepping down: %s; SIGTERM sent", narrator->name->text, why);
	else
		say("%s: stepping down: %s; SIGTERM sent, SIGKILL in %s", narrator->name->text, why,
		    duration_format(happened->grace, length));
}

void
narrate_observe(const struct narrator *narrator, const struct happened *happened)
{
	const char *name = narrator->name->text;
	const bool quiet = narrator->options->quiet;

	switch (happened->what) {
	case HAPPENING_WAITING:
		waiting(narrator);
		break;
	case HAPPENING_STILL_WAITING:
		still_waiting(narrator);
		break;
	case HAPPENING_WAIT_OVER:
		say_live_over();
		break;
	case HAPPENING_NO_TICKET:
		say("%s: no ticket could be made: %s; the order of waiting is not kept; the lock "
		    "itself holds",
		    name, strerror(happened->error));
		break;
	case HAPPENING_LEADING:
		leading(narrator, happened);
		break;
	case HAPPENING_STEPPING_DOWN:
		stepping_down(narrator, happened);
		break;
	case HAPPENING_KILLING:
		if (!quiet)
			say("%s: the grace is over; SIGKILL sent", name);
		break;
	case HAPPENING_REFUSED:
		say("%s: pid %d: not allowed to signal it; the lock is held until it ends", name,
		    happened->pid);
		break;
	case HAPPENING_STILL_THERE:
		say("%s: pid %d: still there after SIGKILL (state %c); the lock is held until it "
		    "is "
		    "gone",
		    name, happened->pid, happened->state == '\0' ? '?' : happened->state);
		break;
	}
}

duration_t
narrate_every(const struct narrator *narrator)
{
	if (narrator->live)
		return DRAW_EVERY;
	return narrator->options->verbose ? REMARK_EVERY : DURATION_NEVER;
}

/* A rolling deploy wants to know of its old half. */
void
narrate_versions(const struct narrator *narrator)
{
	char text[LOCKNAME_SIZE];
	char *const names[] = {text};
	const struct view *view;
	struct fault fault;
	struct views views;

	if (!narrator->options->verbose)
		return;
	strlcpy(text, narrator->name->text, sizeof(text));
	if (views_begin(narrator->directory, names, 1, &views, &fault) == -1)
		return;
	view = views_next(&views);
	for (size_t i = 0; i < view->version_count; i++)
		say_timed("%s: %s is led as well: another version is another lock", text,
		    view->versions[i]);
	views_end(&views);
}

void
narrate_begin(struct narrator *narrator, const struct options *options, const struct lockname *name,
    const struct statedir *directory, const struct campaign *campaign)
{
	const char *meant = lockname_kind_meant(name->kind);

	*narrator = (struct narrator){
	    .options = options,
	    .name = name,
	    .directory = directory,
	    .campaign = campaign,
	    .live = !options->quiet && say_can_live(),
	};
	if (options->note_was != NOTE_GOOD && !options->quiet)
		say("LOCKRUN_NOTE: %s; %s",
		    options->note_was == NOTE_LONG ? "longer than 200 bytes"
						   : "it holds a control character",
		    options->note_was == NOTE_LONG ? "the rest of it is not shown"
						   : "a question mark is shown for each");
	if (options->verbose && meant != NULL)
		say_timed("%s: the kind \"%s\" is close to \"%s\": another kind is another lock",
		    name->text, name->kind, meant);
}

/* ---- the end ---- */

void
narrate_misleading(const char *object, const struct outcome *outcome)
{
	if (status_misleads(outcome))
		say("%s: the command did run, and exited with %d, which lockrun uses for \"%s\"",
		    object, outcome->status, status_find(outcome->status)->meaning);
}

void
narrate_end(const struct narrator *narrator, const struct outcome *outcome)
{
	const char *name = narrator->name->text;

	if (!narrator->options->quiet)
		narrate_misleading(name, outcome);
	if (!narrator->options->verbose)
		return;
	if (outcome->signal != 0)
		say_timed("%s: ended: %s, by signal %d (%s)", name, reason_word(outcome->reason),
		    outcome->signal, strsignal(outcome->signal));
	else
		say_timed("%s: ended: %s, with status %d", name, reason_word(outcome->reason),
		    outcome->status);
}
