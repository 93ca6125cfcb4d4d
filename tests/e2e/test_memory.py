#!/usr/bin/env python3
"""A lack of memory is a lack of memory: never damage of a file, a shorter output, or a status of 0."""
import gzip
import os
import subprocess
import sys
import unittest

from support import EARSHOT, PROGRAMS, TREE, Case, main

LIBRARY = os.environ.get("EARSHOT_FAIL_ALLOCATION")
STEPS = 20 if "--long" not in sys.argv else 1 << 30  # allocations tried of each command, spread over all
if "--long" in sys.argv:
    sys.argv.remove("--long")


class Memory(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not LIBRARY:
            raise unittest.SkipTest("EARSHOT_FAIL_ALLOCATION says where the preloaded library is")
        case = cls()
        folder = cls.shared
        cls.raw, cls.predict, cls.packed = folder / "raw.shot", folder / "predict.shot", folder / "packed.shot"
        case.capture(cls.raw, "sort", "--limit", "3000", "--states", "1000", "--record", folder / "t.raw")
        case.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/sort.elf,unit=small,uart=/dev/null", "--states", "1000",
                     "--limit", "3000", "-o", cls.predict)
        cls.csv = TREE / "tests/data/whisper/multi.csv"
        text = cls.csv.read_text().replace("80000000", "80000000 ", 3)
        (folder / "odd.csv").write_text(text)
        (folder / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
        case.earshot("convert", folder / "odd.csv", "--states", "100", "-o", cls.packed)
        subprocess.run(["zstd", "-q", folder / "odd.csv", "-o", folder / "t.csv.zst"], check=True)

    def run_without(self, number, arguments, how="one"):
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, FAIL_ALLOCATION=str(number), FAIL_FOR=how,
                           FAIL_COUNT=str(self.folder / "count"),
                           EARSHOT_SANDBOX="off")  # which would forbid to write that file
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, env=environment, timeout=60,
                                stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr.decode()

    def try_all(self, arguments, out=None):
        """Each allocation fails once: the command does without, all the same, or says that memory is short."""
        def read():
            return out.read_bytes() if out else b""
        good = self.run_without(0, arguments)
        self.assertEqual(good[0], 0, good[2])
        good = (*good[:2], read())
        total = int((self.folder / "count").read_text())
        self.assertGreaterEqual(total, 10)
        stride = max(1, total // STEPS)
        refused = 0
        for number in range(1, total + 1, stride):
            for how in ("one", "all") if number % (2 * stride) == 1 else ("one",):
                status, text, error = self.run_without(number, arguments, how)
                with self.subTest(arguments[0], file=os.path.basename(arguments[-1]), allocation=number, how=how):
                    self.assertNotRegex(error, "damaged|cut off|Success|no frame|too large|bad line")
                    if status == 2:
                        refused += 1
                        self.assertIn("memory", error)
                    else:
                        self.assertEqual((status, text, read()), good, error)
        self.assertGreater(refused, 0)

    def test_decode(self):
        for path in (self.raw, self.predict, self.packed):
            self.try_all(["decode", path])
        self.try_all(["decode", "--from", 2000, self.predict])

    def test_info_and_dump(self):
        self.try_all(["info", self.predict])
        self.try_all(["dump", self.predict])

    def test_convert(self):
        out = self.folder / "out"
        self.try_all(["convert", "-f", "json", "-o", out, self.predict], out)
        for path in (self.shared / "odd.csv", self.shared / "t.csv.gz", self.shared / "t.csv.zst"):
            self.try_all(["convert", "-f", "json", path])
        self.try_all(["convert", "-j3", "-f", "json", self.csv])

    def test_grep_and_diff(self):
        self.try_all(["grep", "-c", "--write", self.predict])
        self.try_all(["diff", self.predict, self.predict])
        self.try_all(["diff", self.csv, self.packed])


if __name__ == "__main__":
    main()
