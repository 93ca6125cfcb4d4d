#!/usr/bin/env python3
"""The progress line on terminals of several widths, and what --quiet leaves out."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios

from support import EARSHOT, NIGHT, Case, endless_elf, main, some

LINES = 3 if NIGHT else 1


class Progress(Case):
    def setUp(self):
        super().setUp()
        endless_elf(self.folder / "endless.elf")
        self.device = f"sim:{self.folder}/endless.elf,uart=/dev/null"
        self.terminal, self.other = pty.openpty()
        self.addCleanup(os.close, self.terminal)

    def resize(self, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def start(self, *arguments):
        process = subprocess.Popen([EARSHOT, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=self.other)
        self.addCleanup(process.kill)
        os.close(self.other)
        return process

    def lines(self, count):
        """The next lines of progress, whole: what is between two returns to the first column."""
        seen = b""
        while seen.count(b"\r") < count + 2:
            seen += os.read(self.terminal, 65536)
        return [line.decode() for line in seen.split(b"\r")[1:-1] if line.strip()]

    def end(self, process):
        process.send_signal(signal.SIGINT)
        while True:
            try:
                os.read(self.terminal, 65536)
            except OSError:  # the other side is closed
                break
        self.assertEqual(process.wait(60), 0)

    def check(self, lines, columns):
        for line in lines:
            with self.subTest(line, columns=columns):
                self.assertLess(len(line), columns)
                self.assertRegex(line, r"^lost 0, \d+ records")
                self.assertNotRegex(line.rstrip(), ",$")

    def test_each_line_fits_the_terminal_and_begins_with_the_loss(self):
        for columns in some(40, 80, 120, gate=2):
            if columns != 40:
                self.setUp()
            self.resize(columns)
            process = self.start("capture", "-d", self.device, "-o", self.folder / f"{columns}.shot")
            lines = self.lines(LINES)
            self.check(lines, columns)
            whole = r"B/s, [\d.]+ \w?B, buffer \d+% *$"
            self.assertEqual([bool(re.search(whole, line)) for line in lines], [columns > 40] * len(lines))
            self.end(process)

    def test_a_terminal_that_is_resized(self):
        self.resize(120)
        process = self.start("capture", "-d", self.device, "-o", self.folder / "t.shot", "--ring", "64Ki")
        self.assertGreater(max(map(len, self.lines(LINES))), 60)
        self.resize(40)
        self.lines(2)  # one may have been on its way
        self.check(self.lines(LINES), 40)
        self.resize(120)
        self.lines(2)
        self.assertGreater(max(map(len, self.lines(LINES))), 60)
        self.end(process)

    def test_quiet_has_no_line_no_summary_and_no_message_of_the_board(self):
        for quiet in ([], ["-q"]):
            result = subprocess.run([EARSHOT, "capture", *quiet, "-d", self.device + ",max-cycles=100000", "-o",
                                     self.folder / "t.shot"], capture_output=True, check=False, timeout=60)
            found = [text in result.stderr for text in (b"earshot-board: ", b"records in")]
            self.assertEqual(found, [not quiet, not quiet], result.stderr)


if __name__ == "__main__":
    main()
