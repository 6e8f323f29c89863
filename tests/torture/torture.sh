#!/bin/sh
# SPDX-License-Identifier: ISC
# torture.sh SECONDS: half of them in each scenario. LOCKRUN is the program, TORTURE the driver;
# CONTENDERS and SEED may be set, and a run is repeated by its SEED.
set -u
: "${LOCKRUN:?the program}" "${TORTURE:?the driver}" "${CONTENDERS:=100}"
: "${SEED:=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}"
seconds=${1:?SECONDS}
here=$(dirname "$0")
log=$(mktemp)
status=0
for scenario in quiet removal; do
	echo "# $scenario: $((seconds / 2)) s, $CONTENDERS contenders; repeat with SEED=$SEED"
	"$TORTURE" "$(realpath "$LOCKRUN")" "$scenario" $((seconds / 2)) "$CONTENDERS" "$SEED" "$log" || status=1
	awk -v removal="$([ "$scenario" = removal ] && echo 1)" -f "$here/check.awk" "$log" || status=1
	[ "$status" = 0 ] || cp "$log" "torture-$SEED-$scenario.log"
done
rm -f "$log"
exit "$status"
