/* SPDX-License-Identifier: ISC */
/*
 * Joining a queue in which only so many may wait (--max-waiters).
 *
 * What is promised rests on the tickets alone: whoever has its ticket in counts all others, and
 * leaves if they are too many, so the last one in always sees enough. But two that come together
 * could then see each other and both leave, though there was room for one. So they come in one by
 * one, through a door: a flock(2) on q/. Whoever finds the door shut for long (somebody is frozen
 * in it) goes in without, and only that is lost.
 */
#ifndef LOCKRUN_ELECTION_ADMISSION_H
#define LOCKRUN_ELECTION_ADMISSION_H

#include <stdbool.h>

#include "election/queue.h"

struct admission {
	const struct queue *queue;
	unsigned most;
	bool has_door;
};

/*
 * Before our ticket is made: false when as many as that wait already. Blocks for the others in the
 * door, for some seconds at most. admission_end must follow in either case.
 */
bool admission_begin(struct admission *admission, const struct queue *queue, unsigned most);

/* With our ticket in: false when we have to leave after all. Leave before admission_end. */
bool admission_stands(const struct admission *admission);

/* Let the next one in. */
void admission_end(struct admission *admission);

#endif
