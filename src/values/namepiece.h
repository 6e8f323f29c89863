/* SPDX-License-Identifier: ISC */
/*
 * The grammar of lock names, byte by byte and part by part, for those who check names and those
 * who build them.
 */
#ifndef LOCKRUN_VALUES_NAMEPIECE_H
#define LOCKRUN_VALUES_NAMEPIECE_H

#include <stdbool.h>
#include <stddef.h>

#include "values/lockname.h"

/* A piece of somebody's text; at is NULL when there is none. */
struct piece {
	const char *at;
	size_t length;
};

bool name_digit(char byte);
bool name_small(char byte);
bool name_capital(char byte);
bool name_begins(char byte); /* may begin a part */
bool name_fits(char byte);   /* may stand in a part */

struct piece piece_of(const char *text);
/* Take what stands before the next colon; the part behind the last one may be empty. */
struct piece piece_take(struct piece *rest);

bool piece_is_part(struct piece part);
bool piece_is_protocol(struct piece part); /* with its v */
bool piece_is_kind(struct piece part);
bool piece_is_known_kind(struct piece part);
/* Whether part was meant to be a protocol version, so that it is malformed and not missing. */
bool piece_like_protocol(struct piece part);

/* Check text and take it apart; name is filled in only when it fits. */
enum fault_kind lockname_take_apart(const char *text, struct lockname *name);
/* Make the fault, with the hint. Always returns -1. */
int lockname_refuse(enum fault_kind kind, const char *text, struct fault *fault);

#endif
