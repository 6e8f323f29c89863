#!/usr/bin/env bats
# The recipes of tests/recipes, each with the real thing and with lockrun where `make install` puts it:
# below /usr/local, in a mount namespace of the test. Needs cron, runit, systemd, sqlite3 and
# python3-yaml.
load ../helper
load ../manual

RECIPES=$TESTS/recipes

setup_file() {
	unset MAKEFLAGS MAKELEVEL MFLAGS
	make -s -C "$TESTS/.." BUILD="$(dirname "$LOCKRUN")" install DESTDIR="$BATS_FILE_TMPDIR/root"
}

setup() {
	common_setup
	ROOT=$PWD/root
	cp -r "$BATS_FILE_TMPDIR/root" .
	mkdir -p root/opt root/usr/sbin
	# The one that is installed, and no other one.
	PATH=/usr/local/bin:${PATH#"${LOCKRUN%/*}:"}
}

# find_inside: how to run something where $ROOT lies over the system: "${INSIDE[@]}" COMMAND...
find_inside() {
	local how
	for how in -m -rm; do
		unshare "$how" mount -t overlay none -o "lowerdir=$ROOT/usr:/usr" /usr 2>/dev/null || continue
		INSIDE=(unshare "$how" sh -ec 'mount -t overlay none -o "lowerdir=$0/usr:/usr" /usr
			mount --bind "$0/opt" /opt; exec env --default-signal "$@"' "$ROOT")
		return
	done
	skip "no overlay can be mounted here"
}

# program NAME LINE...: a program in /opt, or with a path in the working directory. Its name goes to the
# file `log` first.
program() {
	local file=$1
	shift
	[[ $file == */* ]] || file=root/opt/$file
	{ echo '#!/bin/sh'; echo "cd '$PWD'; echo \"\${0##*/}\${*:+ \$*}\" >>log"; printf '%s\n' "$@"; } >"$file"
	chmod +x "$file"
}
log_is() { [ "$(paste -sd, log)" = "$*" ] || { cat log >&2; return 1; }; }
logged() { grep -qsx -- "$1" log; }

@test "every recipe is named in lockrun(7), and tried here" {
	files=$(cd "$RECIPES" && find . -type f | sed 's|^\./||')
	agree "$RECIPES" "$files" 'RECIPES of lockrun(7)' \
		"$(section "$TESTS/../man/lockrun.7" RECIPES | sed -n 's/^\.It Pa //p')"
	for file in $files; do
		# systemd-analyze reads all of its directory.
		[[ $file == systemd/* ]] || grep -v '^@test' "$BATS_TEST_FILENAME" | grep -qF "RECIPES/$file"
	done
}

# ---- cron ----

# with_cron COMMAND...: where cron finds nothing but what the test has put there.
with_cron() {
	exec "${INSIDE[@]}" sh -ec 'mount -t tmpfs none /run
		mount --bind "$0/spool" /var/spool/cron/crontabs
		mount --bind "$0/nothing" /etc/crontab
		mount --bind "$0/none" /etc/cron.d
		exec "$@"' "$PWD" "$@"
}
early() { [[ $(date +%S) != 5[789] ]]; }
mails() { compgen -G 'mail.*' >/dev/null; }
all_gone() {
	local pid
	for pid in "$@"; do is_gone "$pid" || return 1; done
}

@test "cron: starts the job, skips without a word, and mails the line about one that is in the way too long" {
	PATIENCE=90
	needs_root
	find_inside
	mkdir spool none
	: >nothing
	chown root:crontab spool
	chmod 1730 spool
	printf '#!/bin/sh\ncat >"%s/part.$$"; mv "%s/part.$$" "%s/mail.$$"\n' "$PWD" "$PWD" "$PWD" >root/usr/sbin/sendmail
	chmod +x root/usr/sbin/sendmail
	mkfifo go
	program sync "read -r _ <go"
	program rebuild
	local sync=shop:v1:single-flight:sync old=shop:v1:single-flight:old
	# As it is printed, but each minute; the sync also at the start of cron, and once more for a lock
	# that is held for longer than its line bears.
	{
		printf '%s\n' "LOCKRUN_DIR=$LOCKRUN_DIR" "LOCKRUN_TEST_MARK=$LOCKRUN_TEST_MARK"
		sed -E 's/^[0-9*][^ ]*( [^ ]+){4} /* * * * * /' "$RECIPES/crontab"
		sed -nE 's/^\*[^ ]*( [^ ]+){4} /@reboot /p' "$RECIPES/crontab"
		sed -nE "s/^\*[^ ]*( [^ ]+){4} /* * * * * /; s/$sync/$old/; s/15m/1s/; /$old/p" "$RECIPES/crontab"
	} >table
	hold "$old"
	(with_cron crontab table)
	# Not in the last moment of a minute: the first sync is to be there before the next one.
	await early
	start with_cron cron -f
	cron=$STARTED
	await logged sync
	# The next minute: the sync is skipped, the rebuild waits, the third one complains.
	await test -s "$LOCKRUN_DIR/$sync/skips"
	await is_pending 1 "$sync"
	await mails
	jobs=$(children_of "$cron")
	kill "$cron"
	echo >go
	await logged rebuild
	await all_gone $jobs
	log_is sync,rebuild
	[ "$(ls mail.* | wc -l)" -eq 1 ]
	[ "$(sed '1,/^$/d' mail.* | wc -l)" -eq 1 ]
	sed '1,/^$/d' mail.* | grep -q "^lockrun: $old: held by pid $HOLDER (sh) for .*; nothing was run\$"
	await is_gone "$cron"
	{ wait "$cron" || true; } 2>/dev/null
	release "$old"
}

# ---- runit, systemd ----

# A daemon that ends when it is told to.
DAEMON=("trap 'echo TERM >>log; exit 0' TERM" 'echo $$ >pid' 'while :; do sleep 0.02; done')

@test "runit: the daemon is the service" {
	find_inside
	mkdir -p services/mailer
	cp "$RECIPES/runit/run" services/mailer
	program mailer "${DAEMON[@]}"
	start "${INSIDE[@]}" runsvdir -P services
	supervisor=$STARTED
	await test -s pid
	log_is 'mailer --foreground'
	export SVDIR=$PWD/services
	[[ "$(sv status mailer)" == "run: mailer: (pid $(cat pid)) "* ]]
	run -75 "${INSIDE[@]}" lockrun -n shop:v1:leader:mailer -- true
	sv -w "$PATIENCE" down mailer
	logged TERM
	"${INSIDE[@]}" lockrun -n shop:v1:leader:mailer -- true
	kill -HUP "$supervisor"
	ends 111 "$supervisor"
}

# exec_start UNIT: its command, for a shell.
exec_start() { sed -n 's/%n/"$0"/; s/^ExecStart=/exec /p' "$RECIPES/systemd/$1"; }
# seconds FILE EXPRESSION: what the expression finds there.
seconds() { sed -nE "s/$2/\\1/p" "$1"; }

@test "systemd: verify has nothing to say of the units" {
	find_inside
	command -v systemd-analyze >/dev/null
	run -0 "${INSIDE[@]}" systemd-analyze verify --man=no "$RECIPES"/systemd/*
	[ -z "$output" ] || { echo "$output" >&2; false; }
	# It is able to.
	sed 's/^KillMode=mixed/KillMode=mild/' "$RECIPES/systemd/shop-sync.service" >shop-sync.service
	run "${INSIDE[@]}" systemd-analyze verify --man=no ./shop-sync.service
	[[ "$output" == *"kill mode"* ]]
	# systemd has more patience than lockrun.
	for unit in "$RECIPES"/systemd/*.service; do
		grep -qx KillMode=mixed "$unit"
		[ "$(seconds "$unit" 'TimeoutStopSec=([0-9]+)s')" -gt "$(seconds "$unit" 'ExecStart=.* -k ([0-9]+)s .*')" ]
	done
}

@test "systemd: what the units start" {
	find_inside
	program sync
	"${INSIDE[@]}" sh -c "$(exec_start shop-sync.service)"
	log_is sync
	hold shop:v1:single-flight:sync
	"${INSIDE[@]}" sh -c "$(exec_start shop-sync.service)" 2>/dev/null
	log_is sync
	release shop:v1:single-flight:sync
	# With KillMode=mixed, SIGTERM comes to lockrun alone.
	program mailer "${DAEMON[@]}"
	start "${INSIDE[@]}" sh -c "$(exec_start shop-mailer@.service)" shop-mailer@1.service
	await test -s pid
	run -0 "${INSIDE[@]}" lockrun status shop:v1:leader:mailer
	[[ "$output" == *"(mailer"*", shop-mailer@1.service)"* ]]
	kill "$STARTED"
	ends 0 "$STARTED"
	log_is 'sync,mailer --foreground,TERM'
	is_gone "$(cat pid)"
}

# ---- CI ----

# value FILE KEY...: of a YAML file.
value() {
	python3 -c 'import sys, yaml
value = yaml.safe_load(open(sys.argv[1]))
for key in sys.argv[2:]: value = value[int(key) if key.isdigit() else key]
print(value)' "$@"
}

# fits FILE MINUTES: what starts lockrun has more patience than the lock, the term and the grace take.
fits() {
	local wait hold
	wait=$(seconds "$1" '.* -w ([0-9]+)m .*shop:v1.*')
	hold=$(seconds "$1" '.* -m ([0-9]+)m .*shop:v1.*')
	[ "$((wait + hold + 1))" -lt "$2" ]
}

@test "GitHub: a cancel is SIGINT and then SIGTERM to lockrun, which is through before SIGKILL" {
	find_inside
	value "$RECIPES/github.yml" jobs deploy steps 1 run >step.sh
	fits "$RECIPES/github.yml" "$(value "$RECIPES/github.yml" jobs deploy timeout-minutes)"
	[ "$(value "$RECIPES/github.yml" jobs deploy env LOCKRUN_DIR)" = /var/lib/lockrun-ci ]
	# One that ignores both.
	program ./deploy "trap 'echo INT >>log' INT" "trap 'echo TERM >>log' TERM" 'echo $$ >pid' \
		'while :; do sleep 0.02; done'
	# As the runner starts a step that names no shell.
	start "${INSIDE[@]}" bash -e "$PWD/step.sh" 2>said
	await test -s pid
	kill -INT "$STARTED"
	await logged INT
	not is_gone "$STARTED"
	kill -TERM "$STARTED"
	await is_gone "$STARTED"
	is_gone "$(cat pid)"
	{ wait "$STARTED" || true; } 2>/dev/null
	log_is deploy,INT,TERM
	# 2500 ms are left for that.
	grep -q '^exec lockrun .* -k 2s ' step.sh
	grep -q 'the grace is over; SIGKILL sent$' said
	"${INSIDE[@]}" lockrun -n shop:v1:mutation:deploy -- true
	# One that SIGINT ends.
	rm pid
	program ./deploy 'echo $$ >pid; exec sleep 600'
	start "${INSIDE[@]}" bash -e "$PWD/step.sh"
	await test -s pid
	kill -INT "$STARTED"
	ends 130 "$STARTED"
}

@test "GitLab: a cancel is SIGTERM to the whole group, and the lock stays held until the job is gone" {
	find_inside
	{ value "$RECIPES/gitlab.yml" deploy script 0; echo 'echo after >>log'; } >script.sh
	fits "$RECIPES/gitlab.yml" "$(value "$RECIPES/gitlab.yml" deploy timeout | tr -d m)"
	[ "$(value "$RECIPES/gitlab.yml" deploy variables LOCKRUN_NOTE)" = '$CI_JOB_URL' ]
	mkfifo go
	program ./deploy "trap 'echo TERM >>log; read -r _ <go; exit 0' TERM" 'echo $$ >pid' 'while :; do sleep 0.02; done'
	start setsid "${INSIDE[@]}" bash -e "$PWD/script.sh"
	await test -s pid
	lockrun=$(children_of "$STARTED")
	kill -TERM -- "-$STARTED"
	ends 143 "$STARTED"
	await logged TERM
	run -75 "${INSIDE[@]}" lockrun -n shop:v1:mutation:deploy -- true
	echo >go
	await is_gone $lockrun
	is_gone "$(cat pid)"
	"${INSIDE[@]}" lockrun -n shop:v1:mutation:deploy -- true
	not logged after
}

# ---- a container ----

# list WORD: of the Dockerfile, a word a line.
list() { sed -n "s/^$1 //p" "$RECIPES/Dockerfile" | python3 -c 'import json, sys; print(*json.load(sys.stdin), sep="\n")'; }

# container: as an engine would start one of the image, but for the files that come with Debian.
container() {
	local words
	mapfile -t words < <(list ENTRYPOINT; list CMD)
	exec unshare -m --pid --fork --kill-child sh -ec 'mount -t proc proc /proc
		mount -t overlay none -o "lowerdir=$0/root/usr:/usr" /usr
		mount -t tmpfs none /var/lib
		mkdir /var/lib/lockrun
		mount --bind "$0/volume" /var/lib/lockrun
		exec env -i PATH=/usr/bin:/bin LOCKRUN_TEST_MARK="$LOCKRUN_TEST_MARK" "$@"' "$PWD" \
		"$(sed -n 's/^ENV //p' "$RECIPES/Dockerfile")" "${words[@]}"
}

@test "Dockerfile: its commands build it, and two containers that share the volume take turns" {
	needs_root
	find_inside
	[ "$(grep -c '^FROM ' "$RECIPES/Dockerfile")" -eq 2 ]
	# It installs what README.md names.
	packages='gcc libc6-dev make pkg-config libbsd-dev'
	grep -q "^RUN apt-get update && apt-get install .* $packages\$" "$RECIPES/Dockerfile"
	grep -q "apt-get install -y $packages &&" "$TESTS/../README.md"
	command=$(sed -n 's/^RUN \(make .*\)/\1/p' "$RECIPES/Dockerfile")
	sh -c "${command/\/src/$TESTS\/..} -s BUILD=$PWD/build"
	read -r _ _ from to < <(grep '^COPY --from=build' "$RECIPES/Dockerfile")
	cp "${from/\/src\/build/build}" "root$to"
	mkdir volume
	export LOCKRUN_DIR=$PWD/volume
	start container
	first=$STARTED
	await is_holding 1 shop:v1:leader:mailer
	start container
	second=$STARTED
	await is_pending 1 shop:v1:leader:mailer
	# What an engine does to stop it: SIGTERM for pid 1.
	kill "$(children_of "$first")"
	ends 143 "$first"
	await is_pending 0 shop:v1:leader:mailer
	await is_holding 1 shop:v1:leader:mailer
	kill "$(children_of "$second")"
	ends 143 "$second"
	# The generations are those of the volume.
	[ "$(generation shop:v1:leader:mailer)" = 3 ]
}

# ---- scripts ----

# called SCRIPT: how its head says.
called() { sed -n 's/^#\tlockrun/lockrun/p' "$RECIPES/$1" | head -n 1; }

@test "migrate.sh: ten at once migrate once, and one that is killed in the middle leaves nothing half done" {
	find_inside
	cp "$RECIPES/migrate.sh" .
	make_shop() { rm -f shop.db; sqlite3 shop.db "CREATE TABLE customer (name TEXT); INSERT INTO customer VALUES ('ann'), ('bob'); PRAGMA user_version = 1"; }
	is_migrated() { [ "$(sqlite3 shop.db 'SELECT email FROM customer; PRAGMA user_version' | paste -sd,)" = ann@shop.example,bob@shop.example,2 ]; }
	make_shop
	seq 10 | "${INSIDE[@]}" xargs -P 10 -I {} sh -c "$(called migrate.sh)" 3>&-
	is_migrated
	[ "$(generation shop:v1:migration:schema)" = 11 ]
	# The first one dies when it has written, and before it commits.
	make_shop
	sqlite3=$(command -v sqlite3)
	mkdir bin
	printf '%s\n' '#!/bin/sh' "[ \"\$1\" = -bail ] && [ ! -e struck ] || exec $sqlite3 \"\$@\"" ': >struck' \
		"{ sed '/PRAGMA/,\$d'; echo '.shell kill -KILL \$PPID'; } | $sqlite3 \"\$@\"" >bin/sqlite3
	chmod +x bin/sqlite3
	PATH=$PWD/bin:$PATH run -137 "${INSIDE[@]}" sh -c "$(called migrate.sh)"
	[ -e struck ]
	[ -s shop.db-journal ]
	PATH=$PWD/bin:$PATH run -0 "${INSIDE[@]}" sh -c "$(called migrate.sh)"
	is_migrated
}

@test "deploy.sh: v4 begins when v3 has ended, and no old one leads after that" {
	find_inside
	# sync-all N: until SIGTERM.
	program sync-all "trap 'echo end \$1 >>log; exit 0' TERM" 'while :; do sleep 0.02; done'
	start "${INSIDE[@]}" lockrun shop:v3:leader:sync -- /opt/sync-all 3
	old=$STARTED
	await logged 'sync-all 3'
	start "${INSIDE[@]}" lockrun shop:v3:leader:sync -- /opt/sync-all 3
	standby=$STARTED
	await is_pending 1 shop:v3:leader:sync
	start "${INSIDE[@]}" "$RECIPES/deploy.sh" /opt/sync-all 4
	new=$STARTED
	await logged 'sync-all 4'
	ends 124 "$old"
	is_pending 1 shop:v3:leader:sync
	run -0 "${INSIDE[@]}" lockrun status shop:v4:leader:sync
	[[ "$output" == *'shop:v3:leader:sync is led as well'* ]]
	# The last old one goes, and then comes the next deploy.
	kill "$standby"
	ends 143 "$standby"
	next=$(called deploy.sh)
	start "${INSIDE[@]}" ${next/COMMAND//opt/sync-all 5}
	await logged 'sync-all 5'
	ends 124 "$new"
	"${INSIDE[@]}" lockrun -n shop:v3:leader:sync -- true
	"${INSIDE[@]}" lockrun stop shop:v4:leader:sync 2>/dev/null
	ends 124 "$STARTED"
	log_is 'sync-all 3,end 3,sync-all 4,end 4,sync-all 5,end 5'
}

@test "fifty.sh: no number is lost, and one image does for all" {
	find_inside
	# It ends when all the others are there.
	program ./make-image 'until [ "$(ls "$LOCKRUN_DIR/$LOCKRUN_NAME/q" | grep -c "w$")" -ge 49 ]; do sleep 0.05; done'
	run -0 "${INSIDE[@]}" "$RECIPES/fifty.sh"
	[ "${lines[0]}" = 50 ]
	log_is make-image
	[ "$(generation shop:v1:single-flight:image)" = 2 ]
}

@test "pid1.sh: lockrun is pid 1, collects what is left, and all ends with it" {
	needs_root
	find_inside
	program mailer 'sh -c "setsid sleep 600 &"' 'echo "$$ of $PPID" >of' 'exec sleep 600'
	start "${INSIDE[@]}" "$RECIPES/pid1.sh" /opt/mailer
	await test -s of
	[[ "$(cat of)" == *' of 1' ]]
	kill "$(children_of "$STARTED")"
	ends 143 "$STARTED"
	no_marked_processes
	"${INSIDE[@]}" lockrun -n shop:v1:leader:mailer -- true
}
