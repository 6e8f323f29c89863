#!/usr/bin/env bats
# lockrun-state(5) says what the files are: the program writes what its examples show, and reads
# them.
load helper
load manual

MANUAL=$TESTS/../man/lockrun-state.5
LOCK=shop:v3:leader:sync

setup() {
	common_setup
	HERE=$LOCKRUN_DIR/$LOCK
}

# about FILE: what the manual says about a file.
about() { section "$MANUAL" "dir/$1"; }
about_fence() { section "$MANUAL" "The file of a fence"; }

# example FILE: its example, each slot unfolded to one line.
example() {
	about "$1" | literal | awk '
		/^ / { sub(/^ +/, " "); line = line $0; next }
		{ if (NR > 1) print line; line = $0 }
		END { print line }'
}

# keys: of the words in what is read.
keys() { grep -oE '(^| )[a-z_-]+=' | tr -d ' ='; }

# shape: what is read, with whatever differs between two runs made equal.
shape() {
	sed -E -e 's/ +sum=[0-9a-f]{16}$/ sum=SUM/' -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/BOOT/' \
		-e 's/contender=[0-9a-f]{32}/contender=CONTENDER/' -e 's/[0-9]{20}/20DIGITS/g' \
		-e 's/[0-9]+/N/g'
}

# same_shape FILE: what is read looks like the example of that file.
same_shape() { diff <(example "$1" | shape | sort) <(shape | sort) >&2; }

# sum_of TEXT: 64-bit FNV-1a.
sum_of() {
	local hash=$((0xcbf29ce484222325)) code i
	for ((i = 0; i < ${#1}; i++)); do
		printf -v code %d "'${1:i:1}"
		hash=$(((hash ^ code) * 0x100000001b3))
	done
	printf '%016x' "$hash"
}

# slot SIZE LINE: the line of an example as it stands in the file. Its sum has to be right.
slot() {
	local text sum
	printf -v text '%-*s' $(($1 - 21)) "${2% sum=*}"
	sum=$(sum_of "$text")
	[ "${2##* sum=}" = "$sum" ] || { echo "the sum should be $sum: $2" >&2; return 1; }
	printf '%ssum=%s\n' "$text" "$sum"
}

# lead_example [OPTION...]: lead as the examples have it, until `release`.
lead_example() {
	mkfifo "hold.$LOCK"
	start "$LOCKRUN" "$@" --note 'deploy 12' "$LOCK" -- sh -c '
		trap "" HUP TERM
		[ -z "$WATCHDOG_USEC" ] || "$1" send "STATUS=3 of 10"
		: >held
		exec cat "hold.$0" >/dev/null' "$LOCK" "$PROBES/notify"
	HOLDER=$STARTED
	await test -e held
}

@test "each word of an example is explained, and nothing else is" {
	for file in NAME/number NAME/terms NAME/skips; do
		agree "the example of $file" "$(example "$file" | keys | grep -vx sum)" \
			"its list" "$(about "$file" | items Cm)"
	done
	agree "the example of a ticket" "$(example NAME/q/ | tail -n +2 | keys)" \
		"its list" "$(about NAME/q/ | items Cm)"
	agree "the example of ask" "$(example NAME/ask | cut -d' ' -f1)" \
		"its list" "$(about NAME/ask | items Cm)"
}

@test "the stages of a term are those of the program" {
	agree "the program" "$("$PROBES/interface" | sed -n 's/^stage //p')" \
		"lockrun-state(5)" "$(about NAME/terms | sed -n '/^\.It Cm stage/,/^\.It Cm pid/s/^\.Ql \([a-z]*\) :/\1/p')"
}

@test "every file has its section, and its modes are those of the table" {
	export LOCKRUN_DIR=$PWD/shared
	mkdir -m 2770 shared
	"$LOCKRUN" other:v1:leader:idle -- true
	"$LOCKRUN" prune --older-than 0
	lead_example
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	(cd shared && find . -printf '%P %m\n') |
		sed -e "s|^$LOCK|NAME|" -e 's|q/[0-9].*h |q/TICKET |' -e 's|^|dir/|' -e 's|^dir/ |dir |' >found
	release
	agree "a directory for a group" "$(sed 's/ 660$/ 0660/' found)" "Modes of lockrun-state(5)" "$(
		section "$MANUAL" Modes | sed -n 's/^\.It Pa \([^ ]*\) Ta [0-9]* Ta \([0-9]*\) Ta.*/\1 \2/p'
	)"
	agree "a directory for a group" "$(grep '660$' found | sed 's/ .*//; s|q/.*|q/|')" \
		"the sections of FILES" "$(sed -n 's|^\.Ss \(dir/.*[^/]\)$|\1|p; s|^\.Ss \(dir/NAME/q/\)$|\1|p' "$MANUAL")"
}

@test "the modes of a directory of one's own are those of the table" {
	"$LOCKRUN" other:v1:leader:idle -- true
	"$LOCKRUN" prune --older-than 0
	lead_example
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	found=$(cd "$LOCKRUN_DIR" && find . -printf '%P 0%m\n' |
		sed -e "s|^$LOCK|NAME|" -e 's|q/[0-9].*h |q/TICKET |' -e 's|^|dir/|' -e 's|^dir/ |dir |')
	release
	agree "a directory of one's own" "$found" "Modes of lockrun-state(5)" "$(
		section "$MANUAL" Modes | sed -n 's/^\.It Pa \([^ ]*\) Ta \([0-9]*\) Ta.*/\1 \2/p'
	)"
}

@test "the records are written as the examples show" {
	"$LOCKRUN" "$LOCK" -- true
	"$LOCKRUN" --note 'deploy 12' "$LOCK" -- sh -c 'echo $$ >pid'
	hold
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	release
	same_shape NAME/number <"$HERE/number"
	grep -a '^generation=2 \|^finished=' "$HERE/terms" | tee records | same_shape NAME/terms
	grep -q " command_pid=$(cat pid) " records
	same_shape NAME/skips <"$HERE/skips"
	"$LOCKRUN" prune --older-than 0
	same_shape floor <"$LOCKRUN_DIR/floor"
}

@test "a ticket and what is asked are written as the examples show" {
	lead_example -k never --watchdog 30s
	await grep -q '^report=3' "$HERE/q/"*
	(cd "$HERE/q" && ls && cat ./*) | same_shape NAME/q/
	"$LOCKRUN" signal "$LOCK" HUP
	start "$LOCKRUN" --replace --note 'deploy 12' "$LOCK" -- true
	next=$STARTED
	await grep -q replace "$HERE/ask"
	start "$LOCKRUN" stop --reason 'deploy 12' "$LOCK"
	await grep -q stop "$HERE/ask"
	same_shape NAME/ask <"$HERE/ask"
	: >"hold.$LOCK"
	ends 124 "$HOLDER"
	ends 0 "$STARTED"
	ends 0 "$next"
}

# put FILE PLACE LINE: the line of an example into a file, its place counted in slots.
put() {
	local size text
	case $1 in
	terms) size=1024 ;;
	*) size=256 ;;
	esac
	text=$(slot "$size" "$3") || return 1
	echo "$text" | dd of="$HERE/$1" bs="$size" seek="$2" conv=notrunc status=none
}

@test "the program reads the examples" {
	"$LOCKRUN" "$LOCK" -- true
	mapfile -t number < <(example NAME/number)
	mapfile -t terms < <(example NAME/terms)
	put number 0 "${number[0]}"
	put number 1 "${number[1]}"
	put terms 57 "${terms[0]}"
	put terms 64 "${terms[1]}"
	put skips 0 "$(example NAME/skips)"
	run -0 "$LOCKRUN" status --json "$LOCK"
	[[ "$output" == *'"generation":57,'*'"skips":21,"skips_since_begin":4'* ]]
	run -0 "$LOCKRUN" history "$LOCK"
	[[ "$output" == *" 57  "*" sh: finished, deploy 12"* ]]
	run -0 "$LOCKRUN" stats --json "$LOCK"
	[[ "$output" == *'"finished":41,"failed":12,"stepped_down":3,"not_started":1,'* ]]
}

@test "the program reads the example of a ticket" {
	"$LOCKRUN" "$LOCK" -- true
	ticket=$HERE/q/$(example NAME/q/ | head -n 1)
	example NAME/q/ | tail -n +2 >"$ticket"
	foreign "$ticket"
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *" leader "*" pid 6107 (sh, deploy 12) for "* ]]
	run -75 "$LOCKRUN" -n "$LOCK" -- true
	foreign_ends
}

@test "the program reads the example of a floor" {
	mkdir "$LOCKRUN_DIR"
	mapfile -t floor < <(example floor)
	{ slot 256 "${floor[0]}"; slot 256 "${floor[1]}"; } >"$LOCKRUN_DIR/floor"
	[ "$(generation)" = 58 ]
}

@test "the program hears the examples of what is asked" {
	for generation in 1 2; do
		[ "$generation" = 1 ] && verb=replace reason=replaced || verb=stop reason=stop
		lead_example -k never --events "events.$verb"
		# Under the lock: a leader that begins empties the file.
		example NAME/ask | sed -n "s/=57/=$generation/; /^$verb/p" | flock "$HERE/ask" tee -a "$HERE/ask" >&2
		await grep -q "\"stepping-down\".*\"$reason\".*\"deploy 12\"" "events.$verb"
		: >"hold.$LOCK"
		ends 124 "$HOLDER"
		rm -f held "hold.$LOCK"
	done
}

@test "the file of a fence is written as its example shows, and the program reads it" {
	export LOCKRUN_NAME=$LOCK LOCKRUN_GENERATION=57
	agree "the third slot" "$(about_fence | literal | tail -n 1 | keys | grep -vx sum)" "its list" "$(about_fence | items Cm)"
	"$LOCKRUN" fence made true
	diff <(about_fence | literal | shape) <(shape <made) >&2
	while read -r line; do
		slot 256 "$line"
	done < <(about_fence | literal) >shown
	chmod 600 shown
	"$LOCKRUN" fence shown true
	LOCKRUN_GENERATION=56 run -76 "$LOCKRUN" fence shown true
	[[ "$output" == *"seen 57, we are 56"* ]]
}
