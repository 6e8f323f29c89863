#!/usr/bin/env bats
# Everything at once, and a judge that reads what came of it.
load ../helper

judge() { awk -f "$TESTS/torture/check.awk" "$@" log; }

# A log in which all is well; each test below spoils one line of it.
write_log() {
	cat >log <<-'LOG'
		100 start 1 plain
		110 ticket 1 1000
		120 start 2 plain
		130 ticket 2 1001
		135 start 3 joining
		140 begin 1 exclusive 5
		150 end 1 17
		160 exit 1 17
		170 begin 2 exclusive 6
		180 end 2 18
		185 exit 2 18
		190 exit 3 18
		200 start 4 try
		210 exit 4 75
		220 left 0 -
	LOG
}

@test "30 s with contenders of all kinds, struck at random: no fault" {
	run -0 env TORTURE="$(dirname "$PROBES")/torture" CONTENDERS=100 sh "$TESTS/torture/torture.sh" 30
	echo "$output"
}

@test "the judge finds nothing where all is well" {
	write_log
	run -0 judge
	[ "${#lines[@]}" -eq 1 ]
}

@test "the judge finds each kind of fault" {
	local kind spoil
	while IFS='|' read -r kind spoil; do
		write_log
		sed -i "$spoil" log
		run -1 judge
		[[ ${lines[0]} == "$kind: "* ]] || { echo "$kind: $output"; return 1; }
	done <<-'FAULTS'
		overlap|s/^180 .*/180 overlap 2 -/
		generation|s/^170 .*/170 begin 2 exclusive 5/
		lie|s/^185 .*/185 exit 2 75/
		lie|s/^210 .*/210 exit 4 18/
		lie|s/^210 .*/210 exit 4 0/
		joined|s/^190 .*/190 exit 3 19/
		joined|s/^135 .*/2000000135 start 3 joining/
		order|/^1[456]0/d; s/^200 .*/200 exit 1 17/
		stuck|s/^220 .*/220 stuck 1 -/
		left|s/^220 .*/220 left 2 -/
	FAULTS
}

@test "a run whose leader is frozen at its end can still be joined, and one that is over cannot" {
	cat >log <<-'LOG'
		100 start 1 plain
		110 begin 1 exclusive 5
		120 end 1 17
		5000000000 start 2 joining
		6000000000 exit 1 17
		6000000100 exit 2 17
		6000000200 left 0 -
	LOG
	judge
	sed -i 's/^6000000000/3000000000/' log
	run -1 judge
	[[ "$output" == *" 1 joined,"* ]]
}
