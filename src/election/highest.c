/* SPDX-License-Identifier: ISC */
#include "election/highest.h"

#include <unistd.h>

#include "kernel/lockdir.h"

int
highest_raise(int fd, const struct number_highest *found, uint64_t generation)
{
	struct number number = {.last = generation, .ceiling = generation};
	char slot[NUMBER_SLOT_SIZE];

	if (!found->kept && fdatasync(fd) == -1)
		return -1;
	for (unsigned i = 0; i < NUMBER_SLOTS; i++) {
		number.sequence = found->next + i;
		number_pack(&number, slot);
		if (lockdir_write(fd, slot, sizeof(slot),
			(off_t)(number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE)) == -1)
			return -1;
		if (i == 0 && fdatasync(fd) == -1)
			return -1;
	}
	return 0;
}
