/* SPDX-License-Identifier: ISC */
/*
 * What a process tells its supervisor by sd_notify(3): lines of "KEY=VALUE" in one datagram.
 * Foreign text, so nothing in it is trusted: unknown keys are skipped, and what is kept is cut and
 * cleaned.
 */
#ifndef LOCKRUN_VALUES_NOTICE_H
#define LOCKRUN_VALUES_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

#include "values/ticket.h"

struct notice {
	bool alive;	 /* a sign of life: READY, RELOADING, STOPPING, WATCHDOG, STATUS */
	bool gives_up;	 /* WATCHDOG=trigger: it says itself that it hangs */
	bool has_status; /* STATUS */
	char status[NOTE_MAX + 1]; /* what that says, note_valid; may be empty */
};

/*
 * Read a datagram of length bytes, which may hold any. Of a key that comes twice the last one
 * counts. A status that is too long is cut between two characters; control characters become '?'.
 * Pure; never fails.
 */
void notice_read(const char *bytes, size_t length, struct notice *notice);

#endif
