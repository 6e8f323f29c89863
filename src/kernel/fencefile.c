/* SPDX-License-Identifier: ISC */
#include "kernel/fencefile.h"

#include <sys/stat.h>

#include <bsd/stdlib.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/lockdir.h"

#define PRIVATE_SIZE   32
#define OPEN_ATTEMPTS  100
#define OPEN_FENCEFILE (O_RDWR | O_NOCTTY | OPEN_SAFELY)

static const char *
last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* What stands before the last part, to open it. A slash at the end is not for a file. */
static int
open_directory(const char *path, struct fault *fault)
{
	const size_t length = (size_t)(last_part(path) - path);
	char directory[PATH_MAX] = ".";
	int fd;

	if (path[length] == '\0')
		return fault_set(fault, FAULT_FENCE_NOT_REGULAR, 0, "%s", path);
	if (length >= sizeof(directory))
		return fault_set(fault, FAULT_FILE_UNUSABLE, ENAMETOOLONG, "%s", path);
	if (length > 0)
		snprintf(directory, sizeof(directory), "%.*s", (int)length, path);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return fault_set(fault, errno == ENOENT ? FAULT_DIR_PARENT : FAULT_FILE_UNUSABLE,
		    errno == ENOENT ? 0 : errno, "%s", path);
	return fd;
}

/* As for the state directory: who shares a directory by its group shares what is in it. */
static bool
is_shared_by_group(int directory)
{
	struct stat st;

	return fstat(directory, &st) == 0 && (st.st_mode & S_ISGID) != 0 &&
	       (st.st_mode & S_IWGRP) != 0;
}

/* ---- making it ---- */

static int
write_seed(int directory, const char *private, const char *seed, size_t length)
{
	int fd, result = -1;

	fd = openat(directory, private, O_WRONLY | O_CREAT | O_EXCL | OPEN_SAFELY,
	    is_shared_by_group(directory) ? 0660 : 0600);
	if (fd == -1)
		return -1;
	if (lockdir_write(fd, seed, length, 0) == 0)
		result = fsync(fd);
	close(fd);
	return result;
}

/* Only where nothing has that name. Not every file system knows how to rename like that. */
static int
give_name(int directory, const char *private, const char *name)
{
	if (renameat2(directory, private, directory, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return linkat(directory, private, directory, name, 0);
}

/* Returns 0 also when somebody else was faster, or -1 with errno. */
static int
make(const struct fencefile *file, const char *seed, size_t length)
{
	char private[PRIVATE_SIZE];
	int error = 0;

	snprintf(private, sizeof(private), ".lockrun-%08x%08x", arc4random(), arc4random());
	if (write_seed(file->directory, private, seed, length) == -1 ||
	    give_name(file->directory, private, last_part(file->path)) == -1)
		error = errno;
	unlinkat(file->directory, private, 0);
	errno = error;
	return error == 0 || error == EEXIST ? 0 : -1;
}

/* ---- opening it ---- */

static int
open_fault(const char *path, struct fault *fault)
{
	const int error = errno;

	switch (error) {
	case ELOOP:
		return fault_set(fault, FAULT_FENCE_SYMLINK, 0, "%s", path);
	case EISDIR:
	case ENXIO:
		return fault_set(fault, FAULT_FENCE_NOT_REGULAR, 0, "%s", path);
	default:
		return fault_set(fault, FAULT_FILE_UNUSABLE, error, "%s", path);
	}
}

/* To open a device can be to do something: the kind first. Returns a descriptor, or -1 with errno.
 */
static int
open_regular(int directory, const char *name)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISLNK(st.st_mode) ? ELOOP : ENXIO;
		return -1;
	}
	return openat(directory, name, OPEN_FENCEFILE);
}

static int
check(const struct fencefile *file, struct fault *fault)
{
	struct stat st;

	if (fstat(file->fd, &st) == -1)
		return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s", file->path);
	if (!S_ISREG(st.st_mode))
		return fault_set(fault, FAULT_FENCE_NOT_REGULAR, 0, "%s", file->path);
	if (st.st_uid != geteuid() && st.st_uid != 0 && !is_shared_by_group(file->directory))
		return fault_set(fault, FAULT_FENCE_OWNER, 0, "%s", file->path);
	if ((st.st_mode & S_IWOTH) != 0)
		return fault_set(fault, FAULT_FENCE_WRITABLE, 0, "%s", file->path);
	return 0;
}

int
fencefile_open(
    const char *path, const char *seed, size_t length, struct fencefile *file, struct fault *fault)
{
	const char *name = last_part(path);

	*file = (struct fencefile){.fd = -1, .path = path};
	file->directory = open_directory(path, fault);
	if (file->directory == -1)
		return -1;
	/* It may go again between the two: then somebody removes it all the time. */
	for (int i = 0; i < OPEN_ATTEMPTS; i++) {
		file->fd = open_regular(file->directory, name);
		if (file->fd != -1 || errno != ENOENT || make(file, seed, length) == -1)
			break;
		errno = ENOENT;
	}
	if (file->fd == -1)
		open_fault(path, fault);
	else if (check(file, fault) == 0)
		return 0;
	fencefile_close(file);
	return -1;
}

void
fencefile_close(struct fencefile *file)
{
	if (file->fd != -1)
		close(file->fd);
	if (file->directory != -1)
		close(file->directory);
	file->fd = file->directory = -1;
}

bool
fencefile_is_current(const struct fencefile *file)
{
	return statedir_is_at(file->fd, file->path);
}

int
fencefile_sync_name(const struct fencefile *file)
{
	return fsync(file->directory);
}
