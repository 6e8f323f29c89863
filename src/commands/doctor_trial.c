/* SPDX-License-Identifier: ISC */
#include "commands/doctor.h"

#include <sys/wait.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "election/roster.h"
#include "election/terms.h"
#include "kernel/clock.h"
#include "kernel/lockdir.h"
#include "values/lockname.h"

#define PATIENCE (10 * DURATION_SECOND)
#define LOOK_MS	 5
#define US	 "/proc/self/exe"

struct trial {
	const struct statedir *directory;
	const struct process_entry *entry;
	char name[LOCKNAME_SIZE];
	duration_t until;
	pid_t holder, first, second;
	struct finding *finding;
};

/* "lockrun -q -d DIR [OPTION] NAME -- COMMAND": with a note to be known by in the records. */
static pid_t
contend(const struct trial *trial, const char *option, const char *note, const char *command,
    const char *argument)
{
	const char *const arguments[] = {US, "-q", "-d", trial->directory->path, option, "--note",
	    note, trial->name, "--", command, argument, NULL};
	const struct process_plan plan = {
	    .arguments = (char *const *)(const void *)arguments,
	    .environment = environ,
	    .inherit = {-1, -1},
	};
	struct fault fault;

	return process_start(&plan, trial->entry, &fault);
}

/* Wait until so many hold and so many wait. */
static bool
await_queue(const struct trial *trial, size_t held, size_t waiting)
{
	struct lockdir lock;
	struct roster roster;
	struct fault fault;
	bool reached = false;

	while (!reached && clock_monotonic() < trial->until) {
		if (lockdir_open(
			trial->directory, trial->name, STATE_READ, NULL, 0, &lock, &fault) == 0) {
			if (roster_read(&lock, &roster, &fault) == 0) {
				reached = roster.held == held && roster_waiting(&roster) == waiting;
				roster_free(&roster);
			}
			lockdir_close(&lock);
		}
		if (!reached)
			poll(NULL, 0, LOOK_MS);
	}
	return reached;
}

/* The exit status of a contender, or -1 when it died or takes too long. */
static int
await_status(const struct trial *trial, pid_t pid)
{
	int status;

	while (clock_monotonic() < trial->until) {
		if (pid > 0 && process_news(pid, &status) &&
		    (WIFEXITED(status) || WIFSIGNALED(status)))
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		poll(NULL, 0, LOOK_MS);
	}
	return -1;
}

/* The generation of the term that has this note; 0 for none. */
static uint64_t
generation_of(const struct trial *trial, const char *note)
{
	struct lockdir lock;
	struct fault fault;
	struct term term;
	uint64_t found = 0;

	if (lockdir_open(trial->directory, trial->name, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return 0;
	/* A new directory starts above its floor, so the slots say more than the numbers. */
	for (uint64_t slot = 0; slot < TERM_SLOTS && found == 0; slot++) {
		if (terms_read_slot(&lock, slot, &term) && strcmp(term.note, note) == 0)
			found = term.generation;
	}
	lockdir_close(&lock);
	return found;
}

static const char *
run_trial(struct trial *trial)
{
	uint64_t holder, first, second;

	trial->holder = contend(trial, "-m1h", "holder", "sleep", "60");
	if (trial->holder == -1 || !await_queue(trial, 1, 0))
		return "no contender could lead";
	if (await_status(trial, contend(trial, "-n", "intruder", "true", NULL)) != 75)
		return "a second one was not kept out: do not use this directory";
	trial->first = contend(trial, "-m1h", "first", "true", NULL);
	if (!await_queue(trial, 1, 1))
		return "a waiter did not queue";
	trial->second = contend(trial, "-m1h", "second", "true", NULL);
	if (!await_queue(trial, 1, 2))
		return "a second waiter did not queue";
	process_send(trial->holder, SIGKILL);
	if (await_status(trial, trial->first) != 0 || await_status(trial, trial->second) != 0)
		return "the waiters did not lead when the leader was killed";
	holder = generation_of(trial, "holder");
	first = generation_of(trial, "first");
	second = generation_of(trial, "second");
	if (holder == 0 || first <= holder || second <= first)
		return "order or generations are not kept";
	return NULL;
}

void
doctor_trial(
    const struct statedir *directory, const struct process_entry *entry, struct finding *finding)
{
	struct trial trial = {
	    .directory = directory,
	    .entry = entry,
	    .until = clock_monotonic() + PATIENCE,
	    .finding = finding,
	};
	const char *wrong;
	struct lockdir lock;
	struct fault fault;

	snprintf(trial.name, sizeof(trial.name), DOCTOR_TRIAL "%d", getpid());
	wrong = run_trial(&trial);
	if (wrong != NULL) {
		process_send(trial.holder, SIGKILL);
		process_send(trial.first, SIGKILL);
		process_send(trial.second, SIGKILL);
		finding_set(finding, VERDICT_FAIL, "%s", wrong);
	} else {
		finding_set(finding, VERDICT_OK,
		    "exclusion, order, release after a kill, and rising generations");
	}
	if (lockdir_open(directory, trial.name, STATE_READ, NULL, 0, &lock, &fault) == 0 &&
	    lock.fd != -1)
		(void)lockdir_remove(&lock, &fault);
	lockdir_close(&lock);
}
