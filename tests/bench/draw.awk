# SPDX-License-Identifier: ISC
# The uncontended run beside each peer as a bar chart in SVG. It has its own background, so that it
# can be read on a light and on a dark page.
function bar(y, label, value, colour) {
	printf "<text x=\"150\" y=\"%d\" text-anchor=\"end\">%s</text>", y + 15, label
	width = value * scale > 440 ? 440 : value * scale
	printf "<rect x=\"160\" y=\"%d\" width=\"%.0f\" height=\"20\" fill=\"%s\"/>", y, width, colour
	# One that is longer than the picture has its end cut off.
	if (width == 440 && value * scale > 440.5)
		printf "<rect x=\"586\" y=\"%d\" width=\"4\" height=\"20\" fill=\"#ffffff\"/>", y
	printf "<text x=\"%.0f\" y=\"%d\">%.1f ms</text>\n", 166 + width, y + 15, value / 1000
}

function title(peer) {
	return peer == "one fork" ? "a fork and true" : peer == "true" ? "true alone" : peer
}

$1 ~ /^run\// {
	peers++
	peer[peers] = substr($1, 5)
	theirs[peers] = $5
	# Each pair has measured lockrun anew: set all to the same length.
	relative[peers] = $7
	if ($1 == "run/flock")
		ours = $4
}

$1 == "no-fork/setlock" { no_fork = $7 }

END {
	for (i = 1; i <= peers; i++) {
		value[i] = ours / relative[i]
		if (value[i] > longest && value[i] < 20 * ours)
			longest = value[i]
	}
	scale = 440 / (longest > ours ? longest : ours)
	rows = peers + 1 + (no_fork != "")
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 %d\" ", 70 + rows * 28
	print "font-family=\"sans-serif\" font-size=\"14\" role=\"img\">"
	print "<title>Start, run true, end: lockrun and others, median time</title>"
	printf "<rect width=\"720\" height=\"%d\" fill=\"#ffffff\"/>\n", 70 + rows * 28
	print "<text x=\"16\" y=\"24\" font-weight=\"bold\">Start, run true, end: median wall time</text>"
	y = 40
	bar(y, "lockrun", ours, "#1a6fb0")
	for (i = 1; i <= peers; i++) {
		if (peer[i] == "setlock" && no_fork != "")
			bar(y += 28, "lockrun -F", value[i] * no_fork, "#1a6fb0")
		bar(y += 28, title(peer[i]), value[i], peer[i] ~ /^(one fork|true)$/ ? "#c9c9c9" : "#8a8a8a")
	}
	printf "<text x=\"16\" y=\"%d\" font-size=\"12\" fill=\"#555555\">%s</text>\n", y + 44, \
	    machine "; each measured in pairs with lockrun"
	print "</svg>"
}
