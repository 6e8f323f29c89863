#!/usr/bin/env bats
# What became of the last term: what the next one is told, and --after-lost.
load helper
load outcome

# ---- LOCKRUN_PREVIOUS ----

@test "none, and then how each one ended" {
	[ "$(told)" = 'none unset' ]
	[ "$(told)" = 'finished 1' ]
	run -3 "$LOCKRUN" "$LOCK" -- sh -c 'exit 3'
	[ "$(told)" = 'failed 3' ]
	run -137 "$LOCKRUN" "$LOCK" -- sh -c 'kill -KILL $$'
	[ "$(told)" = 'failed 5' ]
	run -124 "$LOCKRUN" -q -m 10ms "$LOCK" -- sleep 60
	[ "$(told)" = 'stepped-down 7' ]
	run -143 "$LOCKRUN" "$LOCK" -- sh -c 'kill $PPID; exec sleep 60'
	[ "$(told)" = 'stepped-down 9' ]
	broken
	[ "$(told)" = 'not-started 11' ]
	"$LOCKRUN" -F "$LOCK" -- true
	[ "$(told)" = 'unreported 13' ]
	broken -F
	[ "$(told)" = 'not-started 15' ]
}

@test "a value from outside does not reach the command" {
	export LOCKRUN_PREVIOUS=lost LOCKRUN_PREVIOUS_GENERATION=4711
	[ "$(told)" = 'none unset' ]
	[ "$(told -s)" = 'finished 1' ]
}

@test "lockrun is killed, the command is killed, both are" {
	lead "$LOCK" sh -c 'trap "exit 0" TERM; echo $$ >pid; while :; do sleep 0.05; done' 2>/dev/null
	await test -s pid
	kill -KILL "$STARTED"
	# The command has the lock until it is gone, and ends well; but nobody saw that.
	[ "$(told)" = 'lost 1' ]
	ends 137 "$STARTED"
	lead "$LOCK" sh -c 'echo $$ >pid2; exec sleep 600' 2>/dev/null
	await test -s pid2
	kill -KILL "$(cat pid2)"
	ends 137 "$STARTED"
	[ "$(told)" = 'failed 3' ]
	lose
	[ "$(told)" = 'lost 5' ]
}

@test "a waiter that is killed, turned away or gives up is no term" {
	lose
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	run -75 "$LOCKRUN" -w 20ms "$LOCK" -- true
	start "$LOCKRUN" "$LOCK" -- true
	await is_pending 1
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
	release
	[ "$(told)" = 'finished 2' ]
}

@test "shared terms are told of the last one that was not, and are none themselves" {
	[ "$(told -s)" = 'none unset' ]
	lose
	[ "$(told -s)" = 'lost 1' ]
	[ "$(told -s)" = 'lost 1' ]
	run -137 "$LOCKRUN" -s "$LOCK" -- sh -c 'kill -KILL $PPID; kill -KILL $$'
	[ "$(told)" = 'lost 1' ]
	[ "$(told -s)" = 'finished 2' ]
}

@test "after a reboot or a power cut it is unknown, whatever was recorded" {
	told
	boot
	[ "$(told)" = 'unknown 1' ]
	[ "$(told)" = 'finished 65' ]
	lose
	boot
	[ "$(told)" = 'unknown 67' ]
	"$LOCKRUN" -F "$LOCK" -- true
	boot
	[ "$(told)" = 'unknown 130' ]
}

@test "after a reboot what --after-lost refuse has synced is known" {
	told --after-lost refuse
	boot
	[ "$(told --after-lost refuse)" = 'finished 1' ]
	run -3 "$LOCKRUN" --after-lost refuse "$LOCK" -- sh -c 'exit 3'
	boot
	[ "$(told)" = 'failed 66' ]
	"$LOCKRUN" --after-lost refuse -F "$LOCK" -- true
	boot
	[ "$(told)" = 'unreported 130' ]
	broken --after-lost refuse
	boot
	[ "$(told)" = 'not-started 194' ]
	lose --after-lost refuse
	boot
	[ "$(told)" = 'unknown 258' ]
}

@test "records that are missing, damaged or older than the number: unknown" {
	told
	told
	rm "$LOCKRUN_DIR/$LOCK/terms"
	[ "$(told)" = 'unknown 2' ]
	printf 'x' | dd of="$LOCKRUN_DIR/$LOCK/terms" bs=1 seek=$((3 * 1024 + 100)) conv=notrunc status=none
	[ "$(told)" = 'unknown 3' ]
	"$PROBES/terms" "$LOCKRUN_DIR/$LOCK/terms" drop=4
	[ "$(told)" = 'unknown 4' ]
	[ "$(told)" = 'finished 5' ]
}

@test "a lock that was forgotten and comes back has no predecessor" {
	told
	# The clock has to go on first.
	forgotten() { "$LOCKRUN" prune --older-than 1ms; [ ! -e "$LOCKRUN_DIR/$LOCK" ]; }
	await forgotten
	[ "$(told)" = 'none unset' ]
	[ "$(told)" = 'finished 2' ]
}

@test "a number that was mended by hand: what the records know, else unknown" {
	told
	run -0 "$LOCKRUN" doctor --repair --floor 1 "$LOCK"
	[ "$(told)" = 'finished 1' ]
	run -0 "$LOCKRUN" doctor --repair --floor 50 "$LOCK"
	[ "$(told)" = 'unknown 50' ]
}

@test "one slot of the number is damaged: the records tell which term was the last" {
	told
	told
	lose
	newest=$("$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" show | sort -k2n | tail -n 1 | cut -d' ' -f1)
	printf '#' | dd of="$LOCKRUN_DIR/$LOCK/number" bs=1 seek=$((newest * 256 + 20)) conv=notrunc status=none
	[ "$(told)" = 'lost 3' ]
}

@test "64 terms that did not start hide no lost one" {
	lose
	local generation
	broken
	for generation in {3..65}; do
		"$LOCKRUN" "$LOCK" -- ./broken 2>>broken.log || true
	done
	[ "$(told -s)" = 'not-started 65' ]
	run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran
	[[ "$output" == *': generation 1 is lost (no record of it): it is not known'* ]]
	[ ! -e ran ]
}

# ---- --after-lost ----

@test "--after-lost refuse: 77 says who, when, which generation, and the way on" {
	lose --note 'ticket 4711'
	run -77 "$LOCKRUN" --events log --after-lost refuse "$LOCK" -- touch ran
	[ ! -e ran ]
	[ "${#lines[@]}" = 1 ]
	[[ "$output" =~ ^"lockrun: $LOCK: generation 1 is lost (pid "[0-9]+', sh, ticket 4711; begun '20[0-9TZ:.-]+', '[0-9.]+m?s' ago): it is not known how that term ended; nothing was run; ' ]]
	[[ "$output" == *"record a known end by a run without --after-lost refuse, such as: lockrun -d $LOCKRUN_DIR $LOCK -- true" ]]
	awk -f "$TESTS/events.awk" log
	grep -q '"type":"error".*generation 1 is lost' log
	grep -q '"type":"stopped","time".*"ran":"no","status":77,"signal":null,"reason":"refused"' log
	# As often as it is tried; neither -E nor -q changes that, and it costs no generation.
	run -77 "$LOCKRUN" -q -E 0 -n --after-lost refuse "$LOCK" -- touch ran
	[ "${#lines[@]}" = 1 ]
	run -77 "$LOCKRUN" --after-lost=refuse -F "$LOCK" -- touch ran
	run -77 "$LOCKRUN" -s --after-lost=refuse "$LOCK" -- touch ran
	[ ! -e ran ]
	[ -z "$(ls "$LOCKRUN_DIR/$LOCK/q")" ]
	# What it says is the way on.
	run -0 ${output##*such as: }
	[ "$(told --after-lost refuse)" = 'finished 2' ]
}

@test "--after-lost run is the default, and the last of two counts" {
	lose
	[ "$(told --after-lost refuse --after-lost run)" = 'lost 1' ]
	lose
	run -77 "$LOCKRUN" --after-lost run --after-lost refuse "$LOCK" -- true
	run -64 "$LOCKRUN" --after-lost maybe "$LOCK" -- true
}

@test "--after-lost refuse: refused after unknown; not after any other" {
	for how in finished failed stepped not-started unreported; do
		case $how in
		finished) told ;;
		failed) run -1 "$LOCKRUN" "$LOCK" -- false ;;
		stepped) run -124 "$LOCKRUN" -q -m 10ms "$LOCK" -- sleep 60 ;;
		not-started) broken ;;
		unreported) "$LOCKRUN" -F "$LOCK" -- true ;;
		esac
		run -0 "$LOCKRUN" --after-lost refuse "$LOCK" -- true
	done
	told
	boot
	run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran
	[[ "$output" == *': generation 11 is unknown (pid '* ]]
	[ ! -e ran ]
}

@test "--after-lost refuse: a waiter is refused at its turn, and the one behind it leads" {
	lead "$LOCK" sh -c 'echo $$ >pid; exec sleep 600' 2>/dev/null
	leader=$STARTED
	await test -s pid
	start "$LOCKRUN" --after-lost refuse "$LOCK" -- touch ran 2>refused
	careful=$STARTED
	await is_pending 1
	contend next "$LOCK"
	await is_pending 2
	kill -KILL "$leader" "$(cat pid)"
	ends 137 "$leader"
	ends 77 "$careful"
	grep -q 'generation 1 is lost' refused
	await leads next
	let_end next
	[ ! -e ran ]
}

@test "--after-lost refuse: a shared run records no end" {
	lose
	"$LOCKRUN" -s "$LOCK" -- true
	run -77 "$LOCKRUN" --after-lost refuse "$LOCK" -- true
}

# ---- status, history, prune ----

@test "status and history tell what the next one is told" {
	"$LOCKRUN" -s "$LOCK" -- true
	all_tell 'none unset'
	run -3 "$LOCKRUN" "$LOCK" -- sh -c 'exit 3'
	all_tell 'failed 2'
	run -124 "$LOCKRUN" -q -m 10ms "$LOCK" -- sleep 60
	all_tell 'stepped-down 4'
	broken
	all_tell 'not-started 6'
	"$LOCKRUN" -F "$LOCK" -- true
	all_tell 'unreported 8'
	lose
	all_tell 'lost 10'
	told
	boot
	all_tell 'unknown 12'
	# Of older ones, what their records say: 12 did finish.
	[ "$(outcomes | head -n 6 | paste -sd' ')" = \
	    'finished 65 finished 12 finished 11 unknown 10 finished 9 unreported 8' ]
}

@test "status and history: nobody knows yet what becomes of a leader; of one before those who share it" {
	lose
	contend reader -s "$LOCK"
	await leads reader
	[ "$(next_is_told)" = 'lost 1' ]
	[ "$(outcomes)" = 'lost 1' ]
	run -0 "$LOCKRUN" history "$LOCK"
	[[ "$output" == *'  sh: lost: its end is not known' ]]
	let_end reader
	hold
	[ "$(next_is_told)" = 'null unset' ]
	[ "$(outcomes | paste -sd' ')" = 'null 2 lost 1' ]
	release
	[ "$(outcomes | paste -sd' ')" = 'finished 2 lost 1' ]
}

@test "status and history in words" {
	broken
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" =~ ' generation 1 not-started: not-found, status 127, '[0-9.]+m?s' ago'$ ]]
	lose
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" =~ ' generation 2 began '[0-9.]+m?s' ago; lost: its end is not known'$ ]]
	boot
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" =~ ' generation 2 began '[0-9.]+m?s' ago; unknown: its end is not known'$ ]]
	told
	boot
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" =~ ' generation 65 finished, '[0-9.]+m?s' ago; unknown whether later ones came before the boot'$ ]]
	run -0 "$LOCKRUN" history "$LOCK"
	[[ "${lines[1]}" == *'  sh: finished; unknown whether later ones came before the boot' ]]
	[[ "${lines[2]}" == *'  sh: unknown: its end is not known' ]]
	rm "$LOCKRUN_DIR/$LOCK/terms"
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "${lines[2]}" == *' generation 65 unknown, without a record' ]]
}

kept() { run -0 "$LOCKRUN" prune --older-than 0; [[ "$output" == "lockrun: $LOCK: kept: "* ]]; }
forgotten() { run -0 "$LOCKRUN" prune --older-than 0; [ "$output" = "$LOCK" ]; }

@test "prune keeps a lost one, also behind those that did not start, and one without a record" {
	lose
	kept
	broken
	kept
	boot
	kept
	told
	forgotten
	told
	rm "$LOCKRUN_DIR/$LOCK/terms"
	kept
}

@test "prune forgets what ended before the boot" {
	told
	boot
	forgotten
}
