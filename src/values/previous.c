/* SPDX-License-Identifier: ISC */
/* What became of a term, and what the next leader is told of those before it. */
#include <string.h>

#include "values/record.h"

static const char *const outcome_words[] = {
    [OUTCOME_NONE] = "none",
    [OUTCOME_FINISHED] = "finished",
    [OUTCOME_FAILED] = "failed",
    [OUTCOME_STEPPED_DOWN] = "stepped-down",
    [OUTCOME_NOT_STARTED] = "not-started",
    [OUTCOME_LOST] = "lost",
    [OUTCOME_UNREPORTED] = "unreported",
    [OUTCOME_UNKNOWN] = "unknown",
};
_Static_assert(
    sizeof(outcome_words) / sizeof(outcome_words[0]) == OUTCOME_COUNT, "a word for each");

const char *
term_outcome_word(enum term_outcome outcome)
{
	return outcome_words[outcome];
}

enum term_outcome
term_outcome_of_word(const char *word)
{
	enum term_outcome outcome = 0;

	while (outcome < OUTCOME_COUNT && strcmp(outcome_words[outcome], word) != 0)
		outcome++;
	return outcome;
}

static bool
is_of(const struct term *term, const char *boot)
{
	return boot[0] != '\0' && strcmp(term->boot, boot) == 0;
}

static enum term_outcome
recorded_outcome(const struct term *term)
{
	if (term->ran == RAN_NO)
		return OUTCOME_NOT_STARTED;
	if (term->ran == RAN_MAYBE)
		return OUTCOME_UNKNOWN;
	switch (term->reason) {
	case REASON_FINISHED:
		return OUTCOME_FINISHED;
	case REASON_FAILED:
		return OUTCOME_FAILED;
	default:
		return OUTCOME_STEPPED_DOWN;
	}
}

/* Whether what can follow a record was not to follow before it was on the disk. */
static bool
is_settled(const struct term *term)
{
	return term->sync == (term->stage == TERM_BEGUN ? SYNC_OWED : SYNC_YES);
}

enum term_outcome
term_outcome(const struct term *term, const char *boot)
{
	switch (term->stage) {
	case TERM_EMPTY:
		break;
	case TERM_BEGUN:
		return is_of(term, boot) || is_settled(term) ? OUTCOME_NOT_STARTED
							     : OUTCOME_UNKNOWN;
	case TERM_STARTED:
		return is_of(term, boot) ? OUTCOME_LOST : OUTCOME_UNKNOWN;
	case TERM_UNREPORTED:
		return OUTCOME_UNREPORTED;
	case TERM_ENDED:
		return recorded_outcome(term);
	}
	return OUTCOME_NONE;
}

static struct told_outcome
tell(enum term_outcome outcome, uint64_t generation)
{
	return (struct told_outcome){.outcome = outcome, .generation = generation};
}

static struct told_outcome
tell_recorded(const struct number_plan *plan, const struct term *newest, const char *boot)
{
	struct told_outcome told = tell(term_outcome(newest, boot), newest->generation);

	/* Killed before the number was its own. */
	if (newest->stage == TERM_BEGUN && newest->generation > plan->current.last)
		told = newest->before;
	if (!is_of(newest, boot) && !(is_settled(newest) && plan->whole))
		told.outcome = OUTCOME_UNKNOWN;
	return told;
}

struct previous
previous_find(const struct number_plan *plan, const struct term *newest, const char *boot)
{
	const uint64_t last = plan->current.last;
	struct previous previous = {.sync_owed = newest != NULL && newest->sync != SYNC_NO};

	if (plan->fresh || (plan->trusted && last == 0))
		previous.last = tell(OUTCOME_NONE, 0);
	else if (newest == NULL || newest->generation < last)
		previous.last = tell(OUTCOME_UNKNOWN, last);
	else
		previous.last = tell_recorded(plan, newest, boot);
	previous.ran = previous.last;
	if (previous.last.outcome == OUTCOME_NOT_STARTED)
		previous.ran = newest->before;
	return previous;
}

bool
previous_is_lost(const struct previous *previous)
{
	return previous->ran.outcome == OUTCOME_LOST || previous->ran.outcome == OUTCOME_UNKNOWN;
}
