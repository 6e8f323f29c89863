/* SPDX-License-Identifier: ISC */
#include <limits.h>

#include "expect.h"
#include "values/ticket.h"

#define N20 "00000000000000000001."
#define M20 "18446744073709551615."

static const struct ticket sample = {
    .number = 1,
    .arrival = UINT64_MAX,
    .pid = 4711,
    .pidns = 4026531836,
    .mode = TICKET_EXCLUSIVE,
    .kind = TICKET_QUEUED,
    .state = TICKET_WAITING,
};

static void
round_trips(void)
{
	static const uint64_t numbers[] = {0, 1, 9, 10, 12345678901234567890U, UINT64_MAX};
	static const pid_t pids[] = {1, 99, INT_MAX};
	char name[TICKET_NAME_SIZE], again[TICKET_NAME_SIZE];
	struct ticket ticket, got;

	EXPECT_STR(ticket_pack(&sample, name), N20 M20 "4711.4026531836.xqw");
	for (size_t i = 0; i < ROWS(numbers) * ROWS(numbers) * ROWS(pids) * 18; i++) {
		ticket.number = numbers[i % ROWS(numbers)];
		ticket.arrival = numbers[i / ROWS(numbers) % ROWS(numbers)];
		ticket.pidns = numbers[i * 7 % ROWS(numbers)];
		ticket.pid = pids[i % ROWS(pids)];
		ticket.mode = "xs"[i % 2];
		ticket.kind = "qnj"[i / 2 % 3];
		ticket.state = "whr"[i / 6 % 3];
		ROW(EXPECT(ticket_unpack(ticket_pack(&ticket, name), &got)), "%s", name);
		EXPECT_STR(ticket_pack(&got, again), name);
		EXPECT_INT(ticket_order(&ticket, &got), 0);
	}
}

static const char *const bad_names[] = {
    "",
    ".",
    "..",
    ".private",
    "1.1.1.0.xqw",
    N20 N20 "4711.0.xq",
    N20 N20 "4711.0.xqww",
    N20 N20 "4711.0.xqw ",
    N20 N20 "4711.0.xqw\n",
    N20 N20 "4711.0.Xqw",
    N20 N20 "4711.0.xkw",
    N20 N20 "4711.0.xqq",
    N20 N20 "4711..xqw",
    N20 N20 "4711.00.xqw",
    N20 N20 "4711.-1.xqw",
    N20 N20 "0.0.xqw",
    N20 N20 "-1.0.xqw",
    N20 N20 "+1.0.xqw",
    N20 N20 " 1.0.xqw",
    N20 N20 "01.0.xqw",
    N20 N20 "2147483648.0.xqw",
    N20 N20 "4294967297.0.xqw",
    N20 N20 "1.18446744073709551616.xqw",
    N20 N20 "0x10.0.xqw",
    "99999999999999999999." N20 "1.0.xqw",
    "+0000000000000000001." N20 "1.0.xqw",
    " 0000000000000000001." N20 "1.0.xqw",
    "000000000000000000001." N20 "1.0.xqw",
    N20 "18446744073709551616.1.0.xqw",
    N20 N20 N20 "1.0.xqw",
};

static void
other_names_are_refused(void)
{
	struct ticket got = sample;
	char name[TICKET_NAME_SIZE], flipped[TICKET_NAME_SIZE], again[TICKET_NAME_SIZE];

	for (size_t i = 0; i < ROWS(bad_names); i++)
		ROW(EXPECT(!ticket_unpack(bad_names[i], &got)), "%s", bad_names[i]);
	EXPECT_INT(ticket_order(&got, &sample), 0);
	ticket_pack(&sample, name);
	for (size_t i = 0; i < strlen(name); i++)
		for (int byte = 1; byte < 256; byte++) {
			strcpy(flipped, name);
			flipped[i] = (char)byte;
			if (ticket_unpack(flipped, &got))
				ROW(EXPECT_STR(ticket_pack(&got, again), flipped), "%zu", i);
		}
}

static void
names_of_passes(void)
{
	static const uint64_t times[] = {0, 1, 12345678901234567890U, UINT64_MAX};
	static const char *const bad[] = {"", ".passed-", ".passed-1", ".new-00000000000000000001",
	    ".passed-00000000000000000001x", ".passed-99999999999999999999",
	    ".passed--0000000000000000001"};
	char name[TICKET_NAME_SIZE];
	uint64_t got;

	EXPECT_STR(ticket_pass_pack(1, name), ".passed-00000000000000000001");
	for (size_t i = 0; i < ROWS(times); i++) {
		EXPECT(ticket_pass_unpack(ticket_pass_pack(times[i], name), &got));
		EXPECT(got == times[i]);
	}
	for (size_t i = 0; i < ROWS(bad); i++)
		ROW(EXPECT(!ticket_pass_unpack(bad[i], &got)), "%s", bad[i]);
}

static void
order(void)
{
	struct ticket later = sample;

	EXPECT_INT(ticket_order(&sample, &later), 0);
	later.pidns++;
	EXPECT(ticket_order(&sample, &later) < 0 && ticket_order(&later, &sample) > 0);
	later = sample;
	later.pid++;
	later.pidns = 0;
	EXPECT(ticket_order(&sample, &later) < 0 && ticket_order(&later, &sample) > 0);
	later.pid = 1;
	later.arrival = 0;
	EXPECT(ticket_order(&later, &sample) < 0);
	later.number = UINT64_MAX;
	EXPECT(ticket_order(&sample, &later) < 0 && ticket_order(&later, &sample) > 0);
}

static void
conflicts(void)
{
	EXPECT(ticket_conflicts(TICKET_EXCLUSIVE, TICKET_EXCLUSIVE));
	EXPECT(ticket_conflicts(TICKET_EXCLUSIVE, TICKET_SHARED));
	EXPECT(ticket_conflicts(TICKET_SHARED, TICKET_EXCLUSIVE));
	EXPECT(!ticket_conflicts(TICKET_SHARED, TICKET_SHARED));
}

static void
text_round_trip(void)
{
	struct ticket_text text = {.since_ms = INT64_MAX, .generation = 57, .joins = INT64_MAX},
			   got;
	char bytes[TICKET_TEXT_SIZE], again[TICKET_TEXT_SIZE];
	size_t length;

	memset(text.contender, 'f', sizeof(text.contender) - 1);
	memset(text.leader, 'e', sizeof(text.leader) - 1);
	strcpy(text.condition, "stepping-down");
	strcpy(text.reason, "max-hold");
	memset(text.command, '=', sizeof(text.command) - 1);
	memset(text.note, ' ', sizeof(text.note) - 1);
	text.note[0] = '\xc3';
	text.watchdog_ms = text.heard_ms = text.command_pid = INT64_MAX;
	memset(text.report, '=', sizeof(text.report) - 1);
	length = ticket_text_pack(&text, bytes);
	EXPECT(length < TICKET_TEXT_SIZE && strlen(bytes) == length);
	ticket_text_unpack(bytes, length, &got);
	EXPECT_INT(ticket_text_pack(&got, again), length);
	EXPECT_STR(again, bytes);
	/* Any length of it can be read, and gives no half lines. */
	for (size_t cut = 0; cut < length; cut++) {
		char part[TICKET_TEXT_SIZE];

		memcpy(part, bytes, cut);
		ticket_text_unpack(part, cut, &got);
		EXPECT(got.since_ms == 0 || got.since_ms == INT64_MAX);
		EXPECT(got.generation == 0 || got.generation == 57);
		EXPECT(got.joins == 0 || got.joins == INT64_MAX);
		EXPECT(got.leader[0] == '\0' || strcmp(got.leader, text.leader) == 0);
		EXPECT(got.note[0] == '\0' || strcmp(got.note, text.note) == 0);
		EXPECT(got.watchdog_ms == 0 || got.watchdog_ms == INT64_MAX);
		EXPECT(got.heard_ms == 0 || got.heard_ms == INT64_MAX);
		EXPECT(got.report[0] == '\0');
	}
}

static void
text_of_strangers(void)
{
	static const char bytes[] =
	    "nonsense\n=\nkey=value\nsince=12x\nsince=-3\nsince=\n"
	    "generation=99999999999999999999\nnote=a\033[2Jb\nnote=ok = ok\n"
	    "condition=much-longer-than-what-fits-there\ncommand=n\0l\n\n"
	    "contender=abc\ncontenderx=def\ncontende=ghi\nreason=stop";
	struct ticket_text got;

	ticket_text_unpack(bytes, sizeof(bytes) - 1, &got);
	EXPECT_INT(got.since_ms, 0);
	EXPECT_INT(got.generation, 0);
	EXPECT_STR(got.note, "ok = ok");
	EXPECT_STR(got.condition, "");
	EXPECT_STR(got.command, "");
	EXPECT_STR(got.contender, "abc");
	EXPECT_STR(got.reason, "");
	ticket_text_unpack("", 0, &got);
	EXPECT_STR(got.note, "");
}

static void
notes(void)
{
	char note[NOTE_MAX + 2];

	memset(note, 'n', sizeof(note));
	note[NOTE_MAX] = '\0';
	EXPECT(note_valid(note));
	note[NOTE_MAX] = 'n';
	note[NOTE_MAX + 1] = '\0';
	EXPECT(!note_valid(note));
	EXPECT(note_valid(""));
	EXPECT(note_valid("https://ci.example/run/5 \xc3\xa9"));
	EXPECT(!note_valid("two\nlines"));
	EXPECT(!note_valid("\t"));
	EXPECT(!note_valid("\033[0m"));
	EXPECT(!note_valid("\x7f"));
}

static void
command_names(void)
{
	static const struct {
		const char *path, *wanted;
	} rows[] = {{"rsync", "rsync"}, {"/usr/bin/rsync", "rsync"}, {"./a b", "a b"},
	    {"dir/", "dir"}, {"a//", "a"}, {"/", "/"}, {"//", "/"}, {"", ""},
	    {"x/\n\033\x7f", "???"}};
	char name[COMMAND_NAME_MAX + 1], path[256];

	for (size_t i = 0; i < ROWS(rows); i++) {
		command_name(rows[i].path, name);
		ROW(EXPECT_STR(name, rows[i].wanted), "%s", rows[i].path);
	}
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	command_name(path, name);
	EXPECT_INT(strlen(name), COMMAND_NAME_MAX);
	memcpy(path + COMMAND_NAME_MAX - 1, "\xe2\x82\xac", 3);
	command_name(path, name);
	EXPECT_INT(strlen(name), COMMAND_NAME_MAX - 1);
}

int
main(void)
{
	TEST(round_trips);
	TEST(other_names_are_refused);
	TEST(names_of_passes);
	TEST(order);
	TEST(conflicts);
	TEST(text_round_trip);
	TEST(text_of_strangers);
	TEST(notes);
	TEST(command_names);
	return expect_status();
}
