# SPDX-License-Identifier: ISC
# Reading the manuals, for the tests that hold them to what the program does. Loaded after helper.

# section FILE TITLE: of a manual, from .Sh or .Ss TITLE to the next one of its kind.
section() {
	awk -v title="$2" '
		/^\.S[hs] / {
			inside = inside && level == ".Sh" && $1 == ".Ss"
			if (substr($0, 5) == title) { inside = 1; level = $1 }
		}
		inside' "$1"
}

# literal: the lines of the displays in what is read, each with a "\e" at its end undone.
literal() { sed -n -e '/^\.Bd -literal/,/^\.Ed/{' -e '/^\.[BE]d/d' -e 's/\\e$/\\/' -e 's/\\&//g' -e p -e '}'; }

# plain FILE: the words of a manual, on one line.
plain() {
	sed -e '/^\.\\"/d; /^\.Pp/d' -e '/^\.[BE][a-z] *\(-\|$\)/d' -e 's/^\.It Li //' -e 's/^\.[A-Z][a-z] //' \
		-e 's/ Ns | Ns / /g' -e 's/"""/"/g' -e 's/\\&//g; s/\\-/-/g; s/\\e/\\/g' "$1" |
		tr '\n' ' ' | tr -s ' '
}

# displays FILE: its displays of commands, scripts and crontab lines, each on one line; what stands
# for a line break is \037.
displays() {
	awk '
		/^\.Bd -literal/ { inside = 1; text = ""; next }
		/^\.Ed/ {
			if (text ~ /^(\$ |#!|\*)/) print text
			inside = 0
		}
		inside {
			sub(/\\e$/, "\\")
			gsub(/\\&/, "")
			text = text (text == "" ? "" : "\037") $0
		}' "$1"
}

# as_printed FILE WORDS [ARG...]: run the one display that holds these words: "$ " commands by a shell, a
# script by its name, here ./printed; a crontab line as cron does. Places of the system are here, and
# lines of a display that are no commands are what has to come out.
as_printed() {
	local file=$1 found
	found=$(displays "$file" | grep -F -- "$2" | sort -u)
	[ -n "$found" ] && [ "$(wc -l <<<"$found")" -eq 1 ] ||
		{ echo "in $file, not once: $2" >&2; return 1; }
	shift 2
	rm -f printed.commands printed.output
	tr '\037' '\n' <<<"$found" >printed
	case $found in
	'#!'*)
		chmod +x printed
		./printed "$@"
		;;
	'$ '*)
		awk '
			/^\$ / || goes_on { print substr($0, goes_on ? 1 : 3) >"printed.commands"; goes_on = /\\$/; next }
			{ print >"printed.output" }' printed
		sed -i "s,/run/lock/\|/tmp/\|/var/lib/,$PWD/,g" printed.commands
		if [ -e printed.output ]; then
			diff printed.output <(sh printed.commands) >&2
		else
			sh printed.commands
		fi
		;;
	*)
		sed -i -e '1s/^\([^ ]* \)\{5\}//' -e "s|/usr/local/bin/lockrun|$LOCKRUN|; s|/opt|$PWD/opt|" printed
		env -i HOME="$HOME" SHELL=/bin/sh PATH=/usr/bin:/bin LOCKRUN_DIR="$LOCKRUN_DIR" \
			LOCKRUN_TEST_MARK="$LOCKRUN_TEST_MARK" RAN="$RAN" sh -c "$(cat printed)"
		;;
	esac
}

# each_display_is_run FILE TESTS: each has words that a test of that file runs it by.
each_display_is_run() {
	local words missing
	words=$(sed -n "s/.*printed '\([^']*\)'.*/\1/p" "$2")
	[ -n "$words" ]
	missing=$(displays "$1" | grep -vF -- "$words" || true)
	[ -z "$missing" ] || { echo "run by no test: $missing" | tr '\037' '\n' >&2; return 1; }
}

# stub NAME [SCRIPT]: a command of that name, which writes its name and arguments to the file `ran`
# and then does what the script says.
stub() {
	mkdir -p bin "$(dirname "bin/$1")"
	export PATH=$BATS_TEST_TMPDIR/scratch/bin:$PATH RAN=$BATS_TEST_TMPDIR/scratch/ran
	printf '#!/bin/sh\necho "${0##*/}${*:+ $*}" >>"$RAN"\n%s\n' "${2-}" >"bin/$1"
	chmod +x "bin/$1"
}
ran_is() { [ "$(paste -sd, ran)" = "$*" ] || { cat ran >&2; return 1; }; }

# items MACRO: what the list items in what is read are about, one a line.
items() { sed -n "s/^\.It $1 //p" | sed 's/ , /\n/g'; }

# agree HERE LIST THERE LIST: both lists hold the same lines, and there is one at all.
agree() {
	local differences
	differences=$(
		LC_ALL=C comm -23 <(sorted "$2") <(sorted "$4") | sed "s|\$|: in $1, not in $3|"
		LC_ALL=C comm -13 <(sorted "$2") <(sorted "$4") | sed "s|\$|: in $3, not in $1|"
	)
	[ -n "$2" ] || differences="nothing was found in $1"
	[ -z "$differences" ] || { echo "$differences" >&2; return 1; }
}
sorted() { LC_ALL=C sort -u <<<"$1"; }
