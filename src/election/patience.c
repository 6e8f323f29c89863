/* SPDX-License-Identifier: ISC */
#include "election/patience.h"

#include <errno.h>
#include <unistd.h>

#include "kernel/clock.h"

#define STILL_WAITING_EVERY (60 * DURATION_SECOND)

void
patience_begin(struct patience *patience, struct signals *signals, const struct observer *observer,
    duration_t wait)
{
	*patience = (struct patience){
	    .signals = signals,
	    .observer = observer,
	    .deadline = wait == DURATION_NEVER ? wait : clock_after(clock_boottime(), wait),
	    .alarm = -1,
	};
}

enum acquire
patience_left(struct patience *patience)
{
	patience->signal = signals_pending_end(patience->signals);
	if (patience->signal != 0)
		return ACQUIRE_SIGNAL;
	/* A lock that was free at once is not late, however short the limit. */
	if (patience->waited && clock_boottime() >= patience->deadline)
		return ACQUIRE_LATE;
	return ACQUIRE_TAKEN;
}

static void
tell(const struct patience *patience, enum happening what)
{
	const struct happened happened = {.what = what};

	patience->observer->observe(patience->observer->context, &happened);
}

/* What a wait looks at, besides what it waits for. */
static int
prepare(struct patience *patience, struct pollfd watched[2])
{
	if (patience->alarm == -1 && patience->deadline != DURATION_NEVER)
		patience->alarm = clock_alarm(patience->deadline);
	if (patience->alarm == -1 && patience->deadline != DURATION_NEVER)
		return -1;
	if (signals_descriptor(patience->signals) == -1)
		return -1;
	watched[0] = (struct pollfd){.fd = patience->signals->descriptor, .events = POLLIN};
	watched[1] = (struct pollfd){.fd = patience->alarm, .events = POLLIN};
	return 0;
}

/* Until the third descriptor is ready or a limit is reached; -1 there is none. */
static enum acquire
wait_until(struct patience *patience, struct pollfd watched[3], duration_t until)
{
	duration_t remark = clock_monotonic() + STILL_WAITING_EVERY;
	enum acquire left;

	if (!patience->waited)
		tell(patience, HAPPENING_WAITING);
	patience->waited = true;
	for (;;) {
		left = patience_left(patience);
		if (left != ACQUIRE_TAKEN)
			return left;
		if (clock_poll(watched, 3, remark < until ? remark : until) == -1)
			return ACQUIRE_FAULT;
		if (watched[2].revents != 0 || clock_monotonic() >= until)
			return ACQUIRE_TAKEN;
		if (clock_monotonic() >= remark) {
			tell(patience, HAPPENING_STILL_WAITING);
			remark += STILL_WAITING_EVERY;
		}
	}
}

enum acquire
patience_wait(struct patience *patience, int fd, enum lock_mode mode)
{
	struct pollfd watched[3];
	struct lock_wait wait;
	enum lock_result result;
	enum acquire ended;

	if (prepare(patience, watched) == -1 || lock_wait_begin(&wait, fd, mode) == -1)
		return ACQUIRE_FAULT;
	watched[2] = (struct pollfd){.fd = wait.over, .events = POLLIN};
	ended = wait_until(patience, watched, DURATION_NEVER);
	result = lock_wait_finish(&wait);
	if (ended == ACQUIRE_TAKEN)
		return result == LOCK_TAKEN ? ACQUIRE_TAKEN : ACQUIRE_FAULT;
	/* Granted at the last moment, and not wanted any more. */
	if (result == LOCK_TAKEN)
		lock_release(fd);
	return ended;
}

enum acquire
patience_pause(struct patience *patience, duration_t length)
{
	struct pollfd watched[3];

	if (prepare(patience, watched) == -1)
		return ACQUIRE_FAULT;
	watched[2] = (struct pollfd){.fd = -1};
	return wait_until(patience, watched, clock_after(clock_monotonic(), length));
}

void
patience_end(struct patience *patience)
{
	if (patience->alarm != -1)
		close(patience->alarm);
	patience->alarm = -1;
}
