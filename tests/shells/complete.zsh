#!/usr/bin/env -S zsh -f
# SPDX-License-Identifier: ISC
# complete.zsh PLACE LINE...: what an interactive zsh offers at the end of each line, written as
# "LINE => MATCH...". PLACE is the directory that _lockrun is in. The matches are caught where all
# completions hand them in, at compadd.
zmodload zsh/zpty
place=$1
shift

zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT= ; unsetopt zle_bracketed_paste beep; stty -echo; fpath=(${(q)place} \$fpath)"
zpty -w shell 'autoload -Uz compinit && compinit -u -D
compadd() {
	local -a found
	[[ $@[1,(i)(-|--)] == *-(O|A|D)* ]] && { builtin compadd "$@"; return }
	builtin compadd -O found "$@"
	print -rl -- $found
	builtin compadd "$@"
}
offer() { print -r BEGIN:; zle list-choices; print -r :END; zle kill-whole-line }
zle -N offer
bindkey "^I" offer
print READY'
zpty -r shell output '*READY*'
for line; do
	zpty -w -n shell "$line"$'\t'
	zpty -r shell output '*:END*'
	output=${${output##*BEGIN:}%%:END*}
	print -r -- "$line => "${(ou)${(f)${output//$'\r'}}}
done
zpty -d shell
