/* SPDX-License-Identifier: ISC */
#include "kernel/locktable.h"

#include <sys/sysmacros.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "1: FLOCK  ADVISORY  WRITE 812 00:2f:123 0 EOF"; of who waits, "1: -> FLOCK ..." */
#define HELD "%*d: FLOCK %*s %*s %d %x:%x:%" SCNu64

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

void
locktable_read(struct locktable *table)
{
	struct locktable_row row;
	unsigned major, minor;
	char line[256];
	size_t room = 0;
	FILE *locks;
	int fd;

	*table = (struct locktable){0};
	fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
	locks = fd != -1 ? fdopen(fd, "r") : NULL;
	if (locks == NULL)
		return;
	while (fgets(line, sizeof(line), locks) != NULL) {
		if (sscanf(line, HELD, &row.pid, &major, &minor, &row.inode) != 4)
			continue;
		row.device = makedev(major, minor);
		if (add(table, &row, &room) == -1)
			break;
	}
	fclose(locks);
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
