#!/usr/bin/env bats
# The program, the manual and the completions say the same: what one of them knows, all know. A
# failing test names what is missing, and where. An option is written "run --wait=", with the "="
# when it has to have a value.
load helper
load manual

ROOT=$BATS_TEST_DIRNAME/..
MANUAL=man/lockrun.1
BASH_COMPLETION=completions/lockrun.bash
ZSH_COMPLETION=completions/_lockrun
FISH_COMPLETION=completions/lockrun.fish

setup() {
	common_setup
	cd "$ROOT" || return 1
}

# table WORD: the rows of the program's own tables that begin with the word, without it.
table() { "$PROBES/interface" | sed -n "s/^$1 //p"; }

# ---- subcommands ----

# Those of the usage, and run, whose word may be left out.
program_subcommands() {
	echo run
	"$LOCKRUN" --help | sed -n 's/^ *lockrun \([a-z-]*\) .*/\1/p'
}
manual_subcommands() { sed -n 's/^\.Ss lockrun //p' "$MANUAL"; }
status_subcommands() { section "$MANUAL" "EXIT STATUS" | sed -n 's/^\.It Cm //p'; }
bash_subcommands() {
	tests/shells/complete.bash completions 'lockrun ' | sed 's/.*=> //' | tr ' ' '\n'
}
zsh_subcommands() { sed -n "s/^\t\t'\([a-z-]*\):.*'\$/\1/p" "$ZSH_COMPLETION"; }
fish_subcommands() { sed -n 's/.* __lockrun_first -a \([a-z-]*\) .*/\1/p' "$FISH_COMPLETION"; }

@test "subcommands: program, manual and completions agree" {
	subcommands=$(program_subcommands)
	agree "lockrun --help" "$subcommands" "$MANUAL" "$(manual_subcommands)"
	agree "lockrun --help" "$subcommands" "EXIT STATUS of $MANUAL" "$(status_subcommands)"
	agree "lockrun --help" "$subcommands" "$BASH_COMPLETION" "$(bash_subcommands)"
	agree "lockrun --help" "$subcommands" "$ZSH_COMPLETION" "$(zsh_subcommands)"
	agree "lockrun --help" "$subcommands" "$FISH_COMPLETION" "$(fish_subcommands)"
}

# ---- options ----

program_options() {
	for subcommand in $(program_subcommands); do
		"$LOCKRUN" "$subcommand" --help | awk -v subcommand="$subcommand" '
			/^(Options|Everyday options|More options):$/ { inside = 1; next }
			/^$/ { inside = 0 }
			inside { # what stands before the column of the explanations
				count = split(substr($0, 1, 36), word, " ")
				value = word[count] ~ /^-/ ? "" : "="
				for (i = 1; i <= count && word[i] ~ /^-/; i++) {
					sub(/,$|\[=.*/, "", word[i])
					print subcommand " " word[i] value
				}
			}'
	done
}

# "Every subcommand" is said once for all of them.
manual_options() {
	awk -v all="$(program_subcommands | tr '\n' ' ')" '
		/^\.Sh / { takers = $2 == "OPTIONS" ? "run" : ""; options = $2 == "OPTIONS" }
		/^\.Ss / { takers = options ? "run" : "" }
		/^\.Ss lockrun / { takers = $3 }
		/^\.Ss Every subcommand/ { takers = all }
		/^\.Ss Accepted for habit/ { takers = "habit" }
		/^\.It Fl / && takers != "" {
			count = split(takers, taker, " ")
			value = / (Ar|Cm) / && !/ Ns Op / ? "=" : ""
			for (i = 2; i <= NF; i++)
				for (j = 1; $i == "Fl" && j <= count; j++)
					print taker[j] " -" $(i + 1) value
		}' "$MANUAL"
}

bash_options() {
	# shellcheck source=/dev/null
	. "$BASH_COMPLETION"
	for subcommand in $(program_subcommands); do
		options='' takers=''
		_lockrun_options "$subcommand"
		for option in $options; do
			_lockrun_is_in "$option" "$takers" && option+='='
			echo "$subcommand $option"
		done
	done
}

# The lines of _arguments: '(...)'{-w+,--wait=}'[help]...' and '--json[help]'.
zsh_options() {
	awk '
		/^_lockrun_[a-z-]*\(\) \{$/ { subcommand = substr($1, 10, length($1) - 11) }
		/^\t\t'\''.*\[/ {
			spec = $0
			sub(/\[.*/, "", spec)
			sub(/^\t\t'\''(\([^)]*\)('\'')?)?\*?/, "", spec)
			gsub(/[{}'\'']/, "", spec)
			count = split(spec, option, ",")
			for (i = 1; i <= count; i++) {
				value = option[i] ~ /[+=]$/ ? "=" : ""
				sub(/(\+|=|=-)$/, "", option[i])
				print subcommand " " option[i] value
			}
		}' "$ZSH_COMPLETION"
}

fish_options() {
	awk '
		/__lockrun_in / {
			subcommand = ""; value = / -[xr] / ? "=" : ""
			for (i = 1; i <= NF && $i != "-d"; i++) {
				if ($i ~ /__lockrun_in$/) { subcommand = $(i + 1); sub(/.$/, "", subcommand) }
				if ($i == "-s") print subcommand " -" $(i + 1) value
				if ($i == "-l") print subcommand " --" $(i + 1) value
			}
		}' "$FISH_COMPLETION"
}

@test "options: the help shows every row of the table, and nothing else" {
	agree "the option table" "$(table option)" \
		"lockrun --help" "$(program_options | cut -d' ' -f2)"
}

@test "options: the help begins with the crontab line and those of every day" {
	run -0 "$LOCKRUN" --help
	crontab=$(section "$MANUAL" DESCRIPTION | grep '^\*/5')
	[ "${lines[2]}" = "  $crontab" ]
	[ "${lines[3]}" = "Everyday options:" ]
	[ "$(sed -n '/^Everyday/,/^$/s/^  \(-.\),.*/\1/p' <<<"$output" | sort | paste -sd' ')" = "-E -m -n -q -v -w" ]
	# On the first page of a terminal.
	[[ "${lines[9]}" == "  -q, --quiet"* ]]
}

@test "options: program and manual agree" {
	agree "lockrun --help" "$(program_options)" "$MANUAL" "$(manual_options | grep -v ^habit)"
	agree "the option table" "$(table habit)" \
		"Accepted for habit of $MANUAL" "$(manual_options | sed -n 's/^habit //p')"
}

@test "options: program and completions agree" {
	options=$(program_options)
	agree "lockrun --help" "$options" "$BASH_COMPLETION" "$(bash_options)"
	agree "lockrun --help" "$options" "$ZSH_COMPLETION" "$(zsh_options)"
	agree "lockrun --help" "$options" "$FISH_COMPLETION" "$(fish_options)"
}

# ---- statuses, faults, reasons, environment, files ----

@test "exit statuses: table, help and manual agree" {
	statuses=$(table status)
	agree "the status table" "$statuses" "lockrun --help" \
		"$("$LOCKRUN" --help | sed -n '/^Exit status/,/^$/s/^ *\([0-9][0-9]*\)  .*/\1/p')"
	agree "the status table" "$statuses" "EXIT STATUS of $MANUAL" \
		"$(section "$MANUAL" "EXIT STATUS" | sed -n 's/^\.It \([0-9]*\)$/\1/p')"
	agree "the status table" "$statuses" "Exit status of README.md" \
		"$(sed -n '/^## Exit status/,/^## What/s/^| \([0-9, ]*\) |.*/\1/p' README.md | sed 's/, /\n/g')"
}

@test "faults: every reason is in DIAGNOSTICS of the manual" {
	agree "the fault table" "$(table fault)" "DIAGNOSTICS of $MANUAL" "$(
		section "$MANUAL" DIAGNOSTICS | sed -n -e '/^\.Ss Remarks/q' \
			-e 's/\\&//g' -e 's/^\.It //p'
	)"
}

@test "reasons: every one of stepping down is in its table of the manual" {
	agree "the reason table" "$(table stepdown)" "STEPPING DOWN of $MANUAL" "$(
		section "$MANUAL" "STEPPING DOWN" | sed -n 's/^\.It Li \([a-z-]*\) Ta .*/\1/p'
	)"
}

# json_keys FILE...: the names of the fields that it writes.
json_keys() {
	tr -s '\n\t' ' ' <"$1" | grep -oE '(json_[a-z]+|write_[a-z]+|put_[a-z_]+)\((begin\([^)]*\)|[^"()]*), "[a-z_]+"' |
		sed 's/.*"\(.*\)"/\1/'
}
documented_fields() { section "$MANUAL" "$1" | sed -n 's/^\.It Cm //p' | sed 's/ , /\n/g'; }

@test "fields: those of the documents are in the manual" {
	agree "the documents" "$(
		for file in write_json history status stats watch; do json_keys "src/commands/$file.c"; done
		sed -n 's/^    {"\([a-z_]*\)", "lockrun_.*/\1/p' src/commands/stats.c
	)" "Documents of $MANUAL" "$(documented_fields Documents)"
}

@test "fields: those of the events are in the manual" {
	agree "the events" "$(json_keys src/election/events.c)" "Events of $MANUAL" "$(documented_fields Events)"
}

@test "environment: what the program reads is in the manual" {
	agree "getenv in src" "$(grep -rho 'getenv("[A-Z_]*")' src | sed 's/.*("\(.*\)")/\1/')" \
		"ENVIRONMENT of $MANUAL" \
		"$(section "$MANUAL" "What lockrun reads" | sed -n 's/^\.\(It \)\{0,1\}Ev \([A-Z_]*\).*/\2/p')"
}

@test "environment: what the command gets is in the manual" {
	"$LOCKRUN" "$LOCK" -- true
	agree "the environment of a command" \
		"$({ env -u LOCKRUN_TEST_MARK "$LOCKRUN" "$LOCK" -- env
		env -u LOCKRUN_TEST_MARK "$LOCKRUN" --on-unavailable run -d missing/state "$LOCK" -- env 2>/dev/null
		} | sed -n 's/^\(LOCKRUN_[A-Z_]*\)=.*/\1/p' | sort -u)" \
		"ENVIRONMENT of $MANUAL" \
		"$(section "$MANUAL" "What the command gets" | sed -n 's/^\.It Ev //p' | sed 's/ , /\n/g')"
}

@test "files: what is in the directory of a lock is in the manual" {
	cd "$BATS_TEST_TMPDIR/scratch"
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	release
	cd "$ROOT"
	agree "the state directory" "$(ls -p "$LOCKRUN_DIR/$LOCK")" "FILES of $MANUAL" \
		"$(section "$MANUAL" FILES | sed -n 's|^\.It Pa dir/name/||p')"
}
