#!/bin/sh
# SPDX-License-Identifier: ISC
# Where the time of a run goes: profile.sh
#
# Each line is a program that does a bit more than the one above it, in microseconds, in pairs with
# the smallest program that there is (pair.c); the third column is what the bit costs. LOCKRUN is the
# program, BENCH the directory of pair and limit; ROUNDS may be set.
set -eu
: "${LOCKRUN:?the program to measure}" "${BENCH:?the directory of pair and limit}" "${ROUNDS:=1000}"

lockrun=$(realpath "$LOCKRUN") pair=$BENCH/pair limit=$BENCH/limit
name=demo:v1:leader:profile
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LOCKRUN_DIR="$scratch/state"
PATH=/usr/local/bin:/usr/bin:/bin

# stage TITLE ABOVE COMMAND...: sets took; ABOVE is what took less, in microseconds.
stage() {
	title=$1 above=$2
	shift 2
	took=$("$pair" "$ROUNDS" "$@" : "$limit" | cut -f1)
	awk -v title="$title" -v took="$took" -v above="$above" \
		'BEGIN { printf "%-60s %7.0f %+7.0f\n", title, took, took - above }'
}

held() {
	mkfifo "$scratch/held"
	"$lockrun" $name -- sh -c ": >$scratch/leads; exec cat $scratch/held" &
	until [ -e "$scratch/leads" ]; do sleep 0.01; done
	stage "  and looked at the directory and the queue (-n, held)" "$1" "$lockrun" -qn $name -- "$limit"
	: >"$scratch/held"
	wait
}

"$lockrun" $name -- true
stage "a program that does nothing" 0 "$limit"
nothing=$took
stage "one fork of it, which does nothing" "$nothing" "$limit" -f "$limit"
stage "  with the parent's memory borrowed (posix_spawn)" "$took" "$limit" "$limit"
spawn=$took
stage "lockrun: loaded, its command line read (--version)" "$nothing" "$lockrun" --version
held "$took"
stage "  and got ticket, lock, generation and record, and exec (-F)" "$took" "$lockrun" -F $name -- "$limit"
stage "  and forked, watched, waited, recorded the end, left" "$took" "$lockrun" $name -- "$limit"
awk -v ours="$took" -v limit="$spawn" 'BEGIN {
	printf "a run of nothing is %.0f us from the limit of one fork, %.2f times that\n", ours - limit, ours / limit }'
