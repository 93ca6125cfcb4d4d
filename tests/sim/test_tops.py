#!/usr/bin/env python3
"""The ready tops of hdl/adapters give the trace of their core at their pins, from the first
instruction on.

usage: test_tops.py IVERILOG VVP EARSHOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

IVERILOG, VVP, EARSHOT = sys.argv[1:4]
ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT = 300  # instructions of own_core in tb_tops.v


def run(*command, cwd=ROOT):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def expected():
    """pc, opcode, what x5 or the pc becomes: own_core counts in a loop of two instructions."""
    return [("80000004", "ffdff06f", "pc=80000000") if i % 2 else ("80000000", "128293", f"x5={i // 2 + 1:x}")
            for i in range(COUNT)]


class Tops(unittest.TestCase):
    def test_every_instruction_comes_out_of_the_pins(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "start.hex").write_text(run(EARSHOT, "control", "-f", "hex", "FLUSH_CYCLES=256", "start"))
            run(IVERILOG, "-g2012", "-c", "hdl/rtl/rtl.f", "-c", "hdl/adapters/adapters.f", "-s", "tb_tops", "-o",
                str(folder / "tb"), "hdl/sim/link/own_core.v", "tests/sim/tb_tops.v")
            run(VVP, "-n", "tb", cwd=folder)
            for link in "ft245", "fx2", "uart":
                with self.subTest(link=link):
                    self.assert_trace(folder / f"{link}.bin")

    def assert_trace(self, stream):
        info = dict(line.split(": ", 1) for line in run(EARSHOT, "info", stream).splitlines() if ": " in line)
        facts = [info[key] for key in ("complete", "stop", "lost", "skipped_bytes", "retired")]
        self.assertEqual(facts, ["yes", "program ended", "0", "0", str(COUNT)])
        lines = [line.split(",") for line in run(EARSHOT, "decode", "-q", "-f", "whisper", stream).splitlines()
                 if line[:1].isdigit()]
        self.assertEqual([(line[0], line[1], line[2].split(";")[0]) for line in lines], expected())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
