/* SPDX-License-Identifier: ISC */
/*
 * lockrun NAME COMMAND: the ten steps. Each step's result is the next one's argument, and being
 * killed between any two of them is a valid state of the disk.
 */
#include "commands/run.h"

#include <errno.h>
#include <stdlib.h>

#include "commands/commands.h"
#include "commands/environment.h"
#include "commands/say.h"
#include "election/supervise.h"
#include "kernel/clock.h"

static struct outcome contend(struct run *run);
static pid_t spawn(struct run *run, struct fault *fault);
static struct outcome watch_over(struct run *run, pid_t command);
static struct ending finish(struct run *run, const struct outcome *outcome);

struct ending
command_run(char **arguments, struct process_entry *entry)
{
	static struct run run;
	struct outcome outcome;
	struct ending ending;
	struct fault fault;

	run.entry = entry;
	/* 1 parse */
	if (!command_parse(SUB_RUN, arguments, &run.options, &ending))
		return ending;
	/* 2 name */
	if (lockname_parse(run.options.words[0], &run.name, &fault) == -1 ||
	    process_find(run.options.command[0], &fault) == -1 || run_prepare(&run, &fault) == -1)
		return say_fault(&fault);
	/* 3 to 9: a term, and with --loop one after the other */
	do
		outcome = contend(&run);
	while (run_again(&run, &outcome));
	/* 10 exit status */
	return finish(&run, &outcome);
}

static struct outcome
contend(struct run *run)
{
	struct outcome outcome;
	struct fault fault;
	enum acquire got;
	pid_t command;

	/* 3 directory */
	got = run_open_directory(run, &fault);
	/* 4 queue up */
	if (got == ACQUIRE_TAKEN)
		got = campaign_queue_up(&run->campaign, &fault);
	/* where there is no lock manager: --on-unavailable */
	got = run_unguarded(run, got, &fault);
	run_tell_waiting(run, got);
	/* 5 acquire */
	if (got == ACQUIRE_TAKEN && !run->unguarded)
		got = campaign_acquire(&run->campaign, &fault);
	/* 6 begin term */
	if (got == ACQUIRE_TAKEN && !run->unguarded)
		got = campaign_begin_term(&run->campaign, &run->term, &fault);
	got = run_unguarded(run, got, &fault);
	if (got != ACQUIRE_TAKEN)
		return run_not_acquired(run, got, &fault);
	if (run->unguarded)
		run_tell_unguarded(run, &fault);
	/* 7 spawn */
	command = spawn(run, &fault);
	if (command == -1)
		return run_not_started(run, &fault);
	/* 8 supervise */
	outcome = watch_over(run, command);
	/* 9 end term */
	if (!run->unguarded)
		campaign_end_term(&run->campaign, &run->term, &outcome);
	campaign_leave(&run->campaign);
	narrate_end(&run->narrator, &outcome);
	return outcome;
}

/* ---- the command ---- */

static bool
may_come_another(const struct run *run)
{
	return run->options.loop &&
	       (run->options.max_terms == 0 || run->terms < run->options.max_terms);
}

/* The environment of the command, and where it is to give its signs of life. */
static int
prepare_environment(struct run *run, struct environment *environment, struct fault *fault)
{
	const duration_t watchdog = run->options.watchdog;
	const struct told told = {
	    .name = &run->name,
	    .mode = run->candidacy.mode,
	    .directory = run->directory.path,
	    .contender = run->campaign.contender,
	    .generation = run->term.generation,
	    .previous = run->unguarded ? NULL : &run->campaign.previous.last,
	    .degraded = run->unguarded,
	};

	if (environment_build(environment, &told) == -1)
		return fault_set(fault, FAULT_START, errno, "%s", run->options.command[0]);
	if (watchdog == DURATION_NEVER)
		return 0;
	if (notify_open(&run->notify, getenv("NOTIFY_SOCKET")) == -1) {
		fault_set(fault, FAULT_SYSTEM, errno, "--watchdog");
		environment_free(environment);
		return -1;
	}
	environment_add_watchdog(environment, run->notify.address, watchdog);
	return 0;
}

static pid_t
spawn(struct run *run, struct fault *fault)
{
	struct environment environment;
	struct process_plan plan = {
	    .arguments = run->options.command,
	    .own_pid = environment.own_pid,
	    .inherit = {-1, -1},
	};
	pid_t command = -1;

	run->terms++;
	run->told = ACQUIRE_TAKEN;
	run->candidacy.again = may_come_another(run);
	if (signals_descriptor(&run->entry->signals) == -1)
		return fault_set(fault, FAULT_SYSTEM, errno, "signalfd");
	if (prepare_environment(run, &environment, fault) == -1)
		return -1;
	plan.environment = environment.entries;
	if (!run->options.close_lock)
		campaign_inheritance(&run->campaign, plan.inherit);
	if (run->options.no_fork) {
		if (!run->unguarded)
			campaign_hand_over(&run->campaign, &run->term);
		process_become(&plan, run->entry, fault);
	} else {
		tree_begin(&run->tree);
		signals_note_early(&run->entry->signals);
		command = process_start(&plan, run->entry, fault);
	}
	if (command == -1)
		notify_close(&run->notify);
	environment_free(&environment);
	return command;
}

static struct outcome
watch_over(struct run *run, pid_t command)
{
	const struct options *options = &run->options;
	const struct supervision supervision = {
	    .command = command,
	    .tree = &run->tree,
	    .term = &run->term,
	    .campaign = run->unguarded ? NULL : &run->campaign,
	    .signals = &run->entry->signals,
	    .observer = &run->observer,
	    .parent = run->candidacy.parent,
	    .notify = options->watchdog != DURATION_NEVER ? &run->notify : NULL,
	    .watchdog = options->watchdog,
	    .eligibility = run->candidacy.eligibility,
	    .max_hold = options->max_hold,
	    .kill_after = options->kill_after,
	    .kill_on_signal = options->kill_after_given,
	    .yield = options->yield,
	    .leftovers = (enum leftovers)options->leftovers,
	};
	const struct happened leading = {
	    .what = HAPPENING_LEADING,
	    .generation = run->term.generation,
	    .pid = command,
	    .degraded = run->unguarded,
	};
	struct outcome outcome;

	run->term.command_pid = command;
	run->led_from = clock_monotonic();
	run->fault[0] = '\0';
	process_let_go_of_pipes(run->entry, run->candidacy.again);
	if (!run->unguarded)
		campaign_tell_command(&run->campaign, command);
	run_observe(run, &leading);
	outcome = supervise(&supervision);
	notify_close(&run->notify);
	return outcome;
}

/* ---- the end ---- */

static struct ending
finish(struct run *run, const struct outcome *outcome)
{
	/* What could not start the last time has run before: no status may say that nothing has. */
	if (run->has_run && run->last.ran == RAN_NO) {
		run->last.ran = RAN_MAYBE;
		run->last.status = STATUS_UNKNOWN;
	}
	campaign_end(&run->campaign);
	events_stopped(&run->events, &run->last, outcome->reason);
	return status_ending(
	    &run->last, run->options.preserve_status, run->options.command_status_map);
}
