/* SPDX-License-Identifier: ISC */
/* The tree of processes below one. */
#ifndef LOCKRUN_KERNEL_TREE_H
#define LOCKRUN_KERNEL_TREE_H

#include "kernel/proctable.h"

/*
 * Our descendants, but for the children that we had before, and theirs: whoever did
 * "exec lockrun" may have had some, and what an earlier term left behind is not this one's. Those
 * are told by when they started; but where the clock's tick is too coarse to tell, by a list.
 */
#define TREE_STRANGERS_MAX 64

struct tree {
	pid_t root; /* ourselves, by /proc's number; 0 when there is no /proc */
	uint64_t since;
	size_t stranger_count;
	struct {
		pid_t pid;
		uint64_t start;
	} strangers[TREE_STRANGERS_MAX];
};

/* Start with the children that this process has now, and all below them, as strangers. */
void tree_begin(struct tree *tree);

/*
 * For processes that are not ours: note as strangers, beside those noted already, all that are
 * below root now; and reach those that were noted and still live, whoever their parent is by now.
 */
void tree_note_below(struct tree *tree);
struct census tree_signal_noted(const struct tree *tree, int signal);

enum kinship {
	KINSHIP_OURS,
	KINSHIP_STRANGER,
	KINSHIP_UNKNOWN, /* it is gone, or there is no /proc that speaks of our pid namespace */
};

/* Whether a process, by its pid in our namespace (0: in none that we see), is of the tree. */
enum kinship tree_kinship(const struct tree *tree, pid_t pid);

/*
 * Send a signal (0: none, just count) to every process of the tree and say what was found. One
 * pass: what forks meanwhile is met by the next one. Without /proc nothing is found.
 */
struct census tree_signal(const struct tree *tree, int signal);

#endif
