/* SPDX-License-Identifier: ISC */
#include "election/watchdog.h"

#include <bsd/string.h>

#include <unistd.h>

#include "kernel/clock.h"
#include "values/notice.h"

/* So that a flood of messages does not keep us from all else. */
#define HEAR_AT_ONCE 64

/* Awake so long after we wanted to be, we were not there to hear anything. */
#define OVERSLEPT (500 * DURATION_MILLISECOND)

/* How often the ticket may be written. */
#define TELLS_IN_LIMIT 8
#define TELL_MIN       (50 * DURATION_MILLISECOND)
#define TELL_MAX       DURATION_SECOND

static void
write_ticket(struct watchdog *watchdog, duration_t now)
{
	if (watchdog->campaign != NULL)
		campaign_tell_life(
		    watchdog->campaign, watchdog->limit, watchdog->heard_ms, watchdog->report);
	watchdog->told_at = now;
	watchdog->tell_at = DURATION_NEVER;
}

void
watchdog_begin(struct watchdog *watchdog, const struct notify *notify, const struct tree *tree,
    struct campaign *campaign, duration_t limit)
{
	const duration_t now = clock_monotonic();

	*watchdog = (struct watchdog){
	    .notify = notify,
	    .tree = tree,
	    .campaign = campaign,
	    .limit = limit,
	    .silent_at = clock_after(now, limit),
	    .tell_at = DURATION_NEVER,
	};
	if (notify != NULL)
		write_ticket(watchdog, now);
	/* The first sign of life is written at once. */
	watchdog->told_at = 0;
}

/* ---- hearing ---- */

static bool
is_believed(const struct watchdog *watchdog, const struct notify_message *message)
{
	switch (tree_kinship(watchdog->tree, message->sender)) {
	case KINSHIP_OURS:
		return true;
	case KINSHIP_STRANGER:
		return false;
	case KINSHIP_UNKNOWN:
		break;
	}
	return message->user == geteuid();
}

static void
plan_tell(struct watchdog *watchdog)
{
	duration_t pause = watchdog->limit / TELLS_IN_LIMIT;

	if (watchdog->tell_at != DURATION_NEVER)
		return;
	pause = pause < TELL_MIN ? TELL_MIN : pause > TELL_MAX ? TELL_MAX : pause;
	watchdog->tell_at = watchdog->told_at + pause;
}

static void
take(struct watchdog *watchdog, const struct notify_message *message)
{
	struct notice notice;

	notice_read(message->bytes, message->length, &notice);
	if (notice.has_status)
		strlcpy(watchdog->report, notice.status, sizeof(watchdog->report));
	watchdog->gives_up = watchdog->gives_up || notice.gives_up;
	if (!notice.alive)
		return;
	watchdog->heard_ms = clock_realtime_ms();
	if (watchdog->silent_at != DURATION_NEVER)
		watchdog->silent_at = clock_after(clock_monotonic(), watchdog->limit);
	plan_tell(watchdog);
}

void
watchdog_hear(struct watchdog *watchdog)
{
	static struct notify_message message;

	if (watchdog->notify == NULL)
		return;
	for (int i = 0; i < HEAR_AT_ONCE && notify_receive(watchdog->notify, &message); i++) {
		if (is_believed(watchdog, &message)) {
			take(watchdog, &message);
			notify_pass_on(watchdog->notify, &message);
		}
		notify_done(&message);
	}
}

/* ---- judging ---- */

bool
watchdog_bites(struct watchdog *watchdog, duration_t now)
{
	if (watchdog->notify == NULL || (!watchdog->gives_up && now < watchdog->silent_at))
		return false;
	if (!watchdog->gives_up && now - watchdog->silent_at > OVERSLEPT) {
		watchdog->silent_at = clock_after(now, watchdog->limit);
		return false;
	}
	watchdog->silent_at = DURATION_NEVER;
	watchdog->gave_up = watchdog->gives_up;
	watchdog->gives_up = false;
	return true;
}

/* ---- telling ---- */

void
watchdog_tell(struct watchdog *watchdog, duration_t now)
{
	if (watchdog->notify != NULL && now >= watchdog->tell_at)
		write_ticket(watchdog, now);
}

duration_t
watchdog_next(const struct watchdog *watchdog, bool awake)
{
	if (watchdog->notify == NULL)
		return DURATION_NEVER;
	return awake && watchdog->silent_at < watchdog->tell_at ? watchdog->silent_at
								: watchdog->tell_at;
}
