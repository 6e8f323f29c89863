/* SPDX-License-Identifier: ISC */
#include "commands/doctor.h"

#include <bsd/stdlib.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/floor.h"
#include "election/generation.h"
#include "election/queue.h"
#include "election/roster.h"
#include "election/terms.h"
#include "election/view.h"
#include "kernel/lock.h"
#include "kernel/lockdir.h"
#include "kernel/proctable.h"

struct leftovers {
	const struct statedir *directory;
	bool repair;
	unsigned directories, tickets, damaged, missing;
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

/* Here, or under this name before it was forgotten. */
uint64_t
doctor_highest(const struct lockdir *lock)
{
	uint64_t highest = 0;
	struct fault fault;
	struct term term;

	(void)floor_read(lock->directory, &highest, &fault);
	for (uint64_t slot = 0; slot < TERM_SLOTS; slot++) {
		if (terms_read_slot(lock, slot, &term) && term.generation > highest)
			highest = term.generation;
	}
	return highest;
}

/* The lock of a doctor that was killed. */
static bool
is_trial_of_the_dead(const struct lockdir *lock)
{
	struct process_stat doctor;
	struct roster roster;
	struct fault fault;
	const char *error;
	bool idle;
	pid_t pid;

	if (strncmp(lock->name, DOCTOR_TRIAL, strlen(DOCTOR_TRIAL)) != 0 ||
	    roster_read(lock, &roster, &fault) == -1)
		return false;
	idle = roster.count == 0 && !roster_is_held(&roster);
	roster_free(&roster);
	pid = (pid_t)strtonum(lock->name + strlen(DOCTOR_TRIAL), 1, INT_MAX, &error);
	return idle && error == NULL && !proctable_read(pid, &doctor);
}

static void
visit_trial(struct leftovers *leftovers, const struct lockdir *lock)
{
	struct fault fault;

	leftovers->directories++;
	if (leftovers->repair)
		(void)lockdir_remove(lock, &fault);
}

static void
visit_lock(struct leftovers *leftovers, const char *name)
{
	struct lockdir lock;
	struct queue queue;
	struct fault fault;
	int number;

	if (lockdir_open(leftovers->directory, name, STATE_READ, NULL, 0, &lock, &fault) == -1 ||
	    lock.fd == -1)
		return;
	if (is_trial_of_the_dead(&lock)) {
		visit_trial(leftovers, &lock);
		lockdir_close(&lock);
		return;
	}
	queue_init(&queue, &lock);
	leftovers->tickets += queue_dead(&queue, leftovers->repair);
	if (!generation_is_sound(&lock)) {
		number = lockdir_file(&lock, STATE_NUMBER, STATE_READ, &fault);
		if (number == -1 && fault.kind == FAULT_NUMBER_MISSING)
			leftovers->missing++;
		else
			leftovers->damaged++;
		if (number != -1)
			close(number);
		snprintf(leftovers->damaged_name, sizeof(leftovers->damaged_name), "%s", name);
		/* One step more for what they do not say. */
		leftovers->floor = doctor_highest(&lock) + NUMBER_STEP;
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
			visit_lock(&leftovers, names.items[i]);
		names_free(&names);
	}
	if (leftovers.damaged + leftovers.missing > 0)
		finding_set(finding, VERDICT_FAIL,
		    "%u %s number%s; for %s: lockrun doctor -d %s --repair --floor %" PRIu64 " %s",
		    leftovers.damaged + leftovers.missing,
		    leftovers.missing == 0   ? "damaged"
		    : leftovers.damaged == 0 ? "missing"
					     : "damaged or missing",
		    leftovers.damaged + leftovers.missing == 1 ? "" : "s", leftovers.damaged_name,
		    directory->path, leftovers.floor, leftovers.damaged_name);
	else if (leftovers.directories + leftovers.tickets == 0)
		finding_set(finding, VERDICT_OK, "none");
	else
		finding_set(finding, repair ? VERDICT_OK : VERDICT_WARN,
		    "%u unfinished directories, %u tickets of the dead%s", leftovers.directories,
		    leftovers.tickets, repair ? ": removed" : ": harmless; --repair removes them");
}

/* Whatever a person writes, no generation may come twice. */
static int
mend_held(const struct lockdir *lock, uint64_t *floor, uint64_t *wanted, struct fault *fault)
{
	uint64_t given = doctor_highest(lock), highest;
	struct fault ignored;

	*wanted = given + NUMBER_STEP;
	if (generation_highest(lock, &highest, &ignored) == 0)
		*wanted = given = highest > given ? highest : given;
	if (*floor < given)
		*floor = given;
	return generation_mend(lock, *floor, fault);
}

int
doctor_mend(const struct statedir *directory, const char *name, uint64_t *floor, uint64_t *wanted,
    struct fault *fault)
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
		result = mend_held(&lock, floor, wanted, fault);
	if (fd != -1)
		close(fd);
	lockdir_close(&lock);
	return result;
}
