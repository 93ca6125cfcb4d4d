#!/usr/bin/env python3
"""Bitstreams for boards that other programs write to. What goes through an FX2LP is in tests/usb."""
import os
import unittest.mock

from support import Case, main

SCRIPT = """#!/bin/sh
echo "$0 ran with: $*"
exit $FAKE_STATUS
"""


class Flash(Case):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "a.bin"
        self.file.write_bytes(b"bits")
        self.path(self.folder)

    def path(self, folder, status=0):
        patch = unittest.mock.patch.dict(os.environ, PATH=f"{folder}:/usr/bin:/bin" if folder else "/nowhere",
                                         FAKE_STATUS=str(status))
        patch.start()
        self.addCleanup(patch.stop)

    def fake(self, name):
        (self.folder / name).write_text(SCRIPT)
        (self.folder / name).chmod(0o755)

    def test_the_program_of_the_board_is_started(self):
        self.fake("iceprog")
        self.fake("openFPGALoader")
        for arguments, command in (
                (["--board", "ice40_hx8k"], f"iceprog -S {self.file}"),
                (["--board", "ice40_hx8k", "--keep"], f"iceprog {self.file}"),
                (["--board", "arty_a7_35t"], f"openFPGALoader -b arty_a7_35t -m {self.file}"),
                (["--board", "ulx3s", "--keep"], f"openFPGALoader -b ulx3s -f {self.file}")):
            with self.subTest(arguments):
                out, _ = self.earshot("flash", *arguments, "--dry-run", self.file)
                self.assertEqual(out, command + "\n")
                out, error = self.earshot("flash", *arguments, self.file)
                name, rest = command.split(" ", 1)
                self.assertEqual(out, f"{command}\n{self.folder}/{name} ran with: {rest}\n")
                self.assertEqual(error, "")
                out, _ = self.earshot("flash", "-q", *arguments, self.file)
                self.assertEqual(out, f"{self.folder}/{name} ran with: {rest}\n")

    def test_a_program_that_fails_fails_this_one(self):
        self.fake("iceprog")
        self.path(self.folder, status=3)
        _, error = self.earshot("flash", "--board", "ice40_hx8k", self.file, status=2)
        self.assertIn("iceprog failed with status 3", error)

    def test_a_program_that_is_not_there_has_its_package_told(self):
        self.path(None)
        for board, message in (("ice40_hx8k", "iceprog is not installed; on Debian: apt install fpga-icestorm"),
                               ("any", "openFPGALoader is not installed; on Debian: apt install openfpgaloader")):
            _, error = self.earshot("flash", "--board", board, self.file, status=2)
            self.assertIn(message, error)

    def test_a_file_that_is_not_there_is_told_first(self):
        for where in (["--board", "ice40_hx8k"], ["-d", "usb:"]):
            _, error = self.earshot("flash", *where, self.folder / "none.bin", status=2)
            self.assertIn("none.bin: No such file or directory", error)
        (self.folder / "empty.bin").write_bytes(b"")
        _, error = self.earshot("flash", "-d", "usb:", self.folder / "empty.bin", status=2)
        self.assertIn("is empty", error)


if __name__ == "__main__":
    main()
