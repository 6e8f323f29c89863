/* SPDX-License-Identifier: ISC */
/*
 * The generation's file, as src/values/number.c and src/election/generation.c treat it: two slots
 * that are written in turn, a ceiling that is raised before it is reached, kills and power cuts.
 * Only who holds the lock writes, so there is one process at a time.
 *
 * What is modelled      where it is in the program
 *   plan                number_plan, with same_history, highest and needs_raise
 *   write, sync         write_slot, fdatasync
 *   give                generation_next and give: three writes, a sync behind each of the first two
 *   OR_DIES             SIGKILL before, within and behind each write and sync
 *   world               what reaches the disk, and when: each slot for itself, whole at any time,
 *                       or torn when the power fails while it is on its way; a slot that goes bad,
 *                       while the other one is sound
 *
 * Not modelled: the directories above it (they are synced before the first number is given), the
 * floor, and what the manual excepts: a restored backup, a disk that is pulled within one boot.
 *
 * Promise, an assert at the end of give: no number is given twice, and none goes back. The sync
 * behind the first write is not needed for that; it lets a power cut within a raise tear one slot
 * instead of two. With two torn slots nothing is given any more, until a person has decided.
 *
 * Sizes: STEP numbers are paid for by one raise (64 in the program); how often in all: TERMS, KILLS,
 * CUTS, DAMAGES.
 *
 * What else is asked for with #ifdef breaks a rule on purpose; tests/full/model.bats knows that the
 * promise is broken by that. To see how: spin -D... -a number.pml; cc -o pan pan.c; ./pan -E;
 * spin -D... -t -T number.pml
 */
#ifndef STEP
#define STEP 2
#endif
#ifndef TERMS
#define TERMS 4
#endif
#ifndef KILLS
#define KILLS 2
#endif
#ifndef CUTS
#define CUTS 2
#endif
#ifndef DAMAGES
#define DAMAGES 0
#endif

typedef slot {
	bool sound;
	byte sequence, last, ceiling, raising, boot
};

slot memory[2], disk[2]; /* what processes read, and what a power cut leaves */
byte boot = 1;
byte given; /* the newest */
byte terms = TERMS, kills = KILLS, cuts = CUTS, damages = DAMAGES;

/* what a process has worked out */
slot number;
byte next, ceiling;
bool raise;

hidden byte trusted, newer;
hidden byte highest;

inline copy(from, to)
{
	to.sound = from.sound;
	to.sequence = from.sequence;
	to.last = from.last;
	to.ceiling = from.ceiling;
	to.raising = from.raising;
	to.boot = from.boot
}

#define differ(i)                                                                                 \
	(memory[i].sound != disk[i].sound || memory[i].sequence != disk[i].sequence ||            \
	    memory[i].last != disk[i].last || memory[i].ceiling != disk[i].ceiling ||             \
	    memory[i].raising != disk[i].raising || memory[i].boot != disk[i].boot)

/* A damaged slot is like any other: it must not tell states apart. */
inline spoil(it)
{
	it.sound = false;
	it.sequence = 0;
	it.last = 0;
	it.ceiling = 0;
	it.raising = 0;
	it.boot = 0
}

#define larger(a, b)	((a) > (b) -> (a) : (b))
#define all_of(i)	larger(memory[i].last, larger(memory[i].ceiling, memory[i].raising))
#define needs_raise(i)	(memory[i].raising != 0 || memory[i].ceiling < next)

inline plan()
{
	newer = (!memory[0].sound || (memory[1].sound && memory[1].sequence > memory[0].sequence));
	trusted = memory[0].sound && memory[1].sound &&
#ifndef BOOT_IGNORED
	    memory[0].boot == boot && memory[1].boot == boot &&
#endif
	    memory[newer].sequence == memory[1 - newer].sequence + 1;
	highest = 0;
	if
	:: memory[0].sound -> highest = all_of(0)
	:: else
	fi;
	if
	:: memory[1].sound && all_of(1) > highest -> highest = all_of(1)
	:: else
	fi;
#ifdef CEILING_IGNORED
	highest = memory[newer].last;
#endif
#ifdef RAISING_IGNORED
	highest = 0;
	if
	:: memory[0].sound -> highest = larger(memory[0].last, memory[0].ceiling)
	:: else
	fi;
	if
	:: memory[1].sound && larger(memory[1].last, memory[1].ceiling) > highest ->
		highest = larger(memory[1].last, memory[1].ceiling)
	:: else
	fi;
#endif
	if
	:: trusted -> highest = memory[newer].last
	:: else
	fi;
	copy(memory[newer], number);
	next = highest + 1;
#ifdef OLDER_NOT_ASKED
	raise = !trusted || needs_raise(newer);
#else
	raise = !trusted || needs_raise(0) || needs_raise(1);
#endif
	ceiling = 0;
	if
	:: raise -> ceiling = larger(next + STEP - 1, number.raising)
	:: else
	fi
}

/* What can happen instead of any step. */
#define OR_DIES                                                                                   \
	:: atomic { born == boot && kills > 0 -> kills--; printf("killed\n"); goto killed }       \
	:: atomic { born != boot -> goto killed }

inline write()
{
	if
	:: atomic {
		born == boot ->
		d_step {
			number.sequence++;
			copy(number, memory[number.sequence % 2])
		}
		printf("slot %d: sequence %d, last %d, ceiling %d, raising %d, boot %d\n",
		    number.sequence % 2, number.sequence, number.last, number.ceiling,
		    number.raising, number.boot)
	   }
	:: atomic {
		born == boot && kills > 0 ->
		kills--;
		printf("killed in a write\n");
		d_step {
			number.sequence++;
			spoil(memory[number.sequence % 2])
		}
		goto killed
	   }
	OR_DIES
	fi
}

inline sync()
{
	if
	:: atomic {
		born == boot ->
		d_step {
			copy(memory[0], disk[0]);
			copy(memory[1], disk[1])
		}
		printf("synced\n")
	   }
	OR_DIES
	fi
}

active proctype give()
{
	byte born;

	atomic {
		memory[0].sound = true;
		memory[1].sound = true;
		memory[0].sequence = 2;
		memory[1].sequence = 1;
		memory[0].boot = 1;
		memory[1].boot = 1;
		d_step {
			copy(memory[0], disk[0]);
			copy(memory[1], disk[1])
		}
	}

again:
	atomic {
		terms > 0 && (memory[0].sound || memory[1].sound) ->
		terms--;
		born = boot;
		d_step { plan() }
		number.boot = boot;
		if
		:: !raise -> goto last_write
		:: else
		fi;
#ifndef LAST_KEPT
		number.last = next - 1;
#endif
#ifndef RAISED_AT_ONCE
		number.raising = ceiling
#endif
	}
#ifndef RAISED_AT_ONCE
	write();
#ifndef FIRST_NOT_SYNCED
	sync();
#endif
#endif
	number.ceiling = ceiling;
	number.raising = 0;
	write();
#ifndef SECOND_NOT_SYNCED
	sync();
#endif

last_write:
	number.last = next;
	write();
	if
	:: atomic {
		born == boot ->
		printf("%d is given, at most %d may be\n", next, number.ceiling);
		assert(next > given);
		given = next
	   }
	OR_DIES
	fi;

killed:
	atomic {
		d_step {
			spoil(number);
			next = 0;
			ceiling = 0;
			raise = false;
			born = 0
		}
		goto again
	}
}

/* ---- what befalls it ---- */

inline maybe_torn(i)
{
	if
	:: differ(i) -> d_step { spoil(disk[i]) } printf("slot %d is torn\n", i)
	:: skip
	fi
}

inline one_damaged(i)
{
	damages--;
	d_step {
		spoil(memory[i]);
		spoil(disk[i])
	}
	printf("slot %d is damaged\n", i)
}

active proctype world()
{
	do
	:: atomic { differ(0) -> d_step { copy(memory[0], disk[0]) } printf("slot 0 is written back\n") }
	:: atomic { differ(1) -> d_step { copy(memory[1], disk[1]) } printf("slot 1 is written back\n") }
	:: atomic {
		cuts > 0 ->
		cuts--;
		maybe_torn(0);
		maybe_torn(1);
		d_step {
			copy(disk[0], memory[0]);
			copy(disk[1], memory[1])
		}
		boot++;
		printf("the power fails; boot %d\n", boot)
	   }
	:: atomic { damages > 0 && memory[1].sound && disk[1].sound -> one_damaged(0) }
	:: atomic { damages > 0 && memory[0].sound && disk[0].sound -> one_damaged(1) }
	od
}
