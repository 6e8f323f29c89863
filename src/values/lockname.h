/* SPDX-License-Identifier: ISC */
/*
 * Lock names: app:vN:kind:resource[:scope...], at most 200 bytes. A name that passed is safe as a
 * single path component: it holds no slash and cannot be "." or "..".
 */
#ifndef LOCKRUN_VALUES_LOCKNAME_H
#define LOCKRUN_VALUES_LOCKNAME_H

#include <stdbool.h>

#include "values/fault.h"

#define LOCKNAME_MAX  200
#define LOCKNAME_SIZE (LOCKNAME_MAX + 1)

struct lockname {
	char text[LOCKNAME_SIZE]; /* the whole name */
	char app[LOCKNAME_SIZE];
	char protocol[LOCKNAME_SIZE]; /* the decimal number, without the v */
	char kind[LOCKNAME_SIZE];
	char resource[LOCKNAME_SIZE];
	char scope[LOCKNAME_SIZE]; /* the rest, colons included; empty when there is none */
};

struct lockname_parts {
	const char *app;
	const char *protocol; /* with or without the leading v */
	const char *kind;
	const char *resource;
	const char *const *scopes;
	size_t scope_count;
};

/*
 * Check text and take it apart. Returns 0, or -1 with a FAULT_NAME_* whose object is the text in
 * quotes and whose hint is a name that would do: made of what was usable in text, else of
 * "myapp", "1", "leader", "main". Pure.
 */
int lockname_parse(const char *text, struct lockname *name, struct fault *fault);

/*
 * Build a name from parts. Every byte outside [A-Za-z0-9.-] in app, resource and scopes, '_'
 * itself, and a leading '.' or '-' become _HH (upper-case hexadecimal), with "x" put before a part
 * that would otherwise begin with '_'. An x of the part's own that would come to stand before a
 * leading '_' is escaped as well ("x/" becomes "x_78_2F"): different inputs give different names.
 * NULL counts as empty. protocol and kind must fit the grammar as they are. Returns 0, or
 * -1 with the fault that lockname_parse would give (FAULT_NAME_LONG when it grows too long).
 */
int lockname_build(const struct lockname_parts *parts, struct lockname *name, struct fault *fault);

/*
 * The known kind (leader, mutation, migration, single-flight) that kind was probably meant to be:
 * one insertion, deletion, substitution or transposition away and not equal. NULL otherwise.
 */
const char *lockname_kind_meant(const char *kind);

/* What a known kind is for, with the options that suit it, in one line. NULL for other kinds. */
const char *lockname_kind_advice(const char *kind);

/*
 * An order of the texts of two lock names in which the versions of a lock stand together: negative,
 * 0 or positive by all parts but the protocol. 0 is the same lock, in whatever versions.
 */
int lockname_family_order(const char *a, const char *b);

/*
 * Whether two lock names are the same lock in two protocol versions: all parts but the protocol
 * agree and the protocol differs.
 */
bool lockname_other_version(const char *a, const char *b);

#endif
