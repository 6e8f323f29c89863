/* SPDX-License-Identifier: ISC */
#include "kernel/signals.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include <bsd/stdlib.h>

#include <string.h>
#include <unistd.h>

/* Besides these, every real-time signal is managed. */
static const int managed_signals[] = {
    SIGTERM,
    SIGINT,
    SIGHUP,
    SIGQUIT,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGWINCH,
    SIGCONT,
    /* Sent to our whole group by the terminal; what the command makes of them counts. */
    SIGTSTP,
    SIGTTIN,
    SIGTTOU,
};

static void
manage_unless_ignored(struct signals *signals, int signal)
{
	struct sigaction entry;

	if (sigaction(signal, NULL, &entry) == 0 && entry.sa_handler != SIG_IGN)
		sigaddset(&signals->managed, signal);
}

void
signals_take_over(struct signals *signals)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN}, as_usual = {.sa_handler = SIG_DFL};

	memset(signals, 0, sizeof(*signals));
	signals->descriptor = -1;
	sigemptyset(&signals->managed);
	sigemptyset(&signals->early);
	for (size_t i = 0; i < sizeof(managed_signals) / sizeof(managed_signals[0]); i++)
		manage_unless_ignored(signals, managed_signals[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		manage_unless_ignored(signals, signal);
	sigaddset(&signals->managed, SIGCHLD);
	sigaction(SIGURG, NULL, &signals->entry_kick);
	sigaction(SIGPIPE, &ignore, &signals->entry_pipe);
	sigaction(SIGXFSZ, &ignore, &signals->entry_filesize);
	/* Block first: a SIGCHLD in between must not be lost to its default action. */
	sigprocmask(SIG_BLOCK, &signals->managed, &signals->entry_mask);
	sigaction(SIGCHLD, &as_usual, &signals->entry_child);
}

void
signals_note(struct signals *signals)
{
	memset(signals, 0, sizeof(*signals));
	signals->descriptor = -1;
	sigemptyset(&signals->managed);
	sigaction(SIGURG, NULL, &signals->entry_kick);
	sigaction(SIGPIPE, NULL, &signals->entry_pipe);
	sigaction(SIGXFSZ, NULL, &signals->entry_filesize);
	sigaction(SIGCHLD, NULL, &signals->entry_child);
	sigprocmask(SIG_BLOCK, NULL, &signals->entry_mask);
}

int
signals_descriptor(struct signals *signals)
{
	if (signals->descriptor == -1)
		signals->descriptor = signalfd(-1, &signals->managed, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->descriptor;
}

void
signals_note_early(struct signals *signals)
{
	sigpending(&signals->early);
}

bool
signals_next(struct signals *signals, struct signal_event *event)
{
	struct signalfd_siginfo info;

	if (read(signals->descriptor, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	event->signal = (int)info.ssi_signo;
	event->sender = (pid_t)info.ssi_pid;
	/*
	 * sigaction(2): SI_KERNEL is what a terminal's driver gives; kill(2) gives SI_USER. Of the
	 * managed ones only an alarm(2), which outlives exec, comes from the kernel as well.
	 */
	event->from_terminal = info.ssi_code == SI_KERNEL && event->signal != SIGALRM &&
			       !sigismember(&signals->early, event->signal);
	sigdelset(&signals->early, event->signal);
	return true;
}

int
signals_pending_end(struct signals *signals)
{
	static const struct timespec at_once = {0};
	int signal;

	while ((signal = sigtimedwait(&signals->managed, NULL, &at_once)) > 0) {
		if (signal != SIGCHLD && signal != SIGWINCH && signal != SIGCONT)
			return signal;
	}
	return 0;
}

int
signal_of_word(const char *word)
{
	const char *error, *name;
	int number;

	if (strncasecmp(word, "SIG", 3) == 0)
		word += 3;
	if (strncasecmp(word, "RTMIN+", 6) == 0) {
		number = (int)strtonum(word + 6, 0, SIGRTMAX - SIGRTMIN, &error);
		return error == NULL ? SIGRTMIN + number : 0;
	}
	number = (int)strtonum(word, 1, SIGRTMAX, &error);
	if (error == NULL)
		return number;
	for (number = 1; number < SIGRTMIN; number++) {
		name = sigabbrev_np(number);
		if (name != NULL && strcasecmp(name, word) == 0)
			return number;
	}
	return 0;
}

bool
signal_stops(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

bool
signal_has_reached_group(const struct signal_event *event)
{
	return event->from_terminal && (event->signal != SIGHUP || getsid(0) != getpid());
}

bool
signal_ends_all(const struct signal_event *event)
{
	return event->signal == SIGTERM || event->signal == SIGINT || event->signal == SIGQUIT ||
	       (event->signal == SIGHUP && event->from_terminal);
}

void
signals_stop_by(int signal)
{
	sigset_t only;

	/* Whoever continued us since then would not do it again; whoever ends us wants to be heard.
	 */
	sigpending(&only);
	if (sigismember(&only, SIGCONT) || sigismember(&only, SIGTERM))
		return;
	/* A managed signal has its default action: whatever was ignored on entry is not managed. */
	sigemptyset(&only);
	sigaddset(&only, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	sigprocmask(SIG_BLOCK, &only, NULL);
}

void
signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->entry_child, NULL);
	sigaction(SIGPIPE, &signals->entry_pipe, NULL);
	sigaction(SIGXFSZ, &signals->entry_filesize, NULL);
	sigaction(SIGURG, &signals->entry_kick, NULL);
	sigprocmask(SIG_SETMASK, &signals->entry_mask, NULL);
}

void
signals_block(const struct signals *signals)
{
	sigprocmask(SIG_BLOCK, &signals->managed, NULL);
}

void
signals_die_by(int signal)
{
	const struct sigaction as_usual = {.sa_handler = SIG_DFL};
	const struct rlimit no_core = {0, 0};
	sigset_t only;

	prctl(PR_SET_DUMPABLE, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	/* SIGKILL's disposition cannot be set, and need not be. */
	sigaction(signal, &as_usual, NULL);
	sigemptyset(&only);
	sigaddset(&only, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}
