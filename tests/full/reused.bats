#!/usr/bin/env bats
# A pid that is another's by now: whatever a ticket or a record says, a stranger is not signalled.
# In a pid namespace of its own the next pid can be chosen.
load ../helper

setup() {
	common_setup
	unshare -pf true 2>/dev/null || skip "no pid namespace may be made here"
}

# in_namespace FUNCTION: call it, with all functions of this file, where pids begin anew.
in_namespace() {
	declare -f >functions
	LOCK=$LOCK LOCKRUN=$LOCKRUN PATIENCE=$PATIENCE \
		unshare -pf --mount-proc bash -c 'set -eE; trap "echo \"line \$LINENO: \$BASH_COMMAND\" >&2" ERR
		. ./functions; "$1"; kill -KILL $(jobs -p) 2>/dev/null || :' bash "$1" 3>&-
}

# stranger PID: somebody who has that pid from now on, and a child; both are in the file `strangers`.
stranger() {
	local i
	for ((i = 0; i < 100; i++)); do
		rm -f strangers
		echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
		bash -c 'sleep 600 & echo $$ $! >strangers.new; mv strangers.new strangers; exec sleep 600' &
		await test -s strangers
		[ "$!" -ne "$1" ] || return 0
		kill -KILL $(cat strangers)
	done
	return 1
}

# unhurt: the stranger and its child are there, and sleep.
unhurt() {
	local pid
	for pid in $(cat strangers); do
		[ "$(state_of "$pid")" = S ]
		[ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" = 'sleep 600 ' ]
	done
}

# says STATUS PATTERN COMMAND...
says() {
	local status=0 wanted=$1 pattern=$2
	shift 2
	"$@" >said 2>&1 || status=$?
	[ "$status" -eq "$wanted" ] || { echo "$* ended with $status" >&2; cat said >&2; return 1; }
	[[ "$(<said)" == $pattern ]] || { cat said >&2; return 1; }
}

# ---- one that is gone with its command: its ticket is a dead one's ----

dead_leader() {
	local leader
	"$LOCKRUN" "$LOCK" sleep 600 &
	leader=$!
	await is_holding 1
	await has_children "$leader"
	kill -KILL "$leader" $(children_of "$leader")
	wait "$leader" || :
	stranger "$leader"
	ls "$LOCKRUN_DIR/$LOCK/q" | grep -q "\.$leader\..*h$"
	says 75 '*nobody leads*' "$LOCKRUN" signal "$LOCK" TERM
	says 0 '*nobody leads now' "$LOCKRUN" stop "$LOCK"
	says 0 '*nobody leads now' "$LOCKRUN" stop --force --all "$LOCK"
	unhurt
}

@test "of one who is gone: stop, stop --force and signal" {
	run -0 in_namespace dead_leader
}

# ---- one that was killed, and whose command lives on ----

orphan_of_the_dead() {
	local leader
	mkfifo never
	# The first SIGTERM, from the kernel, is let pass.
	"$LOCKRUN" "$LOCK" bash -c 'trap "trap - TERM; : >passed" TERM; echo $$ >orphan
		while :; do read -r -t 600 _ <>never; done' &
	leader=$!
	await test -s orphan
	kill -KILL "$leader"
	wait "$leader" || :
	await test -e passed
	stranger "$leader"
	says 75 '*nobody was asked' "$LOCKRUN" signal "$LOCK" TERM
	says 75 '*--force ends them' "$LOCKRUN" stop "$LOCK"
	unhurt
	says 0 '*stepped down; nobody leads now' "$LOCKRUN" stop --force "$LOCK"
	await is_gone "$(cat orphan)"
	unhurt
}

@test "of one whose command lives on: stop --force ends that and not the stranger" {
	run -0 in_namespace orphan_of_the_dead
}

# ---- a ticket that somebody else has locked ----

# forge STATE FROM: a ticket that is alive, and names the stranger; made like that of pid FROM.
forge() {
	local from to
	from=$(ls "$LOCKRUN_DIR/$LOCK/q" | grep "\.$2\.")
	to=$(sed "s/\.$2\./.$(cut -d' ' -f1 strangers)./; s/.\$/$1/" <<<"$from")
	cp "$LOCKRUN_DIR/$LOCK/q/$from" "$LOCKRUN_DIR/$LOCK/q/$to"
	flock "$LOCKRUN_DIR/$LOCK/q/$to" sh -c 'echo >locked; exec sleep 600' &
	await test -e locked
}

forged_ticket() {
	local leader
	"$LOCKRUN" "$LOCK" sleep 600 &
	leader=$!
	await is_holding 1
	stranger 300
	forge "$1" "$leader"
	kill -TERM "$leader"
	wait "$leader" || :
	says 75 '*still there after*' "$LOCKRUN" stop -w 50ms "$LOCK"
	says 0 '' "$LOCKRUN" signal "$LOCK" TERM
	unhurt
	says 69 "*pid 300: the pid is another process's by now*" "$LOCKRUN" stop --force "$LOCK"
	unhurt
}

forged_holder() { forged_ticket h; }

@test "of a ticket that another holds: neither it nor what it started is signalled" {
	run -0 in_namespace forged_holder
}

forged_waiter() {
	local leader
	"$LOCKRUN" -q "$LOCK" sleep 600 &
	leader=$!
	await is_holding 1
	stranger 300
	forge w "$leader"
	says 69 "*pid 300: the pid is another process's by now*" "$LOCKRUN" stop --all "$LOCK"
	unhurt
}

@test "of a waiter's ticket that another holds: stop --all does not signal it" {
	run -0 in_namespace forged_waiter
}
