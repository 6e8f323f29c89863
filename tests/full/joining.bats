#!/usr/bin/env bats
# Sharing a run, where it takes many, or time, or a moment that has to be held open.
# JOIN_ROUNDS (4) of JOINERS (100), JOIN_SEED (random).
load ../helper

# A run in flight, until `land STATUS`.
fly() {
	mkfifo how
	start "$LOCKRUN" "$@" "$LOCK" sh -c 'echo run >>runs; read -r how <how; exit $how'
	FLYING=$STARTED
}
land() { echo "$1" >how; }

join() {
	start "$LOCKRUN" --join "$@" "$LOCK" sh -c 'echo anew >>runs; exit 9' 2>/dev/null
	await has_ticket "$STARTED"
}
knows() { grep -qsx "joins=1" "$LOCKRUN_DIR/$LOCK/q/"*".$1."*; }
all_came() { [ "$(find "$LOCKRUN_DIR/$LOCK/q" -type f -name '[0-9]*' 2>/dev/null | wc -l)" -eq "$1" ]; }

@test "100 arrivals together make one run and 100 equal statuses; those after it run anew" {
	local n
	mkfifo how
	for ((n = 0; n < 100; n++)); do
		start "$LOCKRUN" --join --events log "$LOCK" sh -c 'echo run >>runs; read -r how <how; exit $how' 2>/dev/null
		WAITER[n]=$STARTED
	done
	PATIENCE=120 await all_came 100
	echo 7 >how
	for ((n = 0; n < 100; n++)); do PATIENCE=120 ends 7 "${WAITER[n]}"; done
	[ "$(cat runs)" = run ]
	[ "$(awk -f "$TESTS/events.awk" log)" = 100 ]
	[ "$(grep -c '"type":"joined".*"generation":1,' log)" = 99 ]
	all_came 0
	run -0 "$LOCKRUN" --join "$LOCK" sh -c 'echo anew >>runs'
	[ "$(paste -sd' ' runs)" = 'run anew' ]
}

@test "some of many are killed, whoever leads too: no status of another run, and none without need" {
	run -0 bash "$TESTS/probe/joiners.sh" "$LOCKRUN" "${JOIN_ROUNDS:-4}" "${JOINERS:-100}" "${JOIN_SEED:-$RANDOM}"
	echo "# $output" >&3
	[[ "$output" == *", more than needed 0; statuses shared "*", unknown 0; statuses that lie 0, ends without a reason 0" ]]
}

@test "one who joined and is frozen keeps nobody from the status, also while somebody else leads" {
	fly
	await test -s runs
	join
	frozen_one=$STARTED
	await knows "$frozen_one"
	join
	behind=$STARTED
	await knows "$behind"
	kill -STOP "$frozen_one"
	await frozen "$frozen_one"
	# Before them in the queue, and so next.
	start "$LOCKRUN" --replace "$LOCK" sh -c ': >led; exec sleep 600'
	next=$STARTED
	ends 124 "$FLYING"
	await test -e led
	PATIENCE=60 ends 124 "$behind"
	kill -CONT "$frozen_one"
	ends 124 "$frozen_one"
	run -0 "$LOCKRUN" stop -q "$LOCK"
	ends 124 "$next"
	[ "$(cat runs)" = run ]
}

# stopped_at N OPTION...: a joiner that is stopped after it has looked N times into the queue, or
# into what was left of it.
stopped_at() {
	local n=$1
	shift
	start strace -f -qq -o /dev/null -e trace=getdents64 -e inject=getdents64:signal=STOP:when="$n" \
	    "$LOCKRUN" --join "$@" "$LOCK" sh -c 'echo anew >>runs; exit 9' 2>/dev/null
	TRACER=$STARTED
	await has_child "$TRACER"
	SLOW=$(children_of "$TRACER" | tr -d ' ')
	await frozen "$SLOW"
}
has_child() { [ -n "$(children_of "$1")" ]; }
frozen() { [[ $(state_of "$1") == [Tt] ]]; }

@test "who stands before the leader in the queue, having been slower, joins it all the same" {
	command -v strace >/dev/null || skip "strace is not installed"
	local option
	for option in -q -n; do
		rm -f how runs
		"$LOCKRUN" "$LOCK" true
		# It has chosen its number, and its ticket has no name yet.
		stopped_at 2 $option
		compgen -G "$LOCKRUN_DIR/$LOCK/q/.new-*" >/dev/null
		fly --join
		await test -s runs
		kill -CONT "$SLOW"
		await all_came 2
		[[ $(cd "$LOCKRUN_DIR/$LOCK/q" && ls | head -n 1) == *".$SLOW."*w ]]
		land 5
		ends 5 "$FLYING"
		ends 5 "$TRACER"
		[ "$(cat runs)" = run ]
	done
}

@test "what leads is known also behind one who joins, but has not told yet whom" {
	command -v strace >/dev/null || skip "strace is not installed"
	fly
	await test -s runs
	# It has its ticket, and looks who is ahead.
	stopped_at 4
	has_ticket "$SLOW"
	not knows "$SLOW"
	join
	await knows "$STARTED"
	land 5
	ends 5 "$FLYING"
	PATIENCE=60 ends 5 "$STARTED"
	kill -CONT "$SLOW"
	ends 5 "$TRACER"
	[ "$(cat runs)" = run ]
}

@test "a run whose lockrun is about to be the command was met before, and is not shared all the same" {
	command -v strace >/dev/null || skip "strace is not installed"
	local leader waits
	# Two of its four writes are its ticket's; after the last one it says that nobody will report.
	"$LOCKRUN" "$LOCK" true
	mkfifo how
	start strace -f -o trace -e trace=pwrite64 -e inject=pwrite64:signal=STOP:when=6 \
	    "$LOCKRUN" -F "$LOCK" sh -c 'echo run >>runs; read -r how <how'
	TRACER=$STARTED
	await grep -qs 'stopped by SIGSTOP' trace
	grep -q 'stage=unreported' trace
	leader=$(children_of "$TRACER" | tr -d ' ')
	join
	waits=$STARTED
	await grep -qsx 'joins=2' "$LOCKRUN_DIR/$LOCK/q/"*".$waits."*
	kill -CONT "$leader"
	await test -s runs
	echo >how
	ends 0 "$TRACER"
	ends 9 "$waits"
	[ "$(paste -sd' ' runs)" = 'run anew' ]
}
