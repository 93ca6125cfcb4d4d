#!/usr/bin/env python3
"""Faults of the virtual board: 'earshot check' finds each at the first record that shows it, which is the first one
in which the instruction set simulator differs from the core. --long: a hundred seeds of each kind."""
import json
import os
import re
import subprocess
import sys

from support import PROGRAMS, Case, main

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
SEEDS = 100 if LONG else 2
KINDS = ["reg", "store", "alu", *(f"alu:{op}" for op in "add sub sll slt sltu xor srl sra or and".split())]
RUNS = ["sort", "rtos", "demo", "crc32", "sha256", "matrix", "nested", "alu"]  # each shows most operations
EVERY = {"reg": (50, 3000), "store": (10, 500), "alu": (50, 3000)}  # periods
OPERATION = (1, 30)  # period of one operation
FIRST = re.compile(r"core order (\d+) ")


class Faults(Case):
    def truth(self, path, program):
        """Index of the first record that differs, None if there is none."""
        done = subprocess.run([os.environ["EARSHOT_ISS"], "--isa", "rv32imc", "--set", "misaligned_traps=1", "--quiet",
                               "--follow", path, PROGRAMS / f"{program}.elf"], capture_output=True, text=True, timeout=60)
        found = FIRST.search(done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
        return int(found[1]) if found else None

    def first(self, path):
        """The first violation, None if there is none."""
        done = self.earshot("check", "--json", "--limit", 1, path, status=None)[0]
        found = json.loads(done)["found"]
        return found[0] if found else None

    def one(self, kind, seed):
        """Returns whether anything showed the fault."""
        low, high = OPERATION if ":" in kind else EVERY[kind]
        program, period = RUNS[seed % len(RUNS)], low + (seed * 7919 + len(kind) * 101) % (high - low)
        name, _, operation = kind.partition(":")
        fault = f"{name}:{period}" + (f":{operation}" if operation else "")
        path = self.folder / "t.shot"
        # How the program ends, if it does, is not of interest.
        self.capture(path, program, "--limit", 8000, keys=f",fault={fault},max-cycles=60000", status=None)
        truth, found = self.truth(path, program), self.first(path)
        self.assertEqual(found["record"] if found else None, truth, f"{program} {fault}: {found}")
        return truth is not None

    def test_each_is_found_at_the_first_record_that_shows_it(self):
        shown = {}
        for kind in KINDS:
            shown[kind] = sum(self.one(kind, seed) for seed in range(SEEDS))
        if LONG:
            print("of", SEEDS, "faults were shown:", *(f"{kind} {count}" for kind, count in shown.items()))
        self.assertGreater(sum(shown.values()), SEEDS * len(KINDS) // 3)
        if LONG:
            for kind, count in shown.items():
                self.assertGreater(count, 0, kind)

    def test_a_core_that_hangs_ends_with_max_cycles(self):
        """A fault of every sum hangs the core in the midst of an instruction."""
        for unit in ("raw", "large"):
            error = self.capture(self.folder / "t.shot", "nested", status=2,
                                 keys=f",unit={unit},fault=alu:1:add,max-cycles=60000")
            self.assertIn("without a STOP", error)
            self.assertEqual(self.info(self.folder / "t.shot")["records"], 6470)


if __name__ == "__main__":
    main()
