#!/usr/bin/env bats
# The exit status says whether the command ran: its own, 75 for "not acquired", 124 for "made to
# step down"; and none that says "nothing ran" once it has been started.
load helper

# now_ms: to prove that something did not come too early.
now_ms() { echo $(($(date +%s%N) / 1000000)); }

@test "the command's own status, whatever it is" {
	local status
	for status in 0 1 7 74 124 128 130 143 200 255; do
		run "-$status" "$LOCKRUN" "$LOCK" sh -c "exit $status"
		[ -z "$output" ]
	done
}

@test "75: busy, and nothing was run" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" touch ran
	[[ "$output" == *"; nothing was run" ]]
	run -75 "$LOCKRUN" -w 0 "$LOCK" touch ran
	[[ "$output" == *"; nothing was run" ]]
	[ ! -e ran ]
	release
}

@test "75: the wait was over, not before its time, and nothing was run" {
	local before
	hold
	before=$(now_ms)
	run -75 timeout -k 1 "$PATIENCE" "$LOCKRUN" -w 300ms "$LOCK" touch ran
	[ $(($(now_ms) - before)) -ge 300 ]
	[[ "$output" == *"; gave up after 300ms; nothing was run" ]]
	[ ! -e ran ]
	is_pending 0
	release
}

@test "75 becomes what -E says, and nothing else does" {
	hold
	run -0 "$LOCKRUN" -n -E 0 "$LOCK" touch ran
	[[ "$output" == *"nothing was run" ]]
	run -9 "$LOCKRUN" -w 50ms -E 9 "$LOCK" touch ran
	run -9 "$LOCKRUN" -n -E 9 "$LOCK" touch ran
	run -127 "$LOCKRUN" -n -E 9 "$LOCK" ./nothing-here
	run -64 "$LOCKRUN" -n -E 9 nonsense touch ran
	run -69 "$LOCKRUN" -n -E 9 -d /dev/null "$LOCK" touch ran
	release
	run -75 "$LOCKRUN" -E 9 "$LOCK" sh -c 'exit 75'
	run -124 "$LOCKRUN" -E 9 -q -m 50ms "$LOCK" sleep 600
	[ ! -e ran ]
}

@test "busy, late, made to step down and the command's own failure are four things" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" == *"nothing was run" ]]
	release
	run -124 "$LOCKRUN" -m 50ms "$LOCK" sleep 600
	[[ "$output" == *"stepping down"* ]]
	run -1 "$LOCKRUN" "$LOCK" false
	[ -z "$output" ]
	run -75 "$LOCKRUN" "$LOCK" sh -c 'exit 75'
	[[ "$output" == *"the command did run, and exited with 75"* ]]
}

@test "a command's status that looks like one of ours for 'nothing ran' is explained" {
	local status
	for status in 64 69 75 76 77 125 126 127; do
		run "-$status" "$LOCKRUN" "$LOCK" sh -c "exit $status"
		[[ "$output" == "lockrun: $LOCK: the command did run, and exited with $status,"* ]]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" != *"nothing was run"* ]]
		run "-$status" "$LOCKRUN" -q "$LOCK" sh -c "exit $status"
		[ -z "$output" ]
	done
}

@test "64: a bad command line or name" {
	run -64 "$LOCKRUN" -n
	run -64 "$LOCKRUN" nonsense -- touch ran
	[ ! -e ran ]
	[ ! -e "$LOCKRUN_DIR" ]
}

@test "69: the directory cannot be used, and nothing was run" {
	touch file
	run -69 "$LOCKRUN" -d "$PWD/file" "$LOCK" touch ran
	[[ "$output" == "lockrun: $PWD/file: not a directory; "* ]]
	run -69 "$LOCKRUN" -n -d "$PWD/no/such/place" "$LOCK" touch ran
	[ ! -e ran ]
	[ ! -e no ]
}

@test "76: check no longer leads" {
	"$LOCKRUN" "$LOCK" printenv LOCKRUN_CONTENDER >contender
	LOCKRUN_NAME=$LOCK LOCKRUN_CONTENDER=$(cat contender) run -76 "$LOCKRUN" check
}

@test "124: made to step down, even if it took SIGKILL" {
	run -124 "$LOCKRUN" -q -m 50ms "$LOCK" sleep 600
	run -124 "$LOCKRUN" -q -m 500ms -k 50ms "$LOCK" sh -c 'trap "" TERM; sleep 600; sleep 600'
}

@test "127: not found is told before queueing, and nothing is made" {
	local command
	for command in ./nothing-here /no/such nothing-called-so '' ./file/below; do
		touch file
		run -127 "$LOCKRUN" -n "$LOCK" -- "$command"
		[[ "$output" == *"command not found"*"nothing was run"* ]]
	done
	[ ! -e "$LOCKRUN_DIR" ]
	hold
	run -127 timeout -k 1 "$PATIENCE" "$LOCKRUN" "$LOCK" ./nothing-here
	release
}

@test "126: what cannot be executed is told before queueing, and nothing is made" {
	printf '#!/bin/sh\n' >no-program-of-debian
	mkdir directory
	run -126 "$LOCKRUN" "$LOCK" ./no-program-of-debian
	[[ "$output" == *"./no-program-of-debian: the command cannot be executed"*"nothing was run"* ]]
	run -126 "$LOCKRUN" "$LOCK" ./directory
	run -126 "$LOCKRUN" "$LOCK" /dev/null
	PATH=$PWD:$PATH run -126 "$LOCKRUN" "$LOCK" no-program-of-debian
	[ ! -e "$LOCKRUN_DIR" ]
}

@test "126, 127: found before the wait, and gone or spoilt after it" {
	local kind waiter
	hold
	for kind in gone spoilt; do
		printf '#!/bin/sh\ntouch ran\n' >$kind
		chmod +x $kind
		start "$LOCKRUN" "$LOCK" ./$kind 2>"told.$kind"
		waiter[${#waiter[@]}]=$STARTED
		await is_pending "${#waiter[@]}"
	done
	rm gone
	chmod -x spoilt
	release
	ends 127 "${waiter[0]}"
	ends 126 "${waiter[1]}"
	grep -q 'nothing was run' told.gone
	grep -q 'nothing was run' told.spoilt
	[ ! -e ran ]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"ran":"no"'*'"status":126'* ]]
	"$LOCKRUN" -n "$LOCK" true
}

@test "127: an interpreter that is not there is found out at exec" {
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -127 "$LOCKRUN" "$LOCK" ./script
	[[ "$output" == *"nothing was run"* ]]
	"$LOCKRUN" -n "$LOCK" true
}

# The environment that is just small enough for lockrun, and then too large with what it adds.
@test "125: arguments and environment too long, nothing was run, and the next one leads" {
	local low=1000 high=131000 middle
	ulimit -s 512
	while [ $((high - low)) -gt 16 ]; do
		middle=$(((low + high) / 2))
		if A=$(printf "%0${middle}d" 0) "$LOCKRUN" name "$LOCK" >/dev/null 2>&1; then
			low=$middle
		else
			high=$middle
		fi
	done
	A=$(printf "%0$((low - 64))d" 0) run -125 "$LOCKRUN" "$LOCK" touch ran
	[[ "$output" == *"touch: the command could not be started: Argument list too long; nothing was run"* ]]
	[ ! -e ran ]
	"$LOCKRUN" -n "$LOCK" true
}

@test "125: no process can be made, and nobody gets a signal" {
	[ "$(id -u)" -eq 0 ] || skip "needs another user"
	# One of its own: another run of these tests may be going on.
	local user=$((50000 + BASHPID % 10000))
	chmod a+x "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.." "$BATS_TEST_TMPDIR"
	cp "$LOCKRUN" "$BATS_TEST_TMPDIR/lockrun"
	mkdir "$LOCKRUN_DIR"
	chown $user "$LOCKRUN_DIR"
	run -125 setpriv --reuid=$user --clear-groups prlimit --nproc=1 \
	    "$BATS_TEST_TMPDIR/lockrun" "$LOCK" true
	[[ "$output" == *"could not be started: Resource temporarily unavailable; nothing was run"* ]]
	run -0 setpriv --reuid=$user --clear-groups "$BATS_TEST_TMPDIR/lockrun" -n "$LOCK" true
}

@test "a signal that ends the wait is seen by the caller, and nothing was run" {
	local signal raw
	hold
	for signal in TERM INT HUP QUIT USR1; do
		lead "$LOCK" touch ran 2>told
		await is_pending 1
		kill -s "$signal" "$STARTED"
		ends $((128 + $(kill -l "$signal"))) "$STARTED"
		[[ "$(cat told)" == "lockrun: $LOCK: "*" while waiting; nothing was run" ]]
		is_pending 0
		is_holding 1
	done
	release
	[ ! -e ran ]
}

@test "a signal that ends the wait is a death by it, not a status" {
	hold
	start raw_to_file "$LOCKRUN" -q "$LOCK" touch ran
	local raw=$STARTED
	await is_pending 1
	kill -TERM "$(cat child)"
	wait "$raw"
	[ "$(cat raw)" = 15 ]
	[ ! -e ran ]
	release
}
raw_to_file() { raw_status "$@" >raw; }

@test "signals that mean no end do not end the wait" {
	hold
	lead "$LOCK" touch ran
	local waiter=$STARTED
	await is_pending 1
	kill -WINCH "$waiter"
	kill -CONT "$waiter"
	release
	ends 0 "$waiter"
	[ -e ran ]
}

@test "who withdraws leaves its place, and the others keep theirs" {
	hold
	start "$LOCKRUN" "$LOCK" sh -c 'echo first >>order'
	local first=$STARTED
	await is_pending 1
	lead "$LOCK" sh -c 'echo withdrawn >>order'
	local withdrawn=$STARTED
	await is_pending 2
	start "$LOCKRUN" "$LOCK" sh -c 'echo third >>order'
	local third=$STARTED
	await is_pending 3
	kill "$withdrawn" 
	ends 143 "$withdrawn"
	is_pending 2
	release
	ends 0 "$first"
	ends 0 "$third"
	[ "$(tr '\n' ' ' <order)" = 'first third ' ]
}

@test "statuses of stop and status" {
	run -0 "$LOCKRUN" status
	run -0 "$LOCKRUN" status "$LOCK"
	run -0 "$LOCKRUN" stop "$LOCK"
	run -64 "$LOCKRUN" status nonsense
	run -69 "$LOCKRUN" status -d /dev/null
	run -69 "$LOCKRUN" stop -d /dev/null "$LOCK"
}

@test "the table in the help is the whole truth about which numbers are ours" {
	run -0 "$LOCKRUN" --help
	[ "$(sed -n 's/^ *\([0-9]\+\)  [a-z].*/\1/p' <<<"$output" | tr '\n' ' ')" = \
	    '64 69 74 75 76 77 124 125 126 127 ' ]
}

@test "after a whole tree was killed the next run starts at once" {
	lead "$LOCK" sh -c 'echo $$ >ready; exec sleep 600' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	kill -KILL "$leader" "$(cat ready)"
	ends 137 "$leader"
	await is_gone "$(cat ready)"
	run -0 "$LOCKRUN" -n "$LOCK" printenv LOCKRUN_GENERATION
	[ "$output" = 2 ]
}
