#!/usr/bin/env bats
# Many contenders, and a killer among them. STORM_SECONDS (10), STORM_SEED (random).
load ../helper

@test "20 waiters, five of them killed, 20 trials: none is out of order" {
	run -0 "$PROBES/storm" "$LOCKRUN" "$PWD" order 20 "${STORM_SEED:-$RANDOM}"
	echo "# $output" >&3
	[[ "$output" == *" 0 out of order, 0 tickets left" ]]
}

@test "200 contenders, lockruns and commands killed at random: no overlap, rising, nothing stuck" {
	run -0 "$PROBES/storm" "$LOCKRUN" "$PWD" run "${STORM_SECONDS:-10}" 200 "${STORM_SEED:-$RANDOM}"
	echo "# $output" >&3
	[[ "$output" == *"overlaps 0, generations not rising 0, live tickets 0, tickets left 0 "*"stuck no" ]]
}

@test "40 keep coming where 3 may wait: never more than 3 do" {
	run -0 "$PROBES/storm" "$LOCKRUN" "$PWD" crowd "${STORM_SECONDS:-5}" 40 3 "${STORM_SEED:-$RANDOM}"
	echo "# $output" >&3
	[[ "$output" == *"overlaps 0, generations not rising 0; at most 3 waited "*"stuck no" ]]
}
