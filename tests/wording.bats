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

@test "a missing name is answered with the usage of the subcommand at hand" {
	run -64 "$LOCKRUN" stop
	[[ "$output" == *"no lock name was given; usage: lockrun stop "*" NAME" ]]
	run -64 "$LOCKRUN" name
	[[ "$output" == *"no lock name was given; usage: lockrun name NAME "* ]]
	run -64 "$LOCKRUN"
	[[ "$output" == *"no lock name was given; usage: lockrun "*"NAME [--] COMMAND"* ]]
}
