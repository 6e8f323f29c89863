#!/usr/bin/env bats
# The EXAMPLES of lockrun(1) are run as they are printed.
load helper
load manual

MANUAL=$TESTS/../man/lockrun.1

printed() { as_printed "$MANUAL" "$@"; }

@test "each display of the manual is run below" {
	each_display_is_run "$MANUAL" "$BATS_TEST_FILENAME"
	[ "$(displays "$MANUAL" | wc -l)" -ge 10 ]
}

@test "a line in a crontab" {
	stub ../opt/sync
	printed '-n -m 10m app'
	ran_is sync
	hold app:v1:single-flight:sync
	run -75 printed '-n -m 10m app'
	# Young, so cron has nothing to mail.
	run -0 printed '--complain-after 15m'
	[ -z "$output" ]
	ran_is sync
	release app:v1:single-flight:sync
	printed '--complain-after 15m'
	ran_is sync,sync
}

@test "a script that guards itself" {
	run -0 printed 'exec lockrun -n app:v1:single-flight:sync'
	[ -z "$output" ]
	hold app:v1:single-flight:sync
	run -75 printed 'exec lockrun -n app:v1:single-flight:sync'
	release app:v1:single-flight:sync
}

@test "a shell string" {
	stub dump 'echo all'
	stub load 'cat >>"$RAN"'
	printed 'dump | load'
	run -0 sort ran
	[ "$output" = "$(printf '%s\n' all dump load)" ]
}

@test "one build for all who ask at the same time" {
	export commit=abc
	mkfifo go
	stub make 'echo building >>"$RAN"; exec cat go'
	start printed '--join -w 20m'
	first=$STARTED
	await grep -qs building ran
	cp printed.commands join
	start sh join
	await is_pending 1 ci:v1:single-flight:build:abc
	: >go
	ends 0 "$first"
	ends 0 "$STARTED"
	ran_is 'make image,building'
}

@test "a migration in several deployments at once" {
	printf '#!/bin/sh\n[ -e done ] || echo migrated >>ran\n: >done\n' >migrate
	chmod +x migrate
	printed 'shop:v1:migration:schema'
	printed 'shop:v1:migration:schema'
	ran_is migrated
}

@test "a leader that is always there, and its deployment" {
	stub mailer 'exec sleep 600'
	for way in 'stop -w 30s --reason' '--replace --note' 'watch --until-end'; do
		rm -f ran
		start printed '$ lockrun shop:v1:leader:mailer -- mailer --foreground'
		leader=$STARTED
		await grep -qs 'mailer --foreground' ran
		case $way in
		stop*)
			run -0 printed 'stop -w 30s --reason'
			[[ "$output" == *"shop:v1:leader:mailer: led, generation 1"* ]]
			ends 124 "$leader"
			;;
		--replace*)
			start printed '--replace --note'
			ends 124 "$leader"
			await is_holding 1 shop:v1:leader:mailer
			"$LOCKRUN" stop shop:v1:leader:mailer
			ends 124 "$STARTED"
			;;
		watch*)
			# Nobody leads the first of the two locks; the second one is told to read its configuration.
			run -0 printed 'watch --until-end'
			ends 129 "$leader"
			;;
		esac
	done
}

@test "end what a killed lockrun left behind" {
	# The kernel sends SIGTERM when its lockrun dies; the next one is obeyed.
	start "$LOCKRUN" shop:v1:leader:mailer -- sh -c 'trap "trap - TERM; : >orphaned" TERM
		: >up; while :; do sleep 600 & wait; done'
	await test -e up
	kill -KILL "$STARTED"
	await test -e orphaned
	run -0 printed 'stop --force'
	[[ "$output" == *"what held it stepped down; nobody leads now" ]]
}

@test "a ledger that a replaced leader cannot write to" {
	echo 1 >ledger
	displays "$MANUAL" | grep -F 'tail -n 1 ledger' | tr '\037' '\n' >this-script
	chmod +x this-script
	mkdir -p bin && cp this-script bin && PATH=$PWD/bin:$PATH
	sh -c "$(sed -n 's/^# started by: //p' this-script)"
	[ "$(paste -sd, ledger)" = 1,2 ]
	# Without a term, as it is printed, it writes nothing.
	run printed 'tail -n 1 ledger'
	[ "$status" -eq 64 ]
	[ "$(paste -sd, ledger)" = 1,2 ]
}

@test "a database behind a fence" {
	stub sqlite3
	displays "$MANUAL" | grep -F app.fence | sed 's/^\$ //' >update
	"$LOCKRUN" app:v1:leader:ledger -- sh update
	ran_is 'sqlite3 app.db UPDATE account SET balance = 90'
	run -64 printed 'app.fence'
}

@test "where flock and timeout were" {
	stub sync-all
	printed 'timeout -k 10 600'
	ran_is sync-all,sync-all
}

@test "three scripts that share a lock, moved over one by one" {
	stub command
	foreign report
	start printed '--also-flock /run/lock/report'
	await settled_on_report
	[ ! -e ran ]
	foreign_ends
	ends 0 "$STARTED"
	ran_is command
}
# Somebody waits for the lock on that file.
settled_on_report() { grep -q -- "-> FLOCK .*:$(stat -c %i report) " /proc/locks; }

@test "several users, one lock" {
	printf '#!/bin/sh\necho "$LOCKRUN_DIR" >>ran\n' >reload
	chmod +x reload
	mkdir lockrun-operators
	chmod 2770 lockrun-operators
	printed 'ops:v1:mutation:firewall'
	ran_is "$PWD/lockrun-operators"
}

@test "is this directory good, and how is it kept small" {
	"$LOCKRUN" "$LOCK" -- true
	run -0 printed 'lockrun prune'
	[[ "$output" == *trial* ]]
	[ -e "$LOCKRUN_DIR/$LOCK" ]
}

@test "a name for a branch" {
	printed '--scope feature/x'
}
