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

# expected PREFIX ZSH: where the files of the repository belong.
expected() {
	echo ".$1/bin/lockrun"
	(cd "$TESTS/../man" && printf '%s\n' *) | sed "s|.*\.\(.\)\$|.$1/share/man/man\1/&|"
	echo ".$1/share/bash-completion/completions/lockrun"
	echo ".$1/share/fish/vendor_completions.d/lockrun.fish"
	echo ".$1/share/zsh/$2/_lockrun"
}

@test "install puts program, manual and completions below DESTDIR and PREFIX" {
	make_it install
	diff <(expected /usr vendor-completions | LC_ALL=C sort) <(installed) >&2
	run -0 "$ROOT/usr/bin/lockrun" --version
	[ -z "$(find "$ROOT" -type f ! -path '*/bin/*' ! -perm 644)" ]
}

@test "without PREFIX it goes to /usr/local" {
	make -s -C "$TESTS/.." BUILD="$(dirname "$LOCKRUN")" DESTDIR="$ROOT" install 3>&-
	diff <(expected /usr/local site-functions | LC_ALL=C sort) <(installed) >&2
}

@test "the Makefile alone says which version it is: program and manuals have it from there" {
	version="lockrun $(sed -n 's/^VERSION *= //p' "$TESTS/../Makefile")"
	make_it install
	[ "$("$ROOT/usr/bin/lockrun" --version)" = "$version" ]
	found=$(find "$ROOT" -path '*/man/*' -type f -exec sed -n 's/^\.Os //p' {} +)
	[ "$(sort -u <<<"$found")" = "$version" ]
	[ "$(wc -l <<<"$found")" -eq "$(ls "$TESTS/../man" | wc -l)" ]
	# Nowhere else, where it would be forgotten.
	not grep -rFn "${version#* }" "$TESTS/../src" "$TESTS/../man" "$TESTS/../completions"
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
