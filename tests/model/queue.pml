/* SPDX-License-Identifier: ISC */
/*
 * A lock's queue, as src/election does it: who takes a ticket, waits, leads, dies, is frozen, and
 * is passed. A step here is a system call there, or several of which only one matters to others.
 *
 * What is modelled, by label       where it is in the program
 *   arrive, choose, link           queue_up: make_private, choose_number, attempt_to_queue
 *   look, examine                  look, examine_all, examine (queue_search.c)
 *   behind                         wait_behind: patience_wait with the lookout of passing.c
 *   judge, pass                    look_once, judge, others_may_not_know, queue_pass
 *   clear, at_lock                 take_lock, wait_for_lock
 *   (settling), hold               settle, queue_hold
 *   lead, release, leave           a term; campaign_end_term, queue_leave
 *   anew                           enter_anew, of one that was passed
 *   orphan                         a command that outlives its lockrun, with the inherited lock
 *   die, fate                      SIGKILL; SIGSTOP or a frozen cgroup, and its end: at any step
 *
 * A number is chosen before the ticket is linked, so an earlier one can be seen later; a listing
 * is two steps, so that it can miss a name that changes. Not modelled: tries, those who join or
 * replace, a cleaner that removes files, a full disk.
 *
 * Promises
 *   exclusion  assert in hold: no other command runs that must not. With ANYTIME, who waits looks
 *              whenever it likes, so this rests on no clock; who is slow is as good as frozen then.
 *   order      assert in hold: whoever was in the queue when we came has led, and whoever stood
 *              before us when we were granted a lock that we had to wait for, unless it died, left,
 *              or was frozen; assert in pass: nobody else is passed.
 *   liveness   ltl all_lead, with LIVENESS: in the end all have led, have died, or stay frozen.
 *
 * Time has no numbers here. 250 ms are long for a process that is awake: a second look comes when
 * all of those sleep in a wait, or lead (all_quiet); and nobody is thawed, or killed while frozen,
 * within the very moment of a look. 5 s after a pass, all have looked (unseen). For LIVENESS, all
 * look once in 5 s, in whatever order (looked), processes are scheduled with weak fairness, and who
 * is frozen while it holds the lock, be it for a look, or a ticket that says so, is thawed in the
 * end: that is a frozen leader, which keeps the lock as it should.
 *
 * Sizes: N contenders (2 to 4); how often in all: CRASHES, LEAVES (a deadline or a signal ends a
 * wait), FREEZES, PASSES. SHARED: each chooses its mode. SKEWED: the last one's clock is behind.
 * PROMPT: queueing up is one step, for larger N.
 *
 * What else is asked for with #ifdef breaks a rule on purpose; tests/full/model.bats knows which
 * promise is broken by that. To see how: spin -DN=3 -D... -a queue.pml; cc -o pan pan.c;
 * ./pan -E; spin -DN=3 -D... -t -T queue.pml
 */
#ifndef N
#define N 3
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef LEAVES
#define LEAVES 0
#endif
#ifndef FREEZES
#define FREEZES 0
#endif
#ifndef PASSES
#define PASSES FREEZES
#endif

#define T    (N + PASSES) /* tickets; who was passed takes another one */
#define NONE T

#define bit(x) (1 << (x))

/* names of tickets */
#define UNNAMED 0
#define WAITING 1
#define HOLDING 2

/* where a contender is, for those who guess whether it had time */
#define ABSENT	      0
#define AWAY	      1 /* its ticket is not to be seen yet */
#define MOVING	      2
#define BEHIND	      3 /* waits for a waiter, and looks from time to time */
#define BEHIND_HOLDER 4 /* does not look */
#define AT_LOCK	      5
#define LEADING	      6
#define GONE	      7

byte name[T], number[T], owner[T];
bool alive[T]; /* its file is locked by its owner */
byte fresh;    /* the next ticket; tickets are made in the order of the clock */
byte arrived;  /* contenders are alike, so they may as well come in the order of their numbers */

byte exclusive; /* who holds `lock`, + 1 */
byte shared;	/* a set */
byte running_exclusive, running_shared; /* commands */

byte mine[N], ahead[N], place[N];
bool frozen[N];
byte readers; /* the set of those who share */
byte crashes = CRASHES, leaves = LEAVES, freezes = FREEZES, passes = PASSES;

bool judging;	/* somebody has the lock just for a look */
byte awake;	/* tickets in the queue whose owners were never frozen */
byte before[T]; /* those that were there when this one was made */
byte unseen;	/* contenders that may not have noticed the last pass */
byte looked;	/* contenders that have looked in this round of 5 s */

hidden byte k, best;

#define is_reader(i)	(readers & bit(i))
#define conflicts(a, b) !(is_reader(owner[a]) && is_reader(owner[b]))

#ifdef SKEWED
#define clock(t) (owner[t] == N - 1 -> 0 : (t) + 1)
#else
#define clock(t) ((t) + 1)
#endif
#define earlier(a, b)                                                                             \
	(number[a] < number[b] ||                                                                 \
	    (number[a] == number[b] &&                                                            \
		(clock(a) < clock(b) || (clock(a) == clock(b) && (a) < (b)))))

#define free_for(i) (exclusive == 0 && (is_reader(i) || shared == 0))

/* It sleeps, and nothing that has happened wakes it; or it is not in the queue. */
#define quiet(i)                                                                                  \
	(i == _pid || frozen[i] || place[i] == ABSENT || place[i] == AWAY ||                      \
	    place[i] == LEADING || place[i] == GONE ||                                            \
	    ((place[i] == BEHIND || place[i] == BEHIND_HOLDER) && alive[ahead[i]]) ||             \
	    (place[i] == AT_LOCK && !free_for(i)))
/* Frozen, and to be thawed in the end. */
#define leads_frozen(i)                                                                           \
	(frozen[i] && (exclusive == i + 1 || (shared & bit(i)) || name[mine[i]] == HOLDING))
#define over(i) (place[i] == GONE || frozen[i])

#if N == 2
#define all_quiet	(quiet(0) && quiet(1))
#define some_lead_frozen (leads_frozen(0) || leads_frozen(1))
#define all_over	(over(0) && over(1))
#elif N == 3
#define all_quiet	(quiet(0) && quiet(1) && quiet(2))
#define some_lead_frozen (leads_frozen(0) || leads_frozen(1) || leads_frozen(2))
#define all_over	(over(0) && over(1) && over(2))
#else
#define all_quiet	(quiet(0) && quiet(1) && quiet(2) && quiet(3))
#define some_lead_frozen                                                                          \
	(leads_frozen(0) || leads_frozen(1) || leads_frozen(2) || leads_frozen(3))
#define all_over	(over(0) && over(1) && over(2) && over(3))
#endif

/* When a lookout may look. A second look comes 250 ms after the first. */
#if defined(ANYTIME)
#define may_look true
#elif defined(LIVENESS)
#define may_look (all_quiet && !some_lead_frozen && (suspect != NONE || !(looked & bit(_pid))))
#else
#define may_look (suspect == NONE || all_quiet)
#endif

/* A look that cannot change anything is left out, but for the sake of fairness. */
#ifdef LIVENESS
#define worth_looking true
#else
#define worth_looking (passes > 0 || name[ahead[_pid]] == UNNAMED)
#endif

#ifdef ANYTIME
#define undisturbed true
#else
#define undisturbed !judging
#endif

#define UP	(!frozen[_pid])
#define may_die (crashes > 0 && (!frozen[_pid] || undisturbed))
#define t  mine[_pid]

/* ---- bookkeeping ---- */

inline new_round()
{
#ifdef LIVENESS
	best = true;
	k = 0;
	do
	:: k < N ->
		if
		:: place[k] == BEHIND && !frozen[k] && !(looked & bit(k)) ->
			best = false
		:: else
		fi;
		k++
	:: else -> break
	od;
	if
	:: best -> looked = 0
	:: else
	fi
#else
	skip
#endif
}

inline forget_mine()
{
	awake = awake & ~bit(t);
	unseen = unseen & ~bit(_pid);
	looked = looked & ~bit(_pid);
	ahead[_pid] = NONE;
	seen_waiting = 0;
	seen_holding = 0;
	suspect = NONE;
	first = NONE;
	owed = 0;
	settling = false
}

inline let_go_of_lock()
{
	if
	:: exclusive == _pid + 1 -> exclusive = 0; judging = false
	:: else
	fi;
#ifdef LOOK_BESIDE_READERS
	judging = false;
#endif
	shared = shared & ~bit(_pid)
}

inline grab()
{
	if
	:: is_reader(_pid) -> shared = shared | bit(_pid)
	:: else -> exclusive = _pid + 1
	fi
}

/* The kernel closes what we had open. */
inline die()
{
	crashes--;
	printf("%d is killed\n", _pid);
	forget_mine();
	alive[t] = false;
	let_go_of_lock();
	frozen[_pid] = false;
	place[_pid] = GONE;
	new_round()
}

#if CRASHES > 0
#define CRASHES_HERE :: atomic { may_die && place[_pid] != ABSENT -> d_step { die() }; goto gone }
#else
#define CRASHES_HERE
#endif

/* Those who have to lead before us. */
inline those_before(result)
{
	result = 0;
	k = 0;
	do
	:: k < T ->
		if
		:: (awake & bit(k)) && k != t && conflicts(k, t) && earlier(k, t) ->
			result = result | bit(k)
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* One half of a listing: a name that changes meanwhile may be missed, or met twice. */
inline list(state, result)
{
	result = 0;
	k = 0;
	do
	:: k < T ->
		if
		:: name[k] == state && k != t && conflicts(k, t) && earlier(k, t) ->
			result = result | bit(k)
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

inline nearest(set)
{
	best = NONE;
	k = 0;
	do
	:: k < T ->
		if
		:: (set & bit(k)) && (best == NONE || earlier(best, k)) -> best = k
		:: else
		fi;
		k++
	:: else -> break
	od;
	k = 0
}

/* The end of one step and the begin of the next. */
#define STEP_ENDS } CRASHES_HERE fi; if :: atomic { UP ->
#ifdef PROMPT
#define BETWEEN
#else
#define BETWEEN STEP_ENDS
#endif

/* ---- contenders ---- */

active [N] proctype contender()
{
	byte seen_waiting, seen_holding; /* names of a listing that are not examined yet */
	byte suspect = NONE, first = NONE;
	byte owed; /* those who stood before us when we were granted the lock */
	bool settling; /* the lock is ours, but we had to wait for it: are we still next? */

arrive:
	if
	:: atomic {
		UP && fresh < T && (arrived == _pid || place[_pid] != ABSENT) ->
		if
		:: place[_pid] != ABSENT
		:: place[_pid] == ABSENT -> arrived++; ahead[_pid] = NONE
#ifdef SHARED
		:: place[_pid] == ABSENT -> arrived++; ahead[_pid] = NONE; readers = readers | bit(_pid)
#endif
		fi;
		d_step {
			t = fresh;
			fresh++;
			owner[t] = _pid;
#ifndef LINK_BEFORE_LOCK
			alive[t] = true;
#endif
			place[_pid] = AWAY;
			k = 0;
			do
			:: k < T ->
				if
				:: (awake & bit(k)) && conflicts(k, t) ->
					before[t] = before[t] | bit(k)
				:: else
				fi;
				k++
			:: else -> break
			od;
			k = 0
		}
		BETWEEN

		/* choose: a larger number than all that live have */
		d_step {
			number[t] = clock(t);
			k = 0;
			do
			:: k < T ->
				if
				:: name[k] != UNNAMED && !alive[k] -> name[k] = UNNAMED
#ifndef NUMBER_BY_CLOCK
				:: name[k] != UNNAMED && alive[k] && number[k] >= number[t] ->
					number[t] = number[k] + 1
#endif
				:: else
				fi;
				k++
			:: else -> break
			od;
			k = 0
		}
		BETWEEN

		/* link: only now others see it */
		d_step {
			name[t] = WAITING;
			awake = awake | bit(t);
			place[_pid] = MOVING
		}
		printf("%d queues up: ticket %d, number %d\n", _pid, t, number[t])
	   }
	CRASHES_HERE
	fi;
#ifdef LINK_BEFORE_LOCK
	if
	:: atomic { UP -> alive[t] = true }
	CRASHES_HERE
	fi;
#endif

look:
	if
	:: atomic {
		UP ->
		d_step {
			unseen = unseen & ~bit(_pid);
			list(HOLDING, seen_holding)
		}
	   }
	CRASHES_HERE
	fi;
	if
	:: atomic { UP -> d_step { list(WAITING, seen_waiting) } }
	CRASHES_HERE
	fi;

examine: /* nearest first */
	if
	:: atomic {
		UP ->
		d_step {
			nearest((seen_waiting | seen_holding));
			first = best
		}
		if
		:: first == NONE -> goto clear
		:: first != NONE && name[first] != ((seen_waiting & bit(first)) -> WAITING : HOLDING) ->
			first = NONE;
			goto look
		:: first != NONE && name[first] == ((seen_waiting & bit(first)) -> WAITING : HOLDING) &&
			!alive[first] ->
#ifdef DEATH_IGNORED
			skip;
#else
			d_step {
				name[first] = UNNAMED;
				seen_waiting = seen_waiting & ~bit(first);
				seen_holding = seen_holding & ~bit(first);
				first = NONE
			}
			goto examine
#endif
		:: else
		fi;
		if
		:: settling -> /* not our turn */
			d_step {
				settling = false;
				seen_waiting = 0;
				seen_holding = 0;
				first = NONE;
				owed = 0;
#ifndef TURN_KEPT
				let_go_of_lock()
#endif
			}
			goto look
		:: else
		fi;
		printf("%d waits behind ticket %d\n", _pid, first);
		d_step {
			ahead[_pid] = first;
			place[_pid] = ((seen_waiting & bit(first)) -> BEHIND : BEHIND_HOLDER);
			seen_waiting = 0;
			seen_holding = 0;
			first = NONE;
			new_round()
		}
	   }
	CRASHES_HERE
	fi;

behind:
	if
	:: atomic {
#ifdef DEATH_IGNORED
		UP && name[ahead[_pid]] == UNNAMED ->
#else
		UP && !alive[ahead[_pid]] ->
#endif
		d_step {
			ahead[_pid] = NONE;
			suspect = NONE;
			place[_pid] = MOVING;
			looked = looked & ~bit(_pid);
			new_round()
		}
		goto look
	   }
#ifndef NEVER_PASSED
	:: atomic {
		UP && place[_pid] == BEHIND && may_look && worth_looking ->
		d_step {
#ifdef LIVENESS
			looked = looked | bit(_pid);
			new_round();
#endif
			unseen = unseen & ~bit(_pid)
		}
		if
#ifndef PASS_UNNOTICED
		:: name[ahead[_pid]] == UNNAMED ->
			d_step {
				ahead[_pid] = NONE;
				suspect = NONE;
				place[_pid] = MOVING;
				looked = looked & ~bit(_pid);
				new_round()
			}
			goto look
#endif
		:: else ->
			if
#ifdef LOOK_BESIDE_READERS
			:: free_for(_pid) ->
				grab();
#else
			:: exclusive == 0 && shared == 0 ->
				exclusive = _pid + 1;
#endif
				judging = true;
				place[_pid] = MOVING;
				printf("%d looks, and has the lock for a moment\n", _pid)
			:: else ->
				suspect = NONE;
				goto behind
			fi
		fi
	   }
#endif
	:: atomic { UP && leaves > 0 -> leaves--; goto leave }
	CRASHES_HERE
	fi;

judge: /* `lock` is ours for a moment */
	if
	:: atomic {
		UP ->
		d_step {
			first = NONE;
			best = NONE; /* a holder */
			k = 0;
			do
			:: k < T ->
				if
				:: name[k] != UNNAMED && k != t && earlier(k, t) && !alive[k] ->
					name[k] = UNNAMED
				:: else
				fi;
				if
#ifndef HOLDERS_IGNORED
				:: name[k] == HOLDING && k != t && earlier(k, t) -> best = k
#endif
				:: name[k] == WAITING && k != t && earlier(k, t) &&
#ifdef PASS_BY_OWN_MODE
					conflicts(k, t) &&
#endif
					(first == NONE || earlier(k, first)) ->
					first = k
				:: else
				fi;
				k++
			:: else -> break
			od;
			if
			:: best != NONE -> first = NONE
			:: else
			fi
		}
		if
		:: first == NONE -> suspect = NONE
#ifdef PASS_AT_ONCE
		:: first != NONE -> goto pass
#else
		:: first != NONE && suspect == first -> goto pass
#ifndef PASS_UNMARKED
		:: first != NONE && suspect != first && unseen != 0 -> suspect = NONE
		:: first != NONE && suspect != first && unseen == 0 -> suspect = first
#else
		:: first != NONE && suspect != first -> suspect = first
#endif
#endif
		fi;
		first = NONE;
		printf("%d suspects ticket %d\n", _pid, suspect)
	   }
	CRASHES_HERE
	fi;
	if
	:: atomic {
		UP ->
		d_step {
			let_go_of_lock();
			place[_pid] = BEHIND
		}
		goto behind
	   }
	CRASHES_HERE
	fi;

pass:
	if
	:: atomic {
		UP ->
		printf("%d passes ticket %d\n", _pid, first);
		d_step {
#ifndef ANYTIME
			assert(!(awake & bit(first)) || !alive[first]);
#endif
			if
			:: name[first] == WAITING ->
				name[first] = UNNAMED;
				passes--;
			:: else
			fi;
			awake = awake & ~bit(first);
			suspect = NONE;
			first = NONE;
			k = 0;
			do
			:: k < N ->
				if
				:: k != _pid && !frozen[k] && (place[k] == BEHIND || place[k] == MOVING) ->
					unseen = unseen | bit(k)
				:: else
				fi;
				k++
			:: else -> break
			od;
			k = 0
		}
	   }
	CRASHES_HERE
	fi;
	if
	:: atomic {
		UP ->
		d_step {
			let_go_of_lock();
			ahead[_pid] = NONE;
			looked = looked & ~bit(_pid);
			new_round()
		}
		goto look
	   }
	CRASHES_HERE
	fi;

clear: /* nobody is before us */
	if
	:: atomic {
		UP ->
		if
		:: settling -> settling = false; goto hold
		:: !settling && name[t] == UNNAMED -> goto anew
		:: else
		fi;
		/* take */
		if
#ifdef LOCK_NOT_TAKEN
		:: goto hold
#endif
		:: free_for(_pid) -> grab(); printf("%d takes the lock\n", _pid); goto hold
		:: else ->
			place[_pid] = AT_LOCK;
			d_step { new_round() }
			printf("%d waits for the lock\n", _pid)
		fi
	   }
	CRASHES_HERE
	fi;

at_lock:
	if
	:: atomic {
		UP && free_for(_pid) ->
		printf("%d is granted the lock\n", _pid);
		grab();
		d_step {
			place[_pid] = MOVING;
			looked = looked & ~bit(_pid);
			those_before(owed);
			new_round()
		}
#ifndef NOT_LOOKED_AGAIN
		settling = true;
		goto look
#else
		goto hold
#endif
	   }
	:: atomic {
		UP && name[t] == UNNAMED ->
		place[_pid] = MOVING;
		looked = looked & ~bit(_pid);
		goto anew
	   }
	:: atomic { UP && leaves > 0 -> leaves--; goto leave }
	CRASHES_HERE
	fi;

hold: /* says atomically whether we were passed */
	if
	:: atomic {
		UP ->
		if
		:: name[t] == WAITING ->
			name[t] = HOLDING;
			printf("%d leads\n", _pid);
			d_step {
				assert(running_exclusive == 0);
				assert(is_reader(_pid) || running_shared == 0);
#ifndef ANYTIME
				assert((before[t] & awake) == 0);
				assert((owed & awake) == 0);
#endif
				owed = 0;
				awake = awake & ~bit(t);
				place[_pid] = LEADING;
				if
				:: is_reader(_pid) -> running_shared++
				:: else -> running_exclusive++
				fi
			}
		:: else -> printf("%d was passed\n", _pid); goto anew
		fi
	   }
	CRASHES_HERE
	fi;

lead:
	if
	:: atomic {
		UP ->
		d_step {
			if
			:: is_reader(_pid) -> running_shared--
			:: else -> running_exclusive--
			fi;
			place[_pid] = MOVING
		}
	   }
	:: atomic {
		crashes > 0 ->
		printf("%d is killed, and its command goes on\n", _pid);
		d_step {
			crashes--;
			alive[t] = false;
			frozen[_pid] = false;
			forget_mine();
#ifdef LOCK_NOT_INHERITED
			let_go_of_lock();
#endif
		}
		goto orphan
	   }
	fi;

release:
	if
	:: atomic { UP -> printf("%d lets go of the lock\n", _pid); let_go_of_lock() }
	CRASHES_HERE
	fi;

leave:
	if
	:: atomic {
		UP ->
		printf("%d leaves\n", _pid);
		awake = awake & ~bit(t);
#ifdef NAME_GONE_FIRST
		name[t] = UNNAMED
#else
		alive[t] = false
#endif
	   }
	CRASHES_HERE
	fi;
	if
	:: atomic {
		UP ->
		d_step {
			name[t] = UNNAMED;
			alive[t] = false;
			forget_mine();
			let_go_of_lock();
			place[_pid] = GONE;
			new_round()
		}
		goto gone
	   }
	CRASHES_HERE
	fi;

anew: /* we were frozen, and passed */
	if
	:: atomic {
		UP ->
		d_step {
			forget_mine();
			let_go_of_lock()
		}
	   }
	CRASHES_HERE
	fi;
	if
	:: atomic {
		UP ->
		name[t] = UNNAMED;
		alive[t] = false;
		place[_pid] = AWAY;
		goto arrive
	   }
	CRASHES_HERE
	fi;

orphan: /* it ends as well */
	atomic {
		d_step {
			if
			:: is_reader(_pid) -> running_shared--
			:: else -> running_exclusive--
			fi;
			let_go_of_lock();
			place[_pid] = GONE
		}
	}

gone:
	skip
}

/* ---- what befalls them ---- */

#define may_freeze(i) (freezes > 0 && place[i] != ABSENT && place[i] != GONE && !frozen[i])
#define may_thaw(i)   (frozen[i] && undisturbed)

inline freeze(i)
{
	d_step {
		freezes--;
		frozen[i] = true;
		printf("%d is frozen\n", i);
		awake = awake & ~bit(mine[i]);
		unseen = unseen & ~bit(i);
		new_round()
	}
}

#define BEFALLS(i)                                                                                \
	:: atomic { may_freeze(i) -> freeze(i) }                                                  \
	:: atomic { may_thaw(i) -> frozen[i] = false; printf("%d is thawed\n", i) }

#define RELENTS(i) :: atomic { leads_frozen(i) -> frozen[i] = false; printf("%d is thawed\n", i) }

#if FREEZES > 0
active proctype fate()
{
	do
	BEFALLS(0)
	BEFALLS(1)
#if N > 2
	BEFALLS(2)
#endif
#if N > 3
	BEFALLS(3)
#endif
#ifdef LIVENESS
	:: break /* who is frozen now stays so for ever */
#endif
	od
}

#ifdef LIVENESS
active proctype mercy()
{
	do
	RELENTS(0)
	RELENTS(1)
#if N > 2
	RELENTS(2)
#endif
#if N > 3
	RELENTS(3)
#endif
	od
}
#endif
#endif

#ifdef LIVENESS
/* Time passes also when nobody can do anything; a search for cycles needs a step for that. */
active proctype time()
{
	bool tick;

	do
	:: tick = !tick
	od
}
#endif

#ifdef LIVENESS
ltl all_lead { <>[] all_over }
#endif
