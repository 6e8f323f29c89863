#!/usr/bin/env bats
# Generations and fences through power cuts. POWER_CUTS (40; 20 for fences), POWER_SEED (random).
# Needs root, a loop device, ext4 and strace.
load ../helper

# cut_power SCRIPT CUTS: run it; it has to find nothing.
cut_power() {
	local tool seed=${POWER_SEED:-$RANDOM}
	[ "$(id -u)" = 0 ] || skip "only root can mount an image"
	for tool in strace mkfs.ext4; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	truncate -s 4M image
	mkfs.ext4 -q -F image
	unshare -m sh -c 'mkdir try && mount -o loop image try' 2>/dev/null || skip "no image can be mounted here"
	run -0 unshare -m bash "$TESTS/probe/$1" "$LOCKRUN" "${POWER_CUTS:-$2}" "$seed"
	echo "# seed $seed: $output" >&3
}

@test "power cuts: no generation goes back" {
	cut_power powerloss.sh 40
	[[ "$output" == *"; 0 went back, 0 refused" ]]
}

@test "power cuts: no fence forgets whom it has let in" {
	cut_power powerfence.sh 20
	[[ "$output" == *"; 0 wrong" ]]
}
