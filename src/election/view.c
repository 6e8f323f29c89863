/* SPDX-License-Identifier: ISC */
#include "election/view.h"

#include <bsd/string.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
add_name(const char *text, void *context)
{
	struct names *names = context;
	const size_t room = names->room * 2 + 16;
	struct lockname name, *more;
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
	names->items[names->count++] = name;
	return true;
}

static int
by_text(const void *a, const void *b)
{
	const struct lockname *first = a, *second = b;

	return strcmp(first->text, second->text);
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

/* All names, the versions of one lock together. */
struct families {
	const struct lockname **items;
	size_t count;
};

static int
by_family(const void *a, const void *b)
{
	const struct lockname *const *first = a, *const *second = b;
	const int order = lockname_family_order(*first, *second);

	return order != 0 ? order : strcmp((*first)->text, (*second)->text);
}

/* Returns 0, or -1 with errno. */
static int
gather_families(const struct names *all, struct families *families)
{
	*families = (struct families){.count = all->count};
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what it lists. */
	families->items = calloc(all->count + 1, sizeof(*families->items));
	if (families->items == NULL)
		return -1;
	for (size_t i = 0; i < all->count; i++)
		families->items[i] = &all->items[i];
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	qsort(families->items, families->count, sizeof(*families->items), by_family);
	return 0;
}

/* Where the family of a lock begins, if it is there. */
static size_t
begin_of_family(const struct families *families, const struct lockname *name)
{
	size_t from = 0, to = families->count, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (lockname_family_order(families->items[middle], name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Most locks have none, and there may be many locks. */
static void
add_version(struct view *view, const char *text)
{
	if (view->versions == NULL)
		view->versions = calloc(VIEW_VERSIONS_MAX, LOCKNAME_SIZE);
	if (view->versions != NULL)
		strlcpy(view->versions[view->version_count++], text, LOCKNAME_SIZE);
}

static void
find_versions(const struct statedir *directory, const struct families *families, struct view *view)
{
	const struct lockname *other;
	struct roster roster;
	struct fault fault;

	for (size_t i = begin_of_family(families, &view->name);
	     i < families->count && view->version_count < VIEW_VERSIONS_MAX; i++) {
		other = families->items[i];
		if (lockname_family_order(other, &view->name) != 0)
			return;
		if (!lockname_other_version(other, &view->name) ||
		    read_roster(directory, other->text, &roster, &fault) == -1)
			continue;
		if (roster_is_held(&roster))
			add_version(view, other->text);
		roster_free(&roster);
	}
}

/* ---- the views ---- */

static int
read_each(const struct statedir *directory, const struct names *wanted,
    const struct families *families, struct views *views, struct fault *fault)
{
	for (; views->count < wanted->count; views->count++) {
		struct view *view = &views->items[views->count];

		view->name = wanted->items[views->count];
		if (read_roster(directory, view->name.text, &view->roster, fault) == -1)
			return -1;
		find_versions(directory, families, view);
	}
	return 0;
}

static int
read_views(const struct statedir *directory, const struct names *wanted, const struct names *all,
    struct views *views, struct fault *fault)
{
	struct families families = {0};
	int result;

	views->items = calloc(wanted->count + 1, sizeof(views->items[0]));
	if (views->items == NULL || gather_families(all, &families) == -1)
		result = fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", directory->path);
	else
		result = read_each(directory, wanted, &families, views, fault);
	free(families.items);
	if (result == -1)
		views_free(views);
	return result;
}

int
views_read(const struct statedir *directory, char *const *names, size_t count, struct views *views,
    struct fault *fault)
{
	struct names all = {0}, wanted = {0};
	struct lockname name;
	int result;

	*views = (struct views){0};
	result = names_read(directory, &all, fault);
	for (size_t i = 0; i < count && result == 0; i++) {
		result = lockname_parse(names[i], &name, fault);
		if (result == 0 && (!add_name(names[i], &wanted) || wanted.failed))
			result = fault_set(fault, FAULT_SYSTEM, ENOMEM, "%s", names[i]);
	}
	if (result == 0)
		result = read_views(directory, count > 0 ? &wanted : &all, &all, views, fault);
	free(wanted.items);
	free(all.items);
	return result;
}

void
views_free(struct views *views)
{
	for (size_t i = 0; views->items != NULL && i < views->count; i++) {
		roster_free(&views->items[i].roster);
		free(views->items[i].versions);
	}
	free(views->items);
	*views = (struct views){0};
}
