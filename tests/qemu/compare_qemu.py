#!/usr/bin/env python3
"""Compare a trace in Whisper's CSV columns with qemu-system-riscv32, instruction by instruction.

    compare_qemu.py [options] PROGRAM.elf -- COMMAND...   the trace is what COMMAND writes
    compare_qemu.py [options] PROGRAM.elf < trace.csv     or comes from standard input

QEMU runs the same program one instruction at a time and logs its state before each. Compared are
the pc, every integer register and the trap CSRs that the trace has written so far, after every
instruction. A register that the trace has not written yet is not compared: QEMU's start values
are its own.

A trace has a line for every interrupt taken and every failed fetch; QEMU only shows where it
goes on.

Options:
    --until-time  stop at the first read of mtime: from there on the two run at different speeds
    --at-least N  fail if fewer than N instructions were compared
    --limit N     stop after N instructions
    --qemu PATH   another qemu-system-riscv32

Exit code 0: no difference. 1: a difference, printed with the instruction's number. 2: no comparison.
"""
import argparse
import itertools
import re
import subprocess
import sys

# Only what the demo core has: with a user mode, mstatus.MPP would differ after every mret.
CPU = "rv32,a=off,f=off,d=off,h=off,s=off,u=off,zba=off,zbb=off,zbc=off,zbs=off"

MTIME = 0x0200BFF8
INTERRUPT = 1 << 31
FETCH_FAULT = 1

# CSR number -> name in QEMU's log and the bits that mean the same on both. QEMU's mstatus has MPP
# (there is a user mode to come from), the demo core's MPP is always 3.
CSRS = {
    768: ("mstatus", 0x88),
    772: ("mie", 0xFFFFFFFF),
    773: ("mtvec", 0xFFFFFFFF),
    832: ("mscratch", 0xFFFFFFFF),
    833: ("mepc", 0xFFFFFFFF),
    834: ("mcause", 0xFFFFFFFF),
    835: ("mtval", 0xFFFFFFFF),
}

RECORD_START = b"Trace "
NOT_RUN = b"Stopped execution"
PC = re.compile(rb" pc +([0-9a-f]{8})")


class Mismatch(Exception):
    pass


def block_pc(block):
    return int(PC.search(block).group(1), 16)


class Entry:
    """One line of the trace."""

    def __init__(self, fields, columns):
        def get(name):
            return fields[columns[name]]

        self.pc = int(get("pc").split(":")[0], 16)
        self.insn = int(get("inst"), 16)
        self.trap = int(get("trap"), 16) if get("trap") else None
        self.registers = {}
        self.csrs = {}
        for item in filter(None, get("modified regs").split(";")):
            name, value = item.split("=")
            if name[0] == "x":
                self.registers[int(name[1:])] = int(value, 16)
            elif name[0] == "c":
                self.csrs[int(name[1:])] = int(value, 16)
        memory = get("memory")
        self.load = int(memory.split(":")[0], 16) if memory and "=" not in memory else None

    @property
    def is_interrupt(self):
        return self.trap is not None and self.trap & INTERRUPT != 0

    @property
    def has_block(self):
        """QEMU logs what it is about to execute: no interrupts, and nothing it cannot fetch."""
        return not self.is_interrupt and self.trap != FETCH_FAULT


def read_trace(lines):
    columns = None
    for line in lines:
        fields = [field.strip() for field in line.rstrip("\n").split(",")]
        if fields[0] == "pc":
            columns = {name: index for index, name in enumerate(fields)}
        elif columns is None:
            raise Mismatch("the trace does not begin with a header line")
        else:
            yield Entry(fields, columns)


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

    def __init__(self):
        self.registers = [None] * 32  # as QEMU prints them, None: not yet known
        self.registers[0] = b"00000000"
        self.csrs = {}

    def apply(self, entry):
        for number, value in entry.registers.items():
            self.registers[number] = b"%08x" % value
        for number, value in entry.csrs.items():
            if number in CSRS:
                self.csrs[number] = value

    def compare(self, entry, block):
        """Raises Mismatch unless the block is this state, with the entry's instruction next."""
        pc = block_pc(block)
        if pc != entry.pc:
            raise Mismatch(f"pc {entry.pc:08x}, QEMU {pc:08x}")
        values = block[block.index(b" x0/"):].split()[1:64:2]
        if values != self.registers:
            for number, (mine, theirs) in enumerate(zip(self.registers, values)):
                if mine is not None and mine != theirs:
                    raise Mismatch(f"before pc {pc:08x}: x{number} is {mine.decode()}, "
                                   f"QEMU {theirs.decode()}")
        for number, value in self.csrs.items():
            name, mask = CSRS[number]
            at = block.index(b" %-8s " % name.encode()) + 10
            other = int(block[at:at + 8], 16)
            if (value ^ other) & mask:
                raise Mismatch(f"before pc {pc:08x}: {name} is {value:08x}, QEMU {other:08x}")


def compare(trace, blocks, until_time, limit):
    """Returns the number of instructions compared; raises Mismatch at the first difference."""
    shadow = Shadow()
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
    parser.add_argument("--until-time", action="store_true")
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--qemu", default="qemu-system-riscv32")
    parser.add_argument("program")
    options = parser.parse_args(arguments)

    processes = []
    lines = sys.stdin
    if command:
        tracer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True)
        processes.append(tracer)
        lines = tracer.stdout
    qemu = subprocess.Popen(
        [options.qemu, "-M", "virt", "-cpu", CPU, "-bios", "none", "-display", "none", "-serial", "null",
         "-monitor", "none", "-singlestep", "-d", "nochain,exec,cpu", "-kernel", options.program],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    processes.append(qemu)

    try:
        count = compare(read_trace(lines), read_qemu(qemu.stderr), options.until_time,
                        options.limit)
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
