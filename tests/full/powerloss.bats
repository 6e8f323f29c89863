#!/usr/bin/env bats
# Generations through power cuts. POWER_CUTS (120), POWER_SEED (random). Needs root, a loop device,
# ext4 and strace.
load ../helper

@test "power cuts: no generation goes back" {
	[ "$(id -u)" = 0 ] || skip "only root can mount an image"
	for tool in strace mkfs.ext4; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	truncate -s 4M image
	mkfs.ext4 -q -F image
	unshare -m sh -c 'mkdir try && mount -o loop image try' 2>/dev/null || skip "no image can be mounted here"
	seed=${POWER_SEED:-$RANDOM}
	run -0 unshare -m bash "$TESTS/probe/powerloss.sh" "$LOCKRUN" "${POWER_CUTS:-120}" "$seed"
	echo "# seed $seed: $output" >&3
	[[ "$output" == *"; 0 went back, 0 refused" ]]
}
