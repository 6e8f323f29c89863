/* SPDX-License-Identifier: ISC */
#include <limits.h>
#include <string.h>

#include <bsd/stdlib.h>
#include <bsd/string.h>

#include "values/option_value.h"
#include "values/ticket.h"

#define STATUS_MOST	    255
#define DURATION_DIGITS_MAX 64 /* more than anybody writes */

static int
store_duration(const struct option_row *row, const struct option_spelling *spelling,
    const char *value, duration_t *field, struct fault *fault)
{
	const bool positive =
	    row->value == OPTION_POSITIVE || row->value == OPTION_POSITIVE_OR_NEVER;
	duration_t duration;

	if (value == NULL) {
		*field = 0;
		return 0;
	}
	if (row->value == OPTION_POSITIVE_OR_NEVER && strcmp(value, "never") == 0) {
		*field = DURATION_NEVER;
		return 0;
	}
	switch (duration_parse(value, &duration)) {
	case DURATION_OK:
		break;
	case DURATION_HUGE:
		fault_set(fault, FAULT_USAGE_DURATION, 0, "%s \"%s\"", spelling->text, value);
		return fault_hint(fault, "(36500d at most)");
	default:
		return fault_set(
		    fault, FAULT_USAGE_DURATION, 0, "%s \"%s\"", spelling->text, value);
	}
	if (positive && duration == 0) {
		fault_set(fault, FAULT_USAGE_DURATION_ZERO, 0, "%s %s", spelling->text, value);
		return fault_hint(fault, "%s",
		    row->value == OPTION_POSITIVE ? "leave it out for no limit"
						  : "write never for no limit");
	}
	*field = duration;
	return 0;
}

/* The words stand in the metavar, in the order of their values. */
static int
store_choice(const struct option_row *row, const struct option_spelling *spelling,
    const char *value, int *field, struct fault *fault)
{
	size_t length;
	int choice = 0;

	for (const char *word = row->metavar;; word += length + 1, choice++) {
		length = strcspn(word, "|");
		if (strlen(value) == length && strncmp(word, value, length) == 0) {
			*field = choice;
			return 0;
		}
		if (word[length] == '\0')
			break;
	}
	fault_set(fault, FAULT_USAGE_CHOICE, 0, "%s \"%s\"", spelling->text, value);
	return fault_hint(fault, "%s", row->metavar);
}

static int
store_status(
    const struct option_spelling *spelling, const char *value, int *field, struct fault *fault)
{
	const char *error = NULL;
	long long number;

	/* strtonum(3) alone would let blanks and a sign pass. */
	number = strtonum(value, 0, STATUS_MOST, &error);
	if (error != NULL || value[strspn(value, "0123456789")] != '\0')
		return fault_set(fault, FAULT_USAGE_NUMBER, 0, "%s \"%s\"", spelling->text, value);
	*field = (int)number;
	return 0;
}

static int
store_count(
    const struct option_spelling *spelling, const char *value, int *field, struct fault *fault)
{
	const char *error = NULL;

	*field = (int)strtonum(value, 0, INT_MAX, &error);
	if (error != NULL || value[strspn(value, "0123456789")] != '\0')
		return fault_set(fault, FAULT_USAGE_COUNT, 0, "%s \"%s\"", spelling->text, value);
	return 0;
}

static int
store_number(const struct option_row *row, const struct option_spelling *spelling,
    const char *value, uint64_t *field, struct fault *fault)
{
	const char *error = NULL;

	*field = (uint64_t)strtonum(value, 1, LLONG_MAX, &error);
	if (error != NULL || value[strspn(value, "0123456789")] != '\0')
		return fault_set(fault,
		    row->value == OPTION_GENERATION ? FAULT_USAGE_GENERATION : FAULT_USAGE_TERMS, 0,
		    "%s \"%s\"", spelling->text, value);
	return 0;
}

static int
store_backoff(const struct option_spelling *spelling, const char *value,
    struct backoff_limits *field, struct fault *fault)
{
	const size_t length = strcspn(value, ":");
	enum fault_kind kind = FAULT_USAGE_BACKOFF;
	char min[DURATION_DIGITS_MAX];

	if (length < sizeof(min) && value[length] == ':') {
		strlcpy(min, value, length + 1);
		if (duration_parse(min, &field->min) == DURATION_OK &&
		    duration_parse(value + length + 1, &field->max) == DURATION_OK &&
		    field->min <= field->max) {
			if (field->min > 0)
				return 0;
			kind = FAULT_USAGE_BACKOFF_ZERO;
		}
	}
	return fault_set(fault, kind, 0, "%s \"%s\"", spelling->text, value);
}

static int
store_note(const struct option_spelling *spelling, const char *value, const char **field,
    struct fault *fault)
{
	switch (note_look(value)) {
	case NOTE_GOOD:
		*field = value;
		return 0;
	case NOTE_LONG:
		fault_set(fault, FAULT_USAGE_NOTE_LONG, 0, "%s", spelling->text);
		return fault_hint(fault, "(this has %zu bytes)", strlen(value));
	case NOTE_BREAK:
		return fault_set(
		    fault, FAULT_USAGE_NOTE_BREAK, 0, "%s \"%s\"", spelling->text, value);
	case NOTE_CONTROL:
		break;
	}
	return fault_set(fault, FAULT_USAGE_NOTE_CONTROL, 0, "%s \"%s\"", spelling->text, value);
}

/* A descriptor that is not open may be so another time; what is no number never is. */
static int
check_events(const struct option_spelling *spelling, const char *value, struct fault *fault)
{
	const char *number = value + strlen("fd:");

	if (strncmp(value, "fd:", strlen("fd:")) != 0 ||
	    (number[0] != '\0' && number[strspn(number, "0123456789")] == '\0'))
		return 0;
	fault_set(fault, FAULT_USAGE_DESCRIPTOR, 0, "%s \"%s\"", spelling->text, value);
	return fault_hint(fault, "./%s", value);
}

/* Empty is what a shell makes of a variable that was never set. */
static int
store_text(const struct option_row *row, const struct option_spelling *spelling, const char *value,
    const struct option_reading *reading)
{
	struct options *options = reading->options;
	const size_t most = sizeof(options->scopes) / sizeof(options->scopes[0]);

	if (value[0] == '\0') {
		fault_set(reading->fault, FAULT_USAGE_VALUE_MISSING, 0, "%s \"\"", spelling->text);
		return fault_hint(reading->fault, "write %s %s", spelling->text, row->metavar);
	}
	if (row->value != OPTION_SCOPE) {
		*(const char **)((char *)options + row->field) = value;
		return 0;
	}
	if (options->scope_count == most) {
		fault_set(
		    reading->fault, FAULT_USAGE_EXTRA_WORD, 0, "%s \"%s\"", spelling->text, value);
		return fault_hint(reading->fault, "a name has at most %zu scopes", most);
	}
	options->scopes[options->scope_count++] = value;
	return 0;
}

int
option_store(const struct option_reading *reading, const struct option_row *row,
    const struct option_spelling *spelling, const char *value)
{
	struct options *options = reading->options;
	void *field = (char *)options + row->field;

	if (row->trait == OPTION_SUPERVISED && options->supervised == NULL)
		options->supervised = row->name;
	if (row->trait == OPTION_LOOPING && options->looping == NULL)
		options->looping = row->name;
	switch (row->value) {
	case OPTION_HABIT:
		return 0;
	case OPTION_CHOICE:
		return store_choice(row, spelling, value, field, reading->fault);
	case OPTION_FLAG:
		*(bool *)field = true;
		/* One of the two counts. */
		if (row->field == offsetof(struct options, verbose))
			options->quiet = false;
		else if (row->field == offsetof(struct options, quiet))
			options->verbose = false;
		return 0;
	case OPTION_DURATION_IF_ANY:
	case OPTION_DURATION:
	case OPTION_POSITIVE:
	case OPTION_POSITIVE_OR_NEVER:
		if (row->field == offsetof(struct options, kill_after))
			options->kill_after_given = true;
		return store_duration(row, spelling, value, field, reading->fault);
	case OPTION_STATUS:
		return store_status(spelling, value, field, reading->fault);
	case OPTION_COUNT:
		return store_count(spelling, value, field, reading->fault);
	case OPTION_GENERATION:
	case OPTION_TERMS:
		return store_number(row, spelling, value, field, reading->fault);
	case OPTION_BACKOFF:
		return store_backoff(spelling, value, field, reading->fault);
	case OPTION_NOTE:
		return store_note(spelling, value, field, reading->fault);
	case OPTION_EVENTS:
		if (check_events(spelling, value, reading->fault) == -1)
			return -1;
		break;
	case OPTION_TEXT:
	case OPTION_SCOPE:
		break;
	}
	return store_text(row, spelling, value, reading);
}
