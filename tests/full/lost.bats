#!/usr/bin/env bats
# A lock that is lost, continued: the limit where no grace has an end.
load ../helper

# A command that ignores SIGTERM until it is killed; `deaf` is there once it does.
DEAF='trap "" TERM; echo $$ >deaf; while :; do sleep 0.1; done'

@test "SIGKILL follows also with -k never, and also for what was left behind" {
	start "$LOCKRUN" --events log -k never "$LOCK" sh -c "$DEAF"
	local first=$STARTED
	start "$LOCKRUN" -k never --leftovers wait demo:v1:leader:other sh -c \
	    'sh -c "trap \"\" TERM; echo \$\$ >left; while :; do sleep 0.1; done" >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.02; done; exit 7'
	local second=$STARTED
	await test -s deaf
	await test -s left
	command_is_over() { [ "$(children_of "$second")" = "$(cat left) " ]; }
	await command_is_over
	await rm -rf "${LOCKRUN_DIR:?}"
	ends 124 "$first"
	ends 7 "$second"
	is_gone "$(cat deaf)"
	is_gone "$(cat left)"
	grep -q '"grace_ms":10000' log
	grep -q '"killed":true' log
}

@test "an inotify that the kernel refuses is no hindrance" {
	command -v strace >/dev/null || skip 'no strace'
	start strace -f -qq -o /dev/null -e trace=inotify_init1 -e inject=inotify_init1:error=EMFILE \
	    "$LOCKRUN" --events log "$LOCK" sleep 60
	await is_holding 1
	await grep -qs '"leading"' log
	rm "$LOCKRUN_DIR/$LOCK/lock"
	ends 124 "$STARTED"
	grep -q '"type":"stopped".*"reason":"lock-lost"' log
}
