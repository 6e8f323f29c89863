/* SPDX-License-Identifier: ISC */
#include "election/nested.h"

#include <unistd.h>

#include "election/generation.h"
#include "election/roster.h"
#include "kernel/lockers.h"
#include "kernel/proctable.h"

static bool
holder_is_ancestor(const struct lockdir *lock, struct nested *nested)
{
	const struct roster_entry *entry;
	struct roster roster;
	struct fault fault;

	if (roster_read_holders(lock, &roster, &fault) == -1)
		return false;
	for (size_t i = 0; i < roster.count && !nested->inside; i++) {
		entry = &roster.entries[i];
		if (entry->ticket.state != TICKET_HOLDING || !entry->same_namespace ||
		    !proctable_is_ancestor(entry->ticket.pid))
			continue;
		nested->inside = true;
		nested->mode = entry->ticket.mode;
		nested->pid = entry->ticket.pid;
		nested->generation = entry->text.generation;
	}
	roster_free(&roster);
	return nested->inside;
}

struct nested
nested_find(const struct lockdir *lock)
{
	struct nested nested = {.inside = false, .mode = TICKET_EXCLUSIVE};
	struct fault fault;
	bool exclusive;
	int fd;

	if (holder_is_ancestor(lock, &nested))
		return nested;
	fd = lockdir_file(lock, STATE_LOCK, STATE_READ, &fault);
	if (fd == -1)
		return nested;
	if (lockers_include_us(fd, &exclusive)) {
		nested.inside = true;
		nested.mode = exclusive ? TICKET_EXCLUSIVE : TICKET_SHARED;
		nested.generation = exclusive ? generation_last(lock) : 0;
	}
	close(fd);
	return nested;
}
