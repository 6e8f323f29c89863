/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/record.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char slot[TERM_SLOT_SIZE], again[TERM_SLOT_SIZE];
	struct term term;

	fuzz_slot(data, size, slot, sizeof(slot));
	if (!term_unpack(slot, &term) || term.stage == TERM_EMPTY)
		return 0;
	term_pack(&term, again);
	EXPECTS(memcmp(again, slot, sizeof(slot)) == 0);
	return 0;
}
