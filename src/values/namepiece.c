/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "values/namepiece.h"

/* The grammar is about bytes: isalpha(3) and friends would ask the locale. */
bool
name_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

bool
name_small(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

bool
name_capital(char byte)
{
	return byte >= 'A' && byte <= 'Z';
}

bool
name_begins(char byte)
{
	return name_digit(byte) || name_small(byte) || name_capital(byte);
}

bool
name_fits(char byte)
{
	return name_begins(byte) || byte == '.' || byte == '_' || byte == '-';
}

struct piece
piece_take(struct piece *rest)
{
	struct piece part = *rest;
	const char *colon = part.at != NULL ? memchr(part.at, ':', part.length) : NULL;

	if (colon == NULL) {
		*rest = (struct piece){NULL, 0};
		return part;
	}
	part.length = (size_t)(colon - part.at);
	*rest = (struct piece){colon + 1, rest->length - part.length - 1};
	return part;
}

struct piece
piece_of(const char *text)
{
	return (struct piece){text, strlen(text)};
}

bool
piece_is_part(struct piece part)
{
	if (part.length == 0 || !name_begins(part.at[0]))
		return false;
	for (size_t i = 1; i < part.length; i++)
		if (!name_fits(part.at[i]))
			return false;
	return true;
}

bool
piece_is_protocol(struct piece part)
{
	if (part.length < 2 || part.at[0] != 'v' || (part.at[1] == '0' && part.length > 2))
		return false;
	for (size_t i = 1; i < part.length; i++)
		if (!name_digit(part.at[i]))
			return false;
	return true;
}

bool
piece_like_protocol(struct piece part)
{
	if (part.length == 0)
		return false;
	if (part.at[0] == 'v' || part.at[0] == 'V')
		return part.length == 1 || name_digit(part.at[1]);
	return name_digit(part.at[0]);
}

bool
piece_is_kind(struct piece part)
{
	if (part.length == 0 || !name_small(part.at[0]))
		return false;
	for (size_t i = 1; i < part.length; i++)
		if (!name_small(part.at[i]) && !name_digit(part.at[i]) && part.at[i] != '-')
			return false;
	return true;
}
