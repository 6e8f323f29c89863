/* SPDX-License-Identifier: ISC */
#include "commands/target.h"

#include "commands/commands.h"

int
target_open(enum subcommand subcommand, const struct options *options, size_t words,
    struct target *target, struct fault *fault)
{
	if (options->word_count == 0)
		return command_needs_name(subcommand, fault);
	if (options->word_count < words) {
		fault_set(fault, FAULT_USAGE_WORD_MISSING, 0, "%s", command_of(subcommand)->word);
		return command_hint_usage(subcommand, fault);
	}
	if (options->word_count > words)
		return fault_set(fault, FAULT_USAGE_EXTRA_WORD, 0, "%s", options->words[words]);
	if (lockname_parse(options->words[0], &target->name, fault) == -1 ||
	    statedir_open(options->directory, STATE_READ, &target->directory, fault) == -1)
		return -1;
	return lockdir_open(
	    &target->directory, target->name.text, STATE_READ, NULL, 0, &target->lock, fault);
}
