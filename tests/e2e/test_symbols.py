#!/usr/bin/env python3
"""Symbols on the command line: from which file, and that it is the one of the program that was traced."""
import collections
import hashlib
import os
import shutil
import subprocess

from support import PROGRAMS, Case, main, records

PROGRAM = PROGRAMS / "sort.elf"


def symbols(path):
    out = subprocess.run(["riscv64-unknown-elf-nm", "-S", path], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Symbols(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.elf = cls.shared / "prog.elf"
        cls.other = cls.shared / "other.elf"
        shutil.copy(PROGRAM, cls.elf)
        shutil.copy(PROGRAMS / "matrix.elf", cls.other)
        cls.device = f"sim:{cls.elf},unit=raw,uart=/dev/null"
        cls.shot, cls.raw = cls.shared / "t.shot", cls.shared / "t.raw"
        case.earshot("capture", "-d", cls.device, "-o", cls.shot, "--record", cls.raw)
        cls.all = records(case.decode(cls.shot))
        cls.main, cls.size = symbols(cls.elf)["main"]

    def count(self, low, high):
        return sum(low <= int(line.split(",")[0], 16) <= high for line in self.all)

    def grep(self, *arguments, file=None, status=0):
        return self.earshot("grep", "-c", *arguments, file or self.shot, status=status)

    def test_the_program_of_the_capture_is_used(self):
        """Without --elf, as long as the file there is the one that was traced."""
        self.assertEqual(int(self.grep("--pc", "main")[0]), self.count(self.main, self.main + self.size - 1))
        moved = self.folder / "moved.elf"
        os.rename(self.elf, moved)
        try:
            _, error = self.grep("--pc", "main", status=2)
            self.assertEqual(error, f"earshot: --pc: 'main' is neither a number nor a symbol (no ELF given, and the "
                                    f"traced program {self.elf} is not found; use --elf FILE, or EARSHOT_PATH)\n")
            self.assertEqual(int(self.grep("--pc", "main", "--elf", moved)[0]),
                             self.count(self.main, self.main + self.size - 1))
            shutil.copy(self.other, self.elf)
            _, error = self.grep("--pc", "main", status=2)
            self.assertIn(f"{self.elf} has changed since it was traced", error)
            self.assertIn(digest(moved)[:12], error)
            self.assertIn(digest(self.other)[:12], error)
            os.unlink(self.elf)
            os.mkfifo(self.elf)  # which nobody writes
            _, error = self.grep("--pc", "main", status=2)
            self.assertIn("neither a number nor a symbol", error)
            os.unlink(self.elf)
        finally:
            os.rename(moved, self.elf)

    def test_another_program_is_refused(self):
        for arguments in (["grep", "--pc", "main", "--elf", self.other, self.shot],
                          ["grep", "--elf", self.other, self.shot],
                          ["capture", "-d", self.device, "--elf", self.other, "--start", "pc=main", "-o", self.folder / "u.shot"],
                          ["capture", "-d", f"sim:{PROGRAMS}/small.elf,unit=raw", "--load", self.elf, "--elf", self.other,
                           "-o", self.folder / "u.shot"]):
            with self.subTest(arguments[0]):
                _, error = self.earshot(*arguments, status=2)
                self.assertIn("is not the program that was traced", error)
                for path in (self.elf, self.other):
                    self.assertIn(f"SHA-256 {digest(path)} {path}", error)
                self.assertIn("--elf-anyway", error)
                self.assertFalse((self.folder / "u.shot").exists())
        low, size = symbols(self.other)["main"]
        expected = self.count(low, low + size - 1)
        out, _ = self.grep("--elf-anyway", "--pc", "main", "--elf", self.other, status=0 if expected else 1)
        self.assertEqual(int(out), expected)
        self.earshot("capture", "-q", "-d", self.device, "--elf", self.other, "--elf-anyway", "--limit", "100", "-o",
                     self.folder / "u.shot")

    def test_a_copy_of_the_program_is_the_program(self):
        copy = self.folder / "copy.elf"
        shutil.copy(self.elf, copy)
        self.grep("--elf", copy, "--pc", "main")

    def test_elf_stands_anywhere(self):
        for arguments in (["--elf", self.elf, "--pc", "main", self.raw], ["--pc", "main", "--elf", self.elf, self.raw],
                          ["--pc", "main", self.raw, "--elf", self.elf]):
            self.assertEqual(int(self.earshot("grep", "-c", *arguments)[0]),
                             self.count(self.main, self.main + self.size - 1))

    def test_an_offset_behind_a_symbol(self):
        address = self.main + 4
        for text in ("main+4", "main+0x4"):
            self.assertEqual(int(self.grep("--pc", text)[0]), self.count(address, address))
            error = self.earshot("capture", "-d", self.device, "--start", f"pc={text}", "--limit", "10", "-o",
                                 self.folder / "t.shot")[1]
            self.assertEqual(self.info(self.folder / "t.shot")["records"], 10, error)
            self.assertEqual(int(records(self.decode(self.folder / "t.shot"))[0].split(",")[0], 16), address)
        self.earshot("capture", "-d", self.device, "--stop", "addr=a+0x8:w", "-o", self.folder / "u.shot")
        self.assertEqual(self.info(self.folder / "u.shot")["end_reason"], "stop trigger")
        self.assertIn(f"{symbols(self.elf)['a'][0] + 8:x}=", records(self.decode(self.folder / "u.shot"))[-1].split(",")[4])

    def test_a_line_of_the_source(self):
        """FILE:LINE is what addr2line says that it is."""
        pcs = [line.split(",")[0] for line in self.all]
        unique = sorted(set(pcs))
        out = subprocess.run(["riscv64-unknown-elf-addr2line", "-e", self.elf], input="\n".join(unique), check=True,
                             capture_output=True, text=True).stdout.splitlines()
        lines = {pc: text.split(" ")[0].split("/")[-1] for pc, text in zip(unique, out)}
        counts = collections.Counter(lines[pc] for pc in pcs)
        chosen = [line for line, _ in counts.most_common() if line.startswith("sort.c:") and not line.endswith("?")]
        self.assertGreater(len(chosen), 5)
        for line in chosen[:6]:
            self.assertEqual(int(self.grep("--pc", line)[0]), counts[line], line)
        _, error = self.grep("--pc", "sort.c:1", status=2)
        self.assertRegex(error, r"--pc: sort.c:1 has no code; the nearest line that has some is \d+")
        _, error = self.grep("--pc", "sor.c:12", status=2)
        self.assertIn("'sor.c:12' is neither a number nor a symbol of", error)

    def test_parts_of_objects_and_sections(self):
        address, size = symbols(self.elf)["a"]
        def number(text):
            return int(self.grep("--addr", text)[0])
        everything = number(f"{address}+{size}")
        self.assertGreater(everything, 0)
        self.assertEqual(number("a"), everything)
        self.assertEqual(number(f"a:{size}"), everything)
        self.assertEqual(number("a[3]"), number(f"{address + 12}+4"))
        self.assertEqual(number("a+8:16"), number(f"{address + 8}+16"))
        sections = subprocess.run(["riscv64-unknown-elf-readelf", "-SW", self.elf], check=True, capture_output=True,
                                  text=True).stdout
        low, length = next((int(row[3], 16), int(row[5], 16)) for row in
                           (line.replace("[ ", "[").split() for line in sections.splitlines()) if row[1:2] == [".bss"])
        self.assertEqual(number(".bss"), number(f"{low}+{length}"))
        _, error = self.grep("--pc", "mian", status=2)
        self.assertIn("'mian' is neither a number nor a symbol of", error)
        self.assertIn("did you mean main?", error)

    def test_what_is_no_symbol(self):
        none = " (no ELF given: use --elf FILE)"
        cases = [(["grep", "--pc", "fib", self.raw], f"--pc: 'fib' is neither a number nor a symbol{none}"),
                 (["grep", "--addr", "fib+8", self.raw], f"--addr: 'fib+8' is neither a number nor a symbol{none}"),
                 (["grep", "--pc", "fib", self.shot], f"--pc: 'fib' is neither a number nor a symbol of {self.elf}"),
                 (["grep", "--pc", "main+", self.shot], f"--pc: 'main+' is neither a number nor a symbol of {self.elf}"),
                 (["grep", "--pc", "main+x", self.shot], f"--pc: 'main+x' is neither a number nor a symbol of {self.elf}"),
                 (["grep", "--pc", "main+0xffffffffffffffff", self.shot], "is neither a number nor a symbol of"),
                 (["grep", "--pc", "5+", self.shot], "--pc: '5+' is not a range"),
                 (["grep", "--pc", "main", "--elf", "/dev/null", self.shot], "/dev/null: not an ELF file"),
                 (["capture", "-d", f"file:{self.raw}", "--filter", "pc=fib", "-o", self.folder / "t.shot"],
                  f"--filter pc=fib: 'fib' is neither a number nor a symbol{none}"),
                 (["capture", "-d", self.device, "--stop", "pc=fib", "-o", self.folder / "t.shot"],
                  f"--stop pc=fib: 'fib' is neither a number nor a symbol of {self.elf}"),
                 (["load", "-d", self.device, "--entry", "fib", self.elf],
                  f"--entry: 'fib' is neither a number nor a symbol of {self.elf}")]
        for arguments, message in cases:
            with self.subTest(message):
                out, error = self.earshot(*arguments, status=2)
                self.assertEqual(out, "")
                self.assertIn(message, error)


if __name__ == "__main__":
    main()
