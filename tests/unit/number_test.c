/* SPDX-License-Identifier: ISC */
#include "chance.h"
#include "expect.h"
#include "values/record.h"

#define BOOT_A "0b5a7c1e-1111-4222-8333-444455556666"
#define BOOT_B "ffffffff-1111-4222-8333-444455556666"

static const struct number numbers[] = {
    {12, 57, 64, 0, BOOT_A},
    {1, 0, 0, 0, ""},
    {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, BOOT_B},
    {2, 64, 64, 128, "x"},
};

static void
number_form(void)
{
	char slot[NUMBER_SLOT_SIZE];
	static const char start[] = "sequence=12 last=57 ceiling=64 raising=0 boot=" BOOT_A " ";

	number_pack(&numbers[0], slot);
	EXPECT(memcmp(slot, start, strlen(start)) == 0);
	EXPECT(memcmp(slot + NUMBER_SLOT_SIZE - 22, " sum=", 5) == 0);
	EXPECT(slot[NUMBER_SLOT_SIZE - 1] == '\n');
	EXPECT(memchr(slot, '\0', sizeof(slot)) == NULL);
	EXPECT(memchr(slot, '\n', sizeof(slot)) == slot + NUMBER_SLOT_SIZE - 1);
	number_pack(&numbers[1], slot);
	EXPECT(memmem(slot, sizeof(slot), " boot=- ", 8) != NULL);
}

static void
number_round_trip(void)
{
	char slot[NUMBER_SLOT_SIZE];
	struct number got;

	for (size_t i = 0; i < ROWS(numbers); i++) {
		memset(&got, 0xff, sizeof(got));
		number_pack(&numbers[i], slot);
		ROW(EXPECT(number_unpack(slot, &got)), "%zu", i);
		EXPECT(got.sequence == numbers[i].sequence && got.last == numbers[i].last);
		EXPECT(got.ceiling == numbers[i].ceiling && got.raising == numbers[i].raising);
		EXPECT_STR(got.boot, numbers[i].boot);
	}
}

static void
number_damage(void)
{
	char slot[NUMBER_SLOT_SIZE], other[NUMBER_SLOT_SIZE], torn[NUMBER_SLOT_SIZE];
	struct number got;

	for (size_t n = 0; n < ROWS(numbers); n++) {
		number_pack(&numbers[n], slot);
		for (size_t i = 0; i < sizeof(slot); i++)
			for (int flip = 1; flip < 256; flip <<= 1) {
				slot[i] ^= (char)flip;
				ROW(EXPECT(!number_unpack(slot, &got)), "%zu byte %zu", n, i);
				slot[i] ^= (char)flip;
			}
		number_pack(&numbers[(n + 1) % ROWS(numbers)], other);
		for (size_t cut = 1; cut < sizeof(slot); cut++) {
			memcpy(torn, slot, cut);
			memcpy(torn + cut, other + cut, sizeof(slot) - cut);
			if (memcmp(torn, slot, sizeof(slot)) != 0 &&
			    memcmp(torn, other, sizeof(slot)) != 0)
				ROW(EXPECT(!number_unpack(torn, &got)), "%zu cut %zu", n, cut);
		}
	}
	memset(slot, 0, sizeof(slot));
	EXPECT(!number_unpack(slot, &got));
	memset(slot, ' ', sizeof(slot));
	EXPECT(!number_unpack(slot, &got));
}

/* The next generation for two slots; 0 as sequence stands for a damaged slot. */
static const struct {
	struct number slots[NUMBER_SLOTS];
	const char *boot;
	bool readable;
	uint64_t next;
	bool raise;
	uint64_t ceiling;
} plans[] = {
    /* trusted */
    {{{2, 0, 0, 0, BOOT_A}, {1, 0, 0, 0, BOOT_A}}, BOOT_A, true, 1, true, 64},
    {{{12, 57, 64, 0, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, BOOT_A, true, 58, false, 0},
    {{{12, 57, 64, 0, BOOT_A}, {13, 58, 64, 0, BOOT_A}}, BOOT_A, true, 59, false, 0},
    {{{12, 63, 64, 0, BOOT_A}, {11, 62, 64, 0, BOOT_A}}, BOOT_A, true, 64, false, 0},
    {{{12, 64, 64, 0, BOOT_A}, {11, 63, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    /* a raise that was begun: synced anew, and not lowered */
    {{{12, 64, 64, 128, BOOT_A}, {11, 64, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{12, 64, 64, 500, BOOT_A}, {11, 64, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 500},
    /* one whose end may not be synced */
    {{{12, 64, 64, 128, BOOT_A}, {13, 64, 128, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{12, 64, 64, 0, BOOT_A}, {13, 64, 128, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{14, 65, 128, 0, BOOT_A}, {13, 64, 128, 0, BOOT_A}}, BOOT_A, true, 66, false, 0},
    /* another boot, an unknown one */
    {{{12, 57, 64, 0, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, BOOT_B, true, 65, true, 128},
    {{{12, 57, 64, 0, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, "", true, 65, true, 128},
    {{{12, 57, 64, 0, ""}, {11, 56, 64, 0, ""}}, "", true, 65, true, 128},
    {{{12, 57, 64, 128, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, BOOT_B, true, 129, true, 192},
    {{{12, 57, 64, 0, BOOT_B}, {11, 56, 64, 128, BOOT_A}}, BOOT_B, true, 129, true, 192},
    /* one slot damaged */
    {{{12, 57, 64, 0, BOOT_A}, {0, 0, 0, 0, ""}}, BOOT_A, true, 65, true, 128},
    {{{0, 0, 0, 0, ""}, {11, 56, 64, 128, BOOT_A}}, BOOT_A, true, 129, true, 192},
    /* a slot of the wrong parity, the same sequence twice, no neighbours */
    {{{12, 57, 64, 0, BOOT_A}, {12, 57, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{11, 57, 99, 0, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{11, 57, 99, 0, BOOT_A}, {12, 56, 64, 0, BOOT_A}}, BOOT_A, false, 0, false, 0},
    {{{12, 57, 64, 0, BOOT_A}, {9, 50, 64, 0, BOOT_A}}, BOOT_A, true, 65, true, 128},
    {{{0, 0, 0, 0, ""}, {0, 0, 0, 0, ""}}, BOOT_A, false, 0, false, 0},
    /* the end of the numbers */
    {{{12, INT64_MAX - 1, INT64_MAX, 0, BOOT_A}, {11, 1, INT64_MAX, 0, BOOT_A}}, BOOT_A, true,
	INT64_MAX, false, 0},
    {{{12, INT64_MAX - 1, INT64_MAX - 1, 0, BOOT_A}, {11, 1, 1, 0, BOOT_A}}, BOOT_A, true,
	INT64_MAX, true, INT64_MAX},
    {{{12, INT64_MAX - 64, INT64_MAX - 64, 0, BOOT_A}, {11, 1, 1, 0, BOOT_A}}, BOOT_A, true,
	INT64_MAX - 63, true, INT64_MAX},
    {{{12, INT64_MAX, INT64_MAX, 0, BOOT_A}, {11, 1, 1, 0, BOOT_A}}, BOOT_A, true, 0, false, 0},
    {{{12, 5, UINT64_MAX, 0, BOOT_A}, {11, 1, 1, 0, BOOT_A}}, BOOT_B, true, 0, false, 0},
    {{{12, 5, 64, UINT64_MAX, BOOT_A}, {0, 0, 0, 0, ""}}, BOOT_A, true, 0, false, 0},
};

static void
number_plans(void)
{
	char file[NUMBER_FILE_SIZE];
	struct number_plan plan;

	for (size_t i = 0; i < ROWS(plans); i++) {
		memset(file, '?', sizeof(file));
		for (unsigned s = 0; s < NUMBER_SLOTS; s++)
			if (plans[i].slots[s].sequence != 0)
				number_pack(&plans[i].slots[s], file + s * NUMBER_SLOT_SIZE);
		ROW(EXPECT(number_plan(file, plans[i].boot, &plan) == plans[i].readable), "%zu", i);
		ROW(EXPECT_INT(plan.next, plans[i].next), "%zu", i);
		ROW(EXPECT(plan.raise == plans[i].raise), "%zu", i);
		ROW(EXPECT_INT(plan.ceiling, plans[i].ceiling), "%zu", i);
	}
}

/* What the slots say of the past. */
static const struct {
	struct number slots[NUMBER_SLOTS];
	bool whole, fresh, trusted;
} pasts[] = {
    {{{2, 0, 0, 0, BOOT_A}, {1, 0, 0, 0, BOOT_A}}, true, true, true},
    {{{2, 0, 0, 0, BOOT_B}, {1, 0, 0, 0, BOOT_B}}, true, true, false},
    /* a first raise, above a floor, that did not come to its second write, and one that did */
    {{{2, 0, 0, 0, BOOT_A}, {3, 67, 0, 131, BOOT_A}}, true, true, true},
    {{{4, 67, 131, 0, BOOT_A}, {3, 67, 0, 131, BOOT_A}}, true, false, true},
    /* a raise after the slot with the ceiling was damaged */
    {{{4, 64, 0, 128, BOOT_A}, {3, 0, 0, 64, BOOT_B}}, true, false, false},
    {{{4, 64, 64, 128, BOOT_A}, {3, 0, 0, 64, BOOT_B}}, true, false, false},
    {{{12, 57, 64, 0, BOOT_A}, {11, 56, 64, 0, BOOT_A}}, true, false, true},
    {{{12, 57, 64, 0, BOOT_B}, {11, 56, 64, 0, BOOT_B}}, true, false, false},
    {{{12, 57, 64, 0, BOOT_A}, {0, 0, 0, 0, ""}}, false, false, false},
    {{{0, 0, 0, 0, ""}, {1, 0, 0, 0, BOOT_A}}, false, false, false},
};

static void
number_pasts(void)
{
	char file[NUMBER_FILE_SIZE];
	struct number_plan plan;

	for (size_t i = 0; i < ROWS(pasts); i++) {
		memset(file, '?', sizeof(file));
		for (unsigned s = 0; s < NUMBER_SLOTS; s++)
			if (pasts[i].slots[s].sequence != 0)
				number_pack(&pasts[i].slots[s], file + s * NUMBER_SLOT_SIZE);
		ROW(EXPECT(number_plan(file, BOOT_A, &plan)), "%zu", i);
		ROW(EXPECT(plan.whole == pasts[i].whole), "%zu", i);
		ROW(EXPECT(plan.fresh == pasts[i].fresh), "%zu", i);
		ROW(EXPECT(plan.trusted == pasts[i].trusted), "%zu", i);
	}
}

/*
 * A machine that gives generations as record.h says: what processes read is in memory, each slot
 * reaches the disk whenever it likes, at a sync at once, and a power cut can tear what was on its
 * way. A process can die before, within and behind each write.
 */
struct machine {
	char memory[NUMBER_FILE_SIZE];
	char disk[NUMBER_FILE_SIZE];
	char boot[BOOT_ID_SIZE];
	uint64_t highest; /* with which somebody went on */
	uint64_t most;	  /* that somebody wanted to be kept */
	unsigned refused, given, cuts;
};

static void
tear(char *onto, const char *from)
{
	memcpy(onto, from, random_bits() % (NUMBER_SLOT_SIZE + 1));
}

static void
write_back(struct machine *machine)
{
	for (unsigned i = 0; i < NUMBER_SLOTS; i++)
		if (chance(3))
			memcpy(machine->disk + i * NUMBER_SLOT_SIZE,
			    machine->memory + i * NUMBER_SLOT_SIZE, NUMBER_SLOT_SIZE);
}

static void
power_cut(struct machine *machine)
{
	for (unsigned i = 0; i < NUMBER_SLOTS; i++) {
		char *disk = machine->disk + i * NUMBER_SLOT_SIZE;
		const char *memory = machine->memory + i * NUMBER_SLOT_SIZE;

		if (chance(3))
			tear(disk, memory);
	}
	memcpy(machine->memory, machine->disk, sizeof(machine->disk));
	snprintf(machine->boot, sizeof(machine->boot), "boot-%" PRIx64, random_bits());
	machine->cuts++;
}

/* False when the process did not survive it. */
static bool
write_slot(struct machine *machine, const struct number *number, bool sync)
{
	char slot[NUMBER_SLOT_SIZE];
	char *memory = machine->memory + number->sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE;

	if (chance(12))
		return false;
	number_pack(number, slot);
	if (chance(20)) {
		tear(memory, slot);
		return false;
	}
	memcpy(memory, slot, sizeof(slot));
	write_back(machine);
	if (chance(12))
		return false;
	if (sync)
		memcpy(machine->disk, machine->memory, sizeof(machine->disk));
	return !chance(12);
}

static void
give(struct machine *machine)
{
	struct number_plan plan;
	struct number number;

	if (!number_plan(machine->memory, machine->boot, &plan)) {
		machine->refused++;
		return;
	}
	number = plan.current;
	strcpy(number.boot, machine->boot);
	if (plan.raise) {
		number.sequence++;
		number.last = plan.next - 1;
		number.raising = plan.ceiling;
		if (!write_slot(machine, &number, true))
			return;
		number.sequence++;
		number.ceiling = plan.ceiling;
		number.raising = 0;
		if (!write_slot(machine, &number, true))
			return;
	}
	number.sequence++;
	number.last = plan.next;
	if (!write_slot(machine, &number, false))
		return;
	EXPECT(plan.next > machine->highest);
	machine->highest = plan.next;
	machine->given++;
}

static void
start_machine(struct machine *machine)
{
	/* Near a ceiling, where it gets interesting. */
	const uint64_t ceiling = 64 * (1 + random_bits() % 3), last = ceiling - random_bits() % 4;
	struct number number = {1, last - 1, ceiling, 0, "boot-1"};

	memset(machine, 0, sizeof(*machine));
	strcpy(machine->boot, "boot-1");
	number_pack(&number, machine->memory + NUMBER_SLOT_SIZE);
	number.sequence = 2;
	number.last = last;
	number_pack(&number, machine->memory);
	memcpy(machine->disk, machine->memory, sizeof(machine->disk));
	machine->highest = last;
}

static void
generations_rise_through_kills_and_power_cuts(void)
{
	struct machine machine;
	unsigned given = 0, cuts = 0, refused = 0;

	for (unsigned round = 0; round < 6000; round++) {
		start_machine(&machine);
		for (unsigned step = 0; step < 40 && machine.refused == 0; step++) {
			give(&machine);
			write_back(&machine);
			if (chance(8))
				power_cut(&machine);
		}
		given += machine.given;
		cuts += machine.cuts;
		refused += machine.refused;
	}
	/* The machine has to have done all of it for this to mean anything. */
	EXPECT(given > 30000 && cuts > 10000 && refused > 10);
}

/* Some byte of a slot goes bad while the machine runs: one at a time, and never both. */
static void
generations_rise_through_damage(void)
{
	struct machine machine;

	for (unsigned round = 0; round < 4000; round++) {
		start_machine(&machine);
		for (unsigned step = 0; step < 20 && machine.refused == 0; step++) {
			give(&machine);
			if (chance(5)) {
				machine.memory[random_bits() % NUMBER_FILE_SIZE] ^= 1;
				give(&machine);
				give(&machine);
			}
		}
	}
}

/* What two slots keep; 0 as sequence stands for a damaged slot. */
static const struct {
	struct number slots[NUMBER_SLOTS];
	bool readable;
	uint64_t generation;
	bool kept;
	uint64_t next;
} keepers[] = {
    {{{2, 0, 0, 0, ""}, {1, 0, 0, 0, ""}}, true, 0, true, 4},
    {{{4, 7, 7, 0, ""}, {3, 7, 7, 0, ""}}, true, 7, true, 6},
    {{{4, 7, 7, 0, ""}, {5, 7, 7, 0, ""}}, true, 7, true, 7},
    /* the second write was not done, or lost */
    {{{4, 7, 7, 0, ""}, {5, 8, 8, 0, ""}}, true, 8, false, 6},
    {{{6, 8, 8, 0, ""}, {5, 7, 7, 0, ""}}, true, 8, false, 7},
    /* one slot damaged: that one is replaced */
    {{{0, 0, 0, 0, ""}, {5, 7, 7, 0, ""}}, true, 7, false, 6},
    {{{4, 7, 7, 0, ""}, {0, 0, 0, 0, ""}}, true, 7, false, 5},
    {{{5, 9, 9, 0, ""}, {5, 7, 7, 0, ""}}, true, 7, false, 6},
    {{{0, 0, 0, 0, ""}, {0, 0, 0, 0, ""}}, false, 0, false, 1},
    {{{4, INT64_MAX, INT64_MAX, 0, ""}, {5, INT64_MAX, INT64_MAX, 0, ""}}, true, INT64_MAX, true,
	7},
};

static void
highest_found(void)
{
	char file[NUMBER_FILE_SIZE];
	struct number_highest found;

	for (size_t i = 0; i < ROWS(keepers); i++) {
		memset(file, '?', sizeof(file));
		for (unsigned s = 0; s < NUMBER_SLOTS; s++)
			if (keepers[i].slots[s].sequence != 0)
				number_pack(&keepers[i].slots[s], file + s * NUMBER_SLOT_SIZE);
		ROW(EXPECT(number_highest(file, &found) == keepers[i].readable), "%zu", i);
		ROW(EXPECT_INT(found.generation, keepers[i].generation), "%zu", i);
		ROW(EXPECT(found.kept == keepers[i].kept), "%zu", i);
		ROW(EXPECT_INT(found.next, keepers[i].next), "%zu", i);
	}
}

/* Two slots that keep a generation, on the disk. */
static void
start_keeping(struct machine *machine, uint64_t generation)
{
	struct number number = {.last = generation, .ceiling = generation};

	memset(machine, 0, sizeof(*machine));
	for (number.sequence = 1; number.sequence <= NUMBER_SLOTS; number.sequence++)
		number_pack(
		    &number, machine->memory + number.sequence % NUMBER_SLOTS * NUMBER_SLOT_SIZE);
	memcpy(machine->disk, machine->memory, sizeof(machine->disk));
	machine->highest = machine->most = generation;
}

/* True when the one who wants generation may go on: then it is kept, through everything. */
static bool
keep(struct machine *machine, uint64_t generation)
{
	struct number number = {.last = generation, .ceiling = generation};
	struct number_highest found;

	EXPECT(number_highest(machine->memory, &found));
	EXPECT(found.generation >= machine->highest && found.generation <= machine->most);
	if (found.generation > generation)
		return false;
	if (generation > machine->most)
		machine->most = generation;
	if (found.kept && found.generation == generation)
		return true;
	if (!found.kept)
		memcpy(machine->disk, machine->memory, sizeof(machine->disk));
	for (unsigned i = 0; i < NUMBER_SLOTS; i++) {
		number.sequence = found.next + i;
		if (!write_slot(machine, &number, i == 0))
			return false;
	}
	return true;
}

static void
the_highest_is_kept_through_kills_and_power_cuts(void)
{
	struct machine machine;
	unsigned kept = 0, cuts = 0, refused = 0;

	for (unsigned round = 0; round < 6000; round++) {
		start_keeping(&machine, 10);
		for (unsigned step = 0; step < 40; step++) {
			/* An older one, the same again, a newer one. */
			const uint64_t generation = machine.most - 1 + random_bits() % 3;

			if (keep(&machine, generation)) {
				EXPECT(generation >= machine.highest);
				machine.highest = generation;
				kept++;
			} else {
				refused++;
			}
			write_back(&machine);
			if (chance(8))
				power_cut(&machine);
		}
		cuts += machine.cuts;
	}
	/* The machine has to have done all of it for this to mean anything. */
	EXPECT(kept > 50000 && cuts > 10000 && refused > 50000);
}

int
main(void)
{
	TEST(number_form);
	TEST(number_round_trip);
	TEST(number_damage);
	TEST(number_plans);
	TEST(number_pasts);
	TEST(generations_rise_through_kills_and_power_cuts);
	TEST(generations_rise_through_damage);
	TEST(highest_found);
	TEST(the_highest_is_kept_through_kills_and_power_cuts);
	return expect_status();
}
