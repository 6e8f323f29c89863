/* SPDX-License-Identifier: ISC */
#include "election/turn.h"

#include <unistd.h>

#include "election/engine.h"
#include "election/passing.h"

/* Somebody is ahead: wait for its end, or for it to be passed. */
static enum acquire
wait_behind(struct campaign *campaign, const struct ticket *ahead, int fd)
{
	struct passing passing = {
	    .queue = &campaign->queue,
	    .predecessor = fd,
	};
	const struct lookout pass = passing_lookout(&passing);
	struct joining_watch watch = {.joining = &campaign->joining, .then = &pass};
	const struct lookout lookout = joining_lookout(&watch);
	const bool may_be_frozen = ahead->state == TICKET_WAITING;
	enum acquire left = joining_meet(campaign, ahead, fd);

	if (left != ACQUIRE_TAKEN)
		return left;
	if (!campaign->candidacy->if_available || joining_shares(campaign, ahead)) {
		left = patience_wait(
		    &campaign->patience, fd, LOCK_SHARED, may_be_frozen ? &lookout : NULL);
		joining_learn(campaign, fd);
		return left;
	}
	/* Once: who stands behind the one that was passed has to get the time to notice. */
	if (may_be_frozen && !campaign->passed_one &&
	    passing_try(&passing, &campaign->patience, &left)) {
		campaign->passed_one = true;
		return ACQUIRE_AGAIN;
	}
	return left != ACQUIRE_TAKEN ? left : ACQUIRE_BUSY;
}

enum acquire
turn_await(struct campaign *campaign, struct fault *fault)
{
	enum acquire result = ACQUIRE_AGAIN;
	struct ticket ahead;
	int fd;

	while (result == ACQUIRE_AGAIN || result == ACQUIRE_TAKEN) {
		if (campaign->queue.fd == -1)
			return ACQUIRE_TAKEN;
		switch (engine_look_ahead(campaign, &ahead, &fd)) {
		case QUEUE_AHEAD:
			break;
		case QUEUE_ERROR:
			return engine_fault(campaign, fault);
		default:
			return joining_meet(campaign, NULL, -1);
		}
		switch (engine_nesting(campaign)) {
		case NESTING_NONE:
			result = wait_behind(campaign, &ahead, fd);
			break;
		case NESTING_REFUSED:
			result = ACQUIRE_NESTED;
			break;
		case NESTING_SHARES:
			close(fd);
			return ACQUIRE_TAKEN;
		}
		close(fd);
	}
	return result == ACQUIRE_FAULT ? engine_fault(campaign, fault) : result;
}
