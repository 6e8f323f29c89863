/* SPDX-License-Identifier: ISC */
/* What ps(1) shows of us: setproctitle(3), without losing a byte of the environment. */
#ifndef LOCKRUN_KERNEL_TITLE_H
#define LOCKRUN_KERNEL_TITLE_H

/*
 * Call first, with main's arguments: moves the environment away from where the title will stand.
 * libbsd would do that with setenv(3), which drops duplicates and entries without '='; the
 * command has to get what we got. On lack of memory there will be no title.
 */
void title_begin(int argc, char **argv, char **environment);

#endif
