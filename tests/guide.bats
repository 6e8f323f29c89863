#!/usr/bin/env bats
# What lockrun(7) shows is run as it is printed, and does what the page says.
load helper
load manual

MANUAL=$TESTS/../man/lockrun.7
LOCK=shop:v3:leader:sync

printed() { as_printed "$MANUAL" "$@"; }

@test "each display of the page is run below" {
	each_display_is_run "$MANUAL" "$BATS_TEST_FILENAME"
}

@test "inside of the boundary: one command, and several" {
	stub sync-all 'lockrun check && echo leads >>"$RAN"'
	printed '$ lockrun shop:v3:leader:sync -- sync-all'
	ran_is sync-all,leads
	stub dump-index 'echo all of it'
	printed 'sh -ec'
	[ "$(cat index)" = 'all of it' ]
	# A dump that fails replaces nothing.
	stub dump-index 'echo half of it; exit 1'
	run -1 printed 'sh -ec'
	[ "$(cat index)" = 'all of it' ]
}

@test "a script that puts itself inside" {
	stub make-report
	printed 'single-flight:report'
	ran_is make-report
	hold shop:v3:single-flight:report
	run -75 printed 'single-flight:report'
	ran_is make-report
	release shop:v3:single-flight:report
}

@test "narrow names, and built ones" {
	stub merge-basket
	hold shop:v3:mutation:basket:user:7
	printed 'basket:user:123'
	ran_is 'merge-basket 123'
	release shop:v3:mutation:basket:user:7
	rm ran
	stub deploy 'echo "$LOCKRUN_NAME" >>"$RAN"'
	printed '--scope feature/x'
	ran_is 'deploy feature/x,shop:v3:single-flight:deploy:feature_2Fx'
}

@test "a rolling deploy sees its old half, and ends it" {
	stub sync-all
	hold
	start "$LOCKRUN" "$LOCK" -- touch led
	waiter=$STARTED
	await is_pending 1
	run -0 printed 'status shop:v4:leader:sync'
	[[ "$output" == *"other version"*"$LOCK"* ]]
	ends 124 "$HOLDER"
	ends 143 "$waiter"
	[ ! -e led ]
	ran_is sync-all
}

@test "a job that tries" {
	stub ../opt/sync
	printed '/opt/sync'
	ran_is sync
	hold shop:v3:single-flight:sync
	run -75 printed '/opt/sync'
	ran_is sync
	release shop:v3:single-flight:sync
}

@test "one runs, one waits, the rest go" {
	stub publish
	hold shop:v3:single-flight:publish
	start "$LOCKRUN" shop:v3:single-flight:publish -- true
	await is_pending 1 shop:v3:single-flight:publish
	run -75 printed 'max-waiters 1'
	[ ! -e ran ]
	release shop:v3:single-flight:publish
	ends 0 "$STARTED"
	printed 'max-waiters 1'
	ran_is publish
}

@test "what many want at the same time is done once" {
	local name=shop:v3:single-flight:image:4f2a
	mkfifo go
	stub make 'read -r status <go; exit $status'
	start printed '--join'
	first=$STARTED
	await test -s ran
	start "$LOCKRUN" -q --join "$name" -- make image
	await is_pending 1 "$name"
	echo 3 >go
	ends 3 "$first"
	ends 3 "$STARTED"
	ran_is 'make image'
}

@test "a migration waits, and looks again inside" {
	stub migrate
	hold shop:v3:migration:schema
	start printed 'migration:schema'
	await is_pending 1 shop:v3:migration:schema
	[ ! -e ran ]
	release shop:v3:migration:schema
	ends 0 "$STARTED"
	ran_is 'migrate --unless-done'
}

@test "deadlines" {
	stub rebuild-index
	printed '-w 30m -m 30m -k 1m'
	ran_is rebuild-index
}

# The loop is started as its second line says.
start_loop() {
	displays "$MANUAL" | grep -F send-one-batch | tr '\037' '\n' >bin/send-mail
	chmod +x bin/send-mail
	start sh -c "exec $(sed -n '2s/^# //p' bin/send-mail)"
}
pauses() {
	local pid
	for pid in $(marked_processes); do
		grep -qsx sleep "/proc/$pid/comm" && return
	done
	return 1
}

# It has heard what it was asked: until then its check may be the first to know, and its end its own.
steps_down() { "$LOCKRUN" status --json shop:v3:leader:mail | grep -q '"state":"stepping-down"'; }

@test "a loop steps down from a pause at once" {
	stub send-one-batch
	start_loop
	await pauses
	"$LOCKRUN" stop shop:v3:leader:mail
	ends 124 "$STARTED"
	ran_is send-one-batch
}

@test "a loop steps down after a batch, not in it" {
	mkfifo batch
	stub send-one-batch 'read -r line <batch; echo "$line" >>"$RAN"'
	start_loop
	loop=$STARTED
	await test -s ran
	start "$LOCKRUN" stop shop:v3:leader:mail
	await steps_down
	# Open for both: it must not wait for a batch that was killed.
	exec 4<>batch
	echo whole >&4
	ends 124 "$loop"
	exec 4>&-
	ends 0 "$STARTED"
	ran_is send-one-batch,whole
	# Without a term it does nothing.
	run printed 'send-one-batch'
	[[ "$output" == *"not inside a command that lockrun runs"* ]]
	ran_is send-one-batch,whole
}

@test "what cleans up when it steps down" {
	stub fetch-all 'echo everything'
	printed 'fetch-all'
	[ "$(cat all)" = everything ]
	rm all ran
	stub fetch-all 'echo half; exec sleep 600'
	start "$LOCKRUN" "$LOCK" -- ./printed
	await grep -qs half part
	"$LOCKRUN" stop "$LOCK"
	ends 124 "$STARTED"
	[ ! -e part ]
	[ ! -e all ]
}

@test "who is not eligible makes room" {
	stub is-primary '[ "$(wc -l <"$RAN")" -lt 4 ]'
	stub feed-one-batch
	displays "$MANUAL" | grep -F is-primary | tr '\037' '\n' >bin/feed-if-primary
	chmod +x bin/feed-if-primary
	hold shop:v3:leader:feed
	start sh -c "exec $(sed -n '2s/^# //p' bin/feed-if-primary)"
	await is_pending 1 shop:v3:leader:feed
	[ ! -e ran ]
	release shop:v3:leader:feed
	ends 0 "$STARTED"
	ran_is is-primary,feed-one-batch,is-primary,feed-one-batch,is-primary
	run printed 'is-primary'
	[[ "$output" == *"not inside a command that lockrun runs"* ]]
}

@test "who is eligible is asked while it leads" {
	stub mountpoint '[ -e mounted ]'
	stub feed-all 'touch fed; exec sleep 600'
	touch mounted
	start printed '--eligible-every 30s' 2>/dev/null
	await test -e fed
	"$LOCKRUN" stop shop:v3:leader:feed
	await no_marked_processes
	rm mounted fed
	# A plain run of the same check is turned away.
	run -75 "$LOCKRUN" -q --eligible 'mountpoint -q /srv/feed' shop:v3:leader:feed -- feed-all
	[ ! -e fed ]
}

@test "watching" {
	"$LOCKRUN" --note 'deploy 12' "$LOCK" -- true
	run -0 printed 'stats --prometheus'
	[[ "$output" == *"$LOCK: idle"*"deploy 12"*"lockrun_finished_total{lock=\"$LOCK\"} 1"* ]]
	start printed 'lockrun watch' >seen
	await grep -q idle seen
	# The watcher, and the shell that it was typed to.
	kill $(marked_processes)
	wait "$STARTED" || true
	stub sync-all 'lockrun status >seen'
	printed 'build 4711'
	grep -qE '\(sync-all as [0-9]+, build 4711\)' seen
}

@test "the question whether it is free is asked by trying" {
	stub sync-all
	printed '[ $? -eq 75 ]'
	ran_is sync-all
	hold
	printed '[ $? -eq 75 ]' 2>/dev/null
	ran_is sync-all
	release
	stub sync-all 'exit 3'
	run -1 printed '[ $? -eq 75 ]'
}

@test "instead of stealing: stop, and replace" {
	stub sync-all
	hold
	run -0 printed 'it hangs'
	ends 124 "$HOLDER"
	ran_is sync-all
}

@test "no lock around a person's answer" {
	stub show-plan 'echo one; echo two'
	stub apply-plan 'cat plan >>"$RAN"'
	printed 'read -r answer' <<<yes
	ran_is 'show-plan,apply-plan --if-unchanged plan,one,two'
	rm ran
	run -1 printed 'read -r answer' <<<no
	ran_is show-plan
}

@test "what matters less makes room" {
	stub optimize-index 'exec sleep 600'
	start printed '--yield'
	await is_holding 1 shop:v3:mutation:index
	"$LOCKRUN" shop:v3:mutation:index -- true
	ends 124 "$STARTED"
}

@test "the generation goes along" {
	stub curl
	displays "$MANUAL" | grep -F curl | tr '\037' '\n' >bin/send-prices
	chmod +x bin/send-prices
	sh -c "$(sed -n '2s/^# //p' bin/send-prices)"
	ran_is 'curl --fail -H Generation: 1 --data @prices https://shop.example/prices'
	LOCKRUN_GENERATION=2 printed 'curl'
}

@test "a fence lets in no older leader" {
	stub make-orders 'echo "$LOCKRUN_GENERATION"'
	displays "$MANUAL" | grep -F orders.fence | tr '\037' '\n' >bin/export-orders
	chmod +x bin/export-orders
	sh -c "$(sed -n '2s/^# //p' bin/export-orders)"
	[ "$(cat orders)" = 1 ]
	sh -c "$(sed -n '2s/^# //p' bin/export-orders)"
	[ "$(cat orders)" = 2 ]
	# The first leader again, which was frozen meanwhile.
	LOCKRUN_NAME=shop:v3:leader:export LOCKRUN_GENERATION=1 run -76 printed 'orders.fence'
	[ "$(cat orders)" = 2 ]
}

@test "a person looks at what was lost" {
	stub close-the-day 'kill -KILL $PPID'
	run -137 printed '--after-lost refuse'
	ran_is close-the-day
	run -77 printed '--after-lost refuse'
	ran_is close-the-day
}

@test "two kinds of failure" {
	run -0 printed 'look at the index'
	[[ "$output" == *'nothing was run: try again' ]]
	stub rebuild-index
	run -0 printed 'look at the index'
	[ -z "$output" ]
	for status in 1 75 127; do
		stub rebuild-index "exit $status"
		run -0 printed 'look at the index'
		[[ "$output" == *'look at the index' ]]
	done
}
