/* SPDX-License-Identifier: ISC */
/* --loop: whether there is another term, and the rest before it. */
#include "commands/run.h"

#include <bsd/stdlib.h>

#include "kernel/clock.h"

/* How often who is not eligible asks again, if nothing else was said. */
#define ASK_EVERY (5 * DURATION_SECOND)

/* A step-down is no reason to end, but for those that were meant for lockrun itself. */
static bool
is_over(const struct run *run, const struct outcome *outcome)
{
	const struct options *options = &run->options;

	if (!options->loop || run->hopeless || outcome->interrupted)
		return true;
	if (options->max_terms != 0 && run->terms >= options->max_terms)
		return true;
	return outcome->reason == REASON_STOP || outcome->reason == REASON_SIGNAL ||
	       outcome->reason == REASON_PARENT_GONE;
}

/* It was found not to be eligible before it could lead. */
static bool
is_ineligible(const struct outcome *outcome)
{
	return outcome->ran == RAN_NO && outcome->reason == REASON_INELIGIBLE;
}

/* How long to rest, which events and people are told. */
static duration_t
begin_rest(struct run *run, const struct outcome *outcome)
{
	const duration_t held = outcome->ran != RAN_NO ? clock_monotonic() - run->led_from : 0;
	duration_t delay = backoff_after(&run->backoff, outcome, held, arc4random());

	if (is_ineligible(outcome))
		delay =
		    run->eligibility.every != DURATION_NEVER ? run->eligibility.every : ASK_EVERY;
	/* Once is enough, until it changes. */
	if (run->rests_ineligible && is_ineligible(outcome))
		return delay;
	run->rests_ineligible = is_ineligible(outcome);
	events_backoff(&run->events, outcome, clock_realtime_ms() + delay / DURATION_MILLISECOND);
	narrate_rest(&run->narrator, delay);
	/* What earlier terms left behind ends when it likes. */
	process_reap_others(0, 0);
	return delay;
}

bool
run_again(struct run *run, struct outcome *outcome)
{
	enum acquire rested;
	struct fault fault;
	duration_t delay;

	/* Once something has run, what was no term (a wait that was over, a stop) says nothing. */
	run->has_run = run->has_run || outcome->ran != RAN_NO;
	if (outcome->ran != RAN_NO || !run->has_run)
		run->last = *outcome;
	if (is_over(run, outcome))
		return false;
	/* Whoever was replaced is gone; behind those who queued meanwhile comes everybody. */
	run->candidacy.replace = false;
	delay = begin_rest(run, outcome);
	rested = campaign_rest(
	    &run->campaign, is_ineligible(outcome) ? "ineligible" : "backoff", delay, &fault);
	if (rested == ACQUIRE_TAKEN)
		return true;
	*outcome = run_not_acquired(run, rested, &fault);
	if (!run->has_run)
		run->last = *outcome;
	return false;
}
