/* SPDX-License-Identifier: ISC */
/*
 * A file that scripts lock with flock(1), opened as flock(1) opens it, so that all meet at the same
 * inode: a symbolic link is followed, a directory or a device will do, and what is missing is made.
 *
 * It is a stranger's file, so: nothing is ever written to it and it is never truncated. It is not
 * made through a symbolic link that leads nowhere, for whoever put that there would choose what
 * appears in another place. Opening what exists does not ask to make it (a sticky directory under
 * fs.protected_regular would refuse that, even to root), and neither waits nor takes a terminal.
 */
#ifndef LOCKRUN_KERNEL_FLOCKFILE_H
#define LOCKRUN_KERNEL_FLOCKFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "values/fault.h"

/*
 * Open the file for reading, which is enough to lock it on a local file system, or with writable
 * for both, as file servers want it. With mode a missing one is made, with 0 it is not. Returns a
 * descriptor that is the caller's to close, or -1 with FAULT_ALSO_UNUSABLE (its error is ENOENT for
 * a missing file) or FAULT_ALSO_KIND.
 */
int flockfile_open(const char *path, mode_t mode, bool writable, struct fault *fault);

/* Whether fd still is the file that others would find under this path. */
bool flockfile_is_current(const char *path, int fd);

/* Whether two descriptors are of the same file. */
bool flockfile_is_same(int a, int b);

#endif
