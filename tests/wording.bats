#!/usr/bin/env bats
# What the subcommands say, and when they say nothing.
load helper
load manual

# ended STATUS: what `start` began ends with that status.
ended() {
	local status=0
	wait "$STARTED" || status=$?
	[ "$status" -eq "$1" ]
}

@test "stop -q is silent, whether somebody led or not" {
	run -0 --separate-stderr "$LOCKRUN" stop -q "$LOCK"
	[ -z "$output$stderr" ]
	start "$LOCKRUN" -q "$LOCK" -- sleep 60
	await is_holding 1
	run -0 --separate-stderr "$LOCKRUN" stop -q "$LOCK"
	[ -z "$output$stderr" ]
	ended 124
}

@test "a missing name is answered with the usage of the subcommand at hand" {
	run -64 "$LOCKRUN" stop
	[[ "$output" == *"no lock name was given; usage: lockrun stop "*" NAME" ]]
	run -64 "$LOCKRUN" name
	[[ "$output" == *"no lock name was given; usage: lockrun name NAME "* ]]
	run -64 "$LOCKRUN"
	[[ "$output" == *"no lock name was given; usage: lockrun "*"NAME [--] COMMAND"* ]]
}

# ---- the words themselves ----

ROOT=$TESTS/..

# strings FILE...: the string literals of a C file, those that stand together as one.
strings() {
	awk '
		FNR == 1 && NR > 1 { flush() }
		!/^#include/ { text = text $0 "\n" }
		END { flush() }
		function flush() {
			gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
			gsub(/"[ \t\n]*PRI[udx]64[ \t\n]*"?/, "d", text)
			gsub(/"[ \t\n]+"/, "", text)
			while (match(text, /"([^"\\\n]|\\.)*"/)) {
				print substr(text, RSTART + 1, RLENGTH - 2)
				text = substr(text, RSTART + RLENGTH)
			}
			text = ""
		}' "$@"
}

# What is fixed in a message: what stands between its conversions, if it is more than a word.
fixed_parts() {
	sed -e 's/%%/%/g; s/%[-0-9.*]*\(zu\|ju\|[a-z]\)/\n/g; s/\\n/\n/g; s/\\"/"/g' |
		sed -e 's/^[^A-Za-z(-]*//; s/[^A-Za-z)-]*$//' | grep '[a-z].* .*[a-z]'
}

@test "every message of the program is in the manual" {
	manual=$(plain "$ROOT/man/lockrun.1")
	missing='' found=0
	for file in "$ROOT"/src/commands/*.c; do
		case ${file##*/} in
		# Reports on standard output, the tables of the help, and what is no message.
		status.c | history.c | stats.c | name.c | help.c | commands.c | environment.c | say.c | target.c) continue ;;
		esac
		while IFS= read -r part; do
			found=$((found + 1))
			[[ "$manual" == *"$part"* ]] || missing+="${file##*/}: $part"$'\n'
		done < <(strings "$file" | fixed_parts)
	done
	[ "$found" -gt 50 ]
	[ -z "$missing" ] || { echo "not in man/lockrun.1:" >&2; echo "$missing" >&2; false; }
}

# What people read: the help, what the program may say, the manuals, the README, the completions.
what_is_said() {
	local word page
	for word in run $("$LOCKRUN" --help | sed -n 's/^ *lockrun \([a-z-]*\) .*/\1/p'); do
		"$LOCKRUN" "$word" --help | sed "s/^/lockrun $word --help: /"
	done
	strings "$ROOT"/src/commands/*.c "$ROOT"/src/values/*.c | sed 's/^/src: /'
	for page in "$ROOT"/man/*; do
		# One sentence a line, however it is set.
		plain "$page" | sed "s/\([.:;]\) /\1\n/g" | sed "s|^|${page##*/}: |"
	done
	sed 's/^/README.md: /' "$ROOT/README.md"
	cat "$ROOT"/completions/* | sed 's/^/completions: /'
}

# One word for one thing. What stands behind a word is the one that is meant.
@test "no other word is used where there is one for the thing" {
	what_is_said >said
	[ "$(wc -l <said)" -gt 500 ]
	used=$(
		while read -r word instead; do
			grep -inE "^[^:]*: (.*[^[:alnum:]_-])?(${word//_/ })([^[:alnum:]_-]|\$)" said | sed "s#^#where \"${instead//_/ }\" is the word: #"
		done <<-'END'
			mutex|semaphore|lockfile|lock_file lock
			master|primary|president leader
			lock_owner|lock_holder|owner_of_the_lock holder
			competitor|candidate|applicant waiter
			queue_entry|queue_file ticket
			epoch|token|term_number generation
			reign|tenure|leadership_period term
			journal|log_entry record
			wrapper|monitor supervisor
			payload|child_command command
			time_limit|time-out deadline
			timespan|time_span duration
			grace_time|grace_period grace
			state_dir|lock_directory|data_directory state_directory
			abdicate|resign|relinquish|demote step_down
			take_over_the_lock|seize|preempt|evict replace
		END
	)
	[ -z "$used" ] || { echo "$used" >&2; false; }
}
