/* SPDX-License-Identifier: ISC */
#include <signal.h>

#include "expect.h"
#include "values/status.h"

static void
table_of_statuses(void)
{
	static const struct {
		int status;
		enum ran ran;
	} wanted[] = {{64, RAN_NO}, {69, RAN_NO}, {74, RAN_MAYBE}, {75, RAN_NO}, {76, RAN_NO},
	    {77, RAN_NO}, {124, RAN_YES}, {125, RAN_NO}, {126, RAN_NO}, {127, RAN_NO}};

	EXPECT_INT(status_table_length, ROWS(wanted));
	for (size_t i = 0; i < ROWS(wanted); i++) {
		const struct status_row *row = status_find(wanted[i].status);

		if (EXPECT(row != NULL)) {
			EXPECT_INT(row->ran, wanted[i].ran);
			EXPECT(row->meaning[0] != '\0');
		}
	}
	for (size_t i = 0; i < status_table_length; i++)
		EXPECT(status_find(status_table[i].status) == &status_table[i]);
	EXPECT(status_find(0) == NULL);
	EXPECT(status_find(1) == NULL);
	EXPECT(status_find(-64) == NULL);
}

static void
words_of_reasons(void)
{
	for (enum reason reason = 0; reason < REASON_COUNT; reason++)
		EXPECT_INT(reason_of_word(reason_word(reason)), reason);
	EXPECT_INT(reason_of_word("max-hold"), REASON_MAX_HOLD);
	EXPECT_INT(reason_of_word(""), REASON_COUNT);
	EXPECT_INT(reason_of_word("Stop"), REASON_COUNT);
	EXPECT(reason_word(REASON_COUNT) != NULL);
}

static void
reasons_of_ours(void)
{
	/* The row of 124 in the design. */
	static const char *const ours[] = {"max-hold", "stop", "replaced", "yield", "ineligible",
	    "watchdog", "lock-lost", "parent-gone"};

	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		bool wanted = false;

		for (size_t i = 0; i < ROWS(ours); i++)
			wanted = wanted || strcmp(ours[i], reason_word(reason)) == 0;
		ROW(EXPECT(reason_is_ours(reason) == wanted), "%s", reason_word(reason));
	}
	EXPECT(!reason_is_ours(REASON_COUNT));
}

static void
reasons_of_failure(void)
{
	/* All the others end a term as it should be ended, or a wait. */
	static const char *const failures[] = {
	    "failed", "watchdog", "lock-lost", "refused", "not-found", "error"};

	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		bool wanted = false;

		for (size_t i = 0; i < ROWS(failures); i++)
			wanted = wanted || strcmp(failures[i], reason_word(reason)) == 0;
		ROW(EXPECT(reason_is_failure(reason) == wanted), "%s", reason_word(reason));
	}
	EXPECT(!reason_is_failure(REASON_COUNT));
}

static const struct {
	struct outcome outcome; /* ran, reason, status, signal, killed, joined, interrupted */
	int status, signal;
	bool misleads;
} endings[] = {
    {{RAN_YES, REASON_FINISHED, 0, 0, false, false, false}, 0, 0, false},
    {{RAN_YES, REASON_FAILED, 3, 0, false, false, false}, 3, 0, false},
    {{RAN_YES, REASON_FAILED, 255, 0, false, false, false}, 255, 0, false},
    {{RAN_YES, REASON_FAILED, 0, SIGSEGV, false, false, false}, 128 + SIGSEGV, SIGSEGV, false},
    {{RAN_YES, REASON_FAILED, 64, 0, false, false, false}, 64, 0, true},
    {{RAN_YES, REASON_FAILED, 75, 0, false, false, false}, 75, 0, true},
    {{RAN_YES, REASON_FAILED, 127, 0, false, false, false}, 127, 0, true},
    {{RAN_YES, REASON_FAILED, 74, 0, false, false, false}, 74, 0, false},
    {{RAN_YES, REASON_FAILED, 124, 0, false, false, false}, 124, 0, false},
    {{RAN_YES, REASON_FAILED, 75, SIGTERM, false, false, false}, 128 + SIGTERM, SIGTERM, false},
    /* our own step-down: 124, whatever the command made of it */
    {{RAN_YES, REASON_MAX_HOLD, 0, SIGTERM, false, false, false}, 124, 0, false},
    {{RAN_YES, REASON_MAX_HOLD, 0, SIGKILL, true, false, false}, 124, 0, false},
    {{RAN_YES, REASON_STOP, 0, 0, false, false, false}, 124, 0, false},
    {{RAN_YES, REASON_STOP, 75, 0, false, false, false}, 124, 0, false},
    /* a signal to lockrun: the command's own end */
    {{RAN_YES, REASON_SIGNAL, 0, SIGTERM, false, false, false}, 128 + SIGTERM, SIGTERM, false},
    {{RAN_YES, REASON_SIGNAL, 0, 0, false, false, false}, 0, 0, false},
    {{RAN_YES, REASON_SIGNAL, 7, 0, false, false, false}, 7, 0, false},
    {{RAN_YES, REASON_SIGNAL, 69, 0, false, false, false}, 69, 0, true},
    /* another's run, shared: its signal is not ours to die by */
    {{RAN_YES, REASON_FINISHED, 0, 0, false, true, false}, 0, 0, false},
    {{RAN_YES, REASON_FAILED, 75, 0, false, true, false}, 75, 0, true},
    {{RAN_YES, REASON_FAILED, 0, SIGKILL, false, true, false}, 128 + SIGKILL, 0, false},
    {{RAN_YES, REASON_REPLACED, 0, SIGKILL, true, true, false}, 124, 0, false},
    {{RAN_MAYBE, REASON_ERROR, 0, 0, false, true, false}, 74, 0, false},
    /* nothing ran */
    {{RAN_NO, REASON_SIGNAL, 0, SIGINT, false, false, false}, 128 + SIGINT, SIGINT, false},
    {{RAN_NO, REASON_BUSY, 75, 0, false, false, false}, 75, 0, false},
    {{RAN_NO, REASON_LATE, 0, 0, false, false, false}, 0, 0, false}, /* -E 0 */
    {{RAN_NO, REASON_NOT_FOUND, 127, 0, false, false, false}, 127, 0, false},
    {{RAN_NO, REASON_ERROR, 69, 0, false, false, false}, 69, 0, false},
    /* asked to stop before the start: the status is lockrun's */
    {{RAN_NO, REASON_STOP, 75, 0, false, false, false}, 75, 0, false},
    {{RAN_MAYBE, REASON_ERROR, 0, 0, false, false, false}, 74, 0, false},
    {{RAN_MAYBE, REASON_STOP, 75, SIGKILL, true, false, false}, 74, 0, false},
};

static void
endings_of_outcomes(void)
{
	for (size_t i = 0; i < ROWS(endings); i++) {
		const struct ending ending = status_ending(&endings[i].outcome, false, -1);

		ROW(EXPECT_INT(ending.status, endings[i].status), "%zu", i);
		ROW(EXPECT_INT(ending.signal, endings[i].signal), "%zu", i);
		ROW(EXPECT(status_misleads(&endings[i].outcome) == endings[i].misleads), "%zu", i);
	}
}

int
main(void)
{
	TEST(table_of_statuses);
	TEST(words_of_reasons);
	TEST(reasons_of_ours);
	TEST(reasons_of_failure);
	TEST(endings_of_outcomes);
	return expect_status();
}
