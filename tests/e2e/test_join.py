#!/usr/bin/env python3
"""earshot join: parts of a capture, and captures of one run, become one capture with the same records."""
import pathlib
import random
import subprocess
import unittest.mock

from gdb_client import Client
from support import EARSHOT, NIGHT, PROGRAMS, Case, main, some

LIMIT = 40000 if NIGHT else 4000
PROGRAM_NAMES = some("traps", "recursion", "sort", "timer", "memory", "strings", gate=1)


class Join(Case):
    def capture(self, name, unit="small", *options):
        shot = self.folder / f"{name}-{unit}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/{name}.elf,unit={unit},uart=/dev/null", "--limit", LIMIT,
                     "-o", shot, *options)
        return shot

    def cut(self, shot, first, last=None):
        part = self.folder / f"{shot.stem}-{first}-{last}.shot"
        self.earshot("cut", "-q", shot, "--from", first, *([] if last is None else ["--to", last]), "-o", part)
        return part

    def join(self, parts, status=0):
        """What it writes, and what it says."""
        whole = self.folder / "joined.shot"
        done = subprocess.run([EARSHOT, "join", "-o", whole, *parts], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return whole, done.stderr

    def row(self, path):
        """What stat says of it, but its name."""
        return self.earshot("stat", "-q", "-f", "csv", path)[0].splitlines()[1].split(",", 2)[2]

    def assert_whole(self, shot, parts):
        joined, said = self.join(parts)
        self.assertEqual(self.row(joined), self.row(shot))
        self.earshot("diff", "-q", shot, joined)
        return said

    def test_what_cut_has_parted_join_brings_together(self):
        chance = random.Random(3)
        for name in PROGRAM_NAMES:
            for unit in ("raw", "small"):
                with self.subTest(name, unit=unit):
                    shot = self.capture(name, unit)
                    total = self.info(shot)["records"]
                    places = sorted(chance.sample(range(1, total), 3))
                    begins, ends = [0, *places], [*(place - 1 for place in places), None]
                    parts = [self.cut(shot, *pair) for pair in zip(begins, ends)]
                    chance.shuffle(parts)
                    said = self.assert_whole(shot, parts)
                    self.assertNotIn("missing", said)
                    # Parts that have records of others, one inside of another one.
                    middle = total // 2
                    more = [self.cut(shot, middle), self.cut(shot, 10, total - 10), self.cut(shot, 0, middle + 99)]
                    said = self.assert_whole(shot, [*more, parts[0]])
                    self.assertIn("too, with the same values", said)

    def test_parts_may_begin_late(self):
        for unit in ("raw", "small"):
            shot = self.capture("sort", unit)
            joined, _ = self.join([self.cut(shot, 10, 99), self.cut(shot, 100, 299)])
            self.earshot("diff", "-q", self.cut(shot, 10, 299), joined, status=None)
            self.assertEqual(self.row(joined), self.row(self.cut(shot, 10, 299)))
            info = self.info(joined)
            self.assertEqual((info["records"], info["gaps"], "failed_checks" in info), (290, 0, False))

    def test_what_is_missing_is_a_gap_and_what_differs_an_error(self):
        shot = self.capture("traps")
        joined, said = self.join([self.cut(shot, 1000, 1999), self.cut(shot, 0, 499), self.cut(shot, 2000)])
        self.assertIn("before it 500 records are missing of hart 0 (index 500 to 999): a gap says so", said)
        info = self.info(joined)
        self.assertEqual((info["gaps"], info["missing"], info["records"]), (1, 500, self.info(shot)["records"] - 500))
        self.assertNotIn("part_of", info)
        self.assertIn("# gap: 500 records missing; index 500 to 999", self.decode(joined, "-q"))
        part = self.cut(shot, 0, 1500)
        other = self.cut(self.capture("recursion"), 1000, 1999)
        self.assertIn("of another run", self.join([part, other], status=2)[1])
        for fault in ("missing", shot.with_suffix(".elf")):
            self.join([part, fault], status=2)

    def test_records_that_two_parts_have_are_compared(self):
        # The same packed text but for one value: parts of either say that they are of one capture.
        text = self.decode(self.capture("traps"), "-q").splitlines(keepends=True)
        at = next(i for i in range(500, len(text)) if ",x5=8" in text[i])
        parts = []
        for number, lines in enumerate((text, [*text[:at], text[at].replace(",x5=8", ",x5=9", 1), *text[at + 1:]])):
            packed = self.folder / "packed.shot"
            packed.unlink(missing_ok=True)
            log = self.folder / "log.csv"
            log.write_text("".join(lines))
            with unittest.mock.patch.dict("os.environ", SOURCE_DATE_EPOCH="1700000000"):
                self.earshot("convert", "-q", log, "-o", packed)
            parts.append((self.folder / f"{number}.shot").resolve())
            self.earshot("cut", "-q", packed, "--from", 100 * number, "-o", parts[-1])
        said = self.join(parts, status=1)[1]
        self.assertRegex(said, r"record \d+ \(hart 0, index \d+\) differs from record \d+ of '")

    def test_marks_are_kept(self):
        shot = self.capture("recursion")
        self.mark(shot, {"early": 100, "middle": 1500, "late": 2500})
        parts = [self.cut(shot, 0, 1799), self.cut(shot, 1400, 1999), self.cut(shot, 2100)]
        self.assertEqual(self.marked(parts[1]), {"middle": 1500 - 1400})
        joined = self.join(parts)[0]
        self.assertEqual(self.marked(joined), {"early": 100, "middle": 1500, "late": 2500 - 100})

    def mark(self, shot, places):
        for name, number in places.items():
            with Client(shot, "--no-index") as client:
                client.goto(number)
                self.assertEqual(client.monitor(f"mark {name}"), f"{name} is #{number}\n")

    def marked(self, shot):
        """Of the file of marks: name and number of each."""
        lines = pathlib.Path(f"{shot}.marks").read_text().splitlines()[2:-1]
        return {name: int(number) for _, name, number, _ in map(str.split, lines)}


if __name__ == "__main__":
    main()
