/* SPDX-License-Identifier: ISC */
/* Who is in the way of a run. */
#ifndef LOCKRUN_COMMANDS_CONFLICT_H
#define LOCKRUN_COMMANDS_CONFLICT_H

#include "commands/describe.h"
#include "commands/narrate.h"

struct conflict {
	char text[DESCRIBE_SIZE]; /* "held by pid 4711 (rsync, NOTE) for 2h13m, generation 57" */
	duration_t held;	  /* for how long at most */
	size_t position;	  /* ours in the queue, from 1 on */
};

/* Look, as of now. "busy" when nobody can be seen. */
void conflict_look(const struct narrator *narrator, struct conflict *conflict);

#endif
