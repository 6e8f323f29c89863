# SPDX-License-Identifier: ISC
# What reads a log of events.

# legal FILE [COUNT]: the log is one that a run may write, of so many contenders.
legal() {
	local count
	count=$(awk -f "$TESTS/events.awk" "$1") || { cat "$1" >&2; return 1; }
	[ "$count" -eq "${2:-$count}" ]
}

# types FILE, field KEY FILE: what happened; the values of a key, one a line.
types() { grep -o '^{"type":"[a-z-]*' "$1" | cut -d'"' -f4 | paste -sd' '; }
field() { grep -o "\"$1\":\(\"[^\"]*\"\|[^,}]*\)" "$2" | cut -d: -f2- | tr -d '"'; }

# watched OPTION...: lockrun, in the background, with its events in the file `log`.
watched() { start "$LOCKRUN" --events log "$@"; }

# over STATUS: what was started last ends with that.
over() {
	local status=0
	await is_gone "$STARTED"
	wait "$STARTED" || status=$?
	[ "$status" -eq "$1" ]
}

# told TYPE: whether the log says that by now.
told() { grep -q "^{\"type\":\"$1\"" log; }
