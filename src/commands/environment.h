/* SPDX-License-Identifier: ISC */
/* What a command learns of its term: LOCKRUN_* in its environment; all else passes unchanged. */
#ifndef LOCKRUN_COMMANDS_ENVIRONMENT_H
#define LOCKRUN_COMMANDS_ENVIRONMENT_H

#include <limits.h>

#include "values/lockname.h"
#include "values/record.h"

/* DIR, three times a name (itself, its parts, the key), and what is short. */
#define ENVIRONMENT_SIZE (PATH_MAX + 3 * 256 + 1024)

struct environment {
	char **entries;		      /* NULL-terminated; ours come first */
	char texts[ENVIRONMENT_SIZE]; /* of ours, one behind the other */
};

/*
 * Build the environment for a term from ours; previous is the last one before it. A shared holder
 * has no generation, and so neither LOCKRUN_GENERATION nor LOCKRUN_IDEMPOTENCY_KEY. Returns 0, or
 * -1 with errno. environment_free gives the list back.
 */
int environment_build(struct environment *environment, const struct lockname *name,
    const struct term *term, const struct told_outcome *previous, enum ticket_mode mode,
    const char *directory);
void environment_free(struct environment *environment);

#endif
