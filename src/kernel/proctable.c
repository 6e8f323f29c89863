/* SPDX-License-Identifier: ISC */
#include "kernel/proctable.h"

#include <sys/stat.h>

#include <bsd/stdlib.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/process.h"

/* Deeper than any tree that a pid_max allows in practice; a loop cannot be, but a race can look
 * like one. */
#define DEPTH_MAX 4096

static bool
read_stat(int directory, const char *path, struct process_stat *stat)
{
	char line[1024];
	const char *rest;
	ssize_t length;
	int fd;

	fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (length <= 0)
		return false;
	line[length] = '\0';
	stat->pid = (pid_t)strtol(line, NULL, 10);
	/* The name, in parentheses, may itself hold anything: look from the end. */
	rest = strrchr(line, ')');
	if (rest == NULL)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
	return sscanf(rest,
		   ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d "
		   "%" SCNu64,
		   &stat->state, &stat->parent, &stat->threads, &stat->start) == 4;
}

bool
proctable_read(pid_t pid, struct process_stat *stat)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return read_stat(AT_FDCWD, path, stat);
}

/* proc(5) shows a frozen cgroup in the process's own state in version 1 only (D, in the freezer).
 */
static bool
cgroup_is_frozen(pid_t pid)
{
	char path[64], where[64] = "";
	FILE *wchan;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	wchan = fopen(path, "re");
	if (wchan == NULL)
		return false;
	if (fgets(where, sizeof(where), wchan) == NULL)
		where[0] = '\0';
	fclose(wchan);
	return strstr(where, "refrigerator") != NULL || strstr(where, "do_freezer_trap") != NULL;
}

bool
proctable_is_frozen(pid_t pid)
{
	struct process_stat stat;

	if (!proctable_read(pid, &stat))
		return false;
	return stat.state == 'T' || stat.state == 't' || cgroup_is_frozen(pid);
}

uint64_t
proctable_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* /proc's number for ourselves; 0 when there is no /proc. */
static pid_t
own_number(void)
{
	char self[16] = "";
	const char *error;

	if (readlink("/proc/self", self, sizeof(self) - 1) == -1)
		return 0;
	return (pid_t)strtonum(self, 1, INT_MAX, &error);
}

bool
proctable_is_ancestor(pid_t pid)
{
	struct process_stat at = {.parent = getppid()};

	/* The numbers of another namespace's /proc mean nothing here. */
	if (own_number() != getpid())
		return at.parent == pid;
	for (int depth = 0; depth < DEPTH_MAX && at.parent > 0; depth++) {
		if (at.parent == pid)
			return true;
		if (!proctable_read(at.parent, &at))
			return false;
	}
	return false;
}

bool
proctable_group_is_orphaned(void)
{
	struct process_stat at = {.parent = getppid()};

	for (int depth = 0; depth < DEPTH_MAX && at.parent > 0; depth++) {
		if (getpgid(at.parent) != getpgrp())
			return getsid(at.parent) != getsid(0);
		if (!proctable_read(at.parent, &at))
			break;
	}
	return true;
}

/* "lock:	1: FLOCK  ADVISORY  WRITE 812 00:2f:123 0 EOF" */
static bool
holds_flock(int number, bool *exclusive)
{
	char path[64], line[256];
	bool holds = false;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", number);
	info = fopen(path, "re");
	if (info == NULL)
		return false;
	while (!holds && fgets(line, sizeof(line), info) != NULL) {
		holds = strncmp(line, "lock:", 5) == 0 && strstr(line, " FLOCK ") != NULL;
		*exclusive = strstr(line, " WRITE ") != NULL;
	}
	fclose(info);
	return holds;
}

bool
proctable_inherits_lock(int fd, bool *exclusive)
{
	const struct dirent *entry;
	struct stat ours, other;
	bool inherits = false;
	const char *error;
	int number;
	DIR *open_files;

	open_files = opendir("/proc/self/fd");
	if (open_files == NULL || fstat(fd, &ours) == -1)
		return false;
	while (!inherits && (entry = readdir(open_files)) != NULL) {
		number = (int)strtonum(entry->d_name, 0, INT_MAX, &error);
		inherits = error == NULL && fstat(number, &other) == 0 &&
			   other.st_dev == ours.st_dev && other.st_ino == ours.st_ino &&
			   holds_flock(number, exclusive);
	}
	closedir(open_files);
	return inherits;
}

static bool
is_stranger(const struct tree *tree, const struct process_stat *child)
{
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

static int
send_to(const struct tree *tree, const struct process_stat *process, int signal)
{
	struct process_stat now;
	char path[32];
	int directory, result = -1, error = ESRCH;

	snprintf(path, sizeof(path), "/proc/%d", process->pid);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory == -1)
		return -1;
	/* The handle first, then the question who it is: in this order the answer stays true. */
	if (read_stat(directory, "stat", &now) && now.start == process->start) {
		result = process_send_by(directory, signal);
		if (result == -1 && errno == ENOSYS && tree->root == getpid())
			result = process_send(process->pid, signal);
		error = errno;
	}
	close(directory);
	errno = error;
	return result;
}

static void
visit(const struct tree *tree, pid_t pid, int signal, struct tree_census *census)
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

/* Call each for every process but ourselves. */
static void
each_process(void (*each)(pid_t pid, void *context), void *context)
{
	const struct dirent *entry;
	const char *error;
	pid_t pid;
	DIR *proc;

	proc = opendir("/proc");
	if (proc == NULL)
		return;
	while ((entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtonum(entry->d_name, 1, INT_MAX, &error);
		if (error == NULL)
			each(pid, context);
	}
	closedir(proc);
}

struct pass {
	const struct tree *tree;
	int signal;
	struct tree_census census;
};

static void
visit_in_pass(pid_t pid, void *context)
{
	struct pass *pass = context;

	if (pid != pass->tree->root)
		visit(pass->tree, pid, pass->signal, &pass->census);
}

struct tree_census
tree_signal(const struct tree *tree, int signal)
{
	struct pass pass = {.tree = tree, .signal = signal};

	if (tree->root != 0)
		each_process(visit_in_pass, &pass);
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
	    belongs(&nobody_noted, &process)) {
		tree->strangers[tree->stranger_count].pid = pid;
		tree->strangers[tree->stranger_count].start = process.start;
		tree->stranger_count++;
	}
}

void
tree_begin(struct tree *tree)
{
	tree->root = own_number();
	tree->stranger_count = 0;
	/* Hardly anybody has children here, and one question is cheaper than a walk. */
	if (process_has_children())
		each_process(note_if_below, tree);
}
