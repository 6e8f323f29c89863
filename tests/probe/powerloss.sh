#!/bin/bash
# SPDX-License-Identifier: ISC
# powerloss.sh LOCKRUN NUMBER-OF-CUTS SEED
#
# Cuts the power under lockrun and looks whether a generation goes back. The state directory is on
# the disk of a machine as in machine.sh, which has another boot id when it comes up again.
set -eu
# shellcheck disable=SC1091 # it is looked at by itself
. "$(dirname "$0")/machine.sh"

lockrun=$1
cuts=$2
RANDOM=$3
lock=demo:v1:leader:power
calls=(mkdir mkdirat write fsync renameat pwrite64 fdatasync)

given=0 back=0 refused=0 killed=0 written_back=0 firsts=0
declare -A newest

boot() { cat /proc/sys/kernel/random/uuid >boot_id; }

# note DIR: what the last lead_* there has told about the generations.
note() {
	local generation
	while read -r generation; do
		given=$((given + 1))
		if [ "$generation" -le "${newest[$1]:-0}" ]; then
			back=$((back + 1))
			echo "$1: generation $generation after ${newest[$1]}"
		else
			newest[$1]=$generation
		fi
	done <told
	: >told
}

# The command tells its generation on a disk that loses nothing.
# shellcheck disable=SC2016 # it is the command's variable
lead() {
	if ! "$lockrun" -w 30 -d "disk/$1" "$lock" -- sh -c 'echo $LOCKRUN_GENERATION >>told'; then
		refused=$((refused + 1))
	fi
	note "$1"
}

# lead_and_die DIR [CALL N]: killed on entering that call, or any, with what it has done by then.
# shellcheck disable=SC2016
lead_and_die() {
	local call=${2:-${calls[RANDOM % ${#calls[@]}]}} n=${3:-$((1 + RANDOM % 8))}
	{
		strace -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" \
			"$lockrun" -w 30 -d "disk/$1" "$lock" -- sh -c 'echo $LOCKRUN_GENERATION >>told' ||
			killed=$((killed + 1))
	} 2>/dev/null
	note "$1"
}

some_terms() {
	local terms=$((1 + RANDOM % $2))
	while [ $((terms--)) -gt 0 ]; do
		case $((RANDOM % 8)) in
		0 | 1) lead_and_die "$1" ;;
		2)
			written_back=$((written_back + 1))
			write_back "disk/$1/$lock/number"
			;;
		*) lead "$1" ;;
		esac
	done
}

: >told
: >boot_id
make_disk
mount --bind boot_id /proc/sys/kernel/random/boot_id
boot
for ((i = 0; i < cuts; i++)); do
	some_terms old 40
	# A lock, and the directory that it is in, are new when the power fails.
	if [ $((RANDOM % 2)) = 0 ]; then
		firsts=$((firsts + 1))
		case $((RANDOM % 5)) in
		0) lead "new$i" ;;
		1) lead_and_die "new$i" && lead "new$i" ;;
		# Whoever makes it does not live to sync it: the last syncs are those of the directories.
		2 | 3) lead_and_die "new$i" fsync $((6 + RANDOM % 3)) && lead "new$i" ;;
		4) some_terms "new$i" 5 ;;
		esac
	fi
	cut_power
	boot
	lead old
	lead "new$i"
	rm -rf "disk/new$i"
done
umount disk
umount /proc/sys/kernel/random/boot_id
echo "power: $cuts cuts, $firsts of them with a new lock, $given generations, $killed killed," \
	"$written_back written back; $back went back, $refused refused"
[ "$back" = 0 ] && [ "$refused" = 0 ]
