/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "values/record.h"
#include "values/slot.h"

void
number_pack(const struct number *number, char slot[NUMBER_SLOT_SIZE])
{
	char text[NUMBER_SLOT_SIZE];

	snprintf(text, sizeof(text),
	    "sequence=%" PRIu64 " last=%" PRIu64 " ceiling=%" PRIu64 " raising=%" PRIu64 " boot=%s",
	    number->sequence, number->last, number->ceiling, number->raising,
	    number->boot[0] != '\0' ? number->boot : "-");
	slot_seal(text, slot, NUMBER_SLOT_SIZE);
}

bool
number_unpack(const char slot[NUMBER_SLOT_SIZE], struct number *number)
{
	char again[NUMBER_SLOT_SIZE];
	struct slot_reader reader;
	struct number found;

	if (!slot_sound(slot, NUMBER_SLOT_SIZE))
		return false;
	slot_read(slot, NUMBER_SLOT_SIZE, &reader);
	found.sequence = slot_take_number(&reader, "sequence");
	found.last = slot_take_number(&reader, "last");
	found.ceiling = slot_take_number(&reader, "ceiling");
	found.raising = slot_take_number(&reader, "raising");
	slot_take_word(&reader, "boot", found.boot, sizeof(found.boot));
	if (reader.bad)
		return false;
	number_pack(&found, again);
	if (memcmp(again, slot, NUMBER_SLOT_SIZE) != 0)
		return false;
	*number = found;
	return true;
}

/*
 * A slot that carries the other slot's parity was written by nobody who keeps the rules (a copy, a
 * shifted file): it counts as damaged, whatever its sum says. So the two slots never carry the
 * same sequence.
 */
static bool
slot_usable(const char *file, unsigned slot, struct number *number)
{
	return number_unpack(file + (size_t)slot * NUMBER_SLOT_SIZE, number) &&
	       number->sequence != 0 && number->sequence % NUMBER_SLOTS == slot;
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Above all that can have been given by whoever wrote this. */
static uint64_t
highest(const struct number *number)
{
	return larger(number->last, larger(number->ceiling, number->raising));
}

/*
 * Within one boot what was written is what is read, even if it was never synced: then the newer
 * slot tells the last generation. Two slots that are not of neighbouring writes are of no such
 * history, even if the boot is the same (a file from a backup, one slot written by hand).
 */
static bool
same_history(const struct number *newer, const struct number *older, const char *boot)
{
	return boot[0] != '\0' && strcmp(newer->boot, boot) == 0 &&
	       strcmp(older->boot, boot) == 0 && newer->sequence - older->sequence == 1;
}

static bool
needs_raise(const struct number *slot, uint64_t next)
{
	return slot->raising != 0 || slot->ceiling < next;
}

/*
 * The ceiling is written and synced before the first one is given. But who goes on after a damaged
 * slot writes none at first either: that is told by the two that are `raising` then.
 */
static bool
is_fresh(const struct number *newer, const struct number *older)
{
	return newer->ceiling == 0 && older->ceiling == 0 && older->raising == 0;
}

bool
number_plan(const char file[NUMBER_FILE_SIZE], const char *boot, struct number_plan *plan)
{
	struct number slots[NUMBER_SLOTS];
	bool sound[NUMBER_SLOTS], trusted = false;
	unsigned newer;
	uint64_t last;

	memset(plan, 0, sizeof(*plan));
	for (unsigned i = 0; i < NUMBER_SLOTS; i++)
		sound[i] = slot_usable(file, i, &slots[i]);
	if (!sound[0] && !sound[1])
		return false;
	if (sound[0] && sound[1]) {
		newer = slots[1].sequence > slots[0].sequence;
		trusted = same_history(&slots[newer], &slots[!newer], boot);
		last = larger(highest(&slots[0]), highest(&slots[1]));
	} else {
		newer = sound[1];
		last = highest(&slots[newer]);
	}
	plan->current = slots[newer];
	plan->trusted = trusted;
	plan->whole = sound[0] && sound[1];
	plan->fresh = plan->whole && is_fresh(&slots[newer], &slots[!newer]);
	if (trusted)
		last = plan->current.last;
	if (last >= INT64_MAX)
		return true;
	plan->next = last + 1;
	plan->raise =
	    !trusted || needs_raise(&slots[0], plan->next) || needs_raise(&slots[1], plan->next);
	if (plan->raise && plan->next > INT64_MAX - (NUMBER_STEP - 1))
		plan->ceiling = INT64_MAX;
	else if (plan->raise)
		plan->ceiling = larger(plan->next + NUMBER_STEP - 1, plan->current.raising);
	return true;
}

bool
number_highest(const char file[NUMBER_FILE_SIZE], struct number_highest *found)
{
	struct number slots[NUMBER_SLOTS];
	bool sound[NUMBER_SLOTS];
	uint64_t newer = 0;

	*found = (struct number_highest){0};
	for (unsigned i = 0; i < NUMBER_SLOTS; i++) {
		sound[i] = slot_usable(file, i, &slots[i]);
		if (!sound[i])
			continue;
		found->generation = larger(found->generation, highest(&slots[i]));
		newer = larger(newer, slots[i].sequence);
	}
	found->kept = sound[0] && sound[1] && slots[0].last == slots[1].last;
	found->next = newer + (found->kept ? NUMBER_SLOTS : 1);
	return sound[0] || sound[1];
}
