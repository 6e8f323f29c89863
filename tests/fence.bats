#!/usr/bin/env bats
# The receiver's side: who is older than the newest that FILE has seen is not let in, and nobody is
# while an older one still writes.
load helper

# fence GENERATION COMMAND...: in a term of that generation, on the file F. start_fence: in the
# background.
fence() { env --default-signal LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION="$1" "$LOCKRUN" fence F "${@:2}"; }
start_fence() { start env --default-signal LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION="$1" "$LOCKRUN" fence F "${@:2}"; }

in_time() { timeout "$PATIENCE" env LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION="$1" "$LOCKRUN" fence F "${@:2}"; }

# seen: what the file says.
seen() { "$PROBES/number" F show | sort -k2n | tail -n 1 | cut -d' ' -f3; }

# stay_inside GENERATION: let in, and stay until `let_out GENERATION`. The label goes to `order`.
stay_inside() {
	mkfifo "$1.go"
	start_fence "$1" sh -c 'echo "$0" >>order; exec cat "$0.go" >/dev/null' "$1"
	INSIDE[$1]=$STARTED
}
is_inside() { grep -qsx "$1" order; }
let_out() {
	: >"$1.go"
	ends 0 "${INSIDE[$1]}"
	rm -f "$1.go"
}

# damage AT...: overwrite a byte of the file.
damage() {
	local at
	for at; do
		printf '#' | dd of=F bs=1 seek="$at" conv=notrunc status=none
	done
}

# refused STATUS TEXT COMMAND...: one line with that text, nothing runs, and the file stays as it is.
refused() {
	local status_wanted=$1 text=$2
	shift 2
	cp -a F before 2>/dev/null || true
	run "-$status_wanted" "$@"
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "lockrun: "*"$text"* ]] || { echo "$output" >&2; return 1; }
	[ ! -e ran ]
	[ ! -e before ] || cmp before F
	rm -rf before
}

@test "in a term: the command runs as it is, and the file has seen the generation before" {
	"$LOCKRUN" "$LOCK" true
	run -7 "$LOCKRUN" "$LOCK" "$LOCKRUN" fence F -- sh -c 'printf "<%s>" "$@" "$LOCKRUN_GENERATION"; cat F; exit 7' sh -n '' 'a b'
	[[ "$output" == "<-n><><a b><2>"*" last=2 "*"lock=$LOCK "* ]]
	[ "$(stat -c '%a %s' F)" = '600 768' ]
	[ "$(ls -A)" = F ]
}

@test "the same generation is welcome, a newer one raises, an older one gets 76" {
	fence 3 true
	fence 3 true
	[ "$(seen)" = 3 ]
	fence 57 true
	[ "$(seen)" = 57 ]
	refused 76 '' fence 3 touch ran
	[ "$output" = "lockrun: F has seen 57, we are 3; if the state directory was made anew: lockrun doctor --repair --floor 57 $LOCK" ]
	refused 76 '' fence 56 touch ran
	fence 57 true
	fence 9223372036854775807 true
	refused 76 '' fence 57 touch ran
}

@test "what the refusal says does help, when the state directory was made anew" {
	fence 57 true
	run -76 "$LOCKRUN" "$LOCK" "$LOCKRUN" fence F touch ran
	"$LOCKRUN" doctor --repair --floor 57 "$LOCK"
	"$LOCKRUN" "$LOCK" "$LOCKRUN" fence F touch ran
	[ -e ran ]
	[ "$(seen)" = 58 ]
}

@test "it needs no state directory, and makes none" {
	run -0 env -i PATH="$PATH" LOCKRUN_TEST_MARK="$LOCKRUN_TEST_MARK" LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION=5 \
	    HOME=/nonexistent LOCKRUN_DIR=/nonexistent/either "$LOCKRUN" fence F true
	[ "$(seen)" = 5 ]
	[ ! -e "$LOCKRUN_DIR" ]
}

@test "outside of a term, in a shared one, or with a number that is none: 64" {
	refused 64 'not inside a command that lockrun runs' "$LOCKRUN" fence F touch ran
	refused 64 'the lock name is empty' env LOCKRUN_NAME= LOCKRUN_GENERATION=1 "$LOCKRUN" fence F touch ran
	refused 64 'no generation' env LOCKRUN_NAME="$LOCK" "$LOCKRUN" fence F touch ran
	for number in '' 0 -1 +1 ' 1' 1x 9223372036854775808; do
		refused 64 "LOCKRUN_GENERATION \"$number\": not a generation" fence "$number" touch ran
	done
	run -64 "$LOCKRUN" -q -s "$LOCK" "$LOCKRUN" fence F touch ran
	[[ "$output" == *"its term has no generation"* ]]
	[ ! -e ran ]
	[ ! -e F ]
}

@test "the file of another lock, or of another version of it: 64" {
	fence 5 true
	LOCK=demo:v1:leader:other refused 64 "this one is for demo:v1:leader:sync, and we are demo:v1:leader:other" fence 9 touch ran
	LOCK=demo:v2:leader:sync refused 64 "belongs to another lock" fence 9 touch ran
}

@test "a command that cannot be started raises nothing" {
	run -64 "$LOCKRUN" fence
	[[ "$output" == *"usage: lockrun fence FILE [--] COMMAND [ARG...]" ]]
	run -64 "$LOCKRUN" fence F
	[[ "$output" == *"no command to run"*"usage: lockrun fence FILE"* ]]
	run -127 fence 5 no-such-command-anywhere
	printf '#!/bin/sh\n' >script
	run -126 fence 5 ./script
	[ ! -e F ]
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -127 fence 5 ./script
	# It is free again.
	fence 5 true
}

@test "a damaged file is refused, and not made anew" {
	fence 5 true
	cp F kept
	for how in 'damage 20 276' 'damage 530' 'truncate -s 0 F' 'truncate -s 767 F' 'eval echo >>F' 'eval seq 100 >F'; do
		cp kept F
		$how
		refused 69 'F: damaged, or not a fence at all' fence 9 touch ran
	done
	cp kept F
	fence 5 true
}

@test "one damaged copy of the number: the other one counts, and there are two again" {
	for at in 20 276; do
		rm -f F
		fence 7 true
		damage "$at"
		refused 76 'has seen 7' fence 6 touch ran
		fence 7 true
		[ "$("$PROBES/number" F show | cut -d' ' -f3 | tr '\n' ' ')" = '7 7 ' ]
	done
}

@test "what is no regular file is refused, and left alone" {
	fence 5 true
	ln -s F link
	refused 69 'link: a fence must not be a symbolic link' in_place link
	ln -s nothing dangling
	refused 69 'symbolic link' in_place dangling
	[ ! -e nothing ]
	mkfifo fifo
	refused 69 'fifo: a fence has to be a regular file' in_place fifo
	mkdir directory
	refused 69 'directory: a fence has to be a regular file' in_place directory
	refused 69 'regular file' in_place directory/
	refused 69 'regular file' in_place .
	refused 69 '/dev/null: a fence has to be a regular file' in_place /dev/null
	refused 69 'cannot be used: Not a directory' in_place F/file
	refused 69 'the directory above it does not exist' in_place no/such/F
	refused 69 'File name too long' in_place "$(printf '%0300d' 1)"
	[ "$(ls -A directory)" = '' ]
}
in_place() { LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=9 "$LOCKRUN" fence "$1" touch ran; }

@test "a foreign owner is refused, and who lets strangers write to it" {
	needs_root
	fence 5 true
	chown 65534 F
	refused 69 'F: it belongs neither to you nor to root' fence 9 touch ran
	chown 0 F
	chmod o+w F
	refused 69 'F: others may write to it' fence 9 touch ran
}

@test "in a directory that a group shares, its members share the file" {
	needs_root
	make_open_dir
	mkdir -m 777 "$OPEN_DIR/shared"
	chgrp 65533 "$OPEN_DIR/shared"
	chmod 2770 "$OPEN_DIR/shared"
	cd "$OPEN_DIR/shared"
	for user in 65531 65532; do
		LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=5 \
		    setpriv --reuid="$user" --regid="$user" --groups=65533 "$OPEN_DIR/lockrun" fence F true
	done
	[ "$(stat -c '%a %u %g' F)" = '660 65531 65533' ]
	[ "$(ls -A)" = F ]
	cd "$BATS_TEST_TMPDIR"
}

@test "a reader who may not write is told so" {
	needs_root
	make_open_dir
	cd "$OPEN_DIR"
	fence 5 true
	chmod 644 F
	LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=9 run -69 as_user "$OPEN_DIR/lockrun" fence F true
	[[ "$output" == *"F: cannot be used: Permission denied"* ]]
	LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=9 run -69 as_user "$OPEN_DIR/lockrun" fence new true
	[[ "$output" == *"new: cannot be used: Permission denied"* ]]
	[ "$(seen)" = 5 ]
	cd "$BATS_TEST_TMPDIR"
}

@test "7 and 8 at once: 8 waits until 7 is done, and 7 comes no more" {
	stay_inside 7
	await is_inside 7
	stay_inside 8
	await settled "${INSIDE[8]}"
	[ "$(seen)" = 7 ]
	start_fence 7 sh -c 'echo again >>order'
	again=$STARTED
	await settled "$again"
	let_out 7
	await is_inside 8
	# It waited since before 8 was let in; now it is either through or too late, and never after 8.
	await settled_or_gone "$again"
	let_out 8
	status=0
	wait "$again" || status=$?
	[ "$status" = 0 ] && expected='7 again 8' || expected='7 8'
	[ "$status" = 0 ] || [ "$status" = 76 ]
	order_is $expected
	run -76 fence 7 true
}
settled_or_gone() { is_gone "$1" || settled "$1"; }

# Some take longer than others between the question and the write.
@test "thirty at once: what is written is in the order of the generations" {
	for i in {1..30}; do
		start_fence $((RANDOM % 9 + 1)) sh -c 'sleep 0.0$0; echo $LOCKRUN_GENERATION >>written' $((RANDOM % 4))
		pids[i]=$STARTED
	done 2>/dev/null
	for i in {1..30}; do
		status=0
		wait "${pids[i]}" || status=$?
		[ "$status" = 0 ] || [ "$status" = 76 ]
		[ "$status" != 0 ] || echo >>through
	done
	sort -nc written
	[ "$(wc -l <written)" = "$(wc -l <through)" ]
	[ "$(tail -n 1 written)" = "$(seen)" ]
}

@test "many make the file at once: it is made once" {
	mkfifo gate
	exec 8<>gate
	for i in {1..12}; do
		start sh -c 'read -r _ <gate; LOCKRUN_NAME=$1 LOCKRUN_GENERATION=$0 exec lockrun fence F sh -c "stat -c %i F >>inodes"' "$i" "$LOCK" 8>&-
		pids[i]=$STARTED
	done
	for i in {1..12}; do echo >&8; done
	for i in {1..12}; do wait "${pids[i]}" || [ $? = 76 ]; done 2>/dev/null
	exec 8>&-
	[ "$(sort -u inodes | wc -l)" = 1 ]
	[ "$(ls -A)" = $'F\ngate\ninodes' ]
}

@test "fence is killed: the file stays locked while its command runs" {
	mkfifo go
	start_fence 7 sh -c 'trap "" TERM; echo >inside; read -r _ <go; echo 7 >>order'
	await test -e inside
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	start_fence 8 sh -c 'echo 8 >>order'
	await settled "$STARTED"
	: >go
	ends 0 "$STARTED"
	order_is 7 8
}

@test "a daemon that the command leaves behind does not keep the file" {
	fence 7 sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >daemon'
	# It did inherit the lock.
	[ -n "$(find "/proc/$(cat daemon)/fd" -lname '*/F')" ]
	run -0 in_time 8 true
	kill "$(cat daemon)"
}

@test "fence inside of fence on the same file in the same term passes, and gives nothing up" {
	run -5 in_time 7 \
	    sh -c 'lockrun fence ./F sh -c "echo inner; exit 3"; echo $?; flock -n F true; echo $?; exit 5'
	[ "$output" = $'inner\n3\n1\n5' ] || [ "$output" = $'inner\n3\n1' ]
	# One of another file waits for nobody either.
	fence 7 "$LOCKRUN" fence G true
	[ -e G ]
}

@test "the same when the descriptor was closed on the way" {
	cat >closing <<-'END'
		for fd in /proc/$$/fd/*; do
			[ "$(readlink "$fd")" != "$PWD/F" ] || eval "exec ${fd##*/}>&-"
		done
		lockrun fence F echo inner
	END
	run -0 in_time 7 bash closing
	[ "$output" = inner ]
}

@test "fence inside of fence in another term does not wait for itself" {
	run -76 fence 7 env LOCKRUN_GENERATION=6 "$LOCKRUN" fence F touch ran
	run -64 in_time 7 \
	    env LOCKRUN_GENERATION=8 "$LOCKRUN" fence F touch ran
	[[ "$output" == *"F: held by an older term that this one runs under"* ]]
	[ ! -e ran ]
	[ "$(seen)" = 7 ]
}

@test "a signal ends the wait, and nothing was run" {
	stay_inside 7
	await is_inside 7
	for signal in TERM INT HUP; do
		start env --default-signal LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION=8 \
		    sh -c 'exec lockrun fence F touch ran 2>told'
		await settled "$STARTED"
		kill "-$signal" "$STARTED"
		ends $((128 + $(kill -l "$signal"))) "$STARTED"
		[[ "$(cat told)" == "lockrun: F: "*" while waiting; nothing was run" ]]
	done
	let_out 7
	[ ! -e ran ]
	[ "$(seen)" = 7 ]
}

@test "Ctrl-Z while it waits: it stops, is no danger to others, and goes on when continued" {
	stay_inside 7
	await is_inside 7
	# A job of its own, whose parent is in the session but not in the group.
	mkfifo out
	start bash -c 'set -m; LOCKRUN_NAME=$0 LOCKRUN_GENERATION=8 lockrun fence F sh -c "echo 8 >>order" & echo $! >waiter; exec cat out' "$LOCK"
	await test -s waiter
	waiter=$(cat waiter)
	await settled "$waiter"
	kill -TSTP "$waiter"
	await is_stopped "$waiter"
	let_out 7
	in_time 7 true
	kill -CONT "$waiter"
	await is_inside 8
	kill -KILL "$STARTED" 2>/dev/null || true
	wait "$STARTED" 2>/dev/null || true
	await is_gone "$waiter"
}
is_stopped() { [ "$(state_of "$1")" = T ]; }

@test "signals and status pass as in a run" {
	mkfifo go
	start_fence 7 \
	    sh -c 'trap "echo usr1 >>got" USR1; trap "echo term >>got; exit 9" TERM; echo >inside; while :; do read -r _ <go; done'
	await test -e inside
	kill -USR1 "$STARTED"
	await grep -qs usr1 got
	kill -TERM "$STARTED"
	ends 9 "$STARTED"
	[ "$(tr '\n' ' ' <got)" = 'usr1 term ' ]
	run -137 fence 7 sh -c 'kill -KILL $$'
	[ -z "$output" ]
}

@test "SIGTERM ends all that the command has started, and the file is held until then" {
	mkfifo go
	start_fence 7 \
	    sh -c 'setsid sh -c "trap \"echo >asked; read -r _ <go; exit\" TERM; echo >inside; while :; do sleep 0.05; done" & wait'
	await test -e inside
	kill -TERM "$STARTED"
	await test -e asked
	not flock -n F true
	: >go
	ends 143 "$STARTED"
	flock -n F true
}

@test "a command's status that looks like one of ours is explained" {
	for status in 64 69 76 127; do
		run "-$status" fence 7 sh -c "exit $status"
		[[ "$output" == "lockrun: F: the command did run, and exited with $status, which lockrun uses for"* ]]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "a file that was replaced under a waiter: the one that is there now counts" {
	stay_inside 7
	await is_inside 7
	start_fence 8 touch ran
	waiter=$STARTED
	await settled "$waiter"
	mv F moved
	fence 9 true
	let_out 7
	ends 76 "$waiter"
	[ ! -e ran ]
	[ "$(seen)" = 9 ]
}

@test "a small limit on file sizes is the command's, not the fence's" {
	fence 7 true
	run -0 env LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION=8 prlimit --fsize=0:0 "$LOCKRUN" fence F true
	[ "$(seen)" = 8 ]
	run -69 env LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION=8 prlimit --fsize=0:0 "$LOCKRUN" fence G true
	[[ "$output" == *"G: cannot be used: File too large"* ]]
	[ ! -e G ]
	[ "$(ls -A)" = F ]
}
