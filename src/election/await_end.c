/* SPDX-License-Identifier: ISC */
#include "election/await_end.h"

#include <errno.h>
#include <unistd.h>

static void
observe_nothing(void *context, const struct happened *happened)
{
	(void)context;
	(void)happened;
}

enum acquire
await_end(const struct lockdir *lock, const struct roster_entry *holder, duration_t wait,
    struct signals *signals, int *signal)
{
	const struct observer observer = {
	    .observe = observe_nothing,
	    .remind_every = DURATION_NEVER,
	};
	char name[TICKET_NAME_SIZE];
	struct patience patience;
	enum acquire result;
	int fd;

	fd = lockdir_ticket_open(lock, ticket_pack(&holder->ticket, name));
	if (fd == -1)
		return errno == ENOENT ? ACQUIRE_TAKEN : ACQUIRE_FAULT;
	signals_take_over(signals);
	patience_begin(&patience, signals, &observer, wait, -1);
	/* A ticket's lock can be shared once its owner is gone. */
	result = patience_wait(&patience, fd, LOCK_SHARED, NULL);
	*signal = patience.signal;
	patience_end(&patience);
	close(fd);
	return result;
}
