/* SPDX-License-Identifier: ISC */
/*
 * The events of a run, one JSON object a line: waiting first, stopped last, and between them what
 * happens. For programs; field names stay once they are out.
 */
#ifndef LOCKRUN_ELECTION_EVENTS_H
#define LOCKRUN_ELECTION_EVENTS_H

#include "election/campaign.h"

/* What was told last of a term, or of an attempt at one. */
struct events_span {
	uint64_t generation;
	duration_t waited, held;
};

struct events {
	int fd; /* -1: nobody listens, and all of these do nothing */
	const struct lockname *name;
	const struct campaign *campaign;
	uint64_t generation;
	duration_t begun, led;	 /* CLOCK_BOOTTIME; 0 before */
	char text[NOTE_MAX + 1]; /* why it was to end, for whoever reads only the last event */
	bool has_led;
	struct events_span last_term; /* when it has */
};

/*
 * Open where events go (eventfile.h); NULL: nowhere. closed has the bits of the standard
 * descriptors that only stand in for closed ones. Returns 0, or -1 with errno.
 */
int events_open(struct events *events, const char *where, unsigned closed,
    const struct lockname *name, const struct campaign *campaign);

/* In the queue, or turned away from it: who is ahead. */
void events_waiting(struct events *events, const struct candidacy *candidacy);

/* What an observer hears. */
void events_observe(struct events *events, const struct happened *happened);

/* Nothing is run, and why; text is that of a stop, or NULL. */
void events_skipped(struct events *events, enum reason reason, const char *text);
/* The message of fault, of which what is very long is cut. */
void events_error(struct events *events, const struct fault *fault);

/* The run that was joined has ended: its outcome is ours. */
void events_joined(struct events *events, const struct term *term);

/* A term, or an attempt at one, is over, and the next one comes at that time (CLOCK_REALTIME). */
void events_backoff(struct events *events, const struct outcome *outcome, int64_t retry_at_ms);

/* The end: what the last term came to, and why there is no other. */
void events_stopped(struct events *events, const struct outcome *last, enum reason reason);

#endif
