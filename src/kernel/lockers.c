/* SPDX-License-Identifier: ISC */
#include "kernel/lockers.h"

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/process.h"

/* The nth word of a line, from 1 on; its end when there are fewer. */
static const char *
nth_word(const char *line, int n)
{
	while (n-- > 1) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	return line;
}

/* "lock:	1: FLOCK  ADVISORY  WRITE 812 00:2f:123 0 EOF" */
static bool
shows_flock(int directory, const char *number, bool *exclusive, pid_t *taker)
{
	char path[64], line[256];
	bool shows = false;
	FILE *info;
	int fd;

	snprintf(path, sizeof(path), "fdinfo/%.20s", number);
	fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	info = fd != -1 ? fdopen(fd, "r") : NULL;
	if (info == NULL)
		return false;
	while (!shows && fgets(line, sizeof(line), info) != NULL) {
		shows = strncmp(line, "lock:", 5) == 0 && strstr(line, " FLOCK ") != NULL;
		*exclusive = strstr(line, " WRITE ") != NULL;
		/* The sixth word; 0 for one of another pid namespace, or of this one when gone. */
		*taker = shows ? (pid_t)strtol(nth_word(line, 6), NULL, 10) : 0;
	}
	fclose(info);
	return shows;
}

/* Whether the process of this /proc directory has the file open under a flock(2). */
static bool
locks_file(int directory, const struct stat *file, bool *exclusive, pid_t *taker)
{
	const struct dirent *entry;
	struct stat other;
	bool locks = false;
	char path[64];
	DIR *open_files;
	int fd;

	fd = openat(directory, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	open_files = fd != -1 ? fdopendir(fd) : NULL;
	if (open_files == NULL)
		return false;
	errno = 0;
	while (!locks && (entry = readdir(open_files)) != NULL) {
		snprintf(path, sizeof(path), "fd/%.20s", entry->d_name);
		locks = entry->d_name[0] != '.' && fstatat(directory, path, &other, 0) == 0 &&
			other.st_dev == file->st_dev && other.st_ino == file->st_ino &&
			shows_flock(directory, entry->d_name, exclusive, taker);
	}
	closedir(open_files);
	return locks;
}

bool
lockers_include_us(int fd, bool *exclusive)
{
	struct stat file;
	bool inherits;
	pid_t taker;
	int directory;

	directory = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory == -1)
		return false;
	inherits = fstat(fd, &file) == 0 && locks_file(directory, &file, exclusive, &taker);
	close(directory);
	return inherits;
}

bool
lockers_are_above(int fd, bool *exclusive)
{
	struct process_stat at = {.parent = getppid()};
	struct stat file;
	bool locks;
	pid_t taker;
	int directory;

	if (lockers_include_us(fd, exclusive))
		return true;
	/* The numbers of another namespace's /proc mean nothing here. */
	if (proctable_self() != getpid() || fstat(fd, &file) == -1)
		return false;
	/* A parent that ends meanwhile ends the climb, and its lock. */
	do {
		directory = proctable_open(at.parent);
		if (directory == -1)
			return false;
		locks = locks_file(directory, &file, exclusive, &taker);
		close(directory);
	} while (!locks && proctable_read(at.parent, &at) && at.parent > 0);
	return locks;
}

struct finding {
	struct stat file;
	struct process_stat *locker;
	bool found;
	bool is_taker;
};

static void
look_for_locker(pid_t pid, void *context)
{
	struct finding *finding = context;
	struct process_stat stat;
	bool exclusive, locks;
	pid_t taker;
	int directory;

	if (finding->is_taker || pid == proctable_self() || (directory = proctable_open(pid)) == -1)
		return;
	locks = locks_file(directory, &finding->file, &exclusive, &taker) &&
		proctable_read_at(directory, "stat", &stat);
	close(directory);
	if (!locks || (finding->found && taker != pid))
		return;
	*finding->locker = stat;
	finding->found = true;
	finding->is_taker = taker == pid;
}

bool
lockers_find(int fd, struct process_stat *locker)
{
	struct finding finding = {.locker = locker};

	if (fstat(fd, &finding.file) == 0)
		proctable_each(look_for_locker, &finding);
	return finding.found;
}

#define ANYBODY ((pid_t)-1)

/* Whether what a process has locked was locked by one that is gone, or by wanted. */
static bool
was_taken_by(pid_t taker, pid_t wanted)
{
	struct process_stat stat;

	return taker == 0 || taker == wanted || !proctable_read(taker, &stat);
}

/* wanted: signal it only if the lock was taken by that one, or by one that is gone. */
static int
signal_locker(pid_t pid, int fd, int signal, pid_t wanted)
{
	struct stat file;
	bool exclusive;
	pid_t taker;
	int directory, result = -1, error = ESRCH;

	directory = proctable_open(pid);
	if (directory == -1) {
		errno = errno == ENOENT ? ESRCH : errno;
		return -1;
	}
	/* The handle first, then the question who it is: in this order the answer stays true. */
	errno = 0;
	if (fstat(fd, &file) == 0 && locks_file(directory, &file, &exclusive, &taker) &&
	    (wanted == ANYBODY || was_taken_by(taker, wanted))) {
		result = process_send_by(directory, signal);
		error = errno;
	} else if (errno == EACCES) {
		error = EACCES;
	}
	close(directory);
	errno = error;
	return result;
}

int
lockers_signal_one(pid_t pid, int fd, int signal)
{
	return signal_locker(pid, fd, signal, ANYBODY);
}

struct round {
	int fd;
	int signal;
	pid_t taker;
	struct census census;
};

static void
visit(pid_t pid, void *context)
{
	struct round *round = context;
	struct census *census = &round->census;
	struct process_stat stat;

	if (pid == proctable_self())
		return;
	if (signal_locker(pid, round->fd, round->signal, round->taker) == -1) {
		if (errno != EPERM)
			return;
		census->refused++;
		census->refused_pid = pid;
	}
	if (!proctable_read(pid, &stat) || stat.state == 'Z')
		return;
	census->living++;
	census->living_pid = pid;
	census->living_state = stat.state;
}

struct census
lockers_signal_left(int fd, pid_t taker, int signal)
{
	struct round round = {.fd = fd, .signal = signal, .taker = taker};

	proctable_each(visit, &round);
	return round.census;
}

struct listing {
	int fd;
	pid_t taker;
	struct process_stat *list;
	size_t room, count;
};

static void
list_one(pid_t pid, void *context)
{
	struct listing *listing = context;
	struct process_stat stat;

	if (pid == proctable_self() || signal_locker(pid, listing->fd, 0, listing->taker) == -1 ||
	    !proctable_read(pid, &stat))
		return;
	if (listing->count < listing->room)
		listing->list[listing->count] = stat;
	listing->count++;
}

size_t
lockers_list_left(int fd, pid_t taker, struct process_stat *list, size_t room)
{
	struct listing listing = {.fd = fd, .taker = taker, .list = list, .room = room};

	proctable_each(list_one, &listing);
	return listing.count;
}

struct noting {
	int fd;
	pid_t taker;
	struct tree *tree;
};

static void
note_below(pid_t pid, void *context)
{
	const struct noting *noting = context;

	if (pid == proctable_self() || signal_locker(pid, noting->fd, 0, noting->taker) == -1)
		return;
	noting->tree->root = pid;
	tree_note_below(noting->tree);
}

void
lockers_note_below(int fd, pid_t taker, struct tree *tree)
{
	struct noting noting = {.fd = fd, .taker = taker, .tree = tree};

	proctable_each(note_below, &noting);
}
