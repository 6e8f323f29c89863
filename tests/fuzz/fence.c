/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/record.h"

/* The text of the slot with the name, and behind a newline that of a slot with a number. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size > 0 ? memchr(data, '\n', size) : NULL;
	const size_t first = newline != NULL ? (size_t)(newline - data) : size;
	char file[FENCE_FILE_SIZE], again[FENCE_FILE_SIZE], name[LOCKNAME_SIZE];
	struct number_highest seen;

	fence_seed("a:v1:leader:b", file);
	fuzz_slot(data, first, file + NUMBER_FILE_SIZE, NUMBER_SLOT_SIZE);
	if (newline != NULL)
		fuzz_slot(newline + 1, size - first - 1, file, NUMBER_SLOT_SIZE);
	if (!fence_unpack(file, name, &seen))
		return 0;
	EXPECTS(memchr(name, '\0', sizeof(name)) != NULL);
	fence_seed(name, again);
	EXPECTS(memcmp(again + NUMBER_FILE_SIZE, file + NUMBER_FILE_SIZE, NUMBER_SLOT_SIZE) == 0);
	return 0;
}
