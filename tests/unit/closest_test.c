/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/closest.h"

static void
closest(void)
{
	static const char *const words[] = {"status", "stop", "name", "check", "run"};
	static const struct {
		const char *word, *wanted;
	} rows[] = {{"statsu", "status"}, {"sttus", "status"}, {"stop", "stop"}, {"stpo", "stop"},
	    {"nam", "name"}, {"rnu", "run"}, {"ru", NULL}, {"rm", NULL}, {"", NULL},
	    {"chekc", "check"}, {"backup", NULL}, {"statuses", "status"}, {"stats", "status"}};
	char longest[300];

	for (size_t i = 0; i < ROWS(rows); i++)
		ROW(EXPECT_STR(closest_word(rows[i].word, words, ROWS(words)), rows[i].wanted),
		    "%s", rows[i].word);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	EXPECT(closest_word(longest, words, ROWS(words)) == NULL);
	EXPECT(closest_word("x", words, 0) == NULL);
	EXPECT_INT(word_distance("", "abc"), 3);
	EXPECT_INT(word_distance("abcd", "abdc"), 1);
	EXPECT_INT(word_distance("kitten", "sitting"), 3);
}

int
main(void)
{
	TEST(closest);
	return expect_status();
}
