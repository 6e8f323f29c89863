/* SPDX-License-Identifier: ISC */
/* Putting the value of one option where its row says. */
#ifndef LOCKRUN_VALUES_OPTION_VALUE_H
#define LOCKRUN_VALUES_OPTION_VALUE_H

#include "values/options.h"

#define OPTION_SPELLED_SIZE 128

struct option_reading {
	enum subcommand subcommand;
	char **next; /* the argument to read next */
	struct options *options;
	struct fault *fault;
	const char *directory; /* that an option has named, or NULL */
};

/* An option as it stands on the command line: a long name, or else a letter. */
struct option_spelling {
	const char *name;
	size_t length;
	char letter;
	char text[OPTION_SPELLED_SIZE]; /* with its dashes, for messages */
};

/*
 * Check value (NULL for a flag) and store it in options. Returns 0, or -1 with a FAULT_USAGE_*
 * that shows the option as it was spelled.
 */
int option_store(const struct option_reading *reading, const struct option_row *row,
    const struct option_spelling *spelling, const char *value);

#endif
