/* SPDX-License-Identifier: ISC */
#include "kernel/eventfile.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <bsd/stdlib.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OPEN_TO_WRITE (O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/*
 * O_NONBLOCK belongs to the open file description, which others share, so a pipe or a terminal is
 * opened once more. A regular file never blocks, and its offset has to stay shared, or lines would
 * be written over those of others. A socket cannot be opened, and takes a flag to send(2) instead.
 */
static int
open_inherited(const char *number)
{
	char path[32];
	const char *error;
	struct stat st;
	int fd, opened = -1;

	fd = (int)strtonum(number, 0, INT_MAX, &error);
	if (error != NULL || fstat(fd, &st) == -1) {
		errno = EBADF;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!S_ISREG(st.st_mode))
		opened = open(path, OPEN_TO_WRITE);
	return opened != -1 ? opened : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int
eventfile_open(const char *where)
{
	if (strncmp(where, "fd:", 3) == 0)
		return open_inherited(where + 3);
	return open(where, OPEN_TO_WRITE | O_CREAT, 0600);
}

void
eventfile_write(int fd, const char *line, size_t length)
{
	if (send(fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL) == -1 && errno == ENOTSOCK)
		(void)!write(fd, line, length);
}
