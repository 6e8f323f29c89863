/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/record.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char slot[TERM_SLOT_SIZE], again[TERM_SLOT_SIZE];
	struct skips skips;
	struct sums sums;

	fuzz_slot(data, size, slot, TERM_SLOT_SIZE);
	if (sums_unpack(slot, &sums)) {
		sums_pack(&sums, again);
		EXPECTS(memcmp(again, slot, TERM_SLOT_SIZE) == 0);
	}
	fuzz_slot(data, size, slot, SKIPS_SIZE);
	if (skips_unpack(slot, &skips)) {
		skips_pack(&skips, again);
		EXPECTS(memcmp(again, slot, SKIPS_SIZE) == 0);
		skips_add(&skips, skips.generation, 1);
		skips_add(&skips, skips.generation + 1, 2);
		EXPECTS(skips.since == 1);
	}
	return 0;
}
