# SPDX-License-Identifier: ISC
# What every test file loads. A test waits for events, never for a time; it leaves no process and
# no file behind, and that is checked.

bats_require_minimum_version 1.5.0

TESTS=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
: "${LOCKRUN:=$TESTS/../build/lockrun}"
: "${PROBES:=$TESTS/../build/probe}"
LOCKRUN=$(realpath "$LOCKRUN")
LOCK=demo:v1:leader:sync

# The longest that anything may take before the test gives up on it.
PATIENCE=${PATIENCE:-30}

# Each test has its own state directory, its own scratch directory (the working directory), and a
# mark in the environment by which what it leaves behind is found.
common_setup() {
	PATH=$(dirname "$LOCKRUN"):$PATH
	unset LOCKRUN_NOTE
	export LOCKRUN_DIR=$BATS_TEST_TMPDIR/state
	export LOCKRUN_TEST_MARK=$BATS_TEST_TMPDIR
	mkdir -p "$BATS_TEST_TMPDIR/scratch"
	cd "$BATS_TEST_TMPDIR/scratch" || return 1
}

common_teardown() {
	local pid
	await_quietly no_marked_processes && return 0
	for pid in $(marked_processes); do
		echo "left behind: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")" >&2
		kill -KILL "$pid" 2>/dev/null || true
	done
	return 1
}

# What was killed a moment ago may still be on its way out.
await_quietly() {
	local attempt
	for attempt in {1..50}; do
		"$@" && return 0
		sleep 0.02
	done
	return 1
}
no_marked_processes() { [ -z "$(marked_processes)" ]; }

setup() { common_setup; }
teardown() { common_teardown; }

# The pids of live processes that carry this test's mark, but for the test's own shells.
marked_processes() {
	local file pid
	for file in $(grep -lzFxs "LOCKRUN_TEST_MARK=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ); do
		pid=${file#/proc/}
		pid=${pid%/environ}
		is_ours "$pid" || echo "$pid"
	done
}

# Whether a process is this shell, one of its ancestors, or gone by now, as that grep is.
is_ours() {
	local at=$BASHPID
	while [ "$at" -gt 1 ]; do
		[ "$at" = "$1" ] && return 0
		at=$(cut -d' ' -f4 "/proc/$at/stat" 2>/dev/null) || return 1
	done
	[ ! -e "/proc/$1" ]
}

# await CONDITION...: run it until it succeeds.
await() {
	local until=$((SECONDS + PATIENCE))
	until "$@"; do
		if [ "$SECONDS" -ge "$until" ]; then
			echo "still not so after $PATIENCE s: $*" >&2
			return 1
		fi
		sleep 0.01
	done
}

# start COMMAND...: run it in the background; its pid is in $STARTED. Descriptor 3 is bats's own.
start() {
	"$@" 3>&- &
	STARTED=$!
}

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

# pending NAME: how many wait in its queue, tries included. By the tickets: they are the truth.
pending() { find "$LOCKRUN_DIR/${1:-$LOCK}/q" -name '*w' ! -name '.*' 2>/dev/null | wc -l; }
holding() { find "$LOCKRUN_DIR/${1:-$LOCK}/q" -name '*h' ! -name '.*' 2>/dev/null | wc -l; }
is_pending() { [ "$(pending "${2:-$LOCK}")" -eq "$1" ]; }
is_holding() { [ "$(holding "${2:-$LOCK}")" -eq "$1" ]; }
is_gone() { [ ! -e "/proc/$1" ] || [ "$(cut -d')' -f2 "/proc/$1/stat" 2>/dev/null | cut -d' ' -f2)" = Z ]; }

# sleeps_in_flock PID: whether it has settled into a wait (a thread of it sits in flock).
state_of() { cut -d')' -f2 "/proc/$1/stat" | cut -d' ' -f2; }

# as_user COMMAND...: as an unprivileged user; skips when there is no way to become one.
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

# generation [NAME]: lead once, and tell with which generation.
generation() { "$LOCKRUN" "${1:-$LOCK}" -- sh -c 'echo $LOCKRUN_GENERATION'; }
