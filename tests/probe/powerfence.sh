#!/bin/bash
# SPDX-License-Identifier: ISC
# powerfence.sh LOCKRUN NUMBER-OF-CUTS SEED
#
# Cuts the power under lockrun fence, on a machine as in machine.sh, and looks whether a file forgets
# a generation that it has let in, or says one that never came.
set -eu
# shellcheck disable=SC1091 # it is looked at by itself
. "$(dirname "$0")/machine.sh"

lockrun=$1
cuts=$2
RANDOM=$3
export LOCKRUN_NAME=demo:v1:leader:power
calls=(fsync renameat2 pwrite64 pwrite64 fdatasync fdatasync)

let_in=0 turned_away=0 killed=0 firsts=0 wrong=0
declare -A came newest # what came to a file, and what it has let in

complain() {
	wrong=$((wrong + 1))
	echo "$*"
}

# note FILE: what the last fence there has let in. The command tells on a disk that loses nothing.
note() {
	local generation
	while read -r generation; do
		let_in=$((let_in + 1))
		[ "$generation" -ge "${newest[$1]:-0}" ] ||
			complain "$1: let in $generation after ${newest[$1]}"
		newest[$1]=$generation
	done <told
	: >told
}

# come FILE GENERATION [COMMAND...]: with a COMMAND before lockrun that may kill it.
# shellcheck disable=SC2016 # it is the command's variable
come() {
	local file=$1 generation=$2 status=0
	shift 2
	[ "$generation" -le "${came[$file]:-0}" ] || came[$file]=$generation
	{ LOCKRUN_GENERATION=$generation "$@" "$lockrun" fence "disk/$file" \
		sh -c 'echo $LOCKRUN_GENERATION >>told'; } 2>/dev/null || status=$?
	case $status in
	0) ;;
	76) turned_away=$((turned_away + 1)) ;;
	137) killed=$((killed + 1)) ;;
	*) complain "$file: $generation got status $status" ;;
	esac
	note "$file"
}

# A newer one, which has something to write, and dies on entering that call.
come_and_die() {
	local call=${calls[RANDOM % ${#calls[@]}]}
	come "$1" $((${came[$1]:-0} + 1)) strace -o /dev/null -e trace="$call" \
		-e inject="$call:signal=KILL:when=$((1 + RANDOM % 2))"
}

# some_come FILE MOST: the next generation, the same one, an older one.
some_come() {
	local number=$((1 + RANDOM % $2)) generation
	while [ $((number--)) -gt 0 ]; do
		generation=$((${came[$1]:-1} - 1 + RANDOM % 3))
		[ "$generation" -gt 0 ] || generation=1
		case $((RANDOM % 6)) in
		0 | 1) come_and_die "$1" ;;
		2) write_back "disk/$1" ;;
		*) come "$1" "$generation" ;;
		esac
	done
}

# look FILE: what it says is what it has let in, or at most what came since.
look() {
	local says=0
	[ ! -e "disk/$1" ] || says=$(sed -n 's/.* last=\([0-9]*\) .*/\1/p' "disk/$1" | sort -n | tail -n 1)
	if [ "$says" -lt "${newest[$1]:-0}" ] || [ "$says" -gt "${came[$1]:-0}" ]; then
		complain "$1: says $says, has let in ${newest[$1]:-0}, ${came[$1]:-0} came"
	fi
}

: >told
make_disk
for ((i = 0; i < cuts; i++)); do
	some_come old 10
	# One that is new when the power fails, and has no name yet on the disk.
	firsts=$((firsts + 1))
	some_come "new$i" 3
	cut_power
	for file in old "new$i"; do
		look "$file"
		come "$file" $((${newest[$file]:-1}))
	done
	rm -f "disk/new$i" disk/.lockrun-*
done
umount disk
echo "power: $cuts cuts, $firsts of them with a new file, $let_in let in, $turned_away turned away," \
	"$killed killed; $wrong wrong"
[ "$wrong" = 0 ]
