/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "values/namepiece.h"

/* A name that is being put together; cut when it grew too long. */
struct draft {
	char text[LOCKNAME_SIZE];
	size_t length;
	bool cut;
};

#define DEFAULT_APP	 "myapp"
#define DEFAULT_PROTOCOL "1"
#define DEFAULT_KIND	 "leader"
#define DEFAULT_RESOURCE "main"
#define DEFAULT_NAME	 DEFAULT_APP ":v" DEFAULT_PROTOCOL ":" DEFAULT_KIND ":" DEFAULT_RESOURCE

static void
draft_byte(struct draft *draft, char byte)
{
	if (draft->length == LOCKNAME_MAX) {
		draft->cut = true;
		return;
	}
	draft->text[draft->length++] = byte;
	draft->text[draft->length] = '\0';
}

static void
draft_text(struct draft *draft, const char *text)
{
	for (; *text != '\0'; text++)
		draft_byte(draft, *text);
}

static void
draft_escape(struct draft *draft, char byte)
{
	static const char digits[] = "0123456789ABCDEF";

	draft_byte(draft, '_');
	draft_byte(draft, digits[(unsigned char)byte >> 4]);
	draft_byte(draft, digits[(unsigned char)byte & 0xf]);
}

/* What is usable of a part that somebody wrote, or fallback when nothing is. */
static void
draft_usable(struct draft *draft, struct piece part, const char *fallback)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no text has no length */
	while (part.length > 0 && !name_begins(part.at[0]))
		part = (struct piece){part.at + 1, part.length - 1};
	while (part.length > 0 && !name_fits(part.at[part.length - 1]))
		part.length--;
	if (part.length == 0)
		draft_text(draft, fallback);
	for (size_t i = 0; i < part.length; i++)
		if (name_fits(part.at[i]))
			draft_byte(draft, part.at[i]);
		else
			draft_escape(draft, part.at[i]);
}

static void
draft_protocol(struct draft *draft, struct piece part)
{
	size_t first = 0, end;

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no text has no length */
	while (first < part.length && (!name_digit(part.at[first]) || part.at[first] == '0'))
		first++;
	for (end = first; end < part.length && name_digit(part.at[end]); end++)
		draft_byte(draft, part.at[end]);
	if (end == first)
		draft_text(draft, DEFAULT_PROTOCOL);
}

static void
draft_kind(struct draft *draft, struct piece part)
{
	const size_t before = draft->length;

	for (size_t i = 0; i < part.length; i++) {
		const char byte = part.at[i];

		if (name_capital(byte))
			draft_byte(draft, (char)(byte - 'A' + 'a'));
		else if (name_small(byte) || (draft->length > before && name_digit(byte)))
			draft_byte(draft, byte);
		else if (draft->length > before)
			draft_byte(draft, '-');
	}
	if (draft->length == before)
		draft_text(draft, DEFAULT_KIND);
}

static bool
begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

/* Where in a file's name the ending of a lock file begins; its length when it has none. */
static size_t
file_stem(const char *base)
{
	static const char *const endings[] = {".lock", ".lck", ".pid"};
	const char *dot = strrchr(base, '.');

	for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return (size_t)(dot - base);
	return strlen(base);
}

/* The file that another program locks: what it is called there, and that one run is enough. */
static bool
draft_file(struct draft *draft, const char *text)
{
	const char *slash = strrchr(text, '/'), *base = slash != NULL ? slash + 1 : text;
	const struct piece stem = {base, file_stem(base)};

	if (strchr(text, ':') != NULL || stem.length == 0 ||
	    !(begins_with(text, "/") || begins_with(text, "./") || begins_with(text, "../") ||
		base[stem.length] != '\0'))
		return false;
	draft_usable(draft, stem, DEFAULT_APP);
	draft_text(draft, ":v" DEFAULT_PROTOCOL ":single-flight:" DEFAULT_RESOURCE);
	return true;
}

/*
 * A name that would do, made of what is usable in text. Which part is which is a guess when the
 * protocol version is missing: then a word before the last one is the kind, and a last one only
 * if it is a known kind.
 */
static void
draft_hint(struct draft *draft, const char *text)
{
	const struct piece none = {NULL, 0};
	struct piece rest = piece_of(text), app = piece_take(&rest), next, protocol = none,
		     kind = none;
	size_t before;

	if (rest.at == NULL && piece_is_known_kind(app)) {
		rest = app;
		app = none;
	}
	next = piece_take(&rest);
	if (piece_like_protocol(next) || (next.length == 0 && rest.at != NULL)) {
		protocol = next;
		next = piece_take(&rest);
	}
	if (next.at != NULL &&
	    (protocol.at != NULL || rest.at != NULL || piece_is_known_kind(next))) {
		kind = next;
		next = piece_take(&rest);
	}
	draft_usable(draft, app, DEFAULT_APP);
	draft_text(draft, ":v");
	draft_protocol(draft, protocol);
	draft_byte(draft, ':');
	draft_kind(draft, kind);
	draft_byte(draft, ':');
	before = draft->length;
	draft_usable(draft, next, rest.at == NULL ? DEFAULT_RESOURCE : "");
	while (rest.at != NULL && !draft->cut) {
		if (draft->length > before)
			draft_byte(draft, ':');
		before = draft->length;
		draft_usable(draft, piece_take(&rest), "");
	}
	while (draft->length > 0 && draft->text[draft->length - 1] == ':')
		draft->text[--draft->length] = '\0';
}

int
lockname_refuse(enum fault_kind kind, const char *text, struct fault *fault)
{
	struct draft draft = {.length = 0};
	struct lockname name;

	if (!draft_file(&draft, text))
		draft_hint(&draft, text);
	fault_set(fault, kind, 0, "\"%s\"", text);
	return fault_hint(fault, "%s",
	    lockname_take_apart(draft.text, &name) == FAULT_NONE ? draft.text : DEFAULT_NAME);
}

static bool
must_escape(char byte)
{
	return !name_fits(byte) || byte == '_';
}

/*
 * What begins with "x_" is decoded without that x, all else as it stands: so an x of the part's
 * own must not come to stand before a '_'.
 */
static void
draft_part(struct draft *draft, const char *part)
{
	const bool bad_start = must_escape(part[0]) || part[0] == '.' || part[0] == '-';
	const bool own_x = part[0] == 'x' && part[1] != '\0' && must_escape(part[1]);

	if (part[0] == '\0')
		return;
	if (bad_start || own_x) {
		draft_byte(draft, 'x');
		draft_escape(draft, *part++);
	}
	for (; *part != '\0'; part++)
		if (must_escape(*part))
			draft_escape(draft, *part);
		else
			draft_byte(draft, *part);
}

static const char *
or_empty(const char *text)
{
	return text != NULL ? text : "";
}

int
lockname_build(const struct lockname_parts *parts, struct lockname *name, struct fault *fault)
{
	const char *kind = or_empty(parts->kind), *protocol = or_empty(parts->protocol);
	struct draft draft = {.length = 0};
	struct piece version;

	draft_part(&draft, or_empty(parts->app));
	draft_byte(&draft, ':');
	version.at = draft.text + draft.length;
	if (protocol[0] != '\0' && protocol[0] != 'v')
		draft_byte(&draft, 'v');
	draft_text(&draft, protocol);
	version.length = strlen(version.at);
	draft_byte(&draft, ':');
	draft_text(&draft, kind);
	draft_byte(&draft, ':');
	draft_part(&draft, or_empty(parts->resource));
	for (size_t i = 0; i < parts->scope_count; i++) {
		draft_byte(&draft, ':');
		draft_part(&draft, or_empty(parts->scopes[i]));
	}
	if (draft.cut)
		return lockname_refuse(FAULT_NAME_LONG, draft.text, fault);
	/* Looked at one by one, since a colon in one of them would make it look like two. */
	if (version.length > 0 && !piece_is_protocol(version))
		return lockname_refuse(FAULT_NAME_PROTOCOL_FORM, draft.text, fault);
	if (kind[0] != '\0' && !piece_is_kind(piece_of(kind)))
		return lockname_refuse(FAULT_NAME_KIND_FORM, draft.text, fault);
	return lockname_parse(draft.text, name, fault);
}
