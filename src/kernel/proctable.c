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
	return rest != NULL &&
	       sscanf(rest,
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

uint64_t
proctable_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
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

static void
note_if_child(pid_t pid, void *context)
{
	struct tree *tree = context;
	struct process_stat process;

	if (tree->stranger_count < TREE_STRANGERS_MAX && proctable_read(pid, &process) &&
	    process.parent == tree->root) {
		tree->strangers[tree->stranger_count].pid = pid;
		tree->strangers[tree->stranger_count].start = process.start;
		tree->stranger_count++;
	}
}

void
tree_begin(struct tree *tree)
{
	char self[16] = "";
	const char *error;

	if (readlink("/proc/self", self, sizeof(self) - 1) == -1)
		self[0] = '\0';
	tree->root = (pid_t)strtonum(self, 1, INT_MAX, &error);
	tree->stranger_count = 0;
	/* Hardly anybody has children here, and one question is cheaper than a walk. */
	if (process_has_children())
		each_process(note_if_child, tree);
}
