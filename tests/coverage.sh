#!/bin/sh
# SPDX-License-Identifier: ISC
# coverage.sh BUILD: what was executed of each source file, by the counts that a build with
# --coverage has left; each line that was not stands in BUILD/uncovered. What is killed with
# SIGKILL leaves no counts, so a little more is covered than is told.
set -u
export LC_ALL=C
tree=$(cd "$(dirname "$0")/.." && pwd) || exit 2
build=$(realpath "$1") || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
: >"$build/uncovered"
for source in "$tree"/src/*.c "$tree"/src/*/*.c; do
	file=${source#"$tree"/src/}
	object=$build/${file%.c}.o
	# The lines that gcov counts begin with a count, or with # where there is none.
	(cd "$tree" && gcov --stdout --object-directory "$object" "src/$file") 2>/dev/null |
	awk -F: -v file="src/$file" -v uncovered="$build/uncovered" '
		$1 ~ /Source$/ || $3 ~ /^Source/ { ours = $4 == file }
		!ours || $2 !~ /[1-9]/ || $1 ~ /- *$/ { next }
		{ lines++ }
		$1 ~ /#####|=====/ {
			missed++
			line = $2 + 0
			text = $0
			sub(/^[^:]*:[^:]*:/, "", text)
			print file ":" line ":" text >>uncovered
		}
		END { printf "%d %d %s\n", lines - missed, lines, file }'
done >executed
awk '
	$2 == 0 { printf "%22s  %s\n", "nothing to execute", $3; next }
	{
		printf "%6.1f%% of %4d lines  %s\n", 100 * $1 / $2, $2, $3
		covered += $1
		lines += $2
	}
	END { printf "%6.1f%% of %4d lines in all\n", 100 * covered / lines, lines }' executed
echo "what was not executed: $build/uncovered"
