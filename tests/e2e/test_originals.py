#!/usr/bin/env python3
"""scripts/originals counts what a tool and Earshot do differently, and says what it could not compare.

Needs EARSHOT_BIN, the earshot command. A few lines of Python stand for Whisper's trace reader.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["EARSHOT_BIN"]).resolve().parents[1]

TRACE_READER = """#!/usr/bin/env python3
import sys
for number, line in enumerate(open(sys.argv[1])):
    if number:
        print("PC=0x" + line.split(",")[0])
    if number == {last}:
        sys.exit("Error: Line")
sys.exit(1)
"""


class Originals(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="earshot-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def compare(self, *options, status):
        done = subprocess.run([TREE / "scripts/originals", *options], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def add_trace_reader(self, last):
        tool = self.folder / "trees/whisper/trace-reader/sample-reader"
        tool.parent.mkdir(parents=True)
        tool.write_text(TRACE_READER.format(last=last))
        tool.chmod(0o755)

    def test_help_fits_a_terminal_and_names_every_option(self):
        said, _ = self.compare("--help", status=0)
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        for option in ("DIR", "--how", "--list", "--only", "--build", "--keep", "--markdown", "Exit status"):
            self.assertIn(option, said)

    def test_how_names_source_commit_and_build_of_every_tool(self):
        said, _ = self.compare("--how", status=0)
        for name in ("spike", "whisper", "tarmac"):
            self.assertRegex(said, rf"{name}: .*\n    git clone \S+ DIR/{name}\n    git -C DIR/{name} checkout [0-9a-f]{{40}}\n")

    def test_the_list_has_every_part(self):
        said, _ = self.compare("--list", status=0)
        self.assertEqual({line.split(":")[0] for line in said.splitlines()},
                         {path.stem.removeprefix("compare_") for path in (TREE / "tests/originals").glob("compare_*.py")})

    def test_a_folder_without_tools_compares_nothing_and_says_what_is_missing(self):
        listed, _ = self.compare("--list", status=0)  # all but QEMU, which is not in the folder
        only = [word for line in listed.splitlines() if not line.startswith("qemu:")
                for word in ("--only", line.split(":")[0])]
        said, warned = self.compare(self.folder, "--build", BUILD, *only, status=2)
        self.assertEqual(said, "")
        for tool in ("spike", "whisper", "sample-reader", "tarmac-calltree"):
            self.assertRegex(warned, rf"not found: .*\b{tool}\b")
        self.assertIn("--how", warned)

    def test_wrong_use_is_refused(self):
        for options in ([], [self.folder, "--only", "nothing"], [self.folder / "missing"]):
            _, warned = self.compare(*options, status=2)
            self.assertIn("scripts/originals: error: ", warned)
        _, warned = self.compare(self.folder, "--build", self.folder, status=2)
        self.assertIn("does not exist", warned)

    def test_a_row_for_what_was_compared(self):
        self.add_trace_reader(last=-1)
        said, warned = self.compare(self.folder, "--build", BUILD, "--only", "whisper", "--markdown", status=2)
        self.assertRegex(said, r"\| whisper \| whisper of unknown commit \| [^|]*trace-reader[^|]* \| \d \d{3} \| 0 \|\n")
        self.assertIn("originals: not compared: ", warned)  # Whisper itself

    def test_records_that_the_original_does_not_take_are_differences(self):
        self.add_trace_reader(last=2)
        said, _ = self.compare(self.folder, "--build", BUILD, "--only", "whisper", status=1)
        row = re.search(r"trace-reader +([\d ]+\d)  +(\d+)\n", said)
        self.assertGreater(int(row[2]), 4000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
