/* SPDX-License-Identifier: ISC */
#include "kernel/title.h"

#include <bsd/unistd.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
title_begin(int argc, char **argv, char **environment)
{
	size_t count = 0, bytes = 0, length;
	char **copy, *text;

	for (char **entry = environment; *entry != NULL; entry++) {
		count++;
		bytes += strlen(*entry) + 1;
	}
	copy = malloc((count + 1) * sizeof(*copy) + bytes);
	if (copy == NULL)
		return;
	text = (char *)(copy + count + 1);
	for (size_t i = 0; i < count; i++) {
		length = strlen(environment[i]) + 1;
		copy[i] = memcpy(text, environment[i], length);
		text += length;
	}
	copy[count] = NULL;
	/* libbsd leaves an environment alone that is not the one it was told of. */
	environ = copy;
	setproctitle_init(argc, argv, environment);
}
