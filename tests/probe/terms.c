/* SPDX-License-Identifier: ISC */
/*
 * terms FILE show: one line a record, "GENERATION STAGE SYNC BEFORE BEFORE_GENERATION".
 * terms FILE reboot: let all sound records say that another boot wrote them.
 * terms FILE drop=N: take the record of generation N away.
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
show(const struct term *term)
{
	static const char *const syncs[] = {"no", "owed", "yes"};

	printf("%" PRIu64 " %s %s %s %" PRIu64 "\n", term->generation, term_stage_word(term->stage),
	    syncs[term->sync], term_outcome_word(term->before.outcome), term->before.generation);
}

int
main(int argc, char **argv)
{
	char file[TERM_FILE_SIZE];
	struct term term;
	int fd;

	if (argc != 3)
		errx(1, "usage: terms FILE show|reboot|drop=N");
	fd = open(argv[1], O_RDWR);
	if (fd == -1 || pread(fd, file, sizeof(file), 0) != (ssize_t)sizeof(file))
		err(1, "%s", argv[1]);
	for (unsigned i = 0; i < TERM_SLOTS; i++) {
		char *slot = file + (size_t)i * TERM_SLOT_SIZE;

		if (!term_unpack(slot, &term) || term.stage == TERM_EMPTY)
			continue;
		if (strcmp(argv[2], "show") == 0)
			show(&term);
		else if (strncmp(argv[2], "drop=", 5) != 0)
			snprintf(term.boot, sizeof(term.boot), "%s", ANOTHER_BOOT);
		else if (term.generation == strtoull(argv[2] + 5, NULL, 10))
			term.stage = TERM_EMPTY;
		term_pack(&term, slot);
	}
	if (pwrite(fd, file, sizeof(file), 0) != (ssize_t)sizeof(file))
		err(1, "%s", argv[1]);
	return 0;
}
