#!/usr/bin/env bats
# Seeing who leads, who waits and what happened: status, watch, history, stats.
load helper

SINCE='([0-9.]+(ms|s|m|h|d))+'
TIME='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z'

BEGUN=', since [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z'
# shows LINE-PATTERN: whether a line of $output is like that, as a whole.
shows() { grep -qxE -- "$1" <<<"$output" || { echo "no line like: $1" >&2; printf '%s\n' "$output" >&2; return 1; }; }
status_shows() { run -0 "$LOCKRUN" status "$LOCK" && shows "$1" 2>/dev/null; }
json_has() { run -0 "$LOCKRUN" status --json "$LOCK" && [[ "$output" == *"$1"* ]]; }

# orphan: a lockrun is killed, its command in $ORPHAN lives on with the lock.
orphan() {
	lead "$LOCK" sh -c 'trap "" TERM; echo $$ >orphan; exec sleep 600' 2>/dev/null
	await test -s orphan
	ORPHAN=$(cat orphan)
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
}

# ---- status ----

@test "status: a frozen leader is called frozen, and what lets it go on is said" {
	hold
	kill -STOP "$HOLDER"
	await status_shows "  leader +pid $HOLDER \(sh as [0-9]+\) for $SINCE, frozen \(SIGCONT lets it go on\)$BEGUN"
	shows "$LOCK: led by a frozen process, generation 1"
	json_has '"health":"frozen"'
	kill -CONT "$HOLDER"
	await json_has '"health":"ok"'
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: led, generation 1"
	release
}

@test "status: what a killed lockrun left behind is called orphaned, and the lock stays held" {
	orphan
	start "$LOCKRUN" "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: orphaned, generation 1"
	shows '  leader +held by what a killed lockrun left behind \(sh, generation 1\), 1 waiting'
	shows "  waiter 1 +pid $waiter \(true\) for $SINCE"
	json_has '"orphaned":true'
	json_has '"held":[{"name":"'"$LOCK"'","state":"leading","mode":"exclusive","kind":null,"pid":null,'
	json_has '"command":"sh","note":null,"command_pid":null,"generation":1,"health":"orphaned","report":null,"heard":null,"silent_ms":null,"watchdog_ms":null,"reason":null}],"pending":[{'
	kill -KILL "$ORPHAN"
	ends 0 "$waiter"
	json_has '"orphaned":false'
}

@test "status: a command that took lockrun's place is led without supervision" {
	start "$LOCKRUN" -F --note 'by itself' "$LOCK" sh -c 'echo $$ >ready; exec sleep 600'
	await test -s ready
	[ "$(cat ready)" = "$STARTED" ]
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: led without supervision, generation 1"
	shows "  leader +held by pid $STARTED \(sh, --no-fork\) for $SINCE, generation 1, 0 waiting"
	json_has '"unsupervised":true,"held":[{"name":"'"$LOCK"'","state":"leading","mode":"exclusive","kind":null,"pid":'"$STARTED,"
	json_has '"command":"sh","note":"by itself","command_pid":'"$STARTED"',"generation":1,"health":"ok","report":null,"heard":null,"silent_ms":null,"watchdog_ms":null,"reason":null}],"pending":[]'
	kill "$STARTED"
	ends 143 "$STARTED"
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: idle, generation 1"
	shows "  last term +generation 1 began $SINCE ago; nobody reports its end \(--no-fork\)"
}

@test "status: one that steps down says so, and why" {
	mkfifo go
	start "$LOCKRUN" "$LOCK" sh -c 'trap "" TERM; echo >ready; read -r _ <go' 2>/dev/null
	await test -s ready
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	await json_has '"health":"stepping-down"'
	[[ "$output" == *'"state":"stepping-down"'*'"reason":"stop"'* ]]
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: stepping down, generation 1"
	shows "  leader +pid $STARTED \(sh as [0-9]+\) for $SINCE, stepping down: stop$BEGUN"
	kill -KILL "$(children_of "$STARTED")"
	ends 124 "$STARTED"
}

@test "status: skips are counted, in all and since the last term began" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -0 "$LOCKRUN" status "$LOCK"
	shows "  skips +2 turned away since generation 1 began, 2 in all, the last $SINCE ago"
	release
	hold
	run -75 "$LOCKRUN" -n "$LOCK" true
	run -0 "$LOCKRUN" status "$LOCK"
	shows "  skips +1 turned away since generation 2 began, 3 in all, the last $SINCE ago"
	json_has '"skips":3,"skips_since_begin":1'
	[ "$(stat -c %s "$LOCKRUN_DIR/$LOCK/skips")" -eq 256 ]
	release
}

@test "status: of a version that is orphaned the other versions learn as well" {
	orphan
	run -0 "$LOCKRUN" status demo:v2:leader:sync
	shows "  remark +$LOCK is led as well: another version is another lock"
	kill -KILL "$ORPHAN"
	await is_gone "$ORPHAN"
	run -0 "$LOCKRUN" status demo:v2:leader:sync
	[[ "$output" != *remark* ]]
}

@test "status: other versions are found among locks that are much like them, sorted" {
	local name names=(a:v1:k:r a:v2:k:r a:v10:k:r a:v30:k:r:s a:v3:k:r:s a:v3:k:s a:v3:l:r a-b:v3:k:r)
	for name in "${names[@]}"; do
		start "$LOCKRUN" "$name" sh -c 'echo >"$0"; exec sleep 600' "$name"
		await test -s "$name"
	done
	"$LOCKRUN" a:v4:k:r true
	run -0 "$LOCKRUN" status a:v3:k:r a:v1:k:r a:v3:k:r:s a:v3:k:s
	[ "$(sed -nE 's/^([^ ]*): (led|idle).*/\1/p; s/^  remark +([^ ]*) is led .*/+ \1/p' <<<"$output" | paste -sd' ')" = \
	    'a:v3:k:r + a:v10:k:r + a:v1:k:r + a:v2:k:r a:v1:k:r + a:v10:k:r + a:v2:k:r a:v3:k:r:s + a:v30:k:r:s a:v3:k:s' ]
	run -0 "$LOCKRUN" status --json
	[ "$(grep -o '"other_versions":\[[^]]*\]' <<<"$output" | grep -c 'k:r"')" -eq 4 ]
	for name in "${names[@]}"; do "$LOCKRUN" stop -q "$name"; done
	wait
}

@test "status, stats: a lock that cannot be read hides none of the others" {
	local first=demo:v1:leader:a bad=demo:v1:leader:b last=demo:v1:leader:c format
	for name in "$first" "$bad" "$last"; do "$LOCKRUN" "$name" -- true; done
	chmod o+w "$LOCKRUN_DIR/$bad"
	run -69 --separate-stderr "$LOCKRUN" status
	shows "$first: idle, generation 1"
	shows "$last: idle, generation 1"
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "lockrun: $LOCKRUN_DIR/$bad: others may write to it"* ]]
	run -69 --separate-stderr "$LOCKRUN" status --json
	[[ $output == '{"as_of":'*'"name":"'$first'"'*'"name":"'$last'"'*']}' ]]
	[[ $output != *"$bad"* ]]
	for format in --json --prometheus; do
		run -69 --separate-stderr "$LOCKRUN" stats "$format"
		[[ $output == *"$first"*"$last"* ]] && [[ $output != *"$bad"* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -69 --separate-stderr "$LOCKRUN" status "$bad"
	[ "${#stderr_lines[@]}" -eq 1 ]
	run -0 "$LOCKRUN" status "$first" "$last"
}

@test "status: no colour off a terminal" {
	hold
	run -0 "$LOCKRUN" status
	[[ "$output" != *$'\e'* ]]
	release
}

on_terminal() { script -qec "$LOCKRUN status" /dev/null </dev/null; }

@test "status: colour on a terminal, and none with NO_COLOR" {
	command -v script >/dev/null || skip 'needs script'
	hold
	run -0 on_terminal
	[[ "$output" == *$'\e[32m'"$LOCK: led"* ]]
	NO_COLOR=1 run -0 on_terminal
	[[ "$output" != *$'\e['* ]]
	NO_COLOR= run -0 on_terminal
	[[ "$output" == *$'\e[32m'"$LOCK: led"* ]]
	release
}

@test "status: 400 in a loop never turn a try away from a free lock" {
	"$LOCKRUN" "$LOCK" true
	start sh -c 'i=0; while [ $i -lt "$2" ]; do "$0" status "$1" >/dev/null; i=$((i + 1)); done' "$LOCKRUN" "$LOCK" "$(rounds 200)"
	local one=$STARTED tries=0
	start sh -c 'i=0; while [ $i -lt "$1" ]; do "$0" status --json >/dev/null; i=$((i + 1)); done' "$LOCKRUN" "$(rounds 200)"
	until is_gone "$one" && is_gone "$STARTED"; do
		"$LOCKRUN" -n "$LOCK" true || echo "$tries" >>turned_away
		tries=$((tries + 1))
	done
	[ ! -e turned_away ]
	[ "$tries" -gt "$(rounds 20)" ]
	wait "$one" "$STARTED"
}

@test "status: a leader in another pid namespace is seen for what it is" {
	needs_root
	mkfifo go
	start unshare -pf --mount-proc "$LOCKRUN" "$LOCK" sh -c 'echo >ready; read -r _ <go'
	local there=$STARTED
	await test -s ready
	run -0 "$LOCKRUN" status "$LOCK"
	shows "$LOCK: led, generation 1"
	shows "  leader +pid 1 of another pid namespace \(sh\) for $SINCE$BEGUN"
	json_has '"foreign_pid_namespace":true'
	# And from in there, one out here.
	echo >go
	ends 0 "$there"
	hold
	run -0 unshare -pf --mount-proc "$LOCKRUN" status "$LOCK"
	shows "$LOCK: led, generation 2"
	shows "  leader +pid $HOLDER of another pid namespace \(sh\) for $SINCE$BEGUN"
	release
}

@test "status: an orphan in another pid namespace is seen as well" {
	needs_root
	orphan
	run -0 unshare -pf --mount-proc "$LOCKRUN" status "$LOCK"
	shows "$LOCK: orphaned, generation 1"
	kill -KILL "$ORPHAN"
}

@test "status: another user's leader in a directory that a group shares" {
	needs_root
	make_open_dir
	mkdir "$OPEN_DIR/state"
	chgrp 4242 "$OPEN_DIR/state"
	chmod 2770 "$OPEN_DIR/state"
	export LOCKRUN_DIR=$OPEN_DIR/state
	mkfifo -m 666 "$OPEN_DIR/go"
	chmod 666 "$OPEN_DIR/go"
	start setpriv --reuid=65534 --regid=4242 --clear-groups "$OPEN_DIR/lockrun" --note theirs "$LOCK" \
		sh -c 'read -r _ <"$0/go"' "$OPEN_DIR"
	local theirs=$STARTED
	await is_holding 1
	run -0 setpriv --reuid=65533 --regid=4242 --clear-groups "$OPEN_DIR/lockrun" status "$LOCK"
	shows "  leader +pid $theirs \(sh as [0-9]+, theirs\) for $SINCE$BEGUN"
	echo >"$OPEN_DIR/go"
	ends 0 "$theirs"
	run -0 setpriv --reuid=65533 --regid=4242 --clear-groups "$OPEN_DIR/lockrun" status "$LOCK"
	shows "  last term +generation 1 finished, $SINCE ago"
}

# ---- watch ----

watched() { grep -qE -- "$1" watched; }
end_watch() {
	kill "$WATCHER"
	ends 143 "$WATCHER"
}
watch() {
	start env --default-signal "$LOCKRUN" watch "$@" >watched
	WATCHER=$STARTED
}

@test "watch: the present state first, then each change, and the queue is not joined" {
	hold
	local first=$HOLDER
	watch "$LOCK"
	await watched "^$TIME $LOCK: led by pid $first \(sh\), generation 1, 0 waiting$"
	[ "$(pending)" -eq 0 ]
	contend next "$LOCK"
	await watched "led by pid $first .*, 1 waiting$"
	release
	await leads next
	await watched "led by pid ${CONTENDERS[next]} \(sh\), generation 2, 0 waiting$"
	let_end next
	await watched ': idle, 0 waiting$'
	end_watch
}

@test "watch: a stop and its reason, a freeze" {
	start "$LOCKRUN" "$LOCK" sh -c 'trap "" TERM; echo >ready; exec sleep 600' 2>/dev/null
	local leader=$STARTED
	await test -s ready
	local command=$(children_of "$leader")
	watch "$LOCK"
	await watched 'led by'
	kill -STOP "$leader"
	await watched 'waiting, frozen$'
	kill -CONT "$leader"
	run -75 "$LOCKRUN" stop -w 0 "$LOCK"
	await watched 'stepping down: stop$'
	kill -KILL "$command"
	ends 124 "$leader"
	await watched 'idle'
	end_watch
}

@test "watch: creates nothing, and sees a lock come into being" {
	watch "$LOCK"
	await watched ': idle, 0 waiting$'
	[ ! -e "$LOCKRUN_DIR" ]
	hold
	await watched 'led by pid [0-9]+ \(sh\), generation 1'
	release
	await watched_twice idle
	end_watch
}
watched_twice() { [ "$(grep -c "$1" watched)" -eq 2 ]; }

@test "watch: goes on with a lock that was forgotten and came back" {
	"$LOCKRUN" "$LOCK" true
	watch "$LOCK"
	await watched idle
	await forgotten
	hold
	await watched 'led by pid [0-9]+ \(sh\), generation 2'
	# From now on each change is told at once, not at the next look only.
	release
	local i
	for i in 1 2 3 4 5; do
		hold
		await watched "generation $((i + 2))"
		release
	done
	end_watch
}
forgotten() { "$LOCKRUN" prune --older-than 1ms | grep -q .; }

@test "watch --json: one document a line, each of them whole" {
	hold
	watch --json "$LOCK"
	await watched '"held":\[\{'
	release
	await watched '"held":\[\],"pending":\[\]'
	end_watch
	run -1 grep -vE '^\{"as_of":"[^"]+","directory":"[^"]+","locks":\[\{"name":".*\}\]\}$' watched
	[ "$(wc -l <watched)" -ge 2 ]
}

@test "watch -w: ends by itself, and tells the present state even with no time at all" {
	run -0 "$LOCKRUN" watch -w 10ms "$LOCK"
	shows "$TIME $LOCK: idle, 0 waiting"
	run -0 "$LOCKRUN" watch -w 0 "$LOCK"
	shows "$TIME $LOCK: idle, 0 waiting"
}

@test "watch --until-end: waits for the present term's end only, outside the queue" {
	hold
	start "$LOCKRUN" watch --until-end "$LOCK"
	local watcher=$STARTED
	contend next "$LOCK"
	await is_pending 1
	run -75 "$LOCKRUN" watch --until-end -w 20ms "$LOCK"
	[[ "$output" == "lockrun: $LOCK: pid $HOLDER (sh) still leads after 20ms" ]]
	not is_gone "$watcher"
	release
	await leads next
	ends 0 "$watcher"
	let_end next
	run -0 "$LOCKRUN" watch --until-end "$LOCK"
	[[ "$output" == "lockrun: $LOCK: nobody leads" ]]
}

@test "watch --until-end: a signal ends the wait" {
	hold
	start env --default-signal "$LOCKRUN" watch --until-end "$LOCK"
	local watcher=$STARTED
	await settled "$watcher"
	kill -INT "$watcher"
	ends 130 "$watcher"
	release
}

# ---- history ----

@test "history: the terms, newest first, with how they ended" {
	"$LOCKRUN" --note 'the first' "$LOCK" true
	run -3 "$LOCKRUN" "$LOCK" sh -c 'exit 3'
	run -124 "$LOCKRUN" -q -m 1ms "$LOCK" sleep 600
	run -127 "$LOCKRUN" "$LOCK" ./nothing-of-that-name
	run -0 "$LOCKRUN" history "$LOCK"
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[0]}" == *generation*begun*waited*held*command* ]]
	[[ "${lines[1]}" =~ ^\ +3\ +$TIME\ +$SINCE\ +$SINCE\ +'sleep: max-hold by signal 15 (Terminated)'$ ]]
	[[ "${lines[2]}" =~ ^\ +2\ .*'  sh: failed, status 3'$ ]]
	[[ "${lines[3]}" =~ ^\ +1\ .*'  true: finished, the first'$ ]]
}

@test "history: 64 terms are kept, in a file that does not grow" {
	"$LOCKRUN" "$LOCK" true
	local size i
	size=$(stat -c %s "$LOCKRUN_DIR/$LOCK/terms")
	for i in {2..70}; do "$LOCKRUN" "$LOCK" true; done
	run -0 "$LOCKRUN" history "$LOCK"
	[ "${#lines[@]}" -eq 65 ]
	[[ "${lines[1]}" =~ ^\ +70\  ]]
	[[ "${lines[64]}" =~ ^\ +7\  ]]
	[ "$(stat -c %s "$LOCKRUN_DIR/$LOCK/terms")" -eq "$size" ]
	run -0 "$LOCKRUN" history --json "$LOCK"
	[ "${#lines[@]}" -eq 1 ]
	[ "$(grep -o '"generation":' <<<"$output" | wc -l)" -eq 64 ]
}

@test "history: a gap, as a reboot leaves it, hides nothing that is kept" {
	local i
	for i in 1 2 3; do "$LOCKRUN" "$LOCK" true; done
	"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" reboot
	for i in 1 2; do "$LOCKRUN" "$LOCK" true; done
	run -0 "$LOCKRUN" history "$LOCK"
	# 65 and 66 stand where 1 and 2 stood.
	[ "$(awk 'NR > 1 { print $1 }' <<<"$output" | paste -sd' ')" = '66 65 3' ]
	run -0 "$LOCKRUN" history --json "$LOCK"
	[ "$(grep -o '"generation":[0-9]*' <<<"$output" | cut -d: -f2 | paste -sd' ')" = '66 65 3' ]
}

@test "a damaged number: each report says so, with status 69, and shows what there is" {
	local word
	"$LOCKRUN" "$LOCK" true
	"$LOCKRUN" demo:v1:leader:sound true
	echo garbage >"$LOCKRUN_DIR/$LOCK/number"
	for word in status 'status --json' stats 'stats --json' 'watch -w 60s' 'watch -w 60s --json' history; do
		run -69 --separate-stderr "$LOCKRUN" $word "$LOCK"
		[[ "$stderr" == "lockrun: $LOCKRUN_DIR/$LOCK/number: both copies"*" are damaged; "* ]]
		[[ "$output" != *idle* ]]
	done
	[[ "${lines[1]}" == *'true: finished' ]]
	run -69 "$LOCKRUN" status
	[[ "$output" == *"demo:v1:leader:sound: idle, generation 1"* ]]
	rm "$LOCKRUN_DIR/$LOCK/number"
	run -69 --separate-stderr "$LOCKRUN" status "$LOCK"
	[[ "$stderr" == *"$LOCK/number: "* ]]
	hold demo:v1:leader:sound
	echo garbage >"$LOCKRUN_DIR/demo:v1:leader:sound/number"
	run -69 --separate-stderr "$LOCKRUN" status demo:v1:leader:sound
	[[ "$output" == *"demo:v1:leader:sound: led"*"  leader       pid $HOLDER (sh as "*") for "*", since "* ]]
	[[ "$stderr" == *"demo:v1:leader:sound/number: both copies"* ]]
	release demo:v1:leader:sound
}

@test "a report that cannot be written is a failure: a full disk, or standard output is closed" {
	local word where
	"$LOCKRUN" "$LOCK" true
	for word in "status" "status --json" "status $LOCK" "history $LOCK" "history --json $LOCK" "stats" "stats --json" \
	    "stats --prometheus" "watch $LOCK" "watch --json $LOCK" "name $LOCK" "doctor $LOCKRUN_DIR" "--help" "--version" "stop --help"; do
		run -125 sh -c "exec \"\$0\" $word >&-" "$LOCKRUN"
		[[ "$output" == *'standard output: what was asked for could not be written'* ]]
		run -125 sh -c "exec \"\$0\" $word >/dev/full" "$LOCKRUN"
	done
	# What does not print needs none, and the command has none either.
	run -0 sh -c 'exec "$0" "$1" test ! -e /proc/self/fd/1 >&-' "$LOCKRUN" "$LOCK"
	[ -z "$output" ]
	run -0 sh -c 'exec "$0" stop -q "$1" >&-' "$LOCKRUN" "$LOCK"
}

@test "an orphan: status and history agree that its end is not known, and its processes are named" {
	start "$LOCKRUN" "$LOCK" sh -c 'trap "" TERM; echo $$ >ready; exec sleep 600'
	await test -s ready
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[1]}" == "$LOCK: orphaned, generation 1" ]]
	[[ "${lines[3]}" == "  processes    pid $(cat ready) (sleep)" ]]
	[[ "${lines[4]}" == *'lost: its end is not known' ]]
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"pid":null,'*'"health":"orphaned",'*'"processes":[{"pid":'"$(cat ready)"',"command":"sleep"}]}]}' ]]
	[[ "$output" == *'"outcome":"lost",'*'"previous":"lost"'* ]]
	run -0 "$LOCKRUN" history "$LOCK"
	[[ "${lines[1]}" == *'sh: lost: its end is not known' ]]
	run -0 "$LOCKRUN" history --json "$LOCK"
	[[ "$output" == *'"outcome":"lost"'* ]]
	kill -KILL "$(cat ready)"
}

named() { [[ "$("$LOCKRUN" status "$LOCK")" == *" as $1"* ]]; }

@test "status: the process of the command is named beside that of its lockrun, and since when it leads" {
	# A child from before is not the command, nor is one that the command started.
	start sh -c 'sleep 600 & echo $! >before; exec "$0" "$1" sh -c "sleep 600 & echo \$\$ >ready; wait"' "$LOCKRUN" "$LOCK"
	await test -s ready
	await named "$(cat ready)"
	run -0 "$LOCKRUN" status "$LOCK"
	shows "  leader +pid $STARTED \(sh as $(cat ready)\) for $SINCE$BEGUN"
	json_has '"command":"sh","note":null,"command_pid":'"$(cat ready)"',"generation":1,"health":"ok"'
	since=$(grep -o '"since":"[^.]*' <<<"$output" | cut -d'"' -f4)
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" == *", since ${since}Z" ]]
	run -0 "$LOCKRUN" stop -q "$LOCK"
	ends 124 "$STARTED"
	kill -KILL "$(cat before)"
}

@test "history: of a term that leads, of one that was lost, of a lock that nobody used" {
	hold
	run -0 "$LOCKRUN" history "$LOCK"
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[1]}" =~ ^\ +1\ +$TIME\ +$SINCE\ +-\ +sh:\  ]]
	[[ "${lines[1]}" == *': still leads' ]]
	run -0 "$LOCKRUN" history --json "$LOCK"
	[[ "$output" == *'"stage":"started"'*'"ended":null}'* ]]
	release
	run -0 "$LOCKRUN" history demo:v1:leader:unheard-of
	[ "${#lines[@]}" -eq 1 ]
	run -0 "$LOCKRUN" history --json demo:v1:leader:unheard-of
	[[ "$output" == *'"name":"demo:v1:leader:unheard-of","terms":[]}' ]]
	[ ! -e "$LOCKRUN_DIR/demo:v1:leader:unheard-of" ]
}

# ---- stats ----

figure() { awk -v name="$1" '$1 == name { print $2 }' <<<"$output"; }
figures() { local name; for name in "$@"; do figure "$name"; done | paste -sd' '; }

@test "stats: every way to end is counted once" {
	local i
	for i in 1 2 3; do "$LOCKRUN" "$LOCK" true; done
	run -3 "$LOCKRUN" "$LOCK" sh -c 'exit 3'
	run -137 "$LOCKRUN" "$LOCK" sh -c 'kill -KILL $$'
	run -124 "$LOCKRUN" -q -m 1ms "$LOCK" sleep 600
	printf '#!/nothing\n' >script
	chmod +x script
	run -127 "$LOCKRUN" "$LOCK" ./script
	hold
	run -75 "$LOCKRUN" -n "$LOCK" true
	start "$LOCKRUN" "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	run -0 "$LOCKRUN" stats "$LOCK"
	[ "${lines[0]}" = "$LOCK" ]
	[ "$(figures generation held waiting finished failed stepped_down not_started skips)" = '8 1 1 3 2 1 1 1' ]
	release
	ends 0 "$waiter"
	run -0 "$LOCKRUN" stats "$LOCK"
	[ "$(figures generation held waiting finished)" = '9 0 0 5' ]
	run -0 "$LOCKRUN" stats --json "$LOCK"
	[[ "$output" == *'{"name":"'"$LOCK"'","generation":9,"held":0,"waiting":0,"finished":5,"failed":2,"stepped_down":1,"not_started":1,"skips":1,'* ]]
}

@test "stats: times add up to those of the history" {
	local i
	for i in 1 2 3; do "$LOCKRUN" "$LOCK" sh -c 'read -r -t 0.02 _ <>/dev/zero || :'; done
	run -0 "$LOCKRUN" stats --json "$LOCK"
	local held longest
	held=$(sed 's/.*"held_ms":\([0-9]*\).*/\1/' <<<"$output")
	longest=$(sed 's/.*"longest_held_ms":\([0-9]*\).*/\1/' <<<"$output")
	[ "$held" -gt 0 ]
	[ "$longest" -le "$held" ]
	[ "$((3 * longest))" -ge "$held" ]
}

@test "stats: of all locks, of none, and of an empty place" {
	run -0 "$LOCKRUN" stats
	[ "$output" = '' ]
	run -0 "$LOCKRUN" stats --json
	[[ "$output" == *'"locks":[]}' ]]
	[ ! -e "$LOCKRUN_DIR" ]
	"$LOCKRUN" demo:v1:leader:b true
	"$LOCKRUN" demo:v1:leader:a true
	run -0 "$LOCKRUN" stats
	[ "$(grep -c ^demo: <<<"$output")" -eq 2 ]
	run -64 "$LOCKRUN" stats --json --prometheus
}

@test "stats --prometheus: one family after the other, typed, each lock once" {
	"$LOCKRUN" demo:v1:leader:b true
	"$LOCKRUN" demo:v1:leader:a true
	run -0 "$LOCKRUN" stats --prometheus
	shows 'lockrun_finished_total\{lock="demo:v1:leader:a"\} 1'
	shows 'lockrun_held_seconds_total\{lock="demo:v1:leader:b"\} [0-9]+\.[0-9]{3}'
	[ "$(grep -c '^# TYPE' <<<"$output")" -eq 11 ]
	[ "$(grep -vc '^#' <<<"$output")" -eq 22 ]
	# The names of counters, and of nothing else, end in _total.
	run -1 grep -E '^# TYPE [a-z_]*_total gauge|^# TYPE [a-z_]*[^l] counter' <<<"$output"
}
