/* SPDX-License-Identifier: ISC */
#include "kernel/lockwatch.h"

#include <sys/inotify.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int
add_watches(int watch, const struct lockdir *lock, bool with_queue)
{
	const uint32_t moved = IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW;
	char path[LOCKDIR_PATH_SIZE];

	/* A file that is removed but open sends IN_ATTRIB: its link count changes. */
	if (inotify_add_watch(watch, lockdir_path(lock, STATE_LOCK, path),
		IN_ATTRIB | IN_MOVE_SELF | IN_DONT_FOLLOW) == -1 ||
	    inotify_add_watch(
		watch, lockdir_path(lock, STATE_ASK, path), IN_MODIFY | IN_DONT_FOLLOW) == -1 ||
	    inotify_add_watch(watch, lock->directory->path, moved) == -1)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", lock->directory->path, lock->name);
	if (inotify_add_watch(watch, path, moved) == -1)
		return -1;
	if (!with_queue)
		return 0;
	return inotify_add_watch(
		   watch, lockdir_path(lock, STATE_QUEUE, path), IN_MOVED_TO | IN_DONT_FOLLOW) == -1
		   ? -1
		   : 0;
}

int
lockwatch_open(const struct lockdir *lock, bool with_queue)
{
	int watch, error;

	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch == -1)
		return -1;
	if (add_watches(watch, lock, with_queue) == -1) {
		error = errno;
		close(watch);
		errno = error;
		return -1;
	}
	return watch;
}

static int
watch_one(const char *path, uint32_t events)
{
	int watch, error;

	watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch == -1)
		return -1;
	if (inotify_add_watch(watch, path, events | IN_DONT_FOLLOW) == -1) {
		error = errno;
		close(watch);
		errno = error;
		return -1;
	}
	return watch;
}

int
lockwatch_open_queue(const struct lockdir *lock)
{
	char path[LOCKDIR_PATH_SIZE];

	if (lock->fd == -1) {
		errno = ENOENT;
		return -1;
	}
	return watch_one(
	    lockdir_path(lock, STATE_QUEUE, path), IN_MOVED_TO | IN_DELETE | IN_MODIFY);
}

int
lockwatch_open_directory(const struct statedir *directory)
{
	return watch_one(directory->path, IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
}

void
lockwatch_drain(int watch)
{
	char events[4096];

	while (read(watch, events, sizeof(events)) > 0)
		continue;
}
