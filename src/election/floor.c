/* SPDX-License-Identifier: ISC */
#include "election/floor.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "kernel/lock.h"
#include "values/record.h"

#define LOCK_ATTEMPTS	 500
#define LOCK_INTERVAL_MS 10

/*
 * The file has the form of `number`, with one slot written after the other. An empty one was never
 * synced, so no lock was forgotten by whoever made it.
 */
static int
read_plan(const struct statedir *directory, int fd, struct number_plan *plan, struct fault *fault)
{
	char file[NUMBER_FILE_SIZE];
	ssize_t length;

	*plan = (struct number_plan){0};
	length = pread(fd, file, sizeof(file), 0);
	if (length == 0)
		return 0;
	if (length == (ssize_t)sizeof(file) && number_plan(file, "", plan))
		return 0;
	return fault_set(fault, FAULT_NUMBER_DAMAGED, 0, "%s/floor", directory->path);
}

int
floor_read(const struct statedir *directory, uint64_t *generation, struct fault *fault)
{
	struct number_plan plan;
	int fd, result;

	*generation = 0;
	fd = statedir_floor(directory, STATE_READ, fault);
	if (fd == -1)
		return fault->error == ENOENT ? 0 : -1;
	result = read_plan(directory, fd, &plan, fault);
	*generation = plan.current.last;
	close(fd);
	return result;
}

static int
write_slots(int fd, const struct number *current, uint64_t generation)
{
	struct number number = {.sequence = current->sequence};
	char slot[NUMBER_SLOT_SIZE];

	number.last = number.ceiling = generation;
	/* Both, the older one first, each synced: at every moment one of them is sound. */
	for (int i = 0; i < NUMBER_SLOTS; i++) {
		number.sequence++;
		number_pack(&number, slot);
		if (pwrite(fd, slot, sizeof(slot),
			(off_t)(number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE)) !=
			(ssize_t)sizeof(slot) ||
		    fsync(fd) == -1)
			return -1;
	}
	return 0;
}

static int
raise_locked(const struct statedir *directory, int fd, uint64_t generation, struct fault *fault)
{
	struct number_plan plan;

	if (read_plan(directory, fd, &plan, fault) == -1)
		return -1;
	if (plan.current.last >= generation)
		return 0;
	if (write_slots(fd, &plan.current, generation) == -1 || statedir_sync(directory) == -1)
		return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s/floor", directory->path);
	return 0;
}

int
floor_raise(const struct statedir *directory, uint64_t generation, struct fault *fault)
{
	enum lock_result locked = LOCK_BUSY;
	int fd, result;

	fd = statedir_floor(directory, STATE_CONTEND, fault);
	if (fd == -1)
		return -1;
	for (int i = 0; i < LOCK_ATTEMPTS && locked == LOCK_BUSY; i++) {
		locked = lock_try(fd, LOCK_EXCLUSIVE);
		if (locked == LOCK_BUSY)
			poll(NULL, 0, LOCK_INTERVAL_MS);
	}
	if (locked == LOCK_TAKEN)
		result = raise_locked(directory, fd, generation, fault);
	else
		result = fault_set(fault, FAULT_LOCK_UNUSABLE,
		    locked == LOCK_BUSY ? EWOULDBLOCK : errno, "%s/floor", directory->path);
	close(fd);
	return result;
}
