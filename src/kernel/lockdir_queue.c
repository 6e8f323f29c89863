/* SPDX-License-Identifier: ISC */
/* The files in a lock's queue. */
#include "kernel/lockdir.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
lockdir_ticket_create(const struct lockdir *lock, const char *name)
{
	return openat(lock->queue, name, O_RDWR | O_CREAT | O_EXCL | OPEN_SAFELY, lock->file_mode);
}

int
lockdir_ticket_open(const struct lockdir *lock, const char *name)
{
	struct stat st;
	int fd;

	fd = openat(lock->queue, name, O_RDONLY | OPEN_SAFELY);
	if (fd == -1 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENXIO;
	return -1;
}

int
lockdir_ticket_rename(const struct lockdir *lock, const char *from, const char *to)
{
	return renameat(lock->queue, from, lock->queue, to);
}

int
lockdir_ticket_remove(const struct lockdir *lock, const char *name)
{
	return unlinkat(lock->queue, name, 0);
}

bool
lockdir_ticket_is_named(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

bool
lockdir_ticket_has(const struct lockdir *lock, const char *name)
{
	return faccessat(lock->queue, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int
lockdir_ticket_each(
    const struct lockdir *lock, bool (*each)(const char *name, void *context), void *context)
{
	return lock->queue == -1 ? 0 : statedir_list(lock->queue, each, context);
}
