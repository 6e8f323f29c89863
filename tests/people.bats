#!/usr/bin/env bats
# What people are told: who is in the way, what happens, and nothing that a command would rather
# keep to itself.
load helper

SINCE='[0-9.]+(ms|s|m[0-9]+s)'
TIME='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z'

# is_like PATTERN TEXT: a whole match of an extended regular expression.
is_like() { [[ "$2" =~ ^$1$ ]] || { echo "not like $1: $2" && return 1; }; }

title_of() { tr '\0' ' ' <"/proc/$1/cmdline"; }
is_titled() { [[ "$(title_of "$2")" == *"$1"* ]]; }

# ---- the conflict line ----

@test "a conflict is one line: who holds it, for how long, which generation, how many wait" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" true
	is_like "lockrun: $LOCK: held by pid $HOLDER \(sh\) for $SINCE, generation 1, 0 waiting; nothing was run" "$output"
	release
}

@test "the note of the holder is in the line, and so are those who wait" {
	LOCKRUN_NOTE='build 7, https://ci.example/7' hold
	start "$LOCKRUN" "$LOCK" true
	local first=$STARTED
	start "$LOCKRUN" "$LOCK" true
	local second=$STARTED
	await is_pending 2
	run -75 "$LOCKRUN" -n "$LOCK" true
	is_like "lockrun: $LOCK: held by pid $HOLDER \(sh, build 7, https://ci.example/7\) for $SINCE, generation 1, 2 waiting; nothing was run" "$output"
	run -75 "$LOCKRUN" -w 50ms "$LOCK" true
	is_like "lockrun: $LOCK: held by pid .* generation 1, 2 waiting; gave up after 50ms; nothing was run" "$output"
	release
	ends 0 "$first"
	ends 0 "$second"
}

@test "a holder that does not queue is told from one that does" {
	"$LOCKRUN" "$LOCK" true
	mkfifo go
	start flock "$LOCKRUN_DIR/$LOCK/lock" sh -c 'echo >ready; read -r _ <go'
	await test -s ready
	run -75 "$LOCKRUN" -n "$LOCK" true
	local held="held by a process outside lockrun (pid $STARTED, flock)"
	[ "$output" = "lockrun: $LOCK: $held, 0 waiting; nothing was run" ]
	run -75 "$LOCKRUN" signal "$LOCK" HUP
	[ "$output" = "lockrun: $LOCK: $held, 0 waiting; nobody was asked" ]
	run -75 "$LOCKRUN" watch --until-end "$LOCK"
	[ "$output" = "lockrun: $LOCK: $held, 0 waiting" ]
	run -0 "$LOCKRUN" status "$LOCK"
	[ "${lines[1]}" = "$LOCK: $held, generation 1" ]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"outside":{"pid":'"$STARTED"',"command":"flock"},"processes":[]}]'* ]]
	run -0 "$LOCKRUN" watch -w 1ms "$LOCK"
	[[ "$output" == *" $LOCK: $held, 0 waiting" ]]
	run -0 "$LOCKRUN" stats "$LOCK"
	[ "$(tr -s ' ' <<<"${lines[2]}")" = ' held 1' ]
	for option in --quiet --force --all; do
		run -75 "$LOCKRUN" stop "$option" "$LOCK"
		[ "$output" = "lockrun: $LOCK: held by pid $STARTED (flock), which is not lockrun's and cannot be asked; wait for it, or end it yourself" ]
	done
	# Who waits for it is no holder, and hides none.
	start "$LOCKRUN" "$LOCK" true
	await settled "$STARTED"
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[1]}" == "$LOCK: held by a process outside lockrun (pid "*", flock), generation 1" ]]
	[[ "${lines[2]}" == "  waiter 1     pid $STARTED (true) for "* ]]
	run -75 "$LOCKRUN" -n "$LOCK" true
	[ "$output" = "lockrun: $LOCK: $held, 1 waiting; nothing was run" ]
	echo >go
	ends 0 "$STARTED"
	await is_idle
}

is_idle() { [[ "$("$LOCKRUN" status "$LOCK")" == *"$LOCK: idle, generation 2"* ]]; }

@test "a holder that does not queue: who took the lock is gone, and another has it still" {
	"$LOCKRUN" "$LOCK" true
	start bash -c 'exec 9<"$0"; flock 9; echo >ready; exec sleep 600' "$LOCKRUN_DIR/$LOCK/lock"
	await test -s ready
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[1]}" =~ "$LOCK: held by a process outside lockrun (pid $STARTED, "(bash|sleep)"), generation 1" ]]
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	run -0 "$LOCKRUN" status "$LOCK"
	[ "${lines[1]}" = "$LOCK: idle, generation 1" ]
}

@test "quiet: a conflict and a step-down are silent, faults are not" {
	hold
	run -75 "$LOCKRUN" -qn "$LOCK" true
	[ -z "$output" ]
	run -75 "$LOCKRUN" -q -w 20ms "$LOCK" true
	[ -z "$output" ]
	release
	run -124 "$LOCKRUN" -q -m 500ms -k 50ms "$LOCK" sh -c 'trap "" TERM; sleep 600; sleep 600'
	[ -z "$output" ]
	run -64 "$LOCKRUN" -q nonsense true
	[ -n "$output" ]
	run -69 "$LOCKRUN" -q -d /dev/null "$LOCK" true
	[ -n "$output" ]
	run -127 "$LOCKRUN" -q "$LOCK" ./nothing-here
	[ -n "$output" ]
}

@test "nothing is said when all goes well" {
	hold
	start "$LOCKRUN" "$LOCK" true 2>told
	await is_pending 1
	release
	ends 0 "$STARTED"
	[ ! -s told ]
}

# ---- verbose ----

@test "verbose: waiting, leading, ended; off a terminal with the time" {
	hold
	start "$LOCKRUN" -v "$LOCK" sh -c 'exit 3' 2>told
	local waiter=$STARTED
	await grep -q waiting: told
	release
	ends 3 "$waiter"
	mapfile -t lines <told
	[ "${#lines[@]}" -eq 3 ]
	is_like "$TIME lockrun: $LOCK: waiting: held by pid $HOLDER \(sh\) for $SINCE, generation 1, 0 waiting" "${lines[0]}"
	is_like "$TIME lockrun: $LOCK: leading, generation 2, pid [0-9]+, in $LOCKRUN_DIR" "${lines[1]}"
	is_like "$TIME lockrun: $LOCK: ended: failed, with status 3" "${lines[2]}"
}

@test "verbose: each way of ending has its words" {
	run -0 "$LOCKRUN" -v "$LOCK" true
	is_like ".*: ended: finished, with status 0" "${lines[-1]}"
	run -137 "$LOCKRUN" -v "$LOCK" sh -c 'kill -KILL $$'
	is_like ".*: ended: failed, by signal 9 \(Killed\)" "${lines[-1]}"
	run -124 "$LOCKRUN" -v -m 50ms "$LOCK" sleep 600
	is_like ".*: ended: max-hold, by signal 15 \(Terminated\)" "${lines[-1]}"
}

@test "verbose: on a terminal there is no time in the line" {
	run -0 script -qec "'$LOCKRUN' -v '$LOCK' true" /dev/null </dev/null
	is_like "lockrun: $LOCK: leading, generation 1, pid [0-9]+, in $LOCKRUN_DIR"$'\r' "${lines[0]}"
}

@test "verbose: another version that is led is remarked on" {
	hold demo:v3:leader:sync
	run -0 "$LOCKRUN" -v demo:v4:leader:sync true
	[[ "$output" == *"demo:v4:leader:sync: demo:v3:leader:sync is led as well"* ]]
	run -0 "$LOCKRUN" -v demo:v4:leader:other true
	[[ "$output" != *"as well"* ]]
	run -0 "$LOCKRUN" demo:v4:leader:sync true
	[ -z "$output" ]
	release demo:v3:leader:sync
	run -0 "$LOCKRUN" -v demo:v4:leader:sync true
	[[ "$output" != *"as well"* ]]
}

# ---- status ----

@test "status: who leads, who waits, in order, with their notes" {
	LOCKRUN_NOTE='the first' hold
	start "$LOCKRUN" --note 'the second' "$LOCK" true
	local second=$STARTED
	await is_pending 1
	start "$LOCKRUN" "$LOCK" sh -c :
	local third=$STARTED
	await is_pending 2
	run -0 "$LOCKRUN" status "$LOCK"
	is_like "in $LOCKRUN_DIR, as of $TIME" "${lines[0]}"
	is_like "$LOCK: led, generation 1" "${lines[1]}"
	is_like " +leader +pid $HOLDER \(sh as [0-9]+, the first\) for $SINCE, since .*Z" "${lines[2]}"
	is_like " +waiter 1 +pid $second \(true, the second\) for $SINCE" "${lines[3]}"
	is_like " +waiter 2 +pid $third \(sh\) for $SINCE" "${lines[4]}"
	[ "${#lines[@]}" -eq 5 ]
	release
	ends 0 "$second"
	ends 0 "$third"
}

@test "status: an idle lock tells how its last term ended" {
	"$LOCKRUN" "$LOCK" true
	run -0 "$LOCKRUN" status "$LOCK"
	is_like "$LOCK: idle, generation 1" "${lines[1]}"
	is_like " +last term +generation 1 finished, $SINCE ago" "${lines[2]}"
	"$LOCKRUN" "$LOCK" sh -c 'exit 3' || true
	run -0 "$LOCKRUN" status "$LOCK"
	is_like " +last term +generation 2 failed, status 3, $SINCE ago" "${lines[2]}"
	"$LOCKRUN" "$LOCK" sh -c 'kill -KILL $$' || true
	run -0 "$LOCKRUN" status "$LOCK"
	is_like " +last term +generation 3 failed by signal 9 \(Killed\), $SINCE ago" "${lines[2]}"
}

@test "status: where lockrun and its command were killed the end is not known" {
	lead "$LOCK" sh -c 'echo $$ >ready; exec sleep 600' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	kill -KILL "$leader" "$(cat ready)"
	ends 137 "$leader"
	await is_gone "$(cat ready)"
	run -0 "$LOCKRUN" status "$LOCK"
	is_like "$LOCK: idle, generation 1" "${lines[1]}"
	[[ "${lines[2]}" == *"its end is not known" ]]
}

@test "status: of several locks, of all, and of one that nobody ever used" {
	"$LOCKRUN" demo:v1:leader:b true
	"$LOCKRUN" demo:v1:leader:a true
	run -0 "$LOCKRUN" status
	[ "$(grep -c ': idle' <<<"$output")" -eq 2 ]
	[[ "${lines[1]}" == demo:v1:leader:a:* ]]
	run -0 "$LOCKRUN" status demo:v1:leader:b "$LOCK"
	[[ "${lines[1]}" == "demo:v1:leader:b: idle, generation 1" ]]
	[[ "${lines[3]}" == "$LOCK: idle; no lock of this name here" ]]
	[ ! -e "$LOCKRUN_DIR/$LOCK" ]
}

# absent REST STATUS WORD [OPTION...]: what a subcommand says of a lock that is not there.
absent() {
	local rest=$1 status=$2 word=$3
	shift 3
	run "-$status" "$LOCKRUN" "$word" "$@"
	[[ "$output" == "lockrun: $LOCK: "*"; $rest"* && ${#lines[@]} -eq 1 ]]
}

@test "a name or a directory that is not there may be mistyped: each that asks for it says so" {
	local rest
	for rest in "there is no directory $LOCKRUN_DIR" "$LOCKRUN_DIR has no lock of this name"; do
		absent "$rest" 0 stop "$LOCK"
		absent "$rest" 0 watch --until-end "$LOCK"
		absent "$rest" 75 signal "$LOCK" HUP
		absent "$rest" 0 history "$LOCK"
		run -0 "$LOCKRUN" stats "$LOCK"
		[ "${lines[0]}" = "$LOCK: no lock of this name here" ]
		run -0 "$LOCKRUN" status "$LOCK"
		[ "${lines[1]}" = "$LOCK: idle; no lock of this name here" ]
		[[ "$rest" == *' has no '* || "${lines[0]}" == "in $LOCKRUN_DIR (does not exist), as of "* ]]
		# Not a word in what programs read.
		run -0 --separate-stderr "$LOCKRUN" history --json "$LOCK"
		[[ "$output" == *'"terms":[]'* && -z "$stderr" ]]
		run -0 "$LOCKRUN" stats --prometheus "$LOCK"
		[[ "$output" != *'no lock'* ]]
		"$LOCKRUN" demo:v1:leader:other true
	done
	[ ! -e "$LOCKRUN_DIR/$LOCK" ]
	"$LOCKRUN" "$LOCK" true
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: nobody leads now" ]
}

@test "status: makes nothing, and says so of an empty place" {
	run -0 "$LOCKRUN" status
	[ "${lines[1]}" = 'no locks' ]
	run -0 "$LOCKRUN" status --json
	[[ "$output" == *'"locks":[]}' ]]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *"\"name\":\"$LOCK\",\"generation\":0"*'"held":[],"pending":[]'*'"last_term":null'* ]]
	[ ! -e "$LOCKRUN_DIR" ]
}

@test "status: another version that is led is remarked on" {
	hold demo:v3:leader:sync
	run -0 "$LOCKRUN" status demo:v4:leader:sync
	[[ "$output" == *"demo:v3:leader:sync is led as well"* ]]
	run -0 "$LOCKRUN" status --json demo:v4:leader:sync
	[[ "$output" == *'"other_versions":["demo:v3:leader:sync"]'* ]]
	release demo:v3:leader:sync
}

@test "shared: status and watch speak of holders, and of no generation" {
	"$LOCKRUN" "$LOCK" true
	contend one -s "$LOCK"
	local one=$STARTED
	await leads one
	start "$LOCKRUN" watch "$LOCK" >watched
	local watcher=$STARTED
	await grep -q shared watched
	contend other -s "$LOCK"
	local other=$STARTED
	await leads other
	run -0 "$LOCKRUN" status "$LOCK"
	[ "${lines[1]}" = "$LOCK: shared" ]
	is_like " +holder +pid $one \(sh as [0-9]+\) for $SINCE, since .*Z" "${lines[2]}"
	is_like " +holder +pid $other \(sh as [0-9]+\) for $SINCE, since .*Z" "${lines[3]}"
	await grep -q 'and 1 more' watched
	let_end one
	let_end other
	await grep -q idle watched
	run -0 "$LOCKRUN" status "$LOCK"
	[ "${lines[1]}" = "$LOCK: idle, generation 1" ]
	kill "$watcher"
	wait "$watcher" || true
	is_like "$TIME $LOCK: shared by pid $one \(sh\), 0 waiting" "$(sed -n 1p watched)"
	is_like "$TIME $LOCK: shared by pid $one \(sh\) and 1 more, 0 waiting" "$(grep -m1 "and 1 more" watched)"
	run -1 grep generation watched
}

@test "shared: what is left of a killed one shares, and has no generation" {
	"$LOCKRUN" "$LOCK" true
	start "$LOCKRUN" -s "$LOCK" sh -c 'trap "" TERM; echo $$ >ready; while sleep 0.1; do :; done'
	local two=$STARTED
	await test -s ready
	kill -KILL "$two"
	ends 137 "$two"
	run -0 "$LOCKRUN" status "$LOCK"
	[ "${lines[1]}" = "$LOCK: orphaned" ]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"orphaned":true,"unsupervised":false,"held":[{'*'"mode":"shared",'*'"contender":null,"since":null,'*'"generation":null,"health":"orphaned",'* ]]
	run -75 "$LOCKRUN" -n "$LOCK" true
	[ "$output" = "lockrun: $LOCK: shared by what a killed lockrun left behind, 0 waiting; nothing was run" ]
	kill -KILL "$(cat ready)"
	await is_gone "$(cat ready)"
}

@test "watch never names a generation that has not been given" {
	hold
	start "$LOCKRUN" watch "$LOCK" >watched
	local watcher=$STARTED i
	await grep -q led watched
	release
	for i in {1..20}; do
		"$LOCKRUN" "$LOCK" true
	done
	kill "$watcher"
	wait "$watcher" || true
	run -1 grep 'generation 0' watched
}

@test "status: JSON has who holds and who waits, on one line" {
	LOCKRUN_NOTE='say "hi"' hold
	start "$LOCKRUN" "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	run -0 "$LOCKRUN" status --json "$LOCK"
	[ "${#lines[@]}" -eq 1 ]
	is_like "\{\"as_of\":\"$TIME\",\"directory\":\"$LOCKRUN_DIR\",\"locks\":\[\{.*\}\]\}" "$output"
	is_like ".*\"held\":\[\{\"name\":\"$LOCK\",\"state\":\"leading\",\"mode\":\"exclusive\",\"kind\":\"queued\",\"pid\":$HOLDER,[^]]*\"contender\":\"[0-9a-f]{32}\",\"since\":\"$TIME\",\"command\":\"sh\",\"note\":\"say \\\\\"hi\\\\\"\",\"command_pid\":[0-9]+,\"generation\":1,\"health\":\"ok\"[^]]*\}\].*" "$output"
	is_like ".*\"pending\":\[\{\"name\":\"$LOCK\",\"state\":\"waiting\",\"mode\":\"exclusive\",\"kind\":\"queued\",\"pid\":$waiter,[^]]*\"command\":\"true\",\"note\":null,\"joins\":null\}\].*" "$output"
	release
	ends 0 "$waiter"
	run -0 "$LOCKRUN" status --json "$LOCK"
	is_like '.*"last_term":\{"generation":2,"stage":"ended".*"ran":"yes","reason":"finished","status":0,"signal":null,"killed":false\}.*' "$output"
}

@test "the contender is the same in the environment, in status and in the record" {
	run -0 "$LOCKRUN" "$LOCK" sh -c "echo \$LOCKRUN_CONTENDER; '$LOCKRUN' status --json"
	[[ "${lines[1]}" == *"\"held\":["*"\"contender\":\"${lines[0]}\""* ]]
	local contender=${lines[0]}
	run -0 "$LOCKRUN" status --json
	[[ "$output" == *"\"last_term\":{"*"\"contender\":\"$contender\""* ]]
}

@test "status: may be asked by many at once while others take the lock, and disturbs nobody" {
	local i
	for i in 1 2 3; do
		start sh -c 'until [ -e enough ]; do "$0" status >/dev/null || touch wrong; done' "$LOCKRUN"
	done
	for i in {1..30}; do
		"$LOCKRUN" -n "$LOCK" true
	done
	touch enough
	wait
	[ ! -e wrong ]
}

# ---- the process list ----

@test "the process list tells what a lockrun is doing" {
	mkfifo go
	hold
	start "$LOCKRUN" "$LOCK" sh -c 'trap "" TERM; read -r _ <go'
	local waiter=$STARTED
	await is_titled "lockrun: $LOCK: waiting" "$waiter"
	is_titled "lockrun: $LOCK: leading, generation 1, pid $(cat "held.$LOCK")" "$HOLDER"
	release
	await is_titled "lockrun: $LOCK: leading, generation 2, pid " "$waiter"
	kill "$waiter"
	await is_titled "lockrun: $LOCK: stepping down (signal)" "$waiter"
	echo >go
	ends 0 "$waiter"
}

@test "arguments and environment of a command are shown and recorded nowhere" {
	mkfifo go
	hold
	SECRET=hush-env start "$LOCKRUN" "$LOCK" sh -c 'read -r _ <go' /some/hush-argument --password=hush-word
	local waiter=$STARTED
	await is_titled waiting "$waiter"
	[[ "$(title_of "$waiter")" != *hush* ]]
	run -0 "$LOCKRUN" status --json
	[[ "$output" != *hush* ]]
	release
	await is_titled leading "$waiter"
	[[ "$(title_of "$waiter")" != *hush* ]]
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" != *hush* ]]
	run -1 grep -r hush "$LOCKRUN_DIR"
	echo >go
	ends 0 "$waiter"
	run -1 grep -r hush "$LOCKRUN_DIR"
}

@test "a command is shown by its base name only" {
	mkdir hush-directory
	cp "$(command -v sleep)" hush-directory/job
	lead "$LOCK" ./hush-directory/job 600
	await is_holding 1
	await is_titled leading "$STARTED"
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" == *"(job)"* ]]
	[[ "$output" != *hush* ]]
	kill "$STARTED"
	ends 143 "$STARTED"
	run -1 grep -r hush "$LOCKRUN_DIR"
}

@test "a hostile file name cannot write to the terminal of who looks" {
	printf '#!/bin/sh\necho >ready; read -r _ <go\n' >$'bad\e[2J\nname'
	chmod +x ./*name
	mkfifo go
	start "$LOCKRUN" "$LOCK" ./*name
	await test -s ready
	run -0 "$LOCKRUN" status
	[[ "$output" != *$'\e'* ]]
	[ "${#lines[@]}" -eq 3 ]
	run -75 "$LOCKRUN" -n "$LOCK" true
	[[ "$output" != *$'\e'* ]]
	[ "${#lines[@]}" -eq 1 ]
	echo >go
	ends 0 "$STARTED"
}

@test "a message is written with one write, so that lines of many do not mix" {
	hold
	local i
	for i in {1..10}; do
		start "$LOCKRUN" -n "$LOCK" true 2>>told
	done
	await lines_told 10
	[ "$(grep -cE "^lockrun: $LOCK: held by pid $HOLDER .*; nothing was run\$" told)" -eq 10 ]
	release
	wait
}
lines_told() { [ "$(wc -l <told)" -ge "$1" ]; }
