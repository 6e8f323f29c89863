/* SPDX-License-Identifier: ISC */
/*
 * Processes: what we were started with, starting the command, reaping, and sending signals. The
 * only home of fork, exec, wait and kill.
 */
#ifndef LOCKRUN_KERNEL_PROCESS_H
#define LOCKRUN_KERNEL_PROCESS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "kernel/signals.h"
#include "values/fault.h"

/* What lockrun was started with and the command gets back. */
struct process_entry {
	struct signals signals;
	mode_t umask;
	unsigned closed; /* bit n: descriptor n (0 to 2) was closed */
	struct rlimit files, file_size;
	int aside[2]; /* what descriptors 0 and 1 were, while ours are the null device; else -1 */
};

/*
 * Note the entry state and make it ours: umask 0, closed standard descriptors on the null device
 * so that nothing of ours lands there, limits on open files and file size as high as they may be.
 * Signals are left to signals_take_over. Call once, first.
 */
void process_enter(struct process_entry *entry);

/*
 * Whether our rights are not our caller's: credentials(7), real and effective user or group differ.
 * The dynamic loader's AT_SECURE says more, but also where a security module changes the domain.
 */
bool process_is_set_id(void);

/*
 * Find command as execvp(3) would, so that a command that is not there does not queue. Returns 0,
 * or -1 with FAULT_NOT_FOUND or FAULT_NOT_EXECUTABLE.
 */
int process_find(const char *command, struct fault *fault);

#define PROCESS_INHERITED 2
#define PROCESS_OWN_PID	  2
#define PROCESS_PID_SIZE  12

struct process_plan {
	char *const *arguments;	  /* COMMAND and what follows; NULL-terminated */
	char *const *environment; /* NULL-terminated */
	char *const
	    *own_pid; /* where in the environment its pid belongs: PROCESS_OWN_PID places, */
	/* or NULL, of PROCESS_PID_SIZE bytes each; may itself be NULL */
	int inherit[PROCESS_INHERITED]; /* locks, to be kept open; the first -1: it gets none */
	bool aside; /* not the command: it reads nothing, and what it writes is no output of ours */
};

/*
 * Start the command with the entry state and the descriptors inherited under high numbers. Its
 * parent-death signal is SIGTERM, or SIGKILL when it does not get the lock, since then nothing
 * else keeps a second leader away. Blocks until the exec has happened or failed. Must be
 * called while no other thread runs. Returns the pid, or -1 with FAULT_NOT_FOUND,
 * FAULT_NOT_EXECUTABLE or FAULT_START and nothing left running.
 */
pid_t process_start(
    const struct process_plan *plan, const struct process_entry *entry, struct fault *fault);

/*
 * Become the command: the entry state, the descriptors inherited, the same pid. Returns only when
 * that failed, with a fault as above and signals managed again.
 */
void process_become(
    const struct process_plan *plan, const struct process_entry *entry, struct fault *fault);

/*
 * Point our own 0 and 1 at the null device, so that we keep no pipe of the command's open. With
 * keep, what they were is kept aside for the next command; a pipe then stays open until the last.
 */
void process_let_go_of_pipes(struct process_entry *entry, bool keep);

/* Orphans among our descendants become our children (PR_SET_CHILD_SUBREAPER). */
void process_adopt_orphans(void);

/* True when this process has any child now, dead or alive. */
bool process_has_children(void);

/*
 * Collect what is new of a child: that it has ended (the pid may be used by others from then on),
 * was stopped or was continued, as wait(2) tells it in *wait_status. False when nothing is new.
 * Does not block.
 */
bool process_news(pid_t pid, int *wait_status);

/* Collect every ended child but two that are spared (or 0). Does not block. */
void process_reap_others(pid_t spared, pid_t spared_too);

/*
 * A descriptor that becomes readable when a child, or our parent, ends (pidfd_open(2)); -1 with
 * errno. Compare getppid(2) with the parent after this call: it may have ended before.
 */
int process_watch(pid_t pid);

enum terminal {
	TERMINAL_NONE,
	TERMINAL_BACKGROUND,
	TERMINAL_FOREGROUND,
};

/* Where our process group stands on its controlling terminal. */
enum terminal process_terminal(void);

/* Send a signal to a child that was not reaped. Returns 0, or -1 with errno. */
int process_send(pid_t child, int signal);

/*
 * Send a signal to the process that a descriptor of /proc/PID stands for: it cannot hit another
 * that was given the same pid since. Returns 0, or -1 with errno: ESRCH when it is gone, ENOSYS
 * before Linux 5.1.
 */
int process_send_by(int proc_directory, int signal);

#endif
