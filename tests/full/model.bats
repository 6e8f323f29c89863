#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The models in tests/model, searched by spin: the promises hold in all states there are, and without
# any one of the rules one of them does not.
bats_require_minimum_version 1.5.0

setup() {
	command -v spin >/dev/null || skip "spin is not installed"
	models=$(realpath "$BATS_TEST_DIRNAME/../model")
	cd "$BATS_TEST_TMPDIR"
}

# search MODEL [DEFINITION...]: all states of a model; what spin's program says is in the file said.
search() {
	local model=$models/$1.pml compile=(-O0 -w -DMEMLIM=4000) search=(-E -m10000 -w18)
	shift
	case " $* " in
	*' -DLIVENESS '*)
		compile+=(-DNFAIR=3)
		search+=(-a -f)
		;;
	*) compile+=(-DSAFETY -DNOFAIR) ;;
	esac
	spin "$@" -a "$model"
	cc "${compile[@]}" -o pan pan.c
	timeout 300 ./pan "${search[@]}" >said || true
	cat said
}

# What was left out of a search would prove nothing.
holds() {
	search "$@"
	grep -q ', errors: 0$' said
	grep -q '^Full statespace search' said
	run ! grep -E 'too small|out of memory|truncated|not completed' said
}

# breaks WHAT MODEL [DEFINITION...]: that promise, and not another.
breaks() {
	local what=$1
	shift
	search "$@"
	grep -F "pan:1: $what" said
}

exclusion='assertion violated (running_exclusive==0)'
order='assertion violated ((before['
late_order='assertion violated ((owed&awake)==0)'
passing='assertion violated ( !((awake&(1<<first)))'
liveness='acceptance cycle'

# ---- the queue ----

@test "queue: one leads, in the order of arrival, with kills, deadlines, and a clock that is behind" {
	holds queue -DN=3 -DCRASHES=1 -DLEAVES=1 -DSKEWED
}

@test "queue: one writer or some readers lead, however slow anybody is" {
	holds queue -DN=3 -DPROMPT -DANYTIME -DSHARED -DCRASHES=1 -DPASSES=1
}

@test "queue: only who was frozen is passed, and the others keep their order" {
	holds queue -DN=3 -DFREEZES=1
}

@test "queue: the same with readers" {
	holds queue -DN=3 -DPROMPT -DFREEZES=1 -DSHARED
}

@test "queue: in the end all have led, with a kill, and with one who stays frozen" {
	holds queue -DN=2 -DLIVENESS -DFREEZES=1
	holds queue -DN=3 -DLIVENESS -DPROMPT -DCRASHES=1
}

@test "queue: who is next, but does not take the lock, is not alone" {
	breaks "$exclusion" queue -DN=3 -DANYTIME -DLOCK_NOT_TAKEN
}

@test "queue: the command of a killed leader has to inherit the lock" {
	breaks "$exclusion" queue -DN=2 -DANYTIME -DCRASHES=1 -DLOCK_NOT_INHERITED
}

@test "queue: a number by the clock alone is not behind those that are there" {
	breaks "$order" queue -DN=3 -DSKEWED -DNUMBER_BY_CLOCK
}

@test "queue: a ticket that is linked before it is locked is taken for a dead one" {
	breaks "$order" queue -DN=3 -DPASSES=1 -DLINK_BEFORE_LOCK
}

@test "queue: after a wait for the lock one has to look again who is ahead" {
	breaks "$late_order" queue -DN=3 -DCRASHES=1 -DNOT_LOOKED_AGAIN
}

@test "queue: one look does not tell who is frozen" {
	breaks "$passing" queue -DN=3 -DPASSES=1 -DPASS_AT_ONCE
}

@test "queue: the first that waits is that of all, not that of those in our way" {
	breaks "$passing" queue -DN=3 -DPROMPT -DSHARED -DFREEZES=1 -DPASS_BY_OWN_MODE
}

@test "queue: nobody is passed until all know of the last pass" {
	breaks "$passing" queue -DN=3 -DPROMPT -DFREEZES=1 -DPASSES=2 -DPASS_UNMARKED
}

@test "queue: a holder that has let go of the lock still keeps others waiting" {
	breaks "$passing" queue -DN=3 -DPROMPT -DFREEZES=1 -DHOLDERS_IGNORED
}

@test "queue: beside readers the lock is not free for the writer that waits" {
	breaks "$passing" queue -DN=3 -DPROMPT -DSHARED -DCRASHES=1 -DPASSES=1 -DLOOK_BESIDE_READERS
}

@test "queue: a ticket that loses its name before its lock looks like one that was passed" {
	breaks "$passing" queue -DN=3 -DPROMPT -DFREEZES=1 -DNAME_GONE_FIRST
}

@test "queue: one who stays frozen has to be passed" {
	breaks "$liveness" queue -DN=2 -DLIVENESS -DFREEZES=1 -DNEVER_PASSED
}

@test "queue: who waits has to notice that the one ahead was passed" {
	breaks "$liveness" queue -DN=3 -DLIVENESS -DPROMPT -DFREEZES=1 -DPASS_UNNOTICED
}

@test "queue: the dead are not to be waited for" {
	breaks "$liveness" queue -DN=2 -DLIVENESS -DCRASHES=1 -DDEATH_IGNORED
}

@test "queue: whose turn it is not has to give the lock back" {
	breaks "$liveness" queue -DN=3 -DLIVENESS -DTURN_KEPT
}

# ---- the generation ----

back='assertion violated (next>given)'

@test "number: no generation comes twice or goes back, through kills and power cuts" {
	holds number
}

@test "number: nor where a slot goes bad" {
	holds number -DKILLS=1 -DDAMAGES=1
}

@test "number: a ceiling has to be announced before it is used" {
	breaks "$back" number -DRAISED_AT_ONCE
}

@test "number: a ceiling has to be synced before it is used" {
	breaks "$back" number -DSECOND_NOT_SYNCED
}

@test "number: what was announced counts, though it was not used yet" {
	breaks "$back" number -DRAISING_IGNORED
}

@test "number: a low ceiling in the older slot calls for a raise as well" {
	breaks "$back" number -DOLDER_NOT_ASKED
}

@test "number: the first write of a raise has to know all that its plan knew" {
	breaks "$back" number -DLAST_KEPT
}

@test "number: what another boot wrote tells no last number" {
	breaks "$back" number -DBOOT_IGNORED
}

@test "number: where a slot is bad the next is above the ceiling" {
	breaks "$back" number -DCEILING_IGNORED
}
