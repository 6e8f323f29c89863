# SPDX-License-Identifier: ISC
# What every test file loads. A test waits for events, never for a time; it leaves no process and
# no file behind, and that is checked.

bats_require_minimum_version 1.5.0

# Absolute, since each test has a working directory of its own.
TESTS=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)
: "${LOCKRUN:=${TESTS%/*}/build/lockrun}"
: "${PROBES:=${TESTS%/*}/build/probe}"
[[ $LOCKRUN == /* ]] || LOCKRUN=$PWD/$LOCKRUN
[[ $PROBES == /* ]] || PROBES=$PWD/$PROBES
export LOCKRUN PROBES
LOCK=demo:v1:leader:sync

# The longest that anything may take before the test gives up on it.
PATIENCE=${PATIENCE:-30}

# rounds N: how often to try what goes wrong once in many times; a fifth of it with sanitizers,
# where each start takes several times as long and looks for something else.
rounds() { echo $(($1 / ${ROUNDS_DIVISOR:-1})); }

# Each test has its own state directory, its own scratch directory (the working directory), and a
# mark in the environment by which what it leaves behind is found.
common_setup() {
	# Without it, nothing that is left behind would be found.
	[ -x "$PROBES/marked" ] || { echo "$PROBES/marked is missing: make probes" >&2; return 2; }
	PATH=${LOCKRUN%/*}:$PATH
	unset LOCKRUN_NOTE MAKEFLAGS MFLAGS MAKELEVEL
	export LOCKRUN_DIR=$BATS_TEST_TMPDIR/state
	export LOCKRUN_TEST_MARK=$BATS_TEST_TMPDIR
	mkdir -p "$BATS_TEST_TMPDIR/scratch"
	cd "$BATS_TEST_TMPDIR/scratch" || return 1
	# At each command bats notes where it is, for what it prints of a failure; that takes a tenth of
	# all tests' time. The line of the test itself is enough.
	! declare -F bats_debug_trap >/dev/null ||
		trap '[[ $BASH_SOURCE == *.bash ]] || bats_debug_trap "$BASH_SOURCE"' DEBUG
}

common_teardown() {
	local pid
	[ -z "$OPEN_DIR" ] || rm -rf "$OPEN_DIR"
	[ -x "$PROBES/marked" ] || { echo "$PROBES/marked is missing" >&2; return 2; }
	await_quietly no_marked_processes && return 0
	for pid in $(marked_processes); do
		echo "left behind: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline" | head -c 200)" >&2
		kill -KILL "$pid" 2>/dev/null || true
	done
	return 1
}

# What was killed a moment ago may still be on its way out.
await_quietly() {
	local until=$((SECONDS + 2))
	until "$@"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		pause 0.02
	done
}
no_marked_processes() { "$PROBES/marked" "$BATS_TEST_TMPDIR" >/dev/null; }

setup() { common_setup; }
teardown() { common_teardown; }

# The pids of live processes that carry this test's mark or are in its directory, but for the test's
# own shells.
marked_processes() { "$PROBES/marked" "$BATS_TEST_TMPDIR"; }

# pause SECONDS: without a process, of which the waits of all tests together would take tens of
# thousands. Nobody ever writes to that FIFO.
pause() {
	local fifo=${BATS_SUITE_TMPDIR:-/nonexistent}/pause
	[ -p "$fifo" ] || mkfifo "$fifo" 2>/dev/null || { sleep "$1" && return; }
	read -rt "$1" <>"$fifo" || true
}

# await CONDITION...: run it until it succeeds.
await() {
	local until=$((SECONDS + PATIENCE)) pause=0.01
	until "$@"; do
		if [ "$SECONDS" -ge "$until" ]; then
			echo "still not so after $PATIENCE s: $*" >&2
			return 1
		fi
		pause "$pause"
		# On a busy machine those that look too often keep the event from coming.
		case $pause in
		0.01) pause=0.02 ;;
		0.02) pause=0.04 ;;
		*) pause=0.1 ;;
		esac
	done
}

# not COMMAND...: "! COMMAND" alone would not fail a test.
not() { if "$@"; then return 1; fi; }

# start COMMAND...: run it in the background; its pid is in $STARTED. Descriptor 3 is bats's own.
start() {
	"$@" 3>&- &
	STARTED=$!
}

# lead ARGUMENT...: lockrun in the background with no signal ignored (a shell ignores SIGINT and
# SIGQUIT for what it runs in the background). Its pid is in $STARTED.
lead() { start env --default-signal "$LOCKRUN" "$@"; }

# ends STATUS PID: wait for what `start` began; it ends with this status. The shell would tell of
# some signals, and is not asked to.
ends() {
	await is_gone "$2"
	STATUS=0
	await is_gone "$2"
	{ wait "$2" || STATUS=$?; } 2>/dev/null
	[ "$STATUS" -eq "$1" ] || { echo "pid $2 ended with $STATUS, not $1" >&2; return 1; }
}

# raw_status COMMAND...: as waitpid(2) gives it: 256 * status, or the signal, + 128 with a core.
# The parent is one that never reaps, so that the zombie can be looked at.
raw_status() {
	local child
	rm -f child gate
	mkfifo gate
	# At the gate until its parent is no shell any more that might reap it.
	start sh -c 'sh -c "read -r _ <gate; exec env --default-signal \"\$@\"" sh "$@" & echo $! >child
		exec env sh -c "echo >gate; exec sleep 600"' sh "$@"
	await test -s child
	child=$(cat child)
	await is_zombie "$child"
	sed 's/.* //' "/proc/$child/stat"
	kill -KILL "$STARTED"
	wait "$STARTED" 2>/dev/null || true
}
is_zombie() { [ "$(state_of "$1")" = Z ]; }

# hold [NAME]: lead in the background until `release`; returns once it leads.
hold() {
	local name=${1:-$LOCK}
	mkfifo "hold.$name"
	start "$LOCKRUN" "$name" -- sh -c 'echo $$ >"held.$0"; exec cat "hold.$0" >/dev/null' "$name"
	HOLDER=$STARTED
	await test -s "held.$name"
}

# release [NAME]: end what `hold` began, and wait for it.
release() {
	local name=${1:-$LOCK}
	: >"hold.$name"
	wait "$HOLDER"
	rm -f "hold.$name" "held.$name"
}

# contend LABEL [OPTION...] NAME: contend in the background. Once it leads, the command adds LABEL
# to the file `order`, and leads on until `let_end LABEL`.
declare -gA CONTENDERS
contend() {
	local label=$1
	shift
	mkfifo "$label.go"
	start "$LOCKRUN" "$@" -- sh -c 'echo "$0" >>order; exec cat "$0.go" >/dev/null' "$label"
	CONTENDERS[$label]=$STARTED
}

# has_line FILE LINE: without a process, since whoever waits asks again and again.
has_line() {
	local text
	[ -e "$1" ] || return
	read -rd '' text <"$1" || true
	[[ $'\n'$text$'\n' == *$'\n'"$2"$'\n'* ]]
}

# leads LABEL: whether it came to lead. order_is LABEL...: who did, one after the other.
leads() { has_line order "$1"; }
order_is() { [ "$(paste -sd' ' order)" = "$*" ]; }

# let_end LABEL: end what leads, and wait for it.
let_end() {
	: >"$1.go"
	ended "$1" 0
}

# ended LABEL STATUS: wait for a contender, which has to end with that status.
ended() {
	local status=0
	await is_gone "${CONTENDERS[$1]}"
	wait "${CONTENDERS[$1]}" || status=$?
	rm -f "$1.go"
	[ "$status" -eq "$2" ] || { echo "$1 ended with $status, not $2" >&2; return 1; }
}

# pending NAME: how many wait in its queue, tries included. By the tickets: they are the truth.
pending() { tickets_like '*w' "$@"; }
holding() { tickets_like '*h' "$@"; }
tickets_like() {
	local found=("$LOCKRUN_DIR/${2:-$LOCK}/q/"$1)
	if [ -e "${found[0]}" ]; then echo "${#found[@]}"; else echo 0; fi
}
is_pending() { are_tickets "$1" '*w' "${2:-$LOCK}"; }
is_holding() { are_tickets "$1" '*h' "${2:-$LOCK}"; }
# No process, as in has_line.
are_tickets() {
	local found=("$LOCKRUN_DIR/$3/q/"$2)
	[ -e "${found[0]}" ] || found=()
	[ "${#found[@]}" -eq "$1" ]
}
is_gone() {
	local line
	read -r line 2>/dev/null <"/proc/$1/stat" || return 0
	[[ "$line" == *') Z '* ]]
}

# children_of PID: the pids of its children.
children_of() { cat "/proc/$1/task/$1/children"; }
has_children() { [ -n "$(children_of "$1")" ]; }

# state_of PID: the letter for what it is doing.
state_of() {
	local line
	read -r line <"/proc/$1/stat" || return 1
	line=${line##*) }
	echo "${line%% *}"
}

# as_user COMMAND...: as an unprivileged user. needs_root: skip when there is no way to become one.
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
needs_root() { [ "$(id -u)" -eq 0 ] || skip 'only root can become another user'; }

# make_open_dir: a directory that other users can reach, with a lockrun in it, in $OPEN_DIR; it is
# removed at the end of the test.
make_open_dir() {
	OPEN_DIR=$(mktemp -d "${TMPDIR:-/tmp}/lockrun-open-XXXXXX")
	chmod 755 "$OPEN_DIR"
	cp "$LOCKRUN" "$OPEN_DIR/lockrun"
	chmod 755 "$OPEN_DIR/lockrun"
}

# generation [NAME]: lead once, and tell with which generation.
generation() { "$LOCKRUN" "${1:-$LOCK}" -- sh -c 'echo $LOCKRUN_GENERATION'; }

# has_ticket PID: it has queued up.
has_ticket() { compgen -G "$LOCKRUN_DIR/$LOCK/q/[0-9]*.$1.*" >/dev/null; }

# line_up FROM TO [OPTION...]: waiters, one behind the other: each has its ticket before the next
# one starts. Each writes its number to the file `order` when it leads. Pids in WAITER[n].
line_up() {
	local i from=$1 to=$2
	shift 2
	for ((i = from; i <= to; i++)); do
		start "$LOCKRUN" "$@" "$LOCK" -- sh -c 'echo $0 >>order' "$i"
		WAITER[i]=$STARTED
		await has_ticket "$STARTED"
	done
}

# foreign FILE [FLOCK-OPTION...]: flock(1) holds it until `foreign_ends`.
foreign() {
	local file=$1
	shift
	mkfifo foreign
	start flock "$@" "$file" sh -c ': >foreign.held; exec cat foreign'
	FOREIGN=$STARTED
	await test -e foreign.held
}

foreign_ends() {
	: >foreign
	wait "$FOREIGN"
	rm -f foreign foreign.held
}

# settled PID: it sleeps in a wait for a lock, and all its threads sleep.
settled() {
	local task text
	read -rd '' text </proc/locks || true
	[[ $text =~ '-> FLOCK '[^$'\n']*" $1 " ]] || return 1
	for task in "/proc/$1/task/"*; do
		read -r text <"$task/stat" || return 1
		[[ ${text##*') '} == S* ]] || return 1
	done
}

# watches PID: that leader watches over its lock, which it begins a moment after the start.
watches() { grep -qs '^inotify' "/proc/$1/fdinfo/"*; }

# stand N: waiter N of a row that leads until `let_go N`. Returns when it is settled in the queue.
stand() {
	mkfifo "go.$1"
	start "$LOCKRUN" "$LOCK" -- sh -c 'echo $0 >>order; exec cat "go.$0"' "$1"
	WAITER[$1]=$STARTED
	await settled "$STARTED"
}

has_led() { has_line order "$1"; }

let_go() {
	: >"go.$1"
	wait "${WAITER[$1]}"
}

# effort PID: what it cost so far: the context switches of each thread, and ticks of the processor.
effort() {
	grep -H ctxt_switches "/proc/$1/task/"*/status
	cut -d')' -f2- "/proc/$1/stat" | cut -d' ' -f13,14
}

# private_mounts FUNCTION [ARG...]: call it, with all functions of this file, where mounts are its own.
private_mounts() {
	local how
	for how in -m -rm; do
		if unshare "$how" mount -t tmpfs none /mnt 2>/dev/null; then
			declare -f >"$BATS_TEST_TMPDIR/functions"
			LOCKRUN=$LOCKRUN LOCK=$LOCK PATIENCE=$PATIENCE PROBES=$PROBES TESTS=$TESTS \
				unshare "$how" bash -euc '. "$0"; "$@"' "$BATS_TEST_TMPDIR/functions" "$@"
			return
		fi
	done
	skip "neither root nor a user namespace may mount here"
}
