/* SPDX-License-Identifier: ISC */
#include "kernel/eventfile.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <bsd/stdlib.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
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
open_inherited(const char *number, unsigned closed)
{
	char path[32];
	const char *error;
	struct stat st;
	int fd, opened = -1;

	fd = (int)strtonum(number, 0, INT_MAX, &error);
	if (error != NULL || (fd <= 2 && (closed & 1U << fd) != 0) || fstat(fd, &st) == -1) {
		errno = EBADF;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!S_ISREG(st.st_mode))
		opened = open(path, OPEN_TO_WRITE);
	return opened != -1 ? opened : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int
eventfile_open(const char *where, unsigned closed)
{
	if (strncmp(where, "fd:", 3) == 0)
		return open_inherited(where + 3, closed);
	return open(where, OPEN_TO_WRITE | O_CREAT, 0600);
}

static bool
is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

void
eventfile_write(int fd, const char *line, size_t length)
{
	const struct iovec whole = {.iov_base = (void *)(uintptr_t)line, .iov_len = length};
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	if (send(fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL) != -1 || errno != ENOTSOCK)
		return;
	/*
	 * What could not be opened once more (a pipe of another user's) may block: then each write
	 * has to ask not to. Pipes know that since Linux 6.4; before, look whether there is room.
	 */
	if (!is_regular(fd)) {
		/* cppcheck-suppress invalidFunctionArg; -1 is where write(2) would write */
		if (pwritev2(fd, &whole, 1, -1, RWF_NOWAIT) != -1 || errno != EOPNOTSUPP ||
		    poll(&room, 1, 0) != 1)
			return;
	}
	(void)!write(fd, line, length);
}
