/* SPDX-License-Identifier: ISC */
/*
 * number FILE show: one line a slot, "SLOT SEQUENCE LAST CEILING RAISING" or "SLOT damaged".
 * number FILE reboot: let all sound slots say that another boot wrote them.
 * number FILE last: let one number be left to give.
 * number FILE given=N: let N be the newest that was given, below a ceiling of 64.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "values/record.h"

#define ANOTHER_BOOT "00000000-dead-4b00-8000-000000000000"

static void
show(const char *file)
{
	struct number number;

	for (unsigned slot = 0; slot < NUMBER_SLOTS; slot++) {
		if (number_unpack(file + slot * NUMBER_SLOT_SIZE, &number))
			printf("%u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", slot,
			    number.sequence, number.last, number.ceiling, number.raising);
		else
			printf("%u damaged\n", slot);
	}
}

static void
reboot(char *file)
{
	struct number number;

	for (unsigned slot = 0; slot < NUMBER_SLOTS; slot++) {
		if (!number_unpack(file + slot * NUMBER_SLOT_SIZE, &number))
			continue;
		snprintf(number.boot, sizeof(number.boot), "%s", ANOTHER_BOOT);
		number_pack(&number, file + slot * NUMBER_SLOT_SIZE);
	}
}

/* As if the numbers up to last had been given in this boot, up to that ceiling. */
static void
give_up_to(char *file, uint64_t last, uint64_t ceiling)
{
	struct number number = {.ceiling = ceiling};
	struct number found;

	if (!number_unpack(file, &found))
		errx(1, "slot 0 is damaged");
	memcpy(number.boot, found.boot, sizeof(number.boot));
	for (number.sequence = 2; number.sequence < 4; number.sequence++) {
		number.last = last - 3 + number.sequence;
		number_pack(&number, file + number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE);
	}
}

int
main(int argc, char **argv)
{
	char file[NUMBER_FILE_SIZE];
	int fd;

	if (argc != 3)
		errx(1, "usage: number FILE show|reboot|last|given=N");
	fd = open(argv[1], O_RDWR);
	if (fd == -1 || pread(fd, file, sizeof(file), 0) != (ssize_t)sizeof(file))
		err(1, "%s", argv[1]);
	if (strcmp(argv[2], "show") == 0) {
		show(file);
		return 0;
	}
	if (strcmp(argv[2], "last") == 0)
		give_up_to(file, INT64_MAX - 1, INT64_MAX);
	else if (strncmp(argv[2], "given=", 6) == 0)
		give_up_to(file, strtoull(argv[2] + 6, NULL, 10), NUMBER_STEP);
	else
		reboot(file);
	if (pwrite(fd, file, sizeof(file), 0) != (ssize_t)sizeof(file))
		err(1, "%s", argv[1]);
	return 0;
}
