/* SPDX-License-Identifier: ISC */
/* The flock(2)s that are held on this machine, as /proc/locks tells (proc(5)). */
#ifndef LOCKRUN_KERNEL_LOCKTABLE_H
#define LOCKRUN_KERNEL_LOCKTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Who took a lock, and on which file: a file system may be known by another number here than to
 * stat(2), so the inode number is a hint, for whoever then asks the process.
 */
struct locktable_row {
	pid_t pid; /* which may be gone, and have left the lock to others */
	dev_t device;
	uint64_t inode;
};

struct locktable {
	struct locktable_row *rows;
	size_t count;
};

/* Read it. Empty where there is no /proc; locks of other pid namespaces are not in it. */
void locktable_read(struct locktable *table);
void locktable_free(struct locktable *table);

/* The first that may be a lock on the file of that inode number; or NULL. */
const struct locktable_row *locktable_find(const struct locktable *table, uint64_t inode);

#endif
