/* SPDX-License-Identifier: ISC */
/* Nothing was run by us: why, who is told, and with which status that ends. */
#include "commands/run.h"

#include <bsd/string.h>

#include <string.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "election/skips.h"
#include "kernel/clock.h"

#define REMIND_EVERY (60 * DURATION_SECOND)

static bool
is_unavailable(const struct fault *fault)
{
	return fault_row(fault->kind)->status == STATUS_UNAVAILABLE;
}

/* A loop says it when it begins and when it changes; -v reminds of it. */
static void
say_once(struct run *run, const struct fault *fault)
{
	const duration_t now = clock_monotonic();
	char text[FAULT_MESSAGE_SIZE];

	fault_text(fault, text, sizeof(text));
	if (strcmp(text, run->fault) == 0 && !(run->options.verbose && now >= run->say_again))
		return;
	strlcpy(run->fault, text, sizeof(run->fault));
	run->say_again = now + REMIND_EVERY;
	say("%s", text);
}

static struct outcome
failed(struct run *run, enum reason reason, const struct fault *fault)
{
	const int status = fault_row(fault->kind)->status;
	const bool skips = is_unavailable(fault) && run->options.on_unavailable == UNAVAILABLE_SKIP;
	const struct outcome outcome = {
	    .ran = status_find(status)->ran,
	    .reason = reason,
	    .status = skips ? run->options.conflict_status : status,
	};

	events_error(&run->events, fault);
	say_once(run, fault);
	/* What never worked is most likely a mistake; what did work may do so again. */
	if ((!run->has_run && !skips) || fault->kind == FAULT_NESTED)
		run->hopeless = true;
	return outcome;
}

static void
set_nested_fault(const struct run *run, struct fault *fault)
{
	const struct nested *nested = &run->campaign.nested;

	fault_set(fault, FAULT_NESTED, 0, "%s", run->name.text);
	if (nested->pid != 0)
		fault_hint(fault, "(held by pid %d, generation %ju)", nested->pid,
		    (uintmax_t)nested->generation);
}

/* Who, when, which generation, and the way on. */
static void
set_lost_fault(const struct run *run, struct fault *fault)
{
	const char *directory = run->options.directory;
	char text[DESCRIBE_SIZE];

	fault_set(fault, FAULT_AFTER_LOST, 0, "%s: %s", run->name.text,
	    describe_lost(&run->campaign.previous.ran, &run->campaign.lost, text));
	fault_hint(fault, "lockrun %s%s%s%s -- true", directory != NULL ? "-d " : "",
	    directory != NULL ? directory : "", directory != NULL ? " " : "", run->name.text);
}

/* The outcome of the run that we joined, as if it had been our own. */
static struct outcome
joined(struct run *run)
{
	const struct term *term = &run->campaign.joining.term;
	const struct outcome outcome = {
	    .ran = term->ran,
	    .reason = term->reason,
	    .status = term->status,
	    .signal = term->signal,
	    .killed = term->killed,
	    .joined = true,
	};

	events_joined(&run->events, term);
	narrate_joined(&run->narrator, term);
	if (outcome.ran != RAN_NO)
		narrate_end(&run->narrator, &outcome);
	return outcome;
}

/* One that tries again is not turned away. */
static void
count_skip(const struct run *run)
{
	struct lockdir lock;
	struct fault fault;

	if (run->options.loop ||
	    lockdir_open(&run->directory, run->name.text, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return;
	skips_count(&lock);
	lockdir_close(&lock);
}

struct outcome
run_not_acquired(struct run *run, enum acquire why, struct fault *fault)
{
	struct outcome outcome = {.ran = RAN_NO, .status = run->options.conflict_status};

	campaign_leave(&run->campaign);
	switch (why) {
	case ACQUIRE_NESTED:
		set_nested_fault(run, fault);
		return failed(run, REASON_ERROR, fault);
	case ACQUIRE_REFUSED:
		set_lost_fault(run, fault);
		return failed(run, REASON_REFUSED, fault);
	case ACQUIRE_LOST:
		joining_fault(&run->campaign, fault);
		return failed(run, REASON_ERROR, fault);
	case ACQUIRE_FAULT:
		return failed(run, REASON_ERROR, fault);
	case ACQUIRE_JOINED:
		return joined(run);
	case ACQUIRE_LATE:
		outcome.reason = REASON_LATE;
		break;
	case ACQUIRE_TOO_MANY:
		outcome.reason = REASON_TOO_MANY;
		break;
	case ACQUIRE_INELIGIBLE:
		outcome.reason = REASON_INELIGIBLE;
		break;
	case ACQUIRE_PARENT_GONE:
		outcome.reason = REASON_PARENT_GONE;
		break;
	case ACQUIRE_SIGNAL:
		outcome.reason = run->campaign.stopped ? REASON_STOP : REASON_SIGNAL;
		outcome.status = 0;
		outcome.signal = run->campaign.patience.signal;
		break;
	default:
		outcome.reason = REASON_BUSY;
	}
	run->fault[0] = '\0';
	/* A loop says it once; and that it is not eligible, to programs as well. */
	if (run->told == why && why == ACQUIRE_INELIGIBLE)
		return outcome;
	if (run->told != why && narrate_not_acquired(&run->narrator, why, run->has_run))
		run->told = why;
	if (why == ACQUIRE_BUSY || why == ACQUIRE_TOO_MANY || why == ACQUIRE_LATE)
		count_skip(run);
	events_skipped(
	    &run->events, outcome.reason, run->campaign.stopped ? run->campaign.stop.reason : NULL);
	return outcome;
}

enum acquire
run_unguarded(struct run *run, enum acquire got, struct fault *fault)
{
	if (got != ACQUIRE_FAULT || !is_unavailable(fault) ||
	    run->options.on_unavailable != UNAVAILABLE_RUN)
		return got;
	campaign_leave(&run->campaign);
	got = campaign_ask(&run->campaign, fault);
	run->unguarded = got == ACQUIRE_TAKEN;
	run->term = (struct term){.generation = 0};
	return got;
}

void
run_tell_unguarded(struct run *run, const struct fault *fault)
{
	char text[FAULT_MESSAGE_SIZE];

	fault_text(fault, text, sizeof(text));
	events_error(&run->events, fault);
	say("%s; running without the lock (--on-unavailable run)", text);
}

/* The generation is spent, and its record says that nothing came of it. */
struct outcome
run_not_started(struct run *run, const struct fault *fault)
{
	const enum reason reason = fault->kind == FAULT_NOT_FOUND ? REASON_NOT_FOUND : REASON_ERROR;
	const struct outcome outcome = {
	    .ran = RAN_NO,
	    .reason = reason,
	    .status = fault_row(fault->kind)->status,
	};

	if (!run->unguarded)
		campaign_end_term(&run->campaign, &run->term, &outcome);
	campaign_leave(&run->campaign);
	/* It is a term, whatever came before it. */
	run->last = failed(run, reason, fault);
	return run->last;
}
