#!/usr/bin/env bats
# One leader at a time, whoever else locks the file, and whatever happens to it.
load helper

file() { echo "$LOCKRUN_DIR/$LOCK/lock"; }

# alone COMMAND...: the command tells in `overlaps` when it is not the only one that runs.
ALONE='mkdir alone 2>/dev/null || echo "$0" >>overlaps; "$@"; rmdir alone 2>/dev/null; :'

@test "flock(1) cannot have the lock of a leader, not even shared" {
	hold
	run -1 flock -n "$(file)" true
	run -1 flock -ns "$(file)" true
	release
	run -0 flock -n "$(file)" true
}

@test "flock(1) that waits gets it when the term ends, after the command" {
	hold
	start flock "$(file)" sh -c 'echo flock >>order'
	await grep -q -- "-> FLOCK .* $STARTED " /proc/locks
	[ ! -e order ]
	echo leader >>order
	release
	wait "$STARTED"
	[ "$(cat order)" = "$(printf 'leader\nflock')" ]
}

@test "lockrun cannot have a lock that flock(1) holds: 75 with -n and -w" {
	"$LOCKRUN" "$LOCK" -- true
	foreign "$(file)"
	run -75 "$LOCKRUN" -n "$LOCK" -- touch ran
	[[ "$output" == *"; nothing was run" ]]
	run -75 "$LOCKRUN" -w 50ms "$LOCK" -- touch ran
	[ ! -e ran ]
	foreign_ends
	run -0 "$LOCKRUN" -n "$LOCK" -- touch ran
	[ -e ran ]
}

@test "lockrun waits for flock(1), shared too, and then leads in order" {
	"$LOCKRUN" "$LOCK" -- true
	foreign "$(file)" -s
	line_up 1 3
	await settled "${WAITER[1]}"
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	[ ! -e order ]
	foreign_ends
	wait "${WAITER[@]}"
	[ "$(cat order)" = "$(seq 3)" ]
}

@test "the truncating idiom excludes, and does no harm" {
	[ "$(generation)" = 1 ]
	hold
	run -1 sh -c 'exec 9>"$1"; flock -n 9' sh "$(file)"
	[ "$(holding)" = 1 ]
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	release
	mkfifo go
	start sh -c 'exec 9>"$1"; flock 9 && echo >held && cat go' sh "$(file)"
	await test -e held
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	: >go
	wait "$STARTED"
	[ "$(generation)" = 3 ]
	[ ! -s "$(file)" ]
}

@test "somebody who does not queue holds the lock for a moment: -n looks again" {
	"$LOCKRUN" "$LOCK" -- true
	# The moment is this shell's, and may be too long on a machine that is busy: some attempts.
	for ((attempt = 0; attempt < 20; attempt++)); do
		foreign "$(file)" -s
		start "$LOCKRUN" -qn "$LOCK" -- touch ran
		await eval 'has_ticket "$STARTED" || is_gone "$STARTED"'
		foreign_ends
		if wait "$STARTED"; then break; fi
	done
	[ -e ran ]
}

@test "when one has ended the lock is free: 200 times" {
	sh -ec 'for i in $(seq "$2"); do "$0" "$1" -- true; "$0" -n "$1" -- true; done' "$LOCKRUN" "$LOCK" "$(rounds 200)"
}

@test "contenders of all kinds never overlap" {
	"$LOCKRUN" "$LOCK" -- true
	repeat='i=0; while [ $i -lt 40 ]; do "$@" || [ $? = 75 ]; i=$((i + 1)); done'
	start sh -c "$repeat" sh "$LOCKRUN" "$LOCK" -- sh -c "$ALONE" queued true
	start sh -c "$repeat" sh "$LOCKRUN" "$LOCK" -- sh -c "$ALONE" second sh -c 'echo >>led'
	start sh -c "$repeat" sh "$LOCKRUN" -qn "$LOCK" -- sh -c "$ALONE" try true
	start sh -c "$repeat" sh "$LOCKRUN" -qw 2ms "$LOCK" -- sh -c "$ALONE" impatient true
	start sh -c "$repeat" sh flock "$(file)" sh -c "$ALONE" flock true
	wait
	[ ! -e overlaps ]
	[ "$(wc -l <led)" = 40 ]
	[ -z "$(ls -A "$LOCKRUN_DIR/$LOCK/q")" ]
}

@test "the file is removed under waiters: they meet at the new one" {
	"$LOCKRUN" "$LOCK" -- true
	foreign "$(file)"
	stand 1
	stand 2
	rm "$(file)"
	foreign_ends
	await has_led 1
	run -1 flock -n "$(file)" true
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	[ "$(cat order)" = 1 ]
	let_go 1
	let_go 2
	[ "$(cat order)" = "$(seq 2)" ]
}

# replaced COMMAND...: it takes NAME or DIR away while one leads and two wait. The leader notices and
# ends its command; those who waited meet in what is made anew, one at a time. (With the tickets
# the order may be gone as well.)
replaced() {
	hold
	line_up 1 2
	"$@"
	ends 124 "$HOLDER"
	wait "${WAITER[@]}"
	[ "$(sort order)" = "$(seq 2)" ]
	[ -z "$(ls -A "$LOCKRUN_DIR/$LOCK/q")" ]
}

@test "NAME is moved away under waiters" {
	replaced mv "$LOCKRUN_DIR/$LOCK" "$LOCKRUN_DIR/gone"
}

@test "NAME is removed under waiters" {
	replaced await rm -rf "$LOCKRUN_DIR/$LOCK"
}

@test "DIR is moved away under waiters" {
	replaced mv "$LOCKRUN_DIR" "$LOCKRUN_DIR.gone"
}

@test "DIR is removed under waiters" {
	replaced await rm -rf "$LOCKRUN_DIR"
}

@test "the queue is removed under waiters: still one at a time" {
	hold
	line_up 1 2
	rm -r "$LOCKRUN_DIR/$LOCK/q"
	start "$LOCKRUN" "$LOCK" -- sh -c 'echo 3 >>order'
	await settled "$STARTED"
	[ ! -e order ]
	release
	wait "${WAITER[@]}" "$STARTED"
	[ "$(sort order)" = "$(seq 3)" ]
}

@test "DIR and what is above it vanish under a waiter: 69, and nothing ran" {
	mkdir above
	LOCKRUN_DIR=$PWD/above/state
	hold
	start "$LOCKRUN" "$LOCK" -- touch ran 2>message
	await settled "$STARTED"
	rm -r above
	ends 124 "$HOLDER"
	ends 69 "$STARTED"
	[ ! -e ran ]
	[ "$(wc -l <message)" = 1 ]
	grep -q "above/state: the directory above it does not exist" message
}

@test "lockrun is killed and its command lives on: nobody else leads until it ends" {
	mkfifo go
	start "$LOCKRUN" "$LOCK" -- sh -c 'trap "" TERM; echo $$ >pid; exec <go; read -r line'
	leader=$STARTED
	await test -s pid
	start "$LOCKRUN" "$LOCK" -- sh -c 'echo led >order'
	waiter=$STARTED
	await settled "$waiter"
	kill -KILL "$leader"
	ends 137 "$leader"
	# Woken by the ticket of the dead, it waits for the lock itself now.
	await eval 'has_blocked_on_lock "$waiter"'
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	run -1 flock -n "$(file)" true
	[ ! -e order ]
	echo >go
	wait "$waiter"
	[ "$(cat order)" = led ]
}

has_blocked_on_lock() { grep -q -- "-> FLOCK .* WRITE $1 " /proc/locks; }

# Start lockrun and kill it some random microseconds later, TIMES times: $0 lockrun, $1 TIMES,
# $2 what to run before each, $3 what to run after each. In a shell that is small to fork.
KILL_EARLY='
	mkfifo pause
	exec 7<>pause
	for ((i = 0; i < $1; i++)); do
		eval "$2"
		"$0" "$LOCK" -- true 7>&- &
		read -r -t "0.00$((RANDOM % 5))$((RANDOM % 10))" -u 7
		kill -KILL $!
		wait $!
		eval "$3" || exit 1
	done 2>/dev/null'

@test "killed within its first milliseconds, 300 times: the queue is never stuck" {
	export LOCK
	keep_on='until [ -e stop ]; do "$@" || exit; echo >>turns; done'
	start sh -c "$keep_on" sh "$LOCKRUN" "$LOCK" -- sh -c "$ALONE" one true
	one=$STARTED
	start sh -c "$keep_on" sh "$LOCKRUN" "$LOCK" -- sh -c "$ALONE" two true
	two=$STARTED
	await test -s turns
	bash -c "$KILL_EARLY" "$LOCKRUN" 300 : :
	turns=$(wc -l <turns)
	await eval '[ "$(wc -l <turns)" -ge $((turns + 4)) ]'
	: >stop
	wait "$one" "$two"
	[ ! -e overlaps ]
	run -0 "$LOCKRUN" -w "$PATIENCE" "$LOCK" -- true
	[ "$(pending)" = 0 ]
	[ "$(holding)" = 0 ]
}

@test "killed while it makes the directory, 60 times: the next one leads" {
	export LOCK
	bash -c "$KILL_EARLY" "$LOCKRUN" 60 'LOCKRUN_DIR=$PWD/fresh.$i' '"$0" -w 30 "$LOCK" -- true'
	[ "$(ls -d fresh.* | wc -l)" = 60 ]
}
