#!/usr/bin/env bats
# Installed for good: the manuals open, Tab completes in three shells with nothing set up, the static
# program needs nothing, the tarball proves itself. Needs man-db, bash-completion, zsh and fish.
load ../helper

SOURCE=$TESTS/..

setup() {
	common_setup
	unset MAKEFLAGS MAKELEVEL MFLAGS
	ROOT=$PWD/root
	"$LOCKRUN" "$LOCK" -- true
	# A newcomer's shells: as Debian's bash and zsh set them up, but for the prompt.
	mkdir home
	{ cat /etc/skel/.bashrc; echo "PS1='@ '"; } >home/.bashrc
	printf '%s\n' 'autoload -Uz compinit' compinit "PS1='@ '" >home/.zshrc
	export HOME=$PWD/home TERM=dumb PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
	unset XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_HOME
}

make_it() { make -s -C "$SOURCE" BUILD="$(dirname "$LOCKRUN")" "$@" 3>&-; }

# installed COMMAND...: run it where what was installed below $ROOT lies over /usr.
installed() {
	local how
	for how in -m -rm; do
		unshare "$how" mount -t overlay none -o "lowerdir=$ROOT/usr:/usr" /usr 2>/dev/null || continue
		unshare "$how" sh -c 'mount -t overlay none -o "lowerdir=$0/usr:/usr" /usr && exec "$@"' \
			"$ROOT" "$@" 3>&-
		return
	done
	skip "no overlay can be mounted here"
}

# tab SHELL...: an option, and the name of a lock.
tab() {
	installed python3 "$TESTS/full/terminal.py" "$@" <<-'STEPS'
		see @\s
		put lockrun --vers
		key ^I ^M
		see lockrun \d+\.\d+\.\d+
		see @\s
		put lockrun status dem
		key ^I ^M
		see demo:v1:leader:sync: idle
		put exit
		key ^M
		end 0
	STEPS
}

each_shell() {
	tab bash -i
	tab zsh -i
	tab fish -i -C 'function fish_prompt; echo -n "@ "; end; function fish_greeting; end'
}

@test "installed with PREFIX=/usr: Tab completes in bash, zsh and fish" {
	make_it install DESTDIR="$ROOT" PREFIX=/usr
	each_shell
}

@test "installed as it is: Tab completes in bash, zsh and, where the desktop has its XDG_DATA_DIRS, fish" {
	make_it install DESTDIR="$ROOT"
	export XDG_DATA_DIRS=/usr/local/share:/usr/share
	each_shell
}

@test "man finds every manual, by the name of the program" {
	for prefix in /usr /usr/local; do
		rm -rf "$ROOT"
		make_it install DESTDIR="$ROOT" PREFIX="$prefix"
		for page in "$SOURCE"/man/*; do
			page=${page##*/}
			name=${page%.*} part=${page##*.}
			run -0 installed man -w "$part" "$name"
			[ "$(installed realpath "$output")" = "$prefix/share/man/man$part/$page" ]
			run -0 --separate-stderr installed man "$part" "$name"
			[[ "${lines[0]}" == "${name^^}($part)"* ]]
			[[ "${lines[-1]}" == "lockrun "[0-9]*" lockrun "[0-9]* ]]
			[ -z "$stderr" ]
		done
		run -0 installed man -w lockrun
		[ "$(installed realpath "$output")" = "$prefix/share/man/man1/lockrun.1" ]
	done
}

@test "the installed manuals are as well formed as their sources" {
	make_it install DESTDIR="$ROOT" PREFIX=/usr
	remarks=$(mandoc -T lint -W warning "$ROOT"/usr/share/man/*/* 2>&1 | grep -v "outdated mandoc.db" || true)
	echo "$remarks" >&2
	[ -z "$remarks" ]
}

# build_static: for the first test that asks.
build_static() {
	STATIC=$BATS_FILE_TMPDIR/build/static/lockrun
	make -s -j2 -C "$SOURCE" BUILD="$BATS_FILE_TMPDIR/build" static >build.log 2>&1 || { cat build.log >&2; return 1; }
	# Not a warning, of the linker neither.
	[ ! -s build.log ]
}

# in_nothing COMMAND...: in a root directory that holds just what the test has put there.
in_nothing() {
	local how
	for how in '' --map-root-user; do
		unshare $how chroot "$ROOT" "$@" 3>&- && return
	done
}

@test "the static program runs where there is nothing else" {
	build_static
	run readelf -d "$STATIC"
	[[ "$output" != *NEEDED* ]]
	run readelf -hl "$STATIC"
	[[ "$output" == *DYN* && "$output" == *GNU_RELRO* && "$output" != *RWE* ]]
	mkdir -p "$ROOT/proc" "$ROOT/locks" "$ROOT/var/lib"
	cp "$STATIC" "$ROOT"
	unset LOCKRUN_DIR
	run -0 in_nothing /lockrun -v -d /locks "$LOCK" -- /lockrun --version
	[[ "$output" == *"lockrun "[0-9]* && "$output" == *"generation 1, "*"in /locks"* ]]
	run -0 in_nothing /lockrun "$LOCK" -- /lockrun --version
	[ -e "$ROOT/var/lib/lockrun/$LOCK" ]
	LOCKRUN=$STATIC bats "$TESTS/smoke.bats"
}

@test "the static program knows the users of /etc/passwd, and no others" {
	needs_root
	build_static
	make_open_dir
	ROOT=$OPEN_DIR
	mkdir -p "$ROOT/etc" "$ROOT/home"
	chmod 755 "$ROOT/etc"
	chown 65534 "$ROOT/home"
	cp "$STATIC" "$ROOT"
	unset LOCKRUN_DIR
	run -69 chroot --userspec=65534:65534 "$ROOT" /lockrun "$LOCK" -- /lockrun --version
	[[ "$output" == *"no entry in the password database"* ]]
	echo 'root:x:0:0::/:/lockrun' >"$ROOT/etc/passwd"
	echo 'someone:x:65534:65534::/home:/lockrun' >>"$ROOT/etc/passwd"
	run -0 chroot --userspec=65534:65534 "$ROOT" /lockrun "$LOCK" -- /lockrun --version
	[ -e "$ROOT/home/.local/state/lockrun/$LOCK" ]
}

# All that belongs to the project: where it is a work tree, what git knows.
belongs() {
	if [ -e "$SOURCE/.git" ]; then
		git -C "$SOURCE" ls-files
	else
		(cd "$SOURCE" && find . -type f ! -path './build/*' | sed 's|^\./||')
	fi | LC_ALL=C sort
}

@test "the tarball holds all there is, builds, and proves itself" {
	make -s -C "$SOURCE" BUILD="$PWD/build" dist
	tarball=$(echo build/lockrun-*.tar.gz)
	name=$(basename "$tarball" .tar.gz)
	[ "$name" = "lockrun-$(sed -n 's/^VERSION *= //p' "$SOURCE/Makefile")" ]
	tar -xzf "$tarball"
	[ "$(ls -d lockrun*)" = "$name" ]
	diff <(belongs) <(cd "$name" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >&2
	cd "$name"
	# That it builds, and not how well: an optimizer would take most of the time.
	make -s -j2 CFLAGS=-O0 HARDENING= all probes
	make -s try
	env -u LOCKRUN -u PROBES bats tests/smoke.bats
	# It can make the next one.
	make -s dist
	diff <(tar -tzf "../$tarball") <(tar -tzf "$tarball") >&2
}
