/* SPDX-License-Identifier: ISC */
/*
 * The state directory, DIR: where it is, and whether it can be trusted. This file and
 * kernel/lockdir.c are the only ones that know path names.
 *
 * What it MUST keep:
 *  - everything below DIR is opened relative to a descriptor, O_NOFOLLOW and O_CLOEXEC, O_NONBLOCK
 *    where a FIFO could stand, never O_TRUNC, never O_CREAT for what exists (a sticky directory
 *    under fs.protected_regular refuses that, even to root), and has to be a regular file;
 *  - DIR and NAME are owned by us, by root, or shared by a group (setgid bit), and no stranger can
 *    write to them: whoever can write there can move the lock away from under us;
 *  - a NAME is made complete under a private name, synced, and renamed into place: nobody ever
 *    sees half of one, and a lost write cannot give a generation twice;
 *  - modes do not depend on the umask: whoever makes files has called umask(0) (process_enter).
 *
 * All functions return 0 or a descriptor, or -1 with a fault, unless said otherwise. Descriptors
 * are the caller's to close. None blocks, but for the file system.
 */
#ifndef LOCKRUN_KERNEL_STATEDIR_H
#define LOCKRUN_KERNEL_STATEDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "values/fault.h"

struct statedir {
	int fd;
	bool shared_by_group;
	char path[PATH_MAX]; /* absolute, as given: links in its parents are not resolved */
};

enum state_use {
	STATE_CONTEND, /* make what is missing */
	STATE_READ,    /* make nothing */
};

/*
 * Open DIR: the one that was named, or the default place when named is NULL (by the password
 * database and the effective user, since HOME differs between cron, sudo and a desktop).
 * STATE_CONTEND makes it when it is missing: the default place with its parents, a named one
 * only where its parent exists, since a mistyped or unmounted path is another lock.
 * For STATE_READ a missing directory is not a fault: fd is -1 then and path is set.
 */
int statedir_open(
    const char *named, enum state_use use, struct statedir *directory, struct fault *fault);
void statedir_close(struct statedir *directory);

/* Look the path up again, since what stands there may have been moved or replaced. */
int statedir_reopen(struct statedir *directory, struct fault *fault);

/* Whether we may make and remove files in DIR, which is open; errno says why not. */
bool statedir_may_write(const struct statedir *directory);

/*
 * Set the fault of an error at path, DIR or in it, when something was to be written there: of DIR
 * itself when that is what may not be written to. Always returns -1.
 */
int statedir_write_fault(
    const struct statedir *directory, const char *path, int error, struct fault *fault);

/*
 * Whether a directory that is missing could be made by statedir_open, with_parents for the default
 * place. Returns 0, or -1 with the fault that statedir_open would give.
 */
int statedir_could_be_made(const char *path, bool with_parents, struct fault *fault);

/* Sync DIR and each directory above it that can be synced. Returns 0, or -1 with errno. */
int statedir_sync(const struct statedir *directory);

/* Whether path, to its last component, is what fd is open on. */
bool statedir_is_at(int fd, const char *path);

/* Open DIR/floor; STATE_CONTEND makes it when it is missing. ENOENT is a fault like others here. */
int statedir_floor(const struct statedir *directory, enum state_use use, struct fault *fault);

/*
 * Call each for every entry of DIR but "." and "..", in no order, until it returns false. A name
 * that is renamed meanwhile may be missed or met twice (readdir(3)). Returns 0, or -1 with errno.
 */
int statedir_each(
    const struct statedir *directory, bool (*each)(const char *name, void *context), void *context);

/* For kernel/lockdir.c: the modes of what is made below DIR, and how it is opened. */
mode_t statedir_directory_mode(const struct statedir *directory);
mode_t statedir_file_mode(const struct statedir *directory);
int statedir_check_owner(int fd, const char *path, bool *shared_by_group, struct fault *fault);
int statedir_open_fault(struct fault *fault, const char *path);
int statedir_list(int fd, bool (*each)(const char *name, void *context), void *context);

/*
 * In a directory that others may write to as well, one of them may have given a file of ours, by a
 * hard link, the name of one that is written to.
 */
bool statedir_may_be_planted(const struct statedir *directory, const struct stat *file);

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPEN_SAFELY    (O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

#endif
