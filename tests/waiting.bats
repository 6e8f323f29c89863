#!/usr/bin/env bats
# What is told of a wait, and nothing where nobody looks.
load helper

TIME='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z'

# on_terminal OPTION...: wait on a terminal until something is drawn there, into the file `drawn`.
on_terminal() {
	start env TERM=xterm SHELL=/bin/sh script -qfec "'$LOCKRUN' $* '$LOCK' echo led" drawn </dev/null >/dev/null
	await is_pending 1
}

@test "on a terminal a wait is one live line, which is gone when it is over" {
	command -v script >/dev/null || skip 'needs script'
	hold
	on_terminal
	await grep -q 'position 1 after 2' drawn
	release
	ends 0 "$STARTED"
	run -0 grep -oE $'\r'"lockrun: (demo:v1:leader:sync: )?position 1 after .*"$'\e\\[K\r\e\\[Kled' drawn
	# Drawn at least twice, on one line.
	[[ "$output" == *'after 1'*$'\e[K\rlockrun: '*'after 2'* ]]
}

@test "on a terminal, with -v, what happens stands above and below the live line" {
	command -v script >/dev/null || skip 'needs script'
	hold
	on_terminal -v
	await grep -q 'position 1 after 1' drawn
	release
	ends 0 "$STARTED"
	grep -qE "^lockrun: $LOCK: waiting: held by pid $HOLDER .*, 0 waiting"$'\r$' drawn
	# Of the command and its lockrun either may be the first to say something.
	grep -qE $'\e\\[K\r\e\\[K'"(led|lockrun: $LOCK: leading, generation 2, )" drawn
}

@test "with -v a wait that comes to nothing has a line when it begins and one at its end" {
	hold
	run -75 "$LOCKRUN" -v -w 300ms "$LOCK" true
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" =~ ^$TIME\ lockrun:\ $LOCK:\ waiting:\ held\ by\ pid\ $HOLDER ]]
	[[ "${lines[1]}" =~ ^$TIME\ lockrun:\ $LOCK:\ held\ by\ pid\ $HOLDER\ .*'; gave up after 300ms; nothing was run'$ ]]
	# Also where a skip alone would be silent.
	run -75 "$LOCKRUN" -v -w 300ms --complain-after 1h "$LOCK" true
	[ "${#lines[@]}" -eq 2 ]
	lead -v "$LOCK" true 2>told
	await grep -q waiting: told
	await settled "$STARTED"
	kill -HUP "$STARTED"
	ends 129 "$STARTED"
	[ "$(wc -l <told)" -eq 2 ]
	grep -qE "^$TIME lockrun: $LOCK: Hangup while waiting; nothing was run$" told
	release
}
