#!/usr/bin/env bats
# --max-waiters: no more than that ever wait, and no fewer than may.
load helper

# apply LABEL [OPTION...]: contend in the background for a place in the queue; LABEL is added to
# `order` by who comes to lead. turned_away N: whether so many of them are gone.
apply() {
	local label=$1
	shift
	start "$LOCKRUN" -q "$@" "$LOCK" -- sh -c 'echo "$0" >>order' "$label"
	APPLIED[$label]=$STARTED
}
turned_away() {
	local count=0 pid
	for pid in "${APPLIED[@]}"; do
		if is_gone "$pid"; then count=$((count + 1)); fi
	done
	[ "$count" -eq "$1" ]
}
# statuses: leave in the file of that name how many ended with which status, once all have.
statuses() {
	local pid status
	for pid in "${APPLIED[@]}"; do
		status=0
		wait "$pid" || status=$?
		echo "$status" >>each
	done
	sort each | uniq -c | awk '{ print $1 " x " $2 }' | paste -sd' ' >statuses
}
declare -gA APPLIED

@test "1: one runs, one waits, the rest skip, and the line says how many wait" {
	hold
	apply a --max-waiters 1
	await is_pending 1
	run -75 "$LOCKRUN" --max-waiters 1 "$LOCK" -- touch ran
	[[ "$output" == *"held by pid "*", 1 waiting; no more than 1 may wait (--max-waiters); nothing was run" ]]
	run -3 "$LOCKRUN" -E 3 -q --max-waiters 1 -w 1h "$LOCK" -- touch ran
	[ -z "$output" ]
	[ ! -e ran ]
	[ "$(pending)" = 1 ]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *" 2 turned away since generation 1 began"* ]]
	release
	wait "${APPLIED[a]}"
	[ "$(cat order)" = a ]
}

@test "of a crowd that comes at once as many wait as may, and the others get 75" {
	hold
	for n in {1..12}; do apply "$n" --max-waiters 3; done
	await turned_away 9
	[ "$(pending)" = 3 ]
	release
	statuses
	[ "$(cat statuses)" = '3 x 0 9 x 75' ]
	[ "$(wc -l <order)" = 3 ]
}

@test "whoever comes after a waiter has come to lead may wait again" {
	hold
	contend a --max-waiters 1 "$LOCK"
	await is_pending 1
	release
	await leads a
	apply b --max-waiters 1
	await is_pending 1
	let_end a
	wait "${APPLIED[b]}"
	[ "$(paste -sd' ' order)" = 'a b' ]
}

@test "those without the option count as well, tries and the dead do not" {
	hold
	line_up 1 2
	run -75 "$LOCKRUN" -q --max-waiters 2 "$LOCK" -- true
	kill -KILL "${WAITER[2]}"
	ends 137 "${WAITER[2]}"
	: >"$LOCKRUN_DIR/$LOCK/q/09000000000000000000.09000000000000000000.4194000.1.xnw"
	foreign "$LOCKRUN_DIR/$LOCK/q/09000000000000000000.09000000000000000000.4194000.1.xnw"
	apply a --max-waiters 2
	# By its pid: the ticket of the dead one may be there still.
	await has_ticket "${APPLIED[a]}"
	run -75 "$LOCKRUN" -q --max-waiters 2 "$LOCK" -- true
	# Without it nobody is turned away.
	line_up 3 3
	foreign_ends
	release
	wait "${WAITER[1]}" "${APPLIED[a]}" "${WAITER[3]}"
	[ "$(paste -sd' ' order)" = '1 a 3' ]
}

@test "0 is the same as -n: led at once or not at all" {
	run -0 "$LOCKRUN" --max-waiters 0 "$LOCK" -- true
	hold
	run -75 "$LOCKRUN" --max-waiters 0 -w 1h "$LOCK" -- true
	[[ "$output" == *", 0 waiting; nothing was run" ]]
	[ "$(pending)" = 0 ]
	release
}

@test "-n does not wait, so no limit concerns it" {
	"$LOCKRUN" "$LOCK" -- true
	run -0 "$LOCKRUN" -n --max-waiters 1 "$LOCK" -- true
}

@test "the event says too-many" {
	hold
	apply a
	await is_pending 1
	run -75 "$LOCKRUN" -q --events log --max-waiters 1 "$LOCK" -- true
	awk -f "$TESTS/events.awk" log
	[ "$(grep -o '"reason":"[^"]*"' log | sort -u)" = '"reason":"too-many"' ]
	grep -q '^{"type":"skipped"' log
	release
	wait "${APPLIED[a]}"
}

@test "shared holders are joined as long as not too many wait" {
	contend a -s "$LOCK"
	await leads a
	run -0 "$LOCKRUN" -s --max-waiters 1 "$LOCK" -- true
	apply b
	await is_pending 1
	run -75 "$LOCKRUN" -q -s --max-waiters 1 "$LOCK" -- true
	let_end a
	wait "${APPLIED[b]}"
}

@test "inside of the lock itself it is nested, as ever" {
	run -64 "$LOCKRUN" "$LOCK" -- sh -c '
		"$0" "$1" -- true 2>/dev/null &
		"$0" --max-waiters 1 "$1" -- true' "$LOCKRUN" "$LOCK"
	[[ "$output" == *"already inside of this lock"* ]]
}

@test "--replace: who is turned away asks nobody to stop" {
	hold
	apply a
	await is_pending 1
	run -75 "$LOCKRUN" -q --replace --max-waiters 1 "$LOCK" -- true
	[ ! -s "$LOCKRUN_DIR/$LOCK/ask" ]
	release
	wait "${APPLIED[a]}"
	run -0 "$LOCKRUN" --replace --max-waiters 1 "$LOCK" -- true
}

@test "a door that somebody is frozen in keeps nobody out for long" {
	hold
	foreign "$LOCKRUN_DIR/$LOCK/q"
	apply a --max-waiters 1
	await is_pending 1
	run -75 "$LOCKRUN" -q --max-waiters 1 "$LOCK" -- true
	foreign_ends
	release
	wait "${APPLIED[a]}"
}
