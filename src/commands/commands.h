/* SPDX-License-Identifier: ISC */
/* The subcommands: one table for main, --help, completions and tests. */
#ifndef LOCKRUN_COMMANDS_COMMANDS_H
#define LOCKRUN_COMMANDS_COMMANDS_H

#include <stddef.h>

#include "kernel/process.h"
#include "values/options.h"
#include "values/status.h"

struct command_row {
	const char *word;
	enum subcommand subcommand;
	/* Do it; arguments are those after the word, NULL-terminated. */
	struct ending (*run)(char **arguments, struct process_entry *entry);
	const char *synopsis; /* what follows the word */
	const char *summary;
};

extern const struct command_row command_table[];
extern const size_t command_table_length;

/* The row of a word, or NULL. */
const struct command_row *command_find(const char *word);
const struct command_row *command_of(enum subcommand subcommand);

/* False, and how that ends, when lockrun was started set-user-ID: its options name files. */
bool command_may_start(struct ending *ending);

struct ending command_run(char **arguments, struct process_entry *entry);
struct ending command_name_tool(char **arguments, struct process_entry *entry);
struct ending command_status(char **arguments, struct process_entry *entry);
struct ending command_stop(char **arguments, struct process_entry *entry);
struct ending command_signal(char **arguments, struct process_entry *entry);
struct ending command_history(char **arguments, struct process_entry *entry);
struct ending command_stats(char **arguments, struct process_entry *entry);
struct ending command_watch(char **arguments, struct process_entry *entry);
struct ending command_prune(char **arguments, struct process_entry *entry);
struct ending command_doctor(char **arguments, struct process_entry *entry);
struct ending command_check(char **arguments, struct process_entry *entry);
struct ending command_fence(char **arguments, struct process_entry *entry);

/*
 * Parse arguments for a subcommand. True to go on; false when *ending says how it ended: the help
 * was asked for and printed, or the fault was.
 */
bool command_parse(
    enum subcommand subcommand, char **arguments, struct options *options, struct ending *ending);

/* Set the fault that a lock name is missing, with the subcommand's usage. Always returns -1. */
int command_needs_name(enum subcommand subcommand, struct fault *fault);

/* Let a fault end in the subcommand's usage. Always returns -1. */
int command_hint_usage(enum subcommand subcommand, struct fault *fault);

void help_print(enum subcommand subcommand);
void help_version(void);

#endif
