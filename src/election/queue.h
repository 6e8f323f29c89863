/* SPDX-License-Identifier: ISC */
/*
 * The queue: one ticket a contender, alive for as long as its maker keeps it locked.
 *
 * Order rests on this, exclusion does not: a bug here may cost fairness, never a second leader.
 */
#ifndef LOCKRUN_ELECTION_QUEUE_H
#define LOCKRUN_ELECTION_QUEUE_H

#include <stdbool.h>

#include "kernel/lockdir.h"
#include "values/duration.h"
#include "values/ticket.h"

struct queue {
	const struct lockdir *lock;
	struct ticket ticket;
	char name[TICKET_NAME_SIZE]; /* the present file name of our ticket */
	int fd;			     /* our ticket, locked; -1 when we have none */
	size_t text_length;
};

enum queue_result {
	QUEUE_OK,
	QUEUE_CLEAR,  /* nobody we have to wait for */
	QUEUE_AHEAD,  /* somebody */
	QUEUE_PASSED, /* our ticket has lost its name: we were frozen, and passed */
	QUEUE_ERROR,  /* errno tells */
};

/* Start outside the queue. lock stays the caller's. */
void queue_init(struct queue *queue, const struct lockdir *lock);

/*
 * Look for the nearest live ticket that somebody in this mode would have to wait for: among the
 * earlier ones when we have a ticket, else among all. Dead ones met on the way are removed.
 * QUEUE_CLEAR, or QUEUE_AHEAD with its ticket and, when fd is not NULL, its open file: to wait
 * for its end, wait for a shared lock on that. The caller closes it. Does not block.
 */
enum queue_result
queue_look_ahead(const struct queue *queue, enum ticket_mode mode, struct ticket *ahead, int *fd);

/*
 * Look for a run to share, as queue_look_ahead else: the nearest live exclusive ticket before ours
 * that joins or holds.
 */
enum queue_result queue_look_for_run(const struct queue *queue, struct ticket *ahead, int *fd);

/* The live exclusive ticket that holds, wherever it stands: who came later may be quicker. */
enum queue_result queue_look_for_leader(const struct queue *queue, struct ticket *leader, int *fd);

/*
 * The first of those before us, in the order of the queue, that waits, in whatever mode.
 * QUEUE_AHEAD with the ticket, or QUEUE_CLEAR.
 */
enum queue_result queue_first_waiting(const struct queue *queue, struct ticket *first);

/*
 * How many others wait, before or behind us, in whatever mode; counted up to most only. Tries do
 * not wait.
 */
unsigned queue_count_waiting(const struct queue *queue, unsigned most);

/* Whether somebody before us holds, in whatever mode. */
bool queue_has_holder(const struct queue *queue);

/*
 * Whether somebody behind us waits who would have to wait for us. Tries do not count, nor do those
 * who join when we can be joined: they want us to end well, not soon.
 */
bool queue_is_wanted(const struct queue *queue, enum ticket_mode mode);

/*
 * Take a live waiter's name away, so that the queue passes it: it is frozen. MUST be called only
 * while holding the lock itself, and for a ticket that waits: then its owner cannot hold.
 * queue_last_pass tells of it to others, as CLOCK_MONOTONIC; 0 when there was none lately. (On a
 * full disk there may be nothing to tell of it.)
 */
void queue_pass(const struct queue *queue, const struct ticket *frozen);
duration_t queue_last_pass(const struct queue *queue);

/* Whether our ticket has lost its name. */
bool queue_is_passed(const struct queue *queue);

/*
 * Queue up: make a ticket behind all that are there, or with at, a number, right behind the ticket
 * that has it and before all others. QUEUE_OK, or QUEUE_ERROR, mostly for a full
 * disk: there is no ticket then, and whoever goes on takes the kernel's order.
 */
enum queue_result
queue_up(struct queue *queue, enum ticket_mode mode, enum ticket_kind kind, uint64_t at);

/*
 * Make a ticket outside of the queue, by which readers see that we are there; it counts for
 * nobody. QUEUE_OK or QUEUE_ERROR.
 */
enum queue_result queue_rest(struct queue *queue, enum ticket_mode mode);

/*
 * Say that we hold, once the lock is ours: QUEUE_OK or QUEUE_PASSED. On a full disk the name
 * stays as it is, which changes only what readers see.
 */
enum queue_result queue_hold(struct queue *queue);

/* Write the text for people. A failure is not told. */
void queue_describe(struct queue *queue, const struct ticket_text *text);

/* Read the text of a ticket that is open; what is missing stays empty. */
void queue_read_text(int fd, struct ticket_text *text);
/* Read the text of the ticket of that name; false where it is gone, or its maker is. */
bool queue_read_live(const struct lockdir *lock, const char *name, struct ticket_text *text);

/* Count the tickets of the dead, and with remove take their names away. */
unsigned queue_dead(const struct queue *queue, bool remove);

/*
 * Give the ticket up: the lock on it, which wakes whoever waits for us, then its name. In this
 * order: one that lives and has no name was passed, and only those who look know that.
 */
void queue_leave(struct queue *queue);

#endif
