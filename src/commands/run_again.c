/* SPDX-License-Identifier: ISC */
/* --loop: whether there is another term, and the rest before it. */
#include "commands/run.h"

#include <bsd/stdlib.h>

#include "kernel/clock.h"

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

/* How long to rest, which events and people are told. */
static duration_t
begin_rest(struct run *run, const struct outcome *outcome)
{
	const duration_t held = outcome->ran != RAN_NO ? clock_monotonic() - run->led_from : 0;
	const duration_t delay = backoff_after(&run->backoff, outcome, held, arc4random());

	events_backoff(&run->events, outcome, clock_realtime_ms() + delay / DURATION_MILLISECOND);
	narrate_rest(&run->narrator, delay);
	/* What earlier terms left behind ends when it likes. */
	process_reap_others(0);
	return delay;
}

bool
run_again(struct run *run, struct outcome *outcome)
{
	enum acquire rested;
	struct fault fault;
	duration_t delay;

	/* Once something has run, no status may say that nothing did. */
	if (outcome->ran != RAN_NO || run->last.ran == RAN_NO)
		run->last = *outcome;
	if (is_over(run, outcome))
		return false;
	/* Whoever was replaced is gone; behind those who queued meanwhile comes everybody. */
	run->candidacy.replace = false;
	delay = begin_rest(run, outcome);
	rested = campaign_rest(&run->campaign, "backoff", delay, &fault);
	if (rested == ACQUIRE_TAKEN)
		return true;
	*outcome = run_not_acquired(run, rested, &fault);
	if (run->last.ran == RAN_NO)
		run->last = *outcome;
	return false;
}
