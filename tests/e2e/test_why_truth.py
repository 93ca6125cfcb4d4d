#!/usr/bin/env python3
"""Chains of values against a second opinion: the JSON records of the same trace, walked from the first to the last
with who wrote each register and each byte of memory. Random programs, two harts, and missing records.
"""
import collections
import json
import random
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, main, some, write_elf

BASE, DATA, DATA_SIZE = 0x80000000, 0x80001000, 48
FREE = [1, 2, *range(5, 16), 28, 29, 30, 31]  # registers that a program computes with; x3: the data, x4: a counter
REGISTERS = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
             "t3 t4 t5 t6").split()
CSRS = {"mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mstatus": 0x300, "mie": 0x304,
        "mtvec": 0x305}


class Program:
    """Random instructions on a few bytes of memory, in loops, with a handler that skips what trapped."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.code = []
        self.load_constant(5, BASE + 0x18)
        self.word(0x30529073)  # csrw mtvec, x5
        self.load_constant(3, DATA)
        self.jump(16)
        self.code += [0x34102FF3, 0x004F8F93, 0x341F9073, 0x30200073]  # handler: mepc += 4
        self.code[5] = self.j(20)
        for _ in range(6):
            self.loop()
        self.load_constant(5, 0x100000)
        self.load_constant(6, 0x5555)
        self.store(5, 6, 0, 2)
        self.jump(0)

    def word(self, word):
        self.code.append(word & 0xFFFFFFFF)

    def load_constant(self, register, value):
        upper = (value + 0x800) >> 12
        self.word(upper << 12 | register << 7 | 0x37)
        self.word((value - (upper << 12)) << 20 | register << 15 | register << 7 | 0x13)

    @staticmethod
    def j(offset):
        return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20
                | (offset >> 12 & 0xFF) << 12 | 0x6F)

    def jump(self, offset):
        self.word(self.j(offset))

    def store(self, base, register, offset, size):
        self.word((offset >> 5 & 0x7F) << 25 | register << 20 | base << 15 | size << 12 | (offset & 31) << 7 | 0x23)

    def some(self):
        return self.random.choice(FREE)

    def loop(self):
        self.word(self.random.randint(1, 7) << 20 | 4 << 7 | 0x13)  # li x4, rounds
        top = len(self.code)
        for _ in range(self.random.randint(5, 60)):
            self.instruction()
        self.word(0xFFF20213)  # addi x4, x4, -1
        offset = (top - len(self.code)) * 4
        self.word((offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25 | 4 << 15 | 1 << 12
                  | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7 | 0x63)  # bnez x4, top

    def instruction(self):
        pick = self.random
        kind = pick.choice(("alu", "alu", "immediate", "move", "load", "load", "load", "store", "store", "store", "lui",
                            "csr", "branch", "muldiv", "call", "trap"))
        rd, rs1, rs2 = self.some(), self.some(), self.some()
        size = pick.randrange(3)
        offset = pick.randrange(DATA_SIZE >> size) << size
        if kind == "alu":
            self.word(rs2 << 20 | rs1 << 15 | pick.randrange(8) << 12 | rd << 7 | 0x33)
        elif kind == "muldiv":
            self.word(1 << 25 | rs2 << 20 | rs1 << 15 | pick.randrange(8) << 12 | rd << 7 | 0x33)
        elif kind == "immediate":
            self.word(pick.randrange(4096) << 20 | rs1 << 15 | pick.choice((0, 4, 6, 7)) << 12 | rd << 7 | 0x13)
        elif kind == "move":
            self.word(rs1 << 15 | rd << 7 | 0x13)
        elif kind == "load":
            function = size if size == 2 else size | pick.randrange(2) << 2
            self.word(offset << 20 | 3 << 15 | function << 12 | rd << 7 | 0x03)
        elif kind == "store":
            self.store(3, pick.choice((0, rs1, rs2)), offset, size)
        elif kind == "lui":
            self.word(pick.randrange(1 << 20) << 12 | rd << 7 | pick.choice((0x37, 0x17)))
        elif kind == "csr":
            self.word(pick.choice((0x340, 0x342)) << 20 | pick.choice((0, rs1)) << 15
                      | pick.choice((1, 2, 3, 5, 6, 7)) << 12 | pick.choice((0, rd)) << 7 | 0x73)
        elif kind == "branch":
            self.word(4 << 8 | rs2 << 20 | rs1 << 15 | pick.choice((0, 1, 4, 5, 6, 7)) << 12 | 0x63)
            self.word(pick.randrange(4096) << 20 | rs1 << 15 | rd << 7 | 0x13)
        elif kind == "call":
            self.word(self.j(4) | rd << 7)
        else:
            self.word(pick.choice((0xFFFFFFFF, 0x00000073)))


def fields(opcode):
    return opcode & 0x7F, opcode >> 7 & 31, opcode >> 12 & 7, opcode >> 15 & 31, opcode >> 20


class Truth:
    """Who wrote what, by the records alone. A writer is a position; each has what it changed, as it was before."""

    def __init__(self, lines):
        self.records = [json.loads(line) for line in lines]
        self.writers = collections.defaultdict(list)  # of ("x", hart, 5), ("m", address): (position, value)
        self.gaps = []  # (last record before, first record after, hart)
        newest = {}
        for position, record in enumerate(self.records):
            hart = record["hart"]
            if hart in newest and record["index"] > self.records[newest[hart]]["index"] + 1:
                self.gaps.append((newest[hart], position, hart))
            newest[hart] = position
            for register in record.get("registers", ()):
                self.writers[register["class"], hart, register["number"]].append((position, int(register["value"], 16)))
            for access in record.get("memory", ()):
                if access["write"] and not record.get("trap"):
                    for i in range(access["size"]):
                        value = int(access["value"], 16) >> 8 * i & 255
                        self.writers["m", int(access["address"], 16) + i].append((position, value))

    def last(self, key, before):
        """(position, value) of the last write before a position."""
        found = self.writers.get(key, [])
        low, high = 0, len(found)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if found[middle][0] < before else (low, middle)
        return found[low - 1] if low else None

    def is_gap(self, after, before, hart):
        """Are records missing, certainly after one position and before the other?"""
        return any(after <= first and last <= before and hart in (None, at) for first, last, at in self.gaps)

    def may_be_gap(self, after, before, hart):
        return any(after < last and first < before and hart in (None, at) for first, last, at in self.gaps)

    def sources(self, position, key):
        """What the record at position made the value of key from: registers, and bytes of memory."""
        record = self.records[position]
        opcode, rd, function, rs1, upper = fields(int(record["opcode"], 16))
        hart = record["hart"]
        rs2 = upper & 31
        registers, memory = [], []
        if record.get("trap"):
            return "core", [], []
        if opcode == 0x03:
            memory = [access for access in record["memory"] if not access["write"]]
        elif opcode == 0x23:
            registers = [("x", rs2)]
        elif opcode == 0x33:
            registers = [("x", rs1), ("x", rs2)]
        elif opcode == 0x13:
            registers = [("x", rs1)]
        elif opcode == 0x73 and function == 0:  # mret
            registers = [(key[0], key[2])]
        elif opcode == 0x73 and key[0] == "x":
            registers = [("csr", upper)]
        elif opcode == 0x73:
            registers = ([("csr", upper)] if function & 3 != 1 else []) + ([("x", rs1)] if function < 4 else [])
        keys = sorted({(kind, hart, number) for kind, number in registers if (kind, number) != ("x", 0)})
        return None if keys or memory else "constant", keys, memory


class ValueChains(Case):
    def chain(self, path, *arguments):
        result = subprocess.run([EARSHOT, "why", "-q", "--json", "--value", *map(str, arguments), str(path)], check=False,
                                capture_output=True, text=True, timeout=120)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)

    @staticmethod
    def key(place):
        name = place["register"]
        if name in CSRS:
            return "csr", place["hart"], CSRS[name]
        return "x", place["hart"], REGISTERS.index(name)

    def check_link(self, truth, nodes, source, before):
        """One source: the last write before that position, or the reason why there is none."""
        if source.get("end") == "address":
            return
        is_memory = "address" in source
        keys = [("m", int(source["address"], 16) + i) for i in range(source["size"])] if is_memory else [
            self.key(source)]
        hart = None if is_memory else source["hart"]
        found = [truth.last(key, before) for key in keys]
        self.links += 1
        if source["node"] is not None:
            node = nodes[source["node"]]
            for key, last in zip(keys, found):
                self.assertIsNotNone(last, source)
                if node.get("folded"):
                    self.assertTrue(node["first_record"] <= last[0] <= node["position"], (source, node, last))
                    self.assertEqual(truth.records[last[0]]["pc"], node["pc"])
                else:
                    self.assertEqual(last[0], node["position"], (source, node))
                self.assertFalse(truth.is_gap(last[0], before, hart), (source, node))
            if is_memory:
                self.assertEqual(int(source["value"], 16), sum(last[1] << 8 * i for i, last in enumerate(found)))
            else:
                self.assertEqual(int(source["value"], 16), found[0][1])
            return
        self.ends[source["end"]] += 1
        if source["end"] in ("begin", "image"):
            self.assertEqual(set(found), {None}, source)
            self.assertFalse(truth.is_gap(-1, before, hart))
        elif source["end"] == "gap":
            newest = max((last[0] for last in found if last), default=-1)
            self.assertTrue(truth.may_be_gap(newest, before, hart), source)
        elif source["end"] == "changed":
            self.assertTrue(is_memory)
            value = sum((last[1] if last else 0) << 8 * i for i, last in enumerate(found))
            self.assertNotEqual(value, int(source["value"], 16), source)
        else:
            self.assertIn(source["end"], ("core", "limit"), source)

    def check_node(self, truth, nodes, node):
        position, places = node["position"], node["writes"]
        record = truth.records[position]
        if "address" in places:
            keys = [("m", int(places["address"], 16) + i) for i in range(places["size"])]
        else:
            keys = [self.key(places)]
        written = [truth.last(key, position + 1) for key in keys]
        self.assertEqual({last[0] for last in written}, {position}, node)
        self.assertEqual(int(node["after"], 16), sum(last[1] << 8 * i for i, last in enumerate(written)))
        before = [truth.last(key, position) for key in keys]
        hart = None if "address" in places else places["hart"]
        if node["before"] is not None and all(before) and self.is_whole \
                and not truth.is_gap(min(last[0] for last in before), position, hart):
            self.assertEqual(int(node["before"], 16), sum(last[1] << 8 * i for i, last in enumerate(before)), node)
        self.assertEqual((node["pc"], node["hart"]), (record["pc"], record["hart"]))
        if node.get("folded"):
            return
        if self.is_decoded:
            self.check_sources(truth, node, position, keys[0])
        for source in node["sources"]:
            self.check_link(truth, nodes, source, position)

    def check_sources(self, truth, node, position, key):
        """Are these all that the instruction read?"""
        end, registers, memory = truth.sources(position, key)
        if node["end"] == "limit":
            return
        self.assertEqual(node["end"], end, node)
        said = [source for source in node["sources"] if not source["is_address"]]
        self.assertEqual(sorted(self.key(source) for source in said if "register" in source), registers, node)
        read = sorted(int(access["address"], 16) + i for access in memory for i in range(access["size"]))
        self.assertEqual(sorted(int(source["address"], 16) + i for source in said if "address" in source
                                for i in range(source["size"])), read, node)

    def check_chain(self, truth, answer, before):
        nodes = answer["nodes"]
        self.assertEqual([node["position"] for node in nodes],
                         sorted((node["position"] for node in nodes), reverse=True))
        for source in answer["roots"]:
            self.check_link(truth, nodes, source, before)
        for node in nodes:
            self.check_node(truth, nodes, node)

    def check_places(self, path, truth, pick, count, harts=(0,)):
        """Chains of random registers, CSRs and memory, at random moments."""
        for number in range(count):
            at = pick.randrange(truth.instructions)
            options = pick.choice((["--repeats", 4096, "--limit", 4096, "--depth", 4096], [], ["--limit", 10]))
            kind = pick.random()
            if kind < .6:
                value = REGISTERS[pick.choice([register for register in FREE])]
            elif kind < .7:
                value = pick.choice(list(CSRS))
            else:
                value = f"{DATA + pick.randrange(DATA_SIZE - 8):#x}:{pick.randint(1, 8)}"
            with self.subTest(path=path.name, value=value, at=at, options=options, number=number):
                answer = self.chain(path, value, "--at", at, "--hart", pick.choice(harts), *options)
                self.check_chain(truth, answer, answer["position"])

    def setUp(self):
        super().setUp()
        self.links, self.ends, self.is_whole, self.is_decoded = 0, collections.Counter(), True, True

    def captured(self, seed):
        elf, shot = self.folder / f"p{seed}.elf", self.folder / f"p{seed}.shot"
        program = Program(seed)
        code = program.code + [0] * ((DATA - BASE) // 4 - len(program.code))
        write_elf(elf, code + [random.Random(seed).getrandbits(32) for _ in range(DATA_SIZE // 8)])
        subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{elf},max-cycles=200000", "-o", shot], check=True,
                       capture_output=True, timeout=120)
        return shot

    def lines(self, path):
        out = subprocess.run([EARSHOT, "decode", "-q", "-f", "json", path], check=True, capture_output=True, text=True,
                             timeout=120).stdout
        return out.splitlines()

    def truth(self, lines):
        truth = Truth(lines)
        truth.instructions = sum(record["kind"] == "instruction" for record in truth.records)
        return truth

    def test_random_programs(self):
        for seed in range(12 if NIGHT else 2):
            path = self.captured(seed)
            self.check_places(path, self.truth(self.lines(path)), random.Random(seed), 30)
        self.assertGreater(self.links, 1500 if NIGHT else 200)
        self.assertTrue({"begin", "limit"} <= set(self.ends), self.ends)

    def test_programs_of_a_compiler(self):
        """Their compressed instructions are not decoded here: only who wrote last is checked."""
        self.is_decoded = False
        for name in some("rtos", "sha256", "strings", "traps", "story_race", "nested"):
            path = self.folder / f"{name}.shot"
            subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / name}.elf,uart=/dev/null", "-o", path],
                           check=True, capture_output=True, timeout=120)
            self.check_places(path, self.truth(self.lines(path)), random.Random(name), 30)
        self.assertGreater(self.links, 1000 if NIGHT else 150)
        self.assertIn("image" if NIGHT else "begin", self.ends)

    def test_two_harts_in_the_same_memory(self):
        """A hart reads what the other wrote, or what neither did: then the value is not followed."""
        self.is_whole = False
        for seed in range(4 if NIGHT else 1):
            pick = random.Random(seed)
            parts = [[json.loads(line) | {"hart": hart} for line in self.lines(self.captured(2 * seed + hart))]
                     for hart in (0, 1)]
            order = [hart for hart in (0, 1) for _ in parts[hart]]
            pick.shuffle(order)
            lines = [json.dumps(parts[hart].pop(0)) for hart in order]
            path = self.folder / f"two{seed}.jsonl"
            path.write_text("".join(line + "\n" for line in lines))
            self.check_places(path, self.truth(lines), pick, 30, (0, 1))
        self.assertIn("changed", self.ends)

    def test_missing_records(self):
        self.is_whole = False
        for seed in range(8 if NIGHT else 2):
            pick = random.Random(seed)
            lines = self.lines(self.captured(seed))
            for _ in range(4):
                first = pick.randrange(len(lines))
                del lines[first:first + pick.choice((1, 2, 30))]
            path = self.folder / f"gaps{seed}.jsonl"
            path.write_text("".join(line + "\n" for line in lines))
            self.check_places(path, self.truth(lines), pick, 25)
        self.assertIn("gap", self.ends)


if __name__ == "__main__":
    main()
