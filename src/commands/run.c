/* SPDX-License-Identifier: ISC */
/*
 * lockrun NAME COMMAND: the ten steps. Each step's result is the next one's argument, and being
 * killed between any two of them is a valid state of the disk.
 */
#include "commands/commands.h"

#include <errno.h>

#include "commands/environment.h"
#include "commands/narrate.h"
#include "commands/say.h"
#include "election/campaign.h"
#include "election/supervise.h"

/* All that the steps hand on to each other. */
struct run {
	struct options options;
	struct process_entry *entry;
	struct tree tree; /* what lives below us */
	struct lockname name;
	struct statedir directory;
	struct narrator narrator;
	struct candidacy candidacy;
	struct campaign campaign;
	struct term term;
};

static struct ending not_acquired(struct run *run, enum acquire why, const struct fault *fault);
static struct ending not_started(struct run *run, const struct fault *fault);
static void prepare(struct run *run);
static pid_t spawn(struct run *run, struct fault *fault);
static struct outcome watch_over(struct run *run, pid_t command);

struct ending
command_run(char **arguments, struct process_entry *entry)
{
	static struct run run;
	struct outcome outcome;
	struct ending ending;
	struct fault fault;
	enum acquire got;
	pid_t command;

	/* 1 parse */
	if (!command_parse(SUB_RUN, arguments, &run.options, &ending))
		return ending;
	/* 2 name, 3 directory */
	if (lockname_parse(run.options.words[0], &run.name, &fault) == -1 ||
	    process_find(run.options.command[0], &fault) == -1 ||
	    statedir_open(run.options.directory, STATE_CONTEND, &run.directory, &fault) == -1)
		return say_fault(&fault);
	run.entry = entry;
	prepare(&run);
	/* 4 queue up */
	got = campaign_queue_up(&run.campaign, &run.candidacy, &fault);
	/* 5 acquire */
	if (got == ACQUIRE_TAKEN)
		got = campaign_acquire(&run.campaign, &fault);
	if (got != ACQUIRE_TAKEN)
		return not_acquired(&run, got, &fault);
	/* 6 begin term */
	if (campaign_begin_term(&run.campaign, &run.term, &fault) == -1)
		return not_acquired(&run, ACQUIRE_FAULT, &fault);
	/* 7 spawn */
	command = spawn(&run, &fault);
	if (command == -1)
		return not_started(&run, &fault);
	/* 8 supervise */
	outcome = watch_over(&run, command);
	/* 9 end term */
	campaign_end_term(&run.campaign, &run.term, &outcome);
	campaign_leave(&run.campaign);
	/* 10 exit status */
	narrate_end(&run.narrator, &outcome);
	return status_ending(&outcome);
}

static void
prepare(struct run *run)
{
	const struct options *options = &run->options;

	signals_take_over(&run->entry->signals);
	process_adopt_orphans();
	tree_begin(&run->tree);
	narrate_begin(&run->narrator, options, &run->name, &run->directory, &run->campaign);
	run->candidacy = (struct candidacy){
	    .name = &run->name,
	    .directory = &run->directory,
	    .signals = &run->entry->signals,
	    .observer = &run->narrator.observer,
	    .if_available = options->if_available || options->wait == 0,
	    .wait = options->wait,
	    .command = options->command[0],
	    .note = options->note,
	};
}

/* Nothing ran: say so, and with which status. */
static struct ending
not_acquired(struct run *run, enum acquire why, const struct fault *fault)
{
	const int signal = run->campaign.patience.signal;

	if (why == ACQUIRE_FAULT) {
		campaign_leave(&run->campaign);
		return say_fault(fault);
	}
	narrate_not_acquired(&run->narrator, why);
	if (why == ACQUIRE_SIGNAL)
		return (struct ending){.status = 128 + signal, .signal = signal};
	return (struct ending){.status = run->options.conflict_status};
}

static pid_t
spawn(struct run *run, struct fault *fault)
{
	struct environment environment;
	struct process_plan plan = {
	    .arguments = run->options.command,
	    .inherit = campaign_inheritance(&run->campaign),
	};
	pid_t command;

	if (signals_descriptor(&run->entry->signals) == -1)
		return fault_set(fault, FAULT_SYSTEM, errno, "signalfd");
	if (environment_build(&environment, &run->name, &run->term, run->directory.path) == -1)
		return fault_set(fault, FAULT_START, errno, "%s", plan.arguments[0]);
	plan.environment = environment.entries;
	command = process_start(&plan, run->entry, fault);
	environment_free(&environment);
	return command;
}

/* The generation is spent, and its record says that nothing came of it. */
static struct ending
not_started(struct run *run, const struct fault *fault)
{
	const struct outcome outcome = {
	    .ran = RAN_NO,
	    .reason = fault->kind == FAULT_NOT_FOUND ? REASON_NOT_FOUND : REASON_ERROR,
	    .status = fault_row(fault->kind)->status,
	};

	campaign_end_term(&run->campaign, &run->term, &outcome);
	campaign_leave(&run->campaign);
	return say_fault(fault);
}

static struct outcome
watch_over(struct run *run, pid_t command)
{
	const struct options *options = &run->options;
	const struct supervision supervision = {
	    .command = command,
	    .tree = &run->tree,
	    .term = &run->term,
	    .campaign = &run->campaign,
	    .signals = &run->entry->signals,
	    .observer = &run->narrator.observer,
	    .max_hold = options->max_hold,
	    .kill_after = options->kill_after,
	    .kill_on_signal = options->kill_after_given,
	};
	const struct happened leading = {
	    .what = HAPPENING_LEADING, .generation = run->term.generation, .pid = command};

	process_let_go_of_pipes();
	run->narrator.observer.observe(run->narrator.observer.context, &leading);
	return supervise(&supervision);
}
