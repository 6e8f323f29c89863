/* SPDX-License-Identifier: ISC */
/*
 * Signals. The managed ones are blocked and read from a descriptor, so that nothing is ever done in
 * a handler; the command gets back exactly what lockrun was started with.
 *
 * A signal that was ignored on entry stays so: blocking it would make signalfd(2) revive it, and
 * a shell's background job or nohup(1) counts on it.
 */
#ifndef LOCKRUN_KERNEL_SIGNALS_H
#define LOCKRUN_KERNEL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct signals {
	sigset_t entry_mask;
	sigset_t managed; /* those that we block and read */
	struct sigaction entry_child, entry_pipe, entry_filesize, entry_kick;
	sigset_t early; /* those that waited when the command was not there yet */
	int descriptor; /* -1 until signals_descriptor made it */
};

struct signal_event {
	int signal;
	pid_t sender;	    /* 0 when the kernel sent it or the sender lies in another namespace */
	bool from_terminal; /* the terminal sent it, and so to the command as well */
};

/*
 * Note dispositions and mask, set SIGCHLD to its default, ignore SIGPIPE and SIGXFSZ, block the
 * managed signals and SIGCHLD. Does not fail.
 */
void signals_take_over(struct signals *signals);

/*
 * Note dispositions and mask only, for who starts commands and lets its own signals be: what
 * signals_restore gives a command then is what we have.
 */
void signals_note(struct signals *signals);

/*
 * The descriptor that is readable when a managed signal or SIGCHLD waits (signalfd(2), made when
 * it is first asked for, close-on-exec, non-blocking). Returns -1 with errno.
 */
int signals_descriptor(struct signals *signals);

/*
 * Just before the command is started: what waits now was sent to us alone, whoever sent it. In
 * the instant from here to the fork itself a terminal's signal can still be lost.
 */
void signals_note_early(struct signals *signals);

/* Take one signal off the descriptor. False when none waits. */
bool signals_next(struct signals *signals, struct signal_event *event);

/*
 * The pending signal that ends a wait, or stops it (signal_stops), or 0. It is taken. Those that
 * by default do nothing or continue (SIGCHLD, SIGWINCH, SIGCONT) are taken and forgotten on the
 * way. Does not block.
 */
int signals_pending_end(struct signals *signals);

/*
 * A signal by its name, with or without SIG and in any case ("hup", "SIGRTMIN+2"), or by its
 * number; 0 for no such signal.
 */
int signal_of_word(const char *word);

/* Whether a signal stops a process by default: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU. */
bool signal_stops(int signal);

/*
 * Whether a signal has reached our whole process group already, and so the command: those that the
 * terminal sent have, but for the hang-up, which goes to the session's leader alone
 * (disassociate_ctty in the kernel).
 */
bool signal_has_reached_group(const struct signal_event *event);

/*
 * Whether a signal means all that runs here, and not one term: who interrupts or hangs up a
 * terminal does. Elsewhere SIGHUP may as well tell a daemon to read its configuration.
 */
bool signal_ends_all(const struct signal_event *event);

/*
 * Stop this process by a signal that stops, as if it were not managed; returns when it has been
 * continued, or at once where the kernel ignores the signal (an orphaned process group) or a
 * SIGCONT or SIGTERM waits to be read.
 */
void signals_stop_by(int signal);

/* Block the managed signals again after signals_restore, when the exec has failed. */
void signals_block(const struct signals *signals);

/* In a forked child, just before exec: dispositions and mask as on entry. Async-signal-safe. */
void signals_restore(const struct signals *signals);

/*
 * Die by a signal without a second core dump, so that the caller sees it. Returns only where that
 * cannot work: as process 1 of a pid namespace, or for a signal that does not kill.
 */
void signals_die_by(int signal);

#endif
