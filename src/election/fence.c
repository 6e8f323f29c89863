/* SPDX-License-Identifier: ISC */
#include "election/fence.h"

#include <bsd/string.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "election/highest.h"
#include "election/patience.h"
#include "kernel/lockers.h"

/* How often FILE may be replaced under us before that stops looking like an accident. */
#define SETTLE_ATTEMPTS 100

/* How often who waits looks whether FILE is still the one that others would find. */
#define CURRENT_EVERY (5 * DURATION_SECOND)

static void
observe_nothing(void *context, const struct happened *happened)
{
	(void)context;
	(void)happened;
}

static duration_t
look_whether_current(void *context)
{
	return fencefile_is_current(context) ? CURRENT_EVERY : 0;
}

/* Lock FILE, or find that we are inside of its lock. */
static enum acquire
take(struct fence *fence, struct patience *patience)
{
	const struct lookout lookout = {
	    .look = look_whether_current, .context = &fence->file, .first = CURRENT_EVERY};
	const int fd = fence->file.fd;
	const enum acquire result = patience_none(fd, LOCK_EXCLUSIVE);
	bool exclusive;

	if (result != ACQUIRE_BUSY)
		return result;
	fence->inside = lockers_are_above(fd, &exclusive);
	return fence->inside ? ACQUIRE_TAKEN
			     : patience_wait(patience, fd, LOCK_EXCLUSIVE, &lookout);
}

/* The lock, on what FILE names now. */
static enum acquire
open_and_take(struct fence *fence, struct patience *patience, struct fault *fault)
{
	char seed[FENCE_FILE_SIZE];
	enum acquire result = ACQUIRE_AGAIN;

	fence_seed(fence->name, seed);
	for (int i = 0; i < SETTLE_ATTEMPTS && result == ACQUIRE_AGAIN; i++) {
		if (fencefile_open(fence->path, seed, sizeof(seed), &fence->file, fault) == -1)
			return ACQUIRE_FAULT;
		result = take(fence, patience);
		if (result == ACQUIRE_FAULT)
			fault_set(fault, FAULT_LOCK_UNUSABLE, errno, "%s", fence->path);
		else if (result == ACQUIRE_TAKEN && !fencefile_is_current(&fence->file))
			result = ACQUIRE_AGAIN;
		else if (result == ACQUIRE_TAKEN)
			result = patience_left(patience);
		if (result != ACQUIRE_TAKEN)
			fencefile_close(&fence->file);
		/* Ctrl-Z, and then once more. */
		if (result == ACQUIRE_SIGNAL && signal_stops(patience->signal)) {
			signals_stop_by(patience->signal);
			result = ACQUIRE_AGAIN;
			i = 0;
		}
	}
	if (result == ACQUIRE_AGAIN) {
		fault_set(fault, FAULT_LOCK_UNSETTLED, 0, "%s", fence->path);
		return ACQUIRE_FAULT;
	}
	return result;
}

static bool
read_file(int fd, char name[LOCKNAME_SIZE], struct number_highest *seen)
{
	char file[FENCE_FILE_SIZE + 1];

	return pread(fd, file, sizeof(file), 0) == FENCE_FILE_SIZE &&
	       fence_unpack(file, name, seen);
}

/* FILE is locked: may we, and is it known by then that we did? */
static enum fence_result
judge(struct fence *fence, struct fault *fault)
{
	char name[LOCKNAME_SIZE];
	struct number_highest seen;
	int result = 0;

	if (!read_file(fence->file.fd, name, &seen)) {
		fault_set(fault, FAULT_FENCE_DAMAGED, 0, "%s", fence->path);
		return FENCE_FAULT;
	}
	if (strcmp(name, fence->name) != 0) {
		fault_set(fault, FAULT_FENCE_OTHER_LOCK, 0, "%s", fence->path);
		fault_hint(fault, "this one is for %s, and we are %s", name, fence->name);
		return FENCE_FAULT;
	}
	fence->seen = seen.generation;
	if (fence->generation < seen.generation)
		return FENCE_STALE;
	if (fence->inside && fence->generation > seen.generation) {
		fault_set(fault, FAULT_FENCE_INSIDE, 0, "%s", fence->path);
		return FENCE_FAULT;
	}
	/* Whoever made it may have been killed before its name was on the disk. */
	if (seen.generation == 0)
		result = fencefile_sync_name(&fence->file);
	if (result == 0 && (fence->generation > seen.generation || !seen.kept))
		result = highest_raise(fence->file.fd, &seen, fence->generation);
	if (result == -1)
		fault_set(fault, FAULT_FILE_UNUSABLE, errno, "%s", fence->path);
	return result == 0 ? FENCE_PASSED : FENCE_FAULT;
}

enum fence_result
fence_pass(struct fence *fence, struct fault *fault)
{
	const struct observer observer = {
	    .observe = observe_nothing, .remind_every = DURATION_NEVER};
	struct patience patience;
	enum fence_result result = FENCE_FAULT;

	fence->file.fd = fence->file.directory = -1;
	fence->inside = false;
	patience_begin(&patience, fence->signals, &observer, DURATION_NEVER, -1);
	switch (open_and_take(fence, &patience, fault)) {
	case ACQUIRE_TAKEN:
		result = judge(fence, fault);
		break;
	case ACQUIRE_SIGNAL:
		fence->signal = patience.signal;
		result = FENCE_SIGNAL;
		break;
	default:
		break;
	}
	patience_end(&patience);
	if (result != FENCE_PASSED)
		fencefile_close(&fence->file);
	return result;
}

int
fence_inheritance(const struct fence *fence)
{
	return fence->inside ? -1 : fence->file.fd;
}

void
fence_leave(struct fence *fence)
{
	if (!fence->inside)
		lock_release(fence->file.fd);
	fencefile_close(&fence->file);
}
