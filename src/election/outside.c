/* SPDX-License-Identifier: ISC */
#include "election/outside.h"

#include <sys/stat.h>

#include <errno.h>
#include <unistd.h>

#include "kernel/lockers.h"
#include "kernel/locktable.h"

/* A contender has the lock for a moment before it says so: what is so looks so again. */
#define LOOKS 3

static bool
is_contender(const struct roster *roster, pid_t pid)
{
	for (size_t i = 0; i < roster->count; i++) {
		if (roster->entries[i].ticket.pid == pid)
			return true;
	}
	return false;
}

/* The one that took it, if that has it; else whoever has. */
static bool
identify(int fd, const struct locktable_row *row, struct process_stat *who)
{
	struct stat file;

	if (lockers_signal_one(row->pid, fd, 0) == 0 || errno == EPERM)
		return proctable_read(row->pid, who);
	/* What another user's process has open does not show. */
	if (errno == EACCES)
		return fstat(fd, &file) == 0 && file.st_dev == row->device &&
		       proctable_read(row->pid, who);
	return lockers_find(fd, who);
}

/* again: something was seen, so that it is worth asking all processes where no row tells. */
static bool
look(const struct lockdir *lock, bool again, struct process_stat *who)
{
	const struct locktable_row *row;
	struct locktable table;
	struct roster roster;
	struct fault fault;
	bool found = false;
	int fd;

	if (roster_read(lock, &roster, &fault) == -1)
		return false;
	fd = lockdir_file(lock, STATE_LOCK, STATE_READ, &fault);
	locktable_read(&table);
	row = locktable_find(&table, roster.inode);
	if (fd != -1 && (row != NULL || again) && !roster_is_held(&roster))
		found = (row != NULL ? identify(fd, row, who) : lockers_find(fd, who)) &&
			!is_contender(&roster, who->pid);
	locktable_free(&table);
	roster_free(&roster);
	if (fd != -1)
		close(fd);
	return found;
}

bool
outside_find(const struct lockdir *lock, struct process_stat *who)
{
	for (int i = 0; i < LOOKS; i++) {
		if (!look(lock, i > 0, who))
			return false;
	}
	return true;
}

size_t
outside_list_left(
    const struct lockdir *lock, const struct roster *roster, struct process_stat *list, size_t room)
{
	struct fault fault;
	size_t count;
	int fd;

	fd = lockdir_file(lock, STATE_LOCK, STATE_READ, &fault);
	if (fd == -1)
		return 0;
	count = lockers_list_left(fd, roster->last_term.pid, list, room);
	close(fd);
	return count < room ? count : room;
}
