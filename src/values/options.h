/* SPDX-License-Identifier: ISC */
/*
 * The command line. One table holds every option of every subcommand; the parser, --help and the
 * tests that compare program, manual and completions walk it. To add an option, add a row (and a
 * field to struct options).
 */
#ifndef LOCKRUN_VALUES_OPTIONS_H
#define LOCKRUN_VALUES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "values/backoff.h"
#include "values/closest.h"
#include "values/duration.h"
#include "values/fault.h"
#include "values/note.h"

/* Which subcommands take an option; a bit mask. */
enum subcommand {
	SUB_RUN = 1 << 0,
	SUB_NAME = 1 << 1,
	SUB_STATUS = 1 << 2,
	SUB_STOP = 1 << 3,
	SUB_CHECK = 1 << 4,
	SUB_SIGNAL = 1 << 5,
	SUB_HISTORY = 1 << 6,
	SUB_STATS = 1 << 7,
	SUB_WATCH = 1 << 8,
	SUB_PRUNE = 1 << 9,
	SUB_DOCTOR = 1 << 10,
	SUB_FENCE = 1 << 11,
	SUB_ALL = (1 << 12) - 1,
};

struct options {
	/* getting the lock */
	bool if_available;
	duration_t wait; /* DURATION_NEVER when it waits for as long as it takes */
	int conflict_status;
	bool shared;
	int max_waiters;	   /* -1 for no limit */
	const char *eligible;	   /* NULL: always */
	duration_t eligible_every; /* DURATION_NEVER: not while leading */
	int on_unavailable;	   /* enum unavailable */
	bool replace;
	bool join;
	int after_lost;		/* enum after_lost */
	const char *also_flock; /* NULL for none */
	/* leading */
	duration_t max_hold;   /* DURATION_NEVER for no limit */
	duration_t kill_after; /* DURATION_NEVER for "never" */
	bool kill_after_given;
	duration_t yield;    /* DURATION_NEVER for not at all */
	duration_t watchdog; /* DURATION_NEVER: none */
	bool preserve_status;
	int leftovers; /* enum leftovers */
	bool die_with_parent;
	bool close_lock;
	bool no_fork;
	int command_status_map; /* -1 for none */
	const char *supervised; /* the first option given that needs a supervisor, or NULL */
	/* again */
	bool loop;
	struct backoff_limits backoff;
	uint64_t max_terms;  /* 0 for no limit */
	const char *looping; /* the first option given that is about a loop, or NULL */
	/* telling */
	bool verbose;
	bool quiet;
	duration_t complain_after; /* DURATION_NEVER when not given */
	const char *events;	   /* FILE or fd:N; NULL for none */
	const char *note;	   /* NULL when neither given nor in the environment */
	enum note_look note_was;   /* what was wrong with that of the environment */
	char note_cleaned[NOTE_MAX + 1];
	const char *directory; /* NULL for the default place */
	bool json;
	bool prometheus;
	bool until_end;
	duration_t older_than;
	bool repair;
	uint64_t floor; /* 0 when not given */
	/* stop */
	const char *reason;
	uint64_t generation; /* 0 for any */
	bool all;
	bool force;
	/* name */
	const char *app, *protocol, *kind, *resource;
	const char *scopes[16];
	size_t scope_count;

	bool help;
	bool version;

	/*
	 * The words after the options, NULL-terminated; they point into argv. Of a run and a fence:
	 * NAME or FILE, and then all that stands behind it, a "--" before COMMAND included.
	 */
	char **words;
	size_t word_count;
	char **command; /* of these: COMMAND and its arguments, without that "--" */
};

/* What to do when the lock manager cannot be used; in the order of the words. */
enum unavailable {
	UNAVAILABLE_FAIL,
	UNAVAILABLE_SKIP,
	UNAVAILABLE_RUN,
};

/* Whether to run when it is not known how the last term ended; in the order of the words. */
enum after_lost {
	AFTER_LOST_RUN,
	AFTER_LOST_REFUSE,
};

/* What becomes of processes that the command leaves behind; in the order of the option's words. */
enum leftovers {
	LEFTOVERS_LEAVE,
	LEFTOVERS_WAIT,
	LEFTOVERS_KILL,
};

enum option_value {
	OPTION_FLAG,	 /* bool */
	OPTION_DURATION, /* duration_t */
	OPTION_POSITIVE, /* duration_t, 0 refused with FAULT_USAGE_DURATION_ZERO */
	OPTION_POSITIVE_OR_NEVER,
	OPTION_DURATION_IF_ANY, /* duration_t, 0 without a value, which only "=" can attach */
	OPTION_CHOICE,		/* int, the place of the word in metavar, a list with bars */
	OPTION_GENERATION,	/* uint64_t, at least 1 */
	OPTION_TERMS,		/* uint64_t, at least 1 */
	OPTION_BACKOFF,		/* struct backoff_limits, MIN:MAX */
	OPTION_STATUS,		/* int, 0..255 */
	OPTION_COUNT,		/* int, from 0 on */
	OPTION_TEXT,		/* const char * */
	OPTION_NOTE,		/* const char *, note_valid */
	OPTION_EVENTS,		/* const char *, a path, or fd: and a number */
	OPTION_SCOPE,		/* appended to scopes */
	OPTION_HABIT,		/* accepted for habit, does nothing */
};

enum option_trait {
	OPTION_PLAIN,
	OPTION_SPELLING,   /* another spelling, for habit; --help does not show it */
	OPTION_SUPERVISED, /* works only where lockrun stays to supervise */
	OPTION_LOOPING,	   /* means something only together with --loop */
};

struct option_row {
	const char *name;    /* without the dashes */
	char letter;	     /* 0 for none */
	const char *metavar; /* NULL for a flag */
	enum option_value value;
	unsigned subcommands;
	size_t field; /* offsetof(struct options, ...) */
	const char *help;
	enum option_trait trait;
};

extern const struct option_row option_table[];
extern const size_t option_table_length;

/*
 * Parse arguments (without the program's and the subcommand's name; NULL-terminated) for one
 * subcommand.
 *
 * SUB_RUN, SUB_FENCE: options end at the first word; then COMMAND follows, with or without "--"
 * before it, and is left as it is. Other subcommands take options anywhere and "--" ends them;
 * their words are moved to the front of arguments. Long options are never abbreviated;
 * "--name=value" and "--name value",
 * "-w5", "-w 5" and "-nv" are understood. Of one option given twice the last wins. getenv_note and
 * getenv_dir stand for LOCKRUN_NOTE and LOCKRUN_DIR (NULL or empty: unset) and count when no option
 * was given. A LOCKRUN_NOTE that is no valid note is cleaned, and note_was tells.
 *
 * Returns 0, or -1 with a FAULT_USAGE_*. --help and --version end the parsing at once with 0. For
 * SUB_RUN and SUB_FENCE the first word and COMMAND must be there, else FAULT_USAGE_NO_NAME,
 * FAULT_USAGE_WORD_MISSING or FAULT_USAGE_NO_COMMAND.
 * Pure; keeps pointers into arguments.
 */
int options_parse(enum subcommand subcommand, char **arguments, const char *getenv_note,
    const char *getenv_dir, struct options *options, struct fault *fault);

#endif
