#!/usr/bin/env bats
# Stepping down: lockrun ends the command, waits for all of it, and says so with 124.
load helper

# ---- max-hold ----

@test "max-hold: the command is made to step down, and the status is 124" {
	run -124 "$LOCKRUN" -m 100ms "$LOCK" sleep 600
	[ "$output" = "lockrun: $LOCK: stepping down: held for 100ms (max-hold); SIGTERM sent, SIGKILL in 10s" ]
	"$LOCKRUN" -n "$LOCK" true
}

@test "max-hold: who ends before has its own status" {
	run -0 "$LOCKRUN" -m 60s "$LOCK" true
	[ -z "$output" ]
	run -7 "$LOCKRUN" -m 60s "$LOCK" sh -c 'exit 7'
	run -137 "$LOCKRUN" -m 60s "$LOCK" sh -c 'kill -KILL $$'
}

@test "max-hold counts from the grant, not from the queue" {
	hold
	start "$LOCKRUN" -m 60s "$LOCK" true
	local waiter=$STARTED
	start "$LOCKRUN" -m 1ms "$LOCK" sleep 600
	local short=$STARTED
	await is_pending 2
	release
	ends 0 "$waiter"
	ends 124 "$short"
}

@test "a command that ends well upon SIGTERM was made to step down all the same" {
	lead -q -m 1s demo:v1:leader:well sh -c 'trap "echo saved; exit 0" TERM; sleep 600 & wait' >well
	local well=$STARTED
	lead -q -m 1s demo:v1:leader:ill sh -c 'trap "echo saved; exit 7" TERM; sleep 600 & wait' >ill
	local ill=$STARTED
	ends 124 "$well"
	ends 124 "$ill"
	[ "$(cat well ill)" = $'saved\nsaved' ]
}

@test "max-hold reaches the tree: through timeout, shells, process groups and sessions" {
	run -124 "$LOCKRUN" -q -m 200ms "$LOCK" timeout 600 sleep 600
	run -124 "$LOCKRUN" -q -m 200ms "$LOCK" sh -c 'timeout 600 sleep 600'
	run -124 "$LOCKRUN" -q -m 200ms "$LOCK" sh -c 'sleep 600; :'
	run -124 "$LOCKRUN" -q -m 200ms "$LOCK" sh -c 'setsid sleep 600 & setsid sh -c "sleep 600; :" & wait'
	no_marked_processes
}

@test "who does not go within the grace is killed, with all of the tree, and the record says so" {
	run -124 "$LOCKRUN" -m 1s -k 200ms "$LOCK" \
	    sh -c 'trap "" TERM; setsid sleep 600 & sleep 600; sleep 600'
	[[ "${lines[0]}" == *"SIGKILL in 200ms" ]]
	[[ "${lines[1]}" == *"the grace is over; SIGKILL sent" ]]
	no_marked_processes
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"reason":"max-hold"'*'"killed":true'* ]]
}

@test "who goes within the grace is not killed, and the record says so" {
	run -124 "$LOCKRUN" -m 100ms "$LOCK" sleep 600
	[ "${#lines[@]}" -eq 1 ]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"reason":"max-hold"'*'"signal":15,"killed":false'* ]]
}

@test "kill-after never: SIGTERM is all" {
	mkfifo go
	lead -k never "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go; exit 3' 2>told
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	await grep -q 'SIGTERM sent$' told
	run -75 "$LOCKRUN" -n "$LOCK" true
	echo >go
	ends 124 "$leader"
	run -1 grep SIGKILL told
}

@test "the lock is held until all of the tree is gone, though the command itself has ended" {
	mkfifo go
	lead -k never "$LOCK" sh -c '
		setsid sh -c "trap \"echo >stopping; read -r _ <go; exit\" TERM; sleep 600 & echo >ready; wait" &
		wait' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	await test -s stopping
	run -75 "$LOCKRUN" -n "$LOCK" true
	echo >go
	ends 124 "$leader"
	"$LOCKRUN" -n "$LOCK" true
}

@test "a stopped command steps down as well" {
	lead -q -m 300ms -k never "$LOCK" sh -c 'kill -STOP $$; sleep 600'
	ends 124 "$STARTED"
}

@test "while a leader steps down, status says so and why" {
	mkfifo go
	lead -k never "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go' 2>told
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	await grep -q 'stepping down' told
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"stepping down: stop"* ]]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"state":"stepping-down"'*'"health":"stepping-down",'*'"reason":"stop"'* ]]
	echo >go
	ends 124 "$leader"
}

@test "a try with a limit is one line, and a retry finds the lock free" {
	run -124 "$LOCKRUN" -n -m 100ms "$LOCK" sleep 600
	run -0 "$LOCKRUN" -n -m 60s "$LOCK" true
}

# ---- stop ----

@test "stop: the leader steps down with 124, and the message says who leads now" {
	lead "$LOCK" sh -c 'echo >ready; exec sleep 600' 2>told
	local leader=$STARTED
	await test -s ready
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: pid $leader (sh) stepped down; nobody leads now" ]
	ends 124 "$leader"
	[ "$(cat told)" = "lockrun: $LOCK: stepping down: stop: no reason given; SIGTERM sent, SIGKILL in 10s" ]
}

@test "stop: with somebody waiting, that one leads now" {
	mkfifo go
	lead -q "$LOCK" sh -c 'echo >ready; exec sleep 600'
	local leader=$STARTED
	await test -s ready
	start "$LOCKRUN" "$LOCK" sh -c 'read -r _ <go'
	local second=$STARTED
	await is_pending 1
	run -0 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *"pid $leader (sh) stepped down; now held by pid $second (sh) for "*"generation 2"* ||
	    "$output" == *"stepped down; now being handed over, 1 waiting" ]]
	ends 124 "$leader"
	echo >go
	ends 0 "$second"
}

@test "stop: the reason is shown to whoever has to step down, and in the record" {
	lead "$LOCK" sh -c 'echo >ready; exec sleep 600' 2>told
	local leader=$STARTED
	await test -s ready
	run -0 "$LOCKRUN" stop --reason 'deploy of v7' "$LOCK"
	ends 124 "$leader"
	[[ "$(cat told)" == *"stepping down: stop: deploy of v7; SIGTERM sent"* ]]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"reason":"stop"'* ]]
}

@test "stop: still there when the wait is over is 75" {
	mkfifo go
	lead -q -k never "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go'
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" stop -w 100ms "$LOCK"
	[[ "$output" == *"pid $leader (sh) was asked, and is still there after 100ms"* ]]
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	echo >go
	ends 124 "$leader"
}

@test "stop: nobody there is 0 and a word, and nothing is made" {
	run -0 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == "lockrun: $LOCK: nobody leads now; there is no directory $LOCKRUN_DIR" ]]
	[ "${#lines[@]}" -eq 1 ]
	[ ! -e "$LOCKRUN_DIR" ]
	"$LOCKRUN" "$LOCK" true
	run -0 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *"nobody leads now" ]]
}

@test "stop: is for one term, not for the next one" {
	lead -q "$LOCK" sh -c 'echo >ready; exec sleep 600'
	await test -s ready
	"$LOCKRUN" stop "$LOCK" 2>/dev/null
	ends 124 "$STARTED"
	run -0 "$LOCKRUN" "$LOCK" sh -c "'$LOCKRUN' check"
	[ -z "$output" ]
}

@test "stop: asked in the first moment of a term it is not lost" {
	local i
	for i in {1..10}; do
		lead -q "$LOCK" sh -c 'echo >ready; exec sleep 600'
		await test -s ready
		timeout "$PATIENCE" "$LOCKRUN" stop "$LOCK" 2>/dev/null
		ends 124 "$STARTED"
		rm ready
	done
}

@test "stop: goes by the lock, not by what the command looks like" {
	lead -q demo:v1:leader:one sh -c 'echo >ready1; exec sleep 600'
	local one=$STARTED
	lead -q demo:v1:leader:two sh -c 'echo >ready2; exec sleep 600'
	local two=$STARTED
	await test -s ready1
	await test -s ready2
	"$LOCKRUN" stop demo:v1:leader:one 2>/dev/null
	ends 124 "$one"
	run -0 "$LOCKRUN" status demo:v1:leader:two
	[[ "$output" == *"pid $two "* ]]
	"$LOCKRUN" stop demo:v1:leader:two 2>/dev/null
	ends 124 "$two"
}

@test "stop: waiters stay, and lead in their order" {
	hold
	start "$LOCKRUN" "$LOCK" sh -c 'echo second >>order'
	local second=$STARTED
	await is_pending 1
	start "$LOCKRUN" "$LOCK" sh -c 'echo third >>order'
	local third=$STARTED
	await is_pending 2
	"$LOCKRUN" stop "$LOCK" 2>/dev/null
	ends 124 "$HOLDER"
	ends 0 "$second"
	ends 0 "$third"
	[ "$(tr '\n' ' ' <order)" = 'second third ' ]
}

@test "stop: of a plain SIGTERM it is told apart" {
	lead -q "$LOCK" sh -c 'trap "exit 6" TERM; sleep 600 & echo >ready; wait'
	await test -s ready
	kill "$STARTED"
	ends 6 "$STARTED"
	rm ready
	lead -q "$LOCK" sh -c 'trap "exit 6" TERM; sleep 600 & echo >ready; wait'
	await test -s ready
	"$LOCKRUN" stop "$LOCK" 2>/dev/null
	ends 124 "$STARTED"
}

@test "stop: what a killed lockrun left behind cannot be asked, and that is said" {
	lead "$LOCK" sh -c 'trap "" TERM; echo $$ >ready; exec sleep 600' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	kill -KILL "$leader"
	ends 137 "$leader"
	run -75 "$LOCKRUN" stop "$LOCK"
	[[ "$output" == *"left behind (sh, generation 1)"*"no lockrun is there that could be asked"* ]]
	kill -KILL "$(cat ready)"
}

# ---- check ----

@test "check: inside a term it succeeds, by name or without, in silence" {
	run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" check
	[ -z "$output" ]
	run -0 "$LOCKRUN" "$LOCK" "$LOCKRUN" check "$LOCK"
	[ -z "$output" ]
	run -0 "$LOCKRUN" "$LOCK" sh -c "sh -c 'cd /; exec \"$LOCKRUN\" check'"
}

@test "check: works for a directory that was named by a relative path" {
	run -0 "$LOCKRUN" -d state "$LOCK" sh -c "cd / && exec '$LOCKRUN' check"
}

@test "check: outside, or inside another one, is 64" {
	run -64 "$LOCKRUN" check
	[[ "$output" == *"not inside a command that lockrun runs"* ]]
	run -64 "$LOCKRUN" check "$LOCK"
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" check demo:v1:leader:other
	[[ "$output" == *"demo:v1:leader:other: not inside"* ]]
}

@test "check: once stopping was asked for it is 76" {
	mkfifo go
	lead -q -k never "$LOCK" sh -c "
		trap '' TERM
		'$LOCKRUN' check; echo \$? >before
		echo >ready; read -r _ <go
		'$LOCKRUN' check; echo \$? >after; read -r _ <go"
	local leader=$STARTED
	await test -s ready
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	echo >go
	await test -s after
	await stepping_down
	echo >go
	ends 124 "$leader"
	[ "$(cat before) $(cat after)" = '0 76' ]
}

@test "check: in a step-down by a signal or a limit it is 76 as well" {
	mkfifo go
	lead -q -k never -m 1s "$LOCK" sh -c "
		trap '' TERM
		echo >ready; read -r _ <go
		'$LOCKRUN' check; echo \$? >after"
	local leader=$STARTED
	await test -s ready
	await stepping_down
	echo >go
	ends 124 "$leader"
	[ "$(cat after)" = 76 ]
	rm ready
	lead -q "$LOCK" sh -c "
		trap '' TERM
		echo >ready; read -r _ <go
		'$LOCKRUN' check; echo \$? >after"
	leader=$STARTED
	await test -s ready
	kill "$leader"
	await stepping_down
	echo >go
	ends 0 "$leader"
	[ "$(cat after)" = 76 ]
}
stepping_down() { "$LOCKRUN" status "$LOCK" | grep -q 'stepping down'; }

@test "check: what is left of an old term does not lead any more" {
	mkfifo go
	"$LOCKRUN" "$LOCK" sh -c "(read -r _ <go; '$LOCKRUN' check; echo \$? >after) >/dev/null 2>&1 3>&- &"
	hold
	echo >go
	await test -s after
	[ "$(cat after)" = 76 ]
	release
}

@test "check: a loop of batches ends by itself after a stop" {
	lead -q -k never "$LOCK" sh -c "
		trap '' TERM
		while '$LOCKRUN' check; do echo batch >>batches; done
		echo done >>batches"
	local leader=$STARTED
	await test -s batches
	"$LOCKRUN" stop "$LOCK" 2>/dev/null
	# Its own status if it saw what was asked even before the signal.
	ends 124 "$leader" || [ "$STATUS" -eq 0 ]
	[ "$(tail -1 batches)" = 'done' ]
}

@test "a script guards itself with one line at its top" {
	cat >guarded <<-GUARDED
		#!/bin/sh
		lockrun check $LOCK 2>/dev/null || exec lockrun -n $LOCK -- "\$0" "\$@"
		echo "generation \$LOCKRUN_GENERATION: \$*"
	GUARDED
	chmod +x guarded
	run -0 ./guarded 'a b' c
	[ "$output" = 'generation 1: a b c' ]
	hold
	run -75 ./guarded
	[[ "$output" == *"nothing was run" ]]
	release
	# Inside another lock it still takes its own.
	run -0 "$LOCKRUN" demo:v1:leader:other ./guarded
	[ "$output" = 'generation 3: ' ]
}

@test "a script may name lockrun in its first line" {
	local env
	env=$(command -v env)
	printf '#!%s -S lockrun -n %s -- bash\necho "$LOCKRUN_NAME: $1"\n' "$env" "$LOCK" >guarded
	chmod +x guarded
	run -0 ./guarded x
	[ "$output" = "$LOCK: x" ]
}
