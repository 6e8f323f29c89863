#!/usr/bin/env bats
# On real terminals: an interactive shell with job control, keys typed and the screen read. The
# language of the steps is told in terminal.py; the witness prints each signal that arrives.
load ../helper

setup() {
	common_setup
	printf '%s\n' "PS1='@ '" 'unset HISTFILE' >shellrc
	echo 'ls "$LOCKRUN_DIR/$L/q" | grep "h$" | cut -d. -f3' >leader
	export L=$LOCK W="python3 $TESTS/full/witness.py" TERM=dumb
}

# on_terminal PROGRAM [ARG...] <STEPS
on_terminal() { python3 "$TESTS/full/terminal.py" "$@" 3>&-; }

# in_shell <STEPS: typed to an interactive bash.
in_shell() { on_terminal bash --noprofile --rcfile shellrc --noediting -i; }

# Each key arrives once: what follows on the same way (USR1, through lockrun) is the next to arrive.

@test "Ctrl-C reaches the command exactly once" {
	{
		echo 'shell lockrun $L -- $W'
		echo 'next ready'
		for _ in {1..20}; do
			echo 'key ^C'
			echo 'next (\^C)?INT terminal'
			echo 'do kill -USR1 $(cat lockrun.pid)'
			echo 'next USR1 lockrun'
		done
		echo 'do kill -USR2 $(cat lockrun.pid)'
		echo 'next USR2 lockrun'
		echo 'shell echo status $?'
		echo 'next status 9'
		echo 'shell exit'
		echo 'end 0'
	} | in_shell
}

@test "in a script, too" {
	cat >script <<-'SCRIPT'
		#!/bin/sh
		lockrun $L -- $W
		echo "status $?"
	SCRIPT
	chmod +x script
	local way
	# With a command after it, or the shell would become lockrun.
	for way in ./script 'bash -c "lockrun $L -- $W; echo status $?"' \
	    'bash -c "(lockrun $L -- $W); echo status $?" | (trap "" INT; exec cat)'; do
		{
			echo "shell $way"
			echo 'next ready'
			for _ in {1..10}; do
				echo 'key ^C'
				echo 'next (\^C)?INT terminal'
				echo 'do kill -USR1 $(cat lockrun.pid)'
				echo 'next USR1 lockrun'
			done
			echo 'do kill -USR2 $(cat lockrun.pid)'
			echo 'next USR2 lockrun'
			echo 'shell exit 4'
			echo 'end 4'
		} | in_shell
	done
}

@test "Ctrl-C ends a shell's loop around lockrun" {
	in_shell <<-'STEPS'
		shell while :; do lockrun $L -- sleep 60; done
		until ls $LOCKRUN_DIR/$L/q/*h
		key ^C
		shell echo status $?
		next status 130
		shell bash -c 'while :; do lockrun $L -- sleep 60; done'
		until ls $LOCKRUN_DIR/$L/q/*h
		key ^C
		shell echo status $?
		next status 130
		shell sh -c 'for i in 1 2 3; do lockrun $L -- sleep 60; done'
		until ls $LOCKRUN_DIR/$L/q/*h
		key ^C
		shell echo status $?
		next status 130
		shell exit
		end
	STEPS
	[ "$(holding)" -eq 0 ]
}

@test "what Ctrl-C means is the command's to say" {
	in_shell <<-'STEPS'
		shell lockrun $L -- python3 -c 'print("ready"); input()'
		next ready
		key ^C
		see ^KeyboardInterrupt$
		shell echo status $?
		next status 130
		shell lockrun $L -- sh -c 'trap "echo caught; exit 7" INT; echo ready; read x'
		next ready
		key ^C
		see caught$
		shell echo status $?
		next status 7
		shell exit
		end
	STEPS
}

@test "Ctrl-\\ reaches the command once, and its death by it is lockrun's, without a second core" {
	in_shell <<-'STEPS'
		shell lockrun $L -- $W
		next ready
		key ^\
		next (\^\\)?QUIT terminal
		do kill -USR1 $(cat lockrun.pid)
		next USR1 lockrun
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell ulimit -c unlimited; lockrun $L -- sleep 60
		until ls $LOCKRUN_DIR/$L/q/*h
		key ^\
		see Quit
		shell echo status $?
		next status 131
		shell exit
		end
	STEPS
	# Where cores are written to the directory at all.
	[ "$(find . -name 'core*' | wc -l)" -le 1 ]
}

@test "a signal from elsewhere reaches the command exactly once" {
	{
		echo 'shell lockrun $L -- $W'
		echo 'next ready'
		local signal
		for signal in INT QUIT HUP USR1 ALRM WINCH RTMIN+3; do
			for _ in 1 2 3; do
				echo "do kill -s $signal \$(cat lockrun.pid)"
				echo "next $signal lockrun" | sed 's/+/\\+/'
			done
		done
		echo 'do kill -s USR2 $(cat lockrun.pid)'
		echo 'next USR2 lockrun'
		echo 'shell echo status $?'
		echo 'next status 9'
		echo 'shell exit'
		echo 'end'
	} | in_shell
}

@test "a new size of the terminal is told once" {
	in_shell <<-'STEPS'
		shell lockrun $L -- $W
		next ready
		size 50 90
		next WINCH terminal
		do kill -USR1 $(cat lockrun.pid)
		next USR1 lockrun
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell exit
		end
	STEPS
}

@test "an alarm that was set before lockrun, as perl's idiom does, reaches the command" {
	on_terminal python3 -c 'import os, signal
signal.setitimer(signal.ITIMER_REAL, 2)
os.execvp("sh", ["sh", "-c", "exec lockrun $L -- $W"])' <<-'STEPS'
		next ready
		next ALRM lockrun
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		end 9
	STEPS
}

@test "Ctrl-C before the command is there reaches it when it is" {
	# The first term syncs the number: there it is held up.
	in_shell <<-'STEPS'
		shell strace -DD -o trace -e inject=fdatasync:delay_enter=1s:when=1 lockrun $L -- sleep 60
		until tail -1 trace | grep -q fdatasync
		key ^C
		shell echo status $?
		next status 130
		shell exit
		end
	STEPS
}

# ---- stop and continue ----

@test "Ctrl-Z stops the job, and fg and bg continue it" {
	in_shell <<-'STEPS'
		shell lockrun $L -- $W
		next ready
		key ^Z
		see ^\[1\]\+ +Stopped +lockrun
		do grep -q '^State:.T' /proc/$(cat lockrun.pid)/status
		do grep -q '^State:.T' /proc/$(cat witness.pid)/status
		shell jobs
		see ^\[1\]\+ +Stopped +lockrun
		shell lockrun -qn $L -- true; echo status $?
		next status 75
		shell fg
		next lockrun .*
		until ! grep -q '^State:.T' /proc/$(cat lockrun.pid)/status
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		key ^C
		next (\^C)?INT terminal
		key ^Z
		see ^\[1\]\+ +Stopped +lockrun
		shell bg
		see ^\[1\]\+ lockrun .*&$
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		shell jobs
		see ^\[1\]\+ +Running +lockrun
		do kill -USR1 $(cat lockrun.pid)
		see USR1 lockrun
		type
		shell fg
		next lockrun .*
		foreground
		key ^C
		next (\^C)?INT terminal
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell echo status $?
		next status 9
		shell exit
		end
	STEPS
}

@test "in a script, too, the whole job stops and continues" {
	in_shell <<-'STEPS'
		shell bash -c 'lockrun $L -- $W; echo status $?'
		next ready
		key ^Z
		see ^\[1\]\+ +Stopped +bash
		do grep -q '^State:.T' /proc/$(cat lockrun.pid)/status
		do grep -q '^State:.T' /proc/$(cat witness.pid)/status
		shell fg
		next bash .*
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		next status 9
		shell exit
		end
	STEPS
}

@test "Ctrl-Z again and again" {
	{
		echo 'shell lockrun $L -- $W'
		echo 'next ready'
		for _ in {1..30}; do
			echo 'key ^Z'
			echo 'see Stopped'
			echo 'shell fg'
			echo 'next lockrun .*'
			echo 'do kill -USR1 $(cat lockrun.pid)'
			echo 'next USR1 lockrun'
		done
		echo 'do kill -USR2 $(cat lockrun.pid)'
		echo 'next USR2 lockrun'
		echo 'shell exit'
		echo 'end'
	} | in_shell
}

@test "a program that does something of its own before it stops" {
	{
		echo 'shell lockrun $L -- $W --stop'
		echo 'next ready'
		for _ in {1..10}; do
			echo 'key ^Z'
			echo 'next (\^Z)?TSTP terminal'
			echo 'see ^\[1\]\+ +Stopped +lockrun'
			echo 'shell fg'
			echo 'next lockrun .*'
			echo 'next CONT (?!lockrun).*'
			echo 'do kill -USR1 $(cat lockrun.pid)'
			echo 'next USR1 lockrun'
		done
		echo 'do kill -USR2 $(cat lockrun.pid)'
		echo 'next USR2 lockrun'
		echo 'shell exit'
		echo 'end'
	} | in_shell
}

@test "a program that does not stop is not left by the shell" {
	in_shell <<-'STEPS'
		shell lockrun $L -- sh -c 'trap "" TSTP; echo ready; exec $W'
		next ready
		next ready
		key ^Z
		do kill -USR1 $(cat lockrun.pid)
		next (\^Z)?USR1 lockrun
		unseen Stopped
		do ! grep -q '^State:.T' /proc/$(cat lockrun.pid)/status
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell exit
		end
	STEPS
}

@test "a stop sent to lockrun or to the command from elsewhere gives the shell its terminal back" {
	in_shell <<-'STEPS'
		shell lockrun $L -- $W
		next ready
		do kill -TSTP $(cat lockrun.pid)
		see ^\[1\]\+ +Stopped
		until grep -q '^State:.T' /proc/$(cat witness.pid)/status
		shell fg
		next lockrun .*
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		do kill -STOP $(cat witness.pid)
		see ^\[1\]\+ +Stopped
		shell fg
		next lockrun .*
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		do kill -TSTP $(cat lockrun.pid)
		see ^\[1\]\+ +Stopped
		do kill -CONT $(cat lockrun.pid)
		until ! grep -q '^State:.T' /proc/$(cat witness.pid)/status
		do kill -USR2 $(cat lockrun.pid)
		see USR2 lockrun$
		type
		shell exit
		end
	STEPS
}

@test "a command that is stopped while it steps down does not take the terminal away" {
	in_shell <<-'STEPS'
		shell lockrun $L -- $W
		next ready
		do kill -TERM $(cat lockrun.pid)
		next TERM lockrun
		do kill -USR1 $(cat lockrun.pid)
		next USR1 lockrun
		key ^Z
		see ^\[1\]\+ +Stopped
		shell fg
		next lockrun .*
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell exit
		end
	STEPS
}

@test "Ctrl-Z on one that waits: it leaves the queue, and joins again at fg" {
	hold
	in_shell <<-'STEPS'
		shell lockrun $L -- echo led first
		until ls $LOCKRUN_DIR/$L/q/*w
		key ^Z
		see ^\[1\]\+ +Stopped +lockrun
		do ! ls $LOCKRUN_DIR/$L/q/*w $LOCKRUN_DIR/$L/q/.[!.]*
		shell lockrun $L -- echo led second &
		until ls $LOCKRUN_DIR/$L/q/*w
		do : >hold.$L
		see led second$
		until ! ls $LOCKRUN_DIR/$L/q/*[wh]
		type
		shell fg 1
		next lockrun .*
		next led first
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "one that waits and is continued in the background waits on, and keeps its time" {
	hold
	in_shell <<-'STEPS'
		shell lockrun -w 60 $L -- echo led
		until ls $LOCKRUN_DIR/$L/q/*w
		key ^Z
		see ^\[1\]\+ +Stopped +lockrun
		shell bg
		see ^\[1\]\+ lockrun .*&$
		until ls $LOCKRUN_DIR/$L/q/*w
		do : >hold.$L
		see led$
		type
		shell wait; echo all
		see ^all$
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "Ctrl-C ends a wait, and Ctrl-C and kill end a stopped one" {
	hold
	in_shell <<-'STEPS'
		shell lockrun $L -- echo led
		until ls $LOCKRUN_DIR/$L/q/*w
		key ^C
		shell echo status $?
		next status 130
		do ! ls $LOCKRUN_DIR/$L/q/*w $LOCKRUN_DIR/$L/q/.[!.]*
		shell lockrun $L -- echo led
		until ls $LOCKRUN_DIR/$L/q/*w
		key ^Z
		see ^\[1\]\+ +Stopped +lockrun
		shell kill %1; wait -f %1; echo status $?
		see Terminated while waiting; nothing was run$
		see ^status 143$
		shell exit
		end
	STEPS
	release
}

@test "continued while it leaves the queue, it does not stop any more" {
	hold
	in_shell <<-'STEPS'
		shell strace -DD -o trace -e inject=unlinkat:delay_enter=5s:when=1 lockrun $L -- echo led & echo $! >job
		until ls $LOCKRUN_DIR/$L/q/*w
		do ls $LOCKRUN_DIR/$L/q/*w >before
		do kill -TSTP $(cat job)
		until tail -1 trace | grep -q 'unlinkat'
		do kill -CONT $(cat job)
		until ls $LOCKRUN_DIR/$L/q/*w | grep -vf before
		do : >hold.$L
		see led$
		type
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

# ---- reading and writing ----

@test "the command reads the terminal and sets it, alone, in scripts and in pipelines" {
	in_shell <<-'STEPS'
		shell lockrun $L -- sh -c 'read x </dev/tty; stty -a >/dev/null; echo got $x'
		type one
		see ^got one$
		shell bash -c "lockrun $L -- sh -c 'read x </dev/tty; echo got \$x'; echo after"
		type two
		see ^got two$
		next after
		shell lockrun $L -- sh -c 'read x </dev/tty; echo got $x' | cat
		type three
		see ^got three$
		shell echo four | lockrun $L -- sh -c 'read x </dev/tty; read y; echo got $x $y' | cat
		type five
		see ^got five four$
		shell sh -c 'x=$(lockrun $L -- sh -c "read x </dev/tty; echo got \$x"); echo $x'
		type six
		see ^got six$
		shell lockrun $L -- stty -echo; stty -a | grep -o .echo; stty echo
		see ^-echo$
		shell sh -c 'lockrun $L -- stty -echo'; stty -a | grep -o .echo; stty echo
		see ^-echo$
		shell lockrun $L -- sh -c 'stty tostop; echo written'; stty -tostop
		next written
		shell lockrun $L -- seq 3 | cat
		next 1
		next 2
		next 3
		shell exit
		end
	STEPS
}

@test "a pager in the pipeline reads its keys" {
	command -v less >/dev/null || skip "no less"
	in_shell <<-'STEPS'
		shell TERM=vt100 lockrun $L -- seq 200 | TERM=vt100 less
		see 1
		see 23$
		see :
		key q
		shell TERM=vt100 lockrun $L -- less +G shellrc
		see END
		key q
		shell exit
		end
	STEPS
}

@test "a background job that reads the terminal is stopped, and fg lets it go on" {
	in_shell <<-'STEPS'
		shell lockrun $L -- sh -c 'read x; echo got $x' &
		until grep -q '^State:.T' /proc/$(sh leader)/status
		shell jobs
		see ^\[1\]\+ +Stopped.* +lockrun
		shell fg
		next lockrun .*
		type seven
		see ^got seven$
		shell stty tostop
		shell lockrun $L -- echo written &
		until grep -q '^State:.T' /proc/$(sh leader)/status
		shell jobs
		see ^\[1\]\+ +Stopped.* +lockrun
		shell fg
		next lockrun .*
		next written
		shell exit
		end
	STEPS
}

@test "lockrun's own words stop nobody's job, though the terminal stops background writers" {
	hold
	in_shell <<-'STEPS'
		shell stty tostop; lockrun -v $L -- true &
		until ls $LOCKRUN_DIR/$L/q/*w
		do : >hold.$L
		shell wait %1; echo status $?
		see ^status 0$
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

# ---- hanging up ----

@test "when the terminal of a session that lockrun leads is closed, nothing remains" {
	local command
	for command in 'exec lockrun $L -- sleep 60' 'exec lockrun $L -- sh -c "sleep 60; :"' \
	    'exec lockrun $L -- sh -c "sleep 60 & sleep 60 | sleep 60"'; do
		on_terminal sh -c "$command" <<-'STEPS'
			until ls $LOCKRUN_DIR/$L/q/*h
			close
			end 129
		STEPS
		await_quietly no_marked_processes
		[ "$(holding)" -eq 0 ]
	done
	# One that reads may see the end of the terminal before the signal.
	on_terminal sh -c 'exec lockrun $L -- cat' <<-'STEPS'
		until ls $LOCKRUN_DIR/$L/q/*h
		close
		end
	STEPS
	await_quietly no_marked_processes
}

@test "the hang-up reaches the command once when lockrun leads the session" {
	on_terminal sh -c 'exec lockrun $L -- sh -c "exec $W >told"' <<-'STEPS'
		until grep -q ready told
		close
		until grep -q HUP told
		do kill -USR1 $(cat lockrun.pid)
		until grep -q USR1 told
		do kill -USR2 $(cat lockrun.pid)
		end 9
	STEPS
	[ "$(cat told)" = $'ready\nHUP lockrun\nUSR1 lockrun\nUSR2 lockrun' ]
}

@test "one that waits and leads the session ends with the terminal" {
	hold
	on_terminal sh -c 'exec lockrun $L -- echo led' <<-'STEPS'
		until ls $LOCKRUN_DIR/$L/q/*w
		close
		end 129
	STEPS
	[ "$(pending)" -eq 0 ]
	release
}

@test "when a shell's terminal is closed, its jobs end with it" {
	in_shell <<-'STEPS'
		shell lockrun $L -- sh -c 'sleep 60; :'
		until ls $LOCKRUN_DIR/$L/q/*h
		close
		end
	STEPS
	await_quietly no_marked_processes
	in_shell <<-'STEPS'
		shell lockrun $L -- sleep 60 &
		until ls $LOCKRUN_DIR/$L/q/*h
		shell lockrun $L -- true
		until ls $LOCKRUN_DIR/$L/q/*w
		key ^Z
		see Stopped
		close
		end
	STEPS
	await_quietly no_marked_processes
	[ "$(holding)" -eq 0 ]
}

@test "nohup lockrun outlives the terminal" {
	mkfifo go
	in_shell <<-'STEPS'
		shell nohup lockrun $L -- sh -c 'read x <go; echo $x >outlived' &
		until ls $LOCKRUN_DIR/$L/q/*h
		see ignoring input
		close
		end
	STEPS
	[ "$(holding)" -eq 1 ]
	echo yes >go
	await is_holding 0
	[ "$(cat outlived)" = yes ]
}

@test "nohup lockrun waits on when the terminal is gone" {
	hold
	in_shell <<-'STEPS'
		shell nohup lockrun $L -- sh -c 'echo led >outlived' &
		until ls $LOCKRUN_DIR/$L/q/*w
		close
		end
	STEPS
	[ "$(pending)" -eq 1 ]
	release
	await is_pending 0
	await is_holding 0
	[ "$(cat outlived)" = led ]
}

@test "a short command as the first process of a terminal is not hung up" {
	local i
	for i in {1..50}; do
		run -0 script -qec "lockrun $L true" /dev/null
		[ -z "$output" ]
	done </dev/null
}

# ---- shells without job control ----

@test "what such a shell starts in the background goes on ignoring INT and QUIT" {
	mkfifo go
	in_shell <<-'STEPS'
		shell sh -c 'lockrun $L -- sh -c "grep SigIgn /proc/self/status >ignored; exec cat go" & echo $! >job; wait $!; echo status $?'
		until test -s ignored
		do kill -INT $(cat job); kill -QUIT $(cat job)
		do echo went on >go
		next went on
		next status 0
		shell exit
		end
	STEPS
	[ $((0x$(cut -f2 ignored) & 6)) -eq 6 ]
}

@test "nor does INT or QUIT end a wait there" {
	hold
	in_shell <<-'STEPS'
		shell sh -c 'lockrun $L -- echo led & echo $! >job; wait $!; echo status $?'
		until ls $LOCKRUN_DIR/$L/q/*w
		do kill -INT $(cat job); kill -QUIT $(cat job)
		do : >hold.$L
		next led
		next status 0
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "a script's kill of its own lockrun is heard" {
	run -0 bash -c 'lockrun $L -- sleep 60 & until ls $LOCKRUN_DIR/$L/q/*h >/dev/null 2>&1; do :; done
		kill $!; wait $!; echo $?'
	[ "$output" = 143 ]
}

# ---- hands off ----

@test "the terminal, its groups and sessions are left alone" {
	in_shell <<-'STEPS'
		shell strace -DD -f -o trace lockrun $L -- $W
		next ready
		key ^C
		next (\^C)?INT terminal
		key ^Z
		see Stopped
		shell fg
		next strace .*
		do kill -USR2 $(cat lockrun.pid)
		next USR2 lockrun
		shell exit
		end
	STEPS
	await grep -q 'exited with 9' trace
	grep -q TIOCGPGRP trace
	run -1 grep -E 'TIOCSPGRP|TIOCSCTTY|TIOCNOTTY|TCSETS|setsid\(|setpgid\(|ptmx|TIOCSTI' trace
}
