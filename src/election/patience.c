/* SPDX-License-Identifier: ISC */
#include "election/patience.h"

#include <errno.h>
#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/proctable.h"

/* How long, and how often, a try looks again. */
#define FOREIGN_PATIENCE (250 * DURATION_MILLISECOND)
#define FOREIGN_INTERVAL (10 * DURATION_MILLISECOND)

void
patience_begin(struct patience *patience, struct signals *signals, const struct observer *observer,
    duration_t wait, int parent)
{
	*patience = (struct patience){
	    .signals = signals,
	    .observer = observer,
	    .deadline = wait == DURATION_NEVER ? wait : clock_after(clock_boottime(), wait),
	    .alarm = -1,
	    .parent = parent,
	    .remind_at = DURATION_NEVER,
	};
}

static bool
is_readable(int fd)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};

	return fd != -1 && poll(&readable, 1, 0) == 1;
}

enum acquire
patience_left(struct patience *patience)
{
	/* From the terminal, the kernel would ignore these in an orphaned process group. */
	do
		patience->signal = signals_pending_end(patience->signals);
	while (signal_stops(patience->signal) && proctable_group_is_orphaned());
	if (patience->signal != 0)
		return ACQUIRE_SIGNAL;
	if (is_readable(patience->parent))
		return ACQUIRE_PARENT_GONE;
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

void
patience_tell_over(const struct patience *patience)
{
	tell(patience, HAPPENING_WAIT_OVER);
}

void
patience_tell_again(const struct patience *patience)
{
	/* Of the first one it is told anyway. */
	if (patience->waited)
		tell(patience, HAPPENING_WAITING);
}

enum watched {
	WATCHED_GOAL, /* what is waited for */
	WATCHED_SIGNALS,
	WATCHED_ALARM,
	WATCHED_PARENT,
	WATCHED_COUNT
};

static int
prepare(struct patience *patience, struct pollfd watched[WATCHED_COUNT])
{
	if (patience->alarm == -1 && patience->deadline != DURATION_NEVER &&
	    (patience->alarm = clock_alarm(patience->deadline)) == -1)
		return -1;
	if (signals_descriptor(patience->signals) == -1)
		return -1;
	watched[WATCHED_GOAL] = (struct pollfd){.fd = -1, .events = POLLIN};
	watched[WATCHED_SIGNALS] =
	    (struct pollfd){.fd = patience->signals->descriptor, .events = POLLIN};
	watched[WATCHED_ALARM] = (struct pollfd){.fd = patience->alarm, .events = POLLIN};
	watched[WATCHED_PARENT] = (struct pollfd){.fd = patience->parent, .events = POLLIN};
	return 0;
}

static duration_t
sooner(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

/* The first wait of perhaps many. */
static void
begin_waiting(struct patience *patience)
{
	if (!patience->waited) {
		patience->remind_at =
		    clock_after(clock_monotonic(), patience->observer->remind_every);
		tell(patience, HAPPENING_WAITING);
	}
	patience->waited = true;
}

static void
remind(struct patience *patience)
{
	if (clock_monotonic() < patience->remind_at)
		return;
	tell(patience, HAPPENING_STILL_WAITING);
	patience->remind_at = clock_after(clock_monotonic(), patience->observer->remind_every);
}

/* Until the goal is ready (ACQUIRE_TAKEN), a lookout has seen enough, or a limit is reached. */
static enum acquire
wait_for_goal(
    struct patience *patience, struct pollfd watched[WATCHED_COUNT], const struct lookout *lookout)
{
	duration_t next = DURATION_NEVER, pause;
	enum acquire left;

	if (lookout != NULL)
		next = clock_monotonic() + lookout->first;
	for (;;) {
		left = patience_left(patience);
		if (left != ACQUIRE_TAKEN)
			return left;
		if (clock_poll(watched, WATCHED_COUNT, sooner(patience->remind_at, next)) == -1)
			return ACQUIRE_FAULT;
		if (watched[WATCHED_GOAL].revents != 0)
			return ACQUIRE_TAKEN;
		remind(patience);
		if (clock_monotonic() >= next) {
			pause = lookout->look(lookout->context);
			if (pause == 0)
				return ACQUIRE_AGAIN;
			next = clock_monotonic() + pause;
		}
	}
}

enum acquire
patience_wait(struct patience *patience, int fd, enum lock_mode mode, const struct lookout *lookout)
{
	struct pollfd watched[WATCHED_COUNT];
	struct lock_wait wait;
	enum lock_result result;
	enum acquire ended;

	if (prepare(patience, watched) == -1 || lock_wait_begin(&wait, fd, mode) == -1)
		return ACQUIRE_FAULT;
	watched[WATCHED_GOAL].fd = wait.over;
	begin_waiting(patience);
	ended = wait_for_goal(patience, watched, lookout);
	result = lock_wait_finish(&wait);
	if (ended == ACQUIRE_TAKEN)
		return result == LOCK_TAKEN ? ACQUIRE_TAKEN : ACQUIRE_FAULT;
	/* Granted at the last moment, and not wanted any more. */
	if (result == LOCK_TAKEN)
		lock_release(fd);
	return ended;
}

static duration_t
see_nothing(void *context)
{
	(void)context;
	return 0;
}

enum acquire
patience_pause(struct patience *patience, duration_t length)
{
	const struct lookout over = {.look = see_nothing, .first = length};
	struct pollfd watched[WATCHED_COUNT];
	enum acquire ended;

	if (prepare(patience, watched) == -1)
		return ACQUIRE_FAULT;
	begin_waiting(patience);
	ended = wait_for_goal(patience, watched, &over);
	return ended == ACQUIRE_AGAIN ? ACQUIRE_TAKEN : ended;
}

enum acquire
patience_await(struct patience *patience, int fd, duration_t length)
{
	const struct lookout over = {.look = see_nothing, .first = length};
	struct pollfd watched[WATCHED_COUNT];
	enum acquire ended;

	if (prepare(patience, watched) == -1)
		return ACQUIRE_FAULT;
	watched[WATCHED_GOAL].fd = fd;
	/* It would be readable, and count for nothing. */
	if (!patience->waited)
		watched[WATCHED_ALARM].fd = -1;
	ended = wait_for_goal(patience, watched, &over);
	return ended == ACQUIRE_AGAIN ? ACQUIRE_TAKEN : ended;
}

enum acquire
patience_none(int fd, enum lock_mode mode)
{
	switch (lock_try(fd, mode)) {
	case LOCK_TAKEN:
		return ACQUIRE_TAKEN;
	case LOCK_BUSY:
		return ACQUIRE_BUSY;
	default:
		return ACQUIRE_FAULT;
	}
}

enum acquire
patience_try(struct patience *patience, int fd, enum lock_mode mode)
{
	const duration_t until = clock_monotonic() + FOREIGN_PATIENCE;
	enum acquire result;

	while (!lock_is_marked(fd) && clock_monotonic() < until) {
		result = patience_pause(patience, FOREIGN_INTERVAL);
		if (result != ACQUIRE_TAKEN)
			return result;
		result = patience_none(fd, mode);
		if (result != ACQUIRE_BUSY)
			return result;
	}
	return ACQUIRE_BUSY;
}

void
patience_end(struct patience *patience)
{
	if (patience->alarm != -1)
		close(patience->alarm);
	patience->alarm = -1;
}
