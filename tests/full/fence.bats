#!/usr/bin/env bats
# The writes and syncs of a fence, seen and cut short one by one. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
	HERE=$(realpath .)
}

# traced GENERATION OPTION...: as strace sees it, up to the command, which is let_in.
traced() {
	printf '#!/bin/sh\necho >>let_in\n' >./command
	chmod +x ./command
	LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=$1 strace -f -y -o trace \
	    -e trace=pwrite64,fsync,fdatasync,renameat2,linkat,flock,execve "${@:2}" "$LOCKRUN" fence F ./command
}
fence() { LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=$1 "$LOCKRUN" fence F "${@:2}"; }
killed_at() {
	run traced "$1" -e inject="$2:signal=KILL:when=$3"
	[ "$status" = 137 ]
}
saw() { grep -nE "$1" trace | sed -n "${2:-1}s/:.*//p"; }
show() { "$PROBES/number" F show; }
seen() { show | sort -k3n | tail -n 1 | cut -d' ' -f3; }
syncs() { grep -cE ' f(data)?sync\(' trace || true; }

@test "a new file: complete and synced, then named, then its name synced, then raised, then the command" {
	traced 7
	lines=$(
		saw "fsync\([0-9]+<$HERE/\.lockrun-[0-9a-f]{16}>\) += 0"
		saw 'renameat2\(.*\.lockrun-.*"F", RENAME_NOREPLACE\) += 0'
		saw "fsync\([0-9]+<$HERE>\) += 0"
		saw "pwrite64\([0-9]+<$HERE/F>, \"sequence=4 last=7"
		saw "fdatasync\([0-9]+<$HERE/F>\) += 0"
		saw 'execve\("\./command"'
	)
	[ "$(wc -l <<<"$lines")" = 6 ]
	[ "$(sort -n <<<"$lines")" = "$lines" ]
	# The second copy needs no sync, only the first.
	[ "$(syncs)" = 3 ]
}

@test "one sync for a newer generation, before the command; none for the same one or an older one" {
	traced 7
	traced 8
	[ "$(syncs)" = 1 ]
	[ "$(saw fdatasync)" -lt "$(saw 'execve\("\./command"')" ]
	[ "$(saw pwrite64)" -lt "$(saw fdatasync)" ]
	traced 8
	[ "$(syncs)" = 0 ]
	[ -z "$(saw pwrite64)" ]
	run -76 traced 7
	[ "$(syncs)" = 0 ]
}

@test "killed at each write, sync and lock: the old or the new, and what was not synced is synced anew" {
	scenes=0
	for call in pwrite64 fdatasync flock execve; do
		n=1
		[ "$call" != execve ] || n=2
		while rm -f F let_in && fence 7 true && killed_at 8 "$call" "$n"; do
			[[ "$(seen)" = [78] ]] || { echo "$call $n: $(seen)"; false; }
			[ ! -e let_in ] || [ "$(show | cut -d' ' -f3 | tr '\n' ' ')" = '8 8 ' ]
			kept=$(show | cut -d' ' -f3 | sort -u | tr '\n' ' ')
			# That sync did not happen.
			[ "$call" != fdatasync ] || [ "$kept" != '8 ' ]
			run -76 fence 6 true
			traced 8
			# Believed without a sync only if both copies said it.
			if [ "$kept" = '8 ' ]; then [ "$(syncs)" = 0 ]; else [ "$(syncs)" -ge 1 ]; fi
			[ "$(show | cut -d' ' -f3 | tr '\n' ' ')" = '8 8 ' ]
			scenes=$((scenes + 1))
			n=$((n + 1))
			[ "$call" != execve ] || break
		done
	done
	[ "$scenes" -ge 5 ]
}

@test "killed while the file is made: the next one makes it, or takes it as it is" {
	scenes=0
	for call in pwrite64 fsync renameat2 fdatasync; do
		n=1
		while rm -f F let_in .lockrun-* && killed_at 7 "$call" "$n"; do
			[ ! -e let_in ]
			if [ -e F ]; then
				[ "$(stat -c %s F)" = 768 ]
				[ -n "$(show)" ]
			fi
			[ "$(compgen -G '.lockrun-*' | wc -l)" -le 1 ]
			mv trace before
			traced 7
			[ "$(seen)" = 7 ]
			# By one of the two its name was synced, and the second was not let in before.
			cat before trace >both
			mv both trace
			[ "$(saw "fsync\([0-9]+<$HERE>\) += 0")" -lt "$(saw 'execve\("\./command"')" ] || { echo "$call $n"; cat trace; false; }
			scenes=$((scenes + 1))
			n=$((n + 1))
		done
	done
	[ "$scenes" -ge 5 ]
}

@test "a disk that fails to sync: 69, nothing runs, and what it may have lost is not believed" {
	fence 7 true
	run -69 traced 8 -e inject=fdatasync:error=EIO
	[[ "$output" == *"F: cannot be used: Input/output error"* ]]
	[ ! -e let_in ]
	traced 8
	[ "$(syncs)" -ge 1 ]
	[ -e let_in ]
	rm -f F let_in
	run -69 traced 7 -e inject=fsync:error=EIO
	[ ! -e let_in ]
	[ "$(ls -A)" = $'command\ntrace' ]
}

@test "a full disk at the making: 69, and nothing is left of it" {
	run -69 traced 7 -e inject=pwrite64:error=ENOSPC
	[[ "$output" == *"F: cannot be used: No space left on device"* ]]
	[ "$(ls -A)" = $'command\ntrace' ]
}

@test "where nothing can be renamed without replacing, a link does it" {
	traced 7 -e inject=renameat2:error=EINVAL
	[ -n "$(saw 'linkat\(.*"F", 0\) += 0')" ]
	[ "$(stat -c %h F)" = 1 ]
	[ "$(ls -A)" = $'F\ncommand\nlet_in\ntrace' ]
	[ "$(seen)" = 7 ]
}

@test "somebody else makes it at the same moment: theirs counts" {
	fence 9 true
	mv F theirs
	# It tries again and again, until theirs is there.
	start strace -o trace -e trace=renameat2 -e inject=renameat2:error=EEXIST:delay_enter=200000 \
	    env LOCKRUN_NAME="$LOCK" LOCKRUN_GENERATION=8 "$LOCKRUN" fence F touch ran
	await compgen -G '.lockrun-*'
	cp theirs F
	ends 76 "$STARTED"
	[ ! -e ran ]
	[ "$(ls -A)" = $'F\ntheirs\ntrace' ]
}

@test "a file system without locks: 69, and nothing runs" {
	run -69 traced 7 -e inject=flock:error=ENOLCK
	[[ "$output" == *"F: cannot be locked: No locks available"* ]]
	[ ! -e let_in ]
}
