/* SPDX-License-Identifier: ISC */
/* Lines on standard error. Each is one write(2), so that those of several processes stay whole. */
#ifndef LOCKRUN_COMMANDS_SAY_H
#define LOCKRUN_COMMANDS_SAY_H

#include <stdbool.h>

#include "values/fault.h"
#include "values/status.h"

/* "lockrun: " and the text and a newline. What came from outside must go through say_clean. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, with the time before it unless standard error is a terminal: for the narration. */
void say_timed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A live line, on a terminal that can do that: subject and text, drawn in the place of the one
 * before. The subject is left out where both do not fit, and what does not fit then is cut.
 * Whatever else is said takes the line away first. A job in the background draws nothing.
 */
void say_live(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_live_over(void);

/* Whether standard error is a terminal that can take a line back. */
bool say_can_live(void);

/* Say a fault, and give the ending with its status. */
struct ending say_fault(const struct fault *fault);

/* What was printed has to have got out: ending, or the fault when it has not. */
struct ending say_whether_written(struct ending ending);

/* Foreign text, made harmless for a terminal with strnvis(3); returns clean. */
#define SAY_CLEAN_SIZE 1024
char *say_clean(const char *text, char clean[SAY_CLEAN_SIZE]);

#endif
