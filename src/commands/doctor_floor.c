/* SPDX-License-Identifier: ISC */
#include "commands/doctor.h"

#include <inttypes.h>

#include "election/floor.h"
#include "election/generation.h"
#include "election/view.h"

/* One step more for what the records do not say. */
static uint64_t
above(const struct lockdir *lock)
{
	uint64_t recorded = doctor_highest(lock), given;
	struct fault fault;

	if (generation_highest(lock, &given, &fault) == 0 && given > recorded)
		recorded = given;
	return recorded < INT64_MAX - NUMBER_STEP ? recorded + NUMBER_STEP : INT64_MAX;
}

/* Above all that the locks in here had: those that came back began above the floor of then. */
static uint64_t
suggest(const struct statedir *directory)
{
	uint64_t floor = NUMBER_STEP, needed;
	struct lockdir lock;
	struct names names;
	struct fault fault;

	if (names_read(directory, &names, &fault) == -1)
		return floor;
	for (size_t i = 0; i < names.count; i++) {
		if (lockdir_open(directory, names.items[i], STATE_READ, NULL, 0, &lock, &fault) ==
		    -1)
			continue;
		needed = above(&lock);
		floor = needed > floor ? needed : floor;
		lockdir_close(&lock);
	}
	names_free(&names);
	return floor;
}

static void
mend(const struct statedir *directory, struct finding *finding)
{
	const uint64_t floor = suggest(directory);
	char text[FAULT_MESSAGE_SIZE];
	struct fault fault;

	if (floor_mend(directory, floor, &fault) == -1)
		finding_set(finding, VERDICT_FAIL, "%s", fault_text(&fault, text, sizeof(text)));
	else
		finding_set(finding, VERDICT_WARN,
		    "was damaged; now %" PRIu64 ", above all that the locks in here had: if "
		    "a receiver has seen more of a lock that was forgotten, mend that lock when "
		    "it is back",
		    floor);
}

void
doctor_floor(const struct statedir *directory, bool repair, struct finding *finding)
{
	char text[FAULT_MESSAGE_SIZE];
	struct fault fault;
	uint64_t floor;

	if (floor_read(directory, &floor, &fault) == 0 && floor == 0)
		finding_set(finding, VERDICT_OK, "none, since no lock was forgotten yet");
	else if (floor != 0)
		finding_set(finding, VERDICT_OK,
		    "%" PRIu64 ", above which a lock that was forgotten begins anew", floor);
	else if (fault.kind != FAULT_NUMBER_DAMAGED)
		finding_set(finding, VERDICT_FAIL, "%s", fault_text(&fault, text, sizeof(text)));
	else if (repair)
		mend(directory, finding);
	else
		finding_set(finding, VERDICT_FAIL,
		    "damaged, so that no new lock can begin and none be forgotten; --repair writes "
		    "%" PRIu64 ", which is above all that the locks in here had",
		    suggest(directory));
}
