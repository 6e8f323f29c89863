#!/usr/bin/env bats
# The state directory: where it is, who may use it, what is refused, and that nothing is lost.
load helper

# refused TEXT [OPTION...]: 69 with one line that holds TEXT, and nothing ran.
refused() {
	local text=$1
	shift
	run -69 timeout -s KILL "$PATIENCE" "$LOCKRUN" "$@" "$LOCK" -- touch ran
	[ ! -e ran ] || { echo "it ran"; return 1; }
	[ "${#lines[@]}" = 1 ] || { echo "not one line: $output"; return 1; }
	[[ "$output" == "lockrun: "*"$text"* ]] || { echo "other text: $output"; return 1; }
}

# inventory DIR...: everything below, its kind, mode, owner, place and last change.
inventory() {
	find "$@" -type f -printf '%p %m %U:%G %i %s %C@\n' -o -printf '%p %y %m %U:%G %i %l\n' | sort
}

# unchanged TEXT DIR...: refused, and not a byte below DIR... has changed.
unchanged() {
	local text=$1 before
	shift
	before=$(inventory "$@")
	refused "$text"
	[ "$before" = "$(inventory "$@")" ]
}

modes() { find "$LOCKRUN_DIR" -printf '%m %y %P\n' | sort -k3; }

@test "a directory that is made is private, whatever the umask" {
	for mask in 000 022 077 777; do
		rm -rf "$LOCKRUN_DIR"
		run -0 bash -c 'umask "$1"; exec "$2" "$3" -- sh -c "umask; ls -l \$LOCKRUN_DIR/\$LOCKRUN_NAME/q | grep -c ^-rw-------"' \
			sh "$mask" "$LOCKRUN" "$LOCK"
		[ "$output" = "$(printf '0%s\n1' "$mask")" ]
		[ "$(modes)" = "700 d 
700 d $LOCK
600 f $LOCK/ask
600 f $LOCK/lock
600 f $LOCK/number
700 d $LOCK/q
600 f $LOCK/terms" ]
	done
}

@test "a directory with the setgid bit is shared by its group, whatever the umask" {
	for mask in 000 077; do
		rm -rf "$LOCKRUN_DIR"
		mkdir "$LOCKRUN_DIR"
		chmod 2770 "$LOCKRUN_DIR"
		run -0 bash -c 'umask "$1"; exec "$2" "$3" -- sh -c "ls -l \$LOCKRUN_DIR/\$LOCKRUN_NAME/q | grep -c ^-rw-rw----"' \
			sh "$mask" "$LOCKRUN" "$LOCK"
		[ "$output" = 1 ]
		[ "$(modes)" = "2770 d 
2770 d $LOCK
660 f $LOCK/ask
660 f $LOCK/lock
660 f $LOCK/number
2770 d $LOCK/q
660 f $LOCK/terms" ]
	done
}

@test "a setgid bit that was only inherited shares nothing" {
	mkdir parent
	chmod 2700 parent
	LOCKRUN_DIR=$PWD/parent/state
	"$LOCKRUN" "$LOCK" -- true
	[ "$(find parent/state -type f -printf '%m\n' | sort -u)" = 600 ]
	[ -z "$(find parent/state -type d -perm /077)" ]
}

@test "-d before LOCKRUN_DIR, relative, with slashes at its end; empty means unset" {
	"$LOCKRUN" -d here "$LOCK" -- true
	[ -d "here/$LOCK" ]
	"$LOCKRUN" --dir="$PWD/here///" "$LOCK" -- sh -c '[ "$LOCKRUN_DIR" = "$1/here" ] && [ "$LOCKRUN_GENERATION" = 2 ]' sh "$PWD"
	cd here
	[ "$(LOCKRUN_DIR=. generation)" = 3 ]
	[ "$(LOCKRUN_DIR=../here/ generation)" = 4 ]
	[ ! -e "$LOCKRUN_DIR" ]
	[ "$(LOCKRUN_DIR=other generation)" = 1 ]
	[ -d "other/$LOCK" ]
}

@test "the same name in two directories: both lead" {
	hold
	run -0 "$LOCKRUN" -n -d elsewhere "$LOCK" -- true
	release
}

@test "a directory without the one above it is not made" {
	LOCKRUN_DIR=$PWD/typo/state
	refused "typo/state: the directory above it does not exist"
	[ ! -e typo ]
}

@test "a path that leaves no room for the names below it is refused" {
	LOCKRUN_DIR=$(printf "%s%0$((3900 - ${#PWD}))d" "$PWD" 0 | sed 's|0\{200\}|/&|g')
	refused "the path of the state directory is too long"
}

@test "a bare environment, as cron has it" {
	run -0 env -i "LOCKRUN_DIR=$LOCKRUN_DIR" "$LOCKRUN" "$LOCK" -- true
	run -0 env -i "$LOCKRUN" -d "$LOCKRUN_DIR" "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION'
	[ "$output" = 2 ]
}

# ---- what is refused ----

@test "DIR is a symbolic link" {
	mkdir victim
	ln -s victim link
	LOCKRUN_DIR=$PWD/link
	unchanged "link: the state directory must not be a symbolic link" victim link
	LOCKRUN_DIR=$PWD/link/
	unchanged "link: the state directory must not be a symbolic link" victim link
	ln -s nowhere dangling
	LOCKRUN_DIR=$PWD/dangling
	unchanged "dangling: the state directory must not be a symbolic link" dangling
	[ ! -e nowhere ]
}

@test "DIR is no directory" {
	: >file
	mkfifo fifo
	for LOCKRUN_DIR in "$PWD/file" "$PWD/fifo" /dev/null; do
		refused "$LOCKRUN_DIR: not a directory"
	done
	LOCKRUN_DIR=$PWD/file/state
	refused "file/state: "
}

@test "others may write to DIR or to NAME, sticky or not" {
	"$LOCKRUN" "$LOCK" -- true
	for mode in 0777 1777 0702 0770 1770 2777 2772; do
		chmod "$mode" "$LOCKRUN_DIR"
		unchanged "$LOCKRUN_DIR: others may write to it" "$LOCKRUN_DIR"
	done
	chmod 0700 "$LOCKRUN_DIR"
	for mode in 0777 0770 2777; do
		chmod "$mode" "$LOCKRUN_DIR/$LOCK"
		unchanged "$LOCK: others may write to it" "$LOCKRUN_DIR"
	done
	chmod 0755 "$LOCKRUN_DIR" "$LOCKRUN_DIR/$LOCK"
	[ "$(generation)" = 2 ]
}

@test "DIR or NAME belongs to somebody else" {
	needs_root
	"$LOCKRUN" "$LOCK" -- true
	chown 65534 "$LOCKRUN_DIR"
	unchanged "$LOCKRUN_DIR: the directory belongs neither to you nor to root" "$LOCKRUN_DIR"
	# Its group may not write to it: then the bit shares nothing.
	chmod 2755 "$LOCKRUN_DIR"
	unchanged "$LOCKRUN_DIR: the directory belongs neither to you nor to root" "$LOCKRUN_DIR"
	chmod 0700 "$LOCKRUN_DIR"
	chown 0 "$LOCKRUN_DIR"
	chown 65534 "$LOCKRUN_DIR/$LOCK"
	unchanged "$LOCK: the directory belongs neither to you nor to root" "$LOCKRUN_DIR"
}

@test "NAME is a link or a file" {
	mkdir -m 700 "$LOCKRUN_DIR" victim
	ln -s "$PWD/victim" "$LOCKRUN_DIR/$LOCK"
	unchanged "$LOCK: " "$LOCKRUN_DIR" victim
	rm "$LOCKRUN_DIR/$LOCK"
	echo precious >"$LOCKRUN_DIR/$LOCK"
	unchanged "$LOCK: " "$LOCKRUN_DIR"
}

# put KIND PATH: something there that lockrun never makes.
put() {
	rm -rf "$2"
	case $1 in
	fifo) mkfifo "$2" ;;
	link) ln -s "$PWD/victim" "$2" ;;
	dangling) ln -s "$PWD/nowhere" "$2" ;;
	directory) mkdir "$2" ;;
	full) mkdir "$2" && : >"$2/precious" ;;
	socket) perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die' "$2" ;;
	device) mknod "$2" c 1 3 2>/dev/null ;;
	esac
}

@test "a link, FIFO, directory, socket or device where a file belongs: 69 at once, victim unharmed" {
	"$LOCKRUN" "$LOCK" -- true
	echo precious >victim
	for file in lock number terms ask; do
		mv "$LOCKRUN_DIR/$LOCK/$file" kept
		for kind in link dangling fifo directory socket device; do
			put "$kind" "$LOCKRUN_DIR/$LOCK/$file" || continue
			unchanged "$LOCK/$file: " "$LOCKRUN_DIR/$LOCK" victim
			[ ! -e nowhere ]
		done
		rm -r "$LOCKRUN_DIR/$LOCK/$file"
		mv kept "$LOCKRUN_DIR/$LOCK/$file"
	done
	[ "$(generation)" = 2 ]
}

@test "a hard link where a file belongs, in a directory that a group shares: 69, victim unharmed" {
	mkdir "$LOCKRUN_DIR"
	chmod 2770 "$LOCKRUN_DIR"
	"$LOCKRUN" "$LOCK" -- true
	echo precious >victim
	for file in lock number terms ask; do
		mv "$LOCKRUN_DIR/$LOCK/$file" kept
		ln victim "$LOCKRUN_DIR/$LOCK/$file"
		unchanged "$LOCK/$file: a file that has another name as well" "$LOCKRUN_DIR/$LOCK" victim
		rm "$LOCKRUN_DIR/$LOCK/$file"
		mv kept "$LOCKRUN_DIR/$LOCK/$file"
	done
	ln victim "$LOCKRUN_DIR/floor"
	run -69 "$LOCKRUN" demo:v1:leader:new -- touch ran
	[ ! -e ran ]
	[[ "$output" == *"/floor: a file that has another name as well"* ]]
	[ "$(cat victim)" = precious ]
	rm "$LOCKRUN_DIR/floor"
	[ "$(generation)" = 2 ]
	# In one's own directory it is a copy that a backup has made.
	chmod 700 "$LOCKRUN_DIR" "$LOCKRUN_DIR/$LOCK"
	cp -al "$LOCKRUN_DIR" backup
	[ "$(generation)" = 3 ]
}

@test "something else where the queue belongs" {
	"$LOCKRUN" "$LOCK" -- true
	mkdir victim
	for kind in link dangling fifo socket device; do
		put "$kind" "$LOCKRUN_DIR/$LOCK/q" || continue
		unchanged "$LOCK/q: " "$LOCKRUN_DIR" victim
		[ ! -e nowhere ]
	done
}

@test "something else with the name of a ticket is nobody's, and stays" {
	"$LOCKRUN" "$LOCK" -- true
	echo precious >victim
	for kind in link dangling fifo full socket device; do
		put "$kind" "$LOCKRUN_DIR/$LOCK/q/00000000000000000001.00000000000000000001.1.1.xqh" || continue
		before=$(inventory "$LOCKRUN_DIR/$LOCK/q" victim)
		run -0 timeout -s KILL "$PATIENCE" "$LOCKRUN" -n "$LOCK" -- true
		run -0 timeout -s KILL "$PATIENCE" "$LOCKRUN" "$LOCK" -- true
		[ "$before" = "$(inventory "$LOCKRUN_DIR/$LOCK/q" victim)" ]
		[ ! -e nowhere ]
	done
}

@test "started set-user-ID or set-group-ID: every subcommand refuses, and nothing is made" {
	needs_root
	local word
	make_open_dir
	cd "$OPEN_DIR"
	for word in --ruid=4001 '--rgid=4001 --clear-groups'; do
		run -125 setpriv $word ./lockrun -d here --on-unavailable run "$LOCK" -- touch ran
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == "lockrun: this program: started with another user's or group's rights"*'nothing was run'* ]]
		run -125 setpriv $word ./lockrun name "$LOCK"
		run -125 setpriv $word ./lockrun doctor here
		run -125 setpriv $word ./lockrun fence here -- touch ran
	done
	[ ! -e here ] && [ ! -e ran ]
	# Both of a pair at once, as sudo changes them, is what it should be.
	run -0 setpriv --reuid=4001 --regid=4001 --clear-groups ./lockrun name "$LOCK"
}

@test "other names in the queue are left alone" {
	"$LOCKRUN" "$LOCK" -- true
	for name in 1.1.1.1.xqh .new-x .hidden note.txt "$(printf 'a\nb')" 00000000000000000001.00000000000000000001.1.1.zqh; do
		: >"$LOCKRUN_DIR/$LOCK/q/$name"
	done
	before=$(inventory "$LOCKRUN_DIR/$LOCK/q")
	run -0 "$LOCKRUN" -n "$LOCK" -- true
	[ "$before" = "$(inventory "$LOCKRUN_DIR/$LOCK/q")" ]
}

@test "what a cleaner took away is made anew, but for the number" {
	[ "$(generation)" = 1 ]
	rm "$LOCKRUN_DIR/$LOCK/lock"
	[ "$(generation)" = 2 ]
	rm -r "$LOCKRUN_DIR/$LOCK/q"
	# By those who contend, not by those who look.
	"$LOCKRUN" status "$LOCK"
	"$LOCKRUN" watch --until-end "$LOCK"
	[ ! -e "$LOCKRUN_DIR/$LOCK/q" ]
	[ "$(generation)" = 3 ]
	rm "$LOCKRUN_DIR/$LOCK/ask" "$LOCKRUN_DIR/$LOCK/terms"
	[ "$(generation)" = 4 ]
	grep -aq "generation=4 stage=ended" "$LOCKRUN_DIR/$LOCK/terms"
	[ "$(stat -c %s "$LOCKRUN_DIR/$LOCK/terms")" = 66560 ]
	rm "$LOCKRUN_DIR/$LOCK/number"
	unchanged "$LOCK/number: the generation number is missing" "$LOCKRUN_DIR"
	: >"$LOCKRUN_DIR/$LOCK/number"
	unchanged "$LOCK/number: both copies of the generation number are damaged" "$LOCKRUN_DIR"
	# An empty one may have lost its number as well.
	rm -r "${LOCKRUN_DIR:?}/$LOCK"
	mkdir -m 700 "$LOCKRUN_DIR/$LOCK"
	refused "$LOCK/number: the generation number is missing"
}

@test "the record of a term that cannot be read stops nobody" {
	"$LOCKRUN" "$LOCK" -- true
	printf 'garbage' >"$LOCKRUN_DIR/$LOCK/terms"
	[ "$(generation)" = 2 ]
	printf 'garbage without an end' >"$LOCKRUN_DIR/$LOCK/ask"
	[ "$(generation)" = 3 ]
	run -0 "$LOCKRUN" status "$LOCK"
}

@test "a terabyte of nothing in each file of a lock holds nobody up" {
	local q=$LOCKRUN_DIR/$LOCK/q
	"$LOCKRUN" "$LOCK" -- true
	# A hole, which costs no room.
	grown() { truncate -s 1T "$LOCKRUN_DIR/$LOCK/"{lock,number,terms,ask,skips} "$@"; }
	grown || skip "no file of a terabyte can be made here"
	lead -q "$LOCK" sh -c 'trap "exit 3" TERM; : >led; while :; do sleep 0.02; done'
	await test -e led
	grown "$q"/*
	run -75 timeout "$PATIENCE" "$LOCKRUN" -n "$LOCK" -- true
	timeout "$PATIENCE" "$LOCKRUN" status "$LOCK"
	timeout "$PATIENCE" "$LOCKRUN" history "$LOCK"
	timeout "$PATIENCE" "$LOCKRUN" stop -q "$LOCK"
	ends 124 "$STARTED"
	[ "$(generation)" = 3 ]
	[ "$(stat -c %s "$LOCKRUN_DIR/$LOCK/lock")" = 1099511627776 ]
}

# ---- users ----

# a_world: /mnt is a place where any user may run lockrun, with homes for users 65534 and 4001.
a_world() {
	mount -t tmpfs -o mode=755 none /mnt
	mkdir /mnt/bin /mnt/home /mnt/lib /mnt/stray
	cp "$LOCKRUN" /mnt/bin/lockrun
	chown 65534:65534 /mnt/home
	chmod 777 /mnt/stray
	grep -v ':x:\(65534\|0\):' /etc/passwd >/mnt/passwd || true
	echo 'root:x:0:0:root:/mnt/roothome:/bin/sh' >>/mnt/passwd
	echo 'somebody:x:65534:65534::/mnt/home:/bin/sh' >>/mnt/passwd
	mount --bind /mnt/passwd /etc/passwd
	unset LOCKRUN_DIR
	cd /mnt
}

# as USER COMMAND...: in the background, `start setpriv` keeps the pid.
as() {
	local user=$1
	shift
	setpriv --reuid="$user" --regid=65534 --clear-groups "$@"
}

default_places() {
	a_world
	mount -t tmpfs -o mode=755 none /var/lib
	export HOME=/mnt/stray XDG_STATE_HOME=/mnt/stray XDG_RUNTIME_DIR=/mnt/stray
	bin/lockrun "$LOCK" -- true
	[ "$(stat -c '%a %u' /var/lib/lockrun "/var/lib/lockrun/$LOCK")" = "$(printf '700 0\n700 0')" ]
	as 65534 bin/lockrun "$LOCK" -- true
	state=/mnt/home/.local/state/lockrun
	[ "$(stat -c '%a %u' /mnt/home/.local /mnt/home/.local/state $state "$state/$LOCK")" = "$(printf '700 65534\n%.0s' 1 2 3 4)" ]
	# With another HOME and without any: the same lock.
	[ "$(as 65534 env -i bin/lockrun "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION in $LOCKRUN_DIR')" = "2 in $state" ]
	# root's own is another one.
	[ "$(env -i bin/lockrun "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION in $LOCKRUN_DIR')" = "2 in /var/lib/lockrun" ]
	[ -z "$(ls -A /mnt/stray)" ]
}

@test "the default place goes by the password database, not by the environment" {
	needs_root
	private_mounts default_places
}

no_account() {
	a_world
	status=0
	as 4002 env HOME=/mnt/stray bin/lockrun "$LOCK" -- touch /mnt/stray/ran 2>/mnt/message || status=$?
	[ "$status" = 69 ]
	[ "$(wc -l </mnt/message)" = 1 ]
	grep -q "^lockrun: user 4002: no entry in the password database.*LOCKRUN_DIR" /mnt/message
	[ -z "$(ls -A /mnt/stray)" ]
	mkdir /mnt/own
	chown 4002 /mnt/own
	chmod 700 /mnt/own
	as 4002 bin/lockrun -d /mnt/own "$LOCK" -- true
}

@test "a user without an entry in the password database is told to name a directory" {
	needs_root
	private_mounts no_account
}

shared_by_two() {
	a_world
	mkdir /mnt/shared
	chown 0:65534 /mnt/shared
	chmod "$1" /mnt/shared
	export LOCKRUN_DIR=/mnt/shared
	as 4001 sh -c 'umask 077; exec bin/lockrun "$1" -- true' sh "$LOCK"
	# What the kernel protects is a file that belongs neither to its directory's owner nor to us.
	chown 0 "/mnt/shared/$LOCK"
	chmod "$1" "/mnt/shared/$LOCK"
	[ "$(as 65534 bin/lockrun "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION')" = 2 ]
	# One waits for the other, in one queue.
	cd /mnt/stray
	mkfifo -m 666 go
	start setpriv --reuid=4001 --regid=65534 --clear-groups \
		/mnt/bin/lockrun "$LOCK" -- sh -c 'umask 0; echo 1 >>order; cat go'
	leader=$STARTED
	await is_holding 1
	start setpriv --reuid=65534 --regid=65534 --clear-groups \
		/mnt/bin/lockrun "$LOCK" -- sh -c 'echo 2 >>order'
	second=$STARTED
	await has_ticket "$second"
	start setpriv --reuid=4001 --regid=65534 --clear-groups \
		/mnt/bin/lockrun "$LOCK" -- sh -c 'echo 3 >>order'
	third=$STARTED
	await has_ticket "$third"
	status=0
	as 65534 /mnt/bin/lockrun -n "$LOCK" -- touch barged 2>message || status=$?
	[ "$status" = 75 ]
	[ ! -e barged ]
	# What one leaves behind when killed does not stop the other.
	kill -KILL "$second"
	: >go
	wait "$leader" "$third"
	[ "$(cat order)" = "$(printf '1\n3')" ]
	[ "$(as 65534 /mnt/bin/lockrun -n "$LOCK" -- sh -c 'echo $LOCKRUN_GENERATION')" = 5 ]
	# Who is not in the group is not let in.
	status=0
	setpriv --reuid=4003 --regid=4003 --clear-groups /mnt/bin/lockrun "$LOCK" -- true 2>message || status=$?
	[ "$status" = 69 ]
	[ "$(wc -l <message)" = 1 ]
}

@test "two users of a group share a lock" {
	needs_root
	private_mounts shared_by_two 2770
}

teardown() {
	if [ -e "$BATS_TEST_TMPDIR/protected" ]; then
		cat "$BATS_TEST_TMPDIR/protected" >/proc/sys/fs/protected_regular
	fi
	common_teardown
}

@test "two users share a lock in a sticky directory that the kernel protects" {
	needs_root
	cat /proc/sys/fs/protected_regular >protected || skip "no fs.protected_regular here"
	mv protected "$BATS_TEST_TMPDIR/protected"
	echo 2 2>/dev/null >/proc/sys/fs/protected_regular || skip "fs.protected_regular cannot be set here"
	private_mounts shared_by_two 3770
}

unreadable() {
	a_world
	mkdir -m 700 /mnt/secret
	cd /mnt/stray
	status=0
	as 65534 /mnt/bin/lockrun -d /mnt/secret "$LOCK" -- touch ran 2>message || status=$?
	[ "$status" = 69 ]
	grep -q '^lockrun: /mnt/secret: .*Permission denied' message
	[ "$(wc -l <message)" = 1 ]
	# Files that a user cannot read, in a directory that it can use.
	mkdir -m 700 own
	chown 65534 own
	as 65534 /mnt/bin/lockrun -d own "$LOCK" -- true
	for file in lock number terms ask; do
		chown 0 "own/$LOCK/$file"
		status=0
		as 65534 /mnt/bin/lockrun -d own "$LOCK" -- touch ran 2>message || status=$?
		[ "$status" = 69 ]
		[ "$(wc -l <message)" = 1 ]
		grep -q "$LOCK/$file: .*Permission denied" message
		chown 65534 "own/$LOCK/$file"
	done
	[ ! -e ran ]
	# A directory of root's that anybody may enter, but not write to.
	mkdir -m 755 public
	status=0
	as 65534 /mnt/bin/lockrun -d public "$LOCK" -- touch ran 2>message || status=$?
	[ "$status" = 69 ]
	[ "$(wc -l <message)" = 1 ]
	[ -z "$(ls -A public)" ]
}

@test "what a user may not read or write: 69 and which file it is" {
	needs_root
	private_mounts unreadable
}

# ---- disks ----

read_only() {
	mkdir disk
	mount -t tmpfs -o mode=755 none disk
	"$LOCKRUN" -d disk "$LOCK" -- true
	mount -o remount,ro disk
	for arguments in "-d disk" "-n -d disk" "-d disk/state"; do
		status=0
		"$LOCKRUN" $arguments "$LOCK" -- touch ran 2>message || status=$?
		[ "$status" = 69 ]
		[ "$(wc -l <message)" = 1 ]
		grep -q "^lockrun: $PWD/disk/.*Read-only file system" message
	done
	[ ! -e ran ]
	"$LOCKRUN" -d disk status "$LOCK" >/dev/null || "$LOCKRUN" status -d disk "$LOCK" >/dev/null
}

@test "a read-only file system: 69, and status still works" {
	private_mounts read_only
}

full() {
	mkdir disk
	mount -t tmpfs -o mode=700,size=256k,nr_inodes=200 none disk
	dd if=/dev/zero of=disk/fill bs=4k status=none 2>/dev/null || true
	before=$(find disk | sort)
	status=0
	"$LOCKRUN" -d disk "$LOCK" -- touch ran 2>message || status=$?
	[ "$status" = 69 ]
	[ "$(wc -l <message)" = 1 ]
	grep -q "disk.*No space left on device" message
	# No half of a lock is left.
	[ "$(find disk | sort)" = "$before" ]
	rm disk/fill
	mkdir disk/many
	n=0
	while : 2>/dev/null >"disk/many/$((n++))"; do :; done
	status=0
	"$LOCKRUN" -d disk "$LOCK" -- touch ran 2>message || status=$?
	[ "$status" = 69 ]
	[ ! -e ran ]
	[ "$(find disk -maxdepth 1 | sort)" = "$(printf 'disk\ndisk/many')" ]
	rm -r disk/many
	"$LOCKRUN" -d disk "$LOCK" -- touch ran
	[ -e ran ]
}

@test "a full disk where a lock is new: 69, and no half of it is left" {
	private_mounts full
}
