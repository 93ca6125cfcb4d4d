#!/usr/bin/env python3
"""A capture finds its program wherever it is, by its SHA-256 and by nothing else; and says so where names are missing
because it does not."""
import os
import pathlib
import shutil
import subprocess

from gdb_client import Client
from support import EARSHOT, PROGRAMS, Case, main, some

COMMANDS = (["show", "-n", "20"], ["why"], ["state", "--at", "500", "--stack"], ["why", "--value", "a0", "--at", "500"],
            ["profile"], ["calls"], ["memory"], ["timeline", "-f", "json", "-o", "-"], ["check"], ["coverage"])
ASKED = (["decode", "-f", "json", "--names", "--limit", "50"], ["grep", "--pc", "main", "-c"],
         ["state", "--mem", "main:4"])
BUILD_ID = bytes.fromhex("0123456789abcdef0123456789abcdef01234567")


class ProgramPath(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.made = cls.shared / "made"
        (cls.made / "build").mkdir(parents=True)
        note = cls.shared / "note"
        note.write_bytes(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + BUILD_ID)
        # A segment of notes needs a linker: that of the thread-local storage, which is empty, becomes one.
        elf = bytearray((PROGRAMS / "sort.elf").read_bytes())
        at = len(elf)
        elf += note.read_bytes()
        headers, size, count = (int.from_bytes(elf[place:place + length], "little")
                                for place, length in ((28, 4), (42, 2), (44, 2)))
        rows = [headers + size * row for row in range(count)]
        row = next(row for row in rows if int.from_bytes(elf[row:row + 4], "little") == 7)
        elf[row:row + 20] = b"".join(value.to_bytes(4, "little") for value in (4, at, 0, 0, len(note.read_bytes())))
        cls.elf = cls.made / "build" / "prog.elf"
        cls.elf.write_bytes(elf)
        subprocess.run([EARSHOT, "capture", "-q", "-d", "sim:build/prog.elf,uart=/dev/null", "-o", "t.shot", "--limit",
                        "2000"], cwd=cls.made, check=True)
        cls.shot = cls.made / "t.shot"
        cls.expected = {}
        for command in COMMANDS + ASKED:
            cls.expected[tuple(command)] = cls.run_in(cls.made, *command, "t.shot")
            case.assertNotIn(b"names are missing", cls.expected[tuple(command)][2])

    @staticmethod
    def run_in(folder, *arguments, path=""):
        result = subprocess.run([EARSHOT, *map(str, arguments)], cwd=folder, capture_output=True, timeout=120,
                                env={**os.environ, "EARSHOT_PATH": str(path)}, check=False)
        return result.returncode, result.stdout, result.stderr

    def setUp(self):
        super().setUp()
        self.other = self.folder / "other"
        self.other.mkdir()
        self.away = self.shared / "away.elf"
        if self.away.exists():
            os.rename(self.away, self.elf)

    def hide(self):
        os.rename(self.elf, self.away)

    def check_found(self, shot, path="", commands=some(*COMMANDS, *ASKED, gate=4) + ASKED[1:2]):
        """From another folder the commands say what they say in the folder of the capture."""
        name = lambda out: out.replace(str(shot).encode(), b"t.shot")
        for command in commands:
            with self.subTest(command):
                status, out, error = self.run_in(self.other, *command, shot, path=path)
                self.assertEqual((status, name(out), name(error)), self.expected[tuple(command)])

    def test_by_its_absolute_path(self):
        shot = self.folder / "t.shot"
        shutil.copy(self.shot, shot)
        self.check_found(shot, commands=COMMANDS + ASKED)

    def test_beside_the_capture(self):
        self.hide()
        shutil.copy(self.shot, self.folder / "t.shot")
        for place in ("prog.elf", "build/prog.elf"):
            (self.folder / place).parent.mkdir(exist_ok=True)
            shutil.copy(self.away, self.folder / place)
            self.check_found(self.folder / "t.shot")
            (self.folder / place).unlink()

    def test_in_the_folders_of_the_path(self):
        self.hide()
        for place in ("x/prog.elf", f"x/.build-id/{BUILD_ID.hex()[:2]}/{BUILD_ID.hex()[2:]}.debug",
                      f"x/.build-id/{BUILD_ID.hex()[:2]}/{BUILD_ID.hex()[2:]}"):
            with self.subTest(place):
                (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.away, self.folder / place)
                self.check_found(self.shot, path=f"/nonsense::{self.folder}/x")
                (self.folder / place).unlink()

    def test_only_the_same_contents(self):
        """Another file under each of the names is as good as none, and the sentence says so."""
        self.hide()
        shutil.copy(PROGRAMS / "matrix.elf", self.elf)
        self.addCleanup(self.elf.unlink)
        for command in COMMANDS:
            with self.subTest(command):
                _, _, error = self.run_in(self.other, *command, self.shot)
                self.assertEqual(error.count(b"names are missing: "), 1, error)
                self.assertIn(f"{self.elf} has changed since it was traced".encode(), error)
        shutil.copy(self.away, self.folder / "prog.elf")
        self.check_found(self.shot, path=self.folder)

    def test_one_sentence_where_it_is_not_found(self):
        self.hide()
        for command in COMMANDS:
            with self.subTest(command):
                _, _, error = self.run_in(self.other, *command, self.shot)
                self.assertEqual([line for line in error.splitlines() if b"names are missing" in line],
                                 [b"earshot: warning: names are missing: the traced program build/prog.elf is not "
                                  b"found; use --elf FILE, or EARSHOT_PATH"])
        for command in ASKED[:2]:
            status, _, error = self.run_in(self.other, *command, self.shot)
            self.assertEqual(status, 2)
            self.assertIn(b"no ELF given, and the traced program build/prog.elf is not found; use --elf FILE, or "
                          b"EARSHOT_PATH", error)
        _, _, error = self.run_in(self.other, "show", "--no-names", "-n", "5", self.shot)
        self.assertEqual(error, b"")

    def test_gdb_has_it(self):
        folder = pathlib.Path.cwd()
        os.chdir(self.other)
        self.addCleanup(os.chdir, folder)
        client = Client(self.shot)
        self.assertEqual(client.ask("qXfer:exec-file:read::0,fff"), f"l{self.elf}")
        client.close()
        self.hide()
        client = Client(self.shot)
        client.close()
        self.assertIn("names are missing: the traced program build/prog.elf is not found", client.errors)

    def test_what_is_made_of_a_capture_has_the_same_program(self):
        for command in (["convert", "-q"], ["decode", "-q", "--from", "10", "--to", "900"]):
            made = self.folder / "made.shot"
            self.earshot(*command, "-o", made, self.shot)
            old, new = self.info(self.shot), self.info(made)
            for key in ("program", "program_sha256", "program_path", "program_build_id"):
                self.assertEqual(new[key], old[key])
            self.assertEqual(new["program_path"], str(self.elf))
            self.assertEqual(new["program_build_id"], BUILD_ID.hex())
            made.unlink()


if __name__ == "__main__":
    main()
