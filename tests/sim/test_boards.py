#!/usr/bin/env python3
"""A board's design, simulated at its pins and synthesised, as hdl/boards/Makefile does both: a capture
over each of its links holds the whole program, and each instruction does what the ISA says.

    test_boards.py BOARD EARSHOT PROGRAMS HDL [TEST]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BOARD, EARSHOT, PROGRAMS, HDL = sys.argv[1:5]
TREE = pathlib.Path(__file__).resolve().parents[2]
BOARDS = TREE / "hdl/boards"
PROGRAM = f"{PROGRAMS}/small.elf"
MEMORY_BYTES = 2048  # all that the smallest board has
TIME = re.compile(r'"(offset|time)":\d+,')


class Board(unittest.TestCase):
    def run_it(self, *command, status=0):
        environment = dict(os.environ, EARSHOT_BOARD="obj_dir/board")
        done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, (done.stdout + done.stderr)[-3000:])
        return done.stdout + done.stderr

    def make(self, *words):
        return self.run_it("make", "-f", BOARDS / "Makefile", f"BOARD={BOARD}", f"HDL={HDL}",
                           f"EARSHOT={EARSHOT}", *words)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.run_it(BOARDS / "program_hex.py", PROGRAM, str(MEMORY_BYTES), "program.hex")
        self.links = re.search(r"^LINKS = (.*)$", (BOARDS / BOARD / "board.mk").read_text(), re.M)[1].split()

    def capture(self, link):
        """Returns the records, without when they came."""
        self.make(f"EAR_LINK={link}", "clean", "sim")
        said = self.run_it(EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAM}", "-o", "t.shot")
        self.assertIn("Hello from the board.\nDone.\n", said)
        info = dict(line.split(": ", 1) for line in self.run_it(EARSHOT, "info", "t.shot").splitlines())
        self.assertEqual((info["complete"], info["stop"], info["bad_messages"]), ("yes", "program ended", "0"))
        self.assertGreater(int(info["records"]), 10000)
        self.run_it(EARSHOT, "check", "-q", "t.shot")
        return TIME.sub("", self.run_it(EARSHOT, "convert", "-q", "-f", "json", "t.shot"))

    def test_its_links_carry_the_whole_program(self):
        traces = [self.capture(link) for link in self.links]
        for trace in traces[1:]:
            self.assertEqual(trace, traces[0])

    def test_yosys_makes_a_netlist_of_it(self):
        for link in self.links:
            self.make(f"EAR_LINK={link}", "clean", "synth")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
