#!/usr/bin/env bats
# make install puts everything in its place, and make uninstall takes away just that.
load helper

setup() {
	common_setup
	# This make is none of the one that may have started us.
	unset MAKEFLAGS MAKELEVEL MFLAGS
	ROOT="$PWD/a root"
}

make_it() {
	make -s -C "$TESTS/.." BUILD="$(dirname "$LOCKRUN")" DESTDIR="$ROOT" PREFIX=/usr "$@" 3>&-
}
installed() { (cd "$ROOT" && find . -type f | LC_ALL=C sort); }

# Where the files of the repository belong.
expected() {
	echo ./usr/bin/lockrun
	(cd "$TESTS/../man" && printf '%s\n' *) | sed 's|.*\.\(.\)$|./usr/share/man/man\1/&|'
	echo ./usr/share/bash-completion/completions/lockrun
	echo ./usr/share/fish/vendor_completions.d/lockrun.fish
	echo ./usr/share/zsh/site-functions/_lockrun
}

@test "install puts program, manual and completions below DESTDIR and PREFIX" {
	make_it install
	diff <(expected | LC_ALL=C sort) <(installed) >&2
	run -0 "$ROOT/usr/bin/lockrun" --version
	[ -z "$(find "$ROOT" -type f ! -path '*/bin/*' ! -perm 644)" ]
}

@test "uninstall takes all of it away, and nothing else" {
	mkdir -p "$ROOT/usr/bin" "$ROOT/usr/share/man/man1"
	touch "$ROOT/usr/bin/other" "$ROOT/usr/share/man/man1/other.1"
	before=$(installed)
	make_it install
	[ "$(installed)" != "$before" ]
	make_it uninstall
	[ "$(installed)" = "$before" ]
}
