#!/usr/bin/env bats
# What the subcommands say, and when they say nothing.
load helper

# ended STATUS: what `start` began ends with that status.
ended() {
	local status=0
	wait "$STARTED" || status=$?
	[ "$status" -eq "$1" ]
}

@test "stop -q is silent, whether somebody led or not" {
	run -0 --separate-stderr "$LOCKRUN" stop -q "$LOCK"
	[ -z "$output$stderr" ]
	start "$LOCKRUN" -q "$LOCK" -- sleep 60
	await is_holding 1
	run -0 --separate-stderr "$LOCKRUN" stop -q "$LOCK"
	[ -z "$output$stderr" ]
	ended 124
}
