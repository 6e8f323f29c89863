#!/usr/bin/env bats
# A signal for lockrun reaches the command once; SIGTERM ends the whole tree; a death by signal is
# seen by the caller; and the lock is held until the last of the tree is gone.
load helper

# A command that writes a line to `got` for each signal NAME it gets, until `finish_counting`.
counting() {
	mkfifo gate
	cat >counting <<-'COUNTING'
		#!/bin/bash
		for signal; do
			trap "echo $signal >>got" "$signal"
		done
		exec 8<>gate
		echo $$ >ready
		# With a limit, since SIGWINCH interrupts no read: its trap has its turn in between.
		until [ -e finish ]; do
			read -rt 0.1 _ <&8
		done
		exit 5
	COUNTING
	chmod +x counting
}

# The gate is opened for both, so as not to wait for one that has seen `finish` already.
finish_counting() {
	touch finish
	echo 1<>gate
}

lines_in() { [ "$(wc -l <"$2" 2>/dev/null || echo 0)" -ge "$1" ]; }

# ---- forwarding ----

@test "each signal reaches the command exactly once, and its status is ours" {
	counting
	local signal
	for signal in HUP INT QUIT USR1 USR2 ALRM WINCH RTMIN RTMIN+5 RTMAX; do
		rm -f got ready finish
		lead "$LOCK" ./counting "$signal"
		await test -s ready
		kill -s "$signal" "$STARTED"
		await test -s got
		finish_counting
		ends 5 "$STARTED"
		[ "$(cat got)" = "$signal" ]
	done
}

@test "queued signals arrive as often as they were sent" {
	counting
	lead "$LOCK" ./counting RTMIN+3
	await test -s ready
	local i
	for i in 1 2 3 4 5; do
		kill -s RTMIN+3 "$STARTED"
		await lines_in "$i" got
	done
	finish_counting
	ends 5 "$STARTED"
	[ "$(wc -l <got)" -eq 5 ]
}

@test "a command without handlers dies by the signal, and lockrun with it" {
	local signal
	for signal in HUP INT QUIT USR1 ALRM TERM RTMIN+1; do
		rm -f ready
		lead "$LOCK" sh -c 'ulimit -c 0; echo >ready; exec sleep 600'
		await test -s ready
		kill -s "$signal" "$STARTED"
		ends $((128 + $(kill -l "$signal"))) "$STARTED"
		"$LOCKRUN" -n "$LOCK" true
	done
}

@test "a signal that was ignored on entry stays ignored" {
	lead_ignoring() {
		start env --default-signal --ignore-signal=INT --ignore-signal=HUP "$LOCKRUN" "$LOCK" \
		    env --default-signal=INT,HUP ./counting USR1
	}
	counting
	lead_ignoring
	await test -s ready
	kill -INT "$STARTED"
	kill -HUP "$STARTED"
	kill -USR1 "$STARTED"
	await test -s got
	finish_counting
	ends 5 "$STARTED"
}

@test "SIGINT for a job in a script's background is ignored, as the script's shell wants it" {
	mkfifo go
	run -0 sh -c '
		"$0" "$1" sh -c "echo >ready; read -r _ <go" & job=$!
		until [ -e ready ]; do sleep 0.01; done
		kill -INT $job
		echo >go
		wait $job
		echo $?' "$LOCKRUN" "$LOCK"
	[ "$output" = 0 ]
}

@test "a sender in the same process group is as good as any" {
	run -0 bash -c '
		"$0" "$1" sh -c "echo >ready; exec sleep 600" & job=$!
		until [ -e ready ]; do sleep 0.01; done
		kill $job
		wait $job
		echo $?' "$LOCKRUN" "$LOCK"
	[ "${lines[-1]}" = 143 ]
}

@test "a signal that the command sends to lockrun does not come back to it" {
	mkfifo finish
	cat >talking <<-'TALKING'
		#!/bin/bash
		trap 'echo USR1 >>got' USR1
		trap 'echo USR2 >>got' USR2
		kill -USR1 $PPID
		exec 8<>finish
		echo >ready
		read -r _ <&8
	TALKING
	chmod +x talking
	lead "$LOCK" ./talking
	await test -s ready
	kill -USR2 "$STARTED"
	await test -s got
	echo >finish
	ends 0 "$STARTED"
	[ "$(cat got)" = USR2 ]
}

@test "SIGCONT is for a stopped command only" {
	counting
	lead "$LOCK" ./counting CONT USR1
	await test -s ready
	kill -CONT "$STARTED"
	kill -USR1 "$STARTED"
	await lines_in 1 got
	kill -STOP "$(cat ready)"
	await is_stopped "$(cat ready)"
	kill -CONT "$STARTED"
	await lines_in 2 got
	finish_counting
	ends 5 "$STARTED"
	[ "$(tr '\n' ' ' <got)" = 'USR1 CONT ' ]
}

@test "signals go to the command alone, not to what it started" {
	mkfifo finish
	lead "$LOCK" bash -c '
		trap "echo outer >>got" USR1
		exec 8<>finish
		bash -c "trap \"echo inner >>got\" USR1; echo >ready; read -r _ <&8" &
		read -r _ <&8
		wait'
	await test -s ready
	kill -USR1 "$STARTED"
	await test -s got
	printf '\n\n' >finish
	ends 0 "$STARTED"
	[ "$(cat got)" = outer ]
}

# ---- SIGTERM ends the tree ----

@test "SIGTERM: the command may end in its own way, with its own status" {
	lead "$LOCK" sh -c 'trap "echo got; exit 5" TERM; sleep 600 & echo >ready; wait' >output
	await test -s ready
	kill "$STARTED"
	ends 5 "$STARTED"
	[ "$(cat output)" = got ]
}

@test "SIGTERM reaches the whole tree, across process groups and sessions" {
	cat >inner <<-'INNER'
		#!/bin/sh
		trap 'echo "$0" >>clean; exit' TERM
		tail -f /dev/null &
		echo >>ready
		wait
	INNER
	chmod +x inner
	lead "$LOCK" bash -c 'set -m
		./inner &
		setsid sh -c "setsid ./inner & wait" &
		timeout 600 ./inner &
		(setsid ./inner &)
		wait'
	await lines_in 4 ready
	kill "$STARTED"
	ends 143 "$STARTED"
	[ "$(wc -l <clean)" -eq 4 ]
	no_marked_processes
}

@test "SIGTERM: a shell between lockrun and the work hides nothing" {
	lead "$LOCK" sh -c 'echo >ready; sleep 600; :'
	await test -s ready
	kill "$STARTED"
	ends 143 "$STARTED"
	no_marked_processes
}

@test "SIGTERM: the lock is held until the last of the tree is gone" {
	mkfifo go
	lead "$LOCK" sh -c '
		sh -c "trap \"echo >stopping; read -r _ <go; exit\" TERM; sleep 600 & echo >ready; wait" &
		wait'
	local leader=$STARTED
	await test -s ready
	kill "$leader"
	await test -s stopping
	run -75 "$LOCKRUN" -n "$LOCK" true
	start "$LOCKRUN" "$LOCK" touch second
	local second=$STARTED
	await is_pending 1
	[ ! -e second ]
	echo >go
	ends 143 "$leader"
	wait "$second"
}

@test "SIGTERM is followed by SIGKILL only where that was asked for" {
	mkfifo go
	lead -v "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go; exit 6' 2>told
	await test -s ready
	kill "$STARTED"
	await grep -q 'stepping down: signal; SIGTERM sent' told
	run -1 grep SIGKILL told
	echo >go
	ends 6 "$STARTED"
}

@test "SIGTERM with a grace: who does not go is killed" {
	lead -k 100ms "$LOCK" sh -c 'trap "" TERM; echo >ready; sleep 600; sleep 600'
	await test -s ready
	kill "$STARTED"
	ends 137 "$STARTED"
	no_marked_processes
}

@test "SIGTERM with a grace: who goes in time is not killed" {
	lead -k 60s "$LOCK" sh -c 'trap "exit 4" TERM; sleep 600 & echo >ready; wait'
	await test -s ready
	kill "$STARTED"
	ends 4 "$STARTED"
}

@test "SIGTERM: a stopped process is continued, so that it can act on it" {
	lead "$LOCK" bash -c '
		bash -c "trap \"touch clean; exit\" TERM; sleep 600 & echo \$\$ >inner; wait" &
		wait'
	await test -s inner
	kill -STOP "$(cat inner)"
	await is_stopped "$(cat inner)"
	kill "$STARTED"
	ends 143 "$STARTED"
	[ -e clean ]
}
is_stopped() { [ "$(state_of "$1")" = T ]; }

@test "SIGTERM: a second one is passed on as well" {
	counting
	lead "$LOCK" ./counting TERM
	await test -s ready
	kill "$STARTED"
	await lines_in 1 got
	kill "$STARTED"
	await lines_in 2 got
	finish_counting
	ends 5 "$STARTED"
	[ "$(wc -l <got)" -eq 2 ]
}

@test "other signals do not end what the command started" {
	mkfifo go
	lead "$LOCK" sh -c 'sh -c "echo >ready; read -r _ <go; touch survived" & wait $!'
	await test -s ready
	kill -INT "$STARTED"
	ends 130 "$STARTED"
	"$LOCKRUN" -n "$LOCK" true
	echo >go
	await test -e survived
}

# ---- children that are not the command's ----

@test "children from before lockrun are not taken for the command" {
	mkfifo go
	start bash -c 'exec "$0" "$1" sh -c "read -r _ <go; exit 7" < <(:)' "$LOCKRUN" "$LOCK"
	local leader=$STARTED
	await is_holding 1
	echo >go
	ends 7 "$leader"
}

@test "children from before lockrun are left alone by a step-down, and not waited for" {
	start bash -c 'sleep 600 & echo $! >early; exec "$0" "$1" sh -c "echo >ready; exec sleep 600"' \
	    "$LOCKRUN" "$LOCK"
	await test -s ready
	kill "$STARTED"
	ends 143 "$STARTED"
	kill -0 "$(cat early)"
	kill "$(cat early)"
}

@test "nor are the children of those" {
	mkfifo go
	start bash -c 'bash -c "sleep 600 & echo \$! >early; read -r _ <go" &
		until [ -s early ]; do sleep 0.01; done
		exec "$0" "$1" sh -c "echo >ready; exec sleep 600"' "$LOCKRUN" "$LOCK"
	await test -s ready
	# Their parent ends, so that they become lockrun's own.
	echo >go
	await is_parent_of "$STARTED" "$(cat early)"
	kill "$STARTED"
	ends 143 "$STARTED"
	kill -0 "$(cat early)"
	kill "$(cat early)"
}
is_parent_of() { [ "$(cut -d' ' -f4 "/proc/$2/stat")" = "$1" ]; }

@test "many orphans ending do not cost the command's status" {
	run -7 timeout -k 1 "$PATIENCE" "$LOCKRUN" "$LOCK" bash -c '
		for i in {1..100}; do (sleep 0.0$((i % 7)) & ) ; done
		exit 7'
}

# ---- how long the lock is held ----

@test "SIGKILL for lockrun: the command gets SIGTERM, and keeps the lock for as long as it lives" {
	mkfifo go
	lead "$LOCK" sh -c 'trap "echo >got" TERM; echo $$ >ready; read -r _ <go; read -r _ <go' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	kill -KILL "$leader"
	await test -s got
	ends 137 "$leader"
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" == *"left behind (sh, generation 1)"*"nothing was run" ]]
	start "$LOCKRUN" "$LOCK" touch second
	local second=$STARTED
	await is_pending 1
	[ ! -e second ]
	kill -KILL "$(cat ready)"
	wait "$second"
	[ -e second ]
}

@test "SIGKILL for lockrun: a grandchild keeps the lock as well" {
	lead "$LOCK" sh -c 'sh -c "trap \"\" TERM; echo \$\$ >ready; exec sleep 600" & wait'
	local leader=$STARTED
	await test -s ready
	kill -KILL "$leader"
	ends 137 "$leader"
	run -75 "$LOCKRUN" -n "$LOCK" true
	kill -KILL "$(cat ready)"
	"$LOCKRUN" "$LOCK" true
}

@test "a daemon left behind does not keep the lock, though it has a copy" {
	"$LOCKRUN" "$LOCK" sh -c 'setsid sleep 600 >/dev/null 2>&1 3>&- & echo $! >daemon'
	kill -0 "$(cat daemon)"
	[ -e "/proc/$(cat daemon)/fd/940" ]
	"$LOCKRUN" -n "$LOCK" true
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *idle* ]]
	kill "$(cat daemon)"
}

@test "a command that closes all its descriptors does not give up the lock" {
	mkfifo go
	lead "$LOCK" bash -c '
		for fd in /proc/$$/fd/*; do eval "exec ${fd##*/}>&-"; done
		echo >ready
		read -r _ <go'
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" -n "$LOCK" true
	echo >go
	ends 0 "$leader"
	"$LOCKRUN" -n "$LOCK" true
}

# ---- death by signal ----

@test "the caller sees the signal that the command died by, and no second core" {
	local signal raw
	for signal in INT KILL TERM PIPE RTMIN+2; do
		[ "$(raw_status "$LOCKRUN" "$LOCK" bash -c "kill -s $signal \$\$")" = "$(kill -l "$signal")" ]
	done
	# Of sh, since bash ignores SIGQUIT.
	for signal in QUIT SEGV; do
		raw=$(raw_status sh -c 'ulimit -c unlimited; exec "$@"' sh "$LOCKRUN" "$LOCK" \
		    sh -c "kill -s $signal \$\$")
		echo "$signal: $raw"
		[ "$raw" = "$(kill -l "$signal")" ]
	done
	[ "$(raw_status "$LOCKRUN" "$LOCK" sh -c 'exit 137')" = $((137 * 256)) ]
}

@test "a death by signal is passed on without a word" {
	run -137 "$LOCKRUN" "$LOCK" sh -c 'kill -KILL $$'
	[ -z "$output" ]
	run -131 "$LOCKRUN" "$LOCK" sh -c 'ulimit -c 0; kill -QUIT $$'
	[ -z "$output" ]
}

@test "the signal is seen though it was ignored or blocked on entry" {
	[ "$(raw_status env --ignore-signal=USR1 "$LOCKRUN" "$LOCK" \
	    env --default-signal=USR1 bash -c 'kill -USR1 $$')" = 10 ]
	[ "$(raw_status env --block-signal=TERM "$LOCKRUN" "$LOCK" bash -c 'kill -KILL $$')" = 9 ]
}

@test "a storm of SIGTERM around short commands never misreports" {
	local i
	for i in {1..40}; do
		start "$LOCKRUN" "$LOCK" touch "ran.$i" 2>"told.$i"
		# By job, since a pid may belong to somebody else by then.
		for _ in {1..20}; do kill -TERM %% 2>/dev/null || break; done
		ends 0 "$STARTED" || [ "$STATUS" -eq 143 ]
		[ "$STATUS" -ne 0 ] || [ -e "ran.$i" ]
		if grep -q 'nothing was run' "told.$i"; then
			[ ! -e "ran.$i" ]
		fi
	done
	"$LOCKRUN" -n "$LOCK" true
}

# ---- a terminal ----

# on_terminal COMMAND: run by a shell on a terminal of its own, in the background; what is written
# to descriptor 5 is typed.
on_terminal() {
	mkfifo typed
	# Read and write, for neither end to wait for the other.
	exec 5<>typed
	start typing "$1"
}
typing() { exec env --default-signal script -qec "$1" /dev/null <&5 >screen 2>&1; }

@test "one ^C on a terminal reaches the command exactly once" {
	local lockrun
	counting
	on_terminal "trap : INT; '$LOCKRUN' '$LOCK' ./counting INT USR1; exit \$?"
	await test -s ready
	lockrun=$(cut -d' ' -f4 "/proc/$(cat ready)/stat")
	# Stopped, so that what it might pass on comes after what the terminal sent.
	kill -STOP "$lockrun"
	await is_stopped "$lockrun"
	printf '\003' >&5
	await test -s got
	kill -CONT "$lockrun"
	kill -USR1 "$lockrun"
	await lines_in 2 got
	finish_counting
	ends 5 "$STARTED"
	exec 5>&-
	[ "$(tr '\n' ' ' <got)" = 'INT USR1 ' ]
}

@test "one ^C ends a script's loop around lockrun" {
	on_terminal "bash -c 'while :; do \"$LOCKRUN\" \"$LOCK\" sh -c \"echo >ready; exec sleep 600\"; done'"
	await test -s ready
	printf '\003' >&5
	ends 130 "$STARTED"
	exec 5>&-
}

@test "the command may read from the terminal" {
	on_terminal "'$LOCKRUN' '$LOCK' sh -c 'read -r x </dev/tty; stty -a >/dev/null && echo \"<\$x>\" >answer'"
	await is_holding 1
	echo hello >&5
	ends 0 "$STARTED"
	exec 5>&-
	[ "$(cat answer)" = '<hello>' ]
}

@test "a terminal that goes away takes the command with it" {
	start script -qec "'$LOCKRUN' '$LOCK' sh -c 'echo \$PPID >ready; exec sleep 600'" /dev/null </dev/null >/dev/null 2>&1
	await test -s ready
	kill -KILL "$STARTED"
	wait "$STARTED" 2>/dev/null || true
	await is_gone "$(cat ready)"
	"$LOCKRUN" "$LOCK" true
}
