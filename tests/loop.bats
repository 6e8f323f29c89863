#!/usr/bin/env bats
# --loop: one term after the other, and the rest between them.
load helper
load events

# looper LABEL OPTION... NAME: it loops in the background, with its events in LABEL.log. Each term
# adds LABEL and the generation to the file `order`, and goes on until `end_term`.
declare -gA LOOPERS
looper() {
	local label=$1
	shift
	lead -r --events "$label.log" "$@" -- sh -c 'echo "$0 $LOCKRUN_GENERATION" >>order
	    until [ -e "$0.$LOCKRUN_GENERATION" ]; do sleep 0.01; done; . "./$0.$LOCKRUN_GENERATION"' "$label"
	LOOPERS[$label]=$STARTED
}

# leads_as LABEL GENERATION: it leads, or has led. end_term LABEL [HOW]: its term does that now.
leads_as() { grep -qsx "$1 $2" order; }
end_term() {
	echo "${2:-exit 0}" >"$1.how"
	mv "$1.how" "$1.$(sed -n "s/^$1 //p" order | tail -1)"
}

# looped LABEL STATUS: it ends with that, and its log is one that a run may write.
looped() {
	ends "$2" "${LOOPERS[$1]}"
	legal "$1.log" 1
}

# over_with LABEL: it is ended, whatever it is doing at the moment.
over_with() {
	kill -TERM "${LOOPERS[$1]}"
	await is_gone "${LOOPERS[$1]}"
	wait "${LOOPERS[$1]}" || true
	legal "$1.log" 1
}

# leads_again LABEL TIMES: it leads for the so-manieth time.
leads_again() { [ "$(grep -cs "^$1 " order)" -eq "$2" ]; }

# rests LABEL [TIMES]: it has begun to rest, so many times.
rests() { [ "$(grep -cs '^{"type":"backoff"' "$1.log")" -ge "${2:-1}" ]; }

# delays LABEL: how long each rest was to be, in ms.
delays() {
	local time retry
	while IFS=' ' read -r time retry; do
		echo $(($(date -d "$retry" +%s%3N) - $(date -d "$time" +%s%3N)))
	done < <(sed -n 's/^{"type":"backoff","time":"\([^"]*\)".*"retry_at":"\([^"]*\)".*/\1 \2/p' "$1.log")
}

# ---- one term after the other ----

@test "--max-terms: so many terms, one contender, rising generations, and the status of the last" {
	run -3 "$LOCKRUN" -r --max-terms 3 --backoff 1ms:1ms --events log "$LOCK" sh -c \
	    'echo $LOCKRUN_GENERATION $LOCKRUN_CONTENDER; exit $LOCKRUN_GENERATION'
	legal log 1
	[ "$(types log)" = 'waiting leading backoff waiting leading backoff waiting leading stopped' ]
	[ "$(cut -d' ' -f1 <<<"$output" | paste -sd' ')" = '1 2 3' ]
	[ "$(cut -d' ' -f2 <<<"$output" | sort -u)" = "$(field contender log | sort -u)" ]
	[ "$(field reason log | paste -sd' ')" = 'failed failed failed' ]
	[ "$(field status log | paste -sd' ')" = '1 2 3' ]
	[ "$(field generation log | paste -sd' ')" = '1 1 2 2 3 3' ]
	is_pending 0
}

@test "two that loop lead in turn" {
	cat >turn <<-'END'
		echo "$1" >>order
		# Until the other one waits.
		until ls "$LOCKRUN_DIR/$LOCKRUN_NAME/q" | grep -q 'w$'; do sleep 0.01; done
	END
	start "$LOCKRUN" -q -r --backoff 10ms:20ms --events log "$LOCK" -- sh turn a
	local a=$STARTED
	start "$LOCKRUN" -q -r --backoff 10ms:20ms --events log "$LOCK" -- sh turn b
	local b=$STARTED
	long_enough() { [ "$(wc -l <order)" -ge 20 ]; }
	await long_enough
	run -0 "$LOCKRUN" stop --all "$LOCK"
	await is_gone "$a"
	await is_gone "$b"
	wait "$a" "$b" || true
	legal log 2
	[ "$(head -20 order | uniq | wc -l)" -eq 20 ]
}

@test "standard input and output work in the second term as in the first" {
	# A shell reads a pipe byte by byte, so each leaves the rest to the next.
	printf '%s\n' one two three | "$LOCKRUN" -r --max-terms 3 --backoff 1ms:1ms "$LOCK" \
	    sh -c 'read -r line; echo "$LOCKRUN_GENERATION $line"' | cat >out
	[ "$(paste -sd' ' out)" = '1 one 2 two 3 three' ]
}

# descriptors FILE PREFIX...: those of a command behind that prefix, which has no input and output.
descriptors() {
	local file=$1
	shift
	"$@" sh -c 'ls /proc/self/fd >>"$0"; true' "$file" <&- >&- 3>&-
}

@test "standard descriptors that were closed stay closed in each term" {
	descriptors plain
	descriptors plain
	descriptors looped "$LOCKRUN" -o -r --max-terms 2 --backoff 1ms:1ms "$LOCK"
	cmp plain looped
	[ "$(wc -l <plain)" -gt 2 ]
}

@test "the pipe is let go of with the last term, not before" {
	mkfifo pipe
	start sh -c 'cat pipe >/dev/null; echo >ended'
	local reader=$STARTED
	looper a --max-terms 2 --backoff 1ms:1ms "$LOCK" >pipe
	await leads_as a 1
	end_term a
	await leads_as a 2
	[ ! -e ended ]
	end_term a 'exec >&-; until [ -e ended ]; do sleep 0.01; done'
	looped a 0
	wait "$reader"
}

@test "each term has an open file description of its own: what a term left behind keeps nothing" {
	mkfifo left
	looper a --max-terms 2 --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	end_term a 'setsid cat left & echo $! >left.pid; exit 0'
	await leads_as a 2
	run -75 "$LOCKRUN" -n "$LOCK" true
	end_term a
	looped a 0
	run -0 "$LOCKRUN" -n "$LOCK" true
	kill -0 "$(cat left.pid)"
	: >left
}

@test "what an earlier term left behind does not step down with a later one" {
	mkfifo left
	looper a -m 60s --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	end_term a 'setsid sh -c "cat left; exit" & echo $! >left.pid; exit 0'
	await leads_as a 2
	run -0 "$LOCKRUN" stop "$LOCK"
	looped a 124
	kill -0 "$(cat left.pid)"
	: >left
}

@test "a later term with --leftovers wait waits for its own only" {
	mkfifo left
	start "$LOCKRUN" -r --max-terms 2 --backoff 1ms:1ms --events log --leftovers kill "$LOCK" sh -c \
	    'echo $LOCKRUN_GENERATION >>order
	     [ $LOCKRUN_GENERATION = 2 ] || { setsid setsid sh -c "trap \"\" TERM; cat left" & }'
	over 0
	legal log 1
	[ "$(paste -sd' ' order)" = '1 2' ]
}

@test "check: in a later term it succeeds, and for what an earlier one left behind it does not" {
	mkfifo ask
	looper a --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	end_term a '(setsid sh -c "read -r _ <ask; lockrun check; echo \$? >left.status") & lockrun check; echo $? >first'
	await leads_as a 2
	[ "$(cat first)" = 0 ]
	echo >ask
	await test -s left.status
	[ "$(cat left.status)" = 76 ]
	end_term a 'lockrun check; echo $? >second'
	await leads_as a 3
	[ "$(cat second)" = 0 ]
	run -0 "$LOCKRUN" stop "$LOCK"
	looped a 124
}

# ---- how long it rests ----

@test "after a term that ended as it should: a quarter of a second" {
	looper a --yield "$LOCK"
	await leads_as a 1
	end_term a
	await leads_as a 2
	run -0 "$LOCKRUN" "$LOCK" true
	await rests a 2
	over_with a
	[ "$(field reason a.log | sed -n '1p;2p;3p' | paste -sd' ')" = 'finished yield yield' ]
	# The two times were read one after the other.
	local delay
	for delay in $(delays a); do
		[ "$delay" -ge 249 ] && [ "$delay" -le 300 ]
	done
}

@test "after a failure: one to two seconds, and that doubles" {
	looper a "$LOCK"
	await leads_as a 1
	end_term a 'exit 1'
	await rests a
	over_with a
	local delay
	delay=$(delays a | head -1)
	[ "$delay" -ge 999 ] && [ "$delay" -le 2050 ]
	looper b --backoff 10ms:10s "$LOCK"
	local i
	for i in 1 2 3 4; do
		await leads_again b "$i"
		end_term b 'kill -9 $$'
	done
	await rests b 4
	over_with b
	local least=10
	for delay in $(delays b | head -4); do
		[ "$delay" -ge $((least - 1)) ] && [ "$delay" -le $((least * 2 + 50)) ]
		least=$((least * 2))
	done
	[ "$least" -eq 160 ]
}

@test "a term that ended as it should ends the row of failures" {
	looper a --backoff 10ms:10s "$LOCK"
	local i how=('' 'exit 1' 'exit 1' 'exit 0' 'exit 1')
	for i in 1 2 3 4; do
		await leads_as a "$i"
		end_term a "${how[i]}"
	done
	await rests a 4
	over_with a
	local -a delay
	mapfile -t delay < <(delays a)
	[ "${delay[1]}" -ge 19 ] && [ "${delay[3]}" -le 100 ]
}

@test "--backoff: no rest at all is refused, since a loop of short terms would be a busy one" {
	run -64 "$LOCKRUN" -r --max-terms 2 --backoff 0:0 "$LOCK" touch ran
	[[ "$output" == 'lockrun: --backoff "0:0": the shortest delay must be above 0; '* ]]
	run -64 "$LOCKRUN" -r --max-terms 2 --backoff 0:1m "$LOCK" touch ran
	[ ! -e ran ]
	run -0 "$LOCKRUN" -r --max-terms 20 --backoff 1ms:1ms --events log "$LOCK" true
	legal log 1
}

# ---- what is no term ----

@test "an expired --wait is no failure, and feeds no backoff" {
	hold
	looper a -q -w 10ms "$LOCK"
	await rests a 4
	[ "$(types a.log | cut -d' ' -f1-6)" = 'waiting skipped backoff waiting skipped backoff' ]
	[ "$(field reason a.log | sort -u)" = late ]
	local delay
	for delay in $(delays a); do
		[ "$delay" -ge 249 ] && [ "$delay" -le 300 ]
	done
	release
	await grep -qs '^a ' order
	end_term a 'exit 7'
	await grep -q '"reason":"failed"' a.log
	[ "$(field ran a.log | paste -sd' ' | sed 's/\(no \)*//')" = yes ]
	kill -TERM "${LOOPERS[a]}"
	looped a 7
}

@test "-n: it tries again after each rest, and says so once" {
	hold
	looper a -n --backoff 5ms:5ms "$LOCK" 2>err
	await rests a 5
	is_pending 0
	release
	await grep -qs '^a ' order
	end_term a
	await grep -q '"reason":"finished"' a.log
	kill -TERM "${LOOPERS[a]}"
	await is_gone "${LOOPERS[a]}"
	legal a.log 1
	[ "$(field reason a.log | head -1)" = busy ]
	[ "$(grep -c 'held by pid .*; trying again$' err)" -eq 1 ]
	# Nobody was turned away for good.
	[ ! -e "$LOCKRUN_DIR/$LOCK/skips" ]
	wait "${LOOPERS[a]}" || true
}

@test "who rests is not counted: neither among those who wait, nor as having a place" {
	hold
	looper a -n --backoff 5ms:5ms "$LOCK" 2>a.err
	looper b -w 5ms --backoff 5ms:5ms "$LOCK" 2>b.err
	await grep -q '; trying again$' a.err
	await grep -q '; trying again$' b.err
	over_with b
	local label
	for label in a b; do
		grep -q ', generation 1, [01] waiting; \(gave up after 5ms; \)*trying again$' $label.err
	done
	line_up 1 2
	# It rests since before the first of them came.
	third() { grep '"type":"waiting"' a.log | tail -1 | grep -q '"position":3,'; }
	await third
	over_with a
	looper d --backoff 5ms:5ms --max-waiters 1 "$LOCK" 2>d.err
	await grep -q ' 2 waiting; no more than 1 may wait (--max-waiters); trying again$' d.err
	over_with d
	release
	ends 0 "${WAITER[1]}"
	ends 0 "${WAITER[2]}"
}

@test "what cannot be run at all ends it at once; what could be, once, is tried again" {
	run -127 "$LOCKRUN" -r "$LOCK" ./command
	printf '#!/does/not/exist\n' >command
	chmod +x command
	run -127 "$LOCKRUN" -r --events log "$LOCK" ./command
	[ "$(types log)" = 'waiting error stopped' ]
	: >file
	run -69 "$LOCKRUN" -r -d file "$LOCK" true
	printf '#!/bin/sh\necho $LOCKRUN_GENERATION >>order\n' >command
	start "$LOCKRUN" -r -q --backoff 5ms:5ms --events again "$LOCK" ./command
	await test -s order
	mv command moved
	await grep -q '"reason":"not-found"' again
	local ran
	ran=$(wc -l <order)
	mv moved command
	more() { [ "$(wc -l <order)" -gt "$ran" ]; }
	await more
	kill -TERM "$STARTED"
	await is_gone "$STARTED"
	wait "$STARTED" || true
	legal again 1
}

@test "a last term that could not start: 74, since others ran; no wait or stop after it changes that" {
	printf '#!/bin/sh\necho >>ran\n' >command
	chmod +x command
	lead -r -q --backoff 5ms:1h --events log "$LOCK" ./command 2>said
	await test -s ran
	mv command moved
	await grep -q '"reason":"not-found"' log
	kill -TERM "$STARTED"
	ends 74 "$STARTED"
	legal log 1
	tail -n 1 log | grep -q '"ran":"maybe","status":74,"signal":null,"reason":"signal",'
	# The last one, by the number.
	printf '#!/bin/sh\nchmod -x moved; exit 3\n' >moved
	chmod +x moved
	run -74 "$LOCKRUN" -r -q --max-terms 2 --backoff 5ms:5ms --events two "$LOCK" ./moved
	legal two 1
	[ "$(types two)" = 'waiting leading backoff waiting error stopped' ]
	[ "$(tail -n 1 two | field reason /dev/stdin)" = error ]
	# What ran after it counts again.
	printf '#!/bin/sh\n[ -e twice ] || { touch once; mv moved away; exit 3; }\ntrap "" TERM\nkill $PPID\nexit 4\n' >moved
	chmod +x moved
	lead -r -q --backoff 5ms:50ms --events three "$LOCK" ./moved 2>said
	await grep -q '"reason":"not-found"' three
	touch twice
	mv away moved
	ends 4 "$STARTED"
	legal three 1
}

@test "a state directory that is taken away is made anew, a term later" {
	looper a --backoff 5ms:5ms "$LOCK"
	await leads_as a 1
	mv "$LOCKRUN_DIR" moved
	await rests a
	[ "$(field reason a.log | tail -1)" = lock-lost ]
	has_led_twice() { [ "$(wc -l <order)" -eq 2 ]; }
	await has_led_twice
	# The numbers have begun anew with it.
	leads_as a 1
	run -0 "$LOCKRUN" stop "$LOCK"
	ends 124 "${LOOPERS[a]}"
}

@test "nested in itself: the loop ends" {
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" -r -q "$LOCK" true
}

# ---- stopping ----

@test "SIGTERM: in the queue, while leading, while resting" {
	hold
	looper a "$LOCK"
	await is_pending 1
	kill -TERM "${LOOPERS[a]}"
	looped a 143
	release
	looper b "$LOCK"
	await leads_as b 2
	kill -TERM "${LOOPERS[b]}"
	looped b 143
	looper c --backoff 1h:1h "$LOCK"
	await leads_as c 3
	end_term c 'exit 9'
	await rests c
	kill -TERM "${LOOPERS[c]}"
	looped c 9
	[ "$(types c.log)" = 'waiting leading backoff skipped stopped' ]
	looper d --backoff 1ms:1ms "$LOCK"
	await leads_as d 4
	contend between "$LOCK"
	await is_pending 1
	end_term d 'exit 8'
	await leads between
	await is_pending 1
	kill -TERM "${LOOPERS[d]}"
	looped d 8
	[ "$(types d.log)" = 'waiting leading backoff waiting skipped stopped' ]
	[ "$(field generation d.log | sort -u)" = 4 ]
	let_end between
}

@test "stop: the leader ends for good, and does not come back" {
	looper a "$LOCK"
	await leads_as a 1
	looper b "$LOCK"
	await is_pending 1
	run -0 "$LOCKRUN" stop --reason 'enough' "$LOCK"
	looped a 124
	[ "$(grep '"type":"stopped"' a.log | field text /dev/stdin)" = enough ]
	await leads_as b 2
	run -0 "$LOCKRUN" stop "$LOCK"
	looped b 124
}

@test "stop finds the one that led and rests" {
	looper a --backoff 1h:1h "$LOCK"
	await leads_as a 1
	end_term a 'exit 5'
	await rests a
	run -0 "$LOCKRUN" stop --reason 'deploy 12' "$LOCK"
	[[ "$output" == *"stepped down; nobody leads now" ]]
	looped a 5
	[ "$(types a.log)" = 'waiting leading backoff skipped stopped' ]
	[ "$(field reason a.log | paste -sd' ')" = 'failed stop stop' ]
	[ "$(grep '"type":"stopped"' a.log | field text /dev/stdin)" = 'deploy 12' ]
	run -0 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *": nobody leads now" ]]
}

@test "stop leaves others alone that rest, and --all does not" {
	looper a --backoff 1h:1h "$LOCK"
	await leads_as a 1
	looper b "$LOCK"
	await is_pending 1
	end_term a 'exit 4'
	await rests a
	await leads_as b 2
	run -0 "$LOCKRUN" stop "$LOCK"
	looped b 124
	kill -0 "${LOOPERS[a]}"
	run -0 "$LOCKRUN" stop --all --reason R "$LOCK"
	looped a 4
	[ "$(grep '"type":"stopped"' a.log | field text /dev/stdin)" = R ]
}

@test "an interrupt ends the loop, whatever the command makes of it" {
	looper a "$LOCK"
	await leads_as a 1
	kill -INT "${LOOPERS[a]}"
	looped a 130
	[ "$(types a.log)" = 'waiting leading stopped' ]
	start env --default-signal "$LOCKRUN" -r --events log "$LOCK" sh -c 'trap "exit 0" INT; echo >ready
	    while :; do sleep 0.05; done'
	await test -e ready
	kill -INT "$STARTED"
	over 0
	[ "$(types log)" = 'waiting leading stopped' ]
}

@test "a hang-up ends the loop only if the command dies by it" {
	looper a --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	end_term a 'trap "echo >heard" HUP; echo >ready; until [ -e heard ]; do sleep 0.01; done; exit 0'
	await test -e ready
	kill -HUP "${LOOPERS[a]}"
	await leads_as a 2
	kill -HUP "${LOOPERS[a]}"
	looped a 129
	[ "$(types a.log)" = 'waiting leading backoff waiting leading stopped' ]
}

@test "a signal to the command alone ends its term only" {
	looper a --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	kill -INT "$(children_of "${LOOPERS[a]}")"
	await leads_as a 2
	kill -TERM "${LOOPERS[a]}"
	looped a 143
}

@test "who is replaced comes again, and does not replace a second time" {
	looper a --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	looper b --replace --backoff 1ms:1ms "$LOCK"
	await leads_as b 2
	await rests a
	[ "$(field reason a.log | tail -1)" = replaced ]
	await is_pending 1
	end_term b
	await leads_as a 3
	await is_pending 1
	# It waits its turn.
	[ "$(grep -c stepping-down a.log)" -eq 1 ]
	end_term a
	await leads_as b 4
	run -0 "$LOCKRUN" stop --all "$LOCK"
	looped b 124
	looped a 0
}

@test "--die-with-parent: while it rests, too" {
	mkfifo a.go
	start sh -c '"$0" -r --backoff 1h:1h --die-with-parent --events a.log "$1" sh -c "read -r _ <a.go; exit 1" & echo $! >pid; wait' "$LOCKRUN" "$LOCK"
	await grep -qs leading a.log
	echo >a.go
	await rests a
	kill -KILL "$STARTED"
	wait "$STARTED" || true
	await is_gone "$(cat pid)"
	legal a.log 1
	[ "$(field reason a.log | paste -sd' ')" = 'failed parent-gone parent-gone' ]
}

@test "SIGKILL leaves nothing in the way, whatever the looper was doing" {
	hold
	looper waits "$LOCK"
	await is_pending 1
	kill -KILL "${LOOPERS[waits]}"
	release
	looper leads "$LOCK"
	await leads_as leads 2
	kill -KILL "${LOOPERS[leads]}"
	looper rests --backoff 1h:1h "$LOCK"
	await leads_as rests 3
	end_term rests 'exit 1'
	await rests rests
	kill -KILL "${LOOPERS[rests]}"
	run -0 "$LOCKRUN" -w 10s "$LOCK" sh -c 'ls "$LOCKRUN_DIR/$LOCKRUN_NAME/q"'
	[ "${#lines[@]}" -eq 1 ]
	wait "${LOOPERS[@]}" || true
	is_pending 0
	is_holding 0
}

# ---- who shares ----

@test "two that share and loop lead side by side; what was asked of one term is not asked of the next" {
	start "$LOCKRUN" -r -s --backoff 1ms:1ms --events a.log "$LOCK" sh -c 'trap "echo >>heard" USR1; echo $$ >>terms
	    until [ -e "next.$(wc -l <terms)" ]; do sleep 0.01; done'
	LOOPERS[a]=$STARTED
	await test -s terms
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	await test -s heard
	echo >next.1
	second() { [ "$(wc -l <terms)" -eq 2 ]; }
	await second
	# Longer than it takes to begin to listen.
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	heard_twice() { [ "$(wc -l <heard)" -eq 2 ]; }
	await heard_twice
	run -0 "$LOCKRUN" --replace "$LOCK" true
	third() { [ "$(wc -l <terms)" -eq 3 ]; }
	await third
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	heard_thrice() { [ "$(wc -l <heard)" -eq 3 ]; }
	await heard_thrice
	[ "$(grep -c replaced a.log)" -eq 2 ]
	run -0 "$LOCKRUN" stop "$LOCK"
	looped a 124
}

@test "a signal is for the term that it was sent to" {
	looper a --backoff 1ms:1ms "$LOCK"
	await leads_as a 1
	end_term a 'trap "echo >>heard" USR1; echo >ready; until [ -e heard ]; do sleep 0.01; done; exit 0'
	await test -e ready
	run -0 "$LOCKRUN" signal "$LOCK" USR1
	await leads_as a 2
	# It would die by it. By now it listens, since it hears this.
	run -0 "$LOCKRUN" signal "$LOCK" TERM
	await leads_as a 3
	[ "$(field signal a.log | paste -sd' ')" = 'null 15' ]
	run -0 "$LOCKRUN" stop "$LOCK"
	looped a 124
}

# ---- what readers see ----

@test "status and watch: who rests is seen, and waits for nothing" {
	looper a --backoff 1h:1h "$LOCK"
	await leads_as a 1
	start "$LOCKRUN" watch "$LOCK" >watched
	local watcher=$STARTED
	end_term a 'exit 1'
	await rests a
	at_rest() { "$LOCKRUN" status "$LOCK" | grep -q "^$LOCK: resting, generation 1"; }
	await at_rest
	"$LOCKRUN" status "$LOCK" | grep -q "^  backoff  *pid ${LOOPERS[a]} (sh) for "
	"$LOCKRUN" status --json "$LOCK" >json
	grep -qF '"held":[],"pending":[],"resting":[{"name":"'"$LOCK"'","state":"backoff","mode":"exclusive","kind":"queued","pid":'"${LOOPERS[a]}," json
	grep -qF "\"contender\":\"$(field contender a.log | sort -u)\"" json
	is_pending 0
	await grep -q ': resting, 0 waiting$' watched
	# It is in nobody's way, and no leader has to yield to it.
	run -0 "$LOCKRUN" -n --yield "$LOCK" "$LOCKRUN" status "$LOCK"
	[[ "$output" == *": led, generation 2"*"backoff "* ]]
	run -0 "$LOCKRUN" prune --older-than 0
	[ -d "$LOCKRUN_DIR/$LOCK" ]
	kill -TERM "${LOOPERS[a]}" "$watcher"
	looped a 1
	wait "$watcher" || true
	[ "$(tickets_like '*')" -eq 0 ]
}

@test "-v tells of the rest" {
	run -1 "$LOCKRUN" -v -r --max-terms 2 --backoff 5ms:5ms "$LOCK" sh -c 'exit 1'
	[ "$(grep -c ' again in 5ms$' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'ended: failed, with status 1$' <<<"$output")" -eq 2 ]
}
