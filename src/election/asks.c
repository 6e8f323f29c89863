/* SPDX-License-Identifier: ISC */
#include "election/asks.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "kernel/lock.h"

#define LOCK_ATTEMPTS	 100
#define LOCK_INTERVAL_MS 10

/* More than anybody asks of one term. */
#define ASKS_MOST ((off_t)1024 * 1024)

static enum lock_result
lock_for_a_moment(int fd)
{
	enum lock_result locked = LOCK_BUSY;

	for (int i = 0; i < LOCK_ATTEMPTS; i++) {
		locked = lock_try(fd, LOCK_EXCLUSIVE);
		if (locked != LOCK_BUSY)
			return locked;
		poll(NULL, 0, LOCK_INTERVAL_MS);
	}
	errno = EWOULDBLOCK;
	return locked;
}

/* Add a line at the end, on a line of its own whatever stands there. */
static int
append(int fd, const struct ask *ask)
{
	char line[1 + ASK_LINE_SIZE], last = '\n';
	char *from = line + 1;
	int length;
	off_t end;

	length = ask_pack(ask, from);
	end = lseek(fd, 0, SEEK_END);
	if (end == -1 || (end > 0 && pread(fd, &last, 1, end - 1) == -1))
		return -1;
	if (last != '\n') {
		*--from = '\n';
		length++;
	}
	return pwrite(fd, from, (size_t)length, end) == length ? 0 : -1;
}

int
asks_send(const struct lockdir *lock, const struct ask *ask, struct fault *fault)
{
	char path[LOCKDIR_PATH_SIZE];
	int fd, result;

	fd = lockdir_file(lock, STATE_ASK, STATE_CONTEND, fault);
	if (fd == -1)
		return -1;
	result = lock_for_a_moment(fd) == LOCK_TAKEN ? append(fd, ask) : -1;
	if (result == -1)
		fault_set(
		    fault, FAULT_FILE_UNUSABLE, errno, "%s", lockdir_path(lock, STATE_ASK, path));
	close(fd);
	return result;
}

static bool
is_for(const struct ask *ask, uint64_t generation, const char *contender)
{
	if (ask->generation != 0)
		return ask->generation == generation;
	return strcmp(ask->contender, contender) == 0;
}

/* What is asked stands at the end: no garbage before it, however long, holds a leader up. */
static void
skip_garbage(int fd, off_t *offset)
{
	const off_t end = lseek(fd, 0, SEEK_END);
	char line[ASK_LINE_SIZE];
	const char *newline;
	ssize_t length;

	if (end - *offset <= ASKS_MOST)
		return;
	*offset = end - ASKS_MOST;
	/* The rest of a line is none. */
	length = pread(fd, line, sizeof(line), *offset);
	newline = length > 0 ? memchr(line, '\n', (size_t)length) : NULL;
	if (newline != NULL)
		*offset += newline - line + 1;
}

bool
asks_next(int fd, off_t *offset, uint64_t generation, const char *contender, struct ask *ask)
{
	char line[ASK_LINE_SIZE];
	char *end;
	ssize_t length;

	skip_garbage(fd, offset);
	while ((length = pread(fd, line, sizeof(line) - 1, *offset)) > 0) {
		end = memchr(line, '\n', (size_t)length);
		if (end == NULL) {
			/* Still being written; or longer than any line of ours, so garbage. */
			if (length < (ssize_t)sizeof(line) - 1)
				return false;
			*offset += length;
			continue;
		}
		*end = '\0';
		*offset += end - line + 1;
		if (strlen(line) == (size_t)(end - line) && ask_unpack(line, ask) &&
		    is_for(ask, generation, contender))
			return true;
	}
	return false;
}

bool
asks_stop(int fd, uint64_t generation, const char *contender)
{
	struct ask ask;
	off_t offset = 0;

	while (asks_next(fd, &offset, generation, contender, &ask)) {
		if (ask.verb != ASK_SIGNAL)
			return true;
	}
	return false;
}

/* Where the line begins that ends before this place. */
static off_t
line_begin(int fd, off_t end)
{
	const off_t from = end > ASK_LINE_SIZE ? end - ASK_LINE_SIZE : 0;
	char bytes[ASK_LINE_SIZE];
	ssize_t length = pread(fd, bytes, (size_t)(end - 1 - from), from);

	while (length > 0 && bytes[length - 1] != '\n')
		length--;
	return from + (length > 0 ? length : 0);
}

void
asks_strike(int fd, const char *contender)
{
	struct ask ask;
	off_t offset = 0;

	if (lseek(fd, 0, SEEK_END) == 0 || lock_for_a_moment(fd) != LOCK_TAKEN)
		return;
	while (asks_next(fd, &offset, 0, contender, &ask))
		(void)!pwrite(fd, "#", 1, line_begin(fd, offset));
	lock_release(fd);
}

void
asks_clear(int fd, uint64_t generation, const char *contender)
{
	struct ask ask;
	off_t offset = 0;

	/* Under the lock, so that no line is lost that is just being written. */
	if (lseek(fd, 0, SEEK_END) == 0 || lock_try(fd, LOCK_EXCLUSIVE) != LOCK_TAKEN)
		return;
	/* Old lines do no harm where this fails: they are addressed to nobody. */
	if (!asks_next(fd, &offset, generation, contender, &ask))
		(void)!ftruncate(fd, 0);
	lock_release(fd);
}
