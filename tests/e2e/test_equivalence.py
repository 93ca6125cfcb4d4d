#!/usr/bin/env python3
"""diff of one run in two formats: the same, and every planted difference that both can show is found.

The run is made up (made_run.py) and as complete as a simulator knows it. It is written in every
format, and each pair of formats is compared. Then a difference of every kind is planted into one
side, each at a place of its own. CANNOT says which format cannot show which kind, and why; all
others must be found, and nothing else may be.
"""
import copy
import itertools
import json
import unittest

import made_run
from support import Case, main

FORMATS = {"json": "jsonl", "whisper": "csv", "whisper-log": "whisper.log", "spike": "spike.log",
           "riscv-dv": "dv.csv", "qemu4v": "qemu4v", "tarmac": "tarmac", "rvvi": "rvvi",
           "shot": "shot"}

MEMORY = {"load address", "store address", "store data", "atomic data", "missing store", "extra store"}
CSRS = {"CSR bit", "part of a CSR", "view of a CSR", "missing CSR write", "tval", "epc"}
CAUSES = {"trap cause", "interrupt cause"}
BY_OPCODE = {"access size"}  # it follows from the opcode

# What a format has no room for, by its section in docs/text-formats.md, so that a difference planted into
# it is lost. Each is not found in that format by the most complete one.
CANNOT_SHOW = {
    "json": set(),
    "whisper": BY_OPCODE | {"load data"},
    "whisper-log": BY_OPCODE | {"load data", "flag", "target of a call"},
    "spike": {"load data", "physical address", "target of a call", "epc"},
    "riscv-dv": BY_OPCODE | MEMORY | {"load data", "physical address", "vector element", "mask", "flag",
                                      "target of a call", "hart", "missing trap", "interrupt cause"},
    "qemu4v": {"physical address", "flag", "target of a call", "missing trap", "interrupt cause"},
    "tarmac": CSRS | {"flag", "vector element", "target of a call"},
    "rvvi": {"target of a call"},
    "shot": {"vector element", "mask", "physical address"},
}
# What it does not say of a difference planted into the other trace: the field is lacking, and nothing else
# shows it.
CANNOT_TELL = {
    "json": set(),
    "whisper": BY_OPCODE | {"load data"},
    "whisper-log": BY_OPCODE | {"load data"},
    "spike": {"load data", "physical address"},
    "riscv-dv": CANNOT_SHOW["riscv-dv"] - {"hart"},
    "qemu4v": CANNOT_SHOW["qemu4v"] - {"target of a call"},
    "tarmac": CANNOT_SHOW["tarmac"] - {"target of a call"},
    "rvvi": set(),
    "shot": CANNOT_SHOW["shot"],
}
# Both show it, and not in the same field: the cause of a trap is a CSR there, and here it is not.
APART = {frozenset(("tarmac", "riscv-dv")): {"trap cause"}, frozenset(("tarmac", "qemu4v")): {"trap cause"}}


def register(record, kind):
    return next(write for write in record["registers"] if write["class"] == kind)


def number(record, csr):
    return next(write for write in record["registers"] if write["class"] == "csr" and write["number"] == csr)


def flip(member, key, bit):
    member[key] = hex(int(member[key], 16) ^ bit)


def has_opcode(*opcodes):
    return lambda record: int(record["opcode"], 16) in opcodes and not record.get("interrupt") \
        and not record.get("trap")


def swap(records, at):
    """Two records in the other order, each at its own pc."""
    records[at], records[at + 1] = records[at + 1], records[at]


def drop_access(records, at):
    records[at]["memory"] = []


def give_store(records, at):
    records[at]["memory"] = [{"write": True, "address": "0x80200000", "size": 8, "value": "0x1"}]


def move_hart(records, at):
    records[at]["hart"] = 1


def insert(records, at):
    extra = copy.deepcopy(records[at])
    extra["pc"] = hex(int(extra["pc"], 16) + 0x1000000)
    extra.pop("next_pc", None)
    records.insert(at, extra)


def no_trap(records, at):
    del records[at]["trap"], records[at]["cause"]


def drop_csr(records, at):
    records[at]["registers"] = [write for write in records[at]["registers"] if write["class"] != "csr"]


ALU, LOAD, STORE, BRANCH, CALL = 0x00130293, 0x00053383, 0x00753023, 0x00628463, 0x010000EF
ADD = made_run.fp(1, 1, 2, 3)
AMO, SC, VLOAD, VADD, VSTORE = 0x00C5362F, 0x18C5362F, 0x0205E107, 0x022101D7, 0x0005E127
SCRATCH, ROUNDING, SSTATUS = (made_run.csr(made_run.MSCRATCH, 5, 6), made_run.csr(made_run.FRM, 5),
                              made_run.csr(made_run.SSTATUS, 5))


def ecall(record):
    return record["opcode"] == "0x73"


def fault(record):
    return record.get("trap") and record["cause"] == "0xf"


def set_cause(record, cause):
    record["cause"] = number(record, made_run.MCAUSE)["value"] = cause


def small_store(record):
    """Half of its data is 0: a store of half the size writes the same number."""
    return plain(STORE)(record) and int(record["memory"][0]["value"], 16) < 1 << 32


def plain(*opcodes):
    """A record without physical addresses."""
    fits = has_opcode(*opcodes)
    return lambda record: fits(record) and all("physical" not in access for access in record["memory"])


# Kind of difference: where it can be planted, and how.
KINDS = {
    "x register": (has_opcode(ALU), lambda r, i: flip(register(r[i], "x"), "value", 1 << 20)),
    "f register": (has_opcode(ADD), lambda r, i: flip(register(r[i], "f"), "value", 1)),
    "flag": (has_opcode(ADD), lambda r, i: r[i].update(fflags=r[i]["fflags"] ^ 8)),
    "CSR bit": (has_opcode(SCRATCH), lambda r, i: flip(number(r[i], made_run.MSCRATCH), "value", 1 << 33)),
    "part of a CSR": (has_opcode(ROUNDING), lambda r, i: flip(number(r[i], made_run.FRM), "value", 1)),
    "view of a CSR": (has_opcode(SSTATUS), lambda r, i: flip(number(r[i], made_run.SSTATUS), "value", 2)),
    "missing CSR write": (has_opcode(SCRATCH), drop_csr),
    "missing register": (has_opcode(ALU), lambda r, i: r[i].update(registers=[])),
    "extra register": (has_opcode(BRANCH), lambda r, i: r[i]["registers"].append(
        {"class": "x", "number": 9, "value": "0x77"})),
    "load address": (plain(LOAD), lambda r, i: flip(r[i]["memory"][0], "address", 64)),
    "load data": (plain(LOAD), lambda r, i: flip(r[i]["memory"][0], "value", 64)),
    "store address": (plain(STORE), lambda r, i: flip(r[i]["memory"][0], "address", 64)),
    "store data": (plain(STORE), lambda r, i: flip(r[i]["memory"][0], "value", 1 << 50)),
    "access size": (small_store, lambda r, i: r[i]["memory"][0].update(size=4)),
    "missing store": (plain(STORE), drop_access),
    "extra store": (has_opcode(ALU), give_store),
    "atomic data": (has_opcode(AMO), lambda r, i: flip(r[i]["memory"][1], "value", 2)),
    "outcome of sc": (has_opcode(SC), lambda r, i: flip(register(r[i], "x"), "value", 1)),
    "physical address": (lambda record: any("physical" in access for access in record["memory"]),
                         lambda r, i: flip(r[i]["memory"][0], "physical", 1 << 14)),
    "pc": (has_opcode(ALU), lambda r, i: flip(r[i], "pc", 1 << 28)),
    "opcode": (has_opcode(ALU), lambda r, i: flip(r[i], "opcode", 1 << 20)),
    "privilege": (has_opcode(ALU), lambda r, i: r[i].update(privilege="u")),
    "target of a call": (has_opcode(CALL), lambda r, i: flip(r[i], "next_pc", 1 << 12)),
    "trap cause": (ecall, lambda r, i: set_cause(r[i], "0x8")),
    "interrupt cause": (lambda record: record.get("interrupt"), lambda r, i: set_cause(r[i], "0x800000000000000b")),
    "tval": (fault, lambda r, i: flip(number(r[i], made_run.MTVAL), "value", 16)),
    "epc": (ecall, lambda r, i: flip(number(r[i], made_run.MEPC), "value", 16)),
    "missing trap": (ecall, no_trap),
    "vector element": (has_opcode(VADD), lambda r, i: register(r[i], "v").update(
        value=register(r[i], "v")["value"][:-1] + ("0" if register(r[i], "v")["value"][-1] != "0" else "1"))),
    "mask": (has_opcode(VSTORE), lambda r, i: r[i]["memory"][1].update(masked=True)),
    "order": (has_opcode(ALU), swap),
    "missing record": (has_opcode(ALU), lambda r, i: r.pop(i)),
    "extra record": (has_opcode(ALU), insert),
    "hart": (has_opcode(ALU), move_hart),
}


def plant(records, seed):
    """A copy with a difference of each kind; and pc, of the original, to kind."""
    changed = copy.deepcopy(records)
    free = list(range(len(records) // 30))  # sections, one for each difference
    random = made_run.random.Random(seed)
    random.shuffle(free)
    places = {}
    for kind, (fits, _) in KINDS.items():
        for section in free:
            at = next((index for index in range(30 * section + 8, 30 * section + 16) if fits(records[index])), None)
            if at is not None:
                places[kind] = at
                free.remove(section)
                break
        assert kind in places, kind
    for kind, at in sorted(places.items(), key=lambda item: -item[1]):  # from the end: indexes stay
        KINDS[kind][1](changed, at)
    sections = {}
    for kind, at in places.items():
        for record in records[at // 30 * 30:at // 30 * 30 + 30]:
            sections[record["pc"]] = kind
    for index, record in enumerate(changed):
        record["index"] = index
    return changed, sections


class Equivalence(Case):
    def write_all(self, records, name, formats=FORMATS):
        """The records as files of these formats; format to path."""
        first = self.folder / f"{name}.jsonl"
        made_run.write(first, records)
        paths = {"json": first}
        for format in formats:
            if format != "json":
                paths[format] = self.folder / f"{name}.{FORMATS[format]}"
                self.earshot("convert", "-q", first, "-o", paths[format])
        return paths

    def assert_pairs_are_the_same(self, paths):
        for a, b in itertools.combinations(paths, 2):
            with self.subTest(a=a, b=b):
                out, _ = self.earshot("diff", paths[a], paths[b])
                self.assertTrue(out.startswith("the same: "), out)

    def test_one_run_is_the_same_in_every_pair_of_formats(self):
        for seed in (1, 2):
            self.assert_pairs_are_the_same(self.write_all(made_run.Run(seed, 900).records, f"run{seed}"))

    def test_what_is_made_of_a_text_is_the_same(self):
        """A text that lacks things, rewritten in other formats."""
        source = self.write_all(made_run.Run(3, 600).records, "run", ["whisper"])["whisper"]
        made = {"whisper": source}
        for format, ending in FORMATS.items():
            if format != "whisper":
                made[format] = self.folder / f"made.{ending}"
                self.earshot("convert", "-q", source, "-o", made[format])
        self.assert_pairs_are_the_same(made)

    def test_every_planted_difference_is_found_where_both_formats_show_it(self):
        records = made_run.Run(5, 2400).records
        changed, sections = plant(records, 6)
        plain_paths = self.write_all(records, "a")
        planted_paths = self.write_all(changed, "b")
        for a, b in itertools.product(plain_paths, planted_paths):
            with self.subTest(a=a, b=b):
                out, _ = self.earshot("diff", "-n0", "--json", plain_paths[a], planted_paths[b], status=1)
                found = set()
                for line in out.splitlines():
                    event = json.loads(line)
                    pcs = [event[side]["pc"] for side in "ab" if side in event and "pc" in event[side]]
                    kinds = {sections.get(hex(int(pc, 16))) for pc in pcs} - {None}
                    if event["kind"] != "summary":
                        self.assertTrue(kinds, line)
                    found |= kinds
                cannot = CANNOT_TELL[a] | CANNOT_SHOW[b] | APART.get(frozenset((a, b)), set())
                self.assertEqual(set(KINDS) - cannot - found, set(), "not found")
                if "json" in (a, b):
                    self.assertEqual(found & cannot, set(), "found, although it cannot be shown")

    def test_missing_values_may_be_equal_by_the_same_rules(self):
        paths = self.write_all(made_run.Run(9, 600).records, "run", ("whisper", "spike", "shot"))
        for a, b in itertools.combinations(paths, 2):
            self.earshot("diff", "--unknown-equal", paths[a], paths[b])
        records = made_run.Run(9, 600).records
        for kind in ("CSR bit", "flag"):
            fits, change = KINDS[kind]
            changed = copy.deepcopy(records)
            change(changed, next(at for at, record in enumerate(records) if fits(record)))
            planted = self.write_all(changed, "planted", ("spike",))
            self.earshot("diff", "--unknown-equal", paths["whisper"], planted["spike"], status=1)

    def assert_rules(self, a, b, *rules, status=0):
        """Compare; the summary names these rules. Returns the events."""
        out, _ = self.earshot("diff", "-n0", "--json", a, b, status=status)
        *events, summary = map(json.loads, out.splitlines())
        used = {rule["rule"]: rule["records"] for rule in summary.get("rules", [])}
        for rule in rules:
            self.assertIn(rule, used)
        return events, used

    def test_boot_code_and_the_loop_after_the_end_are_passed(self):
        paths = self.write_all(made_run.Run(7, 200, paged=False).records, "run", ("whisper", "spike"))
        text = paths["spike"].read_text()
        boot = "".join(spike_lines(pc, 0x00000297, f"x5  0x{pc:016x}") for pc in range(0x1000, 0x1014, 4))
        loop = spike_lines(0x80FF0000, 0xA001, "")
        longer = self.folder / "longer.spike.log"
        longer.write_text(boot + text + 5000 * loop)
        _, used = self.assert_rules(paths["whisper"], longer, "boot-code", "closing-loop")
        self.assertEqual((used["boot-code"], used["closing-loop"]), (5, 5000))
        # What is no loop is found, near its beginning and far from it.
        other = spike_lines(0x80FF0000, 0x00130293, "x5  0x0000000000000001")
        for end in (other, 3 * loop + other + 10 * loop, 4000 * loop + other):
            longer.write_text(boot + text + end)
            events, _ = self.assert_rules(paths["whisper"], longer, "boot-code", status=1)
            self.assertEqual([event["kind"] for event in events], ["ended"])
        # Boot code that both have is compared.
        longer.write_text(boot + text)
        wrong = self.folder / "wrong.spike.log"
        wrong.write_text(boot.replace("x5  0x0000000000001004", "x5  0x0000000000001005") + text)
        self.earshot("diff", longer, wrong, status=1)

    def test_rows_without_a_register_may_be_left_out_if_all_are(self):
        paths = self.write_all(made_run.Run(8, 1500, traps=False).records, "run", ("whisper", "spike", "riscv-dv"))
        header, *rows = paths["riscv-dv"].read_text().splitlines(keepends=True)
        writing = [row for row in rows if row.split(",")[2] or row.split(",")[3]]
        self.assertGreater(len(rows) - len(writing), 100)
        left_out = self.folder / "left-out.dv.csv"
        left_out.write_text(header + "".join(writing))
        for other in ("whisper", "spike", "json"):
            _, used = self.assert_rules(left_out, paths[other], "rows")
            self.assertEqual(used["rows"], len(rows) - len(writing))
        # A row that wrote a register is missed.
        left_out.write_text(header + "".join(writing[:700] + writing[701:]))
        events, _ = self.assert_rules(left_out, paths["whisper"], "rows", status=1)
        self.assertEqual([event["kind"] for event in events], ["inserted"])
        # With one row of another kind, none may be left out.
        at = next(index for index, row in enumerate(rows) if row not in writing and index > 20)
        left_out.write_text(header + "".join(row for index, row in enumerate(rows) if row in writing or index == at))
        self.assert_rules(left_out, paths["whisper"], status=1)


def spike_lines(pc, opcode, effects):
    digits = 8 if opcode & 3 == 3 else 4
    return (f"core   0: 0x{pc:016x} (0x{opcode:08x}) x\n"
            f"core   0: 3 0x{pc:016x} (0x{opcode:0{digits}x}) {effects}".rstrip() + "\n")


if __name__ == "__main__":
    main()
