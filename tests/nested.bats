#!/usr/bin/env bats
# Asking for a lock that one is inside of already: told by the kernel, never by the environment.
load helper

OTHER=demo:v1:leader:other

# inside COMMAND...: run it, but not for ever: a lock that waits for itself would.
inside() { run --separate-stderr timeout -s KILL "$PATIENCE" "$@"; }

# is_refused [TEXT]: the last run ended with 64, at once, with a message that says why.
is_refused() {
	[ "$status" -eq 64 ]
	[[ "$stderr" == *"$LOCK: already inside of this lock"* ]]
	[[ "$stderr" == *"$1"* ]]
	[ ! -e ran ]
}

@test "A in A is refused at once, with who holds it" {
	inside "$LOCKRUN" "$LOCK" sh -c 'echo $PPID; exec "$0" "$1" touch ran' "$LOCKRUN" "$LOCK"
	is_refused "held by pid $output, generation 1"
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	# The term of the outer one goes on.
	inside "$LOCKRUN" "$LOCK" sh -c '"$0" "$1" true; echo "$?"' "$LOCKRUN" "$LOCK"
	[ "$output $status" = '64 0' ]
	is_pending 0
}

@test "with -n, -w and -E as well: it is a mistake, not a lock that is busy" {
	local options
	for options in -n '-w 60' '-w 0' '-E 0' '-n -E 0' '-E 9 -w 60' '-n -s' -s '-w 60 -s'; do
		inside "$LOCKRUN" "$LOCK" "$LOCKRUN" $options "$LOCK" touch ran
		is_refused
	done
}

@test "A in B in A, and deeper" {
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" "$OTHER" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" "$OTHER" "$LOCKRUN" -s a:v1:leader:b \
	    sh -c 'sh -c "\"\$0\" \"\$1\" touch ran; exit \$?" "$0" "$1"; exit $?' "$LOCKRUN" "$LOCK"
	is_refused
}

@test "with others waiting in between" {
	mkfifo go result
	contend outer "$LOCK"
	await leads outer
	start sh -c 'exec "$0" "$1" sh -c "echo >ready; read -r _ <go; \"\$0\" \"\$1\" true; echo \$? >result" "$0" "$1"' \
	    "$LOCKRUN" "$LOCK"
	local second=$STARTED
	await is_pending 1
	contend third "$LOCK"
	await is_pending 2
	let_end outer
	await test -e ready
	echo >go
	[ "$(cat result)" = 64 ]
	wait "$second"
	await leads third
	let_end third
}

@test "different names lock independently" {
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" -n "$OTHER" "$LOCKRUN" -n "$LOCK:scope" echo ok
	[ "$output $status" = 'ok 0' ]
	hold "$OTHER"
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" -n "$OTHER" touch ran
	[ "$status" -eq 75 ]
	release "$OTHER"
}

@test "different directories lock independently" {
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" -n -d "$PWD/elsewhere" "$LOCK" echo ok
	[ "$output $status" = 'ok 0' ]
	inside "$LOCKRUN" "$LOCK" env LOCKRUN_DIR="$PWD/elsewhere" "$LOCKRUN" -n "$LOCK" \
	    sh -c 'LOCKRUN_DIR=$2 exec "$0" -n "$1" touch ran' "$LOCKRUN" "$LOCK" "$LOCKRUN_DIR"
	is_refused
}

@test "by another way to the same directory it is the same lock" {
	ln -s "$BATS_TEST_TMPDIR" way
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" -n -d way/state "$LOCK" touch ran
	is_refused
}

# ---- the environment counts for nothing ----

@test "a forged environment refuses nobody" {
	"$LOCKRUN" "$LOCK" env >environment
	inside env $(grep '^LOCKRUN_' environment) "$LOCKRUN" -n "$LOCK" echo ok
	[ "$output $status" = 'ok 0' ]
	hold
	inside env $(grep '^LOCKRUN_' environment) "$LOCKRUN" -n "$LOCK" touch ran
	[ "$status" -eq 75 ]
	release
}

@test "an environment that is wiped helps nobody past the lock" {
	inside "$LOCKRUN" "$LOCK" env -i "LOCKRUN_TEST_MARK=$LOCKRUN_TEST_MARK" PATH="$PATH" \
	    "$LOCKRUN" -d "$LOCKRUN_DIR" "$LOCK" touch ran
	is_refused
}

@test "what outlives its term is inside of nothing any more" {
	mkfifo go result
	"$LOCKRUN" "$LOCK" sh -c 'setsid sh -c "read -r _ <go; \"\$0\" -n \"\$1\" touch ran; echo \$? >result" "$0" "$1" \
	    >/dev/null 2>&1 </dev/null &
	    echo $! >left' "$LOCKRUN" "$LOCK" 3>&-
	hold
	echo >go
	[ "$(cat result)" = 75 ]
	[ ! -e ran ]
	release
	await is_gone "$(cat left)"
}

# ---- the kernel's word ----

@test "through setsid" {
	inside "$LOCKRUN" "$LOCK" setsid -w "$LOCKRUN" "$LOCK" touch ran
	is_refused
	# Orphaned by its own parent, and so adopted by lockrun.
	mkfifo result
	"$LOCKRUN" --leftovers wait "$LOCK" sh -c \
	    'setsid sh -c "(\"\$0\" \"\$1\" touch ran; echo \$? >result) &" "$0" "$1"' "$LOCKRUN" "$LOCK" 3>&- &
	[ "$(cat result)" = 64 ]
	wait $!
}

@test "with -o, by ancestry alone" {
	inside "$LOCKRUN" -o "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -o "$LOCK" setsid -w "$LOCKRUN" -n "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -o "$LOCK" "$LOCKRUN" -o "$OTHER" "$LOCKRUN" -w 9 "$LOCK" touch ran
	is_refused
}

@test "with -F, by the descriptor alone" {
	inside "$LOCKRUN" -F "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -F "$LOCK" sh -c 'sh -c "\"\$0\" -n \"\$1\" touch ran; exit \$?" "$0" "$1"' "$LOCKRUN" "$LOCK"
	is_refused
	inside "$LOCKRUN" -F -s "$LOCK" "$LOCKRUN" -n -s "$LOCK" echo ok
	[ "$output $status" = 'ok 0' ]
	inside "$LOCKRUN" -F -s "$LOCK" "$LOCKRUN" -n "$LOCK" touch ran
	is_refused
}

@test "a command that has closed the descriptor is inside all the same" {
	inside "$LOCKRUN" "$LOCK" bash -c 'for fd in /proc/$$/fd/*; do
		case $(readlink "$fd") in */lock) number=${fd##*/}; exec {number}>&- ;; esac; done; "$0" "$1" touch ran' "$LOCKRUN" "$LOCK"
	is_refused
}

@test "after the outer lockrun was killed the inherited descriptor tells" {
	mkfifo go result
	start "$LOCKRUN" "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go
	    "$0" "$1" touch ran; echo $? >result' "$LOCKRUN" "$LOCK"
	await test -e ready
	kill -KILL "$STARTED"
	wait "$STARTED" || true
	run -75 "$LOCKRUN" -n "$LOCK" true
	echo >go
	[ "$(cat result)" = 64 ]
	[ ! -e ran ]
	run -0 "$LOCKRUN" -w 20 "$LOCK" true
}

@test "a lock that flock(1) holds around us is one that we are inside of" {
	"$LOCKRUN" "$LOCK" true
	inside flock "$LOCKRUN_DIR/$LOCK/lock" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside flock -s "$LOCKRUN_DIR/$LOCK/lock" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	# Open, but locked by somebody else.
	hold
	inside "$LOCKRUN" -n "$LOCK" true 9<"$LOCKRUN_DIR/$LOCK/lock"
	[ "$status" -eq 75 ]
	release
}

@test "through another user, where the directory is one of a group" {
	needs_root
	make_open_dir
	mkdir "$OPEN_DIR/state"
	chgrp 65534 "$OPEN_DIR/state"
	chmod 2770 "$OPEN_DIR/state"
	export LOCKRUN_DIR=$OPEN_DIR/state
	cd "$OPEN_DIR"
	inside ./lockrun "$LOCK" setpriv --reuid=65534 --regid=65534 --clear-groups ./lockrun "$LOCK" touch ran
	is_refused
	inside ./lockrun -o "$LOCK" setpriv --reuid=65534 --regid=65534 --clear-groups ./lockrun -n "$LOCK" touch ran
	is_refused
	# And the other way round: a user's command that becomes root again.
	cp "$(command -v setpriv)" become
	chmod 4755 become
	inside setpriv --reuid=65534 --regid=65534 --clear-groups ./lockrun -o "$LOCK" \
	    ./become --reuid=0 --regid=0 --clear-groups ./lockrun "$LOCK" touch ran
	is_refused
	as_user ./lockrun -n "$LOCK" true
	cd /
}

@test "through another pid namespace the descriptor tells" {
	unshare -Urpf true 2>/dev/null || skip 'no pid namespace can be made here'
	inside "$LOCKRUN" "$LOCK" unshare -Urpf "$LOCKRUN" -n "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" "$LOCK" unshare -Urpf --mount-proc "$LOCKRUN" "$LOCK" touch ran
	is_refused
}

@test "in a pid namespace of its own a stranger with a holder's number is no ancestor" {
	unshare -Urpf --mount-proc true 2>/dev/null || skip 'no pid namespace can be made here'
	# Pid 1 holds in its namespace; elsewhere everybody descends from a pid 1.
	mkfifo go
	start unshare -Urpf --mount-proc --kill-child "$LOCKRUN" -o "$LOCK" sh -c 'echo >ready; read -r _ <go'
	local outer=$STARTED
	await test -e ready
	inside "$LOCKRUN" -n "$LOCK" touch ran
	[ "$status" -eq 75 ]
	echo >go
	wait "$outer"
}

# ---- shared ----

@test "shared in shared passes, also behind a waiting writer" {
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -n -s "$LOCK" echo ok
	[ "$output $status" = 'ok 0' ]
	local options
	for options in -s '-n -s' '-w 60 -s' '-s -o'; do
		mkfifo go
		start "$LOCKRUN" -s "$LOCK" sh -c 'echo >ready; read -r _ <go
		    timeout -s KILL 30 "$0" '"$options"' "$1" sh -c "echo inner >>order"; echo $? >result' \
		    "$LOCKRUN" "$LOCK"
		local outer=$STARTED
		await test -e ready
		contend writer "$LOCK"
		await is_pending 1
		run -75 "$LOCKRUN" -n -s "$LOCK" true
		echo >go
		wait "$outer"
		[ "$(cat result)" = 0 ]
		await leads writer
		let_end writer
		order_is inner writer
		rm order go ready result
	done
}

@test "exclusive in shared and shared in exclusive are refused" {
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -n "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" "$LOCK" "$LOCKRUN" -s "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -s "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
}

@test "exclusive in shared is refused also beside another shared holder" {
	contend beside -s "$LOCK"
	await leads beside
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" "$LOCK" touch ran
	is_refused
	inside "$LOCKRUN" -s "$LOCK" "$LOCKRUN" -n "$LOCK" touch ran
	is_refused
	let_end beside
}

@test "many locks, each command taking another one, leave nothing behind" {
	local i pids=()
	for i in {1..10}; do
		start "$LOCKRUN" "demo:v1:leader:outer$i" "$LOCKRUN" "$LOCK" "$LOCKRUN" "demo:v1:leader:inner$i" true
		pids+=("$STARTED")
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	[ -z "$(find "$LOCKRUN_DIR" -path '*/q/*')" ]
}

@test "two that wait for each other's lock hold up nobody else" {
	mkfifo a.go b.go
	start "$LOCKRUN" a:v1:leader:x sh -c 'echo >a.ready; read -r _ <a.go; exec "$0" -q -w 60 b:v1:leader:x true' "$LOCKRUN"
	local first=$STARTED
	start "$LOCKRUN" b:v1:leader:x sh -c 'echo >b.ready; read -r _ <b.go; exec "$0" -q -w 200ms a:v1:leader:x true' "$LOCKRUN"
	local second=$STARTED
	await test -e a.ready
	await test -e b.ready
	echo >a.go
	await is_pending 1 b:v1:leader:x
	run -0 "$LOCKRUN" -n "$LOCK" echo ok
	echo >b.go
	local status=0
	wait "$second" || status=$?
	[ "$status" -eq 75 ]
	wait "$first"
}
