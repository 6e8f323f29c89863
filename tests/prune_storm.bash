# SPDX-License-Identifier: ISC
# prune_storm SECONDS CONTENDERS: so many contend again and again, at random moments, each proving
# with a lock of its own that it is alone, while two others forget whatever is idle. Prints figures.

storm_contender() {
	until [ -e enough ]; do
		"$LOCKRUN" "$LOCK" sh -c '
			exec 9>>alone
			flock -n 9 || echo >>overlaps
			echo $LOCKRUN_GENERATION >>given
			exec 9>&-' || echo "$?" >>failures
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
	done
}

storm_pruner() {
	until [ -e enough ]; do
		"$LOCKRUN" prune --older-than 1ms >>pruned || echo "$?" >>failures
	done
}

# Not before there was something to see.
storm_is_over() {
	[ "$SECONDS" -ge "$STORM_UNTIL" ] && [ "$(wc -l <pruned)" -ge 3 ] && [ "$(wc -l <given)" -ge 10 ]
}

prune_storm() {
	local i
	STORM_UNTIL=$((SECONDS + $1))
	touch given pruned overlaps failures
	{
		for ((i = 0; i < $2; i++)); do storm_contender & done
		for i in 1 2; do storm_pruner & done
	} 3>&-
	PATIENCE=$(($1 + 30)) await storm_is_over
	touch enough
	wait
	awk '$1 <= last { back++ } { last = $1 } END {
		printf "%d terms, %s pruned, %s failures, overlaps %s, not rising %d\n", NR, pruned,
		    failures, overlaps, back
	}' pruned="$(wc -l <pruned)" failures="$(wc -l <failures)" overlaps="$(wc -l <overlaps)" given
}
