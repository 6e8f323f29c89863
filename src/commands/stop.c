/* SPDX-License-Identifier: ISC */
/* lockrun stop: ask the leader to step down, wait until it has, say who leads now. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "commands/target.h"
#include "election/eviction.h"
#include "election/outside.h"
#include "election/terms.h"

/* How often somebody may move on between being seen and being asked. */
#define ATTEMPTS 100

/* Those that have no lockrun to be asked. */
#define LEFTOVERS "what held it"

/* Where nobody leads, why that is so may concern whoever wants that. */
static void
say_nobody_leads(const struct lockdir *lock, const struct roster *roster, const char *before)
{
	char text[DESCRIBE_SIZE];

	if (roster->resting > 0)
		say("%s: %snobody leads now; %zu outside of the queue may come back (--all ends "
		    "that)",
		    lock->name, before, roster->resting);
	else
		say("%s: %snobody leads now%s", lock->name, before, describe_absence(lock, text));
}

/* Who leads now, in one line, after what was done. */
static void
say_who_leads(const struct options *options, const struct lockdir *lock, const char *before)
{
	char text[DESCRIBE_SIZE];
	struct roster roster;
	struct fault fault;

	if (options->quiet || roster_read(lock, &roster, &fault) == -1)
		return;
	if (roster_waiting(&roster) > 0 || roster_is_held(&roster))
		say("%s: %snow %s", lock->name, before, describe_hold(&roster, "", text));
	else
		say_nobody_leads(lock, &roster, before);
	roster_free(&roster);
}

/* What helps where the wait was too short. */
static const char *
advice(const struct eviction *eviction, bool was_asked, char text[DESCRIBE_SIZE])
{
	const duration_t needed = EVICTION_GRACE + (was_asked ? EVICTION_ANSWER : 0);
	char length[DURATION_TEXT_SIZE];

	if (eviction->answers && !eviction->force)
		return "it is stepping down, wait longer";
	if (!eviction->force)
		return "wait longer, or use --force";
	if (eviction->answers)
		snprintf(text, DESCRIBE_SIZE,
		    "it is stepping down in its own grace: wait longer, or end its command: "
		    "lockrun signal %s KILL",
		    eviction->lock->name);
	else
		snprintf(text, DESCRIBE_SIZE, "--force needs a -w of more than %s, or none",
		    duration_format(needed, length));
	return text;
}

/* At once, since SIGKILL is long in coming. */
static void
say_terminated(const struct eviction *eviction, const struct process_stat *first, unsigned more)
{
	char name[SAY_CLEAN_SIZE], others[32] = "", grace[DURATION_TEXT_SIZE];

	if (more > 0)
		snprintf(others, sizeof(others), " and %u more", more);
	say("%s: SIGTERM sent to pid %d (%s)%s, SIGKILL in %s", eviction->lock->name, first->pid,
	    say_clean(first->name, name), others, duration_format(EVICTION_GRACE, grace));
}

/* generation: of the one that was ended, or 0. */
static struct ending
tell(const struct options *options, const struct eviction *eviction, enum acquire result,
    const char *who, uint64_t generation, const struct fault *fault)
{
	char length[DURATION_TEXT_SIZE], before[DESCRIBE_SIZE + 32], text[DESCRIBE_SIZE];
	struct term term;
	bool killed;

	switch (result) {
	case ACQUIRE_TAKEN:
		killed = terms_read(eviction->lock, generation, &term) && term.killed;
		snprintf(before, sizeof(before), "%s stepped down%s; ", who,
		    killed ? ", by SIGKILL" : "");
		say_who_leads(options, eviction->lock, before);
		return (struct ending){.status = STATUS_OK};
	case ACQUIRE_LATE:
		say("%s: %s was asked, and is still there after %s; %s", eviction->lock->name, who,
		    duration_format(options->wait, length),
		    advice(eviction, strcmp(who, LEFTOVERS) != 0, text));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	case ACQUIRE_SIGNAL:
		return (struct ending){
		    .status = 128 + eviction->signal, .signal = eviction->signal};
	default:
		return say_fault(fault);
	}
}

static bool
read_anew(const struct eviction *eviction, struct roster *roster, struct ending *ending)
{
	struct fault fault;

	roster_free(roster);
	if (roster_read(eviction->lock, roster, &fault) == 0)
		return true;
	*ending = say_fault(&fault);
	return false;
}

/* All but holders. True when one of them has moved on since it was seen. */
static bool
end_waits(struct eviction *eviction, const struct roster *roster, struct ending *ending)
{
	struct fault fault;
	enum acquire result;
	bool moved = false;

	for (size_t i = roster->count; i-- > 0;) {
		if (roster->entries[i].ticket.state == TICKET_HOLDING)
			continue;
		result = evict_waiter(eviction, &roster->entries[i], &fault);
		if (result == ACQUIRE_FAULT)
			*ending = say_fault(&fault);
		moved = moved || result == ACQUIRE_AGAIN;
	}
	return moved;
}

/* Before the leader, or one of them would lead as soon as that is gone. */
static struct ending
stop_waiters(struct eviction *eviction, struct roster *roster)
{
	struct ending ending = {.status = STATUS_OK};

	for (int i = 0; i < ATTEMPTS && end_waits(eviction, roster, &ending); i++) {
		if (ending.status != STATUS_OK || !read_anew(eviction, roster, &ending))
			break;
	}
	return ending;
}

/* Several may share: each is asked, one after the other. */
static struct ending
stop_holders(const struct options *options, struct eviction *eviction, const struct roster *roster)
{
	struct ending ending = {.status = STATUS_OK};
	char who[DESCRIBE_SIZE];
	struct fault fault;
	enum acquire result;

	for (size_t i = 0; i < roster->count && ending.status == STATUS_OK; i++) {
		if (roster->entries[i].ticket.state != TICKET_HOLDING)
			continue;
		result = evict_holder(eviction, &roster->entries[i], &fault);
		ending =
		    tell(options, eviction, result, describe_contender(&roster->entries[i], who),
			roster->entries[i].text.generation, &fault);
	}
	return ending;
}

/* A command that took its lockrun's place is told by SIGTERM; orphans are ended on demand only. */
static struct ending
stop_leftovers(
    const struct options *options, struct eviction *eviction, const struct roster *roster)
{
	char text[DESCRIBE_SIZE];
	struct fault fault;

	if (!options->force && !roster->unsupervised) {
		say("%s: %s; no lockrun is there that could be asked: --force ends them",
		    eviction->lock->name, describe_hold(roster, "", text));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	}
	return tell(
	    options, eviction, evict_leftovers(eviction, roster, &fault), LEFTOVERS, 0, &fault);
}

/* The generation that leads now; 0 for sharers, and when nobody does. */
static uint64_t
leading_generation(const struct roster *roster)
{
	const struct roster_entry *holder = roster_holder(roster);

	if (holder != NULL)
		return holder->text.generation;
	return roster_is_held(roster) ? roster->generation : 0;
}

/* Between two terms; not one that was not eligible yet, or that left its place in the queue. */
static bool
may_have_led(const struct roster_entry *entry)
{
	const char *word = describe_rest(entry);

	if (entry->ticket.state != TICKET_RESTING || strcmp(word, "suspended") == 0)
		return false;
	/* Sharers have no generation. */
	return entry->text.generation != 0 ||
	       (entry->ticket.mode == TICKET_SHARED && strcmp(word, "backoff") == 0);
}

/* Who led last of those who rest; or NULL. */
static const struct roster_entry *
resting_leader(const struct roster *roster)
{
	const struct roster_entry *last = NULL;

	for (size_t i = 0; i < roster->count; i++) {
		if (may_have_led(&roster->entries[i]) &&
		    (last == NULL || roster->entries[i].text.generation > last->text.generation))
			last = &roster->entries[i];
	}
	return last;
}

/*
 * Who leads; where nobody does, who led last and is about to compete again: between two of its
 * terms it is the leader still, to whoever wants it to stop.
 */
static struct ending
stop_leader(const struct options *options, struct eviction *eviction, struct roster *roster)
{
	const struct roster_entry *resting;
	struct ending ending = {.status = STATUS_OK};
	char who[DESCRIBE_SIZE], name[SAY_CLEAN_SIZE];
	struct process_stat outside;
	struct fault fault;
	enum acquire result;

	for (int i = 0; i < ATTEMPTS; i++) {
		if (roster->held > 0)
			return stop_holders(options, eviction, roster);
		if (roster_is_held(roster))
			return stop_leftovers(options, eviction, roster);
		resting = resting_leader(roster);
		if (resting == NULL)
			break;
		describe_contender(resting, who);
		result = evict_resting(eviction, resting, &fault);
		if (result != ACQUIRE_AGAIN)
			return tell(options, eviction, result, who, 0, &fault);
		if (!read_anew(eviction, roster, &ending))
			return ending;
	}
	if (outside_find(eviction->lock, &outside)) {
		say("%s: held by pid %d (%s), which is not lockrun's and cannot be asked; wait for "
		    "it, or end it yourself",
		    eviction->lock->name, outside.pid, say_clean(outside.name, name));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	}
	say_who_leads(options, eviction->lock, "");
	return ending;
}

static struct ending
stop(const struct options *options, struct eviction *eviction, struct roster *roster)
{
	struct ending ending = {.status = STATUS_OK};
	char before[64];

	if (options->generation != 0 && options->generation != leading_generation(roster)) {
		if (!roster_is_held(roster) && options->generation <= roster->generation) {
			snprintf(before, sizeof(before), "generation %" PRIu64 " is over; ",
			    options->generation);
			say_who_leads(options, eviction->lock, before);
			return ending;
		}
		say("%s: generation %" PRIu64 " does not lead, the newest is %" PRIu64
		    "; nobody was asked",
		    eviction->lock->name, options->generation, roster->generation);
		return (struct ending){.status = STATUS_STALE};
	}
	if (options->all)
		ending = stop_waiters(eviction, roster);
	return ending.status == STATUS_OK ? stop_leader(options, eviction, roster) : ending;
}

struct ending
command_stop(char **arguments, struct process_entry *entry)
{
	struct eviction eviction;
	struct target target;
	struct options options;
	struct ending ending;
	struct roster roster;
	struct fault fault;

	if (!command_parse(SUB_STOP, arguments, &options, &ending))
		return ending;
	if (target_open(SUB_STOP, &options, 1, &target, &fault) == -1 ||
	    roster_read(&target.lock, &roster, &fault) == -1)
		return say_fault(&fault);
	eviction = (struct eviction){
	    .lock = &target.lock,
	    .signals = &entry->signals,
	    .reason = options.reason != NULL ? options.reason : ASK_NO_REASON,
	    .wait = options.wait,
	    .force = options.force,
	    .terminated = options.quiet ? NULL : say_terminated,
	};
	ending = stop(&options, &eviction, &roster);
	roster_free(&roster);
	return ending;
}
