#!/usr/bin/env bats
# A lock that is removed, replaced or moved under its leader: the term is over, and those who come
# after meet at the new one.
load helper

told() { grep -qs "^{\"type\":\"$1\"" "${2:-log}"; }

# leader [OPTION...]: lead in the background, under observation.
leader() {
	contend leader --events log "$@" "$LOCK"
	await leads leader
}

# loses: the leader steps down for that reason, and the lock can be taken again.
loses() {
	ended leader 124
	grep -q '"type":"stepping-down".*"reason":"lock-lost"' log
	grep -q '"type":"stopped".*"ran":"yes".*"reason":"lock-lost"' log
	awk -f "$TESTS/events.awk" log
	run -0 "$LOCKRUN" -n "$LOCK" echo next
	[ "$output" = next ]
}

remove_lock() { rm "$LOCKRUN_DIR/$LOCK/lock"; }
replace_lock() { : >new && mv new "$LOCKRUN_DIR/$LOCK/lock"; }
move_lock() { mv "$LOCKRUN_DIR/$LOCK/lock" "$LOCKRUN_DIR/$LOCK/aside"; }
# What is removed may be made anew meanwhile.
remove_name() { await rm -rf "${LOCKRUN_DIR:?}/$LOCK"; }
move_name() { mv "$LOCKRUN_DIR/$LOCK" "$LOCKRUN_DIR/aside"; }
replace_name() { move_name && "$LOCKRUN" -q "$LOCK" true; }
remove_dir() { await rm -rf "${LOCKRUN_DIR:?}"; }
move_dir() { mv "$LOCKRUN_DIR" aside; }
replace_dir() { move_dir && "$LOCKRUN" -q "$LOCK" true; }

# at_once ACTION: soon enough to have been noticed by the watch, not by the tick; machines are busy.
at_once() {
	leader
	"$1"
	loses
}

@test "lock is removed" { at_once remove_lock; }
@test "lock is replaced" { at_once replace_lock; }
@test "lock is moved" { at_once move_lock; }
@test "NAME is removed" { at_once remove_name; }
@test "NAME is moved" { at_once move_name; }
@test "NAME is replaced" { at_once replace_name; }
@test "DIR is removed" { at_once remove_dir; }
@test "DIR is moved" { at_once move_dir; }
@test "DIR is replaced" { at_once replace_dir; }

@test "it is noticed at once" {
	leader
	# Settled in its watch.
	await watches "${CONTENDERS[leader]}"
	local removed asked
	removed=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	remove_lock
	loses
	asked=$(sed -n 's/^{"type":"stepping-down".*"mono_ms":\([0-9]*\).*/\1/p' log)
	[ $((asked - removed * 10)) -lt 700 ]
}

@test "a lock that was lost before the watch began is noticed as well" {
	run -124 "$LOCKRUN" "$LOCK" sh -c 'rm "$LOCKRUN_DIR/$LOCKRUN_NAME/lock"; exec sleep 60'
	run -124 "$LOCKRUN" "$LOCK" sh -c 'rm -r "$LOCKRUN_DIR"; exec sleep 60'
}

@test "a parent of DIR is moved: noticed by the slow tick" {
	mkdir -p above/it
	export LOCKRUN_DIR=$PWD/above/it/state
	leader
	mv above aside
	ended leader 124
	grep -q '"reason":"lock-lost"' log
	mkdir -p above/it
	run -0 "$LOCKRUN" -n "$LOCK" true
}

@test "a parent of DIR that becomes a symbolic link to itself changes nothing" {
	mkdir above
	export LOCKRUN_DIR=$PWD/above/state
	leader
	# In one go: between the two steps the lock is lost for a moment, and the tick may see that.
	perl -e 'rename("above", "moved") && symlink("moved", "above") or die'
	# Two ticks.
	run -124 "$LOCKRUN" -q -m 2s -d elsewhere demo:v1:leader:clock sleep 60
	is_holding 1
	not told stepping-down
	let_end leader
}

@test "what does not change the lock changes nothing" {
	leader
	touch "$LOCKRUN_DIR/$LOCK/lock"
	chmod 640 "$LOCKRUN_DIR/$LOCK/lock"
	ln "$LOCKRUN_DIR/$LOCK/lock" "$LOCKRUN_DIR/$LOCK/second"
	rm "$LOCKRUN_DIR/$LOCK/second"
	: >"$LOCKRUN_DIR/$LOCK/lock"
	rm "$LOCKRUN_DIR/$LOCK/ask"
	touch "$LOCKRUN_DIR/stranger"
	rm "$LOCKRUN_DIR/stranger"
	run -75 "$LOCKRUN" -w 1500ms "$LOCK" true
	not told stepping-down
	let_end leader
}

@test "without inotify it is noticed by the tick" {
	local limit=/proc/sys/user/max_inotify_instances
	unshare -Ur sh -c "echo 0 >$limit" 2>/dev/null || skip 'no user namespace with a limit of its own'
	mkfifo leader.go
	start unshare -Ur sh -c "echo 0 >$limit"' && exec "$0" --events log "$1" sh -c "echo leader >>order; exec cat leader.go"' \
	    "$LOCKRUN" "$LOCK"
	CONTENDERS[leader]=$STARTED
	await leads leader
	run -75 "$LOCKRUN" -w 300ms "$LOCK" true
	not watches "$STARTED"
	remove_lock
	loses
}

@test "without inotify stop and yield work as well, by the tick" {
	local limit=/proc/sys/user/max_inotify_instances
	unshare -Ur sh -c "echo 0 >$limit" 2>/dev/null || skip 'no user namespace with a limit of its own'
	start unshare -Ur sh -c "echo 0 >$limit"' && exec "$0" --yield "$1" sleep 60' "$LOCKRUN" "$LOCK"
	await is_holding 1
	run -0 "$LOCKRUN" "$LOCK" true
	ends 124 "$STARTED"
	start unshare -Ur sh -c "echo 0 >$limit"' && exec "$0" "$1" sleep 60' "$LOCKRUN" "$LOCK"
	await is_holding 1
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 124 "$STARTED"
}

# ---- two leaders at most for the grace ----

# A command that ignores SIGTERM until it is killed; `deaf` is there once it does.
DEAF='trap "" TERM; echo $$ >deaf; while :; do sleep 0.1; done'

@test "who does not go within the grace is killed" {
	start "$LOCKRUN" --events log -k 300ms "$LOCK" sh -c "$DEAF"
	await test -s deaf
	remove_lock
	ends 124 "$STARTED"
	is_gone "$(cat deaf)"
	grep -q '"killed":true' log
}

@test "a lock that is lost gives a step-down by SIGTERM its limit" {
	start "$LOCKRUN" --events log -k 2s "$LOCK" sh -c "$DEAF"
	await test -s deaf
	kill -TERM "$STARTED"
	await told stepping-down
	remove_lock
	ends 124 "$STARTED"
	grep -q '"type":"stopped".*"reason":"lock-lost"' log
	awk -f "$TESTS/events.awk" log
}

# ---- those who wait ----

# Whoever holds the lock leads only when its term has begun, and the first one of a lock is synced.
either_leads() { leads "$1" || leads "$2"; }

@test "waiters of a removed lock compare when they wake, and lead in order" {
	leader
	contend b "$LOCK"
	await is_pending 1
	contend c "$LOCK"
	await is_pending 2
	remove_lock
	ended leader 124
	await leads b
	is_pending 1
	let_end b
	await leads c
	let_end c
	order_is leader b c
}

@test "waiters of a removed directory make it anew, and one of them leads" {
	local what label rest
	for what in remove_name remove_dir move_name move_dir; do
		rm -rf log order aside
		leader
		contend b "$LOCK"
		await is_pending 1
		contend c "$LOCK"
		await is_pending 2
		$what
		ended leader 124
		await either_leads b c
		await is_pending 1
		if leads b; then label=b rest=c; else label=c rest=b; fi
		await leads $label
		not leads $rest
		let_end $label
		await leads $rest
		let_end $rest
	done
}

@test "whoever comes after a replacement and whoever waited before it exclude each other" {
	local first second
	leader
	contend waiter "$LOCK"
	await is_pending 1
	move_name
	contend newcomer "$LOCK"
	ended leader 124
	await either_leads newcomer waiter
	await is_pending 1
	if leads newcomer; then first=newcomer second=waiter; else first=waiter second=newcomer; fi
	await leads $first
	not leads $second
	let_end $first
	await leads $second
	let_end $second
}

@test "a queue that was removed is made anew, and the leader leads on" {
	leader
	contend b "$LOCK"
	await is_pending 1
	rm -r "$LOCKRUN_DIR/$LOCK/q"
	contend c "$LOCK"
	run -75 "$LOCKRUN" -n "$LOCK" true
	not told stepping-down
	let_end leader
	await either_leads b c
	local first=b
	leads b || first=c
	let_end $first
	await is_holding 1
	let_end "$([ $first = b ] && echo c || echo b)"
}

@test "the generation in a directory that was made anew begins anew, and says so by its number" {
	[ "$(generation)" = 1 ]
	[ "$(generation)" = 2 ]
	leader
	remove_name
	ended leader 124
	[ "$(generation)" = 1 ]
}

@test "a term that lost its lock leaves what stands there now alone" {
	leader
	move_name
	contend next "$LOCK"
	await leads next
	ended leader 124
	is_holding 1
	run -75 "$LOCKRUN" -n "$LOCK" true
	let_end next
	[ "$(generation)" = 2 ]
}
