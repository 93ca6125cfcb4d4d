#!/usr/bin/env python3
"""'earshot coverage --isa': each bin has what the records say, counted another way."""
import collections
import html.parser
import json
import re
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, json_lines, main, night, some

PLAIN = ("sort", "traps", "timer", "alu")
MIN, MAX = -1 << 31, (1 << 31) - 1
R_TYPE, I_TYPE, S_TYPE, B_TYPE = 0x33, (0x13, 0x03), 0x23, 0x63


def value_name(value):
    value -= (value >> 31 & 1) << 32
    names = {0: "0", 1: "1", -1: "-1", MIN: "min", MAX: "max"}
    return names.get(value, "positive" if value > 0 else "negative")


def fields(opcode):
    """Registers of an instruction of 4 bytes, by name."""
    kind, rd, rs1, rs2 = opcode & 0x7F, opcode >> 7 & 31, opcode >> 15 & 31, opcode >> 20 & 31
    if kind == R_TYPE:
        return {"rd": rd, "rs1": rs1, "rs2": rs2}
    if kind in I_TYPE:
        return {"rd": rd, "rs1": rs1}
    if kind in (S_TYPE, B_TYPE):
        return {"rs1": rs1, "rs2": rs2}
    return {}


def signed(value, bits):
    return value - (value >> (bits - 1) << bits)


def immediate(opcode):
    """Of an instruction of 4 bytes, with the least and the greatest one; None: another kind."""
    kind, funct3 = opcode & 0x7F, opcode >> 12 & 7
    if kind == 0x03 or (kind == 0x13 and funct3 not in (1, 5)):
        return signed(opcode >> 20, 12), -2048, 2047
    if kind == S_TYPE:
        return signed(opcode >> 25 << 5 | opcode >> 7 & 31, 12), -2048, 2047
    if kind == B_TYPE:
        return signed(opcode >> 31 << 12 | (opcode >> 7 & 1) << 11 | (opcode >> 25 & 63) << 5 | (opcode >> 8 & 15) << 1,
                      13), -4096, 4094
    return None


def immediate_name(value, least, greatest):
    names = {0: "0", least: "min", greatest: "max"}
    return names.get(value, "positive" if value > 0 else "negative")


def distance_name(value):
    return next(name for limit, name in ((16, "below 16 bytes"), (256, "16 to 255 bytes"), (4096, "256 to 4095 bytes"),
                                         (1 << 32, "4096 bytes and more")) if abs(value) < limit)


class Page(html.parser.HTMLParser):
    """What is wrong with a page, and the rows of its table."""
    INSIDE = {"html": None, "head": "html", "body": "html", "meta": "head", "title": "head", "style": "head", "h1": "body",
              "p": "body", "table": "body", "tr": "table", "th": "tr", "td": "tr"}

    def __init__(self, text):
        super().__init__()
        self.wrong, self.open, self.rows, self.seen = [], [], [], []
        if not text.startswith("<!DOCTYPE html>"):
            self.wrong.append("no type")
        self.feed(text)
        self.close()
        self.wrong += [tag for tag in ("html", "head", "title", "body") if self.seen.count(tag) != 1]

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in self.INSIDE or (self.open[-1] if self.open else None) != self.INSIDE.get(tag):
            self.wrong.append((tag, self.getpos()))
        if len({name for name, _ in attrs}) != len(attrs):
            self.wrong.append((attrs, self.getpos()))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.open and self.open[-1] in ("table", "tr") and data.strip():
            self.wrong.append((data, self.getpos()))


class IsaCoverage(Case):
    def capture(self, program, *arguments, limit=40000):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit,
                     *arguments)
        return shot

    def bins(self, *arguments):
        found = json.loads(self.earshot("coverage", "--isa", "-q", "-f", "json", *arguments)[0])
        return {(row["group"], row["name"], row["bin"]): row["count"] for row in found["rows"]}, found

    def expected(self, shot):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", shot], capture_output=True, check=True).stdout
        bins, before, more_before, known, last = collections.Counter(), [], [], {0: 0}, None
        for record in (record for record in json_lines(out) if "pc" in record):
            if last not in (None, record["privilege"]):
                bins["privilege", "transition", f"{last.upper()} to {record['privilege'].upper()}"] += 1
            last = record["privilege"]
            if record.get("trap") or record.get("interrupt"):
                before, more_before = [], []
            if record.get("interrupt"):
                bins["interrupt", int(record["cause"], 0) & 0xFF] += 1
                continue
            name, opcode = record["mnemonic"], int(record["opcode"], 0)
            if record.get("trap"):
                bins["exception", int(record["cause"], 0)] += 1
                bins["exception from", int(record["cause"], 0), record["privilege"].upper()] += 1
                if name in ("ecall", "ebreak", "c.ebreak"):
                    bins["opcode", name, "executed"] += 1
                continue
            bins["opcode", name, "executed"] += 1
            bins["place", name, "at 2 more" if int(record["pc"], 0) & 2 else "at a multiple of 4"] += 1
            reads = {r["number"] for r in record.get("reads", ()) if r["class"] == "x"} - {0}
            writes = {r["number"]: int(r["value"], 0) for r in record.get("registers", ()) if r["class"] == "x"}
            own = fields(opcode) if opcode & 3 == 3 else {}
            for operand, number in own.items():
                bins["register", name, f"{operand}=x{number}"] += 1
                if operand != "rd" and number in known and opcode & 0x7F in (R_TYPE, 0x13, B_TYPE):
                    bins["value", name, f"{operand} {value_name(known[number])}"] += 1
            for a, b in (("rd", "rs1"), ("rd", "rs2"), ("rs1", "rs2")):
                if a in own and b in own:
                    bins["alias", name, f"{a}={b}"] += own[a] == own[b]
            if "rd" in own and opcode & 0x7F in (R_TYPE, 0x13):
                bins["value", name, f"rd {value_name(writes.get(own['rd'], 0))}"] += 1
            if opcode & 0x7F in (R_TYPE, B_TYPE) and own["rs1"] in known and own["rs2"] in known:
                signs = ("-" if known[own[operand]] >> 31 & 1 else "+" for operand in ("rs1", "rs2"))
                bins["signs", name, "rs1 {}, rs2 {}".format(*signs)] += 1
            if opcode & 3 == 3 and (found := immediate(opcode)):
                bins["immediate", name, f"imm {immediate_name(*found)}"] += 1
                if opcode & 0x7F == B_TYPE:
                    bins["distance", name, distance_name(found[0])] += 1
            memory = record.get("memory") or [{"address": "0", "size": 0}]
            begin, size = int(memory[0]["address"], 0), memory[0]["size"]
            csr, csr_written = None, False
            if opcode & 0x7F == 0x73 and opcode >> 12 & 3:
                csr, way = opcode >> 20, opcode >> 12 & 3
                csr_written = way == 1 or opcode >> 15 & 31 != 0
                bins["csr", "read"] += way != 1 or opcode >> 7 & 31 != 0
                bins["csr", ("", "written", "bits set", "bits cleared")[way]] += csr_written
            for kind, is_one in (
                    ("war", lambda one: set(writes) & one["reads"]), ("csr", lambda one: csr is not None and one["csr"] == csr),
                    ("store-load", lambda one: record["class"] == "load" and one["begin"] < begin + size and
                     begin < one["begin"] + one["stored"])):
                if at := next((distance for distance, one in enumerate(more_before, 1) if is_one(one)), 0):
                    bins["hazard", name, f"{kind} at {at}"] += 1
            more_before = [{"reads": reads, "csr": csr if csr_written else None, "begin": begin,
                            "stored": size if record["class"] in ("store", "sc", "amo") else 0}, *more_before[:2]]
            distances, loads, seen = set(), set(), set()
            for distance, (numbers, is_load) in enumerate(before, 1):
                if (reads - seen) & numbers:
                    distances.add(distance)
                    if is_load:
                        loads.add(distance)
                seen |= numbers
            for distance in distances:
                bins["hazard", name, f"raw at {distance}"] += 1
            for distance in loads:
                bins["hazard", name, f"load-use at {distance}"] += 1
            for distance, (numbers, _) in enumerate(before, 1):
                if set(writes) & numbers:
                    bins["hazard", name, f"waw at {distance}"] += 1
                    break
            before = [(set(writes), record["class"] == "load"), *before[:2]]
            if opcode & 0x7F == B_TYPE:
                taken = int(record["next_pc"], 0) != int(record["pc"], 0) + 4
                bins["branch", name, f"{'' if taken else 'not '}taken {'backward' if opcode >> 31 else 'forward'}"] += 1
            if record["class"] in ("load", "store") and record.get("memory"):
                access = record["memory"][0]
                if access["size"] > 1:
                    aligned = int(access["address"], 0) % access["size"] == 0
                    bins["access", name, "aligned" if aligned else "misaligned"] += 1
            known.update(writes)
        return bins

    def test_bins_are_those_of_the_records(self):
        for program in some(*PLAIN):
            with self.subTest(program):
                shot = self.capture(program)
                found, _ = self.bins(shot)
                expected = self.expected(shot)
                compared = 0
                for key, count in expected.items():
                    if key[0] == "csr":
                        self.assertEqual(sum(c for (group, _, way), c in found.items() if (group, way) == key), count, key)
                    elif key[0] == "exception from":
                        if not 8 <= key[1] <= 11:
                            self.assertEqual({c for (group, _, cause), c in found.items() if (group, cause) ==
                                              ("exception", f"{key[1]} from {key[2]}")}, {count}, key)
                    elif len(key) == 2:
                        self.assertEqual({c for (group, _, cause), c in found.items() if (group, cause) ==
                                          (key[0], str(key[1]))}, {count}, key)
                    elif key in found:
                        self.assertEqual(found[key], count, key)
                        compared += count > 0
                    else:
                        # What an instruction cannot do otherwise is no bin.
                        self.assertIn(key[0], ("register", "alias", "value", "signs"), key)
                self.assertGreater(compared, 150)
                # Nothing else was hit, of what is counted here.
                for key, count in found.items():
                    if key[0] in ("opcode", "hazard", "place") or (key[0] == "branch" and key[1] in ("beq", "bne", "blt", "bge")):
                        self.assertEqual(count, expected.get(key, 0), key)

    def test_all_instructions_of_an_isa_are_there(self):
        shot = self.capture("sort")
        found, whole = self.bins("--march", "rv32im_zicsr", shot)
        names = {name for group, name, _ in found if group == "opcode"}
        self.assertLessEqual({"add", "sub", "lui", "auipc", "jal", "jalr", "beq", "bgeu", "lb", "lhu", "sw", "mul",
                              "mulhsu", "remu", "csrrw", "csrrci", "ecall", "mret", "fence"}, names)
        self.assertFalse({"ld", "addw", "c.addi", "sfence.vma", "fence.i", "amoadd.w"} & names)
        registers = {what for group, name, what in found if group == "register" and name == "add"}
        self.assertEqual(registers, {f"{operand}=x{n}" for operand in ("rd", "rs1", "rs2") for n in range(32)})
        self.assertEqual(whole["hit"] + sum(row["count"] == 0 for row in whole["rows"]), whole["bins"])
        found, _ = self.bins("--march", "rv32imc", shot)
        registers = {what for group, name, what in found if group == "register" and name == "c.sub"}
        self.assertEqual(registers, {f"{operand}=x{n}" for operand in ("rd", "rs2") for n in range(8, 16)})
        _, error = self.earshot("coverage", "--isa", "--march", "rv32nothing", shot, status=2)
        self.assertIn("--march", error)

    def test_each_bin_has_a_section_of_the_manual(self):
        """tests/data/isa-sections.txt was taken from the manual's sources: docs/analyses/isa-coverage.md says of which release."""
        lines = (TREE / "tests/data/isa-sections.txt").read_text().splitlines()
        titles = {line for line in lines if not line.startswith("#")}
        release = re.search(r"riscv-isa-release-\S+\d", lines[0])[0]
        self.assertTrue(release in (TREE / "docs/analyses/isa-coverage.md").read_text(), release)
        names = re.findall(r'^EXTENSION\(\w+, *"(\w+)"\)', (TREE / "decoder/isa/inst_extension.def").read_text(), re.M)
        tables = {"zcmp", "zcmt", "zce"}
        wide = {"zcd", "d", "q", "c", "v", "zclsd"} | {name for name in names if name.startswith("zv")}
        shot, used, instructions = self.capture("traps"), set(), set()
        for xlen in (32, 64):
            for without in (tables, wide):
                own = [name for name in names if name not in without and name != "i"]
                march = f"rv{xlen}i" + "".join(name for name in own if len(name) == 1)
                march += "".join(f"_{name}" for name in own if len(name) > 1)
                _, found = self.bins("--march", march, shot)
                for row in found["rows"]:
                    self.assertIn(row["section"], titles, row)
                used |= {row["section"] for row in found["rows"]}
                instructions |= {row["name"] for row in found["rows"] if row["group"] == "opcode"}
        # Those of supervisors, debuggers and hypervisors need a trace of one.
        self.assertLess(len(titles - used), 9, titles - used)
        self.assertGreater(len(instructions), 1200)

    def test_floating_point_and_vectors(self):
        """Rounding modes, flags, classes of values; widths, groups and masks: by hand."""
        def write(number, opcode, **more):
            return {"kind": "instruction", "pc": f"{0x80000000 + 4 * number:#x}", "opcode": f"{opcode:#x}", "size": 4,
                    "hart": 0, "xlen": 64, **more}
        def f(number, value):
            return [{"class": "f", "number": number, "value": f"{value:#x}", "size": 8}]
        one, snan, inf = 0x3FF0000000000000, 0x7FF0000000000001, 0xFFF0000000000000
        records = [
            write(0, 0x022081D3, registers=f(3, one)),                       # fadd.d f3, f1, f2, rne: nothing is known
            write(1, 0x0021D073, registers=[{"class": "csr", "number": 2, "value": "0x3"}]),  # csrrwi x0, frm, 3
            write(2, 0x0231F253, registers=f(4, snan), fflags=1),            # fadd.d f4, f3, f3, dyn
            write(3, 0x1A3212D3, registers=f(5, inf), fflags=24),            # fdiv.d f5, f4, f3, rtz
            write(4, 0x2A32F0C3, registers=f(1, 0)),                         # fmadd.d f1, f5, f3, f5, dyn
            write(5, 0x02208257, vtype=0x40 | 2 << 3 | 1),                   # vadd.vv v4, v2, v1
            write(6, 0x004202D7, vtype=0x40 | 0 << 3 | 5),                   # vadd.vv v5, v4, v4, v0.t
        ]
        path = self.folder / "float.json"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        found, _ = self.bins("-i", "json", path)
        for key, count in {("rounding", "fadd.d", "rm=rne"): 1, ("rounding", "fadd.d", "rm=dyn"): 1,
                           ("rounding", "fadd.d", "rm=dyn, frm=rup"): 1, ("rounding", "fadd.d", "rm=dyn, frm=rne"): 0,
                           ("rounding", "fdiv.d", "rm=rtz"): 1, ("flag", "fadd.d", "NX"): 1, ("flag", "fdiv.d", "NV"): 1,
                           ("flag", "fdiv.d", "DZ"): 1, ("flag", "fdiv.d", "UF"): 0, ("value", "fadd.d", "rs1 positive"): 1,
                           ("value", "fadd.d", "rd positive"): 1, ("value", "fdiv.d", "rs1 signaling NaN"): 1,
                           ("value", "fdiv.d", "rd -inf"): 1, ("hazard", "fdiv.d", "raw at 1"): 1,
                           ("alias", "fadd.d", "rs1=rs2"): 1, ("register", "fadd.d", "rd=f4"): 1,
                           ("csr", "frm", "written"): 1, ("alias", "fmadd.d", "rd=rs3"): 0,
                           ("register", "fmadd.d", "rs3=f5"): 1, ("rounding", "fmadd.d", "rm=dyn, frm=rup"): 1,
                           ("vector", "vadd.vv", "SEW=32"): 1, ("vector", "vadd.vv", "SEW=8"): 1,
                           ("vector", "vadd.vv", "LMUL=2"): 1, ("vector", "vadd.vv", "LMUL=1/8"): 1,
                           ("vector", "vadd.vv", "masked"): 1, ("vector", "vadd.vv", "not masked"): 1,
                           ("register", "vadd.vv", "rd=v5"): 1, ("alias", "vadd.vv", "rs1=rs2"): 1,
                           ("hazard", "vadd.vv", "raw at 1"): 1}.items():
            self.assertEqual(found[key], count, key)
        self.assertIn(("register", "fmadd.d", "rs3=f31"), found)
        self.assertIn(("alias", "fmadd.d", "rd=rs3"), found)
        self.assertNotIn(("flag", "fsgnj.d", "NV"), found)
        self.assertNotIn(("value", "fadd.d", "rd signaling NaN"), found)

    def test_traces_are_summed(self):
        sort, traps = self.capture("sort"), self.capture("traps")
        one, two, both = self.bins(sort)[0], self.bins(traps)[0], self.bins(sort, traps)[0]
        for key, count in both.items():
            self.assertEqual(count, one.get(key, 0) + two.get(key, 0), key)

    @night
    def test_parts_and_threads(self):
        """The bytes of the whole, of a capture and of a text, wherever it is cut."""
        shot, text = self.capture("traps", limit=300000), self.folder / "t.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        every = ("coverage", "--isa", "-q", "-f", "json")
        for trace in (shot, text):
            whole = self.earshot(*every, trace)[0]
            for words in (("-j", "2"), ("-j", "3")):
                self.assertEqual(self.earshot(*every, *words, trace)[0], whole)
            for of in some(7, 2, 64):
                with self.subTest(trace=trace, of=of):
                    parts = [self.folder / f"{number}.part" for number in range(1, of + 1)]
                    for number, part in enumerate(parts, 1):
                        part.write_text(self.earshot("coverage", "--isa", "-q", "--part", f"{number}/{of}", trace)[0])
                    self.assertEqual(self.earshot(*every, *parts)[0], whole)
        both = self.earshot(*every, shot, text)[0]
        self.assertEqual(self.earshot(*every, "-j", "2", shot, text)[0], both)
        # What lies between two places is the part of it.
        size = len(self.earshot("decode", "-q", "-f", "json", shot)[0].splitlines())
        first, rest = self.bins("--to", size // 3 - 1, shot)[0], self.bins("--from", size // 3, shot)[0]
        whole = self.bins(shot)[0]
        for key, count in whole.items():
            if key[0] in ("opcode", "register", "exception", "interrupt"):
                self.assertEqual(first.get(key, 0) + rest.get(key, 0), count, key)

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("sort"), self.capture("alu")
        parts = []
        for number, words in enumerate((("--part", "1/2", shot), ("--part", "2/2", shot), ("--part", "2/2", other),
                                        ("--part", "2/2", "--march", "rv32imc", shot))):
            parts.append(self.folder / f"{number}.part")
            parts[-1].write_text(self.earshot("coverage", "--isa", "-q", *words)[0])
        lines = self.folder / "lines.part"
        lines.write_text(self.earshot("coverage", "-q", "--part", "1/2", shot)[0])
        for given, message in (((parts[0], parts[2]), "the part before it"), ((parts[1], parts[0]), "begins at record"),
                               ((parts[0], parts[3]), "other options"), ((parts[3],), "another --march"),
                               ((parts[0], shot), "line 1"), ((lines,), "'earshot coverage'")):
            with self.subTest(message):
                self.assertIn(message, self.earshot("coverage", "--isa", "-q", *given, status=2)[1])
        self.assertIn("'earshot coverage --isa'", self.earshot("coverage", "-q", parts[0], status=2)[1])
        self.assertIn("the records from", self.earshot("coverage", "--isa", parts[1])[1])

    def test_what_a_trace_does_not_show_is_not_known(self):
        shot, path = self.capture("sort"), self.folder / "t.ibex"
        expected, _ = self.bins(shot)
        text = subprocess.run([EARSHOT, "decode", "-q", "-f", "json", shot], capture_output=True, text=True,
                              check=True).stdout
        lines = []
        for record in json_lines(text):
            for key in ("registers", "reads", "memory", "privilege", "next_pc"):
                record.pop(key, None)
            lines.append(json.dumps(record))
        path.write_text("\n".join(lines) + "\n")
        found, whole = self.bins("-i", "json", path)
        self.assertGreater(whole["unknown"], 500)
        for key, count in found.items():
            if key[0] in ("value", "access", "privilege"):
                self.assertIsNone(count, key)
            if key[0] in ("opcode", "register", "alias"):
                self.assertEqual(count, expected[key], key)

    def test_traps_that_a_format_cannot_show_are_not_known(self):
        """They are known of both together: one of them shows them."""
        shot, text = self.capture("timer"), self.folder / "t.qemu4v"
        self.earshot("convert", "-q", "-o", text, shot)
        groups = ("trap", "exception", "interrupt")

        def of_groups(*paths):
            out = json.loads(self.earshot("coverage", "--isa", "-q", "-f", "json", *paths)[0])
            return {(row["group"], row["name"], row["bin"]): row["count"] for row in out["rows"] if row["group"] in groups}

        whole, lacking = of_groups(shot), of_groups(text)
        self.assertGreater(sum(whole.values()), 10)
        self.assertEqual(set(lacking), set(whole))
        self.assertEqual(set(lacking.values()), {None})
        self.assertEqual(of_groups(shot, text), whole)
        part = self.folder / "one.part"
        part.write_text(self.earshot("coverage", "--isa", "-q", "--part", "1/1", text)[0])
        self.assertEqual(of_groups(part), lacking)
        for command in ("calls", "profile", "timeline -f json -o -"):
            _, error = self.earshot(*command.split(), "--elf", PROGRAMS / "timer.elf", text)
            self.assertIn("it shows no traps and interrupts", error)
        out, _ = self.earshot("profile", "--by", "privilege", text)
        self.assertRegex(out, r"(?m)^ +\d+ 100\.00 .* - +-  m$")

    def test_tables(self):
        shot = self.capture("sort")
        _, whole = self.bins(shot)
        table, _ = self.earshot("coverage", "--isa", shot)
        self.assertIn(f"{whole['hit']}/{whole['bins']}", table.splitlines()[-1])
        missing, _ = self.earshot("coverage", "--isa", "--missing", shot)
        self.assertEqual(len(missing.splitlines()), whole["bins"] - whole["hit"])
        page, _ = self.earshot("coverage", "--isa", "-f", "html", shot)
        found = Page(page)
        self.assertEqual(found.wrong, [])
        self.assertEqual(found.open, [])
        header, *rows = found.rows
        self.assertEqual([(row["group"], row["name"], row["bin"], "-" if row["count"] is None else str(row["count"]),
                           row["section"]) for row in whole["rows"]], [tuple(row) for row in rows])
        self.assertEqual(len(header), 5)
        for arguments in (("--march", "rv32i"), ("--missing",), ("--isa", "-o", self.folder / "x"),
                          ("--isa", "--uncovered")):
            self.earshot("coverage", *arguments, shot, status=2)


if __name__ == "__main__":
    main()
