/* SPDX-License-Identifier: ISC */
#include "election/view.h"

#include "election/outside.h"

#include <bsd/string.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
add_name(const char *text, void *context)
{
	struct names *names = context;
	const size_t room = names->room * 2 + 16;
	char(*more)[LOCKNAME_SIZE];
	struct lockname name;
	struct fault fault;

	if (lockname_parse(text, &name, &fault) == -1)
		return true;
	if (names->count == names->room) {
		more = reallocarray(names->items, room, sizeof(names->items[0]));
		if (more == NULL) {
			names->failed = true;
			return false;
		}
		names->items = more;
		names->room = room;
	}
	strlcpy(names->items[names->count++], text, LOCKNAME_SIZE);
	return true;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

int
names_read(const struct statedir *directory, struct names *names, struct fault *fault)
{
	*names = (struct names){0};
	if (statedir_each(directory, add_name, names) == -1)
		return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", directory->path);
	if (names->failed)
		return fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", directory->path);
	if (names->count > 0)
		qsort(names->items, names->count, sizeof(names->items[0]), by_text);
	return 0;
}

void
names_free(struct names *names)
{
	free(names->items);
	*names = (struct names){0};
}

static int
read_roster(
    const struct statedir *directory, const char *name, struct roster *roster, struct fault *fault)
{
	struct lockdir lock;
	int result;

	if (lockdir_open(directory, name, STATE_READ, NULL, 0, &lock, fault) == -1)
		return -1;
	result = roster_read(&lock, roster, fault);
	lockdir_close(&lock);
	return result;
}

/* ---- other versions: this is how a rolling deploy sees its old half ---- */

static int
by_family(const void *a, const void *b)
{
	const char *const *first = a, *const *second = b;
	const int order = lockname_family_order(*first, *second);

	return order != 0 ? order : strcmp(*first, *second);
}

/* Returns 0, or -1 when there is no memory. */
static int
gather_families(struct views *views)
{
	/* NOLINTBEGIN(bugprone-sizeof-expression): pointers are what it lists. */
	views->families = calloc(views->all.count + 1, sizeof(*views->families));
	if (views->families == NULL)
		return -1;
	for (size_t i = 0; i < views->all.count; i++)
		views->families[i] = views->all.items[i];
	qsort(views->families, views->all.count, sizeof(*views->families), by_family);
	/* NOLINTEND(bugprone-sizeof-expression) */
	return 0;
}

/* Where the family of a lock begins, if it is there. */
static size_t
begin_of_family(const struct views *views, const char *name)
{
	size_t from = 0, to = views->all.count, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (lockname_family_order(views->families[middle], name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void
find_versions(const struct views *views, struct view *view)
{
	struct roster roster;
	struct fault fault;
	const char *other;

	for (size_t i = begin_of_family(views, view->name);
	     i < views->all.count && view->version_count < VIEW_VERSIONS_MAX; i++) {
		other = views->families[i];
		if (lockname_family_order(other, view->name) != 0)
			return;
		if (!lockname_other_version(other, view->name) ||
		    read_roster(views->directory, other, &roster, &fault) == -1)
			continue;
		if (roster_is_held(&roster))
			strlcpy(view->versions[view->version_count++], other, LOCKNAME_SIZE);
		roster_free(&roster);
	}
}

/* ---- who holds without a ticket ---- */

static void
find_processes(struct views *views, struct view *view)
{
	struct lockdir lock;
	struct fault fault;

	if (view->roster.held > 0 || view->roster.unsupervised)
		return;
	/* Once for all locks. */
	if (!view->roster.orphaned && !views->has_table)
		locktable_read(&views->table);
	views->has_table = views->has_table || !view->roster.orphaned;
	if (!view->roster.orphaned && locktable_find(&views->table, view->roster.inode) == NULL)
		return;
	if (lockdir_open(views->directory, view->name, STATE_READ, NULL, 0, &lock, &fault) == -1)
		return;
	if (view->roster.orphaned)
		view->left_count =
		    outside_list_left(&lock, &view->roster, view->left, VIEW_LEFT_MAX);
	else if (!outside_find(&lock, &view->outside))
		view->outside.pid = 0;
	lockdir_close(&lock);
}

/* ---- the views ---- */

static int
gather_wanted(struct views *views, char *const *names, size_t count, struct fault *fault)
{
	struct lockname name;

	for (size_t i = 0; i < count; i++) {
		if (lockname_parse(names[i], &name, fault) == -1)
			return -1;
		if (!add_name(names[i], &views->wanted))
			return fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", names[i]);
	}
	return 0;
}

int
views_begin(const struct statedir *directory, char *const *names, size_t count, struct views *views,
    struct fault *fault)
{
	*views = (struct views){.directory = directory};
	if (names_read(directory, &views->all, fault) == 0 &&
	    gather_wanted(views, names, count, fault) == 0) {
		if (gather_families(views) == 0)
			return 0;
		fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", directory->path);
	}
	views_end(views);
	return -1;
}

static void
forget_view(struct views *views)
{
	if (views->has_roster)
		roster_free(&views->view.roster);
	views->has_roster = false;
}

static const struct names *
looked_at(const struct views *views)
{
	return views->wanted.count > 0 ? &views->wanted : &views->all;
}

size_t
views_count(const struct views *views)
{
	return looked_at(views)->count;
}

const struct view *
views_next(struct views *views)
{
	const struct names *names = looked_at(views);
	struct view *view = &views->view;

	forget_view(views);
	if (views->next == names->count)
		return NULL;
	view->name = names->items[views->next++];
	view->version_count = 0;
	view->left_count = 0;
	view->outside.pid = 0;
	view->fault.kind = FAULT_NONE;
	view->shown = false;
	views->has_roster =
	    read_roster(views->directory, view->name, &view->roster, &view->fault) == 0;
	if (!views->has_roster)
		return view;
	if (view->roster.damage.kind != FAULT_NONE)
		view->fault = view->roster.damage;
	view->shown = view->fault.kind == FAULT_NONE || view->roster.count > 0 ||
		      roster_is_held(&view->roster);
	find_versions(views, view);
	find_processes(views, view);
	return view;
}

void
views_end(struct views *views)
{
	forget_view(views);
	locktable_free(&views->table);
	free(views->families);
	names_free(&views->wanted);
	names_free(&views->all);
	*views = (struct views){0};
}
