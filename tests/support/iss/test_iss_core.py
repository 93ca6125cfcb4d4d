#!/usr/bin/env python3
"""The simulator and the demo core retire the same, field by field: a capture from the virtual board
is followed by earshot-iss. Programs of all kinds; timing, devices and interrupts are as the core had
them, everything else is computed."""
import os
import pathlib
import subprocess
import tempfile
import unittest

EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])
ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
PROGRAMS = pathlib.Path(os.environ["EARSHOT_PROGRAMS"]).resolve()
WORKLOADS = PROGRAMS / "workloads" / "rv32imc"
os.environ["EARSHOT_BOARD"] = os.path.abspath(os.environ["EARSHOT_BOARD"])


class Core(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.capture = os.path.join(folder.name, "core.shot")

    def follow(self, elf, limit=None, keys="", arguments=()):
        capture = [EARSHOT, "capture", "-q", "-d", f"sim:{elf},unit=raw,uart=/dev/null{keys}", "-o", self.capture]
        if limit:
            capture += ["--limit", str(limit)]
        subprocess.run(capture, check=True, stderr=subprocess.DEVNULL)
        return subprocess.run(
            [ISS, "--isa", "rv32imc", "--set", "misaligned_traps=1", "--follow", self.capture,
             *arguments, elf],
            capture_output=True, text=True, check=False)

    def check(self, elf, at_least, limit=None, keys=""):
        result = self.follow(elf, limit, keys)
        self.assertEqual(result.returncode, 0, f"{elf}: {result.stderr}")
        self.assertGreaterEqual(int(result.stdout.split()[0]), at_least)

    def test_whole_programs_agree(self):
        for name, entries in (("alu", 60000), ("misaligned", 50000), ("software", 40000),
                              ("timer", 20000), ("traps", 60000), ("tohost", 9000), ("failing", 400)):
            with self.subTest(name):
                self.check(PROGRAMS / f"{name}.elf", entries)

    def test_the_beginning_of_workloads_agrees(self):
        for name in ("tasks", "uart_timer", "rewrite", "trap_storm", "cold", "csrs",
                     "integer_edges"):
            with self.subTest(name):
                self.check(WORKLOADS / f"{name}.elf", 30000, limit=30000)

    def test_what_they_hold_at_a_moment_agrees(self):
        """Two dumps of the same moments, but for what counts (mcycle, minstret, time)."""
        counts = ("c 2816 ", "c 2818 ", "c 2944 ", "c 3072 ", "c 3073 ", "c 3074 ", "c 3200 ", "c 3201 ")
        moments = self.folder / "moments"
        moments.write_text(" ".join(map(str, range(0, 60000, 97))), encoding="ascii")
        for name in "traps", "misaligned", "recursion":
            with self.subTest(name):
                core, simulator = self.folder / "core", self.folder / "simulator"
                self.follow(PROGRAMS / f"{name}.elf", keys=f",dump=@{moments}:{core}")
                subprocess.run([ISS, "--isa", "rv32imc", "--quiet", "--set", "misaligned_traps=1,memory=1",
                                "--dump", f"@{moments}:{simulator}", PROGRAMS / f"{name}.elf"],
                               check=True, stdout=subprocess.DEVNULL)
                core, simulator = (
                    [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith(counts)]
                    for path in (core, simulator))
                self.assertGreater(len(core), 5000)
                self.assertEqual(core, simulator)

    def test_a_core_that_goes_wrong_is_seen(self):
        for fault, field in (("alu:500", "rd_wdata"), ("store:500", "(rd_wdata|mem_rdata)"), ("reg:500", "rs")):
            with self.subTest(fault):
                result = self.follow(WORKLOADS / "sort.elf", limit=20000, keys=f",fault={fault}")
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, f"entry [0-9]+: {field}.* differs")

    def test_another_program_is_seen(self):
        self.follow(PROGRAMS / "alu.elf", limit=1000)
        result = subprocess.run([ISS, "--follow", self.capture, PROGRAMS / "sort.elf"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
