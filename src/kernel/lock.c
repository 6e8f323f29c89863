/* SPDX-License-Identifier: ISC */
#include "kernel/lock.h"

#include <sys/eventfd.h>
#include <sys/file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

/* The kick that gets a thread out of flock(2); no other use of SIGURG is known to reach us. */
#define KICK		 SIGURG
#define KICK_INTERVAL_MS 1
#define HELPER_STACK	 ((size_t)64 * 1024)

static int
flock_operation(enum lock_mode mode)
{
	return mode == LOCK_EXCLUSIVE ? LOCK_EX : LOCK_SH;
}

enum lock_result
lock_try(int fd, enum lock_mode mode)
{
	int result;

	do
		result = flock(fd, flock_operation(mode) | LOCK_NB);
	while (result == -1 && errno == EINTR);
	if (result == 0)
		return LOCK_TAKEN;
	return errno == EWOULDBLOCK ? LOCK_BUSY : LOCK_ERROR;
}

void
lock_release(int fd)
{
	flock(fd, LOCK_UN);
}

void
lock_mark(int fd, enum lock_mode mode)
{
	struct flock whole = {
	    .l_type = mode == LOCK_EXCLUSIVE ? F_WRLCK : F_RDLCK,
	    .l_whence = SEEK_SET,
	};

	(void)fcntl(fd, F_OFD_SETLK, &whole);
}

void
lock_unmark(int fd)
{
	struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	(void)fcntl(fd, F_OFD_SETLK, &whole);
}

bool
lock_is_marked(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

bool
lock_is_marked_shared(int fd)
{
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	/* Nothing is in the way of another shared one. */
	return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type == F_UNLCK;
}

static void
kicked(int signal)
{
	(void)signal;
}

static void *
sit_in_flock(void *argument)
{
	struct lock_wait *wait = argument;
	const uint64_t one = 1;
	int result;

	do
		result = flock(wait->fd, flock_operation(wait->mode));
	while (result == -1 && errno == EINTR && !atomic_load(&wait->abandoned));
	wait->error = result == 0 ? 0 : errno;
	while (write(wait->over, &one, sizeof(one)) == -1 && errno == EINTR)
		continue;
	return NULL;
}

/* A thread inherits its maker's mask: block all but the kick while it is made. */
static int
start_helper(struct lock_wait *wait)
{
	const struct sigaction kick = {.sa_handler = kicked}; /* without SA_RESTART, on purpose */
	pthread_attr_t attributes;
	sigset_t all_but_kick, before;
	int error;

	sigaction(KICK, &kick, NULL);
	sigfillset(&all_but_kick);
	sigdelset(&all_but_kick, KICK);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, HELPER_STACK);
	pthread_sigmask(SIG_SETMASK, &all_but_kick, &before);
	error = pthread_create(&wait->thread, &attributes, sit_in_flock, wait);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

int
lock_wait_begin(struct lock_wait *wait, int fd, enum lock_mode mode)
{
	int error;

	wait->fd = fd;
	wait->mode = mode;
	wait->error = 0;
	atomic_init(&wait->abandoned, false);
	wait->over = eventfd(0, EFD_CLOEXEC);
	if (wait->over == -1)
		return -1;
	error = start_helper(wait);
	if (error != 0) {
		close(wait->over);
		errno = error;
		return -1;
	}
	return 0;
}

enum lock_result
lock_wait_finish(struct lock_wait *wait)
{
	struct pollfd over = {.fd = wait->over, .events = POLLIN};

	/*
	 * A kick that arrives just before the thread enters flock(2) is lost, so kick until it
	 * has answered. It may have been granted the lock meanwhile: then the lock is ours, and the
	 * caller decides.
	 */
	atomic_store(&wait->abandoned, true);
	while (poll(&over, 1, 0) != 1) {
		pthread_kill(wait->thread, KICK);
		poll(&over, 1, KICK_INTERVAL_MS);
	}
	pthread_join(wait->thread, NULL);
	close(wait->over);
	if (wait->error == 0)
		return LOCK_TAKEN;
	errno = wait->error;
	return errno == EINTR ? LOCK_BUSY : LOCK_ERROR;
}
