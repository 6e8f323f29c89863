# SPDX-License-Identifier: ISC
# fish completion for lockrun.

set -g __lockrun_subcommands run status watch history stats stop signal check fence doctor prune name

# Options that take a value, so that the word behind them is not the lock name.
set -g __lockrun_takers -w --wait -E --conflict-exit-code -m --max-hold -k --kill-after --note \
    --after-lost --leftovers --command-status-map --max-waiters --eligible --eligible-every --on-unavailable --also-flock --watchdog --backoff --max-terms --complain-after --events -d --dir --reason --generation \
    --floor --older-than --app --protocol --kind --resource --scope

# Read the words before the cursor, and set: __lockrun_sub, the subcommand; __lockrun_options,
# whether options may still come; __lockrun_named, whether a lock was named; __lockrun_begin, the
# word at which COMMAND begins (0: the cursor is before that).
function __lockrun_look
    set -l words (commandline -opc)
    set -g __lockrun_sub run
    set -g __lockrun_named 0
    set -g __lockrun_begin 0
    set -g __lockrun_options 1
    set -l i 2
    if test (count $words) -gt 1; and contains -- $words[2] $__lockrun_subcommands
        set -g __lockrun_sub $words[2]
        set i 3
    end
    while test $i -le (count $words)
        set -l word $words[$i]
        if test $__lockrun_options = 1; and string match -q -- '-?*' $word
            if test "$word" = --
                set -g __lockrun_options 0
            else if contains -- $word $__lockrun_takers
                set i (math $i + 1)
            else if string match -qr -- '^-[nsoFxrvq]+[wEmkd]$' $word
                set i (math $i + 1)
            end
        else
            set -g __lockrun_named 1
            if contains -- $__lockrun_sub run fence
                set i (math $i + 1)
                if test $i -le (count $words); and test "$words[$i]" = --
                    set i (math $i + 1)
                end
                set -g __lockrun_begin $i
                return
            end
        end
        set i (math $i + 1)
    end
end

# In this subcommand, where its options may stand.
function __lockrun_in
    __lockrun_look
    test $__lockrun_sub = $argv[1]; and test $__lockrun_begin = 0; and test $__lockrun_options = 1
end

# Where a subcommand may stand.
function __lockrun_first
    test (count (commandline -opc)) -eq 1
end

# Where a lock name may stand.
function __lockrun_wants_name
    __lockrun_look
    test $__lockrun_begin = 0
    and begin
        test $__lockrun_named = 0; or contains -- $__lockrun_sub status stats
    end
    and not contains -- $__lockrun_sub prune fence
    and not __lockrun_wants_directory
end

# Without --floor the word of doctor is a directory.
function __lockrun_wants_directory
    __lockrun_look
    test $__lockrun_sub = doctor; and test $__lockrun_named = 0
    and not string match -q -- '--floor*' (commandline -opc)
end

function __lockrun_wants_file
    __lockrun_look
    test $__lockrun_sub = fence; and test $__lockrun_begin = 0
end

function __lockrun_wants_signal
    __lockrun_look
    test $__lockrun_sub = signal; and test $__lockrun_named = 1
end

function __lockrun_wants_command
    __lockrun_look
    test $__lockrun_begin -gt 0
end

# The locks of the directory that the command line names.
function __lockrun_names
    set -l words (commandline -opc)
    set -l directory
    for i in (seq 2 (count $words))
        switch $words[$i]
            case -d --dir
                set directory -d (string replace -r '^~/' "$HOME/" -- $words[(math $i + 1)])
            case '--dir=*'
                set directory -d (string replace -r '^--dir=' '' -- $words[$i])
        end
    end
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    $program status $directory 2>/dev/null | string replace -rf '^(\S+:\S+): .*' '$1'
end

function __lockrun_command
    __lockrun_look
    set -l words (commandline -opc) ""
    set -l rest (string escape -- $words[$__lockrun_begin..-2]) (commandline -ct)
    complete -C "$rest"
end

set -l durations '10s 30s 1m 5m 10m 1h'

complete -c lockrun -f
complete -c lockrun -n __lockrun_first -a run -d 'Queue for a lock and run a command as its leader'
complete -c lockrun -n __lockrun_first -a status -d 'Who leads, since when; who waits'
complete -c lockrun -n __lockrun_first -a watch -d 'Follow who leads, or wait for the end of the present term'
complete -c lockrun -n __lockrun_first -a history -d 'The last terms, newest first'
complete -c lockrun -n __lockrun_first -a stats -d 'Counts and times'
complete -c lockrun -n __lockrun_first -a signal -d 'Send a signal to the command of the leader'
complete -c lockrun -n __lockrun_first -a stop -d 'Ask the leader to step down'
complete -c lockrun -n __lockrun_first -a check -d 'Inside a term: does it still lead?'
complete -c lockrun -n __lockrun_first -a fence -d 'Inside a term: run a command unless a file has seen a newer one'
complete -c lockrun -n __lockrun_first -a doctor -d 'Prove that exclusion works in this directory; mend'
complete -c lockrun -n __lockrun_first -a prune -d 'Forget idle locks; generations do not go back'
complete -c lockrun -n __lockrun_first -a name -d 'Check and explain a lock name, or build one'
complete -c lockrun -n __lockrun_wants_name -a '(__lockrun_names)' -d 'Lock'
complete -c lockrun -n __lockrun_wants_directory -a '(__fish_complete_directories)'
complete -c lockrun -n __lockrun_wants_file -F
complete -c lockrun -n __lockrun_wants_signal -a 'HUP INT QUIT TERM USR1 USR2 ALRM WINCH STOP CONT KILL' -d 'Signal'
complete -c lockrun -n __lockrun_wants_command -a '(__lockrun_command)'

complete -c lockrun -n '__lockrun_in run' -s n -l if-available -d 'Try: do not wait when it is held or others are ahead'
complete -c lockrun -n '__lockrun_in run' -s w -l wait -x -a $durations -d 'Give up the queue after that long'
complete -c lockrun -n '__lockrun_in run' -s E -l conflict-exit-code -x -a '0 75' -d 'Exit status when the lock was not acquired'
complete -c lockrun -n '__lockrun_in run' -s m -l max-hold -x -a $durations -d 'Make the command step down after that long'
complete -c lockrun -n '__lockrun_in run' -s k -l kill-after -x -a '5s 10s 30s 1m 5m never' -d 'SIGKILL that long after SIGTERM'
complete -c lockrun -n '__lockrun_in run' -s s -l shared -d 'Share the lock with other shared holders, in queue order'
complete -c lockrun -n '__lockrun_in run' -l max-waiters -x -a '1 2 3' -d 'Do not join a queue in which so many wait'
complete -c lockrun -n '__lockrun_in run' -l eligible -x -d 'Only while this shell command succeeds; asked before queueing and at the grant'
complete -c lockrun -n '__lockrun_in run' -l eligible-every -x -a $durations -d 'Ask --eligible that often while leading; no means stepping down'
complete -c lockrun -n '__lockrun_in run' -l on-unavailable -x -a 'fail skip run' -d 'What to do when the lock manager cannot be used'
complete -c lockrun -n '__lockrun_in run' -l also-flock -r -F -d 'Hold flock(2) on that file too, against scripts that still use flock(1)'
complete -c lockrun -n '__lockrun_in run' -l replace -d 'Ask the present leader to stop, and lead next in its place'
complete -c lockrun -n '__lockrun_in run' -l join -d 'Share a run that is in flight or about to be'
complete -c lockrun -n '__lockrun_in run' -l yield -a $durations -d 'Step down as soon as somebody queues, but not before that long'
complete -c lockrun -n '__lockrun_in run' -l watchdog -x -a $durations -d 'Step down when the command gives no sign of life (sd_notify) for that long'
complete -c lockrun -n '__lockrun_in run' -l preserve-status -d 'After a step-down, exit with the status of the command, not 124'
complete -c lockrun -n '__lockrun_in run' -l after-lost -x -a 'run refuse' -d 'Whether to run when it is not known how the last term ended'
complete -c lockrun -n '__lockrun_in run' -l leftovers -x -a 'leave wait kill' -d 'What to do with processes that the command leaves behind'
complete -c lockrun -n '__lockrun_in run' -l die-with-parent -d 'Step down when the process that started lockrun is gone'
complete -c lockrun -n '__lockrun_in run' -s o -l close -d 'Do not pass the lock to the command'
complete -c lockrun -n '__lockrun_in run' -s F -l no-fork -d 'Take the lock, then become the command: no supervision'
complete -c lockrun -n '__lockrun_in run' -l command-status-map -x -d 'Exit with N when the own status of the command looks like "nothing ran"'
complete -c lockrun -n '__lockrun_in run' -s r -l loop -d 'After a term compete again, behind those who queued meanwhile'
complete -c lockrun -n '__lockrun_in run' -l backoff -x -a '1s:1m 5s:10m' -d 'How long to rest after terms that failed'
complete -c lockrun -n '__lockrun_in run' -l max-terms -x -d 'End after that many terms'
complete -c lockrun -n '__lockrun_in run' -l complain-after -x -a $durations -d 'Say nothing of a skip while the term of the holder is younger'
complete -c lockrun -n '__lockrun_in run' -l events -r -F -d 'Write what happens, one JSON object a line'
complete -c lockrun -n '__lockrun_in run' -l note -x -d 'Up to 200 bytes to show with the lock'
complete -c lockrun -n '__lockrun_in run' -s v -l verbose -d 'Say on standard error what happens'
complete -c lockrun -n '__lockrun_in run' -s q -l quiet -d 'Say nothing but errors'
complete -c lockrun -n '__lockrun_in run' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in run' -s h -l help -d 'Show the usage and exit'
complete -c lockrun -n '__lockrun_in run' -s V -l version -d 'Show the version and exit'

complete -c lockrun -n '__lockrun_in status' -l json -d 'Write one JSON document'
complete -c lockrun -n '__lockrun_in status' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in status' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in watch' -l json -d 'Write a JSON document a line, one at each change'
complete -c lockrun -n '__lockrun_in watch' -l until-end -d 'Only wait for the end of the present term'
complete -c lockrun -n '__lockrun_in watch' -s w -l wait -x -a $durations -d 'Give up after that long'
complete -c lockrun -n '__lockrun_in watch' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in watch' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in history' -l json -d 'Write one JSON document'
complete -c lockrun -n '__lockrun_in history' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in history' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in stats' -l json -d 'Write one JSON document'
complete -c lockrun -n '__lockrun_in stats' -l prometheus -d 'Write the text format of Prometheus'
complete -c lockrun -n '__lockrun_in stats' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in stats' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in signal' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in signal' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in stop' -s w -l wait -x -a $durations -d 'Give up after that long'
complete -c lockrun -n '__lockrun_in stop' -l all -d 'End the waits of all waiters first'
complete -c lockrun -n '__lockrun_in stop' -l force -d 'End its processes when no lockrun is left to be asked, or does not answer'
complete -c lockrun -n '__lockrun_in stop' -l generation -x -d 'Only if that generation leads'
complete -c lockrun -n '__lockrun_in stop' -l reason -x -d 'Why: shown to whoever has to step down'
complete -c lockrun -n '__lockrun_in stop' -s q -l quiet -d 'Say nothing but errors'
complete -c lockrun -n '__lockrun_in stop' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in stop' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in check' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in fence' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in doctor' -l repair -d 'Remove what was left behind; with --floor, mend the number of NAME'
complete -c lockrun -n '__lockrun_in doctor' -l floor -x -d 'A generation that no one has seen more than'
complete -c lockrun -n '__lockrun_in doctor' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in doctor' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in prune' -l older-than -x -a '7d 30d 90d 365d' -d 'Only what was idle for that long'
complete -c lockrun -n '__lockrun_in prune' -s d -l dir -x -a '(__fish_complete_directories)' -d 'State directory'
complete -c lockrun -n '__lockrun_in prune' -s h -l help -d 'Show the usage and exit'

complete -c lockrun -n '__lockrun_in name' -l app -x -d 'Who owns the lock'
complete -c lockrun -n '__lockrun_in name' -l protocol -x -a '1 2 3' -d 'Protocol version that it speaks'
complete -c lockrun -n '__lockrun_in name' -l kind -x -a 'leader mutation migration single-flight' -d 'What it is for'
complete -c lockrun -n '__lockrun_in name' -l resource -x -d 'Which resource it guards'
complete -c lockrun -n '__lockrun_in name' -l scope -x -d 'How wide it is'
complete -c lockrun -n '__lockrun_in name' -s h -l help -d 'Show the usage and exit'
