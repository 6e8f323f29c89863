#!/usr/bin/env bats
# Shared holders: together with each other, in queue order with exclusive ones; nobody starves.
load helper

# shared_pair LABEL LABEL: two shared holders that lead at the same time.
shared_pair() {
	local label
	for label; do
		contend "$label" -s "$LOCK"
		await leads "$label"
	done
	is_holding 2
}

@test "shared holders lead together, at once" {
	shared_pair first second
	run -0 "$LOCKRUN" -n -s "$LOCK" echo third
	[ "$output" = third ]
	let_end first
	let_end second
}

@test "an exclusive one is kept out by a shared holder, and a shared one by an exclusive holder" {
	contend shared -s "$LOCK"
	await leads shared
	run -75 "$LOCKRUN" -n "$LOCK" touch ran
	run -75 "$LOCKRUN" -w 50ms "$LOCK" touch ran
	let_end shared
	contend exclusive "$LOCK"
	await leads exclusive
	run -75 "$LOCKRUN" -n -s "$LOCK" touch ran
	run -75 "$LOCKRUN" -w 50ms -s "$LOCK" touch ran
	let_end exclusive
	[ ! -e ran ]
	run -0 "$LOCKRUN" -n "$LOCK" true
	is_pending 0
}

@test "the last of the shared holders lets the exclusive one in, and none before" {
	shared_pair s1 s2
	contend s3 -s "$LOCK"
	await leads s3
	contend exclusive "$LOCK"
	await is_pending 1
	run -0 "$LOCKRUN" -n demo:v1:leader:other sh -c 'echo other >>order'
	let_end s2
	let_end s1
	is_pending 1
	not leads exclusive
	let_end s3
	await leads exclusive
	order_is s1 s2 s3 other exclusive
	let_end exclusive
}

@test "a shared holder that is stopped still keeps the exclusive one out" {
	shared_pair stopped ending
	contend exclusive "$LOCK"
	await is_pending 1
	kill -STOP "${CONTENDERS[stopped]}"
	let_end ending
	is_pending 1
	run -75 "$LOCKRUN" -n "$LOCK" true
	not leads exclusive
	kill -CONT "${CONTENDERS[stopped]}"
	let_end stopped
	await leads exclusive
	let_end exclusive
}

@test "shared and exclusive ones lead in the order in which they came" {
	local label
	hold
	for label in s1 s2 x1 s3 x2 x3 s4 s5; do
		if [ "${label#s}" != "$label" ]; then
			contend $label -s "$LOCK"
		else
			contend $label "$LOCK"
		fi
		await is_pending "$((++waiting))"
	done
	release
	await leads s1
	await leads s2
	is_holding 2
	let_end s1
	let_end s2
	for label in x1 s3 x2 x3; do
		await leads $label
		is_holding 1
		let_end $label
	done
	await leads s4
	await leads s5
	is_holding 2
	let_end s4
	let_end s5
	# Those that share are let in together, in no order.
	[ "$(sed 's/s1/s2/; s/s5/s4/' order | paste -sd' ')" = 's2 s2 x1 s3 x2 x3 s4 s4' ]
}

@test "a reader that comes late does not overtake a waiting writer" {
	contend reader -s "$LOCK"
	await leads reader
	contend writer "$LOCK"
	await is_pending 1
	contend late -s "$LOCK"
	await is_pending 2
	is_holding 1
	let_end reader
	await leads writer
	is_pending 1
	not leads late
	let_end writer
	await leads late
	let_end late
	order_is reader writer late
}

@test "a try to share behind a waiting writer is turned away" {
	contend reader -s "$LOCK"
	await leads reader
	contend writer "$LOCK"
	await is_pending 1
	run -75 "$LOCKRUN" -n -s "$LOCK" touch ran
	run -75 "$LOCKRUN" -w 0 -s "$LOCK" touch ran
	[ ! -e ran ]
	is_pending 1
	let_end reader
	await leads writer
	let_end writer
}

@test "a writer is not taken for frozen while readers hold, however long they do" {
	contend reader -s "$LOCK"
	await leads reader
	contend writer "$LOCK"
	await is_pending 1
	# Long enough for the two looks of who waits behind another.
	run -75 "$LOCKRUN" -w 6s -s "$LOCK" touch ran
	[ ! -e ran ]
	is_pending 1
	let_end reader
	await leads writer
	let_end writer
}

@test "readers without end do not keep a writer out" {
	contend r0 -s "$LOCK"
	await leads r0
	contend writer "$LOCK"
	await is_pending 1
	local i
	for i in {1..10}; do
		contend "r$i" -s "$LOCK"
		await is_pending $((i + 1))
	done
	let_end r0
	await leads writer
	order_is r0 writer
	let_end writer
	for i in {1..10}; do
		await leads "r$i"
	done
	is_holding 10
	for i in {1..10}; do
		let_end "r$i"
	done
}

# withdrawn HOW...: a reader, a writer that waits, and readers behind it, which are let in as soon
# as the writer is gone. Much sooner than a waiter looks whether another one is frozen.
withdrawn() {
	contend reader -s "$LOCK"
	await leads reader
	contend writer "${writer_options[@]}" "$LOCK"
	await is_pending 1
	contend behind1 -s "$LOCK"
	await is_pending 2
	contend behind2 -s "$LOCK"
	await is_pending 3
	not leads behind1
	"$@"
	PATIENCE=4 await leads behind1
	PATIENCE=4 await leads behind2
	await is_holding 3
	is_pending 0
	not leads writer
	let_end reader
	let_end behind1
	let_end behind2
}

@test "a writer that is told to go lets the readers behind it in" {
	local writer_options=()
	terminate_writer() { kill -TERM "${CONTENDERS[writer]}"; }
	withdrawn terminate_writer
	ended writer 143
}

@test "a writer that has waited long enough lets the readers behind it in" {
	local writer_options=(-w 2s)
	withdrawn ended writer 75
}

@test "a writer that is killed lets the readers behind it in" {
	local writer_options=()
	kill_writer() { kill -KILL "${CONTENDERS[writer]}"; }
	withdrawn kill_writer
	ended writer 137
}

@test "a waiter that is told to go leaves no gap" {
	contend a "$LOCK"
	await leads a
	contend b "$LOCK"
	await is_pending 1
	contend c "$LOCK"
	await is_pending 2
	kill -TERM "${CONTENDERS[b]}"
	ended b 143
	is_pending 1
	let_end a
	await leads c
	order_is a c
	let_end c
}

@test "a holder that is killed with its command lets the next one in" {
	contend a "$LOCK"
	await leads a
	contend b -s "$LOCK"
	await is_pending 1
	kill -KILL "${CONTENDERS[a]}" $(children_of "${CONTENDERS[a]}")
	ended a 137
	PATIENCE=4 await leads b
	let_end b
}

@test "a shared term has no generation, whatever the environment said before" {
	run -0 env LOCKRUN_GENERATION=7 LOCKRUN_IDEMPOTENCY_KEY=key LOCKRUN_MODE=exclusive \
	    "$LOCKRUN" -s "$LOCK" sh -c \
	    'echo "${LOCKRUN_GENERATION-unset} ${LOCKRUN_IDEMPOTENCY_KEY-unset} $LOCKRUN_MODE"'
	[ "$output" = 'unset unset shared' ]
	run -0 "$LOCKRUN" "$LOCK" sh -c 'exec "$0" -s demo:v1:leader:inner env' "$LOCKRUN"
	[[ "$output" != *LOCKRUN_GENERATION=* ]]
	[[ "$output" != *LOCKRUN_IDEMPOTENCY_KEY=* ]]
	[[ "$output" == *LOCKRUN_MODE=shared* ]]
}

@test "shared terms cost no generation" {
	[ "$(generation)" = 1 ]
	"$LOCKRUN" -s "$LOCK" true
	[ "$(generation)" = 2 ]
}

@test "the command is told name and mode exactly as asked" {
	run -0 "$LOCKRUN" "$LOCK" printenv LOCKRUN_NAME LOCKRUN_MODE
	[ "$output" = "$LOCK"$'\nexclusive' ]
	run -0 "$LOCKRUN" -x "$LOCK" printenv LOCKRUN_MODE
	[ "$output" = exclusive ]
	run -0 "$LOCKRUN" --shared "$LOCK" printenv LOCKRUN_NAME LOCKRUN_MODE
	[ "$output" = "$LOCK"$'\nshared' ]
}

# entries LIST: how many entries the list of that name has in `status --json`, and their modes.
entries() {
	"$LOCKRUN" status --json "$LOCK" | grep -o "\"$1\":\[[^]]*\]" | grep -o '"mode":"[a-z]*"' |
	    cut -d'"' -f4 | paste -sd' '
}

@test "status has each holder and waiter once, with its mode" {
	contend x "$LOCK"
	await leads x
	[ "$(entries held)" = exclusive ]
	contend s1 -s "$LOCK"
	await is_pending 1
	contend s2 -s "$LOCK"
	await is_pending 2
	[ "$(entries held)" = exclusive ]
	[ "$(entries pending)" = 'shared shared' ]
	run -75 "$LOCKRUN" -n "$LOCK" true
	[ "$(entries pending)" = 'shared shared' ]
	let_end x
	await is_holding 2
	[ "$(entries held)" = 'shared shared' ]
	[ -z "$(entries pending)" ]
	await leads s1
	await leads s2
	let_end s1
	let_end s2
	[ -z "$(entries held)" ]
}

@test "one process can hold one lock alone and another one shared" {
	run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" -s demo:v1:leader:other "$LOCKRUN" status --json
	[ "$(grep -o '"mode":"[a-z]*"' <<<"$output" | paste -sd' ')" = '"mode":"shared" "mode":"exclusive"' ]
	run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" -n -s "$LOCK:scope" echo ok
	[ "$output" = ok ]
}

@test "shared holders of several names are all alive together" {
	local name
	for name in a b c; do
		contend "$name" -s "demo:v1:leader:$name"
		await leads $name
	done
	for name in a b c; do
		contend "${name}2" -s "demo:v1:leader:$name"
		await leads ${name}2
		is_holding 2 "demo:v1:leader:$name"
	done
	order_is a b c a2 b2 c2
	for name in a b c; do
		let_end $name
		let_end ${name}2
	done
}

@test "a parent and its child hold shared together" {
	run -0 "$LOCKRUN" -s demo:v1:leader:outer "$LOCKRUN" -s "$LOCK" \
	    sh -c '"$0" -n -s "$1" sh -c "echo together"' "$LOCKRUN" "$LOCK"
	[ "$output" = together ]
	mkfifo held
	run -0 sh -c '"$0" -s "$1" sh -c "echo >held; exec sleep 60" & child=$!
		read -r _ <held; "$0" -s "$1" echo beside; kill $child; wait' "$LOCKRUN" "$LOCK"
	[ "$output" = beside ]
}

@test "a parent that its child keeps out leads once the child was stopped" {
	contend child "$LOCK"
	await leads child
	contend parent -s "$LOCK"
	await is_pending 1
	run -0 "$LOCKRUN" stop "$LOCK"
	ended child 124
	await leads parent
	let_end parent
}

@test "stop asks each of several shared holders" {
	shared_pair one two
	run -0 "$LOCKRUN" stop "$LOCK"
	ended one 124
	ended two 124
	is_holding 0
}
