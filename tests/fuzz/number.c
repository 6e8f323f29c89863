/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/record.h"

/* The texts of both slots, the second one behind a newline. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size > 0 ? memchr(data, '\n', size) : NULL;
	const size_t first = newline != NULL ? (size_t)(newline - data) : size;
	char file[NUMBER_FILE_SIZE], again[NUMBER_SLOT_SIZE];
	struct number number;
	struct number_plan plan;

	fuzz_slot(data, first, file, NUMBER_SLOT_SIZE);
	memcpy(file + NUMBER_SLOT_SIZE, file, NUMBER_SLOT_SIZE);
	if (newline != NULL)
		fuzz_slot(newline + 1, size - first - 1, file + NUMBER_SLOT_SIZE, NUMBER_SLOT_SIZE);
	for (size_t i = 0; i < NUMBER_SLOTS; i++)
		if (number_unpack(file + i * NUMBER_SLOT_SIZE, &number)) {
			number_pack(&number, again);
			EXPECTS(memcmp(again, file + i * NUMBER_SLOT_SIZE, sizeof(again)) == 0);
		}
	if (!number_plan(file, "boot", &plan) || plan.next == 0)
		return 0;
	EXPECTS(plan.next <= INT64_MAX && plan.next > plan.current.last);
	EXPECTS(!plan.raise || plan.ceiling >= plan.next);
	EXPECTS(plan.raise || plan.current.ceiling >= plan.next);
	return 0;
}
