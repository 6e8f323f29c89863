/* SPDX-License-Identifier: ISC */
/* Several locks of one directory, as a reader sees them. */
#ifndef LOCKRUN_ELECTION_VIEW_H
#define LOCKRUN_ELECTION_VIEW_H

#include <stddef.h>

#include "election/roster.h"
#include "kernel/locktable.h"
#include "kernel/proctable.h"
#include "values/lockname.h"

#define VIEW_VERSIONS_MAX 8
#define VIEW_LEFT_MAX	  4

/* Names of locks. */
struct names {
	char (*items)[LOCKNAME_SIZE];
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
	const char *name;
	struct fault fault; /* of a kind other than FAULT_NONE: it could not be read, or not all */
	bool shown;	    /* there is something to show */
	struct roster roster; /* that */
	struct process_stat
	    outside; /* who holds it without any lockrun, if that shows; else pid 0 */
	struct process_stat left[VIEW_LEFT_MAX]; /* some of what a killed lockrun left behind */
	size_t left_count;
	char versions[VIEW_VERSIONS_MAX][LOCKNAME_SIZE]; /* other versions that are held now */
	size_t version_count;
};

/* One at a time: there may be many, and memory costs more than reading. */
struct views {
	const struct statedir *directory;
	struct names all, wanted;
	const char **families; /* all of them, the versions of one lock together */
	size_t next;
	struct view view;
	bool has_roster;
	struct locktable table;
	bool has_table;
};

/*
 * Begin to look at the locks that are named, in that order, or at all of the directory, sorted,
 * when count is 0. A lock that does not exist is idle; a directory that does not exist has none.
 * Creates nothing. Returns 0, or -1 with a fault. views_end gives everything back.
 */
int views_begin(const struct statedir *directory, char *const *names, size_t count,
    struct views *views, struct fault *fault);

/* How many locks views_next looks at in all. */
size_t views_count(const struct views *views);

/* Look at the next one, which views then own until the one after it. NULL after the last. */
const struct view *views_next(struct views *views);

void views_end(struct views *views);

#endif
