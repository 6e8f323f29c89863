/* SPDX-License-Identifier: ISC */
/*
 * A small JSON writer. JSON is written here and never read. Calls nest as the document does; the
 * writer puts commas and quotes. Keys are ASCII literals of ours. Strings may hold any bytes: what
 * is not valid UTF-8 becomes U+FFFD, controls and the two that JSON reserves are escaped.
 */
#ifndef LOCKRUN_VALUES_JSON_H
#define LOCKRUN_VALUES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	void (*sink)(void *context, const char *bytes, size_t length);
	void *context;
	bool comma; /* a value stands before, on this level */
};

/* Write into sink, which gets context and pieces of text as they come. */
void json_begin(struct json *json, void (*sink)(void *, const char *, size_t), void *context);

/* key is NULL inside an array and for the outermost value. */
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value); /* NULL writes null */
void json_number(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A sink into a bounded buffer, always terminated; what does not fit sets overflow. */
struct json_buffer {
	char *bytes;
	size_t size;
	size_t length;
	bool overflow;
};
void json_buffer_sink(void *context, const char *bytes, size_t length);

#endif
