#!/usr/bin/env bats
# Reading, at length.
load ../helper

@test "status: 10,000 in a loop never turn a try away from a free lock" {
	"$LOCKRUN" "$LOCK" true
	start sh -c 'i=0; while [ $i -lt 10000 ]; do "$0" status "$1" >/dev/null; i=$((i + 1)); done' "$LOCKRUN" "$LOCK"
	local tries=0
	until is_gone "$STARTED"; do
		"$LOCKRUN" -n "$LOCK" true || echo "$tries" >>turned_away
		tries=$((tries + 1))
	done
	[ ! -e turned_away ]
	[ "$tries" -gt 100 ]
	ends 0 "$STARTED"
}

# calls_of_status N: how many system calls it takes to show N idle locks.
calls_of_status() {
	local i
	for ((i = $(ls "$LOCKRUN_DIR" 2>/dev/null | wc -l); i < $1; i++)); do
		"$LOCKRUN" "demo:v1:leader:$i" true
	done
	strace -f -o trace "$LOCKRUN" status >/dev/null
	wc -l <trace
}

@test "status: what it costs grows with the locks and not faster, by some 20 system calls each" {
	local few=$(calls_of_status 10) more=$(calls_of_status 20) most=$(calls_of_status 60)
	[ $((more - few)) -le 230 ]
	[ $((most - more)) -le 920 ]
}

@test "status: the JSON is one document that another reader understands" {
	hold
	start "$LOCKRUN" --note 'a "note" \ ü' "$LOCK" true
	await is_pending 1
	"$LOCKRUN" status --json >document
	run -0 python3 -c 'import json; d = json.load(open("document"))["locks"][0]; print(len(d["held"]), d["pending"][0]["note"])'
	[ "$output" = '1 a "note" \ ü' ]
	release
	ends 0 "$STARTED"
}
