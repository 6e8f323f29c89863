/* SPDX-License-Identifier: ISC */
#include <limits.h>

#include "expect.h"
#include "values/record.h"

#define BOOT_A "0b5a7c1e-1111-4222-8333-444455556666"

static const struct term terms[] = {
    {.generation = 1, .stage = TERM_BEGUN, .pid = 1},
    {.generation = UINT64_MAX,
	.stage = TERM_STARTED,
	.pid = INT_MAX,
	.command_pid = INT_MAX,
	.contender = "0123456789abcdef0123456789abcdef",
	.boot = BOOT_A,
	.sync = SYNC_OWED,
	.before = {OUTCOME_STEPPED_DOWN, UINT64_MAX},
	.queued_ms = INT64_MIN,
	.begun_ms = INT64_MAX,
	.command = "a b=c",
	.note = "  two blanks = before, and behind  "},
    {.generation = 57,
	.stage = TERM_ENDED,
	.pid = 4711,
	.command_pid = 4712,
	.contender = "0123456789abcdef0123456789abcdef",
	.boot = BOOT_A,
	.sync = SYNC_YES,
	.before = {OUTCOME_LOST, 56},
	.queued_ms = 1,
	.begun_ms = 2,
	.ended_ms = 3,
	.ran = RAN_YES,
	.reason = REASON_MAX_HOLD,
	.signal = 9,
	.killed = true,
	.command = "rsync",
	.note = "sum=0123456789abcdef"},
    {.generation = 58,
	.stage = TERM_ENDED,
	.pid = 4711,
	.ran = RAN_MAYBE,
	.reason = REASON_ERROR,
	.status = INT_MIN,
	.signal = INT_MAX,
	.note = "note=5:12345"},
    {.stage = TERM_EMPTY},
};

static void
term_round_trip(void)
{
	char slot[TERM_SLOT_SIZE], again[TERM_SLOT_SIZE];
	struct term got;

	for (size_t i = 0; i < ROWS(terms); i++) {
		const struct term *term = &terms[i];

		memset(&got, 0xff, sizeof(got));
		term_pack(term, slot);
		EXPECT(slot[TERM_SLOT_SIZE - 1] == '\n');
		EXPECT(memchr(slot, '\0', sizeof(slot)) == NULL);
		if (!EXPECT(term_unpack(slot, &got)))
			continue;
		EXPECT(got.generation == term->generation && got.stage == term->stage);
		EXPECT(got.pid == term->pid && got.command_pid == term->command_pid);
		EXPECT(got.queued_ms == term->queued_ms && got.begun_ms == term->begun_ms);
		EXPECT(got.ended_ms == term->ended_ms && got.ran == term->ran);
		EXPECT(got.reason == term->reason && got.status == term->status);
		EXPECT(got.sync == term->sync && got.before.outcome == term->before.outcome);
		EXPECT(got.before.generation == term->before.generation);
		EXPECT(got.signal == term->signal && got.killed == term->killed);
		EXPECT_STR(got.contender, term->contender);
		EXPECT_STR(got.boot, term->boot);
		EXPECT_STR(got.command, term->command);
		EXPECT_STR(got.note, term->note);
		term_pack(&got, again);
		EXPECT(memcmp(slot, again, sizeof(slot)) == 0);
	}
}

static void
term_at_its_longest(void)
{
	char slot[TERM_SLOT_SIZE];
	struct term term = terms[3], got;

	term.generation = term.before.generation = UINT64_MAX;
	term.before.outcome = OUTCOME_STEPPED_DOWN;
	term.sync = SYNC_OWED;
	term.pid = term.command_pid = INT_MAX;
	term.queued_ms = term.begun_ms = term.ended_ms = INT64_MIN;
	term.status = term.signal = INT_MIN;
	memset(term.contender, 'c', sizeof(term.contender) - 1);
	memset(term.boot, 'b', sizeof(term.boot) - 1);
	for (size_t i = 0; i < COMMAND_NAME_MAX; i++)
		term.command[i] = ' ';
	for (size_t i = 0; i < NOTE_MAX; i++) {
		memset(term.note, ' ', NOTE_MAX);
		term.note[i] = '\0';
		term_pack(&term, slot);
		EXPECT(term_unpack(slot, &got));
		EXPECT_STR(got.note, term.note);
		EXPECT_STR(got.command, term.command);
	}
	for (term.reason = 0; term.reason < REASON_COUNT; term.reason++) {
		term_pack(&term, slot);
		EXPECT(term_unpack(slot, &got) && got.reason == term.reason);
	}
	term.reason = REASON_ERROR;
	for (term.before.outcome = 0; term.before.outcome < OUTCOME_COUNT; term.before.outcome++) {
		term_pack(&term, slot);
		EXPECT(term_unpack(slot, &got) && got.before.outcome == term.before.outcome);
	}
}

static void
term_damage(void)
{
	char slot[TERM_SLOT_SIZE], empty[TERM_SLOT_SIZE];
	struct term got;

	for (size_t n = 0; n < ROWS(terms); n++) {
		term_pack(&terms[n], slot);
		for (size_t i = 0; i < sizeof(slot); i++)
			for (int flip = 1; flip < 256; flip <<= 1) {
				slot[i] ^= (char)flip;
				ROW(EXPECT(!term_unpack(slot, &got)), "%zu byte %zu", n, i);
				slot[i] ^= (char)flip;
			}
	}
	term_pack_empty(empty);
	EXPECT(term_unpack(empty, &got) && got.stage == TERM_EMPTY);
	memset(empty, 0, sizeof(empty));
	EXPECT(!term_unpack(empty, &got));
}

static const struct {
	struct ask ask;
	const char *line;
} asks[] = {
    {{ASK_STOP, 57, "", "deploy of v4"}, "stop generation=57 deploy of v4\n"},
    {{ASK_STOP, UINT64_MAX, "", ""}, "stop generation=18446744073709551615 \n"},
    {{ASK_STOP, 0, "0123456789abcdef0123456789abcdef", " x  "},
	"stop contender=0123456789abcdef0123456789abcdef  x  \n"},
};

static const char *const bad_asks[] = {"", "stop", "stop generation=57", "stop generation=0 x",
    "stop generation=057 x", "stop generation=+5 x", "stop generation= x", "stop 57 x",
    "go generation=57 x", "Stop generation=57 x", " stop generation=57 x", "stop  generation=57 x",
    "stop generation=18446744073709551616 x", "stop contender= x", "stop contender=xyz x",
    "stop contender=0123456789abcdef0123456789abcdef0 x", "stop generation=57 x\n",
    "stop generation=57 a\tb", "stop generation=5x7 y"};

static void
ask_lines(void)
{
	char line[ASK_LINE_SIZE], again[ASK_LINE_SIZE];
	struct ask got, longest = asks[2].ask;

	for (size_t i = 0; i < ROWS(asks); i++) {
		EXPECT_INT(ask_pack(&asks[i].ask, line), strlen(asks[i].line));
		EXPECT_STR(line, asks[i].line);
		line[strlen(line) - 1] = '\0';
		if (!EXPECT(ask_unpack(line, &got)))
			continue;
		ask_pack(&got, again);
		EXPECT_STR(again, asks[i].line);
		EXPECT(got.verb == asks[i].ask.verb && got.generation == asks[i].ask.generation);
	}
	for (size_t i = 0; i < ROWS(bad_asks); i++)
		ROW(EXPECT(!ask_unpack(bad_asks[i], &got)), "%s", bad_asks[i]);
	memset(longest.reason, 'r', NOTE_MAX);
	longest.reason[NOTE_MAX] = '\0';
	line[ask_pack(&longest, line) - 1] = '\0';
	EXPECT(ask_unpack(line, &got));
	EXPECT_STR(got.reason, longest.reason);
	strcat(line, "r");
	EXPECT(!ask_unpack(line, &got));
}

int
main(void)
{
	TEST(term_round_trip);
	TEST(term_at_its_longest);
	TEST(term_damage);
	TEST(ask_lines);
	return expect_status();
}
