/* SPDX-License-Identifier: ISC */
#include "commands/conflict.h"

#include <bsd/string.h>

#include <stdio.h>
#include <unistd.h>

#include "commands/say.h"
#include "election/roster.h"
#include "kernel/flockfile.h"
#include "kernel/lockers.h"

/*
 * For how long at most. Who has no ticket (flock(1), sharers that a killed lockrun left behind)
 * came after the last term that is on record, and when that is not known either, rather too long.
 */
static duration_t
held_at_most(const struct roster *roster)
{
	const struct roster_entry *holder = roster_holder(roster);
	const struct term *term = &roster->last_term;

	if (holder != NULL)
		return describe_age(holder->text.since_ms);
	if (!roster->has_last_term)
		return DURATION_NEVER;
	return describe_age(term->stage == TERM_ENDED ? term->ended_ms : term->begun_ms);
}

/* "/tmp/sync.lock (--also-flock) is held by pid 4711 (flock)", for as long as that has lived. */
static void
look_at_also(const struct narrator *narrator, struct conflict *conflict)
{
	const char *path = narrator->campaign->also.path;
	char file[SAY_CLEAN_SIZE], name[SAY_CLEAN_SIZE], holder[SAY_CLEAN_SIZE + 32];
	struct process_stat locker;
	struct fault fault;
	int fd;

	strlcpy(holder, "a process that cannot be seen from here", sizeof(holder));
	fd = flockfile_open(path, 0, false, &fault);
	if (fd != -1 && lockers_find(fd, &locker)) {
		snprintf(holder, sizeof(holder), "pid %d (%s)", locker.pid,
		    say_clean(locker.name, name));
		conflict->held = proctable_age(&locker);
	}
	if (fd != -1)
		close(fd);
	snprintf(conflict->text, sizeof(conflict->text), "%.*s (--also-flock) is held by %.*s",
	    DESCRIBE_SIZE / 2, say_clean(path, file), DESCRIBE_SIZE / 3, holder);
}

void
conflict_look(const struct narrator *narrator, struct conflict *conflict)
{
	const char *contender = narrator->campaign->contender;
	struct roster roster;
	struct lockdir lock;
	struct fault fault;

	strlcpy(conflict->text, "busy", sizeof(conflict->text));
	conflict->held = DURATION_NEVER;
	conflict->position = 1;
	if (narrator->campaign->also.in_the_way) {
		look_at_also(narrator, conflict);
		return;
	}
	if (lockdir_open(narrator->directory, narrator->name->text, STATE_READ, NULL, 0, &lock,
		&fault) == -1)
		return;
	if (roster_read(&lock, &roster, &fault) == 0) {
		if (describe_if_held(&lock, &roster, contender, conflict->text) == NULL)
			describe_hold(&roster, contender, conflict->text);
		conflict->held = held_at_most(&roster);
		conflict->position = 1 + roster_ahead_of(&roster, contender);
		roster_free(&roster);
	}
	lockdir_close(&lock);
}
