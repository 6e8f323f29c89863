#!/usr/bin/env bats
# A lock has a name that says whose it is, and a bad name is refused before the disk is touched.
load helper

nothing_was_made() { [ ! -e "$LOCKRUN_DIR" ]; }

# name_in_hint: the name that the last message ends in.
name_in_hint() { echo "${output##* }"; }

# Rows of a bad name, a tab, and what its message says.
bad_names() {
	cat <<-'ROWS'
		|is empty
		:v1:leader:sync|begin with the application
		demo|protocol version (v1, v2, ...) is missing
		demo:leader:sync|protocol version (v1, v2, ...) is missing
		demo:v01:leader:sync|without leading zeros
		demo:3:leader:sync|without leading zeros
		demo:v1|kind of lock (leader, mutation, migration, single-flight) is missing
		demo:v1:Leader:sync|kind of lock must be small letters
		demo:v1:leader|resource is missing
		demo:v1:leader:sync:|a part of the lock name is empty
		demo:v1:leader:.sync|does not begin with a letter or digit
		demo:v1:leader:a/b|holds only letters, digits
	ROWS
}

@test "each kind of mistake has its own message, ending in a name that would do" {
	local name says
	while IFS='|' read -r name says; do
		run -64 "$LOCKRUN" -- "$name" true
		echo "$name: $output"
		[[ "$output" == "lockrun: \"$name\": "*"$says"*"; a name that would do: "* ]]
		[ "${#lines[@]}" -eq 1 ]
		nothing_was_made
		run -0 "$LOCKRUN" name "$(name_in_hint)"
	done < <(bad_names)
	nothing_was_made
}

@test "names from other worlds are refused, and none reaches the disk" {
	local name
	for name in leader lock sync main a/b .. . ../../x:v1:y / '*' 'a b:v1:leader:x' \
	    $'demo:v1:leader:x\n' $'demo:v1:leader:\tx' 'demo:v1:leader:ü' $'demo:v1:leader:\xed\xa0' \
	    $'demo:v1:leader:\xc0\xaf' $'demo:v1:leader:\xef\xbf\xbf' - -foo:v1:leader:x; do
		run -64 "$LOCKRUN" -- "$name" touch ran
		[ "${#lines[@]}" -eq 1 ]
		run -0 "$LOCKRUN" name "$(name_in_hint)"
	done
	[ ! -e ran ]
	nothing_was_made
}

@test "what a message shows of a bad name is printable" {
	run -64 "$LOCKRUN" -- $'demo:v1:leader:\e[31m\nx' true
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" != *$'\e'* ]]
	[[ "$output" == *'\^[[31m\nx'* || "$output" == *'\033[31m\nx'* ]]
}

@test "200 bytes are a name, 201 are not" {
	local name=demo:v1:leader:
	name+=$(printf "%0$((200 - ${#name}))d" 0)
	run -0 "$LOCKRUN" "$name" true
	run -64 "$LOCKRUN" "${name}0" true
	[[ "$output" == *"longer than 200 bytes"* ]]
	[ "$(ls "$LOCKRUN_DIR")" = "$name" ]
	# shellcheck disable=SC2046
	run -64 "$LOCKRUN" $(printf '%05000d' 0) true
	[[ "$output" == *"longer than 200 bytes"* ]]
}

@test "names of every shape that the grammar has are accepted" {
	local name
	for name in a:v0:b:c 0:v10:x-1:0 A.b_c-d:v3:leader:R.s_t-u:user:123 x-anything:v1:leader:y; do
		run -0 "$LOCKRUN" "$name" printenv LOCKRUN_NAME
		[ "$output" = "$name" ]
		[ -d "$LOCKRUN_DIR/$name" ]
	done
}

@test "other versions, kinds and scopes are other locks" {
	hold demo:v3:leader:sync
	local name
	for name in demo:v30:leader:sync demo:v4:leader:sync demo:v3:mutation:sync demo:v3:leader:sync:eu; do
		run -0 "$LOCKRUN" -n "$name" true
	done
	release demo:v3:leader:sync
}

@test "the name tool explains a name and touches nothing" {
	run -0 "$LOCKRUN" name shop:v3:leader:auth-refresh:user:123
	[ "${lines[0]}" = shop:v3:leader:auth-refresh:user:123 ]
	[[ "$output" == *"app       shop"* ]]
	[[ "$output" == *"protocol  v3"* ]]
	[[ "$output" == *"kind      leader: "*"queue"* ]]
	[[ "$output" == *"resource  auth-refresh"* ]]
	[[ "$output" == *"scope     user:123"* ]]
	nothing_was_made
}

@test "known kinds come with the options that suit them, others are allowed" {
	run -0 "$LOCKRUN" name a:v1:single-flight:x
	[[ "$output" == *"-n skips"* ]]
	run -0 "$LOCKRUN" name a:v1:mutation:x
	[[ "$output" == *"--max-hold"* ]]
	run -0 "$LOCKRUN" name a:v1:migration:x
	[[ "$output" == *"without -n"* ]]
	run -0 "$LOCKRUN" name a:v1:backup:x
	[[ "$output" != *remark* ]]
}

@test "a kind that is a slip away from a known one is remarked on" {
	local kind
	for kind in leadr laeder leaderr single-fligth; do
		run -0 "$LOCKRUN" name "a:v1:$kind:x"
		[[ "$output" == *"did you mean the kind"* ]]
		run -0 "$LOCKRUN" -v "a:v1:$kind:x" true
		[[ "$output" == *"kind \"$kind\" is close to"* ]]
		run -0 "$LOCKRUN" "a:v1:$kind:x" true
		[ -z "$output" ]
	done
}

@test "the name tool builds a name, with as many scopes as there are" {
	run -0 "$LOCKRUN" name --app shop --protocol 3 --kind leader --resource auth --scope user --scope 123
	[ "$output" = shop:v3:leader:auth:user:123 ]
	run -0 "$LOCKRUN" name --app shop --protocol v3 --kind leader --resource auth
	[ "$output" = shop:v3:leader:auth ]
	nothing_was_made
}

@test "different inputs build different names, and each is a name" {
	local resource name
	for resource in feature/x feature_x feature_2Fx 'feature x' feature:x feature-x featurex _ x_ x_5F \
	    _5F x x_5F_ - .x x.x ü $'\n' 'a b' a_20b ' ' / //; do
		name=$("$LOCKRUN" name --app a --protocol 1 --kind leader --resource "$resource")
		echo "$name"
		"$LOCKRUN" name "$name" >explained
		echo "$name" >>built
	done
	[ "$(sort built | uniq -d | wc -l)" -eq 0 ]
	grep -qx 'a:v1:leader:feature_2Fx' built
	nothing_was_made
}

@test "what the name tool cannot build it refuses, with a name that would do" {
	run -64 "$LOCKRUN" name --app shop --kind leader --resource x
	[[ "$output" == "lockrun: --protocol: it is missing, and no name can be built without it; usage: lockrun name "* ]]
	run -64 "$LOCKRUN" name --app shop --protocol 03 --kind leader --resource x
	[[ "$output" == *"leading zeros"* ]]
	run -64 "$LOCKRUN" name --app shop --protocol 3 --kind 'a:b' --resource x
	[[ "$output" == *"kind of lock must be"* ]]
	run -64 "$LOCKRUN" name --app shop --protocol 3 --kind leader
	[[ "$output" == "lockrun: --resource: it is missing"* ]]
	run -64 "$LOCKRUN" name --scope x --protocol 3 --kind leader --resource x
	[[ "$output" == "lockrun: --app: it is missing"* ]]
	run -64 "$LOCKRUN" name --app shop --protocol 3 --resource x
	[[ "$output" == "lockrun: --kind: it is missing"* ]]
	run -64 "$LOCKRUN" name --app shop --protocol 3 --kind leader --resource "$(printf '%0300d' 0)"
	[[ "$output" == *"longer than 200"* ]]
	run -64 "$LOCKRUN" name
	run -64 "$LOCKRUN" name a:v1:leader:x b:v1:leader:y
	nothing_was_made
}

@test "a slip in a subcommand is told from a bad lock name" {
	local word
	for word in satus stauts statuss; do
		run -64 "$LOCKRUN" "$word"
		[[ "$output" == "lockrun: \"$word\": neither a lock name nor a subcommand; "*"did you mean"*"lockrun status"* ]]
		run -64 "$LOCKRUN" "$word" "$LOCK"
		[[ "$output" == *"did you mean"*"lockrun status"* ]]
		run -64 "$LOCKRUN" "$word" -- true
		[[ "$output" == *"did you mean"*"lockrun status"* ]]
	done
	run -64 "$LOCKRUN" stpo "$LOCK"
	[[ "$output" == *"lockrun stop"* ]]
	run -64 "$LOCKRUN" chekc
	[[ "$output" == *"lockrun check"* ]]
	nothing_was_made
}

@test "a word that is no slip of a subcommand may have been meant for a name" {
	run -64 "$LOCKRUN" frobnicate
	[ "$output" = 'lockrun: "frobnicate": neither a lock name nor a subcommand; lockrun --help lists the subcommands; a name that would do: frobnicate:v1:leader:main' ]
	run -64 "$LOCKRUN" leader
	[[ "$output" == *"--help"*"a name that would do: "*":v1:leader:"* ]]
	run -64 "$LOCKRUN" leader -- true
	[[ "$output" == *"protocol version"*"a name that would do: "*":v1:leader:"* ]]
	nothing_was_made
}

@test "other programs' words for a subcommand are answered with its word" {
	local word meant
	while read -r word meant; do
		run -64 "$LOCKRUN" "$word"
		[ "$output" = "lockrun: \"$word\": neither a lock name nor a subcommand; did you mean $meant?" ]
		run -64 "$LOCKRUN" -q "$word" "$LOCK"
		[[ "$output" == *"did you mean $meant?" ]]
	done <<-'ROWS'
		help "lockrun --help"
		version "lockrun --version"
		list "lockrun status"
		ls "lockrun status"
		ps "lockrun status"
		kill "lockrun stop" or "lockrun signal"
		log "lockrun history"
	ROWS
	# With the two dashes it is a name that has too little.
	run -64 "$LOCKRUN" log -- true
	[[ "$output" == *"protocol version"*"a name that would do: log:v1:leader:main" ]]
	nothing_was_made
}

@test "a file that others lock is answered with a name for it" {
	local file
	for file in /tmp/report.lock ./report.lck ../report report.pid; do
		run -64 "$LOCKRUN" -n "$file" -- true
		[ "$(name_in_hint)" = report:v1:single-flight:main ]
	done
	run -64 "$LOCKRUN" feature/x -- true
	[ "$(name_in_hint)" = feature_2Fx:v1:leader:main ]
	nothing_was_made
}

@test "a subcommand whose options came first is told from a lock name" {
	local word
	for word in run $("$LOCKRUN" --help | sed -n 's/^ *lockrun \([a-z-]*\) .*/\1/p'); do
		run -64 "$LOCKRUN" -v "$word"
		[ "$output" = "lockrun: \"$word\": a subcommand stands before its options; write: lockrun $word ..." ]
		run -64 "$LOCKRUN" -q "$word" --force "$LOCK"
		[[ "$output" == *": a subcommand stands before its options; "* ]]
		run -64 "$LOCKRUN" -d "$PWD/D" "$word"
		case $word in
		check | fence | name) [[ "$output" == *"; write: lockrun $word ..." ]] ;;
		*) [[ "$output" == *"; write: lockrun $word -d $PWD/D ..." ]] ;;
		esac
	done
	[ "$word" != run ] && [ ! -e D ]
	nothing_was_made
}
