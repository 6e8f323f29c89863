#!/usr/bin/env bats
# The command line: options end at the name, and what stands behind it is the command's alone.
load helper

nothing_was_made() { [ ! -e "$LOCKRUN_DIR" ]; }

# refused TEXT ARGUMENT...: a usage fault, one line that holds TEXT, and nothing made.
refused() {
	local text=$1
	shift
	run -64 "$LOCKRUN" "$@"
	echo "$*: $output"
	[[ "$output" == "lockrun: "*"$text"* ]]
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e ran ]
	nothing_was_made
}

@test "the arguments of the command arrive byte for byte" {
	run -0 "$LOCKRUN" "$LOCK" -- printf '<%s>' 'a b' '' '$HOME' '*' $'new\nline' -- -n --wait=3 '"'
	[ "$output" = $'<a b><><$HOME><*><new\nline><--><-n><--wait=3><">' ]
}

@test "the two dashes are optional, and only the first ones are ours" {
	run -0 "$LOCKRUN" "$LOCK" printf '<%s>' -n --
	[ "$output" = '<-n><-->' ]
	run -0 "$LOCKRUN" "$LOCK" -- printf '<%s>' --
	[ "$output" = '<-->' ]
	run -0 "$LOCKRUN" -- "$LOCK" printf '<%s>' x
	[ "$output" = '<x>' ]
	run -0 "$LOCKRUN" -q -- "$LOCK" -- printf '<%s>' x
	[ "$output" = '<x>' ]
	run -127 "$LOCKRUN" "$LOCK" -- --
}

@test "run is the same as no subcommand" {
	run -3 "$LOCKRUN" run "$LOCK" -- sh -c 'exit 3'
	run -3 "$LOCKRUN" run -q "$LOCK" sh -c 'exit 3'
	run -64 "$LOCKRUN" run
	[[ "$output" == *"no lock name"* ]]
}

@test "a command that begins with a dash needs the two dashes" {
	refused "needs -- before it" "$LOCK" -n touch ran
	refused "needs -- before it" "$LOCK" --verbose touch ran
	printf '#!/bin/sh\necho dashed\n' >-x
	chmod +x ./-x
	PATH=$PWD:$PATH run -0 "$LOCKRUN" "$LOCK" -- -x
	[ "$output" = dashed ]
}

@test "name and command have to be there" {
	refused "no lock name was given"
	refused "no lock name was given" -n
	refused "no lock name was given" --
	refused "no command to run" "$LOCK"
	refused "no command to run" "$LOCK" --
	refused "no command to run" -n "$LOCK"
	refused "is empty" '' true
}

@test "what would mean something else elsewhere is refused with the way out" {
	refused "use -- sh -c 'STRING'" -c 'touch ran' "$LOCK"
	refused "use -- sh -c 'STRING'" "$LOCK" -c 'touch ran'
	refused "use -- sh -c 'STRING'" --command 'touch ran' "$LOCK"
	refused "--wait limits the queue, --max-hold the command" --timeout 3 "$LOCK" touch ran
	refused "--wait limits the queue, --max-hold the command" --timeout=3 "$LOCK" touch ran
	refused "leave it out" -m 0 "$LOCK" touch ran
	refused "leave it out" --max-hold=0s "$LOCK" touch ran
	refused "write never" -k 0 "$LOCK" touch ran
	refused "write never" -k 0ms "$LOCK" touch ran
}

@test "long options are never abbreviated, and a slip is guessed at" {
	refused "no such option" --verb "$LOCK" touch ran
	refused "no such option" --if "$LOCK" touch ran
	refused "did you mean --wait?" --wiat 3 "$LOCK" touch ran
	refused "did you mean --max-hold?" --max-hld=3 "$LOCK" touch ran
	refused "no such option" -Z "$LOCK" touch ran
	refused "it belongs to: lockrun status" --json "$LOCK" touch ran
	refused "no such option" --mode=foo "$LOCK" touch ran
	refused "takes no value" --verbose=yes "$LOCK" touch ran
}

@test "a value that is missing or empty is told" {
	refused "write --wait DURATION" --wait
	refused "write -w DURATION" -w
	refused "write --dir DIR" --dir= "$LOCK" touch ran
	refused "write -d DIR" -d '' "$LOCK" touch ran
}

@test "durations: what is none is refused" {
	local value
	for value in abc -1 '' 1e999 5parsecs 1.5.2 .5 5. 1,5 0x10 ' 1' '1 ' 1H nan inf never; do
		refused "not a duration" -w "$value" "$LOCK" touch ran
		refused "not a duration" -m "$value" "$LOCK" touch ran
	done
	refused "36500d at most" -w 99999999999999999999d "$LOCK" touch ran
	refused "not a duration" -k Never "$LOCK" touch ran
}

@test "durations: each unit is understood, in each way of writing an option" {
	local value
	for value in 25000ms 30 30s 1.5m 2h 1d 36500d; do
		run -0 "$LOCKRUN" -w "$value" -m "$value" -k "$value" "$LOCK" sh -c :
	done
	run -0 "$LOCKRUN" -w5 -m5s --kill-after=never "$LOCK" true
	run -0 "$LOCKRUN" -w 0 "$LOCK" true
	# Too small to be told from nothing, and yet not nothing.
	run -0 "$LOCKRUN" -w 0.000000001ms -k 0.000000001ms "$LOCK" true
}

@test "try and wait exclude each other, in either order" {
	refused "exclude each other" -n -w 3 "$LOCK" touch ran
	refused "exclude each other" -w 0 -n "$LOCK" touch ran
	refused "exclude each other" --wait=1d --if-available "$LOCK" touch ran
	refused "exclude each other" --nonblock -w1 "$LOCK" touch ran
}

@test "a conflict status is a number from 0 to 255" {
	local value
	for value in 600 256 -1 '' x 0x10 ' 1' +1 1.0 99999999999999999999; do
		refused "whole number from 0 to 255" -E "$value" "$LOCK" touch ran
	done
	run -0 "$LOCKRUN" -E 255 "$LOCK" true
	run -0 "$LOCKRUN" -E0 "$LOCK" true
}

@test "spellings from flock are accepted" {
	hold
	run -75 "$LOCKRUN" --nonblock "$LOCK" true
	run -75 "$LOCKRUN" -x -n "$LOCK" true
	run -75 "$LOCKRUN" -nx "$LOCK" true
	run -75 "$LOCKRUN" --exclusive --nonblock "$LOCK" true
	run -9 "$LOCKRUN" -nE 9 "$LOCK" true
	run -9 "$LOCKRUN" -nE9 "$LOCK" true
	run -9 "$LOCKRUN" -n --conflict-exit-code=9 "$LOCK" true
	release
}

@test "of an option given twice the last one counts" {
	hold
	run -8 "$LOCKRUN" -n -E 7 -E 8 "$LOCK" true
	release
}

@test "a note comes from the option, or else from the environment" {
	run -0 "$LOCKRUN" --note 'from the option' "$LOCK" "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"from the option"* ]]
	LOCKRUN_NOTE='from outside' run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"from outside"* ]]
	LOCKRUN_NOTE='from outside' run -0 "$LOCKRUN" --note mine "$LOCK" "$LOCKRUN" status "$LOCK"
	[[ "$output" == *mine* && "$output" != *"from outside"* ]]
	LOCKRUN_NOTE='' run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" status "$LOCK"
}

@test "a note is one line of at most 200 bytes, and the message says which it is not" {
	local note
	note=$(printf '%0200d' 0)
	run -0 "$LOCKRUN" --note "$note" "$LOCK" "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"$note"* ]]
	rm -r "$LOCKRUN_DIR"
	refused "--note: longer than 200 bytes; write one short line (this has 201 bytes)" --note "${note}0" "$LOCK" touch ran
	refused "it holds a line break" --note $'two\nlines' "$LOCK" touch ran
	refused "it holds a control character" --note $'a\tb' "$LOCK" touch ran
}

# note_from_outside NOTE REMARK SHOWN: the run goes on, with one remark, and shows what is left of it.
note_from_outside() {
	LOCKRUN_NOTE=$1 run -0 --separate-stderr "$LOCKRUN" "$LOCK" "$LOCKRUN" status "$LOCK"
	[ "$stderr" = "lockrun: LOCKRUN_NOTE: $2" ]
	[[ "$output" == *"(lockrun as "*", $3) for "* ]]
	LOCKRUN_NOTE=$1 run -0 "$LOCKRUN" -q "$LOCK" true
	[ -z "$output" ]
}

@test "a note of the environment that is none is cut or cleaned, and the run goes on" {
	local long
	long=$(printf '%0199d' 0)
	note_from_outside "${long}00" 'longer than 200 bytes; the rest of it is not shown' "${long}0"
	# Not in the middle of a character.
	note_from_outside "${long}ü" 'longer than 200 bytes; the rest of it is not shown' "$long"
	note_from_outside $'two\nlines' 'it holds a control character; a question mark is shown for each' 'two?lines'
	LOCKRUN_NOTE=$'two\nlines' run -0 "$LOCKRUN" --note mine "$LOCK" true
	[ -z "$output" ]
}

@test "of -v and -q the last one counts" {
	run -0 --separate-stderr "$LOCKRUN" -v -q "$LOCK" true
	[ -z "$stderr" ]
	run -0 --separate-stderr "$LOCKRUN" -q -v "$LOCK" true
	[[ "$stderr" == *leading* ]]
}

@test "the option for the directory wins over the environment" {
	run -0 "$LOCKRUN" -d "$PWD/other" "$LOCK" printenv LOCKRUN_DIR
	[ "$output" = "$PWD/other" ]
	[ -d "other/$LOCK" ]
	nothing_was_made
	run -0 "$LOCKRUN" --dir other "$LOCK" printenv LOCKRUN_DIR
	[ "$output" = "$PWD/other" ]
	nothing_was_made
}

@test "help and version go to standard output, wherever they stand before the name" {
	run -0 --separate-stderr "$LOCKRUN" --version
	[[ "$output" =~ ^lockrun\ [0-9]+\.[0-9]+ ]]
	[ -z "$stderr" ]
	run -0 "$LOCKRUN" -V
	run -0 --separate-stderr "$LOCKRUN" --help
	[[ "${lines[0]}" == "usage: lockrun [OPTION...] NAME [--] COMMAND [ARG...]" ]]
	[ -z "$stderr" ]
	run -0 "$LOCKRUN" -n -h
	[[ "$output" == usage:* ]]
	local word
	for word in run status stop check name; do
		run -0 "$LOCKRUN" "$word" --help
		[[ "$output" == "usage: lockrun "* ]]
	done
	nothing_was_made
	run -0 "$LOCKRUN" "$LOCK" sh -c 'echo "$1"' sh --help
	[ "$output" = --help ]
}

@test "help shows each option and each status, and ends lines early enough to read" {
	run -0 "$LOCKRUN" --help
	local option status
	for option in if-available wait conflict-exit-code max-hold kill-after note verbose quiet dir; do
		[[ "$output" == *"--$option"* ]]
	done
	for status in 64 69 74 75 124 125 126 127; do
		[[ "$output" == *$'\n'" "*"$status  "* ]]
	done
}

@test "usage faults of the other subcommands make nothing either" {
	refused "no lock name" stop
	refused "one word too many" stop "$LOCK" demo:v1:leader:other
	refused "one word too many" check "$LOCK" "$LOCK"
	refused "no such option" status --jsn
	refused "not an option of this subcommand" status -n
	refused "not a duration" stop -w x "$LOCK"
	refused "line break" stop --reason $'a\nb' "$LOCK"
	refused "protocol version" status leader
	refused "protocol version" stop leader
	refused "protocol version" check leader
}

@test "the bare environment of cron is enough" {
	run -0 env -i PATH=/usr/bin:/bin "LOCKRUN_TEST_MARK=$LOCKRUN_TEST_MARK" \
	    "$LOCKRUN" -d "$LOCKRUN_DIR" "$LOCK" -- sh -c 'echo ok'
	[ "$output" = ok ]
	SHELL=/bin/false run -0 "$LOCKRUN" "$LOCK" sh -c 'echo ok'
	[ "$output" = ok ]
}
