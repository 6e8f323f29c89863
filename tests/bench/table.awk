# SPDX-License-Identifier: ISC
# The results as a table: what was measured, against what bar, and whether it was met.
function verdict(value, bar, stretch) {
	if (bar == "-" && stretch == "-")
		return ""
	if (stretch != "-" && value + 0 <= stretch + 0)
		return "stretch met"
	if (bar == "-")
		return "above the stretch"
	return value + 0 <= bar + 0 ? "bar met" : "ABOVE THE BAR"
}

BEGIN {
	printf "%-52s %10s %10s %7s  %-13s %5s %7s  %s\n", "measure", "lockrun", "other", "ratio",
	    "quartiles", "bar", "stretch", ""
}

{
	quartiles = $6 == "-" ? "" : $6 "-" $8
	printf "%-52s %10s %10s %7s  %-13s %5s %7s  %s\n", $2, $4 ($3 == "" ? "" : " " $3), $5, $7,
	    quartiles, $9, $10, verdict($7 == "-" ? $4 : $7, $9, $10)
}
