/* SPDX-License-Identifier: ISC */
#include "expect.h"
#include "values/notice.h"

static struct notice notice;

static void
take(const char *text)
{
	notice_read(text, strlen(text), &notice);
}

static const struct {
	const char *text;
	bool alive, gives_up;
	const char *status; /* NULL: none */
} rows[] = {
    {"READY=1", true, false, NULL},
    {"READY=1\n", true, false, NULL},
    {"RELOADING=1\nMONOTONIC_USEC=5", true, false, NULL},
    {"STOPPING=1", true, false, NULL},
    {"WATCHDOG=1", true, false, NULL},
    {"WATCHDOG=trigger", false, true, NULL},
    {"STATUS=3 of 10", true, false, "3 of 10"},
    {"STATUS=", true, false, ""},
    {"STATUS=a=b", true, false, "a=b"},
    {"STATUS=one\nSTATUS=two", true, false, "two"},
    {"READY=1\nSTATUS=up\nMAINPID=7\nX_OWN=1", true, false, "up"},
    {"STATUS=up\nWATCHDOG=trigger", true, true, "up"},
    {"\n\nWATCHDOG=1\n\n", true, false, NULL},
    /* no sign of life */
    {"", false, false, NULL},
    {"\n", false, false, NULL},
    {"BARRIER=1", false, false, NULL},
    {"MAINPID=7", false, false, NULL},
    {"WATCHDOG_USEC=1", false, false, NULL},
    {"EXTEND_TIMEOUT_USEC=99999999", false, false, NULL},
    {"FDSTORE=1", false, false, NULL},
    {"READY=0", false, false, NULL},
    {"READY=11", false, false, NULL},
    {"READY=", false, false, NULL},
    {"READY", false, false, NULL},
    {"=1", false, false, NULL},
    {" READY=1", false, false, NULL},
    {"READY =1", false, false, NULL},
    {"ready=1", false, false, NULL},
    {"XREADY=1", false, false, NULL},
    {"WATCHDOG=1\r", false, false, NULL},
    {"WATCHDOG=triggered", false, false, NULL},
    {"status=x", false, false, NULL},
    {"hello", false, false, NULL},
};

static void
messages(void)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		take(rows[i].text);
		ROW(EXPECT_INT(notice.alive, rows[i].alive), "%s", rows[i].text);
		ROW(EXPECT_INT(notice.gives_up, rows[i].gives_up), "%s", rows[i].text);
		ROW(EXPECT_INT(notice.has_status, rows[i].status != NULL), "%s", rows[i].text);
		ROW(EXPECT_STR(notice.status, rows[i].status != NULL ? rows[i].status : ""), "%s",
		    rows[i].text);
	}
}

static void
foreign_text_is_cleaned(void)
{
	static const char zero[] = "STATUS=a\0b\nREADY=1";

	take("STATUS=\033[31mred\177\ttab");
	EXPECT_STR(notice.status, "?[31mred??tab");
	EXPECT(note_valid(notice.status));
	notice_read(zero, sizeof(zero) - 1, &notice);
	EXPECT_STR(notice.status, "a?b");
	EXPECT(notice.alive);
	/* What is no UTF-8 stays as it is: whoever shows it has to escape it anyway. */
	take("STATUS=\xc3\xa4 \xff");
	EXPECT_STR(notice.status, "\xc3\xa4 \xff");
}

/* A status of length bytes with this at its end, after as many dots as it takes. */
static void
take_long(size_t length, const char *end)
{
	char text[1024] = "STATUS=";
	const size_t dots = length - strlen(end);

	memset(text + 7, '.', dots);
	strcpy(text + 7 + dots, end);
	take(text);
}

static void
long_status_is_cut(void)
{
	take_long(NOTE_MAX, "!");
	EXPECT_INT(strlen(notice.status), NOTE_MAX);
	EXPECT_INT(notice.status[NOTE_MAX - 1], '!');
	take_long(NOTE_MAX + 1, "!");
	EXPECT_INT(strlen(notice.status), NOTE_MAX);
	EXPECT_INT(notice.status[NOTE_MAX - 1], '.');
	/* not within a character */
	take_long(NOTE_MAX + 1, "\xe2\x82\xac");
	EXPECT_INT(strlen(notice.status), NOTE_MAX - 2);
	take_long(NOTE_MAX + 2, "\xe2\x82\xac");
	EXPECT_INT(strlen(notice.status), NOTE_MAX - 1);
	take_long(NOTE_MAX, "\xe2\x82\xac");
	EXPECT_INT(strlen(notice.status), NOTE_MAX);
	EXPECT(note_valid(notice.status));
	/* nothing but the middle of a character */
	memset(notice.status, 0, sizeof(notice.status));
	{
		char middle[512] = "STATUS=";

		memset(middle + 7, 0x80, 400);
		take(middle);
		EXPECT_STR(notice.status, "");
		EXPECT(notice.has_status);
	}
}

/* Any bytes at all, each prefix of them, and no byte behind the length. */
static void
any_bytes(void)
{
	uint32_t state = 4711;
	char bytes[64];

	for (int i = 0; i < 20000; i++) {
		size_t length = 0;

		for (; length < sizeof(bytes); length++) {
			state = state * 1664525 + 1013904223;
			bytes[length] = "\nSTATUS=READY1WATCHDOGtrigger\0\xc3"[(state >> 16) % 31];
		}
		notice_read(bytes, state % (sizeof(bytes) + 1), &notice);
		EXPECT(note_valid(notice.status));
		EXPECT(notice.has_status || notice.status[0] == '\0');
	}
}

int
main(void)
{
	TEST(messages);
	TEST(foreign_text_is_cleaned);
	TEST(long_status_is_cut);
	TEST(any_bytes);
	return expect_status();
}
