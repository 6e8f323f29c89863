#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# `make lint` can fail: each rule is broken in a copy of the tree, and lint has to name the file
# and the rule.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	cp -r src tests .ci "$BATS_TEST_TMPDIR"
	if [ -e README.md ]; then cp README.md "$BATS_TEST_TMPDIR"; fi
	cd "$BATS_TEST_TMPDIR"
}

# finds FINDING: lint fails, and says only what was planted.
finds() {
	run -1 sh tests/lint/lint.sh
	[ "${lines[0]}" = "${lines[0]#"$1"}" ] && return 1
	[ "${#lines[@]}" -eq "${2:-1}" ]
}

# plant FILE LINE...: a file of those lines, with the licence on top.
plant() {
	local file=$1
	shift
	printf '%s\n' '/* SPDX-License-Identifier: ISC */' "$@" >"$file"
}

readme() {
	echo '<!-- floors -->'
	sh tests/lint/lint.sh picture
	echo '<!-- /floors -->'
}

@test "the tree as it is has no finding" {
	sh tests/lint/lint.sh
}

@test "an include from a floor above" {
	plant src/values/planted.c '#include "kernel/lock.h"'
	finds 'src/values/planted.c:2: floor: values includes "kernel/lock.h"'
	plant src/values/planted.c '#include <election/queue.h>'
	finds 'src/values/planted.c:2: floor: values includes "election/queue.h"'
	rm src/values/planted.c
	plant src/election/planted.h '#include "commands/say.h"'
	finds 'src/election/planted.h:2: floor: election includes'
}

@test "an include that goes around the floors" {
	plant src/values/planted.c '#include "../kernel/lock.h"'
	finds 'src/values/planted.c:2: floor: "../kernel/lock.h"'
	plant src/values/planted.c '#include "lock.h"'
	finds 'src/values/planted.c:2: floor: "lock.h"'
}

@test "a file that stands on no floor" {
	mkdir src/elsewhere
	plant src/elsewhere/planted.c ''
	finds 'src/elsewhere/planted.c:1: floor: stands on no floor'
}

@test "each word of each family, outside of its home" {
	local family words word wanted=0
	{
		while read -r _ family _ words; do
			for word in $words; do
				word=${word//\*/x}
				case $word in
				*\() word="$word);" ;;
				*,) word="$word 0);" ;;
				*) word="x = $word;" ;;
				esac
				echo "	$word /* $family */"
				wanted=$((wanted + 1))
			done
		done < <(grep '^family ' tests/lint/floors | sed 's/\*/x/g')
	} >lines
	[ "$wanted" -gt 100 ]
	for ((at = 1; at <= wanted; at++)); do
		# A function each, so that none of them is too long.
		printf 'void\nplanted_%s(void)\n{\n%s\n}\n\n' "$at" "$(sed -n "${at}p" lines)"
	done >body
	# Several files, so that none of those is.
	split -l 300 -d body planted.
	for file in planted.*; do
		plant "src/election/${file/./_}.c" "$(cat "$file")"
	done
	run -1 sh tests/lint/lint.sh
	[ "$(cut -d: -f1,2 <<<"$output" | sort -u | wc -l)" -eq "$wanted" ]
	[ "$(grep -vc ': home: ' <<<"$output")" -eq 0 ]
	while read -r _ family _; do
		grep -q "belongs to $family, whose home is" <<<"$output"
	done < <(grep '^family ' tests/lint/floors)
}

@test "what only looks like a call is none" {
	plant src/election/planted.c \
	    '/* fork() and flock(2) */' \
	    '/* exit(1)' \
	    ' * open() */' \
	    'static const char text[] = "fork() \"kill(\" // exit(1)";' \
	    'struct stat status;' \
	    'int fork_count = my_fork(); // exit(1);' \
	    'int other = process->open(1) + process.kill(2);' \
	    'char quote = '"'\"'"', more = *exit_name(0);'
	sh tests/lint/lint.sh
}

@test "an exception is for one word in one file" {
	plant src/kernel/planted.c 'static int fd = open("/dev/null", 0);'
	finds 'src/kernel/planted.c:2: home: open( belongs to paths'
	rm src/kernel/planted.c
	echo 'int (*const removal)(void) = unlink("x");' >>src/kernel/clock.c
	finds 'src/kernel/clock.c:'
	[[ "$output" == *": home: unlink( belongs to paths"* ]]
}

@test "an exception that nothing needs, or for a word that no family has" {
	echo 'except paths src/values/json.c open( for no reason' >>tests/lint/floors
	finds 'tests/lint/floors:'
	[[ "$output" == *": table: the exception of src/values/json.c for open( is not needed" ]]
	sed -i '$d' tests/lint/floors
	echo 'except paths src/values/json.c closed( for no reason' >>tests/lint/floors
	finds 'tests/lint/floors:' 2
	[[ "$output" == *": table: no family paths with a word closed("* ]]
	sed -i '$d' tests/lint/floors
	echo 'flor cellar src/cellar - nothing' >>tests/lint/floors
	finds 'tests/lint/floors:'
	[[ "$output" == *": table: cannot be read"* ]]
}

@test "a function that is too long" {
	{
		printf 'static int\nlong_one(void)\n{\n'
		for i in $(seq 56); do echo "	x += $i;"; done
	} >body
	plant src/values/planted.c '' "$(cat body)" '}'
	finds 'src/values/planted.c:3: function: 60 lines'
	plant src/values/planted.c '' "$(sed '$d' body)" '}'
	sh tests/lint/lint.sh
}

@test "a file that is too long" {
	plant src/values/planted.c "$(seq -f 'int x%g;' 349)"
	finds 'src/values/planted.c:350: file: 350 lines'
	plant src/values/planted.c "$(seq -f 'int x%g;' 348)"
	sh tests/lint/lint.sh
}

@test "a file without its licence" {
	echo 'int x;' >src/values/planted.c
	finds 'src/values/planted.c:1: licence: '
	rm src/values/planted.c
	echo 'echo' >tests/planted.sh
	finds 'tests/planted.sh:1: licence: '
}

@test "a file that is named after nothing" {
	plant src/values/util.c ''
	finds 'src/values/util.c:1: name: '
}

@test "a README whose picture is not that of the table, or has none" {
	readme >README.md
	sh tests/lint/lint.sh
	sed -i 's/^kernel  /colonel /' README.md
	finds 'README.md:1: picture: not what tests/lint/floors says' 5
	[[ "$output" == *"< colonel"*"> kernel"* ]]
	echo 'No picture.' >README.md
	finds 'README.md:1: picture: the lines <!-- floors -->'
}

@test "each mutant changes what stands in its file once, and names tests that there are" {
	run -0 bash tests/mutation/mutate.sh check
	[ "${output% mutants}" -ge 30 ]
	sed -i 's/next = last + 1/next = last + 2/' src/values/number.c
	run -1 bash tests/mutation/mutate.sh check
	[ "${lines[0]}" = "STALE     number-again: what it changes does not stand once in src/values/number.c" ]
	sed -i 's/next = last + 2/next = last + 1/' src/values/number.c
	sed -i 's/^test unit number_test/test unit no_test/' tests/mutation/generation.mutants
	run -1 bash tests/mutation/mutate.sh check
	[[ "${lines[0]}" == *": no such test: unit no_test" ]]
}

@test "a wait for what is looked at only once" {
	local await=await
	# shellcheck disable=SC2016
	printf '	%s %s\n' $await 'eval "[ -n \"\$(cat x)\" ]"' $await 'test -n "$(cat x)"' >tests/planted.bats
	finds 'tests/planted.bats:2: wait: '
	rm tests/planted.bats
	printf '	%s\n' "PATIENCE=4 $await test -n \`cat x\`" >tests/full/planted.bash
	sed -i '1i # SPDX-License-Identifier: ISC' tests/full/planted.bash
	finds 'tests/full/planted.bash:2: wait: '
}

@test "a FIFO that is made after what opens it was started" {
	printf '	%s\n' 'mkfifo go' 'start sh -c "read -r _ <go"' 'lead cat go' 'mkfifo go' >tests/planted.bats
	finds 'tests/planted.bats:4: fifo: '
}
