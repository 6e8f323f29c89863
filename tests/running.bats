#!/usr/bin/env bats
# The command sees what lockrun was started with: signals, descriptors, limits, directory; and
# lockrun stands in nobody's way while it runs.
load helper

# of_self FIELD COMMAND...: what the command, run by lockrun, finds in that line of its own status.
of_self() {
	local field=$1
	shift
	"$@" "$LOCKRUN" "$LOCK" grep "^$field:" /proc/self/status | cut -f2
}

# without_lockrun FIELD COMMAND...: the same, run directly.
without_lockrun() {
	local field=$1
	shift
	"$@" grep "^$field:" /proc/self/status | cut -f2
}

@test "no signal is blocked for the command" {
	[ "$(of_self SigBlk env)" = 0000000000000000 ]
}

@test "signals that were blocked stay blocked for the command" {
	local signal
	for signal in TERM ALRM CHLD INT URG RTMIN; do
		[ "$(of_self SigBlk env --block-signal=$signal)" = \
		    "$(without_lockrun SigBlk env --block-signal=$signal)" ]
	done
	[ "$(of_self SigBlk env --block-signal)" = "$(without_lockrun SigBlk env --block-signal)" ]
}

@test "dispositions are those that lockrun was started with" {
	local signal
	# Not all zeros: make(1) leaves two signals ignored that the C library keeps for itself.
	[ "$(of_self SigIgn env --default-signal)" = "$(without_lockrun SigIgn env --default-signal)" ]
	for signal in PIPE XFSZ CHLD INT QUIT HUP TERM URG TSTP USR1 RTMIN; do
		[ "$(of_self SigIgn env --default-signal --ignore-signal=$signal)" = \
		    "$(without_lockrun SigIgn env --default-signal --ignore-signal=$signal)" ]
	done
	[ "$(of_self SigCgt env)" = "$(without_lockrun SigCgt env)" ]
}

@test "after a wait they are, too" {
	hold
	start sh -c 'env --default-signal --block-signal=ALRM "$1" "$2" cat /proc/self/status >waited' \
	    sh "$LOCKRUN" "$LOCK"
	local waiter=$STARTED
	await is_pending 1
	release
	wait "$waiter"
	grep -qx 'SigBlk:.0000000000002000' waited
	# But for one that the C library takes for itself when there was a thread.
	local ignored
	ignored=$(without_lockrun SigIgn env --default-signal)
	[ "$(sed -n 's/^SigIgn:.*\(........\)$/\1/p' waited)" = "${ignored: -8}" ]
}

@test "a broken pipe ends what writes to it, quietly" {
	run -0 --separate-stderr "$LOCKRUN" "$LOCK" bash -c 'yes | head -1'
	[ "$output" = y ]
	[ -z "$stderr" ]
	run -0 bash -c '"$0" "$1" yes | head -1; echo ${PIPESTATUS[0]}' "$LOCKRUN" "$LOCK"
	[ "$output" = $'y\n141' ]
}

@test "a caller that ignores SIGCHLD gets the status all the same" {
	run -7 timeout -k 1 "$PATIENCE" sh -c 'trap "" CHLD; exec "$0" "$1" sh -c "exit 7"' "$LOCKRUN" "$LOCK"
	run -7 timeout -k 1 "$PATIENCE" env --ignore-signal=CHLD --block-signal=CHLD "$LOCKRUN" "$LOCK" sh -c 'exit 7'
}

@test "a wait ends in time though the caller had signals blocked" {
	hold
	run -75 env --block-signal=ALRM "$LOCKRUN" -w 100ms "$LOCK" true
	run -75 env --block-signal "$LOCKRUN" -w 100ms "$LOCK" true
	run -75 env --ignore-signal --block-signal "$LOCKRUN" -w 100ms "$LOCK" true
	release
}

@test "a limit fires though the caller had signals blocked" {
	run -124 env --block-signal=ALRM --block-signal=CHLD "$LOCKRUN" -m 100ms "$LOCK" sleep 60
	run -124 env --block-signal "$LOCKRUN" -m 100ms -k 100ms "$LOCK" sleep 60
}

@test "the file mode mask is the caller's" {
	local mask
	for mask in 0000 0022 0077 0137; do
		[ "$(umask $mask; "$LOCKRUN" "$LOCK" sh -c umask)" = $mask ]
	done
}

@test "limits and the directory are the caller's" {
	mkdir here
	cd here
	run -0 "$LOCKRUN" "$LOCK" pwd -P
	[ "$output" = "$(pwd -P)" ]
	cd ..
	run -0 bash -c 'ulimit -n 64 -c 0 -t 1000; "$0" "$1" bash -c "ulimit -n -c -t"' "$LOCKRUN" "$LOCK"
	[ "$output" = "$(bash -c 'ulimit -n 64 -c 0 -t 1000; bash -c "ulimit -n -c -t"')" ]
}

@test "a directory that is gone is no hindrance" {
	mkdir gone
	run -0 sh -c 'cd gone && rmdir ../gone && exec "$0" "$1" echo ok' "$LOCKRUN" "$LOCK"
	[ "$output" = ok ]
}

@test "process group, session and parentage: the command is lockrun's child in the same group" {
	cat >show <<-'SHOW'
		#!/bin/sh
		read -r _ _ _ _ group session _ </proc/$$/stat
		echo "$group $session"
	SHOW
	chmod +x show
	[ "$(sh -c './show; :')" = "$("$LOCKRUN" "$LOCK" ./show)" ]
}

@test "standard descriptors that were closed stay closed for the command" {
	cat >show <<-'SHOW'
		#!/bin/sh
		for fd in 0 1 2; do
			[ -e /proc/$$/fd/$fd ] && echo "$fd open" >>seen || echo "$fd closed" >>seen
		done
	SHOW
	chmod +x show
	"$LOCKRUN" "$LOCK" ./show <&-
	[ "$(tr '\n' ' ' <seen)" = '0 closed 1 open 2 open ' ]
	rm seen
	"$LOCKRUN" "$LOCK" ./show >&- 2>&-
	[ "$(tr '\n' ' ' <seen)" = '0 open 1 closed 2 closed ' ]
	rm seen
	"$LOCKRUN" "$LOCK" ./show <&- >&- 2>&-
	[ "$(tr '\n' ' ' <seen)" = '0 closed 1 closed 2 closed ' ]
}

@test "with closed standard descriptors the state files stay whole" {
	run -75 sh -c '"$0" "$1" sh -c "exit 75" <&- >&- 2>&-' "$LOCKRUN" "$LOCK"
	run -0 "$LOCKRUN" "$LOCK" printenv LOCKRUN_GENERATION
	[ "$output" = 2 ]
	[ ! -s "$LOCKRUN_DIR/$LOCK/lock" ]
}

@test "descriptors are passed on, and of ours only the lock, at a high number" {
	echo payload >file
	run -0 "$LOCKRUN" "$LOCK" cat /proc/self/fd/9 9<file
	[ "$output" = payload ]
	"$LOCKRUN" "$LOCK" sh -c 'ls /proc/$$/fd' 3>&- 9<file | sort -n >with
	sh -c 'ls /proc/$$/fd' 3>&- 9<file | sort -n >without
	[ "$(comm -3 <(sort with) <(sort without) | tr -d '\t')" = 940 ]
	run -0 "$LOCKRUN" "$LOCK" sh -c 'readlink /proc/$$/fd/940'
	[ "$output" = "$LOCKRUN_DIR/$LOCK/lock" ]
}

@test "where few descriptors are allowed the lock is passed on at a lower number" {
	run -0 sh -c 'ulimit -n 32; exec "$0" "$1" sh -c "ls -l /proc/\$\$/fd"' "$LOCKRUN" "$LOCK" 3>&-
	[[ "$output" =~ \ 2[0-9]\ -\>\ [^$'\n']*/lock ]]
	run -0 sh -c 'ulimit -n 18; exec "$0" "$1" sh -c "ls -l /proc/\$\$/fd"' "$LOCKRUN" "$LOCK" 3>&-
	[[ "$output" == */lock* ]]
}

@test "the environment names the term" {
	"$LOCKRUN" shop:v3:leader:auth:user:123 env >seen
	grep -qx 'LOCKRUN_NAME=shop:v3:leader:auth:user:123' seen
	grep -qx 'LOCKRUN_APP=shop' seen
	grep -qx 'LOCKRUN_PROTOCOL=3' seen
	grep -qx 'LOCKRUN_KIND=leader' seen
	grep -qx 'LOCKRUN_RESOURCE=auth' seen
	grep -qx 'LOCKRUN_SCOPE=user:123' seen
	grep -qx 'LOCKRUN_MODE=exclusive' seen
	grep -qx 'LOCKRUN_GENERATION=1' seen
	grep -qxE 'LOCKRUN_CONTENDER=[0-9a-f]{32}' seen
	grep -qx "LOCKRUN_DIR=$LOCKRUN_DIR" seen
	local contender
	contender=$(sed -n 's/^LOCKRUN_CONTENDER=//p' seen)
	grep -qx "LOCKRUN_IDEMPOTENCY_KEY=shop:v3:leader:auth:user:123:$contender:1" seen
}

@test "each term has the next generation and each process its own contender" {
	"$LOCKRUN" "$LOCK" printenv LOCKRUN_GENERATION LOCKRUN_CONTENDER >first
	"$LOCKRUN" "$LOCK" printenv LOCKRUN_GENERATION LOCKRUN_CONTENDER >second
	"$LOCKRUN" demo:v1:leader:other printenv LOCKRUN_GENERATION >other
	[ "$(head -1 first) $(head -1 second) $(cat other)" = '1 2 1' ]
	[ "$(tail -1 first)" != "$(tail -1 second)" ]
}

@test "a name without a scope has an empty one" {
	run -0 "$LOCKRUN" "$LOCK" sh -c 'echo "<${LOCKRUN_SCOPE-unset}>"'
	[ "$output" = '<>' ]
}

@test "all else in the environment passes unchanged, and no lie about the term gets in" {
	env -i PATH="$PATH" "LOCKRUN_TEST_MARK=$LOCKRUN_TEST_MARK" LOCKRUN_GENERATION=999 LOCKRUN_NAME=x \
	    LOCKRUN_CONTENDER=y LOCKRUN_SCOPE=z A= 'B=two words' C=$'new\nline' LOCKRUN_NOTE=n 'LOCKRUN_=1' \
	    "$LOCKRUN" -d "$LOCKRUN_DIR" "$LOCK" env -0 >seen
	grep -qzx 'A=' seen
	grep -qzx 'B=two words' seen
	grep -qz 'C=new' seen
	grep -qzx 'LOCKRUN_NOTE=n' seen
	grep -qzx 'LOCKRUN_=1' seen
	[ "$(grep -czE '^LOCKRUN_(GENERATION|NAME|CONTENDER|SCOPE)=' seen)" -eq 4 ]
	grep -qzx 'LOCKRUN_GENERATION=1' seen
	grep -qzx 'LOCKRUN_SCOPE=' seen
}

@test "standard input, output and error are the command's, in pipelines as well" {
	run -0 sh -c '"$0" "$1" echo test | cat' "$LOCKRUN" "$LOCK"
	[ "$output" = test ]
	run -0 sh -c 'echo in | "$0" "$1" cat | cat' "$LOCKRUN" "$LOCK"
	[ "$output" = in ]
	run -0 --separate-stderr "$LOCKRUN" "$LOCK" sh -c 'echo out; echo err >&2'
	[ "$output" = out ]
	[ "$stderr" = err ]
	run -0 "$LOCKRUN" "$LOCK" printf 123
	[ "$output" = 123 ]
}

@test "a reader sees the end of the output as soon as the command closes it" {
	mkfifo output go
	start sh -c 'exec "$0" "$1" sh -c "exec >&-; read -r _ <go" >output' "$LOCKRUN" "$LOCK"
	local runner=$STARTED
	# Returns at the end of the file: the command still waits to be told to go on.
	timeout -k 1 "$PATIENCE" cat output
	is_holding 1
	echo >go
	wait "$runner"
}

@test "a writer sees a broken pipe as soon as the command closes its input" {
	mkfifo input go closed
	start sh -c 'exec "$0" "$1" sh -c "exec <&-; echo >closed; read -r _ <go" <input' "$LOCKRUN" "$LOCK"
	local runner=$STARTED
	start sh -c 'exec >input; read -r _ <closed; trap "" PIPE; echo x 2>/dev/null; echo $? >wrote'
	local writer=$STARTED
	wait "$writer"
	[ "$(cat wrote)" -ne 0 ]
	is_holding 1
	echo >go
	wait "$runner"
}

@test "input that the command does not read stays for the next one" {
	run -0 sh -c 'printf "one\ntwo\n" | { "$0" "$1" true; cat; }' "$LOCKRUN" "$LOCK"
	[ "$output" = $'one\ntwo' ]
}

@test "the lock is free at the very moment lockrun returns" {
	local i
	for i in {1..50}; do
		"$LOCKRUN" "$LOCK" true
		"$LOCKRUN" -n "$LOCK" true
	done
}

@test "a command whose first line names no interpreter is run by the shell, as execvp does" {
	printf 'echo by shell\n' >script
	chmod +x script
	run -0 "$LOCKRUN" "$LOCK" ./script
	[ "$output" = 'by shell' ]
}
