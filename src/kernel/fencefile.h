/* SPDX-License-Identifier: ISC */
/*
 * The FILE of a fence: opening it where a user has named it, and making it where it is missing.
 *
 * What MUST stay:
 *  - a new one is made complete under a private name, synced, and given its name only if that is
 *    still free: whoever comes second uses the first one's;
 *  - it is opened O_NOFOLLOW, O_NONBLOCK and O_NOCTTY, never O_TRUNC, and has to be a regular file
 * of our own, of root's, or of the group that its directory is shared by (setgid bit);
 *  - strangers may not write to it.
 */
#ifndef LOCKRUN_KERNEL_FENCEFILE_H
#define LOCKRUN_KERNEL_FENCEFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "values/fault.h"

struct fencefile {
	int fd;		  /* for reading and writing */
	int directory;	  /* the one it is in */
	const char *path; /* the caller's */
};

/*
 * Open the file at path, or make it of length bytes of seed. Returns 0, or -1 with a fault and
 * nothing open. Does not block, but for the file system.
 */
int fencefile_open(
    const char *path, const char *seed, size_t length, struct fencefile *file, struct fault *fault);
void fencefile_close(struct fencefile *file);

/* Whether what is open still is what the path names. */
bool fencefile_is_current(const struct fencefile *file);

/* Sync the directory, so that a power cut leaves the file its name. Returns 0, or -1 with errno. */
int fencefile_sync_name(const struct fencefile *file);

#endif
