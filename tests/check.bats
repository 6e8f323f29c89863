#!/usr/bin/env bats
# What check answers in each state of a term, and in what an old one left behind.
load helper

OUTER=demo:v1:leader:outer

# leave_behind [OPTION...]: a term ends, and leaves a process that checks once there is `go`, and
# writes the status to `after`.
leave_behind() {
	rm -f go after
	mkfifo go
	"$LOCKRUN" "$@" "$LOCK" sh -c \
		"(read -r _ <go; '$LOCKRUN' check; echo \$? >after) >/dev/null 2>&1 3>&- &"
}

# is_answered STATUS: what was left behind is told that.
is_answered() {
	echo >go
	await test -s after
	[ "$(cat after)" = "$1" ]
}

@test "what an ended term left behind: 76, whether nobody leads or another" {
	leave_behind
	is_answered 76
	leave_behind
	hold
	is_answered 76
	release
	leave_behind
	contend reader -s "$LOCK"
	await leads reader
	is_answered 76
	let_end reader
	leave_behind -s
	is_answered 76
}

@test "what is left when all of the lock is gone: 76" {
	leave_behind
	await rm -rf "${LOCKRUN_DIR:?}/$LOCK"
	is_answered 76
	leave_behind
	await rm -rf "${LOCKRUN_DIR:?}"
	is_answered 76
}

@test "what a killed lockrun left behind: 76, though it keeps the lock" {
	mkfifo go
	lead "$LOCK" sh -c "trap '' TERM; echo >ready; read -r _ <go; '$LOCKRUN' check; echo \$? >after" 2>/dev/null
	await test -e ready
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	run -75 "$LOCKRUN" -n "$LOCK" true
	is_answered 76
	# Nobody is in its way any more.
	run -0 "$LOCKRUN" -w "$PATIENCE" "$LOCK" true
}

@test "shared terms: each of them leads until it is asked" {
	run -0 "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -s "$LOCK" "$LOCKRUN" check "$LOCK"
}

@test "nested locks: without a name the innermost, by name each of them" {
	run -0 "$LOCKRUN" "$OUTER" "$LOCKRUN" "$LOCK" sh -c \
		"'$LOCKRUN' check && '$LOCKRUN' check $LOCK && '$LOCKRUN' check $OUTER"
	[ -z "$output" ]
	run -0 "$LOCKRUN" -F "$OUTER" "$LOCKRUN" "$LOCK" "$LOCKRUN" check "$OUTER"
	run -0 "$LOCKRUN" -s "$OUTER" "$LOCKRUN" -F "$LOCK" "$LOCKRUN" check "$OUTER"
	run -64 "$LOCKRUN" "$OUTER" "$LOCKRUN" "$LOCK" "$LOCKRUN" check demo:v1:leader:other
	# By name it is found without the environment, too.
	run -0 "$LOCKRUN" "$OUTER" env -u LOCKRUN_NAME -u LOCKRUN_CONTENDER "$LOCKRUN" check "$OUTER"
	run -64 "$LOCKRUN" "$OUTER" env -u LOCKRUN_NAME "$LOCKRUN" check
}

@test "nested locks: the outer one has to go, the inner one does not" {
	"$LOCKRUN" -q "$OUTER" "$LOCKRUN" "$LOCK" sh -c "
		trap '' TERM
		'$LOCKRUN' stop -q -w 0 $OUTER
		'$LOCKRUN' check $OUTER; echo \$? >outer" || true
	[ "$(cat outer)" = 76 ]
	"$LOCKRUN" -q "$OUTER" "$LOCKRUN" -q "$LOCK" sh -c "
		trap '' TERM
		'$LOCKRUN' stop -q -w 0 $LOCK
		'$LOCKRUN' check $OUTER; echo \$? >outer
		'$LOCKRUN' check $LOCK; echo \$? >inner" || true
	[ "$(cat outer)" = 0 ]
	[ "$(cat inner)" = 76 ]
}

@test "nested locks: one that is led by somebody else is not ours" {
	hold "$OUTER"
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" check "$OUTER"
	release "$OUTER"
}

@test "a leader that has not read yet what is asked of it: 76" {
	run -0 "$LOCKRUN" "$LOCK" sh -c "
		kill -STOP \$PPID
		'$LOCKRUN' check; echo \$? >before
		echo 'stop generation=1 now' >>\"\$LOCKRUN_DIR/\$LOCKRUN_NAME/ask\"
		'$LOCKRUN' check; echo \$? >after
		: >\"\$LOCKRUN_DIR/\$LOCKRUN_NAME/ask\"
		kill -CONT \$PPID"
	[ "$(cat before after | paste -sd' ')" = '0 76' ]
}
