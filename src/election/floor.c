/* SPDX-License-Identifier: ISC */
#include "election/floor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "election/highest.h"
#include "kernel/lock.h"

#define LOCK_ATTEMPTS	 500
#define LOCK_INTERVAL_MS 10

/* An empty one was never synced, so no lock was forgotten by whoever made it. */
static int
read_highest(
    const struct statedir *directory, int fd, struct number_highest *found, struct fault *fault)
{
	char file[NUMBER_FILE_SIZE];
	ssize_t length;

	*found = (struct number_highest){.next = 1};
	length = pread(fd, file, sizeof(file), 0);
	if (length == 0 || (length == (ssize_t)sizeof(file) && number_highest(file, found)))
		return 0;
	fault_set(fault, FAULT_NUMBER_DAMAGED, 0, "%s/floor", directory->path);
	return fault_hint(fault, "mend it with: lockrun doctor -d %s --repair", directory->path);
}

int
floor_read(const struct statedir *directory, uint64_t *generation, struct fault *fault)
{
	struct number_highest found;
	int fd, result;

	*generation = 0;
	fd = statedir_floor(directory, STATE_READ, fault);
	if (fd == -1)
		return fault->error == ENOENT ? 0 : -1;
	result = read_highest(directory, fd, &found, fault);
	*generation = found.generation;
	close(fd);
	return result;
}

static int
raise_locked(const struct statedir *directory, int fd, uint64_t generation, struct fault *fault)
{
	struct number_highest found;

	if (read_highest(directory, fd, &found, fault) == -1)
		return -1;
	if (found.kept && found.generation >= generation)
		return 0;
	if (generation < found.generation)
		generation = found.generation;
	/* The way to it first: what it says is believed from then on. */
	if (statedir_sync(directory) == -1 || highest_raise(fd, &found, generation) == -1)
		return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s/floor", directory->path);
	return 0;
}

static int
mend_locked(const struct statedir *directory, int fd, uint64_t generation, struct fault *fault)
{
	const struct number_highest nothing = {.next = 1};
	struct number_highest found;

	if (read_highest(directory, fd, &found, fault) == 0)
		return raise_locked(directory, fd, generation, fault);
	if (statedir_sync(directory) == -1 || highest_raise(fd, &nothing, generation) == -1 ||
	    fsync(fd) == -1)
		return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s/floor", directory->path);
	return 0;
}

static enum lock_result
wait_for_others(int fd)
{
	enum lock_result locked = LOCK_BUSY;

	for (int i = 0; i < LOCK_ATTEMPTS && locked == LOCK_BUSY; i++) {
		locked = lock_try(fd, LOCK_EXCLUSIVE);
		if (locked == LOCK_BUSY)
			poll(NULL, 0, LOCK_INTERVAL_MS);
	}
	return locked;
}

/* Do that while nobody else does. */
static int
do_locked(int (*what)(const struct statedir *, int fd, uint64_t generation, struct fault *),
    const struct statedir *directory, uint64_t generation, struct fault *fault)
{
	enum lock_result locked;
	int fd, result;

	fd = statedir_floor(directory, STATE_CONTEND, fault);
	if (fd == -1)
		return -1;
	locked = wait_for_others(fd);
	if (locked == LOCK_TAKEN)
		result = what(directory, fd, generation, fault);
	else
		result = fault_set(fault, FAULT_LOCK_UNUSABLE,
		    locked == LOCK_BUSY ? EWOULDBLOCK : errno, "%s/floor", directory->path);
	close(fd);
	return result;
}

int
floor_raise(const struct statedir *directory, uint64_t generation, struct fault *fault)
{
	return do_locked(raise_locked, directory, generation, fault);
}

int
floor_mend(const struct statedir *directory, uint64_t generation, struct fault *fault)
{
	return do_locked(mend_locked, directory, generation, fault);
}
