/* SPDX-License-Identifier: ISC */
/* Sentences about an election that more than one subcommand says. */
#ifndef LOCKRUN_COMMANDS_DESCRIBE_H
#define LOCKRUN_COMMANDS_DESCRIBE_H

#include "election/roster.h"
#include "kernel/proctable.h"
#include "values/duration.h"

#define DESCRIBE_SIZE 2048

/* "pid 4711 (rsync, NOTE)"; a pid of another namespace is marked. Returns text. */
char *describe_contender(const struct roster_entry *entry, char text[DESCRIBE_SIZE]);

/* The same with the pid of its command: "pid 4711 (rsync as 4712, NOTE)". Returns text. */
char *describe_leader(const struct roster_entry *entry, pid_t command, char text[DESCRIBE_SIZE]);

/* The process of a holder's command, by what /proc tells now; 0 when that is not known. */
pid_t describe_command_pid(const struct roster_entry *entry);

/* What somebody does who neither holds nor waits: "backoff", "ineligible" or
 * "suspended". */
const char *describe_rest(const struct roster_entry *entry);

/* What the one that has the lock lacks to lead: "waits for the file of --also-flock". Or NULL. */
const char *describe_lack(const struct roster_entry *entry);

/*
 * "held by pid 4711 (rsync, NOTE) for 2h13m, generation 57, 3 waiting", or who is in the way
 * otherwise. The contender who asks is not counted. Returns text.
 */
char *describe_hold(const struct roster *roster, const char *contender, char text[DESCRIBE_SIZE]);

/* "held by a process outside lockrun (pid 4711, flock)". Returns text. */
char *describe_outside(const struct process_stat *process, char text[DESCRIBE_SIZE]);

/*
 * As describe_hold, also of a process outside lockrun, for which all locks of the machine are read.
 * NULL where nobody is seen to have the lock.
 */
char *describe_if_held(const struct lockdir *lock, const struct roster *roster,
    const char *contender, char text[DESCRIBE_SIZE]);

/* "; DIR has no lock of this name", since a name or a directory that is not there may be mistyped;
 * "" where it is there. Returns text. */
char *describe_absence(const struct lockdir *lock, char text[DESCRIBE_SIZE]);

/* For how long something has been so; 0 when the clock was set back meanwhile. */
duration_t describe_age(int64_t since_ms);
/* The same for people; returns text. */
char *describe_since(int64_t since_ms, char text[DURATION_TEXT_SIZE]);

/*
 * What became of a term, as roster_outcome says: "failed, status 3", "not-started: not-found,
 * status 127", "lost: its end is not known". Returns text.
 */
char *describe_end(const struct term *term, enum term_outcome outcome, char text[DESCRIBE_SIZE]);

/* The same, and how long ago it ended or began. Returns text. */
char *describe_term(const struct term *term, enum term_outcome outcome, char text[DESCRIBE_SIZE]);

/*
 * "generation 57 is lost (pid 4711, rsync, NOTE; begun 2026-11-30T18:00:06.147Z, 2h13m ago)"; term
 * is its record, or empty when that is gone. Returns text.
 */
char *
describe_lost(const struct told_outcome *told, const struct term *term, char text[DESCRIBE_SIZE]);

/* "finished", "failed with status 3", "failed by signal 9 (Killed)". Returns text. */
char *describe_outcome(const struct term *term, char text[DESCRIBE_SIZE]);

#endif
