/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "values/json.h"

static void
emit(struct json *json, const char *text)
{
	json->sink(json->context, text, strlen(text));
}

/*
 * The length of the UTF-8 sequence that bytes begin with, and its code point; 0 when it is none.
 * A NUL is no continuation byte, so this never reads past the end.
 */
static size_t
utf8_sequence(const unsigned char *bytes, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length;

	if (bytes[0] < 0x80) {
		*point = bytes[0];
		return 1;
	}
	if (bytes[0] >= 0xc2 && bytes[0] <= 0xdf)
		length = 2;
	else if (bytes[0] >= 0xe0 && bytes[0] <= 0xef)
		length = 3;
	else if (bytes[0] >= 0xf0 && bytes[0] <= 0xf4)
		length = 4;
	else
		return 0;
	*point = bytes[0] & (0x7fU >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (bytes[i] & 0x3f);
	}
	if (*point < least[length] || (*point >= 0xd800 && *point <= 0xdfff) || *point > 0x10ffff)
		return 0;
	return length;
}

/* The C1 controls too: a terminal that shows the document could act on them. */
static bool
must_escape(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == '"' || point == '\\';
}

static void
escape(struct json *json, uint32_t point)
{
	char text[8];

	switch (point) {
	case '"':
	case '\\':
		snprintf(text, sizeof(text), "\\%c", (int)point);
		break;
	case '\n':
		snprintf(text, sizeof(text), "\\n");
		break;
	case '\r':
		snprintf(text, sizeof(text), "\\r");
		break;
	case '\t':
		snprintf(text, sizeof(text), "\\t");
		break;
	default:
		snprintf(text, sizeof(text), "\\u%04x", (unsigned)(point & 0xffff));
		break;
	}
	emit(json, text);
}

static void
quoted(struct json *json, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length;
	uint32_t point;

	emit(json, "\"");
	while (*at != '\0') {
		length = utf8_sequence(at, &point);
		if (length == 0) {
			emit(json, "\xef\xbf\xbd");
			length = 1;
		} else if (must_escape(point)) {
			escape(json, point);
		} else {
			json->sink(json->context, (const char *)at, length);
		}
		at += length;
	}
	emit(json, "\"");
}

/* All that stands before a value: the comma and the key. */
static void
introduce(struct json *json, const char *key)
{
	if (json->comma)
		emit(json, ",");
	json->comma = true;
	if (key != NULL) {
		quoted(json, key);
		emit(json, ":");
	}
}

void
json_begin(struct json *json, void (*sink)(void *, const char *, size_t), void *context)
{
	json->sink = sink;
	json->context = context;
	json->comma = false;
}

/*
 * One flag does for all levels: a level that was just opened holds nothing, and one that we come
 * back to holds at least what was just closed.
 */
static void
json_open(struct json *json, const char *key, const char *bracket)
{
	introduce(json, key);
	emit(json, bracket);
	json->comma = false;
}

static void
json_close(struct json *json, const char *bracket)
{
	emit(json, bracket);
	json->comma = true;
}

void
json_object(struct json *json, const char *key)
{
	json_open(json, key, "{");
}

void
json_object_end(struct json *json)
{
	json_close(json, "}");
}

void
json_array(struct json *json, const char *key)
{
	json_open(json, key, "[");
}

void
json_array_end(struct json *json)
{
	json_close(json, "]");
}

void
json_string(struct json *json, const char *key, const char *value)
{
	introduce(json, key);
	if (value == NULL)
		emit(json, "null");
	else
		quoted(json, value);
}

void
json_number(struct json *json, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	introduce(json, key);
	emit(json, text);
}

void
json_bool(struct json *json, const char *key, bool value)
{
	introduce(json, key);
	emit(json, value ? "true" : "false");
}

void
json_null(struct json *json, const char *key)
{
	introduce(json, key);
	emit(json, "null");
}

void
json_buffer_sink(void *context, const char *bytes, size_t length)
{
	struct json_buffer *buffer = context;

	/* Once something was left out, nothing may follow: half a text is no text. */
	if (buffer->overflow || buffer->size == 0 || length >= buffer->size - buffer->length) {
		buffer->overflow = true;
		if (buffer->size > 0)
			buffer->bytes[buffer->length] = '\0';
		return;
	}
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
	buffer->bytes[buffer->length] = '\0';
}
