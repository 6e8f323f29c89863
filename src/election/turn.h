/* SPDX-License-Identifier: ISC */
/* Waiting for our turn in the queue. For election/campaign.c only. */
#ifndef LOCKRUN_ELECTION_TURN_H
#define LOCKRUN_ELECTION_TURN_H

#include "election/campaign.h"

/*
 * Wait until no conflicting ticket stands before ours: one departure wakes one waiter.
 * ACQUIRE_TAKEN when it is our turn, or there is no ticket; else what ended the wait, or what the
 * candidacy asks for in the place of one.
 */
enum acquire turn_await(struct campaign *campaign, struct fault *fault);

#endif
