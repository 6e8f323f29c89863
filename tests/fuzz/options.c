/* SPDX-License-Identifier: ISC */
#include "fuzz.h"
#include "values/options.h"

#define WORDS 64

/* The first byte says of which subcommand; the rest are arguments, each ended by a newline. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *arguments[WORDS + 1], *text, *rest, *word, message[FAULT_TEXT_SIZE];
	struct options options;
	struct fault fault;
	size_t count = 0;

	if (size == 0)
		return 0;
	text = fuzz_string(data + 1, size - 1);
	rest = text;
	while (count < WORDS && (word = strsep(&rest, "\n")) != NULL)
		arguments[count++] = word;
	arguments[count] = NULL;
	if (options_parse((enum subcommand)(1 << data[0] % 12), arguments, NULL, NULL, &options,
		&fault) == 0) {
		EXPECTS(options.word_count <= count);
		EXPECTS(options.words[options.word_count] == NULL);
		EXPECTS(options.conflict_status >= 0 && options.conflict_status <= 255);
		EXPECTS(options.wait >= 0 && options.max_hold > 0 && options.kill_after >= 0);
	} else {
		EXPECTS(strlen(fault_text(&fault, message, sizeof(message))) < sizeof(message));
	}
	free(text);
	return 0;
}
