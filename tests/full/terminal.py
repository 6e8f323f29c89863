#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Run a program on a terminal of its own, type keys and read the screen, as told on standard input.

	terminal.py PROGRAM [ARG...] <STEPS

A step is one line:

	type TEXT    type it, and Enter
	put TEXT     type it, without Enter
	key ^C ...   press control keys; a word of more than one letter is typed as it is
	shell TEXT   wait for the shell's prompt, "@ ", then type
	next REGEX   the line after what was seen last is that, as a whole
	see REGEX    read the screen until it shows that, after what was seen last (^ and $: line by line)
	unseen REGEX what has been shown after what was seen last does not match, so far
	until SHELL  run that outside of the terminal, again and again until it succeeds
	do SHELL     run that outside of the terminal once; it has to succeed
	size ROWS COLUMNS  resize the terminal
	close        hang up: close the terminal's other side
	end STATUS   the program ends with that status (128+n by a signal)

Waiting is limited by PATIENCE seconds. On failure the whole screen is shown and the status is 1.
"""
import errno
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

PATIENCE = float(os.environ.get("PATIENCE", "30"))


class Failure(Exception):
    pass


class Terminal:
    def __init__(self, program):
        self.screen = ""
        self.seen = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(program[0], program)
        self.size("24 200")

    def size(self, rest):
        rows, columns = rest.split()
        size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def read(self, seconds):
        """Take in what the screen shows meanwhile. False at its end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            text = os.read(self.fd, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            text = b""
        self.screen += text.decode(errors="replace").replace("\r", "")
        return text != b""

    def write(self, text):
        os.write(self.fd, text.encode())

    def type(self, text):
        self.write(text + "\r")

    def put(self, text):
        self.write(text)

    def key(self, keys):
        for key in keys.split():
            self.write(chr(ord(key[1]) & 0x1F) if len(key) == 2 and key[0] == "^" else key)

    def find(self, pattern):
        return re.compile(pattern, re.MULTILINE).search(self.screen, self.seen)

    def shell(self, text):
        self.see("@ ")
        self.type(text)
        self.see(re.escape(text) + "$")

    def next(self, pattern):
        start = self.seen
        self.see(r"\n.*(?=\n)" if start else r".*(?=\n)")
        if not re.fullmatch(pattern, self.screen[start : self.seen].lstrip("\n")):
            raise Failure("is not next")

    def see(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while not (match := self.find(pattern)):
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                if match := self.find(pattern):
                    break
                raise Failure("not seen")
        self.seen = match.end()

    def unseen(self, pattern):
        while select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass
        if self.find(pattern):
            raise Failure("seen")

    def until(self, command):
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(["sh", "-c", command], capture_output=True).returncode != 0:
            if time.monotonic() >= deadline:
                raise Failure("still not so")
            if self.fd is not None:
                self.read(0.01)

    def do(self, command):
        if subprocess.run(["sh", "-c", command]).returncode != 0:
            raise Failure("failed")

    def close(self, _=""):
        os.close(self.fd)
        self.fd = None

    def end(self, expected):
        deadline = time.monotonic() + PATIENCE
        while (ended := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() >= deadline:
                raise Failure("still there")
            if self.fd is None or not self.read(0.01):
                time.sleep(0.01)
        self.pid = None
        code = os.waitstatus_to_exitcode(ended[1])
        status = code if code >= 0 else 128 - code
        if expected and status != int(expected):
            raise Failure(f"ended with {status}")


def main():
    steps = [line.strip() for line in sys.stdin]
    terminal = Terminal(sys.argv[1:])
    for number, step in enumerate(steps, 1):
        if not step or step.startswith("#"):
            continue
        word, _, rest = step.partition(" ")
        try:
            if word not in ("shell", "type", "put", "key", "next", "see", "unseen", "until", "do", "size", "close", "end"):
                raise Failure("no such step")
            getattr(terminal, word)(rest)
        except Failure as failure:
            print(terminal.screen)
            print(f"---- step {number}: {step}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
