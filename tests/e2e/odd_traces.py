"""Traces and programs with something wrong: no names, or wrong ones; gaps; code that changes.

    for odd in odd_traces.all(folder):
        self.earshot(command, "--elf", ..., odd.trace)

They are made here, in JSON lines and ELF files, so that they need no compiler and no board.
"""
import json
import pathlib
import struct

BASE = 0x80000000
MAIN = 0x90000000  # calls what is at BASE
STEP = 16  # bytes of a function at BASE
STACK = 0xA0000000

ADDI, SW, BNE, RET = 0x00150513, 0x00A12023, 0x00B51463, 0x00008067
CALL, LOOP = 0x000300E7, 0xFFDFF06F  # jalr ra, 0(t1); j .-4
NOP = 0x13


class Odd:
    """A trace, its options, and how many instruction records and gaps it has."""

    def __init__(self, name, trace, records, options=(), gaps=0):
        self.name, self.trace, self.records, self.options, self.gaps = name, trace, records, tuple(options), gaps


# ---- Records. ----

def record(pc, opcode, next_pc=None, hart=0, size=4, **more):
    return {"kind": "instruction", "hart": hart, "isa": "riscv", "xlen": 32, "pc": hex(pc), "opcode": hex(opcode),
            "opcode_size": size, "privilege": "m", "next_pc": hex(pc + size if next_pc is None else next_pc),
            "registers": [], "memory": [], **more}


def gap(count=None):
    return {"kind": "gap", "hart": 0, "reason": "host-ring", **({} if count is None else {"count": count})}


def call(entry, hart=0):
    """main calls a function at BASE, which returns: six records."""
    store = {"write": True, "address": hex(STACK), "size": 4, "value": "0x1"}
    return [record(MAIN, CALL, entry, hart, taken=True),
            record(entry, ADDI, hart=hart, registers=[{"class": "x", "number": 10, "value": "0x1"}]),
            record(entry + 4, SW, hart=hart, memory=[store]),
            record(entry + 8, BNE, hart=hart, taken=False),
            record(entry + 12, RET, MAIN + 4, hart, taken=True),
            record(MAIN + 4, LOOP, MAIN, hart, taken=True)]


def run(functions, hart=0):
    """Calls of functions at BASE, by their numbers."""
    return [made for number in functions for made in call(BASE + STEP * number, hart)]


def write_trace(path, records):
    """As JSON lines, which is what earshot decode -f json writes."""
    encode = json.JSONEncoder(separators=(",", ":")).encode
    path.write_text("".join(encode({"kind": one["kind"], **one}) + "\n" for one in records))
    return path


# ---- Programs. ----

def write_elf(path, symbols, machine=243, code=b"", base=BASE):
    """An ELF file for 32 bits; symbols are (name, address, size) of functions; none: it is stripped."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, _, _ in symbols)
    entries, at = [bytes(16)], 1
    for name, address, size in symbols:
        entries.append(struct.pack("<IIIBBH", at, address, size, 0x12, 0, 1))
        at += len(name.encode()) + 1
    table = b"".join(entries)
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    code = code or struct.pack("<4I", ADDI, SW, BNE, RET)
    parts, offset = [], 52 + 32
    for part in (code, table, names, section_names):
        parts.append((offset, len(part)))
        offset += len(part) + (-len(part) % 4)
    memory = 0x20000000  # as if it were all there
    sections = [struct.pack("<10I", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                struct.pack("<10I", 1, 8, 6, base, parts[0][0], memory, 0, 0, 4, 0),
                struct.pack("<10I", 7, 2 if symbols else 0, 0, 0, *parts[1], 3, 1, 4, 16),
                struct.pack("<10I", 15, 3, 0, 0, *parts[2], 0, 0, 1, 0),
                struct.pack("<10I", 23, 3, 0, 0, *parts[3], 0, 0, 1, 0)]
    with open(path, "wb") as out:
        out.write(struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, machine, 1, base, 52, offset, 0, 52, 32, 1, 40,
                              len(sections), 4))
        out.write(struct.pack("<8I", 1, parts[0][0], base, base, len(code), memory, 7, 4))
        for part in (code, table, names, section_names):
            out.write(part + bytes(-len(part) % 4))
        out.write(b"".join(sections))
    return path


def functions(count):
    """The names of functions at BASE, and of main."""
    return [(f"f{number}", BASE + STEP * number, STEP) for number in range(count)] + [("main", MAIN, 8)]


# ---- What is odd. ----

def no_symbols(folder):
    records = run(range(50))
    return Odd("no symbols", write_trace(folder / "none.json", records), len(records))


def stripped(folder):
    records = run(range(50))
    return Odd("stripped", write_trace(folder / "stripped.json", records), len(records),
               ("--elf", write_elf(folder / "stripped.elf", [])))


def wrong_program(folder):
    """It has symbols, but none where the trace is."""
    records = run(range(50))
    return Odd("wrong ELF", write_trace(folder / "wrong.json", records), len(records),
               ("--elf", write_elf(folder / "wrong.elf", [("other", 0x1000, 16)], base=0x1000)))


def wrong_machine(folder):
    records = run(range(50))
    return Odd("ELF of another machine", write_trace(folder / "machine.json", records), len(records),
               ("--elf", write_elf(folder / "machine.elf", functions(50), machine=62)))


def overlapping(folder):
    """One symbol in another, beside one at the same address, without a size, over the end of all."""
    symbols = functions(50) + [("whole", BASE, 50 * STEP), ("alias", BASE, STEP), ("half", BASE + 8, 100),
                               ("none", BASE + 4, 0), ("endless", BASE + 32, 0x7FFFFFFF), ("", BASE + 48, 16),
                               ("last", 0xFFFFFFF0, 0xFFFFFFFF), ("a;b\x1b[31m\n\"", BASE + 64, 16)]
    records = run(range(50))
    return Odd("overlapping symbols", write_trace(folder / "over.json", records), len(records),
               ("--elf", write_elf(folder / "over.elf", symbols)))


def many_functions(folder, count=1000000, called=8000):
    """A million symbols, of which some thousands are called."""
    records = run(range(0, count, count // called))
    return Odd("a million functions", write_trace(folder / "many.json", records), len(records),
               ("--elf", write_elf(folder / "many.elf", functions(count))))


def gaps_everywhere(folder):
    """A gap after each record; of some it is not known how many are missing."""
    whole = run(range(50))
    records = [one for number, made in enumerate(whole) for one in (made, gap(number % 3 or None))]
    return Odd("gaps everywhere", write_trace(folder / "gaps.json", records), len(whole), named(folder), len(whole))


def changing_code(folder):
    """The code at one address is another one each time, and of another size."""
    records = []
    for number in range(50):
        records += call(BASE)
        records[-4]["opcode"] = hex(NOP | number % 30 << 7)
        records[-4]["memory"] = []
        if number % 2:
            records[-5].update(opcode="0x4505", opcode_size=2, next_pc=hex(BASE + 2))
            records.insert(-4, record(BASE + 2, 0x0001, BASE + 4, size=2))
    return Odd("self-modifying code", write_trace(folder / "changing.json", records), len(records), named(folder))


def two_programs(folder):
    """Where one ends the other begins, at the same addresses, without a word."""
    records = run(range(50)) + [record(BASE + 4 * number, NOP) for number in range(100)]
    records += [record(BASE + 400, CALL, BASE + 2, taken=True), record(BASE + 2, 0x0001, size=2),
                record(BASE + 4, 0x8082, BASE + 404, size=2, taken=True)] * 20
    return Odd("two programs", write_trace(folder / "two.json", records), len(records), named(folder))


def returns_only(folder):
    """Nothing was called that returns; and what was called never does, 3000 deep."""
    records = [record(BASE + 12, RET, BASE + 28, taken=True), record(BASE + 28, RET, BASE + 12, taken=True)] * 50
    records += [record(BASE, CALL, BASE, taken=True)] * 3000
    return Odd("returns without calls", write_trace(folder / "returns.json", records), len(records), named(folder))


def odd_addresses(folder):
    """The ends of the address space, addresses that are not aligned, opcodes that are none."""
    records = [record(pc, opcode, pc, taken=True) for pc in (0, 1, 2, 0xFFFFFFFE, 0xFFFFFFFF, BASE + 1)
               for opcode in (0xFFFFFFFF, CALL, RET, BNE, SW, 0)]
    for number, one in enumerate(records):
        one["memory"] = [{"write": bool(number % 2), "address": hex((0xFFFFFFFF - number % 5) & 0xFFFFFFFF),
                          "size": (1, 2, 4, 8)[number % 4]}]
    return Odd("odd addresses", write_trace(folder / "addresses.json", records), len(records), named(folder))


def many_harts(folder):
    """Each record is of another hart than the one before it."""
    each = [run(range(10), hart) for hart in range(40)]
    records = [one for together in zip(*each) for one in together]
    return Odd("many harts", write_trace(folder / "harts.json", records), len(records), named(folder))


def named(folder):
    """The options for the right program."""
    path = folder / "right.elf"
    return ("--elf", path if path.exists() else write_elf(path, functions(50)))


def all(folder):
    folder = pathlib.Path(folder)
    return [make(folder) for make in (no_symbols, stripped, wrong_program, wrong_machine, overlapping, many_functions,
                                      gaps_everywhere, changing_code, two_programs, returns_only, odd_addresses,
                                      many_harts)]
