/* SPDX-License-Identifier: ISC */
/* Raising what a file keeps that has the form of `number`: see number_highest in values/record.h.
 */
#ifndef LOCKRUN_ELECTION_HIGHEST_H
#define LOCKRUN_ELECTION_HIGHEST_H

#include "values/record.h"

/*
 * Let fd keep generation, which is not below what was found in it. Call only while holding the
 * file's own lock. Once this returns 0 it is on the disk, if the file's name is; -1 with errno, and
 * then the file says the old or the new one. A power cut leaves the old or the new one as well.
 */
int highest_raise(int fd, const struct number_highest *found, uint64_t generation);

#endif
