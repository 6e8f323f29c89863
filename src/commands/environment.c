/* SPDX-License-Identifier: ISC */
#include "commands/environment.h"

#include <bsd/stdlib.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What lockrun sets. A value from outside must not reach the command: it would be a lie. */
static const char *const names[] = {
    "LOCKRUN_NAME",
    "LOCKRUN_APP",
    "LOCKRUN_PROTOCOL",
    "LOCKRUN_KIND",
    "LOCKRUN_RESOURCE",
    "LOCKRUN_SCOPE",
    "LOCKRUN_MODE",
    "LOCKRUN_GENERATION",
    "LOCKRUN_CONTENDER",
    "LOCKRUN_IDEMPOTENCY_KEY",
    "LOCKRUN_PREVIOUS",
    "LOCKRUN_PREVIOUS_GENERATION",
    "LOCKRUN_DIR",
    "LOCKRUN_DEGRADED",
};
#define NAMES_LENGTH (sizeof(names) / sizeof(names[0]))

/* What add_watchdog may put there as well. */
#define WATCHDOG_NAMES 3

static bool
is_named(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool
is_ours(const char *entry)
{
	for (size_t i = 0; i < NAMES_LENGTH; i++) {
		if (is_named(entry, names[i]))
			return true;
	}
	return false;
}

/* Returns where its value stands; size is to be left for that. */
static char *
put(struct environment *environment, size_t at, const char *name, const char *value, size_t size)
{
	char *text = environment->texts + environment->used;
	const size_t left = sizeof(environment->texts) - environment->used;
	const size_t length = (size_t)snprintf(text, left, "%s=%s", name, value);

	environment->entries[at] = text;
	environment->used += 1 + (length > strlen(name) + size ? length : strlen(name) + size);
	return text + strlen(name) + 1;
}

/* The place of a variable: behind all others when it is not there. */
static size_t
find(const struct environment *environment, const char *name)
{
	size_t at = 0;

	while (at < environment->count && !is_named(environment->entries[at], name))
		at++;
	return at;
}

static char *
set(struct environment *environment, const char *name, const char *value, size_t size)
{
	const size_t at = find(environment, name);

	if (at == environment->count)
		environment->entries[++environment->count] = NULL;
	return put(environment, at, name, value, size);
}

/* A variable that means us, by our pid, will mean the command. */
static char *
hand_on(struct environment *environment, const char *name)
{
	const char *meant = getenv(name);
	char mine[PROCESS_PID_SIZE];

	snprintf(mine, sizeof(mine), "%d", getpid());
	if (meant == NULL || strcmp(meant, mine) != 0)
		return NULL;
	return set(environment, name, mine, PROCESS_PID_SIZE);
}

int
environment_build(struct environment *environment, const struct told *told)
{
	const struct told_outcome *previous = told->previous;
	const struct lockname *name = told->name;
	char generation[24], key[sizeof(name->text) + CONTENDER_SIZE + 24], before[24];
	const bool counts = told->generation != 0;
	/* NULL: it is not set. */
	const char *const values[NAMES_LENGTH] = {name->text, name->app, name->protocol, name->kind,
	    name->resource, name->scope, told->mode == TICKET_SHARED ? "shared" : "exclusive",
	    counts ? generation : NULL, told->contender, counts ? key : NULL,
	    previous != NULL ? term_outcome_word(previous->outcome) : NULL,
	    previous != NULL && previous->generation != 0 ? before : NULL, told->directory,
	    told->degraded ? "1" : NULL};
	size_t count = 0, at = 0;

	while (environ[count] != NULL)
		count++;
	environment->used = 0;
	environment->entries = reallocarray(
	    NULL, count + NAMES_LENGTH + WATCHDOG_NAMES + 1, sizeof(environment->entries[0]));
	if (environment->entries == NULL)
		return -1;
	snprintf(generation, sizeof(generation), "%" PRIu64, told->generation);
	snprintf(before, sizeof(before), "%" PRIu64, previous != NULL ? previous->generation : 0);
	snprintf(key, sizeof(key), "%s:%s:%s", name->text, told->contender, generation);
	for (size_t i = 0; i < NAMES_LENGTH; i++) {
		if (values[i] != NULL)
			put(environment, at++, names[i], values[i], 0);
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_ours(environ[i]))
			environment->entries[at++] = environ[i];
	}
	environment->entries[at] = NULL;
	environment->count = at;
	environment->own_pid[0] = hand_on(environment, "LISTEN_PID");
	environment->own_pid[1] = hand_on(environment, "WATCHDOG_PID");
	return 0;
}

/* How often our own service manager wants a sign of life. */
static duration_t
outer_limit(void)
{
	const char *microseconds = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID"), *error;
	long long number;

	if (microseconds == NULL || (pid != NULL && strtonum(pid, 1, INT_MAX, &error) != getpid()))
		return DURATION_NEVER;
	number = strtonum(microseconds, 1, DURATION_MAX / 1000, &error);
	return error == NULL ? number * 1000 : DURATION_NEVER;
}

void
environment_add_watchdog(struct environment *environment, const char *address, duration_t limit)
{
	const duration_t outer = outer_limit();
	char microseconds[24];

	snprintf(
	    microseconds, sizeof(microseconds), "%" PRId64, (outer < limit ? outer : limit) / 1000);
	set(environment, "NOTIFY_SOCKET", address, 0);
	set(environment, "WATCHDOG_USEC", microseconds, 0);
	environment->own_pid[1] = set(environment, "WATCHDOG_PID", "", PROCESS_PID_SIZE);
}

void
environment_free(struct environment *environment)
{
	free(environment->entries);
	environment->entries = NULL;
}
