/* SPDX-License-Identifier: ISC */
/* lockrun status: who leads, since when; who waits; how the last term ended. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/paper.h"
#include "commands/say.h"
#include "commands/write_json.h"
#include "election/view.h"
#include "kernel/clock.h"

struct headline {
	const char *word;
	enum ink ink;
};

static struct headline
headline(const struct roster *roster)
{
	const struct roster_entry *holder = roster_holder(roster);

	if (holder != NULL && holder->frozen)
		return (struct headline){"led by a frozen process", INK_BAD};
	if (holder != NULL && holder->silent && holder->text.reason[0] == '\0')
		return (struct headline){"led by a silent command", INK_BAD};
	if (holder != NULL && strcmp(holder->text.condition, "stepping-down") == 0)
		return (struct headline){"stepping down", INK_CARE};
	if (holder != NULL)
		return (struct headline){
		    holder->ticket.mode == TICKET_SHARED ? "shared" : "led", INK_GOOD};
	if (roster->unsupervised)
		return (struct headline){"led without supervision", INK_GOOD};
	if (roster->orphaned)
		return (struct headline){"orphaned", INK_BAD};
	if (roster_waiting(roster) > 0)
		return (struct headline){"being handed over", INK_CARE};
	if (roster->resting > 0)
		return (struct headline){"resting", INK_CARE};
	if (roster->absent)
		return (struct headline){"idle; no lock of this name here", INK_CARE};
	return (struct headline){"idle", INK_PLAIN};
}

/* ", since 2026-11-30T14:59:01Z": what is nearer stands in for how long. */
static void
put_begin(int64_t since_ms, char text[64])
{
	char time[CLOCK_TEXT_SIZE];

	clock_text(since_ms, time);
	snprintf(text, 64, ", since %.*sZ", (int)strcspn(time, "."), time);
}

static void
print_entry(const struct roster_entry *entry, const char *role)
{
	const bool joins =
	    entry->ticket.kind == TICKET_JOIN && entry->ticket.state == TICKET_WAITING;
	const char *reason = entry->text.reason, *lacks = describe_lack(entry);
	char who[DESCRIBE_SIZE], since[DURATION_TEXT_SIZE], begun[64] = "";

	if (entry->ticket.state == TICKET_HOLDING)
		put_begin(entry->text.since_ms, begun);
	paper_line(entry->frozen ? INK_BAD : INK_PLAIN, "  %-12s %s for %s%s%s%s%s%s%s", role,
	    describe_leader(entry, describe_command_pid(entry), who),
	    describe_since(entry->text.since_ms, since),
	    joins	    ? ", to join"
	    : lacks != NULL ? ", next, "
			    : "",
	    !joins && lacks != NULL ? lacks : "", reason[0] != '\0' ? ", stepping down: " : "",
	    reason, entry->frozen ? ", frozen (SIGCONT lets it go on)" : "", begun);
}

/* What the command says of itself, and how long ago it gave a sign of life. */
static void
print_life(const struct roster_entry *entry)
{
	const struct ticket_text *text = &entry->text;
	const enum ink ink = entry->silent ? INK_BAD : INK_PLAIN;
	char age[DURATION_TEXT_SIZE], limit[DURATION_TEXT_SIZE], report[SAY_CLEAN_SIZE];

	if (text->watchdog_ms == 0 || entry->ticket.state != TICKET_HOLDING)
		return;
	duration_format(text->watchdog_ms * DURATION_MILLISECOND, limit);
	if (text->heard_ms == 0)
		paper_line(ink, "  %-12s none yet (watchdog %s)", "sign of life", limit);
	else
		paper_line(ink, "  %-12s %s ago (watchdog %s)", "sign of life",
		    describe_since(text->heard_ms, age), limit);
	if (text->report[0] != '\0')
		paper_line(INK_PLAIN, "  %-12s %s", "report", say_clean(text->report, report));
}

static void
print_last_term(const struct roster *roster)
{
	const struct told_outcome *told = &roster->previous.last;
	const struct term *term = &roster->last_term;
	char what[DESCRIBE_SIZE];

	if (roster->held > 0)
		return;
	if (!roster->has_last_term && told->generation != 0)
		paper_line(INK_FAINT, "  %-12s generation %" PRIu64 " %s, without a record",
		    "last term", told->generation, term_outcome_word(told->outcome));
	else if (roster->has_last_term)
		paper_line(INK_FAINT, "  %-12s generation %" PRIu64 " %s", "last term",
		    term->generation, describe_term(term, roster_outcome(roster, term), what));
}

static void
print_skips(const struct roster *roster)
{
	const struct skips *skips = &roster->skips;
	char since[DURATION_TEXT_SIZE];

	if (skips->total == 0)
		return;
	paper_line(INK_FAINT,
	    "  %-12s %" PRIu64 " turned away since generation %" PRIu64 " began, %" PRIu64
	    " in all, the last %s ago",
	    "skips", skips->generation == roster->generation ? skips->since : 0, roster->generation,
	    skips->total, describe_since(skips->last_ms, since));
}

/* The newest generation belongs to an exclusive term: while others share, it is an old one's. */
static bool
has_generation(const struct roster *roster)
{
	const struct roster_entry *holder = roster_holder(roster);

	if (roster->generation == 0 || roster->orphans_share)
		return false;
	return holder == NULL || holder->ticket.mode == TICKET_EXCLUSIVE;
}

/* What a killed lockrun left behind, of which stop --force ends all. */
static void
print_left(const struct view *view)
{
	char name[SAY_CLEAN_SIZE];

	for (size_t i = 0; i < view->left_count; i++)
		paper_line(INK_BAD, "  %-12s pid %d (%s)", i == 0 ? "processes" : "",
		    view->left[i].pid, say_clean(view->left[i].name, name));
}

static void
print_view(const struct view *view)
{
	const struct roster *roster = &view->roster;
	struct headline head = headline(roster);
	char role[32], who[DESCRIBE_SIZE];
	size_t position = 0;

	if (view->outside.pid != 0)
		head = (struct headline){describe_outside(&view->outside, who), INK_CARE};
	if (has_generation(roster))
		paper_line(head.ink, "%s: %s, generation %" PRIu64, view->name, head.word,
		    roster->generation);
	else
		paper_line(head.ink, "%s: %s", view->name, head.word);
	if (roster->orphaned || roster->unsupervised)
		paper_line(head.ink, "  %-12s %s", "leader", describe_hold(roster, "", who));
	print_left(view);
	for (size_t i = 0; i < roster->count; i++) {
		if (roster->entries[i].ticket.state == TICKET_RESTING)
			strlcpy(role, describe_rest(&roster->entries[i]), sizeof(role));
		else if (roster->entries[i].ticket.state == TICKET_WAITING)
			snprintf(role, sizeof(role), "waiter %zu", ++position);
		else if (roster->entries[i].ticket.mode == TICKET_SHARED)
			strlcpy(role, "holder", sizeof(role));
		else
			strlcpy(role, "leader", sizeof(role));
		print_entry(&roster->entries[i], role);
		print_life(&roster->entries[i]);
	}
	print_last_term(roster);
	print_skips(roster);
	for (size_t i = 0; i < view->version_count; i++)
		paper_line(INK_CARE, "  %-12s %s is led as well: another version is another lock",
		    "remark", view->versions[i]);
}

static void
print_text(const struct statedir *directory, struct views *views, struct ending *ending)
{
	const struct view *view;
	char now[CLOCK_TEXT_SIZE];

	paper_begin();
	paper_line(INK_FAINT, "in %s%s, as of %s", directory->path,
	    directory->fd == -1 ? " (does not exist)" : "", clock_text(clock_realtime_ms(), now));
	while ((view = views_next(views)) != NULL) {
		if (view->shown)
			print_view(view);
		if (view->fault.kind != FAULT_NONE)
			*ending = say_fault(&view->fault);
	}
	if (views_count(views) == 0)
		paper_line(INK_PLAIN, "no locks");
}

static void
print_json(const struct statedir *directory, struct views *views, struct ending *ending)
{
	const struct view *view;
	struct json json;

	write_begin(&json, directory);
	json_array(&json, "locks");
	while ((view = views_next(views)) != NULL) {
		if (view->shown)
			write_view(&json, view);
		if (view->fault.kind != FAULT_NONE)
			*ending = say_fault(&view->fault);
	}
	json_array_end(&json);
	write_end(&json);
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
	    views_begin(&directory, options.words, options.word_count, &views, &fault) == -1)
		return say_fault(&fault);
	/* One that cannot be read hides none of the others. */
	if (options.json)
		print_json(&directory, &views, &ending);
	else
		print_text(&directory, &views, &ending);
	views_end(&views);
	return ending;
}
