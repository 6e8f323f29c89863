/* SPDX-License-Identifier: ISC */
/* Finding the option that was written, or the one that was meant. For values/options.c. */
#ifndef LOCKRUN_VALUES_OPTION_SEARCH_H
#define LOCKRUN_VALUES_OPTION_SEARCH_H

#include "values/option_value.h"

/* How "--name" or "--name=value" spells an option, and how a letter does. */
struct option_spelling option_spell_long(const char *word);
struct option_spelling option_spell_letter(char letter);

/* The row of an option that one of these subcommands takes, or NULL. */
const struct option_row *option_find(const struct option_spelling *spelling, unsigned subcommands);

/* The fault of an option of flock(1) or timeout(1) that is refused; FAULT_NONE for all others. */
enum fault_kind option_refused(const struct option_spelling *spelling);

/*
 * Set the fault of an option that the subcommand at hand does not take: who takes it, or which one
 * was meant. word is all that was written behind the dashes, to guess from. Always returns -1.
 */
int option_refuse_unknown(
    const struct option_reading *reading, const struct option_spelling *spelling, const char *word);

/*
 * The first word is to be a lock name, which holds a colon. Set the fault of one that was meant for
 * a subcommand: one with its options before it, a slip, another program's word for it, or, with
 * nothing behind it, a plain word. following is the next word, or NULL. Returns 0, or -1 with the
 * fault.
 */
int option_refuse_subcommand(
    const struct option_reading *reading, const char *word, const char *following);

#endif
