#!/usr/bin/env python3
"""A project of `earshot new-board`, as it is made: simulated at the pins of its board it gives a whole trace,
and Yosys makes a netlist of it.

    test_new_board.py EARSHOT
"""
import os
import subprocess
import sys
import tempfile
import unittest

EARSHOT = sys.argv[1]
RECORDS = 5 + 200 * 10 + 4  # of program.hex; the last is the store that ends it


class NewBoard(unittest.TestCase):
    def run_it(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-3000:])
        return done.stdout

    def try_project(self, board, link):
        with tempfile.TemporaryDirectory() as self.folder:
            self.run_it(EARSHOT, "new-board", "--core", "demo", "--board", board, "--link", link, "-o", "my")
            self.folder = os.path.join(self.folder, "my")
            self.run_it("make", f"EARSHOT={EARSHOT}", "trace.shot", "synth")
            info = dict(line.split(": ", 1) for line in self.run_it(EARSHOT, "info", "trace.shot").splitlines())
            self.assertEqual((info["complete"], info["stop"], info["records"]), ("yes", "program ended", str(RECORDS)))
            self.run_it(EARSHOT, "check", "-q", "trace.shot")

    def test_in_raw_mode_over_a_uart(self):
        self.try_project("icebreaker", "uart")

    def test_in_predict_mode_over_an_ftdi_chip(self):
        self.try_project("ulx3s", "ft232h")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
