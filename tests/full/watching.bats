#!/usr/bin/env bats
# Reading, at length. STATUS_LOOPS (500).
load ../helper

@test "status: hundreds in a loop never turn a try away from a free lock" {
	"$LOCKRUN" "$LOCK" true
	start sh -c 'i=0; while [ $i -lt "$2" ]; do "$0" status "$1" >/dev/null; i=$((i + 1)); done' \
	    "$LOCKRUN" "$LOCK" "${STATUS_LOOPS:-500}"
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

@test "stats --prometheus: a reader that others wrote takes it, and finds the same figures" {
	local python=/usr/bin/python3 # the package is Debian's, and so is this one
	"$LOCKRUN" demo:v1:leader:a true
	"$LOCKRUN" demo:v1:leader:b true
	run -3 "$LOCKRUN" demo:v1:leader:b sh -c 'exit 3'
	hold demo:v1:leader:b
	"$LOCKRUN" stats --prometheus >metrics
	run -0 "$python" - metrics <<-'PYTHON'
		import sys
		from prometheus_client.parser import text_string_to_metric_families

		for family in text_string_to_metric_families(open(sys.argv[1]).read()):
		    assert family.documentation and family.type in ("counter", "gauge"), family
		    values = {sample.labels["lock"][-1]: sample.value for sample in family.samples}
		    assert len(values) == len(family.samples) == 2, family
		    if not family.name.endswith("seconds"):
		        print(family.name, *(f"{lock}={values[lock]:g}" for lock in "ab"))
	PYTHON
	[ "$output" = 'lockrun_generation a=1 b=3
lockrun_held a=0 b=1
lockrun_waiting a=0 b=0
lockrun_finished a=1 b=1
lockrun_failed a=0 b=1
lockrun_stepped_down a=0 b=0
lockrun_not_started a=0 b=0
lockrun_skips a=0 b=0' ]
	release demo:v1:leader:b
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

@test "status and stop: who moves from its rest into the queue while they look is not missed" {
	command -v strace >/dev/null || skip "strace is not installed"
	local opening reader looper words
	for words in status 'stop --all'; do
		hold
		rm -f eligible
		start "$LOCKRUN" -q -r --eligible 'test -e eligible' --eligible-every 10ms "$LOCK" touch led
		looper=$STARTED
		rests() { [ "$(tickets_like '*r')" -eq 1 ]; }
		await rests
		# Stopped when it has opened the ticket of who rests, and before it sees whether that lives.
		strace -y -o trace -e trace=openat "$LOCKRUN" status "$LOCK" >/dev/null
		opening=$(grep -n '/q>, "[0-9.]*xqr"' trace | sed -n '1s/:.*//p')
		# shellcheck disable=SC2086
		start strace -qq -o /dev/null -e trace=openat -e inject=openat:signal=STOP:when="$opening" \
		    "$LOCKRUN" $words "$LOCK" >said 2>&1
		reader=$STARTED
		await eval '[[ "$(state_of "$(children_of $reader | tr -d " ")")" == [Tt] ]]'
		touch eligible
		await is_pending 1
		kill -CONT "$(children_of "$reader" | tr -d ' ')"
		ends 0 "$reader"
		if [ "$words" = status ]; then
			grep -q "^  waiter 1  *pid $looper " said
			kill -TERM "$looper"
			release
		else
			ends 124 "$HOLDER"
			rm -f hold.*
		fi
		ends 143 "$looper"
		[ ! -e led ]
	done
}
