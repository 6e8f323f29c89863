/* SPDX-License-Identifier: ISC */
#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

#include "commands/say.h"

const struct command_row command_table[] = {
    {"run", SUB_RUN, command_run, "[OPTION...] NAME [--] COMMAND [ARG...]",
	"queue for NAME and run COMMAND as its leader (the word may be left out)"},
    {"status", SUB_STATUS, command_status, "[--json] [NAME...]",
	"who leads, since when; who waits; how the last term ended"},
    {"stop", SUB_STOP, command_stop, "[OPTION...] NAME",
	"ask the leader to step down, and wait until it has"},
    {"watch", SUB_WATCH, command_watch, "[OPTION...] NAME",
	"follow who leads, or wait for the end of the present term"},
    {"history", SUB_HISTORY, command_history, "[--json] NAME", "the last terms, newest first"},
    {"stats", SUB_STATS, command_stats, "[--json|--prometheus] [NAME...]", "counts and times"},
    {"signal", SUB_SIGNAL, command_signal, "NAME SIGNAL", "send a signal to the leader's command"},
    {"prune", SUB_PRUNE, command_prune, "[--older-than DURATION]",
	"forget idle locks; generations do not go back"},
    {"doctor", SUB_DOCTOR, command_doctor, "[--repair [--floor N NAME]] [DIR]",
	"prove that exclusion works in this directory; look at what it rests on; mend"},
    {"check", SUB_CHECK, command_check, "[NAME]",
	"inside a term: does it still lead, with nobody asking it to stop?"},
    {"fence", SUB_FENCE, command_fence, "FILE [--] COMMAND [ARG...]",
	"inside a term: run COMMAND unless FILE has seen a newer one"},
    {"name", SUB_NAME, command_name_tool,
	"NAME | --app A --protocol N --kind K --resource R [--scope S]...",
	"check and explain a lock name, or build one"},
};

const size_t command_table_length = sizeof(command_table) / sizeof(command_table[0]);

const struct command_row *
command_find(const char *word)
{
	for (size_t i = 0; i < command_table_length; i++) {
		if (strcmp(command_table[i].word, word) == 0)
			return &command_table[i];
	}
	return NULL;
}

const struct command_row *
command_of(enum subcommand subcommand)
{
	for (size_t i = 0; i < command_table_length; i++) {
		if (command_table[i].subcommand == subcommand)
			return &command_table[i];
	}
	return NULL;
}

bool
command_may_start(struct ending *ending)
{
	struct fault fault;

	if (!process_is_set_id())
		return true;
	fault_set(&fault, FAULT_SET_ID, 0, "this program");
	*ending = say_fault(&fault);
	return false;
}

int
command_needs_name(enum subcommand subcommand, struct fault *fault)
{
	fault_set(fault, FAULT_USAGE_NO_NAME, 0, "%s", command_of(subcommand)->word);
	return command_hint_usage(subcommand, fault);
}

int
command_hint_usage(enum subcommand subcommand, struct fault *fault)
{
	const struct command_row *row = command_of(subcommand);
	const bool named = subcommand != SUB_RUN;

	return fault_hint(
	    fault, "lockrun %s%s%s", named ? row->word : "", named ? " " : "", row->synopsis);
}

static bool
lacks_a_word(const struct fault *fault)
{
	return fault->kind == FAULT_USAGE_NO_NAME || fault->kind == FAULT_USAGE_NO_COMMAND ||
	       fault->kind == FAULT_USAGE_WORD_MISSING;
}

bool
command_parse(
    enum subcommand subcommand, char **arguments, struct options *options, struct ending *ending)
{
	struct fault fault;

	if (options_parse(subcommand, arguments, getenv("LOCKRUN_NOTE"), getenv("LOCKRUN_DIR"),
		options, &fault) == -1) {
		if (lacks_a_word(&fault))
			command_hint_usage(subcommand, &fault);
		*ending = say_fault(&fault);
		return false;
	}
	*ending = (struct ending){.status = STATUS_OK};
	if (options->help)
		help_print(subcommand);
	else if (options->version)
		help_version();
	return !options->help && !options->version;
}
