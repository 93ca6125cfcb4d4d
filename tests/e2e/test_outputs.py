#!/usr/bin/env python3
"""What a command writes: to files that are full, too long, in use, or those that it reads; by their endings."""
import os
import resource
import subprocess

from support import EARSHOT, PROGRAMS, Case, main

COMMANDS = ["capture", "decode", "convert", "diff", "grep", "info", "dump", "list", "doctor", "flash", "load",
            "selftest", "serve"]


def device(folder, program="sort", keys=""):
    return f"sim:{PROGRAMS / program}.elf,unit=raw,uart={folder}/uart{keys}"


class Case(Case):
    def run_to(self, out, *arguments, size=None):
        """Run the command with this standard output; files may have so many bytes."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return subprocess.run([EARSHOT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, text=True,
                              stderr=subprocess.PIPE, timeout=120, preexec_fn=limit if size else None)


class FullDisk(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shot = cls.shared / "t.shot"
        cls().capture(cls.shot, "sort", "--limit", "20000")

    def test_all_that_is_printed_has_arrived(self):
        """Each command that prints, also its help, fails when standard output is full."""
        commands = [["--help"], ["help"], ["--version"], *([name, "--help"] for name in COMMANDS), ["list"],
                    ["info", self.shot], ["dump", self.shot], ["decode", self.shot], ["convert", self.shot],
                    ["convert", "-f", "shot", self.shot], ["grep", self.shot], ["grep", "-c", self.shot],
                    ["diff", self.shot, self.shot], ["diff", "--json", self.shot, self.shot]]
        for arguments in commands:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = self.run_to(full, *arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr, "No space left on device|disk full")

    def test_a_reader_that_leaves_is_no_failure(self):
        for arguments in (["dump", self.shot], ["decode", self.shot], ["convert", self.shot], ["capture", "--help"]):
            with self.subTest(arguments):
                read, write = os.pipe()
                os.close(read)
                result = self.run_to(write, *arguments)
                os.close(write)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_file_that_may_not_grow_is_a_full_disk(self):
        """ulimit -f: an error with the name of the file, not death by SIGXFSZ."""
        out = self.folder / "out"
        cases = [("capture", "-d", device(self.folder), "-f", "whisper", "-o", out),
                 ("capture", "-d", device(self.folder), "-o", f"{out}.shot"),
                 ("capture", "-d", device(self.folder), "--record", out, "-f", "shot", "-o", "/dev/null"),
                 ("decode", self.shot, "-f", "whisper", "-o", out), ("convert", self.shot, "-f", "whisper", "-o", out)]
        for arguments in cases:
            with self.subTest(arguments[0]):
                result = self.run_to(subprocess.DEVNULL, *arguments, size=8192)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(str(out), result.stderr)
                self.assertIn("File too large", result.stderr)
        with open(out, "wb") as file:
            result = self.run_to(file, "dump", self.shot, size=8192)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("File too large", result.stderr)


if __name__ == "__main__":
    main()
