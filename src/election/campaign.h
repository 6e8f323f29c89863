/* SPDX-License-Identifier: ISC */
/*
 * One contender's way through an election: queue up, acquire, begin a term, end it, leave. The
 * steps about the lock are these functions and no others; nothing above may know what the engine
 * behind them is made of.
 *
 * A campaign is used by one thread. It begins once, with campaign_begin; then, for each term that
 * is contended for, in this order:
 *
 *     campaign_queue_up, campaign_acquire, campaign_begin_term, campaign_end_term, campaign_leave
 *
 * and may be left at any point; between two of them it may rest. Being killed between any two of
 * them is a valid state of the disk.
 */
#ifndef LOCKRUN_ELECTION_CAMPAIGN_H
#define LOCKRUN_ELECTION_CAMPAIGN_H

#include <stdbool.h>

#include "election/also_flock.h"
#include "election/eligibility.h"
#include "election/joining.h"
#include "election/nested.h"
#include "election/observer.h"
#include "election/patience.h"
#include "election/queue.h"
#include "kernel/process.h"
#include "kernel/signals.h"
#include "kernel/statedir.h"
#include "values/lockname.h"
#include "values/record.h"

/* Who contends, how, and how patiently. */
struct candidacy {
	const struct lockname *name;
	struct statedir *directory; /* opened again by the campaign when it was moved */
	struct signals *signals;    /* one that ends a wait gives ACQUIRE_SIGNAL */
	const struct observer *observer;
	enum ticket_mode mode;
	int parent;	  /* readable when the wait has lost its sense (--die-with-parent); or -1 */
	bool watch_queue; /* campaign_watch reports who queues as well */
	bool replace;	  /* take the present holder's place, and ask it to stop */
	bool refuse_after_lost; /* begin no term when it is not known how the last one ended */
	bool if_available;	/* try, do not wait */
	bool join; /* share a run that is in flight, or about to be; never with shared mode */
	unsigned max_waiters; /* do not join as many others; 0 for no limit */
	duration_t wait;      /* from campaign_queue_up on; or DURATION_NEVER */
	bool again; /* another attempt follows: whoever leaves the queue is seen to rest */
	const struct eligibility *eligibility; /* asked before we queue and at the grant; or NULL */
	const char *also_flock;		       /* a file to hold flock(2) on as well; or NULL */
	mode_t also_mode;		       /* what it is made with when it is missing */
	const char *command;		       /* the path of what will run */
	const char *note;		       /* or NULL */
};

struct campaign {
	const struct candidacy *candidacy;
	char contender[CONTENDER_SIZE]; /* the same for all terms */
	struct patience patience;	/* its signal tells what ended a wait */
	bool stopped;			/* somebody asked for that signal */
	struct ask stop;		/* and said why */
	struct previous previous;	/* from campaign_begin_term on */
	struct term lost;		/* with ACQUIRE_REFUSED; empty when its record is gone */
	struct check check;		/* with ACQUIRE_INELIGIBLE, its text says why */

	struct also_flock also; /* whether it is what we waited for */

	/* the engine's own */
	struct lockdir lock;
	struct queue queue;
	struct ticket_text text;
	bool replaced;	 /* the holder was asked to make room */
	bool passed_one; /* a try has passed a frozen waiter */
	bool nested_checked;
	struct nested nested;	/* with ACQUIRE_NESTED, what we are inside of */
	struct joining joining; /* with ACQUIRE_JOINED, its term tells how that ended */
	int64_t queued_ms;
	int lock_fd;
	int terms_fd;
	int watch_fd;
	off_t asked_to;		  /* how far `ask` has been read */
	struct lockdir rest_lock; /* where we can be seen between two terms */
	struct queue rest;
	uint64_t led; /* the generation of our last term; 0 before */
};

/*
 * Begin: give ourselves a name. candidacy stays the caller's and must live as long as the
 * campaign. Touches nothing on disk.
 */
void campaign_begin(struct campaign *campaign, const struct candidacy *candidacy);

/*
 * Enter the queue, with nothing left of an earlier term. ACQUIRE_TAKEN: we are in it (or have no
 * ticket, see HAPPENING_NO_TICKET); ACQUIRE_INELIGIBLE; ACQUIRE_BUSY for if_available when somebody
 * is ahead; ACQUIRE_TOO_MANY; ACQUIRE_FAULT. Waits for nothing but an answer about eligibility, and
 * for a signal or the parent's end meanwhile. With anything but ACQUIRE_TAKEN the campaign has been
 * left.
 */
enum acquire campaign_queue_up(struct campaign *campaign, struct fault *fault);

/*
 * Only ask about eligibility, as queueing up does first: for who is to go on without the lock, and
 * has left. ACQUIRE_TAKEN: no lock is needed to be told no, and nobody has said it;
 * ACQUIRE_INELIGIBLE, ACQUIRE_SIGNAL, ACQUIRE_PARENT_GONE, or ACQUIRE_FAULT with a fault.
 */
enum acquire campaign_ask(struct campaign *campaign, struct fault *fault);

/*
 * Wait for our turn and take the lock. Blocks as the candidacy says; one that joins also for the
 * run that it joins. With ACQUIRE_TAKEN we lead, nothing ran yet, and neither the deadline nor a
 * signal has come meanwhile. With anything else the campaign has been left.
 */
enum acquire campaign_acquire(struct campaign *campaign, struct fault *fault);

/*
 * Find out what became of the terms before (campaign->previous), give the term its generation (a
 * shared one has none) and record that its command is about to be started. ACQUIRE_TAKEN with
 * term's fields but for the command's pid set; ACQUIRE_REFUSED as refuse_after_lost asks, with
 * nothing written; ACQUIRE_FAULT. Does not wait, but for the disk with refuse_after_lost, and for
 * the first term after such a one.
 */
enum acquire campaign_begin_term(struct campaign *campaign, struct term *term, struct fault *fault);

/* The descriptors that a command must inherit to keep leadership if we are killed; or -1. */
void campaign_inheritance(const struct campaign *campaign, int inheritance[PROCESS_INHERITED]);

/*
 * Begin to watch over the lock: for what is asked of this term, for the lock being taken away, and
 * with watch_queue for who queues. Returns a descriptor for poll(2) that becomes readable when
 * one of the questions below should be asked again, or -1 when only asking from time to time is
 * possible; also else some ways of losing the lock are seen only by asking.
 */
int campaign_watch(struct campaign *campaign, const struct term *term);

/* Forget what the descriptor has reported; ask all the questions after that. */
void campaign_watch_drain(struct campaign *campaign);

/* The next thing that is asked of this term; false when there is nothing more. */
bool campaign_asked(struct campaign *campaign, const struct term *term, struct ask *ask);

/* Is the lock no longer what others would find under its name? */
bool campaign_is_lost(const struct campaign *campaign);

/* Does somebody wait for us to go? */
bool campaign_is_wanted(const struct campaign *campaign);

/* Record that the command takes our place, so that its end will not be told by us. */
void campaign_hand_over(struct campaign *campaign, struct term *term);

/* Tell readers which process the command is, as soon as it is. */
void campaign_tell_command(struct campaign *campaign, pid_t command);

/*
 * Tell readers how long the command may be silent, when it was heard last (CLOCK_REALTIME in ms, 0
 * for never), and what it said of itself (note_valid).
 */
void campaign_tell_life(
    struct campaign *campaign, duration_t limit, int64_t heard_ms, const char *report);

/* Tell readers that the term steps down, and why. */
void campaign_tell_stepping_down(struct campaign *campaign, enum reason reason);

/* Record how the term ended, and release the lock. */
void campaign_end_term(struct campaign *campaign, struct term *term, const struct outcome *outcome);

/*
 * Leave the queue and close everything. May be called twice. When another attempt follows we rest
 * from here on, outside of the queue, until it has been made: there is no moment in which whoever
 * wants us to stop could not find us.
 */
void campaign_leave(struct campaign *campaign);

/*
 * Go on resting for that long, in this condition ("backoff", "ineligible"). ACQUIRE_TAKEN when the
 * time is over, else ACQUIRE_SIGNAL, ACQUIRE_PARENT_GONE or ACQUIRE_FAULT with a fault.
 */
enum acquire campaign_rest(
    struct campaign *campaign, const char *condition, duration_t length, struct fault *fault);

/* There is no other attempt: leave, and be seen no more. */
void campaign_end(struct campaign *campaign);

#endif
