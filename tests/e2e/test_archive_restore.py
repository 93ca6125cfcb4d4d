"""Folders into an archive and back: earshot archive, earshot restore (docs/archive.md)."""
import hashlib
import os
import random
import re
import shutil
import subprocess
import unittest
import zlib

import support

SAMPLES = support.TREE / "tests" / "data"
WRITERS = "whisper whisper-log spike riscv-dv qemu4v tarmac json armulator tracerv rvvi".split()


def tree(folder):
    """Everything below a folder: contents of files, targets of links, None of folders."""
    found = {}
    for base, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(base, name)
            key = os.path.relpath(path, os.fsencode(folder))
            if os.path.islink(path):
                found[key] = b"-> " + os.readlink(path)
            elif os.path.isdir(path):
                found[key] = None
            else:
                with open(path, "rb") as file:
                    found[key] = file.read() + (b" x" if os.access(path, os.X_OK) else b"")
    return found


class ArchiveRestore(support.Case):
    """What goes in comes out."""

    def entries(self, archive):
        """The lines of the manifest by the name of their file."""
        lines = (archive / "manifest").read_text().splitlines()[1:]
        return {line.split()[-1]: line.split()[1:] for line in lines}

    def make_runs(self):
        """A file of each format that Earshot writes, and odd ones."""
        runs = self.folder / "runs"
        (runs / "nothing").mkdir(parents=True)
        text = (SAMPLES / "whisper" / "timer.csv").read_bytes()
        for name in WRITERS:
            self.earshot("convert", "-q", "--quiet-loss", "-f", name, SAMPLES / "whisper" / "timer.csv", "-o",
                         runs / f"t.{name}")
        (runs / "t.whisper").write_bytes(text)
        (runs / "again.csv").write_bytes(text)
        (runs / "returns.csv").write_bytes(text.replace(b"\n", b"\r\n"))
        lines = text.splitlines(keepends=True)
        lines[20:20] = [b"UART: \xff\x00 hello\n"]
        lines[60] = lines[60].replace(b",", b", ", 1)
        (runs / "odd.csv").write_bytes(b"".join(lines)[:-1])
        (runs / "packed.gz").write_bytes(zlib.compress(text))
        (runs / "ibex.log").write_bytes((SAMPLES / "ibex" / "rv32.log").read_bytes())
        (runs / "empty").touch()
        (runs / "one").write_bytes(b"\n")
        os.symlink("t.whisper", runs / "latest")
        os.symlink("/nowhere", runs / "broken")
        with open(os.fsencode(runs) + b"/a\nb \xff\\", "wb") as file:
            file.write(b"#!/bin/sh\n")
        os.chmod(os.fsencode(runs) + b"/a\nb \xff\\", 0o755)
        return runs

    def test_every_format_and_odd_files_come_back_and_any_number_of_threads_makes_the_same_bytes(self):
        runs, archive, back = self.make_runs(), self.folder / "a", self.folder / "back"
        error = self.earshot("archive", "--verify", "--block", "8192", runs, "-o", archive)[1]
        self.assertIn("verified: all 18 files were restored and are equal\n", error)
        self.earshot("archive", "-q", "-j2", "--block", "8192", f"{runs}/", "-o", self.folder / "b")
        self.assertEqual(tree(archive), tree(self.folder / "b"))
        self.earshot("restore", "-q", "-j2", archive, "-o", back)
        self.assertEqual(tree(back), tree(runs))
        # Again: nothing changes, on both sides.
        self.earshot("archive", "-q", runs, "-o", archive)
        self.assertEqual(tree(archive), tree(self.folder / "b"))
        self.assertIn("restored: 0 files\n", self.earshot("restore", archive, "-o", back)[1])
        entries = self.entries(archive)
        for name in WRITERS:
            self.assertEqual(entries[f"t.{name}"][8], name)
        for name in "t.whisper", "odd.csv", "returns.csv", "t.spike", "t.tracerv", "t.json":
            self.assertEqual(entries[name][7], "records", name)
        self.assertEqual(entries["ibex.log"][7:9], ["zstd", "ibex"])
        self.assertEqual(entries["packed.gz"][7:9], ["zstd", "-"])
        for name, words in entries.items():
            if words[0] == "file":
                self.assertRegex(words[1], "^[0-9a-f]{64}$")
        self.assertEqual(entries["again.csv"][1], entries["t.whisper"][1])
        self.assertEqual(entries["t.whisper"][1], hashlib.sha256((runs / "t.whisper").read_bytes()).hexdigest())

    def test_an_archive_of_before_comes_back(self):
        """What the writers of formats make is part of the archive's format (docs/archive.md, 5)."""
        self.earshot("restore", "--verify", SAMPLES / "archive")

    def test_an_archive_gets_more_and_keeps_what_it_has(self):
        runs, archive = self.folder / "runs", self.folder / "a"
        runs.mkdir()
        (runs / "m").write_bytes(b"1\n")
        self.earshot("archive", "-q", runs, "-o", archive)
        (runs / "a").write_bytes(b"2\n")
        (runs / "z").write_bytes(b"1\n")
        self.earshot("archive", "-q", runs, "-o", archive)
        (runs / "m").write_bytes(b"3\n")
        (runs / "n").write_bytes(b"4\n")
        error = self.earshot("archive", "-q", runs, "-o", archive, status=1)[1]
        self.assertIn("/m: the archive has another file of this name, which it keeps\n", error)
        self.earshot("restore", "-q", archive, "-o", self.folder / "back")
        self.assertEqual(tree(self.folder / "back"), {b"a": b"2\n", b"m": b"1\n", b"n": b"4\n", b"z": b"1\n"})
        # Several arguments have their own names; two of one name cannot be.
        other = self.folder / "other"
        self.earshot("archive", "-q", runs, runs / "n", "-o", other)
        self.earshot("restore", "-q", other, "-o", self.folder / "part", "runs/a", "n")
        self.assertEqual(tree(self.folder / "part"), {b"runs": None, b"runs/a": b"2\n", b"n": b"4\n"})
        self.earshot("archive", runs / "n", archive / ".." / "runs" / "n", "-o", other, status=2)
        self.earshot("archive", self.folder, "-o", archive, status=2)
        self.earshot("restore", archive, "-o", self.folder / "x", "nobody", status=2)

    def test_damage_costs_one_block_and_its_lines_are_named(self):
        runs, archive, back = self.folder / "runs", self.folder / "a", self.folder / "back"
        runs.mkdir()
        text, first, second = [], 0, 1
        for _ in range(200):
            first = (first + second) & 0xFFFFFFFF
            second = (first + second) & 0xFFFFFFFF
            text += [f"80000000,006282b3,x5={first:x},x5;x6,,,m,,add      x5; x5; x6,0\n",
                     f"80000004,00530333,x6={second:x},x6;x5,,,m,,add      x6; x6; x5,0\n",
                     "80000008,ff9ff06f,,i-8,,t,m,,jal      x0; . - 0x8,0\n"]
        text = "".join(text).encode()
        (runs / "t.csv").write_bytes(text)
        (runs / "good").write_bytes(b"good\n")
        self.earshot("archive", "-q", "--block", "8192", runs, "-o", archive)
        name = next(archive.glob("objects/*/*.ear"))
        good = name.read_bytes()
        places = [found.start() for found in re.finditer(b"EREC", good)]
        self.assertGreater(len(places), 3)
        for at in places[1] + 40, places[1] - 2, places[1] + 1:
            damaged = bytearray(good)
            damaged[at] ^= 4
            name.write_bytes(damaged)
            error = self.earshot("restore", archive, "-o", back, status=1)[1]
            first, last = map(int, re.search(
                r"t\.csv: .*: block 2 is damaged, .*: lines (\d+) to (\d+) are lost\n", error).groups())
            lines = text.splitlines(keepends=True)
            del lines[first - 1:last]
            self.assertEqual(tree(back), {b"good": b"good\n", b"t.csv.damaged": b"".join(lines)})
            self.assertIn("t.csv.damaged", error)
            self.earshot("restore", "--verify", archive, status=1)
            self.earshot("archive", "--verify", runs, "-o", archive, status=2)
            (back / "t.csv.damaged").unlink()
        name.write_bytes(good[:places[1]])
        error = self.earshot("restore", archive, "-o", back, status=1)[1]
        first, last = map(int, re.search(r"after block 1: lines (\d+) to (\d+), the last ones, are lost\n",
                                         error).groups())
        self.assertEqual(last, text.count(b"\n"))
        self.assertEqual(tree(back)[b"t.csv.damaged"], b"".join(text.splitlines(keepends=True)[:first - 1]))
        (back / "t.csv.damaged").unlink()
        tables = [found.start() for found in re.finditer(b"ETBL", good)]
        damaged = bytearray(good)
        for at in tables:  # nothing is lost then
            damaged[at + 5] ^= 1
        name.write_bytes(damaged)
        self.assertIn("verified", self.earshot("restore", "--verify", archive)[1])
        name.write_bytes(good[:places[0] + 9])
        self.assertIn("the whole file is lost", self.earshot("restore", archive, "-o", back, status=1)[1])
        name.write_bytes(good)
        self.assertIn("verified", self.earshot("restore", "--verify", archive)[1])
        self.assertEqual(tree(back)[b"good"], b"good\n")
        (back / "good").write_bytes(b"mine\n")
        self.assertIn("good: another file is there, which is kept\n",
                      self.earshot("restore", archive, "-o", back, status=2)[1])
        self.assertEqual(tree(back)[b"good"], b"mine\n")
        self.assertEqual(tree(back)[b"t.csv"], text)

    def test_a_changed_archive_gives_the_right_bytes_or_an_error(self):
        runs, archive = self.folder / "runs", self.folder / "a"
        (runs / "x").mkdir(parents=True)
        for name in "timer.csv", "intsort-default.log":
            (runs / "x" / name).write_bytes((SAMPLES / "whisper" / name).read_bytes())
        (runs / "y").write_bytes(b"y" * 100)
        os.symlink("y", runs / "z")
        self.earshot("archive", "-q", "--block", "8192", runs, "-o", archive)
        files = [path for path in archive.rglob("*") if path.is_file()]
        right, generator = tree(runs), random.Random(11)
        for number in range(10000 if support.NIGHT else 30):
            path = generator.choice(files)
            good = path.read_bytes()
            bad = bytearray(good)
            at = generator.randrange(len(bad))
            change = generator.randrange(5)
            if change == 0:
                bad[at] ^= 1 << generator.randrange(8)
            elif change == 1:
                bad[at:at + 8] = generator.randbytes(len(bad[at:at + 8]))
            elif change == 2:
                del bad[at:]
            elif change == 3:
                del bad[at]
            else:
                bad.insert(at, generator.randrange(256))
            path.write_bytes(bad)
            back = self.folder / "back"
            result = subprocess.run([support.EARSHOT, "restore", "-q", archive, "-o", back], capture_output=True,
                                    check=False, timeout=60)
            found = tree(back) if back.exists() else {}
            with self.subTest(number=number, file=path.name, change=change, at=at):
                self.assertIn(result.returncode, (0, 1, 2), result.stderr)
                if result.returncode == 0:
                    self.assertEqual(found, right)
                else:
                    self.assertTrue(result.stderr)
                whole = {name: text for name, text in found.items() if not name.endswith(b".damaged")}
                self.assertLessEqual(whole.items(), right.items())
            path.write_bytes(good)
            shutil.rmtree(back, ignore_errors=True)

    def test_a_hostile_manifest_writes_nothing_outside(self):
        runs, archive = self.folder / "runs", self.folder / "a"
        runs.mkdir()
        (runs / "f").write_bytes(b"evil\n")
        self.earshot("archive", "-q", runs, "-o", archive)
        file = " ".join(self.entries(archive)["f"][:-1])
        (self.folder / "out").mkdir()
        for number, lines in enumerate((
                ["link ../out d", f"{file} d/f"],
                [f"{file} ../out/f"],
                [f"{file} {self.folder}/out/f"],
                [f"{file} d/../../out/f"],
                ["link ../out/f f", f"{file} f.x"])):
            made = "earshot archive 1\n"
            for line in [*lines, f"end {len(lines)}"]:
                made += f"{zlib.crc32(line.encode()):08x} {line}\n"
            (archive / "manifest").write_text(made)
            back = self.folder / f"back{number}"
            if number == 4:  # through a link that is there
                back.mkdir()
                os.symlink("../out/f", back / "f.x")
            self.run_any("restore", archive, "-o", back)
            self.assertEqual(tree(self.folder / "out"), {})

    def run_any(self, *arguments):
        """With any status but that of a crash."""
        for status in 0, 1, 2:
            try:
                return self.earshot(*arguments, status=status)
            except AssertionError:
                if status == 2:
                    raise
        return None

    def test_what_cannot_be_archived_is_said(self):
        runs, archive = self.folder / "runs", self.folder / "a"
        runs.mkdir()
        os.mkfifo(runs / "pipe")
        error = self.earshot("archive", "-q", runs, "-o", archive, status=1)[1]
        self.assertIn("pipe: not archived: it is not a file, a folder or a link\n", error)
        self.earshot("archive", self.folder / "nobody", "-o", archive, status=1)
        self.earshot("archive", "-o", archive, status=2)
        self.earshot("archive", runs, status=2)
        self.earshot("archive", runs, "-o", runs, status=2)
        self.earshot("restore", runs, "-o", self.folder / "back", status=2)
        self.earshot("restore", archive, status=2)
        (archive / "manifest").write_text("earshot archive 2\n")
        self.assertIn("newer version", self.earshot("restore", archive, "-o", self.folder / "back", status=2)[1])


if __name__ == "__main__":
    unittest.main()
