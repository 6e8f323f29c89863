#!/bin/sh
# SPDX-License-Identifier: ISC
# Holds the source to tests/lint/floors. One line for each finding: FILE:LINE: RULE: what is wrong.
#
#	lint.sh          check; the exit status is 1 when there are findings
#	lint.sh picture  print what README.md has to hold between its floors markers
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
table=tests/lint/floors
here=tests/lint

picture() { awk -f $here/picture.awk $table; }

# README.md shows the floors as the table has them.
check_picture() {
	[ -e README.md ] || return 0
	if ! grep -qxF '<!-- floors -->' README.md || ! grep -qxF '<!-- /floors -->' README.md; then
		echo 'README.md:1: picture: the lines <!-- floors --> and <!-- /floors --> are missing'
		return
	fi
	picture >"$scratch/wanted"
	sed -n '/^<!-- floors -->$/,/^<!-- \/floors -->$/p' README.md | sed '1d;$d' >"$scratch/shown"
	cmp -s "$scratch/wanted" "$scratch/shown" && return
	line=$(grep -nxF '<!-- floors -->' README.md | cut -d: -f1)
	echo "README.md:$line: picture: not what $table says (sh tests/lint/lint.sh picture):"
	diff "$scratch/shown" "$scratch/wanted"
}

# Whatever holds code says its licence, at the top.
check_licences() {
	find src tests .ci -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.bash' -o -name '*.awk' \
	    -o -name run \) | sort | xargs awk '
		FNR == 1 { files[++count] = FILENAME }
		FNR <= 2 && /SPDX-License-Identifier: ISC/ { licensed[FILENAME] = 1 }
		END {
			for (i = 1; i <= count; i++)
				if (!(files[i] in licensed))
					print files[i] ":1: licence: no SPDX line in the first two"
		}'
}

# A file is named after what it holds.
check_names() {
	find src tests -name '*.[ch]' | grep -E '/(utils?|helpers?|misc|common|tools?)\.[ch]$' |
	sed 's/$/:1: name: says nothing of what is in it/'
}

tests_in_bash() { find tests -name '*.bats' -o -name '*.bash' | sort; }

# What a wait has in a substitution is looked at once, before the wait.
check_waits() {
	# shellcheck disable=SC2016
	tests_in_bash | xargs grep -nE '(^|[^$_[:alnum:]])(await|await_quietly) (not )?(test|\[\[?) .*(\$\(|`)' |
	sed -E 's/^([^:]*:[0-9]*):.*/\1: wait: for what is looked at only once/'
}

# What was started may open a FIFO at once, so it is there before.
check_fifos() {
	# shellcheck disable=SC2016
	tests_in_bash | xargs awk '
		$1 == "mkfifo" && before ~ "(<|cat )\"?" $2 "([^[:alnum:]_]|$)" && before ~ /^\t*(start|lead|contend) |&$/ {
			print FILENAME ":" FNR ": fifo: made after what opens it was started"
		}
		{ before = $0 }'
}

if [ "${1:-}" = picture ]; then
	picture
	exit
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
{
	find src -name '*.[ch]' | sort | xargs awk -f $here/source.awk $table || exit 2
	check_picture
	check_licences
	check_names
	check_waits
	check_fifos
} >"$scratch/findings"
cat "$scratch/findings"
[ ! -s "$scratch/findings" ]
