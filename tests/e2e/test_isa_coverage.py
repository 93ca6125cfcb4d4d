#!/usr/bin/env python3
"""'earshot coverage --isa': each bin has what the records say, counted another way."""
import collections
import html.parser
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main

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
        bins, before, known, last = collections.Counter(), [], {0: 0}, None
        for record in (record for record in map(json.loads, out.splitlines()) if "pc" in record):
            if last not in (None, record["privilege"]):
                bins["privilege", "transition", f"{last.upper()} to {record['privilege'].upper()}"] += 1
            last = record["privilege"]
            if record.get("trap") or record.get("interrupt"):
                before = []
            if record.get("interrupt"):
                bins["interrupt", int(record["cause"], 0) & 0xFF] += 1
                continue
            name, opcode = record["mnemonic"], int(record["opcode"], 0)
            if record.get("trap"):
                bins["exception", int(record["cause"], 0)] += 1
                if name in ("ecall", "ebreak", "c.ebreak"):
                    bins["opcode", name, "executed"] += 1
                continue
            bins["opcode", name, "executed"] += 1
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
        for program in PLAIN:
            with self.subTest(program):
                shot = self.capture(program)
                found, _ = self.bins(shot)
                expected = self.expected(shot)
                compared = 0
                for key, count in expected.items():
                    if len(key) == 2:
                        self.assertEqual({c for (group, _, cause), c in found.items() if (group, cause) ==
                                          (key[0], str(key[1]))}, {count}, key)
                    elif key in found:
                        self.assertEqual(found[key], count, key)
                        compared += count > 0
                    else:
                        # What an instruction cannot do otherwise is no bin.
                        self.assertIn(key[0], ("register", "alias", "value"), key)
                self.assertGreater(compared, 150)
                # Nothing else was hit, of what is counted here.
                for key, count in found.items():
                    if key[0] in ("opcode", "hazard") or (key[0] == "branch" and key[1] in ("beq", "bne", "blt", "bge")):
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
        self.assertTrue(all(row["section"] for row in whole["rows"]))
        found, _ = self.bins("--march", "rv32imc", shot)
        registers = {what for group, name, what in found if group == "register" and name == "c.sub"}
        self.assertEqual(registers, {f"{operand}=x{n}" for operand in ("rd", "rs2") for n in range(8, 16)})
        _, error = self.earshot("coverage", "--isa", "--march", "rv32nothing", shot, status=2)
        self.assertIn("--march", error)

    def test_traces_are_summed(self):
        sort, traps = self.capture("sort"), self.capture("traps")
        one, two, both = self.bins(sort)[0], self.bins(traps)[0], self.bins(sort, traps)[0]
        for key, count in both.items():
            self.assertEqual(count, one.get(key, 0) + two.get(key, 0), key)

    def test_parts_and_threads(self):
        """The bytes of the whole, of a capture and of a text, wherever it is cut."""
        shot, text = self.capture("traps", limit=300000), self.folder / "t.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        every = ("coverage", "--isa", "-q", "-f", "json")
        for trace in (shot, text):
            whole = self.earshot(*every, trace)[0]
            for words in (("-j", "2"), ("-j", "3")):
                self.assertEqual(self.earshot(*every, *words, trace)[0], whole)
            for of in (2, 7, 64):
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
        for record in map(json.loads, text.splitlines()):
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

    def test_tables(self):
        shot = self.capture("sort")
        _, whole = self.bins(shot)
        table, _ = self.earshot("coverage", "--isa", shot)
        self.assertIn(f"{whole['hit']}/{whole['bins']}", table.splitlines()[-1])
        missing, _ = self.earshot("coverage", "--isa", "--missing", shot)
        self.assertEqual(len(missing.splitlines()), whole["bins"] - whole["hit"])
        page, _ = self.earshot("coverage", "--isa", "-f", "html", shot)
        rows = []
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, _: rows.append(tag)
        parser.feed(page)
        self.assertEqual(rows.count("tr"), len(whole["rows"]) + 1)
        for arguments in (("--march", "rv32i"), ("--missing",), ("-f", "json"), ("--isa", "-o", self.folder / "x"),
                          ("--isa", "--uncovered")):
            self.earshot("coverage", *arguments, shot, status=2)


if __name__ == "__main__":
    main()
