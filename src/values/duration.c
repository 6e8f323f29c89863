/* SPDX-License-Identifier: ISC */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "values/duration.h"

static const struct duration_unit {
	const char *suffix;
	duration_t length;
} duration_units[] = {
    {"", DURATION_SECOND},
    {"ms", DURATION_MILLISECOND},
    {"s", DURATION_SECOND},
    {"m", DURATION_SECOND * 60},
    {"h", DURATION_SECOND * 3600},
    {"d", DURATION_SECOND * 86400},
};

#define DIGITS "0123456789"

static duration_t
unit_length(const char *suffix)
{
	for (size_t i = 0; i < sizeof(duration_units) / sizeof(duration_units[0]); i++)
		if (strcmp(duration_units[i].suffix, suffix) == 0)
			return duration_units[i].length;
	return 0;
}

/* The value of digits, or anything above most when it is above most. */
static duration_t
whole_value(const char *digits, size_t count, duration_t most)
{
	duration_t value = 0;

	for (size_t i = 0; i < count && value <= most; i++)
		value = value * 10 + (digits[i] - '0');
	return value;
}

/*
 * The length of 0.DIGITS units, rounded up. From the last digit to the first, since rounding up at
 * each step then comes to the same as rounding up once: ceil((a + ceil(x)) / 10) is
 * ceil((a + x) / 10) for a whole number a.
 */
static duration_t
fraction_value(const char *digits, size_t count, duration_t unit)
{
	duration_t value = 0;

	while (count-- > 0)
		value = ((digits[count] - '0') * unit + value + 9) / 10;
	return value;
}

enum duration_verdict
duration_parse(const char *text, duration_t *result)
{
	size_t whole = strspn(text, DIGITS), fraction = 0;
	const char *rest = text + whole, *point = rest;
	duration_t unit, units, length;

	if (whole == 0)
		return DURATION_MALFORMED;
	if (*rest == '.') {
		fraction = strspn(++point, DIGITS);
		if (fraction == 0)
			return DURATION_MALFORMED;
		rest = point + fraction;
	}
	unit = unit_length(rest);
	if (unit == 0)
		return DURATION_MALFORMED;
	units = whole_value(text, whole, DURATION_MAX / unit);
	if (units > DURATION_MAX / unit)
		return DURATION_HUGE;
	length = units * unit + fraction_value(point, fraction, unit);
	if (length > DURATION_MAX)
		return DURATION_HUGE;
	*result = length;
	return DURATION_OK;
}

char *
duration_format(duration_t length, char text[DURATION_TEXT_SIZE])
{
	const long long milliseconds = length > 0 ? length / DURATION_MILLISECOND : 0;
	const long long seconds = milliseconds / 1000;

	if (milliseconds == 0)
		snprintf(text, DURATION_TEXT_SIZE, "0s");
	else if (seconds < 1)
		snprintf(text, DURATION_TEXT_SIZE, "%lldms", milliseconds);
	else if (seconds < 10)
		snprintf(text, DURATION_TEXT_SIZE, "%lld.%llds", seconds, milliseconds / 100 % 10);
	else if (seconds < 60)
		snprintf(text, DURATION_TEXT_SIZE, "%llds", seconds);
	else if (seconds < 3600)
		snprintf(text, DURATION_TEXT_SIZE, "%lldm%02llds", seconds / 60, seconds % 60);
	else if (seconds < 86400)
		snprintf(
		    text, DURATION_TEXT_SIZE, "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
	else
		snprintf(
		    text, DURATION_TEXT_SIZE, "%lldd%02lldh", seconds / 86400, seconds / 3600 % 24);
	return text;
}

#define SLEPT_MARGIN (500 * DURATION_MILLISECOND)

bool
duration_slept(duration_t monotonic, duration_t boottime)
{
	return boottime - monotonic >= SLEPT_MARGIN;
}
