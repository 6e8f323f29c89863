/* SPDX-License-Identifier: ISC */
#include "commands/commands.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 36

static void
print_option(const struct option_row *row)
{
	char left[80];
	const bool flag = row->metavar == NULL;
	/* A value that may be left out is attached. */
	const char *gap = flag || row->metavar[0] == '[' ? "" : " ";

	if (row->letter != 0)
		snprintf(left, sizeof(left), "  -%c, --%s%s%s", row->letter, row->name, gap,
		    flag ? "" : row->metavar);
	else
		snprintf(
		    left, sizeof(left), "      --%s%s%s", row->name, gap, flag ? "" : row->metavar);
	printf("%-*s %s\n", HELP_COLUMN, left, row->help);
}

/* Those of a run that most people need, and no others, most of the time. */
static const char *const everyday[] = {
    "if-available", "wait", "conflict-exit-code", "max-hold", "verbose", "quiet"};

static bool
is_everyday(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(everyday) / sizeof(everyday[0]); i++) {
		if ((row->subcommands & SUB_RUN) != 0 && strcmp(row->name, everyday[i]) == 0)
			return true;
	}
	return false;
}

static void
print_options(const char *title, enum subcommand subcommand, bool everyday_ones)
{
	printf("\n%s:\n", title);
	for (size_t i = 0; i < option_table_length; i++) {
		const struct option_row *row = &option_table[i];

		if ((row->subcommands & subcommand) != 0 && row->trait != OPTION_SPELLING &&
		    (subcommand != SUB_RUN || is_everyday(row) == everyday_ones))
			print_option(row);
	}
}

static void
print_subcommands(void)
{
	puts("\nSubcommands, each with its own --help:");
	for (size_t i = 0; i < command_table_length; i++) {
		if (command_table[i].subcommand != SUB_RUN)
			printf(
			    "  lockrun %s %s\n", command_table[i].word, command_table[i].synopsis);
	}
}

static void
print_statuses(void)
{
	puts("\nExit status: that of COMMAND, or");
	for (size_t i = 0; i < status_table_length; i++) {
		if (status_table[i].status != STATUS_OK)
			printf("  %3d  %s\n", status_table[i].status, status_table[i].meaning);
	}
}

void
help_print(enum subcommand subcommand)
{
	const struct command_row *command = command_of(subcommand);

	if (subcommand != SUB_RUN) {
		printf("usage: lockrun %s %s\n%s\n", command->word, command->synopsis,
		    command->summary);
		print_options("Options", subcommand, false);
		return;
	}
	printf("usage: lockrun %s\n\n"
	       "Run COMMAND while holding the lock NAME, one leader at a time. In a crontab:\n"
	       "  */5 * * * * /usr/local/bin/lockrun -n -m 10m app:v1:single-flight:sync -- "
	       "/opt/sync\n",
	    command->synopsis);
	print_options("Everyday options", subcommand, true);
	print_options("More options", subcommand, false);
	print_subcommands();
	print_statuses();
	puts("\nNames: app:vN:kind:resource[:scope...]. Durations: 250ms, 30s, 1.5m, 2h, 1d.\n"
	     "More: man lockrun; how to use it well: man 7 lockrun");
}

void
help_version(void)
{
	puts("lockrun " LOCKRUN_VERSION);
}
