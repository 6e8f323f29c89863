# SPDX-License-Identifier: ISC
# The results as one JSON document; what was not measured is null.
function number(text) { return text == "-" ? "null" : text + 0 }

BEGIN { printf "{\"machine\":\"%s\",\"measures\":[", machine }

{
	printf "%s\n {\"key\":\"%s\",\"title\":\"%s\",\"unit\":\"%s\",\"lockrun\":%s,\"other\":%s,", \
	    (NR > 1 ? "," : ""), $1, $2, $3, number($4), number($5)
	printf "\"ratio\":%s,\"ratio_low\":%s,\"ratio_high\":%s,\"bar\":%s,\"stretch\":%s}", \
	    number($7), number($6), number($8), number($9), number($10)
}

END { print "\n]}" }
