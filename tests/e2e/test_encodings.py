#!/usr/bin/env python3
"""Every row of the instruction table in every text: random opcodes come back, and no text of them is kept.

What scripts/originals shows with simulators, on data of its own. Needs EARSHOT_BIN.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])
sys.path.insert(0, str(TREE / "tests/originals"))
import random_program  # noqa: E402

EACH = 8
TEXTS = {"whisper": "csv", "whisper-log": "whisper.log", "spike": "spike.log", "riscv-dv": "dv.csv", "json": "jsonl"}


def make_trace(xlen):
    """A CSV with no texts: opcodes of all extensions, one after the other; and how many."""
    numbers = random.Random(xlen)
    isa = "_".join(sorted({row[6] for row in random_program.list_rows()} - {"RESERVED"}))
    rows = random_program.read_rows(xlen, "IMAFDCV_" + isa)
    lines, pc = ["pc, inst, modified regs, privilege, hartid"], 0x80000000
    for row in rows:
        for _ in range(EACH):
            lines.append(f"{pc:x},{random_program.make_instruction(numbers, row):x},,m,0")
            pc += row[4]
    return "\n".join(lines) + "\n", len(rows) * EACH


class Encodings(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="earshot-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def convert(self, xlen, source, name, *options):
        path = self.folder / name
        done = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "--max-bad", "0", "--xlen", str(xlen), *options,
                               source, "-o", path], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def test_random_opcodes_come_back_from_every_text(self):
        for xlen in (32, 64):
            text, count = make_trace(xlen)
            self.assertGreater(count, 8000)
            source = self.folder / "source.csv"
            source.write_text(text)
            for name, ending in TEXTS.items():
                with self.subTest(xlen=xlen, format=name):
                    first = self.convert(xlen, source, f"first.{ending}")
                    again = self.convert(xlen, first, f"again.{ending}", "-i", name)
                    if name != "json":  # whose lines say where the records were
                        self.assertEqual(again.read_bytes(), first.read_bytes())
                    records = self.convert(xlen, first, "records.jsonl", "-i", name).read_text()
                    self.assertEqual(records.count('"opcode":'), count)
                    for member in ("disassembly", "sources", "info"):
                        self.assertNotIn(f'"{member}":', records)


if __name__ == "__main__":
    unittest.main(verbosity=2)
