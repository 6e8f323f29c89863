#!/usr/bin/env bats
# Order where two contenders cross each other. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
}

is_stopped() { [ "$(state_of "$1")" = T ] || [ "$(state_of "$1")" = t ]; }

@test "one that was slow to queue up, but earlier, leads before one that waits for the lock already" {
	"$LOCKRUN" "$LOCK" -- true
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	# Stopped when it has its number, and before its ticket has its name.
	start strace -o trace -e trace=getdents64 -e inject=getdents64:signal=STOP:when=2 \
		"$LOCKRUN" "$LOCK" -- sh -c 'echo slow >>order'
	tracer=$STARTED
	await eval 'slow=$(cat /proc/$tracer/task/$tracer/children) && [ -n "$slow" ] && is_stopped $slow && grep -q STOP trace'
	[ "$(pending)" = 0 ]
	start "$LOCKRUN" "$LOCK" -- sh -c 'echo quick >>order'
	quick=$STARTED
	await settled "$quick"
	kill -CONT $slow
	await is_pending 2
	await eval 'grep -q -- "-> FLOCK .* WRITE $((slow)) " /proc/locks'
	foreign_ends
	wait "$quick" "$tracer"
	[ "$(cat order)" = "$(printf 'slow\nquick')" ]
}

@test "of two that come at the same moment for one place, one gets it" {
	hold
	# Each rests before its ticket is in, before it counts the others, and before it leaves.
	for n in 1 2; do
		start strace -o "trace.$n" -e trace=renameat,unlinkat \
			-e inject=renameat:delay_enter=1s:delay_exit=1s -e inject=unlinkat:delay_enter=1s \
			"$LOCKRUN" -q --max-waiters 1 "$LOCK" -- sh -c 'echo led >>order'
		tracer[n]=$STARTED
	done
	await eval 'is_gone ${tracer[1]} || is_gone ${tracer[2]}'
	await is_pending 1
	release
	for n in 1 2; do
		status=0
		wait "${tracer[n]}" || status=$?
		echo $status >>statuses
	done
	[ "$(sort statuses | paste -sd' ')" = '0 75' ]
	[ "$(cat order)" = led ]
}

@test "who replaces has its place before it asks: when the leader goes at once, it is next" {
	hold
	# Stopped when it has asked.
	start strace -o trace -P "$LOCKRUN_DIR/$LOCK/ask" -e trace=pwrite64 -e inject=pwrite64:signal=STOP:when=1 \
		"$LOCKRUN" --replace "$LOCK" -- sh -c 'echo next >>order'
	local tracer=$STARTED slow
	await grep -qs 'stopped by SIGSTOP' trace
	slow=$(cat "/proc/$tracer/task/$tracer/children")
	has_ticket "$((slow))"
	kill -CONT $slow
	ends 0 "$tracer"
	ends 124 "$HOLDER"
}

# opens COMMAND...: how many files it opens. Who looks at each ticket opens each.
opens() {
	strace -f -e trace=openat -o trace "$@" 2>/dev/null || true
	grep -c 'openat(' trace
}

@test "beside forty waiters whoever joins them, is turned away in silence, or asks whether it leads opens what it does beside three" {
	local waiting label=0 counts=()
	mkfifo asks answers
	lead "$LOCK" sh -c 'while read -r _ <asks; do strace -f -e trace=openat -o checked "$0" check; echo >answers; done' "$LOCKRUN" 2>/dev/null
	await is_holding 1
	# The first one makes the file that counts them.
	run -75 "$LOCKRUN" -qn "$LOCK" true
	for waiting in 3 40; do
		while [ "$label" -lt "$waiting" ]; do
			contend "w$((label += 1))" "$LOCK"
		done
		await is_pending "$waiting"
		echo >asks
		read -r _ <answers
		counts+=("$(opens "$LOCKRUN" -qn "$LOCK" true) $(opens "$LOCKRUN" -q -w 50ms "$LOCK" true) $(grep -c 'openat(' checked)")
	done
	[ "${counts[0]}" = "${counts[1]}" ] || { printf '%s\n' "${counts[@]}"; false; }
	run -0 "$LOCKRUN" stop --all "$LOCK"
	wait
}
