/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/backoff.h"

#define MS DURATION_MILLISECOND
#define S  DURATION_SECOND

static struct backoff backoff;

static void
begin(duration_t min, duration_t max)
{
	backoff = (struct backoff){.limits = {min, max}};
}

/* The shortest and the longest delay that the next such outcome can have. */
static void
expect_delay(enum ran ran, enum reason reason, duration_t held, duration_t least, duration_t most)
{
	const struct outcome outcome = {.ran = ran, .reason = reason};
	struct backoff again = backoff;

	ROW(EXPECT_INT(backoff_after(&again, &outcome, held, 0), least), "%s", reason_word(reason));
	ROW(EXPECT_INT(backoff_after(&backoff, &outcome, held, UINT32_MAX), most), "%s",
	    reason_word(reason));
	EXPECT_INT(backoff.failures, again.failures);
}

static void
a_moment_after_an_end(void)
{
	begin(BACKOFF_MIN, BACKOFF_MAX);
	for (int i = 0; i < 5; i++) {
		expect_delay(RAN_YES, REASON_FINISHED, S, 250 * MS, 250 * MS);
		expect_delay(RAN_YES, REASON_MAX_HOLD, S, 250 * MS, 250 * MS);
		expect_delay(RAN_YES, REASON_YIELD, S, 250 * MS, 250 * MS);
		expect_delay(RAN_YES, REASON_REPLACED, S, 250 * MS, 250 * MS);
		expect_delay(RAN_NO, REASON_LATE, 0, 250 * MS, 250 * MS);
		expect_delay(RAN_NO, REASON_BUSY, 0, 250 * MS, 250 * MS);
	}
}

static void
longer_while_it_fails(void)
{
	begin(BACKOFF_MIN, BACKOFF_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, S, 2 * S);
	expect_delay(RAN_YES, REASON_LOCK_LOST, 0, 2 * S, 4 * S);
	expect_delay(RAN_NO, REASON_NOT_FOUND, 0, 4 * S, 8 * S);
	expect_delay(RAN_NO, REASON_ERROR, 0, 8 * S, 16 * S);
	expect_delay(RAN_YES, REASON_FAILED, 0, 16 * S, 32 * S);
	for (int i = 0; i < 200; i++)
		expect_delay(RAN_YES, REASON_FAILED, 0, 30 * S, 60 * S);
}

static void
a_success_ends_the_row(void)
{
	begin(BACKOFF_MIN, BACKOFF_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, S, 2 * S);
	expect_delay(RAN_YES, REASON_FAILED, 0, 2 * S, 4 * S);
	expect_delay(RAN_YES, REASON_FINISHED, 0, 250 * MS, 250 * MS);
	expect_delay(RAN_YES, REASON_FAILED, 0, S, 2 * S);
}

static void
a_wait_that_was_given_up_is_neither(void)
{
	begin(BACKOFF_MIN, BACKOFF_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, S, 2 * S);
	expect_delay(RAN_NO, REASON_LATE, 0, 250 * MS, 250 * MS);
	expect_delay(RAN_NO, REASON_BUSY, 0, 250 * MS, 250 * MS);
	expect_delay(RAN_YES, REASON_FAILED, 0, 2 * S, 4 * S);
}

static void
a_long_term_worked_for_a_while(void)
{
	begin(BACKOFF_MIN, BACKOFF_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, S, 2 * S);
	expect_delay(RAN_YES, REASON_FAILED, 60 * S, 2 * S, 4 * S);
	expect_delay(RAN_YES, REASON_FAILED, 60 * S + 1, S, 2 * S);
}

static void
limits(void)
{
	/* One delay, and no spread. */
	begin(S, S);
	for (int i = 0; i < 3; i++)
		expect_delay(RAN_YES, REASON_FAILED, 0, S, S);
	/* Hardly any room. */
	begin(2 * S, 3 * S);
	for (int i = 0; i < 3; i++)
		expect_delay(RAN_YES, REASON_FAILED, 0, 2 * S, 3 * S);
	/* A short one holds after an end as well. */
	begin(10 * MS, S);
	expect_delay(RAN_YES, REASON_FINISHED, 0, 10 * MS, 10 * MS);
	expect_delay(RAN_YES, REASON_FAILED, 0, 10 * MS, 20 * MS);
	/* The shortest that can be written. */
	begin(1, 1);
	for (int i = 0; i < 3; i++) {
		expect_delay(RAN_YES, REASON_FINISHED, 0, 1, 1);
		expect_delay(RAN_YES, REASON_FAILED, 0, 1, 1);
	}
	/* The longest that can be written. */
	begin(DURATION_MAX, DURATION_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, DURATION_MAX, DURATION_MAX);
	expect_delay(RAN_YES, REASON_FAILED, 0, DURATION_MAX, DURATION_MAX);
}

static void
spread_between_them(void)
{
	static const struct outcome failed = {.ran = RAN_YES, .reason = REASON_FAILED};
	duration_t last = 0;

	for (unsigned i = 0; i < 16; i++) {
		duration_t delay;

		begin(BACKOFF_MIN, BACKOFF_MAX);
		delay = backoff_after(&backoff, &failed, 0, i << 28);
		EXPECT(delay >= S && delay <= 2 * S && delay > last);
		last = delay;
	}
}

int
main(void)
{
	TEST(a_moment_after_an_end);
	TEST(longer_while_it_fails);
	TEST(a_success_ends_the_row);
	TEST(a_wait_that_was_given_up_is_neither);
	TEST(a_long_term_worked_for_a_while);
	TEST(limits);
	TEST(spread_between_them);
	return expect_status();
}
