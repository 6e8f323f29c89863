#!/usr/bin/env bats
# A kernel, or a container's filter, that refuses what lockrun asks of it. Needs strace.
load ../helper

setup() {
	common_setup
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	cat >tree <<-'TREE'
		#!/bin/sh
		trap 'echo outer >>ended; wait; exit 3' TERM
		setsid sh -c 'trap "echo inner >>ended; exit" TERM; echo >>ready; while :; do sleep 0.05; done' &
		echo >>ready
		wait
	TREE
	chmod +x tree
}

ready() { [ "$(cat ready 2>/dev/null | wc -l)" -eq 2 ]; }

@test "without pidfd_send_signal, or where it is forbidden, the whole tree steps down all the same" {
	local error
	for error in ENOSYS EPERM; do
		rm -f ready ended
		start strace -o trace -e trace=pidfd_send_signal -e "inject=pidfd_send_signal:error=$error" \
		    "$LOCKRUN" "$LOCK" ./tree
		await ready
		run -0 timeout "$PATIENCE" "$LOCKRUN" stop "$LOCK"
		ends 124 "$STARTED"
		grep -q INJECTED trace
		[ "$(sort ended | tr '\n' ' ')" = 'inner outer ' ]
	done
}

@test "who may not be signalled is told of once, and waited for: the lock is held until then" {
	mkfifo go
	start strace -o trace -e trace=pidfd_send_signal,kill -e inject=pidfd_send_signal,kill:error=EPERM \
	    sh -c 'exec lockrun -m 50ms -k 50ms "$0" cat go 2>told' "$LOCK"
	# Some rounds of it.
	await killed_again
	run -75 "$LOCKRUN" -n "$LOCK" true
	: >go
	ends 124 "$STARTED"
	[ "$(grep -c "not allowed to signal it; the lock is held until it ends" told)" -eq 1 ]
}
killed_again() { [ "$(grep -c 'SIGKILL.*INJECTED' trace)" -ge 6 ]; }

@test "nobody is signalled by number once the command was reaped" {
	local round
	for round in {1..10}; do
		run strace -o trace -e trace=kill,tgkill,tkill,wait4,pidfd_send_signal \
		    "$LOCKRUN" -m 20ms -k 20ms --leftovers kill "$LOCK" sh -c '(sleep 60 &); exec sleep 0.02'
		[[ "$status" = @(0|124) ]]
		grep -qE '^wait4\([0-9]+, \[\{WIF(EXITED|SIGNALED)' trace
		[ -z "$(sed '1,/^wait4([0-9]*, \[{WIF\(EXITED\|SIGNALED\)/d' trace | grep -E '^t?g?kill\(')" ]
	done
}

@test "where the parent cannot be watched, that is said, and nothing runs" {
	run -69 strace -o trace -e trace=pidfd_open -e inject=pidfd_open:error=EPERM \
	    "$LOCKRUN" --die-with-parent "$LOCK" touch ran
	[[ "$output" == *"--die-with-parent"*"nothing was run"* ]]
	[ ! -e ran ]
	run -5 strace -o trace -e trace=pidfd_open -e inject=pidfd_open:error=EPERM \
	    "$LOCKRUN" -m 1m "$LOCK" sh -c 'exit 5'
}

@test "a command that ends between the look at it and the look at what it left: its status is ours" {
	# It ends once it has been looked at, long before the others are.
	run -3 strace -o trace -e trace=wait4,waitid -e inject=waitid:delay_enter=1s:when=2 \
	    "$LOCKRUN" "$LOCK" sh -c 'until grep -qs "^wait4" trace; do sleep 0.01; done; exit 3'
	grep -q '^waitid.*si_pid=' trace
}
