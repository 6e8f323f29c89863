/* SPDX-License-Identifier: ISC */
/*
 * What happens in an election, told upwards as it happens. The lower floors do not print; whoever
 * wants to hear sets a function. It must not block and may not end the process.
 */
#ifndef LOCKRUN_ELECTION_OBSERVER_H
#define LOCKRUN_ELECTION_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "values/duration.h"
#include "values/status.h"

enum happening {
	HAPPENING_WAITING,	 /* a wait has begun */
	HAPPENING_STILL_WAITING, /* every remind_every of it */
	HAPPENING_WAIT_OVER,	 /* or interrupted; also where there was none, and more than once */
	HAPPENING_NO_TICKET,	 /* error: waiting in the kernel's order */
	HAPPENING_LEADING,	 /* generation, pid of the command, degraded */
	HAPPENING_STEPPING_DOWN, /* reason, grace (DURATION_NEVER: no SIGKILL), text from a stop */
	HAPPENING_KILLING,	 /* the grace is over */
	HAPPENING_REFUSED,	 /* pid: we may not signal it */
	HAPPENING_STILL_THERE,	 /* pid: alive after SIGKILL */
};

struct happened {
	enum happening what;
	int error;
	uint64_t generation;
	pid_t pid;
	char state;    /* of pid, as in proc(5) */
	bool degraded; /* it runs without the lock */
	enum reason reason;
	duration_t grace;
	const char *text;
};

struct observer {
	void (*observe)(void *context, const struct happened *happened);
	void *context;
	duration_t remind_every; /* DURATION_NEVER: a waiter sleeps more soundly without */
};

#endif
