#!/usr/bin/env bats
# --eligible and --eligible-every: who is not to lead does not, and who is not to lead any more
# steps down.
load helper
load events

# asked [LINES]: the check was made so many times by now.
asked() { [ "$(wc -l <asked)" -ge "${1:-1}" ]; } 2>/dev/null

# ---- before leading ----

@test "who is eligible leads; it was asked before it queued and at the grant" {
	run -0 "$LOCKRUN" --eligible 'echo asked >>asked' "$LOCK" sh -c 'wc -l <asked'
	[ "$output" = 2 ]
}

@test "who is not eligible runs nothing: 75, or what -E says, and one line" {
	run -75 "$LOCKRUN" --events log --eligible 'exit 3' "$LOCK" touch ran
	[ "$output" = "lockrun: $LOCK: not eligible: the check exited with 3; nothing was run" ]
	legal log 1
	[ "$(types log)" = 'waiting skipped stopped' ]
	[ "$(field reason log | sort -u)" = ineligible ]
	run -9 "$LOCKRUN" -q -E 9 --eligible 'kill -9 $$' "$LOCK" touch ran
	[ "$output" = '' ]
	run -75 "$LOCKRUN" -n --eligible 'kill -9 $$' "$LOCK" touch ran
	[[ "$output" == *'the check died by signal 9; nothing was run' ]]
	[ ! -e ran ]
}

@test "no generation is used up, and no place in the queue taken" {
	"$LOCKRUN" "$LOCK" true
	run -75 "$LOCKRUN" -q --eligible "ls '$LOCKRUN_DIR/$LOCK/q' >tickets; false" "$LOCK" true
	[ "$(wc -l <tickets)" -eq 1 ]
	grep -q 'xqr$' tickets
	[ "$(tickets_like '*')" -eq 0 ]
	[ "$(generation)" -eq 2 ]
}

@test "at the grant it is asked again: who has become ineligible in the queue makes room" {
	touch eligible
	hold
	start "$LOCKRUN" -q --eligible 'test -e eligible' "$LOCK" touch ran
	local waiter=$STARTED
	await is_pending 1
	start "$LOCKRUN" "$LOCK" sh -c 'echo $LOCKRUN_GENERATION >next'
	local next=$STARTED
	await is_pending 2
	rm eligible
	release
	ends 75 "$waiter"
	ends 0 "$next"
	[ ! -e ran ]
	[ "$(cat next)" -eq 2 ]
	is_holding 0
}

@test "a check that hangs counts as no after 5 s, and is ended with all that it started" {
	hold
	touch first
	# In a session of its own, in the background, and what forks further.
	start "$LOCKRUN" --eligible 'rm first 2>/dev/null && exit
		setsid sh -c "sleep 600 & sleep 600 & wait" & sh -c "trap \"\" TERM; sleep 600; :"; :' "$LOCK" touch ran 2>said
	local waiter=$STARTED
	await is_pending 1
	start "$LOCKRUN" "$LOCK" touch next
	local next=$STARTED
	await is_pending 2
	release
	ends 75 "$waiter"
	ends 0 "$next"
	[ "$(cat said)" = "lockrun: $LOCK: not eligible: the check gave no answer within 5.0s; nothing was run" ]
	[ ! -e ran ]
	[ -e next ]
	await_quietly no_marked_processes
}

# asking OPTION...: a contender whose check says nothing yet. Its pid is in $STARTED.
asking() {
	rm -f asked
	lead -q --events log "$@" --eligible 'echo >>asked; exec sleep 600' "$LOCK" touch ran
	await asked
}

@test "who is asked for the first time is seen, and found by stop --all, with --loop and without" {
	local loop word
	for loop in '' -r; do
		rm -f log
		# shellcheck disable=SC2086
		asking $loop
		run -0 "$LOCKRUN" status "$LOCK"
		[[ "$output" == *": resting"*"  ineligible   pid $STARTED (touch) for "* ]]
		run -0 "$LOCKRUN" status --json "$LOCK"
		[[ "$output" == *'"held":[],"pending":[],"resting":[{'*'"state":"ineligible",'* ]]
		# It never led, and has no place in the queue: for whom only the leader is to go it is nobody.
		run -0 "$LOCKRUN" stop "$LOCK"
		[ "$output" = "lockrun: $LOCK: nobody leads now; 1 outside of the queue may come back (--all ends that)" ]
		run -0 "$LOCKRUN" -n "$LOCK" true
		run -0 "$LOCKRUN" stop --all --reason 'not needed' "$LOCK"
		ends 143 "$STARTED"
		legal log 1
		[ "$(field reason log | sort -u)" = stop ]
		[ "$(field text log | tail -1)" = 'not needed' ]
		await_quietly no_marked_processes
		[ "$(tickets_like '*')" -eq 0 ]
	done
	[ ! -e ran ]
}

@test "who is asked at the grant has the lock and does not lead yet: status and stop say so" {
	start "$LOCKRUN" -q --eligible '[ -e asked ] && exec sleep 600; echo >>asked' "$LOCK" touch ran
	local next=$STARTED
	next_asks() { "$LOCKRUN" status "$LOCK" | grep -q "^  waiter 1  *pid $next (touch) for .*, next, asks whether it is eligible$"; }
	await next_asks
	run -0 "$LOCKRUN" stop "$LOCK"
	[ "$output" = "lockrun: $LOCK: now not led yet: pid $next (touch) is next, asks whether it is eligible, 1 waiting" ]
	run -0 "$LOCKRUN" stop -q --all "$LOCK"
	ends 143 "$next"
	await_quietly no_marked_processes
	[ ! -e ran ]
}

@test "a signal or a stop ends the check, and nothing is run" {
	local how
	for how in 'kill -TERM' 'kill -INT'; do
		rm -f asked
		lead -q --eligible 'echo $$ >>asked; sleep 600; :' "$LOCK" touch ran
		await asked
		$how "$STARTED"
		await is_gone "$STARTED"
		{ wait "$STARTED" || STATUS=$?; } 2>/dev/null
		[ "$STATUS" -gt 128 ]
		await_quietly no_marked_processes
	done
	[ ! -e ran ]
}

@test "the check has the command's environment but for the term's, no input, and writes to standard error" {
	run -0 --separate-stderr env LOCKRUN_GENERATION=5 "$LOCKRUN" --eligible \
		'read -r line; echo "<$line> $LOCKRUN_NAME $LOCKRUN_MODE ${LOCKRUN_GENERATION-none} ${LOCKRUN_PREVIOUS-none} $LOCKRUN_DIR"' \
		"$LOCK" cat <<<'for the command'
	[ "$output" = 'for the command' ]
	[ "${stderr_lines[0]}" = "<> $LOCK exclusive none none $LOCKRUN_DIR" ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	run -0 env PATH="$PATH" "$LOCKRUN" --eligible 'test -z "$LOCKRUN_GENERATION"' "$LOCK" sh -c '[ "$LOCKRUN_GENERATION" -ge 1 ]'
}

@test "what the check leaves behind does not keep the lock" {
	mkfifo go
	"$LOCKRUN" --eligible 'test -e left || { touch left; sh -c "exec cat go" >/dev/null 2>&1 & }' "$LOCK" true 3>&-
	run -0 "$LOCKRUN" -n "$LOCK" true
	run -0 flock -n "$LOCKRUN_DIR/$LOCK/lock" true
	timeout "$PATIENCE" sh -c ': >go'
	await no_marked_processes
}

@test "-F asks as well, and becomes the command" {
	run -75 "$LOCKRUN" -q -F --eligible false "$LOCK" true
	run -0 "$LOCKRUN" -F --eligible true "$LOCK" echo led
	[ "$output" = led ]
}

# ---- while leading ----

@test "--eligible-every: who is not eligible any more steps down: 124, with the reason" {
	touch eligible
	lead --events log --eligible 'echo >>asked; test -e eligible' --eligible-every 20ms "$LOCK" sleep 600 2>said
	await asked 4
	rm eligible
	ends 124 "$STARTED"
	legal log 1
	[ "$(types log)" = 'waiting leading stepping-down stopped' ]
	[ "$(field reason log | sort -u)" = ineligible ]
	[ "$(field text log | sort -u)" = 'the check exited with 1' ]
	grep -qx "lockrun: $LOCK: stepping down: ineligible: the check exited with 1; SIGTERM sent, SIGKILL in 10s" said
	"$LOCKRUN" history "$LOCK" | grep -q ineligible
}

@test "a check that hangs while it leads counts as no, and nothing of it is left" {
	touch eligible
	lead -q --eligible 'test -e eligible && exit; setsid sleep 600 & sleep 600; :' --eligible-every 50ms "$LOCK" \
		sh -c ': >led; exec sleep 600'
	await test -e led
	rm eligible
	ends 124 "$STARTED"
	no_marked_processes
}

@test "a check in flight does not outlive the term" {
	local kind
	for kind in leave wait kill; do
		rm -f asked
		touch first
		run -0 "$LOCKRUN" --leftovers $kind --eligible 'test -e leads || exit 0; echo >>asked; exec sleep 600' \
			--eligible-every 10ms "$LOCK" sh -c 'touch leads; until [ -s asked ]; do sleep 0.01; done'
		rm leads
		await_quietly no_marked_processes
	done
}

@test "what a check that was asked while leading leaves behind belongs to the term" {
	run -0 "$LOCKRUN" --leftovers kill --eligible 'test -e leads || exit 0; setsid sleep 600 >/dev/null 2>&1 3>&- & rm leads; echo >>asked' \
		--eligible-every 10ms "$LOCK" sh -c 'touch leads; until [ -s asked ]; do sleep 0.01; done'
	no_marked_processes
}

@test "the status of the command is its own, however often checks end beside it" {
	run -7 "$LOCKRUN" --eligible 'echo >>asked' --eligible-every 1ms "$LOCK" sh -c \
		'until [ "$(wc -l <asked)" -ge 100 ]; do :; done; exit 7'
}

# ---- with --loop ----

@test "a loop that is not eligible rests outside of the queue, seen as ineligible, until it is" {
	lead -r --max-terms 1 --events log --eligible 'echo >>asked; test -e eligible' --eligible-every 20ms "$LOCK" touch ran 2>said
	local looper=$STARTED
	await asked 5
	is_pending 0
	"$LOCKRUN" status "$LOCK" | grep -q ineligible
	"$LOCKRUN" status --json "$LOCK" | grep -q '"state":"ineligible"'
	run -0 "$LOCKRUN" -n "$LOCK" true
	touch eligible
	ends 0 "$looper"
	[ -e ran ]
	legal log 1
	[ "$(types log)" = 'waiting skipped backoff waiting leading stopped' ]
	[ "$(cat said)" = "lockrun: $LOCK: not eligible: the check exited with 1; asking again" ]
}

@test "a loop that is eligible, but not any more at the grant, tells of both in turn" {
	# Yes, as every third answer is, leads to the question at the grant.
	lead -q -r --events log --eligible 'echo >>asked; [ $(($(wc -l <asked) % 3)) = 1 ]' --eligible-every 10ms "$LOCK" touch ran
	local looper=$STARTED
	await asked 12
	kill -TERM "$looper"
	await is_gone "$looper"
	wait "$looper" || true
	[ ! -e ran ]
	legal log 1
}

@test "a loop that has become ineligible steps down, rests, and leads again" {
	touch eligible
	lead -q -r --max-terms 2 --backoff 1ms:1ms --events log --eligible 'test -e eligible' --eligible-every 10ms "$LOCK" \
		sh -c 'echo >>led; [ $LOCKRUN_GENERATION = 2 ] || exec sleep 600'
	local looper=$STARTED
	await test -s led
	rm eligible
	rested() { [ "$(grep -c '"type":"backoff"' log)" -eq 2 ]; }
	await rested
	touch eligible
	ends 0 "$looper"
	legal log 1
	[ "$(types log)" = 'waiting leading stepping-down backoff waiting skipped backoff waiting leading stopped' ]
}

@test "a stop and a signal end a loop that is not eligible" {
	lead -q -r --eligible 'echo >>asked; false' --events log "$LOCK" true
	local looper=$STARTED
	await asked
	await "$LOCKRUN" stop --all --reason 'not needed' "$LOCK"
	await is_gone "$looper"
	wait "$looper" || true
	legal log 1
	[ "$(field reason log | tail -1)" = stop ]
	[ "$(field text log | tail -1)" = 'not needed' ]
	lead -q -r --eligible 'echo >>asked; false' "$LOCK" true
	await asked 2
	kill -TERM "$STARTED"
	ends 143 "$STARTED"
}

# ---- the command line ----

@test "--eligible-every needs --eligible and a supervisor" {
	run -64 "$LOCKRUN" --eligible-every 5s "$LOCK" true
	[[ "$output" == *'add --eligible COMMAND'* ]]
	run -64 "$LOCKRUN" -F --eligible true --eligible-every 5s "$LOCK" true
	run -64 "$LOCKRUN" --eligible true --eligible-every 0 "$LOCK" true
}
