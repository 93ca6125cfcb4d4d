#!/usr/bin/env python3
"""earshot show: what is printed for people says the same as the CSV and the tools of the toolchain."""
import re
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, json_lines, main, records

ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
       "t3 t4 t5 t6").split()
LINE = re.compile(r"^([ >])\s*(\d+)  ([0-9a-f]{8})(?:  (\S+))?\s+(\S.*)$")  # without a place outside of the program


class Show(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.shot = cls.shared / "t.shot"
        case.capture(cls.shot, "traps", "--limit", "4000")
        cls.csv = [line.split(",") for line in records(case.decode(cls.shot))]

    def show(self, *arguments, status=0, **environment):
        result = subprocess.run([EARSHOT, "show", *map(str, arguments)], capture_output=True, text=True,
                                env={"PATH": "/usr/bin:/bin", **environment}, timeout=120,
                                cwd=TREE)  # names of sources are relative to it
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout, result.stderr

    def test_each_instruction_has_its_line(self):
        out, _ = self.show("--width", 400, self.shot)
        lines = [match for match in map(LINE.match, out.splitlines()) if match]
        self.assertEqual([int(match[2]) for match in lines], list(range(len(self.csv))))
        for match, row in zip(lines, self.csv):
            self.assertEqual(int(match[3], 16), int(row[0], 16))

    def test_registers_have_the_values_of_the_csv_and_a_star_where_they_change(self):
        out, _ = self.show("--width", 400, "--no-names", self.shot)
        lines = [line for line in out.splitlines() if re.match(r"^ +\d+  [0-9a-f]{8}", line)]
        self.assertEqual(len(lines), len(self.csv))
        known, stars = {}, 0
        for line, row in zip(lines, self.csv):
            for name, value in re.findall(r"x(\d+)=([0-9a-f]+)", row[2]):
                changed = known.get(name, value) != value
                known[name] = value
                stars += changed
                self.assertIn(f" {'*' if changed else ''}{ABI[int(name)]}=0x{value}", line)
        self.assertGreater(stars, 100)

    def test_places_are_those_of_addr2line(self):
        out, _ = self.show("--width", 400, self.shot)
        place, pcs, places = None, [], []
        for line in out.splitlines():
            match = LINE.match(line)
            if match:
                pcs.append(match[3])
                places.append(place)
            elif re.match(r"^  \S", line):
                place = re.search(r"\S+:\d+|$", line)[0]
        found = subprocess.run(["riscv64-unknown-elf-addr2line", "-e", PROGRAMS / "traps.elf"], input="\n".join(pcs),
                               capture_output=True, text=True, check=True).stdout.splitlines()
        expected = [re.sub(r" \(discriminator \d+\)", "", line).split("/")[-1] for line in found]
        self.assertEqual([place for place, line in zip(places, expected) if line != "??:0"],
                         [line for line in expected if line != "??:0"])
        self.assertGreater(len(set(places)), 30)

    def test_the_text_of_a_line_is_that_of_its_file(self):
        out, _ = self.show("--width", 1000, self.shot)
        plain, _ = self.show("--width", 1000, "--no-source", self.shot)
        sources = {path.name: path.read_text().splitlines() for path in (TREE / "tests" / "programs").glob("*.[cS]")}
        checked, lines = set(), plain.splitlines()
        self.assertEqual(len(lines), len(out.splitlines()))
        for line, without in zip(out.splitlines(), lines):
            place = re.match(r"^  (?:\S+  )?(\S+):(\d+)", line)
            if not place:
                self.assertEqual(line, without)
                continue
            text = sources[place[1]][int(place[2]) - 1].strip().replace("\t", " ")
            self.assertEqual(line, f"{without}  {text}" if text else without)
            checked.add(place[0])
        self.assertGreater(len(checked), 30)

    def test_the_text_of_a_line_is_cut_at_the_width(self):
        for width in (40, 60, 100):
            out, _ = self.show("--width", width, "--no-names", self.shot)
            for line in self.show("--width", width, self.shot)[0].splitlines():
                if re.match(r"^  \S+:\d+  ", line):
                    self.assertLessEqual(len(line), width)
            self.assertNotIn(".c:", out)

    def test_a_source_that_is_not_there_has_no_text(self):
        source = self.folder / "gone.c"
        source.write_text("int main(void)\n{\n\treturn 0;\n}\n")
        elf, shot = self.folder / "gone.elf", self.folder / "gone.shot"
        programs = TREE / "tests" / "programs"
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32",
                        "--specs=picolibc.specs", "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T",
                        programs / "link.ld", "-I", programs, "-Os", "-g", programs / "start.S",
                        programs / "support.c", programs / "libc.c", source, "-o", elf], check=True,
                       cwd=self.folder)
        self.earshot("capture", "-q", "-d", f"sim:{elf}", "-o", shot)
        self.assertRegex(self.show(shot)[0], r"gone\.c:\d  return 0;\n|gone\.c:\d  \}\n")
        source.write_text("a\x1b[2Jb\n" * 4)
        self.assertIn("  a?[2Jb\n", self.show(shot)[0])
        source.unlink()
        out, error = self.show(shot)
        self.assertRegex(out, r"gone\.c:\d\n")
        self.assertEqual(error, "")

    def test_symbols_are_those_of_nm(self):
        out = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / "traps.elf"], capture_output=True, text=True,
                             check=True).stdout
        symbols = {row[2]: int(row[0], 16) for row in map(str.split, out.splitlines())}
        seen = set()
        for match in filter(None, map(LINE.match, self.show("--width", 400, self.shot)[0].splitlines())):
            if not match[4]:
                continue
            name, _, offset = match[4].partition("+")
            self.assertEqual(symbols[name] + int(offset or "0", 16), int(match[3], 16))
            seen.add(name)
        self.assertIn("main", seen)

    def test_traps_have_a_line(self):
        out, _ = self.show("--width", 200, self.shot)
        traps = re.findall(r"^ +trap: (.*) \(cause (0x[0-9a-f]+)\), to 0x([0-9a-f]+) <trap_entry>$", out, re.M)
        self.assertGreater(len(traps), 3)
        self.assertIn(("illegal instruction", "0x2"), [trap[:2] for trap in traps])

    def test_a_range_and_the_instructions_around_one(self):
        whole = [line for line in self.show("--width", 200, self.shot)[0].splitlines() if LINE.match(line)]
        def numbers(*arguments):
            out = self.show("--width", 200, *arguments, self.shot)[0].splitlines()
            return [(match[1], int(match[2])) for match in map(LINE.match, out) if match]
        self.assertEqual(numbers("--from", 5, "--to", 9), [(" ", n) for n in range(5, 10)])
        self.assertEqual(numbers("--at", 100, "--around", 2),
                         [(">" if n == 100 else " ", n) for n in range(98, 103)])
        out = self.earshot("show", "--json", "--at", 100, "--at", 5, "--at", 8, "--around", 2, self.shot)[0]
        indices = [line["index"] for line in json_lines(out) if line["kind"] == "instruction"]
        self.assertEqual(indices, [*range(3, 11), *range(98, 103)])
        self.assertEqual([line["number"] for line in json_lines(out) if line["kind"] == "instruction"], indices)
        self.assertEqual(numbers("--at", 1), [(">" if n == 1 else " ", n) for n in range(12)])
        self.assertEqual(len(numbers("--from", len(whole) - 3)), 3)
        self.assertEqual(len(self.show("--limit", 7, "--no-names", "--width", 300, self.shot)[0].splitlines()), 7)

    def test_no_line_is_wider_than_the_terminal(self):
        for width in (60, 80, 100, 132):
            for options in ([], ["--time", "--opcodes"], ["--no-names"]):
                out, _ = self.show(*options, "--limit", 600, self.shot, COLUMNS=str(width))
                widest = max(out.splitlines(), key=len)
                # What cannot be cut is one value of a line of its own, and a trap.
                if len(widest) > width:
                    self.assertTrue("trap:" in widest or width < 80, widest)
        self.assertEqual(self.show("--width", 90, self.shot, COLUMNS="132")[0],
                         self.show(self.shot, COLUMNS="90")[0])

    def test_colors_are_for_terminals(self):
        plain, _ = self.show("--limit", 100, self.shot)
        self.assertNotIn("\033", plain)
        colored, _ = self.show("--limit", 100, "--color", "always", self.shot)
        self.assertIn("\033[1m*", colored)
        self.assertEqual(re.sub(r"\033\[[0-9;]*m", "", colored), plain)
        script = ["script", "-qec", f"{EARSHOT} show --limit 100 {self.shot}", "/dev/null"]
        for environment, has_color in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                       ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            out = subprocess.run(script, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
                                 env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", **environment}).stdout
            self.assertIn(b"trap", out)
            self.assertEqual(b"\033[" in out, has_color, environment)

    def test_gaps_and_what_comes_from_outside(self):
        out, _ = self.show(TREE / "tests/data/armulator/forms.txt")
        self.assertNotIn("\033", out)
        lossy = self.folder / "lossy.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/sort.elf,unit=raw,uart=/dev/null,link=100K", "--policy",
                     "drop", "--limit", "3000", "-o", lossy)
        gaps = [line for line in self.decode(lossy).splitlines() if line.startswith("# gap")]
        self.assertGreater(len(gaps), 0)
        shown = re.findall(r"gap: (\d+) records? missing, index (\d+) to (\d+)", self.show("--width", 200, lossy)[0])
        self.assertEqual(shown, re.findall(r"(\d+) records? missing; index (\d+) to (\d+)", "\n".join(gaps)))

    def test_a_program_at_another_address(self):
        """--elf FILE@OFFSET adds to every address of FILE; of two, the later one counts."""
        elf = PROGRAMS / "traps.elf"
        out, _ = self.show("--limit", 50, "--width", 200, "--elf", elf, "--elf", f"{PROGRAMS}/sort.elf@0x10000000",
                           self.shot)
        self.assertEqual(out, self.show("--limit", 50, "--width", 200, self.shot)[0])
        moved, _ = self.show("--limit", 50, "--width", 200, "--elf-anyway", "--elf", f"{elf}@0x10000000", self.shot)
        self.assertNotIn("_start", moved)


if __name__ == "__main__":
    main()
