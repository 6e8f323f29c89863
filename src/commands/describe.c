/* SPDX-License-Identifier: ISC */
#include "commands/describe.h"

#include <bsd/string.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "commands/say.h"
#include "election/outside.h"
#include "kernel/clock.h"

char *
describe_leader(const struct roster_entry *entry, pid_t command_pid, char text[DESCRIBE_SIZE])
{
	char command[SAY_CLEAN_SIZE], note[SAY_CLEAN_SIZE], as[32] = "";
	const bool noted = entry->text.note[0] != '\0';

	if (command_pid != 0)
		snprintf(as, sizeof(as), " as %d", command_pid);
	snprintf(text, DESCRIBE_SIZE, "pid %d%s (%s%s%s%s)", entry->ticket.pid,
	    entry->same_namespace ? "" : " of another pid namespace",
	    say_clean(entry->text.command, command), as, noted ? ", " : "",
	    say_clean(entry->text.note, note));
	return text;
}

char *
describe_contender(const struct roster_entry *entry, char text[DESCRIBE_SIZE])
{
	return describe_leader(entry, 0, text);
}

pid_t
describe_command_pid(const struct roster_entry *entry)
{
	const int64_t pid = entry->text.command_pid;
	struct process_stat command;

	if (entry->ticket.state != TICKET_HOLDING || !entry->same_namespace || pid <= 0 ||
	    pid > INT_MAX)
		return 0;
	/* It may be over by now, and its number another's. */
	if (!proctable_read((pid_t)pid, &command) || command.parent != entry->ticket.pid ||
	    command.state == 'Z')
		return 0;
	return (pid_t)pid;
}

const char *
describe_rest(const struct roster_entry *entry)
{
	static const char *const words[] = {"ineligible", "suspended"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(entry->text.condition, words[i]) == 0)
			return words[i];
	}
	return "backoff";
}

const char *
describe_lack(const struct roster_entry *entry)
{
	if (strcmp(entry->text.condition, TICKET_AT_ALSO) == 0)
		return "waits for the file of --also-flock";
	if (strcmp(entry->text.condition, TICKET_AT_CHECK) == 0)
		return "asks whether it is eligible";
	return NULL;
}

duration_t
describe_age(int64_t since_ms)
{
	const int64_t now_ms = clock_realtime_ms();

	return now_ms > since_ms ? (now_ms - since_ms) * DURATION_MILLISECOND : 0;
}

char *
describe_since(int64_t since_ms, char text[DURATION_TEXT_SIZE])
{
	return duration_format(describe_age(since_ms), text);
}

/* Who has the lock already, and what it still waits for; else it is only about to have it. */
static char *
describe_next(const struct roster *roster, char text[DESCRIBE_SIZE])
{
	const struct roster_entry *entry;
	const char *lacks = NULL;
	char who[DESCRIBE_SIZE];

	strlcpy(text, "being handed over", DESCRIBE_SIZE);
	for (size_t i = 0; i < roster->count && lacks == NULL; i++) {
		entry = &roster->entries[i];
		if (entry->ticket.state == TICKET_WAITING)
			lacks = describe_lack(entry);
		if (lacks != NULL)
			snprintf(text, DESCRIBE_SIZE, "not led yet: %.*s is next, %s",
			    DESCRIBE_SIZE / 2, describe_contender(entry, who), lacks);
	}
	return text;
}

/* But for the contender itself; with --loop it may be seen to rest, which is no wait. */
static size_t
others_waiting(const struct roster *roster, const char *contender)
{
	const struct roster_entry *us = roster_find(roster, contender);
	const bool one_is_us = us != NULL && us->ticket.state == TICKET_WAITING;

	return roster_waiting(roster) - (one_is_us ? 1 : 0);
}

char *
describe_hold(const struct roster *roster, const char *contender, char text[DESCRIBE_SIZE])
{
	const struct roster_entry *holder = roster_holder(roster);
	const size_t waiting = others_waiting(roster, contender);
	char who[DESCRIBE_SIZE], since[DURATION_TEXT_SIZE], held[64], generation[64] = "";
	const char *whose;

	if (holder != NULL) {
		describe_contender(holder, who);
		describe_since(holder->text.since_ms, since);
		if (holder->ticket.mode == TICKET_SHARED)
			snprintf(held, sizeof(held), "shared by %zu, first of them", roster->held);
		else
			snprintf(held, sizeof(held), "held by");
		if (holder->text.generation != 0)
			snprintf(generation, sizeof(generation), ", generation %" PRIu64,
			    holder->text.generation);
		snprintf(text, DESCRIBE_SIZE, "%s %.*s for %s%s, %zu waiting", held,
		    DESCRIBE_SIZE / 2, who, since, generation, waiting);
	} else if (roster->unsupervised) {
		snprintf(text, DESCRIBE_SIZE,
		    "held by pid %d (%s, --no-fork) for %s, generation %" PRIu64 ", %zu waiting",
		    roster->last_term.pid, say_clean(roster->last_term.command, who),
		    describe_since(roster->last_term.begun_ms, since), roster->generation, waiting);
	} else if (roster->orphans_share) {
		snprintf(text, DESCRIBE_SIZE,
		    "shared by what a killed lockrun left behind, %zu waiting", waiting);
	} else if (roster->orphaned) {
		whose = roster->has_last_term ? roster->last_term.command : "?";
		snprintf(text, DESCRIBE_SIZE,
		    "held by what a killed lockrun left behind (%s, "
		    "generation %" PRIu64 "), %zu waiting",
		    say_clean(whose, who), roster->generation, waiting);
	} else if (waiting > 0) {
		snprintf(text, DESCRIBE_SIZE, "%.*s, %zu waiting", DESCRIBE_SIZE - 32,
		    describe_next(roster, who), waiting);
	} else {
		snprintf(text, DESCRIBE_SIZE, "held by a process outside lockrun");
	}
	return text;
}

char *
describe_outside(const struct process_stat *process, char text[DESCRIBE_SIZE])
{
	char name[SAY_CLEAN_SIZE];

	snprintf(text, DESCRIBE_SIZE, "held by a process outside lockrun (pid %d, %s)",
	    process->pid, say_clean(process->name, name));
	return text;
}

char *
describe_if_held(const struct lockdir *lock, const struct roster *roster, const char *contender,
    char text[DESCRIBE_SIZE])
{
	struct process_stat outside;
	char who[DESCRIBE_SIZE];

	if (roster_is_held(roster))
		return describe_hold(roster, contender, text);
	if (!outside_find(lock, &outside))
		return NULL;
	snprintf(text, DESCRIBE_SIZE, "%.*s, %zu waiting", DESCRIBE_SIZE / 2,
	    describe_outside(&outside, who), others_waiting(roster, contender));
	return text;
}

char *
describe_absence(const struct lockdir *lock, char text[DESCRIBE_SIZE])
{
	char path[SAY_CLEAN_SIZE];

	say_clean(lock->directory->path, path);
	text[0] = '\0';
	if (lock->directory->fd == -1)
		snprintf(text, DESCRIBE_SIZE, "; there is no directory %s", path);
	else if (lock->fd == -1)
		snprintf(text, DESCRIBE_SIZE, "; %s has no lock of this name", path);
	return text;
}

char *
describe_outcome(const struct term *term, char text[DESCRIBE_SIZE])
{
	if (term->signal != 0)
		snprintf(text, DESCRIBE_SIZE, "%s by signal %d (%s)", reason_word(term->reason),
		    term->signal, strsignal(term->signal));
	else if (term->reason == REASON_FINISHED)
		snprintf(text, DESCRIBE_SIZE, "finished");
	else
		snprintf(
		    text, DESCRIBE_SIZE, "%s, status %d", reason_word(term->reason), term->status);
	return text;
}

/* It ended so; but later ones may have been recorded that are not there any more. */
static const char *
doubt(const struct term *term, enum term_outcome outcome)
{
	const bool told = term->stage == TERM_ENDED || term->stage == TERM_UNREPORTED;

	return outcome == OUTCOME_UNKNOWN && told
		   ? "; unknown whether later ones came before the boot"
		   : "";
}

static char *
describe_record(const struct term *term, enum term_outcome outcome, char text[DESCRIBE_SIZE])
{
	const char *word = term_outcome_word(outcome);
	char end[DESCRIBE_SIZE];

	if (term->stage == TERM_UNREPORTED)
		snprintf(text, DESCRIBE_SIZE, "nobody reports its end (--no-fork)");
	else if (term->stage == TERM_ENDED && outcome == OUTCOME_NOT_STARTED)
		snprintf(text, DESCRIBE_SIZE, "%s: %.*s", word, DESCRIBE_SIZE / 2,
		    describe_outcome(term, end));
	else if (term->stage == TERM_ENDED)
		describe_outcome(term, text);
	else if (outcome == OUTCOME_NOT_STARTED)
		snprintf(text, DESCRIBE_SIZE, "%s", word);
	else
		snprintf(text, DESCRIBE_SIZE, "%s: its end is not known", word);
	return text;
}

char *
describe_end(const struct term *term, enum term_outcome outcome, char text[DESCRIBE_SIZE])
{
	describe_record(term, outcome, text);
	strlcat(text, doubt(term, outcome), DESCRIBE_SIZE);
	return text;
}

char *
describe_term(const struct term *term, enum term_outcome outcome, char text[DESCRIBE_SIZE])
{
	const bool ended = term->stage == TERM_ENDED;
	char end[DESCRIBE_SIZE], since[DURATION_TEXT_SIZE];

	describe_since(ended ? term->ended_ms : term->begun_ms, since);
	describe_record(term, outcome, end);
	if (ended)
		snprintf(text, DESCRIBE_SIZE, "%.*s, %s ago%s", DESCRIBE_SIZE / 2, end, since,
		    doubt(term, outcome));
	else
		snprintf(text, DESCRIBE_SIZE, "began %s ago; %.*s%s", since, DESCRIBE_SIZE / 2, end,
		    doubt(term, outcome));
	return text;
}

char *
describe_lost(const struct told_outcome *told, const struct term *term, char text[DESCRIBE_SIZE])
{
	const char *word = term_outcome_word(told->outcome);
	char command[SAY_CLEAN_SIZE], note[SAY_CLEAN_SIZE], begun[CLOCK_TEXT_SIZE],
	    since[DURATION_TEXT_SIZE];

	if (told->generation == 0)
		snprintf(text, DESCRIBE_SIZE, "the last generation is %s", word);
	else if (term->stage == TERM_EMPTY)
		snprintf(text, DESCRIBE_SIZE, "generation %" PRIu64 " is %s (no record of it)",
		    told->generation, word);
	else
		snprintf(text, DESCRIBE_SIZE,
		    "generation %" PRIu64 " is %s (pid %d, %s%s%s; begun %s, %s ago)",
		    told->generation, word, term->pid, say_clean(term->command, command),
		    term->note[0] != '\0' ? ", " : "", say_clean(term->note, note),
		    clock_text(term->begun_ms, begun), describe_since(term->begun_ms, since));
	return text;
}
