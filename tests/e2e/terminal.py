"""A terminal for tests: the command in a pseudo terminal, and what its screen shows, by pyte."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

try:
    import pyte
except ImportError:  # Debian's package, for another python than Debian's
    sys.path.append("/usr/lib/python3/dist-packages")
    import pyte

from support import EARSHOT


class Terminal:
    """The command on a screen of columns x lines. Bytes that came are in raw."""

    def __init__(self, *arguments, columns=80, lines=24, environment=None):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            names = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execve(EARSHOT, [EARSHOT, *map(str, arguments)], names)

    def read(self, seconds):
        """What comes within this time. False: the command has ended."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        self.raw += data
        self.stream.feed(data)
        return data != b""

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def wait(self, condition, seconds=60):
        """Until the text of the screen fulfils it; a string: until it is there."""
        holds = (lambda text: condition in text) if isinstance(condition, str) else condition
        end = time.monotonic() + seconds
        while not holds(self.text()):
            if not self.read(0.1) or time.monotonic() > end:
                raise AssertionError(f"waited in vain for {condition!r}:\n{self.text()}")
        return self.text()

    def wait_raw(self, sequence, seconds=60):
        """Until the command has sent these bytes."""
        end = time.monotonic() + seconds
        while sequence not in self.raw:
            if not self.read(0.1) or time.monotonic() > end:
                raise AssertionError(f"waited in vain for {sequence!r}:\n{self.text()}")

    def key(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def end(self, seconds=60):
        """Wait until the command has ended. Returns its exit status."""
        end = time.monotonic() + seconds
        while self.status is None:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > end:
                raise AssertionError(f"it does not end:\n{self.text()}")
        while self.read(0):
            if not select.select([self.master], [], [], 0)[0]:
                break
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
