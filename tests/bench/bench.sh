#!/bin/sh
# SPDX-License-Identifier: ISC
# Measure lockrun beside what people use instead, as far as it is installed: bench.sh OUT_DIR
#
# Writes a table to standard output, and OUT_DIR/bench.json and OUT_DIR/bench.svg. LOCKRUN is the program,
# BENCH the directory of pair and the others; ROUNDS, WAITERS, REST (seconds) and CURVES (0: none) may
# be set. Each ratio comes from one run in pairs (pair.c, relay.c): the median, with its quartiles.
set -eu
: "${LOCKRUN:?the program to measure}" "${BENCH:?the directory of pair and relay}"

out=$1
here=$(dirname "$0")
: "${ROUNDS:=1000}" "${WAITERS:=1000}" "${REST:=60}" "${CURVES:=1}"
lockrun=$(realpath "$LOCKRUN") pair=$BENCH/pair relay=$BENCH/relay
name=demo:v1:leader:bench
tab=$(printf '\t')

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export LOCKRUN_DIR="$scratch/state"
# What a start costs depends on the length of PATH, for all tools alike.
PATH=/usr/local/bin:/usr/bin:/bin
lock=$scratch/lock
: >"$lock"
results=$scratch/results
: >"$results"
mkdir -p "$out"

# at_most N: so many rounds, where more would take too long.
at_most() { if [ "$ROUNDS" -lt "$1" ]; then echo "$ROUNDS"; else echo "$1"; fi; }

has() { command -v "$1" >/dev/null; }

# row KEY TITLE UNIT OURS THEIRS LOW RATIO HIGH BAR STRETCH: "-" where there is none.
row() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$results"
	printf '  %s\n' "$2: $4 $3" >&2
}

# paired KEY TITLE BAR STRETCH ROUNDS COMMAND... : COMMAND...
paired() {
	key=$1 title=$2 bar=$3 stretch=$4 rounds=$5
	shift 5
	"$pair" "$rounds" "$@" >"$scratch/figures"
	IFS=$tab read -r ours theirs low ratio high <"$scratch/figures"
	row "$key" "$title" us "$ours" "$theirs" "$low" "$ratio" "$high" "$bar" "$stretch"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# ---- one run, uncontended ----

# "Tool: package: how a command is run below it".
peers="
flock:util-linux:flock $lock true
flock -F:util-linux:flock -F $lock true
setlock:daemontools:setlock $lock true
s6-setlock:s6:s6-setlock $lock true
chpst:runit:chpst -L $lock true
lckdo:moreutils:lckdo $lock true
with-lock-ex:chiark-utils-bin:with-lock-ex -w $lock true
sem:parallel:sem --id bench --fg true
"

run_beside_peers() {
	echo "$peers" | while IFS=: read -r title package command; do
		[ -n "$title" ] || continue
		if ! has "${title%% *}"; then
			echo "  $title is not installed: apt-get install $package" >&2
			continue
		fi
		rounds=$ROUNDS bar=- stretch=-
		case $title in
		flock) bar=1.00 stretch=0.85 ;;
		setlock) bar=1.35 stretch=1.10 ;;
		# A Perl program: a start takes a hundred times as long.
		sem) rounds=$(at_most 20) ;;
		esac
		# shellcheck disable=SC2086
		paired "run/$title" "lockrun NAME true / $title" "$bar" "$stretch" "$rounds" \
			"$lockrun" $name -- true : $command
		[ "$title" = setlock ] || continue
		# shellcheck disable=SC2086
		paired "no-fork/$title" "lockrun -F NAME true / $title" - 1.10 "$rounds" \
			"$lockrun" -F $name -- true : $command
	done
	paired "run/one fork" "lockrun NAME true / one fork and true" - - "$ROUNDS" \
		"$lockrun" $name -- true : "$BENCH/limit" true
	paired run/true "lockrun NAME true / true alone" - - "$ROUNDS" "$lockrun" $name -- true : true
}

# ---- a lock that is held ----

busy() {
	mkfifo "$scratch/held"
	"$lockrun" $name -- flock "$lock" sh -c ": >$scratch/leads; exec cat $scratch/held" >/dev/null &
	until [ -e "$scratch/leads" ]; do sleep 0.01; done
	paired busy "lockrun -n / flock -n, held" 1.10 0.90 "$ROUNDS" "$lockrun" -qn $name -- true : \
		flock -n "$lock" true
	: >"$scratch/held"
	wait
}

# ---- waiters ----

handover() { "$relay" handover "$@" | cut -f1; }

hand_overs() {
	relays=$((ROUNDS / 5 + 1))
	ours=$(handover 1 "$relays" "$lockrun" $name --)
	theirs=$(handover 1 "$relays" flock "$lock")
	row handover/flock "hand-over, 1 waiter / flock" us "$ours" "$theirs" - \
		"$(ratio "$ours" "$theirs")" - 1.25 1.00
	many=$(handover "$WAITERS" 1 "$lockrun" $name --)
	row handover/many "hand-over, $WAITERS waiters / 1 waiter" us "$many" "$ours" - \
		"$(ratio "$many" "$ours")" - 1.50 1.10
	first=$("$relay" enqueue 0 "$(at_most 30)" "$LOCKRUN_DIR/$name/q" "$lockrun" -q $name --)
	last=$("$relay" enqueue "$((WAITERS - 1))" "$(at_most 30)" "$LOCKRUN_DIR/$name/q" "$lockrun" -q $name --)
	row enqueue "joining the queue as number $WAITERS / as the first" us "$last" "$first" - \
		"$(ratio "$last" "$first")" - 2.00 1.20
}

resting() {
	"$relay" rest "$REST" "$lockrun" $name -- >"$scratch/figures"
	read -r switches memory <"$scratch/figures"
	row rest/switches "a waiter at rest for $REST s, context switches" "" "$switches" - - - - 12 0
	row rest/memory "a waiter's private memory" KiB "$memory" - - - - 400 150
}

# ---- what is counted ----

system_calls() {
	if ! has strace; then
		echo "  system calls are not counted: apt-get install strace" >&2
		return
	fi
	strace -f -o "$scratch/trace" "$lockrun" $name -- true
	row calls "system calls from start to exec" "" "$(awk '
		NR == 1 { ours = $1 }
		/execve\(/ && NR > 1 && !/ENOENT/ { exit }
		{ count++ }
		END { print count }' "$scratch/trace")" - - - - - 80
	row syncs "fsync in an ordinary run" "" "$(grep -cE 'f(data)?sync|sync_file' "$scratch/trace" || :)" \
		- - - - 0 0
}

binary() {
	strip -o "$scratch/stripped" "$lockrun"
	row size "the binary, stripped" KiB "$(($(stat -c %s "$scratch/stripped") / 1024))" - - - - 250 150
	row libraries "libraries beyond libc and libbsd" "" "$(ldd "$lockrun" | awk '
		/=>/ && !/libc\.so|libbsd\.so|libmd\.so/ { n++ } END { print n + 0 }')" - - - - 0 0
}

# ---- as the work grows ----

# Files of one lock that was used, as many times over as asked for.
make_locks() {
	rm -rf "$LOCKRUN_DIR"
	mkdir -m 700 "$LOCKRUN_DIR"
	"$lockrun" demo:v1:leader:n0 -- true
	"$BENCH/locks" "$LOCKRUN_DIR" demo:v1:leader:n "$1"
}

many_locks() {
	make_locks 1000
	"$pair" "$(at_most 40)" "$lockrun" status : true >"$scratch/figures"
	IFS=$tab read -r ours _ <"$scratch/figures"
	row status "status over 1,000 locks" ms "$(awk -v us="$ours" 'BEGIN { printf "%.1f", us / 1000 }')" \
		- - - - 50 15
}

curves() {
	for waiters in 1 10 100 1000 5000; do
		"$relay" handover "$waiters" "$((waiters < 100 ? 20 : 1))" "$lockrun" $name -- >"$scratch/figures"
		read -r time memory <"$scratch/figures"
		row "curve/handover/$waiters" "hand-over with $waiters waiters" us "$time" - - - - - -
		row "curve/memory/$waiters" "private memory of $waiters waiters" KiB "$memory" - - - - - -
		time=$("$relay" enqueue "$waiters" 20 "$LOCKRUN_DIR/$name/q" "$lockrun" -q $name --)
		row "curve/enqueue/$waiters" "joining the queue behind $waiters waiters" us "$time" - - - - - -
	done
	for locks in 1 100 10000 100000; do
		make_locks "$locks"
		"$pair" 50 "$lockrun" demo:v1:leader:n0 -- true : "$lockrun" status demo:v1:leader:n0 >"$scratch/figures"
		IFS=$tab read -r run status _ <"$scratch/figures"
		row "curve/run/$locks" "a run among $locks locks" us "$run" - - - - - -
		row "curve/status/$locks" "status NAME among $locks locks" us "$status" - - - - - -
	done
}

"$lockrun" $name -- true
echo "measuring, which takes some minutes; let nothing else run meanwhile" >&2
run_beside_peers
busy
hand_overs
resting
system_calls
binary
many_locks
[ "$CURVES" = 0 ] || curves

awk -F "$tab" -f "$here/table.awk" "$results"
awk -F "$tab" -v machine="$(uname -sr), $(nproc) processors" -f "$here/json.awk" "$results" >"$out/bench.json"
awk -F "$tab" -v machine="$(uname -sr), $(nproc) processors" -f "$here/draw.awk" "$results" >"$out/bench.svg"
echo "$out/bench.json, $out/bench.svg"
