#!/usr/bin/env bats
# Each system call that matters is refused, once and always, with what it may be refused with: no
# hang, no second leader, a status that is true, one line that says why, and the next run works.
# Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
	# While it runs, nobody else can have the lock. It ends when what it waits for was called.
	cat >command <<-'COMMAND'
		#!/bin/sh
		: >ran
		if flock -n "$LOCKRUN_DIR/$LOCKRUN_NAME/lock" true; then echo 'the lock was free' >>faults; fi
		[ -z "$UNTIL" ] || until grep -q "^$UNTIL" trace; do sleep 0.01; done
		exit 5
	COMMAND
	chmod +x command
	: >faults
	pairs=0 last=0
	"$LOCKRUN" "$LOCK" -- true
}

teardown() {
	echo "# $pairs pairs" >&3
	common_teardown
}

fault() { echo "$*: $(paste -sd'|' said)" >>faults; }

# faulty CALL ERROR WHEN [OPTION...]: a run in which those calls fail. With FOLLOW, in the command too.
faulty() {
	exec timeout -s KILL 20 strace $FOLLOW -q -o trace -e trace="$1" -e inject="$1:error=$2:when=$3" \
	    "$LOCKRUN" "${@:4}" "$LOCK" -- ./command 3>&- 2>said
}

# judge STATUS WHAT: what is said of it is true, and all goes on.
judge() {
	local lines number
	lines=$(wc -l <said)
	if [ "$1" = 137 ]; then
		fault "$2: hangs"
	elif [ -e ran ]; then
		[ "$1" = 5 ] && [ "$lines" -le 1 ] || fault "$2: ran, and ends with $1"
	else
		[[ $1 == @(69|75|125|126|127) && $lines = 1 ]] || fault "$2: did not run, and ends with $1"
	fi
	number=$("$LOCKRUN" -n "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION' 2>said) && [ "$number" -gt "$last" ] ||
		fault "$2: then the next one after $last is not led: $number"
	last=${number:-$last}
	pairs=$((pairs + 1))
}

# fails CALL ERROR WHEN [OPTION...]: the same, and judged. Fails when there was no such call.
fails() {
	local status=0
	rm -f ran
	(faulty "$@") || status=$?
	grep -q INJECTED trace || return 1
	judge "$status" "$*"
}

# each CALL ERROR [OPTION...]: at the first such call, at the second, and so on; then at all.
each() {
	local n=${FIRST:-1}
	while "${HOW:-fails}" "$1" "$2" "$n" "${@:3}"; do n=$((n + 1)); done
	[ "$n" -gt "${FIRST:-1}" ] || fault "$*: no such call"
	[ -n "${FIRST:-}" ] || "${HOW:-fails}" "$1" "$2" 1+ "${@:3}"
}

all_was_well() { [ ! -s faults ] || { cat faults; false; }; }

# own_openat: in $FIRST the first openat(2) that is not the loader's.
own_openat() {
	strace -o trace -e trace=openat "$LOCKRUN" "$LOCK" -- true
	FIRST=$(grep -n "\"$LOCKRUN_DIR\"" trace | head -n 1 | cut -d: -f1)
}

@test "a term" {
	local error
	each flock ENOLCK
	fails flock EINTR 1
	fails flock EINTR 2
	each fcntl ENOLCK
	for error in ENOSPC EROFS EACCES; do each renameat $error; done
	for error in EDQUOT EPERM EIO; do fails renameat $error 2; done
	for error in EROFS EACCES EPERM EIO; do fails unlinkat $error 1+; done
	for error in ENOSPC EIO; do each pwrite64 $error; done
	for error in EDQUOT EINTR; do fails pwrite64 $error 1+; done
	for error in ENOMEM EAGAIN; do each vfork $error; done
	for error in EMFILE ENFILE ENOMEM; do each signalfd4 $error; done
	each pread64 EIO
	each getdents64 EIO
	each prctl EPERM
	all_was_well
}

@test "a term: files that cannot be opened" {
	local error FIRST
	own_openat
	for error in EMFILE EIO EACCES EROFS EINTR; do each openat $error; done
	all_was_well
}

@test "a term with a raise" {
	local error
	raising() {
		"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" given=$((64 * (pairs + 2)))
		fails "$@"
	}
	HOW=raising
	for error in EIO ENOSPC EDQUOT EINTR; do each fdatasync $error; done
	for error in ENOSPC EIO; do each pwrite64 $error; done
	all_was_well
}

@test "the first term of a lock" {
	local error FIRST
	anew() {
		rm -rf "${LOCKRUN_DIR:?}/$LOCK"
		last=0
		fails "$@"
	}
	HOW=anew
	for error in ENOSPC EDQUOT EROFS EACCES EIO; do each mkdirat $error; done
	each fsync EIO
	for error in ENOSPC EINTR; do anew write $error 1; done
	each renameat ENOSPC
	own_openat
	for error in EMFILE ENOSPC; do each openat $error; done
	all_was_well
}

@test "the command's start" {
	local error FOLLOW=-f
	for error in EACCES EPERM EIO ENOMEM; do
		# lockrun's own start is not counted.
		fails execve $error 1 -F
		fails execve $error 1
	done
	each prctl EPERM
	all_was_well
}

@test "a long term" {
	local error UNTIL
	export UNTIL=inotify_init1
	for error in EMFILE ENFILE ENOMEM ENOSYS; do each inotify_init1 $error; done
	UNTIL=inotify_add_watch
	each inotify_add_watch ENOSPC
	UNTIL=
	each pidfd_open EMFILE --die-with-parent
	each pidfd_open ENOSYS --die-with-parent
	all_was_well
}

@test "a parent that cannot be watched: nothing is run, and that is said" {
	local error
	for error in ENOSYS EPERM; do
		rm -f ran
		run -69 faulty pidfd_open $error 1+ --die-with-parent
		[[ "$(cat said)" == 'lockrun: --die-with-parent: the end of another process cannot be watched here: '*'nothing was run; '* ]]
		[ "$(wc -l <said)" -eq 1 ]
		[ ! -e ran ]
	done
	# Nobody else needs that.
	run -5 faulty pidfd_open ENOSYS 1+ --eligible true
	[ -e ran ]
}

waits_or_is_gone() { is_gone "$STARTED" || settled "$(children_of "$(children_of "$STARTED" | tr -d ' ')" | tr -d ' ')"; }

@test "a wait" {
	local error
	behind() {
		local status=0
		rm -f ran trace
		hold
		start faulty "$@"
		await waits_or_is_gone
		[ ! -e ran ] || fault "$*: runs beside the holder"
		release
		await is_gone "$STARTED"
		wait "$STARTED" || status=$?
		grep -q INJECTED trace || return 1
		judge "$status" "$*"
	}
	HOW=behind
	for error in EMFILE ENFILE ENOMEM; do each eventfd2 $error; done
	for error in EMFILE ENOMEM; do each timerfd_create $error -w 20; done
	for error in EAGAIN ENOMEM; do each clone3 $error; done
	behind flock ENOLCK 3
	all_was_well
}

@test "doctor: a disk that takes its time for what is synced is no fault" {
	run -0 strace -f -o trace -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_enter=300000 \
	    "$LOCKRUN" doctor
	[[ $output == *$'\nok    trial '* ]]
	grep -q DELAYED trace
}

@test "a lock that another forgets at the moment that somebody looks at it is idle, and no fault" {
	"$LOCKRUN" "$LOCK" -- true
	gone() { run -0 strace -o trace -e trace=getdents64 -e inject=getdents64:error=ENOENT "$LOCKRUN" "$@" && grep -q INJECTED trace; }
	gone status "$LOCK"
	[[ $output == *"$LOCK: idle"* ]]
	gone status
	gone stats
	gone stop "$LOCK"
	gone prune
	gone -n "$LOCK" -- true
}
