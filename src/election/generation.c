/* SPDX-License-Identifier: ISC */
#include "election/generation.h"

#include <bsd/string.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "election/floor.h"
#include "kernel/clock.h"

#define READ_ATTEMPTS 10

void
generation_seed(char file[NUMBER_FILE_SIZE])
{
	struct number number = {0};

	clock_boot_id(number.boot);
	for (uint64_t sequence = 1; sequence <= NUMBER_SLOTS; sequence++) {
		number.sequence = sequence;
		number_pack(&number, file + sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE);
	}
}

/* The next write in turn. */
static int
write_slot(int fd, struct number *number)
{
	char slot[NUMBER_SLOT_SIZE];

	number->sequence++;
	number_pack(number, slot);
	return lockdir_write(
	    fd, slot, sizeof(slot), (off_t)(number->sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE));
}

/*
 * The three writes of values/record.h. Without a ceiling nothing was ever given here, and whoever
 * made NAME/ may have been killed before its way from the root was on the disk.
 */
static int
give(const struct lockdir *lock, int fd, const struct number_plan *plan, const char *boot)
{
	struct number number = plan->current;

	strlcpy(number.boot, boot, sizeof(number.boot));
	if (plan->raise) {
		number.last = plan->next - 1;
		number.raising = plan->ceiling;
		if (write_slot(fd, &number) == -1 || fdatasync(fd) == -1)
			return -1;
		if (number.ceiling == 0 && lockdir_sync(lock) == -1)
			return -1;
		number.ceiling = plan->ceiling;
		number.raising = 0;
		if (write_slot(fd, &number) == -1 || fdatasync(fd) == -1)
			return -1;
	}
	number.last = plan->next;
	return write_slot(fd, &number);
}

/* Nothing was ever given here; but a lock of this name may have been forgotten. */
static int
start_above_floor(const struct lockdir *lock, struct number_plan *plan, struct fault *fault)
{
	uint64_t floor;

	if (floor_read(lock->directory, &floor, fault) == -1)
		return -1;
	if (floor >= INT64_MAX - NUMBER_STEP)
		plan->next = 0;
	else if (plan->next <= floor)
		plan->next = floor + 1;
	plan->ceiling = plan->next + NUMBER_STEP - 1;
	return 0;
}

/* What is there says which generation is next, or why there is none. */
static int
plan_next(const struct lockdir *lock, struct generation *generation, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE], file[NUMBER_FILE_SIZE];
	struct number_plan *plan = &generation->plan;

	if (pread(generation->number, file, sizeof(file), 0) != (ssize_t)sizeof(file) ||
	    !number_plan(file, generation->boot, plan))
		return lockdir_number_fault(lock, FAULT_NUMBER_DAMAGED, fault);
	if (plan->current.ceiling == 0 && start_above_floor(lock, plan, fault) == -1)
		return -1;
	return plan->next != 0 ? 0
			       : fault_set(fault, FAULT_NUMBER_SPENT, 0, "%s",
				     lockdir_path(lock, STATE_NUMBER, path));
}

int
generation_look(const struct lockdir *lock, struct generation *generation, struct fault *fault)
{
	int result;

	generation->number = lockdir_file(lock, STATE_NUMBER, STATE_CONTEND, fault);
	if (generation->number == -1)
		return -1;
	clock_boot_id(generation->boot);
	result = plan_next(lock, generation, fault);
	if (result == -1)
		generation_close(generation);
	return result;
}

int
generation_give(
    const struct lockdir *lock, struct generation *generation, bool sync, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];

	if (give(lock, generation->number, &generation->plan, generation->boot) == -1 ||
	    (sync && fdatasync(generation->number) == -1))
		return fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s",
		    lockdir_path(lock, STATE_NUMBER, path));
	return 0;
}

void
generation_close(struct generation *generation)
{
	if (generation->number != -1)
		close(generation->number);
	generation->number = -1;
}

bool
generation_read(const struct lockdir *lock, const char *boot, struct number_plan *plan)
{
	char file[NUMBER_FILE_SIZE];
	struct fault fault;
	bool sound = false;
	int fd;

	if (lock->fd == -1)
		return false;
	fd = lockdir_file(lock, STATE_NUMBER, STATE_READ, &fault);
	if (fd == -1)
		return false;
	for (int i = 0; i < READ_ATTEMPTS && !sound; i++)
		sound = pread(fd, file, sizeof(file), 0) == (ssize_t)sizeof(file) &&
			number_plan(file, boot, plan);
	close(fd);
	return sound;
}

uint64_t
generation_last(const struct lockdir *lock)
{
	struct number_plan plan;

	return generation_read(lock, "", &plan) ? plan.current.last : 0;
}

int
generation_highest(const struct lockdir *lock, uint64_t *generation, struct fault *fault)
{
	char file[NUMBER_FILE_SIZE], boot[BOOT_ID_SIZE];
	struct number_plan plan;
	bool sound;
	int fd;

	fd = lockdir_file(lock, STATE_NUMBER, STATE_READ, fault);
	if (fd == -1)
		return -1;
	clock_boot_id(boot);
	sound = pread(fd, file, sizeof(file), 0) == (ssize_t)sizeof(file) &&
		number_plan(file, boot, &plan);
	close(fd);
	if (!sound)
		return lockdir_number_fault(lock, FAULT_NUMBER_DAMAGED, fault);
	*generation = plan.next != 0 ? plan.next - 1 : INT64_MAX;
	return 0;
}

bool
generation_is_sound(const struct lockdir *lock)
{
	struct number_plan plan;

	return generation_read(lock, "", &plan);
}

int
generation_mend(const struct lockdir *lock, uint64_t floor, struct fault *fault)
{
	char file[NUMBER_FILE_SIZE], path[LOCKDIR_PATH_SIZE];
	struct number number = {.last = floor, .ceiling = floor};
	int fd, result = 0;

	fd = lockdir_remake(lock, STATE_NUMBER, fault);
	if (fd == -1)
		return -1;
	clock_boot_id(number.boot);
	for (number.sequence = 1; number.sequence <= NUMBER_SLOTS; number.sequence++)
		number_pack(&number, file + number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE);
	if (lockdir_write(fd, file, sizeof(file), 0) == -1 || fsync(fd) == -1 ||
	    lockdir_sync(lock) == -1)
		result = fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s",
		    lockdir_path(lock, STATE_NUMBER, path));
	close(fd);
	return result;
}
