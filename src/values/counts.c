/* SPDX-License-Identifier: ISC */
/* Counting terms and skips: the sums in `terms`, and `skips`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "values/record.h"
#include "values/slot.h"

void
sums_pack(const struct sums *sums, char slot[TERM_SLOT_SIZE])
{
	char text[TERM_SLOT_SIZE];

	snprintf(text, sizeof(text),
	    "finished=%" PRIu64 " failed=%" PRIu64 " stepped-down=%" PRIu64 " not-started=%" PRIu64
	    " waited=%" PRId64 " held=%" PRId64 " longest=%" PRId64,
	    sums->finished, sums->failed, sums->stepped_down, sums->not_started, sums->waited_ms,
	    sums->held_ms, sums->longest_held_ms);
	slot_seal(text, slot, TERM_SLOT_SIZE);
}

bool
sums_unpack(const char slot[TERM_SLOT_SIZE], struct sums *sums)
{
	char again[TERM_SLOT_SIZE];
	struct slot_reader reader;
	struct sums found;

	if (!slot_sound(slot, TERM_SLOT_SIZE))
		return false;
	slot_read(slot, TERM_SLOT_SIZE, &reader);
	found.finished = slot_take_number(&reader, "finished");
	found.failed = slot_take_number(&reader, "failed");
	found.stepped_down = slot_take_number(&reader, "stepped-down");
	found.not_started = slot_take_number(&reader, "not-started");
	found.waited_ms = slot_take_signed(&reader, "waited");
	found.held_ms = slot_take_signed(&reader, "held");
	found.longest_held_ms = slot_take_signed(&reader, "longest");
	if (reader.bad)
		return false;
	sums_pack(&found, again);
	if (memcmp(again, slot, TERM_SLOT_SIZE) != 0)
		return false;
	*sums = found;
	return true;
}

/* A clock that was set back must not make a sum go back. */
static int64_t
length_ms(int64_t from_ms, int64_t to_ms)
{
	return to_ms > from_ms ? to_ms - from_ms : 0;
}

void
sums_add(struct sums *sums, const struct term *term)
{
	const int64_t held_ms = length_ms(term->begun_ms, term->ended_ms);

	switch (term_outcome(term, "")) {
	case OUTCOME_NOT_STARTED:
		sums->not_started++;
		break;
	case OUTCOME_FINISHED:
		sums->finished++;
		break;
	case OUTCOME_FAILED:
		sums->failed++;
		break;
	case OUTCOME_STEPPED_DOWN:
		sums->stepped_down++;
		break;
	default:
		break;
	}
	sums->waited_ms += length_ms(term->queued_ms, term->begun_ms);
	sums->held_ms += held_ms;
	if (held_ms > sums->longest_held_ms)
		sums->longest_held_ms = held_ms;
}

void
skips_pack(const struct skips *skips, char slot[SKIPS_SIZE])
{
	char text[SKIPS_SIZE];

	snprintf(text, sizeof(text),
	    "total=%" PRIu64 " generation=%" PRIu64 " since=%" PRIu64 " last=%" PRId64,
	    skips->total, skips->generation, skips->since, skips->last_ms);
	slot_seal(text, slot, SKIPS_SIZE);
}

bool
skips_unpack(const char slot[SKIPS_SIZE], struct skips *skips)
{
	char again[SKIPS_SIZE];
	struct slot_reader reader;
	struct skips found;

	if (!slot_sound(slot, SKIPS_SIZE))
		return false;
	slot_read(slot, SKIPS_SIZE, &reader);
	found.total = slot_take_number(&reader, "total");
	found.generation = slot_take_number(&reader, "generation");
	found.since = slot_take_number(&reader, "since");
	found.last_ms = slot_take_signed(&reader, "last");
	if (reader.bad)
		return false;
	skips_pack(&found, again);
	if (memcmp(again, slot, SKIPS_SIZE) != 0)
		return false;
	*skips = found;
	return true;
}

void
skips_add(struct skips *skips, uint64_t generation, int64_t now_ms)
{
	if (skips->generation != generation)
		skips->since = 0;
	skips->generation = generation;
	skips->since++;
	skips->total++;
	skips->last_ms = now_ms;
}
