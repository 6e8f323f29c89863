#!/usr/bin/env bats
# The table of README.md that sets lockrun beside other programs: each cell is tried, with the options
# that stand in it. Needs daemontools, s6, GNU parallel and moreutils.
load ../helper

README=$TESTS/../README.md
TOOLS=(lockrun flock setlock s6-setlock sem lckdo)

setup() {
	common_setup
	# sem keeps its locks there, and says thanks once.
	export HOME=$PWD/home
	mkdir -p home/.parallel
	touch home/.parallel/will-cite
	for tool in "${TOOLS[@]}"; do
		command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; return 1; }
	done
}

# cell ROW TOOL: what stands there, without the marks.
cell() {
	awk -F' *[|] *' -v row="$1" -v tool="$2" '
		/^## / { inside = $0 == "## Beside other programs" }
		inside && $3 == "lockrun" { for (i = 3; i < NF; i++) column[$i] = i }
		inside && $2 == row { gsub(/`/, "", $column[tool]); print $column[tool]; found = 1 }
		END { exit !found }' "$README"
}

# is ROW TOOL VALUE: what was seen is what stands there.
is() {
	[ "$(cell "$1" "$2")" = "$3" ] ||
		{ echo "$1, $2: the table says $(cell "$1" "$2"), seen: $3" >&2; return 1; }
}

# locked TOOL OPTIONS COMMAND...: by that one. It becomes the tool: start it, or call it in a subshell.
locked() {
	local tool=$1 options=$2
	shift 2
	case $tool in
	lockrun) exec lockrun $options "$LOCK" -- "$@" ;;
	sem) exec sem --fg --id lock $options "$(printf '%q ' "$@")" ;;
	*) exec "$tool" $options FILE "$@" ;;
	esac
}

# tries TOOL: whether it gets the lock now.
tries() {
	local option=-n
	case $1 in
	sem) option='--st -1' ;;
	lckdo) option= ;;
	esac
	(locked "$1" "$option" true) 3>&- 2>/dev/null
}

# occupy TOOL [OPTIONS]: it holds the lock, in $STARTED, until `vacate`; its command is in the file `pid`.
occupy() {
	rm -f pid go
	mkfifo go
	start locked "$1" "${2-}" sh -c 'trap "" TERM; echo $$ >pid; read -r _ <go' 2>/dev/null
	await test -s pid
}
vacate() {
	echo >go
	await is_gone "$(cat pid)"
	{ wait "$STARTED" || true; } 2>/dev/null
}

@test "when the lock is busy" {
	local seen
	for tool in "${TOOLS[@]}"; do
		occupy "$tool"
		seen=0
		tries "$tool" || seen=$?
		is 'status when the lock is busy' "$tool" "$seen"
		for row in 'a skip is a success' 'waits for a second at most'; do
			options=$(cell "$row" "$tool")
			[ "$options" != - ] || continue
			[[ "$row" == waits* ]] || [ "$tool" = setlock ] || options="-n $options"
			seen=0
			(locked "$tool" "$options" touch ran) 3>&- 2>/dev/null || seen=$?
			[ ! -e ran ]
			case $row in
			a*) [ "$seen" -eq 0 ] ;;
			*) [ "$seen" -ne 0 ] ;;
			esac
		done
		vacate
		tries "$tool"
	done
}

@test "several share the lock" {
	for tool in "${TOOLS[@]}"; do
		options=$(cell 'several share the lock' "$tool")
		[ "$options" != - ] || continue
		occupy "$tool" "$options"
		(locked "$tool" "$options" touch ran) 3>&-
		[ -e ran ]
		rm ran
		vacate
	done
}

@test "what is told of a command that was killed" {
	local seen
	for tool in "${TOOLS[@]}"; do
		seen=0
		(locked "$tool" '' sh -c 'kill -9 $$') 3>&- 2>/dev/null || seen=$?
		is 'status after `kill -9` of the command' "$tool" "$seen"
	done
}

@test "the program is killed, and its command goes on" {
	local seen
	for tool in "${TOOLS[@]}"; do
		occupy "$tool"
		if [ "$(cat pid)" = "$STARTED" ]; then
			seen='is the command'
		else
			kill -KILL "$STARTED"
			await is_gone "$STARTED"
			not is_gone "$(cat pid)"
			seen=free
			tries "$tool" || seen=held
			not is_gone "$(cat pid)"
		fi
		is 'killed itself, the command lives on, the lock is' "$tool" "$seen"
		vacate
	done
}

@test "a daemon that the command leaves behind" {
	local seen
	for tool in "${TOOLS[@]}"; do
		(locked "$tool" '' sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >daemon') 3>&-
		not is_gone "$(cat daemon)"
		seen=no
		tries "$tool" || seen=yes
		kill -KILL "$(cat daemon)"
		is 'a daemon left behind keeps the lock' "$tool" "$seen"
	done
}

@test "a command that takes too long" {
	for tool in "${TOOLS[@]}"; do
		options=$(cell 'ends a command that takes too long' "$tool")
		[ "$options" != - ] || continue
		seen=0
		(locked "$tool" "$options" sh -c 'echo $$ >pid; exec sleep 600') 3>&- 2>/dev/null || seen=$?
		[ "$seen" -ne 0 ]
		await is_gone "$(cat pid)"
	done
}

@test "what they lock with" {
	local seen inode
	for tool in "${TOOLS[@]}"; do
		occupy "$tool"
		inode=$(stat -c %i "$([ "$tool" = lockrun ] && echo "$LOCKRUN_DIR/$LOCK/lock" || echo FILE)")
		seen='its own'
		grep -q ": POSIX .*:$inode " /proc/locks && [ "$tool" != sem ] && seen=POSIX
		grep -q ": FLOCK .*:$inode " /proc/locks && [ "$tool" != sem ] && seen=flock
		is 'what it locks with' "$tool" "$seen"
		vacate
	done
	# So these exclude each other, and those do not.
	occupy flock
	not tries setlock
	tries s6-setlock
	vacate
	occupy lckdo
	not tries s6-setlock
	tries flock
	vacate
}
