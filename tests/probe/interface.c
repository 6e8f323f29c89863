/* SPDX-License-Identifier: ISC */
/* The tables of the program as lines, for the tests that compare them with what is written. */
#include <stdio.h>

#include "values/fault.h"
#include "values/options.h"
#include "values/record.h"
#include "values/status.h"

int
main(void)
{
	for (size_t i = 0; i < option_table_length; i++) {
		const struct option_row *row = &option_table[i];
		const char *kind = row->trait == OPTION_SPELLING ? "habit" : "option";
		const char *value = row->metavar != NULL && row->metavar[0] != '[' ? "=" : "";

		printf("%s --%s%s\n", kind, row->name, value);
		if (row->letter != 0)
			printf("%s -%c%s\n", kind, row->letter, value);
	}
	for (size_t i = 0; i < status_table_length; i++)
		printf("status %d\n", status_table[i].status);
	for (int reason = 0; reason < REASON_COUNT; reason++) {
		if (reason == REASON_SIGNAL || reason_is_ours((enum reason)reason))
			printf("stepdown %s\n", reason_word((enum reason)reason));
	}
	for (int reason = 0; reason < REASON_COUNT; reason++)
		printf("reason %s\n", reason_word((enum reason)reason));
	for (int stage = TERM_EMPTY + 1; stage <= TERM_UNREPORTED; stage++)
		printf("stage %s\n", term_stage_word((enum term_stage)stage));
	for (int kind = FAULT_NONE + 1; kind < FAULT_COUNT; kind++)
		printf("fault %s\n", fault_row((enum fault_kind)kind)->reason);
	return 0;
}
