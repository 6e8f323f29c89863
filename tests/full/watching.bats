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
