/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/ticket.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), name[COMMAND_NAME_MAX + 1];
	char bytes[TICKET_TEXT_SIZE], written[TICKET_TEXT_SIZE];
	struct ticket_text first, again;
	size_t length;

	/* Whatever was read: written and read again, it is the same. */
	ticket_text_unpack((const char *)data, size, &first);
	length = ticket_text_pack(&first, bytes);
	EXPECTS(length < sizeof(bytes));
	ticket_text_unpack(bytes, length, &again);
	EXPECTS(ticket_text_pack(&again, written) == length);
	EXPECTS(memcmp(bytes, written, length) == 0);
	EXPECTS(note_valid(first.note));
	command_name(text, name);
	EXPECTS(note_valid(name) && strlen(name) <= COMMAND_NAME_MAX);
	free(text);
	return 0;
}
