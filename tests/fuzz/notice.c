/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/notice.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct notice notice;
	char *exact = malloc(size > 0 ? size : 1);

	/* In a block of its own, so that a byte too far is seen. */
	if (exact == NULL)
		abort();
	if (size > 0)
		memcpy(exact, data, size);
	notice_read(exact, size, &notice);
	free(exact);
	EXPECTS(note_valid(notice.status));
	EXPECTS(notice.has_status || notice.status[0] == '\0');
	EXPECTS(!notice.has_status || notice.alive);
	return 0;
}
