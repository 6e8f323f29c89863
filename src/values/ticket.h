/* SPDX-License-Identifier: ISC */
/*
 * Tickets: all that contenders decide on is in a ticket's file name, so that one directory listing
 * tells it and one rename changes it. The text inside is for people.
 *
 *     NUMBER.ARRIVAL.PID.PIDNS.MKS
 *
 * NUMBER and ARRIVAL have 20 digits, so that a sorted listing is the queue. M is the mode (x, s),
 * K the kind (q queued, n try, j join), S the state (w waiting, h holding, r resting: outside of
 * the queue, where it counts for nobody).
 */
#ifndef LOCKRUN_VALUES_TICKET_H
#define LOCKRUN_VALUES_TICKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "values/note.h"

#define TICKET_NAME_SIZE 96
#define TICKET_TEXT_SIZE 1024
#define CONTENDER_SIZE	 33 /* 32 hexadecimal digits */
#define COMMAND_NAME_MAX 64 /* bytes of a command's base name that are kept */

enum ticket_mode {
	TICKET_EXCLUSIVE = 'x',
	TICKET_SHARED = 's'
};
enum ticket_kind {
	TICKET_QUEUED = 'q',
	TICKET_TRY = 'n',
	TICKET_JOIN = 'j'
};
enum ticket_state {
	TICKET_WAITING = 'w',
	TICKET_HOLDING = 'h',
	TICKET_RESTING = 'r'
};

struct ticket {
	uint64_t number;
	uint64_t arrival; /* CLOCK_BOOTTIME, ns */
	pid_t pid;	  /* in the pid namespace pidns */
	uint64_t pidns;	  /* inode number of the namespace; 0 when /proc did not tell */
	enum ticket_mode mode;
	enum ticket_kind kind;
	enum ticket_state state;
};

/* Write the file name of ticket to name and return name. */
char *ticket_pack(const struct ticket *ticket, char name[TICKET_NAME_SIZE]);

/* Read a file name. False for anything that ticket_pack would not have written, byte for byte. */
bool ticket_unpack(const char *name, struct ticket *ticket);

/*
 * The private name that a ticket has while it is being made: until it is locked, so that no named
 * ticket is ever unlocked while its maker lives. It carries the time, for whoever cleans up after
 * a maker that was killed in between.
 */
char *ticket_private_pack(
    uint64_t arrival, uint32_t random1, uint32_t random2, char name[TICKET_NAME_SIZE]);
bool ticket_private_unpack(const char *name, uint64_t *arrival);

/* The name that tells when somebody was passed: CLOCK_MONOTONIC, ns. */
char *ticket_pass_pack(uint64_t passed, char name[TICKET_NAME_SIZE]);
bool ticket_pass_unpack(const char *name, uint64_t *passed);

/* Negative, 0 or positive as a stands before, is, or stands behind b: number, arrival, pid,
 * pidns.*/
int ticket_order(const struct ticket *a, const struct ticket *b);

/* The word for it in documents: "queued", "try" or "join". */
const char *ticket_kind_word(enum ticket_kind kind);

/* True when the later one of two tickets with these modes has to wait for the earlier one. */
bool ticket_conflicts(enum ticket_mode earlier, enum ticket_mode later);

/* The condition of one that has the lock and waits for the file of --also-flock. */
#define TICKET_AT_ALSO "at-also-flock"
/* And of one that has the lock and asks whether it is eligible. */
#define TICKET_AT_CHECK "at-eligible"

/* What a ticket tells people. Times are CLOCK_REALTIME in ms; 0 is "not known". */
struct ticket_text {
	char contender[CONTENDER_SIZE];
	int64_t since_ms; /* when it queued; when it holds, since when */
	uint64_t
	    generation; /* 0 before the grant, and for shared holders; its last, when it rests */
	uint64_t joins; /* whose outcome it waits for: the generation, and */
	char leader[CONTENDER_SIZE]; /* the contender; 0 and empty for nobody's */
	/* "waiting", TICKET_AT_ALSO, TICKET_AT_CHECK, "leading", "stepping-down"; while it rests,
	 * "backoff", "ineligible", "suspended" */
	char condition[24];
	char reason[16];		    /* why it steps down; empty before */
	char command[COMMAND_NAME_MAX + 1]; /* base name */
	int64_t command_pid;		    /* its process; 0 where none is supervised */
	char note[NOTE_MAX + 1];
	int64_t watchdog_ms;	   /* how long the command may be silent; 0: as long as it likes */
	int64_t heard_ms;	   /* the last sign of life that was written down */
	char report[NOTE_MAX + 1]; /* what the command says of itself */
};

/*
 * Write "key=value\n" lines to bytes and return the length, without the final NUL. command,
 * note and report must be free of control characters (note_valid, command_name).
 */
size_t ticket_text_pack(const struct ticket_text *text, char bytes[TICKET_TEXT_SIZE]);

/* Read such lines; unknown keys and malformed values are skipped, missing ones stay empty or 0.
 * Never fails: the text is for people. bytes need not be terminated. */
void ticket_text_unpack(const char *bytes, size_t length, struct ticket_text *text);

/* Copy the last path component of path, cut to COMMAND_NAME_MAX, control characters as '?'. */
void command_name(const char *path, char name[COMMAND_NAME_MAX + 1]);

#endif
