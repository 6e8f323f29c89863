#!/usr/bin/env bats
# What measures, with a few rounds of each: it comes to its end, and others can read what it writes.
# The figures are worth nothing.
load ../helper

@test "the profile tells all stages of a run" {
	ROUNDS=2 BENCH=$(dirname "$PROBES")/bench run -0 sh "$TESTS/bench/profile.sh"
	[ "${#lines[@]}" -eq 8 ]
	[[ "${lines[7]}" == 'a run of nothing is '*' times that' ]]
	[ "$(grep -cE '^.{60} +[0-9]+ +[-+][0-9]+$' <<<"$output")" -eq 7 ]
}

@test "the benchmark measures all that has a bar, and writes table, JSON and picture" {
	ROUNDS=2 WAITERS=3 REST=1 CURVES=0 BENCH=$(dirname "$PROBES")/bench sh "$TESTS/bench/bench.sh" out >table 2>said ||
		{ cat said; false; }
	for word in flock setlock busy handover/flock handover/many enqueue rest/switches rest/memory calls syncs size libraries status; do
		grep -q "\"key\":\"\(run/\)*$word\"" out/bench.json || { echo "$word"; cat out/bench.json; false; }
	done
	python3 - <<-'READ'
		import json, xml.etree.ElementTree as tree
		measures = json.load(open("out/bench.json"))["measures"]
		assert all(row["lockrun"] is not None for row in measures), measures
		assert sum(1 for line in open("table")) == len(measures) + 2
		picture = "".join(tree.parse("out/bench.svg").getroot().itertext())
		assert "lockrun" in picture and "flock" in picture, picture
	READ
}
