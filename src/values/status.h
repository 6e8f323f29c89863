/* SPDX-License-Identifier: ISC */
/*
 * How a run ended, and the exit status that tells it: the one table for the code, the manual and
 * the tests.
 */
#ifndef LOCKRUN_VALUES_STATUS_H
#define LOCKRUN_VALUES_STATUS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	STATUS_OK = 0,
	STATUS_USAGE = 64,
	STATUS_UNAVAILABLE = 69,
	STATUS_UNKNOWN = 74, /* outcome unknown: lockrun failed after the start */
	STATUS_NOT_ACQUIRED = 75,
	STATUS_STALE = 76,
	STATUS_REFUSED = 77,
	STATUS_STEPPED_DOWN = 124,
	STATUS_NOT_STARTED = 125,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
};

enum ran {
	RAN_NO,
	RAN_YES,
	RAN_MAYBE,
};

struct status_row {
	int status;
	enum ran ran; /* did COMMAND start? */
	const char *meaning;
};

extern const struct status_row status_table[];
extern const size_t status_table_length;

/* The row of status, or NULL when the number has no meaning of ours. */
const struct status_row *status_find(int status);

/* Why a run, or a term, is over. */
enum reason {
	REASON_FINISHED, /* the command exited with 0 */
	REASON_FAILED,	 /* it exited with another status, or died by a signal */
	REASON_MAX_HOLD,
	REASON_STOP,
	REASON_SIGNAL,	    /* a signal to lockrun made it step down, or ended its wait */
	REASON_YIELD,	    /* somebody queued */
	REASON_REPLACED,    /* another contender wanted to lead in its place */
	REASON_INELIGIBLE,  /* the check of --eligible said no */
	REASON_WATCHDOG,    /* the command gave no sign of life */
	REASON_LOCK_LOST,   /* the lock was removed, replaced or moved under us */
	REASON_PARENT_GONE, /* the process that started lockrun is gone */
	REASON_LATE,
	REASON_BUSY,
	REASON_TOO_MANY,  /* as many wait as may */
	REASON_REFUSED,	  /* it is not known how the last term ended */
	REASON_NOT_FOUND, /* nothing to execute */
	REASON_ERROR,
	REASON_COUNT
};

/* The word for it in events, records and messages: "max-hold". Never NULL. */
const char *reason_word(enum reason reason);
/* The other way; REASON_COUNT for no such word. */
enum reason reason_of_word(const char *word);
/* True when lockrun itself started the step-down, so that 124 tells the caller. */
bool reason_is_ours(enum reason reason);
/* True when something has gone wrong, so that to compete again at once would not help. */
bool reason_is_failure(enum reason reason);

struct outcome {
	enum ran ran;
	enum reason reason;
	int status;	  /* exit status of the command, or of lockrun when nothing ran */
	int signal;	  /* the signal that the command or the wait died by; 0 for none */
	bool killed;	  /* SIGKILL was needed */
	bool joined;	  /* another's run, whose outcome we share */
	bool interrupted; /* a signal to lockrun meant more than this term */
};

/* What lockrun's own process has to do at its end. */
struct ending {
	int status; /* exit with this */
	int signal; /* or, when not 0, die by this signal; the status is 128 + signal then */
};

/*
 * The ending that tells this outcome. preserve: after a step-down of ours the command's own
 * status, not 124. map: for a command's own status that looks like "nothing ran"; -1 for none.
 * Pure.
 */
struct ending status_ending(const struct outcome *outcome, bool preserve, int map);

/*
 * True when the command itself exited with a number whose row says that nothing ran, so that the
 * caller has to be told.
 */
bool status_misleads(const struct outcome *outcome);

#endif
