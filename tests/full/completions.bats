#!/usr/bin/env bats
# What the three shells really offer. Needs zsh and fish.
load ../helper

PLACE=$BATS_TEST_DIRNAME/../../completions
SHELLS=$BATS_TEST_DIRNAME/../shells

export XDG_CONFIG_HOME=$BATS_FILE_TMPDIR XDG_DATA_HOME=$BATS_FILE_TMPDIR

setup() {
	common_setup
	"$LOCKRUN" demo:v1:leader:a -- true
	"$LOCKRUN" demo:v1:mutation:b -- true
	"$LOCKRUN" -d "$PWD/other" other:v1:leader:c -- true
	# A command that every shell can find, and none other begins like it.
	mkdir bin
	PATH=$PWD/bin:$PATH
	printf '#!/bin/sh\n' >bin/zyxwv
	chmod +x bin/zyxwv
}

# LINE => what has to be offered at its end, the same in each shell.
lines_and_offers() {
	sed "s|OTHER|$PWD/other|" <<'END'
lockrun s => signal stats status stop
lockrun che => check
lockrun demo => demo:v1:leader:a demo:v1:mutation:b
lockrun demo:v1:m => demo:v1:mutation:b
lockrun -n demo:v1: => demo:v1:leader:a demo:v1:mutation:b
lockrun run -w 5 -nv demo:v1:l => demo:v1:leader:a
lockrun -d OTHER o => other:v1:leader:c
lockrun --dir=OTHER o => other:v1:leader:c
lockrun stop demo => demo:v1:leader:a demo:v1:mutation:b
lockrun stop --dir OTHER o => other:v1:leader:c
lockrun status demo:v1:leader:a demo:v1:m => demo:v1:mutation:b
lockrun signal demo:v1:leader:a U => USR1 USR2
lockrun signal demo:v1:leader:a Q => QUIT
lockrun watch --until-end demo:v1:m => demo:v1:mutation:b
lockrun stats demo:v1:leader:a demo:v1:m => demo:v1:mutation:b
lockrun doctor bi => bin
lockrun doctor demo => 
lockrun doctor --repair --floor 5 demo:v1:m => demo:v1:mutation:b
lockrun prune demo => 
lockrun prune --older-than 9 => 90d
lockrun check demo:v1:m => demo:v1:mutation:b
lockrun fence demo => 
lockrun fence bi => bin
lockrun fence --h => --help
lockrun fence -- bi => bin
lockrun fence file zyx => zyxwv
lockrun fence file -- zyx => zyxwv
lockrun --max => --max-hold --max-terms --max-waiters
lockrun status --j => --json
lockrun stop --re => --reason
lockrun stop --f => --force
lockrun stop --generation 5 demo:v1:l => demo:v1:leader:a
lockrun --rep => --replace
lockrun --complain-after 6h demo:v1:l => demo:v1:leader:a
lockrun --complain-after 3 => 30s
lockrun -k n => never
lockrun -nk n => never
lockrun --leftovers k => kill
lockrun --after-lost re => refuse
lockrun --yield -d OTHER o => other:v1:leader:c
lockrun name --kind si => single-flight
lockrun demo:v1:leader:a zyx => zyxwv
lockrun demo:v1:leader:a -- zyx => zyxwv
lockrun -n -m 5m demo:v1:leader:a -- zyx => zyxwv
lockrun run -n demo:v1:leader:a -- zyx => zyxwv
lockrun demo:v1:leader:a zyxwv --max => 
lockrun demo:v1:leader:a -- zyxwv demo => 
lockrun stop --max => 
END
}

# Completing the arguments of the command is left to what completes the command itself.
lines_of_the_command() {
	echo 'lockrun demo:v1:leader:a ls --si => --si --size'
	echo 'lockrun -n demo:v1:leader:a -- ls --si => --si --size'
}

# offers EXPECTED COMMAND...: a shell offers for each of the lines in EXPECTED what it says; whether
# a directory's slash is part of that differs between shells.
offers() {
	local expected=$1 lines
	shift
	mapfile -t lines < <(sed 's/ => .*//' <<<"$expected")
	diff <(echo "$expected") <("$@" "$PLACE" "${lines[@]}" 3>&- | sed 's|/$||') >&2
}

@test "bash" {
	offers "$(lines_and_offers)" "$SHELLS/complete.bash"
}

@test "bash hands on to bash-completion, where that is loaded" {
	# Its function is given the place in COMP_WORDS, which is cut at colons as well.
	_command_offset() { COMPREPLY=("${COMP_WORDS[*]:$1}"); }
	export -f _command_offset
	run -0 "$SHELLS/complete.bash" "$PLACE" 'lockrun -n demo:v1:leader:a -- zyxwv on'
	[ "$output" = 'lockrun -n demo:v1:leader:a -- zyxwv on => zyxwv on' ]
}

@test "zsh" {
	offers "$(lines_and_offers; lines_of_the_command)" "$SHELLS/complete.zsh"
}

@test "fish" {
	offers "$(lines_and_offers; lines_of_the_command)" "$SHELLS/complete.fish"
}
