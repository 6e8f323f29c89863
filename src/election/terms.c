/* SPDX-License-Identifier: ISC */
#include "election/terms.h"

#include <errno.h>
#include <unistd.h>

#define READ_ATTEMPTS 10
#define SUMS_AT	      ((off_t)TERM_SLOTS * TERM_SLOT_SIZE)

static off_t
slot_of(uint64_t generation)
{
	return (off_t)(generation % TERM_SLOTS * TERM_SLOT_SIZE);
}

const char *
terms_seed(void)
{
	/* Not on the stack, which may be small, for what is needed once in a lock's life. */
	static char file[TERM_FILE_SIZE];
	const struct sums none = {0};

	for (size_t i = 0; i < TERM_SLOTS; i++)
		term_pack_empty(file + i * TERM_SLOT_SIZE);
	sums_pack(&none, file + (size_t)TERM_SLOTS * TERM_SLOT_SIZE);
	return file;
}

/* On the disk as well: who syncs a record relies on the way to it. Without room there is none. */
static int
make_anew(const struct lockdir *lock, int fd)
{
	if (pwrite(fd, terms_seed(), TERM_FILE_SIZE, 0) != (ssize_t)TERM_FILE_SIZE)
		return 0;
	return fsync(fd) == -1 ? -1 : lockdir_sync(lock);
}

int
terms_open(const struct lockdir *lock, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	int fd;

	fd = lockdir_file(lock, STATE_TERMS, STATE_CONTEND, fault);
	if (fd == -1 || lseek(fd, 0, SEEK_END) != 0 || make_anew(lock, fd) == 0)
		return fd;
	fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s", lockdir_path(lock, STATE_TERMS, path));
	close(fd);
	return -1;
}

int
terms_write(int fd, const struct term *term)
{
	char slot[TERM_SLOT_SIZE];

	if (fd == -1)
		return 0;
	term_pack(term, slot);
	return lockdir_write(fd, slot, sizeof(slot), slot_of(term->generation));
}

static bool
read_sums(int fd, struct sums *sums)
{
	char slot[TERM_SLOT_SIZE];

	return pread(fd, slot, sizeof(slot), SUMS_AT) == (ssize_t)sizeof(slot) &&
	       sums_unpack(slot, sums);
}

void
terms_count(int fd, const struct term *term)
{
	char slot[TERM_SLOT_SIZE];
	struct sums sums = {0};

	if (fd == -1)
		return;
	/* Damaged sums begin anew. */
	if (!read_sums(fd, &sums))
		sums = (struct sums){0};
	sums_add(&sums, term);
	sums_pack(&sums, slot);
	(void)lockdir_write(fd, slot, sizeof(slot), SUMS_AT);
}

bool
terms_sums(const struct lockdir *lock, struct sums *sums)
{
	struct fault fault;
	bool sound = false;
	int fd;

	if (lock->fd == -1 || (fd = lockdir_file(lock, STATE_TERMS, STATE_READ, &fault)) == -1)
		return false;
	for (int i = 0; i < READ_ATTEMPTS && !sound; i++)
		sound = read_sums(fd, sums);
	close(fd);
	return sound;
}

int
terms_open_to_read(const struct lockdir *lock)
{
	struct fault fault;

	return lock->fd == -1 ? -1 : lockdir_file(lock, STATE_TERMS, STATE_READ, &fault);
}

bool
terms_read_from(int fd, uint64_t generation, struct term *term)
{
	const off_t at = slot_of(generation);
	char bytes[TERM_SLOT_SIZE];
	bool sound = false;

	if (fd == -1)
		return false;
	/* A tear is a write in progress, most of the time. */
	for (int i = 0; i < READ_ATTEMPTS && !sound; i++)
		sound = pread(fd, bytes, sizeof(bytes), at) == (ssize_t)sizeof(bytes) &&
			term_unpack(bytes, term);
	return sound && term->stage != TERM_EMPTY;
}

bool
terms_read_slot(const struct lockdir *lock, uint64_t slot, struct term *term)
{
	const int fd = terms_open_to_read(lock);
	const bool found = terms_read_from(fd, slot, term);

	if (fd != -1)
		close(fd);
	return found;
}

bool
terms_read(const struct lockdir *lock, uint64_t generation, struct term *term)
{
	return terms_read_slot(lock, generation, term) && term->generation == generation;
}

static bool
largest(int fd, struct term *term)
{
	bool found = false;
	struct term other;

	for (uint64_t slot = 0; slot < TERM_SLOTS; slot++) {
		if (!terms_read_from(fd, slot, &other) ||
		    (found && other.generation <= term->generation))
			continue;
		*term = other;
		found = true;
	}
	return found;
}

bool
terms_newest(const struct lockdir *lock, const struct number_plan *plan, struct term *term)
{
	const uint64_t last = plan->current.last;
	const int fd = terms_open_to_read(lock);
	bool found = false;

	if (fd == -1)
		return false;
	if (plan->trusted)
		found = terms_read_from(fd, last, term) && term->generation == last;
	if (!found)
		found = largest(fd, term);
	close(fd);
	return found;
}
