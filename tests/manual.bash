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
