/* SPDX-License-Identifier: ISC */
/*
 * How long a contender rests before it competes again (--loop). Pure.
 *
 * A moment after a term that came to its end, so that those who queued meanwhile go first; longer
 * and longer while terms fail, so that a command that cannot work costs little. The delays after
 * failures are spread at random, so that contenders that failed together do not come back together.
 */
#ifndef LOCKRUN_VALUES_BACKOFF_H
#define LOCKRUN_VALUES_BACKOFF_H

#include <stdint.h>

#include "values/duration.h"
#include "values/status.h"

#define BACKOFF_AFTER_END (250 * DURATION_MILLISECOND)
#define BACKOFF_MIN	  DURATION_SECOND
#define BACKOFF_MAX	  (60 * DURATION_SECOND)

/* The first delay after a failure lies between min and twice that; none is longer than max. */
struct backoff_limits {
	duration_t min, max;
};

struct backoff {
	struct backoff_limits limits;
	unsigned failures; /* in a row */
};

/*
 * The delay after an outcome of which held was spent leading. A failure counts, whatever ended as
 * it should ends the row, and so does a term that lasted longer than the longest delay: that one
 * worked for a while. A wait that was given up is neither. random is any number.
 */
duration_t backoff_after(
    struct backoff *backoff, const struct outcome *outcome, duration_t held, uint32_t random);

#endif
