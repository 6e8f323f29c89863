/* SPDX-License-Identifier: ISC */
/*
 * Listening for the command's signs of life (--watchdog), by sd_notify(3).
 *
 * Whom to believe: processes of the term's tree, and nobody else. That is looked up in the process
 * table, with the pid that the kernel wrote on the message. A sender may be gone by then: programs
 * such as systemd-notify(1) send one message and end, though newer ones wait until it was read
 * (BARRIER=1). Then it is believed if it was of our own user, who could end us anyway; a sign of
 * life that was lost would end a command that is well.
 *
 * Silence is what we could have heard: whoever was stopped, frozen or starved itself for a while
 * counts anew from then on.
 */
#ifndef LOCKRUN_ELECTION_WATCHDOG_H
#define LOCKRUN_ELECTION_WATCHDOG_H

#include "election/campaign.h"
#include "kernel/notify.h"
#include "kernel/tree.h"

struct watchdog {
	const struct notify *notify; /* NULL: nobody has to be heard, and all of these do nothing */
	const struct tree *tree;
	struct campaign *campaign;
	duration_t limit;
	duration_t silent_at; /* both points of CLOCK_MONOTONIC */
	duration_t tell_at;   /* DURATION_NEVER when the ticket says all that there is to say */
	duration_t told_at;
	bool gives_up; /* it said so itself */
	bool gave_up;  /* that is why it bit */
	int64_t heard_ms;
	char report[NOTE_MAX + 1];
};

/* Begin to listen. notify, tree and campaign (NULL: nobody reads) stay the caller's. */
void watchdog_begin(struct watchdog *watchdog, const struct notify *notify, const struct tree *tree,
    struct campaign *campaign, duration_t limit);

/* Take what was sent and pass it on. Does not block; takes some messages only at a time. */
void watchdog_hear(struct watchdog *watchdog);

/* Whether it was silent for too long, or gave up; after watchdog_hear. True once. */
bool watchdog_bites(struct watchdog *watchdog, duration_t now);

/* Write what is new into the ticket, for readers; at most a few times for each limit. */
void watchdog_tell(struct watchdog *watchdog, duration_t now);

/* When to ask again; with awake, also whether it bites. */
duration_t watchdog_next(const struct watchdog *watchdog, bool awake);

#endif
