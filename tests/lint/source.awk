# SPDX-License-Identifier: ISC
# Reads the table of floors, then the C sources, and prints what breaks a rule:
#   floor     a file includes what does not stand below it
#   home      a word of a family stands outside of the family's home
#   function  a function of 60 lines or more
#   file      a file of 350 lines or more
#   table     the table itself is wrong, or an exception is not needed any more

BEGIN {
	FUNCTION_LINES = 60
	FILE_LINES = 350
}

function finding(line, rule, text) {
	printf "%s:%d: %s: %s\n", FILENAME, line, rule, text
}

# ---- the table ----

function rest(from,    text, i) {
	for (i = from; i <= NF; i++)
		text = text (i > from ? " " : "") $i
	return text
}

FNR == NR && (/^#/ || NF == 0) { next }

FNR == NR && $1 == "floor" && NF >= 5 {
	place[$2] = $3
	sees[$2] = "," $4 "," $2 ","
	next
}

FNR == NR && $1 == "family" && NF >= 4 {
	homes[$2] = $3
	for (i = 4; i <= NF; i++) {
		family_of[$i] = $2
		if ($i ~ /\*/)
			open_ended[$i] = substr($i, 1, index($i, "*") - 1)
	}
	next
}

FNR == NR && $1 == "except" && NF >= 5 {
	if (!($4 in family_of) || family_of[$4] != $2)
		finding(FNR, "table", "no family " $2 " with a word " $4)
	excepted[$2, $3, $4] = FNR
	next
}

FNR == NR { finding(FNR, "table", "cannot be read: " $0); next }

# ---- the sources ----

# Whether the file stands in one of the places of a list with commas.
function stands_in(file, list,    places, count, i) {
	count = split(list, places, ",")
	for (i = 1; i <= count; i++)
		if (file == places[i] || index(file, places[i] "/") == 1)
			return 1
	return 0
}

function floor_of(file,    name) {
	for (name in place)
		if (stands_in(file, place[name]))
			return name
	return ""
}

function check_include(line,    path, above) {
	path = line
	sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", path)
	sub(/[>"].*/, "", path)
	above = floor_of("src/" path)
	if (above == "") {
		if (line ~ /"/)
			finding(FNR, "floor", "\"" path "\" is no header of a floor")
	} else if (index(sees[floor], "," above ",") == 0) {
		finding(FNR, "floor", floor " includes \"" path "\", which does not stand below it")
	}
}

# The line without comments, strings and characters, and without space around parentheses.
function bare(line,    out, start) {
	while (line != "") {
		if (in_comment) {
			start = index(line, "*/")
			if (start == 0)
				return out
			in_comment = 0
			line = substr(line, start + 2)
		} else if (match(line, /\/\*|\/\/|"|'/)) {
			out = out substr(line, 1, RSTART - 1)
			line = substr(line, RSTART)
			if (substr(line, 1, 2) == "/*") {
				in_comment = 1
				line = substr(line, 3)
			} else if (substr(line, 1, 2) == "//") {
				return out
			} else if (match(line, /^"([^"\\]|\\.)*"|^'([^'\\]|\\.)*'/)) {
				out = out "0"
				line = substr(line, RLENGTH + 1)
			} else {
				return out
			}
		} else {
			out = out line
			line = ""
		}
	}
	return out
}

function check_word(word,    family) {
	if (!(word in family_of))
		return
	family = family_of[word]
	if (stands_in(FILENAME, homes[family]))
		return
	if ((family, FILENAME, word) in excepted)
		needed[family, FILENAME, word] = 1
	else
		finding(FNR, "home", word " belongs to " family ", whose home is " homes[family])
}

# Every name of the line: as it is, as a call, and as a call with its first argument.
function check_families(code,    name, before, word) {
	gsub(/[ \t]*\([ \t]*/, "(", code)
	gsub(/[ \t]+,/, ",", code)
	while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
		name = substr(code, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(code, RSTART - 1, 1) : ""
		code = substr(code, RSTART + RLENGTH)
		# What follows a dot or an arrow is a member.
		if (before == "." || before == ">")
			continue
		check_word(name)
		if (substr(code, 1, 1) == "(")
			check_word(name "(")
		if (match(code, /^\([A-Za-z0-9_]*,/))
			check_word(name substr(code, 1, RLENGTH))
		for (word in open_ended)
			if (index(name, open_ended[word]) == 1 &&
			    (word !~ /\($/ || substr(code, 1, 1) == "("))
				check_word(word)
	}
}

# The length of a function counts from the line after the last one that is empty or a comment.
function check_function(line) {
	if (line == "" || line ~ /\*\/$/)
		before = FNR
	if (line == "{")
		begin = before + 1
	if (line == "}" && FNR - begin + 1 >= FUNCTION_LINES)
		finding(begin, "function", FNR - begin + 1 " lines; " FUNCTION_LINES " are too many")
}

function end_file() {
	if (last > 0 && lines >= FILE_LINES)
		printf "%s:%d: file: %d lines; %d are too many\n", file, lines, lines, FILE_LINES
}

FNR == 1 {
	end_file()
	file = FILENAME
	last = NR
	in_comment = 0
	floor = floor_of(FILENAME)
	if (floor == "")
		finding(1, "floor", "stands on no floor")
}

{ lines = FNR }
{ check_function($0) }
/^[ \t]*#[ \t]*include/ { check_include($0); next }
{ check_families(bare($0)) }

END {
	end_file()
	for (key in excepted)
		if (!(key in needed)) {
			split(key, part, SUBSEP)
			printf "%s:%d: table: the exception of %s for %s is not needed\n", ARGV[1],
			    excepted[key], part[2], part[3]
		}
}
