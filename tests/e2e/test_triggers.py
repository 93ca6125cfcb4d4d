#!/usr/bin/env python3
"""The unit's triggers and filter: a capture begins, ends and leaves out at exactly the right record."""
import re
import subprocess

from support import PROGRAMS, Case, endless_elf, gaps, main, records

PROGRAM = PROGRAMS / "sort.elf"


def symbol(name):
    """First and last address of a function or object, by another reader of ELF files."""
    out = subprocess.run(["riscv64-unknown-elf-nm", "-S", PROGRAM], check=True, capture_output=True, text=True).stdout
    first, size = re.search(rf"^(\w+) (\w+) . {re.escape(name)}$", out, re.M).groups()
    return int(first, 16), int(first, 16) + int(size, 16) - 1


def pc(line):
    return int(line.split(",")[0], 16)


def opcode(line):
    return int(line.split(",")[1], 16)


def stores(line):
    """Address and data of a store, or None."""
    memory = line.split(",")[4]
    return tuple(int(part, 16) for part in memory.split("=")) if "=" in memory else None


class Triggers(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "all.shot")
        cls.all = records(case.decode(cls.shared / "all.shot"))
        cls.main, cls.main_end = symbol("main")
        cls.inside = [cls.main <= pc(line) <= cls.main_end for line in cls.all]

    def first(self, test):
        """Index of the first record for which test is true."""
        return next(i for i, line in enumerate(self.all) if test(line))

    def captured(self, *arguments, end="program ended", keys=""):
        """The records of a capture with these options, and its whole text. All are accounted for."""
        shot = self.folder / "t.shot"
        self.capture(shot, "sort", *arguments, keys=keys)
        text, info = self.decode(shot), self.info(shot)
        self.assertEqual((info["complete"], info["end_reason"], gaps(text)), ("yes", end, []))
        self.assertEqual(info["retired"], info["records"] + info["filtered"])
        return records(text), text

    def stopped(self, *arguments):
        return self.captured(*arguments, end="stop trigger")

    def test_start_at_a_function(self):
        begin = self.first(lambda line: pc(line) == self.main)
        self.assertGreater(begin, 1000)
        found, text = self.captured("--start", "pc=main", "--limit", 20000, end="limit")
        self.assertEqual(found, self.all[begin:begin + 20000])
        self.assertEqual(text.count("# event: start trigger"), 1)
        # The same with the program named apart, and as a number.
        self.assertEqual(self.stopped("--elf", PROGRAM, "--start", "pc=main", "--stop", "records=3")[0],
                         self.all[begin:begin + 3])
        self.assertEqual(self.stopped("--start", f"pc={self.main:#x}", "--stop", "records=1")[0],
                         self.all[begin:begin + 1])

    def test_start_under_a_mask(self):
        value = self.main & 0xFF0
        begin = self.first(lambda line: pc(line) & 0xFF0 == value)
        self.assertEqual(self.stopped("--start", f"pc={value:#x}/0xff0", "--stop", "records=100")[0],
                         self.all[begin:begin + 100])

    def test_stop_at_a_function(self):
        found, text = self.stopped("--stop", "pc=main")
        self.assertEqual(found, self.all[:self.first(lambda line: pc(line) == self.main) + 1])
        self.assertEqual(text.count("# event: stop trigger"), 1)

    def test_stop_at_an_opcode(self):
        # A load of a word that is not compressed; bits 14:12 and 6:0 tell.
        begin = self.first(lambda line: opcode(line) & 0x707F == 0x2003)
        self.assertEqual(self.stopped("--stop", "opcode=0x2003/0x707f")[0], self.all[:begin + 1])

    def test_stop_at_a_write(self):
        low, high = symbol("a")
        wrote = self.first(lambda line: stores(line) and low <= stores(line)[0] <= high)
        for where in ("a", f"{low:#x}-{high:#x}", f"{low:#x}+{high - low + 1}"):
            self.assertEqual(self.stopped("--stop", f"addr={where}:w")[0], self.all[:wrote + 1])
        # One address: the second word of the object.
        wrote = self.first(lambda line: stores(line) and stores(line)[0] == low + 4)
        self.assertEqual(self.stopped("--stop", f"addr={low + 4:#x}:w")[0], self.all[:wrote + 1])

    def test_stop_at_a_read(self):
        found, _ = self.stopped("--stop", "addr=b:r")
        self.assertEqual(found, self.all[:len(found)])
        # The first access was a write, by the code that clears the memory.
        low, high = symbol("b")
        self.assertTrue(any(stores(line) and low <= stores(line)[0] <= high for line in found))
        self.assertIsNone(stores(found[-1]))
        self.assertRegex(found[-1].split(",")[8], r"^(c\.)?lw ")
        either, _ = self.stopped("--stop", "addr=b")
        self.assertEqual(either, self.stopped("--stop", "addr=b:rw")[0])
        self.assertEqual(either, self.stopped("--stop", "addr=b:w")[0])
        self.assertLess(len(either), len(found))

    def test_stop_at_a_written_value(self):
        low, _ = symbol("a")
        wrote = self.first(lambda line: stores(line) and stores(line)[0] == low + 4 and stores(line)[1] & 0xFF == 0x10)
        self.assertEqual(self.stopped("--stop", f"addr={low + 4:#x}:w=0x10/0xff")[0], self.all[:wrote + 1])

    def test_counts(self):
        self.assertEqual(self.stopped("--start", "records=1000", "--stop", "records=0x10")[0], self.all[999:1015])
        found, _ = self.stopped("--start", "cycles=1000", "--stop", "cycles=1k")
        begin = self.all.index(found[0])
        self.assertTrue(0 < len(found) < 1000)
        self.assertIn(found, [self.all[i:i + len(found)] for i in range(begin, 1000)])

    def test_limit_counts_from_the_start(self):
        begin = self.first(lambda line: pc(line) == self.main)
        self.assertEqual(self.captured("--start", "pc=main", "--limit", 50, end="limit")[0],
                         self.all[begin:begin + 50])

    def test_the_pin_is_low(self):
        self.assertEqual(self.captured("--stop", "pin")[0], self.all)
        endless_elf(self.folder / "endless.elf")
        shot = self.folder / "t.shot"
        _, error = self.earshot("capture", "-d", f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null", "-o", shot,
                                "--start", "pin", "--limit", "0.1s")
        self.assertIn("the start trigger did not fire", error)
        info = self.info(shot)
        self.assertEqual((info["records"], info["filtered"]), (0, info["retired"]))
        self.assertGreater(info["retired"], 0)

    def test_filter(self):
        only = [line for line, inside in zip(self.all, self.inside) if inside]
        self.assertTrue(0 < len(only) < len(self.all))
        self.assertEqual(self.captured("--filter", "pc=main")[0], only)
        found = self.stopped("--filter", f"pc={self.main:#x}-{self.main_end:#x}", "--modes", "ms", "--stop", "records=20000")[0]
        self.assertTrue(found)
        self.assertEqual(found, only[:len(found)])

    def test_exclude(self):
        rest = [line for line, inside in zip(self.all[:20000], self.inside) if not inside]
        self.assertTrue(0 < len(rest) < 20000)
        size = self.main_end + 1 - self.main
        self.assertEqual(self.stopped("--exclude", f"pc={self.main:#x}+{size}", "--modes", "m",
                                      "--stop", "records=20000")[0], rest)

    def test_filter_and_triggers(self):
        begin = self.first(lambda line: pc(line) == self.main)
        middle = self.main + 0x40
        wanted = [line for line, inside in zip(self.all[begin:begin + 5000], self.inside[begin:])
                  if inside and pc(line) >= middle]
        found = self.stopped("--start", "pc=main", "--stop", "records=5000", "--filter", "pc=main",
                             "--exclude", f"pc={self.main:#x}-{middle - 1:#x}")[0]
        self.assertEqual(found, wanted)
        self.assertTrue(found)

    def test_a_unit_that_predicts(self):
        # What is held back is missing in the predictor, too: it begins and continues without it.
        begin = self.first(lambda line: pc(line) == self.main)
        part = list(zip(self.all[begin:begin + 20000], self.inside[begin:]))
        for arguments, wanted in (([], [line for line, _ in part]),
                                  (["--filter", "pc=main"], [line for line, inside in part if inside]),
                                  (["--exclude", "pc=main"], [line for line, inside in part if not inside])):
            with self.subTest(arguments):
                found, _ = self.captured("--start", "pc=main", "--stop", "records=20000", *arguments,
                                         end="stop trigger", keys=",unit=large")
                self.assertEqual(self.info(self.folder / "t.shot")["mode"], "predict")
                self.assertEqual(found, wanted)

    def test_nothing_passes(self):
        shot = self.folder / "t.shot"
        for arguments in (["--filter", "pc=0-1"], ["--modes", "u"]):
            error = self.capture(shot, "sort", *arguments, "--stop", "records=1000")
            self.assertIn("of 1000 instructions passed: the filter let nothing pass", error)
            info = self.info(shot)
            self.assertEqual((info["records"], info["filtered"], info["complete"]), (0, 1000, "yes"))

    def test_a_wanted_reset_is_done(self):
        self.assertEqual(self.captured("--reset", "--limit", "10", end="limit")[0], self.all[:10])


if __name__ == "__main__":
    main()
