#!/usr/bin/env bats
# --yield: the leader steps down for whoever has to wait for it.
load helper

# yielding LABEL [OPTION...] NAME: lead in the background with --yield, until somebody comes.
yielding() {
	local label=$1
	shift
	contend "$label" --events "$label.log" "$@"
	await leads "$label"
}

# yielded LABEL: it has stepped down, for that reason.
yielded() {
	ended "$1" 124
	grep -q '"type":"stepping-down".*"reason":"yield"' "$1.log"
	grep -q '"type":"stopped".*"ran":"yes".*"reason":"yield"' "$1.log"
}

@test "a waiter's arrival makes the leader step down" {
	yielding a --yield "$LOCK"
	run -0 "$LOCKRUN" "$LOCK" echo next
	[ "$output" = next ]
	yielded a
}

@test "nobody comes, nobody yields" {
	run -0 "$LOCKRUN" --yield "$LOCK" sh -c 'echo ran; exit 0'
	[ "$output" = ran ]
	run -7 "$LOCKRUN" --yield "$LOCK" sh -c 'exit 7'
}

@test "who waits already when the term begins counts as well" {
	hold
	contend a --yield --events a.log "$LOCK"
	await is_pending 1
	contend b "$LOCK"
	await is_pending 2
	release
	yielded a
	await leads b
	let_end b
}

@test "SIGTERM goes out soon after the arrival" {
	yielding a --yield "$LOCK"
	contend b --events b.log "$LOCK"
	yielded a
	await leads b
	let_end b
	local came asked
	came=$(sed -n 's/^{"type":"waiting".*"mono_ms":\([0-9]*\).*/\1/p' b.log)
	asked=$(sed -n 's/^{"type":"stepping-down".*"mono_ms":\([0-9]*\).*/\1/p' a.log)
	# Well below the second after which it would look without a report; machines can be busy.
	[ $((asked - came)) -lt 800 ]
}

@test "the command has its grace, and the waiter waits for it" {
	mkfifo go
	start "$LOCKRUN" --yield "$LOCK" sh -c 'trap "echo told >>order; read -r _ <go; echo clean >>order; exit 0" TERM
	    echo >ready; while :; do sleep 0.05; done'
	CONTENDERS[a]=$STARTED
	await test -e ready
	contend b "$LOCK"
	await grep -qsx told order
	not leads b
	is_pending 1
	echo >go
	ended a 124
	await leads b
	order_is told clean b
	let_end b
}

@test "tries do not count" {
	yielding a --yield "$LOCK"
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -75 "$LOCKRUN" -n -s "$LOCK" true
	run -75 "$LOCKRUN" -w 0 "$LOCK" true
	is_holding 1
	not grep -q stepping-down a.log
	let_end a
}


@test "a try that is alive does not count while it tries; the same ticket, of one that waits, would" {
	yielding a --yield "$LOCK"
	local queue=$LOCKRUN_DIR/$LOCK/q name
	name=$(basename "$(find "$queue" -name '*h')" | sed 's/^./1/; s/...$//')
	: >ticket
	foreign ticket
	mv ticket "$queue/${name}xnw"
	run -124 "$LOCKRUN" -q -m 1s demo:v1:leader:clock sleep 60
	not grep -q stepping-down a.log
	mv "$queue/${name}xnw" "$queue/${name}xqw"
	yielded a
	foreign_ends
}

@test "tickets that nobody holds do not count, nor do other names" {
	yielding a --yield "$LOCK"
	local queue=$LOCKRUN_DIR/$LOCK/q
	: >"$queue/.new"
	mv "$queue/.new" "$queue/$(basename "$(find "$queue" -name '*h')" | sed 's/^./1/; s/h$/w/')"
	: >"$queue/stranger"
	# It looks, and removes what is dead: so that is when it has looked.
	await is_pending 0
	is_holding 1
	not grep -q stepping-down a.log
	rm "$queue/stranger"
	let_end a
}

@test "--yield=DURATION: not before it has led for that long" {
	yielding a --yield=1500ms "$LOCK"
	contend b "$LOCK"
	await is_pending 1
	is_holding 1
	not grep -q stepping-down a.log
	yielded a
	await leads b
	let_end b
	local led asked
	led=$(sed -n 's/^{"type":"leading".*"mono_ms":\([0-9]*\).*/\1/p' a.log)
	asked=$(sed -n 's/^{"type":"stepping-down".*"mono_ms":\([0-9]*\).*/\1/p' a.log)
	# The count begins a moment before that event is written.
	[ $((asked - led)) -ge 1200 ]
}

@test "--yield=DURATION: whoever came and went does not count" {
	yielding a --yield=400ms "$LOCK"
	run -75 "$LOCKRUN" -w 20ms "$LOCK" true
	# Until long after: another lock's limit is the clock.
	run -124 "$LOCKRUN" -q -m 1s demo:v1:leader:clock sleep 60
	is_holding 1
	not grep -q stepping-down a.log
	# The next one that waits is what it has to answer for.
	contend b "$LOCK"
	yielded a
	await leads b
	let_end b
}

@test "-n --yield: the opportunistic run gives way, and does not wait itself" {
	hold
	run -75 "$LOCKRUN" -n --yield "$LOCK" true
	release
	yielding a -n --yield "$LOCK"
	run -0 "$LOCKRUN" "$LOCK" echo important
	[ "$output" = important ]
	yielded a
}

@test "an exclusive leader yields to a shared waiter" {
	yielding a --yield "$LOCK"
	run -0 "$LOCKRUN" -s "$LOCK" echo reader
	[ "$output" = reader ]
	yielded a
}

@test "a shared holder yields to an exclusive waiter, and not to one that shares" {
	yielding a -s --yield "$LOCK"
	run -0 "$LOCKRUN" -s "$LOCK" echo reader
	[ "$output" = reader ]
	is_holding 1
	not grep -q stepping-down a.log
	run -0 "$LOCKRUN" "$LOCK" echo writer
	[ "$output" = writer ]
	yielded a
}

@test "of two shared holders only the one that yields does" {
	yielding a -s --yield "$LOCK"
	contend stays -s "$LOCK"
	await leads stays
	contend writer "$LOCK"
	yielded a
	is_pending 1
	is_holding 1
	let_end stays
	await leads writer
	let_end writer
}

@test "a reader behind a writer counts by its writer only" {
	yielding a -s --yield=2s "$LOCK"
	contend writer "$LOCK"
	await is_pending 1
	contend reader -s "$LOCK"
	await is_pending 2
	kill -TERM "${CONTENDERS[writer]}"
	ended writer 143
	await leads reader
	let_end a
	not grep -q stepping-down a.log
	let_end reader
}

@test "a chain of those that yield hands the lock on, each to the next" {
	yielding a --yield "$LOCK"
	yielding b --yield "$LOCK"
	yielded a
	yielding c --yield "$LOCK"
	yielded b
	let_end c
	order_is a b c
}

@test "a leader without --yield goes on" {
	contend a --events a.log "$LOCK"
	await leads a
	contend b "$LOCK"
	await is_pending 1
	run -75 "$LOCKRUN" -w 1s "$LOCK" true
	not grep -q stepping-down a.log
	let_end a
	await leads b
	let_end b
}

@test "a yield that comes before the command has begun to handle it" {
	local i
	hold
	for i in {1..5}; do
		contend "c$i" --yield "$LOCK"
		await is_pending "$i"
	done
	release
	for i in {1..4}; do
		ended "c$i" 124
	done
	await leads c5
	let_end c5
	is_pending 0
}
