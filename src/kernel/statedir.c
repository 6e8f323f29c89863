/* SPDX-License-Identifier: ISC */
#include "kernel/statedir.h"

#include <sys/stat.h>

#include <bsd/string.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/filesystem.h"

#define ROOT_DEFAULT "/var/lib/lockrun"
#define FLOOR	     "floor"
#define USER_DEFAULT ".local/state/lockrun"

/* The longest "/NAME/FILE". */
#define STATEDIR_BELOW (NAME_MAX + 16)

#ifdef LOCKRUN_STATIC
/*
 * In a static program getpwuid(3) would load what nsswitch.conf names from the machine's own C
 * library at run time; where that is another version, it may crash. So only the file counts there.
 */
static const struct passwd *
account_of(uid_t user)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *account = NULL;

	if (file == NULL)
		return NULL;
	while ((account = fgetpwent(file)) != NULL && account->pw_uid != user)
		continue;
	fclose(file);
	return account;
}
#else
#define account_of getpwuid
#endif

static int
default_place(char path[PATH_MAX], struct fault *fault)
{
	const struct passwd *account;

	if (geteuid() == 0) {
		strlcpy(path, ROOT_DEFAULT, PATH_MAX);
		return 0;
	}
	account = account_of(geteuid());
	if (account == NULL || account->pw_dir == NULL || account->pw_dir[0] != '/')
		return fault_set(fault, FAULT_DIR_NO_ACCOUNT, 0, "user %u", geteuid());
	if (snprintf(path, PATH_MAX, "%s/%s", account->pw_dir, USER_DEFAULT) >= PATH_MAX)
		return fault_set(fault, FAULT_DIR_LONG, 0, "%s", account->pw_dir);
	return 0;
}

static int
named_place(const char *named, char path[PATH_MAX], struct fault *fault)
{
	char here[PATH_MAX];
	size_t length;
	int written;

	if (named[0] == '/') {
		written = snprintf(path, PATH_MAX, "%s", named);
	} else {
		if (getcwd(here, sizeof(here)) == NULL)
			return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", named);
		written = snprintf(path, PATH_MAX, "%s/%s", here, named);
	}
	if (written >= PATH_MAX)
		return fault_set(fault, FAULT_DIR_LONG, 0, "%s", named);
	/* A trailing slash would make O_NOFOLLOW follow. */
	for (length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
		path[length - 1] = '\0';
	return 0;
}

static bool
on_network(int fd)
{
	struct filesystem filesystem;

	return filesystem_read(fd, &filesystem) == 0 && filesystem.kind == FILESYSTEM_NETWORK;
}

/* Nobody but us, root, or the group that a setgid bit announces may write here. */
int
statedir_check_owner(int fd, const char *path, bool *shared_by_group, struct fault *fault)
{
	struct stat st;
	mode_t strangers;

	if (fstat(fd, &st) == -1)
		return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", path);
	/* A setgid bit that was merely inherited, where the group may not write, shares nothing. */
	*shared_by_group = (st.st_mode & S_ISGID) != 0 && (st.st_mode & S_IWGRP) != 0;
	strangers = *shared_by_group ? S_IWOTH : S_IWGRP | S_IWOTH;
	if (!*shared_by_group && st.st_uid != 0 && st.st_uid != geteuid())
		return fault_set(fault, FAULT_DIR_OWNER, 0, "%s", path);
	if ((st.st_mode & strangers) != 0)
		return fault_set(fault, FAULT_DIR_WRITABLE, 0, "%s", path);
	return 0;
}

int
statedir_open_fault(struct fault *fault, const char *path)
{
	struct stat st;
	int error = errno;

	/* A symlink gives ELOOP, or ENOTDIR under O_DIRECTORY: look which it was. */
	if ((error == ELOOP || error == ENOTDIR) && lstat(path, &st) == 0) {
		if (S_ISLNK(st.st_mode))
			return fault_set(fault, FAULT_DIR_SYMLINK, 0, "%s", path);
		if (!S_ISDIR(st.st_mode))
			return fault_set(fault, FAULT_DIR_NOT_DIRECTORY, 0, "%s", path);
	}
	return fault_set(fault, FAULT_DIR_UNUSABLE, error, "%s", path);
}

static int
sync_parent(const char *path)
{
	char parent[PATH_MAX];
	char *slash;
	int fd, result;

	strlcpy(parent, path, sizeof(parent));
	slash = strrchr(parent, '/');
	slash[slash == parent ? 1 : 0] = '\0';
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	result = fsync(fd);
	close(fd);
	return result;
}

/* Make path, and with_parents those above it, each synced into its parent. */
static int
make_directory(const char *path, bool with_parents, struct fault *fault)
{
	char part[PATH_MAX];

	strlcpy(part, path, sizeof(part));
	for (char *slash = strchr(part + 1, '/'); with_parents && slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) == 0 && sync_parent(part) == -1)
			return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", part);
		*slash = '/';
	}
	if (mkdir(path, 0700) == -1) {
		if (errno == EEXIST)
			return 0;
		if (errno == ENOENT)
			return fault_set(fault, FAULT_DIR_PARENT, 0, "%s", path);
		return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", path);
	}
	if (sync_parent(path) == -1)
		return fault_set(fault, FAULT_DIR_UNUSABLE, errno, "%s", path);
	return 0;
}

int
statedir_open(
    const char *named, enum state_use use, struct statedir *directory, struct fault *fault)
{
	char *path = directory->path;

	directory->shared_by_group = false;
	directory->fd = -1;
	if ((named == NULL ? default_place(path, fault) : named_place(named, path, fault)) == -1)
		return -1;
	/* DIR/NAME/FILE has to be a path too: it is looked up to see whether it is still ours. */
	if (strlen(path) + STATEDIR_BELOW > PATH_MAX)
		return fault_set(fault, FAULT_DIR_LONG, 0, "%s", path);
	directory->fd = open(path, OPEN_DIRECTORY);
	if (directory->fd == -1 && errno == ENOENT) {
		if (use == STATE_READ)
			return 0;
		if (make_directory(path, named == NULL, fault) == -1)
			return -1;
		directory->fd = open(path, OPEN_DIRECTORY);
	}
	if (directory->fd == -1)
		return statedir_open_fault(fault, path);
	if (statedir_check_owner(directory->fd, path, &directory->shared_by_group, fault) == -1) {
		statedir_close(directory);
		return -1;
	}
	if (named == NULL && on_network(directory->fd)) {
		statedir_close(directory);
		return fault_set(fault, FAULT_DIR_NETWORK, 0, "%s", path);
	}
	return 0;
}

int
statedir_reopen(struct statedir *directory, struct fault *fault)
{
	char path[PATH_MAX];

	statedir_close(directory);
	strlcpy(path, directory->path, sizeof(path));
	return statedir_open(path, STATE_CONTEND, directory, fault);
}

int
statedir_sync(const struct statedir *directory)
{
	char path[PATH_MAX];

	if (fsync(directory->fd) == -1)
		return -1;
	/* What cannot be read or synced up there is not of our making; a dying disk is a matter. */
	strlcpy(path, directory->path, sizeof(path));
	for (char *slash; (slash = strrchr(path, '/')) != NULL && path[1] != '\0';
	     slash[slash == path ? 1 : 0] = '\0') {
		if (sync_parent(path) == -1 && errno == EIO)
			return -1;
	}
	return 0;
}

bool
statedir_is_at(int fd, const char *path)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
	       ours.st_ino == named.st_ino;
}

bool
statedir_may_be_planted(const struct statedir *directory, const struct stat *file)
{
	return directory->shared_by_group && file->st_nlink > 1;
}

int
statedir_floor(const struct statedir *directory, enum state_use use, struct fault *fault)
{
	const int how = OPEN_SAFELY | (use == STATE_CONTEND ? O_RDWR : O_RDONLY);
	struct stat st;
	int fd;

	fd = openat(directory->fd, FLOOR, how);
	if (fd == -1 && errno == ENOENT && use == STATE_CONTEND) {
		fd = openat(
		    directory->fd, FLOOR, how | O_CREAT | O_EXCL, statedir_file_mode(directory));
		if (fd == -1 && errno == EEXIST)
			fd = openat(directory->fd, FLOOR, how);
	}
	if (fd == -1)
		return fault_set(fault, errno == ELOOP ? FAULT_FILE_SYMLINK : FAULT_FILE_UNUSABLE,
		    errno, "%s/%s", directory->path, FLOOR);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !statedir_may_be_planted(directory, &st))
		return fd;
	close(fd);
	return fault_set(fault, S_ISREG(st.st_mode) ? FAULT_FILE_LINKED : FAULT_FILE_NOT_REGULAR, 0,
	    "%s/%s", directory->path, FLOOR);
}

void
statedir_close(struct statedir *directory)
{
	if (directory->fd != -1)
		close(directory->fd);
	directory->fd = -1;
}

mode_t
statedir_directory_mode(const struct statedir *directory)
{
	return directory->shared_by_group ? 0770 : 0700;
}

mode_t
statedir_file_mode(const struct statedir *directory)
{
	return directory->shared_by_group ? 0660 : 0600;
}

int
statedir_list(int fd, bool (*each)(const char *name, void *context), void *context)
{
	_Alignas(struct dirent64) char batch[4 * 1024];
	const struct dirent64 *entry;
	ssize_t length;

	if (lseek(fd, 0, SEEK_SET) == -1)
		return -1;
	while ((length = getdents64(fd, batch, sizeof(batch))) > 0) {
		for (ssize_t at = 0; at < length; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(batch + at);
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			if (!each(entry->d_name, context))
				return 0;
		}
	}
	/* A directory that was removed since it was opened has none. */
	return length == -1 && errno != ENOENT ? -1 : 0;
}

int
statedir_each(
    const struct statedir *directory, bool (*each)(const char *name, void *context), void *context)
{
	return directory->fd == -1 ? 0 : statedir_list(directory->fd, each, context);
}
