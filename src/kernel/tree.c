/* SPDX-License-Identifier: ISC */
#include "kernel/tree.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "kernel/process.h"

/* Deeper than any tree that a pid_max allows in practice; a loop cannot be, but a race can look
 * like one. */
#define DEPTH_MAX 4096

static bool
is_stranger(const struct tree *tree, const struct process_stat *child)
{
	if (child->start < tree->since)
		return true;
	for (size_t i = 0; i < tree->stranger_count; i++) {
		if (tree->strangers[i].pid == child->pid &&
		    tree->strangers[i].start == child->start)
			return true;
	}
	return false;
}

static bool
is_gone(const struct process_stat *stat)
{
	return (stat->state == 'Z' && stat->threads <= 1) || stat->state == 'X';
}

/* Climb from a process to us. A parent that vanishes on the way hands its children up. */
static bool
belongs(const struct tree *tree, const struct process_stat *process)
{
	struct process_stat at = *process;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (at.parent == tree->root)
			return !is_stranger(tree, &at);
		if (at.parent <= 1)
			return false;
		if (!proctable_read(at.parent, &at)) {
			at = *process;
			if (!proctable_read(at.pid, &at))
				return false;
		}
	}
	return false;
}

enum kinship
tree_kinship(const struct tree *tree, pid_t pid)
{
	struct process_stat process, now;

	if (pid == 0)
		return KINSHIP_STRANGER;
	if (tree->root != getpid() || !proctable_read(pid, &process))
		return KINSHIP_UNKNOWN;
	if (belongs(tree, &process))
		return KINSHIP_OURS;
	/* It may have ended while we climbed. */
	if (!proctable_read(pid, &now) || now.start != process.start)
		return KINSHIP_UNKNOWN;
	return KINSHIP_STRANGER;
}

static int
send_to(const struct tree *tree, const struct process_stat *process, int signal)
{
	struct process_stat now;
	int directory, result = -1, error = ESRCH;

	directory = proctable_open(process->pid);
	if (directory == -1)
		return -1;
	/* The handle first, then the question who it is: in this order the answer stays true. */
	if (proctable_read_at(directory, "stat", &now) && now.start == process->start) {
		result = process_send_by(directory, signal);
		/* Before Linux 5.1 there is no such call, and some containers forbid what is new.
		 */
		if (result == -1 && (errno == ENOSYS || errno == EPERM) && tree->root == getpid())
			result = process_send(process->pid, signal);
		error = errno;
	}
	close(directory);
	errno = error;
	return result;
}

static void
visit(const struct tree *tree, pid_t pid, int signal, struct census *census)
{
	struct process_stat process;

	if (!proctable_read(pid, &process) || is_gone(&process) || !belongs(tree, &process))
		return;
	census->living++;
	census->living_pid = pid;
	census->living_state = process.state;
	if (signal != 0 && send_to(tree, &process, signal) == -1 && errno == EPERM) {
		census->refused++;
		census->refused_pid = pid;
	}
}

struct pass {
	const struct tree *tree;
	int signal;
	struct census census;
};

static void
visit_in_pass(pid_t pid, void *context)
{
	struct pass *pass = context;

	if (pid != pass->tree->root)
		visit(pass->tree, pid, pass->signal, &pass->census);
}

struct census
tree_signal(const struct tree *tree, int signal)
{
	struct pass pass = {.tree = tree, .signal = signal};

	if (tree->root != 0)
		proctable_each(visit_in_pass, &pass);
	return pass.census;
}

/* Those below our children as well: they become our children when the one between them ends. */
static void
note_if_below(pid_t pid, void *context)
{
	struct tree *tree = context;
	const struct tree nobody_noted = {.root = tree->root};
	struct process_stat process;

	if (tree->stranger_count < TREE_STRANGERS_MAX && proctable_read(pid, &process) &&
	    belongs(&nobody_noted, &process) && !is_stranger(tree, &process)) {
		tree->strangers[tree->stranger_count].pid = pid;
		tree->strangers[tree->stranger_count].start = process.start;
		tree->stranger_count++;
	}
}

void
tree_note_below(struct tree *tree)
{
	proctable_each(note_if_below, tree);
}

struct census
tree_signal_noted(const struct tree *tree, int signal)
{
	struct census census = {0};
	struct process_stat process;

	for (size_t i = 0; i < tree->stranger_count; i++) {
		if (!proctable_read(tree->strangers[i].pid, &process) || is_gone(&process) ||
		    process.start != tree->strangers[i].start)
			continue;
		census.living++;
		census.living_pid = process.pid;
		census.living_state = process.state;
		if (signal != 0 && send_to(tree, &process, signal) == -1 && errno == EPERM) {
			census.refused++;
			census.refused_pid = process.pid;
		}
	}
	return census;
}

void
tree_begin(struct tree *tree)
{
	tree->root = proctable_self();
	tree->since = proctable_now();
	tree->stranger_count = 0;
	/* Hardly anybody has children here, and one question is cheaper than a walk. */
	if (process_has_children())
		tree_note_below(tree);
}
