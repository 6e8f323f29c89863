#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# complete.bash PLACE LINE...: what bash offers at the end of each line, written as
# "LINE => MATCH...", each match as the whole word that would then stand on the line. PLACE is the
# directory that lockrun.bash is in. A readline is played here: the line is cut into words where
# COMP_WORDBREAKS says so, also at colons and at "=".
. "$1/lockrun.bash"
shift

cut_into_words() {
	local rest=$1
	COMP_WORDS=()
	while [[ $rest =~ ^[[:blank:]]*([:=]+|[^[:blank:]:=]+) ]]; do
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${rest#"${BASH_REMATCH[0]}"}
	done
	[[ $1 == *[[:blank:]] ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

for COMP_LINE; do
	COMP_POINT=${#COMP_LINE}
	cut_into_words "$COMP_LINE"
	complete=${COMP_LINE##*[[:blank:]]}
	kept=${complete%"${complete##*[:=]}"}
	_lockrun "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	mapfile -t matches < <(printf '%s\n' "${COMPREPLY[@]/#/$kept}" | LC_ALL=C sort -u)
	echo "$COMP_LINE => ${matches[*]}"
done
