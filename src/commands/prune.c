/* SPDX-License-Identifier: ISC */
/* lockrun prune: forget idle locks. Prints the name of each that it forgot. */
#include "commands/commands.h"

#include <stdio.h>

#include "commands/say.h"
#include "election/forget.h"
#include "election/view.h"

static struct ending
prune(const struct statedir *directory, const struct names *names, duration_t older_than)
{
	struct ending ending = {.status = STATUS_OK};
	struct fault fault;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->items[i];

		switch (forget_lock(directory, name, older_than, &fault)) {
		case FORGET_DONE:
			puts(name);
			break;
		case FORGET_LOST:
			say("%s: kept: how its last term ended is not known; the next run of it "
			    "records an end: lockrun %s -- COMMAND",
			    name, name);
			break;
		case FORGET_FAULT:
			ending = say_fault(&fault);
			break;
		case FORGET_IN_USE:
		case FORGET_YOUNG:
			break;
		}
	}
	return ending;
}

struct ending
command_prune(char **arguments, struct process_entry *entry)
{
	struct statedir directory;
	struct options options;
	struct ending ending;
	struct names names;
	struct fault fault;

	(void)entry;
	if (!command_parse(SUB_PRUNE, arguments, &options, &ending))
		return ending;
	if (options.word_count > 0) {
		fault_set(&fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options.words[0]);
		return say_fault(&fault);
	}
	if (statedir_open(options.directory, STATE_READ, &directory, &fault) == -1 ||
	    names_read(&directory, &names, &fault) == -1)
		return say_fault(&fault);
	ending = prune(&directory, &names, options.older_than);
	names_free(&names);
	return ending;
}
