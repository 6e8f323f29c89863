/* SPDX-License-Identifier: ISC */
#include "commands/paper.h"

#include <sys/ioctl.h>

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE 4096

static const char *const colours[] = {
    [INK_PLAIN] = "",
    [INK_GOOD] = "\033[32m",
    [INK_CARE] = "\033[33m",
    [INK_BAD] = "\033[31m",
    [INK_FAINT] = "\033[2m",
};

static bool coloured;
static int width = INT_MAX;

void
paper_begin(void)
{
	const char *no_color = getenv("NO_COLOR");
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return;
	coloured = no_color == NULL || no_color[0] == '\0';
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
}

void
paper_line(enum ink ink, const char *format, ...)
{
	const bool inked = coloured && ink != INK_PLAIN;
	char line[LINE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	printf("%s%.*s%s\n", inked ? colours[ink] : "", width, line, inked ? "\033[0m" : "");
}
