/* SPDX-License-Identifier: ISC */
/* What doctor looks at; each look gives one finding. */
#ifndef LOCKRUN_COMMANDS_DOCTOR_H
#define LOCKRUN_COMMANDS_DOCTOR_H

#include <stdint.h>

#include "kernel/process.h"
#include "kernel/lockdir.h"
#include "values/fault.h"

enum verdict {
	VERDICT_OK,
	VERDICT_WARN,
	VERDICT_FAIL,
};

struct finding {
	enum verdict verdict;
	char text[FAULT_MESSAGE_SIZE]; /* what was found, and what to do */
};

/* Set a finding; the text is a printf(3) format. */
void finding_set(struct finding *finding, enum verdict verdict, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

/* What the lock of a trial is called, up to the doctor's pid. */
#define DOCTOR_TRIAL "lockrun:v1:leader:doctor:"

/*
 * Real contenders in this very directory, under a name of their own that is removed again: is one
 * kept out while another leads, is order kept, does the next lead when a leader is killed, does the
 * generation rise? Takes about a second; gives up after a minute.
 */
void doctor_trial(
    const struct statedir *directory, const struct process_entry *entry, struct finding *finding);

/*
 * What was left behind, and damaged numbers. repair removes the former; the latter need a floor
 * and a person: doctor_mend.
 */
void doctor_leftovers(const struct statedir *directory, bool repair, struct finding *finding);

/*
 * The highest generation that locks which are forgotten had: is it there to be read? repair writes
 * a damaged one anew, above all that the locks in the directory had.
 */
void doctor_floor(const struct statedir *directory, bool repair, struct finding *finding);

/* What the records of a lock, and the floor, say was given; for a damaged number. */
uint64_t doctor_highest(const struct lockdir *lock);

/*
 * Write a sound number whose next generation is *floor + 1; a floor below what can be told to have
 * been given is raised to that first. *wanted is the least that doctor itself would have named.
 * Returns 0, or -1 with a fault.
 */
int doctor_mend(const struct statedir *directory, const char *name, uint64_t *floor,
    uint64_t *wanted, struct fault *fault);

#endif
