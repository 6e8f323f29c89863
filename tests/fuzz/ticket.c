/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/ticket.h"

/* A name in the queue, of whatever kind. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = fuzz_string(data, size), again[TICKET_NAME_SIZE];
	struct ticket ticket;
	uint64_t time;

	if (ticket_unpack(name, &ticket)) {
		EXPECTS(strcmp(ticket_pack(&ticket, again), name) == 0);
		EXPECTS(ticket_order(&ticket, &ticket) == 0 && ticket.pid > 0);
	}
	(void)ticket_private_unpack(name, &time);
	if (ticket_pass_unpack(name, &time))
		EXPECTS(strcmp(ticket_pass_pack(time, again), name) == 0);
	free(name);
	return 0;
}
