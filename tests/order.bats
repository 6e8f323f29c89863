#!/usr/bin/env bats
# Strict order of arrival; who waits costs nothing and wakes for its predecessor only.
load helper

# in_order N...: these have led, in this order and nobody else.
in_order() {
	[ "$(printf '%s\n' "$@")" = "$(cat order)" ]
}

wait_all() {
	local pid
	for pid; do
		wait "$pid"
	done
}

tickets() { find "$LOCKRUN_DIR/$LOCK/q" -type f | wc -l; }

# moved PID EFFORT: it has been awake since, and sleeps again.
moved() { [ "$(effort "$1")" != "$2" ] && settled "$1"; }

# slept PID EFFORT: it has not been awake since. Every 5 s a waiter looks whether those who wait ahead
# of it are frozen, so from then on, after it began to wait at $begin, there is nothing to compare.
slept() { [ "$(effort "$1")" = "$2" ] || [ $((SECONDS - begin)) -ge 4 ]; }

@test "twenty lead in the order in which they came" {
	hold
	line_up 1 20
	[ "$(pending)" = 20 ]
	release
	wait_all "${WAITER[@]}"
	in_order {1..20}
	[ "$(tickets)" = 0 ]
}

@test "order is kept when some give up: 75, and their tickets are gone before the lock is free" {
	hold
	line_up 1 4
	line_up 5 6 -w 150ms
	line_up 7 9
	line_up 10 10 -w 150ms
	line_up 11 12
	for n in 5 6 10; do
		ends 75 "${WAITER[n]}"
	done
	[ "$(pending)" = 9 ]
	[ "$(tickets)" = 10 ]
	release
	wait_all "${WAITER[@]:1:4}" "${WAITER[@]:7:3}" "${WAITER[@]:11:2}"
	in_order 1 2 3 4 7 8 9 11 12
	[ "$(tickets)" = 0 ]
}

@test "order is kept when some are killed, and their tickets are cleared away" {
	hold
	line_up 1 20
	for n in 1 4 5 6 20; do
		kill -KILL "${WAITER[n]}"
		ends 137 "${WAITER[n]}"
	done
	release
	wait_all "${WAITER[@]:2:2}" "${WAITER[@]:7:13}"
	in_order 2 3 {7..19}
	# The last one had nobody behind it to notice; the next visitor does.
	"$LOCKRUN" "$LOCK" -- true
	[ "$(tickets)" = 0 ]
}

# waits_for_a_ticket PID: not for the lock itself, where the order is the kernel's.
waits_for_a_ticket() { grep -q -- "-> FLOCK .* READ $1 " /proc/locks; }

@test "a long row of dead tickets is not taken for the end of the queue" {
	hold
	line_up 1 35
	# From the end on, and with the last one asleep, so that nobody clears up between two deaths.
	kill -STOP "${WAITER[35]}"
	for ((n = 34; n >= 2; n--)); do
		kill -KILL "${WAITER[n]}"
		ends 137 "${WAITER[n]}"
	done
	[ "$(tickets)" = 36 ]
	kill -CONT "${WAITER[35]}"
	await is_pending 2
	await waits_for_a_ticket "${WAITER[35]}"
	release
	wait_all "${WAITER[1]}" "${WAITER[35]}"
	in_order 1 35
}

@test "order is kept when some get SIGTERM, and they die by it" {
	hold
	line_up 1 8
	for n in 1 5 8; do
		kill -TERM "${WAITER[n]}"
		ends 143 "${WAITER[n]}"
		[ "$(pending)" = $((8 - ++gone)) ]
	done
	release
	wait_all "${WAITER[@]:2:3}" "${WAITER[@]:6:2}"
	in_order 2 3 4 6 7
}

@test "of 21 the leader and 19 waiters are killed at once: the last one leads" {
	hold
	line_up 1 20
	kill -KILL "${WAITER[@]:1:19}" "$HOLDER"
	wait "${WAITER[20]}"
	in_order 20
	wait "$HOLDER" || true
}

@test "one departure wakes one waiter: the one right behind" {
	hold
	begin=$SECONDS
	for n in 1 2 3 4 5 6; do stand "$n"; done
	for n in 1 2 3 4 5 6; do before[n]=$(effort "${WAITER[n]}"); done
	# The leader goes: the first one leads, the others have slept.
	release
	await has_led 1
	for n in 2 3 4 5 6; do slept "${WAITER[n]}" "${before[n]}"; done
	# The third is killed: the fourth waits for the second now.
	kill -KILL "${WAITER[3]}"
	await moved "${WAITER[4]}" "${before[4]}"
	for n in 2 5 6; do slept "${WAITER[n]}" "${before[n]}"; done
	# The fifth gives up: so does the sixth move.
	kill -TERM "${WAITER[5]}"
	await moved "${WAITER[6]}" "${before[6]}"
	slept "${WAITER[2]}" "${before[2]}"
	before[4]=$(effort "${WAITER[4]}")
	let_go 1
	await has_led 2
	slept "${WAITER[4]}" "${before[4]}"
	let_go 2
	let_go 4
	let_go 6
	in_order 1 2 4 6
	ends 137 "${WAITER[3]}"
	ends 143 "${WAITER[5]}"
}

@test "waiting costs nothing, whatever visitors come by meanwhile" {
	hold
	begin=$SECONDS
	stand 1
	stand 2
	before1=$(effort "${WAITER[1]}")
	before2=$(effort "${WAITER[2]}")
	for ((n = 0; n < 4; n++)); do
		run -75 "$LOCKRUN" -n "$LOCK" -- true
		run -75 "$LOCKRUN" -w 1ms "$LOCK" -- true
		run -0 "$LOCKRUN" status "$LOCK"
		run -0 "$LOCKRUN" demo:v1:leader:other -- true
		slept "${WAITER[1]}" "$before1"
		slept "${WAITER[2]}" "$before2"
	done
	release
	let_go 1
	let_go 2
}

@test "-n never barges into a queue on the move" {
	hold
	line_up 1 25
	start sh -c 'until "$0" -qn "$1" -- sh -c "echo visitor >>order"; do :; done' "$LOCKRUN" "$LOCK"
	visitor=$STARTED
	release
	wait_all "${WAITER[@]}" "$visitor"
	in_order {1..25} visitor
}

@test "a visitor with -n leaves no ticket behind, whether it led or not" {
	"$LOCKRUN" -n "$LOCK" -- true
	[ "$(tickets)" = 0 ]
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	[ "$(tickets)" = 1 ]
	release
	[ "$(tickets)" = 0 ]
}

@test "a visitor with -n counts for nobody while it tries" {
	"$LOCKRUN" "$LOCK" -- true
	: >"$LOCKRUN_DIR/$LOCK/q/00000000000000000001.00000000000000000001.4194000.1.xnw"
	foreign "$LOCKRUN_DIR/$LOCK/q/00000000000000000001.00000000000000000001.4194000.1.xnw"
	run -0 "$LOCKRUN" -n "$LOCK" -- true
	run -0 "$LOCKRUN" "$LOCK" -- true
	[ "$(tickets)" = 1 ]
	# Once it is dead it is cleared away like any other.
	foreign_ends
	run -0 "$LOCKRUN" "$LOCK" -- true
	[ "$(tickets)" = 0 ]
}

@test "-w gives up no sooner than it says, with 75, and no ticket stays" {
	hold
	begin=${EPOCHREALTIME/./}
	run -75 "$LOCKRUN" -w 250ms "$LOCK" -- touch led
	end=${EPOCHREALTIME/./}
	[ $((end - begin)) -ge 250000 ]
	[ $((end - begin)) -lt 5000000 ]
	[ ! -e led ]
	[[ "$output" == *"gave up after 250ms; nothing was run" ]]
	[ "$(pending)" = 0 ]
	[ "$(tickets)" = 1 ]
	release
}

@test "a ticket of a later clock, or of before a reboot, disturbs no order" {
	far=09000000000000000000.09000000000000000000.4194000.1.xqw
	"$LOCKRUN" "$LOCK" -- true
	# A dead one and a live one with numbers far ahead, as another time namespace gives them.
	: >"$LOCKRUN_DIR/$LOCK/q/09100000000000000000.09100000000000000000.4194000.1.xqw"
	foreign "$LOCKRUN_DIR/$LOCK/q/$far"
	line_up 1 3
	[ ! -e order ]
	foreign_ends
	wait_all "${WAITER[@]}"
	in_order 1 2 3
	[ "$(tickets)" = 0 ]
}

@test "debris of a maker that was killed is cleared away, a ticket in the making is not" {
	"$LOCKRUN" "$LOCK" -- true
	q=$LOCKRUN_DIR/$LOCK/q
	foreign "$q/.new-00000000000000000002-0123456789abcdef"
	: >"$q/.new-00000000000000000001-0123456789abcdef"
	: >"$q/.new-09000000000000000000-0123456789abcdef"
	"$LOCKRUN" "$LOCK" -- true
	[ "$(ls -A "$q")" = .new-00000000000000000002-0123456789abcdef ]
	foreign_ends
	"$LOCKRUN" "$LOCK" -- true
	[ -z "$(ls -A "$q")" ]
}

full_of_bytes() {
	mkdir small
	mount -t tmpfs -o size=256k,nr_inodes=100,mode=700 none small
	LOCKRUN_DIR=$PWD/small
	"$LOCKRUN" "$LOCK" -- true
	dd if=/dev/zero of=small/fill bs=4k status=none 2>/dev/null || true
	hold
	line_up 1 5
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	release
	wait "${WAITER[@]}"
	[ "$(seq 5)" = "$(cat order)" ]
	[ -z "$(find "small/$LOCK/q" -type f)" ]
}

@test "on a disk without a free byte order and exclusion are kept" {
	private_mounts full_of_bytes
}

full_of_files() {
	mkdir small
	mount -t tmpfs -o size=1m,nr_inodes=60,mode=700 none small
	LOCKRUN_DIR=$PWD/small
	"$LOCKRUN" "$LOCK" -- true
	n=0
	while : 2>/dev/null >"small/fill.$((n++))"; do :; done
	hold 2>warning
	grep -q "no ticket could be made: No space left on device; the order of waiting is not kept; the lock itself holds" warning
	[ "$(find "small/$LOCK/q" -type f | wc -l)" = 0 ]
	run -75 "$LOCKRUN" -n "$LOCK" -- touch barged
	run -75 "$LOCKRUN" -w 50ms "$LOCK" -- touch barged
	[ ! -e barged ]
	for n in 1 2 3 4 5 6; do
		start "$LOCKRUN" "$LOCK" -- sh -c 'mkdir alone && rmdir alone && echo $0 >>order' "$n" 2>>warnings
		WAITER[n]=$STARTED
		await settled "$STARTED"
	done
	[ ! -e order ]
	release
	for n in 1 2 3 4 5 6; do wait "${WAITER[n]}"; done
	[ "$(sort order)" = "$(seq 6)" ]
	[ "$(grep -c 'no ticket could be made' warnings)" = 6 ]
}

@test "on a disk without a free inode there is no order, but exclusion and a warning" {
	private_mounts full_of_files
}
