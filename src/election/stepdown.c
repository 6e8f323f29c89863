/* SPDX-License-Identifier: ISC */
#include "election/stepdown.h"

#include "kernel/clock.h"
#include "kernel/process.h"

/* After SIGKILL: look again for what was forked in between; and say so when something stays. */
#define KILL_ROUND	  (100 * DURATION_MILLISECOND)
#define STILL_THERE_AFTER (2 * DURATION_SECOND)
#define STILL_THERE_EVERY (60 * DURATION_SECOND)

/* Where -k never was given but the lock is lost: two leaders must not last. */
#define GRACE_WHEN_LOST (10 * DURATION_SECOND)

void
stepdown_init(struct stepdown *stepdown, const struct supervision *supervision)
{
	*stepdown = (struct stepdown){
	    .with = supervision,
	    .reason = REASON_COUNT,
	    .kill_at = DURATION_NEVER,
	    .remark_at = DURATION_NEVER,
	};
}

static void
tell(const struct stepdown *stepdown, const struct happened *happened)
{
	const struct observer *observer = stepdown->with->observer;

	observer->observe(observer->context, happened);
}

static void
tell_readers(const struct stepdown *stepdown, enum reason reason)
{
	if (stepdown->with->campaign != NULL)
		campaign_tell_stepping_down(stepdown->with->campaign, reason);
}

/*
 * The whole tree, across process groups and sessions. The walk needs /proc; without it at least
 * the command itself is reached.
 */
static struct census
signal_tree(struct stepdown *stepdown, int signal)
{
	struct census census;

	census = tree_signal(stepdown->with->tree, signal);
	if (census.living == 0 && !stepdown->command_ended) {
		census.living = 1;
		census.living_pid = stepdown->with->command;
		process_send(stepdown->with->command, signal);
	}
	if (census.refused > 0 && !stepdown->refusal_told) {
		const struct happened refused = {
		    .what = HAPPENING_REFUSED, .pid = census.refused_pid};

		stepdown->refusal_told = true;
		tell(stepdown, &refused);
	}
	return census;
}

static duration_t
grace_for(const struct stepdown *stepdown, enum reason reason)
{
	const duration_t grace = stepdown->with->kill_after;

	if (reason == REASON_SIGNAL && !stepdown->with->kill_on_signal)
		return DURATION_NEVER;
	if (reason == REASON_LOCK_LOST && grace == DURATION_NEVER)
		return GRACE_WHEN_LOST;
	return grace;
}

static void
terminate(struct stepdown *stepdown, duration_t grace)
{
	const duration_t kill_at = clock_after(clock_monotonic(), grace);

	stepdown->begun = true;
	signal_tree(stepdown, SIGTERM);
	/* A stopped process cannot act on its SIGTERM. */
	signal_tree(stepdown, SIGCONT);
	if (kill_at < stepdown->kill_at)
		stepdown->kill_at = kill_at;
}

void
stepdown_begin(struct stepdown *stepdown, enum reason reason, const char *text)
{
	const duration_t grace = grace_for(stepdown, reason);
	const struct happened happened = {
	    .what = HAPPENING_STEPPING_DOWN,
	    .reason = reason,
	    .grace = grace,
	    .text = text,
	};

	stepdown->reason = reason;
	terminate(stepdown, grace);
	tell_readers(stepdown, reason);
	tell(stepdown, &happened);
}

void
stepdown_begin_leftovers(struct stepdown *stepdown, enum reason reason)
{
	stepdown->leftovers = true;
	stepdown->reason = reason;
	terminate(stepdown, grace_for(stepdown, reason));
	if (reason != REASON_FINISHED)
		tell_readers(stepdown, reason);
}

void
stepdown_again(struct stepdown *stepdown)
{
	signal_tree(stepdown, SIGTERM);
}

void
stepdown_continue(struct stepdown *stepdown, duration_t now)
{
	const struct happened killing = {.what = HAPPENING_KILLING};
	struct happened still = {.what = HAPPENING_STILL_THERE};
	struct census census;

	if (!stepdown->begun || now < stepdown->kill_at)
		return;
	if (!stepdown->killed) {
		stepdown->killed = true;
		stepdown->remark_at = now + STILL_THERE_AFTER;
		tell(stepdown, &killing);
	}
	census = signal_tree(stepdown, SIGKILL);
	stepdown->kill_at = now + KILL_ROUND;
	if (census.living > 0 && now >= stepdown->remark_at) {
		stepdown->remark_at = now + STILL_THERE_EVERY;
		still.pid = census.living_pid;
		still.state = census.living_state;
		tell(stepdown, &still);
	}
}

duration_t
stepdown_next(const struct stepdown *stepdown)
{
	return stepdown->begun ? stepdown->kill_at : DURATION_NEVER;
}

bool
stepdown_is_complete(struct stepdown *stepdown)
{
	return signal_tree(stepdown, 0).living == 0;
}
