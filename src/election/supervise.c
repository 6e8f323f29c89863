/* SPDX-License-Identifier: ISC */
#include "election/supervise.h"

#include <sys/wait.h>

#include <string.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/process.h"

/*
 * Looking out for what is asked of us costs a watch, which the kernel is slow to take down again
 * (inotify: 30 to 250 us, measured); most commands are over before anybody could ask.
 */
#define WATCH_AFTER (50 * DURATION_MILLISECOND)

/* The slow tick, for a machine that is out of watches. */
#define TICK DURATION_SECOND

/* After SIGKILL: look again for what was forked in between; and say so when something stays. */
#define KILL_ROUND	  (100 * DURATION_MILLISECOND)
#define STILL_THERE_AFTER (2 * DURATION_SECOND)
#define STILL_THERE_EVERY (60 * DURATION_SECOND)

struct watch {
	const struct supervision *with;
	struct outcome outcome;
	bool command_ended;
	bool stepping_down;
	bool refused_told;
	bool watching;	       /* asks are looked for */
	int asks;	       /* descriptor, or -1: the tick has to do */
	duration_t hold_until; /* all points of CLOCK_MONOTONIC */
	duration_t watch_from;
	duration_t kill_at;
	duration_t killed_since; /* DURATION_NEVER before */
	duration_t remark_at;
};

static void
tell(const struct watch *watch, const struct happened *happened)
{
	watch->with->observer->observe(watch->with->observer->context, happened);
}

/* ---- stepping down ---- */

/*
 * The whole tree, across process groups and sessions. The walk needs /proc; without it at least
 * the command itself is reached.
 */
static struct tree_census
signal_tree(struct watch *watch, int signal)
{
	struct tree_census census;

	census = tree_signal(watch->with->tree, signal);
	if (census.living == 0 && !watch->command_ended) {
		census.living = 1;
		census.living_pid = watch->with->command;
		process_send(watch->with->command, signal);
	}
	if (census.refused > 0 && !watch->refused_told) {
		const struct happened refused = {
		    .what = HAPPENING_REFUSED, .pid = census.refused_pid};

		watch->refused_told = true;
		tell(watch, &refused);
	}
	return census;
}

static void
step_down(struct watch *watch, enum reason reason, const char *text)
{
	const bool kills = reason != REASON_SIGNAL || watch->with->kill_on_signal;
	const duration_t grace = kills ? watch->with->kill_after : DURATION_NEVER;
	const struct happened happened = {
	    .what = HAPPENING_STEPPING_DOWN, .reason = reason, .grace = grace, .text = text};
	duration_t kill_at;

	watch->stepping_down = true;
	watch->outcome.reason = reason;
	signal_tree(watch, SIGTERM);
	/* A stopped process cannot act on its SIGTERM. */
	signal_tree(watch, SIGCONT);
	kill_at = clock_after(clock_monotonic(), grace);
	if (kill_at < watch->kill_at)
		watch->kill_at = kill_at;
	campaign_tell_stepping_down(watch->with->campaign, reason);
	tell(watch, &happened);
}

/* One round; whatever was forked since the last one is met now. */
static void
kill_round(struct watch *watch, duration_t now)
{
	const struct happened killing = {.what = HAPPENING_KILLING};
	struct happened still = {.what = HAPPENING_STILL_THERE};
	struct tree_census census;

	if (watch->killed_since == DURATION_NEVER) {
		watch->killed_since = now;
		watch->remark_at = now + STILL_THERE_AFTER;
		tell(watch, &killing);
	}
	watch->outcome.killed = true;
	census = signal_tree(watch, SIGKILL);
	if (census.living > 0 && now >= watch->remark_at) {
		watch->remark_at = now + STILL_THERE_EVERY;
		still.pid = census.living_pid;
		still.state = census.living_state;
		tell(watch, &still);
	}
}

/* ---- what happens ---- */

/* The command first: its status must not be taken for an orphan's. */
static void
reap(struct watch *watch)
{
	int status;

	if (!watch->command_ended && process_reap(watch->with->command, &status)) {
		watch->command_ended = true;
		watch->outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		watch->outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	process_reap_others(watch->command_ended ? 0 : watch->with->command);
}

static bool
is_over(struct watch *watch)
{
	reap(watch);
	if (!watch->command_ended)
		return false;
	return !watch->stepping_down || signal_tree(watch, 0).living == 0;
}

/*
 * What the terminal sent has reached the command already, since it is in our process group; only
 * the hang-up goes to the session's leader alone (disassociate_ctty in the kernel).
 */
static bool
has_reached_the_command(const struct signal_event *event)
{
	if (event->sender == 0 && event->from_terminal)
		return event->signal != SIGHUP || getsid(0) != getpid();
	return false;
}

static void
pass_on(struct watch *watch, const struct signal_event *event)
{
	if (event->signal == SIGCHLD || watch->command_ended || has_reached_the_command(event) ||
	    event->sender == watch->with->command)
		return;
	process_send(watch->with->command, event->signal);
}

static void
handle_signals(struct watch *watch)
{
	struct signal_event event;

	while (signals_next(watch->with->signals, &event)) {
		if (event.signal != SIGTERM) {
			pass_on(watch, &event);
			continue;
		}
		/* Its end may have come first, and then it ended by itself. */
		reap(watch);
		if (watch->stepping_down)
			signal_tree(watch, SIGTERM);
		else if (!watch->command_ended)
			step_down(watch, REASON_SIGNAL, NULL);
	}
}

static void
handle_asks(struct watch *watch, duration_t now)
{
	struct ask ask;

	if (!watch->watching && now >= watch->watch_from) {
		watch->watching = true;
		watch->asks = campaign_watch(watch->with->campaign, watch->with->term);
	}
	if (!watch->watching || (watch->stepping_down && watch->outcome.reason != REASON_SIGNAL) ||
	    !campaign_asked(watch->with->campaign, watch->with->term, &ask))
		return;
	reap(watch);
	if (!watch->command_ended)
		step_down(watch, REASON_STOP, ask.reason);
}

static void
handle_limits(struct watch *watch, duration_t now)
{
	if (now >= watch->hold_until) {
		watch->hold_until = DURATION_NEVER;
		reap(watch);
		if (!watch->command_ended)
			step_down(watch, REASON_MAX_HOLD, NULL);
	}
	if (watch->stepping_down && now >= watch->kill_at)
		kill_round(watch, now);
}

/* ---- the loop ---- */

static duration_t
sooner(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

static duration_t
next_look(const struct watch *watch)
{
	const duration_t now = clock_monotonic();
	duration_t next = watch->hold_until;

	if (!watch->watching)
		next = sooner(next, watch->watch_from);
	else if (watch->asks == -1)
		next = sooner(next, now + TICK);
	if (watch->killed_since != DURATION_NEVER)
		next = sooner(next, now + KILL_ROUND);
	else if (watch->stepping_down)
		next = sooner(next, watch->kill_at);
	return next;
}

struct outcome
supervise(const struct supervision *supervision)
{
	const duration_t begin = clock_monotonic();
	struct watch watch = {
	    .with = supervision,
	    .outcome = {.ran = RAN_YES},
	    .asks = -1,
	    .hold_until = clock_after(begin, supervision->max_hold),
	    .watch_from = begin + WATCH_AFTER,
	    .kill_at = DURATION_NEVER,
	    .killed_since = DURATION_NEVER,
	};
	duration_t now;

	while (!is_over(&watch)) {
		struct pollfd watched[] = {
		    {.fd = supervision->signals->descriptor, .events = POLLIN},
		    {.fd = watch.asks, .events = POLLIN},
		};

		clock_poll(watched, 2, next_look(&watch));
		handle_signals(&watch);
		now = clock_monotonic();
		handle_asks(&watch, now);
		handle_limits(&watch, now);
	}
	if (!watch.stepping_down)
		watch.outcome.reason = watch.outcome.status == 0 && watch.outcome.signal == 0
					   ? REASON_FINISHED
					   : REASON_FAILED;
	return watch.outcome;
}
