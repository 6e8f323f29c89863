#!/usr/bin/env bats
# --on-unavailable: the lock manager cannot be used, and whoever runs lockrun has said what then.
load helper
load events

# answers ARGUMENT...: each answer, where a plain run ends with 69. RUN prints what the command sees.
RUN='echo "ran ${LOCKRUN_GENERATION-none} ${LOCKRUN_DEGRADED-none} ${LOCKRUN_PREVIOUS-none}"'
answers() {
	local why
	run -69 "$LOCKRUN" "$@" "$LOCK" sh -c "$RUN"
	why=$output
	[[ "$why" == "lockrun: "* ]]
	[ "${#lines[@]}" -eq 1 ]
	run -69 "$LOCKRUN" --on-unavailable fail "$@" "$LOCK" sh -c "$RUN"
	[ "$output" = "$why" ]
	run -75 "$LOCKRUN" --on-unavailable skip "$@" "$LOCK" sh -c "$RUN"
	[ "$output" = "$why" ]
	run -0 "$LOCKRUN" -q -E 0 --on-unavailable skip "$@" "$LOCK" sh -c "$RUN"
	[ "$output" = "$why" ]
	run -3 --separate-stderr "$LOCKRUN" -q --on-unavailable run "$@" "$LOCK" sh -c "$RUN; exit 3"
	[ "$output" = 'ran none 1 none' ]
	[ "$stderr" = "$why; running without the lock (--on-unavailable run)" ]
	run -0 --separate-stderr "$LOCKRUN" -F --on-unavailable run "$@" "$LOCK" sh -c "$RUN"
	[ "$output" = 'ran none 1 none' ]
}

@test "no directory" {
	answers -d "$PWD/missing/state"
}

@test "a directory that is open to others, or none at all" {
	mkdir -m 777 open
	answers -d "$PWD/open"
	touch file
	answers -d "$PWD/file"
	[ -z "$(ls open)" ]
}

@test "a damaged record" {
	"$LOCKRUN" "$LOCK" true
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	answers -q
	is_holding 0
	is_pending 0
}

read_only() {
	mkdir disk
	mount -t tmpfs -o mode=700 none disk
	"$LOCKRUN" -d disk "$LOCK" true
	mount -o remount,ro disk
	[ "$("$LOCKRUN" -d disk --on-unavailable run "$LOCK" echo ran 2>/dev/null)" = ran ]
	[ -z "$("$LOCKRUN" -d disk --on-unavailable skip -E 0 "$LOCK" echo ran 2>/dev/null)" ]
}

@test "a file system that is read-only" {
	private_mounts read_only
}

@test "what is no fault of the lock manager is answered as ever" {
	hold
	run -75 "$LOCKRUN" -n --on-unavailable run "$LOCK" touch ran
	release
	run -64 "$LOCKRUN" --on-unavailable run no-name touch ran
	run -127 "$LOCKRUN" --on-unavailable run "$LOCK" ./not-there
	run -75 "$LOCKRUN" --on-unavailable run --eligible false "$LOCK" touch ran
	run -64 "$LOCKRUN" --on-unavailable sometimes "$LOCK" touch ran
	[ ! -e ran ]
}

@test "without the lock the file of --also-flock is not held, and --after-lost refuses nothing" {
	: >file
	run -0 "$LOCKRUN" -q --on-unavailable run --also-flock file -d missing/state "$LOCK" flock -n file true
	run -137 "$LOCKRUN" "$LOCK" sh -c 'kill -9 $PPID'
	run -77 "$LOCKRUN" --on-unavailable run --after-lost refuse "$LOCK" true
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	run -0 "$LOCKRUN" --on-unavailable run --after-lost refuse "$LOCK" true
	run -0 --separate-stderr "$LOCKRUN" -q --on-unavailable run --also-flock missing/file demo:v1:leader:other sh -c 'echo $LOCKRUN_DEGRADED'
	[ "$output" = 1 ]
}

@test "--eligible is asked without a lock manager, too: who is not eligible does not run" {
	run -75 "$LOCKRUN" --on-unavailable run --eligible 'exit 3' --events log -d missing/state "$LOCK" touch ran
	[ "$output" = "lockrun: $LOCK: not eligible: the check exited with 3; nothing was run" ]
	legal log 1
	[ "$(types log)" = 'waiting skipped stopped' ]
	run -9 "$LOCKRUN" --on-unavailable run -E 9 -q --eligible false -d missing/state "$LOCK" touch ran
	[ "$output" = '' ]
	[ ! -e ran ]
	run -0 "$LOCKRUN" --on-unavailable run --eligible 'test "$LOCKRUN_NAME" && echo asked >>asked' --events yes -d missing/state "$LOCK" touch ran
	[ -e ran ]
	[ "$(wc -l <asked)" -eq 1 ]
	legal yes 1
	[ "$(types yes)" = 'waiting error leading stopped' ]
}

@test "--eligible is asked anew when the lock manager fails after the wait" {
	"$LOCKRUN" "$LOCK" true
	hold
	start "$LOCKRUN" --on-unavailable run --eligible 'echo >>asked; [ "$(wc -l <asked)" -lt 3 ]' --events log "$LOCK" touch ran
	await is_pending 1
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	release
	ends 75 "$STARTED"
	[ ! -e ran ]
	[ "$(wc -l <asked)" -eq 3 ]
	legal log 1
	[ "$(types log)" = 'waiting skipped stopped' ]
}

@test "a loop without a lock manager runs when it is eligible, and says once that it is not" {
	lead -r --max-terms 1 --on-unavailable run --eligible 'echo >>asked; test -e eligible' --eligible-every 10ms -d missing/state \
		--events log "$LOCK" touch ran 2>said
	asked() { [ "$(wc -l <asked)" -ge 4 ]; } 2>/dev/null
	await asked
	[ ! -e ran ]
	touch eligible
	ends 0 "$STARTED"
	[ -e ran ]
	[ "$(grep -c 'not eligible' said)" -eq 1 ]
	legal log 1
	[ "$(types log)" = 'waiting skipped backoff waiting error leading stopped' ]
}

@test "a run without the lock is supervised, and its events tell what it is" {
	run -124 "$LOCKRUN" -v --on-unavailable run -d missing/state --events log -m 100ms --watchdog 1h --leftovers kill "$LOCK" \
		sh -c 'sleep 600 & sleep 600'
	[[ "$output" == *'running without the lock, pid '* ]]
	legal log 1
	[ "$(types log)" = 'waiting error leading stepping-down stopped' ]
	[ "$(field degraded log)" = true ]
	[ "$(field reason log | sort -u)" = max-hold ]
	no_marked_processes
	lead -q --on-unavailable run -d missing/state "$LOCK" sh -c 'touch ready; exec sleep 600'
	await test -e ready
	kill -TERM "$STARTED"
	ends 143 "$STARTED"
}

@test "inside of a run without the lock nothing says that it leads" {
	run -0 "$LOCKRUN" -q --on-unavailable run -d missing/state "$LOCK" \
		sh -c '"$0" check; echo $?; "$0" fence FILE true; echo $?' "$LOCKRUN"
	[[ "$output" == *76*64* ]]
	[ ! -e FILE ]
	run -0 --separate-stderr "$LOCKRUN" -q --on-unavailable run -d missing/state "$LOCK" sh -c '"$0" check "$LOCKRUN_NAME"; echo $?' "$LOCKRUN"
	[ "$output" = 76 ]
	run -0 env LOCKRUN_DEGRADED=1 "$LOCKRUN" "$LOCK" sh -c 'echo ${LOCKRUN_DEGRADED-none}'
	[ "$output" = none ]
}

@test "a loop goes on without the lock, and with it when it is back" {
	lead -q -r --max-terms 2 --backoff 1ms:1ms --on-unavailable run -d "$PWD/later/state" --events log "$LOCK" \
		sh -c '[ -n "$LOCKRUN_GENERATION" ] || mkdir later' 2>/dev/null
	ends 0 "$STARTED"
	legal log 1
	[ "$(field degraded log | paste -sd' ')" = 'true false' ]
}

@test "a loop that skips tries again until it can, and says why not when that begins and when it changes" {
	lead -q -r --max-terms 1 --backoff 1ms:20ms --on-unavailable skip -d "$PWD/later/state" --events log "$LOCK" touch ran 2>said
	tried() { [ "$(grep -c '"type":"backoff"' log)" -ge 3 ]; } 2>/dev/null
	await tried
	[ "$(wc -l <said)" -eq 1 ]
	mkdir -m 777 complete complete/state
	mv complete later
	await grep -q 'could break every lock' said
	local before
	before=$(grep -c '"type":"backoff"' log)
	tried() { [ "$(grep -c '"type":"backoff"' log)" -ge $((before + 3)) ]; }
	await tried
	[ "$(wc -l <said)" -eq 2 ]
	chmod 700 later/state
	ends 0 "$STARTED"
	[ -e ran ]
	legal log 1
}

@test "a loop whose lock manager has failed since says so once each time" {
	lead -q -r --backoff 1ms:20ms --events log "$LOCK" touch ran 2>said
	local i before
	for i in 1 2; do
		await test -e ran
		before=$(grep -c '"type":"error"' log) || true
		chmod o+w "$LOCKRUN_DIR"
		tried() { [ "$(grep -c '"type":"error"' log)" -ge $((before + 3)) ]; }
		await tried
		[ "$(wc -l <said)" -eq "$i" ]
		rm -f ran
		chmod o-w "$LOCKRUN_DIR"
	done
	await test -e ran
	kill -TERM "$STARTED"
	await is_gone "$STARTED"
	wait "$STARTED" || true
	legal log 1
}
