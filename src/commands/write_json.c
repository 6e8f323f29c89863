/* SPDX-License-Identifier: ISC */
#include "commands/write_json.h"

#include <stdio.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "kernel/clock.h"
#include "values/json.h"

static void
to_stdout(void *context, const char *bytes, size_t length)
{
	(void)context;
	fwrite(bytes, 1, length, stdout);
}

void
write_time(struct json *json, const char *key, int64_t realtime_ms)
{
	char text[CLOCK_TEXT_SIZE];

	json_string(json, key, realtime_ms != 0 ? clock_text(realtime_ms, text) : NULL);
}

static void
put_text(struct json *json, const char *key, const char *text)
{
	json_string(json, key, text[0] != '\0' ? text : NULL);
}

/* All null without a watchdog; the age counts from the begin of the term until there is a sign. */
static void
put_life(struct json *json, const struct ticket_text *text)
{
	const int64_t since = text->heard_ms != 0 ? text->heard_ms : text->since_ms;
	const int64_t age = clock_realtime_ms() - since;

	put_text(json, "report", text->report);
	write_time(json, "heard", text->heard_ms);
	if (text->watchdog_ms != 0) {
		json_number(json, "silent_ms", age > 0 ? age : 0);
		json_number(json, "watchdog_ms", text->watchdog_ms);
	} else {
		json_null(json, "silent_ms");
		json_null(json, "watchdog_ms");
	}
}

static void
put_generation(struct json *json, uint64_t generation)
{
	if (generation != 0)
		json_number(json, "generation", (int64_t)generation);
	else
		json_null(json, "generation");
}

static void
put_command_pid(struct json *json, pid_t pid)
{
	if (pid != 0)
		json_number(json, "command_pid", pid);
	else
		json_null(json, "command_pid");
}

static void
put_entry(struct json *json, const char *name, const struct roster_entry *entry)
{
	const bool holds = entry->ticket.state == TICKET_HOLDING;
	const bool stepping = strcmp(entry->text.condition, "stepping-down") == 0;

	json_object(json, NULL);
	json_string(json, "name", name);
	json_string(json, "state",
	    entry->ticket.state == TICKET_RESTING ? describe_rest(entry)
	    : !holds				  ? "waiting"
	    : stepping				  ? "stepping-down"
						  : "leading");
	json_string(json, "mode", entry->ticket.mode == TICKET_SHARED ? "shared" : "exclusive");
	json_string(json, "kind", ticket_kind_word(entry->ticket.kind));
	json_number(json, "pid", entry->ticket.pid);
	json_bool(json, "foreign_pid_namespace", !entry->same_namespace);
	put_text(json, "contender", entry->text.contender);
	write_time(json, "since", entry->text.since_ms);
	put_text(json, "command", entry->text.command);
	put_text(json, "note", entry->text.note);
	if (holds)
		put_command_pid(json, describe_command_pid(entry));
	if (!holds && entry->text.joins != 0)
		json_number(json, "joins", (int64_t)entry->text.joins);
	else if (!holds)
		json_null(json, "joins");
	if (holds) {
		put_generation(json, entry->text.generation);
		json_string(json, "health",
		    entry->frozen   ? "frozen"
		    : entry->silent ? "silent"
		    : stepping	    ? "stepping-down"
				    : "ok");
		put_life(json, &entry->text);
		put_text(json, "reason", entry->text.reason);
	}
	json_object_end(json);
}

static void
put_process(struct json *json, const char *key, const struct process_stat *process)
{
	json_object(json, key);
	json_number(json, "pid", process->pid);
	put_text(json, "command", process->name);
	json_object_end(json);
}

/* A holder without a ticket: what a killed lockrun left behind, or what took its lockrun's place.
 */
static void
put_unattended(struct json *json, const struct view *view)
{
	const struct roster *roster = &view->roster;
	static const struct ticket_text silent;
	const struct term none = {0};
	const bool recorded = roster->has_last_term && !roster->orphans_share;
	const struct term *term = recorded ? &roster->last_term : &none;

	json_object(json, NULL);
	json_string(json, "name", view->name);
	json_string(json, "state", "leading");
	json_string(json, "mode", roster->orphans_share ? "shared" : "exclusive");
	json_null(json, "kind");
	if (roster->unsupervised)
		json_number(json, "pid", term->pid);
	else
		json_null(json, "pid");
	json_null(json, "foreign_pid_namespace");
	put_text(json, "contender", term->contender);
	write_time(json, "since", term->begun_ms);
	put_text(json, "command", term->command);
	put_text(json, "note", term->note);
	put_command_pid(json, roster->unsupervised ? term->pid : 0);
	put_generation(json, term->generation);
	json_string(json, "health", roster->orphaned ? "orphaned" : "ok");
	put_life(json, &silent);
	json_null(json, "reason");
	json_object_end(json);
}

static void
put_entries(struct json *json, const char *key, const struct view *view, enum ticket_state state)
{
	json_array(json, key);
	if (state == TICKET_HOLDING && (view->roster.orphaned || view->roster.unsupervised))
		put_unattended(json, view);
	for (size_t i = 0; i < view->roster.count; i++) {
		if (view->roster.entries[i].ticket.state == state)
			put_entry(json, view->name, &view->roster.entries[i]);
	}
	json_array_end(json);
}

void
write_term(struct json *json, const char *key, const struct roster *roster, const struct term *term)
{
	const bool ended = term->stage == TERM_ENDED;
	const bool leads = roster_leads(roster, term);

	json_object(json, key);
	json_number(json, "generation", (int64_t)term->generation);
	json_string(json, "stage", term_stage_word(term->stage));
	json_string(
	    json, "outcome", leads ? NULL : term_outcome_word(roster_outcome(roster, term)));
	put_text(json, "contender", term->contender);
	put_text(json, "command", term->command);
	put_text(json, "note", term->note);
	write_time(json, "queued", term->queued_ms);
	write_time(json, "begun", term->begun_ms);
	write_time(json, "ended", term->ended_ms);
	if (ended) {
		json_string(json, "ran", ran_word(term->ran));
		json_string(json, "reason", reason_word(term->reason));
		json_number(json, "status", term->status);
		if (term->signal != 0)
			json_number(json, "signal", term->signal);
		else
			json_null(json, "signal");
		json_bool(json, "killed", term->killed);
	}
	json_object_end(json);
}

/* What the next leader would be told; of one that leads nobody knows yet. */
static void
put_previous(struct json *json, const struct roster *roster)
{
	const struct told_outcome *told = &roster->previous.last;
	const bool leads = roster->has_last_term && roster_leads(roster, &roster->last_term);

	json_string(json, "previous", leads ? NULL : term_outcome_word(told->outcome));
	if (leads || told->generation == 0)
		json_null(json, "previous_generation");
	else
		json_number(json, "previous_generation", (int64_t)told->generation);
}

void
write_view(struct json *json, const struct view *view)
{
	json_object(json, NULL);
	json_string(json, "name", view->name);
	json_number(json, "generation", (int64_t)view->roster.generation);
	json_bool(json, "orphaned", view->roster.orphaned);
	json_bool(json, "unsupervised", view->roster.unsupervised);
	put_entries(json, "held", view, TICKET_HOLDING);
	put_entries(json, "pending", view, TICKET_WAITING);
	put_entries(json, "resting", view, TICKET_RESTING);
	json_array(json, "other_versions");
	for (size_t i = 0; i < view->version_count; i++)
		json_string(json, NULL, view->versions[i]);
	json_array_end(json);
	if (view->roster.has_last_term)
		write_term(json, "last_term", &view->roster, &view->roster.last_term);
	else
		json_null(json, "last_term");
	put_previous(json, &view->roster);
	json_number(json, "skips", (int64_t)view->roster.skips.total);
	json_number(json, "skips_since_begin",
	    view->roster.skips.generation == view->roster.generation
		? (int64_t)view->roster.skips.since
		: 0);
	if (view->outside.pid != 0)
		put_process(json, "outside", &view->outside);
	else
		json_null(json, "outside");
	json_array(json, "processes");
	for (size_t i = 0; i < view->left_count; i++)
		put_process(json, NULL, &view->left[i]);
	json_array_end(json);
	json_object_end(json);
}

void
write_begin(struct json *json, const struct statedir *directory)
{
	json_begin(json, to_stdout, NULL);
	json_object(json, NULL);
	write_time(json, "as_of", clock_realtime_ms());
	json_string(json, "directory", directory->path);
}

void
write_end(struct json *json)
{
	json_object_end(json);
	putchar('\n');
}
