#!/bin/bash
# SPDX-License-Identifier: ISC
# Break promises of the program on purpose, one at a time, and see that a test notices.
#
#	mutate.sh [REGEX]  those mutants whose names match, all without one; 1 when one survives
#	mutate.sh check    only whether the list is of this source and of these tests
#
# The list is *.mutants beside this script. A mutant is a block: its name, the promise that it
# breaks, the file, the tests that have to notice (any of them; "unit TEST" or "FILE.bats REGEX"),
# and the change as in a diff ("-" goes, "+" comes, " " stays), whose old text has to stand in the
# file once. All is done in a copy, with what is built already, so that only what changes is built.
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd -P)
tree=${here%/tests/mutation}
declare -A promise file tests old new
names=()
caught=0 survived=0 stale=0

stale() {
	stale=$((stale + 1))
	echo "STALE     $1: $2"
}

read_mutants() {
	local line name=none
	while IFS= read -r line; do
		case $line in
		'#'* | '') ;;
		'mutant '*)
			name=${line#* }
			[ -z "${file[$name]+given}" ] || stale "$name" 'there are two of that name'
			names+=("$name")
			promise[$name]='' file[$name]='' tests[$name]='' old[$name]='' new[$name]=''
			;;
		'promise '*) promise[$name]=${line#* } ;;
		'file '*) file[$name]=${line#* } ;;
		'test '*) tests[$name]+=${line#* }$'\n' ;;
		-*) old[$name]+=${line#-}$'\n' ;;
		+*) new[$name]+=${line#+}$'\n' ;;
		' '*) old[$name]+=${line# }$'\n' new[$name]+=${line# }$'\n' ;;
		*) stale "$name" "cannot be read: $line" ;;
		esac
	done < <(cat "$here"/*.mutants)
}

# Read once: the tests' titles by file, and the sources.
declare -A titles texts

# exists TEST: whether the tree has such a test.
exists() {
	local title at=${1%% *}
	case $1 in
	unit\ *)
		[ -e "$tree/tests/unit/${1#* }.c" ]
		return
		;;
	esac
	: "${titles[$at]:=$(sed -n 's/^@test "\(.*\)" {.*/\1/p' "$tree/tests/$at")}"
	while read -r title; do
		[[ ! $title =~ ${1#* } ]] || return 0
	done <<<"${titles[$at]}"
	return 1
}

# is_current NAME: whether it still is about this source and these tests.
is_current() {
	local text rest test
	if [ -z "${promise[$1]}" ] || [ -z "${tests[$1]}" ] || [ "${old[$1]}" = "${new[$1]}" ]; then
		stale "$1" 'promise, test or change is missing'
		return 1
	fi
	while read -r test; do
		exists "$test" && continue
		stale "$1" "no such test: $test"
		return 1
	done <<<"${tests[$1]%$'\n'}"
	: "${texts[${file[$1]}]:=$(cat "$tree/${file[$1]}" && echo .)}"
	text=${texts[${file[$1]}]}
	rest=${text/"${old[$1]}"/}
	if [ "$rest" = "$text" ] || [ "${rest/"${old[$1]}"/}" != "$rest" ]; then
		stale "$1" "what it changes does not stand once in ${file[$1]}"
		return 1
	fi
}

# ---- in the copy ----

make_copy() {
	copy=$(mktemp -d) || exit 2
	mkdir "$copy/build" "$copy/tmp" "$copy/sound"
	cp -a "$tree"/{Makefile,README.md,src,tests,man,completions} "$copy"
	cp -a "$build"/{lockrun,main.*,commands,election,kernel,values,unit} "$copy/build"
	cp -a "$build/probe" "$copy"
	cp -a "$build"/{lockrun,unit} "$copy/sound"
	unset MAKEFLAGS MFLAGS MAKELEVEL BATS_RUN_TMPDIR LOCKRUN
}

# passes BUILD TEST: it runs, and has nothing to say. What it started does not outlive it.
passes() {
	local status=0 pid log=$copy/log
	case $2 in
	unit\ *) timeout 60 "$1/unit/${2#* }" >"$log" 2>&1 || status=1 ;;
	*)
		LOCKRUN=$1/lockrun PROBES=$copy/probe TMPDIR=$copy/tmp timeout -s KILL 60 \
		    bats --tap -f "${2#* }" "tests/${2%% *}" >"$log" 2>&1 3>&- </dev/null || status=1
		for pid in $("$copy/probe/marked" "$copy/tmp"); do kill -KILL "$pid"; done
		grep -q '^ok' "$log" || status=1
		! grep -q '^ok .* # skip' "$log" || status=2
		;;
	esac
	return $status
}

# builds NAME: the program, and the unit tests among its tests.
builds() {
	local test wanted=(build/lockrun)
	while read -r test; do
		case $test in unit\ *) wanted+=("build/unit/${test#* }") ;; esac
	done <<<"${tests[$1]}"
	make -s "${wanted[@]}" >"$copy/log" 2>&1
}

# A test that fails without a change, or cannot run here, would prove nothing.
declare -A sound
is_sound() {
	[ -n "${sound[$1]+told}" ] || { passes "$copy/sound" "$1"; sound[$1]=$?; }
	return "${sound[$1]}"
}

judge() {
	local test text
	while read -r test; do
		is_sound "$test" && continue
		stale "$1" "fails or is skipped without the change: $test"
		return
	done <<<"${tests[$1]%$'\n'}"
	text=$(cat "${file[$1]}" && echo .)
	text=${text/"${old[$1]}"/"${new[$1]}"}
	printf %s "${text%.}" >"${file[$1]}"
	if ! builds "$1"; then
		stale "$1" 'does not compile'
		sed 's/^/          /' "$copy/log"
	else
		# A change may make a test wait for what never comes: not for as long as else.
		test=$(while read -r test; do
			PATIENCE=10 passes "$copy/build" "$test" || { echo "$test"; break; }
		done <<<"${tests[$1]%$'\n'}")
		if [ -n "$test" ]; then
			caught=$((caught + 1))
			echo "caught    $1: $test"
		else
			survived=$((survived + 1))
			echo "SURVIVED  $1: ${promise[$1]}"
		fi
	fi
	cp "$tree/${file[$1]}" "${file[$1]}"
}

finish() {
	[ "$stale" -eq 0 ] || echo "$stale of the list are stale"
	[ "$survived" -eq 0 ] && [ "$stale" -eq 0 ]
}

read_mutants
if [ "${1:-}" = check ]; then
	for name in "${names[@]}"; do is_current "$name"; done
	echo "${#names[@]} mutants"
	finish
	exit
fi
build=$(realpath "${BUILD:-$tree/build}")
make_copy
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
cd "$copy" || exit 2
for name in "${names[@]}"; do
	[[ $name =~ ${1:-} ]] || continue
	is_current "$name" && judge "$name"
done
echo "$((caught + survived + stale)) mutants, $caught caught, $survived survived"
finish
