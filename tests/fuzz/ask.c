/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/record.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = fuzz_string(data, size), again[ASK_LINE_SIZE];
	struct ask ask;
	int length;

	if (ask_unpack(line, &ask)) {
		length = ask_pack(&ask, again);
		EXPECTS(length > 0 && (size_t)length < sizeof(again));
		EXPECTS(again[length - 1] == '\n');
		again[length - 1] = '\0';
		EXPECTS(strcmp(again, line) == 0);
	}
	free(line);
	return 0;
}
