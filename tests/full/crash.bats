#!/usr/bin/env bats
# lockrun is killed on entering each of its system calls, from the state directory on to its end:
# between all its steps, and before each write. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
	: >given
}

LEAD='echo $LOCKRUN_GENERATION >>given'

# points FROM: of the run in `trace` each call from the first one on that has FROM, as "CALL N": the
# N-th such call of the run.
points() {
	awk -v from="$1" '
		!/^[a-z0-9_]+\(/ { next }
		{ call = $0; sub(/\(.*/, "", call); nth[call]++ }
		index($0, from) { on = 1 }
		on { print call, nth[call] }' trace
}

# only_looks CALL: at it all is as it will be at the next call that does something.
only_looks() {
	[[ $1 == @(newfstatat|getpid|lseek|getdents64|read*|pread64|m*map|mprotect|brk|rt_sig*|waitid) ]]
}

# killed_at CALL N [OPTION...]: contend, and be killed on entering the N-th such call, which then does
# not happen. Fails when it was not reached.
killed_at() {
	local status=0
	strace -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$2" \
	    "$LOCKRUN" "${@:3}" "$LOCK" -- sh -c "$LEAD" 3>&- || status=$?
	[ "$status" = 137 ]
}

# status_is WORD: what it says of the lock, and who waits.
status_is() {
	local said
	said=$("$LOCKRUN" status "$LOCK")
	[[ "$said" == *"$LOCK: $1, "* && "$said" != *'waiter '* ]] || { echo "$said"; return 1; }
}

# A private name could still be in the making; let a minute pass.
age() {
	local name
	for name in "$LOCKRUN_DIR/$LOCK/q/".new-*; do
		[ ! -e "$name" ] || mv "$name" "${name/.new-*-/.new-00000000000000000001-}"
	done
}

queue_is_empty() { not compgen -G "$LOCKRUN_DIR/$LOCK/q/*" && not compgen -G "$LOCKRUN_DIR/$LOCK/q/.[!.]*"; }

# The next one leads without a wait, clears up, and no number came twice or went back.
goes_on() {
	age
	"$LOCKRUN" -n "$LOCK" -- sh -c "$LEAD"
	sort -nuc given
	queue_is_empty
}

# The command that was started, if one was, has its parent's death signal on the way.
alone() { await_quietly no_marked_processes; }

@test "a leader, killed at each call" {
	local call nth points=0
	"$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	strace -o trace "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	while read -r call nth; do
		! only_looks "$call" || continue
		killed_at "$call" "$nth" || continue
		alone
		status_is idle || { echo "after $call $nth"; false; }
		goes_on || { echo "after $call $nth"; false; }
		points=$((points + 1))
	done < <(points "\"$LOCKRUN_DIR\"")
	echo "# $points points" >&3
	[ "$points" -ge 40 ]
}

@test "the first leader of a lock, killed at each call that makes something" {
	local call nth points=0 name
	strace -o trace "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	while read -r call nth; do
		[[ $call == @(mkdir|mkdirat|openat|write|pwrite64|fsync|fdatasync|renameat|close|flock) ]] || continue
		rm -rf "$LOCKRUN_DIR/$LOCK" given
		: >given
		killed_at "$call" "$nth" || continue
		alone
		"$LOCKRUN" status "$LOCK" >said
		grep -qE ': (idle|not known)' said || { cat said; echo "after $call $nth"; false; }
		goes_on || { echo "after $call $nth"; false; }
		points=$((points + 1))
	done < <(points "\"$LOCKRUN_DIR\"")
	echo "# $points points" >&3
	[ "$points" -ge 60 ]
	# What was being made is nobody's, and doctor knows it.
	[ -n "$(find "$LOCKRUN_DIR" -name '.new-*')" ]
	"$LOCKRUN" doctor --repair "$LOCKRUN_DIR"
	[ -z "$(find "$LOCKRUN_DIR" -name '.new-*')" ]
}

has_lines() { [ "$(wc -l <given)" -ge "$1" ]; }

# hold_on: lead until let_holder_go. The command's first word is the next line of `given`.
hold_on() {
	local lines
	lines=$(wc -l <given)
	mkfifo go
	start "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"'; exec cat go'
	HOLDER=$STARTED
	await has_lines $((lines + 1))
}

let_holder_go() {
	: >go
	ends 0 "$HOLDER"
	rm go
}

# traced_waiter: a waiter's whole run in `trace`, and what it did before its turn in `waited`.
traced_waiter() {
	"$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	hold_on
	start strace -o trace "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	await grep -qs '^ppoll' trace
	cp trace waited
	let_holder_go
	ends 0 "$STARTED"
	points "\"$LOCKRUN_DIR\"" >all
	BEFORE=$(awk -v from="\"$LOCKRUN_DIR\"" 'index($0, from) { on = 1 } on' waited | wc -l)
}

@test "a waiter, killed at each call before its turn" {
	local call nth points=0
	traced_waiter
	hold_on
	while read -r call nth; do
		! only_looks "$call" || continue
		killed_at "$call" "$nth" || { echo "not killed: $call $nth"; false; }
		status_is led || { echo "after $call $nth"; false; }
		# It clears up, though it is turned away.
		age
		run -75 "$LOCKRUN" -n "$LOCK" -- true
		[ "$(ls -A "$LOCKRUN_DIR/$LOCK/q" | wc -l)" = 1 ] || { echo "after $call $nth"; false; }
		points=$((points + 1))
	done < <(head -n "$BEFORE" all)
	let_holder_go
	goes_on
	echo "# $points points" >&3
	[ "$points" -ge 40 ]
}

@test "a waiter, killed at each call of its turn that others see" {
	local call nth points=0 waiter
	traced_waiter
	while read -r call nth; do
		[[ $call == @(openat|flock|fcntl|renameat|unlinkat|pwrite64|futex|vfork|exit_group) ]] || continue
		hold_on
		start strace -o waited -e trace="$call,ppoll" -e inject="$call:signal=KILL:when=$nth" \
		    "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
		waiter=$STARTED
		await grep -qs '^ppoll' waited
		let_holder_go
		await is_gone "$waiter"
		wait "$waiter" || [ $? = 137 ]
		alone
		status_is idle || { echo "after $call $nth"; false; }
		goes_on || { echo "after $call $nth"; false; }
		rm waited
		points=$((points + 1))
	done < <(tail -n +$((BEFORE + 1)) all)
	echo "# $points points" >&3
	[ "$points" -ge 15 ]
}

@test "one whose command lives on, killed at each call after its start: that leads until it ends" {
	local call nth points=0
	"$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	mkfifo go
	LEAD='echo $LOCKRUN_GENERATION >>given; cat go'
	start strace -o trace "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
	# By then it watches over the lock, and what comes is the same again each second.
	await grep -q '^inotify_add_watch' trace
	await has_lines 2
	points 'vfork(' | sed 1d >points
	: >go
	ends 0 "$STARTED"
	while read -r call nth; do
		# It ignores the parent-death signal from its first moment on.
		start env --ignore-signal=TERM strace -o /dev/null -e trace="$call" \
		    -e inject="$call:signal=KILL:when=$nth" "$LOCKRUN" "$LOCK" -- sh -c "$LEAD"
		ends 137 "$STARTED"
		await has_lines $((2 * points + 3))
		status_is orphaned || { echo "after $call $nth"; false; }
		run -75 "$LOCKRUN" -n "$LOCK" -- true
		: >go
		alone
		status_is idle
		start goes_on
		: >go
		ends 0 "$STARTED" || { echo "after $call $nth"; false; }
		points=$((points + 1))
	done <points
	echo "# $points points" >&3
	[ "$points" -ge 10 ]
}
