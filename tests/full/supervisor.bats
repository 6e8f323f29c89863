#!/usr/bin/env bats
# Below a process supervisor (runit): with -F the daemon is the service itself, and a second service
# of the same lock stands by.
load ../helper

setup() {
	common_setup
	command -v runsvdir >/dev/null || skip "needs runit"
	mkdir services
	# What it is told shows in the log; it ends on TERM, in its own way.
	cat >daemon <<-'DAEMON'
		#!/bin/sh
		trap 'echo "$1 TERM" >>log; exit 0' TERM
		trap 'echo "$1 HUP" >>log' HUP
		echo $$ >"$1.pid"
		echo "$1 leads, generation $LOCKRUN_GENERATION" >>log
		while :; do sleep 0.02; done
	DAEMON
	chmod +x daemon
}

# service NAME OPTION...: make it; runsvdir finds it at its start, or within 5 seconds.
service() {
	local name=$1
	shift
	mkdir "made.$name"
	printf '#!/bin/sh\ncd "%s"\nexec lockrun %s %s -- ./daemon %s\n' "$PWD" "$*" "$LOCK" "$name" \
	    >"made.$name/run"
	chmod +x "made.$name/run"
	mv "made.$name" "services/$name"
}

supervise() {
	start runsvdir -P services
	SUPERVISOR=$STARTED
	export SVDIR=$PWD/services
}

# HUP for runsvdir: TERM for each service, and all are gone.
end_supervision() {
	kill -HUP "$SUPERVISOR"
	ends 111 "$SUPERVISOR"
	await no_marked_processes
	is_pending 0
	"$LOCKRUN" -n "$LOCK" true
}

# service_pid NAME: as sv tells it.
service_pid() { sv status "$1" | sed -n 's/^run: .*(pid \([0-9]*\)).*/\1/p'; }
runs() { [ -n "$(service_pid "$1")" ]; }
says() { grep -qx "$1" log 2>/dev/null; }

@test "the service is the daemon: its pid, its signals, its restart" {
	service a -F
	supervise
	await says 'a leads, generation 1'
	[ "$(service_pid a)" = "$(cat a.pid)" ]
	run -0 "$LOCKRUN" status "$LOCK"
	[[ "$output" == *"pid $(cat a.pid)"* ]]
	run -75 "$LOCKRUN" -n "$LOCK" true
	sv hup a
	await says 'a HUP'
	sv term a
	await says 'a TERM'
	# runsv starts it again.
	await says 'a leads, generation 2'
	sv -w "$PATIENCE" down a
	is_gone "$(cat a.pid)"
	"$LOCKRUN" -n "$LOCK" true
	end_supervision
}

@test "a second service waits in the queue, and takes over under the pid that waited" {
	local waiting
	service a -F
	supervise
	await says 'a leads, generation 1'
	service b -F
	await is_pending 1
	await runs b
	waiting=$(service_pid b)
	[ ! -e b.pid ]
	sv -w "$PATIENCE" down a
	await says 'b leads, generation 2'
	[ "$(cat b.pid)" = "$waiting" ]
	# The other one comes back, and stands by.
	sv up a
	await is_pending 1
	[ "$(tail -1 log)" = 'b leads, generation 2' ]
	sv term b
	await says 'a leads, generation 3'
	await is_pending 1
	sv -w "$PATIENCE" down b
	[ "$(tr '\n' ',' <log)" = 'a leads, generation 1,a TERM,b leads, generation 2,b TERM,a leads, generation 3,' ]
	end_supervision
}

@test "a service that waits is brought down at once, and leaves nothing in the queue" {
	service a -F
	supervise
	await says 'a leads, generation 1'
	service b -F
	await is_pending 1
	sv -w "$PATIENCE" down b
	is_pending 0
	run -75 "$LOCKRUN" -n "$LOCK" true
	end_supervision
	[ ! -e b.pid ]
}

@test "a daemon that is killed hands over to the one that stands by" {
	service a -F
	supervise
	await says 'a leads, generation 1'
	service b -F
	await is_pending 1
	sv kill a
	await says 'b leads, generation 2'
	# The killed one was started again, and stands by now.
	await is_pending 1
	[ "$(service_pid b)" = "$(cat b.pid)" ]
	end_supervision
}

@test "lockrun stop ends the daemon, and the one that stands by leads" {
	service a -F
	supervise
	await says 'a leads, generation 1'
	service b -F
	await is_pending 1
	run -0 timeout "$PATIENCE" "$LOCKRUN" stop "$LOCK"
	await says 'a TERM'
	await says 'b leads, generation 2'
	run ! says 'b TERM'
	end_supervision
}

@test "with a lockrun between, the supervisor's signals reach the daemon as well" {
	service a
	supervise
	await says 'a leads, generation 1'
	[ "$(service_pid a)" != "$(cat a.pid)" ]
	sv hup a
	await says 'a HUP'
	sv -w "$PATIENCE" down a
	says 'a TERM'
	is_gone "$(cat a.pid)"
	"$LOCKRUN" -n "$LOCK" true
	end_supervision
}

@test "when lockrun is killed between supervisor and daemon, two never lead" {
	service a
	supervise
	await says 'a leads, generation 1'
	sv kill a
	# The daemon is told by its parent-death signal; only then the next term begins.
	await says 'a leads, generation 2'
	[ "$(tr '\n' ',' <log)" = 'a leads, generation 1,a TERM,a leads, generation 2,' ]
	end_supervision
}
