#!/usr/bin/env bats
# --watchdog: the command gives signs of life by sd_notify(3), and steps down when it gives none.
load helper

# A command that waits for the FIFO `go`, and then does what its arguments say, with the probe in
# $N; `ready` is there once it waits, and holds NOTIFY_SOCKET.
export N=$PROBES/notify
GATED='echo "$NOTIFY_SOCKET" >ready.new; mv ready.new ready; cat go >/dev/null; '

# gated OPTION... COMMANDS: lead with that, in the background, past the start.
gated() {
	local last=${*: -1}
	rm -f go ready
	mkfifo go
	start "$LOCKRUN" "${@:1:$#-1}" "$LOCK" -- sh -c "$GATED$last"
	await test -e ready
}
open_gate() { timeout "$PATIENCE" sh -c ': >go'; }

# ticket KEY: what the leader's ticket says.
ticket() { sed -n "s/^$1=//p" "$LOCKRUN_DIR/$LOCK/q/"*h; }
has_report() { [ "$(ticket report)" = "$1" ]; }
field() { "$LOCKRUN" status --json "$LOCK" | grep -o "\"$1\":\(\"[^\"]*\"\|[^,}]*\)" | head -n 1 | cut -d: -f2-; }

# ---- what the command gets ----

@test "the command learns where to report, how often, and that it is meant" {
	run -0 env -u NOTIFY_SOCKET "$LOCKRUN" --watchdog 1.5m "$LOCK" -- \
		sh -c 'echo $NOTIFY_SOCKET $WATCHDOG_USEC $WATCHDOG_PID $$'
	[[ "$output" =~ ^@lockrun-[0-9a-f]{16}\ 90000000\ ([0-9]+)\ ([0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}

@test "without --watchdog there is no socket, and NOTIFY_SOCKET passes unchanged" {
	run -0 env NOTIFY_SOCKET=/run/outer WATCHDOG_USEC=5 WATCHDOG_PID=1 "$LOCKRUN" "$LOCK" -- \
		sh -c 'echo $NOTIFY_SOCKET $WATCHDOG_USEC $WATCHDOG_PID; ls -l /proc/$PPID/fd'
	[ "${lines[0]}" = '/run/outer 5 1' ]
	[[ "$output" != *socket:* ]]
	run -0 env -u NOTIFY_SOCKET "$LOCKRUN" "$LOCK" -- sh -c 'echo ${NOTIFY_SOCKET-none} ${WATCHDOG_USEC-none}'
	[ "$output" = 'none none' ]
}

@test "what a service manager meant for lockrun by its pid is meant for the command" {
	run -0 sh -c 'LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$@"' sh "$LOCKRUN" "$LOCK" -- \
		sh -c 'echo $LISTEN_PID $WATCHDOG_PID $$'
	read -r listen watchdog pid <<<"$output"
	[ "$listen $watchdog" = "$pid $pid" ]
	run -0 sh -c 'LISTEN_PID=$$ exec "$@"' sh "$LOCKRUN" -F "$LOCK" -- sh -c 'echo $LISTEN_PID $$'
	[ "${output% *}" = "${output#* }" ]
	run -0 env LISTEN_PID=1 WATCHDOG_PID=11 "$LOCKRUN" "$LOCK" -- sh -c 'echo $LISTEN_PID $WATCHDOG_PID'
	[ "$output" = '1 11' ]
	# Another one's watchdog does not shorten ours, but our own service manager's does.
	run -0 env WATCHDOG_PID=1 WATCHDOG_USEC=7 "$LOCKRUN" --watchdog 1s "$LOCK" -- sh -c 'echo $WATCHDOG_USEC'
	[ "$output" = 1000000 ]
	run -0 sh -c 'WATCHDOG_PID=$$ WATCHDOG_USEC=700000 exec "$@"' sh \
		"$LOCKRUN" --watchdog 1s "$LOCK" -- sh -c 'echo $WATCHDOG_USEC $((WATCHDOG_PID - $$))'
	[ "$output" = '700000 0' ]
}

@test "refused: no limit, and without a supervisor" {
	run -64 "$LOCKRUN" --watchdog 0 "$LOCK" -- true
	[[ "$output" == *"zero is not a limit"* ]]
	run -64 "$LOCKRUN" -F --watchdog 1s "$LOCK" -- true
	[[ "$output" == *"--no-fork and --watchdog: without a fork"* ]]
}

# ---- silence ----

@test "silence: 124, and everybody is told why" {
	run -124 "$LOCKRUN" --watchdog 100ms --events log "$LOCK" -- sh -c 'sleep 60 & wait'
	[ "$output" = "lockrun: $LOCK: stepping down: no sign of life for 100ms (watchdog); SIGTERM sent, SIGKILL in 10s" ]
	[ "$(grep -o '"reason":"[a-z-]*"' log | sort -u)" = '"reason":"watchdog"' ]
	run -0 "$LOCKRUN" history "$LOCK"
	[[ "$output" == *watchdog* ]]
	run -7 "$LOCKRUN" -q --preserve-status --watchdog 100ms "$LOCK" -- sh -c 'trap "exit 7" TERM; sleep 60 & wait'
}

@test "a sign of life begins the time anew" {
	run -124 "$LOCKRUN" -q --watchdog 2s --events log "$LOCK" -- sh -c 'sleep 0.5; "$N" send WATCHDOG=1; sleep 60 & wait'
	led=$(sed -n 's/.*"leading".*"mono_ms":\([0-9]*\).*/\1/p' log)
	stepping=$(sed -n 's/.*"stepping-down".*"mono_ms":\([0-9]*\).*/\1/p' log)
	[ $((stepping - led)) -ge 2500 ]
}

@test "WATCHDOG=trigger: at once" {
	run -124 "$LOCKRUN" --watchdog 1h "$LOCK" -- sh -c '"$N" send STATUS=stuck WATCHDOG=trigger; sleep 60 & wait'
	[[ "$output" == *"stepping down: watchdog: trigger; SIGTERM sent, "* ]]
}

@test "a command that has ended, or steps down, need not report" {
	run -0 "$LOCKRUN" --watchdog 100ms --leftovers wait "$LOCK" -- sh -c 'sleep 0.4 &'
	start "$LOCKRUN" -q --watchdog 100ms --events log "$LOCK" -- sh -c 'trap "echo >went; sleep 0.3; exit 9" TERM; sleep 60 & wait'
	await test -e went
	ends 124 "$STARTED"
	[ "$(grep -c '"type":"stepping-down"' log)" = 1 ]
}

# ---- what is told ----

@test "status shows what the command says, and for how long it has said nothing" {
	gated --watchdog 1h '"$N" send READY=1 "STATUS=3 of 10"; cat go >/dev/null'
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"  sign of life none yet (watchdog 1h00m)"* ]]
	[ "$(field report)/$(field heard)/$(field watchdog_ms)/$(field health)" = 'null/null/3600000/"ok"' ]
	open_gate
	await has_report '3 of 10'
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *": led, generation 1"*"  sign of life "*" ago (watchdog 1h00m)"*"  report       3 of 10"* ]]
	[ "$(field report)" = '"3 of 10"' ]
	[[ "$(field heard)" == '"20'*'Z"' ]]
	[ "$(field silent_ms)" -ge 0 ]
	open_gate
	ends 0 "$STARTED"
}

@test "without a watchdog these are null" {
	hold
	[ "$(field report)/$(field heard)/$(field silent_ms)/$(field watchdog_ms)" = null/null/null/null ]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" != *"sign of life"* ]]
	release
}

@test "what the command says is foreign text" {
	gated --watchdog 1h '"$N" send "STATUS=$(printf "\033[31mred\ttab")"; cat go >/dev/null'
	open_gate
	await has_report '?[31mred?tab'
	open_gate
	ends 0 "$STARTED"
	gated --watchdog 1h '"$N" send "STATUS=$(printf "a\233b")"; cat go >/dev/null'
	open_gate
	await grep -qs ^report=a "$LOCKRUN_DIR/$LOCK/q/"*h
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *'  report       aM^[b'* ]]
	open_gate
	ends 0 "$STARTED"
}

@test "a silent command is called so before and while it steps down" {
	mkfifo go
	start "$LOCKRUN" -q --watchdog 3s -k 30s "$LOCK" -- sh -c 'trap "" TERM; cat go; :'
	silent() { [ "$(field health)" = '"silent"' ]; }
	await silent
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *": led by a silent command, generation 1"* ]] || [[ "$output" == *"stepping down: watchdog"* ]]
	await eval '[ "$(field state)" = "\"stepping-down\"" ]'
	silent
	[ "$(field reason)" = '"watchdog"' ]
	open_gate
	ends 124 "$STARTED"
}

# ---- whom to believe ----

@test "all below the command count: far below, in a session of their own, and gone already" {
	gated --watchdog 1h 'setsid sh -c "sh -c \"\\\"\$N\\\" barrier STATUS=far\" & :"; cat go >/dev/null
		"$N" send STATUS=gone; echo >sent; cat go >/dev/null'
	open_gate
	await has_report far
	# Its message waits until we look, and it does not.
	kill -STOP "$STARTED"
	open_gate
	await test -e sent
	kill -CONT "$STARTED"
	await has_report gone
	open_gate
	ends 0 "$STARTED"
}

@test "who waits for its message to be read (BARRIER=1) is let go" {
	run -0 "$LOCKRUN" --watchdog 1h "$LOCK" -- sh -c '"$N" barrier READY=1 && echo read'
	[ "$output" = read ]
}

@test "strangers are not believed, though they know the address" {
	gated --watchdog 1h '"$N" send STATUS=own; cat go >/dev/null'
	NOTIFY_SOCKET=$(cat ready) "$N" barrier STATUS=stranger WATCHDOG=trigger
	open_gate
	await has_report own
	NOTIFY_SOCKET=$(cat ready) "$N" barrier STATUS=stranger WATCHDOG=trigger
	has_report own
	open_gate
	ends 0 "$STARTED"
}

@test "a stranger of another user is not believed even when it is gone" {
	needs_root
	make_open_dir
	cp "$N" "$OPEN_DIR/notify"
	chmod 755 "$OPEN_DIR/notify"
	gated --watchdog 1h '"$N" send STATUS=own; cat go >/dev/null'
	kill -STOP "$STARTED"
	as_user env NOTIFY_SOCKET="$(cat ready)" "$OPEN_DIR/notify" send STATUS=stranger WATCHDOG=trigger
	kill -CONT "$STARTED"
	open_gate
	await has_report own
	open_gate
	ends 0 "$STARTED"
}

@test "a child from before \"exec lockrun\" is a stranger as well" {
	mkfifo go child
	start bash -c '(cat child >address; NOTIFY_SOCKET=$(cat address) "$N" barrier STATUS=stranger; : >said) &
		exec "$@"' bash "$LOCKRUN" --watchdog 1h "$LOCK" -- sh -c "$GATED true"
	await test -e ready
	cat ready >child
	await test -e said
	has_report ''
	open_gate
	ends 0 "$STARTED"
}

@test "what is longer than a message may be is dropped" {
	gated --watchdog 1h '"$N" long 4097; "$N" barrier STATUS=short; cat go >/dev/null
		"$N" long 4096; cat go >/dev/null'
	open_gate
	await has_report short
	open_gate
	await eval '[[ "$(ticket report)" = xxx* ]]'
	[ "$(ticket report | tr -d '\n' | wc -c)" = 200 ]
	open_gate
	ends 0 "$STARTED"
}

# ---- an outer one ----

# outer ADDRESS COUNT: who supervises lockrun, and writes what it hears into `heard`.
outer() {
	start "$N" listen "$1" "$2" >heard
	OUTER=$STARTED
	await grep -qsF "$1" /proc/net/unix
}

@test "all that counts is passed on to an outer NOTIFY_SOCKET, as lockrun's own word" {
	outer "$PWD/outer" 4
	export NOTIFY_SOCKET=$PWD/outer
	gated --watchdog 1h 'echo $PPID >lockrun; "$N" barrier READY=1 "STATUS=a b"; cat go >/dev/null; "$N" send STOPPING=1 MAINPID=7'
	NOTIFY_SOCKET=$(cat ready) "$N" barrier STATUS=stranger
	open_gate
	await eval '[ "$(wc -l <heard)" = 2 ]'
	open_gate
	ends 0 "$STARTED"
	"$N" send 'last=1'
	ends 0 "$OUTER"
	pid=$(cat lockrun)
	[ "$(head -n 3 heard)" = "$(printf '%s\n' "$pid 0 READY=1,STATUS=a b" "$pid 1 BARRIER=1" "$pid 0 STOPPING=1,MAINPID=7")" ]
}

@test "an outer one that is abstract, gone or nonsense" {
	outer "@lockrun-test-$$" 1
	NOTIFY_SOCKET=@lockrun-test-$$ "$LOCKRUN" --watchdog 1h "$LOCK" -- "$N" barrier READY=1
	ends 0 "$OUTER"
	grep -q 'READY=1$' heard
	for address in /nowhere/outer @ nonsense vsock:2:1234 "$(printf '/%0200d' 0)"; do
		run -0 env NOTIFY_SOCKET="$address" "$LOCKRUN" --watchdog 1h "$LOCK" -- "$N" barrier READY=1
		[ -z "$output" ]
	done
}
