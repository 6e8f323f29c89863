/* SPDX-License-Identifier: ISC */
/*
 * The texts of the two records of a lock: `number`, which holds the generation in two slots that
 * are written in turn, and `terms`, one slot for each of the last 64 terms; and of what else has
 * their form. Packing and writing are two things, so that this can be tested without a file.
 *
 * A slot is one line of "key=value" words of a fixed length, filled up with blanks before the
 * newline, its last word a checksum over all before it. What does not agree with its checksum, to
 * the byte, is damaged.
 */
#ifndef LOCKRUN_VALUES_RECORD_H
#define LOCKRUN_VALUES_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "values/lockname.h"
#include "values/status.h"
#include "values/ticket.h"

#define BOOT_ID_SIZE 37 /* a UUID and its NUL */

#define NUMBER_SLOTS	 2
#define NUMBER_SLOT_SIZE 256
#define NUMBER_FILE_SIZE ((size_t)NUMBER_SLOTS * NUMBER_SLOT_SIZE)
#define NUMBER_STEP	 64 /* generations that one sync pays for */

struct number {
	uint64_t sequence;	 /* of writes; the slot is sequence modulo 2; from 1 */
	uint64_t last;		 /* the newest generation that was given */
	uint64_t ceiling;	 /* none above it was given in this boot; synced */
	uint64_t raising;	 /* a ceiling that may be synced or not; 0 for none */
	char boot[BOOT_ID_SIZE]; /* the boot that wrote this; empty when unknown */
};

/* Write the slot, newline included and without a NUL. */
void number_pack(const struct number *number, char slot[NUMBER_SLOT_SIZE]);
/* False when it is damaged. */
bool number_unpack(const char slot[NUMBER_SLOT_SIZE], struct number *number);

/*
 * What the two slots, as read from the file, say about the next generation.
 */
struct number_plan {
	struct number current; /* the newer sound slot */
	bool whole;	       /* both slots are sound */
	bool fresh;	       /* surely nothing was ever given here */
	bool trusted;	       /* current.last surely is the newest that was given, if any was */
	uint64_t next;	       /* the generation to give */
	bool raise;	       /* the ceiling has to be raised and synced before it is given */
	uint64_t ceiling;      /* the ceiling to raise to, when raise is set */
};

/*
 * Work the plan out. boot is the id of the present boot, empty when it can't be told. Trusted are
 * two sound slots of this boot and of neighbouring writes: the next
 * is last + 1. Otherwise it is above all that could have
 * been given: max(ceiling, raising) + 1. A slot whose sequence has the other slot's parity counts
 * as damaged. Returns false when both slots are damaged. next is 0 when no number is left. Pure.
 *
 * Each write has the sequence of the one before it plus 1, so that it replaces the older slot.
 * What gives a number is the last of these; the first two come before it when raise is set:
 *
 *     {last = next - 1, ceiling = current.ceiling, raising = ceiling, boot}, synced
 *     {last = next - 1, ceiling = ceiling, raising = 0, boot}, synced
 *     {last = next, ceiling as it is now, raising = 0, boot}, not synced
 *
 * Any of them may be the last that somebody does who is killed. That is why a slot with raising
 * set, or with a lower ceiling than next, calls for a raise even if it is the older one: whoever
 * wrote the newer one may have died before the sync, and to replace the older one then would put
 * the only synced copy of the ceiling at risk. And that is why the first says next - 1 and not
 * current.last: if it replaces a damaged slot, two sound ones stand there again, and they must not
 * know less than this plan did. (Tried: without either, a number comes twice.)
 */
bool number_plan(const char file[NUMBER_FILE_SIZE], const char *boot, struct number_plan *plan);

/*
 * The other use of this form: a file that keeps the highest generation of something, which only
 * rises. A raise is two writes that say the generation as last and as ceiling: the first is synced,
 * the second may be lost. So a generation that both slots say is on the disk. One that a single
 * slot says counts, but was perhaps never synced: who relies on it has to write it anew.
 *
 * The first write replaces the slot that may be lost anyway, so that the other one is there after a
 * power cut: where both say the same that is the newer one. Where they do not, everything is synced
 * before, and the one that says less, or nothing, is replaced. (Tried: to replace always the older
 * one, or always the newer one, loses a generation.)
 */
struct number_highest {
	uint64_t generation;
	bool kept;     /* both slots say it */
	uint64_t next; /* the sequence of the first of two writes; that of the second is one more */
};

/* What such a file says. Returns false when both slots are damaged. Pure. */
bool number_highest(const char file[NUMBER_FILE_SIZE], struct number_highest *found);

/*
 * The FILE of a fence: the highest generation that it has seen, as above, and behind these two
 * slots a third one that says of which lock. That one is written once.
 */
#define FENCE_FILE_SIZE (NUMBER_FILE_SIZE + NUMBER_SLOT_SIZE)

/* What a new one holds: none was seen. name is a lock name. */
void fence_seed(const char *name, char file[FENCE_FILE_SIZE]);
/* What it says: false when it is damaged. */
bool fence_unpack(
    const char file[FENCE_FILE_SIZE], char name[LOCKNAME_SIZE], struct number_highest *seen);

#define TERM_SLOTS     64
#define TERM_SLOT_SIZE 1024
#define TERM_FILE_SIZE ((size_t)(TERM_SLOTS + 1) * TERM_SLOT_SIZE) /* the sums follow the terms */

enum term_stage {
	TERM_EMPTY,   /* no term used this slot yet */
	TERM_BEGUN,   /* the generation was given */
	TERM_STARTED, /* the command was about to be started, or was */
	TERM_ENDED,
	TERM_UNREPORTED, /* the command took lockrun's place: nobody will report its end */
};

/* What became of a term: what LOCKRUN_PREVIOUS tells its successor. */
enum term_outcome {
	OUTCOME_NONE, /* there was no term */
	OUTCOME_FINISHED,
	OUTCOME_FAILED,
	OUTCOME_STEPPED_DOWN,
	OUTCOME_NOT_STARTED, /* nothing ran */
	OUTCOME_LOST, /* the command was or would have been started, and no end was recorded */
	OUTCOME_UNREPORTED, /* the command took lockrun's place */
	OUTCOME_UNKNOWN,    /* a power cut may have taken away what was recorded */
	OUTCOME_COUNT
};

struct told_outcome {
	enum term_outcome outcome;
	uint64_t generation; /* of the term; 0 when not known */
};

/* How much of a term is on the disk, whatever happens to the machine. */
enum term_sync {
	SYNC_NO,
	SYNC_OWED, /* an older term is, as the last one: nothing may run until this one is, too */
	SYNC_YES,  /* from TERM_STARTED on: its start is, and its end will be */
};

struct term {
	uint64_t generation;
	enum term_stage stage;
	pid_t pid;	   /* of lockrun, in its own pid namespace */
	pid_t command_pid; /* 0 before the end is recorded, and when nothing ran */
	char contender[CONTENDER_SIZE];
	char boot[BOOT_ID_SIZE];
	enum term_sync sync;
	struct told_outcome before;	       /* the last term before this one that may have run */
	int64_t queued_ms, begun_ms, ended_ms; /* CLOCK_REALTIME; 0 is "not yet" */
	enum ran ran;			       /* these four when it has ended */
	enum reason reason;
	int status;
	int signal;
	bool killed;
	char command[COMMAND_NAME_MAX + 1];
	char note[NOTE_MAX + 1]; /* the last word before the checksum; may hold blanks */
};

/* The words for them in records and documents. */
const char *term_stage_word(enum term_stage stage);
const char *ran_word(enum ran ran);

void term_pack(const struct term *term, char slot[TERM_SLOT_SIZE]);
/* False when it is damaged; a slot of blanks is TERM_EMPTY and sound. */
bool term_unpack(const char slot[TERM_SLOT_SIZE], struct term *term);
/* Fill slot with the text of TERM_EMPTY. */
void term_pack_empty(char slot[TERM_SLOT_SIZE]);

/* The words for outcomes: "stepped-down"; OUTCOME_COUNT for none of them. */
const char *term_outcome_word(enum term_outcome outcome);
enum term_outcome term_outcome_of_word(const char *word);

/*
 * What became of a term that does not lead any more, by its own record. boot is the id of the
 * present boot, empty when it cannot be told: then each record is of another one.
 *
 *     stage        same boot      another boot
 *     begun        not-started    unknown, since what followed may not have got to the disk;
 *                                 not-started with SYNC_OWED
 *     started      lost           unknown
 *     unreported   unreported     unreported
 *     ended        as recorded    as recorded
 *
 * Pure.
 */
enum term_outcome term_outcome(const struct term *term, const char *boot);

/* What the terms of a lock were, as its next leader is told. */
struct previous {
	struct told_outcome last; /* the last one */
	struct told_outcome
	    ran;	/* the last one that may have run: that, but for not-started ones */
	bool sync_owed; /* the next one has to be SYNC_OWED, if not SYNC_YES */
};

/*
 * What the next leader is told. plan is what `number` says in this boot; newest is the record of
 * its newest generation where plan is trusted and that record is there, otherwise the record with
 * the largest generation of all; NULL when there is none.
 *
 * A term records itself before its generation is given, so one that was given has a record, and a
 * larger one that has only begun was never given. After another boot nothing may have been synced,
 * terms after the newest record included: unknown, unless it is SYNC_YES, or begun and SYNC_OWED,
 * and the number whole (a slot that the power cut has torn may have told of a later term).
 * That is why who begins is not SYNC_YES yet: the next one may be given the same generation, and
 * run with nothing on the disk but that. Pure.
 */
struct previous
previous_find(const struct number_plan *plan, const struct term *newest, const char *boot);

/* Whether something may have run of which nobody knows how it ended: lost or unknown. */
bool previous_is_lost(const struct previous *previous);

/*
 * Running sums over all terms that were reported, in the slot behind the terms. Times in ms.
 */
struct sums {
	uint64_t finished, failed, stepped_down, not_started;
	int64_t waited_ms, held_ms, longest_held_ms;
};

void sums_pack(const struct sums *sums, char slot[TERM_SLOT_SIZE]);
/* False when it is damaged. */
bool sums_unpack(const char slot[TERM_SLOT_SIZE], struct sums *sums);
/* Add a term that has ended. */
void sums_add(struct sums *sums, const struct term *term);

/*
 * Those who were turned away, counted in `skips`: in all, and since the begin of a term. One line
 * of a fixed length that is written over, so that it does not grow.
 */
#define SKIPS_SIZE 256

struct skips {
	uint64_t total;
	uint64_t generation; /* the newest when the last one was counted */
	uint64_t since;	     /* of them, those since that generation began */
	int64_t last_ms;     /* CLOCK_REALTIME */
};

void skips_pack(const struct skips *skips, char slot[SKIPS_SIZE]);
bool skips_unpack(const char slot[SKIPS_SIZE], struct skips *skips);
/* Count one more, while generation is the newest that was given. */
void skips_add(struct skips *skips, uint64_t generation, int64_t now_ms);

/*
 * What is asked of a leader: one line, "VERB ADDRESSEE REASON", written by one write(2).
 */
#define ASK_LINE_SIZE 320

enum ask_verb {
	ASK_STOP,
	ASK_REPLACE, /* somebody wants to lead in its place */
	ASK_SIGNAL,  /* reason is the signal's name */
};

struct ask {
	enum ask_verb verb;
	uint64_t generation;		/* the addressee, or 0 and */
	char contender[CONTENDER_SIZE]; /* the addressee; empty when generation is set */
	char reason[NOTE_MAX + 1];	/* note_valid, may be empty */
};

/* The reason of a stop that was given none. */
#define ASK_NO_REASON "no reason given"

/* Write the line with its newline and a NUL; returns the length without the NUL. */
int ask_pack(const struct ask *ask, char line[ASK_LINE_SIZE]);
/* Read one line (without its newline). False for what ask_pack would not have written. */
bool ask_unpack(const char *line, struct ask *ask);

#endif
