#!/usr/bin/env python3
"""Compare a trace in Whisper's CSV columns with QEMU, instruction by instruction.

    compare_qemu.py [options] PROGRAM.elf -- COMMAND...   the trace is what COMMAND writes
    compare_qemu.py [options] PROGRAM.elf < trace.csv     or comes from standard input

QEMU runs the same program one instruction at a time and logs its state before each. Compared are
the pc, every register (integer and floating point) and the trap CSRs that the trace has written so
far, after every instruction. A register that the trace has not written yet is not compared: QEMU's start values
are its own.

A trace has a line for every interrupt taken and every failed fetch; QEMU only shows where it
goes on.

Options:
    --isa ISA     what the program may use, such as rv64imafdcu_zba_zbb_zbs; default: rv32imc. u
                  means user mode
    --until-time  stop at the first read of mtime: from there on the two run at different speeds
    --at-least N  fail if fewer than N instructions were compared
    --limit N     stop after N instructions
    --qemu PATH   another qemu-system-riscv32 or qemu-system-riscv64

Exit code 0: no difference. 1: a difference, printed with the instruction's number. 2: no comparison.
"""
import argparse
import itertools
import re
import subprocess
import sys

MTIME = 0x0200BFF8
FETCH_FAULT = 1

# CSR number -> name in QEMU's log and the bits that mean the same on both.
EVERYTHING = 0xFFFFFFFFFFFFFFFF
MSTATUS = 768
CSRS = {
    MSTATUS: ("mstatus", 0x88),
    772: ("mie", EVERYTHING),
    773: ("mtvec", EVERYTHING),
    832: ("mscratch", EVERYTHING),
    833: ("mepc", EVERYTHING),
    834: ("mcause", EVERYTHING),
    835: ("mtval", EVERYTHING),
}

RECORD_START = b"Trace "
NOT_RUN = b"Stopped execution"
PC = re.compile(rb" pc +([0-9a-f]+)")


class Mismatch(Exception):
    pass


class Isa:
    """What an ISA string says, and what QEMU takes for it."""

    LETTERS = "acdfu"
    NAMES = ("zba", "zbb", "zbc", "zbs")

    def __init__(self, text):
        match = re.fullmatch(r"rv(32|64)i([a-z]*)((?:_[a-z]+)*)", text)
        if not match:
            raise ValueError(f"no ISA: {text}")
        self.xlen = int(match[1])
        self.letters = match[2]
        self.names = match[3].split("_")[1:]

    @property
    def digits(self):
        return self.xlen // 4

    @property
    def has_float(self):
        return "f" in self.letters

    @property
    def cpu(self):
        def switch(name, on):
            return f"{name}={'on' if on else 'off'}"

        options = [switch(letter, letter in self.letters) for letter in self.LETTERS]
        options += [switch(name, name in self.names) for name in self.NAMES]
        return ",".join([f"rv{self.xlen}", "h=off", "s=off"] + options)

    @property
    def csrs(self):
        # A machine with user mode has mstatus.MPP; without it, QEMU's MPP is not the demo core's.
        # mstatus.FS comes with floating point.
        name, mask = CSRS[MSTATUS]
        mask |= (0x1800 if "u" in self.letters else 0) | (0x6000 if self.has_float else 0)
        return CSRS | {MSTATUS: (name, mask)}


def block_pc(block):
    return int(PC.search(block).group(1), 16)


class Entry:
    """One line of the trace."""

    def __init__(self, fields, columns, xlen):
        def get(name):
            return fields[columns[name]]

        self.pc = int(get("pc").split(":")[0], 16)
        self.insn = int(get("inst"), 16)
        self.trap = int(get("trap"), 16) if get("trap") else None
        self.interrupt = 1 << (xlen - 1)
        self.registers = {}
        self.floats = {}
        self.csrs = {}
        for item in filter(None, get("modified regs").split(";")):
            name, value = item.split("=")
            if name[0] == "x":
                self.registers[int(name[1:])] = int(value, 16)
            elif name[0] == "f" and name != "ff":
                self.floats[int(name[1:])] = int(value, 16)
            elif name[0] == "c":
                self.csrs[int(name[1:])] = int(value, 16)
        memory = get("memory")
        self.load = int(memory.split(":")[0], 16) if memory and "=" not in memory else None

    @property
    def is_interrupt(self):
        return self.trap is not None and self.trap & self.interrupt != 0

    @property
    def has_block(self):
        """QEMU logs what it is about to execute: no interrupts, and nothing it cannot fetch."""
        return not self.is_interrupt and self.trap != FETCH_FAULT


def read_trace(lines, xlen):
    columns = None
    for line in lines:
        fields = [field.strip() for field in line.rstrip("\n").split(",")]
        if fields[0] == "pc":
            columns = {name: index for index, name in enumerate(fields)}
        elif columns is None:
            raise Mismatch("the trace does not begin with a header line")
        else:
            yield Entry(fields, columns, xlen)


def read_qemu(log):
    """The blocks of QEMU's log, one for each instruction.

    QEMU may log an instruction and then leave it to see to an interrupt line before it runs."""
    rest = b""
    while True:
        block = log.read1(1 << 20)
        if not block:
            break
        *whole, rest = (rest + block).split(RECORD_START)
        yield from (part for part in whole if b" x31/" in part and NOT_RUN not in part)
    if b" x31/" in rest:
        yield rest


class Shadow:
    """What the trace has said about the state so far."""

    def __init__(self, isa):
        self.isa = isa
        self.csr_rules = isa.csrs
        # As QEMU prints them; None: not yet known.
        self.registers = [b"0" * isa.digits] + [None] * 31
        self.floats = [None] * 32
        self.csrs = {}

    def apply(self, entry):
        for number, value in entry.registers.items():
            self.registers[number] = b"%0*x" % (self.isa.digits, value)
        for number, value in entry.floats.items():
            self.floats[number] = b"%016x" % value
        for number, value in entry.csrs.items():
            if number in self.csr_rules:
                self.csrs[number] = value

    @staticmethod
    def compare_file(pc, block, letter, mine):
        values = block[block.index(b" %c0/" % ord(letter)):].split()[1:64:2]
        if values != mine:
            for number, (own, theirs) in enumerate(zip(mine, values)):
                if own is not None and own != theirs:
                    raise Mismatch(f"before pc {pc:08x}: {letter}{number} is {own.decode()}, "
                                   f"QEMU {theirs.decode()}")

    def compare(self, entry, block):
        """Raises Mismatch unless the block is this state, with the entry's instruction next."""
        pc = block_pc(block)
        if pc != entry.pc:
            raise Mismatch(f"pc {entry.pc:08x}, QEMU {pc:08x}")
        self.compare_file(pc, block, "x", self.registers)
        if self.isa.has_float:
            self.compare_file(pc, block, "f", self.floats)
        for number, value in self.csrs.items():
            name, mask = self.csr_rules[number]
            at = block.index(b" %-8s " % name.encode()) + 10
            other = int(block[at:at + self.isa.digits], 16)
            if (value ^ other) & mask:
                raise Mismatch(f"before pc {pc:08x}: {name} is {value:08x}, QEMU {other:08x}")


def compare(trace, blocks, isa, until_time, limit):
    """Returns the number of instructions compared; raises Mismatch at the first difference."""
    shadow = Shadow(isa)
    count = 0
    first = next(trace, None)
    if first is None:
        raise Mismatch("the trace is empty")
    # QEMU begins in its own ROM and jumps to the program.
    blocks = itertools.dropwhile(lambda block: block_pc(block) != first.pc, blocks)
    for entry in itertools.chain([first], trace):
        if until_time and entry.load is not None and MTIME <= entry.load < MTIME + 8:
            break
        if entry.has_block:
            block = next(blocks, None)
            if block is None:
                raise Mismatch(f"instruction {count}, pc {entry.pc:08x}: QEMU ended before it")
            try:
                shadow.compare(entry, block)
            except Mismatch as difference:
                raise Mismatch(f"instruction {count}: {difference}") from None
            count += 1
        shadow.apply(entry)
        if limit and count == limit:
            break
    return count


def main():
    arguments = sys.argv[1:]
    command = None
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--isa", type=Isa, default=Isa("rv32imc"))
    parser.add_argument("--until-time", action="store_true")
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--qemu")
    parser.add_argument("program")
    options = parser.parse_args(arguments)
    isa = options.isa

    processes = []
    lines = sys.stdin
    if command:
        tracer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True)
        processes.append(tracer)
        lines = tracer.stdout
    qemu = subprocess.Popen(
        [options.qemu or f"qemu-system-riscv{isa.xlen}", "-M", "virt", "-cpu", isa.cpu,
         "-bios", "none", "-display", "none", "-serial", "null", "-monitor", "none", "-singlestep",
         "-d", "nochain,exec,cpu" + (",fpu" if isa.has_float else ""), "-kernel", options.program],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    processes.append(qemu)

    try:
        count = compare(read_trace(lines, isa.xlen), read_qemu(qemu.stderr), isa,
                        options.until_time, options.limit)
        if count < options.at_least:
            raise Mismatch(f"only {count} instructions compared, {options.at_least} expected")
    except Mismatch as difference:
        print(f"{options.program}: {difference}", file=sys.stderr)
        return 1
    finally:
        for process in processes:
            process.kill()
            process.wait()
    print(f"{options.program}: {count} instructions agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
