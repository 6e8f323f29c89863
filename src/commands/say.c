/* SPDX-License-Identifier: ISC */
#include "commands/say.h"

#include <bsd/string.h>

#define LIBBSD_OPENBSD_VIS
#include <bsd/vis.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/clock.h"

#define LINE_SIZE 4096

static void put_line(const char *before, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void
put_line(const char *before, const char *format, va_list arguments)
{
	char line[LINE_SIZE];
	size_t length;

	strlcpy(line, before, sizeof(line));
	length = strlcat(line, "lockrun: ", sizeof(line));
	vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
	length = strlcat(line, "\n", sizeof(line));
	/* Nobody is left to be told that standard error is gone. */
	(void)!write(STDERR_FILENO, line, length);
}

void
say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	put_line("", format, arguments);
	va_end(arguments);
}

void
say_timed(const char *format, ...)
{
	char time[CLOCK_TEXT_SIZE] = "";
	va_list arguments;

	if (!isatty(STDERR_FILENO)) {
		clock_text(clock_realtime_ms(), time);
		strlcat(time, " ", sizeof(time));
	}
	va_start(arguments, format);
	put_line(time, format, arguments);
	va_end(arguments);
}

struct ending
say_fault(const struct fault *fault)
{
	char text[LINE_SIZE];

	say("%s", fault_text(fault, text, sizeof(text)));
	return (struct ending){.status = fault_row(fault->kind)->status};
}

struct ending
say_whether_written(struct ending ending)
{
	struct fault fault;

	errno = 0;
	if (fflush(stdout) != EOF && !ferror(stdout))
		return ending;
	fault_set(&fault, FAULT_OUTPUT, errno, "standard output");
	return say_fault(&fault);
}

char *
say_clean(const char *text, char clean[SAY_CLEAN_SIZE])
{
	strnvis(clean, text, SAY_CLEAN_SIZE, VIS_NL | VIS_TAB | VIS_CSTYLE | VIS_NOSLASH);
	return clean;
}
