#!/usr/bin/env bats
# --also-flock: scripts that still use flock(1) on a file stay excluded while others are moved over.
load helper

# excluded [FLOCK-OPTION...]: flock(1) cannot have FILE now. free: it can.
excluded() { run -1 flock -n "$@" FILE true; }
free() { flock -n FILE true; }

# waits_at FILE PID: it is blocked in flock(2) on that very file.
waits_at() { grep -q -- "-> FLOCK .* $2 .*:$(stat -c %i "$1") " /proc/locks; }

# leads_with LABEL: FILE is held by us while it leads, and afterwards it is free.
leads_with() {
	await leads "$1"
	excluded
	let_end "$1"
	free
}

@test "while we lead flock(1) is excluded, and afterwards it is not" {
	contend a --also-flock FILE "$LOCK"
	leads_with a
	[ -e FILE ]
	contend b -s --also-flock FILE "$LOCK"
	await leads b
	flock -ns FILE true
	excluded
	let_end b
	free
}

@test "-n: held by flock(1): 75, nothing runs, the line names the file and its holder" {
	foreign FILE
	run -75 "$LOCKRUN" -n --also-flock FILE "$LOCK" -- touch ran
	[ "$output" = "lockrun: $LOCK: FILE (--also-flock) is held by pid $FOREIGN (flock); nothing was run" ]
	[ ! -e ran ]
	run -3 "$LOCKRUN" -n -q -E 3 --also-flock FILE "$LOCK" -- touch ran
	[ -z "$output" ]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"2 turned away"* ]]
	foreign_ends
	run -0 "$LOCKRUN" -n --also-flock FILE "$LOCK" -- true
}

@test "-n --complain-after: it is the age of the holder that counts" {
	foreign FILE
	run -75 "$LOCKRUN" -n --complain-after 1h --also-flock FILE "$LOCK" -- true
	[ -z "$output" ]
	run -75 "$LOCKRUN" -qn --complain-after 0 --also-flock FILE "$LOCK" -- true
	[[ "$output" == *" is held by pid $FOREIGN (flock); nothing was run" ]]
	foreign_ends
}

@test "-w: gives up in time, and holds nothing then" {
	foreign FILE
	run -75 "$LOCKRUN" -w 100ms --also-flock FILE "$LOCK" -- touch ran
	[[ "$output" == *"FILE (--also-flock) is held by pid $FOREIGN (flock); gave up after 100ms; nothing was run" ]]
	[ ! -e ran ]
	run -0 "$LOCKRUN" -n "$LOCK" -- true
	[ "$(generation)" = 2 ]
	foreign_ends
}

@test "without a limit it waits, next in line and not leading, and leads when flock(1) ends" {
	foreign FILE
	contend a --also-flock FILE "$LOCK"
	await waits_at FILE "${CONTENDERS[a]}"
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"being handed over"*"waiter 1 "*", next, waits for the file of --also-flock"* ]]
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	contend b "$LOCK"
	await is_pending 2
	[ ! -e order ]
	foreign_ends
	leads_with a
	await leads b
	let_end b
	order_is a b
}

@test "-v says what is waited for, also after a wait in the queue" {
	hold
	foreign FILE
	start "$LOCKRUN" -v --also-flock FILE "$LOCK" -- true 2>said
	await grep -q 'waiting: held by' said
	release
	await grep -q "waiting: FILE (--also-flock) is held by pid $FOREIGN (flock)" said
	foreign_ends
	ends 0 "$STARTED"
}

@test "a signal ends the wait, and nothing is held then" {
	foreign FILE
	lead --also-flock FILE "$LOCK" -- touch ran
	await waits_at FILE "$STARTED"
	kill -TERM "$STARTED"
	ends 143 "$STARTED"
	[ ! -e ran ]
	run -0 "$LOCKRUN" -n "$LOCK" -- true
	foreign_ends
}

@test "flock(1) that waits comes to its turn after us" {
	contend a --also-flock FILE "$LOCK"
	await leads a
	start flock FILE sh -c 'echo script >>order'
	script=$STARTED
	await waits_at FILE "$script"
	let_end a
	ends 0 "$script"
	order_is a script
}

@test "shared: with shared ones of flock(1), not with an exclusive one" {
	foreign FILE -s
	run -0 "$LOCKRUN" -n -s --also-flock FILE "$LOCK" -- true
	run -75 "$LOCKRUN" -n --also-flock FILE "$LOCK" -- true
	foreign_ends
	foreign FILE
	run -75 "$LOCKRUN" -n -s --also-flock FILE "$LOCK" -- true
	foreign_ends
}

@test "two locks with the same file exclude each other" {
	contend a --also-flock FILE "$LOCK"
	await leads a
	run -75 "$LOCKRUN" -n --also-flock FILE demo:v1:leader:other -- true
	[[ "$output" == *"FILE (--also-flock) is held by pid ${CONTENDERS[a]} (lockrun)"* ]]
	let_end a
}

@test "it is given up explicitly, though a daemon has inherited it" {
	run -0 "$LOCKRUN" --also-flock FILE "$LOCK" -- sh -c 'sleep 60 >/dev/null 2>&1 & echo $! >left'
	free
	run -0 "$LOCKRUN" -n --also-flock FILE "$LOCK" -- true
	kill "$(cat left)"
}

@test "when lockrun is killed it stays held for as long as the command runs" {
	start "$LOCKRUN" --also-flock FILE "$LOCK" -- sh -c 'trap "" TERM; echo $$ >runs; exec sleep 60'
	await test -s runs
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	excluded
	kill -KILL "$(cat runs)"
	await free
}

@test "the command inherits it as it does the lock: one more descriptor, none with -o" {
	# No process beside it, whose pipe it would have open for a moment.
	descriptors() { "$LOCKRUN" "$@" "$LOCK" -- sh -c 'set -- /proc/$$/fd/*; echo $#' 3>&-; }
	[ "$(descriptors --also-flock FILE)" -eq $(($(descriptors) + 1)) ]
	[ "$(descriptors -o --also-flock FILE)" -eq "$(descriptors -o)" ]
	run -0 "$LOCKRUN" --also-flock FILE "$LOCK" -- sh -c 'ls -l /proc/$$/fd'
	[[ "$output" == *"/FILE"* ]]
}

@test "-F: both are held until the command has ended" {
	contend a -F --also-flock FILE "$LOCK"
	leads_with a
}

# ---- the file ----

@test "a missing file is made, with the umask, and what is there is never written to" {
	(umask 027; "$LOCKRUN" --also-flock made "$LOCK" -- true)
	[ "$(stat -c '%a %s' made)" = '640 0' ]
	echo content >full
	chmod 444 full
	run -0 "$LOCKRUN" --also-flock full "$LOCK" -- true
	[ "$(cat full)" = content ]
	run -69 "$LOCKRUN" --also-flock nowhere/made "$LOCK" -- touch ran
	[[ "$output" == *"nowhere/made: the file of --also-flock cannot be used: No such file or directory; "* ]]
	run -69 "$LOCKRUN" --also-flock full/made "$LOCK" -- touch ran
	[ ! -e ran ]
	[ "$(generation)" = 3 ]
}

@test "a symbolic link is followed, and nothing is made through one that leads nowhere" {
	ln -s FILE link
	: >FILE
	contend a --also-flock link "$LOCK"
	leads_with a
	ln -s elsewhere dangling
	run -69 "$LOCKRUN" --also-flock dangling "$LOCK" -- touch ran
	[[ "$output" == *"dangling: the file of --also-flock cannot be used: "*"(a symbolic link that leads nowhere)" ]]
	[ ! -e elsewhere ]
	[ ! -e ran ]
}

@test "a directory can be locked, a FIFO and a socket not" {
	mkdir directory
	contend a --also-flock directory "$LOCK"
	await leads a
	run -1 flock -n directory true
	let_end a
	mkfifo fifo
	run -69 "$LOCKRUN" --also-flock fifo "$LOCK" -- touch ran
	[[ "$output" == *"fifo: neither a file nor a directory nor a device; name the file that the other scripts lock" ]]
	run -64 "$LOCKRUN" --also-flock '' "$LOCK" -- touch ran
	[ ! -e ran ]
}

@test "the lock itself is refused, by whatever name, before anything is waited for" {
	hold
	ln -s "$LOCKRUN_DIR/$LOCK/lock" link
	for name in "$LOCKRUN_DIR/$LOCK/lock" link; do
		run -64 "$LOCKRUN" --also-flock "$name" "$LOCK" -- touch ran
		[[ "$output" == *"$name: that is the lock itself; leave it out"* ]]
	done
	release
	run -64 "$LOCKRUN" --also-flock "$LOCKRUN_DIR/$LOCK/lock" "$LOCK" -- touch ran
	[ ! -e ran ]
}

@test "under a flock(1) on that file it would wait for itself: refused at once" {
	for option in -e -o; do
		run -64 flock "$option" FILE "$LOCKRUN" --also-flock FILE "$LOCK" -- touch ran
		[[ "$output" == *"--also-flock FILE: lockrun was started under a lock on this file; "* ]]
	done
	run -64 flock -s FILE "$LOCKRUN" --also-flock FILE "$LOCK" -- touch ran
	run -0 flock -s FILE "$LOCKRUN" -s --also-flock FILE "$LOCK" -- true
	[ ! -e ran ]
}

@test "no permission: 69" {
	needs_root
	make_open_dir
	install -m 600 /dev/null "$OPEN_DIR/FILE"
	mkdir -m 777 "$OPEN_DIR/own"
	run -69 as_user "$OPEN_DIR/lockrun" -d "$OPEN_DIR/own/state" --also-flock "$OPEN_DIR/FILE" "$LOCK" -- true
	[[ "$output" == *"/FILE: the file of --also-flock cannot be used: Permission denied; "* ]]
}

# ---- what scripts do with their file ----

@test "a script that removes the file at its end: we lock the one that others meet at" {
	mkfifo end
	start flock FILE sh -c ': >holds; cat end; rm FILE'
	await test -e holds
	contend a --also-flock FILE "$LOCK"
	await waits_at FILE "${CONTENDERS[a]}"
	echo >end
	leads_with a
}

@test "removed and made anew meanwhile: we wait for whoever holds the new one" {
	mkfifo end
	start flock FILE sh -c ': >holds; cat end'
	first=$STARTED
	await test -e holds
	contend a --also-flock FILE "$LOCK"
	await waits_at FILE "${CONTENDERS[a]}"
	rm FILE
	foreign FILE
	echo >end
	ends 0 "$first"
	await waits_at FILE "${CONTENDERS[a]}"
	[ ! -e order ]
	foreign_ends
	leads_with a
}

@test "a script that truncates the file as it opens it excludes and is excluded" {
	# The commonest idiom.
	idiom() { sh -c '(flock -n 9 || exit 1; "$@") 9>FILE' sh "$@"; }
	mkfifo end
	start idiom sh -c ': >holds; cat end'
	await test -e holds
	run -75 "$LOCKRUN" -n --also-flock FILE "$LOCK" -- true
	echo >end
	ends 0 "$STARTED"
	contend a --also-flock FILE "$LOCK"
	await leads a
	run -1 idiom true
	excluded
	let_end a
	run -0 idiom true
}

# ---- moving over ----

# Three scripts, and how each calls its work; `work` tells when it does not run alone.
work() {
	cat >work <<-'END'
		mkdir busy 2>/dev/null || echo overlap >>overlaps
		cat /proc/[0-9]*/stat >/dev/null 2>&1
		rmdir busy
		echo "$1" >>worked
	END
}
script() {
	case $2 in
	flock) flock FILE sh ./work "$1" ;;
	both) "$LOCKRUN" --also-flock FILE "$LOCK" -- sh ./work "$1" ;;
	lockrun) "$LOCKRUN" "$LOCK" -- sh ./work "$1" ;;
	esac
}
# stage HOW HOW HOW: each of them runs four times, beside the others.
stage() {
	local n pids=()
	rm -f worked
	for n in 1 2 3; do
		start eval "for i in 1 2 3 4; do script $n ${!n} || exit; done"
		pids+=("$STARTED")
	done
	wait "${pids[@]}"
	[ ! -e overlaps ]
	[ "$(sort worked | uniq -c | awk '{ print $1 "x" $2 }' | paste -sd' ')" = '4x1 4x2 4x3' ]
}

@test "three scripts are moved over one by one, and never do two run at the same time" {
	work
	stage flock flock flock
	stage both flock flock
	stage both both flock
	stage both both both
	stage both lockrun both
	stage lockrun lockrun lockrun
}
