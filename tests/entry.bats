#!/usr/bin/env bats
# Wherever lockrun stands and whatever it was started with, it behaves as if nothing were special:
# as process 1, below other reapers, without standard descriptors, within tight limits.
load helper

# in_namespace [--mount-proc] COMMAND...: as process 1 of a pid namespace, which /proc shows or not.
in_namespace() { env --default-signal unshare -pf "$@"; }
start_inside() { start env --default-signal unshare -pf "$@"; }

needs_namespaces() {
	unshare -pf true 2>/dev/null || skip "no pid namespace may be made here"
}

# inner PID: process 1 of what start_inside began, by our number.
inner() { cut -d' ' -f1 "/proc/$1/task/$1/children"; }

# scratch_user COMMAND...: as a user who has no process yet, with a state directory of its own.
scratch_user() { setpriv --reuid=54321 --regid=54321 --clear-groups "$@"; }
needs_scratch_user() {
	[ "$(id -u)" -eq 0 ] || skip "needs another user"
	chmod a+x "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.." "$BATS_TEST_TMPDIR"
	cp "$LOCKRUN" "$BATS_TEST_TMPDIR/lockrun"
	mkdir "$LOCKRUN_DIR"
	chown 54321 "$LOCKRUN_DIR"
	# Where it may go on once the caller's directory is closed to it.
	cd /
}

# ---- process 1 ----

@test "process 1 of a pid namespace: the command's status is ours" {
	needs_namespaces
	local mount
	for mount in '' --mount-proc; do
		run -0 in_namespace $mount "$LOCKRUN" "$LOCK" true
		run -7 in_namespace $mount "$LOCKRUN" "$LOCK" sh -c 'exit 7'
		run -0 in_namespace $mount sh -c '"$0" "$1" true; exit $?' "$LOCKRUN" "$LOCK"
		[ -z "$output" ]
	done
}

@test "process 1: a death by a signal is told by number, since process 1 cannot die so" {
	needs_namespaces
	local mount signal
	for mount in '' --mount-proc; do
		for signal in KILL TERM INT QUIT HUP USR1 SEGV; do
			run "-$((128 + $(kill -l $signal)))" \
			    in_namespace $mount "$LOCKRUN" "$LOCK" sh -c "kill -s $signal \$\$"
		done
	done
	is_holding 0
}

@test "process 1 reaps the orphans of its namespace, while the command runs" {
	needs_namespaces
	export PATIENCE
	export -f await pause not
	run -4 in_namespace --mount-proc "$LOCKRUN" "$LOCK" bash -c '
		for i in {1..50}; do (setsid sh -c "exit 3" &) done
		await not grep -qs ") Z " /proc/[0-9]*/stat && echo none left && exit 4'
	[ "$output" = 'none left' ]
}

@test "process 1: a signal from outside of the namespace is the command's" {
	needs_namespaces
	local signal
	for signal in TERM INT HUP QUIT USR1; do
		rm -f ready
		start_inside "$LOCKRUN" "$LOCK" sh -c 'trap "echo $0 >got; exit 5" $0
			echo >ready; while :; do sleep 0.05; done' "$signal"
		await test -s ready
		kill -s "$signal" "$(inner "$STARTED")"
		ends 5 "$STARTED"
		[ "$(cat got)" = "$signal" ]
	done
}

@test "process 1: a signal ends a wait" {
	needs_namespaces
	hold
	start_inside "$LOCKRUN" "$LOCK" touch ran
	await is_pending 1
	kill "$(inner "$STARTED")"
	ends 143 "$STARTED"
	[ ! -e ran ]
	is_pending 0
	release
}

@test "process 1: the whole tree steps down, across sessions, whatever /proc shows" {
	needs_namespaces
	local mount
	for mount in '' --mount-proc; do
		start_inside $mount "$LOCKRUN" -m 30s "$LOCK" sh -c '
			setsid sh -c "trap \"echo clean >>ended; exit\" TERM; echo >>ready
				while :; do sleep 0.05; done" &
			setsid sh -c "trap \"\" TERM; echo >>ready; while [ ! -e ended ]; do sleep 0.05; done
				echo last >>ended" &
			wait'
		await has_lines 2 ready
		run -0 "$LOCKRUN" stop "$LOCK"
		ends 124 "$STARTED"
		[ "$(sort -u ended | tr '\n' ' ')" = 'clean last ' ]
		rm -f ended ready
	done
}
has_lines() { [ "$(cat "$2" 2>/dev/null | wc -l)" -eq "$1" ]; }

@test "process 1 without any /proc: the command itself still steps down" {
	needs_namespaces
	run -124 unshare -pfm sh -c 'mount -t tmpfs none /proc
		exec "$0" -m 100ms "$1" sh -c "exec sleep 60"' "$LOCKRUN" "$LOCK"
	run -6 unshare -pfm sh -c 'mount -t tmpfs none /proc
		exec "$0" "$1" sh -c "exit 6"' "$LOCKRUN" "$LOCK"
	run -64 unshare -pfm sh -c 'mount -t tmpfs none /proc
		"$0" "$1" "$0" "$1" true' "$LOCKRUN" "$LOCK"
}

@test "two namespaces: they exclude each other, and the queue is one" {
	needs_namespaces
	mkfifo go
	start_inside "$LOCKRUN" "$LOCK" cat go
	local first=$STARTED
	await is_holding 1
	run -75 "$LOCKRUN" -n "$LOCK" true
	start_inside --mount-proc "$LOCKRUN" "$LOCK" sh -c 'echo inner >>order'
	local second=$STARTED
	await is_pending 1
	start "$LOCKRUN" "$LOCK" sh -c 'echo outer >>order'
	local third=$STARTED
	await is_pending 2
	echo >go
	wait "$first" "$second" "$third"
	[ "$(tr '\n' ' ' <order)" = 'inner outer ' ]
}

# ---- reapers around us ----

@test "below another reaper: the command's orphans come to us, ours go to it" {
	# lockrun is itself a reaper: one within the other, with two locks.
	run -7 "$LOCKRUN" demo:v1:leader:outer "$LOCKRUN" "$LOCK" sh -c '
		for i in 1 2 3 4 5; do (setsid sh -c "exit 3" &) done; exit 7'
	mkfifo go
	start "$LOCKRUN" demo:v1:leader:outer sh -c '"$0" "$1" sh -c "(exec cat go >/dev/null) & echo"
		echo inner done >told; exec cat go' "$LOCKRUN" "$LOCK"
	await test -s told
	# The inner one is gone, and what it left behind has not held it up.
	is_holding 0
	is_holding 1 demo:v1:leader:outer
	run -0 "$LOCKRUN" stop demo:v1:leader:outer
	ends 124 "$STARTED"
}

# ---- standard descriptors ----

@test "standard descriptors closed in all combinations: the command's are, and no file of ours is hit" {
	cat >show <<-'SHOW'
		#!/bin/sh
		for fd in 0 1 2; do
			[ ! -e /proc/$$/fd/$fd ] || printf %s $fd
		done >seen
	SHOW
	chmod +x show
	local closed
	for closed in '' '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		eval "./show $closed"
		mv seen wanted
		eval '"$LOCKRUN" -v --events events "$LOCK" ./show '"$closed"
		cmp seen wanted
		# Its words, if there is anywhere to say them, hit none either.
		eval 'run -64 sh -c '\''"$0" "$1" "$0" -n "$1" true '"$closed"\'' "$LOCKRUN" "$LOCK"'
	done
	[ ! -s "$LOCKRUN_DIR/$LOCK/lock" ]
	[ "$(stat -c %s "$LOCKRUN_DIR/$LOCK/number")" -eq 512 ]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"idle, generation 16"* ]]
	run ! grep -v '^{.*}$' events
}

@test "a wait with standard descriptors closed" {
	hold
	start sh -c 'exec "$0" -v "$1" sh -c "echo led >led" <&- >&- 2>&-' "$LOCKRUN" "$LOCK"
	await is_pending 1
	release
	wait "$STARTED"
	[ "$(cat led)" = led ]
}

# ---- limits ----

@test "few open files: below a soft limit lockrun works, and the command sees that limit" {
	local soft
	for soft in 4 8 16 64; do
		run -0 bash -c 'ulimit -Sn $2; exec "$0" "$1" bash -c "ulimit -Sn"' "$LOCKRUN" "$LOCK" "$soft" 3>&-
		[ "$output" = "$soft" ]
	done
}

@test "few open files: below a hard limit lockrun works or says why, and the lock stays free" {
	local hard
	for hard in 4 6 8 9 10 11 12 13 14 15 16; do
		run bash -c 'ulimit -n $2; exec "$0" "$1" echo ran' "$LOCKRUN" "$LOCK" "$hard" 3>&-
		if [ "$status" -eq 0 ]; then
			[ "$output" = ran ]
		else
			[[ "$status" = @(69|125) ]]
			[[ "${lines[-1]}" == *": Too many open files; "*"raise the limit of open files (ulimit -n)" ]]
			[ "$hard" -lt 16 ]
		fi
		is_holding 0
		is_pending 0
		"$LOCKRUN" -n "$LOCK" true
	done
}

@test "few open files: a wait as well" {
	hold
	start bash -c 'ulimit -n 16; exec "$0" "$1" sh -c "echo led >led"' "$LOCKRUN" "$LOCK"
	await is_pending 1
	release
	wait "$STARTED"
	[ "$(cat led)" = led ]
}

@test "no file may be written: the generation rises all the same, and the command sees the limit" {
	local limit before
	for limit in -S -SH; do
		before=$(generation)
		run -0 bash -c 'ulimit $2 -f 0; exec "$0" "$1" bash -c "ulimit -Sf; echo \$LOCKRUN_GENERATION" | cat' \
		    "$LOCKRUN" "$LOCK" $limit
		[ "${lines[0]}" = 0 ]
		[ "${lines[1]}" -eq $((before + 1)) ]
	done
	run -0 bash -c 'ulimit -f 0; "$0" "$1" grep SigIgn /proc/self/status | cat' "$LOCKRUN" "$LOCK"
	[ $((0x${output#*:?} & 1 << 24)) -eq 0 ]
}

@test "no file may be written, by a user who cannot raise the limit" {
	needs_scratch_user
	local round before
	# Without a number that is there already nothing can be made: said, and nothing is left half.
	run -69 scratch_user bash -c 'ulimit -f 0; exec "$0" "$1" true' "$BATS_TEST_TMPDIR/lockrun" "$LOCK"
	[[ "$output" == *"File too large"* ]]
	[ -z "$(ls -A "$LOCKRUN_DIR")" ]
	before=$(scratch_user "$BATS_TEST_TMPDIR/lockrun" "$LOCK" printenv LOCKRUN_GENERATION)
	for round in 1 2 3; do
		run -0 scratch_user bash -c 'ulimit -f 0; "$0" "$1" printenv LOCKRUN_GENERATION | cat' \
		    "$BATS_TEST_TMPDIR/lockrun" "$LOCK"
		[ "$output" -eq $((before + round)) ]
	done
	run -3 scratch_user bash -c 'ulimit -f 0; exec "$0" "$1" sh -c "exit 3"' "$BATS_TEST_TMPDIR/lockrun" "$LOCK"
	run -0 scratch_user "$BATS_TEST_TMPDIR/lockrun" status "$LOCK"
	[[ "$output" == *"generation $((before + 4)) failed, status 3,"* ]]
}

@test "no process may be made: a wait that needs a thread is given up with a word" {
	needs_scratch_user
	mkfifo "$BATS_TEST_TMPDIR/scratch/go"
	chmod 0666 "$BATS_TEST_TMPDIR/scratch/go"
	start scratch_user "$BATS_TEST_TMPDIR/lockrun" "$LOCK" cat "$BATS_TEST_TMPDIR/scratch/go"
	local holder=$STARTED
	await is_holding 1
	run -125 scratch_user prlimit --nproc=1 "$BATS_TEST_TMPDIR/lockrun" "$LOCK" true
	[[ "$output" == *"Resource temporarily unavailable"*"nothing was run"* ]]
	is_pending 0
	: >"$BATS_TEST_TMPDIR/scratch/go"
	wait "$holder"
	scratch_user "$BATS_TEST_TMPDIR/lockrun" -n "$LOCK" true
}

@test "little memory and a small stack" {
	# The address sanitizer needs more.
	! grep -q __asan_init "$LOCKRUN" || return 0
	run -0 bash -c 'ulimit -v 20000; exec "$0" "$1" echo ran' "$LOCKRUN" "$LOCK"
	[ "$output" = ran ]
	run -0 bash -c 'ulimit -s 64; exec "$0" "$1" echo ran' "$LOCKRUN" "$LOCK"
	[ "$output" = ran ]
	hold
	start bash -c 'ulimit -v 20000 -s 256; exec "$0" "$1" sh -c "echo led >led"' "$LOCKRUN" "$LOCK"
	await is_pending 1
	release
	wait "$STARTED"
	[ "$(cat led)" = led ]
}

@test "children from before, and what is done with their ends" {
	run -0 bash -c 'exec "$0" "$1" sleep 0.3 < <(exit 9)' "$LOCKRUN" "$LOCK"
	run -5 bash -c 'exec "$0" "$1" sh -c "exit 5" < <(exit 9)' "$LOCKRUN" "$LOCK"
	# None of them is a zombie while the command runs.
	export PATIENCE
	export -f await pause not
	run -0 bash -c 'exec "$0" "$1" bash -c "await not grep -qs \") Z \$PPID \" /proc/[0-9]*/stat &&
		echo reaped" < <(exit 9)' "$LOCKRUN" "$LOCK"
	[ "$output" = reaped ]
}
