/* SPDX-License-Identifier: ISC */
/*
 * What can go wrong while nothing has run yet: one value that travels up from the floor that
 * met it to the one place that prints. A message is always the object first, then the reason,
 * then what to do.
 */
#ifndef LOCKRUN_VALUES_FAULT_H
#define LOCKRUN_VALUES_FAULT_H

#include <stddef.h>

enum fault_kind {
	FAULT_NONE,

	/* lock names; the hint is a name that would do */
	FAULT_NAME_EMPTY,
	FAULT_NAME_LONG,
	FAULT_NAME_BYTES, /* a byte outside the grammar */
	FAULT_NAME_APP,
	FAULT_NAME_PROTOCOL_MISSING,
	FAULT_NAME_PROTOCOL_FORM,
	FAULT_NAME_KIND_MISSING,
	FAULT_NAME_KIND_FORM,
	FAULT_NAME_RESOURCE_MISSING,
	FAULT_NAME_PART_FORM, /* a resource or scope that is empty or begins wrongly */

	/* command line; the hint is the remedy when the row has none */
	FAULT_USAGE_NO_NAME,
	FAULT_USAGE_NO_COMMAND,
	FAULT_USAGE_UNKNOWN_OPTION,
	FAULT_USAGE_NOT_HERE, /* an option that another subcommand takes */
	FAULT_USAGE_UNKNOWN_SUBCOMMAND,
	FAULT_USAGE_SUBCOMMAND_LATE, /* options before its word */
	FAULT_USAGE_PART_MISSING,    /* of a name that is to be built */
	FAULT_USAGE_VALUE_MISSING,
	FAULT_USAGE_VALUE_UNWANTED,
	FAULT_USAGE_DURATION,
	FAULT_USAGE_DURATION_ZERO, /* -m 0 and -k 0 */
	FAULT_USAGE_NUMBER,
	FAULT_USAGE_COUNT,
	FAULT_USAGE_NOTE_LONG,
	FAULT_USAGE_NOTE_BREAK,
	FAULT_USAGE_NOTE_CONTROL,
	FAULT_USAGE_DESCRIPTOR,	 /* fd: and no number */
	FAULT_USAGE_TWICE_MEANT, /* two options that exclude each other */
	FAULT_USAGE_CHOICE,
	FAULT_USAGE_UNSUPERVISED, /* --no-fork with what needs a supervisor */
	FAULT_USAGE_SHELL_STRING, /* flock(1)'s -c */
	FAULT_USAGE_TIMEOUT,	  /* --timeout */
	FAULT_USAGE_DASH_COMMAND, /* a COMMAND with a leading dash and no -- */
	FAULT_USAGE_EXTRA_WORD,
	FAULT_USAGE_WORD_MISSING,
	FAULT_USAGE_SIGNAL,
	FAULT_USAGE_GENERATION,
	FAULT_USAGE_TERMS,
	FAULT_USAGE_BACKOFF,
	FAULT_USAGE_BACKOFF_ZERO,
	FAULT_USAGE_ALONE, /* an option without the one that it is about */
	FAULT_USAGE_FLOOR,
	FAULT_NESTED,		   /* inside of the very lock that is asked for */
	FAULT_ALSO_OURS,	   /* --also-flock on the lock itself */
	FAULT_ALSO_NESTED,	   /* inside of a flock(2) on that very file */
	FAULT_USAGE_OUTSIDE_TERM,  /* check or fence outside of any term */
	FAULT_USAGE_NO_GENERATION, /* fence in a term without a generation */
	FAULT_FENCE_OTHER_LOCK, /* FILE has seen generations of another lock; which, is the hint */
	FAULT_FENCE_INSIDE,	/* FILE is held by what we run under, which is older */

	/* the lock manager cannot be used */
	FAULT_DIR_NO_ACCOUNT,
	FAULT_DIR_UNUSABLE, /* error tells */
	FAULT_DIR_UNWRITABLE,
	FAULT_DIR_PARENT, /* the parent of a named directory is missing */
	FAULT_DIR_SYMLINK,
	FAULT_DIR_NOT_DIRECTORY,
	FAULT_DIR_OWNER,
	FAULT_DIR_WRITABLE,
	FAULT_DIR_NETWORK,
	FAULT_DIR_LONG,
	FAULT_FILE_SYMLINK,
	FAULT_FILE_NOT_REGULAR,
	FAULT_FILE_LINKED,   /* it has other names as well */
	FAULT_FILE_UNUSABLE, /* error tells */
	FAULT_NUMBER_DAMAGED,
	FAULT_NUMBER_MISSING,
	FAULT_NUMBER_SPENT,    /* no generation is left to give */
	FAULT_NOT_ALLOWED,     /* to signal a process */
	FAULT_OTHER_NAMESPACE, /* a process whose pid means nothing here */
	FAULT_OTHER_PROCESS,   /* a pid that was given to another since */
	FAULT_NO_WATCH,	       /* no pidfd_open(2) here */
	FAULT_ALSO_UNUSABLE,   /* the file of --also-flock; error tells */
	FAULT_ALSO_KIND,
	FAULT_LOCK_UNUSABLE,  /* flock(2) failed; error tells */
	FAULT_LOCK_UNSETTLED, /* it was replaced under us again and again */
	FAULT_FENCE_SYMLINK,
	FAULT_FENCE_NOT_REGULAR,
	FAULT_FENCE_OWNER,
	FAULT_FENCE_WRITABLE,
	FAULT_FENCE_DAMAGED,

	/* what became of it is not known */
	FAULT_JOINED_LOST,	  /* the run that was joined has no end on record */
	FAULT_JOINED_OVERWRITTEN, /* its record is gone */
	/* the policy is to let a person look first */
	FAULT_AFTER_LOST,

	/* lockrun itself failed before the start */
	FAULT_SET_ID,	      /* started set-user-ID or set-group-ID */
	FAULT_SYSTEM,	      /* object names the facility; error tells */
	FAULT_OUTPUT,	      /* standard output */
	FAULT_START,	      /* fork, E2BIG, memory */
	FAULT_NOT_FOUND,      /* 127 */
	FAULT_NOT_EXECUTABLE, /* 126 */

	FAULT_COUNT
};

#define FAULT_TEXT_SIZE 512

struct fault {
	enum fault_kind kind;
	int error;		      /* errno value, or 0 when the kernel said nothing */
	char object[FAULT_TEXT_SIZE]; /* what it is about: a path, a name, an option */
	char hint[FAULT_TEXT_SIZE];   /* ends the message when it is not empty */
};

struct fault_row {
	enum fault_kind kind;
	int status;	    /* exit status, from values/status.h */
	const char *reason; /* never empty */
	const char *remedy; /* may be empty when the hint is the remedy; see fault_remedy */
};

/* The row of kind. Never NULL for a kind below FAULT_COUNT other than FAULT_NONE. */
const struct fault_row *fault_row(enum fault_kind kind);

/* The remedy: of the error, where it says what to do, else of the row. Returns buffer. */
char *fault_remedy(const struct fault *fault, char buffer[FAULT_TEXT_SIZE]);

/*
 * Fill fault in; object is a printf(3) format. The hint becomes empty. Text that does not fit is
 * cut. Always returns -1, so that a function can say "return fault_set(...)".
 */
int fault_set(struct fault *fault, enum fault_kind kind, int error, const char *object, ...)
    __attribute__((format(printf, 4, 5)));

/* Put a hint on a fault that fault_set made. Always returns -1. */
int fault_hint(struct fault *fault, const char *hint, ...) __attribute__((format(printf, 2, 3)));

/* Holds the message of most faults whole: an object of control characters alone is cut. */
#define FAULT_MESSAGE_SIZE 4096

/*
 * Write "OBJECT: REASON[: strerror]; REMEDY[ HINT]" to buffer of size bytes and return it. The
 * object and the hint are passed through strnvis(3), since they can come from the command line or
 * from a disk.
 */
char *fault_text(const struct fault *fault, char *buffer, size_t size);

#endif
