/* SPDX-License-Identifier: ISC */
/* marked DIR: the pids of the processes that a test with the directory DIR has left: those with
 * LOCKRUN_TEST_MARK=DIR in their environment, and those whose working directory is below DIR (one
 * that sets its title has no environment to be seen). Not this process and what it comes from.
 * Ends with 1 when there are some, with more when it cannot tell. In C since each test asks. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANCESTORS 64

static ssize_t
read_at(int process, const char *name, char *buffer, size_t size)
{
	int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
	ssize_t length = 0, got;

	if (fd == -1)
		return -1;
	while (
	    (size_t)length < size && (got = read(fd, buffer + length, size - (size_t)length)) > 0)
		length += got;
	close(fd);
	return length;
}

static int
open_process(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static pid_t
parent_of(pid_t pid)
{
	int process = open_process(pid), parent = 0;
	char stat[1024];
	const char *end;
	ssize_t length;

	if (process == -1)
		return 0;
	length = read_at(process, "stat", stat, sizeof(stat) - 1);
	close(process);
	if (length <= 0)
		return 0;
	stat[length] = '\0';
	end = strrchr(stat, ')');
	return end != NULL && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool
has_mark(int process, const char *mark)
{
	static char environment[1 << 21];
	ssize_t length = read_at(process, "environ", environment, sizeof(environment) - 1);

	if (length <= 0)
		return false;
	environment[length] = '\0';
	for (const char *at = environment; at < environment + length; at += strlen(at) + 1) {
		if (strcmp(at, mark) == 0)
			return true;
	}
	return false;
}

static bool
is_below(int process, const char *directory)
{
	const size_t length = strlen(directory);
	char place[PATH_MAX];
	ssize_t size = readlinkat(process, "cwd", place, sizeof(place) - 1);

	return size > (ssize_t)length && strncmp(place, directory, length) == 0 &&
	       place[length] == '/';
}

int
main(int count, char **arguments)
{
	pid_t ours[ANCESTORS], pid = getpid();
	size_t depth = 0;
	struct dirent *entry;
	char mark[PATH_MAX + 32];
	int process, found = 0;
	DIR *table;

	if (count != 2 || (table = opendir("/proc")) == NULL)
		return 2;
	snprintf(mark, sizeof(mark), "LOCKRUN_TEST_MARK=%s", arguments[1]);
	for (; pid > 1 && depth < ANCESTORS; pid = parent_of(pid))
		ours[depth++] = pid;
	while ((entry = readdir(table)) != NULL) {
		pid = atoi(entry->d_name);
		for (size_t i = 0; i < depth; i++) {
			if (pid == ours[i])
				pid = 0;
		}
		if (pid <= 0 || (process = open_process(pid)) == -1)
			continue;
		if (has_mark(process, mark) || is_below(process, arguments[1])) {
			printf("%d\n", pid);
			found = 1;
		}
		close(process);
	}
	closedir(table);
	return found;
}
