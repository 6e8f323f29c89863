/* SPDX-License-Identifier: ISC */
/*
 * The process table, as /proc tells it: who a pid is, and the tree below us.
 *
 * /proc may have been mounted for another pid namespace (unshare -p without a new mount). So trees
 * are worked out in /proc's own numbers, ours included, and signals go by a descriptor of
 * /proc/PID, which means the same process whatever the numbers.
 */
#ifndef LOCKRUN_KERNEL_PROCTABLE_H
#define LOCKRUN_KERNEL_PROCTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
	pid_t pid;
	pid_t parent;
	char state;	/* R, S, D, T, Z and so on: proc(5) */
	long threads;	/* a dead leader whose threads live on still counts as Z */
	uint64_t start; /* in clock ticks since boot: with the pid, who it is */
};

/* Read /proc/PID/stat. False when there is no such process or no /proc. */
bool proctable_read(pid_t pid, struct process_stat *stat);

/* Whether a process is stopped, traced, or in a frozen cgroup. */
bool proctable_is_frozen(pid_t pid);

/* The inode number of our pid namespace; 0 when /proc does not tell. */
uint64_t proctable_namespace(void);

/* Whether pid, in our namespace, is one of our ancestors. */
bool proctable_is_ancestor(pid_t pid);

/*
 * Whether we have inherited a descriptor of the same file as fd that holds a flock(2), by the
 * "lock:" line in its /proc/self/fdinfo (proc(5)), and whether that lock is exclusive.
 */
bool proctable_inherits_lock(int fd, bool *exclusive);

/*
 * Whether our process group is orphaned, as far as our ancestors tell: the kernel then ignores
 * stop signals from the terminal (setpgid(2)).
 */
bool proctable_group_is_orphaned(void);

/*
 * Our descendants, but for the children that we had before, and theirs: whoever did
 * "exec lockrun" may have had some, and they are not the command's.
 */
#define TREE_STRANGERS_MAX 64

struct tree {
	pid_t root; /* ourselves, by /proc's number; 0 when there is no /proc */
	size_t stranger_count;
	struct {
		pid_t pid;
		uint64_t start;
	} strangers[TREE_STRANGERS_MAX];
};

/* Start with the children that this process has now, and all below them, as strangers. */
void tree_begin(struct tree *tree);

struct tree_census {
	unsigned living;   /* processes that are not gone yet */
	unsigned refused;  /* of them, those that we were not allowed to signal */
	pid_t refused_pid; /* one of these, for a message */
	pid_t living_pid;  /* one of the living, for a message */
	char living_state; /* its state */
};

/*
 * Send a signal (0: none, just count) to every process of the tree and say what was found. One
 * pass: what forks meanwhile is met by the next one. Without /proc nothing is found.
 */
struct tree_census tree_signal(const struct tree *tree, int signal);

#endif
