#!/usr/bin/env bats
# --on-unavailable where the kernel or the file system has no locks to give. Needs strace.
load ../helper

setup() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	common_setup
}

@test "the kernel has no locks: fail, skip, run" {
	"$LOCKRUN" "$LOCK" true
	no_locks() { strace -qq -o trace -e inject=flock:error=ENOLCK "$LOCKRUN" --on-unavailable "$@"; }
	run -69 no_locks fail "$LOCK" echo ran
	[[ "$output" == *'No locks available'* ]]
	run -75 no_locks skip "$LOCK" echo ran
	[[ "$output" == *'No locks available'* ]]
	run -0 --separate-stderr no_locks run "$LOCK" sh -c 'echo ran ${LOCKRUN_GENERATION-none} $LOCKRUN_DEGRADED'
	[ "$output" = 'ran none 1' ]
	[[ "$stderr" == *'No locks available'*'running without the lock'* ]]
}

# The default directory, on what calls itself NFS (its magic number is 0x6969).
network() {
	mount -t tmpfs none /var/lib
	on_nfs() {
		env -u LOCKRUN_DIR strace -qq -o trace -e trace=fstatfs \
			-e inject=fstatfs:retval=0:poke_exit=@arg2=6969000000000000 "$LOCKRUN" "$@" "$LOCK" echo ran 2>message
	}
	status=0
	on_nfs || status=$?
	[ "$status" -eq 69 ]
	grep -q 'network file system' message
	status=0
	on_nfs --on-unavailable skip || status=$?
	[ "$status" -eq 75 ]
	[ "$(on_nfs --on-unavailable run)" = ran ]
	grep -q 'network file system.*running without the lock' message
	# Whoever names it has decided.
	[ "$(on_nfs -d /var/lib/lockrun)" = ran ]
}

@test "a network file system that nobody has named: fail, skip, run" {
	needs_root
	private_mounts network
}
