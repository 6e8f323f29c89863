/* SPDX-License-Identifier: ISC */
#include "election/eligibility.h"

#include <sys/wait.h>

#include <bsd/string.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/tree.h"

#define CHECK_LIMIT (5 * DURATION_SECOND)

/* Where the kernel cannot tell of its end (pidfd_open(2)). */
#define LOOK_EVERY (20 * DURATION_MILLISECOND)

/* ---- one check ---- */

static int
begin(struct check *check, const struct eligibility *eligibility, struct fault *fault)
{
	const char *const arguments[] = {"/bin/sh", "-c", eligibility->command, NULL};
	const struct process_plan plan = {
	    .arguments = (char *const *)(const void *)arguments,
	    .environment = eligibility->environment,
	    .inherit = {-1, -1},
	    .aside = true,
	};
	const pid_t pid = process_start(&plan, eligibility->entry, fault);

	check->pid = pid == -1 ? 0 : pid;
	check->until = clock_monotonic() + CHECK_LIMIT;
	return pid == -1 ? -1 : 0;
}

/*
 * With all below it. They are stopped first, until there are no new ones: what loses its parent is
 * not below it any more.
 */
static void
end(struct check *check)
{
	struct tree tree = {.root = check->pid};
	size_t known;
	int status;

	if (check->pid == 0)
		return;
	process_send(check->pid, SIGSTOP);
	if (proctable_self() == getpid()) {
		do {
			known = tree.stranger_count;
			tree_note_below(&tree);
			(void)tree_signal_noted(&tree, SIGSTOP);
		} while (tree.stranger_count > known);
		(void)tree_signal_noted(&tree, SIGKILL);
	}
	process_send(check->pid, SIGKILL);
	/* Who does not die at once is reaped with the others. */
	(void)process_news(check->pid, &status);
	check->pid = 0;
}

static enum eligible
answer(struct check *check, int status)
{
	check->pid = 0;
	if (WIFSIGNALED(status))
		snprintf(check->text, sizeof(check->text), "the check died by signal %d",
		    WTERMSIG(status));
	else
		snprintf(check->text, sizeof(check->text), "the check exited with %d",
		    WEXITSTATUS(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ELIGIBLE_YES : ELIGIBLE_NO;
}

static enum eligible
look(struct check *check)
{
	char limit[DURATION_TEXT_SIZE];
	int status;

	while (process_news(check->pid, &status)) {
		if (WIFEXITED(status) || WIFSIGNALED(status))
			return answer(check, status);
	}
	if (clock_monotonic() < check->until)
		return ELIGIBLE_NOT_KNOWN;
	end(check);
	snprintf(check->text, sizeof(check->text), "the check gave no answer within %s",
	    duration_format(CHECK_LIMIT, limit));
	return ELIGIBLE_NO;
}

/* ---- before leading ---- */

enum acquire
eligibility_ask(const struct eligibility *eligibility, struct patience *patience,
    struct check *check, struct fault *fault)
{
	enum acquire result = ACQUIRE_TAKEN;
	enum eligible eligible;
	duration_t left;
	int over;

	if (begin(check, eligibility, fault) == -1)
		return ACQUIRE_FAULT;
	over = process_watch(check->pid);
	while ((eligible = look(check)) == ELIGIBLE_NOT_KNOWN && result == ACQUIRE_TAKEN) {
		left = over == -1 ? LOOK_EVERY : check->until - clock_monotonic();
		result = patience_await(patience, over, left > 0 ? left : 0);
	}
	if (over != -1)
		close(over);
	if (result == ACQUIRE_FAULT)
		fault_set(fault, FAULT_SYSTEM, errno, "--eligible");
	end(check);
	if (result != ACQUIRE_TAKEN)
		return result;
	return eligible == ELIGIBLE_YES ? ACQUIRE_TAKEN : ACQUIRE_INELIGIBLE;
}

/* ---- while leading ---- */

void
eligibility_watch_begin(struct eligibility_watch *watch, const struct eligibility *eligibility)
{
	*watch = (struct eligibility_watch){.with = eligibility, .ask_at = DURATION_NEVER};
	if (eligibility == NULL || eligibility->every == DURATION_NEVER)
		return;
	watch->monotonic = clock_monotonic();
	watch->boottime = clock_boottime();
	watch->ask_at = clock_after(watch->monotonic, eligibility->every);
}

/* Who slept may have slept through the reason not to lead. */
static void
look_whether_slept(struct eligibility_watch *watch, duration_t now)
{
	const duration_t boottime = clock_boottime();

	if (duration_slept(now - watch->monotonic, boottime - watch->boottime))
		watch->ask_at = now;
	watch->monotonic = now;
	watch->boottime = boottime;
}

enum eligible
eligibility_watch_look(struct eligibility_watch *watch)
{
	const duration_t now = clock_monotonic();
	enum eligible eligible = ELIGIBLE_NOT_KNOWN;
	struct fault fault;

	if (watch->ask_at == DURATION_NEVER)
		return eligible;
	look_whether_slept(watch, now);
	if (watch->check.pid != 0) {
		eligible = look(&watch->check);
	} else if (now >= watch->ask_at && begin(&watch->check, watch->with, &fault) == -1) {
		strlcpy(
		    watch->check.text, "the check could not be made", sizeof(watch->check.text));
		eligible = ELIGIBLE_NO;
	}
	if (eligible != ELIGIBLE_NOT_KNOWN)
		watch->ask_at = clock_after(now, watch->with->every);
	return eligible;
}

duration_t
eligibility_watch_next(const struct eligibility_watch *watch)
{
	return watch->check.pid != 0 ? watch->check.until : watch->ask_at;
}

void
eligibility_watch_end(struct eligibility_watch *watch)
{
	end(&watch->check);
	watch->ask_at = DURATION_NEVER;
}
