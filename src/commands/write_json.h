/* SPDX-License-Identifier: ISC */
/* JSON documents on standard output: what they all begin with, and what several contain. */
#ifndef LOCKRUN_COMMANDS_WRITE_JSON_H
#define LOCKRUN_COMMANDS_WRITE_JSON_H

#include "election/view.h"
#include "values/json.h"

/* The outermost object, as of now, and its end with a newline. */
void write_begin(struct json *json, const struct statedir *directory);
void write_end(struct json *json);

/* A time in RFC 3339; null for 0. */
void write_time(struct json *json, const char *key, int64_t realtime_ms);

/* What holders, waiters, terms and whole locks look like everywhere. */
void write_term(
    struct json *json, const char *key, const struct roster *roster, const struct term *term);
void write_view(struct json *json, const struct view *view);

#endif
