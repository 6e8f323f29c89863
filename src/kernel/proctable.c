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

#include "kernel/clock.h"

/* Deeper than any tree that a pid_max allows in practice; a loop cannot be, but a race can look
 * like one. */
#define DEPTH_MAX 4096

bool
proctable_read_at(int directory, const char *path, struct process_stat *stat)
{
	char line[1024];
	const char *name, *rest;
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
	name = strchr(line, '(');
	rest = strrchr(line, ')');
	if (name == NULL || rest == NULL || rest < name)
		return false;
	snprintf(stat->name, sizeof(stat->name), "%.*s", (int)(rest - name - 1), name + 1);
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
	return sscanf(rest,
		   ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d "
		   "%" SCNu64,
		   &stat->state, &stat->parent, &stat->threads, &stat->start) == 4;
}

uint64_t
proctable_now(void)
{
	return (uint64_t)(clock_boottime() / (DURATION_SECOND / sysconf(_SC_CLK_TCK)));
}

bool
proctable_read(pid_t pid, struct process_stat *stat)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return proctable_read_at(AT_FDCWD, path, stat);
}

duration_t
proctable_age(const struct process_stat *stat)
{
	const duration_t tick = DURATION_SECOND / sysconf(_SC_CLK_TCK);
	const duration_t age = clock_boottime() - (duration_t)stat->start * tick;

	return age > 0 ? age : 0;
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
	static uint64_t ours;
	struct stat st;

	/* It stays: setns(2) and unshare(2) change that of children, and we call neither. */
	if (ours == 0 && stat("/proc/self/ns/pid", &st) == 0)
		ours = (uint64_t)st.st_ino;
	return ours;
}

pid_t
proctable_self(void)
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
	if (proctable_self() != getpid())
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

int
proctable_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void
proctable_each(void (*each)(pid_t pid, void *context), void *context)
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
