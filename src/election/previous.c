/* SPDX-License-Identifier: ISC */
#include "election/previous.h"

#include "election/generation.h"
#include "election/terms.h"
#include "kernel/clock.h"

struct previous
previous_after(const struct lockdir *lock, const struct number_plan *plan, const char *boot)
{
	struct term newest;
	const bool found = terms_newest(lock, plan, &newest);

	return previous_find(plan, found ? &newest : NULL, boot);
}

struct previous
previous_read(const struct lockdir *lock)
{
	const struct told_outcome unknown = {.outcome = OUTCOME_UNKNOWN};
	char boot[BOOT_ID_SIZE];
	struct number_plan plan;

	if (lock->fd == -1)
		return (struct previous){0};
	clock_boot_id(boot);
	if (!generation_read(lock, boot, &plan))
		return (struct previous){.last = unknown, .ran = unknown};
	return previous_after(lock, &plan, boot);
}
