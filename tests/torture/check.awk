# SPDX-License-Identifier: ISC
# Judge the log of torture.c: prints each fault and one line of figures; status 1 for any fault.
#
#	overlap		two commands at once, where one of them was exclusive
#	generation	of an exclusive term not above that of the one before
#	lie		a status that says "nothing ran" after a begin, or the other way round
#	joined		the status of a run that was over before the joiner came
#	order		of two plain waiters the later one led first, neither struck nor in a hurry
#	stuck, left	who did not end, tickets that nobody cleared away
# With removal=1 commands of the old and the new lock may be there at once, and generations begin
# anew; how long they may is a test of its own.
function fault(kind, text) {
	faults++
	count[kind]++
	if (count[kind] <= 10)
		print kind ": " text
}

function says_nothing_ran(status) {
	return status == 64 || status == 69 || status == 75 || status == 76 || status == 77 ||
	    status == 125 || status == 126 || status == 127
}

$2 == "start" { kind[$3] = $4; started_at[$3] = $1; starts++ }
$2 == "struck" { struck[$3] = 1; blows[$4]++; all_blows++ }
$2 == "removed" { removals++ }
$2 == "stuck" { fault("stuck", $3 " did not end") }
$2 == "left" && $3 > 0 { fault("left", $3 " tickets") }
$2 == "overlap" && !removal { fault("overlap", "command of " $3) }

$2 == "ticket" && kind[$3] == "plain" {
	number[$3] = $4
	seen_at[$3] = $1
	waiting[$3] = 1
}

$2 == "begin" {
	begun[$3]++
	terms++
	if ($4 == "exclusive") {
		if (!removal && last_generation != "" && $5 + 0 <= last_generation + 0)
			fault("generation", $5 " of " $3 " after " last_generation)
		last_generation = $5
	}
	# Who was there before it and still waits was overtaken, unless it was struck: see the end.
	if (kind[$3] == "plain" && $3 in number) {
		delete waiting[$3]
		for (other in waiting)
			if (number[other] < number[$3] && seen_at[other] < $1)
				overtaken[other] = overtaken[other] " " $3
	}
}

# A command's end is not yet its run's: the leader that has to record it may be frozen. It has, when
# it is gone or when another one leads alone.
$2 == "end" { ends[$4] = ends[$4] " " NR; recording[NR] = $3; finished++ }
$2 == "exit" || $2 == "begin" && $4 == "exclusive" {
	for (run in recording)
		if ($2 == "begin" || recording[run] == $3) {
			over_at[run] = $1
			delete recording[run]
		}
}

function was_there(joiner, status,    run, n, i) {
	n = split(ends[status], run, " ")
	for (i = n; i > 0; i--)
		# What is recorded is read a moment later.
		if (!(run[i] in over_at) || over_at[run[i]] >= started_at[joiner] - 1e9)
			return 1
	return 0
}

$2 == "exit" {
	exits++
	delete waiting[$3]
	if ($3 in overtaken && !($3 in struck) && !removal)
		fault("order", $3 " was overtaken by" overtaken[$3])
	delete overtaken[$3]
	if ($4 < 0)
		next
	if (says_nothing_ran($4) && begun[$3] > 0)
		fault("lie", $3 " (" kind[$3] ") ran, and ended with " $4)
	if ($4 > 0 && $4 <= 60 && begun[$3] == 0) {
		if (kind[$3] != "joining") {
			fault("lie", $3 " (" kind[$3] ") did not run, and ended with " $4)
		} else {
			joined++
			if (!was_there($3, $4))
				fault("joined", $3 " ended with " $4 ", which no run of its time did")
		}
	}
	# 124 may come so soon that the command wrote nothing; none of them ends with 0.
	if ($4 == 0)
		fault("lie", $3 " (" kind[$3] ") ended with 0")
}

END {
	printf "torture: %d started, %d ended, %d terms, %d to their end, %d joined; %d blows " \
	    "(%d KILL, %d STOP, %d TERM to lockruns), %d removals; faults: %d overlaps, " \
	    "%d generations, %d lies, %d joined, %d order, %d stuck, %d left\n", starts, exits, terms, \
	    finished, joined, all_blows, blows[9], blows[19], blows[15], removals, count["overlap"], \
	    count["generation"], count["lie"], count["joined"], count["order"], count["stuck"], \
	    count["left"]
	exit faults > 0
}
