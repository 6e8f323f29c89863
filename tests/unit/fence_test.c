/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/record.h"

static void
a_new_one_has_seen_nothing(void)
{
	char longest[LOCKNAME_SIZE] = "a:v1:leader:";
	const char *const names[] = {"shop:v1:leader:sync", longest, "a:v1:b:c"};
	char file[FENCE_FILE_SIZE], name[LOCKNAME_SIZE];
	struct number_highest seen;

	memset(longest + strlen(longest), 'x', LOCKNAME_MAX - strlen(longest));

	for (size_t i = 0; i < ROWS(names); i++) {
		fence_seed(names[i], file);
		EXPECT(memchr(file, '\0', sizeof(file)) == NULL);
		for (size_t line = 1; line <= 3; line++)
			EXPECT(file[line * NUMBER_SLOT_SIZE - 1] == '\n');
		ROW(EXPECT(fence_unpack(file, name, &seen)), "%s", names[i]);
		EXPECT_STR(name, names[i]);
		EXPECT_INT(seen.generation, 0);
		EXPECT(seen.kept);
	}
}

static void
it_reads_as_it_is_documented(void)
{
	char file[FENCE_FILE_SIZE];

	fence_seed("shop:v1:leader:sync", file);
	EXPECT(memcmp(file, "sequence=2 last=0 ceiling=0 raising=0 boot=- ", 45) == 0);
	EXPECT(memcmp(file + NUMBER_SLOT_SIZE, "sequence=1 last=0 ", 18) == 0);
	EXPECT(memcmp(file + NUMBER_FILE_SIZE, "lock=shop:v1:leader:sync ", 25) == 0);
}

/* The name has no second copy; the number has one. */
static void
damage(void)
{
	char file[FENCE_FILE_SIZE], name[LOCKNAME_SIZE];
	struct number_highest seen;

	fence_seed("shop:v1:leader:sync", file);
	for (size_t i = 0; i < sizeof(file); i++) {
		file[i] ^= 1;
		ROW(EXPECT(fence_unpack(file, name, &seen) == (i < NUMBER_FILE_SIZE)), "%zu", i);
		EXPECT(i >= NUMBER_FILE_SIZE || !seen.kept);
		file[i] ^= 1;
	}
	file[0] ^= 1;
	file[NUMBER_SLOT_SIZE] ^= 1;
	EXPECT(!fence_unpack(file, name, &seen));
	memset(file, ' ', sizeof(file));
	EXPECT(!fence_unpack(file, name, &seen));
}

int
main(void)
{
	TEST(a_new_one_has_seen_nothing);
	TEST(it_reads_as_it_is_documented);
	TEST(damage);
	return expect_status();
}
