/* SPDX-License-Identifier: ISC */
/* lockrun history: the last terms of a lock, the newest first. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/describe.h"
#include "commands/paper.h"
#include "commands/say.h"
#include "commands/target.h"
#include "commands/write_json.h"
#include "election/roster.h"
#include "election/terms.h"
#include "kernel/clock.h"

static const char *
length(int64_t from_ms, int64_t to_ms, char text[DURATION_TEXT_SIZE])
{
	return from_ms == 0 || to_ms == 0
		   ? "-"
		   : duration_format((to_ms - from_ms) * DURATION_MILLISECOND, text);
}

static const char *
ending_of(const struct term *term, char text[DESCRIBE_SIZE])
{
	if (term->stage == TERM_UNREPORTED)
		return "nobody reports its end (--no-fork)";
	return term->stage == TERM_ENDED ? describe_outcome(term, text) : "no end is recorded";
}

static void
print_term(const struct term *term, bool leads)
{
	char begun[CLOCK_TEXT_SIZE], waited[DURATION_TEXT_SIZE], held[DURATION_TEXT_SIZE],
	    outcome[DESCRIBE_SIZE], command[SAY_CLEAN_SIZE], note[SAY_CLEAN_SIZE];
	const bool well = term->stage == TERM_ENDED && term->reason == REASON_FINISHED;

	paper_line(well ? INK_PLAIN : INK_CARE, "%10" PRIu64 "  %s  %8s  %8s  %s: %s%s%s",
	    term->generation, clock_text(term->begun_ms, begun),
	    length(term->queued_ms, term->begun_ms, waited),
	    length(term->begun_ms, term->ended_ms, held), say_clean(term->command, command),
	    leads ? "still leads" : ending_of(term, outcome), term->note[0] != '\0' ? ", " : "",
	    say_clean(term->note, note));
}

static int
newest_first(const void *a, const void *b)
{
	const struct term *first = a, *second = b;

	return (second->generation > first->generation) - (second->generation < first->generation);
}

/* Generations have gaps, as after each boot; a slot holds the newest of those that share it. */
static void
for_each_term(const struct lockdir *lock, void (*each)(const struct term *, void *), void *context)
{
	struct term terms[TERM_SLOTS];
	size_t count = 0;

	if (lock->fd == -1)
		return;
	for (uint64_t slot = 0; slot < TERM_SLOTS; slot++)
		count += terms_read_slot(lock, slot, &terms[count]);
	qsort(terms, count, sizeof(terms[0]), newest_first);
	for (size_t i = 0; i < count; i++)
		each(&terms[i], context);
}

/* The generation whose term goes on; 0 for none. */
static uint64_t
leading_generation(const struct lockdir *lock)
{
	struct roster roster;
	struct fault fault;
	uint64_t leading = 0;

	if (roster_read(lock, &roster, &fault) == -1)
		return 0;
	if (roster_is_held(&roster) && roster.has_last_term && roster.last_term.stage != TERM_ENDED)
		leading = roster.generation;
	roster_free(&roster);
	return leading;
}

static void
print_each(const struct term *term, void *context)
{
	const uint64_t *leading = context;

	print_term(term, term->generation == *leading);
}

static void
write_each(const struct term *term, void *context)
{
	write_term(context, NULL, term);
}

static void
print_json(const struct target *target)
{
	struct json json;

	write_begin(&json, &target->directory);
	json_string(&json, "name", target->name.text);
	json_array(&json, "terms");
	for_each_term(&target->lock, write_each, &json);
	json_array_end(&json);
	write_end(&json);
}

struct ending
command_history(char **arguments, struct process_entry *entry)
{
	struct target target;
	struct options options;
	struct ending ending;
	uint64_t leading;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_HISTORY, arguments, &options, &ending))
		return ending;
	if (target_open(SUB_HISTORY, &options, 1, &target, &fault) == -1)
		return say_fault(&fault);
	if (options.json) {
		print_json(&target);
	} else {
		paper_begin();
		paper_line(INK_FAINT, "%10s  %-24s  %8s  %8s  %s", "generation", "begun", "waited",
		    "held", "command: how it ended, note");
		leading = leading_generation(&target.lock);
		for_each_term(&target.lock, print_each, &leading);
	}
	return ending;
}
