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

    def test_a_build_is_the_same_as_itself_whatever_it_says(self):
        said = self.compare(self.changed('echo more >&2; earshot "$@"'), "--only",
                            r"^(errors: |(info|archive|window): .*in/.*[0-9]\.(bin|shot))", "--quick", status=0)
        self.assertRegex(said, r"comparisons: \d{3,} of \d{3,} commands")
        self.assertIn("does not count", said)

    def test_another_byte_or_exit_status_is_a_difference(self):
        """Of standard output, of a file, and of standard error when it is asked for."""
        other = self.changed('earshot "$@" | if [ "$1" = info ]; then sed "s/^wire_bytes: 25./&1/"; else cat; fi\n'
                             'status=${PIPESTATUS[0]}; [ ! -e t.shot ] || printf x >>t.shot\n'
                             '[ "$1" != dump ] || echo more >&2\n'
                             '[ "$1 $2" != "diff -q" ] || exit 3; exit $status')
        said = self.compare(other, "--only", "^info: .*(in/events|in/minimal).bin"
                            "|^archive: earshot convert .*in/whisper-timer.csv --geometry tiny"
                            "|^diff: earshot diff -q .*/in/whisper|^dump: .*in/events.bin", "--stderr", "--all",
                            "--keep", self.folder / "kept", status=1)
        self.assertIn("info: earshot info ../../in/events.bin", said)
        self.assertNotIn("in/minimal.bin", said)
        self.assertIn("OLD 'wire_bytes: 256'", said)
        self.assertIn("NEW 'wire_bytes: 2561'", said)
        self.assertIn("t.shot: byte ", said)
        self.assertIn("exit status: 1 and 3", said)
        self.assertIn("standard error: byte 0", said)
        self.assertRegex(said, r"DIFFERENT: \d+ of \d+ commands")
        self.assertTrue(list((self.folder / "kept").rglob("new/stderr")))

    def test_what_cannot_be_compared_is_neither(self):
        self.assertIn("build the target", self.compare(self.folder, status=2))
        self.assertIn("not an earshot command", self.compare("/bin/true", status=2))
        self.assertIn("no command is left", self.compare(EARSHOT, "--only", "^no such kind", status=2))
        self.assertIn("not a regular expression", self.compare(EARSHOT, "--only", "(", status=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
