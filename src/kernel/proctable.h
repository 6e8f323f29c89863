/* SPDX-License-Identifier: ISC */
/*
 * The process table, as /proc tells it.
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

#include "values/duration.h"

#define PROCESS_NAME_SIZE 64 /* of which the kernel uses 16, but for its own threads */

struct process_stat {
	pid_t pid;
	char name[PROCESS_NAME_SIZE]; /* of its program, mostly; may hold any byte */
	pid_t parent;
	char state;	/* R, S, D, T, Z and so on: proc(5) */
	long threads;	/* a dead leader whose threads live on still counts as Z */
	uint64_t start; /* in clock ticks since boot: with the pid, who it is */
};

/* What a round of signals has met. */
struct census {
	unsigned living;   /* processes that are not gone yet */
	unsigned refused;  /* of them, those that we were not allowed to signal */
	pid_t refused_pid; /* one of these, for a message */
	pid_t living_pid;  /* one of the living, for a message */
	char living_state; /* its state */
};

/* Now, in the same clock ticks: what was started from here on has no smaller start. */
uint64_t proctable_now(void);

/* Read /proc/PID/stat. False when there is no such process or no /proc. */
bool proctable_read(pid_t pid, struct process_stat *stat);

/* For how long it has been there. */
duration_t proctable_age(const struct process_stat *stat);

/* Whether a process is stopped, traced, or in a frozen cgroup. */
bool proctable_is_frozen(pid_t pid);

/* The inode number of our pid namespace; 0 when /proc does not tell. */
uint64_t proctable_namespace(void);

/* Whether pid, in our namespace, is one of our ancestors. */
bool proctable_is_ancestor(pid_t pid);

/*
 * Whether our process group is orphaned, as far as our ancestors tell: the kernel then ignores
 * stop signals from the terminal (setpgid(2)).
 */
bool proctable_group_is_orphaned(void);

/* /proc's number for ourselves; 0 when there is no /proc. */
pid_t proctable_self(void);

/* Open /proc/PID: a handle that means this very process. Returns -1 with errno. */
int proctable_open(pid_t pid);
/* Read a stat file, relative to such a handle. */
bool proctable_read_at(int directory, const char *path, struct process_stat *stat);

/* Call each for every process, in /proc's own numbers. */
void proctable_each(void (*each)(pid_t pid, void *context), void *context);

#endif
