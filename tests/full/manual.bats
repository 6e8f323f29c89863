#!/usr/bin/env bats
# The manual is well formed, for both formatters. Needs mandoc and groff.
load ../helper

MAN=$BATS_TEST_DIRNAME/../../man

@test "mandoc has nothing to remark" {
	# The complaint about its database is about this machine.
	remarks=$(mandoc -T lint -W warning "$MAN"/*.[1-8] 2>&1 | grep -v "outdated mandoc.db" || true)
	echo "$remarks" >&2
	[ -z "$remarks" ]
}

@test "no option swallows the words behind it" {
	run ! grep -nE '(^\.| )Fl [^ ]+ [a-z][a-z]+' "$MAN"/*.[1-8]
}

@test "groff has nothing to remark" {
	for page in "$MAN"/*.[1-8]; do
		run -0 --separate-stderr groff -mandoc -Tutf8 -ww "$page"
		[ -n "$output" ]
		[ -z "$stderr" ]
	done
}
