/* SPDX-License-Identifier: ISC */
#include "kernel/flockfile.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define OPEN_ATTEMPTS 100
#define OPEN_FOREIGN  (O_NOCTTY | O_NONBLOCK | O_CLOEXEC)

static bool
is_dangling(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) == -1 &&
	       errno == ENOENT;
}

/* Open or make it; scripts that remove it at their end may be quicker than either. */
static int
open_or_make(const char *path, mode_t mode, int access, struct fault *fault)
{
	int fd = -1;

	errno = ENOENT;
	for (int i = 0; i < OPEN_ATTEMPTS && (errno == ENOENT || errno == EEXIST); i++) {
		fd = open(path, access | OPEN_FOREIGN);
		if (fd != -1 || errno != ENOENT || mode == 0)
			break;
		fd = open(path, access | OPEN_FOREIGN | O_CREAT | O_EXCL, mode);
		if (fd != -1)
			break;
		if (errno == EEXIST && is_dangling(path)) {
			fault_set(fault, FAULT_ALSO_UNUSABLE, ENOENT, "%s", path);
			return fault_hint(fault, "(a symbolic link that leads nowhere)");
		}
		/* The directory is missing, and not the file. */
		if (errno == ENOENT)
			break;
	}
	if (fd == -1)
		return fault_set(fault, FAULT_ALSO_UNUSABLE, errno, "%s", path);
	return fd;
}

static bool
is_good(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode) ||
	       S_ISCHR(st->st_mode);
}

int
flockfile_open(const char *path, mode_t mode, bool writable, struct fault *fault)
{
	struct stat st;
	int fd;

	/* Even to open a FIFO would be noticed by whoever waits for a reader. */
	if (stat(path, &st) == 0 && !is_good(&st))
		return fault_set(fault, FAULT_ALSO_KIND, 0, "%s", path);
	fd = open_or_make(path, mode, writable ? O_RDWR : O_RDONLY, fault);
	if (fd == -1 || (fstat(fd, &st) == 0 && is_good(&st)))
		return fd;
	close(fd);
	return fault_set(fault, FAULT_ALSO_KIND, 0, "%s", path);
}

bool
flockfile_is_current(const char *path, int fd)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 &&
	       open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

bool
flockfile_is_same(int a, int b)
{
	struct stat first, second;

	return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}
