/* SPDX-License-Identifier: ISC */
/* Where events are written: a listener that is slow, full or gone must never delay anybody. */
#ifndef LOCKRUN_KERNEL_EVENTFILE_H
#define LOCKRUN_KERNEL_EVENTFILE_H

#include <stddef.h>

/*
 * Open "fd:N", a descriptor that we were started with (call before anything else is opened; bit n
 * of closed: descriptor n was closed, and something else stands there now), or a file to append to,
 * made with 0600 when it is missing. What is opened does not block, whatever the others do who have
 * it open. Returns a close-on-exec descriptor, or -1 with errno (ENXIO for a FIFO that nobody
 * reads).
 */
int eventfile_open(const char *where, unsigned closed);

/* One write, or nothing; whatever does not go at once is lost. SIGPIPE must be ignored. */
void eventfile_write(int fd, const char *line, size_t length);

#endif
