"""Logs that QEMU writes (-d), read, against a second reading of them in this file."""
import json
import re
import shutil

import bench as benches

NEEDS = ()  # QEMU is a package of the system, not one of the folder
PROGRAMS = (("sort", "rv32imc"), ("traps", "rv32imc"), ("csrs", "rv32imc"), ("atomics", "rv32imac"),
            ("compress", "rv64imac"), ("csrs", "rv64imac"), ("trap_storm", "rv64imac"))
LOG_SIZE = 12_000_000  # of each program: its beginning
TRACE = re.compile(r"^Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", re.M)
CODE = re.compile(r"^0x([0-9a-f]+):\s+([0-9a-f]+)\s", re.M)
REGISTER = re.compile(r"\bx(\d+)/\w+\s+([0-9a-f]+)")


def log_of(bench, name, isa, items):
    """The beginning of the log of a program, up to an execution."""
    xlen = isa[2:4]
    qemu = shutil.which(f"qemu-system-riscv{xlen}")
    if not qemu:
        raise benches.Missing("qemu-system-riscv is missing (Debian: qemu-system-misc)")
    log = bench.path(f"{name}-{isa}-{len(items)}.log")
    bench.run("timeout", "-s", "KILL", "2", qemu, "-M", "virt", "-m", "64", "-display", "none", "-serial", "none",
              "-monitor", "none", "-bios", "none", "-kernel", bench.program(name, isa), "-singlestep", "-d", items,
              "-D", log, status=None)
    with open(log, "rb+") as text:
        beginning = text.read(LOG_SIZE)
        text.truncate(beginning.rfind(b"\nTrace ") + 1)
    return log


def second_reading(log):
    """pc, opcode and registers written of each execution."""
    text = log.read_text()
    codes = {int(pc, 16): int(code, 16) for pc, code in CODE.findall(text)}
    starts = [(match.start(), int(match[1], 16)) for match in TRACE.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    dumps = [{int(number): int(value, 16) for number, value in REGISTER.findall(text[start:end])}
             for (start, _), end in zip(starts, ends)]
    for at, (_, pc) in enumerate(starts[:-1]):
        before, after = dumps[at], dumps[at + 1]
        yield pc, codes.get(pc), {n: v for n, v in after.items() if before and v != before.get(n)}


def our_reading(bench, log):
    for line in open(bench.convert(log, log.stem + ".jsonl", "-f", "json")):
        record = json.loads(line)
        if record["kind"] != "instruction" or record.get("interrupt"):
            continue
        writes = {reg["number"]: int(reg["value"], 16) for reg in record.get("registers", ())
                  if reg["class"] == "x"}
        yield int(record["pc"], 16), int(record["opcode"], 16) if "opcode" in record else None, writes


def compare(bench):
    for items, what in (("exec,nochain", "-d exec,nochain: pcs of records"),
                        ("exec,nochain,in_asm,cpu,int", "in_asm,cpu,int: opcodes, registers, too")):
        count = differences = 0
        for name, isa in PROGRAMS:
            log = log_of(bench, name, isa, items)
            wanted, got = list(second_reading(log)), list(our_reading(bench, log))
            count += len(wanted)
            differences += sum(one != other for one, other in zip(wanted, got))
            differences += len(wanted) > len(got)
            log.unlink()
        version = bench.run(shutil.which("qemu-system-riscv64"), "--version").stdout.decode().split()[3]
        bench.row("qemu-cpu" if "cpu" in items else "qemu", f"QEMU {version}", f"{len(PROGRAMS)} programs, {what}",
                  count, differences)
