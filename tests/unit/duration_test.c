/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "expect.h"
#include "values/duration.h"

#define MS  DURATION_MILLISECOND
#define SEC DURATION_SECOND

static const struct {
	const char *text;
	duration_t wanted;
} good[] = {
    {"0", 0},
    {"0s", 0},
    {"000", 0},
    {"0.000d", 0},
    {"250ms", 250 * MS},
    {"30", 30 * SEC},
    {"30s", 30 * SEC},
    {"007", 7 * SEC},
    {"1.5m", 90 * SEC},
    {"2h", 7200 * SEC},
    {"1d", 86400 * SEC},
    {"0.5", SEC / 2},
    {"1.25ms", 1250000},
    /* rounded up, and exactly */
    {"0.0000000001", 1},
    {"0.000000000000000000000000000000000000000001ms", 1},
    {"1.0000000001", SEC + 1},
    {"0.00000000000000000000000000000000000", 0},
    {"0.3333333333", 333333334},
    {"0.1ms", 100000},
    {"0.0000001d", 8640000},
    {"0.00000000000001157407407407407407407407407d", 1},
    {"0.0000000000000115740740740740740740740740740740741d", 2},
    {"36500d", DURATION_MAX},
    {"876000h", DURATION_MAX},
    {"3153600000", DURATION_MAX},
    {"3153600000.0", DURATION_MAX},
};

static const char *const malformed[] = {"", " ", "-1", "+3", " 3", "3 ", "1e999", "1e3", "5parsecs",
    "0x10", "1.", ".5", ".", "1.s", "1..5", "1.5.5", "1,5", "ms", "s", "1S", "1M", "1us", "1ns",
    "1h30m", "inf", "nan", "never", "\xd9\xa3", "1\n", "1w", "1mss", "99999999999999999999x"};

static const char *const huge[] = {"36500.0000000000000000000000000001d", "36501d", "3153600001",
    "3153600000.0000000001", "9223372036854775807", "9223372036854775808d", "18446744073709551616",
    "18446744073709551617ms",
    "99999999999999999999999999999999999999999999999999999999999999999999999999999999ms"};

static const struct {
	duration_t length;
	const char *wanted;
} shown[] = {
    {-5, "0s"},
    {INT64_MIN, "0s"},
    {0, "0s"},
    {1, "0s"},
    {MS, "1ms"},
    {250 * MS, "250ms"},
    {SEC - 1, "999ms"},
    {SEC, "1.0s"},
    {3200 * MS, "3.2s"},
    {9999 * MS, "9.9s"},
    {10 * SEC, "10s"},
    {45 * SEC, "45s"},
    {60 * SEC - 1, "59s"},
    {60 * SEC, "1m00s"},
    {125 * SEC, "2m05s"},
    {3600 * SEC - 1, "59m59s"},
    {7980 * SEC, "2h13m"},
    {86400 * SEC, "1d00h"},
    {(3 * 86400 + 4 * 3600) * SEC, "3d04h"},
    {DURATION_MAX, "36500d00h"},
    {DURATION_NEVER, "106751d23h"},
};

static void
good_durations(void)
{
	duration_t got;

	for (size_t i = 0; i < ROWS(good); i++) {
		got = -1;
		ROW(EXPECT_INT(duration_parse(good[i].text, &got), DURATION_OK), "%s",
		    good[i].text);
		ROW(EXPECT_INT(got, good[i].wanted), "%s", good[i].text);
	}
}

static void
bad_durations(void)
{
	duration_t got = 42;

	for (size_t i = 0; i < ROWS(malformed); i++)
		ROW(EXPECT_INT(duration_parse(malformed[i], &got), DURATION_MALFORMED), "%s",
		    malformed[i]);
	for (size_t i = 0; i < ROWS(huge); i++)
		ROW(EXPECT_INT(duration_parse(huge[i], &got), DURATION_HUGE), "%s", huge[i]);
	EXPECT_INT(got, 42);
}

static void
many_digits(void)
{
	static char text[100002];
	duration_t got;

	memset(text, '9', sizeof(text) - 1);
	EXPECT_INT(duration_parse(text, &got), DURATION_HUGE);
	text[1] = '.';
	EXPECT_INT(duration_parse(text, &got), DURATION_OK);
	EXPECT_INT(got, 10 * SEC);
	memset(text, '0', sizeof(text) - 1);
	text[sizeof(text) - 2] = '7';
	EXPECT_INT(duration_parse(text, &got), DURATION_OK);
	EXPECT_INT(got, 7 * SEC);
}

static void
format(void)
{
	char text[DURATION_TEXT_SIZE];

	for (size_t i = 0; i < ROWS(shown); i++)
		EXPECT_STR(duration_format(shown[i].length, text), shown[i].wanted);
}

static void
slept(void)
{
	static const struct {
		duration_t monotonic, boottime;
		bool wanted;
	} rows[] = {
	    {0, 0, false},
	    {SEC, SEC, false},
	    /* Read one after the other, with a busy machine between them. */
	    {SEC, SEC + 100 * DURATION_MILLISECOND, false},
	    {SEC + 100 * DURATION_MILLISECOND, SEC, false},
	    {SEC, 3 * SEC, true},
	    {0, 8 * 3600 * SEC, true},
	    {3600 * SEC, 3601 * SEC, true},
	};

	for (size_t i = 0; i < ROWS(rows); i++)
		ROW(EXPECT_INT(duration_slept(rows[i].monotonic, rows[i].boottime), rows[i].wanted),
		    "row %zu", i);
}

int
main(void)
{
	TEST(good_durations);
	TEST(bad_durations);
	TEST(many_digits);
	TEST(format);
	TEST(slept);
	return expect_status();
}
