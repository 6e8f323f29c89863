#!/usr/bin/env bats
# The writes and syncs of a generation, seen and cut short one by one. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
}

syncs() { grep -cE '^(fsync|fdatasync|sync|syncfs|msync)\(' "$1" || true; }

traced() {
	strace -o trace -e trace=fsync,fdatasync,sync,syncfs,msync "$LOCKRUN" "$@"
}

@test "no sync in an ordinary term, whether led, refused or waited for" {
	"$LOCKRUN" "$LOCK" -- true
	for ((i = 0; i < 10; i++)); do
		traced "$LOCK" -- true
		[ "$(syncs trace)" = 0 ]
	done
	hold
	run -75 strace -o trace -e trace=fsync,fdatasync,sync,syncfs,msync "$LOCKRUN" -n "$LOCK" -- true
	[ "$(syncs trace)" = 0 ]
	start strace -o trace -e trace=fsync,fdatasync,sync,syncfs,msync "$LOCKRUN" "$LOCK" -- true
	await is_pending 1
	release
	wait "$STARTED"
	[ "$(syncs trace)" = 0 ]
}

@test "a raise is synced twice, and the next one comes 64 terms later" {
	"$LOCKRUN" "$LOCK" -- true
	for ((i = 2; i <= 67; i++)); do
		traced "$LOCK" -- true
		echo "$i $(syncs trace)" >>counts
	done
	[ "$(awk '$2 != 0 { printf "%s:%s ", $1, $2 }' counts)" = "65:2 " ]
}

@test "the first generation waits for the way to it to be on the disk" {
	strace -y -o trace -e trace=fsync,fdatasync,execve,pwrite64 "$LOCKRUN" "$LOCK" -- true
	# The last sync of each kind comes before the write that gives number 1.
	given=$(grep -n 'last=1 ' trace | head -n 1 | cut -d: -f1)
	[ -n "$given" ] || given=$(grep -n '/number>.*"sequence=5 ' trace | cut -d: -f1)
	for path in "$LOCKRUN_DIR/$LOCK/number" "$LOCKRUN_DIR/$LOCK" "$LOCKRUN_DIR" "$(dirname "$LOCKRUN_DIR")" /; do
		sync=$(grep -nE "^f(data)?sync\([0-9]+<$path>\)" trace | head -n 1 | cut -d: -f1)
		[ "$sync" -lt "$given" ] || { echo "$path"; false; }
	done
}

# killed_at CALL N: lead, and be killed on entering the N-th such call, which then does not happen.
# Fails when there are no so many. What was given is in the file `given`, as soon as it was.
killed_at() {
	run strace -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$2" \
		"$LOCKRUN" "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION >>given'
	[ "$status" = 137 ]
}

leads() { "$LOCKRUN" -w "$PATIENCE" "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION >>given'; }

rising() { sort -nuc given || { echo "$* $(tr '\n' ' ' <given)"; false; }; }

# ready NUMBER: a lock that has given it, in the first step, which ends at 64.
ready() {
	rm -rf "$LOCKRUN_DIR" given
	: >given
	"$LOCKRUN" "$LOCK" -- true
	"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" "given=$1"
}

@test "killed at each write and sync around a ceiling: each number once, in rising order" {
	scenes=0
	for call in pwrite64 fdatasync renameat; do
		for before in 62 63 64; do
			n=1
			while ready "$before" && killed_at "$call" "$n"; do
				leads
				# At the same place once more, and then the reboot.
				killed_at "$call" "$n" || true
				"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" reboot
				leads
				leads
				[ "$(head -n 1 given)" -gt "$before" ]
				[ "$(wc -l <given)" -ge 3 ]
				rising "$call $n $before:"
				scenes=$((scenes + 1))
				n=$((n + 1))
			done
		done
	done
	[ "$scenes" -ge 25 ]
}

@test "killed twice before the sync of a raise: the next one syncs before it gives a number" {
	ready 64
	killed_at fdatasync 1
	killed_at fdatasync 1
	traced "$LOCK" -- true
	[ "$(syncs trace)" = 2 ]
}

@test "killed in the raise over a damaged slot: the number before it does not come again" {
	scenes=0
	for slot in 0 1; do
		n=1
		while ready 20 && damage "$slot" && killed_at pwrite64 "$n"; do
			leads
			leads
			[ "$(head -n 1 given)" -gt 20 ]
			rising "slot $slot, $n:"
			scenes=$((scenes + 1))
			n=$((n + 1))
		done
	done
	[ "$scenes" -ge 10 ]
}

damage() {
	printf '#' | dd of="$LOCKRUN_DIR/$LOCK/number" bs=1 seek=$(($1 * 256 + 20)) conv=notrunc status=none
}

@test "killed at each step of the first term: the next one leads" {
	scenes=0
	for call in mkdir mkdirat openat write fsync renameat flock pwrite64 fdatasync clone unlinkat; do
		n=1
		: >given
		while killed_at "$call" "$n"; do
			leads
			leads
			rising "$call $n:"
			[ -z "$(find "$LOCKRUN_DIR/$LOCK/q" -type f ! -name '.*')" ]
			rm -rf "$LOCKRUN_DIR" given
			: >given
			scenes=$((scenes + 1))
			n=$((n + 1))
		done
		rm -rf "$LOCKRUN_DIR"
	done
	[ "$scenes" -ge 50 ]
}

@test "somebody else makes the lock at the same moment: theirs counts" {
	# Stopped when all is made but the name.
	start strace -f -o trace -e trace=mkdirat -e inject=mkdirat:signal=STOP:when=2 \
	    "$LOCKRUN" "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION >>given'
	local tracer=$STARTED slower
	await grep -qs 'stopped by SIGSTOP' trace
	slower=$(sed -n 's/^\([0-9]*\)  *--- stopped.*/\1/p' trace)
	leads
	kill -CONT "$slower"
	ends 0 "$tracer"
	[ "$(paste -sd' ' given)" = '1 2' ]
	[ -z "$(find "$LOCKRUN_DIR" -name '.new-*')" ]
}

prune() { strace -y -o trace -e trace=pwrite64,fsync,fdatasync,renameat "$@" "$LOCKRUN" prune --older-than 0; }

@test "a floor whose raise was killed before the sync is not believed: the next prune syncs it" {
	floor=$(realpath -m "$LOCKRUN_DIR/floor")
	for call in pwrite64:1 fdatasync:1 fdatasync:2 pwrite64:2; do
		rm -rf "$LOCKRUN_DIR"
		"$LOCKRUN" "$LOCK" -- true
		run -137 prune -e inject="${call%:*}:signal=KILL:when=${call#*:}"
		[ -d "$LOCKRUN_DIR/$LOCK" ]
		run -0 prune
		[ "$output" = "$LOCK" ]
		synced=$(grep -nE "^fdatasync\([0-9]+<$floor>\) += 0" trace | tail -n 1 | cut -d: -f1)
		moved=$(grep -n '^renameat(.*\.new-' trace | cut -d: -f1)
		[ "$synced" -lt "$moved" ] || { echo "$call"; cat trace; false; }
	done
}

@test "two prunes that meet at one lock: the slower one has nothing to say" {
	"$LOCKRUN" "$LOCK" true
	# It has looked at the lock, and the other one is through before it takes it.
	start strace -o trace -P "$(realpath "$LOCKRUN_DIR")/$LOCK/terms" -e trace=pread64,close \
	    -e inject=close:delay_enter=2s:when=1 "$LOCKRUN" prune --older-than 1ms >said 2>&1
	local slower=$STARTED
	await grep -qs '^pread64.*generation=1' trace
	run -0 "$LOCKRUN" prune --older-than 1ms
	[ "$output" = "$LOCK" ]
	ends 0 "$slower"
	[ ! -s said ]
}
