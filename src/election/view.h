/* SPDX-License-Identifier: ISC */
/* Several locks of one directory, as a reader sees them. */
#ifndef LOCKRUN_ELECTION_VIEW_H
#define LOCKRUN_ELECTION_VIEW_H

#include <stddef.h>

#include "election/roster.h"
#include "values/lockname.h"

#define VIEW_VERSIONS_MAX 8

/* Names of locks. */
struct names {
	struct lockname *items;
	size_t count;
	size_t room;
	bool failed;
};

/*
 * The names of all locks in a directory, sorted; none where there is no directory. Returns 0, or
 * -1 with a fault. names_free gives them back.
 */
int names_read(const struct statedir *directory, struct names *names, struct fault *fault);
void names_free(struct names *names);

struct view {
	struct lockname name;
	struct roster roster;
	char (*versions)[LOCKNAME_SIZE]; /* other versions that are held now; NULL for none */
	size_t version_count;
};

struct views {
	struct view *items;
	size_t count;
};

/*
 * Look at the locks that are named, in that order, or at all of the directory, sorted, when count
 * is 0. A lock that does not exist is idle; a directory that does not exist has none. Creates
 * nothing. Returns 0, or -1 with a fault. views_free gives everything back.
 */
int views_read(const struct statedir *directory, char *const *names, size_t count,
    struct views *views, struct fault *fault);
void views_free(struct views *views);

#endif
