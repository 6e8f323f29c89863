#!/usr/bin/env bats
# What README.md shows is run as it is printed: the lines at its top, the tables from an old line to a
# new one, in which both columns have to do the same, and the displays below them.
load helper
load manual

README=$TESTS/../README.md

# part TITLE: of the README, from that headline to the next one.
part() { awk -v title="$1" '/^#+ / { inside = substr($0, index($0, " ") + 1) == title } inside' "$README"; }

# rows TITLE: of the table there, each as "before<tab>now".
rows() {
	part "$1" | sed -n -e 's/\\|/\x1e/g' -e 's/^| `\(.*\)` | `\(.*\)` |$/\1\t\2/p' | tr '\036' '|'
}

# indented WORDS: the one display that holds them.
indented() {
	local found
	found=$(awk '
		function show() { if (text != "") print text; text = "" }
		/^    / { text = text (text == "" ? "" : "\037") substr($0, 5); next }
		{ show() }
		END { show() }' "$README" | grep -F -- "$1")
	[ -n "$found" ] && [ "$(wc -l <<<"$found")" -eq 1 ] || { echo "not once: $1" >&2; return 1; }
	tr '\037' '\n' <<<"$found"
}

# here LINE: with what is of this test in place of NAME, FILE and the program; of a line of a crontab
# what cron runs.
here() {
	local line=$1
	[[ $line != [*0-9]*' * * '* ]] || line=$(cut -d' ' -f6- <<<"$line")
	line=${line//NAME/$LOCK}
	echo "${line//\/usr\/local\/bin\/lockrun/lockrun}"
}

# does LINE: its status, a colon, and what was run.
does() {
	local status=0
	rm -f ran
	sh -c "$(here "$1")" >said 2>&1 || status=$?
	echo "$status:$([ ! -e ran ] || paste -sd, ran)"
}

# same OLD NEW RESULT: both do that.
same() {
	local line
	for line in "$1" "$2"; do
		[ "$(does "$line")" = "$3" ] || { echo "$line: $(does "$line"), not $3" >&2; cat said >&2; return 1; }
	done
}

# Rows of tables whose old line can be run here.
known_rows() {
	rows 'flock(1) and timeout(1)'
	rows 'cron and timeout'
}
all_rows() {
	known_rows
	rows 'The other lockrun'
}
what_runs() { if [[ $1 == *A*B* ]]; then echo A,B; else echo CMD; fi; }

@test "nobody in the way: the new line runs what the old one ran, and gives its status" {
	stub CMD
	stub A
	stub B
	[ "$(known_rows | wc -l)" -ge 15 ]
	while IFS=$'\t' read -r old new; do
		# Those of a pipe start at the same time: see below.
		[[ $old == *'A | B'* ]] || same "$old" "$new" "0:$(what_runs "$old")"
	done < <(known_rows)
	stub CMD 'exit 3'
	while IFS=$'\t' read -r old new; do
		[[ $old != *CMD* ]] || same "$old" "$new" 3:CMD
	done < <(known_rows)
}

@test "nobody in the way: the pipe" {
	stub A 'echo all of it'
	stub B 'cat >piped'
	row=$(rows 'flock(1) and timeout(1)' | grep -F 'A | B')
	for line in "${row%$'\t'*}" "${row#*$'\t'}"; do
		rm -f piped
		does "$line"
		[ "$(cat piped)" = 'all of it' ]
	done
}

@test "somebody in the way: those that try go, with the status of the manual, the others wait" {
	stub CMD
	stub A
	stub B
	foreign FILE
	while IFS=$'\t' read -r old new; do
		hold
		case $new in
		*' -E 0 '*) [ "$(does "$new")" = 0: ] ;;
		*' -n '*) [ "$(does "$new")" = 75: ] ;;
		*)
			rm -f ran
			start sh -c "$(here "$new")"
			await is_pending 1
			[ ! -e ran ]
			release
			ends 0 "$STARTED"
			[ "$(sort ran | paste -sd,)" = "$(what_runs "$new")" ]
			continue
			;;
		esac
		case $old in
		*'flock -n -E 0 FILE'*) [ "$(does "$old")" = 0: ] ;;
		*'flock -n FILE'*) [ "$(does "$old")" = 1: ] ;;
		esac
		release
	done < <(all_rows)
	foreign_ends
}

@test "a command that takes too long: what timeout does, lockrun does" {
	found=0
	while IFS=$'\t' read -r old new; do
		[[ $new == *'-m 600'* ]] || continue
		found=$((found + 1))
		stub CMD 'exec sleep 600'
		wanted=124
		[[ $old != *--preserve-status* ]] || wanted=143
		# On a busy machine the time may be over before it has begun: so only the status.
		for line in "$old" "$new"; do
			seen=$(does "${line/600/0.1}")
			[ "${seen%:*}" = "$wanted" ] || { echo "$line: $seen" >&2; cat said >&2; false; }
		done
	done < <(known_rows)
	[ "$found" -ge 5 ]
}

@test "what cron is not to mail, neither line lets through" {
	stub CMD 'echo noise >&2; exec sleep 600'
	found=0
	while IFS=$'\t' read -r old new; do
		[[ $old == *2\>/dev/null ]] || continue
		found=$((found + 1))
		for line in "$old" "$new"; do
			seen=$(does "${line/600/0.1}")
			[ "${seen%:*}" = 124 ] && [ ! -s said ]
		done
	done < <(rows 'cron and timeout')
	[ "$found" -ge 1 ]
}

@test "what ends by SIGKILL is 124 here, and 137 with timeout -k" {
	stub CMD "trap '' TERM; while :; do sleep 0.1; done"
	row=$(rows 'flock(1) and timeout(1)' | grep -F -- '-k 5 600')
	row=${row//600/0.2}
	row=${row//-k 5/-k 0.2}
	[[ "$(does "${row%$'\t'*}")" == 137:* ]]
	[[ "$(does "${row#*$'\t'}")" == 124:* ]]
}

@test "-s shares, and -F becomes the command" {
	stub CMD
	contend other -s "$LOCK"
	await leads other
	[ "$(does "$(rows 'flock(1) and timeout(1)' | cut -f2 | grep -F -- ' -s ')")" = 0:CMD ]
	let_end other
	stub CMD 'echo $$ >pid; read -r _ <go'
	mkfifo go
	# "exec": the shell would wait for it.
	start sh -c "exec $(here "$(rows 'flock(1) and timeout(1)' | cut -f2 | grep -F -- ' -F ')")"
	await test -s pid
	[ "$(cat pid)" = "$STARTED" ]
	echo >go
	ends 0 "$STARTED"
}

@test "a line of the other lockrun is refused, and runs nothing" {
	stub CMD
	while IFS=$'\t' read -r old new; do
		[ "$(does "$old")" = 64: ]
		[ "$(does "$new")" = 0:CMD ]
	done < <(rows 'The other lockrun')
}

@test "the crontab lines at the top: a skip is told by the one, and not by the other" {
	stub sync
	lines=$(sed '/^## /q' "$README" | sed -n 's/^    \(\*.*\)/\1/p' | sed "s|/opt/sync|sync|; s|app:v1:single-flight:sync|NAME|")
	[ "$(wc -l <<<"$lines")" -eq 2 ]
	while IFS= read -r line; do [ "$(does "$line")" = 0:sync ]; done <<<"$lines"
	hold
	[ "$(does "$(sed -n 1p <<<"$lines")")" = 75: ]
	[ "$(wc -l <said)" -eq 1 ]
	[ "$(does "$(sed -n 2p <<<"$lines")")" = 0: ]
	[ ! -s said ]
	release
	# A cron author does not read further than this.
	[ "$(head -n 10 "$README" | grep -c '^    \*/5 .*lockrun -n')" -eq 1 ]
}

@test "the script lines at the top" {
	{ echo '#!/bin/sh'; indented 'exec lockrun -n app'; echo 'echo "$LOCKRUN_GENERATION $*"'; } >script
	chmod +x script
	run -0 ./script a 'b c'
	[ "$output" = '1 a b c' ]
	hold app:v1:single-flight:sync
	run -75 ./script a 'b c'
	release app:v1:single-flight:sync
}

@test "several commands, in a string and in a here-document" {
	for words in 'sh -ec' 'sh -e <<'; do
		indented "$words" | sed "s/NAME/$LOCK/" >commands
		stub dump-index 'echo all of it'
		sh commands
		[ "$(cat index)" = 'all of it' ]
		# What fails replaces nothing.
		stub dump-index 'echo half of it; exit 3'
		run -3 sh commands
		[ "$(cat index)" = 'all of it' ]
		rm index new
	done
}

# member UID COMMAND...: as a user of the group 65533.
member() {
	local uid=$1
	shift
	setpriv --reuid="$uid" --regid="$uid" --groups=65533 "$@"
}

@test "two users, one directory" {
	needs_root
	make_open_dir
	cp "$LOCKRUN" "$OPEN_DIR/CMD" # anything that is found; it is told --version below
	sh -c "$(indented 'install -d' | sed "s|/var/lib|$OPEN_DIR|; s/operators /65533 /")"
	indented 'export LOCKRUN_DIR' | sed "s|/var/lib|$OPEN_DIR|; s/NAME/$LOCK/; s/CMD/CMD --version/" >commands
	run -0 member 65531 env PATH="$OPEN_DIR:$PATH" sh -c "umask 077; $(cat commands)"
	run -0 member 65532 env PATH="$OPEN_DIR:$PATH" sh -c "umask 077; $(cat commands)"
	export LOCKRUN_DIR=$OPEN_DIR/lockrun-operators
	run -0 "$LOCKRUN" history "$LOCK"
	[ "${#lines[@]}" -eq 3 ]
	mkfifo go
	start member 65531 "$OPEN_DIR/lockrun" "$LOCK" -- cat go
	await is_holding 1
	run -75 member 65532 "$OPEN_DIR/lockrun" -n "$LOCK" -- true
	: >go
	ends 0 "$STARTED"
}

# ---- the tour ----

# tour: its commands and what they print, from displays that begin with a command.
tour() { part 'A short tour' | awk '/^    \$ / { inside = 1 } !/^    / { inside = 0 } inside { print substr($0, 5) }'; }

# alike: without pids and times, and the lines of one command sorted: two processes print them.
alike() {
	sed -E -e 's/[0-9]{4}-[0-9-]+T[0-9:.]+Z/TIME/g' -e 's/pid [0-9]+/pid P/g' -e 's/ as [0-9]+/ as P/g' -e 's/\b[0-9.]+(ms|s|m)\b/T/g' \
		-e 's|^in [^ ,]*,|in DIR,|' -e 's/; now (being handed over|held by|nobody leads).*/; now/' -e 's/ +/ /g' |
		awk '/^\$ / { print step++ " " $0; next } { print step - 1 " " $0 }' | sort -s -k 1,1n -k 2
}

@test "the tour prints what it shows" {
	unset LOCKRUN_NOTE
	export LOCK=demo:v1:leader:tour PATIENCE
	[ "$(tour | grep -c '^\$ ')" -ge 9 ]
	declare -f await pause are_tickets is_pending is_holding >functions
	# As somebody types it: the next line when the last one shows.
	tour | sed -n 's/^\$ //p' | while IFS= read -r line; do
		printf 'printf "%%s\\n" %q\n%s\n' "\$ $line" "$line"
		case $line in
		*'sleep 30 &') echo 'await is_holding 1' ;;
		*'echo next &') echo 'await is_pending 1' ;;
		*'lockrun stop '*) echo 'wait' ;;
		esac
	done >typed
	run -0 bash -c '. ./functions; . ./typed' 2>&1
	diff <(tour | alike) <(alike <<<"$output") >&2
}

# ---- the picture ----

# A picture without what differs from run to run: pids, times, places.
likeness() {
	sed -nE 's|^<text x="[0-9]+" y="[0-9]+" fill="#[0-9a-f]+">(.*)</text>$|\1|p' "$1" |
		sed -E -e 's|/[^ ]*/locks|DIR|g' -e 's/[0-9]{4}-[0-9-]+T[0-9:.]+Z/TIME/g' -e 's/pid [0-9]+/pid P/g' \
			-e 's/ as [0-9]+/ as P/g' -e 's/\b[0-9.]+(ms|s)\b/T/g' | tr -s ' \n' ' '
}

@test "the picture shows what make try prints" {
	sh "$TESTS/try.sh" | awk -f "$TESTS/pictures/terminal.awk" >now.svg
	diff <(likeness "$TESTS/pictures/election.svg") <(likeness now.svg) >&2
	[ "$(likeness now.svg | wc -c)" -gt 1000 ]
}
