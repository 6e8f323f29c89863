/* SPDX-License-Identifier: ISC */
/*
 * What a command learns of its term: LOCKRUN_* in its environment; all else passes unchanged. But
 * what a service manager meant for the process that it started, by its pid (LISTEN_PID and
 * WATCHDOG_PID, sd_listen_fds(3)), is meant for the command, so that pid becomes the command's.
 */
#ifndef LOCKRUN_COMMANDS_ENVIRONMENT_H
#define LOCKRUN_COMMANDS_ENVIRONMENT_H

#include <limits.h>

#include "kernel/process.h"
#include "values/duration.h"
#include "values/lockname.h"
#include "values/record.h"

/* DIR, three times a name (itself, its parts, the key), and what is short or the watchdog's. */
#define ENVIRONMENT_SIZE (PATH_MAX + 3 * 256 + 1024)

struct environment {
	char **entries; /* NULL-terminated; ours come first */
	size_t count;
	char *own_pid[PROCESS_OWN_PID]; /* where the command's pid belongs, for its plan */
	size_t used;
	char texts[ENVIRONMENT_SIZE]; /* of ours, one behind the other */
};

/* What is told of a term, or of who contends for one. */
struct told {
	const struct lockname *name;
	enum ticket_mode mode;
	const char *directory;
	const char *contender;
	uint64_t generation; /* 0: a shared holder has none, nor does who contends */
	const struct told_outcome *previous; /* the term before; NULL: nothing is told of it */
	bool degraded;			     /* it runs without the lock */
};

/*
 * Build the environment from ours. Without a generation there is neither LOCKRUN_GENERATION nor
 * LOCKRUN_IDEMPOTENCY_KEY. Returns 0, or -1 with errno. environment_free gives the list back.
 */
int environment_build(struct environment *environment, const struct told *told);

/*
 * Let the command know where to send signs of life (an address as NOTIFY_SOCKET says it), and how
 * often: at least twice within limit, or within that of our own service manager if that is less,
 * since it gets them too.
 */
void
environment_add_watchdog(struct environment *environment, const char *address, duration_t limit);

void environment_free(struct environment *environment);

#endif
