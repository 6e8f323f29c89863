# SPDX-License-Identifier: ISC
# What the tests of outcomes share.

# told: what a run now is told of its predecessors, "OUTCOME GENERATION".
told() { "$LOCKRUN" "$@" "$LOCK" -- sh -c 'echo "$LOCKRUN_PREVIOUS ${LOCKRUN_PREVIOUS_GENERATION-unset}"'; }

# lose: a term that is lost, its command too. With -w it was waited for.
lose() {
	run -137 "$LOCKRUN" "$@" "$LOCK" -- sh -c 'kill -KILL $PPID; kill -KILL $$'
}

# boot: let the records, and the number, be of an earlier boot.
boot() {
	"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" reboot
	"$PROBES/terms" "$LOCKRUN_DIR/$LOCK/terms" reboot
}

# broken: a command that cannot be executed, which only exec(2) finds out.
broken() {
	printf '#!/no/such/interpreter\n' >broken
	chmod +x broken
	run -127 "$LOCKRUN" "$@" "$LOCK" -- ./broken
}

# outcomes: of all terms that history has, the newest first, "OUTCOME GENERATION". next_is_told: what
# status says.
outcomes() {
	"$LOCKRUN" history --json "$LOCK" | grep -o '"generation":[0-9]*,"stage":"[a-z]*","outcome":[^,]*' |
		sed 's/"generation":\([0-9]*\),.*"outcome":"*\([a-z-]*\)"*/\2 \1/'
}
next_is_told() {
	"$LOCKRUN" status --json "$LOCK" |
		sed 's/.*"previous":"*\([a-z-]*\)"*,"previous_generation":\([0-9a-z]*\).*/\1 \2/; s/ null/ unset/'
}

# all_tell "OUTCOME GENERATION": status, history and the next leader say the same.
all_tell() {
	[ "$(next_is_told)" = "$1" ]
	[ "$1" = 'none unset' ] || [ "$(outcomes | head -n 1)" = "$1" ]
	[ "$(told)" = "$1" ]
}
