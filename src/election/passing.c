/* SPDX-License-Identifier: ISC */
#include "election/passing.h"

#include <unistd.h>

#include "kernel/clock.h"
#include "kernel/lock.h"
#include "kernel/lockdir.h"

#define LOOK_EVERY  (5 * DURATION_SECOND)
#define LOOK_CLOSER (250 * DURATION_MILLISECOND)

/* Somebody was passed, and who waited for it may not have looked since. */
static bool
others_may_not_know(const struct passing *passing)
{
	const duration_t last = queue_last_pass(passing->queue);

	return last != 0 && clock_monotonic() - last < LOOK_EVERY;
}

/*
 * While the lock is ours for a moment. It also is when `lock` was removed and made anew, and the
 * holder, who is about to notice or to step down, still keeps the others waiting.
 */
static void
judge(struct passing *passing)
{
	struct ticket first;
	bool same;

	if (queue_has_holder(passing->queue) || others_may_not_know(passing) ||
	    queue_first_waiting(passing->queue, &first) != QUEUE_AHEAD) {
		passing->suspects = false;
		return;
	}
	same = passing->suspects && ticket_order(&first, &passing->suspect) == 0;
	if (same) {
		queue_pass(passing->queue, &first);
		passing->passed_one = true;
	}
	passing->suspects = !same;
	passing->suspect = first;
}

static void
look_once(struct passing *passing)
{
	struct fault fault;
	int fd;

	fd = lockdir_file(passing->queue->lock, STATE_LOCK, STATE_CONTEND, &fault);
	if (fd == -1)
		return;
	/* Alone, whatever our own mode: beside readers it is not free for the writer before us. */
	if (lock_try(fd, LOCK_EXCLUSIVE) == LOCK_TAKEN)
		judge(passing);
	else
		passing->suspects = false;
	close(fd);
}

static duration_t
look(void *context)
{
	struct passing *passing = context;

	/* Somebody else has passed the one we wait for: its end would never wake us in time. */
	if (!lockdir_ticket_is_named(passing->predecessor))
		return 0;
	look_once(passing);
	if (passing->passed_one)
		return 0;
	return passing->suspects ? LOOK_CLOSER : LOOK_EVERY;
}

struct lookout
passing_lookout(struct passing *passing)
{
	return (struct lookout){.look = look, .context = passing, .first = LOOK_EVERY};
}

bool
passing_try(struct passing *passing, struct patience *patience, enum acquire *left)
{
	*left = ACQUIRE_TAKEN;
	look_once(passing);
	if (!passing->suspects)
		return false;
	*left = patience_pause(patience, LOOK_CLOSER);
	if (*left != ACQUIRE_TAKEN)
		return false;
	look_once(passing);
	return passing->passed_one;
}
