/* SPDX-License-Identifier: ISC */
#include <signal.h>

#include "chance.h"
#include "expect.h"
#include "values/record.h"

#define BOOT_A "0b5a7c1e-1111-4222-8333-444455556666"
#define BOOT_B "ffffffff-1111-4222-8333-444455556666"

static void
words_of_outcomes(void)
{
	/* The words of the design, in the order of the table. */
	static const char *const wanted[] = {"none", "finished", "failed", "stepped-down",
	    "not-started", "lost", "unreported", "unknown"};

	EXPECT_INT(OUTCOME_COUNT, ROWS(wanted));
	for (enum term_outcome outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
		EXPECT_STR(term_outcome_word(outcome), wanted[outcome]);
		EXPECT_INT(term_outcome_of_word(wanted[outcome]), outcome);
	}
	EXPECT_INT(term_outcome_of_word(""), OUTCOME_COUNT);
	EXPECT_INT(term_outcome_of_word("Lost"), OUTCOME_COUNT);
}

/* One term by its own record, seen in its boot and in the next one. */
static const struct {
	struct term term;
	enum term_outcome same_boot, another_boot;
} outcomes[] = {
    {{.stage = TERM_EMPTY}, OUTCOME_NONE, OUTCOME_NONE},
    {{.stage = TERM_BEGUN}, OUTCOME_NOT_STARTED, OUTCOME_UNKNOWN},
    {{.stage = TERM_BEGUN, .sync = SYNC_OWED}, OUTCOME_NOT_STARTED, OUTCOME_NOT_STARTED},
    {{.stage = TERM_STARTED}, OUTCOME_LOST, OUTCOME_UNKNOWN},
    {{.stage = TERM_STARTED, .sync = SYNC_YES}, OUTCOME_LOST, OUTCOME_UNKNOWN},
    {{.stage = TERM_UNREPORTED}, OUTCOME_UNREPORTED, OUTCOME_UNREPORTED},
    {{.stage = TERM_ENDED, .ran = RAN_YES, .reason = REASON_FINISHED}, OUTCOME_FINISHED,
	OUTCOME_FINISHED},
    {{.stage = TERM_ENDED, .ran = RAN_YES, .reason = REASON_FAILED, .status = 3}, OUTCOME_FAILED,
	OUTCOME_FAILED},
    {{.stage = TERM_ENDED, .ran = RAN_YES, .reason = REASON_FAILED, .signal = SIGKILL},
	OUTCOME_FAILED, OUTCOME_FAILED},
    {{.stage = TERM_ENDED, .ran = RAN_NO, .reason = REASON_NOT_FOUND, .status = 127},
	OUTCOME_NOT_STARTED, OUTCOME_NOT_STARTED},
    {{.stage = TERM_ENDED, .ran = RAN_MAYBE, .reason = REASON_ERROR}, OUTCOME_UNKNOWN,
	OUTCOME_UNKNOWN},
};

static void
outcomes_of_terms(void)
{
	for (size_t i = 0; i < ROWS(outcomes); i++) {
		struct term term = outcomes[i].term;

		strcpy(term.boot, BOOT_A);
		ROW(EXPECT_INT(term_outcome(&term, BOOT_A), outcomes[i].same_boot), "%zu", i);
		ROW(EXPECT_INT(term_outcome(&term, BOOT_B), outcomes[i].another_boot), "%zu", i);
		/* Where no boot can be told, none is the same. */
		term.boot[0] = '\0';
		ROW(EXPECT_INT(term_outcome(&term, ""), outcomes[i].another_boot), "%zu", i);
	}
}

static void
every_step_down_is_one(void)
{
	struct term term = {.stage = TERM_ENDED, .ran = RAN_YES};

	for (term.reason = 0; term.reason < REASON_COUNT; term.reason++) {
		if (term.reason == REASON_SIGNAL || reason_is_ours(term.reason))
			ROW(EXPECT_INT(term_outcome(&term, ""), OUTCOME_STEPPED_DOWN), "%s",
			    reason_word(term.reason));
	}
}

#define BEFORE                  \
	{                       \
		OUTCOME_LOST, 9 \
	}
#define TRUSTED                                                         \
	{                                                               \
		.current = {.last = 12, .ceiling = 64}, .trusted = true \
	}
#define DISTRUSTED                                                    \
	{                                                             \
		.current = {.last = 12, .ceiling = 64}, .whole = true \
	}

/* What is told after a newest record of this boot or the one before. */
static const struct {
	const char *what;
	struct number_plan plan;
	struct term newest; /* of stage TERM_EMPTY: none */
	bool rebooted;
	struct told_outcome last, ran;
	bool owed;
} findings[] = {
    {"a fresh lock", {.fresh = true, .trusted = true}, {0}, false, {OUTCOME_NONE, 0},
	{OUTCOME_NONE, 0}, false},
    {"a fresh lock, one was killed on the way to the first generation",
	{.fresh = true, .trusted = true}, {.generation = 1, .stage = TERM_BEGUN}, true,
	{OUTCOME_NONE, 0}, {OUTCOME_NONE, 0}, false},
    {"the first generation is paid for and was not given",
	{.current = {.ceiling = 64}, .trusted = true}, {.generation = 1, .stage = TERM_BEGUN},
	false, {OUTCOME_NONE, 0}, {OUTCOME_NONE, 0}, false},
    {"the same, and then the power was cut", {.current = {.ceiling = 64}},
	{.generation = 1, .stage = TERM_BEGUN}, true, {OUTCOME_UNKNOWN, 0}, {OUTCOME_UNKNOWN, 0},
	false},
    {"a lost one", TRUSTED, {.generation = 12, .stage = TERM_STARTED, .before = BEFORE}, false,
	{OUTCOME_LOST, 12}, {OUTCOME_LOST, 12}, false},
    {"none that started since a lost one", TRUSTED,
	{.generation = 12, .stage = TERM_BEGUN, .before = BEFORE}, false, {OUTCOME_NOT_STARTED, 12},
	{OUTCOME_LOST, 9}, false},
    {"none that could be executed since a lost one", TRUSTED,
	{.generation = 12, .stage = TERM_ENDED, .ran = RAN_NO, .before = BEFORE}, false,
	{OUTCOME_NOT_STARTED, 12}, {OUTCOME_LOST, 9}, false},
    {"one that finished", TRUSTED,
	{.generation = 12, .stage = TERM_ENDED, .ran = RAN_YES, .before = BEFORE}, false,
	{OUTCOME_FINISHED, 12}, {OUTCOME_FINISHED, 12}, false},
    {"one that finished, and a reboot", DISTRUSTED,
	{.generation = 12, .stage = TERM_ENDED, .ran = RAN_YES}, true, {OUTCOME_UNKNOWN, 12},
	{OUTCOME_UNKNOWN, 12}, false},
    {"one that was synced, and a reboot", DISTRUSTED,
	{.generation = 12, .stage = TERM_ENDED, .ran = RAN_YES, .sync = SYNC_YES}, true,
	{OUTCOME_FINISHED, 12}, {OUTCOME_FINISHED, 12}, true},
    {"the same, but the number is torn", {.current = {.last = 12, .ceiling = 64}},
	{.generation = 12, .stage = TERM_ENDED, .ran = RAN_YES, .sync = SYNC_YES}, true,
	{OUTCOME_UNKNOWN, 12}, {OUTCOME_UNKNOWN, 12}, true},
    {"one that runs after one that was synced, and a reboot", DISTRUSTED,
	{.generation = 12, .stage = TERM_STARTED, .sync = SYNC_OWED}, true, {OUTCOME_UNKNOWN, 12},
	{OUTCOME_UNKNOWN, 12}, true},
    {"one that was synced and could not be executed, and a reboot", DISTRUSTED,
	{.generation = 12, .stage = TERM_ENDED, .sync = SYNC_YES, .before = BEFORE}, true,
	{OUTCOME_NOT_STARTED, 12}, {OUTCOME_LOST, 9}, true},
    {"one that did not start after one that was synced, and a reboot", DISTRUSTED,
	{.generation = 12, .stage = TERM_BEGUN, .sync = SYNC_OWED, .before = BEFORE}, true,
	{OUTCOME_NOT_STARTED, 12}, {OUTCOME_LOST, 9}, true},
    {"unreported, and a reboot", DISTRUSTED, {.generation = 12, .stage = TERM_UNREPORTED}, true,
	{OUTCOME_UNKNOWN, 12}, {OUTCOME_UNKNOWN, 12}, false},
    {"killed before the number was its own", TRUSTED,
	{.generation = 13, .stage = TERM_BEGUN, .before = BEFORE}, false, {OUTCOME_LOST, 9},
	{OUTCOME_LOST, 9}, false},
    {"the same, and a reboot", DISTRUSTED,
	{.generation = 13, .stage = TERM_BEGUN, .before = BEFORE}, true, {OUTCOME_UNKNOWN, 9},
	{OUTCOME_UNKNOWN, 9}, false},
    {"a power cut kept the record and lost the number", DISTRUSTED,
	{.generation = 13, .stage = TERM_STARTED}, true, {OUTCOME_UNKNOWN, 13},
	{OUTCOME_UNKNOWN, 13}, false},
    {"a damaged number that the records know more of", DISTRUSTED,
	{.generation = 13, .stage = TERM_STARTED}, false, {OUTCOME_LOST, 13}, {OUTCOME_LOST, 13},
	false},
    {"no record of the newest", TRUSTED,
	{.generation = 11, .stage = TERM_ENDED, .ran = RAN_YES, .sync = SYNC_YES}, false,
	{OUTCOME_UNKNOWN, 12}, {OUTCOME_UNKNOWN, 12}, true},
    {"no record at all", TRUSTED, {0}, false, {OUTCOME_UNKNOWN, 12}, {OUTCOME_UNKNOWN, 12}, false},
};

static void
what_the_next_is_told(void)
{
	for (size_t i = 0; i < ROWS(findings); i++) {
		const char *what = findings[i].what;
		struct term term = findings[i].newest;
		struct previous got;

		strcpy(term.boot, findings[i].rebooted ? BOOT_B : BOOT_A);
		got = previous_find(
		    &findings[i].plan, term.stage != TERM_EMPTY ? &term : NULL, BOOT_A);
		ROW(EXPECT_INT(got.last.outcome, findings[i].last.outcome), "%s", what);
		ROW(EXPECT_INT(got.last.generation, findings[i].last.generation), "%s", what);
		ROW(EXPECT_INT(got.ran.outcome, findings[i].ran.outcome), "%s", what);
		ROW(EXPECT_INT(got.ran.generation, findings[i].ran.generation), "%s", what);
		ROW(EXPECT(got.sync_owed == findings[i].owed), "%s", what);
	}
}

static void
lost_ones_are_refused(void)
{
	for (enum term_outcome outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
		const struct previous ran = {.ran.outcome = outcome};
		const struct previous last = {.last.outcome = outcome};
		const bool wanted = outcome == OUTCOME_LOST || outcome == OUTCOME_UNKNOWN;

		ROW(EXPECT(previous_is_lost(&ran) == wanted), "%s", term_outcome_word(outcome));
		ROW(EXPECT(!previous_is_lost(&last)), "%s", term_outcome_word(outcome));
	}
}

/* ---- a machine that is killed and switched off ---- */

/* The two files of a lock, as in memory and as on the disk. */
struct files {
	char number[NUMBER_FILE_SIZE];
	char terms[TERM_SLOTS][TERM_SLOT_SIZE];
};

static char *
number_slot(struct files *files, uint64_t sequence)
{
	return files->number + sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE;
}

/* More than a machine comes to give: up to 128 for each cut. */
#define DOUBTS 16384

/*
 * Terms are begun, run and ended as record.h says. What was written is in memory; each slot reaches
 * the disk whenever it likes, at a sync at once, and a power cut can tear what was on its way. A
 * process can die behind each write.
 */
struct machine {
	struct files memory, disk;
	char boot[BOOT_ID_SIZE];
	struct told_outcome truth; /* the last one that ran */
	bool doubt[DOUBTS];	   /* by generation: recorded as started, but not started */
	bool on_disk;		   /* the truth was synced, and nothing was written since */
	bool dead;		   /* the process */
	unsigned lazy;		   /* how seldom a slot gets to the disk by itself */
	unsigned known, unknown;   /* answers after a power cut */
	unsigned cuts, lost, refused;
};

static void
write_back(struct machine *machine)
{
	for (unsigned i = 0; i < NUMBER_SLOTS; i++)
		if (chance(machine->lazy))
			memcpy(number_slot(&machine->disk, i), number_slot(&machine->memory, i),
			    NUMBER_SLOT_SIZE);
	for (unsigned i = 0; i < TERM_SLOTS; i++)
		if (chance(machine->lazy))
			memcpy(machine->disk.terms[i], machine->memory.terms[i], TERM_SLOT_SIZE);
}

static void
tear(char *onto, const char *from, size_t size)
{
	if (chance(3))
		memcpy(onto, from, random_bits() % (size + 1));
}

static void
power_cut(struct machine *machine)
{
	for (unsigned i = 0; i < NUMBER_SLOTS; i++)
		tear(number_slot(&machine->disk, i), number_slot(&machine->memory, i),
		    NUMBER_SLOT_SIZE);
	for (unsigned i = 0; i < TERM_SLOTS; i++)
		tear(machine->disk.terms[i], machine->memory.terms[i], TERM_SLOT_SIZE);
	machine->memory = machine->disk;
	snprintf(machine->boot, sizeof(machine->boot), "boot-%" PRIx64, random_bits());
	machine->cuts++;
	machine->dead = true;
}

/* Somewhere here the process may be killed, or the power go. */
static void
step(struct machine *machine)
{
	write_back(machine);
	if (machine->dead)
		return;
	machine->dead = chance(25);
	if (chance(40))
		power_cut(machine);
}

static void
write_term(struct machine *machine, const struct term *term)
{
	if (machine->dead)
		return;
	term_pack(term, machine->memory.terms[term->generation % TERM_SLOTS]);
	step(machine);
}

static void
sync_terms(struct machine *machine)
{
	if (!machine->dead)
		memcpy(machine->disk.terms, machine->memory.terms, sizeof(machine->disk.terms));
	step(machine);
}

static void
write_number(struct machine *machine, struct number *number, bool sync)
{
	number->sequence++;
	if (machine->dead)
		return;
	number_pack(number, number_slot(&machine->memory, number->sequence));
	step(machine);
	if (sync && !machine->dead)
		memcpy(machine->disk.number, machine->memory.number, sizeof(machine->disk.number));
	step(machine);
}

static void
give(struct machine *machine, const struct number_plan *plan, bool sync)
{
	struct number number = plan->current;

	strcpy(number.boot, machine->boot);
	if (plan->raise) {
		number.last = plan->next - 1;
		number.raising = plan->ceiling;
		write_number(machine, &number, true);
		number.ceiling = plan->ceiling;
		number.raising = 0;
		write_number(machine, &number, true);
	}
	number.last = plan->next;
	write_number(machine, &number, sync);
}

static struct previous
look_back(const struct machine *machine, const struct number_plan *plan)
{
	struct term newest = {.stage = TERM_EMPTY}, other;

	if (term_unpack(machine->memory.terms[plan->current.last % TERM_SLOTS], &other) &&
	    other.generation == plan->current.last)
		newest = other;
	for (unsigned i = 0; i < TERM_SLOTS && (!plan->trusted || newest.stage == TERM_EMPTY); i++)
		if (term_unpack(machine->memory.terms[i], &other) &&
		    (newest.stage == TERM_EMPTY || other.generation > newest.generation))
			newest = other;
	return previous_find(plan, newest.stage != TERM_EMPTY ? &newest : NULL, machine->boot);
}

/* Not knowing is no lie; but it must not happen where nothing was cut, or all was synced. */
static void
compare(struct machine *machine, const struct number_plan *plan, const struct previous *previous)
{
	const struct told_outcome *told = &previous->ran;

	if (told->outcome == OUTCOME_UNKNOWN) {
		machine->unknown++;
		EXPECT(machine->cuts > 0 && !machine->on_disk);
		return;
	}
	machine->known += machine->cuts > 0;
	EXPECT(previous->last.outcome == told->outcome ||
	       previous->last.outcome == OUTCOME_NOT_STARTED);
	EXPECT(previous->last.generation < plan->next);
	/* Whoever dies before the start says so no more than one who dies behind it. */
	if (told->outcome == OUTCOME_LOST && machine->doubt[told->generation])
		return;
	EXPECT_INT(told->outcome, machine->truth.outcome);
	EXPECT_INT(told->generation, machine->truth.generation);
}

static void
end(struct machine *machine, struct term *term)
{
	term->stage = TERM_ENDED;
	term->reason = chance(2) ? REASON_FINISHED : REASON_FAILED;
	if (term->sync == SYNC_OWED)
		term->sync = SYNC_NO;
	if (machine->dead)
		return;
	if (term->ran == RAN_YES)
		machine->truth.outcome = term_outcome(term, "");
	write_term(machine, term);
	if (machine->dead || term->sync != SYNC_YES)
		return;
	sync_terms(machine);
	machine->on_disk = true;
}

static void
lead(struct machine *machine, bool refuse)
{
	struct term term = {.stage = TERM_BEGUN};
	struct number_plan plan;
	struct previous previous;

	machine->dead = false;
	if (!number_plan(machine->memory.number, machine->boot, &plan))
		return;
	previous = look_back(machine, &plan);
	compare(machine, &plan, &previous);
	machine->lost += previous.ran.outcome == OUTCOME_LOST;
	if (refuse && previous_is_lost(&previous)) {
		machine->refused++;
		return;
	}
	term.generation = plan.next;
	term.before = previous.ran;
	term.sync = previous.sync_owed ? SYNC_OWED : SYNC_NO;
	strcpy(term.boot, machine->boot);
	machine->on_disk = false;
	write_term(machine, &term);
	give(machine, &plan, refuse || term.sync != SYNC_NO);
	term.stage = TERM_STARTED;
	term.sync = refuse ? SYNC_YES : term.sync;
	term.ran = chance(5) ? RAN_NO : RAN_YES;
	machine->doubt[term.generation] = true;
	write_term(machine, &term);
	if (term.sync != SYNC_NO)
		sync_terms(machine);
	if (!machine->dead && term.ran == RAN_YES) {
		memset(machine->doubt, 0, sizeof(machine->doubt));
		machine->truth = (struct told_outcome){OUTCOME_LOST, term.generation};
	}
	step(machine);
	end(machine, &term);
}

static void
no_lies_through_kills_and_power_cuts(void)
{
	static struct machine machine;
	unsigned known = 0, unknown = 0, cuts = 0, lost = 0, refused = 0;

	for (unsigned round = 0; round < 800; round++) {
		/* Of 100 terms, how many refuse: all of them, none, or any. */
		const unsigned refusing = round % 3 == 0 ? 100 : round % 3 == 1 ? 0 : 50;
		struct number number = {.boot = "boot-0"};

		memset(&machine, 0, sizeof(machine));
		strcpy(machine.boot, "boot-0");
		machine.lazy = round % 2 == 0 ? 4 : 60;
		for (number.sequence = 1; number.sequence <= NUMBER_SLOTS; number.sequence++)
			number_pack(&number, number_slot(&machine.memory, number.sequence));
		for (unsigned i = 0; i < TERM_SLOTS; i++)
			term_pack_empty(machine.memory.terms[i]);
		machine.disk = machine.memory;
		for (unsigned i = 0; i < 60; i++)
			lead(&machine, random_bits() % 100 < refusing);
		known += machine.known;
		unknown += machine.unknown;
		cuts += machine.cuts;
		lost += machine.lost;
		refused += machine.refused;
	}
	/* The machine has to have done all of it for this to mean anything. */
	EXPECT(known > 500 && unknown > 500 && cuts > 1000 && lost > 500 && refused > 500);
}

int
main(void)
{
	TEST(words_of_outcomes);
	TEST(outcomes_of_terms);
	TEST(every_step_down_is_one);
	TEST(what_the_next_is_told);
	TEST(lost_ones_are_refused);
	TEST(no_lies_through_kills_and_power_cuts);
	return expect_status();
}
