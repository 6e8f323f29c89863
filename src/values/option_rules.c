/* SPDX-License-Identifier: ISC */
#include "values/option_rules.h"

int
options_agree(const struct options *options, struct fault *fault)
{
	const bool waits = options->wait != DURATION_NEVER;
	const struct {
		bool both;
		const char *words;
	} excluded[] = {
	    {options->if_available && waits, "--if-available and --wait"},
	    {options->if_available && options->replace, "--if-available and --replace"},
	    {options->join && options->shared, "--join and --shared"},
	    {options->join && options->replace, "--join and --replace"},
	    {options->join && options->loop, "--join and --loop"},
	};

	for (size_t i = 0; i < sizeof(excluded) / sizeof(excluded[0]); i++) {
		if (excluded[i].both)
			return fault_set(
			    fault, FAULT_USAGE_TWICE_MEANT, 0, "%s", excluded[i].words);
	}
	if (options->no_fork && options->supervised != NULL)
		return fault_set(
		    fault, FAULT_USAGE_UNSUPERVISED, 0, "--no-fork and --%s", options->supervised);
	if (options->looping != NULL && !options->loop) {
		fault_set(fault, FAULT_USAGE_ALONE, 0, "--%s", options->looping);
		return fault_hint(fault, "add --loop, or leave it out");
	}
	if (options->eligible_every != DURATION_NEVER && options->eligible == NULL) {
		fault_set(fault, FAULT_USAGE_ALONE, 0, "--eligible-every");
		return fault_hint(fault, "add --eligible COMMAND");
	}
	return 0;
}
