/* SPDX-License-Identifier: ISC */
#include "values/backoff.h"

static duration_t
shorter(duration_t a, duration_t b)
{
	return a < b ? a : b;
}

/* Where the delay of so many failures begins: doubled with each, up to half of the longest. */
static duration_t
least_after(unsigned failures, const struct backoff_limits *limits)
{
	const duration_t most = limits->max / 2 > limits->min ? limits->max / 2 : limits->min;
	duration_t least = limits->min;

	for (unsigned i = 1; i < failures && least < most; i++)
		least *= 2;
	return shorter(least, most);
}

duration_t
backoff_after(
    struct backoff *backoff, const struct outcome *outcome, duration_t held, uint32_t random)
{
	const bool failed = reason_is_failure(outcome->reason);
	duration_t least, most;

	if (outcome->ran != RAN_NO && (!failed || held > backoff->limits.max))
		backoff->failures = 0;
	if (!failed)
		return shorter(BACKOFF_AFTER_END, backoff->limits.min);
	if (backoff->failures < UINT32_MAX)
		backoff->failures++;
	least = least_after(backoff->failures, &backoff->limits);
	most = shorter(least * 2, backoff->limits.max);
	return least + (duration_t)((double)(most - least) * random / UINT32_MAX);
}
