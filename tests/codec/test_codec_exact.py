#!/usr/bin/env python3
"""Encoded, decoded, and every field of every entry equal: all workloads, every geometry, broken retire
ports and broken cores. codec_run does the work and compares; here are its arguments.

Programs, geometries and faults are dealt out in turn, so that each width meets each fault and each
geometry, and more than 10 million records come together in some seconds.
"""
import collections
import os
import pathlib
import re
import subprocess
import unittest

CODEC_RUN = os.path.abspath(os.environ["EARSHOT_CODEC_RUN"])
WORKLOADS = pathlib.Path(os.environ["EARSHOT_WORKLOADS"])
RECORDS_EACH = 160000
RECORDS_MIN = 10_000_000

GEOMETRIES = ["tiny", "small", "medium", "large", "unified", "xl"]
FAULTS = [
    [],
    ["--flips", "100"],
    ["--flips", "10000"],
    ["--bug", "alu"],
    ["--bug", "store"],
    ["--bug", "upset"],
    ["--bug", "stale"],
    ["--bug", "sign"],
    ["--flips", "10000", "--bug", "upset"],
]
LESS = [[], [], ["--no-multiply"], ["--no-divide"], ["--no-dictionary"]]


def workloads():
    """(isa, path) of each, those of one width one after another."""
    rows = [line.split(None, 3) for line in WORKLOADS.read_text().splitlines()]
    return sorted((isa, path) for _, isa, _, path in rows)


class Exact(unittest.TestCase):
    def run_codec(self, path, arguments):
        command = [CODEC_RUN, "--max", str(RECORDS_EACH), *arguments, path]
        done = subprocess.run(command, capture_output=True, text=True)
        output = " ".join(command) + "\n" + done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, output)
        found = re.search(r"^\S+ +(\d+) .* (\d+) wrong, (\d+) gaps", done.stdout)
        self.assertIsNotNone(found, output)
        self.assertEqual(found.group(2, 3), ("0", "0"), output)
        return int(found.group(1))

    def test_every_field_of_every_record_comes_back(self):
        turn = collections.Counter()
        met = set()
        records = 0
        for isa, path in workloads():
            width = isa[:4]
            fault = FAULTS[turn[width] % len(FAULTS)]
            geometry = GEOMETRIES[(turn[width] + turn[width] // len(GEOMETRIES)) % len(GEOMETRIES)]
            less = LESS[turn[width] % len(LESS)]
            turn[width] += 1
            with self.subTest(program=path, geometry=geometry, fault=fault):
                records += self.run_codec(
                    path, ["--isa", isa, "-g", geometry, "--seed", str(turn[width]), *fault, *less])
            met |= {(width, *fault), (width, geometry)}
        print(f"{records} records of {sum(turn.values())} programs")
        self.assertGreater(records, RECORDS_MIN)
        self.assertEqual(len(met), 2 * (len(FAULTS) + len(GEOMETRIES)))

    def test_a_wrong_field_would_be_seen(self):
        """codec_run does compare: one wrong bit in the decoder is found."""
        isa, path = workloads()[0]
        command = [CODEC_RUN, "--isa", isa, "--max", "20000", "--spoil", "1000", path]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
