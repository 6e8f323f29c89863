# SPDX-License-Identifier: ISC
# Refuses a log of events that no run of lockrun may write: lines of the wrong form, and
# transitions that are not legal. Says what is wrong and ends with 1, else prints how many
# contenders it saw. With -v open=1 contenders may not have ended yet.
#
# A contender makes one attempt after the other, each but the last with a backoff at its end.

function wrong(what) {
	printf "line %d: %s: %s\n", NR, what, $0 >"/dev/stderr"
	failed = 1
}

# The value behind KEY, as it is written; strings without their quotes.
function value(key, at, rest) {
	at = index($0, "\"" key "\":")
	if (at == 0)
		return ""
	rest = substr($0, at + length(key) + 3)
	if (match(rest, /^"([^"\\]|\\.)*"/))
		return substr(rest, 2, RLENGTH - 2)
	match(rest, /^[^,}]*/)
	return substr(rest, 1, RLENGTH)
}

function check_form(type) {
	if ($0 !~ ("^\\{\"type\":\"" type "\"," common form[type] "\\}$"))
		wrong("not the form of " type)
}

# What must never change within one contender's log, and what must not go back.
function check_identity(who) {
	if (value("lock") != lock[who] || value("pid") != pid[who])
		wrong("another lock or pid")
	if (value("mono_ms") + 0 < mono[who])
		wrong("time goes back")
}

function check_generation(who, type, generation) {
	if (type == "joined")
		term[who] = generation
	if (type == "waiting" || type == "skipped" || type == "error" || \
	    (type == "backoff" && !(who in led))) {
		if (generation != "")
			wrong("a generation, though it does not lead")
	} else if (type == "leading") {
		if (generation != "" && generation + 0 <= newest[lock[who]])
			wrong("the generation does not grow")
		if (generation != "")
			newest[lock[who]] = generation + 0
		term[who] = generation
	} else if (generation != term[who]) {
		wrong("not the generation of this term")
	}
}

function check_reason(who, reason, status, signal) {
	if (who in joined) {
		if (reason !~ /^(finished|failed|max-hold|stop|signal|yield|ineligible|watchdog|lock-lost|replaced|parent-gone)$/)
			wrong("not a reason for the end of a run")
	} else if (!(who in led)) {
		if (reason !~ /^(late|busy|signal|stop|parent-gone|not-found|error|refused|too-many|ineligible)$/)
			wrong("not a reason for running nothing")
		if ((who in skipped) ? skipped[who] != reason : !(who in erred))
			wrong("nothing ran, and nothing told why")
	} else if (who in stepping) {
		if (reason != stepping[who])
			wrong("not the reason of the step-down")
	} else if (reason != ((status == 0 && signal == "null") ? "finished" : "failed")) {
		wrong("not the reason that the status calls for")
	}
}

# The end of an attempt.
function check_outcome(who) {
	if ((value("ran") == "yes") != ((who in led) || (who in joined)))
		wrong("what ran is not what was told")
	if (value("ran") == "maybe" && !(who in erred))
		wrong("nothing told why it is not known what ran")
	if ((who in joined) && value("held_ms") != 0)
		wrong("who joins does not hold")
	check_reason(who, value("reason"), value("status"), value("signal"))
	if (value("signal") != "null" && value("status") != 0)
		wrong("both a status and a signal")
	if (value("ran") == "no" && (value("killed") != "false" || value("held_ms") != 0))
		wrong("nothing ran, but it was held or killed")
	if (value("killed") == "true" && (who in stepping) && !(who in limited))
		wrong("killed, though no grace was told")
}

function what_it_came_to() {
	return value("ran") " " value("status") " " value("signal") " " value("killed")
}

# The end of all. Whoever rested, or waited once more, tells what its last term came to.
function check_stopped(who) {
	if ((who in led) || !(who in last) || (who in erred)) {
		check_outcome(who)
		return
	}
	if (what_it_came_to() != ((who in unstarted) ? "maybe 74 null false" : last[who]))
		wrong("not what the last term came to")
	if (value("reason") != skipped[who] || value("reason") !~ /^(signal|stop|parent-gone)$/)
		wrong("not a reason for no further term")
}

function begin_attempt(who) {
	delete led[who]
	delete skipped[who]
	delete erred[who]
	delete stepping[who]
	delete limited[who]
}

BEGIN {
	string = "\"([^\"\\\\]|\\\\.)*\""
	number = "[0-9]+"
	digits2 = "[0-9][0-9]"
	time = "\"20" digits2 "-" digits2 "-" digits2 "T" digits2 ":" digits2 ":" digits2 \
	    "\\.[0-9]" digits2 "Z\""
	common = "\"time\":" time ",\"mono_ms\":" number ",\"lock\":\"[a-zA-Z0-9._:-]+\"" \
	    ",\"contender\":\"[0-9a-f]+\",\"pid\":" number
	generation = "(,\"generation\":" number ")?"
	reason = ",\"reason\":\"[a-z-]+\""
	form["waiting"] = ",\"position\":[1-9][0-9]*" \
	    ",\"holder\":(null|\\{\"pid\":" number ",\"contender\":\"[0-9a-f]*\"\\})" \
	    ",\"host\":" string ",\"version\":" string ",\"note\":(null|" string ")"
	form["leading"] = generation ",\"command_pid\":" number ",\"degraded\":(true|false)"
	form["stepping-down"] = generation reason ",\"text\":(null|" string ")" \
	    ",\"grace_ms\":(null|" number ")"
	form["skipped"] = reason
	form["joined"] = generation ",\"leader\":\\{\"pid\":" number ",\"contender\":\"[0-9a-f]+\"\\}" \
	    ",\"command\":" string
	form["error"] = generation ",\"message\":" string
	form["stopped"] = generation ",\"ran\":\"(yes|no|maybe)\",\"status\":" number \
	    ",\"signal\":(null|" number ")" reason ",\"text\":(null|" string ")" \
	    ",\"killed\":(true|false),\"waited_ms\":" number ",\"held_ms\":" number
	form["backoff"] = form["stopped"] ",\"retry_at\":" time
}

{
	type = value("type")
	who = value("contender")
	if (!(type in form)) {
		wrong("no such event")
		next
	}
	check_form(type)
	if (type == "waiting") {
		if ((who in seen) && !(who in resting))
			wrong("waiting is not the first")
		delete resting[who]
		seen[who] = 1
		lock[who] = value("lock")
		pid[who] = value("pid")
	} else if (!(who in seen)) {
		wrong("waiting did not come first")
		next
	}
	check_identity(who)
	mono[who] = value("mono_ms") + 0
	if (who in stopped)
		wrong("stopped was not the last")
	check_generation(who, type, value("generation"))
}

type == "leading" {
	if (who in resting)
		wrong("leads without having waited")
	if ((who in led) || (who in skipped))
		wrong("cannot lead any more")
	if ((who in erred) != (value("degraded") == "true"))
		wrong("without the lock runs who has told why, and only who may")
	if (value("degraded") == "true" && value("generation") != "")
		wrong("a generation without the lock")
	led[who] = 1
}

type == "stepping-down" {
	if (!(who in led))
		wrong("steps down without leading")
	if ((who in stepping) && stepping[who] != "signal" && value("reason") != "lock-lost")
		wrong("steps down already")
	if ((who in stepping) && stepping[who] == value("reason"))
		wrong("steps down twice for one reason")
	stepping[who] = value("reason")
	if (value("grace_ms") != "null")
		limited[who] = 1
}

type == "skipped" {
	if ((who in led) || (who in skipped))
		wrong("cannot be skipped any more")
	if ((who in resting) && value("reason") !~ /^(signal|stop|parent-gone|ineligible)$/)
		wrong("cannot be skipped while it rests")
	skipped[who] = value("reason")
}

type == "joined" {
	if ((who in led) || (who in skipped) || (who in erred) || (who in joined))
		wrong("cannot join any more")
	joined[who] = 1
}

type == "error" {
	if (who in led)
		wrong("an error after the start")
	erred[who] = 1
}

type == "backoff" {
	# That it is not eligible is told once.
	if (!(who in resting))
		check_outcome(who)
	else if (value("reason") != "ineligible")
		wrong("rests already")
	# A term that could not start looks like another fault of lockrun's.
	if ((who in erred) && value("status") ~ /^12[567]$/)
		unstarted[who] = 1
	if (value("ran") != "no") {
		last[who] = what_it_came_to()
		delete unstarted[who]
	}
	begin_attempt(who)
	resting[who] = 1
}

type == "stopped" {
	check_stopped(who)
	stopped[who] = 1
}

END {
	for (who in seen) {
		count++
		if (!(who in stopped) && !open) {
			printf "%s never stopped\n", who >"/dev/stderr"
			failed = 1
		}
	}
	if (count == 0 && !failed) {
		print "no events at all" >"/dev/stderr"
		failed = 1
	}
	if (!failed)
		print count
	exit failed
}
