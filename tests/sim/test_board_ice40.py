#!/usr/bin/env python3
"""The iCE40 board's design, simulated at its pins: control words go in on one UART pin, the stream
that comes out of the other is decoded, and must be what the same core retires by itself.

    test_board_ice40.py ICE40_PINS SOC_TRACE_SMALL EARSHOT PROGRAM_HEX SMALL_ELF
"""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

ICE40_PINS, SOC_TRACE, EARSHOT, PROGRAM_HEX, PROGRAM = sys.argv[1:6]

MEMORY_BYTES = 2048
CLOCKS_MAX = 60_000_000  # twice what the program takes while every record is sent
PC, INST, REGISTERS, MEMORY, TRAP = 0, 1, 2, 4, 7
PRINTED = "Hello from the board.\nDone.\n"


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def shown(line):
    """What both traces tell of an instruction: the core alone lists CSR writes too, the decoder the
    targets of branches."""
    registers = [x for x in line[REGISTERS].split(";") if x.startswith("x")]
    return line[PC], line[INST], registers, line[MEMORY], line[TRAP]


def trace(text):
    return [shown(line) for line in csv.reader(text.splitlines()[1:]) if len(line) > TRAP]


class Board(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reference = trace(run(SOC_TRACE, "--csv", "--quiet", PROGRAM))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        run(PROGRAM_HEX, PROGRAM, str(MEMORY_BYTES), os.path.join(self.folder, "program.hex"))

    def capture(self, policy, clocks):
        """Returns what the program printed, what `earshot info` says, and the decoded trace."""
        printed = run(ICE40_PINS, policy, str(clocks), "dump", cwd=self.folder)
        info = dict(line.split(": ", 1) for line in
                    run(EARSHOT, "info", "dump", cwd=self.folder).splitlines())
        self.assertEqual(info["complete"], "yes")
        self.assertEqual(info["bad_messages"], "0")
        self.assertEqual(info["skipped_bytes"], "0")
        self.assertEqual(info["policy"], "stall")
        text = run(EARSHOT, "decode", "-q", "-f", "whisper", "dump", cwd=self.folder)
        return printed, info, trace("\n".join(
            line for line in text.splitlines() if not line.startswith("#")))

    def test_every_instruction_of_the_program_comes_out_of_the_pin(self):
        printed, info, lines = self.capture("stall", CLOCKS_MAX)
        self.assertEqual(printed, PRINTED)
        self.assertEqual(info["stop"], "program ended")
        self.assertEqual(info["lost"], "0")
        self.assertEqual(int(info["retired"]), len(self.reference))
        self.assertGreater(len(lines), 10000)
        self.assertEqual(lines, self.reference)

    def test_a_program_can_be_loaded_and_the_link_tested(self):
        run(ICE40_PINS, "load", "0", "dump", cwd=self.folder)
        lines = run(EARSHOT, "dump", "dump", cwd=self.folder).splitlines()
        self.assertEqual([line.split("status ")[1] for line in lines if "REPLY" in line], [
            "0 register 0x068 value 0x80000000",
            "0 register 0x8000 value 0x12345678",
            "0 register 0x87fc value 0x9abcdef0",
            "4 register 0x8800 value 0x0",  # no memory
            "0 register 0x034 value 0x1",
            "0 register 0x034 value 0x0"])
        tests = [line.split("TEST ")[1] for line in lines if "TEST" in line]
        self.assertEqual(tests, [f"number {i} words 123, 0 bits not as expected" for i in range(len(tests))])
        self.assertGreaterEqual(len(tests), 7)
        self.assertEqual([line for line in lines if "skipped" in line or "missing" in line], [])

    def test_the_host_stops_it_in_the_middle(self):
        _, info, lines = self.capture("stall", 500_000)
        self.assertEqual(info["stop"], "stopped by the host")
        self.assertEqual(int(info["retired"]), len(lines))
        self.assertGreater(len(lines), 300)
        self.assertEqual(lines, self.reference[:len(lines)])

    def test_asked_to_drop_it_holds_the_core_and_says_so(self):
        _, info, lines = self.capture("drop", 500_000)
        self.assertEqual(info["lost"], "0")
        self.assertEqual(lines, self.reference[:len(lines)])


class Program(unittest.TestCase):
    def test_a_program_that_is_too_large_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            run_it = subprocess.run([PROGRAM_HEX, PROGRAM, "1024", os.path.join(folder, "hex")],
                                    capture_output=True, text=True, check=False)
            self.assertEqual(run_it.returncode, 1)
            self.assertIn("there is none from 0x80000400 on", run_it.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
