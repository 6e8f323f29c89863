/* SPDX-License-Identifier: ISC */
/* What kind of file system a directory lies on, and how much room is left. */
#ifndef LOCKRUN_KERNEL_FILESYSTEM_H
#define LOCKRUN_KERNEL_FILESYSTEM_H

#include <stdint.h>

enum filesystem_kind {
	FILESYSTEM_LOCAL,
	FILESYSTEM_NETWORK, /* locks may not reach other hosts, or hang (flock(2)) */
	FILESYSTEM_PASSING, /* in memory, or in a container's layer: gone with it */
};

struct filesystem {
	enum filesystem_kind kind;
	const char *name; /* "ext4", or "unknown" */
	uint64_t free_bytes;
	uint64_t free_files; /* UINT64_MAX where there is no such limit */
};

/* Look at the file system that fd lies on. Returns 0, or -1 with errno. */
int filesystem_read(int fd, struct filesystem *filesystem);

#endif
