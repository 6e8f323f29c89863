#!/usr/bin/env bats
# --join: those who come while a run is in flight share it, and get its status. Never that of
# another run.
load helper

# ran LABEL...: whose commands ran, one after the other; those with --join and those without.
ran() { [ "$(paste -sd' ' runs 2>/dev/null)" = "$*" ]; }
has_run() { grep -qsx "$1" runs; }

# fly LABEL [OPTION...]: a run in the background, in flight until `land LABEL HOW`, which the shell
# that is its command does then.
fly() {
	local label=$1
	shift
	mkfifo "$label.how"
	start "$LOCKRUN" "$@" "$LOCK" sh -c 'echo $0 >>runs; read -r how <"$0.how"; eval "$how"' "$label"
	FLYING[$label]=$STARTED
}
declare -gA FLYING
flies() {
	fly "$@"
	await has_run "$1"
}
land() {
	echo "$2" >"$1.how"
	rm -f "$1.how"
}

# join LABEL [OPTION...]: a joiner in the background, that has queued up; should it run, it exits
# with 9.
join() {
	local label=$1
	shift
	start "$LOCKRUN" --join --events "$label.log" "$@" "$LOCK" \
	    sh -c 'echo $0 >>runs; exit 9' "$label" 2>"$label.said"
	JOINER[$label]=$STARTED
	await grep -qs '^{"type":"waiting",' "$label.log"
}
declare -gA JOINER

# knows LABEL [GENERATION]: it has told in its ticket which run it waits for.
knows() { grep -qsx "joins=${2:-1}" "$LOCKRUN_DIR/$LOCK/q/"*".${JOINER[$1]}."*; }

# joined STATUS LABEL...: they end with that, and their events are those of a shared run.
joined() {
	local status=$1 label
	shift
	for label; do
		ends "$status" "${JOINER[$label]}"
		awk -f "$TESTS/events.awk" "$label.log"
		grep -q '^{"type":"joined",' "$label.log"
		grep -q '^{"type":"stopped",.*"ran":"yes",' "$label.log"
	done
}

# ran_itself STATUS LABEL: it led.
ran_itself() {
	ends "$1" "${JOINER[$2]}"
	awk -f "$TESTS/events.awk" "$2.log"
	not grep -q '"type":"joined"' "$2.log"
	has_run "$2"
}

frozen() { [ "$(state_of "$1")" = T ]; }
all_came() { [ "$(find "$LOCKRUN_DIR/$LOCK/q" -type f -name '[0-9]*' 2>/dev/null | wc -l)" -eq "$1" ]; }

# ---- one run ----

@test "ten arrivals together make one run and ten equal statuses" {
	local n
	mkfifo how
	for n in 1 2 3 4 5 6 7 8 9 10; do
		start "$LOCKRUN" --join --events log "$LOCK" sh -c 'echo run >>runs; read -r how <how; exit $how' 2>said
		WAITER[n]=$STARTED
	done
	await all_came 10
	echo 7 >how
	for n in 1 2 3 4 5 6 7 8 9 10; do ends 7 "${WAITER[n]}"; done
	ran run
	[ "$(awk -f "$TESTS/events.awk" log)" = 10 ]
	[ "$(grep -c '"type":"joined".*"generation":1,' log)" = 9 ]
	[ "$(grep -c '"type":"stopped".*"generation":1,"ran":"yes","status":7,' log)" = 10 ]
	all_came 0
}

@test "who comes after the end runs anew" {
	flies first
	join a
	land first 'exit 0'
	joined 0 a
	ends 0 "${FLYING[first]}"
	run -3 "$LOCKRUN" --join "$LOCK" sh -c 'echo anew >>runs; exit 3'
	ran first anew
}

@test "who comes after the end runs anew, also while others who joined are on their way out" {
	flies first
	join a
	await knows a
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	land first 'exit 3'
	ends 3 "${FLYING[first]}"
	join b
	kill -CONT "${JOINER[a]}"
	joined 3 a
	ran_itself 9 b
}

@test "whatever leads is joined, with --join or without, and through those who joined before" {
	flies plain
	join a
	join b -n
	join c -w 1h
	land plain 'exit 4'
	joined 4 a b c
	ends 4 "${FLYING[plain]}"
	flies joiner --join
	join d
	land joiner 'exit 5'
	joined 5 d
	ends 5 "${FLYING[joiner]}"
	ran plain joiner
}

@test "those who do not join keep their places, and lead once each" {
	flies first
	line_up 1 1
	join a
	line_up 2 2
	join b
	land first 'exit 3'
	joined 3 a b
	ends 0 "${WAITER[1]}"
	ends 0 "${WAITER[2]}"
	[ "$(paste -sd' ' order)" = '1 2' ]
	ran first
}

@test "a run that is about to be is joined: one who waits behind those who share" {
	contend sharer -s "$LOCK"
	await leads sharer
	fly next
	await is_pending 1
	join a
	join b -n
	let_end sharer
	await has_run next
	land next 'exit 5'
	joined 5 a b
	ran next
}

@test "the run that was waited for is shared, and not the one after it" {
	contend sharer -s "$LOCK"
	await leads sharer
	fly next
	await is_pending 1
	join a
	let_end sharer
	await has_run next
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	land next 'exit 5'
	ends 5 "${FLYING[next]}"
	run -6 "$LOCKRUN" -n "$LOCK" sh -c 'exit 6'
	kill -CONT "${JOINER[a]}"
	joined 5 a
	ran next
}

@test "a run that began after a joiner came is shared, though no ticket told of it" {
	contend sharer -s "$LOCK"
	await leads sharer
	join a
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	let_end sharer
	run -5 "$LOCKRUN" -n "$LOCK" sh -c 'echo other >>runs; exit 5'
	kill -CONT "${JOINER[a]}"
	joined 5 a
	ran other
}

# ---- which status ----

@test "the status is the run's own, and 128 and the signal that it died by" {
	local how status=3
	for how in 'exit 3' 'kill -KILL $$' 'kill -HUP $$'; do
		flies run
		join a
		land run "$how"
		joined "$status" a
		grep -q ': joined generation [0-9]* of pid [0-9]* (sh): failed, ' a.said ||
			grep -q ': joined generation [0-9]* of pid [0-9]* (sh): failed by signal ' a.said
		ends "$status" "${FLYING[run]}"
		[ "$status" = 3 ] && status=137 || status=129
		rm runs a.log
	done
}

@test "-E is for a lock that was not acquired, not for a status that was shared" {
	flies run
	join a -E 0
	join b --command-status-map 40
	land run 'exit 75'
	joined 75 a
	joined 40 b
	grep -q 'the command did run, and exited with 75' a.said
	ends 75 "${FLYING[run]}"
}

@test "124 when the run was made to step down, or with --preserve-status what the command made of it" {
	flies run
	join a
	join b --preserve-status
	run -0 "$LOCKRUN" stop --reason deploy "$LOCK"
	joined 124 a
	joined 143 b
	grep -q '"type":"stopped".*"signal":15,"reason":"stop"' a.log
	grep -q 'joined generation 1 of pid .*: stop by signal 15' a.said
	ends 124 "${FLYING[run]}"
}

@test "124 when the run was replaced; what replaces it is another run" {
	flies run
	join a
	await knows a
	fly new --replace
	joined 124 a
	ends 124 "${FLYING[run]}"
	await has_run new
	join b
	land new 'exit 0'
	joined 0 b
	ran run new
}

@test "the lock is lost: those who joined get what became of its leader, and nothing of the new lock" {
	flies run
	join a
	await knows a
	await rm -rf "${LOCKRUN_DIR:?}/$LOCK"
	run -0 "$LOCKRUN" "$LOCK" true
	joined 124 a
	ends 124 "${FLYING[run]}"
}

# ---- no status to share ----

@test "a run that never started is not shared: the first who joined runs, the others join that" {
	"$LOCKRUN" "$LOCK" true
	printf '#!/bin/sh\n' >gone
	chmod +x gone
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	start "$LOCKRUN" --join "$LOCK" ./gone 2>said
	first=$STARTED
	await has_ticket "$first"
	join a
	join b
	rm gone
	foreign_ends
	ends 127 "$first"
	ran_itself 9 a
	joined 9 b
	ran a
}

@test "a run that was lost is not shared: the first who joined runs, the others join that" {
	flies run
	join a
	join b
	join c
	await knows c
	command=$(children_of "${FLYING[run]}")
	kill -KILL "${FLYING[run]}" "$command"
	ends 137 "${FLYING[run]}"
	ran_itself 9 a
	joined 9 b c
	ran run a
}

@test "a run that was lost: 74 for those who let a person look first" {
	flies run
	join a --after-lost refuse
	join b --after-lost refuse
	join c --after-lost refuse
	join d
	join e --after-lost refuse
	await knows e
	# It does not take one of those who joined for the run itself.
	kill -KILL "${JOINER[b]}"
	ends 137 "${JOINER[b]}"
	command=$(children_of "${FLYING[run]}")
	kill -KILL "${FLYING[run]}" "$command"
	ends 137 "${FLYING[run]}"
	for label in a c e; do
		ends 74 "${JOINER[$label]}"
		grep -q ': generation 1: the run that was joined was lost: its end is not on record; ' "$label.said"
		awk -f "$TESTS/events.awk" "$label.log"
		grep -q '"type":"stopped".*"ran":"maybe","status":74,' "$label.log"
	done
	ran_itself 9 d
	ran run d
	flies run2
	join f --after-lost refuse
	await knows f 3
	kill -KILL "${FLYING[run2]}"
	ends 137 "${FLYING[run2]}"
	ends 74 "${JOINER[f]}"
	# Who comes after that has joined nothing.
	run -77 "$LOCKRUN" --join --after-lost refuse "$LOCK" touch barged
	[ ! -e barged ]
}

@test "one who joined is killed: those behind it still get the status, also with --after-lost refuse" {
	flies run
	join a
	join b --after-lost refuse
	await knows b
	kill -KILL "${JOINER[a]}"
	ends 137 "${JOINER[a]}"
	land run 'exit 3'
	joined 3 b
	ends 3 "${FLYING[run]}"
}

@test "a run that goes on although its lockrun was killed is waited for, and then run anew, once" {
	flies run
	land run 'trap "" TERM; echo deaf >>runs; mkfifo last; read -r how <last; echo end >>runs'
	await has_run deaf
	join a
	await knows a
	kill -KILL "${FLYING[run]}"
	ends 137 "${FLYING[run]}"
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	join b
	kill -CONT "${JOINER[a]}"
	not has_run a
	echo >last
	ran_itself 9 a
	joined 9 b
	ran run deaf end a
}

@test "a run without supervision is not shared" {
	mkfifo how
	start "$LOCKRUN" -F "$LOCK" sh -c 'echo run >>runs; read -r how <how'
	unsupervised=$STARTED
	await has_run run
	run -75 "$LOCKRUN" -n --join "$LOCK" touch barged
	join a
	join b
	echo >how
	ends 0 "$unsupervised"
	ran_itself 9 a
	joined 9 b
	ran run a
}

# ---- those who do not see the end ----

@test "late: 75 after -w, or what -E says; the run goes on, and others still get its status" {
	flies run
	join early -w 100ms
	join earlier -w 50ms -E 8
	join a
	ends 75 "${JOINER[early]}"
	grep -q 'held by pid .* gave up after 100ms; nothing was run' early.said
	grep -q '"type":"skipped".*"reason":"late"' early.log
	ends 8 "${JOINER[earlier]}"
	land run 'exit 3'
	joined 3 a
	ends 3 "${FLYING[run]}"
	ran run
}

@test "a signal ends the wait of one who joins, and nobody else's" {
	flies run
	join a
	join b
	join c
	join d
	kill -TERM "${JOINER[a]}"
	ends 143 "${JOINER[a]}"
	grep -q '"type":"stopped".*"ran":"no".*"reason":"signal"' a.log
	kill -KILL "${JOINER[c]}"
	ends 137 "${JOINER[c]}"
	land run 'exit 3'
	joined 3 b d
	ends 3 "${FLYING[run]}"
	ran run
}

# thawed_after N: how it ends for one who joined and is frozen until N further terms have begun.
thawed_after() {
	local n
	flies run
	join a
	await knows a
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	land run 'exit 3'
	ends 3 "${FLYING[run]}"
	# The first one has to find out that it is frozen.
	for ((n = 0; n < $1; n++)); do "$LOCKRUN" -n "$LOCK" true; done
	kill -CONT "${JOINER[a]}"
}

@test "frozen for 63 further terms: the status is still on record" {
	thawed_after 63
	joined 3 a
	ran run
}

@test "frozen for 64 further terms: 74, and none of their statuses" {
	thawed_after 64
	ends 74 "${JOINER[a]}"
	grep -q ': generation 1: the record of the run that was joined is gone: 64 further terms began' a.said
	[ "$(awk -f "$TESTS/events.awk" a.log)" = 1 ]
	grep -q '"type":"stopped".*"ran":"maybe","status":74,' a.log
	ran run
}

@test "the same generation once more, of another contender: 74, and not its status" {
	"$LOCKRUN" "$LOCK" true
	cp "$LOCKRUN_DIR/$LOCK/number" backup
	flies run
	join a
	await knows a 2
	kill -STOP "${JOINER[a]}"
	await frozen "${JOINER[a]}"
	land run 'exit 3'
	ends 3 "${FLYING[run]}"
	cat backup >"$LOCKRUN_DIR/$LOCK/number"
	run -5 "$LOCKRUN" -n "$LOCK" sh -c 'echo $LOCKRUN_GENERATION; exit 5'
	[ "$output" = 2 ]
	kill -CONT "${JOINER[a]}"
	ends 74 "${JOINER[a]}"
	grep -q ': generation 2: the record of the run that was joined is gone' a.said
}

full_of_bytes() {
	mkdir small
	mount -t tmpfs -o size=256k,nr_inodes=100,mode=700 none small
	LOCKRUN_DIR=$PWD/small
	"$LOCKRUN" "$LOCK" -- true
	dd if=/dev/zero of=small/fill bs=4k status=none 2>/dev/null || true
	mkfifo "hold.$LOCK"
	start "$LOCKRUN" "$LOCK" -- sh -c ': >held; read -r how <"hold.$0"; exit $how' "$LOCK"
	HOLDER=$STARTED
	await test -e held
	for n in 1 2 3; do
		start "$LOCKRUN" --join "$LOCK" touch ran 2>/dev/null
		WAITER[n]=$STARTED
		await has_ticket "$STARTED"
	done
	echo 6 >"hold.$LOCK"
	ends 6 "$HOLDER"
	for n in 1 2 3; do ends 6 "${WAITER[n]}"; done
	[ ! -e ran ]
}

@test "on a disk without a free byte, where no ticket can tell, the run is shared all the same" {
	private_mounts full_of_bytes
}

# ---- beside other options ----

@test "-n --join runs what nobody runs, joins what is in flight, and waits for nothing else" {
	run -4 "$LOCKRUN" -n --join "$LOCK" sh -c 'exit 4'
	flies run
	join a -n
	join b -w 0
	land run 'exit 3'
	joined 3 a b
	ends 3 "${FLYING[run]}"
	contend sharer -s "$LOCK"
	await leads sharer
	run -75 "$LOCKRUN" -n --join "$LOCK" touch barged
	let_end sharer
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	run -75 "$LOCKRUN" -n --join "$LOCK" touch barged
	foreign_ends
	flies orphan
	land orphan 'trap "" TERM; echo deaf >>runs; mkfifo last; read -r how <last'
	await has_run deaf
	kill -KILL "${FLYING[orphan]}"
	run -75 "$LOCKRUN" -n --join "$LOCK" touch barged
	echo >last
	ends 137 "${FLYING[orphan]}"
	[ ! -e barged ]
}

@test "who shares, replaces or leaves no supervisor cannot join" {
	run -64 "$LOCKRUN" --join -s "$LOCK" touch barged
	[[ "$output" == *"--join and --shared: the two options exclude each other; "* ]]
	run -64 "$LOCKRUN" --join --replace "$LOCK" touch barged
	run -64 "$LOCKRUN" --join -F "$LOCK" touch barged
	[[ "$output" == *"--no-fork and --join: without a fork nobody is left to do that; "* ]]
	[ ! -e barged ]
}

@test "inside of the lock that it asks for, it is refused and does not wait for itself" {
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" --join "$LOCK" touch barged
	[[ "$output" == *"already inside of this lock"* ]]
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" -n --join "$LOCK" touch barged
	[ ! -e barged ]
}

@test "a leader that yields does not yield to those who join it" {
	flies run --yield
	join a
	await knows a
	# Two looks of its tick.
	run -124 "$LOCKRUN" -q -m 2s demo:v1:leader:clock sleep 60
	not has_run a
	land run 'exit 3'
	joined 3 a
	ends 3 "${FLYING[run]}"
}

@test "status shows who joins, and what" {
	flies run
	join a
	await knows a
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" =~ "waiter 1     pid ${JOINER[a]} (sh) for "[^,]*", to join" ]]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"pending":[{'*'"state":"waiting","mode":"exclusive","kind":"join","pid":'"${JOINER[a]}"*'"joins":1}]'* ]]
	land run 'exit 0'
	joined 0 a
	[ ! -s a.said ]
	ends 0 "${FLYING[run]}"
}
