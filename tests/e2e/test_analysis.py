#!/usr/bin/env python3
"""diff and grep through the command, on real traces; convert with threads."""
import gzip
import json
import random
import re
import subprocess

from support import PROGRAMS, TREE, Case, main, records


class Diff(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "demo.shot", "demo")
        (cls.shared / "demo.csv").write_text(case.decode(cls.shared / "demo.shot"))
        cls.lines = (cls.shared / "demo.csv").read_text().splitlines(keepends=True)

    def diff(self, lines, *options, status=1):
        (self.folder / "b.csv").write_text("".join(lines))
        return self.earshot("diff", *options, self.shared / "demo.shot", self.folder / "b.csv", status=status)[0]

    def test_the_same_in_two_formats(self):
        out = self.diff(self.lines, status=0)
        self.assertEqual(out, f"the same: {len(self.lines) - 1} records\n")

    def test_a_register_value(self):
        at = next(i for i in range(5000, 6000) if ",x13=" in self.lines[i])
        lines = self.lines[:]
        pc, inst, modified = lines[at].split(",")[:3]
        lines[at] = lines[at].replace(modified, "x13=12345", 1)
        out = self.diff(lines)
        value = modified.split("=")[1].split(";")[0]
        self.assertIn(f"hart 0, pc 0x{pc}", out)
        self.assertIn(f"x13 is 0x{value} in A and 0x12345 in B", out)
        self.assertIn(f"record {at - 1}, line {at + 1}", out)
        self.assertIn(f"  A {self.lines[at]}", out)
        self.assertIn(f"  B {lines[at]}", out)
        self.assertIn(f"    {self.lines[at - 1]}", out)
        self.assertIn(f"    {self.lines[at + 1]}", out)

    def test_a_missing_record_and_extra_ones(self):
        lines = self.lines[:9000] + self.lines[9001:20000] + self.lines[100:140] + self.lines[20000:]
        out = self.diff(lines, "--limit", 0)
        self.assertIn("1 record only in A", out)
        self.assertRegex(out, "40 records only in B")
        self.assertIn("2 differences", out)
        self.assertIn("1 only in A, 40 only in B", out)

    def test_an_extra_interrupt_is_called_so(self):
        at = next(i for i, line in enumerate(self.lines) if ",80000007," in line)
        out = self.diff(self.lines[:at] + self.lines[at + 1:])
        self.assertIn("only in A", out)
        self.assertIn("an interrupt", out)

    def test_a_load_address_and_a_swapped_pair(self):
        at = next(i for i in range(3000, 9000) if ",l,m," in self.lines[i])
        lines = self.lines[:]
        fields = lines[at].split(",")
        fields[4] = "80007770"
        lines[at] = ",".join(fields)
        self.assertIn("the address accessed is 0x", self.diff(lines))
        lines = self.lines[:]
        lines[4000], lines[4001] = lines[4001], lines[4000]
        self.assertIn("hart 0", self.diff(lines, "--only", "pc,opcode"))

    def test_fields_can_be_left_out(self):
        lines = [line.replace(",m,", ",u,") for line in self.lines]
        self.assertIn("the privilege is M in A and U in B", self.diff(lines))
        self.diff(lines, "--ignore", "privilege", status=0)
        self.diff(lines, "--only", "pc,x", status=0)

    def test_the_same_in_every_format(self):
        for name in ("armulator", "json", "spike", "tarmac", "whisper-log", "qemu4v", "riscv-dv"):
            with self.subTest(name):
                text = self.folder / f"t.{name}"
                self.earshot("convert", self.shared / "demo.shot", "-f", name, "-o", text, "--quiet-loss")
                # ARMulator's tracer shows registers that change; two formats have no place for an interrupt.
                options = ["--unknown-equal"] if name == "armulator" else []
                missing = name in ("qemu4v", "riscv-dv")
                out, _ = self.earshot("diff", *options, self.shared / "demo.shot", text)
                self.assertTrue(out.startswith(f"the same: {len(self.lines) - 1 - missing} records"), out)
                self.assertEqual("interrupts 1" in out, missing, out)

    def test_two_texts_are_compared_like_a_capture_and_a_text(self):
        # Their common beginning is not read as records: nothing of that may show.
        for at in (1, 10, 1999, 2001, 4001, 30000, 78000):
            lines = self.lines[:]
            del lines[at]
            from_shot = self.diff(lines)
            from_text, _ = self.earshot("diff", self.shared / "demo.csv", self.folder / "b.csv", status=1)
            place = lambda out: [line for line in out.splitlines() if not line.startswith("  A: ")]
            self.assertEqual(place(from_text), place(from_shot))
            self.assertIn(f"record {at - 1}, line {at + 1}", from_text)
        self.earshot("diff", self.shared / "demo.csv", self.shared / "demo.csv")

    def test_json_is_one_object_a_line(self):
        out = self.diff(self.lines[:5000] + self.lines[5002:], "--json", "-n", 0)
        events = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([e["kind"] for e in events], ["inserted", "summary"])
        self.assertEqual((events[0]["count_a"], events[0]["count_b"]), (2, 0))
        self.assertFalse(events[1]["same"])

    def test_a_capture_with_losses_agrees_where_it_has_records(self):
        self.capture(self.folder / "drop.shot", "demo", "--policy", "drop", keys=",link=4M")
        out, _ = self.earshot("diff", "-n", 0, self.folder / "drop.shot", self.shared / "demo.csv")
        self.assertRegex(out, r"the same: \d+ records; \d+ gaps?, over which \d+ records were not compared")

    def test_random_edits(self):
        generator = random.Random(1)
        for _ in range(5):
            lines, removed = self.lines[:], 0
            for at in range(70000, 1000, -7000):
                count = generator.randint(1, 30)
                del lines[at:at + count]
                removed += count
            out = self.diff(lines, "-n", 0)
            self.assertIn(f"{removed} only in A, 0 only in B", out)


class Grep(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "demo.shot", "demo")
        cls.text = case.decode(cls.shared / "demo.shot")

    def grep(self, *arguments, status=0):
        return self.earshot("grep", *arguments, self.shared / "demo.shot", status=status)[0]

    def wanted(self, test):
        return [line for line in records(self.text) if test(line.split(","))]

    def test_who_wrote_to_the_uart(self):
        out = self.grep("--addr", "0x10000000", "--write")
        self.assertEqual(records(out), self.wanted(lambda f: f[4].startswith("10000000=")))

    def test_conditions(self):
        self.assertEqual(records(self.grep("--trap")), self.wanted(lambda f: f[7] != ""))
        self.assertEqual(records(self.grep("--interrupt=7")), self.wanted(lambda f: f[7] == "80000007"))
        self.assertEqual(records(self.grep("--pc", "0x80000000-0x80000040")),
                         self.wanted(lambda f: 0x80000000 <= int(f[0], 16) <= 0x80000040))
        self.assertEqual(records(self.grep("--reg", "mepc")), self.wanted(lambda f: "c833=" in f[2]))
        self.assertEqual(int(self.grep("--reg", "x15=0", "-c")), len(self.wanted(lambda f: "x15=0" in f[2].split(";"))))
        self.assertEqual(records(self.grep("--opcode", "0x73/0xffffffff")), self.wanted(lambda f: f[1] == "73"))

    def test_a_symbol(self):
        elf = PROGRAMS / "demo.elf"
        symbols = subprocess.run(["riscv64-unknown-elf-nm", "-S", elf], capture_output=True, text=True).stdout
        address, size = next((int(f[0], 16), int(f[1], 16)) for f in map(str.split, symbols.splitlines())
                             if f[-1] == "main")
        self.assertEqual(records(self.grep("--elf", elf, "--pc", "main")),
                         self.wanted(lambda f: address <= int(f[0], 16) < address + size))
        self.grep("--elf", elf, "--pc", "no_such_symbol", status=2)

    def test_context_and_places(self):
        out = self.grep("--interrupt", "-C", 2, "-n").splitlines()
        self.assertEqual(len(out), 5)
        self.assertRegex(out[2], r"^#\d+, stream byte \d+, index \d+: ")
        self.assertRegex(out[1], r"^#\d+, stream byte \d+, index \d+- ")

    def test_the_number_is_what_at_and_from_want(self):
        """In a slice, with gaps and with threads: index is that of the unit, # that of the file."""
        slice_, text = self.folder / "slice.shot", self.folder / "slice.csv"
        self.earshot("decode", "--from", 500, "--to", 20499, self.shared / "demo.shot", "-o", slice_)
        lines = self.decode(slice_).splitlines(keepends=True)
        text.write_text("".join(lines[:3000] + ["nonsense\n"] + lines[3100:]))
        for source, count, status in ((slice_, 20000, 0), (text, len(lines) - 101, 2)):
            pcs = [line.split(",")[0] for line in self.decode(source).splitlines()[1:] if line[0] != "#"] \
                if source == slice_ else [line.split(",")[0] for line in lines[1:3000] + lines[3100:]]
            self.assertEqual(len(pcs), count)
            for options in ((), ("-j", 3), ("--no-index",), ("--from", 1000), ("-C", 1, "-j", 3), ("-C", 1), ("--last",)):
                out = self.earshot("grep", "-n", "--pc", "0-0xffffffff", *options, source,
                                   status=status)[0]
                rows = [row for row in out.splitlines() if row.startswith("#")]
                numbers = [int(row[1:].split(",")[0]) for row in rows]
                first = {"--from": 1000, "--last": count - 1}.get(options[0] if options else "", 0)
                self.assertEqual(numbers, list(range(first, count)), options)
                self.assertEqual([re.search(r"[:-] ([0-9a-f]+),", row)[1] for row in rows], pcs[first:], options)

    def test_nothing_found_is_told_by_the_exit_status(self):
        self.assertEqual(records(self.grep("--pc", "4", status=1)), [])


class Threads(Case):
    """With -j everything is as without."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Several pieces of 256 KiB, and of two harts.
        for name, times in ("fpmix", 6), ("multi", 9):
            lines = (TREE / f"tests/data/whisper/{name}.csv").read_text().splitlines(keepends=True)
            body = [line for line in lines if not line.startswith("pc")]
            (cls.shared / f"{name}.csv").write_text("".join(lines + body * (times - 1)))

    def both(self, command, *arguments, status=0):
        one = self.earshot_bytes(command, *arguments, status=status)
        for jobs in 2, 3:
            self.assertEqual(self.earshot_bytes(command, "-j", jobs, *arguments, status=status), one)
        return one[0].decode()

    def test_convert(self):
        for name in "fpmix", "multi":
            text = self.shared / f"{name}.csv"
            self.assertEqual(self.both("convert", text), text.read_text())
            for written in "whisper-log", "json", "spike", "riscv-dv", "tracerv":
                self.both("convert", text, "-f", written)
            self.both("convert", text, "--limit", 5000, "-f", "json")
        self.both("convert", self.shared / "multi.csv", "-f", "riscv-dv", "--strict", status=2)

    def test_bad_lines(self):
        lines = (self.shared / "fpmix.csv").read_text().splitlines(keepends=True)
        for number in 3000, 9000, 9001, 15000:
            lines[number] = "this is no record\n"
        text = self.folder / "bad.csv"
        text.write_text("".join(lines)[:-20])
        self.both("convert", text)
        self.both("convert", text, "--max-bad", 2, status=2)
        self.both("convert", text, "--strict", status=2)

    def test_packed_and_from_a_pipe(self):
        text = (self.shared / "fpmix.csv").read_bytes()
        packed = self.folder / "t.csv.gz"
        packed.write_bytes(gzip.compress(text, 1))
        self.assertEqual(self.both("convert", packed).encode(), text)
        self.assertEqual(self.earshot_bytes("convert", "-j3", "-", stdin=text)[0], text)

    def test_diff(self):
        for name in "fpmix", "multi":
            lines = (self.shared / f"{name}.csv").read_text().splitlines(keepends=True)
            other = self.folder / "b.csv"
            other.write_text("".join(lines))
            out = self.both("diff", self.shared / f"{name}.csv", other)
            self.assertIn("the same: ", out)
            del lines[5000]
            lines[9000], lines[9001] = lines[9001], lines[9000]
            other.write_text("".join(lines))
            out = self.both("diff", "-n0", self.shared / f"{name}.csv", other, status=1)
            self.assertRegex(out, r"hart \d: 1 record only in A, from pc 0x")
            if name == "fpmix":  # in a loop of two instructions it is one round more or less
                self.assertIn("hart 0: the same 2 records in another order; A goes to pc 0x", out)

    def test_diff_of_lines_spelled_otherwise(self):
        """Lines that differ in every text and in no record are passed without reading them as records. With
        --strict all are read, which must come to the same."""
        for name, edits in ("fpmix", (0, 5, 20)), ("multi", (0, 5, 20)), ("atomtrap", (0, 3)):
            source = self.shared / f"{name}.csv"
            if not source.exists():
                source = TREE / f"tests/data/whisper/{name}.csv"
            lines = source.read_text().splitlines(keepends=True)
            other = self.folder / "b.csv"
            numbers = random.Random(name)
            for count in edits:
                edited = lines[:]
                for _ in range(count):
                    at = numbers.randrange(1, len(edited))
                    columns = edited[at].split(",")
                    change = numbers.choice((lambda c: c[:-1] + ("5" if c[-1] != "5" else "6"), lambda c: "",
                                             lambda c: c.replace("x1", "x2", 1)))
                    if len(columns) == 10 and numbers.random() < 0.8:
                        column = numbers.choice((2, 2, 4))
                        columns[column] = columns[column] and change(columns[column])
                        edited[at] = ",".join(columns)
                    elif numbers.random() < 0.5:
                        del edited[at]
                    else:
                        edited.insert(at, edited[numbers.randrange(1, len(edited))])
                text = "".join(edited).encode()
                if name == "atomtrap":  # another disassembly
                    other.write_bytes(text.replace(b" x1", b" a"))
                else:
                    other.write_bytes(text.replace(b"\n", b"\r\n"))
                with self.subTest(f"{name}, {count} edits"):
                    status = 1 if count else 0
                    told = self.both("diff", "-n0", source, other, status=status)
                    self.assertEqual(self.earshot("diff", "-n0", "--strict", source, other, status=status)[0], told)

    def test_harts_in_turns(self):
        """Each hart is compared with its own, in whatever order the two are written."""
        lines = (self.shared / "multi.csv").read_text().splitlines(keepends=True)
        lines = lines[:1] + [line for line in lines if not line.startswith("pc")]
        harts = [[line for line in lines[1:] if line.endswith(f",{hart}\n")] for hart in (0, 1)]
        other = self.folder / "b.csv"
        other.write_text(lines[0] + "".join(harts[0][:900] + harts[1] + harts[0][900:]))
        self.assertIn(f"the same: {len(lines) - 1} records",
                      self.both("diff", self.shared / "multi.csv", other))
        harts[1][100] = harts[1][100].replace("=", "=1", 1)
        other.write_text(lines[0] + "".join(harts[0][:900] + harts[1] + harts[0][900:]))
        self.assertRegex(self.both("diff", self.shared / "multi.csv", other, status=1),
                         r"(?s)^hart 1, pc 0x.*record 100 of hart 1, line \d+")

    def test_grep(self):
        text = self.shared / "fpmix.csv"
        for conditions in (["--reg", "x15"], ["--write", "-C", 2], ["--opcode", "0x13/0x7f", "-B3", "-A1", "-n"],
                           ["-c", "--read"], ["--read", "-m", 7, "-A", 2]):
            self.both("grep", *conditions, text)
        self.both("grep", "--pc", "4", "-C", 5, text, status=1)


if __name__ == "__main__":
    main()
