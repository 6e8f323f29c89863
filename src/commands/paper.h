/* SPDX-License-Identifier: ISC */
/* Lines for people on standard output: coloured and cut to the width only on a terminal. */
#ifndef LOCKRUN_COMMANDS_PAPER_H
#define LOCKRUN_COMMANDS_PAPER_H

enum ink {
	INK_PLAIN,
	INK_GOOD,
	INK_CARE,
	INK_BAD,
	INK_FAINT,
};

/* Look where standard output goes; NO_COLOR, when set and not empty, means no colour. */
void paper_begin(void);

/* Print a line; it is cut where the terminal ends. The whole line has one colour. */
void paper_line(enum ink ink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
