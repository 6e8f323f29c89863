#!/usr/bin/env bats
# Reaching who leads: signal, stop, --replace.
load helper

# deaf [NAME]: lead with a command that ignores SIGTERM; LEADER and COMMAND are the two pids.
deaf() {
	rm -f deaf.pid
	lead "${1:-$LOCK}" sh -c 'trap "" TERM; echo $$ >deaf.pid; exec sleep 600' 2>/dev/null
	LEADER=$STARTED
	await test -s deaf.pid
	COMMAND=$(cat deaf.pid)
}
# orphan: LEADER is killed, COMMAND lives on, holds the lock and ignores SIGTERM.
orphan() {
	deaf
	kill -KILL "$LEADER"
	ends 137 "$LEADER"
}
# listener LABEL [OPTION...]: lead; write each SIGUSR1 and SIGUSR2 to LABEL.got, end on SIGTERM.
listener() {
	local label=$1
	shift
	start env --default-signal "$LOCKRUN" "$@" "$LOCK" bash -c '
		trap "echo USR1 >>$0.got" USR1
		trap "echo USR2 >>$0.got" USR2
		trap "exit 0" TERM
		: >$0.up
		while :; do read -r -t 60 _ <>"$0.fifo"; done' "$label"
	CONTENDERS[$label]=$STARTED
	mkfifo "$label.fifo" 2>/dev/null || true
	await test -e "$label.up"
}
got() { [ "$(paste -sd' ' "$1.got" 2>/dev/null)" = "$2" ]; }

# ---- signal ----

@test "signal: delivered to the command, once for each, and the term goes on" {
	mkfifo one.fifo
	listener one
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	[ "$output" = '' ]
	await got one USR1
	run -0 "$LOCKRUN" signal "$LOCK" SIGUSR2
	await got one 'USR1 USR2'
	run -0 "$LOCKRUN" signal "$LOCK" usr1 || run -0 "$LOCKRUN" signal "$LOCK" USR1
	await got one 'USR1 USR2 USR1'
	# Whatever wakes the supervisor, nothing is delivered again.
	run -0 "$LOCKRUN" signal "$LOCK" USR2
	await got one 'USR1 USR2 USR1 USR2'
	run -0 "$LOCKRUN" signal "$LOCK" TERM
	ended one 0
	got one 'USR1 USR2 USR1 USR2'
}

@test "signal: to all who share" {
	local label
	for label in a b c; do
		mkfifo $label.fifo
		listener $label -s
	done
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	for label in a b c; do await got $label USR1; done
	run -0 "$LOCKRUN" signal "$LOCK" TERM
	for label in a b c; do ended $label 0; done
	for label in a b c; do got $label USR1; done
}

@test "signal: nobody there, an orphan, no such signal" {
	run -75 "$LOCKRUN" signal "$LOCK" USR1
	[ "$output" = "lockrun: $LOCK: nobody leads; there is no directory $LOCKRUN_DIR; nobody was asked" ]
	[ ! -e "$LOCKRUN_DIR" ]
	run -64 "$LOCKRUN" signal "$LOCK" NONSENSE
	run -64 "$LOCKRUN" signal "$LOCK"
	run -64 "$LOCKRUN" signal "$LOCK" USR1 USR2
	orphan
	run -75 "$LOCKRUN" signal "$LOCK" TERM
	[[ "$output" == *"killed lockrun left behind"*"; nobody was asked" ]]
	kill -KILL "$COMMAND"
}

@test "signal: what an earlier leader was asked does not reach the next one" {
	mkfifo one.fifo two.fifo
	listener one
	kill -STOP "${CONTENDERS[one]}"
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	kill -KILL "${CONTENDERS[one]}" "$(children_of "${CONTENDERS[one]}")"
	{ wait "${CONTENDERS[one]}" || true; } 2>/dev/null
	listener two
	run -0 "$LOCKRUN" signal "$LOCK" USR2
	await got two USR2
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$(cat two.got)" = USR2 ]
	ended two 124
}

# ---- stop ----

@test "stop: the leader steps down with the reason, and who leads now is said" {
	start "$LOCKRUN" --events events "$LOCK" sh -c 'echo >ready; exec sleep 600' 2>said
	local leader=$STARTED
	await test -s ready
	run -0 "$LOCKRUN" stop --reason 'a deploy' "$LOCK"
	[ "$output" = "lockrun: $LOCK: pid $leader (sh) stepped down; nobody leads now" ]
	ends 124 "$leader"
	grep -q 'stepping down: stop: a deploy' said
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: nobody leads now" ]
	lead -k 50ms "$LOCK" sh -c 'trap "" TERM; echo >ready.too; while :; do sleep 600; done' 2>said
	await test -s ready.too
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: pid $STARTED (sh) stepped down, by SIGKILL; nobody leads now" ]
	ends 124 "$STARTED"
	run -0 "$LOCKRUN" stop demo:v1:leader:unheard-of
	[ ! -e "$LOCKRUN_DIR/demo:v1:leader:unheard-of" ]
}

@test "stop: the next in line leads; with --all nobody does" {
	local i
	for i in 1 2; do
		deaf_to_nothing
		stand 1
		if [ "$i" -eq 1 ]; then
			run -0 "$LOCKRUN" stop "$LOCK"
			await has_led 1
			let_go 1
		else
			stand 2
			run -0 "$LOCKRUN" stop --all "$LOCK"
			[[ "$output" == *'; nobody leads now' || "$output" == *'being handed over'* ]]
			ends 143 "${WAITER[1]}"
			ends 143 "${WAITER[2]}"
			[ ! -e order ]
		fi
		ends 124 "$LEADER"
		rm -f order go.*
	done
}
deaf_to_nothing() {
	rm -f ready
	start "$LOCKRUN" -q "$LOCK" sh -c 'echo >ready; exec sleep 600'
	LEADER=$STARTED
	await test -s ready
}

@test "stop --all: a waiter that is frozen is ended as well" {
	deaf_to_nothing
	stand 1
	kill -STOP "${WAITER[1]}"
	run -0 "$LOCKRUN" stop --all "$LOCK"
	ends 143 "${WAITER[1]}"
	ends 124 "$LEADER"
	[ ! -e order ]
}

# waiter LABEL [OPTION...]: wait in the queue; what it says goes to LABEL.said, its events to LABEL.log.
waiter() {
	local label=$1
	shift
	lead --events "$label.log" "$@" "$LOCK" touch ran 2>"$label.said"
	CONTENDERS[$label]=$STARTED
	await has_ticket "$STARTED"
}
# told_to_stop LABEL TEXT: its wait was ended, and it learnt why.
told_to_stop() {
	ends 143 "${CONTENDERS[$1]}"
	[ "$(cat "$1.said")" = "lockrun: $LOCK: stopped while waiting: $2; nothing was run" ]
	tail -n 1 "$1.log" | grep -qF '"type":"stopped",'
	tail -n 1 "$1.log" | grep -qF '"ran":"no","status":0,"signal":15,"reason":"stop","text":"'"$2"'","killed":false'
	awk -f "$TESTS/events.awk" "$1.log"
}

@test "stop --all: the reason reaches the leader and all who wait, also one that is frozen" {
	start "$LOCKRUN" --events leader.log "$LOCK" sh -c 'echo >ready; exec sleep 600' 2>leader.said
	local leader=$STARTED
	await test -s ready
	waiter one
	waiter two -s
	waiter three
	kill -STOP "${CONTENDERS[three]}"
	run -0 "$LOCKRUN" stop --all --reason 'deploy 12, v3' "$LOCK"
	local label
	for label in one two three; do told_to_stop $label 'deploy 12, v3'; done
	ends 124 "$leader"
	grep -q 'stepping down: stop: deploy 12, v3; SIGTERM sent' leader.said
	tail -n 1 leader.log | grep -qF '"reason":"stop","text":"deploy 12, v3"'
	[ ! -e ran ]
}

@test "stop --all: nobody but waiters is there, and no reason was given" {
	"$LOCKRUN" "$LOCK" true
	foreign "$LOCKRUN_DIR/$LOCK/lock"
	waiter one
	await settled "${CONTENDERS[one]}"
	run -75 "$LOCKRUN" stop --all "$LOCK"
	[[ "$output" == *"which is not lockrun's and cannot be asked; "* ]]
	told_to_stop one 'no reason given'
	# What it was asked is not what the next one hears from somebody else.
	waiter two
	kill -TERM "${CONTENDERS[two]}"
	ends 143 "${CONTENDERS[two]}"
	[ "$(cat two.said)" = "lockrun: $LOCK: Terminated while waiting; nothing was run" ]
	tail -n 1 two.log | grep -qF '"reason":"signal","text":null'
	foreign_ends
}

@test "stop --all: where the reason cannot be written the waits end all the same" {
	deaf_to_nothing
	waiter one
	# From then on it does not make a missing one anew.
	await watches "$LEADER"
	rm "$LOCKRUN_DIR/$LOCK/ask"
	mkdir "$LOCKRUN_DIR/$LOCK/ask"
	run -69 "$LOCKRUN" stop --all --reason 'deploy 12' "$LOCK"
	ends 143 "${CONTENDERS[one]}"
	rmdir "$LOCKRUN_DIR/$LOCK/ask"
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 124 "$LEADER"
}

@test "stop --generation: only that one" {
	"$LOCKRUN" "$LOCK" true
	hold
	run -76 "$LOCKRUN" stop --generation 1 "$LOCK"
	[ "$output" = "lockrun: $LOCK: generation 1 does not lead, the newest is 2; nobody was asked" ]
	run -76 "$LOCKRUN" stop --generation 3 "$LOCK"
	not is_gone "$HOLDER"
	run -0 "$LOCKRUN" stop --generation 2 "$LOCK"
	ends 124 "$HOLDER"
}

@test "stop --generation: a term that is over, and nobody leads: a success, and nobody is asked" {
	run -76 "$LOCKRUN" stop --generation 1 "$LOCK"
	start "$LOCKRUN" -q -r --backoff 1h:1h "$LOCK" sh -c 'exit 5'
	rests() { [ "$(tickets_like '*r')" -eq 1 ]; }
	await rests
	run -0 "$LOCKRUN" stop --generation 1 "$LOCK"
	[ "$output" = "lockrun: $LOCK: generation 1 is over; nobody leads now; 1 outside of the queue may come back (--all ends that)" ]
	run -76 "$LOCKRUN" stop --generation 2 "$LOCK"
	not is_gone "$STARTED"
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 5 "$STARTED"
	run -0 "$LOCKRUN" stop -q --generation 1 "$LOCK"
	[ "$output" = '' ]
}

@test "stop --all: who left the queue by Ctrl-Z is seen, continued and ended" {
	local option
	mkfifo out
	for option in -q -r; do
		hold
		rm -f waiter
		# A job of its own, whose parent is in the session but not in the group.
		start bash -c 'set -m; exec 2>>said; "$0" "$1" --events "log.$1" "$2" touch ran & echo $! >waiter; exec cat out' \
		    "$LOCKRUN" $option "$LOCK"
		await test -s waiter
		await settled "$(cat waiter)"
		kill -TSTP "$(cat waiter)"
		is_stopped() { [ "$(state_of "$(cat waiter)")" = T ]; }
		await is_stopped
		is_pending 0
		run -0 "$LOCKRUN" status "$LOCK"
		[[ "$output" == *"  suspended    pid $(cat waiter) (touch) for "*", frozen (SIGCONT lets it go on)"* ]]
		"$LOCKRUN" status --json "$LOCK" | grep -q '"resting":\[{.*"state":"suspended",'
		run -0 "$LOCKRUN" stop --all --reason 'deploy 12' "$LOCK"
		await is_gone "$(cat waiter)"
		ends 124 "$HOLDER"
		rm -f hold.* held.*
		tail -n 1 "log.$option" | grep -qF '"signal":15,"reason":"stop","text":"deploy 12"'
		[ "$(tickets_like '*')" -eq 0 ]
		: >out
		ends 0 "$STARTED"
	done
	[ ! -e ran ]
}

# steps_down: it has heard, and says so to whoever looks.
steps_down() { "$LOCKRUN" status --json "$LOCK" | grep -q '"state":"stepping-down"'; }

@test "stop -w: gives up, and the leader was asked all the same" {
	deaf
	run -75 "$LOCKRUN" stop -w 20ms "$LOCK"
	[[ "$output" == "lockrun: $LOCK: pid $LEADER (sh) was asked, and is still there after 20ms; "* ]]
	await steps_down
	run -75 "$LOCKRUN" stop -w 20ms "$LOCK"
	[ "$output" = "lockrun: $LOCK: pid $LEADER (sh) was asked, and is still there after 20ms; it is stepping down, wait longer" ]
	kill -KILL "$COMMAND"
	ends 124 "$LEADER"
}

@test "stop: a frozen leader is continued" {
	deaf_to_nothing
	kill -STOP "$LEADER"
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 124 "$LEADER"
}

@test "stop: a signal ends the wait" {
	deaf
	start env --default-signal "$LOCKRUN" stop "$LOCK"
	await settled "$STARTED"
	kill -INT "$STARTED"
	ends 130 "$STARTED"
	kill -KILL "$COMMAND"
	ends 124 "$LEADER"
}

@test "stop: all who share are asked" {
	local label
	for label in a b c; do contend $label -q -s "$LOCK"; done
	for label in a b c; do await leads $label; done
	run -0 "$LOCKRUN" stop "$LOCK"
	for label in a b c; do ended $label 124; done
}

@test "stop: a command that took lockrun's place gets SIGTERM" {
	start "$LOCKRUN" -F "$LOCK" sh -c 'echo >ready; exec sleep 600'
	await test -s ready
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: what held it stepped down; nobody leads now" ]
	ends 143 "$STARTED"
}

@test "stop: an orphan is left alone, until --force ends it and what it started" {
	lead "$LOCK" bash -c 'trap "" TERM; bash -c "exec 200>&-; echo \$\$ >below; exec sleep 600" & echo $$ >deaf.pid; exec sleep 600' 2>/dev/null
	await test -s deaf.pid
	await test -s below
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	run -75 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *"no lockrun is there that could be asked: --force ends them" ]]
	not is_gone "$(cat deaf.pid)"
	run -75 "$LOCKRUN" stop --force -w 20ms "$LOCK"
	[[ "${lines[0]}" == "lockrun: $LOCK: SIGTERM sent to pid "*", SIGKILL in 10s" ]]
	[ "${lines[1]}" = "lockrun: $LOCK: what held it was asked, and is still there after 20ms; --force needs a -w of more than 10s, or none" ]
	start "$LOCKRUN" stop --force "$LOCK" 2>said
	await grep -q 'SIGTERM sent' said
	not is_gone "$(cat deaf.pid)"
	ends 0 "$STARTED"
	[ "$(tail -n 1 said)" = "lockrun: $LOCK: what held it stepped down; nobody leads now" ]
	await is_gone "$(cat deaf.pid)"
	await is_gone "$(cat below)"
}

# Whatever freezes it again: as a debugger or a cgroup would.
freezer() { until [ -e enough ]; do kill -STOP "$1" 2>/dev/null || :; done; }

# forced [OPTION...]: stop --force against one that is frozen again and again. Between two blows it may
# answer after all, and then steps down by itself: once more, until it did not.
forced() {
	local freezer command
	for _ in {1..20}; do
		rm -f enough ready
		deaf_to_nothing
		command=$(children_of "$LEADER")
		start freezer "$LEADER"
		freezer=$STARTED
		run "$LOCKRUN" stop --force "$@" "$LOCK"
		touch enough
		ends 0 "$freezer"
		await is_gone "$LEADER"
		wait "$LEADER" && return 1 || LEADER=$?
		await is_gone "$command"
		[ "$LEADER" -eq 124 ] || break
	done
	[ "$LEADER" -eq 137 ]
}

@test "stop --force: a supervisor that does not answer is ended with its tree" {
	forced
	[ "$status" -eq 0 ]
	run -0 "$LOCKRUN" -n "$LOCK" -- true
}

@test "stop --force: -w bounds the wait for one that does not answer as well" {
	# It may have ended its command already, and be frozen on its way out: once more.
	for _ in {1..20}; do
		forced -w 60s
		[ "$status" -eq 0 ]
		[[ "$output" != *"SIGTERM sent to pid "*"), SIGKILL in 10s"* ]] || return 0
	done
	return 1
}

# unheard [OPTION...]: stop a leader that is frozen again and again. Between two blows it may answer
# after all: once more, until it did not.
unheard() {
	local freezer
	for _ in {1..20}; do
		rm -f enough
		deaf
		start freezer "$LEADER"
		freezer=$STARTED
		run -75 "$LOCKRUN" stop "$@" "$LOCK"
		touch enough
		ends 0 "$freezer"
		kill -CONT "$LEADER"
		kill -KILL "$COMMAND"
		await is_gone "$LEADER"
		wait "$LEADER" || true
		[[ "$output" == *"stepping down"* ]] || return 0
	done
	return 1
}

@test "stop -w: too short for one that does not answer, it says what helps" {
	unheard -w 100ms
	[ "$output" = "lockrun: $LOCK: pid $LEADER (sh) was asked, and is still there after 100ms; wait longer, or use --force" ]
	unheard --force -w 100ms
	[ "$output" = "lockrun: $LOCK: pid $LEADER (sh) was asked, and is still there after 100ms; --force needs a -w of more than 12s, or none" ]
}

@test "stop --force: one that steps down is left to its own grace, even an endless one, and -w bounds the wait" {
	rm -f deaf.pid
	lead -k never "$LOCK" sh -c 'trap "" TERM; echo $$ >deaf.pid; exec sleep 600' 2>/dev/null
	LEADER=$STARTED
	await test -s deaf.pid
	COMMAND=$(cat deaf.pid)
	run -75 "$LOCKRUN" stop --force -w 3s "$LOCK"
	[ "$output" = "lockrun: $LOCK: pid $LEADER (sh) was asked, and is still there after 3.0s; it is stepping down in its own grace: wait longer, or end its command: lockrun signal $LOCK KILL" ]
	not is_gone "$COMMAND"
	start "$LOCKRUN" stop --force "$LOCK"
	run -0 "$LOCKRUN" signal "$LOCK" KILL
	ends 0 "$STARTED"
	ends 124 "$LEADER"
}

@test "stop: another user's leader in a directory that a group shares" {
	needs_root
	group_directory
	as_member 65534 -q "$LOCK" sh -c ': >"$0/ready"; exec sleep 600' "$OPEN_DIR"
	local theirs=$STARTED
	await test -e "$OPEN_DIR/ready"
	run -0 setpriv --reuid=65533 --regid=4242 --clear-groups "$OPEN_DIR/lockrun" stop "$LOCK"
	ends 124 "$theirs"
}

@test "stop --force: what may not be signalled is said, and is a failure" {
	needs_root
	group_directory
	as_member 65534 -q "$LOCK" sh -c 'trap "" TERM; echo $$ >"$0/ready"; exec sleep 600' "$OPEN_DIR"
	local theirs=$STARTED
	await test -s "$OPEN_DIR/ready"
	kill -KILL "$theirs"
	ends 137 "$theirs"
	run setpriv --reuid=65533 --regid=4242 --clear-groups "$OPEN_DIR/lockrun" stop --force -w 20s "$LOCK"
	echo "$output"
	[ "$status" -eq 69 ]
	[[ "$output" == *"may not be signalled"* ]]
	kill -KILL "$(cat "$OPEN_DIR/ready")"
}

group_directory() {
	make_open_dir
	mkdir "$OPEN_DIR/state"
	chgrp 4242 "$OPEN_DIR" "$OPEN_DIR/state"
	chmod 2770 "$OPEN_DIR/state"
	chmod 775 "$OPEN_DIR"
	export LOCKRUN_DIR=$OPEN_DIR/state
}
as_member() {
	local user=$1
	shift
	start setpriv --reuid="$user" --regid=4242 --clear-groups "$OPEN_DIR/lockrun" "$@"
}

@test "stop and signal: across pid namespaces, in both directions" {
	needs_root
	mkfifo one.fifo
	start unshare -pf --mount-proc "$LOCKRUN" -q "$LOCK" bash -c '
		trap "echo USR1 >>one.got" USR1
		: >one.up
		while :; do read -r -t 60 _ <>one.fifo; done'
	local there=$STARTED
	await test -e one.up
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	await got one USR1
	run -0 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *"pid 1 of another pid namespace (bash) stepped down"* ]]
	ends 124 "$there"
	deaf_to_nothing
	run -0 unshare -pf --mount-proc "$LOCKRUN" stop "$LOCK"
	ends 124 "$LEADER"
}

@test "stop --all: waiters of another pid namespace cannot be reached, and that is said" {
	needs_root
	hold
	start unshare -pf --mount-proc "$LOCKRUN" "$LOCK" touch ran
	local there=$STARTED
	await is_pending 1
	run -69 "$LOCKRUN" stop --all "$LOCK"
	[[ "$output" == *namespace* ]]
	is_holding 1
	release
	ends 0 "$there"
}

# ---- --replace ----

@test "replace: leads next in the leader's place, the queue unchanged behind" {
	deaf_to_nothing
	line_up 1 3
	start "$LOCKRUN" --replace "$LOCK" sh -c 'echo replacer >>order'
	ends 0 "$STARTED"
	ends 124 "$LEADER"
	local i
	for i in 1 2 3; do ends 0 "${WAITER[i]}"; done
	order_is replacer 1 2 3
}

@test "replace: two end up one after the other, and each asks only the one it saw" {
	deaf
	contend first -q --replace "$LOCK"
	await is_pending 1
	contend second -q --replace "$LOCK"
	await is_pending 2
	kill -KILL "$COMMAND"
	ends 124 "$LEADER"
	await leads first
	# The second one saw the deaf one only: the first is asked nothing.
	is_pending 1
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" != *"stepping down"* ]]
	let_end first
	await leads second
	let_end second
	order_is first second
}

@test "replace: one that came later does not stop the one that replaced before it, but leads after it" {
	deaf_to_nothing
	contend first -q --replace "$LOCK"
	await leads first
	ends 124 "$LEADER"
	contend second -q --replace "$LOCK"
	ended first 124
	await leads second
	let_end second
	order_is first second
}

@test "replace: the reason and the note reach the one that is replaced" {
	start "$LOCKRUN" "$LOCK" sh -c 'echo >ready; exec sleep 600' 2>said
	local leader=$STARTED
	await test -s ready
	run -0 "$LOCKRUN" --replace --note 'deploy 42' "$LOCK" true
	ends 124 "$leader"
	grep -q 'stepping down: replaced: deploy 42' said
}

@test "replace: a free lock is led as ever; nested and with -n it is a mistake" {
	run -0 "$LOCKRUN" --replace "$LOCK" sh -c 'echo $LOCKRUN_GENERATION'
	[ "$output" = 1 ]
	run -64 "$LOCKRUN" --replace -n "$LOCK" touch ran
	[ ! -e ran ]
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" --replace "$LOCK" touch ran
	[[ "$output" == *"already inside of this lock"* ]]
	[ ! -e ran ]
}

@test "replace: all who share are asked, and only those that were seen" {
	contend a -q -s "$LOCK"
	await leads a
	start "$LOCKRUN" -s --events deaf.log "$LOCK" sh -c 'trap "" TERM; echo $$ >deaf.pid; exec sleep 600' 2>deaf.said
	local deaf=$STARTED
	await test -s deaf.pid
	contend b -q -s "$LOCK"
	await leads b
	line_up 1 2
	contend new -q --replace --note 'deploy 42' "$LOCK"
	ended a 124
	ended b 124
	await grep -q 'stepping down: replaced: deploy 42' deaf.said
	# Whoever shares and comes now stands behind all of these.
	contend late -q -s "$LOCK"
	await is_pending 4
	not leads new
	kill -KILL "$(cat deaf.pid)"
	ends 124 "$deaf"
	await leads new
	let_end new
	ends 0 "${WAITER[1]}"
	ends 0 "${WAITER[2]}"
	await leads late
	[ "$(grep -c stepping-down deaf.log)" -eq 1 ]
	let_end late
	order_is a b new 1 2 late
}

@test "replace: two who replace all that share lead one after the other" {
	local label
	for label in a b; do
		start "$LOCKRUN" -s "$LOCK" sh -c 'trap "" TERM; echo $$ >"$0"; exec sleep 600' $label.pid 2>$label.said
		CONTENDERS[$label]=$STARTED
		await test -s $label.pid
	done
	contend first -q --replace --note first "$LOCK"
	await is_pending 1
	contend second -q --replace --note second "$LOCK"
	await is_pending 2
	for label in a b; do
		await grep -q 'replaced: first' $label.said
		kill -KILL "$(cat $label.pid)"
		ends 124 "${CONTENDERS[$label]}"
	done
	await leads first
	is_pending 1
	let_end first
	await leads second
	let_end second
	order_is first second
}
