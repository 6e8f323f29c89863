#!/usr/bin/env bats
# The generation only grows: through kills, reboots and damage, and without a sync for each term.
load helper

# lead_times N: no more than that.
lead_times() {
	local i
	for ((i = 0; i < $1; i++)); do
		"$LOCKRUN" "$LOCK" -- true
	done
}

number() { echo "$LOCKRUN_DIR/$LOCK/number"; }
show() { "$PROBES/number" "$(number)" show; }
newest_slot() { show | sort -k2n | tail -n 1 | cut -d' ' -f1; }

# damage SLOT...: overwrite one byte in the middle of each.
damage() {
	local slot
	for slot; do
		printf '#' | dd of="$(number)" bs=1 seek=$((slot * 256 + 20)) conv=notrunc status=none
	done
}

@test "it starts at 1 and grows by one with each term" {
	for expected in 1 2 3 4 5; do
		[ "$(generation)" = "$expected" ]
	done
	[ "$(generation demo:v1:leader:other)" = 1 ]
}

@test "it is in the environment before the command starts, and in the record" {
	run -0 "$LOCKRUN" "$LOCK" -- sh -c 'grep -az "generation=1 " "$LOCKRUN_DIR/$LOCKRUN_NAME/number" "$LOCKRUN_DIR/$LOCKRUN_NAME/terms" >/dev/null; cat "$LOCKRUN_DIR/$LOCKRUN_NAME/number"; echo "has $LOCKRUN_GENERATION"'
	[[ "$output" == *" last=1 "*"has 1"* ]]
}

@test "terms that fail, are killed or never start do not give a number twice" {
	[ "$(generation)" = 1 ]
	run -7 "$LOCKRUN" "$LOCK" -- sh -c 'exit 7'
	run -137 "$LOCKRUN" "$LOCK" -- sh -c 'kill -KILL $PPID; kill -KILL $$'
	printf '#!/no/such/interpreter\n' >broken
	chmod +x broken
	run -127 "$LOCKRUN" "$LOCK" -- ./broken
	[ "$(generation)" -ge 4 ]
}

@test "a loser, a waiter that gives up and a killed waiter cost no number" {
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	run -75 "$LOCKRUN" -w 20ms "$LOCK" -- true
	start "$LOCKRUN" "$LOCK" -- true
	await is_pending 1
	kill -KILL "$STARTED"
	wait "$STARTED" || true
	release
	[ "$(generation)" = 2 ]
}

@test "it rises over the ceiling: 70 terms, 70 numbers" {
	for ((i = 1; i <= 70; i++)); do
		[ "$(generation)" = "$i" ]
	done
	# A write for each term and two for each raise, after the two that a new one begins with: so
	# two steps were paid for. None is left half done.
	[[ "$(show)" == *" 76 70 128 0"* && "$(show)" == *" 75 69 128 0"* ]]
}

@test "after a reboot it goes on above everything that may have been given" {
	lead_times 3
	"$PROBES/number" "$(number)" reboot
	[ "$(generation)" = 65 ]
	[ "$(generation)" = 66 ]
	"$PROBES/number" "$(number)" reboot
	[ "$(generation)" = 129 ]
}

@test "a second reboot at once gives no number twice either" {
	lead_times 2
	last=2
	for _ in 1 2 3 4 5; do
		"$PROBES/number" "$(number)" reboot
		next=$(generation)
		[ "$next" -gt "$last" ]
		last=$next
	done
}

@test "one torn slot: the next number is above all that may have been given" {
	lead_times 5
	damage "$(newest_slot)"
	[ "$(generation)" = 65 ]
	# Both are sound again.
	[[ "$(show)" != *damaged* ]]
	[ "$(generation)" = 66 ]
	older=$((1 - $(newest_slot)))
	damage "$older"
	[ "$(generation)" = 129 ]
}

@test "a number file from before (backup of one slot) is not trusted" {
	lead_times 5
	cp "$(number)" before
	lead_times 3
	slot=$(newest_slot)
	dd if=before of="$(number)" bs=256 skip="$slot" seek="$slot" count=1 conv=notrunc status=none
	[ "$(generation)" -ge 65 ]
}

@test "both slots damaged: 69, how to mend it, and nothing runs or changes" {
	lead_times 2
	damage 0 1
	cp "$(number)" before
	run -69 "$LOCKRUN" "$LOCK" -- touch ran
	[[ "${#lines[@]}" -eq 1 && "$output" == *"$LOCK/number"*"damaged"*"--floor"* ]]
	[ ! -e ran ]
	cmp before "$(number)"
	# Nobody is left in the queue, and the next one is told the same.
	[ -z "$(ls "$LOCKRUN_DIR/$LOCK/q")" ]
	run -69 "$LOCKRUN" -n "$LOCK" -- touch ran
	[ ! -e ran ]
}

@test "missing, empty and cut number: 69, and it is not made anew" {
	lead_times 2
	for how in 'rm' 'truncate -s 0' 'truncate -s 300'; do
		cp "$(number)" kept
		$how "$(number)"
		run -69 "$LOCKRUN" "$LOCK" -- touch ran
		[ ! -e ran ]
		[[ "${#lines[@]}" -eq 1 && "$output" == *"$LOCK/number"* ]]
		[ "$how" != rm ] || [ ! -e "$(number)" ]
		cp kept "$(number)"
	done
	[ "$(generation)" = 3 ]
}

@test "no number is left: 69, not the first one again" {
	lead_times 1
	"$PROBES/number" "$(number)" last
	[ "$(generation)" = 9223372036854775807 ]
	run -69 generation
	run -69 generation
}

@test "killed again and again while they lead: each number once, in rising order" {
	for ((i = 0; i < 60; i++)); do
		start "$LOCKRUN" "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION >>given; kill -KILL $PPID; kill -KILL $$'
		wait "$STARTED" || true
	done
	sort -nuc given
	[ "$(wc -l <given)" = 60 ]
}
