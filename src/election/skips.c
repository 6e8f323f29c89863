/* SPDX-License-Identifier: ISC */
#include "election/skips.h"

#include <poll.h>
#include <unistd.h>

#include "election/generation.h"
#include "kernel/clock.h"
#include "kernel/lock.h"

#define LOCK_ATTEMPTS	 20
#define LOCK_INTERVAL_MS 1

static bool
read_from(int fd, struct skips *skips)
{
	char slot[SKIPS_SIZE];

	return pread(fd, slot, sizeof(slot), 0) == (ssize_t)sizeof(slot) &&
	       skips_unpack(slot, skips);
}

static bool
lock_for_a_moment(int fd)
{
	for (int i = 0; i < LOCK_ATTEMPTS; i++) {
		if (lock_try(fd, LOCK_EXCLUSIVE) == LOCK_TAKEN)
			return true;
		poll(NULL, 0, LOCK_INTERVAL_MS);
	}
	return false;
}

void
skips_count(const struct lockdir *lock)
{
	struct skips skips = {0};
	char slot[SKIPS_SIZE];
	struct fault fault;
	int fd;

	if (lock->fd == -1 || (fd = lockdir_file(lock, STATE_SKIPS, STATE_CONTEND, &fault)) == -1)
		return;
	if (lock_for_a_moment(fd)) {
		/* Damaged counts begin anew. */
		if (!read_from(fd, &skips))
			skips = (struct skips){0};
		skips_add(&skips, generation_last(lock), clock_realtime_ms());
		skips_pack(&skips, slot);
		(void)lockdir_write(fd, slot, sizeof(slot), 0);
	}
	close(fd);
}

void
skips_read(const struct lockdir *lock, struct skips *skips)
{
	struct fault fault;
	int fd;

	*skips = (struct skips){0};
	if (lock->fd == -1 || (fd = lockdir_file(lock, STATE_SKIPS, STATE_READ, &fault)) == -1)
		return;
	if (!read_from(fd, skips))
		*skips = (struct skips){0};
	close(fd);
}
