#!/usr/bin/env bats
# What the next leader is told when lockrun is killed at each step of a term. Needs strace.
load ../helper
load ../outcome

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
}

CALLS=renameat,flock,pwrite64,fdatasync,vfork,clone,wait4,execve,unlinkat

# watch_second_term [OPTION...] [-- COMMAND]: how the second term of a lock goes, in `steps`.
watch_second_term() {
	rm -rf "$LOCKRUN_DIR"
	"$LOCKRUN" "$LOCK" -- true
	OPTIONS=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		OPTIONS+=("$1")
		shift
	done
	COMMAND=("${@:2}")
	[ $# -gt 0 ] || COMMAND=(true)
	strace -o steps -s 64 -e trace="$CALLS" "$LOCKRUN" "${OPTIONS[@]}" "$LOCK" -- "${COMMAND[@]}" || true
}

# killed_at STEP: a second term again, in which lockrun is killed on entering the call of that step,
# which then does not happen. STEP is how the first such call begins, or with #N the N-th.
killed_at() {
	local step=${1%#*} call=${1%%(*} nth=1 when
	[ "$step" = "$1" ] || nth=${1##*#}
	when=$(grep "^$call(" steps | grep -nF -- "${step#*(}" | sed -n "${nth}s/:.*//p")
	[ -n "$when" ] || { echo "no such step: $1" >&2; cat steps >&2; return 1; }
	rm -rf "$LOCKRUN_DIR"
	"$LOCKRUN" "$LOCK" -- true
	run strace -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$when" \
		"$LOCKRUN" "${OPTIONS[@]}" "$LOCK" -- "${COMMAND[@]}"
	[ "$status" = 137 ] || { echo "not killed: $1" >&2; return 1; }
}

# tell_after STEP "OUTCOME GENERATION": that is told by all. What ran may have to go first.
tell_after() {
	killed_at "$1"
	run -0 "$LOCKRUN" -s "$LOCK" -- true
	all_tell "$2" || { echo "not $2: killed at $1" >&2; return 1; }
}

start_call() { grep -oE '^(vfork|clone)\(' steps | head -n 1; }

@test "killed at each step of a term" {
	watch_second_term
	# before the grant
	tell_after 'renameat(xqw' 'finished 1'
	tell_after 'flock(#2' 'finished 1'
	# between grant and begin
	tell_after 'renameat(xqh' 'finished 1'
	tell_after 'pwrite64(stage=begun' 'finished 1'
	tell_after 'pwrite64(sequence=' 'finished 1'
	# between begin and start
	tell_after 'pwrite64("contender=#2' 'not-started 2'
	tell_after 'pwrite64(stage=started' 'not-started 2'
	# between start and exec, while it runs, after its end
	tell_after "$(start_call)" 'lost 2'
	tell_after 'wait4(' 'lost 2'
	tell_after 'pwrite64(stage=ended' 'lost 2'
	# between end and release, after it
	tell_after 'pwrite64(finished=' 'finished 2'
	tell_after 'flock(LOCK_UN' 'finished 2'
	tell_after 'unlinkat(' 'finished 2'
}

@test "killed around an exec that fails" {
	printf '#!/no/such/interpreter\n' >broken
	chmod +x broken
	watch_second_term -- ./broken
	tell_after 'pwrite64(stage=ended' 'lost 2'
	tell_after 'pwrite64(finished=' 'not-started 2'
}

@test "killed on the way to a command that takes our place" {
	watch_second_term -F
	tell_after 'pwrite64(stage=unreported' 'lost 2'
	tell_after 'execve(true' 'unreported 2'
}

@test "the command, or both, are killed between start and exec: as if it had run" {
	"$LOCKRUN" "$LOCK" -- true
	run strace -f -o /dev/null -e trace=getppid -e inject=getppid:signal=KILL "$LOCKRUN" "$LOCK" -- touch ran
	[ ! -e ran ]
	all_tell 'failed 2'
	run strace -f -o /dev/null -e trace=getppid,wait4 -e inject=getppid:signal=KILL \
		-e inject=wait4:signal=KILL "$LOCKRUN" "$LOCK" -- touch ran
	[ "$status" = 137 ]
	[ ! -e ran ]
	all_tell 'lost 4'
}

# ---- --after-lost refuse ----

@test "killed at each step of a term with --after-lost refuse: refused where it may have run" {
	watch_second_term --after-lost refuse
	tell_after 'pwrite64(stage=begun' 'finished 1'
	tell_after 'fdatasync(' 'not-started 2'
	tell_after 'pwrite64(stage=started' 'not-started 2'
	killed_at 'fdatasync(#2'
	run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran
	tell_after 'fdatasync(#2' 'lost 2'
	killed_at 'pwrite64(stage=ended'
	run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran
	[ ! -e ran ]
	tell_after 'fdatasync(#3' 'finished 2'
}

# synced [OPTION...]: what a term syncs, by the words before it, in order.
synced() {
	strace -y -o calls -s 64 -e trace=pwrite64,fdatasync,fsync,sync,syncfs,msync,vfork,clone,flock \
		"$LOCKRUN" "$@" "$LOCK" -- true
	sed -nE -e 's/^pwrite64\(.* stage=([a-z]*).*/\1/p' -e 's/^pwrite64\(.*sequence=.*/number/p' \
		-e 's/^(fdatasync|fsync|sync|syncfs|msync)\(.*\/([a-z]*)>\).*/\1-\2/p' \
		-e 's/^(vfork|clone)\(.*/start/p' -e 's/^flock\(.*LOCK_UN.*/release/p' calls | paste -sd' '
}

@test "begin and end are synced with --after-lost refuse, and without it nothing is" {
	"$LOCKRUN" "$LOCK" -- true
	[ "$(synced)" = 'begun number started start ended release' ]
	[ "$(synced --after-lost refuse)" = \
	    'begun number fdatasync-number started fdatasync-terms start ended fdatasync-terms release' ]
	[ "$(synced --after-lost refuse)" = \
	    'begun number fdatasync-number started fdatasync-terms start ended fdatasync-terms release' ]
	# The disk says that one was the last. It must not when the next one runs.
	[ "$(synced)" = 'begun number fdatasync-number started fdatasync-terms start ended release' ]
	[ "$(synced)" = 'begun number started start ended release' ]
	[ "$(synced -s --after-lost refuse)" = 'start release' ]
}

@test "one that is killed before it has synced leaves that to the next one" {
	watch_second_term
	rm -rf "$LOCKRUN_DIR"
	"$LOCKRUN" --after-lost refuse "$LOCK" -- true
	for step in 'stage=started' 'stage=ended'; do
		when=$(grep '^pwrite64(' steps | grep -nF "$step" | cut -d: -f1)
		run strace -o /dev/null -e trace=pwrite64 -e inject="pwrite64:signal=KILL:when=$when" \
			"$LOCKRUN" "$LOCK" -- true
		[ "$status" = 137 ]
	done
	"$LOCKRUN" -s "$LOCK" -- true
	[ "$(synced)" = 'begun number fdatasync-number started fdatasync-terms start ended release' ]
	[ "$(synced)" = 'begun number started start ended release' ]
}

@test "a sync that fails: nothing runs" {
	"$LOCKRUN" "$LOCK" -- true
	for when in 1 2; do
		run -69 strace -o /dev/null -e trace=fdatasync -e inject="fdatasync:error=EIO:when=$when" \
			"$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran
		[[ "$output" == *"$LOCKRUN_DIR/$LOCK/"*': Input/output error'* ]]
		[ ! -e ran ]
		[[ "$(next_is_told)" == 'not-started '* ]]
	done
	# At the end it is too late for that.
	run -3 strace -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=3 \
		"$LOCKRUN" --after-lost refuse "$LOCK" -- sh -c 'exit 3'
}

# failing WHEN [OPTION...] -- COMMAND: a term in which those writes of its record fail.
failing() {
	local when=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	strace -o /dev/null -P "$LOCKRUN_DIR/$LOCK/terms" -e trace=pwrite64 -e inject="pwrite64:error=EIO:$when" \
		"$LOCKRUN" "${options[@]}" "$LOCK" "$@"
}

@test "a record that cannot be written: what says that nothing ran does not stay" {
	"$LOCKRUN" "$LOCK" -- true
	run -69 failing when=2 -- touch ran
	[[ "$output" == *"$LOCK/terms: "*'Input/output error'* ]]
	[ ! -e ran ]
	all_tell 'not-started 2'
	# Where nothing at all can be recorded it is not known. That is no reason not to run.
	run -3 failing when=1+ -- sh -c 'exit 3'
	[ "$(next_is_told)" = 'unknown 4' ]
	[ "$(told)" = 'unknown 4' ]
	# But with --after-lost refuse it is.
	run -69 failing when=1+ --after-lost refuse -- touch ran
	[ ! -e ran ]
	# An end that cannot be recorded is not known.
	run -3 failing when=3+ -- sh -c 'exit 3'
	[[ "$(told)" == 'lost '* ]]
}

# ---- around a raise ----

@test "killed at each step of a raise after a reboot: what was lost is not forgotten" {
	scenes=0
	for call in pwrite64 fdatasync; do
		for boot in number boot; do
			n=1
			while :; do
				rm -rf "$LOCKRUN_DIR"
				"$LOCKRUN" "$LOCK" -- true
				lose
				[ $boot = boot ] && boot || "$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" reboot
				run strace -o /dev/null -e trace=$call -e inject="$call:signal=KILL:when=$n" \
					"$LOCKRUN" "$LOCK" -- true
				[ "$status" = 137 ] || break
				[ -z "$(grep -a "^generation=65 stage=ended" "$LOCKRUN_DIR/$LOCK/terms")" ] || break
				run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- true
				[[ "$(next_is_told)" =~ ^(lost|unknown|not-started) ]]
				scenes=$((scenes + 1))
				n=$((n + 1))
			done
		done
	done
	[ "$scenes" -ge 16 ]
}
