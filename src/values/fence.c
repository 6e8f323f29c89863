/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "values/record.h"
#include "values/slot.h"

static void
pack_name(const char *name, char slot[NUMBER_SLOT_SIZE])
{
	char text[NUMBER_SLOT_SIZE];

	snprintf(text, sizeof(text), "lock=%s", name);
	slot_seal(text, slot, NUMBER_SLOT_SIZE);
}

static bool
unpack_name(const char slot[NUMBER_SLOT_SIZE], char name[LOCKNAME_SIZE])
{
	char again[NUMBER_SLOT_SIZE];
	struct slot_reader reader;

	if (!slot_sound(slot, NUMBER_SLOT_SIZE))
		return false;
	slot_read(slot, NUMBER_SLOT_SIZE, &reader);
	slot_take_word(&reader, "lock", name, LOCKNAME_SIZE);
	pack_name(name, again);
	return !reader.bad && memcmp(again, slot, NUMBER_SLOT_SIZE) == 0;
}

void
fence_seed(const char *name, char file[FENCE_FILE_SIZE])
{
	struct number number = {0};

	for (number.sequence = 1; number.sequence <= NUMBER_SLOTS; number.sequence++)
		number_pack(&number, file + number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE);
	pack_name(name, file + NUMBER_FILE_SIZE);
}

bool
fence_unpack(
    const char file[FENCE_FILE_SIZE], char name[LOCKNAME_SIZE], struct number_highest *seen)
{
	return unpack_name(file + NUMBER_FILE_SIZE, name) && number_highest(file, seen);
}
