/* SPDX-License-Identifier: ISC */
/*
 * The generation of a lock: a number that only grows, through SIGKILL, reboot and power loss.
 *
 * What makes it so, and MUST stay:
 *  - only who holds the lock writes `number`;
 *  - the two slots are written in turn, so that a torn or lost write leaves the other one;
 *  - no generation is given above a ceiling that was synced before ("raise, then sync" gave numbers
 *    twice after a power cut; so the new ceiling is written as `raising`, synced, and only then
 *    written as the ceiling, and synced again: a `raising` that stays would call for another raise
 *    at every term);
 *  - none is given before every directory on the way to `number` was synced;
 *  - whatever cannot be trusted (another boot, a damaged slot) goes on above everything that could
 *    have been given.
 * Gaps are fine, going back is not.
 */
#ifndef LOCKRUN_ELECTION_GENERATION_H
#define LOCKRUN_ELECTION_GENERATION_H

#include <stdint.h>

#include "kernel/lockdir.h"
#include "values/record.h"

/* What a new `number` holds: nothing was given, and nothing is paid for. */
void generation_seed(char file[NUMBER_FILE_SIZE]);

/* A generation that can be given; number is its file, -1 once that is closed. */
struct generation {
	int number;
	struct number_plan plan; /* plan.next is the generation */
	char boot[BOOT_ID_SIZE];
};

/*
 * Find out which generation is the next. Call only while holding the lock. Writes nothing. Returns
 * 0, or -1 with a fault and generation_close done; else generation_close ends it.
 */
int generation_look(const struct lockdir *lock, struct generation *generation, struct fault *fault);

/*
 * Give it. Writes one slot; once in NUMBER_STEP terms, and after anything that cannot be trusted,
 * three, and a sync after each of the first two; the very first time the directories above are
 * synced as well. With sync the last write is synced, too. Returns 0, or -1 with a fault and
 * nothing to be used.
 */
int generation_give(
    const struct lockdir *lock, struct generation *generation, bool sync, struct fault *fault);

void generation_close(struct generation *generation);

/*
 * What `number` says, for readers. Reads again when it meets a write in progress. Returns false
 * when it is missing or damaged.
 */
bool generation_read(const struct lockdir *lock, const char *boot, struct number_plan *plan);

/*
 * The newest generation that was given, for readers; 0 for none, or when it cannot be told.
 * Reads again when it meets a write in progress.
 */
uint64_t generation_last(const struct lockdir *lock);

/*
 * The highest generation that can have been given, also by an earlier boot whose last writes were
 * lost. Call only while holding the lock. Returns 0, or -1 with a fault when that cannot be told.
 */
int generation_highest(const struct lockdir *lock, uint64_t *generation, struct fault *fault);

/* Whether a generation could be given: `number` is there, and one of its slots is sound. */
bool generation_is_sound(const struct lockdir *lock);

/*
 * Write `number` anew, so that the next generation is floor + 1, and sync it. Call only while
 * holding the lock, when a person has decided. Returns 0, or -1 with a fault.
 */
int generation_mend(const struct lockdir *lock, uint64_t floor, struct fault *fault);

#endif
