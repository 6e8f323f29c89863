/* SPDX-License-Identifier: ISC */
/* Which options of a run do not go together, and which mean nothing alone. */
#ifndef LOCKRUN_VALUES_OPTION_RULES_H
#define LOCKRUN_VALUES_OPTION_RULES_H

#include "values/options.h"

/* Returns 0, or -1 with a FAULT_USAGE_*. Pure. */
int options_agree(const struct options *options, struct fault *fault);

#endif
