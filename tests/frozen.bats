#!/usr/bin/env bats
# Frozen waiters do not wedge those behind them; a frozen leader keeps the lock.
#
# A waiter looks every five seconds whether one before it is frozen, and each frozen one costs those
# behind it ten seconds at most.
load helper

freeze() { kill -STOP "${CONTENDERS[$1]}" && await is_stopped "${CONTENDERS[$1]}"; }
thaw() { kill -CONT "${CONTENDERS[$1]}"; }
is_stopped() { [ "$(state_of "$1")" = T ]; }

# queued LABEL...: they wait behind a holder, in this order.
queued() {
	local label
	hold
	for label; do
		contend "$label" "${options[@]}" "$LOCK"
		await is_pending "$((++count))"
	done
}

@test "a stopped waiter is passed, and the others lead in order; thawed it leads last" {
	queued frozen b c
	freeze frozen
	release
	await leads b
	is_pending 1
	let_end b
	await leads c
	contend d "$LOCK"
	await is_pending 1
	thaw frozen
	await is_pending 2
	let_end c
	await leads d
	let_end d
	await leads frozen
	let_end frozen
	order_is b c d frozen
}

@test "a waiter that is stopped and thawed in time keeps its place" {
	queued a b
	freeze a
	thaw a
	release
	await leads a
	is_pending 1
	let_end a
	await leads b
	let_end b
}

@test "thawed past its deadline it does not start late" {
	local options=(-w 1s)
	queued frozen
	options=()
	freeze frozen
	run -75 "$LOCKRUN" -w 2s "$LOCK" true
	release
	thaw frozen
	ended frozen 75
	not leads frozen
	is_pending 0
}

@test "thawed past its deadline, and passed before, it does not start late either" {
	local options=(-w 1s)
	queued frozen
	options=()
	freeze frozen
	contend b "$LOCK"
	await is_pending 2
	release
	await leads b
	thaw frozen
	ended frozen 75
	not leads frozen
	let_end b
}

@test "a frozen leader keeps the lock, and its term goes on when it is thawed" {
	contend a "$LOCK"
	await leads a
	freeze a
	contend b "$LOCK"
	await is_pending 1
	contend c "$LOCK"
	await is_pending 2
	run -75 "$LOCKRUN" -n "$LOCK" true
	# Longer than the looks of those who wait.
	run -75 "$LOCKRUN" -w 6s "$LOCK" true
	is_pending 2
	is_holding 1
	order_is a
	thaw a
	let_end a
	await leads b
	let_end b
	await leads c
	let_end c
}

@test "a leader that is frozen with its command keeps the lock, and has the same generation" {
	start "$LOCKRUN" "$LOCK" sh -c 'mkfifo go; echo "$LOCKRUN_GENERATION" >>seen; read -r _ <go; echo "$LOCKRUN_GENERATION" >>seen'
	local leader=$STARTED command
	await test -s seen
	command=$(children_of "$leader")
	kill -STOP "$leader" $command
	await is_stopped "$leader"
	run -75 "$LOCKRUN" -w 300ms "$LOCK" true
	kill -CONT "$leader" $command
	echo >go
	wait "$leader"
	[ "$(paste -sd' ' seen)" = '1 1' ]
}

@test "a try runs when only a frozen waiter is ahead and the lock is free" {
	queued frozen
	freeze frozen
	release
	run -0 "$LOCKRUN" -n "$LOCK" echo ran
	[ "$output" = ran ]
	is_pending 0
	thaw frozen
	await leads frozen
	let_end frozen
}

# As if the last pass had been long ago.
age_pass() {
	local q=$LOCKRUN_DIR/$LOCK/q
	mv "$q"/.passed-* "$q/.passed-00000000000000000001"
}

@test "a try passes one frozen waiter at most, and none for a while after that" {
	queued f1 f2
	freeze f1
	freeze f2
	release
	run -75 "$LOCKRUN" -n "$LOCK" echo ran
	run -75 "$LOCKRUN" -n "$LOCK" echo ran
	is_pending 1
	age_pass
	run -0 "$LOCKRUN" -n "$LOCK" echo ran
	[ "$output" = ran ]
	thaw f1
	await leads f1
	let_end f1
	thaw f2
	await leads f2
	let_end f2
}

@test "who stands behind one that was passed keeps its place until it has noticed" {
	queued frozen b
	freeze frozen
	release
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -75 "$LOCKRUN" -n "$LOCK" true
	has_ticket "${CONTENDERS[b]}"
	thaw frozen
	await leads b
	let_end b
	await leads frozen
	let_end frozen
	order_is b frozen
}

@test "a reader does not pass a writer that waits for a frozen reader" {
	hold
	contend frozen -s "$LOCK"
	await is_pending 1
	contend writer "$LOCK"
	await is_pending 2
	freeze frozen
	release
	run -75 "$LOCKRUN" -n -s "$LOCK" true
	has_ticket "${CONTENDERS[writer]}"
	thaw frozen
	await leads writer
	let_end writer
	await leads frozen
	let_end frozen
	order_is writer frozen
}

@test "beside a reader without a ticket a writer that waits is not taken for frozen" {
	"$LOCKRUN" "$LOCK" true
	foreign "$LOCKRUN_DIR/$LOCK/lock" -s
	contend writer "$LOCK"
	await settled "${CONTENDERS[writer]}"
	run -75 "$LOCKRUN" -n -s "$LOCK" true
	has_ticket "${CONTENDERS[writer]}"
	foreign_ends
	await leads writer
	let_end writer
}

@test "what tells of a pass is removed later" {
	local q=$LOCKRUN_DIR/$LOCK/q
	queued frozen
	freeze frozen
	release
	run -0 "$LOCKRUN" -n "$LOCK" true
	[ "$(ls -A "$q")" != "" ]
	age_pass
	"$LOCKRUN" "$LOCK" true
	[ "$(ls -A "$q")" = "" ]
	thaw frozen
	await leads frozen
	let_end frozen
}

@test "a try is turned away when a waiter that is awake is ahead" {
	queued a
	run -75 "$LOCKRUN" -n "$LOCK" true
	freeze a
	run -75 "$LOCKRUN" -n "$LOCK" true
	is_pending 1
	thaw a
	release
	await leads a
	let_end a
}

@test "told to go while it is frozen, a waiter goes when it is thawed" {
	queued frozen
	freeze frozen
	kill -TERM "${CONTENDERS[frozen]}"
	release
	run -0 "$LOCKRUN" -n "$LOCK" echo ran
	[ "$output" = ran ]
	thaw frozen
	ended frozen 143
	not leads frozen
	is_pending 0
}

@test "a frozen waiter that is killed lets those behind it in at once" {
	queued frozen b
	freeze frozen
	release
	kill -KILL "${CONTENDERS[frozen]}"
	ended frozen 137
	PATIENCE=4 await leads b
	let_end b
}
