/* SPDX-License-Identifier: ISC */
/*
 * Clocks. A point in time is a duration_t since the clock's own zero; DURATION_NEVER is a point
 * that does not come. None of these block, and none can fail on Linux (clock_gettime(2) with a
 * constant clock).
 */
#ifndef LOCKRUN_KERNEL_CLOCK_H
#define LOCKRUN_KERNEL_CLOCK_H

#include <poll.h>
#include <stdint.h>

#include "values/duration.h"
#include "values/record.h"

/* CLOCK_BOOTTIME: goes on while the machine is suspended. Waiting is measured with it. */
duration_t clock_boottime(void);

/* CLOCK_MONOTONIC: stands still while the machine is suspended. Work is measured with it. */
duration_t clock_monotonic(void);

/* CLOCK_REALTIME in milliseconds, for people only. */
int64_t clock_realtime_ms(void);

/* Such a time for people: RFC 3339, in UTC, with milliseconds. Returns text. */
#define CLOCK_TEXT_SIZE 32
char *clock_text(int64_t realtime_ms, char text[CLOCK_TEXT_SIZE]);

/* The point that lies length after now; DURATION_NEVER stays what it is. */
duration_t clock_after(duration_t now, duration_t length);

/*
 * A close-on-exec timerfd(2) that becomes readable at a point of CLOCK_BOOTTIME. Returns the
 * descriptor, which the caller closes, or -1 with errno.
 */
int clock_alarm(duration_t boottime);

/*
 * poll(2) until a point of CLOCK_MONOTONIC (DURATION_NEVER: for ever). Returns what poll(2)
 * returns; an interruption counts as nothing readable.
 */
int clock_poll(struct pollfd *watched, nfds_t count, duration_t until);

/* The id of this boot, from /proc/sys/kernel/random/boot_id; empty when it cannot be read. */
void clock_boot_id(char boot[BOOT_ID_SIZE]);

#endif
