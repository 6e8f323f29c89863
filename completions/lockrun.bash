# SPDX-License-Identifier: ISC
# bash completion for lockrun. Needs no other package; with bash-completion the command behind the
# name completes its own arguments.

# The options of a subcommand, and those among them that take a value.
_lockrun_options() {
	case $1 in
	run)
		takers='-w --wait --watchdog -E --conflict-exit-code -m --max-hold -k --kill-after --after-lost --leftovers
			--command-status-map --max-waiters --eligible --eligible-every --on-unavailable --also-flock --backoff
			--max-terms --complain-after --note --events -d --dir'
		options="-n --if-available -s --shared --replace --join --yield --preserve-status --die-with-parent
			-o --close -F --no-fork -r --loop -v --verbose -q --quiet -h --help -V --version $takers"
		;;
	status)
		takers='-d --dir'
		options="--json -h --help $takers"
		;;
	watch)
		takers='-w --wait -d --dir'
		options="--json --until-end -h --help $takers"
		;;
	history)
		takers='-d --dir'
		options="--json -h --help $takers"
		;;
	stats)
		takers='-d --dir'
		options="--json --prometheus -h --help $takers"
		;;
	signal)
		takers='-d --dir'
		options="-h --help $takers"
		;;
	stop)
		takers='-w --wait --reason --generation -d --dir'
		options="--all --force -q --quiet -h --help $takers"
		;;
	doctor)
		takers='--floor -d --dir'
		options="--repair -h --help $takers"
		;;
	prune)
		takers='--older-than -d --dir'
		options="-h --help $takers"
		;;
	check | fence)
		takers=''
		options='-h --help'
		;;
	name)
		takers='--app --protocol --kind --resource --scope'
		options="-h --help $takers"
		;;
	esac
}

# Whether a word is a member of a list.
_lockrun_is_in() {
	local member
	for member in $2; do
		[[ $1 == "$member" ]] && return 0
	done
	return 1
}

# Whether the next word is the value of this one: "--wait", "-w", "-nw", but not "-w5".
_lockrun_takes_next() {
	local letters=${1#-} first
	[[ $1 == --* ]] && { _lockrun_is_in "$1" "$takers"; return; }
	[[ $1 == -?* ]] || return 1
	while [[ -n $letters ]]; do
		first=-${letters:0:1} letters=${letters:1}
		_lockrun_is_in "$first" "$takers" && [[ -z $letters ]] && return 0
		_lockrun_is_in "$first" "$takers" && return 1
	done
	return 1
}

# The words up to the cursor as the shell sees them: COMP_WORDS is also cut at colons and at "=".
# at[i] is where word i begins in COMP_WORDS.
_lockrun_words() {
	local rest=$COMP_LINE i word
	words=() at=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $rest == [[:blank:]]* || $i -eq 0 ]]; then
			rest=${rest#"${rest%%[![:blank:]]*}"}
			words+=("$word") at+=("$i")
		else
			words[${#words[@]} - 1]+=$word
		fi
		rest=${rest#"$word"}
	done
}

# The locks of the directory that the command line names.
_lockrun_names() {
	local i directory=()
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		case ${words[i]} in
		-d | --dir) directory=(-d "${words[i + 1]/#~\//$HOME/}") ;;
		--dir=*) directory=(-d "${words[i]#*=}") ;;
		esac
	done
	"${words[0]/#~\//$HOME/}" status "${directory[@]}" 2>/dev/null |
		sed -n 's/^\([^ ]*:[^ ]*\): .*/\1/p'
}

# What an option's value may be.
_lockrun_value() {
	case $1 in
	-d | --dir) compgen -d -- "$2" ;;
	-k | --kill-after) compgen -W '5s 10s 30s 1m 5m never' -- "$2" ;;
	-w | --wait | -m | --max-hold | --yield | --watchdog | --eligible-every | --complain-after) compgen -W '10s 30s 1m 5m 10m 1h' -- "$2" ;;
	--older-than) compgen -W '7d 30d 90d 365d' -- "$2" ;;
	--max-waiters) compgen -W '1 2 3' -- "$2" ;;
	-E | --conflict-exit-code) compgen -W '0 75' -- "$2" ;;
	--on-unavailable) compgen -W 'fail skip run' -- "$2" ;;
	--after-lost) compgen -W 'run refuse' -- "$2" ;;
	--leftovers) compgen -W 'leave wait kill' -- "$2" ;;
	--events | --also-flock) compgen -f -- "$2" ;;
	--kind) compgen -W 'leader mutation migration single-flight' -- "$2" ;;
	--protocol) compgen -W '1 2 3' -- "$2" ;;
	esac
}

# Complete the command that begins at word $1.
_lockrun_command() {
	local first=$1
	if ((first == ${#words[@]} - 1)); then
		if [[ $cur == */* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames 2>/dev/null
		else
			mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
		fi
	elif declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "${at[first]}"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "${at[first]}"
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
	fi
}

# bash replaces what follows the last colon or "=" only.
_lockrun_trim() {
	local kept tail=$cur i
	[[ $COMP_WORDBREAKS == *:* ]] && tail=${tail##*:}
	[[ $COMP_WORDBREAKS == *=* ]] && tail=${tail##*=}
	kept=${cur%"$tail"}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$kept"}
	done
}

_lockrun() {
	local subcommands='run status watch history stats stop signal check fence doctor prune name'
	local signals='HUP INT QUIT TERM USR1 USR2 ALRM WINCH STOP CONT KILL'
	local words at cur last sub=run first=1 i option options takers name=
	COMPREPLY=()
	_lockrun_words
	last=$((${#words[@]} - 1))
	cur=${words[last]}
	if ((last > 1)); then
		_lockrun_is_in "${words[1]}" "$subcommands" && sub=${words[1]} first=2
	fi
	_lockrun_options "$sub"

	# Up to the cursor: options, and the name or file behind which a command begins.
	for ((i = first; i < last; i++)); do
		if [[ ${words[i]} == -- ]]; then
			options=
		elif [[ -n $options && ${words[i]} == -?* ]]; then
			_lockrun_takes_next "${words[i]}" || continue
			((i + 1 < last)) && { ((i++)); continue; }
			option=${words[i]}
			[[ $option == --* ]] || option=-${option: -1}
			mapfile -t COMPREPLY < <(_lockrun_value "$option" "$cur")
			_lockrun_is_in "$option" '-d --dir --events --also-flock' && compopt -o filenames 2>/dev/null
			_lockrun_trim
			return 0
		elif [[ $sub == run || $sub == fence ]]; then
			((i++))
			[[ ${words[i]} == -- && i -lt last ]] && ((i++))
			_lockrun_command "$i"
			return 0
		else
			name=${words[i]}
		fi
	done

	if [[ -n $options && $cur == --*=* ]]; then
		mapfile -t COMPREPLY < <(_lockrun_value "${cur%%=*}" "${cur#*=}")
		[[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/${cur%%=*}=}")
	elif [[ -n $options && $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
	elif [[ $sub == doctor && " ${words[*]} " != *' --floor'[\ =]* ]]; then
		[[ -n $name ]] || mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		compopt -o filenames 2>/dev/null
	elif [[ $sub == fence ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		compopt -o filenames 2>/dev/null
	elif [[ $sub == signal && -n $name ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$signals" -- "$cur")
	else
		# Most want one name only.
		[[ $sub == prune || (-n $name && $sub != status && $sub != stats) ]] ||
			mapfile -t COMPREPLY < <(compgen -W "$(_lockrun_names)" -- "$cur")
		((last == 1)) && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \
			< <(compgen -W "$subcommands" -- "$cur")
		_lockrun_trim
	fi
	return 0
}

complete -F _lockrun lockrun
