/* SPDX-License-Identifier: ISC */
#include "election/also_flock.h"

#include <errno.h>
#include <unistd.h>

#include "kernel/flockfile.h"
#include "kernel/lockers.h"

/* How often the file may be gone by the time that we have it, when nobody held it before. */
#define SETTLE_ATTEMPTS 100

void
also_flock_init(struct also_flock *also, const char *path, mode_t mode)
{
	*also = (struct also_flock){.path = path, .mode = mode, .fd = -1};
}

int
also_flock_check(const struct also_flock *also, const struct lockdir *lock, struct fault *fault)
{
	int fd, lock_fd, result = 0;

	if (also->path == NULL)
		return 0;
	fd = flockfile_open(also->path, 0, false, fault);
	if (fd == -1)
		return fault->kind == FAULT_ALSO_UNUSABLE && fault->error == ENOENT ? 0 : -1;
	lock_fd = lockdir_file(lock, STATE_LOCK, STATE_CONTEND, fault);
	if (lock_fd == -1)
		result = -1;
	else if (flockfile_is_same(fd, lock_fd))
		result = fault_set(fault, FAULT_ALSO_OURS, 0, "--also-flock %s", also->path);
	if (lock_fd != -1)
		close(lock_fd);
	close(fd);
	return result;
}

void
also_flock_release(const struct also_flock *also)
{
	if (also->fd != -1)
		lock_release(also->fd);
}

void
also_flock_close(struct also_flock *also)
{
	if (also->path != NULL && also->fd != -1)
		close(also->fd);
	also->fd = -1;
}

/* ---- taking it ---- */

struct taking {
	struct also_flock *also;
	enum lock_mode mode;
	bool if_available;
	bool writable; /* where that is what it takes */
	bool blocked;  /* it was held by somebody, so time has passed */
	struct patience *patience;
	const struct lookout *lookout;
};

/* A script that removes the file while it holds it leaves those who wait with what nobody meets. */
static duration_t
look_at_both(void *context)
{
	const struct taking *taking = context;

	if (!flockfile_is_current(taking->also->path, taking->also->fd))
		return 0;
	return taking->lookout->look(taking->lookout->context);
}

static enum acquire
fail(const struct taking *taking, int error, struct fault *fault)
{
	const bool is_ours =
	    error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;

	fault_set(
	    fault, is_ours ? FAULT_SYSTEM : FAULT_ALSO_UNUSABLE, error, "%s", taking->also->path);
	return ACQUIRE_FAULT;
}

static enum acquire
wait_for_it(struct taking *taking, struct fault *fault)
{
	const struct lookout lookout = {
	    .look = look_at_both, .context = taking, .first = taking->lookout->first};
	bool exclusive;

	if (!taking->also->in_the_way && lockers_are_above(taking->also->fd, &exclusive) &&
	    (exclusive || taking->mode == LOCK_EXCLUSIVE)) {
		fault_set(fault, FAULT_ALSO_NESTED, 0, "--also-flock %s", taking->also->path);
		return ACQUIRE_FAULT;
	}
	taking->blocked = taking->also->in_the_way = true;
	if (taking->if_available)
		return patience_try(taking->patience, taking->also->fd, taking->mode);
	patience_tell_again(taking->patience);
	return patience_wait(taking->patience, taking->also->fd, taking->mode, &lookout);
}

/* Lock what is open. ACQUIRE_FAULT is without its fault when errno tells. */
static enum acquire
lock_it(struct taking *taking, struct fault *fault)
{
	const enum acquire result = patience_none(taking->also->fd, taking->mode);

	fault->kind = FAULT_NONE;
	return result == ACQUIRE_BUSY ? wait_for_it(taking, fault) : result;
}

/* Open it and lock it: ACQUIRE_AGAIN when that was not the file that others meet at. */
static enum acquire
take_once(struct taking *taking, struct fault *fault)
{
	struct also_flock *also = taking->also;
	enum acquire result;

	also_flock_close(also);
	also->fd = flockfile_open(also->path, also->mode, taking->writable, fault);
	if (also->fd == -1)
		return ACQUIRE_FAULT;
	result = lock_it(taking, fault);
	if (result == ACQUIRE_TAKEN && !flockfile_is_current(also->path, also->fd))
		return ACQUIRE_AGAIN;
	if (result != ACQUIRE_FAULT || fault->kind != FAULT_NONE)
		return result;
	/* Where flock(2) is made of other locks, an exclusive one needs write permission. */
	if ((errno == EBADF || errno == EIO) && !taking->writable) {
		taking->writable = true;
		return ACQUIRE_AGAIN;
	}
	return fail(taking, errno, fault);
}

enum acquire
also_flock_take(struct also_flock *also, enum lock_mode mode, bool if_available,
    struct patience *patience, const struct lookout *lookout, struct fault *fault)
{
	struct taking taking = {
	    .also = also,
	    .mode = mode,
	    .if_available = if_available,
	    .patience = patience,
	    .lookout = lookout,
	};
	enum acquire result = ACQUIRE_AGAIN;
	int attempts = 0;

	if (also->path == NULL)
		return ACQUIRE_TAKEN;
	while (result == ACQUIRE_AGAIN && attempts < SETTLE_ATTEMPTS) {
		taking.blocked = false;
		result = take_once(&taking, fault);
		attempts = taking.blocked ? 0 : attempts + 1;
		if (result == ACQUIRE_AGAIN && taking.blocked &&
		    lookout->look(lookout->context) == 0)
			break;
	}
	if (result == ACQUIRE_AGAIN && attempts == SETTLE_ATTEMPTS)
		result = fail(&taking, ESTALE, fault);
	if (result == ACQUIRE_TAKEN)
		also->in_the_way = false;
	else
		also_flock_close(also);
	return result;
}
