/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "values/status.h"

const struct status_row status_table[] = {
    {STATUS_USAGE, RAN_NO, "bad command line or lock name, or nested in its own lock"},
    {STATUS_UNAVAILABLE, RAN_NO,
	"the lock manager cannot be used: directory, file system or damaged record"},
    {STATUS_UNKNOWN, RAN_MAYBE,
	"outcome unknown: lockrun failed after the start, or the run that was joined was lost"},
    {STATUS_NOT_ACQUIRED, RAN_NO,
	"the lock was not acquired: busy, too many waiters, not eligible, or the wait was over"},
    {STATUS_STALE, RAN_NO, "stale: this term no longer leads, or a newer generation was seen"},
    {STATUS_REFUSED, RAN_NO, "refused: how the last term ended is not known"},
    {STATUS_STEPPED_DOWN, RAN_YES, "lockrun made the command step down"},
    {STATUS_NOT_STARTED, RAN_NO, "lockrun failed before the start of the command"},
    {STATUS_NOT_EXECUTABLE, RAN_NO, "the command cannot be executed"},
    {STATUS_NOT_FOUND, RAN_NO, "the command was not found"},
};
const size_t status_table_length = sizeof(status_table) / sizeof(status_table[0]);

static const struct reason_row {
	enum reason reason;
	const char *word;
	bool ours;
	bool failure;
} reason_table[] = {
    {REASON_FINISHED, "finished", false, false},
    {REASON_FAILED, "failed", false, true},
    {REASON_MAX_HOLD, "max-hold", true, false},
    {REASON_STOP, "stop", true, false},
    /* Who sent the signal knows of it, and wants to hear what the command made of it. */
    {REASON_SIGNAL, "signal", false, false},
    {REASON_YIELD, "yield", true, false},
    {REASON_REPLACED, "replaced", true, false},
    {REASON_INELIGIBLE, "ineligible", true, false},
    {REASON_WATCHDOG, "watchdog", true, true},
    {REASON_LOCK_LOST, "lock-lost", true, true},
    {REASON_PARENT_GONE, "parent-gone", true, false},
    {REASON_LATE, "late", false, false},
    {REASON_BUSY, "busy", false, false},
    {REASON_TOO_MANY, "too-many", false, false},
    {REASON_REFUSED, "refused", false, true},
    {REASON_NOT_FOUND, "not-found", false, true},
    {REASON_ERROR, "error", false, true},
};
#define REASON_ROWS (sizeof(reason_table) / sizeof(reason_table[0]))

const struct status_row *
status_find(int status)
{
	for (size_t i = 0; i < status_table_length; i++)
		if (status_table[i].status == status)
			return &status_table[i];
	return NULL;
}

const char *
reason_word(enum reason reason)
{
	for (size_t i = 0; i < REASON_ROWS; i++)
		if (reason_table[i].reason == reason)
			return reason_table[i].word;
	return "error";
}

enum reason
reason_of_word(const char *word)
{
	for (size_t i = 0; i < REASON_ROWS; i++)
		if (strcmp(reason_table[i].word, word) == 0)
			return reason_table[i].reason;
	return REASON_COUNT;
}

bool
reason_is_ours(enum reason reason)
{
	for (size_t i = 0; i < REASON_ROWS; i++)
		if (reason_table[i].reason == reason)
			return reason_table[i].ours;
	return false;
}

bool
reason_is_failure(enum reason reason)
{
	for (size_t i = 0; i < REASON_ROWS; i++)
		if (reason_table[i].reason == reason)
			return reason_table[i].failure;
	return false;
}

struct ending
status_ending(const struct outcome *outcome, bool preserve, int map)
{
	if (outcome->ran == RAN_MAYBE)
		return (struct ending){.status = STATUS_UNKNOWN};
	if (outcome->ran == RAN_YES && reason_is_ours(outcome->reason) && !preserve)
		return (struct ending){.status = STATUS_STEPPED_DOWN};
	/* That signal ended another's command: we only hand its number on. */
	if (outcome->signal != 0 && outcome->joined)
		return (struct ending){.status = 128 + outcome->signal};
	if (outcome->signal != 0)
		return (struct ending){.status = 128 + outcome->signal, .signal = outcome->signal};
	if (map != -1 && status_misleads(outcome))
		return (struct ending){.status = map};
	return (struct ending){.status = outcome->status};
}

bool
status_misleads(const struct outcome *outcome)
{
	const struct status_row *row = status_find(outcome->status);

	return outcome->ran == RAN_YES && outcome->signal == 0 &&
	       !reason_is_ours(outcome->reason) && row != NULL && row->ran == RAN_NO;
}
