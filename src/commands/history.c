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

static void
print_term(const struct term *term, void *context)
{
	const struct roster *roster = context;
	const enum term_outcome outcome = roster_outcome(roster, term);
	char begun[CLOCK_TEXT_SIZE], waited[DURATION_TEXT_SIZE], held[DURATION_TEXT_SIZE],
	    end[DESCRIBE_SIZE], command[SAY_CLEAN_SIZE], note[SAY_CLEAN_SIZE];

	paper_line(outcome == OUTCOME_FINISHED ? INK_PLAIN : INK_CARE,
	    "%10" PRIu64 "  %s  %8s  %8s  %s: %s%s%s", term->generation,
	    clock_text(term->begun_ms, begun), length(term->queued_ms, term->begun_ms, waited),
	    length(term->begun_ms, term->ended_ms, held), say_clean(term->command, command),
	    roster_leads(roster, term) ? "still leads" : describe_end(term, outcome, end),
	    term->note[0] != '\0' ? ", " : "", say_clean(term->note, note));
}

static int
newest_first(const void *a, const void *b)
{
	const struct term *first = a, *second = b;

	return (second->generation > first->generation) - (second->generation < first->generation);
}

/* Generations have gaps, as after each boot; a slot holds the newest of those that share it. */
static void
for_each_term(const struct lockdir *lock, const struct roster *roster,
    void (*each)(const struct term *, void *), void *context)
{
	struct term terms[TERM_SLOTS];
	size_t count = 0;

	if (lock->fd == -1)
		return;
	for (uint64_t slot = 0; slot < TERM_SLOTS; slot++)
		count += terms_read_slot(lock, slot, &terms[count]);
	qsort(terms, count, sizeof(terms[0]), newest_first);
	for (size_t i = 0; i < count; i++) {
		/* Its number is not given yet, or never was. */
		if (terms[i].stage == TERM_BEGUN && terms[i].generation > roster->generation)
			continue;
		each(&terms[i], context);
	}
}

struct document {
	struct json json;
	const struct roster *roster;
};

static void
write_each(const struct term *term, void *context)
{
	struct document *document = context;

	write_term(&document->json, NULL, document->roster, term);
}

static void
print_json(const struct target *target, const struct roster *roster)
{
	struct document document = {.roster = roster};
	struct json *json = &document.json;

	write_begin(json, &target->directory);
	json_string(json, "name", target->name.text);
	json_array(json, "terms");
	for_each_term(&target->lock, roster, write_each, &document);
	json_array_end(json);
	write_end(json);
}

struct ending
command_history(char **arguments, struct process_entry *entry)
{
	char text[DESCRIBE_SIZE];
	struct target target;
	struct options options;
	struct ending ending;
	struct roster roster;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_HISTORY, arguments, &options, &ending))
		return ending;
	if (target_open(SUB_HISTORY, &options, 1, &target, &fault) == -1 ||
	    roster_read(&target.lock, &roster, &fault) == -1)
		return say_fault(&fault);
	if (options.json) {
		print_json(&target, &roster);
	} else if (roster.absent) {
		say("%s: no terms%s", target.name.text, describe_absence(&target.lock, text));
	} else {
		paper_begin();
		paper_line(INK_FAINT, "%10s  %-24s  %8s  %8s  %s", "generation", "begun", "waited",
		    "held", "command: how it ended, note");
		for_each_term(&target.lock, &roster, print_term, &roster);
	}
	if (roster.damage.kind != FAULT_NONE)
		ending = say_fault(&roster.damage);
	roster_free(&roster);
	return ending;
}
