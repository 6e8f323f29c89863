/* SPDX-License-Identifier: ISC */
#include "kernel/lockdir.h"

#include <sys/stat.h>

#include <bsd/stdlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PRIVATE	     ".new-"
#define PRIVATE_SIZE (sizeof(PRIVATE) + 16)

static const char *const file_names[] = {
    [STATE_LOCK] = "lock",
    [STATE_NUMBER] = "number",
    [STATE_TERMS] = "terms",
    [STATE_ASK] = "ask",
    [STATE_SKIPS] = "skips",
    [STATE_QUEUE] = "q",
};

/* ---- NAME: made complete, then renamed into place ---- */

static int
write_all(int fd, const char *bytes, size_t length)
{
	ssize_t written;

	for (size_t done = 0; done < length; done += (size_t)written) {
		written = write(fd, bytes + done, length - done);
		if (written == -1)
			return -1;
	}
	return 0;
}

static int
plant(int parent, const struct state_seed *seed, mode_t mode)
{
	int fd, result;

	fd =
	    openat(parent, file_names[seed->file], O_WRONLY | O_CREAT | O_EXCL | OPEN_SAFELY, mode);
	if (fd == -1)
		return -1;
	result = write_all(fd, seed->bytes, seed->length);
	if (result == 0)
		result = fsync(fd);
	close(fd);
	return result;
}

/* Fill the private directory and sync it. */
static int
furnish(int fd, const struct statedir *directory, const struct state_seed *seeds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (plant(fd, &seeds[i], statedir_file_mode(directory)) == -1)
			return -1;
	}
	if (mkdirat(fd, file_names[STATE_QUEUE], statedir_directory_mode(directory)) == -1)
		return -1;
	return fsync(fd);
}

static bool
remove_ticket(const char *name, void *context)
{
	unlinkat(*(const int *)context, name, 0);
	return true;
}

bool
lockdir_is_private(const char *name)
{
	return strncmp(name, PRIVATE, strlen(PRIVATE)) == 0;
}

void
lockdir_remove_private(const struct statedir *directory, const char *private)
{
	int fd, queue;

	fd = openat(directory->fd, private, OPEN_DIRECTORY);
	if (fd != -1) {
		queue = openat(fd, file_names[STATE_QUEUE], OPEN_DIRECTORY);
		if (queue != -1) {
			(void)statedir_list(queue, remove_ticket, &queue);
			close(queue);
		}
		for (size_t i = 0; i < sizeof(file_names) / sizeof(file_names[0]); i++)
			unlinkat(fd, file_names[i], i == STATE_QUEUE ? AT_REMOVEDIR : 0);
		close(fd);
	}
	unlinkat(directory->fd, private, AT_REMOVEDIR);
}

static void
private_name(char private[PRIVATE_SIZE])
{
	snprintf(private, PRIVATE_SIZE, PRIVATE "%08x%08x", arc4random(), arc4random());
}

int
lockdir_remove(const struct lockdir *lock, struct fault *fault)
{
	char private[PRIVATE_SIZE];

	private_name(private);
	if (renameat(lock->directory->fd, lock->name, lock->directory->fd, private) == -1)
		return fault_set(
		    fault, FAULT_DIR_UNUSABLE, errno, "%s/%s", lock->directory->path, lock->name);
	lockdir_remove_private(lock->directory, private);
	return 0;
}

int64_t
lockdir_made_ms(const struct lockdir *lock)
{
	struct stat st;

	if (fstat(lock->fd, &st) == -1)
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

static int
make_lockdir(const struct statedir *directory, const char *name, const struct state_seed *seeds,
    size_t count, struct fault *fault)
{
	char private[PRIVATE_SIZE];
	int fd, error, made = -1;

	private_name(private);
	if (mkdirat(directory->fd, private, statedir_directory_mode(directory)) == -1)
		return statedir_write_fault(directory, directory->path, errno, fault);
	fd = openat(directory->fd, private, OPEN_DIRECTORY);
	if (fd != -1) {
		made = furnish(fd, directory, seeds, count);
		error = errno;
		close(fd);
		errno = error;
	}
	/* rename(2): one that is there and full wins, an empty leftover is replaced. */
	if (made == 0)
		made = renameat(directory->fd, private, directory->fd, name);
	if (made == 0)
		return fsync(directory->fd) == 0
			   ? 0
			   : fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", directory->path);
	error = errno;
	lockdir_remove_private(directory, private);
	if (error == ENOTEMPTY || error == EEXIST)
		return 0;
	return fault_set(fault, FAULT_DIR_UNUSABLE, error, "%s/%s", directory->path, name);
}

/* NAME or its queue could not be opened. */
static int
open_fault(struct fault *fault, const char *path)
{
	if (errno == ELOOP || errno == ENOTDIR)
		return statedir_open_fault(fault, path);
	return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s", path);
}

static int
open_queue(struct lockdir *lock, enum state_use use, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];

	lock->queue = openat(lock->fd, file_names[STATE_QUEUE], OPEN_DIRECTORY);
	if (lock->queue == -1 && errno == ENOENT) {
		if (use == STATE_READ)
			return 0;
		if (mkdirat(lock->fd, file_names[STATE_QUEUE],
			statedir_directory_mode(lock->directory)) == 0 ||
		    errno == EEXIST)
			lock->queue = openat(lock->fd, file_names[STATE_QUEUE], OPEN_DIRECTORY);
	}
	return lock->queue != -1 ? 0 : open_fault(fault, lockdir_path(lock, STATE_QUEUE, path));
}

int
lockdir_open(const struct statedir *directory, const char *name, enum state_use use,
    const struct state_seed *seeds, size_t seed_count, struct lockdir *lock, struct fault *fault)
{
	char path[PATH_MAX + NAME_MAX + 2];
	bool shared_by_group;

	*lock = (struct lockdir){
	    .fd = -1,
	    .queue = -1,
	    .file_mode = statedir_file_mode(directory),
	    .name = name,
	    .directory = directory,
	};
	if (directory->fd == -1)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", directory->path, name);
	lock->fd = openat(directory->fd, name, OPEN_DIRECTORY);
	if (lock->fd == -1 && errno == ENOENT) {
		if (use == STATE_READ)
			return 0;
		if (make_lockdir(directory, name, seeds, seed_count, fault) == -1)
			return -1;
		lock->fd = openat(directory->fd, name, OPEN_DIRECTORY);
	}
	if (lock->fd == -1)
		return open_fault(fault, path);
	if (statedir_check_owner(lock->fd, path, &shared_by_group, fault) == -1 ||
	    open_queue(lock, use, fault) == -1) {
		lockdir_close(lock);
		return -1;
	}
	return 0;
}

void
lockdir_close(struct lockdir *lock)
{
	if (lock->queue != -1)
		close(lock->queue);
	if (lock->fd != -1)
		close(lock->fd);
	lock->fd = lock->queue = -1;
}

const char *
lockdir_path(const struct lockdir *lock, enum state_file file, char path[LOCKDIR_PATH_SIZE])
{
	snprintf(path, LOCKDIR_PATH_SIZE, "%s/%s/%s", lock->directory->path, lock->name,
	    file_names[file]);
	return path;
}

int
lockdir_number_fault(const struct lockdir *lock, enum fault_kind kind, struct fault *fault)
{
	const char *place = lock->directory->path;
	char path[LOCKDIR_PATH_SIZE];

	fault_set(fault, kind, 0, "%s", lockdir_path(lock, STATE_NUMBER, path));
	return fault_hint(fault,
	    "lockrun doctor -d %s names the N to mend it with: lockrun doctor -d %s --repair "
	    "--floor N %s",
	    place, place, lock->name);
}

static int
file_fault(const struct lockdir *lock, enum state_file file, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	enum fault_kind kind = FAULT_FILE_UNUSABLE;
	int error = errno;

	if (error == ELOOP)
		kind = FAULT_FILE_SYMLINK;
	else if (error == EISDIR || error == ENXIO)
		kind = FAULT_FILE_NOT_REGULAR;
	else if (error == EMLINK)
		kind = FAULT_FILE_LINKED;
	else if (error == ENOENT && file == STATE_NUMBER)
		return lockdir_number_fault(lock, FAULT_NUMBER_MISSING, fault);
	return fault_set(fault, kind, kind == FAULT_FILE_UNUSABLE ? error : 0, "%s",
	    lockdir_path(lock, file, path));
}

static int
open_file(const struct lockdir *lock, enum state_file file, enum state_use use, bool made_anew,
    struct fault *fault)
{
	const int access = use == STATE_CONTEND ? O_RDWR : O_RDONLY;
	struct stat st;
	int fd;

	fd = openat(lock->fd, file_names[file], access | OPEN_SAFELY);
	if (fd == -1 && errno == ENOENT && made_anew) {
		fd = openat(lock->fd, file_names[file], access | O_CREAT | O_EXCL | OPEN_SAFELY,
		    lock->file_mode);
		if (fd == -1 && errno == EEXIST)
			fd = openat(lock->fd, file_names[file], access | OPEN_SAFELY);
	}
	if (fd == -1)
		return file_fault(lock, file, fault);
	errno = ENXIO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		if (!statedir_may_be_planted(lock->directory, &st))
			return fd;
		errno = EMLINK;
	}
	close(fd);
	return file_fault(lock, file, fault);
}

int
lockdir_file(
    const struct lockdir *lock, enum state_file file, enum state_use use, struct fault *fault)
{
	return open_file(lock, file, use, use == STATE_CONTEND && file != STATE_NUMBER, fault);
}

int
lockdir_remake(const struct lockdir *lock, enum state_file file, struct fault *fault)
{
	return open_file(lock, file, STATE_CONTEND, true, fault);
}

bool
lockdir_is_current(const struct lockdir *lock, int fd)
{
	char path[LOCKDIR_PATH_SIZE];

	return statedir_is_at(fd, lockdir_path(lock, STATE_LOCK, path));
}

bool
lockdir_in_place(const struct lockdir *lock)
{
	char path[LOCKDIR_PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", lock->directory->path, lock->name);
	return statedir_is_at(lock->fd, path);
}

int
lockdir_sync(const struct lockdir *lock)
{
	return fsync(lock->fd) == -1 ? -1 : statedir_sync(lock->directory);
}
