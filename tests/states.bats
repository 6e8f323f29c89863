#!/usr/bin/env bats
# Whatever an event, a reason or a state may be called: each occurs, in a log that is legal.
load helper
load events

# told_by OPTION... NAME COMMAND...: in the background, with its events added to the one log.
told_by() { lead -q --events "$PWD/log" "$@" 2>/dev/null; }

# comes_to STATUS OPTION...: the same, to its end.
comes_to() {
	told_by "${@:2}"
	ends "$1" "$STARTED"
}

# A command that says that it leads, and goes on.
stays() { printf 'touch ready; exec sleep 600'; }
leads_now() {
	await test -e ready
	rm ready
}

nothing_runs() {
	hold
	comes_to 75 -n "$LOCK" true
	comes_to 75 -w 10ms "$LOCK" true
	told_by "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	comes_to 75 --max-waiters 1 "$LOCK" true
	"$LOCKRUN" stop --all -w 0 "$LOCK" || true
	await is_gone "$waiter"
	wait "$waiter" || true
	await is_gone "$HOLDER"
	wait "$HOLDER" || true
	rm -f "hold.$LOCK" "held.$LOCK"
	comes_to 75 --eligible false "$LOCK" true
	printf '#!/not/there\n' >script
	chmod +x script
	comes_to 127 "$LOCK" ./script
	comes_to 69 -d missing/state "$LOCK" true
}

ends_by_itself() {
	comes_to 0 "$LOCK" true
	comes_to 1 -r --max-terms 2 --backoff 1ms:1ms "$LOCK" false
	comes_to 0 --on-unavailable run -d missing/state "$LOCK" true
}

steps_down() {
	comes_to 124 -m 10ms "$LOCK" sleep 600
	comes_to 124 --watchdog 50ms "$LOCK" sleep 600
	told_by --yield "$LOCK" sh -c "$(stays)"
	local leader=$STARTED
	leads_now
	comes_to 0 "$LOCK" true
	ends 124 "$leader"
	told_by "$LOCK" sh -c "$(stays)"
	leader=$STARTED
	leads_now
	comes_to 0 --replace "$LOCK" true
	ends 124 "$leader"
	told_by "$LOCK" sh -c "$(stays)"
	leads_now
	"$LOCKRUN" stop "$LOCK"
	ends 124 "$STARTED"
	told_by "$LOCK" sh -c "$(stays)"
	leads_now
	kill -TERM "$STARTED"
	ends 143 "$STARTED"
	told_by demo:v1:leader:lost sh -c "$(stays)"
	leads_now
	await rm -rf "${LOCKRUN_DIR:?}/demo:v1:leader:lost"
	ends 124 "$STARTED"
	start sh -c '"$@" & exec sleep 600' sh "$LOCKRUN" -q --die-with-parent --events "$PWD/log" "$LOCK" sh -c "$(stays)"
	leads_now
	kill -KILL "$STARTED"
	await is_gone "$STARTED"
	wait "$STARTED" 2>/dev/null || true
	await no_marked_processes
}

ineligible_while_leading() {
	touch eligible
	told_by --eligible 'test -e eligible' --eligible-every 10ms "$LOCK" sh -c "$(stays)"
	leads_now
	rm eligible
	ends 124 "$STARTED"
}

lost() {
	told_by "$LOCK" sh -c "$(stays)"
	leads_now
	local command
	command=$(children_of "$STARTED")
	kill -STOP "$STARTED"
	kill -KILL "$STARTED"
	await is_gone "$STARTED"
	wait "$STARTED" 2>/dev/null || true
	await is_gone "$command"
	comes_to 77 --after-lost refuse "$LOCK" true
}

joins() {
	told_by "$LOCK" sh -c 'touch ready; exec cat go' 3>&-
	local leader=$STARTED
	leads_now
	told_by --join "$LOCK" true
	local joiner=$STARTED
	await is_pending 1
	timeout "$PATIENCE" sh -c ': >go'
	ends 0 "$leader"
	ends 0 "$joiner"
}

# every WHAT WORD...: each of the words was told as that.
every() {
	local what=$1 word missing=
	shift
	for word; do
		grep -q "\"$what\":\"$word\"" log || missing="$missing $word"
	done
	[ -z "$missing" ] || { echo "$what: never told:$missing" >&2; return 1; }
}

@test "each event and each reason is told at least once, in legal logs" {
	mkfifo go
	nothing_runs
	ends_by_itself
	steps_down
	ineligible_while_leading
	joins
	# Of all but the killed one, which has no last word.
	legal log
	lost
	every type waiting leading stepping-down backoff skipped joined error stopped
	# shellcheck disable=SC2046
	every reason $("$PROBES/interface" | sed -n 's/^reason //p')
}

# shows STATE: whether status says that somebody is in it.
shows() { "$LOCKRUN" status --json "$LOCK" | grep -q "\"state\":\"$1\""; }

@test "each state is seen from outside" {
	"$LOCKRUN" "$LOCK" true
	[[ "$("$LOCKRUN" status "$LOCK")" == *idle* ]]
	mkfifo go
	lead -q "$LOCK" sh -c 'trap "" TERM; touch ready; exec cat go 3>&-'
	local leader=$STARTED
	leads_now
	await shows leading
	lead -q "$LOCK" true
	local waiter=$STARTED
	await shows waiting
	run -75 "$LOCKRUN" stop -q -w 0 "$LOCK"
	await shows stepping-down
	timeout "$PATIENCE" sh -c ': >go'
	ends 124 "$leader"
	ends 0 "$waiter"
	lead -q -r --backoff 1h:1h "$LOCK" false
	await shows backoff
	kill -TERM "$STARTED"
	ends 1 "$STARTED"
	lead -q -r --eligible false "$LOCK" false
	await shows ineligible
	kill -TERM "$STARTED"
	ends 143 "$STARTED"
}
