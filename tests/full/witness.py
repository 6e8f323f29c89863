#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Tell every signal that arrives, and from whom.

	witness.py [--stop]

Prints "ready" and then a line a signal: its name and "terminal", "lockrun" (the parent), "self"
or a pid. Leaves its pid and its parent's in the files witness.pid and lockrun.pid. Ends with status 9 on SIGUSR2. With --stop it stops itself (SIGSTOP) after a SIGTSTP, as
programs do that put the terminal in order first; else SIGTSTP and SIGCONT are left to the kernel.
"""
import os
import signal
import sys

SI_KERNEL = 0x80

watched = {signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1,
           signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH, signal.SIGRTMIN + 3}
if "--stop" in sys.argv:
    watched |= {signal.SIGTSTP, signal.SIGCONT}
signal.pthread_sigmask(signal.SIG_BLOCK, watched)
for name, pid in ("witness", os.getpid()), ("lockrun", os.getppid()):
    with open(name + ".pid", "w", encoding="ascii") as file:
        print(pid, file=file)
print("ready", flush=True)
while True:
    info = signal.sigwaitinfo(watched)
    senders = {os.getppid(): "lockrun", os.getpid(): "self"}
    sender = "terminal" if info.si_code == SI_KERNEL else senders.get(info.si_pid, info.si_pid)
    try:
        name = signal.Signals(info.si_signo).name[3:]
    except ValueError:
        name = f"RTMIN+{info.si_signo - signal.SIGRTMIN}"
    print(name, sender, flush=True)
    if info.si_signo == signal.SIGUSR2:
        sys.exit(9)
    if info.si_signo == signal.SIGTSTP:
        os.kill(os.getpid(), signal.SIGSTOP)
