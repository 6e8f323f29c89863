/* SPDX-License-Identifier: ISC */
/* lockrun check: asked by a command inside its term, between two batches of work. */
#include "commands/commands.h"

#include <bsd/string.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/say.h"
#include "election/asks.h"
#include "election/nested.h"
#include "election/roster.h"
#include "values/lockname.h"

/* A contender may lead again and again (--loop), and what an earlier term left behind may ask. */
static bool
is_of(uint64_t leads, const char *generation)
{
	char text[24];

	snprintf(text, sizeof(text), "%ju", (uintmax_t)leads);
	return leads == 0 || generation == NULL || strcmp(text, generation) == 0;
}

/* The environment says which term, or NULL for any; whether it still leads is for the locks to say.
 */
static bool
still_leads(const struct lockdir *lock, const char *contender, const char *generation)
{
	const struct roster_entry *us;
	struct roster roster;
	struct fault fault;
	bool leads;
	int fd;

	if (roster_read_holders(lock, &roster, &fault) == -1)
		return false;
	us = roster_find(&roster, contender);
	/* A command that took lockrun's place has no ticket, and nobody can ask anything of it. */
	if (us == NULL && roster.unsupervised &&
	    strcmp(roster.last_term.contender, contender) == 0) {
		roster_free(&roster);
		return true;
	}
	leads = us != NULL && us->ticket.state == TICKET_HOLDING &&
		strcmp(us->text.condition, "leading") == 0 &&
		is_of(us->text.generation, generation);
	/* The leader may not have read yet what is asked of it. */
	if (leads && (fd = lockdir_file(lock, STATE_ASK, STATE_READ, &fault)) != -1) {
		leads = !asks_stop(fd, us->text.generation, contender);
		close(fd);
	}
	roster_free(&roster);
	return leads;
}

static const char *
our_generation(void)
{
	const char *generation = getenv("LOCKRUN_GENERATION");

	return generation != NULL ? generation : "";
}

/* The innermost term is the one that the environment tells of. */
static bool
is_innermost(const struct options *options)
{
	const char *name = getenv("LOCKRUN_NAME");

	if (name == NULL || getenv("LOCKRUN_CONTENDER") == NULL)
		return false;
	return options->word_count == 0 || strcmp(options->words[0], name) == 0;
}

/* Of a term further out the kernel tells: its lockrun is our ancestor, or we hold its lock. */
static bool
find_outer(const struct lockdir *lock, char contender[CONTENDER_SIZE])
{
	const struct nested nested = nested_find(lock);
	struct roster roster;
	struct fault fault;

	contender[0] = '\0';
	if (!nested.inside || roster_read_holders(lock, &roster, &fault) == -1)
		return false;
	if (roster.unsupervised)
		strlcpy(contender, roster.last_term.contender, CONTENDER_SIZE);
	for (size_t i = 0; i < roster.count; i++) {
		const struct roster_entry *entry = &roster.entries[i];

		if (entry->ticket.state == TICKET_HOLDING && entry->same_namespace &&
		    entry->ticket.pid == nested.pid)
			strlcpy(contender, entry->text.contender, CONTENDER_SIZE);
	}
	roster_free(&roster);
	return true;
}

static struct ending
outside(const struct options *options)
{
	struct fault fault;

	fault_set(&fault, FAULT_USAGE_OUTSIDE_TERM, 0, "%s",
	    options->word_count == 1 ? options->words[0] : "check");
	return say_fault(&fault);
}

struct ending
command_check(char **arguments, struct process_entry *entry)
{
	const char *own = getenv("LOCKRUN_CONTENDER");
	char contender[CONTENDER_SIZE] = "";
	struct statedir directory;
	struct lockname name;
	struct lockdir lock;
	struct options options;
	struct ending ending;
	struct fault fault;
	bool innermost;

	(void)entry;
	if (!command_parse(SUB_CHECK, arguments, &options, &ending))
		return ending;
	if (options.word_count > 1) {
		fault_set(&fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options.words[1]);
		return say_fault(&fault);
	}
	innermost = is_innermost(&options);
	if (options.word_count == 0 && !innermost)
		return outside(&options);
	if (lockname_parse(options.word_count == 1 ? options.words[0] : getenv("LOCKRUN_NAME"),
		&name, &fault) == -1)
		return say_fault(&fault);
	if (statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    lockdir_open(&directory, name.text, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return innermost ? say_fault(&fault) : outside(&options);
	if (innermost && own != NULL)
		strlcpy(contender, own, sizeof(contender));
	else if (!find_outer(&lock, contender))
		return outside(&options);
	if (contender[0] != '\0' &&
	    still_leads(&lock, contender, innermost ? our_generation() : NULL))
		return (struct ending){.status = STATUS_OK};
	return (struct ending){.status = STATUS_STALE};
}
