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

/* For the whole trial: a disk under load takes seconds for what is synced. */
#define PATIENCE (60 * DURATION_SECOND)
#define LOOK_MS	 5
#define US	 "/proc/self/exe"

struct trial {
	const struct statedir *directory;
	const struct process_entry *entry;
	char name[LOCKNAME_SIZE];
	duration_t until;
	pid_t holder, first, second; /* 0 before they start and once they are reaped */
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

/* Whether a contender has ended; its exit status, or -1 when it died, in *status. */
static bool
has_ended(pid_t *contender, int *status)
{
	int wait_status;

	if (*contender <= 0 || !process_news(*contender, &wait_status) ||
	    !(WIFEXITED(wait_status) || WIFSIGNALED(wait_status)))
		return false;
	*contender = 0;
	*status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	return true;
}

/* The generation of the term that has this note and has started; 0 for none. One that has only
   begun may not have been given its number yet, and then the next term has it. */
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
		if (terms_read_slot(&lock, slot, &term) && term.stage != TERM_BEGUN &&
		    strcmp(term.note, note) == 0)
			found = term.generation;
	}
	lockdir_close(&lock);
	return found;
}

/* Wait until the contender with this note leads a term. That comes after it holds: the first number
   of a lock is synced, and a slow disk takes seconds for it. */
static bool
await_term(const struct trial *trial, pid_t *contender, const char *note)
{
	int status;

	while (*contender > 0 && clock_monotonic() < trial->until) {
		if (generation_of(trial, note) != 0)
			return true;
		if (!has_ended(contender, &status))
			poll(NULL, 0, LOOK_MS);
	}
	return false;
}

/* Wait until so many hold and so many wait, for as long as the newest of them lives. */
static bool
await_queue(const struct trial *trial, pid_t *newest, size_t held, size_t waiting)
{
	struct lockdir lock;
	struct roster roster;
	struct fault fault;
	bool reached = false;
	int status;

	while (*newest > 0 && !reached && clock_monotonic() < trial->until) {
		if (lockdir_open(
			trial->directory, trial->name, STATE_READ, NULL, 0, &lock, &fault) == 0) {
			if (roster_read(&lock, &roster, &fault) == 0) {
				reached = roster.held == held && roster_waiting(&roster) == waiting;
				roster_free(&roster);
			}
			lockdir_close(&lock);
		}
		if (!reached && !has_ended(newest, &status))
			poll(NULL, 0, LOOK_MS);
	}
	return reached;
}

/* The exit status of a contender, or -1 when it died or takes too long. */
static int
await_status(const struct trial *trial, pid_t *contender)
{
	int status;

	while (*contender > 0 && clock_monotonic() < trial->until) {
		if (has_ended(contender, &status))
			return status;
		poll(NULL, 0, LOOK_MS);
	}
	return -1;
}

/* What SIGKILL does not end sits in the disk's driver: no trial would outlast that. */
static void
end(const struct trial *trial, pid_t *contender)
{
	if (*contender > 0)
		process_send(*contender, SIGKILL);
	(void)await_status(trial, contender);
}

static const char *
run_trial(struct trial *trial)
{
	uint64_t holder, first, second;
	pid_t intruder;
	int status;

	trial->holder = contend(trial, "-m1h", "holder", "sleep", "600");
	if (!await_term(trial, &trial->holder, "holder"))
		return "no contender could lead";
	intruder = contend(trial, "-n", "intruder", "true", NULL);
	status = await_status(trial, &intruder);
	end(trial, &intruder);
	if (status == 0)
		return "a second one was not kept out: do not use this directory";
	if (status != 75)
		return "a second one got no answer";
	trial->first = contend(trial, "-m1h", "first", "true", NULL);
	if (!await_queue(trial, &trial->first, 1, 1))
		return "a waiter did not queue";
	trial->second = contend(trial, "-m1h", "second", "true", NULL);
	if (!await_queue(trial, &trial->second, 1, 2))
		return "a second waiter did not queue";
	end(trial, &trial->holder);
	if (await_status(trial, &trial->first) != 0 || await_status(trial, &trial->second) != 0)
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
	};
	const char *wrong;
	struct lockdir lock;
	struct fault fault;

	snprintf(trial.name, sizeof(trial.name), DOCTOR_TRIAL "%d", getpid());
	wrong = run_trial(&trial);
	end(&trial, &trial.holder);
	end(&trial, &trial.first);
	end(&trial, &trial.second);
	if (wrong != NULL)
		finding_set(finding, VERDICT_FAIL, "%s", wrong);
	else
		finding_set(finding, VERDICT_OK,
		    "exclusion, order, release after a kill, and rising generations");
	if (lockdir_open(directory, trial.name, STATE_READ, NULL, 0, &lock, &fault) == 0 &&
	    lock.fd != -1)
		(void)lockdir_remove(&lock, &fault);
	lockdir_close(&lock);
}
