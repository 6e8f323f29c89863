/* SPDX-License-Identifier: ISC */
/* lockrun: from argv to a command, nothing else. */
#include "commands/commands.h"
#include "commands/say.h"
#include "kernel/title.h"

int
main(int argc, char **argv, char **environment)
{
	const struct command_row *command;
	struct process_entry entry;
	struct ending ending;
	char **arguments = argv + 1;

	process_enter(&entry);
	title_begin(argc, argv, environment);
	/* A lock name holds a colon, so it cannot be taken for a subcommand. */
	command = argc > 1 ? command_find(argv[1]) : NULL;
	if (command != NULL)
		arguments++;
	else
		command = command_of(SUB_RUN);
	if (command_may_start(&ending))
		ending = say_whether_written(command->run(arguments, &entry));
	if (ending.signal != 0)
		signals_die_by(ending.signal);
	return ending.status;
}
