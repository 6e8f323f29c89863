/* SPDX-License-Identifier: ISC */
/* Before, between and after stays in the queue: outside of it, but not out of sight. */
#include "election/campaign.h"

#include <errno.h>

#include "election/engine.h"
#include "kernel/clock.h"

static void
observe_nothing(void *context, const struct happened *happened)
{
	(void)context;
	(void)happened;
}

/* What stands in our ticket of the queue, or will stand there, is not touched by that. */
static void
describe(struct campaign *campaign, const char *condition)
{
	const struct ticket_text text = campaign->text;
	const int64_t queued_ms = campaign->queued_ms;

	engine_introduce(campaign, condition);
	campaign->text.generation = campaign->led;
	queue_describe(&campaign->rest, &campaign->text);
	campaign->text = text;
	campaign->queued_ms = queued_ms;
}

void
engine_begin_rest(struct campaign *campaign, const char *condition)
{
	const struct candidacy *candidacy = campaign->candidacy;
	struct fault fault;

	if (campaign->rest.fd != -1 || candidacy->directory->fd == -1 ||
	    engine_open(campaign, &campaign->rest_lock, &fault) == -1)
		return;
	queue_init(&campaign->rest, &campaign->rest_lock);
	if (campaign->rest_lock.queue != -1 &&
	    queue_rest(&campaign->rest, candidacy->mode) == QUEUE_OK)
		describe(campaign, condition);
	else
		lockdir_close(&campaign->rest_lock);
}

void
engine_end_rest(struct campaign *campaign)
{
	queue_leave(&campaign->rest);
	lockdir_close(&campaign->rest_lock);
}

/* Ctrl-Z stops us here as anywhere, and the time goes on. */
static enum acquire
pause_until(struct campaign *campaign, duration_t until)
{
	struct patience *patience = &campaign->patience;
	duration_t left;
	enum acquire result;

	do {
		left = until - clock_monotonic();
		result = patience_pause(patience, left > 0 ? left : 0);
		if (result == ACQUIRE_SIGNAL && signal_stops(patience->signal)) {
			signals_stop_by(patience->signal);
			result = ACQUIRE_AGAIN;
		}
	} while (result == ACQUIRE_AGAIN);
	return result;
}

enum acquire
campaign_rest(
    struct campaign *campaign, const char *condition, duration_t length, struct fault *fault)
{
	static const struct observer nobody = {.observe = observe_nothing};
	const struct candidacy *candidacy = campaign->candidacy;
	const duration_t until = clock_after(clock_monotonic(), length);
	enum acquire result;

	engine_begin_anew(campaign);
	patience_begin(
	    &campaign->patience, candidacy->signals, &nobody, DURATION_NEVER, candidacy->parent);
	describe(campaign, condition);
	result = pause_until(campaign, until);
	if (result == ACQUIRE_TAKEN)
		return result;
	if (result == ACQUIRE_FAULT)
		fault_set(fault, FAULT_SYSTEM, errno, "%s", candidacy->name->text);
	engine_note_stop(campaign, result);
	return result;
}

void
campaign_end(struct campaign *campaign)
{
	campaign_leave(campaign);
	engine_end_rest(campaign);
}
