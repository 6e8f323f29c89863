#!/usr/bin/env bats
# Two leaders at once, as they come about: one is frozen at the worst moment, replaced, and thawed.
# The recipes of the manual for a ledger and for a database in a file, with the fence and without:
# there the damage is seen. Needs sqlite3.
load ../helper

setup() {
	common_setup
	PATH=$PWD:$PATH
	# at POINT: where $FREEZE says so, stop here. The pid is in `frozen`.
	cat >at <<-'END'
		#!/bin/sh
		[ "$FREEZE" = "$1" ] || exit 0
		echo $$ >frozen
		kill -STOP $$
	END
	# fenced COMMAND...: or not, where $FENCE is empty.
	cat >fenced <<-'END'
		#!/bin/sh
		[ -n "$FENCE" ] || exec "$@"
		exec lockrun fence it.fence "$@"
	END
	chmod +x at fenced
}

is_stopped() { [ "$(state_of "$(cat "$1")")" = T ]; }
frozen() { await test -s frozen && await is_stopped frozen; }
thaw() { kill -CONT "$(cat frozen)"; }
somebody_waits_for() { grep -q -- "-> FLOCK .*:$(stat -c %i "$1") " /proc/locks; }

# ---- an append-only ledger: each number once, one after the other ----

make_ledger() {
	echo 1 >ledger
	cat >append <<-'END'
		#!/bin/sh
		at begin
		[ -z "$EMPTY_WRITE" ] || fenced true || { echo $? >status.$1; exit; }
		last=$(tail -n 1 ledger)
		at read
		fenced sh -c 'at inside; echo "$0" >>ledger' $((last + 1))
		echo $? >status.$1
	END
	chmod +x append
}
ledger_is() { [ "$(paste -sd' ' ledger)" = "$*" ] || { paste -sd' ' ledger >&2; return 1; }; }

# replace_frozen FREEZE: the first leader stops there, and its lockrun is stopped too. Somebody
# takes the lock for stale and removes it. FROZEN is the first lockrun.
replace_frozen() {
	start env FREEZE="$1" "$LOCKRUN" -q "$LOCK" ./append 1
	FROZEN=$STARTED
	frozen
	kill -STOP "$FROZEN"
	rm "$LOCKRUN_DIR/$LOCK/lock" "$LOCKRUN_DIR/$LOCK"/q/*
}
# The old one goes on with what it was at, and only then its lockrun sees that the lock is lost.
thaw_first() {
	thaw
	await test -s status.1
	kill -CONT "$FROZEN"
	await is_gone "$FROZEN"
	wait "$FROZEN" || true
}

@test "ledger: without a fence the frozen leader writes what the next one has written" {
	make_ledger
	replace_frozen read
	"$LOCKRUN" "$LOCK" ./append 2
	ledger_is 1 2
	thaw_first
	ledger_is 1 2 2
}

@test "ledger: with the fence the frozen leader is refused, wherever it was" {
	export FENCE=1 EMPTY_WRITE=1
	local point
	for point in begin read; do
		rm -rf frozen status.* it.fence "$LOCKRUN_DIR"
		make_ledger
		replace_frozen "$point"
		"$LOCKRUN" "$LOCK" ./append 2
		thaw_first 2>told
		ledger_is 1 2
		[ "$(cat status.1 status.2)" = $'76\n0' ]
	done
}

@test "ledger: frozen inside of the fence, it is waited for" {
	export FENCE=1 EMPTY_WRITE=1
	make_ledger
	replace_frozen inside
	start "$LOCKRUN" "$LOCK" ./append 2
	await somebody_waits_for it.fence
	ledger_is 1
	thaw_first
	ends 0 "$STARTED"
	ledger_is 1 2 3
	[ "$(cat status.1 status.2)" = $'0\n0' ]
}

@test "ledger: without the empty write at its begin, the next leader has read too early" {
	export FENCE=1
	local second
	for EMPTY_WRITE in '' 1; do
		export EMPTY_WRITE
		rm -rf frozen status.* it.fence "$LOCKRUN_DIR"
		make_ledger
		replace_frozen read
		mv frozen frozen.1
		start env FREEZE=read "$LOCKRUN" "$LOCK" ./append 2
		second=$STARTED
		frozen
		mv frozen frozen.2
		mv frozen.1 frozen
		thaw_first 2>told
		mv frozen.2 frozen
		thaw
		ends 0 "$second"
		[ -z "$EMPTY_WRITE" ] && ledger_is 1 2 2 || ledger_is 1 2
	done
}

# ---- a database in a file: the balance is the sum of its entries ----

make_database() {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	rm -f it.db
	sqlite3 it.db 'CREATE TABLE account (balance INTEGER); INSERT INTO account VALUES (100);
		CREATE TABLE entry (amount INTEGER, generation INTEGER)'
	cat >withdraw <<-'END'
		#!/bin/sh
		[ -z "$FENCE" ] || fenced true || { echo $? >status.$1; exit; }
		balance=$(sqlite3 it.db 'SELECT balance FROM account')
		at read
		fenced sqlite3 it.db 'BEGIN IMMEDIATE' "INSERT INTO entry VALUES (-10, $LOCKRUN_GENERATION)" \
			'.shell at inside' "UPDATE account SET balance = $((balance - 10))" 'COMMIT'
		echo $? >status.$1
	END
	chmod +x withdraw
}
# balance ENTRIES: as many, and it fits them.
database_is() {
	[ "$(sqlite3 it.db 'SELECT balance, 100 + (SELECT sum(amount) FROM entry), (SELECT count(*) FROM entry) FROM account')" = "$1" ]
}

# orphan FREEZE: what the first leader has started stops there, and lockrun is killed. With --close
# it goes on without the lock (CAVEATS of the manual).
orphan() {
	start env FREEZE="$1" "$LOCKRUN" --close "$LOCK" sh -c './withdraw 1 & wait'
	frozen
	kill -KILL "$STARTED"
	ends 137 "$STARTED"
}

@test "database: without a fence an entry of the next leader is lost in the balance" {
	make_database
	orphan read
	"$LOCKRUN" "$LOCK" ./withdraw 2
	database_is '90|90|1'
	thaw
	await test -s status.1
	database_is '90|80|2'
}

@test "database: with the fence the orphan is refused" {
	export FENCE=1
	make_database
	orphan read
	"$LOCKRUN" "$LOCK" ./withdraw 2
	thaw
	await test -s status.1
	[ "$(cat status.1 status.2)" = $'76\n0' ]
	database_is '90|90|1'
	[ "$(sqlite3 it.db 'SELECT generation FROM entry')" = 2 ]
}

@test "database: frozen in the middle of a transaction, it is waited for" {
	export FENCE=1
	make_database
	orphan inside
	start "$LOCKRUN" "$LOCK" ./withdraw 2
	await somebody_waits_for it.fence
	thaw
	ends 0 "$STARTED"
	[ "$(cat status.1 status.2)" = $'0\n0' ]
	database_is '80|80|2'
}
