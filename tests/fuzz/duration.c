/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/duration.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), shown[DURATION_TEXT_SIZE];
	duration_t length, negative;

	if (duration_parse(text, &length) == DURATION_OK) {
		EXPECTS(length >= 0 && length <= DURATION_MAX);
		EXPECTS(length > 0 || strpbrk(text, "123456789") == NULL);
		EXPECTS(strlen(duration_format(length, shown)) < sizeof(shown));
	}
	if (size >= sizeof(negative)) {
		memcpy(&negative, data, sizeof(negative));
		EXPECTS(strlen(duration_format(negative, shown)) < sizeof(shown));
	}
	free(text);
	return 0;
}
