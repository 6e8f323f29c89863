/* SPDX-License-Identifier: ISC */
/* lockrun stop: ask the leader to step down, wait until it has, say who leads now. */
#include "commands/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "commands/target.h"
#include "election/eviction.h"

/* Who leads now, in one line, after what was done. */
static void
say_who_leads(const struct options *options, const struct lockdir *lock, const char *before)
{
	char text[DESCRIBE_SIZE];
	struct roster roster;
	struct fault fault;

	if (options->quiet || roster_read(lock, &roster, &fault) == -1)
		return;
	if (roster.count > 0 || roster_is_held(&roster))
		say("%s: %snow %s", lock->name, before, describe_hold(&roster, "", text));
	else
		say("%s: %snobody leads now", lock->name, before);
	roster_free(&roster);
}

static struct ending
tell(const struct options *options, const struct eviction *eviction, enum acquire result,
    const char *who, const struct fault *fault)
{
	char length[DURATION_TEXT_SIZE], before[DESCRIBE_SIZE + 32];

	switch (result) {
	case ACQUIRE_TAKEN:
		snprintf(before, sizeof(before), "%s stepped down; ", who);
		say_who_leads(options, eviction->lock, before);
		return (struct ending){.status = STATUS_OK};
	case ACQUIRE_LATE:
		say("%s: %s was asked, and is still there after %s; wait longer, or use --force",
		    eviction->lock->name, who, duration_format(options->wait, length));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	case ACQUIRE_SIGNAL:
		return (struct ending){
		    .status = 128 + eviction->signal, .signal = eviction->signal};
	default:
		return say_fault(fault);
	}
}

/* Waiters first, or one of them would lead as soon as the leader is gone. */
static struct ending
stop_waiters(struct eviction *eviction, const struct roster *roster)
{
	struct ending ending = {.status = STATUS_OK};
	struct fault fault;

	for (size_t i = roster->count; i-- > 0;) {
		if (roster->entries[i].ticket.state == TICKET_WAITING &&
		    evict_waiter(eviction, &roster->entries[i], &fault) == ACQUIRE_FAULT)
			ending = say_fault(&fault);
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
		ending = tell(options, eviction, result,
		    describe_contender(&roster->entries[i], who), &fault);
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
	    options, eviction, evict_leftovers(eviction, roster, &fault), "what held it", &fault);
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

static struct ending
stop(const struct options *options, struct eviction *eviction, const struct roster *roster)
{
	struct ending ending = {.status = STATUS_OK};

	if (options->generation != 0 && options->generation != leading_generation(roster)) {
		say("%s: generation %" PRIu64 " does not lead, the newest is %" PRIu64
		    "; nobody was asked",
		    eviction->lock->name, options->generation, roster->generation);
		return (struct ending){.status = STATUS_STALE};
	}
	if (options->all)
		ending = stop_waiters(eviction, roster);
	if (ending.status != STATUS_OK)
		return ending;
	if (roster->held > 0)
		return stop_holders(options, eviction, roster);
	if (roster_is_held(roster))
		return stop_leftovers(options, eviction, roster);
	say_who_leads(options, eviction->lock, "");
	return ending;
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
	};
	ending = stop(&options, &eviction, &roster);
	roster_free(&roster);
	return ending;
}
