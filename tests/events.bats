#!/usr/bin/env bats
# Events: their form, their order, and that no listener can delay or break a run.
load helper
load events

# ---- what happens ----

@test "a run without a wait: waiting, leading, stopped" {
	run -0 "$LOCKRUN" --events log --note 'said "so"' "$LOCK" true
	legal log 1
	[ "$(types log)" = 'waiting leading stopped' ]
	[ "$(field position log)" = 1 ]
	[ "$(field holder log)" = null ]
	grep -qF '"note":"said \"so\""' log
	[ "$(field host log)" = "$(uname -n)" ]
	"$LOCKRUN" --version | grep -qF "$(field version log)"
	[ "$(field reason log)" = finished ]
	[ "$(field ran log)" = yes ]
	[ "$(field status log)" = 0 ]
	[ "$(field signal log)" = null ]
	[ "$(field generation log | sort -u)" = 1 ]
}

@test "the contender and the pids are those of the run" {
	run -0 "$LOCKRUN" --events log "$LOCK" sh -c 'echo $LOCKRUN_CONTENDER $PPID $$'
	[ "$(field contender log | sort -u) $(field pid log | sort -u) $(field command_pid log)" = "$output" ]
}

@test "failed: by a status and by a signal" {
	run -7 "$LOCKRUN" --events log "$LOCK" sh -c 'exit 7'
	run -137 "$LOCKRUN" --events log "$LOCK" sh -c 'kill -9 $$'
	legal log 2
	[ "$(field reason log | paste -sd' ')" = 'failed failed' ]
	[ "$(field status log | paste -sd' ')" = '7 0' ]
	[ "$(field signal log | paste -sd' ')" = 'null 9' ]
	[ "$(field killed log | paste -sd' ')" = 'false false' ]
}

@test "a command that exits with one of our own statuses did run" {
	run -75 "$LOCKRUN" --events log "$LOCK" sh -c 'exit 75'
	legal log 1
	[ "$(field ran log) $(field status log) $(field reason log)" = 'yes 75 failed' ]
}

@test "a wait: who is ahead, and how long it took" {
	contend first --events log "$LOCK"
	await leads first
	contend second --events log "$LOCK"
	await is_pending 1
	contend third --events log "$LOCK"
	await is_pending 2
	[ "$(field position log | paste -sd' ')" = '1 1 2' ]
	[ "$(grep -o '"holder":{[^}]*}' log | grep -o '"pid":[0-9]*' | sort -u)" = "\"pid\":${CONTENDERS[first]}" ]
	let_end first
	await leads second
	let_end second
	await leads third
	let_end third
	legal log 3
	# Two more came while the second one waited, each awaited for a hundredth of a second at least.
	[ "$(grep '"stopped"' log | field waited_ms /dev/stdin | sed -n 2p)" -ge 10 ]
}

@test "busy, and late" {
	hold
	run -75 "$LOCKRUN" --events log -n "$LOCK" true
	[ "$(types log)" = 'waiting skipped stopped' ]
	[ "$(field reason log | paste -sd' ')" = 'busy busy' ]
	run -9 "$LOCKRUN" --events log -E 9 -w 50ms "$LOCK" true
	[ "$(field reason log | paste -sd' ')" = 'busy busy late late' ]
	[ "$(field status log | paste -sd' ')" = '75 9' ]
	[ "$(field ran log | paste -sd' ')" = 'no no' ]
	[ "$(field held_ms log | paste -sd' ')" = '0 0' ]
	legal log 2
	release
}

@test "signal, while waiting and while leading" {
	hold
	watched "$LOCK" true
	await is_pending 1
	kill -TERM "$STARTED"
	over 143
	release
	[ "$(types log)" = 'waiting skipped stopped' ]
	[ "$(field status log) $(field signal log)" = '0 15' ]
	watched "$LOCK" sleep 60
	await told leading
	kill -TERM "$STARTED"
	over 143
	[ "$(types log)" = 'waiting skipped stopped waiting leading stepping-down stopped' ]
	[ "$(field reason log | sort -u)" = signal ]
	[ "$(field grace_ms log)" = null ]
	legal log 2
}

@test "max-hold, and that SIGKILL was needed" {
	run -124 "$LOCKRUN" --events log -m 100ms "$LOCK" sleep 60
	[ "$(types log)" = 'waiting leading stepping-down stopped' ]
	[ "$(field reason log | paste -sd' ')" = 'max-hold max-hold' ]
	[ "$(field grace_ms log) $(field signal log) $(field killed log)" = '10000 15 false' ]
	run -124 "$LOCKRUN" --events log -m 100ms -k 100ms "$LOCK" sh -c 'trap "" TERM; while :; do sleep 1; done'
	[ "$(field grace_ms log | tail -1) $(field signal log | tail -1) $(field killed log | tail -1)" = '100 9 true' ]
	legal log 2
}

@test "stop, with its reason" {
	watched "$LOCK" sleep 60
	await told leading
	run -0 "$LOCKRUN" stop --reason 'deploy "42"' "$LOCK"
	over 124
	grep -qF '"reason":"stop","text":"deploy \"42\"","grace_ms":10000' log
	[ "$(field reason log | paste -sd' ')" = 'stop stop' ]
	legal log 1
}

@test "yield" {
	watched --yield "$LOCK" sleep 60
	await told leading
	run -0 "$LOCKRUN" "$LOCK" true
	over 124
	[ "$(field reason log | paste -sd' ')" = 'yield yield' ]
	legal log 1
}

@test "lock-lost" {
	watched "$LOCK" sleep 60
	await told leading
	rm "$LOCKRUN_DIR/$LOCK/lock"
	over 124
	[ "$(field reason log | paste -sd' ')" = 'lock-lost lock-lost' ]
	legal log 1
}

@test "parent-gone, while leading and while waiting" {
	start sh -c '"$0" --events log --die-with-parent "$1" sleep 60 & wait' "$LOCKRUN" "$LOCK"
	await told leading
	kill -KILL "$STARTED"
	over 137
	await told stopped
	[ "$(types log)" = 'waiting leading stepping-down stopped' ]
	[ "$(field reason log | paste -sd' ')" = 'parent-gone parent-gone' ]
	legal log 1
	rm log
	hold
	start sh -c '"$0" --events log --die-with-parent "$1" sleep 60 & wait' "$LOCKRUN" "$LOCK"
	await is_pending 1
	kill -KILL "$STARTED"
	over 137
	await told stopped
	[ "$(types log)" = 'waiting skipped stopped' ]
	[ "$(field reason log | paste -sd' ')" = 'parent-gone parent-gone' ]
	legal log 1
	release
}

@test "not-found: the command went away during the wait" {
	cp "$(type -P true)" command
	hold
	watched "$LOCK" ./command
	await is_pending 1
	rm command
	release
	over 127
	[ "$(types log)" = 'waiting error stopped' ]
	[ "$(field reason log) $(field ran log) $(field status log)" = 'not-found no 127' ]
	legal log 1
}

@test "error: nested in itself, a command that cannot be executed, a damaged record" {
	run -64 "$LOCKRUN" "$LOCK" "$LOCKRUN" --events log "$LOCK" true
	[ "$(types log)" = 'waiting error stopped' ]
	[ "$(field reason log) $(field ran log) $(field status log)" = 'error no 64' ]
	printf '#!/does/not/exist\n' >command
	chmod +x command
	run -127 "$LOCKRUN" --events log "$LOCK" ./command
	: >"$LOCKRUN_DIR/$LOCK/number"
	run -69 "$LOCKRUN" --events log "$LOCK" true
	[ "$(field status log | paste -sd' ')" = '64 127 69' ]
	[ "$(field ran log | sort -u)" = no ]
	legal log 3
}

@test "error: a state directory that cannot be used" {
	: >file
	run -69 "$LOCKRUN" -d file --events log "$LOCK" true
	[ "$(types log)" = 'waiting error stopped' ]
	[ "$(field reason log) $(field ran log) $(field status log)" = 'error no 69' ]
	legal log 1
}

@test "a step-down for a reason without a limit can be followed by one with a limit" {
	watched -k 2s "$LOCK" sh -c 'trap "" TERM; echo >ready; while :; do sleep 1; done'
	await test -e ready
	kill -TERM "$STARTED"
	await told stepping-down
	run -0 "$LOCKRUN" stop "$LOCK"
	over 124
	[ "$(types log)" = 'waiting leading stepping-down stepping-down stopped' ]
	[ "$(field reason log | paste -sd' ')" = 'signal stop stop' ]
	legal log 1
}

@test "shared terms have events without a generation" {
	run -0 "$LOCKRUN" -s --events log "$LOCK" true
	[ "$(types log)" = 'waiting leading stopped' ]
	not grep -q generation log
	legal log 1
}

@test "many contenders write one log, line by line, in an order that can be" {
	local i
	for i in {1..12}; do
		case $((i % 4)) in
		0) start "$LOCKRUN" -q --events log -n "$LOCK" true ;;
		1) start "$LOCKRUN" -q --events log -s "$LOCK" true ;;
		2) start "$LOCKRUN" -q --events log -w 20ms "$LOCK" true ;;
		3) start "$LOCKRUN" -q --events log "$LOCK" sh -c 'exit 3' ;;
		esac
	done
	wait
	legal log 12
}

# ---- where they go ----

@test "the file is made for its owner alone, whatever the mask, and appended to" {
	umask 0
	run -0 "$LOCKRUN" --events log "$LOCK" true
	[ "$(stat -c %a log)" = 600 ]
	chmod 644 log
	echo 'somebody wrote this' >log
	run -0 "$LOCKRUN" --events log "$LOCK" true
	[ "$(stat -c %a log)" = 644 ]
	[ "$(head -1 log)" = 'somebody wrote this' ]
	sed -i 1d log
	legal log 1
}

@test "the file is the one that was there at the start, by a relative name as well" {
	mkfifo go
	start "$LOCKRUN" --events log "$LOCK" sh -c 'mv log moved; echo >ready; read -r _ <go'
	await test -e ready
	echo >go
	over 0
	legal moved 1
	[ ! -e log ]
}

@test "fd:1 and fd:2, a file that others write to as well" {
	echo before >out
	"$LOCKRUN" --events fd:1 "$LOCK" echo during >>out
	echo after >>out
	[ "$(grep -vc '^{' out)" -eq 3 ]
	grep '^{' out >log
	legal log 1
	# Not opened for appending: the offset is shared.
	{
		echo before >&2
		"$LOCKRUN" --events fd:2 "$LOCK" sh -c 'echo during >&2'
		echo after >&2
	} 2>out
	[ "$(grep -v '^{' out | paste -sd' ')" = 'before during after' ]
	grep '^{' out >log
	legal log 1
}

@test "fd:N of a pipe, and it ends with the run" {
	"$LOCKRUN" --events fd:9 "$LOCK" true 9>&1 | cat >log
	legal log 1
	"$LOCKRUN" --events fd:1 "$LOCK" sh -c 'echo out >&2' 2>err | cat >log
	legal log 1
	[ "$(cat err)" = out ]
}

@test "a pipe stays as it was for those who share it" {
	"$LOCKRUN" --events fd:1 "$LOCK" sh -c 'grep flags: /proc/$$/fdinfo/1 >flags' | cat >log
	sh -c 'grep flags: /proc/$$/fdinfo/1 >plain' | cat
	[ "$(cat flags)" = "$(cat plain)" ]
	legal log 1
}

@test "the command gets no descriptor of the events" {
	"$LOCKRUN" "$LOCK" sh -c 'ls /proc/$$/fd' 3>&- >without
	"$LOCKRUN" --events log "$LOCK" sh -c 'ls /proc/$$/fd' 3>&- >with
	cmp with without
}

# goes_on WHERE: the run is as ever, with one warning that names the place.
goes_on() {
	run -7 --separate-stderr timeout -s KILL "$PATIENCE" "$LOCKRUN" --events "$1" "$LOCK" sh -c 'echo out; exit 7'
	[ "$output" = out ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ "$stderr" == "lockrun: --events $1: "*"; going on without" ]]
}

@test "what cannot be opened costs one warning, and the run goes on" {
	mkdir directory
	mkfifo unread
	goes_on directory
	goes_on missing/log
	goes_on unread
	goes_on fd:99999999999
	needs_root
	: >secret
	chmod 0 secret
	run -0 --separate-stderr setpriv --bounding-set=-dac_override "$LOCKRUN" --events secret "$LOCK" true
	[[ "$stderr" == 'lockrun: --events secret: Permission denied; going on without' ]]
}

@test "what is no number of a descriptor is refused, and a file may be called so" {
	local where
	for where in fd:x fd: fd:-1 fd:3x 'fd: 3'; do
		run -64 "$LOCKRUN" --events "$where" "$LOCK" touch ran
		[ "$output" = "lockrun: --events \"$where\": not the number of a descriptor; write it like fd:3; a file of that name is ./$where" ]
	done
	[ ! -e ran ]
	"$LOCKRUN" --events ./fd:x "$LOCK" true
	[ -s fd:x ]
}

@test "a descriptor that is not open costs one warning, and is not taken for one of ours" {
	local n
	for n in 3 4 5 6 9 200; do
		run -7 --separate-stderr bash -c 'eval "exec $1>&-"; exec "$0" --events fd:$1 "$2" sh -c "exit 7" 3>&-' \
		    "$LOCKRUN" "$n" "$LOCK"
		[ "$stderr" = "lockrun: --events fd:$n: Bad file descriptor; going on without" ]
	done
	run -7 --separate-stderr sh -c '"$0" --events fd:0 "$1" sh -c "exit 7" <&-' "$LOCKRUN" "$LOCK"
	[ "$stderr" = 'lockrun: --events fd:0: Bad file descriptor; going on without' ]
	run -7 --separate-stderr sh -c '"$0" --events fd:1 "$1" sh -c "exit 7" >&-' "$LOCKRUN" "$LOCK"
	[ "$stderr" = 'lockrun: --events fd:1: Bad file descriptor; going on without' ]
}

# unaffected WHERE: the run is as ever, and nothing is said: the listener's trouble is its own.
unaffected() {
	run -7 --separate-stderr timeout -s KILL "$PATIENCE" "$LOCKRUN" --events "$1" "$LOCK" sh -c 'echo out; exit 7'
	[ "$output" = out ]
	[ -z "$stderr" ]
}

@test "a full disk changes nothing" {
	unaffected /dev/full
	run -124 timeout -s KILL "$PATIENCE" "$LOCKRUN" -q --events /dev/full -m 100ms "$LOCK" sleep 60
}

@test "a FIFO whose reader is stuck, empty or full, changes nothing" {
	mkfifo stuck go
	start sh -c 'exec 9<>stuck; echo >opened; read -r _ <go'
	local reader=$STARTED
	await test -e opened
	unaffected stuck
	dd if=/dev/zero of=stuck bs=4096 oflag=nonblock status=none 2>/dev/null && return 1
	unaffected stuck
	run -124 timeout -s KILL "$PATIENCE" "$LOCKRUN" -q --events stuck -m 100ms "$LOCK" sleep 60
	echo >go
	wait "$reader"
}

@test "a reader that goes away in the middle changes nothing" {
	mkfifo pipe go
	start cat pipe
	local reader=$STARTED
	watched_pipe() { start "$LOCKRUN" --events pipe "$LOCK" sh -c 'echo >ready; read -r _ <go; exit 7'; }
	watched_pipe
	await test -e ready
	kill -KILL "$reader"
	wait "$reader" || true
	echo >go
	over 7
}

@test "an inherited pipe that is full changes nothing, even where it cannot be opened again" {
	mkfifo stuck
	exec 9<>stuck
	dd if=/dev/zero of=stuck bs=4096 oflag=nonblock status=none 2>/dev/null && return 1
	unaffected fd:9
	needs_root
	chmod 0 stuck
	run -7 timeout -s KILL "$PATIENCE" setpriv --bounding-set=-dac_override,-dac_read_search \
	    "$LOCKRUN" --events fd:9 "$LOCK" sh -c 'exit 7'
	exec 9>&-
}

@test "an inherited pipe that cannot be opened again is written to all the same" {
	needs_root
	mkfifo pipe
	exec 9<>pipe
	chmod 0 pipe
	run -0 setpriv --bounding-set=-dac_override,-dac_read_search "$LOCKRUN" --events fd:9 "$LOCK" true
	dd bs=65536 count=1 status=none <&9 >log
	exec 9>&-
	legal log 1
}

# ---- the checker ----

# A log that is as it should be, of a run that was told to step down and one that was skipped.
good_log() {
	local common='"time":"2026-11-30T17:00:49.403Z","mono_ms":10,"lock":"a:v1:leader:b","contender":"4b","pid":9'
	local other='"time":"2026-11-30T17:00:49.403Z","mono_ms":12,"lock":"a:v1:leader:b","contender":"5c","pid":8'
	cat <<-LOG
		{"type":"waiting",$common,"position":1,"holder":null,"host":"vm","version":"0.1.0","note":null}
		{"type":"leading",$common,"generation":2,"command_pid":7,"degraded":false}
		{"type":"waiting",$other,"position":2,"holder":{"pid":9,"contender":"4b"},"host":"vm","version":"0.1.0","note":"x\"y"}
		{"type":"skipped",$other,"reason":"busy"}
		{"type":"stopped",$other,"ran":"no","status":75,"signal":null,"reason":"busy","text":null,"killed":false,"waited_ms":1,"held_ms":0}
		{"type":"stepping-down",$common,"generation":2,"reason":"max-hold","text":null,"grace_ms":10000}
		{"type":"stopped",$common,"generation":2,"ran":"yes","status":0,"signal":15,"reason":"max-hold","text":null,"killed":false,"waited_ms":21,"held_ms":203}
	LOG
}

# refused EDIT...: the good log is refused once sed(1) has edited it.
refused() {
	sed "$@" good >bad
	[ "$(<bad)" != "$(<good)" ]
	if awk -f "$TESTS/events.awk" bad >/dev/null 2>said; then
		echo "accepted: $*" >&2
		return 1
	fi
	[ -s said ]
}

@test "the checker of these tests accepts a good log, and refuses what is not one" {
	good_log >good
	legal good 2
	# Order and number.
	refused 1d
	refused 2d
	refused 3d
	refused 4d
	refused 5d
	refused 6d
	refused 7d
	refused 1p
	refused 2p
	refused 4p
	refused 6p
	refused 7p
	refused '1{h;d};2G'
	refused '6{h;d};7G'
	refused '3{h;d};5G'
	refused '2{h;d};6G'
	refused -n ''
	# Form.
	refused 's/"type":"leading"/"type":"leader"/'
	refused 's/,"note":null//'
	refused 's/,"generation":2,"command_pid"/,"command_pid"/'
	refused 's/"degraded":false/"degraded":true/'
	refused 's/"command_pid":7/"command_pid":"7"/'
	refused 's/"position":1/"position":0/'
	refused 's/:49.403Z/:49Z/'
	refused 's/}$//'
	refused '1s/$/ /'
	refused '2s/"generation":2,//'
	refused 's/"ran":"yes",/"ran":"yes","why":1,/'
	# Sense.
	refused 's/"ran":"yes"/"ran":"no"/'
	refused 's/"ran":"no"/"ran":"yes"/'
	refused '7s/"generation":2/"generation":3/'
	refused '7s/max-hold/stop/'
	refused '7s/max-hold/finished/'
	refused '5s/busy/late/'
	refused '5s/busy/finished/'
	refused '5s/"killed":false/"killed":true/'
	refused '5s/"held_ms":0/"held_ms":1/'
	refused '7s/"status":0/"status":1/'
	refused '6s/10000/null/;7s/"killed":false/"killed":true/'
	refused '7s/"mono_ms":10/"mono_ms":9/'
	refused '7s/"pid":9/"pid":6/'
	refused '7s/a:v1:leader:b/a:v1:leader:c/'
	# A generation that another contender had before.
	good_log | sed -n '1,2p;6,7p' >again
	good_log | sed -n '1,2p;6,7p' | sed 's/"4b"/"6d"/' >>again
	run -1 awk -f "$TESTS/events.awk" again
	sed '6s/n":2/n":3/;7s/n":2/n":3/;8s/n":2/n":3/' again >better
	legal better 2
}
