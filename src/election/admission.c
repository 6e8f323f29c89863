/* SPDX-License-Identifier: ISC */
#include "election/admission.h"

#include <bsd/stdlib.h>

#include <poll.h>

#include "kernel/clock.h"
#include "kernel/lock.h"

#define DOOR_PATIENCE	 (2 * DURATION_SECOND)
#define DOOR_INTERVAL_MS 8 /* at most, so that they do not all come at once */

static bool
has_room(const struct admission *admission)
{
	return queue_count_waiting(admission->queue, admission->most) < admission->most;
}

static bool
pass_door(const struct queue *queue)
{
	const duration_t until = clock_monotonic() + DOOR_PATIENCE;
	enum lock_result result;

	while ((result = lock_try(queue->lock->queue, LOCK_EXCLUSIVE)) == LOCK_BUSY &&
	       clock_monotonic() < until)
		poll(NULL, 0, 1 + (int)arc4random_uniform(DOOR_INTERVAL_MS));
	return result == LOCK_TAKEN;
}

bool
admission_begin(struct admission *admission, const struct queue *queue, unsigned most)
{
	*admission = (struct admission){.queue = queue, .most = most};
	/* In a crowd most are turned away, and need not come to the door for that. */
	if (!has_room(admission))
		return false;
	admission->has_door = pass_door(queue);
	return has_room(admission);
}

bool
admission_stands(const struct admission *admission)
{
	return has_room(admission);
}

void
admission_end(struct admission *admission)
{
	if (admission->has_door)
		lock_release(admission->queue->lock->queue);
	admission->has_door = false;
}
