#!/usr/bin/env python3
"""scripts/same-outputs sees a difference wherever it is, and says where.

Needs EARSHOT_BIN, the earshot command. The second build is a program that calls it and changes one thing.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])


class SameOutputs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="earshot-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def compare(self, other, *options, status):
        done = subprocess.run([TREE / "scripts/same-outputs", *options, EARSHOT, other], capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def changed(self, command):
        """An earshot whose runs end with this shell command; "$@" are its arguments."""
        path = self.folder / "earshot"
        path.write_text(f'#!/bin/bash\nearshot() {{ {EARSHOT} "$@"; }}\n{command}\n')
        path.chmod(0o755)
        return path

    def test_a_build_is_the_same_as_itself(self):
        said = self.compare(EARSHOT, "--only", r"^(errors: |(info|archive|window): .*in/.*[0-9]\.(bin|shot))",
                            "--quick", status=0)
        self.assertRegex(said, r"comparisons: \d{3,} of \d{3,} commands")

    def test_another_byte_of_standard_output_is_a_difference(self):
        other = self.changed('if [ "$1" = info ]; then earshot "$@" | sed "s/^wire_bytes: 25./&1/"; else earshot "$@"; fi')
        said = self.compare(other, "--only", "^info: .*(in/events|in/minimal).bin", status=1)
        self.assertIn("info: earshot info ../../in/events.bin", said)
        self.assertIn("OLD 'wire_bytes: 256'", said)
        self.assertIn("NEW 'wire_bytes: 2561'", said)
        self.assertIn("DIFFERENT: 1 of 2 commands", said)

    def test_another_byte_of_a_file_is_a_difference(self):
        other = self.changed('earshot "$@"; status=$?; [ ! -e t.shot ] || printf x >>t.shot; exit $status')
        said = self.compare(other, "--only", "^archive: earshot convert .*in/whisper-timer.csv --geometry tiny",
                            status=1)
        self.assertIn("t.shot: byte ", said)

    def test_another_exit_status_is_a_difference(self):
        other = self.changed('earshot "$@"; status=$?; [ "$2" != -q ] || exit 3; exit $status')
        said = self.compare(other, "--only", "^diff: earshot diff -q ", "--keep", self.folder / "kept", status=1)
        self.assertIn("exit status: 1 and 3", said)
        self.assertTrue(list((self.folder / "kept").rglob("new/stderr")))

    def test_standard_error_counts_only_when_asked(self):
        other = self.changed('echo more >&2; earshot "$@"')
        only = "--only", "^dump: .*in/events.bin"
        self.assertIn("does not count", self.compare(other, *only, status=0))
        self.assertIn("standard error: byte 0", self.compare(other, *only, "--stderr", status=1))

    def test_what_cannot_be_compared_is_neither(self):
        self.assertIn("build the target", self.compare(self.folder, status=2))
        self.assertIn("not an earshot command", self.compare("/bin/true", status=2))
        self.assertIn("no command is left", self.compare(EARSHOT, "--only", "^no such kind", status=2))
        self.assertIn("not a regular expression", self.compare(EARSHOT, "--only", "(", status=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
