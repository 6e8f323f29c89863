#!/usr/bin/env bats
# Frozen waiters, continued: many of them, of all modes, and frozen by a cgroup.
load ../helper

freeze() { kill -STOP "${CONTENDERS[$1]}" && await is_stopped "${CONTENDERS[$1]}"; }
thaw() { kill -CONT "${CONTENDERS[$1]}"; }
is_stopped() { [[ "$(state_of "$1")" == [Tt] ]]; }

@test "several stopped waiters are passed one after the other, also one that has nobody before it" {
	local label count=0
	hold
	for label in f1 b f2 f3 c; do
		contend "$label" "$LOCK"
		await is_pending "$((++count))"
	done
	freeze f1
	freeze f2
	freeze f3
	release
	await leads b
	let_end b
	PATIENCE=60 await leads c
	let_end c
	order_is b c
	for label in f1 f2 f3; do
		thaw $label
		await leads $label
		let_end $label
	done
	is_pending 0
}

@test "a frozen reader and a frozen writer are passed alike" {
	hold
	contend reader -s "$LOCK"
	await is_pending 1
	contend writer "$LOCK"
	await is_pending 2
	contend behind -s "$LOCK"
	await is_pending 3
	freeze reader
	freeze writer
	release
	PATIENCE=60 await leads behind
	let_end behind
	thaw reader
	await leads reader
	let_end reader
	thaw writer
	await leads writer
	let_end writer
}

@test "one that is stopped on its way out, when the lock is free, is waited for by nobody" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	mkfifo go
	start strace -o trace -e trace=unlinkat -e inject=unlinkat:signal=STOP:when=1 \
		"$LOCKRUN" "$LOCK" -- sh -c ': >led; exec cat go'
	local tracer=$STARTED
	await test -e led
	contend b "$LOCK"
	await is_pending 1
	: >go
	await eval 'leaver=$(cat /proc/$tracer/task/$tracer/children) && grep -q STOP trace && is_stopped $leaver'
	await leads b
	let_end b
	kill -CONT $leaver
	wait "$tracer"
	[ "$(ls -A "$LOCKRUN_DIR/$LOCK/q")" = "" ]
}

# looks N: what is in `looks` has tried N times whether the lock is free.
looks() { [ "$(grep -c '/lock>, LOCK_EX|LOCK_NB) *= 0' looks 2>/dev/null)" -ge "$1" ]; }
nobody_was_passed() { ! compgen -G "$LOCKRUN_DIR/$LOCK/q/.passed-*" >/dev/null; }

@test "one that thaws between the two looks of a try keeps its place" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	hold
	contend a "$LOCK"
	await is_pending 1
	freeze a
	release
	# Time enough between them, on any machine.
	start strace -y -o looks -e trace=flock,ppoll -e inject=ppoll:delay_enter=2s:when=1 \
	    "$LOCKRUN" -n "$LOCK" true
	await looks 1
	thaw a
	await leads a
	ends 75 "$STARTED"
	nobody_was_passed
	let_end a
}

@test "a leader that has let go of the lock, and not of its ticket, keeps others waiting: none is passed" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	local tracer watcher leaver
	mkfifo go
	start strace -o trace -e trace=flock -e inject=flock:signal=STOP:when=3 \
	    "$LOCKRUN" "$LOCK" -- sh -c ': >led; exec cat go'
	tracer=$STARTED
	await test -e led
	contend b "$LOCK"
	await is_pending 1
	start strace -y -o looks -e trace=flock "$LOCKRUN" "$LOCK" -- sh -c 'echo c >>order'
	watcher=$STARTED
	await is_pending 2
	: >go
	await eval 'leaver=$(cat /proc/$tracer/task/$tracer/children) && grep -q STOP trace && is_stopped $leaver'
	grep -q 'LOCK_UN' trace
	await looks 2
	nobody_was_passed
	is_pending 2
	kill -CONT "$leaver"
	ends 0 "$tracer"
	await leads b
	let_end b
	ends 0 "$watcher"
	order_is b c
}

@test "granted in time, but held up past its deadline, it does not start late" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	hold
	start strace -o trace -e trace=ppoll -e inject=ppoll:delay_exit=3s:when=1 \
	    "$LOCKRUN" -w 2s "$LOCK" touch ran
	await is_pending 1
	release
	ends 75 "$STARTED"
	[ ! -e ran ]
	is_pending 0
}

# A cgroup that can be frozen, v1 or v2, in $GROUP; skips where there is none to be had.
make_group() {
	local root
	[ "$(id -u)" -eq 0 ] || skip 'only root can make a cgroup here'
	for root in $(awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /(^|,)freezer(,|$)/) { print $2 }' /proc/mounts); do
		GROUP=$root/lockrun-test-$$
		mkdir "$GROUP" 2>/dev/null || continue
		[ -e "$GROUP/freezer.state" ] || [ -e "$GROUP/cgroup.freeze" ] && return 0
		rmdir "$GROUP"
	done
	GROUP=
	skip 'no cgroup that can be frozen'
}

group_is() {
	if [ -e "$GROUP/freezer.state" ]; then
		[ "$(cat "$GROUP/freezer.state")" = "$1" ]
	else
		grep -qx "frozen $([ "$1" = FROZEN ] && echo 1 || echo 0)" "$GROUP/cgroup.events"
	fi
}
freeze_group() {
	if [ -e "$GROUP/freezer.state" ]; then echo FROZEN >"$GROUP/freezer.state"; else echo 1 >"$GROUP/cgroup.freeze"; fi
	await group_is FROZEN
}
thaw_group() {
	if [ -e "$GROUP/freezer.state" ]; then echo THAWED >"$GROUP/freezer.state"; else echo 0 >"$GROUP/cgroup.freeze"; fi
	await group_is THAWED
}

teardown() {
	local status=0
	[ -z "$GROUP" ] || thaw_group
	common_teardown || status=$?
	[ -z "$GROUP" ] || await rmdir "$GROUP" || status=1
	return "$status"
}

@test "a waiter in a frozen cgroup is passed, and leads later" {
	make_group
	hold
	contend frozen "$LOCK"
	await is_pending 1
	contend b "$LOCK"
	await is_pending 2
	echo "${CONTENDERS[frozen]}" >"$GROUP/cgroup.procs"
	freeze_group
	release
	PATIENCE=60 await leads b
	let_end b
	thaw_group
	await leads frozen
	let_end frozen
	order_is b frozen
}

@test "a leader in a frozen cgroup keeps the lock, stops when thawed, and its generation stays" {
	make_group
	contend a "$LOCK"
	await leads a
	echo "${CONTENDERS[a]}" >"$GROUP/cgroup.procs"
	echo "$(children_of "${CONTENDERS[a]}")" >"$GROUP/cgroup.procs"
	freeze_group
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -75 "$LOCKRUN" -w 300ms "$LOCK" true
	run -75 "$LOCKRUN" stop -w 300ms "$LOCK"
	is_holding 1
	thaw_group
	ended a 124
	[ "$(generation)" = 2 ]
}

@test "a command in a frozen cgroup cannot be killed, and the lock is held until it is gone" {
	make_group
	contend a -k 100ms "$LOCK"
	await leads a
	contend b "$LOCK"
	await is_pending 1
	echo "$(children_of "${CONTENDERS[a]}")" >"$GROUP/cgroup.procs"
	freeze_group
	run -75 "$LOCKRUN" stop -w 200ms "$LOCK"
	# SIGKILL was sent long before the end of this.
	run -75 "$LOCKRUN" -w 1s "$LOCK" true
	not leads b
	is_holding 1
	thaw_group
	ended a 124
	await leads b
	let_end b
}
