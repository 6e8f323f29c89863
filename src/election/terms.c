/* SPDX-License-Identifier: ISC */
#include "election/terms.h"

#include <unistd.h>

#define READ_ATTEMPTS 10

static off_t
slot_of(uint64_t generation)
{
	return (off_t)(generation % TERM_SLOTS * TERM_SLOT_SIZE);
}

void
terms_seed(char file[TERM_FILE_SIZE])
{
	for (size_t i = 0; i < TERM_SLOTS; i++)
		term_pack_empty(file + i * TERM_SLOT_SIZE);
}

int
terms_open(const struct lockdir *lock)
{
	struct fault fault;

	return lockdir_file(lock, STATE_TERMS, STATE_CONTEND, &fault);
}

void
terms_write(int fd, const struct term *term)
{
	char slot[TERM_SLOT_SIZE];

	if (fd == -1)
		return;
	term_pack(term, slot);
	(void)lockdir_write(fd, slot, sizeof(slot), slot_of(term->generation));
}

bool
terms_read(const struct lockdir *lock, uint64_t generation, struct term *term)
{
	char slot[TERM_SLOT_SIZE];
	struct fault fault;
	bool sound = false;
	int fd;

	fd = lockdir_file(lock, STATE_TERMS, STATE_READ, &fault);
	if (fd == -1)
		return false;
	/* A tear is a write in progress, most of the time. */
	for (int i = 0; i < READ_ATTEMPTS && !sound; i++)
		sound =
		    pread(fd, slot, sizeof(slot), slot_of(generation)) == (ssize_t)sizeof(slot) &&
		    term_unpack(slot, term);
	close(fd);
	return sound && term->stage != TERM_EMPTY && term->generation == generation;
}
