/* SPDX-License-Identifier: ISC */
/* Noticing that something was done to a lock's directory, or asked of its leader (inotify(7)). */
#ifndef LOCKRUN_KERNEL_LOCKWATCH_H
#define LOCKRUN_KERNEL_LOCKWATCH_H

#include "kernel/lockdir.h"

/*
 * A descriptor that is readable when `ask` was written to, or `lock`, NAME or DIR was removed,
 * replaced or moved, or, with_queue, a name appeared in the queue (inotify(7)). What is above
 * DIR it does not see. Look at everything after this call, and after each report: the report
 * does not say what. Returns -1 with errno when it could not watch all of it.
 */
int lockwatch_open(const struct lockdir *lock, bool with_queue);
/*
 * A descriptor that is readable when something in the queue has changed, for readers. Returns -1
 * with errno, also when there is no queue yet.
 */
int lockwatch_open_queue(const struct lockdir *lock);

/* The same for entries of DIR that come and go; also to find out whether watching works at all. */
int lockwatch_open_directory(const struct statedir *directory);

/* Forget what such a descriptor has reported. */
void lockwatch_drain(int watch);

#endif
