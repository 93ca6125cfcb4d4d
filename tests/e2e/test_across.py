#!/usr/bin/env python3
"""diff of runs whose time differs: --interrupts skip and --tolerate, against a known truth.

A small machine runs one random program twice. The two runs have interrupts at other places, with
random handlers (nested, with exceptions inside, some that never return), other clocks, counters and
device values. The program keeps what depends on those in registers and memory of their own, so that
it goes the same way both times. So the two traces are the same but for the time; then a difference is
planted where all inputs of an instruction are equal on both sides, and must be found at its record.
--long: 1500 trials; the seed of a failing trial is printed.
"""
import json
import pathlib
import random
import subprocess
import sys

from support import EARSHOT, NIGHT, PROGRAMS, Case, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

MASK = (1 << 64) - 1
BASE, HANDLER, DATA, FREE, STACK, DEVICE = 0x80000000, 0x80008000, 0x80010000, 0x80020000, 0x80030000, 0x2000000
LAST = FREE + 0x40  # where handlers leave the time
SAFE, TIMED = range(10, 16), range(20, 28)  # registers that never depend on the time, and those that may
CLOCKS = {"cycle": 0xC00, "time": 0xC01, "mcycle": 0xB00, "instret": 0xC02, "hpmcounter5": 0xC05}
MRET, SRET, ECALL = 0x30200073, 0x10200073, 0x73
TOLERATE = ("--tolerate", f"clocks,counters,devices={DEVICE:#x}+0x100")


def r_type(base, rd, rs1, rs2):
    return base | rd << 7 | rs1 << 15 | rs2 << 20


def i_type(base, rd, rs1, imm):
    return base | rd << 7 | rs1 << 15 | (imm & 0xFFF) << 20


def s_type(base, rs2, rs1, imm):
    return base | rs1 << 15 | rs2 << 20 | (imm & 0x1F) << 7 | (imm >> 5 & 0x7F) << 25


def b_type(base, rs1, rs2, imm):
    return (base | rs1 << 15 | rs2 << 20 | (imm >> 11 & 1) << 7 | (imm >> 1 & 15) << 8 | (imm >> 5 & 63) << 25
            | (imm >> 12 & 1) << 31)


ALU = {"add": (0x33, lambda a, b: a + b), "sub": (0x40000033, lambda a, b: a - b),
       "xor": (0x4033, lambda a, b: a ^ b), "and": (0x7033, lambda a, b: a & b), "or": (0x6033, lambda a, b: a | b),
       "mul": (0x2000033, lambda a, b: a * b)}
SIZES = {1: 0, 2: 1, 4: 2, 8: 3}


class Machine:
    """One run: registers, memory, and the records that it leaves."""

    def __init__(self, numbers, mode, rate):
        self.numbers, self.mode, self.rate = numbers, mode, rate
        self.x = [0] * 32
        self.x[2], self.x[3], self.x[4] = STACK, FREE, DATA
        self.f, self.csr, self.memory, self.time = [0] * 32, {}, {}, numbers.randrange(1000)
        self.records, self.plain = [], []  # plain: place in records, and the inputs, of what is compared
        self.pc, self.privilege, self.depth, self.handlers, self.skipped = BASE, mode, 0, 0, 0

    def load(self, address, size):
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(size))

    def store(self, address, size, value):
        for i in range(size):
            self.memory[address + i] = value >> 8 * i & 0xFF

    def emit(self, opcode, inputs=(), registers=(), memory=(), **more):
        record = {"kind": "instruction", "hart": 0, "index": len(self.records), "isa": "riscv", "xlen": 64,
                  "pc": hex(self.pc), "opcode": hex(opcode), "opcode_size": 4, "privilege": self.privilege}
        following = more.pop("next_pc", self.pc + 4)
        if not more.get("trap") and not more.get("interrupt"):
            record["next_pc"] = hex(following)
        if registers:
            record["registers"] = [{"class": c, "number": n, "value": hex(v & MASK)} for c, n, v in registers]
        if memory:
            record["memory"] = [{"write": w, "address": hex(a), "size": s, "value": hex(v & MASK)}
                                for w, a, s, v in memory]
        record.update(more)
        if self.depth == 0:
            self.plain.append((len(self.records), inputs))
        else:
            self.skipped += 1
        self.records.append(record)
        self.pc = following
        self.time += self.numbers.randrange(4)

    def set_x(self, number, value):
        self.x[number] = value & MASK
        return ("x", number, value)

    def run(self, op):
        kind, *rest = op
        getattr(self, "do_" + kind)(*rest)

    def do_alu(self, name, rd, rs1, rs2):
        base, function = ALU[name]
        inputs = (self.x[rs1], self.x[rs2])
        self.emit(r_type(base, rd, rs1, rs2), inputs, [self.set_x(rd, function(*inputs))])

    def do_addi(self, rd, rs1, imm):
        inputs = (self.x[rs1],)
        self.emit(i_type(0x13, rd, rs1, imm), inputs, [self.set_x(rd, self.x[rs1] + imm)])

    def do_load(self, rd, base, offset, size):
        address = self.x[base] + offset
        device = DEVICE <= address < DEVICE + 0x100
        value = self.numbers.getrandbits(8 * size - 1) if device else self.load(address, size)
        self.emit(i_type(0x3 | (SIZES[size] | (4 if size < 8 else 0)) << 12, rd, base, offset),
                  None if device else (value,), [self.set_x(rd, value)], [(False, address, size, value)])

    def do_store(self, rs2, base, offset, size):
        address, value = self.x[base] + offset, self.x[rs2] & (1 << 8 * size) - 1
        self.store(address, size, value)
        self.emit(s_type(0x23 | SIZES[size] << 12, rs2, base, offset), (value,), (), [(True, address, size, value)])

    def do_amoadd(self, rd, rs2, base):
        address, addend = self.x[base], self.x[rs2]
        value = self.load(address, 8)
        self.store(address, 8, value + addend & MASK)
        self.emit(r_type(0x302F, rd, base, rs2), (value, addend), [self.set_x(rd, value)],
                  [(False, address, 8, value), (True, address, 8, value + addend & MASK)])

    def do_clock(self, rd, name):
        self.emit(i_type(0x2073, rd, 0, CLOCKS[name]), None, [self.set_x(rd, self.time)])

    def do_swap(self, rd, csr, rs1):
        old, new = self.csr.get(csr, 0), self.x[rs1]
        self.csr[csr] = new
        self.emit(i_type(0x1073, rd, rs1, csr), (old, new), [self.set_x(rd, old), ("csr", csr, new)])

    def do_to_f(self, rd, rs1):
        self.f[rd] = self.x[rs1]
        self.emit(r_type(0xF2000053, rd, rs1, 0), (self.x[rs1],), [("f", rd, self.f[rd])])

    def do_from_f(self, rd, rs1):
        self.emit(r_type(0xE2000053, rd, rs1, 0), (self.f[rs1],), [self.set_x(rd, self.f[rs1])])

    def do_branch(self, rs1, target):
        taken = self.x[rs1] != 0
        self.emit(b_type(0x1063, rs1, 0, target - self.pc), (self.x[rs1],),
                  next_pc=target if taken else self.pc + 4, **({"taken": True} if taken else {}))

    def do_ecall(self):
        """An exception, and its handler, which is compared."""
        self.trap(ECALL, 8, "trap")
        self.run(("addi", 30, 30, 1))
        self.back(4)

    # Traps

    def trap(self, opcode, cause, what):
        number = {"m": 0x341, "s": 0x141}["m"]
        at, before = self.pc, self.privilege
        self.stack = getattr(self, "stack", [])
        self.stack.append((at, before))
        cause |= (1 << 63) * (what == "interrupt")
        self.emit(opcode, (at,), [("csr", number, at), ("csr", 0x342, cause), ("csr", 0x343, 0)],
                  cause=hex(cause), **{what: True})
        self.pc, self.privilege = HANDLER + (0x1000 if what == "trap" else 0), "m"

    def back(self, step=0):
        at, before = self.stack.pop()
        self.emit(MRET, (at,), next_pc=at + step)
        self.pc, self.privilege = at + step, before

    def interrupt(self, opcode):
        """A handler: it saves what it uses, counts, reads the time, and gives back what it saved."""
        numbers, held, x1 = self.numbers, self.depth, self.x[1]
        self.depth += 1
        self.handlers += 1
        self.trap(opcode, 7, "interrupt")
        used = numbers.sample(range(5, 29), 3)
        saved = [self.x[number] for number in used]
        self.run(("addi", 2, 2, -64))
        for place, number in enumerate(used):
            self.run(("store", number, 2, 8 * place, 8))
        escaped = False
        for _ in range(numbers.randrange(12)):
            chance = numbers.random()
            if chance < 0.08 and self.depth < 4:
                self.interrupt(0x13)
            elif chance < 0.15:
                self.trap(ECALL, 11, "trap")
                self.run(("alu", "add", used[0], used[1], used[2]))
                if self.mode == "u" and numbers.random() < 0.3 and self.depth == 1:
                    escaped = True
                    break  # the exception never returns: it goes back to what was interrupted
                self.back(4)
            elif chance < 0.4:
                self.run(("clock", used[0], numbers.choice(list(CLOCKS))))
                self.run(("store", used[0], 3, LAST - FREE, 8))
            elif chance < 0.6:
                self.run(("load", used[1], 3, 0x800 - 8 - 0x100, 8))
                self.run(("addi", used[1], used[1], 1))
                self.run(("store", used[1], 3, 0x800 - 8 - 0x100, 8))
            else:
                self.run(("alu", numbers.choice(list(ALU)), *(numbers.choice(used) for _ in range(3))))
        for place, number in enumerate(used):
            self.run(("load", number, 2, 8 * place, 8))
        self.run(("addi", 2, 2, 64))
        if escaped:
            self.stack.pop()
        self.back()
        assert saved == [self.x[number] for number in used] and self.x[1] == x1
        self.depth = held


def draw_program(numbers, room=0x60):
    """Straight code and loops: (operation) by address. room: bytes of each data area."""
    program = []

    def plain():
        timed = numbers.random() < 0.5
        rd = numbers.choice(TIMED if timed else SAFE)
        any_of = [*SAFE, *TIMED] if timed else SAFE
        size = numbers.choice((1, 2, 4, 8))
        area, offset = (3, numbers.randrange(room)) if timed else (4, numbers.randrange(room))
        return numbers.choice((
            ("alu", numbers.choice(list(ALU)), rd, numbers.choice(any_of), numbers.choice(any_of)),
            ("alu", numbers.choice(list(ALU)), rd, numbers.choice(any_of), numbers.choice(any_of)),
            ("addi", rd, numbers.choice(any_of), numbers.randrange(-2048, 2048)),
            ("load", rd, area, offset, size),
            ("store", numbers.choice(any_of), area, offset, size),
            ("amoadd", rd, numbers.choice(any_of), area),
            ("swap", rd, 0x340 if timed else 0x140, numbers.choice(any_of)),
            ("to_f", rd, numbers.choice(any_of)),
            ("from_f", rd, numbers.choice(TIMED if timed else SAFE)),
            ("clock", numbers.choice(TIMED), numbers.choice(list(CLOCKS))),
            ("load", numbers.choice(TIMED), 6, numbers.randrange(0, 0xF0), size),
            ("ecall",),
        ))

    while len(program) < 150:
        if numbers.random() < 0.3:
            program.append(("addi", 5, 0, numbers.randrange(2, 8)))
            begin = BASE + 4 * len(program)
            program += [plain() for _ in range(numbers.randrange(1, 8))]
            program += [("addi", 5, 5, -1), ("branch", 5, begin)]
        else:
            program.append(plain())
    return program


def run(numbers, program, mode, rate, values):
    machine = Machine(numbers, mode, rate)
    machine.x[6] = DEVICE
    for number, value in zip(SAFE, values):
        machine.x[number] = value
    while machine.pc < BASE + 4 * len(program):
        if numbers.random() < rate:
            machine.interrupt(0x13)
        else:
            machine.run(program[(machine.pc - BASE) // 4])
    return machine


def plant(numbers, a, b, lines):
    """Change one record of B whose inputs are the same in A. Returns its place in A and B, or None."""
    at = numbers.randrange(20, len(b.plain) - 20)
    (in_a, inputs_a), (in_b, inputs_b) = a.plain[at], b.plain[at]
    record = lines[in_b]
    if inputs_a is None or inputs_a != inputs_b:
        return None
    kinds = ["missing", "cause"] if record.get("trap") else ["missing"]
    kinds += ["register"] * 3 * ("registers" in record and record["registers"][0] != {})
    kinds += ["value", "value", "address"] * ("memory" in record) + ["target"] * bool(record.get("taken"))
    kind = numbers.choice(kinds)
    if kind == "missing":
        del lines[in_b]
        in_b = b.plain[at + 1][0] - 1  # what B has next, after a handler perhaps
    elif kind == "cause":
        record["cause"] = "0x9"
    elif kind == "register":
        chosen = numbers.choice(record["registers"])
        chosen["value"] = hex(int(chosen["value"], 16) ^ 1 << numbers.randrange(64))
    elif kind == "target":
        record["next_pc"] = hex(int(record["next_pc"], 16) ^ 4)
    else:
        chosen = record["memory"][-1]
        bit = numbers.randrange(8 * chosen["size"]) if kind == "value" else numbers.randrange(3, 12)
        chosen[kind] = hex(int(chosen[kind], 16) ^ 1 << bit)
    return kind, in_a, in_b


class Across(Case):
    def write(self, name, records):
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    def diff(self, a, b, *options, status):
        out, _ = self.earshot("diff", "--json", "-n0", *options, a, b, status=status)
        events = [json.loads(line) for line in out.splitlines()]
        return events[:-1], events[-1]

    def trial(self, seed):
        numbers = random.Random(seed)
        program = draw_program(numbers)
        mode = numbers.choice(("m", "u"))
        values = [numbers.getrandbits(64) for _ in SAFE]
        a, b = (run(numbers, program, mode, numbers.choice((0, 0.005, 0.03, 0.15)), values) for _ in range(2))
        self.assertEqual([a.records[at]["pc"] for at, _ in a.plain], [b.records[at]["pc"] for at, _ in b.plain])
        lines = [json.loads(json.dumps(record)) for record in b.records]
        path_a, path_b = self.write("a", a.records), self.write("b", lines)
        options = ("--interrupts", "skip", *TOLERATE)
        events, summary = self.diff(path_a, path_b, *options, status=0)
        self.assertEqual((events, summary["same"], summary["pairs"]), ([], True, len(a.plain)))
        for side, machine in (("a", a), ("b", b)):
            self.assertEqual((summary["handlers_" + side], summary["handler_records_" + side]),
                             (machine.handlers, machine.skipped))
            self.assertEqual((summary["switched_" + side], summary["not_returned_" + side]), (0, 0))
        mixed = []
        for path in path_a, path_b:  # what formats carry does not change the answer
            form = numbers.choice(("csv", "whisper.log", "jsonl", "spike.log"))
            mixed.append(path.with_suffix("." + form))
            if form != "jsonl":
                self.earshot("convert", "-q", path, "-o", mixed[-1])
        if mixed != [path_a, path_b]:
            events, summary = self.diff(*mixed, *options, status=0)
            self.assertEqual((events, summary["handler_records_b"]), ([], b.skipped))
        found = set()
        for _ in range(2):
            lines = [json.loads(json.dumps(record)) for record in b.records]
            planted = plant(numbers, a, b, lines)
            if not planted:
                continue
            kind, in_a, in_b = planted
            path_b = self.write("b", lines)
            events, summary = self.diff(path_a, path_b, *options, status=1)
            self.assertEqual((events[0]["a"]["record"], events[0]["b"]["record"]), (in_a, in_b), planted)
            if kind not in ("missing", "address", "target"):
                self.assertEqual(len(events), 1, planted)
            found.add(kind)
        return found

    def gap_trial(self, seed):
        """One side has a gap somewhere, in a handler perhaps."""
        numbers = random.Random(seed)
        program = draw_program(numbers, LAST - FREE - 8)  # what a lost handler left at LAST is not read
        values = [numbers.getrandbits(64) for _ in SAFE]
        a, b = (run(numbers, program, "m", numbers.choice((0.005, 0.03)), values) for _ in range(2))
        cut, whole = (a, b) if numbers.random() < 0.5 else (b, a)
        first = numbers.randrange(10, len(cut.records) - 200)
        count = numbers.randrange(1, 150)
        gap = {"kind": "gap", "hart": 0, "index": first + count, "reason": "unit-fifo", "count": count,
               "first": first, "last": first + count - 1}
        with_gap = cut.records[:first] + [gap] + cut.records[first + count:]
        paths = self.write("cut", with_gap), self.write("whole", whole.records)
        events, summary = self.diff(*paths, "--interrupts", "skip", *TOLERATE, status=0)
        self.assertEqual([event["kind"] for event in events], ["gap"])
        self.assertGreater(summary["pairs"], len(whole.plain) - 2 * count - 200)

    def test_each_hart_has_its_own_handlers_and_values(self):
        for seed in range(5):
            numbers = random.Random(seed)
            records, skipped = ([], []), [0, 0]
            for hart in 0, 1:
                program = draw_program(numbers)
                values = [numbers.getrandbits(64) for _ in SAFE]
                for side in 0, 1:
                    machine = run(numbers, program, "m", 0.03, values)
                    skipped[side] += machine.skipped
                    for record in machine.records:  # memory of its own
                        record["hart"] = hart
                        for access in record.get("memory", ()):
                            if int(access["address"], 16) >= DATA:
                                access["address"] = hex(int(access["address"], 16) + 0x100000 * hart)
                    records[side].append(machine.records)
            paths = []
            for side in 0, 1:
                turns = [record for pair in zip(*records[side]) for record in pair]
                longer = max(records[side], key=len)
                paths.append(self.write("ab"[side], turns + longer[len(turns) // 2:]))
            with self.subTest(seed=seed):
                events, summary = self.diff(*paths, "--interrupts", "skip", *TOLERATE, status=0)
                self.assertEqual((events, [summary["handler_records_a"], summary["handler_records_b"]]), ([], skipped))

    def test_threads_change_nothing(self):
        numbers = random.Random(3)
        program, values = draw_program(numbers), [numbers.getrandbits(64) for _ in SAFE]
        a, b = (run(numbers, program, "m", 0.03, values) for _ in range(2))
        lines = b.records
        while plant(numbers, a, b, lines) is None:
            pass
        for name, records in (("a", a.records), ("b", lines)):
            self.earshot("convert", "-q", self.write(name, records), "-o", self.folder / f"{name}.csv")
        command = ["diff", "-n0", "--interrupts", "skip", *TOLERATE, self.folder / "a.csv", self.folder / "b.csv"]
        one = self.earshot(*command, status=1)
        for jobs in "2", "4":
            self.assertEqual(self.earshot(*command, "-j", jobs, status=1), one)

    def test_a_program_counts_interrupts_on_the_simulator(self):
        """timer.elf stops after 200 interrupts: that is all that differs, and it is reported as a decision."""
        captures = []
        for seed in "1", "2":
            captures.append(self.folder / f"{seed}.raw")
            subprocess.run([pathlib.Path(EARSHOT).parent / "earshot-iss", "-o", captures[-1], "--seed", seed, "--quiet",
                            "--set", "time_random=1", PROGRAMS / "timer.elf"], check=True, capture_output=True)
        symbols = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / "timer.elf"], check=True, capture_output=True,
                                 text=True).stdout.splitlines()
        count = next(line.split()[0] for line in symbols if line.endswith(" interrupts"))
        events, summary = self.diff(*captures, status=1)
        self.assertGreater(len(events), 1000)
        events, summary = self.diff(*captures, "--interrupts", "skip", "--tolerate",
                                    f"devices=0x2000000+0x10000,0x{count}+4", status=1)
        self.assertEqual([(event["kind"], event["decided"]["by"]) for event in events], [("inserted", "branch")])
        self.assertEqual([summary["handlers_a"], summary["handlers_b"]], [201, 201])
        # The same by name. The files are dumps, which name no program.
        options = ("--interrupts", "skip", "--elf", PROGRAMS / "timer.elf", "--tolerate")
        self.assertEqual(self.diff(*captures, *options, "devices=0x2000000+0x10000,interrupts", status=1),
                         (events, summary))
        self.assertEqual(self.diff(*captures, *options, "devices=interrupts:4,clocks,devices=0x2000000+0x10000",
                                   status=1)[0], events)
        for names, message in (("interrupt", "neither a number nor a symbol of .*; did you mean interrupts?"),
                               ("_start", "the size of '_start' is not known; give _start:SIZE"),
                               ("1," * 15 + "interrupts,interrupts", "more than 16 ranges")):
            _, error = self.earshot("diff", *options, f"devices={names}", *captures, status=2)
            self.assertRegex(error, message)
        _, error = self.earshot("diff", "--tolerate", "devices=interrupts", *captures, status=2)
        self.assertIn("use --elf FILE", error)

    def test_a_gap_costs_what_lies_in_it(self):
        for number in range(300 if LONG else 15):
            with self.subTest(seed=number):
                self.gap_trial(number)

    def test_runs_that_differ_in_time_are_the_same_and_what_is_planted_is_found(self):
        kinds = set()
        for number in range(1500 if LONG else 50 if NIGHT else 15):
            with self.subTest(seed=number):
                kinds |= self.trial(number)
        self.assertGreaterEqual(kinds, {"missing", "register", "value", "address"} if NIGHT else {"missing", "register", "address"})


if __name__ == "__main__":
    main()
