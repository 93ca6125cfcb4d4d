#!/usr/bin/env python3
"""'earshot coverage': lines and branches are those of the records, as gcov counts them, and lcov reads them."""
import collections
import json
import os
import re
import subprocess
from random import Random

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, night, some

SOURCES = TREE / "tests/programs"
PLAIN = ("sort", "recursion", "timer", "traps", "software", "nested", "rtos")
HOST = """
#include <stdlib.h>
void finish(int code) __attribute__((noreturn));
void finish(int code) { exit(code); }
void uart_put(char c) { (void)c; }
void uart_print(const char *text) { (void)text; }
"""
# They build on a host, but need the machine: its memory map, its way out.
OF_THE_MACHINE = {"story_freed", "story_pointer", "tohost"}


def source_of(name):
    path = SOURCES / f"{name}.c"
    return path if path.exists() else SOURCES / "workloads" / f"{name}.c"


def text_of(source, line):
    path = SOURCES / source
    path = path if path.exists() else SOURCES / "workloads" / source
    return path.read_text().splitlines()[line - 1].strip()


def tool(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, **options).stdout


def is_branch(opcode):
    return opcode & 0x7F == 0x63 or (opcode & 3 == 1 and opcode >> 14 & 3 == 3)


def read_info(path):
    """Of each source: counts of lines, of functions, and of branches by address and way."""
    files, name = {}, None
    for line in path.read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            name = value
            files[name] = {"DA": {}, "FN": {}, "FNDA": {}, "BRDA": {}}
        elif key == "DA":
            number, count = value.split(",")
            files[name]["DA"][int(number)] = int(count)
        elif key in ("FN", "FNDA"):
            number, function = value.split(",", 1)
            files[name][key][function] = int(number)
        elif key == "BRDA":
            number, block, way, count = value.split(",")
            files[name]["BRDA"][int(block), int(way)] = int(number), count
        elif name and value:
            files[name][key] = value
    return files


def contradictions(found):
    """What lcov 2 refuses (its check_data_consistency): a function that ran without a line, a line without its
    function, and branches that do not fit their line. A function reaches to the next one of its file."""
    for source, file in found.items():
        hit = collections.defaultdict(bool)
        for name, line in file["FN"].items():
            hit[line] |= file["FNDA"][name] > 0
        begins = sorted(hit)
        for begin, end in zip(begins, [*begins[1:], 1 << 32]):
            ran = [line for line, count in file["DA"].items() if begin <= line < end and count > 0]
            if bool(ran) != hit[begin]:
                yield f"{source}:{begin}: a function that {'ran' if hit[begin] else 'never ran'}, of lines {ran}"
        went = collections.defaultdict(bool)
        for line, count in file["BRDA"].values():
            went[line] |= count not in ("-", "0")
        for line, some in went.items():
            if line not in file["DA"] or (file["DA"][line] > 0) != some:
                yield f"{source}:{line}: ran {file['DA'].get(line)} times, and a branch of it {some}"


class Coverage(Case):
    def capture(self, program, *arguments, limit=60000):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit,
                     *arguments)
        return shot

    def build(self, name, *flags):
        """A test program without optimization, as it is built for the demo system."""
        elf = self.folder / f"{name}.elf"
        more = [SOURCES / "sha256_hash.c"] if name == "sha256" else []
        tool("riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32", "--specs=picolibc.specs",
             "-std=gnu11", "-g", "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T", SOURCES / "link.ld", *flags,
             SOURCES / "start.S", SOURCES / "support.c", SOURCES / f"{name}.c", *more, "-o", elf)
        return elf

    def run_it(self, elf):
        shot = elf.with_suffix(".shot")
        self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot)
        return shot

    def coverage(self, *arguments, status=0, symbols=True):
        """Without symbols, lines of unknown functions seem to be of those that are known."""
        path = self.folder / f"{len(list(self.folder.iterdir()))}.info"
        path.write_text("of an older, longer file\n" * 10000)
        self.output, self.error = self.earshot("coverage", *arguments, "-o", path, status=status)
        found = read_info(path)
        if symbols:
            self.assertEqual(list(contradictions(found)), [], arguments)
        return found

    def records(self, path):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", path], capture_output=True, check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def places(self, elf):
        """All instructions: source and line of each address, and whether it is a branch."""
        code = tool("riscv64-unknown-elf-objdump", "-d", "-j", ".text", elf)
        found = re.findall(r"^ *([0-9a-f]+):\t([0-9a-f]+) ", code, re.MULTILINE)
        addresses = [int(address, 16) for address, _ in found]
        lines = tool("riscv64-unknown-elf-addr2line", "-e", elf, *map(hex, addresses)).splitlines()
        places = {}
        for address, (_, opcode), line in zip(addresses, found, lines):
            source, _, number = line.split(" (")[0].rpartition(":")
            places[address] = (source.rpartition("/")[2], int(number) if number.isdigit() else 0, is_branch(int(opcode, 16)))
        return places

    def test_lines_and_branches_are_those_of_the_records(self):
        for program in some(*PLAIN):
            with self.subTest(program):
                elf, shot = PROGRAMS / f"{program}.elf", self.capture(program)
                found = {name.rpartition("/")[2]: file for name, file in self.coverage("-q", shot).items()}
                trapped = set()
                executed, taken, opcodes = collections.Counter(), collections.Counter(), collections.defaultdict(set)
                for record in self.records(shot):
                    if record.get("interrupt"):
                        continue
                    pc = int(record["pc"], 0)
                    executed[pc] += 1
                    opcodes[pc].add(record["opcode"])
                    if record.get("trap"):
                        trapped.add(pc)
                        continue
                    taken[pc] += int(record["next_pc"], 0) != pc + (4 if int(record["opcode"], 16) & 3 == 3 else 2)
                lines, hit, branches = collections.defaultdict(set), collections.defaultdict(set), {}
                for address, (source, number, branch) in self.places(elf).items():
                    if number == 0:
                        continue
                    lines[source].add(number)
                    if executed[address]:
                        hit[source].add(number)
                    if branch:
                        for way, count in enumerate((taken[address], executed[address] - taken[address])):
                            branches[source, address, way] = number, str(count) if len(opcodes[address]) == 1 else "-"
                for name, file in found.items():  # the line table lacks heads of functions
                    heads = set(file["FN"].values()) - lines[name]
                    self.assertLessEqual(set(file["DA"]) - lines[name], heads, name)
                    self.assertEqual(set(file["DA"]) - heads, lines[name], name)
                    self.assertEqual({n for n, count in file["DA"].items() if count} - heads, hit[name], name)
                at_traps = trapped & {key[1] for key in branches}
                self.assertLess(len(at_traps), 3)
                mine = {(name, *key): value for name, file in found.items() for key, value in file["BRDA"].items()}
                # A line that ran has no branches if none of them went a way: of copies that did not run.
                went = {(key[0], number) for key, (number, count) in branches.items() if count not in ("0", "-")}
                branches = {key: value for key, value in branches.items()
                            if (key[0], value[0]) in went or value[0] not in hit[key[0]]}
                self.assertEqual(set(mine), set(branches))
                self.assertEqual([(key, mine[key], branches[key]) for key in mine
                                  if mine[key] != branches[key] and key[1] not in at_traps], [])
                for key, (_, count) in mine.items():
                    if key[1] in at_traps:
                        self.assertIn(count, ("-", branches[key][1]))
                symbols = tool("riscv64-unknown-elf-nm", elf)
                entries = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
                for file in found.values():
                    for name, count in file["FNDA"].items():
                        self.assertGreaterEqual(count, executed[entries[name]] if name in entries else 0, name)
                        if name in entries and not count:
                            self.assertEqual(executed[entries[name]], 0, name)

    def gcov(self, name):
        """Counts by file and line, of the same program on this machine; None: it does not build here."""
        folder = self.folder / f"{name}-host"
        folder.mkdir()
        (folder / "host.c").write_text(HOST)
        more = [SOURCES / "sha256_hash.c"] if name == "sha256" else []
        built = subprocess.run(["gcc", "-O0", "-g", "-w", "--coverage", f"-I{SOURCES}", source_of(name), *more, "host.c", "-lm",
                                "-o", "host"], cwd=folder, capture_output=True)
        if built.returncode:
            return None
        subprocess.run(["./host"], cwd=folder, timeout=60)
        counts = collections.Counter()
        text = tool("gcov", "-t", "--json-format", *sorted(folder.glob("*.gcda")), cwd=folder)
        for file in (file for part in text.splitlines() if part for file in json.loads(part)["files"]):
            for line in file["lines"]:
                counts[file["file"].rpartition("/")[2], line["line_number"]] += line["count"]
        return counts

    def simulate(self, name, *flags):
        """Counts by file and line, and the program and its trace."""
        elf, raw = self.folder / f"{name}.elf", self.folder / f"{name}.raw"
        more = [SOURCES / "sha256_hash.c"] if name == "sha256" else []
        tool("riscv64-unknown-elf-gcc", "-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32", "-mcmodel=medany",
             "--specs=picolibc.specs", "-std=gnu11", "-g", "-w", "-nostartfiles", "-Wl,--no-warn-rwx-segments",
             "-Wl,--defsym=stack_size=0x40000", f"-I{SOURCES}", "-T", SOURCES / "link.ld", *flags, SOURCES / "start.S",
             SOURCES / "support.c", source_of(name), *more, "-lm", "-o", elf)
        # Its exit code is that of the program, which may be one that fails.
        subprocess.run([os.environ["EARSHOT_ISS"], "--quiet", "--isa", "rv32imac", "-o", raw, elf], capture_output=True,
                       timeout=60)
        found = self.coverage("-q", raw, "--elf", elf, "--ignore", "*.S")
        return {(source.rpartition("/")[2], line): count for source, file in found.items()
                for line, count in file["DA"].items()}, elf, raw

    def test_gcov_says_the_same(self):
        """Of all programs that build on this machine: executed or not of every line, counts of lines of one block."""
        compared, programs = 0, []
        names = sorted(path.stem for folder in (SOURCES, SOURCES / "workloads") for path in folder.glob("*.c"))
        for name in some(*names, gate=7):
            if name in OF_THE_MACHINE or (SOURCES / "workloads" / f"{name}.c").exists() and (SOURCES / f"{name}.c").exists():
                continue
            theirs = self.gcov(name)
            if theirs is None:
                continue
            with self.subTest(name):
                programs.append(name)
                ours, _, raw = self.simulate(name, "-O0")
                raw.unlink()
                both = [key for key in theirs if key in ours]
                self.assertGreater(len(both), 1)
                for source, line in both:
                    mine, other, text = ours[source, line], theirs[source, line], text_of(source, line)
                    self.assertEqual(mine > 0, other > 0, (source, line))
                    if re.search(r"\?|&&|\|\||= \{$", text) or not re.search(r"[;{})]$|:$", text):
                        continue  # several blocks
                    self.assertEqual(mine, other, (source, line, text))
                    compared += 1
                # What only one of them has are heads and braces of functions, labels, and lines within a statement.
                for source, line in set(theirs) - set(ours):
                    if any(key[0] == source for key in ours) and re.search(r"[;{}:]$|^$", text_of(source, line - 1)):
                        self.assertRegex(text_of(source, line), r"^\w.*[)*,]$|^(case .+|\w+):$", (source, line))
                for source, line in set(ours) - set(theirs):
                    if any(key[0] == source for key in theirs):
                        self.assertRegex(text_of(source, line), r"^[{}]$", (source, line))
        self.assertGreater(compared, 1000 if NIGHT else 100)
        self.assertGreater(len(programs), 25 if NIGHT else 2, programs)

    def test_lcov_and_genhtml_read_it(self):
        shot = self.capture("sort")
        path = self.folder / "cov.info"
        table, _ = self.earshot("coverage", shot, "-o", path, "--source", f"./={TREE}/")
        summary = tool("lcov", "--summary", path, "--rc", "lcov_branch_coverage=1")
        total = re.findall(r"(\d+)/(\d+)", table.splitlines()[-1])
        self.assertEqual(re.findall(r"\((\d+) of (\d+) ", summary), total)
        self.assertEqual(len(total), 3)
        tool("genhtml", "-q", "--branch-coverage", "-o", self.folder / "html", path)
        self.assertIn("quicksort", (self.folder / "html/programs/sort.c.func.html").read_text())
        merged = self.folder / "merged.info"
        tool("lcov", "-q", "--rc", "lcov_branch_coverage=1", "-a", path, "-a", path, "-o", merged)
        ours = self.coverage("-q", shot, shot, "--source", f"./={TREE}/")
        for name, file in read_info(merged).items():
            self.assertEqual(file["DA"], ours[name]["DA"])
            self.assertEqual(file["FNDA"], ours[name]["FNDA"])
            self.assertEqual(sorted(count for _, count in file["BRDA"].values()),
                             sorted(count for _, count in ours[name]["BRDA"].values()))

    def test_a_function_is_at_its_definition(self):
        """In the line that has its name, also of one that begins with code that was inlined into it, of a copy, or
        of a part. That line ran if the function did."""
        shots = [self.run_it(self.build(name, *flags)) for name, *flags in some(
            ("covered", "-O2"), ("sort", "-O3", "-finline-functions"), ("covered", "-O0"), ("sha256", "-O2"))]
        shots += [self.capture(program) for program in some("rtos", "recursion", "unwind", "software", "tasks")]
        functions = 0
        for shot in shots:
            for path, file in self.coverage("-q", shot, "--source", f"./={TREE}/", "--ignore", "*.S").items():
                if not path.startswith(str(TREE)):
                    continue
                lines = (TREE / path).read_text().splitlines()
                for name, line in file["FN"].items():
                    functions += 1
                    self.assertRegex(lines[line - 1], rf"\b{name}\(", (path, line))
                    # lcov 2 refuses a function whose line has no count.
                    self.assertEqual(file["DA"][line] > 0, file["FNDA"][name] > 0, (path, name))
        self.assertGreater(functions, 20)

    def test_sources_that_nobody_has_do_not_count(self):
        """libgcc's and the C library's, which genhtml would not find; without any source, all do."""
        shot, path = self.capture("strings"), self.folder / "strings.info"
        found = self.coverage(shot, "--source", f"./={TREE}/")
        self.assertEqual({name for name in found if not name.startswith(f"{TREE}/")}, set())
        self.assertIn("sources that cannot be read are not counted, as ../", self.error)
        every = self.coverage(shot, "--source", f"./={TREE}/", "--all-sources")
        self.assertGreater(len(every), len(found))
        self.assertEqual({name: every[name] for name in found}, found)
        self.assertEqual(self.error, "")
        nowhere = self.coverage(shot, "--source", "./=/nowhere/")
        self.assertEqual(len(nowhere), len(every))
        self.assertIn("no source can be read, so libraries are counted", self.error)
        # The commands of docs/analyses/coverage.md, where the sources are.
        self.earshot("coverage", "-q", shot, "-o", path, "--source", f"./={TREE}/")
        tool("genhtml", "-q", "--branch-coverage", "-o", self.folder / "page", path)
        self.assertIn("strings.c", (self.folder / "page/programs/index.html").read_text())

    def test_a_trace_that_begins_within_a_function(self):
        """That function ran, though not its first instruction."""
        shot = self.capture("sort")
        entry = next(line.split()[0] for line in tool("riscv64-unknown-elf-nm", PROGRAMS / "sort.elf").splitlines()
                     if line.endswith(" main"))
        begin = next(i for i, record in enumerate(self.records(shot)) if int(record["pc"], 0) == int(entry, 16)) + 2
        found = self.coverage("-q", shot, "--from", begin, "--to", begin + 1, "--source", f"./={TREE}/")
        functions = found[f"{TREE}/tests/programs/sort.c"]["FNDA"]
        self.assertEqual({name for name, count in functions.items() if count}, {"main"})
        self.assertEqual(functions["main"], 1)

    def test_a_text_has_the_same_coverage(self):
        for program in ("sort", "traps"):
            shot = self.capture(program)
            expected = self.coverage("-q", shot)
            for text in ("whisper", "json"):
                with self.subTest(program=program, text=text):
                    path = self.folder / f"{program}.{text}"
                    self.earshot("decode", "-q", "-f", text, "-o", path, shot)
                    found = self.coverage("-q", path, "-i", text, "--elf", PROGRAMS / f"{program}.elf")
                    for name, file in expected.items():
                        self.assertEqual(found[name]["DA"], file["DA"])
                        # A text may not show the outcome of its last record.
                        differing = [key for key in file["BRDA"] if file["BRDA"][key] != found[name]["BRDA"][key]]
                        self.assertLessEqual(len(differing), 2)

    @night
    def test_parts_and_threads(self):
        """What lies between two places is what is counted there; threads count the same."""
        shot = self.capture("sort", limit=300000)
        infos = []
        for number, words in enumerate(((), ("-j", "3"), ("--to", "999"), ("--from", "1000"))):
            path = self.folder / f"{number}.info"
            self.earshot("coverage", "-q", *words, "-o", path, shot)
            infos.append(path)
        self.assertEqual(infos[0].read_text(), infos[1].read_text())
        whole, _, first, rest = map(read_info, infos)
        for source, found in whole.items():
            for key in ("DA", "FNDA"):
                self.assertEqual({at: first[source][key][at] + rest[source][key][at] for at in found[key]}, found[key])
        parts = []
        for number in range(1, 8):
            parts.append(self.folder / f"{number}.part")
            parts[-1].write_text(self.earshot("coverage", "-q", "--part", f"{number}/7", shot)[0])
        self.earshot("coverage", "-q", "-o", self.folder / "joined.info", *parts)
        self.assertEqual((self.folder / "joined.info").read_text(), infos[0].read_text())
        self.assertIn("the part before it", self.earshot("coverage", "-q", parts[0], parts[2], status=2)[1])
        self.assertIn("'earshot coverage'", self.earshot("profile", "-q", parts[0], status=2)[1])
        text = parts[0].read_text()
        for wrong, message in ((text[:len(text) // 2], "line "), (text.replace("pc 0x", "pc x", 1), "number is missing"),
                               (text.replace("\nsums", "\nsum"), "none of a coverage")):
            (self.folder / "wrong.part").write_text(wrong)
            self.assertIn(message, self.earshot("coverage", "-q", self.folder / "wrong.part", status=2)[1])

    def test_what_never_ran_is_listed(self):
        shot = self.run_it(self.build("covered", "-O0"))
        output, _ = self.earshot("coverage", "--uncovered", "--ignore", "*.S", shot)
        source = (SOURCES / "covered.c").read_text().splitlines()
        never = next(i for i, line in enumerate(source, 1) if " never(uint32_t x)" in line)
        self.assertIn(f"covered.c:{never}: function never never ran\n", output)
        self.assertIn(f"covered.c:{never}-{never + 5}: never ran\n", output)
        self.assertNotIn("start.S", output)
        output, _ = self.earshot("coverage", "--uncovered", "--ignore", "*/covered.c", shot)
        self.assertNotIn("covered.c", output)

    def test_harts_of_64_bits(self):
        for name in ("sort", "covered"):
            with self.subTest(name):
                elf, raw = self.folder / f"{name}-64.elf", self.folder / f"{name}.raw"
                tool("riscv64-unknown-elf-gcc", "-march=rv64imac", "-mabi=lp64", "-misa-spec=2.2", "-mcmodel=medany",
                     "--specs=picolibc.specs", "-std=gnu11", "-O0", "-g", "-nostartfiles",
                     "-Wl,--no-warn-rwx-segments", "-T", SOURCES / "link.ld", SOURCES / "start.S",
                     SOURCES / "support.c", SOURCES / f"{name}.c", "-o", elf)
                tool(os.environ["EARSHOT_ISS"], "--quiet", "--isa", "rv64gc", "-o", raw, elf)
                found = self.coverage("-q", raw, "--elf", elf)
                ours = next(file["DA"] for source, file in found.items() if source.endswith(f"/{name}.c"))
                theirs = {line: count for (source, line), count in self.gcov(name).items() if source == f"{name}.c"}
                self.assertEqual([line for line in theirs if line in ours and (theirs[line] > 0) != (ours[line] > 0)], [])
                self.assertGreater(len([line for line in theirs if theirs[line] == ours.get(line)]), 25)
                bins = json.loads(self.earshot("coverage", "--isa", "-q", "-f", "json", raw)[0])
                self.assertEqual(bins["xlen"], 64)
                self.assertIn("addiw", {row["name"] for row in bins["rows"] if row["count"]})

    def test_optimized_code_ran_where_gcov_says_it_did(self):
        """Executed or not is equal, but for lines that the compiler left no instruction in what ran."""
        differing = set()
        for name in some("sort", "covered", "crc32", "deep", "interpreter", "list", "recursion", "regex", "sha256"):
            theirs = self.gcov(name)
            for level in ("-O1", "-O2", "-O3", "-Os"):
                with self.subTest(name=name, level=level):
                    ours, elf, raw = self.simulate(name, level)
                    both = [key for key in theirs if key in ours]
                    self.assertGreater(len(both), 18)
                    self.assertEqual([key for key in both if ours[key] > 0 and theirs[key] == 0], [])
                    missing = [key for key in both if ours[key] == 0 and theirs[key] > 0]
                    differing |= {(level, *key) for key in missing}
                    # The rule, by another reader of the line table: no instruction of the line ran.
                    pcs = {int(record["pc"], 0) for record in self.records(raw)} if missing else ()
                    for address, (source, line, _) in self.places(elf).items() if missing else ():
                        self.assertFalse((source, line) in missing and address in pcs, (source, line, hex(address)))
                    # Functions that were inlined into several others: their copies are summed.
                    if name == "sort" and level in ("-O1", "-Os"):
                        for line in (13, 14):
                            self.assertEqual(ours["sort.c", line], theirs["sort.c", line])
                    raw.unlink()
        # 'return 1' of a recursion of which only one copy that was inlined has it, and that one did not run.
        self.assertTrue(not NIGHT or ("-O3", "recursion.c", 34) in differing)
        self.assertLess(len(differing), 20, differing)

    def test_damaged_programs_and_texts(self):
        shot = self.capture("sort")
        whole = (PROGRAMS / "sort.elf").read_bytes()
        random = Random(5)
        for number in range(25):
            damaged = bytearray(whole)
            for _ in range(random.choice((1, 5, 100))):
                damaged[random.randrange(len(damaged))] = random.randrange(256)
            path = self.folder / "damaged.elf"
            path.write_bytes(damaged[:random.choice((len(damaged), random.randrange(len(damaged))))])
            for arguments in (("--uncovered",), ("-o", "-")):
                done = subprocess.run([EARSHOT, "coverage", "-q", shot, "--elf", path, "--elf-anyway", *arguments],
                                      capture_output=True)
                self.assertIn(done.returncode, (0, 2), (number, done.stderr))
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        lines = text.read_bytes()[:200000]
        for number in range(10):
            damaged = bytearray(lines)
            for _ in range(200):
                damaged[random.randrange(1000, len(damaged))] = random.randrange(256)
            path = self.folder / "damaged.csv"
            path.write_bytes(damaged)
            for arguments in (("--elf", PROGRAMS / "sort.elf"), ("--isa",), ("--isa", "-f", "json")):
                done = subprocess.run([EARSHOT, "coverage", "-q", "-i", "whisper", path, *arguments],
                                      capture_output=True)
                self.assertIn(done.returncode, (0, 2), (number, done.stderr))

    def test_another_instruction_set(self):
        """Lines need addresses only; branches are those of RISC-V."""
        text = self.folder / "t.tarmac"
        first = next(int(line.split()[0], 16) for line in tool("riscv64-unknown-elf-nm", PROGRAMS / "sort.elf").splitlines()
                     if line.endswith(" main"))
        text.write_text("".join(f"{i} clk IT ({i}) {first + 4 * i:08x} e1a00000 A svc_s : MOV r0,r0\n"
                                for i in range(4)))
        found = self.coverage("-q", text, "--elf", PROGRAMS / "sort.elf", "--elf-anyway")
        name = next(name for name in found if name.endswith("sort.c"))
        self.assertEqual(found[name]["FNDA"]["main"], 1)
        self.assertEqual({count for _, count in found[name]["BRDA"].values()}, {"-"})

    def test_marks_and_gates(self):
        elf = self.folder / "marked.elf"
        source = self.folder / "marked.c"
        source.write_text("""
int main(int argc, char **argv)
{
	volatile int x = 1;
	if (x == 2) /* LCOV_EXCL_BR_LINE */
		x = 3; /* LCOV_EXCL_LINE */
	/* LCOV_EXCL_START */
	if (x == 5)
		x = 6;
	/* LCOV_EXCL_STOP */
	if (x == 7)
		x = 8;
	return 0;
}
""")
        tool("riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32", "--specs=picolibc.specs",
             "-std=gnu11", "-g", "-O0", "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T", SOURCES / "link.ld",
             SOURCES / "start.S", SOURCES / "support.c", source, "-o", elf)
        shot = self.run_it(elf)
        found = self.coverage("-q", shot)[str(source)]
        self.assertEqual(sorted(found["DA"]), [2, 3, 4, 5, 11, 12, 13, 14])
        self.assertEqual({number for number, _ in found["BRDA"].values()}, {11})
        self.assertEqual(found["DA"][12], 0)
        only = ("--ignore", "*.S", "--ignore", "*/support.?")
        self.earshot("coverage", "--fail-under", 87, *only, shot)
        self.earshot("coverage", "--fail-under", 88, *only, shot, status=1)
        lost = self.folder / "lost.json"
        lost.write_bytes(subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "-f", "json", shot], capture_output=True,
                                        check=True).stdout +
                         b'{"kind":"gap","hart":0,"reason":"unit-fifo","count":1,"first":90000000,"last":90000000}\n')
        _, error = self.earshot("coverage", "--fail-under", 87, "--elf", elf, *only, lost, status=1)
        self.assertIn("records are missing: --fail-under is not passed", error)
        self.earshot("coverage", "--fail-under", 87, "--incomplete", "ok", "--elf", elf, *only, lost)
        self.earshot("coverage", "--ignore", "*", shot, status=2)
        # Where the sources are not there, nothing is left out.
        found = self.coverage("-q", shot, "--source", f"{self.folder}=/nowhere", "--all-sources")["/nowhere/marked.c"]
        self.assertIn(6, found["DA"])

    def test_programs_that_do_not_fit(self):
        sort, traps = self.capture("sort"), self.capture("traps")
        output, error = self.earshot("coverage", sort, traps, status=2)
        self.assertIn("another program", error)
        self.assertEqual(output, "")
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, traps)
        _, error = self.earshot("coverage", text, status=2)
        self.assertIn("--elf", error)
        _, error = self.earshot("coverage", sort, text, status=2)
        self.assertIn("--elf", error)
        stripped = self.folder / "stripped.elf"
        tool("riscv64-unknown-elf-objcopy", "-g", PROGRAMS / "sort.elf", stripped)
        _, error = self.earshot("coverage", sort, "--elf", stripped, "--elf-anyway", status=2)
        self.assertIn("no lines", error)
        self.earshot("coverage", sort, "--elf", PROGRAMS / "traps.elf", "--elf-anyway")

    def warned(self, *arguments, status=0, symbols=True):
        """Counts of lines by source, and what was warned of."""
        found = self.coverage(*arguments, status=status, symbols=symbols)
        for line in self.error.splitlines():
            self.assertTrue(line.startswith("earshot: "), line)
        self.earshot("coverage", "--isa", "-q", *(word for word in arguments if not str(word).startswith("--unc")))
        return {name: file["DA"] for name, file in found.items()}

    def test_symbols_that_are_missing_or_overlap(self):
        shot, path = self.capture("sort"), self.folder / "symbols.elf"
        expected = self.warned("--uncovered", shot)
        # The sources are found only if this runs in the project.
        self.assertEqual([line for line in self.error.splitlines() if "no source can be read" not in line], [])
        tool("riscv64-unknown-elf-objcopy", "-w", "--strip-symbol=*", PROGRAMS / "sort.elf", path)
        heads = {name: set(file["FN"].values()) for name, file in self.coverage("-q", shot).items()}
        found = self.warned(shot, "--elf", path, "--elf-anyway", symbols=False)
        self.assertIn("no symbols", self.error)
        # Without symbols, only what is inlined has a head.
        self.assertEqual(found, {name: {line: count for line, count in lines.items()
                                        if line in found[name] or line not in heads[name]}
                                 for name, lines in expected.items()})
        more = ("alias=.text:0,function,global", "inside=.text:0x42,function,local", "odd=.text:0x43,function,global",
                "last=0xffffffff,function,global", "\x1b[31m=.text:0x42,function,global", "data=.text:0x60,object,global")
        tool("riscv64-unknown-elf-objcopy", *(f"--add-symbol={symbol}" for symbol in more), PROGRAMS / "sort.elf", path)
        self.assertEqual(self.warned(shot, "--elf", path, "--elf-anyway"), expected)
        output, _ = self.earshot("coverage", "--uncovered", shot, "--elf", path, "--elf-anyway")
        self.assertNotIn("\x1b", output)
        tool("riscv64-unknown-elf-strip", "-o", path, PROGRAMS / "sort.elf")
        self.earshot("coverage", shot, "--elf", path, status=2)
        self.assertIn("no lines", self.earshot("coverage", shot, "--elf", path, "--elf-anyway", status=2)[1])

    def test_the_wrong_program_and_two_programs_in_one_trace(self):
        sort, traps, both = self.capture("sort"), self.capture("traps"), self.folder / "both.json"
        self.assertIn("is not the program", self.earshot("coverage", sort, "--elf", PROGRAMS / "traps.elf", status=2)[1])
        self.warned(sort, "--elf", PROGRAMS / "traps.elf", "--elf-anyway")
        self.assertIn("other instructions than those that ran", self.error)
        texts = [subprocess.run([EARSHOT, "decode", "-q", "-f", "json", shot], capture_output=True, check=True).stdout
                 for shot in (sort, traps)]
        for order in (texts, texts[::-1]):
            both.write_bytes(b"".join(order))
            self.warned(both, "--elf", PROGRAMS / "sort.elf")
            self.assertIn("the code changed while it ran", self.error)
            self.assertIn("other instructions than those that ran", self.error)

    def test_gaps_everywhere_and_code_that_changes(self):
        shot, path = self.capture("sort", limit=5000), self.folder / "odd.json"
        text = subprocess.run([EARSHOT, "decode", "-q", "-f", "json", shot], capture_output=True, text=True, check=True).stdout
        expected = self.warned(shot)
        lines = text.splitlines()
        path.write_text("".join(line + '\n{"kind":"gap","hart":0,"reason":"host-ring"}\n' for line in lines))
        self.assertEqual(self.warned("--incomplete", "ok", path, "--elf", PROGRAMS / "sort.elf"), expected)
        self.assertIn("there are gaps", self.error)
        self.assertIn(f"{path} is damaged, from instruction 1 on: an unknown number of records is missing", self.error)
        changed = []
        for number, line in enumerate(lines):
            record = json.loads(line)
            if number % 3 == 0 and "opcode" in record:
                record["opcode"] = ("0x13", "0x1", "0xffffffff", "0x63")[number % 4]
            changed.append(json.dumps({key: record[key] for key in record if key != "reads"}))
        path.write_text("\n".join(changed) + "\n")
        found = self.warned(path, "--elf", PROGRAMS / "sort.elf")
        self.assertIn("the code changed while it ran", self.error)
        self.assertEqual({name: set(counts) for name, counts in found.items()},
                         {name: set(counts) for name, counts in expected.items()})

    @night
    def test_a_million_functions(self):
        source, elf, trace = (self.folder / name for name in ("many.s", "many.elf", "many.json"))
        source.write_text(".globl _start\n_start:\n" + "".join(f".type f{i},@function\nf{i}: ret\n" for i in range(1000000)))
        tool("riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-g", "-nostdlib", "-Wl,-Ttext=0x80000000", source,
             "-o", elf)
        trace.write_text("".join(json.dumps({"kind": "instruction", "hart": 0, "xlen": 32, "pc": hex(0x80000000 + 2 * i),
                                             "opcode": "0x8082", "opcode_size": 2}) + "\n" for i in range(0, 1000000, 125)))
        found = self.coverage("-q", trace, "--elf", elf)[str(source)]
        self.assertEqual((len(found["DA"]), sum(found["DA"].values())), (1000000, 8000))
        self.assertEqual((len(found["FN"]), found["FNDA"]["f125"], found["FNDA"]["f126"]), (1000000, 1, 0))

    def test_odd_paths_and_gaps(self):
        shot = self.capture("sort")
        output, _ = self.earshot("coverage", shot, "-o", "-")
        self.assertTrue(output.startswith("TN:\nSF:"))
        self.assertNotIn("total", output)


if __name__ == "__main__":
    main()
