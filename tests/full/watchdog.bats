#!/usr/bin/env bats
# --watchdog with systemd-notify(1), and what takes time. Needs systemd's programs, strace, python3.
load ../helper

setup() {
	command -v systemd-notify >/dev/null || skip "systemd-notify is not installed"
	common_setup
}

export N=$PROBES/notify
ticket() { sed -n "s/^$1=//p" "$LOCKRUN_DIR/$LOCK/q/"*h; }
has_report() { [ "$(ticket report)" = "$1" ]; }
silent_ms() { "$LOCKRUN" status --json "$LOCK" | grep -o '"silent_ms":[0-9]*' | cut -d: -f2; }
is_silent_for() { [ "$(silent_ms)" -ge "$1" ]; }

# by_script COMMAND...: lead with a script that tells each time what it has done, and stays.
by_script() {
	mkfifo go
	start "$@" --watchdog 1h "$LOCK" -- sh -c '
		set -e
		systemd-notify --ready --status="up and running"
		systemd-notify WATCHDOG=1
		systemd-notify --status="3 of 10"
		systemd-notify --status="no barrier" --no-block
		systemd-notify STOPPING=1
		echo >told
		cat go
		systemd-notify --status="3 of 10"
		cat go'
	await test -e told
	await has_report 'no barrier'
	: >go
	await has_report '3 of 10'
	: >go
	ends 0 "$STARTED"
}

@test "systemd-notify from a shell script is heard" {
	by_script "$LOCKRUN"
}

@test "systemd-notify of an unprivileged user is heard" {
	needs_root
	make_open_dir
	chmod 777 .
	chmod 755 "$BATS_TEST_TMPDIR"
	mkdir -m 777 "$OPEN_DIR/own"
	cd "$OPEN_DIR/own"
	export LOCKRUN_DIR=$OPEN_DIR/own/state
	by_script setpriv --reuid=65534 --regid=65534 --clear-groups "$OPEN_DIR/lockrun"
}

@test "a script that works and reports leads for longer than the limit" {
	run -0 "$LOCKRUN" --watchdog 2s "$LOCK" -- sh -c '
		for i in 1 2 3 4 5 6; do systemd-notify WATCHDOG=1 --status="$i of 6"; sleep 0.6; done; echo done'
	[ "$output" = done ]
}

@test "one that hangs after some reports is made to step down" {
	run -124 "$LOCKRUN" -q --watchdog 500ms "$LOCK" -- sh -c 'systemd-notify --ready; systemd-notify WATCHDOG=1; sleep 60 & wait'
}

@test "systemd-notify from outside is not believed" {
	mkfifo go
	start "$LOCKRUN" --watchdog 1h "$LOCK" -- sh -c 'echo "$NOTIFY_SOCKET" >ready; cat go'
	await test -s ready
	NOTIFY_SOCKET=$(cat ready) systemd-notify --status=stranger
	has_report ''
	: >go
	ends 0 "$STARTED"
}

@test "whoever could not listen does not take that for silence" {
	start "$LOCKRUN" --watchdog 2s "$LOCK" -- sh -c 'trap "exit 3" USR1; echo >ready; while :; do sleep 0.1; done'
	await test -e ready
	kill -STOP "$STARTED"
	frozen_at=$(silent_ms)
	# Longer than the limit, and late enough to be told from a machine that is only busy.
	await is_silent_for $((frozen_at + 2700))
	kill -CONT "$STARTED"
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	ends 3 "$STARTED"
}

@test "a flood of signs of life does not become one of writes" {
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	run -0 strace -qq -s 1000 -o trace -e trace=pwrite64,recvmsg "$LOCKRUN" --watchdog 1m "$LOCK" -- sh -c '
		"$N" flood 1000 WATCHDOG=1 STATUS=again; "$N" barrier STATUS=last'
	heard=$(grep -c 'recvmsg.*WATCHDOG=1' trace)
	written=$(grep -c 'pwrite64.*watchdog=60000' trace)
	echo "# $heard signs of life, $written writes" >&3
	[ "$heard" = 1000 ]
	# One a second, and those of the begin and the end.
	[ "$written" -lt 30 ]
}

@test "a flood from strangers keeps lockrun from nothing" {
	start "$LOCKRUN" --watchdog 1h "$LOCK" -- sh -c 'echo "$NOTIFY_SOCKET" >ready; exec sleep 60'
	leader=$STARTED
	await test -s ready
	start env NOTIFY_SOCKET="$(cat ready)" "$N" flood 1000000 WATCHDOG=trigger
	flood=$STARTED
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 124 "$leader"
	# Its address is gone.
	ends 1 "$flood" 2>/dev/null
}
