/* SPDX-License-Identifier: ISC */
/* lockrun status: who leads, since when; who waits; how the last term ended. */
#include "commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "commands/status_json.h"
#include "election/view.h"
#include "kernel/clock.h"

static const char *
state_word(const struct roster *roster)
{
	const struct roster_entry *holder = roster_holder(roster);

	if (holder != NULL)
		return strcmp(holder->text.condition, "stepping-down") == 0 ? "stepping down"
									    : "led";
	if (roster->unsupervised)
		return "led without supervision";
	if (roster->orphaned)
		return "orphaned";
	return roster->count > 0 ? "being handed over" : "idle";
}

static void
print_entry(const struct roster_entry *entry, const char *role)
{
	char who[DESCRIBE_SIZE], since[DURATION_TEXT_SIZE];

	printf("  %-12s %s for %s", role, describe_contender(entry, who),
	    describe_since(entry->text.since_ms, since));
	if (entry->text.reason[0] != '\0')
		printf(", stepping down: %s", entry->text.reason);
	putchar('\n');
}

static void
print_last_term(const struct roster *roster)
{
	const struct term *term = &roster->last_term;
	char outcome[DESCRIBE_SIZE], since[DURATION_TEXT_SIZE];

	if (!roster->has_last_term || roster->held > 0)
		return;
	if (term->stage == TERM_ENDED)
		printf("  %-12s generation %" PRIu64 " %s, %s ago\n", "last term", term->generation,
		    describe_outcome(term, outcome), describe_since(term->ended_ms, since));
	else if (term->stage == TERM_UNREPORTED)
		printf("  %-12s generation %" PRIu64 " began %s ago; nobody reports its end "
		       "(--no-fork)\n",
		    "last term", term->generation, describe_since(term->begun_ms, since));
	else
		printf("  %-12s generation %" PRIu64 " began %s ago; its end is not known\n",
		    "last term", term->generation, describe_since(term->begun_ms, since));
}

static void
print_view(const struct view *view)
{
	const struct roster *roster = &view->roster;
	char role[32];
	size_t position = 0;

	printf("%s: %s", view->name.text, state_word(roster));
	if (roster->generation != 0)
		printf(", generation %" PRIu64, roster->generation);
	putchar('\n');
	for (size_t i = 0; i < roster->count; i++) {
		if (roster->entries[i].ticket.state == TICKET_HOLDING)
			snprintf(role, sizeof(role), "leader");
		else
			snprintf(role, sizeof(role), "waiter %zu", ++position);
		print_entry(&roster->entries[i], role);
	}
	print_last_term(roster);
	for (size_t i = 0; i < view->version_count; i++)
		printf("  %-12s %s is led as well: another version is another lock\n", "remark",
		    view->versions[i]);
}

static void
print_text(const struct statedir *directory, const struct views *views)
{
	char now[CLOCK_TEXT_SIZE];

	printf("in %s, as of %s\n", directory->path, clock_text(clock_realtime_ms(), now));
	for (size_t i = 0; i < views->count; i++)
		print_view(&views->items[i]);
	if (views->count == 0)
		puts("no locks");
}

struct ending
command_status(char **arguments, struct process_entry *entry)
{
	struct statedir directory;
	struct options options;
	struct ending ending;
	struct views views;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_STATUS, arguments, &options, &ending))
		return ending;
	if (statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    views_read(&directory, options.words, options.word_count, &views, &fault) == -1)
		return say_fault(&fault);
	if (options.json)
		status_print_json(&directory, &views);
	else
		print_text(&directory, &views);
	views_free(&views);
	return (struct ending){.status = STATUS_OK};
}
