# SPDX-License-Identifier: ISC
# What was seen on a terminal, as a picture in SVG: remarks, commands after "$", answers after "|".
function escaped(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# The commands and answers stand below each other, whatever the width of a letter is.
function place(x, text, colour) {
	return text ~ /^ *$/ ? "" : "<text x=\"" x "\" y=\"" 11 + count * 19 "\" fill=\"" colour "\">" escaped(text) "</text>\n"
}

# A line that is too wide for a page goes on in the next.
function put(head, body, colour,    at, x) {
	x = head == "" ? 16 : 88
	for (;;) {
		count++
		drawn = drawn place(16, head, "#8a8a8a")
		at = length(body)
		if (at > WIDTH)
			for (at = WIDTH; at > 1 && substr(body, at, 1) != " "; at--)
				;
		drawn = drawn place(x, substr(body, 1, at), colour)
		if (at == length(body))
			return
		body = "  " substr(body, at + 1)
		head = ""
	}
}

BEGIN { WIDTH = 96 }

/^ *[a-z]* \$ / { put(substr($0, 1, 9), substr($0, 10), "#ffffff"); next }
/^ *[a-z]+ \| / { put(substr($0, 1, 9), substr($0, 10), /stepping down|nothing was run|exit status/ ? "#f0c674" : "#a5d6a7"); next }
{ put("", $0, "#81b5e8") }

END {
	height = count * 19 + 24
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 %d\" role=\"img\" ", height
	print "font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\" xml:space=\"preserve\" style=\"white-space:pre\">"
	print "<title>An election with a hand-over</title>"
	printf "<rect width=\"860\" height=\"%d\" rx=\"8\" fill=\"#1d1f21\"/>\n", height
	printf "%s", drawn
	print "</svg>"
}
