#!/usr/bin/env bats
# --also-flock where flock(2) is made of something else or fails, and where the lock itself is lost
# during the wait. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
}

# on_file INJECTION: lead while flock(2) on FILE fails so.
on_file() {
	: >FILE
	strace -f -qq -o trace -P "$PWD/FILE" -e trace=flock,openat -e "inject=flock:error=$1" \
		"$LOCKRUN" -q --also-flock "$PWD/FILE" "$LOCK" -- echo led
}

@test "a file server that wants it open for writing gets that" {
	run -0 on_file EBADF:when=1
	[ "$output" = led ]
	[ "$(grep -o 'O_RDONLY\|O_RDWR' trace | paste -sd' ')" = 'O_RDONLY O_RDONLY O_RDWR' ]
	run -0 on_file EIO:when=1
	[ "$output" = led ]
}

@test "no locks there: 69, and nothing runs" {
	run -69 on_file ENOLCK
	[[ "$output" == *"/FILE: the file of --also-flock cannot be used: No locks available; "* ]]
	run -69 on_file EBADF
	[[ "$output" != *led* ]]
}

@test "the lock is removed while we wait for the file: we queue up anew, and lead once" {
	foreign FILE
	contend a --also-flock FILE "$LOCK"
	await grep -q -- "-> FLOCK .* ${CONTENDERS[a]} " /proc/locks
	await rm -rf "${LOCKRUN_DIR:?}/$LOCK"
	# Every 5 s it looks.
	await test -e "$LOCKRUN_DIR/$LOCK"
	await is_pending 1
	foreign_ends
	await leads a
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	let_end a
	order_is a
}
