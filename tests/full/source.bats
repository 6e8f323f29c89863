#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What compilers and other readers of the source have to say about it: nothing.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	unset MAKEFLAGS MAKELEVEL MFLAGS LOCKRUN
}

@test "make lint: every file keeps to its floor" {
	make lint
}

@test "gcc builds everything without a warning" {
	make -s -j2 CC=gcc BUILD=build/gcc CFLAGS='-O2 -Werror' all probes unit-build
}

# Its warnings do not come from optimizing, as gcc's do.
@test "clang builds everything without a warning" {
	make -s -j2 CC=clang BUILD=build/clang HARDENING= CFLAGS='-O0 -Werror' all probes unit-build
}

@test "clang-tidy finds nothing" {
	make -s -j2 tidy
}

@test "cppcheck finds nothing" {
	make -s cppcheck
}

@test "clang-format would change nothing" {
	make -s format
}

@test "shellcheck finds nothing" {
	make -s shellcheck
}

@test "without libbsd or pkg-config, make says so in one line" {
	PKG_CONFIG_LIBDIR=/nonexistent run ! make
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"libbsd not found; install libbsd-dev"* ]]
	run ! make PKGCONFIG=no-pkg-config
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"not found; install pkg-config"* ]]
}

@test "make says a short line for each file, the whole command with V=1, and with -s nothing" {
	local object=$BATS_TEST_TMPDIR/build/values/number.o
	build() {
		rm -f "$object"
		env -u MAKEFLAGS -u MFLAGS make BUILD="$BATS_TEST_TMPDIR/build" "$@" "$object"
		[ -e "$object" ]
	}
	run -0 build
	[ "$output" = '  CC  src/values/number.c' ]
	run -0 build V=1
	[[ "$output" == *" -Wall "*" src/values/number.c" ]]
	run -0 build -s
	[ -z "$output" ]
	run -0 build -j2 --no-print-directory V=0
	[ "$output" = '  CC  src/values/number.c' ]
}

@test "a changed header rebuilds what includes it, and nothing else does" {
	make -s
	mkdir "$BATS_TEST_TMPDIR/build"
	cp -a Makefile src "$BATS_TEST_TMPDIR"
	cp -a build/lockrun build/*.[do] build/{commands,election,kernel,values} "$BATS_TEST_TMPDIR/build"
	cd "$BATS_TEST_TMPDIR"
	make -q
	touch -d '+2 seconds' src/kernel/title.h
	run make -n
	[[ "$output" == *" src/kernel/title.c"* ]]
	[[ "$output" != *" src/kernel/clock.c"* ]]
}

@test "the program is hardened" {
	make -s
	run readelf -Wdl build/lockrun
	[[ "$output" == *"Flags: NOW PIE"* ]]
	[[ "$output" == *GNU_RELRO* ]]
	[[ "$output" != *RWE* ]]
	run nm -D --undefined-only build/lockrun
	[[ "$output" == *__stack_chk_fail* ]]
	[[ "$output" == *__snprintf_chk* ]]
}

@test "make try shows an election, and leaves nothing behind" {
	TMPDIR=$BATS_TEST_TMPDIR run -0 make -s try
	[ "${#lines[@]}" -ge 15 ]
	[ "${#lines[@]}" -le 25 ]
	[[ "$output" == *"second | lockrun: "*"leading, generation 2,"* ]]
	[[ "$output" == *"third | exit status 75"* ]]
	[[ "$output" == *"second | exit status 124"* ]]
	[ -z "$(find "$BATS_TEST_TMPDIR" -mindepth 1 -name 'tmp.*')" ]
}
