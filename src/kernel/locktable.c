/* SPDX-License-Identifier: ISC */
#include "kernel/locktable.h"

#include <sys/sysmacros.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * It comes in pages, and by counting: where another lock goes meanwhile, one is skipped. Who is
 * met more than once is no worse than who is gone by the time that he is asked.
 */
#define READINGS 3

static int
add(struct locktable *table, const struct locktable_row *row, size_t *room)
{
	const size_t more = *room * 2 + 64;
	struct locktable_row *rows;

	if (table->count == *room) {
		rows = reallocarray(table->rows, more, sizeof(*rows));
		if (rows == NULL)
			return -1;
		table->rows = rows;
		*room = more;
	}
	table->rows[table->count++] = *row;
	return 0;
}

/* "1: FLOCK  ADVISORY  WRITE 812 00:2f:123 0 EOF"; of who waits, "1: -> FLOCK ..." */
static bool
parse(char *line, struct locktable_row *row)
{
	enum {
		KIND = 1,
		PID = 4,
		FILE_ID = 5,
		WORDS
	};
	char *words[WORDS], *rest = NULL, *end;
	unsigned major, minor;

	for (size_t i = 0; i < WORDS; i++) {
		words[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
		if (words[i] == NULL)
			return false;
	}
	if (strcmp(words[KIND], "FLOCK") != 0)
		return false;
	row->pid = (pid_t)strtol(words[PID], NULL, 10);
	major = (unsigned)strtoul(words[FILE_ID], &end, 16);
	if (*end != ':')
		return false;
	minor = (unsigned)strtoul(end + 1, &end, 16);
	if (*end != ':')
		return false;
	row->device = makedev(major, minor);
	row->inode = strtoull(end + 1, &end, 10);
	return *end == '\0';
}

static void
read_once(struct locktable *table, size_t *room)
{
	struct locktable_row row;
	char line[256];
	FILE *locks;
	int fd;

	fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
	locks = fd != -1 ? fdopen(fd, "r") : NULL;
	if (locks == NULL)
		return;
	while (fgets(line, sizeof(line), locks) != NULL) {
		if (parse(line, &row) && add(table, &row, room) == -1)
			break;
	}
	fclose(locks);
}

void
locktable_read(struct locktable *table)
{
	size_t room = 0;

	*table = (struct locktable){0};
	for (int i = 0; i < READINGS; i++)
		read_once(table, &room);
}

void
locktable_free(struct locktable *table)
{
	free(table->rows);
	*table = (struct locktable){0};
}

const struct locktable_row *
locktable_find(const struct locktable *table, uint64_t inode)
{
	for (size_t i = 0; i < table->count && inode != 0; i++) {
		if (table->rows[i].inode == inode)
			return &table->rows[i];
	}
	return NULL;
}
