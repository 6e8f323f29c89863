#!/usr/bin/env bats
# A wait as a person sees it: one live line on a terminal, a line a minute in a log.
load ../helper

setup() {
	common_setup
	printf '%s\n' "PS1='@ '" 'unset HISTFILE' >shellrc
	export L=$LOCK TERM=xterm
}

# in_shell <STEPS: typed to an interactive bash; see terminal.py.
in_shell() { python3 "$TESTS/full/terminal.py" bash --noprofile --rcfile shellrc --noediting -i 3>&-; }

@test "a wait shows one line with position, time and holder, and nothing is left of it" {
	LOCKRUN_NOTE='build 7' hold
	in_shell <<-STEPS
		size 24 160
		shell lockrun \$L -- echo led
		shows ^lockrun: $LOCK: position 1 after 1\.[0-9]s: held by pid $HOLDER \(sh, build 7\) for [0-9.]+s, generation 1, 0 waiting$
		shows ^lockrun: $LOCK: position 1 after 2\.[0-9]s:
		# In its own place.
		lacks after[^|]*after
		do : >hold.\$L
		shows \A@ lockrun \\\$L -- echo led\nled\n@ \Z
		never \x1b\[[0-9;]*m
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "the live line changes with the queue" {
	hold
	contend first "$LOCK"
	await is_pending 1
	in_shell <<-STEPS
		shell lockrun \$L -- echo led
		shows position 2 after .*: held by pid $HOLDER .* generation 1, 1 waiting$
		do : >hold.\$L
		shows position 1 after .*: held by pid ${CONTENDERS[first]} .* generation 2, 0 waiting$
		do : >first.go
		shows \A@ lockrun \\\$L -- echo led\nled\n@ \Z
		shell exit
		end
	STEPS
	wait "$HOLDER" "${CONTENDERS[first]}"
}

@test "Ctrl-Z and Ctrl-C leave no scraps of the live line" {
	hold
	in_shell <<-'STEPS'
		shell lockrun $L -- echo led
		shows position 1 after
		key ^Z
		shows \A@ lockrun \$L -- echo led\n+\[1\]\+  Stopped +lockrun \$L -- echo led\n@ \Z
		type fg
		shows ^lockrun: .*position 1 after
		key ^C
		shows ^lockrun: demo:v1:leader:sync: Interrupt while waiting; nothing was run\n+@ \Z
		lacks position
		shell exit
		end
	STEPS
	release
}

@test "what is said at the end of a wait stands alone" {
	hold
	in_shell <<-'STEPS'
		shell lockrun -w 1500ms $L -- echo led
		shows ^lockrun: .*position 1 after
		shows \A@ lockrun -w 1500ms \$L -- echo led\nlockrun: demo:v1:leader:sync: held by .* gave up after 1.5s; nothing was run\n@ \Z
		shell clear; lockrun -w 1500ms --complain-after 1h $L -- echo led
		shows @ \Z
		lacks position
		shell exit
		end
	STEPS
	release
}

@test "the live line keeps within the terminal, and then leaves out the name of the lock first" {
	LOCKRUN_NOTE='a note that is quite long and goes on and on' hold
	in_shell <<-STEPS
		size 24 80
		shell lockrun \$L -- echo led
		shows ^lockrun: position 1 after .{1,10}: held by pid $HOLDER \(sh, a note that is .*$
		lacks ^.{78}
		size 24 30
		shows ^lockrun: position 1 after [0-9.]+
		key ^C
		shell exit
		end
	STEPS
	in_shell <<-'STEPS'
		size 24 30
		shell lockrun $L -- true
		shows ^lockrun: position 1 after
		lacks ^lock.{24}
		do : >hold.$L
		shows \A@ lockrun \$L -- true\n@ \Z
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "with -q, in the background and on a terminal that cannot there is no live line" {
	hold
	local quiet
	# The one behind draws a line later than the one before it would have.
	for quiet in 'lockrun -q $L -- true &' 'TERM=dumb lockrun $L -- true &' 'TERM= lockrun $L -- true &'; do
		in_shell <<-STEPS
			shell sh -c '$quiet until ls \$LOCKRUN_DIR/\$L/q/*w; do :; done >/dev/null 2>&1; lockrun \$L -- true'
			shows position 2 after 2
			never position 1
			key ^C
			shows nothing was run
			# What a script starts in the background ignores SIGINT.
			do kill \$(ls \$LOCKRUN_DIR/\$L/q | grep w$ | cut -d. -f3)
			shell exit
			end
		STEPS
		await is_pending 0
	done
	in_shell <<-'STEPS'
		shell lockrun $L -- true &
		until ls $LOCKRUN_DIR/$L/q/*w
		type
		shell lockrun $L -- true
		shows position 2 after 2
		key ^C
		shows nothing was run
		never position 1
		shell fg
		shows position 1 after
		key ^Z
		shows Stopped
		lacks position
		shell bg
		until ls $LOCKRUN_DIR/$L/q/*w
		type
		shell lockrun $L -- true
		shows position 2 after 2
		unseen position 1
		do : >hold.$L
		shell wait; exit
		end
	STEPS
	wait "$HOLDER"
}

@test "the command's first word comes after the live line is gone" {
	hold
	in_shell <<-'STEPS'
		shell lockrun -F $L -- printf 'one word'
		shows position 1 after
		do : >hold.$L
		shows \A@ lockrun -F \$L -- printf 'one word'\none word@ \Z
		shell exit
		end
	STEPS
	wait "$HOLDER"
}

@test "in a log a wait has a line when it begins, one a minute however often it goes on, one at its end" {
	local i
	for i in {1..13}; do
		start "$LOCKRUN" -q "$LOCK" sleep 5
		await has_ticket "$STARTED"
	done
	PATIENCE=120
	lead -v "$LOCK" true 2>log
	ends 0 "$STARTED"
	TIME='[0-9-]+T[0-9:.]+Z'
	[ "$(grep -cE "^$TIME lockrun: $LOCK: waiting: held by pid .*, generation 1, 12 waiting$" log)" -eq 1 ]
	grep -qE "^$TIME lockrun: $LOCK: still waiting, position [1-9] after 1m[0-9]+s: held by pid .*, generation 1?[0-9], [0-9] waiting$" log || { cat log; return 1; }
	[ "$(grep -c 'still waiting' log)" -eq 1 ]
	grep -qE "^$TIME lockrun: $LOCK: leading, generation 14, " log
	wait
}
