/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "values/closest.h"
#include "values/namepiece.h"

static const struct kind_row {
	const char *kind;
	const char *advice;
} kind_table[] = {
    {"leader", "long-lived: the others queue and take over when it ends (no option needed)"},
    {"mutation", "short, one after the other: --wait limits the queue, --max-hold the change"},
    {"migration", "queue without -n: whoever comes second finds it done"},
    {"single-flight", "one run at a time is enough: -n skips (with -E 0 as a success)"},
};
#define KIND_ROWS (sizeof(kind_table) / sizeof(kind_table[0]))

bool
piece_is_known_kind(struct piece part)
{
	for (size_t i = 0; i < KIND_ROWS; i++)
		if (strlen(kind_table[i].kind) == part.length &&
		    memcmp(kind_table[i].kind, part.at, part.length) == 0)
			return true;
	return false;
}

static void
keep(char to[LOCKNAME_SIZE], struct piece part, size_t skip)
{
	memcpy(to, part.at + skip, part.length - skip);
	to[part.length - skip] = '\0';
}

enum fault_kind
lockname_take_apart(const char *text, struct lockname *name)
{
	struct piece rest = piece_of(text), app, protocol, kind, resource, scope;

	if (rest.length == 0)
		return FAULT_NAME_EMPTY;
	if (rest.length > LOCKNAME_MAX)
		return FAULT_NAME_LONG;
	for (size_t i = 0; i < rest.length; i++)
		if (!name_fits(text[i]) && text[i] != ':')
			return FAULT_NAME_BYTES;
	app = piece_take(&rest);
	protocol = piece_take(&rest);
	kind = piece_take(&rest);
	resource = piece_take(&rest);
	scope = rest;
	if (!piece_is_part(app))
		return FAULT_NAME_APP;
	if (!piece_is_protocol(protocol))
		return piece_like_protocol(protocol) ? FAULT_NAME_PROTOCOL_FORM
						     : FAULT_NAME_PROTOCOL_MISSING;
	if (kind.length == 0)
		return FAULT_NAME_KIND_MISSING;
	if (!piece_is_kind(kind))
		return FAULT_NAME_KIND_FORM;
	if (resource.length == 0 && scope.at == NULL)
		return FAULT_NAME_RESOURCE_MISSING;
	if (!piece_is_part(resource))
		return FAULT_NAME_PART_FORM;
	while (rest.at != NULL)
		if (!piece_is_part(piece_take(&rest)))
			return FAULT_NAME_PART_FORM;
	memset(name, 0, sizeof(*name));
	keep(name->text, piece_of(text), 0);
	keep(name->app, app, 0);
	keep(name->protocol, protocol, 1);
	keep(name->kind, kind, 0);
	keep(name->resource, resource, 0);
	if (scope.at != NULL)
		keep(name->scope, scope, 0);
	return FAULT_NONE;
}

int
lockname_parse(const char *text, struct lockname *name, struct fault *fault)
{
	const enum fault_kind kind = lockname_take_apart(text, name);

	return kind == FAULT_NONE ? 0 : lockname_refuse(kind, text, fault);
}

const char *
lockname_kind_meant(const char *kind)
{
	for (size_t i = 0; i < KIND_ROWS; i++)
		if (word_distance(kind, kind_table[i].kind) == 1)
			return kind_table[i].kind;
	return NULL;
}

const char *
lockname_kind_advice(const char *kind)
{
	for (size_t i = 0; i < KIND_ROWS; i++)
		if (strcmp(kind_table[i].kind, kind) == 0)
			return kind_table[i].advice;
	return NULL;
}

static const char *
after_colon(const char *text)
{
	return strchr(text, ':') + 1;
}

int
lockname_family_order(const char *a, const char *b)
{
	const char *protocol_of_a = after_colon(a), *protocol_of_b = after_colon(b);
	const int order = strncmp(a, b, (size_t)(protocol_of_a - a));

	return order != 0 ? order : strcmp(after_colon(protocol_of_a), after_colon(protocol_of_b));
}

bool
lockname_other_version(const char *a, const char *b)
{
	return lockname_family_order(a, b) == 0 && strcmp(a, b) != 0;
}
