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
	shows REGEX  wait until the screen, as a person sees it now, looks like that (^ and $: line by line)
	lacks REGEX  the screen, as it looks now, does not match
	never REGEX  nothing that was ever written to the screen matches
	until SHELL  run that outside of the terminal, again and again until it succeeds
	do SHELL     run that outside of the terminal once; it has to succeed
	foreground   wait until the terminal is a job's: a shell tells of fg before it hands it over
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


class Screen:
    """What a terminal of that width makes of what is written to it."""

    def __init__(self, written, columns):
        self.lines, self.row, self.column, self.columns = [""], 0, 0, columns
        for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", written, re.DOTALL):
            self.take(token)

    def take(self, token):
        if token == "\r":
            self.column = 0
        elif token == "\n":
            self.down()
        elif token == "\b":
            self.column = max(self.column - 1, 0)
        elif token == "\x1b[K":
            self.lines[self.row] = self.lines[self.row][: self.column]
        elif len(token) == 1 and token >= " ":
            self.put(token)

    def down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def put(self, letter):
        if self.column == self.columns:
            self.down()
            self.column = 0
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[: self.column] + letter + line[self.column + 1 :]
        self.column += 1


class Terminal:
    def __init__(self, program):
        self.screen = ""
        self.written = ""
        self.seen = 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvp(program[0], program)
        self.size("24 200")

    def size(self, rest):
        rows, columns = rest.split()
        size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)
        self.columns = int(columns)

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
        text = text.decode(errors="replace")
        self.written += text
        self.screen += text.replace("\r", "")
        return text != ""

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

    def catch_up(self):
        while select.select([self.fd], [], [], 0)[0] and self.read(0):
            pass

    def unseen(self, pattern):
        self.catch_up()
        if self.find(pattern):
            raise Failure("seen")

    def looks(self, pattern):
        screen = "\n".join(Screen(self.written, self.columns).lines)
        return re.compile(pattern, re.MULTILINE).search(screen)

    def shows(self, pattern):
        deadline = time.monotonic() + PATIENCE
        while not self.looks(pattern):
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                if self.looks(pattern):
                    return
                raise Failure("not shown")

    def lacks(self, pattern):
        self.catch_up()
        if self.looks(pattern):
            raise Failure("shown")

    def never(self, pattern):
        self.catch_up()
        if re.compile(pattern, re.MULTILINE).search(self.written):
            raise Failure("was written")

    def until(self, command):
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(["sh", "-c", command], capture_output=True).returncode != 0:
            if time.monotonic() >= deadline:
                raise Failure("still not so")
            if self.fd is not None:
                self.read(0.01)

    def foreground(self, _=""):
        deadline = time.monotonic() + PATIENCE
        while os.tcgetpgrp(self.fd) == self.pid:
            if time.monotonic() >= deadline:
                raise Failure("the terminal is still the program's")
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
            if word not in ("shell", "type", "put", "key", "next", "see", "unseen", "shows", "lacks", "never", "until", "do", "foreground", "size", "close", "end"):
                raise Failure("no such step")
            getattr(terminal, word)(rest)
        except Failure as failure:
            print(terminal.screen)
            print("---- as it looks now:")
            print("\n".join(Screen(terminal.written, terminal.columns).lines))
            print(f"---- step {number}: {step}: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
