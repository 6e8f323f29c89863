/* SPDX-License-Identifier: ISC */
/* What comes before the queue: who listens, who watches, what the contender wants. */
#include "commands/run.h"

#include <errno.h>
#include <unistd.h>

#include "commands/environment.h"

void
run_observe(void *context, const struct happened *happened)
{
	struct run *run = context;

	narrate_observe(&run->narrator, happened);
	events_observe(&run->events, happened);
}

/* Our parent, watched from now on, when we are not to outlive it. */
static int
watch_parent(struct fault *fault)
{
	const pid_t parent = getppid();
	const int fd = process_watch(parent);

	/* Filters of system calls refuse what they do not know with EPERM. */
	if (fd == -1 && (errno == ENOSYS || errno == EPERM))
		return fault_set(fault, FAULT_NO_WATCH, errno, "--die-with-parent");
	if (fd == -1 && errno != ESRCH)
		return fault_set(fault, FAULT_SYSTEM, errno, "--die-with-parent");
	if (fd == -1 || getppid() != parent)
		return fault_set(fault, FAULT_SYSTEM, ESRCH, "--die-with-parent");
	return fd;
}

/* Before anything else is opened: a number that is free now may be one of ours later. */
static void
listen_for_events(struct run *run)
{
	const struct options *options = &run->options;

	narrate_begin(&run->narrator, options, &run->name, &run->directory, &run->campaign);
	if (events_open(&run->events, options->events, run->entry->closed, &run->name,
		&run->campaign) == -1)
		narrate_no_events(&run->narrator, errno);
}

int
run_prepare(struct run *run, struct fault *fault)
{
	const struct options *options = &run->options;
	int parent = -1;

	run->directory.fd = run->notify.fd = -1;
	listen_for_events(run);
	if (options->die_with_parent && (parent = watch_parent(fault)) == -1)
		return -1;
	signals_take_over(&run->entry->signals);
	if (!options->no_fork)
		process_adopt_orphans();
	run->observer = (struct observer){
	    .observe = run_observe,
	    .context = run,
	    .remind_every = narrate_every(&run->narrator),
	};
	run->candidacy = (struct candidacy){
	    .name = &run->name,
	    .directory = &run->directory,
	    .signals = &run->entry->signals,
	    .observer = &run->observer,
	    .mode = options->shared ? TICKET_SHARED : TICKET_EXCLUSIVE,
	    .parent = parent,
	    .watch_queue = options->yield != DURATION_NEVER,
	    .replace = options->replace,
	    .join = options->join,
	    .refuse_after_lost = options->after_lost == AFTER_LOST_REFUSE,
	    .if_available =
		options->if_available || options->wait == 0 || options->max_waiters == 0,
	    .max_waiters = options->max_waiters > 0 ? (unsigned)options->max_waiters : 0,
	    /* No limit, when what is waited for is only what cannot be had at once. */
	    .wait = options->wait == 0 ? DURATION_NEVER : options->wait,
	    .eligibility = options->eligible != NULL ? &run->eligibility : NULL,
	    .also_flock = options->also_flock,
	    .also_mode = 0666 & ~run->entry->umask,
	    .again = options->loop,
	    .command = options->command[0],
	    .note = options->note,
	};
	run->eligibility = (struct eligibility){
	    .command = options->eligible,
	    .entry = run->entry,
	    .every = options->eligible_every,
	};
	run->backoff.limits = options->backoff;
	campaign_begin(&run->campaign, &run->candidacy);
	return 0;
}

/* What a check learns: what the command will, but for its term. */
static int
prepare_checks(struct run *run, struct fault *fault)
{
	const struct told told = {
	    .name = &run->name,
	    .mode = run->candidacy.mode,
	    .directory = run->directory.path,
	    .contender = run->campaign.contender,
	};

	if (run->candidacy.eligibility == NULL || run->eligibility.environment != NULL)
		return 0;
	if (environment_build(&run->check_environment, &told) == -1)
		return fault_set(fault, FAULT_START, errno, "--eligible");
	run->eligibility.environment = run->check_environment.entries;
	return 0;
}

enum acquire
run_open_directory(struct run *run, struct fault *fault)
{
	int opened;

	run->unguarded = false;
	/* Between two terms it may have been moved, or made anew. */
	statedir_close(&run->directory);
	opened = statedir_open(run->options.directory, STATE_CONTEND, &run->directory, fault);
	/* Whoever goes on without it asks as well. */
	if (prepare_checks(run, fault) == -1 || opened == -1)
		return ACQUIRE_FAULT;
	if (run->terms == 0)
		narrate_versions(&run->narrator);
	return ACQUIRE_TAKEN;
}

void
run_tell_waiting(struct run *run, enum acquire got)
{
	if (got == ACQUIRE_INELIGIBLE && run->told == got)
		return;
	if (run->told == ACQUIRE_INELIGIBLE)
		run->told = ACQUIRE_TAKEN;
	run->rests_ineligible = false;
	events_waiting(&run->events, &run->candidacy);
}
