/* SPDX-License-Identifier: ISC */
#include "commands/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/generation.h"
#include "election/queue.h"
#include "election/terms.h"
#include "election/view.h"
#include "kernel/lock.h"
#include "kernel/lockdir.h"

struct leftovers {
	const struct statedir *directory;
	bool repair;
	unsigned directories, tickets, damaged;
	char damaged_name[LOCKNAME_SIZE];
	uint64_t floor; /* that would do for it */
};

static bool
visit_entry(const char *name, void *context)
{
	struct leftovers *leftovers = context;

	if (!lockdir_is_private(name))
		return true;
	leftovers->directories++;
	if (leftovers->repair)
		lockdir_remove_private(leftovers->directory, name);
	return true;
}

/* What the records say was given, and one step more for what they do not say. */
static uint64_t
suggest_floor(const struct lockdir *lock)
{
	uint64_t highest = 0;
	struct term term;

	for (uint64_t slot = 0; slot < TERM_SLOTS; slot++) {
		if (terms_read_slot(lock, slot, &term) && term.generation > highest)
			highest = term.generation;
	}
	return highest + NUMBER_STEP;
}

static void
visit_lock(struct leftovers *leftovers, const char *name)
{
	struct lockdir lock;
	struct queue queue;
	struct fault fault;

	if (lockdir_open(leftovers->directory, name, STATE_READ, NULL, 0, &lock, &fault) == -1 ||
	    lock.fd == -1)
		return;
	queue_init(&queue, &lock);
	leftovers->tickets += queue_dead(&queue, leftovers->repair);
	if (!generation_is_sound(&lock)) {
		leftovers->damaged++;
		snprintf(leftovers->damaged_name, sizeof(leftovers->damaged_name), "%s", name);
		leftovers->floor = suggest_floor(&lock);
	}
	lockdir_close(&lock);
}

void
doctor_leftovers(const struct statedir *directory, bool repair, struct finding *finding)
{
	struct leftovers leftovers = {.directory = directory, .repair = repair};
	struct names names;
	struct fault fault;

	(void)statedir_each(directory, visit_entry, &leftovers);
	if (names_read(directory, &names, &fault) == 0) {
		for (size_t i = 0; i < names.count; i++)
			visit_lock(&leftovers, names.items[i].text);
		names_free(&names);
	}
	if (leftovers.damaged > 0)
		finding_set(finding, VERDICT_FAIL,
		    "%u damaged number%s; for %s: lockrun doctor --repair --floor %" PRIu64 " %s",
		    leftovers.damaged, leftovers.damaged == 1 ? "" : "s", leftovers.damaged_name,
		    leftovers.floor, leftovers.damaged_name);
	else if (leftovers.directories + leftovers.tickets == 0)
		finding_set(finding, VERDICT_OK, "none");
	else
		finding_set(finding, repair ? VERDICT_OK : VERDICT_WARN,
		    "%u unfinished directories, %u tickets of the dead%s", leftovers.directories,
		    leftovers.tickets, repair ? ": removed" : ": harmless; --repair removes them");
}

int
doctor_mend(const struct statedir *directory, const char *name, uint64_t floor, struct fault *fault)
{
	struct lockdir lock;
	int fd, result = -1;

	if (lockdir_open(directory, name, STATE_READ, NULL, 0, &lock, fault) == -1)
		return -1;
	if (lock.fd == -1) {
		lockdir_close(&lock);
		return fault_set(
		    fault, FAULT_FILE_UNUSABLE, ENOENT, "%s/%s", directory->path, name);
	}
	fd = lockdir_file(&lock, STATE_LOCK, STATE_CONTEND, fault);
	if (fd != -1 && lock_try(fd, LOCK_EXCLUSIVE) != LOCK_TAKEN)
		fault_set(fault, FAULT_LOCK_UNUSABLE, EBUSY, "%s", name);
	else if (fd != -1)
		result = generation_mend(&lock, floor, fault);
	if (fd != -1)
		close(fd);
	lockdir_close(&lock);
	return result;
}
