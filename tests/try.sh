#!/bin/sh
# SPDX-License-Identifier: ISC
# `make try`: a small election to watch, in a directory of its own.
set -u
lockrun=$(realpath "${LOCKRUN:-build/lockrun}")
name=demo:v1:leader:report
place=$(mktemp -d) || exit 1
export LOCKRUN_DIR="$place/locks"
first='' second=''
trap 'kill $first $second 2>/dev/null; wait; rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
cd "$place" || exit 1

say() { printf '\n%s\n' "$*"; }

# show WHO ARGUMENT...: the command that is about to run.
show() { printf '%6s $ lockrun %s\n' "$1" "$2"; }

# tell WHO: what it has printed since the last time, without the clock.
tell() {
	cp "$1" seen.new
	tail -n "+$(($(wc -l <"seen.$1") + 1))" seen.new |
		sed "s/^[0-9-]*T[0-9:.]*Z //; s/^/$(printf '%6s' "$1") | /"
	mv seen.new "seen.$1"
}

# await WHO TEXT: until it has printed that; nothing here waits for a time.
await() {
	for _ in $(seq 200); do
		grep -q "$2" "$1" && return
		sleep 0.05
	done
	echo "$1 did not say \"$2\" within 10 seconds:" && cat "$1"
	exit 1
}

# The command that is to have one leader: it works until it finds something in its pipe.
mkfifo go
printf '#!/bin/sh\nread -r line <go\n' >make-report
chmod +x make-report
touch seen.first seen.second seen.third seen.answer

echo 'Two jobs must not run at the same time, so both ask for one lock, by its name.'
show first "-v $name -- ./make-report"
"$lockrun" -v $name -- ./make-report >first 2>&1 &
first=$!
await first 'leading'
tell first
show second "-v --max-hold 1s $name -- sleep 60"
"$lockrun" -v --max-hold 1s $name -- sleep 60 >second 2>&1 &
second=$!
await second 'waiting'
tell second

say 'Who leads, and who is next? Each term has a generation: a number that only grows.'
show '' "status $name"
"$lockrun" status $name >answer
tell answer

say 'A third one does not care to wait (-n). 75 tells it that nothing was run:'
show third "-n $name -- ./make-report"
"$lockrun" -n $name -- ./make-report >third 2>&1
echo "exit status $?" >>third
tell third

say 'The first one is done. The kernel knows at once, and the next in line leads:'
echo enough >go
wait $first
first=''
await second 'leading'
tell first
tell second

say 'The second one hangs. After --max-hold it has to step down, and 124 tells that:'
wait $second
echo "exit status $?" >>second
second=''
tell second
