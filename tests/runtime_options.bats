#!/usr/bin/env bats
# Options about the term: what each does, and what it gives up.
load helper

# watched ARGUMENT...: lockrun, in the background, with its events in `log`. told TYPE: whether the
# log says that by now. over STATUS: what was started last ended so. reasons: all that were given.
watched() { start "$LOCKRUN" --events log "$@"; }
told() { grep -qs "^{\"type\":\"$1\"" log; }
over() {
	local status=0
	await is_gone "$STARTED"
	wait "$STARTED" || status=$?
	[ "$status" -eq "$1" ] || { echo "ended with $status" >&2; return 1; }
}
reasons() { grep -o '"reason":"[a-z-]*"' log | cut -d'"' -f4 | paste -sd' '; }

# A command that ignores SIGTERM until it is killed; `deaf` is there once it does.
DEAF='trap "" TERM; echo $$ >deaf; while :; do sleep 0.1; done'

# ---- -o ----

@test "-o: the command does not get the lock, and all else is as ever" {
	"$LOCKRUN" -o "$LOCK" sh -c 'ls /proc/$$/fd' 3>&- >with
	sh -c 'ls /proc/$$/fd' 3>&- >without
	cmp with without
	run -7 "$LOCKRUN" -o "$LOCK" sh -c 'exit 7'
	contend a --close "$LOCK"
	await leads a
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -0 "$LOCKRUN" stop "$LOCK"
	ended a 124
}

@test "-o: when lockrun is killed the command is, at once, though it ignores SIGTERM" {
	start "$LOCKRUN" -o "$LOCK" sh -c "$DEAF"
	await test -s deaf
	kill -KILL "$STARTED"
	over 137
	await is_gone "$(cat deaf)"
	run -0 "$LOCKRUN" -n "$LOCK" true
}

@test "-o gives up: what the command started outlives a killed lockrun without the lock" {
	start "$LOCKRUN" -o "$LOCK" sh -c 'sleep 60 & echo $! >left; wait'
	await test -s left
	kill -KILL "$STARTED"
	over 137
	await_free() { "$LOCKRUN" -qn "$LOCK" true; }
	await await_free
	not is_gone "$(cat left)"
	kill "$(cat left)"
}

@test "without -o what the command started keeps the lock until it has ended" {
	start "$LOCKRUN" "$LOCK" sh -c 'sleep 60 & echo $! >left; wait'
	await test -s left
	kill -KILL "$STARTED"
	over 137
	run -75 "$LOCKRUN" -n "$LOCK" true
	kill "$(cat left)"
	run -0 "$LOCKRUN" -w 20 "$LOCK" true
}

# ---- -F ----

@test "-F: the command takes lockrun's place, with its pid and parent" {
	run -0 sh -c 'echo $$; exec "$0" -F "$1" sh -c "echo \$\$ \$PPID \$LOCKRUN_GENERATION \$LOCKRUN_MODE"' "$LOCKRUN" "$LOCK"
	[ "${lines[1]}" = "${lines[0]} $$ 1 exclusive" ] || [ "${lines[1]%% *}" = "${lines[0]}" ]
	[[ "${lines[1]}" == *' 1 exclusive' ]]
	run -7 "$LOCKRUN" -F "$LOCK" sh -c 'exit 7'
	run -75 "$LOCKRUN" -F "$LOCK" sh -c 'exit 75'
	run -137 "$LOCKRUN" -F "$LOCK" sh -c 'kill -KILL $$'
	[ "$(generation)" = 5 ]
}

@test "-F: signals, mask and limits are those of the start" {
	env --default-signal --ignore-signal=HUP --block-signal=USR1 grep '^Sig[BIC]' /proc/self/status >plain
	env --default-signal --ignore-signal=HUP --block-signal=USR1 \
	    "$LOCKRUN" -F "$LOCK" grep '^Sig[BIC]' /proc/self/status >with
	cmp plain with
	run -0 sh -c 'ulimit -n 64; exec "$0" -F "$1" sh -c "ulimit -n"' "$LOCKRUN" "$LOCK"
	[ "$output" = 64 ]
}

@test "-F: the next one waits, a try is turned away, and status says that nobody supervises, stop ends it" {
	contend a -F "$LOCK"
	await leads a
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" == *'nothing was run'* ]]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *'without supervision'* ]] || [[ "$output" == *unsupervised* ]]
	contend b "$LOCK"
	await is_pending 1
	not leads b
	: >a.go
	ended a 0
	await leads b
	let_end b
	contend c -F "$LOCK"
	await leads c
	run -0 "$LOCKRUN" stop "$LOCK"
	ended c 143
}

@test "-F: inside, check succeeds for as long as it leads" {
	run -0 "$LOCKRUN" -F "$LOCK" sh -c '"$0" check && "$0" check "$1"' "$LOCKRUN" "$LOCK"
	"$LOCKRUN" -F "$LOCK" env >environment
	hold
	run -76 env $(grep '^LOCKRUN_' environment) "$LOCKRUN" check
	release
	run -76 env $(grep '^LOCKRUN_' environment) "$LOCKRUN" check
}

@test "-F gives up: what the command leaves behind keeps the lock" {
	"$LOCKRUN" -F "$LOCK" sh -c 'sleep 60 >/dev/null 2>&1 & echo $! >left' 3>&-
	run -75 "$LOCKRUN" -n "$LOCK" true
	kill "$(cat left)"
	run -0 "$LOCKRUN" -w 20 "$LOCK" true
}

@test "-F: a command that cannot be executed gives the lock back" {
	cp "$(type -P true)" command
	hold
	start "$LOCKRUN" -F "$LOCK" ./command
	await is_pending 1
	rm command
	release
	over 127
	run -0 "$LOCKRUN" -n "$LOCK" true
	printf '#!/does/not/exist\n' >command
	chmod +x command
	run -127 "$LOCKRUN" -F "$LOCK" ./command
	run -0 "$LOCKRUN" -n "$LOCK" true
	is_pending 0
	is_holding 0
}

@test "-F together with what needs a supervisor is refused" {
	local options
	for options in '-m 5' '-k 5' '-k never' --yield --yield=5 --preserve-status '--leftovers wait' \
	    '--leftovers leave' --die-with-parent -o '--command-status-map 9' '--events log'; do
		run -64 "$LOCKRUN" -F $options "$LOCK" touch ran
		run -64 "$LOCKRUN" $options --no-fork "$LOCK" touch ran
	done
	[ ! -e ran ]
	[ ! -e "$LOCKRUN_DIR" ]
	for options in -n '-w 5' -s '-E 9' '--note text' -v -q; do
		run -0 "$LOCKRUN" -F $options "$LOCK" true
	done
}

@test "-F shares, too" {
	contend a -F -s "$LOCK"
	await leads a
	run -0 "$LOCKRUN" -n -s "$LOCK" echo ok
	[ "$output" = ok ]
	run -75 "$LOCKRUN" -n "$LOCK" true
	let_end a
}

# ---- --preserve-status ----

@test "--preserve-status: after a step-down the command's own status" {
	run -124 "$LOCKRUN" -m 100ms "$LOCK" sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done'
	run -9 "$LOCKRUN" --preserve-status -m 100ms "$LOCK" sh -c 'trap "exit 9" TERM; while :; do sleep 0.05; done'
	run -0 "$LOCKRUN" --preserve-status -m 100ms "$LOCK" sh -c 'trap "exit 0" TERM; while :; do sleep 0.05; done'
	run -143 "$LOCKRUN" --preserve-status -m 100ms "$LOCK" sleep 60
	run -137 "$LOCKRUN" --preserve-status -m 100ms -k 100ms "$LOCK" sh -c "$DEAF"
	run -7 "$LOCKRUN" --preserve-status "$LOCK" sh -c 'exit 7'
}

@test "--preserve-status: after stop, yield and a lost lock as well" {
	local how
	for how in "'$LOCKRUN' stop '$LOCK'" "'$LOCKRUN' '$LOCK' true" "rm '$LOCKRUN_DIR/$LOCK/lock'"; do
		start "$LOCKRUN" --yield --preserve-status "$LOCK" sh -c 'trap "exit 9" TERM; echo >ready; while :; do sleep 0.05; done'
		await test -e ready
		eval "$how"
		over 9
		rm ready
	done
}

# ---- --command-status-map ----

@test "--command-status-map changes the command's statuses that look like ours, and no others" {
	local status
	for status in 64 69 75 76 77 125 126 127; do
		run -99 "$LOCKRUN" --command-status-map 99 "$LOCK" sh -c "exit $status"
		run -$status "$LOCKRUN" "$LOCK" sh -c "exit $status"
	done
	for status in 0 1 2 63 65 74 124 128 143 255; do
		run -$status "$LOCKRUN" --command-status-map 99 "$LOCK" sh -c "exit $status"
	done
	run -0 "$LOCKRUN" --command-status-map 0 "$LOCK" sh -c 'exit 75'
	run -137 "$LOCKRUN" --command-status-map 99 "$LOCK" sh -c 'kill -KILL $$'
	run -124 "$LOCKRUN" --command-status-map 99 -m 100ms "$LOCK" sh -c 'trap "exit 75" TERM; while :; do sleep 0.05; done'
}

@test "--command-status-map leaves lockrun's own statuses alone" {
	run -127 "$LOCKRUN" --command-status-map 99 "$LOCK" ./missing
	hold
	run -75 "$LOCKRUN" --command-status-map 99 -n "$LOCK" true
	run -8 "$LOCKRUN" --command-status-map 99 -E 8 -n "$LOCK" true
	release
	run -64 "$LOCKRUN" --command-status-map 99 nonsense true
	run -64 "$LOCKRUN" --command-status-map 256 "$LOCK" true
	run -64 "$LOCKRUN" --command-status-map -1 "$LOCK" true
}

# ---- --die-with-parent ----

# child_of_a_shell COMMAND...: in the background, with a shell for a parent whose pid is $STARTED.
child_of_a_shell() { start sh -c '"$@" & wait' sh "$@"; }
kill_the_shell() {
	kill -KILL "$STARTED"
	over 137
}

@test "--die-with-parent: leading, it steps down when its parent is killed" {
	child_of_a_shell "$LOCKRUN" --events log --die-with-parent "$LOCK" sh -c 'trap "echo clean >>order; exit" TERM
	    echo >ready; while :; do sleep 0.05; done'
	await test -e ready
	kill_the_shell
	await told stopped
	order_is clean
	[ "$(reasons)" = 'parent-gone parent-gone' ]
	run -0 "$LOCKRUN" -n "$LOCK" true
}

@test "--die-with-parent: what does not go is killed after the grace" {
	child_of_a_shell "$LOCKRUN" --events log --die-with-parent -k 200ms "$LOCK" sh -c "$DEAF"
	await test -s deaf
	kill_the_shell
	await told stopped
	grep -q '"killed":true' log
	is_gone "$(cat deaf)"
}

@test "--die-with-parent: waiting, it gives up and nothing runs" {
	hold
	child_of_a_shell "$LOCKRUN" --events log --die-with-parent "$LOCK" touch ran
	await is_pending 1
	kill_the_shell
	await told stopped
	is_pending 0
	[ "$(reasons)" = 'parent-gone parent-gone' ]
	release
	[ ! -e ran ]
}

@test "--die-with-parent: a parent that ends by itself is gone as well" {
	start sh -c '"$0" --events log --die-with-parent "$1" sleep 60 & while [ ! -e go ]; do sleep 0.05; done' "$LOCKRUN" "$LOCK"
	await told leading
	: >go
	over 0
	await told stopped
	[ "$(reasons)" = 'parent-gone parent-gone' ]
}

@test "--die-with-parent: a parent that stays changes nothing, and without the option nothing happens" {
	run -7 "$LOCKRUN" --die-with-parent "$LOCK" sh -c 'exit 7'
	child_of_a_shell "$LOCKRUN" --events log "$LOCK" sh -c 'echo $PPID >pid; exec sleep 60'
	await test -s pid
	kill_the_shell
	run -75 "$LOCKRUN" -w 200ms "$LOCK" true
	not told stepping-down
	kill "$(cat pid)"
	await told stopped
	[ "$(reasons)" = 'signal signal' ]
}

# ---- --leftovers ----

# A command that ends at once and leaves something behind, whose pid is in `left`.
LEAVE='sleep 60 >/dev/null 2>&1 3>&- & echo $! >left; exit 7'
LEAVE_DEAF='sh -c "trap \"\" TERM; echo \$\$ >left; while :; do sleep 0.1; done" >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.02; done; exit 7'
LEAVE_ORPHAN='setsid sh -c "sleep 60 & echo \$! >left" >/dev/null 2>&1; exit 7'

@test "--leftovers leave, the default: the lock is free while they live on" {
	local options
	for options in '' '--leftovers leave'; do
		run -7 "$LOCKRUN" $options "$LOCK" sh -c "$LEAVE" 3>&-
		not is_gone "$(cat left)"
		run -0 "$LOCKRUN" -n "$LOCK" true
		kill "$(cat left)"
	done
}

@test "--leftovers wait: the lock is held until they have ended by themselves" {
	watched --leftovers wait "$LOCK" sh -c "$LEAVE_ORPHAN"
	await test -s left
	run -75 "$LOCKRUN" -w 200ms "$LOCK" true
	is_holding 1
	kill "$(cat left)"
	over 7
	[ "$(reasons)" = failed ]
	run -0 "$LOCKRUN" --leftovers wait "$LOCK" true
}

@test "--leftovers kill: they are ended before the lock is free" {
	run -7 "$LOCKRUN" --leftovers kill "$LOCK" sh -c "$LEAVE" 3>&-
	is_gone "$(cat left)"
	run -7 "$LOCKRUN" --leftovers kill "$LOCK" sh -c "$LEAVE_ORPHAN" 3>&-
	is_gone "$(cat left)"
	rm left
	run -7 "$LOCKRUN" --events log --leftovers kill -k 200ms "$LOCK" sh -c "$LEAVE_DEAF" 3>&-
	is_gone "$(cat left)"
	[ "$(reasons)" = failed ]
	grep -q '"killed":true' log
}

# leftovers_end_by OPTION... -- ACTION...: while only something left behind is waited for, ACTION
# ends it, and the status stays the command's own.
leftovers_end_by() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f left log
	watched --leftovers wait "${options[@]}" "$LOCK" sh -c "$LEAVE"
	await test -s left
	await command_is_over
	"$@"
	over 7
	is_gone "$(cat left)"
	[ "$(reasons)" = failed ]
}
command_is_over() { [ "$(children_of "$STARTED")" = "$(cat left) " ]; }

@test "--leftovers wait: stop, SIGTERM and the time limit end them" {
	leftovers_end_by -- "$LOCKRUN" stop -q "$LOCK"
	terminate() { kill -TERM "$STARTED"; }
	leftovers_end_by -- terminate
	leftovers_end_by -m 1s -- true
	leftovers_end_by --yield=1s -- "$LOCKRUN" "$LOCK" true
}

@test "--leftovers wait: those that ignore SIGTERM are killed after the grace" {
	LEAVE=$LEAVE_DEAF leftovers_end_by -k 200ms -- "$LOCKRUN" stop -q "$LOCK"
	grep -q '"killed":true' log
}

@test "--leftovers wait: they go when the parent is gone, without a busy wait" {
	child_of_a_shell "$LOCKRUN" --events log --die-with-parent --leftovers wait -k 600ms "$LOCK" sh -c "$LEAVE_DEAF"
	await test -s left
	await told leading
	kill_the_shell
	await told stopped
	is_gone "$(cat left)"
	[ "$(reasons)" = failed ] || [ "$(reasons)" = 'parent-gone parent-gone' ]
}

# ---- a step-down that has no limit of its own ----

@test "what outlives the command in a step-down by SIGTERM can still be stopped for another reason" {
	watched -k 3s "$LOCK" sh -c "sh -c '${DEAF//\"/\\\"}' & while [ ! -s deaf ]; do sleep 0.02; done; exec sleep 60"
	await test -s deaf
	kill -TERM "$STARTED"
	await told stepping-down
	run -0 "$LOCKRUN" stop "$LOCK"
	over 124
	[ "$(reasons)" = 'signal stop stop' ]
	awk -f "$TESTS/events.awk" log
}

@test "a parent that is gone after SIGTERM costs no busy wait" {
	child_of_a_shell "$LOCKRUN" --events log --die-with-parent -k 3s "$LOCK" \
	    sh -c 'echo $PPID >pid; sh -c "trap \"\" TERM; echo >deaf; while :; do sleep 0.1; done" & while [ ! -s deaf ]; do sleep 0.02; done; exec sleep 60'
	await test -e deaf
	kill -TERM "$(cat pid)"
	await told stepping-down
	kill_the_shell
	await told stopped
	[ "$(reasons)" = 'signal parent-gone parent-gone' ]
	awk -f "$TESTS/events.awk" log
}
