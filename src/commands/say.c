/* SPDX-License-Identifier: ISC */
#include "commands/say.h"

#include <bsd/string.h>

#define LIBBSD_OPENBSD_VIS
#include <bsd/vis.h>

#include <sys/ioctl.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/clock.h"

#define LINE_SIZE 4096

/* To the begin of the line, and what is right of here is gone. */
#define BACK "\r"
#define GONE "\033[K"

/* For a cursor, and for the ^C or ^Z that the terminal shows there. */
#define ROOM_FOR_KEYS 3
#define USUAL_COLUMNS 80

/* A line is shown that has to go before another comes. */
static bool live;

static void put_line(const char *before, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static void
put_line(const char *before, const char *format, va_list arguments)
{
	char line[LINE_SIZE];
	size_t length;

	strlcpy(line, live ? BACK GONE : "", sizeof(line));
	live = false;
	strlcat(line, before, sizeof(line));
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

bool
say_can_live(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && terminal != NULL && terminal[0] != '\0' &&
	       strcmp(terminal, "dumb") != 0;
}

/* How much of a line may be used. */
static int
width(void)
{
	struct winsize size;
	int columns = USUAL_COLUMNS;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	return columns > ROOM_FOR_KEYS ? columns - ROOM_FOR_KEYS : 0;
}

void
say_live(const char *subject, const char *format, ...)
{
	char text[LINE_SIZE], whole[LINE_SIZE * 2], line[LINE_SIZE * 2];
	const int room = width();
	va_list arguments;
	int length;

	/* A shell's prompt stands there, or another program's screen. */
	if (tcgetpgrp(STDERR_FILENO) != getpgrp())
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	length = snprintf(whole, sizeof(whole), "lockrun: %s: %s", subject, text);
	if (length > room)
		snprintf(whole, sizeof(whole), "lockrun: %s", text);
	length = snprintf(line, sizeof(line), BACK "%.*s" GONE, room, whole);
	(void)!write(STDERR_FILENO, line, (size_t)length);
	live = true;
}

void
say_live_over(void)
{
	if (live)
		(void)!write(STDERR_FILENO, BACK GONE, strlen(BACK GONE));
	live = false;
}

struct ending
say_fault(const struct fault *fault)
{
	char text[FAULT_MESSAGE_SIZE];

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
