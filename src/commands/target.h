/* SPDX-License-Identifier: ISC */
/* What the subcommands that look at one lock begin with. */
#ifndef LOCKRUN_COMMANDS_TARGET_H
#define LOCKRUN_COMMANDS_TARGET_H

#include "kernel/lockdir.h"
#include "values/lockname.h"
#include "values/options.h"

struct target {
	struct lockname name;
	struct statedir directory;
	struct lockdir lock;
};

/*
 * Open, for reading, the lock that the first word names; there must be words of them, no fewer and
 * no more. Returns 0, or -1 with a fault.
 */
int target_open(enum subcommand subcommand, const struct options *options, size_t words,
    struct target *target, struct fault *fault);

#endif
