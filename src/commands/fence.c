/* SPDX-License-Identifier: ISC */
/* lockrun fence: run a command unless a newer generation was here before. */
#include "commands/commands.h"

#include <bsd/stdlib.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/narrate.h"
#include "commands/say.h"
#include "election/fence.h"
#include "election/supervise.h"

/* All that the steps hand on to each other. */
struct fencing {
	struct options options;
	struct process_entry *entry;
	struct lockname name;
	struct fence fence;
};

/* The term that we are in, by the environment: it may come from another machine. */
static int
read_term(struct fencing *fencing, struct fault *fault)
{
	const char *name = getenv("LOCKRUN_NAME");
	const char *generation = getenv("LOCKRUN_GENERATION");
	const char *error = NULL;

	if (name == NULL)
		return fault_set(fault, FAULT_USAGE_OUTSIDE_TERM, 0, "fence");
	if (lockname_parse(name, &fencing->name, fault) == -1)
		return -1;
	if (generation == NULL)
		return fault_set(fault, FAULT_USAGE_NO_GENERATION, 0, "%s", name);
	fencing->fence.generation = (uint64_t)strtonum(generation, 1, INT64_MAX, &error);
	if (error != NULL || generation[strspn(generation, "0123456789")] != '\0')
		return fault_set(
		    fault, FAULT_USAGE_GENERATION, 0, "LOCKRUN_GENERATION \"%s\"", generation);
	return 0;
}

static void
observe(void *context, const struct happened *happened)
{
	const struct fencing *fencing = context;
	char path[SAY_CLEAN_SIZE];

	if (happened->what == HAPPENING_REFUSED)
		say("%s: pid %d: not allowed to signal it; the lock is held until it ends",
		    say_clean(fencing->fence.path, path), happened->pid);
}

/* Supervised as in a run, but for what a term has besides. */
static struct ending
run_command(struct fencing *fencing)
{
	const struct observer observer = {
	    .observe = observe, .context = fencing, .remind_every = DURATION_NEVER};
	const struct process_plan plan = {
	    .arguments = fencing->options.command,
	    .environment = environ,
	    .inherit = {fence_inheritance(&fencing->fence), -1},
	};
	struct supervision supervision = {
	    .signals = &fencing->entry->signals,
	    .observer = &observer,
	    .parent = -1,
	    .max_hold = DURATION_NEVER,
	    .kill_after = DURATION_NEVER,
	    .yield = DURATION_NEVER,
	    .leftovers = LEFTOVERS_LEAVE,
	};
	char path[SAY_CLEAN_SIZE];
	struct outcome outcome;
	struct fault fault;
	struct tree tree;

	process_adopt_orphans();
	tree_begin(&tree);
	signals_note_early(supervision.signals);
	supervision.tree = &tree;
	supervision.command = process_start(&plan, fencing->entry, &fault);
	if (supervision.command == -1)
		return say_fault(&fault);
	process_let_go_of_pipes(fencing->entry, false);
	outcome = supervise(&supervision);
	fence_leave(&fencing->fence);
	narrate_misleading(say_clean(fencing->fence.path, path), &outcome);
	return status_ending(&outcome, false, -1);
}

/* What we run under holds FILE, and will give it up. */
static struct ending
become_command(struct fencing *fencing)
{
	const struct process_plan plan = {
	    .arguments = fencing->options.command,
	    .environment = environ,
	    .inherit = {-1, -1},
	};
	struct fault fault;

	process_become(&plan, fencing->entry, &fault);
	return say_fault(&fault);
}

static struct ending
say_stale(const struct fence *fence)
{
	char path[SAY_CLEAN_SIZE];

	say("%s has seen %" PRIu64 ", we are %" PRIu64 "; if the state directory was made anew: "
	    "lockrun doctor --repair --floor %" PRIu64 " %s",
	    say_clean(fence->path, path), fence->seen, fence->generation, fence->seen, fence->name);
	return (struct ending){.status = STATUS_STALE};
}

static struct ending
say_signal(const struct fence *fence)
{
	char path[SAY_CLEAN_SIZE];

	say("%s: %s while waiting; nothing was run", say_clean(fence->path, path),
	    strsignal(fence->signal));
	return (struct ending){.status = 128 + fence->signal, .signal = fence->signal};
}

struct ending
command_fence(char **arguments, struct process_entry *entry)
{
	static struct fencing fencing;
	struct fence *fence = &fencing.fence;
	struct ending ending;
	struct fault fault;

	fencing.entry = entry;
	if (!command_parse(SUB_FENCE, arguments, &fencing.options, &ending))
		return ending;
	if (read_term(&fencing, &fault) == -1 ||
	    process_find(fencing.options.command[0], &fault) == -1)
		return say_fault(&fault);
	signals_take_over(&entry->signals);
	if (signals_descriptor(&entry->signals) == -1) {
		fault_set(&fault, FAULT_SYSTEM, errno, "signalfd");
		return say_fault(&fault);
	}
	fence->path = fencing.options.words[0];
	fence->name = fencing.name.text;
	fence->signals = &entry->signals;
	switch (fence_pass(fence, &fault)) {
	case FENCE_PASSED:
		return fence->inside ? become_command(&fencing) : run_command(&fencing);
	case FENCE_STALE:
		return say_stale(fence);
	case FENCE_SIGNAL:
		return say_signal(fence);
	case FENCE_FAULT:
		break;
	}
	return say_fault(&fault);
}
