#!/usr/bin/env bats
# Forgetting locks that nobody uses, and examining the directory.
load helper
load prune_storm

used_once() { "$LOCKRUN" "${1:-$LOCK}" true; }
prune_all() { "$LOCKRUN" prune --older-than 1ms; }
exists() { [ -d "$LOCKRUN_DIR/${1:-$LOCK}" ]; }
pruned_to() { run -0 prune_all && [ "$output" = "$1" ]; }

# ---- prune ----

@test "prune forgets what was idle for long enough, and prints its name" {
	used_once
	used_once demo:v1:leader:other
	await pruned_to $'demo:v1:leader:other\ndemo:v1:leader:sync'
	not exists
	not exists demo:v1:leader:other
	# The floor is all that is left.
	[ "$(ls -A "$LOCKRUN_DIR")" = floor ]
}

@test "prune keeps young locks; the default is long" {
	used_once
	run -0 "$LOCKRUN" prune --older-than 1h
	[ "$output" = '' ]
	run -0 "$LOCKRUN" prune
	[ "$output" = '' ]
	exists
	[ "$(generation)" -eq 2 ]
}

@test "prune keeps a lock that is led, shared, waited for or orphaned" {
	hold
	run -0 prune_all
	[ "$output" = '' ]
	start "$LOCKRUN" "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	run -0 prune_all
	[ "$output" = '' ]
	release
	ends 0 "$waiter"
	contend reader -s "$LOCK"
	await leads reader
	run -0 prune_all
	[ "$output" = '' ]
	let_end reader
	lead "$LOCK" sh -c 'trap "" TERM; echo $$ >orphan; exec sleep 600' 2>/dev/null
	local leader=$STARTED
	await test -s orphan
	kill -KILL "$leader"
	ends 137 "$leader"
	run -0 prune_all
	[ "$output" = '' ]
	exists
	kill -KILL "$(cat orphan)"
}

@test "prune keeps a lock whose last term is lost, and says so" {
	lead "$LOCK" sh -c 'echo $$ >ready; exec sleep 600' 2>/dev/null
	await test -s ready
	kill -KILL "$STARTED" "$(cat ready)"
	ends 137 "$STARTED"
	await is_gone "$(cat ready)"
	run -0 --separate-stderr prune_all
	[ "$output" = '' ]
	[[ "$stderr" == "lockrun: $LOCK: kept: how its last term ended is not known; the next run of it records an end: lockrun $LOCK -- COMMAND" ]]
	exists
}

@test "a lock that comes back starts above all that was ever forgotten" {
	local i
	for i in 1 2 3; do used_once; done
	used_once demo:v1:leader:other
	await pruned_to $'demo:v1:leader:other\ndemo:v1:leader:sync'
	[ "$(generation demo:v1:leader:other)" -eq 4 ]
	[ "$(generation)" -eq 4 ]
	await pruned_to $'demo:v1:leader:other\ndemo:v1:leader:sync'
	[ "$(generation)" -eq 5 ]
}

@test "what an earlier boot may have given is kept in the floor" {
	used_once
	"$PROBES/number" "$LOCKRUN_DIR/$LOCK/number" reboot
	await pruned_to "$LOCK"
	# One was given, and 64 were paid for: what was written last may be lost.
	[ "$(generation)" -eq 65 ]
}

@test "prune leaves alone a lock whose number is damaged or missing" {
	used_once
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	run -69 prune_all
	[[ "$output" == *"$LOCK/number"*damaged* ]]
	rm "$LOCKRUN_DIR/$LOCK/number"
	run -69 prune_all
	[[ "$output" == *"$LOCK/number"*missing* ]]
	exists
	[ ! -e "$LOCKRUN_DIR/floor" ] || [ ! -s "$LOCKRUN_DIR/floor" ]
}

@test "with a damaged floor nothing is forgotten, and no new lock begins" {
	used_once
	printf 'damaged' >"$LOCKRUN_DIR/floor"
	run -69 prune_all
	[[ "$output" == *"/floor: "*damaged* ]]
	exists
	run -69 "$LOCKRUN" demo:v1:leader:other touch ran
	[ ! -e ran ]
	# What is there goes on.
	[ "$(generation)" -eq 2 ]
}

@test "prune of nothing makes nothing" {
	run -0 prune_all
	[ "$output" = '' ]
	[ ! -e "$LOCKRUN_DIR" ]
	run -64 "$LOCKRUN" prune "$LOCK"
	run -64 "$LOCKRUN" prune --older-than soon
}

@test "prune turns nobody away from a lock that it does not forget" {
	used_once
	start sh -c 'until [ -e enough ]; do "$0" prune --older-than 1h || touch wrong; done' "$LOCKRUN"
	local pruner=$STARTED i
	for i in {1..100}; do
		"$LOCKRUN" -n "$LOCK" true || echo "$i" >>turned_away
	done
	touch enough
	ends 0 "$pruner"
	[ ! -e wrong ]
	[ ! -e turned_away ]
}

@test "a storm of contenders and of prune: none leads beside another, no generation goes back" {
	run -0 prune_storm 3 3
	echo "$output"
	[[ "$output" == *' 0 failures, overlaps 0, not rising 0' ]]
	[[ "$output" != *' 0 pruned, '* ]]
}

# ---- doctor ----

finds() { grep -qE "^$1 +$2 +$3" <<<"$output"; }

@test "doctor: all is well on a plain directory, and the trial leaves nothing behind" {
	used_once
	find "$LOCKRUN_DIR" | sort >before
	run -0 "$LOCKRUN" doctor
	[ "${lines[0]}" = "in $LOCKRUN_DIR" ]
	finds ok owner 'yours'
	finds ok room '[0-9]+ MB free'
	finds ok /proc mounted
	finds ok leftovers none
	finds ok trial 'exclusion, order, release after a kill, and rising generations'
	finds ok floor 'none, since no lock was forgotten yet'
	[ "${#lines[@]}" -eq 9 ]
	find "$LOCKRUN_DIR" | sort | cmp before -
}

@test "doctor: the directory may be given; one that is not there is not made" {
	used_once
	local place=$LOCKRUN_DIR
	unset LOCKRUN_DIR
	run -0 "$LOCKRUN" doctor "$place"
	[ "${lines[0]}" = "in $place" ]
	run -0 "$LOCKRUN" doctor "$PWD/nothing"
	[[ "$output" == "$PWD/nothing does not exist yet"* ]]
	[ ! -e nothing ]
}

# doctor_and_run_say REASON DIR: both end with 69, and name DIR, the reason and a way out.
doctor_and_run_say() {
	run -69 "${AS[@]}" "$LOCKRUN" -d "$2" "$LOCK" -- true
	[[ "$output" == "lockrun: $2: $1; "* ]]
	local said=$output
	run -69 "${AS[@]}" "$LOCKRUN" doctor "$2"
	[ "$output" = "$said" ] || finds fail owner "${said#lockrun: }"
}

@test "doctor: a directory that the first run could not make fails, with the run's own reason" {
	AS=()
	doctor_and_run_say 'the directory above it does not exist' "$PWD/no/such"
	touch file
	doctor_and_run_say 'cannot be used as the state directory: Not a directory' "$PWD/file/state"
}

@test "doctor: a directory that we may not write to fails, with the way out, and no trial is made" {
	needs_root
	make_open_dir
	local LOCKRUN=$OPEN_DIR/lockrun
	AS=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir -m 755 "$OPEN_DIR/public"
	"$LOCKRUN" -d "$OPEN_DIR/public" demo:v1:leader:other -- true
	doctor_and_run_say 'you may not write to this state directory' "$OPEN_DIR/public"
	[[ "$output" == *"-d DIR or LOCKRUN_DIR"*"chmod 2770"* ]]
	finds fail trial 'not made: nothing can be written here'
	# The directory of a lock that is there already is not what is wrong.
	run -69 "${AS[@]}" "$LOCKRUN" -d "$OPEN_DIR/public" demo:v1:leader:other -- true
	[[ "$output" == "lockrun: $OPEN_DIR/public: you may not write to this state directory; "* ]]
	doctor_and_run_say 'cannot be used as the state directory: Permission denied' "$OPEN_DIR/new"
}

@test "doctor: a directory that is not ours is refused with the reason" {
	needs_root
	mkdir -m 700 theirs
	chown 65534 theirs
	run -69 "$LOCKRUN" doctor theirs
	[[ "$output" == *"$PWD/theirs: "*'belongs neither to you nor to root'* ]]
	mkdir -m 777 open
	chmod 777 open
	run -69 "$LOCKRUN" doctor open
	[[ "$output" == *"$PWD/open: "*'others may write to it'* ]]
	touch file
	run -69 "$LOCKRUN" doctor file
	[ "$(ls -A theirs open)" = $'open:\n\ntheirs:' ]
}

doctor_on_tmpfs() {
	mount -t tmpfs none /mnt
	chmod 700 /mnt
	"$LOCKRUN" doctor /mnt
}

@test "doctor: a tmpfs is warned of, and that is no failure" {
	run -0 private_mounts doctor_on_tmpfs
	finds warn 'file system' 'tmpfs: it dies with this container or boot'
	finds ok trial exclusion
}

doctor_on_full() {
	mount -t tmpfs -o size=400k none /mnt
	chmod 700 /mnt
	"$LOCKRUN" doctor /mnt
}

@test "doctor: too little room is a failure" {
	run -69 private_mounts doctor_on_full
	finds fail room '[0-9]+ kB and [0-9]+ files are left'
}

@test "doctor: what was left behind is found, and removed with --repair" {
	used_once
	mkdir -m 700 "$LOCKRUN_DIR/.new-0123456789abcdef"
	touch "$LOCKRUN_DIR/.new-0123456789abcdef/lock"
	lead "$LOCK" sh -c 'echo $$ >ready; exec sleep 600' 2>/dev/null
	await test -s ready
	kill -KILL "$STARTED" "$(cat ready)"
	ends 137 "$STARTED"
	await is_gone "$(cat ready)"
	[ "$(holding)" -eq 1 ]
	run -0 "$LOCKRUN" doctor
	finds warn leftovers '1 unfinished directories, 1 tickets of the dead: harmless'
	[ "$(holding)" -eq 1 ]
	[ -e "$LOCKRUN_DIR/.new-0123456789abcdef" ]
	run -0 "$LOCKRUN" doctor --repair
	finds ok leftovers '1 unfinished directories, 1 tickets of the dead: removed'
	[ "$(holding)" -eq 0 ]
	[ ! -e "$LOCKRUN_DIR/.new-0123456789abcdef" ]
	run -0 "$LOCKRUN" doctor
	finds ok leftovers none
}

@test "doctor: live tickets and locks are no leftovers" {
	hold
	start "$LOCKRUN" "$LOCK" true
	local waiter=$STARTED
	await is_pending 1
	run -0 "$LOCKRUN" doctor --repair
	finds ok leftovers none
	is_pending 1
	is_holding 1
	release
	ends 0 "$waiter"
}

@test "doctor: the trial of one that was killed is a leftover, and that of a live one is none" {
	start true
	local dead=$STARTED name
	ends 0 "$dead"
	for name in "lockrun:v1:leader:doctor:$dead" "lockrun:v1:leader:doctor:$$"; do
		rm -f ready
		lead "$name" sh -c 'echo $$ >ready; exec sleep 600' 2>/dev/null
		await test -s ready
		kill -KILL "$STARTED" "$(cat ready)"
		ends 137 "$STARTED"
		await is_gone "$(cat ready)"
		rm "$LOCKRUN_DIR/$name/q/"*
	done
	run -0 "$LOCKRUN" doctor
	finds warn leftovers '1 unfinished directories, 0 tickets'
	run -0 "$LOCKRUN" doctor --repair
	finds ok leftovers '1 unfinished directories, 0 tickets of the dead: removed'
	[ "$(ls -A "$LOCKRUN_DIR")" = "lockrun:v1:leader:doctor:$$" ]
}

@test "doctor: a damaged number fails, with a floor that will do; mended, all is well" {
	local i
	for i in 1 2 3; do used_once; done
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	run -69 "$LOCKRUN" doctor
	finds fail leftovers "1 damaged number; for $LOCK: lockrun doctor -d $LOCKRUN_DIR --repair --floor 67 $LOCK"
	run -69 "$LOCKRUN" doctor --repair
	finds fail leftovers '1 damaged number'
	run -69 "$LOCKRUN" "$LOCK" true
	[[ "$output" == *"; lockrun doctor -d $LOCKRUN_DIR names the N to mend it with: lockrun doctor -d $LOCKRUN_DIR --repair --floor N $LOCK" ]]
	run -0 "$LOCKRUN" doctor --repair --floor 67 "$LOCK"
	[ "$output" = "$LOCK: the next generation is 68" ]
	[ "$(generation)" -eq 68 ]
	run -0 "$LOCKRUN" doctor
	finds ok leftovers none
	rm "$LOCKRUN_DIR/$LOCK/number"
	used_once demo:v1:leader:other
	printf 'damaged' >"$LOCKRUN_DIR/demo:v1:leader:other/number"
	run -69 "$LOCKRUN" doctor
	finds fail leftovers '2 damaged or missing numbers'
	rm -r "$LOCKRUN_DIR/demo:v1:leader:other"
	run -69 "$LOCKRUN" doctor
	finds fail leftovers "1 missing number; for $LOCK: lockrun doctor -d $LOCKRUN_DIR --repair --floor 132 $LOCK"
	run -0 "$LOCKRUN" doctor --repair --floor 132 "$LOCK"
	[ "$(generation)" -eq 133 ]
}

@test "doctor: the floor that is suggested is above all that was forgotten" {
	local i
	for i in 1 2 3; do used_once; done
	await pruned_to "$LOCK"
	used_once
	rm "$LOCKRUN_DIR/$LOCK/terms"
	printf 'damaged' >"$LOCKRUN_DIR/$LOCK/number"
	run -69 "$LOCKRUN" doctor
	finds fail leftovers "1 damaged number; for $LOCK: lockrun doctor -d $LOCKRUN_DIR --repair --floor 67 $LOCK"
}

@test "doctor: a damaged floor fails, and --repair writes one above all that the locks had" {
	local i
	for i in 1 2 3; do used_once; done
	"$LOCKRUN" demo:v1:leader:other true
	await pruned_to $'demo:v1:leader:other\n'"$LOCK"
	run -0 "$LOCKRUN" doctor
	finds ok floor '3, above which a lock that was forgotten begins anew'
	for i in 4 5; do used_once; done
	printf 'damaged' >"$LOCKRUN_DIR/floor"
	run -69 "$LOCKRUN" doctor
	finds fail floor 'damaged, .*; --repair writes 69, '
	finds fail trial
	run -0 "$LOCKRUN" doctor --repair
	finds warn floor 'was damaged; now 69, '
	finds ok trial
	run -0 "$LOCKRUN" doctor
	finds ok floor 69
	[ "$(generation demo:v1:leader:other)" -eq 70 ]
	[ "$(generation)" -eq 6 ]
	# What the locks may have had counts, also where their own numbers are damaged or from an earlier boot.
	"$PROBES/number" "$LOCKRUN_DIR/demo:v1:leader:other/number" reboot
	head -c 512 /dev/urandom >"$LOCKRUN_DIR/floor"
	run -69 "$LOCKRUN" doctor
	finds fail floor 'damaged, .*; --repair writes 197, '
	printf 'damaged' >"$LOCKRUN_DIR/demo:v1:leader:other/number"
	run -69 "$LOCKRUN" doctor --repair
	finds warn floor 'was damaged; now 134, '
	finds fail leftovers '1 damaged number; .* --floor 198 demo:v1:leader:other'
}

@test "doctor: a floor that is no file of ours is said, and not written to" {
	used_once
	touch victim
	ln -s "$PWD/victim" "$LOCKRUN_DIR/floor"
	run -69 "$LOCKRUN" doctor --repair
	finds fail floor "$LOCKRUN_DIR/floor: a symbolic link"
	[ ! -s victim ]
	rm "$LOCKRUN_DIR/floor"
	mkdir "$LOCKRUN_DIR/floor"
	run -69 "$LOCKRUN" doctor --repair
	finds fail floor "$LOCKRUN_DIR/floor: "
}

@test "doctor: mending lets no generation come twice, whatever floor is given" {
	local i
	for i in 1 2 3 4 5; do used_once; done
	run -0 "$LOCKRUN" doctor --repair --floor 2 "$LOCK"
	[ "${lines[0]}" = "lockrun: $LOCK: a floor of 2 is below 5, which the records ask for; 5 was used" ]
	[ "${lines[1]}" = "$LOCK: the next generation is 6" ]
	[ "$(generation)" -eq 6 ]
	# The records know as well, where the number is gone.
	rm "$LOCKRUN_DIR/$LOCK/number"
	run -0 "$LOCKRUN" doctor --repair --floor 2 "$LOCK"
	[ "${lines[0]}" = "lockrun: $LOCK: a floor of 2 is below 70, which the records ask for; 6 was used" ]
	[ "$(generation)" -eq 7 ]
	# What doctor would have named, or more, is taken without a word.
	rm "$LOCKRUN_DIR/$LOCK/number"
	run -0 "$LOCKRUN" doctor --repair --floor 71 "$LOCK"
	[ "$output" = "$LOCK: the next generation is 72" ]
}

@test "doctor: nothing is mended while somebody leads, or without a name" {
	hold
	run -69 "$LOCKRUN" doctor --repair --floor 100 "$LOCK"
	release
	[ "$(generation)" -eq 2 ]
	run -64 "$LOCKRUN" doctor --repair --floor 100
	run -64 "$LOCKRUN" doctor --floor 100 "$LOCK"
	run -69 "$LOCKRUN" doctor --repair --floor 100 demo:v1:leader:unheard-of
	not exists demo:v1:leader:unheard-of
	[ "$(generation)" -eq 3 ]
}
