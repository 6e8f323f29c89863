/* SPDX-License-Identifier: ISC */
#include "kernel/process.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "values/status.h"

/* Our own needs are small, but a limit that was meant for the command must not fail them. */
static void
raise_limit(int resource, struct rlimit *entry)
{
	struct rlimit most;

	if (getrlimit(resource, entry) == -1 || entry->rlim_cur == entry->rlim_max)
		return;
	most = *entry;
	most.rlim_cur = most.rlim_max;
	setrlimit(resource, &most);
}

bool
process_is_set_id(void)
{
	return getuid() != geteuid() || getgid() != getegid();
}

void
process_enter(struct process_entry *entry)
{
	int fd;

	raise_limit(RLIMIT_NOFILE, &entry->files);
	raise_limit(RLIMIT_FSIZE, &entry->file_size);

	entry->umask = umask(0);
	entry->aside[0] = entry->aside[1] = -1;
	entry->closed = 0;
	for (int i = 0; i <= 2; i++) {
		if (fcntl(i, F_GETFD) != -1 || errno != EBADF)
			continue;
		entry->closed |= 1U << i;
		/* The lowest free number is i, since those below are open by now. */
		/* What is printed must not count as told: writing fails, as it would have. */
		fd = open("/dev/null", i == STDOUT_FILENO ? O_RDONLY : O_RDWR);
		if (fd != -1 && fd != i)
			close(fd);
	}
}

/* ---- finding ---- */

/* 0 when it can be executed, else the errno value that exec would give. */
static int
cannot_execute(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return errno;
	if (!S_ISREG(st.st_mode) || eaccess(path, X_OK) == -1)
		return EACCES;
	return 0;
}

static int
search_path(const char *command)
{
	const char *path = getenv("PATH");
	char candidate[PATH_MAX];
	int error = ENOENT;
	size_t length;

	/* What execvp(3) searches when PATH is not set. */
	if (path == NULL)
		path = "/bin:/usr/bin";
	for (;; path += length + 1) {
		length = strcspn(path, ":");
		if (snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)length, path,
			length > 0 ? "/" : "", command) < (int)sizeof(candidate)) {
			switch (cannot_execute(candidate)) {
			case 0:
				return 0;
			case EACCES:
				error = EACCES;
			}
		}
		if (path[length] == '\0')
			return error;
	}
}

static int
exec_fault(int error, const char *command, struct fault *fault)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return fault_set(fault, FAULT_NOT_FOUND, error, "%s", command);
	case E2BIG:
	case ENOMEM:
	case EAGAIN:
		return fault_set(fault, FAULT_START, error, "%s", command);
	default:
		return fault_set(fault, FAULT_NOT_EXECUTABLE, error, "%s", command);
	}
}

int
process_find(const char *command, struct fault *fault)
{
	int error;

	if (command[0] == '\0')
		error = ENOENT;
	else if (strchr(command, '/') != NULL)
		error = cannot_execute(command);
	else
		error = search_path(command);
	return error == 0 ? 0 : exec_fault(error, command, fault);
}

/* ---- starting ---- */

/*
 * The command must keep the lock open for as long as it lives. A high number keeps it clear of the
 * descriptors that scripts number themselves; a small RLIMIT_NOFILE leaves lower ones only.
 */
static void
pass_on(int fd)
{
	static const int lowest[] = {940, 20, 3};

	for (size_t i = 0; i < sizeof(lowest) / sizeof(lowest[0]); i++) {
		if (fcntl(fd, F_DUPFD, lowest[i]) != -1)
			return;
	}
	fcntl(fd, F_SETFD, 0);
}

/* Standard error only; lockrun's own standard output may be what a shell substitutes. */
static void
go_aside(void)
{
	const int null = open("/dev/null", O_RDONLY);

	if (null != -1)
		dup2(null, STDIN_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Everything as it was on entry, then exec. Returns the errno value of a failure. */
static int
execute(const struct process_plan *plan, const struct process_entry *entry)
{
	for (int i = 0; i <= 1; i++) {
		if (entry->aside[i] != -1)
			dup2(entry->aside[i], i);
	}
	for (int i = 0; i <= 2; i++) {
		if ((entry->closed & 1U << i) != 0)
			close(i);
	}
	if (plan->aside)
		go_aside();
	for (size_t i = 0; i < PROCESS_INHERITED && plan->inherit[0] != -1; i++) {
		if (plan->inherit[i] != -1)
			pass_on(plan->inherit[i]);
	}
	for (size_t i = 0; i < PROCESS_OWN_PID && plan->own_pid != NULL; i++) {
		if (plan->own_pid[i] != NULL)
			snprintf(plan->own_pid[i], PROCESS_PID_SIZE, "%d", getpid());
	}
	umask(entry->umask);
	setrlimit(RLIMIT_NOFILE, &entry->files);
	setrlimit(RLIMIT_FSIZE, &entry->file_size);
	signals_restore(&entry->signals);
	execvpe(plan->arguments[0], plan->arguments, plan->environment);
	return errno;
}

static _Noreturn void
be_the_command(const struct process_plan *plan, const struct process_entry *entry, pid_t parent,
    volatile int *error)
{
	prctl(PR_SET_PDEATHSIG, plan->inherit[0] != -1 ? SIGTERM : SIGKILL);
	/* A parent that died before the line above sends nothing: not to run is right then. */
	if (getppid() != parent)
		_exit(STATUS_NOT_STARTED);
	*error = execute(plan, entry);
	_exit(STATUS_NOT_STARTED);
}

/*
 * vfork(2), since the child does nothing but system calls and exec: no page is copied, which is a
 * fifth of a short run's time, and the parent goes on when the exec has happened or failed, with
 * the errno value in the memory that both share. The child's signals are all blocked until its
 * last step, and its dispositions are its own.
 */
pid_t
process_start(
    const struct process_plan *plan, const struct process_entry *entry, struct fault *fault)
{
	const char *command = plan->arguments[0];
	const pid_t parent = getpid();
	volatile int error = 0;
	pid_t child;

	child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (child == 0)
		be_the_command(plan, entry, parent, &error); /* NOLINT(clang-analyzer-unix.Vfork) */
	if (child == -1)
		return fault_set(fault, FAULT_START, errno, "%s", command);
	if (error == 0)
		return child;
	waitpid(child, NULL, 0);
	return exec_fault(error, command, fault);
}

void
process_become(
    const struct process_plan *plan, const struct process_entry *entry, struct fault *fault)
{
	const int error = execute(plan, entry);

	signals_block(&entry->signals);
	exec_fault(error, plan->arguments[0], fault);
}

/* Without a descriptor to keep it under, it stays where it is. */
static void
let_go(struct process_entry *entry, int fd, int null, bool keep)
{
	if (keep && entry->aside[fd] == -1) {
		entry->aside[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (entry->aside[fd] == -1)
			return;
	}
	if (!keep && entry->aside[fd] != -1) {
		close(entry->aside[fd]);
		entry->aside[fd] = -1;
	}
	dup2(null, fd);
}

void
process_let_go_of_pipes(struct process_entry *entry, bool keep)
{
	int null;

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null == -1)
		return;
	let_go(entry, STDIN_FILENO, null, keep);
	let_go(entry, STDOUT_FILENO, null, keep);
	close(null);
}

/* ---- children ---- */

void
process_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool
process_has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool
process_news(pid_t pid, int *wait_status)
{
	return waitpid(pid, wait_status, WNOHANG | WUNTRACED | WCONTINUED) == pid;
}

void
process_reap_others(pid_t spared, pid_t spared_too)
{
	siginfo_t info;

	for (;;) {
		/* Look before taking: the status of a spared one must not be lost. */
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    info.si_pid == 0 || info.si_pid == spared || info.si_pid == spared_too)
			return;
		waitpid(info.si_pid, NULL, WNOHANG);
	}
}

int
process_watch(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

enum terminal
process_terminal(void)
{
	pid_t foreground;
	int fd;

	/* tty(4): there is no such device for a process without one. */
	fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd == -1)
		return TERMINAL_NONE;
	foreground = tcgetpgrp(fd);
	close(fd);
	return foreground == getpgrp() ? TERMINAL_FOREGROUND : TERMINAL_BACKGROUND;
}

int
process_send(pid_t child, int signal)
{
	/* 0 and below mean whole groups to kill(2). */
	if (child <= 0) {
		errno = ESRCH;
		return -1;
	}
	return kill(child, signal);
}

int
process_send_by(int proc_directory, int signal)
{
	return (int)syscall(SYS_pidfd_send_signal, proc_directory, signal, NULL, 0);
}
