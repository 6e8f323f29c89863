/* SPDX-License-Identifier: ISC */
#include "election/supervise.h"

#include <sys/wait.h>

#include "election/eligibility.h"
#include "election/stepdown.h"
#include "election/watchdog.h"
#include "kernel/clock.h"
#include "kernel/process.h"

/*
 * Watching over the lock costs an inotify instance, which the kernel is slow to take down again
 * (30 to 250 us, measured); most commands are over before anybody could ask anything of them.
 */
#define WATCH_AFTER (50 * DURATION_MILLISECOND)

/* What no watch can see (a parent of DIR that was moved), and a machine that is out of watches. */
#define TICK DURATION_SECOND

struct watch {
	const struct supervision *with;
	struct stepdown stepdown;
	struct watchdog watchdog;
	struct eligibility_watch eligibility;
	struct outcome outcome;
	bool command_ended;
	bool command_stopped;
	sigset_t received;     /* signals that came, for us and for the command */
	bool watching;	       /* the lock is watched over */
	int lock_watch;	       /* a descriptor, or -1: the tick has to do */
	duration_t watch_from; /* all points of CLOCK_MONOTONIC */
	duration_t next_tick;
	duration_t hold_until;
	duration_t yield_from;
};

/* ---- the command's news ---- */

/*
 * Ctrl-Z and its kin: the shell has to see its job stopped when the command was. SIGSTOP is most
 * often somebody's kill -STOP, and the SIGCONT that follows would not reach us; so that is taken
 * for a shell's business only in the foreground.
 */
static void
mirror_stop(struct watch *watch, int signal)
{
	const enum terminal terminal = process_terminal();

	watch->command_stopped = true;
	/* A grace that runs out must find us awake. */
	if (stepdown_next(&watch->stepdown) != DURATION_NEVER || proctable_group_is_orphaned())
		return;
	if (terminal == TERMINAL_FOREGROUND ||
	    (terminal == TERMINAL_BACKGROUND && signal != SIGSTOP))
		signals_stop_by(signal);
}

/* The command first: its status must not be taken for an orphan's. */
static void
reap(struct watch *watch)
{
	int status;

	while (!watch->command_ended && process_news(watch->with->command, &status)) {
		if (WIFSTOPPED(status)) {
			mirror_stop(watch, WSTOPSIG(status));
			continue;
		}
		watch->command_stopped = false;
		if (WIFCONTINUED(status))
			continue;
		watch->command_ended = watch->stepdown.command_ended = true;
		watch->outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		watch->outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	process_reap_others(
	    watch->command_ended ? 0 : watch->with->command, watch->eligibility.check.pid);
}

/*
 * Its end may have come first, and then it ended by itself; but what it left behind and we wait for
 * has to go. Once a step-down has begun it is about the whole tree, whoever of it has ended.
 */
static void
step_down(struct watch *watch, enum reason reason, const char *text)
{
	struct stepdown *stepdown = &watch->stepdown;

	reap(watch);
	if (!watch->command_ended || (stepdown->begun && !stepdown->leftovers))
		stepdown_begin(stepdown, reason, text);
	else if (watch->with->leftovers != LEFTOVERS_LEAVE)
		stepdown_begin_leftovers(stepdown, reason);
}

/* The command has ended by itself; what it left behind may have to go too. */
static bool
is_left_alone(struct watch *watch)
{
	switch (watch->with->leftovers) {
	case LEFTOVERS_LEAVE:
		return true;
	case LEFTOVERS_WAIT:
		break;
	case LEFTOVERS_KILL:
		stepdown_begin_leftovers(&watch->stepdown, REASON_FINISHED);
		break;
	}
	return stepdown_is_complete(&watch->stepdown);
}

static bool
is_over(struct watch *watch)
{
	reap(watch);
	if (!watch->command_ended)
		return false;
	return watch->stepdown.begun ? stepdown_is_complete(&watch->stepdown)
				     : is_left_alone(watch);
}

/* ---- signals ---- */

static void
pass_on(struct watch *watch, const struct signal_event *event)
{
	if (watch->command_ended || signal_has_reached_group(event) ||
	    event->sender == watch->with->command)
		return;
	/* A shell's fg and bg continue the whole group; a second SIGCONT would disturb a debugger.
	 */
	if (event->signal == SIGCONT && !watch->command_stopped)
		return;
	process_send(watch->with->command, event->signal);
}

static void
handle_signals(struct watch *watch)
{
	struct signal_event event;

	while (signals_next(watch->with->signals, &event)) {
		if (event.signal == SIGCHLD)
			continue;
		sigaddset(&watch->received, event.signal);
		if (signal_ends_all(&event))
			watch->outcome.interrupted = true;
		reap(watch);
		if (event.signal != SIGTERM)
			pass_on(watch, &event);
		else if (watch->stepdown.begun)
			stepdown_again(&watch->stepdown);
		else
			step_down(watch, REASON_SIGNAL, NULL);
	}
}

/* ---- the lock ---- */

/* By its own reason it steps down once; but a signal's has no limit, so another may follow. */
static bool
may_step_down(const struct watch *watch)
{
	return !watch->stepdown.begun || watch->stepdown.reason == REASON_SIGNAL;
}

static void
do_as_asked(struct watch *watch)
{
	struct ask ask;

	while (campaign_asked(watch->with->campaign, watch->with->term, &ask)) {
		/* Whatever it steps down for already: that was no reason not to come again. */
		if (ask.verb == ASK_STOP)
			watch->outcome.interrupted = true;
		if (ask.verb != ASK_SIGNAL && may_step_down(watch))
			step_down(watch, ask.verb == ASK_STOP ? REASON_STOP : REASON_REPLACED,
			    ask.reason);
		else if (ask.verb == ASK_SIGNAL && !watch->command_ended)
			process_send(watch->with->command, signal_of_word(ask.reason));
	}
}

static void
question_lock(struct watch *watch, duration_t now)
{
	struct campaign *campaign = watch->with->campaign;

	if (campaign_is_lost(campaign)) {
		if (watch->stepdown.reason != REASON_LOCK_LOST)
			step_down(watch, REASON_LOCK_LOST, NULL);
		return;
	}
	do_as_asked(watch);
	if (may_step_down(watch) && now >= watch->yield_from && campaign_is_wanted(campaign))
		step_down(watch, REASON_YIELD, NULL);
}

static void
handle_lock(struct watch *watch, bool reported, duration_t now)
{
	if (!watch->watching && now >= watch->watch_from) {
		watch->watching = reported = true;
		watch->lock_watch = campaign_watch(watch->with->campaign, watch->with->term);
	}
	if (!reported && now < watch->next_tick)
		return;
	if (watch->watching)
		campaign_watch_drain(watch->with->campaign);
	question_lock(watch, now);
	watch->next_tick = now + TICK;
	if (now < watch->yield_from && watch->yield_from < watch->next_tick)
		watch->next_tick = watch->yield_from;
}

/* ---- signs of life ---- */

/* Once it steps down, or has ended, it need not report any more; what it says is heard still. */
static bool
has_to_report(const struct watch *watch)
{
	return !watch->command_ended && may_step_down(watch);
}

static void
handle_life(struct watch *watch)
{
	const duration_t now = clock_monotonic();

	/* Before anything is reaped: who sent a message can be looked up until then. */
	watchdog_hear(&watch->watchdog);
	if (has_to_report(watch) && watchdog_bites(&watch->watchdog, now))
		step_down(watch, REASON_WATCHDOG, watch->watchdog.gave_up ? "trigger" : NULL);
	watchdog_tell(&watch->watchdog, now);
}

/* Whoever steps down need not be asked any more. */
static void
handle_eligibility(struct watch *watch)
{
	if (!has_to_report(watch))
		eligibility_watch_end(&watch->eligibility);
	else if (eligibility_watch_look(&watch->eligibility) == ELIGIBLE_NO)
		step_down(watch, REASON_INELIGIBLE, watch->eligibility.check.text);
}

/* ---- the loop ---- */

static void
handle_limits(struct watch *watch, bool parent_gone, duration_t now)
{
	if (now >= watch->hold_until) {
		watch->hold_until = DURATION_NEVER;
		if (may_step_down(watch))
			step_down(watch, REASON_MAX_HOLD, NULL);
	}
	if (parent_gone && may_step_down(watch))
		step_down(watch, REASON_PARENT_GONE, NULL);
	stepdown_continue(&watch->stepdown, now);
}

static duration_t
sooner(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

static duration_t
next_look(const struct watch *watch)
{
	duration_t next = sooner(watch->hold_until, stepdown_next(&watch->stepdown));

	next = sooner(next, watchdog_next(&watch->watchdog, has_to_report(watch)));
	next = sooner(next, eligibility_watch_next(&watch->eligibility));
	return sooner(next, watch->watching ? watch->next_tick : watch->watch_from);
}

static void
look_after(struct watch *watch)
{
	enum {
		SIGNALS,
		LOCK,
		PARENT,
		LIFE,
		COUNT
	};
	const bool parent_counts = may_step_down(watch);
	struct pollfd watched[COUNT] = {
	    [SIGNALS] = {.fd = watch->with->signals->descriptor, .events = POLLIN},
	    [LOCK] = {.fd = watch->lock_watch, .events = POLLIN},
	    [PARENT] = {.fd = parent_counts ? watch->with->parent : -1, .events = POLLIN},
	    [LIFE] = {.fd = watch->with->notify != NULL ? watch->with->notify->fd : -1,
		.events = POLLIN},
	};
	duration_t now;

	clock_poll(watched, COUNT, next_look(watch));
	handle_life(watch);
	handle_eligibility(watch);
	handle_signals(watch);
	now = clock_monotonic();
	handle_lock(watch, watched[LOCK].revents != 0, now);
	handle_limits(watch, watched[PARENT].revents != 0, now);
}

struct outcome
supervise(const struct supervision *supervision)
{
	const duration_t begin = clock_monotonic();
	struct watch watch = {
	    .with = supervision,
	    .outcome = {.ran = RAN_YES},
	    .lock_watch = -1,
	    .hold_until = clock_after(begin, supervision->max_hold),
	    .yield_from = clock_after(begin, supervision->yield),
	    .watch_from = begin + WATCH_AFTER,
	    .next_tick = DURATION_NEVER,
	};

	if (supervision->campaign == NULL)
		watch.watch_from = DURATION_NEVER;
	/* Who yields has to notice at once that somebody came. */
	else if (supervision->yield != DURATION_NEVER)
		watch.watch_from = begin;
	sigemptyset(&watch.received);
	stepdown_init(&watch.stepdown, supervision);
	watchdog_begin(&watch.watchdog, supervision->notify, supervision->tree,
	    supervision->campaign, supervision->watchdog);
	eligibility_watch_begin(&watch.eligibility, supervision->eligibility);
	while (!is_over(&watch))
		look_after(&watch);
	eligibility_watch_end(&watch.eligibility);
	watchdog_hear(&watch.watchdog);
	watch.outcome.killed = watch.stepdown.killed;
	if (watch.outcome.signal != 0 && sigismember(&watch.received, watch.outcome.signal))
		watch.outcome.interrupted = true;
	if (watch.stepdown.begun && !watch.stepdown.leftovers)
		watch.outcome.reason = watch.stepdown.reason;
	else
		watch.outcome.reason = watch.outcome.status == 0 && watch.outcome.signal == 0
					   ? REASON_FINISHED
					   : REASON_FAILED;
	return watch.outcome;
}
