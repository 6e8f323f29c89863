/* SPDX-License-Identifier: ISC */
/* lockrun stop: ask the leader to step down, wait until it has, say who leads now. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <errno.h>
#include <unistd.h>

#include "commands/describe.h"
#include "commands/say.h"
#include "election/asks.h"
#include "election/await_end.h"
#include "election/roster.h"
#include "values/lockname.h"

/* What stands in the queue now, in one line. */
static void
say_who_leads(const struct options *options, const struct lockdir *lock, const char *before)
{
	const char *name = lock->name;
	char text[DESCRIBE_SIZE];
	struct roster roster;
	struct fault fault;

	if (options->quiet || roster_read(lock, &roster, &fault) == -1)
		return;
	if (roster.count > 0 || roster_is_held(&roster))
		say("%s: %s; now %s", name, before, describe_hold(&roster, "", text));
	else
		say("%s: %s; nobody leads now", name, before);
	roster_free(&roster);
}

static struct ending
ask_and_wait(const struct options *options, const struct lockdir *lock,
    const struct roster_entry *holder, struct signals *signals)
{
	const char *name = lock->name;
	char who[DESCRIBE_SIZE], length[DURATION_TEXT_SIZE];
	struct ask ask = {.verb = ASK_STOP, .generation = holder->text.generation};
	struct fault fault;
	int signal = 0;

	strlcpy(ask.contender, ask.generation == 0 ? holder->text.contender : "",
	    sizeof(ask.contender));
	strlcpy(ask.reason, options->reason != NULL ? options->reason : "", sizeof(ask.reason));
	if (asks_send(lock, &ask, &fault) == -1)
		return say_fault(&fault);
	describe_contender(holder, who);
	switch (await_end(lock, holder, options->wait, signals, &signal)) {
	case ACQUIRE_TAKEN:
		strlcat(who, " stepped down", sizeof(who));
		say_who_leads(options, lock, who);
		return (struct ending){.status = STATUS_OK};
	case ACQUIRE_LATE:
		say("%s: %s was asked, and is still there after %s; ask again with a longer --wait",
		    name, who, duration_format(options->wait, length));
		return (struct ending){.status = STATUS_NOT_ACQUIRED};
	case ACQUIRE_SIGNAL:
		return (struct ending){.status = 128 + signal, .signal = signal};
	default:
		fault_set(&fault, FAULT_LOCK_UNUSABLE, errno, "%s", name);
		return say_fault(&fault);
	}
}

static struct ending
stop(const struct options *options, const struct lockdir *lock, struct signals *signals)
{
	const struct roster_entry *holder;
	char text[DESCRIBE_SIZE];
	struct ending ending = {.status = STATUS_OK};
	struct roster roster;
	struct fault fault;

	if (roster_read(lock, &roster, &fault) == -1)
		return say_fault(&fault);
	holder = roster_holder(&roster);
	if (holder != NULL) {
		ending = ask_and_wait(options, lock, holder, signals);
	} else if (roster_is_held(&roster)) {
		say("%s: %s; no lockrun is there that could be asked: end those processes",
		    lock->name, describe_hold(&roster, "", text));
		ending.status = STATUS_NOT_ACQUIRED;
	} else {
		say_who_leads(options, lock, "nobody led");
	}
	roster_free(&roster);
	return ending;
}

struct ending
command_stop(char **arguments, struct process_entry *entry)
{
	struct statedir directory;
	struct lockname name;
	struct lockdir lock;
	struct options options;
	struct ending ending;
	struct fault fault;

	if (!command_parse(SUB_STOP, arguments, &options, &ending))
		return ending;
	if (options.word_count != 1)
		options.word_count == 0
		    ? command_needs_name(SUB_STOP, &fault)
		    : fault_set(&fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options.words[1]);
	else if (lockname_parse(options.words[0], &name, &fault) == 0 &&
		 statedir_open(options.directory, STATE_READ, &directory, &fault) == 0 &&
		 lockdir_open(&directory, name.text, STATE_READ, NULL, 0, &lock, &fault) == 0)
		return stop(&options, &lock, &entry->signals);
	return say_fault(&fault);
}
