# SPDX-License-Identifier: ISC
# Draws the floors of the table, and under them what has one home only.

function rest(from,    text, i) {
	for (i = from; i <= NF; i++)
		text = text (i > from ? " " : "") $i
	return text
}

$1 == "floor" {
	names[++floors] = $2
	places[floors] = $3
	what[floors] = rest(5)
}

$1 == "family" {
	family[++families] = $2
	homes[families] = $3
	gsub(/,/, ", ", homes[families])
}

END {
	print "```"
	for (i = 1; i <= floors; i++) {
		printf "%-10s %-13s %s\n", names[i], places[i], what[i]
		if (i < floors)
			print "   |"
	}
	print "\nWhat has one home:"
	for (i = 1; i <= families; i++)
		printf "%-10s %s\n", family[i], homes[i]
	print "```"
}
