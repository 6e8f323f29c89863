/* SPDX-License-Identifier: ISC */
/* lockrun check: asked by a command inside its term, between two batches of work. */
#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/say.h"
#include "election/asks.h"
#include "election/roster.h"
#include "values/lockname.h"

/* The environment says which term; whether it still leads is for the locks to say. */
static bool
still_leads(const struct lockdir *lock, const char *contender)
{
	const struct roster_entry *us;
	struct roster roster;
	struct fault fault;
	bool leads;
	int fd;

	if (roster_read(lock, &roster, &fault) == -1)
		return false;
	us = roster_find(&roster, contender);
	/* A command that took lockrun's place has no ticket, and nobody can ask anything of it. */
	if (us == NULL && roster.unsupervised &&
	    strcmp(roster.last_term.contender, contender) == 0) {
		roster_free(&roster);
		return true;
	}
	leads = us != NULL && us->ticket.state == TICKET_HOLDING &&
		strcmp(us->text.condition, "leading") == 0;
	/* The leader may not have read yet what is asked of it. */
	if (leads && (fd = lockdir_file(lock, STATE_ASK, STATE_READ, &fault)) != -1) {
		leads = !asks_stop(fd, us->text.generation, contender);
		close(fd);
	}
	roster_free(&roster);
	return leads;
}

static bool
is_inside(const struct options *options, const char *name, const char *contender)
{
	if (name == NULL || contender == NULL)
		return false;
	return options->word_count == 0 || strcmp(options->words[0], name) == 0;
}

struct ending
command_check(char **arguments, struct process_entry *entry)
{
	const char *contender = getenv("LOCKRUN_CONTENDER");
	const char *inside = getenv("LOCKRUN_NAME");
	struct statedir directory;
	struct lockname name;
	struct lockdir lock;
	struct options options;
	struct ending ending;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_CHECK, arguments, &options, &ending))
		return ending;
	if (options.word_count > 1) {
		fault_set(&fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options.words[1]);
		return say_fault(&fault);
	}
	if (options.word_count == 1 && lockname_parse(options.words[0], &name, &fault) == -1)
		return say_fault(&fault);
	if (!is_inside(&options, inside, contender)) {
		fault_set(&fault, FAULT_USAGE_OUTSIDE_TERM, 0, "%s",
		    options.word_count == 1 ? options.words[0] : "check");
		return say_fault(&fault);
	}
	if (lockname_parse(inside, &name, &fault) == -1 ||
	    statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    lockdir_open(&directory, name.text, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return say_fault(&fault);
	if (still_leads(&lock, contender))
		return (struct ending){.status = STATUS_OK};
	return (struct ending){.status = STATUS_STALE};
}
