#!/usr/bin/env bats
# --complain-after: cron mails every word, so a skip is silent while whoever holds the lock is young,
# and one line when it is old.
load helper

# skips STATUS OPTION...: a run that is turned away with that status, without a word.
skips() {
	local status=$1
	shift
	run "-$status" "$LOCKRUN" "$@" "$LOCK" touch ran
	[ -z "$output" ] || { echo "said: $output" >&2; return 1; }
	[ ! -e ran ]
}

# complains STATUS OPTION...: the same, with one line, which is in $output.
complains() {
	local status=$1
	shift
	run "-$status" "$LOCKRUN" "$@" "$LOCK" touch ran
	[ "${#lines[@]}" -eq 1 ] || return 1
	[ ! -e ran ]
}

# turned_away HOLDER: in all the ways in which the line comes, and in which it does not; HOLDER is how
# the line about whoever holds begins.
turned_away() {
	local quiet
	for quiet in '' -q; do
		skips 75 -n --complain-after 1h $quiet
		skips 0 -n -E 0 --complain-after 1h $quiet
		skips 75 -w 10ms --complain-after 1h $quiet
		skips 0 -w 10ms -E 0 --complain-after 1h $quiet
		await complains 75 -n --complain-after 1ms $quiet
		[[ "$output" == "lockrun: $LOCK: $1"*"; nothing was run" ]]
		await complains 0 -n -E 0 --complain-after 1ms $quiet
		await complains 75 -w 10ms --complain-after 1ms $quiet
		[[ "$output" == "lockrun: $LOCK: $1"*"; gave up after 10ms; nothing was run" ]]
		await complains 0 -w 10ms -E 0 --complain-after 1ms $quiet
	done
}

@test "complain-after: silent while the leader is young, one line when it is old, -q or not" {
	hold
	turned_away "held by pid $HOLDER (sh) for "
	release
}

@test "complain-after: of those who share" {
	contend one -s "$LOCK"
	await leads one
	turned_away 'shared by 1, first of them pid '
	let_end one
}

@test "complain-after: of a command that took lockrun's place" {
	start "$LOCKRUN" -F "$LOCK" sh -c 'echo >ready; exec sleep 600'
	await test -s ready
	turned_away "held by pid $STARTED (sh, --no-fork) for "
	kill "$STARTED"
	ends 143 "$STARTED"
}

@test "complain-after: of what a killed lockrun left behind" {
	lead "$LOCK" sh -c 'trap "" TERM; echo $$ >orphan; exec sleep 600' 2>/dev/null
	await test -s orphan
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	turned_away 'held by what a killed lockrun left behind (sh, generation 1)'
	kill -KILL "$(cat orphan)"
	await is_gone "$(cat orphan)"
}

@test "complain-after: one that did not queue is as old as the last term's end at most" {
	"$LOCKRUN" "$LOCK" true
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	turned_away 'held by a process outside lockrun'
	# Also while others wait for it.
	start "$LOCKRUN" "$LOCK" true
	await settled "$STARTED"
	skips 75 -n --complain-after 1h
	await complains 75 -n --complain-after 1ms
	foreign_ends
	ends 0 "$STARTED"
}

@test "complain-after: an age that cannot be told is complained of" {
	"$LOCKRUN" -s "$LOCK" true
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	complains 75 -n --complain-after 1h
	[[ "$output" == "lockrun: $LOCK: held by a process outside lockrun (pid $FOREIGN, flock), 0 waiting; nothing was run" ]]
	foreign_ends
}

@test "complain-after: a run that is not skipped says nothing, and faults are said as ever" {
	run -0 "$LOCKRUN" -n -E 0 --complain-after 1ms "$LOCK" true
	[ -z "$output" ]
	run -69 "$LOCKRUN" -n -q -E 0 --complain-after 1h -d /dev/null "$LOCK" true
	[ "${#lines[@]}" -eq 1 ]
	run -64 "$LOCKRUN" --complain-after soon "$LOCK" true
	[ -n "$output" ]
}
