/* SPDX-License-Identifier: ISC */
/*
 * Who has a file open under a flock(2): by the "lock:" lines of /proc/PID/fdinfo (proc(5)). Unlike
 * a pid that was written down, that cannot mean another process.
 */
#ifndef LOCKRUN_KERNEL_LOCKERS_H
#define LOCKRUN_KERNEL_LOCKERS_H

#include "kernel/proctable.h"
#include "kernel/tree.h"

/*
 * Whether we have inherited a descriptor of the same file as fd that holds a flock(2), by the
 * "lock:" line in its /proc/self/fdinfo (proc(5)), and whether that lock is exclusive.
 */
bool lockers_include_us(int fd, bool *exclusive);

/* The same for us or one of our ancestors, in whatever way it came by that descriptor. */
bool lockers_are_above(int fd, bool *exclusive);

/*
 * Who has the file that fd is open on locked: the one that took the lock, or if that is gone
 * another that has it open. False when nobody can be seen who has.
 */
bool lockers_find(int fd, struct process_stat *locker);

/*
 * Send a signal (0: none) to a process, if it has the file that fd is open on open under a
 * flock(2): so it cannot be another that was given the pid. Returns 0, or -1 with errno; ESRCH
 * when it is gone or another, EACCES when we may not see what it has open.
 */
int lockers_signal_one(pid_t pid, int fd, int signal);

/*
 * The same for all processes but ourselves that have inherited a lock which taker took, or one that
 * is gone: never for those who have taken it since (proc(5) tells who took a lock).
 */
struct census lockers_signal_left(int fd, pid_t taker, int signal);

/* Who they are: as many as there is room for, and how many there are in all that can be seen. */
size_t lockers_list_left(int fd, pid_t taker, struct process_stat *list, size_t room);

/* Note in tree all processes below those: what has closed the lock, but is of the same making. */
void lockers_note_below(int fd, pid_t taker, struct tree *tree);

#endif
