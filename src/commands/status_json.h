/* SPDX-License-Identifier: ISC */
/* The same as status prints, as one JSON document on standard output. */
#ifndef LOCKRUN_COMMANDS_STATUS_JSON_H
#define LOCKRUN_COMMANDS_STATUS_JSON_H

#include "election/view.h"

void status_print_json(const struct statedir *directory, const struct views *views);

#endif
