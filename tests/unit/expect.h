/* SPDX-License-Identifier: ISC */
/*
 * Expectations for unit tests. A test program is a main that calls TEST for each function and
 * returns expect_status(). One line for each test, one more for each expectation that failed, and
 * at the end how many tests there were (TAP): a program that dies on the way does not come to that.
 */
#ifndef LOCKRUN_TESTS_EXPECT_H
#define LOCKRUN_TESTS_EXPECT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static unsigned expect_failures, expect_tests, expect_failed_tests;

static inline bool
expect_check(bool holds, const char *file, int line, const char *what)
{
	if (!holds) {
		expect_failures++;
		printf("# %s:%d: %s\n", file, line, what);
	}
	return holds;
}

static inline bool
expect_string(const char *got, const char *wanted, const char *file, int line, const char *what)
{
	const bool same =
	    got == wanted || (got != NULL && wanted != NULL && strcmp(got, wanted) == 0);

	if (!expect_check(same, file, line, what))
		printf("#   got \"%s\"\n#   not \"%s\"\n", got != NULL ? got : "(null)",
		    wanted != NULL ? wanted : "(null)");
	return same;
}

static inline bool
expect_integer(int64_t got, int64_t wanted, const char *file, int line, const char *what)
{
	if (!expect_check(got == wanted, file, line, what))
		printf("#   got %" PRId64 ", not %" PRId64 "\n", got, wanted);
	return got == wanted;
}

static inline void
expect_run(const char *name, void (*test)(void))
{
	const unsigned before = expect_failures;

	test();
	expect_tests++;
	if (expect_failures != before)
		expect_failed_tests++;
	printf("%s - %s\n", expect_failures == before ? "ok" : "not ok", name);
}

static inline int
expect_status(void)
{
	if (expect_failed_tests > 0)
		printf("# %u of %u tests failed\n", expect_failed_tests, expect_tests);
	printf("1..%u\n", expect_tests);
	return expect_failed_tests > 0;
}

/* Each is true when it held, so that a table can say which row it was. */
#define EXPECT(condition)	expect_check((condition), __FILE__, __LINE__, #condition)
#define EXPECT_STR(got, wanted) expect_string((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_INT(got, wanted) \
	expect_integer((int64_t)(got), (int64_t)(wanted), __FILE__, __LINE__, #got)
/* For the body of a loop over rows: name the row that failed. */
#define ROW(held, ...)                       \
	do {                                 \
		if (!(held)) {               \
			printf("#   row ");  \
			printf(__VA_ARGS__); \
			printf("\n");        \
		}                            \
	} while (0)
#define TEST(test) expect_run(#test, test)

#endif
