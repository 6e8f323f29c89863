/* SPDX-License-Identifier: ISC */
#include "commands/environment.h"

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
};
#define NAMES_LENGTH (sizeof(names) / sizeof(names[0]))

static bool
is_ours(const char *entry)
{
	size_t length = strcspn(entry, "=");

	for (size_t i = 0; i < NAMES_LENGTH; i++) {
		if (strlen(names[i]) == length && strncmp(names[i], entry, length) == 0)
			return true;
	}
	return false;
}

int
environment_build(struct environment *environment, const struct lockname *name,
    const struct term *term, const struct told_outcome *previous, enum ticket_mode mode,
    const char *directory)
{
	char generation[24], key[sizeof(name->text) + sizeof(term->contender) + 24], before[24];
	const char *const values[NAMES_LENGTH] = {name->text, name->app, name->protocol, name->kind,
	    name->resource, name->scope, mode == TICKET_SHARED ? "shared" : "exclusive", generation,
	    term->contender, key, term_outcome_word(previous->outcome), before, directory};
	size_t count = 0, at = 0, used = 0;

	while (environ[count] != NULL)
		count++;
	environment->entries =
	    reallocarray(NULL, count + NAMES_LENGTH + 1, sizeof(environment->entries[0]));
	if (environment->entries == NULL)
		return -1;
	snprintf(generation, sizeof(generation), "%" PRIu64, term->generation);
	snprintf(before, sizeof(before), "%" PRIu64, previous->generation);
	snprintf(key, sizeof(key), "%s:%s:%s", name->text, term->contender, generation);
	for (size_t i = 0; i < NAMES_LENGTH; i++) {
		if (term->generation == 0 && (values[i] == generation || values[i] == key))
			continue;
		if (previous->generation == 0 && values[i] == before)
			continue;
		environment->entries[at++] = environment->texts + used;
		used += 1 + (size_t)snprintf(environment->texts + used,
				sizeof(environment->texts) - used, "%s=%s", names[i], values[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_ours(environ[i]))
			environment->entries[at++] = environ[i];
	}
	environment->entries[at] = NULL;
	return 0;
}

void
environment_free(struct environment *environment)
{
	free(environment->entries);
	environment->entries = NULL;
}
