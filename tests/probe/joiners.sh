#!/bin/bash
# SPDX-License-Identifier: ISC
# joiners.sh LOCKRUN ROUNDS JOINERS SEED
#
# In each round JOINERS lockruns with --join come while a run is in flight, and some of them, whoever
# leads, and its command are killed at random moments. Each run picks a status of its own. A status
# lies when one who joined a run ends with another status than that run had: than its own lockrun
# ended with, or, where that was killed, than the command told before it ended.
#
# Run in an empty directory. The last line is the sum.
set -u
exec 2>/dev/null # the shell tells of each one that is killed

lockrun=$1 rounds=$2 joiners=$3
RANDOM=$4
lock=demo:v1:single-flight:probe
runs=0 lost=0 more=0 statuses=0 lies=0 unknown=0 strange=0 killed_joiners=0 killed_leaders=0 killed_commands=0

cat >./command <<'END'
#!/bin/sh
status=$(($(od -An -N1 -tu1 /dev/urandom) % 60 + 1))
echo "$LOCKRUN_GENERATION $$ $PPID" >>begun
until [ -e open ]; do sleep 0.01; done
sleep "0.0$(($(od -An -N1 -tu1 /dev/urandom) % 100))"
echo "$LOCKRUN_GENERATION $status" >>ending
exit $status
END
chmod +x command

# The newest run: its generation, its command, its lockrun.
newest() { read -r generation command leader < <(tail -n 1 begun); }

kill_at_random() {
	local i=$((RANDOM % joiners))
	sleep "0.0$((RANDOM % 90))"
	case $((RANDOM % 6)) in
	0 | 1)
		newest
		echo "$leader" >>killed
		kill -KILL "$leader" && killed_leaders=$((killed_leaders + 1))
		;;
	2)
		newest
		echo "$generation" >>shot
		kill -KILL "$command" && killed_commands=$((killed_commands + 1))
		;;
	3)
		newest
		echo "$leader" >>killed
		kill -KILL "$leader" "$command" && killed_leaders=$((killed_leaders + 1))
		;;
	*)
		echo "${pids[i]}" >>killed
		kill -KILL "${pids[i]}" && killed_joiners=$((killed_joiners + 1))
		;;
	esac 2>/dev/null
}

# What each one's end says. claims: "GENERATION STATUS", of those who joined; own: of those who led.
gather() {
	local i status
	: >claims
	: >own
	for ((i = 0; i < joiners; i++)); do
		status=0
		wait "${pids[i]}" || status=$?
		echo "$i ${pids[i]} $status"
	done >statuses
	awk '
		function value(key) { return match($0, "\"" key "\":[0-9]*") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : "" }
		FILENAME == "killed" { killed[$1] = 1; next }
		FILENAME == "statuses" { pid["events." $1] = $2; status["events." $1] = $3; next }
		/^{"type":"joined"/ { joined[FILENAME] = 1 }
		/^{"type":"leading"/ { led[FILENAME] = 1 }
		/^{"type":"stopped"/ { generation[FILENAME] = value("generation"); stopped[FILENAME] = 1 }
		END {
			for (file in pid) {
				if (!(file in stopped))
					strange += !(pid[file] in killed)
				else if (file in joined)
					print generation[file], status[file] >"claims"
				else if (file in led && pid[file] in killed)
					continue # as its last deed; it has not told its status
				else if (file in led)
					print generation[file], status[file] >"own"
				else if (status[file] == 74)
					unknown++
				else
					strange++
			}
			print unknown + 0, strange + 0 >"others"
		}' killed statuses events.*
	read -r i status <others
	unknown=$((unknown + i)) strange=$((strange + status))
}

# is_true GENERATION STATUS
is_true() {
	if grep -q "^$1 " own; then
		grep -qx "$1 $2" own
	else
		grep -qx "$1 $2" ending || { [ "$2" = 137 ] && grep -qx "$1" shot; }
	fi
}

judge() {
	local generation status begun ended count
	while read -r count generation status; do
		statuses=$((statuses + count))
		is_true "$generation" "$status" && continue
		lies=$((lies + count))
		echo "round $round: generation $generation: $count who joined got $status"
	done < <(sort claims | uniq -c)
	begun=$(wc -l <begun)
	# Those that nobody reported: their lockrun was killed.
	ended=$(cat claims own | cut -d' ' -f1 | sort -u | wc -l)
	runs=$((runs + begun))
	lost=$((lost + begun - ended))
	more=$((more + (ended > 1 ? ended - 1 : 0)))
}

for ((round = 1; round <= rounds; round++)); do
	mkdir "round.$round" && cd "round.$round" || exit 2
	: >begun; : >ending; : >killed; : >shot
	pids=()
	for ((i = 0; i < joiners; i++)); do
		"$lockrun" -q --join --events "events.$i" -d "$PWD/state" "$lock" -- ../command 2>>said &
		pids+=($!)
	done
	# All have come before the first run may end.
	for ((i = 0; i < joiners; i++)); do
		until [ -s "events.$i" ]; do sleep 0.1; done
	done
	until [ -s begun ]; do sleep 0.1; done
	[ $((RANDOM % 2)) = 0 ] || kill_at_random
	: >open
	for ((i = RANDOM % 8; i > 0; i--)); do kill_at_random; done
	gather
	judge
	cd ..
	rm -rf "round.$round"
done
echo "$rounds rounds of $joiners, killed: $killed_joiners joiners, $killed_leaders leaders, $killed_commands commands;" \
	"runs $runs, lost $lost, more than needed $more; statuses shared $statuses, unknown $unknown;" \
	"statuses that lie $lies, ends without a reason $strange"
