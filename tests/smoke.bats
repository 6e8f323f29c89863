#!/usr/bin/env bats
# The shortest tour: if this fails, look here first.
load helper

@test "the command runs, and its status is ours" {
	run -7 "$LOCKRUN" "$LOCK" -- sh -c 'echo out; exit 7'
	[ "$output" = out ]
}

@test "a second one waits for the first, and -n does not" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	[[ "$output" == *"held by pid "*"nothing was run" ]]
	start "$LOCKRUN" "$LOCK" -- touch second
	second=$STARTED
	await is_pending 1
	[ ! -e second ]
	release
	wait "$second"
	[ -e second ]
}
