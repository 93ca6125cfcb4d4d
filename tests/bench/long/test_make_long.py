#!/usr/bin/env python3
"""The answers that make_long writes are those of a plain scan of the capture that it writes.

usage: test_make_long.py MAKE_LONG EARSHOT

Every workload in a short version is decoded to JSON lines, record by record; at each sampled moment
the state that the lines add up to is compared with the answers.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDS = 60000 if os.environ.get("EARSHOT_NIGHT") == "1" else 20000
SAMPLES = 30
DEVICES_END = 0x80000000


class Scan:
    """What a trace says, one record after the other."""

    def __init__(self, positions):
        self.x = {}
        self.memory = {}
        self.writes = {}
        self.executions = {}
        self.kinds = {"trap": [], "interrupt": [], "csr_write": []}
        self.stack = []
        self.depths = []
        self.moments = {}
        self.wanted = set(positions)
        self.positions = []
        self.entries = []

    def take(self, position, record):
        if record["kind"] != "instruction":
            return
        number = len(self.entries)
        self.entries.append(record)
        self.positions.append(position)
        pc = int(record["pc"], 16)
        self.executions.setdefault(pc, []).append(number)
        taken = "trap" in record or "interrupt" in record
        if taken:
            self.kinds["interrupt" if record.get("interrupt") else "trap"].append(number)
            self.stack.append(pc)
        else:
            self.follow(record, pc)
            self.change(record, number)
        if number in self.wanted:
            self.moments[number] = (dict(self.x), dict(self.memory), list(self.stack))

    def follow(self, record, pc):
        opcode, size = int(record["opcode"], 16), record["opcode_size"]
        if (size == 4 and opcode & 0xFFF == 0x0EF) or (
                size == 2 and opcode & 0xF07F == 0x9002 and opcode >> 7 & 31):
            self.stack.append(pc + size)
        elif opcode in (0x8082, 0x30200073):
            self.stack.pop()

    def change(self, record, number):
        for register in record.get("registers", []):
            if register["class"] == "x":
                self.x[register["number"]] = int(register["value"], 16)
            elif register["class"] == "csr":
                if self.kinds["csr_write"][-1:] != [number]:
                    self.kinds["csr_write"].append(number)
        for access in record.get("memory", []):
            address, size = int(access["address"], 16), access["size"]
            value = int(access["value"], 16).to_bytes(size, "little")
            if address < DEVICES_END:
                continue
            for i, byte in enumerate(value):
                self.memory[address + i] = byte
                if access["write"]:
                    self.writes.setdefault(address + i, []).append(number)


def before(numbers, number):
    past = [n for n in numbers if n <= number]
    return past[-1] if past else None


def after(numbers, number):
    return next((n for n in numbers if n > number), None)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: make_long says {found}, a scan says {expected}")


def check_record(where, said, record):
    check(f"{where}: pc", said["pc"], record["pc"])
    check(f"{where}: opcode", int(said["opcode"], 16), int(record["opcode"], 16))
    check(f"{where}: next pc", said["next_pc"], record["next_pc"])
    check(f"{where}: interrupt", said["interrupt"], bool(record.get("interrupt")))
    if "address" in said:
        access = record["memory"][0]
        check(f"{where}: access", (said["address"], said["size"], said["write"]),
              (access["address"], access["size"], access["write"]))


def check_memory(where, said, memory):
    base = int(said["address"], 16)
    values, seen = bytes.fromhex(said["bytes"]), bytes.fromhex(said["seen"])
    for i, value in enumerate(values):
        known = seen[i // 8] >> i % 8 & 1
        check(f"{where}: {base + i:#x} was seen", bool(known), base + i in memory)
        if known:
            check(f"{where}: byte at {base + i:#x}", value, memory[base + i])


def check_sample(name, sample, scan):
    number = sample["number"]
    where = f"{name}, after record {number}"
    x, memory, stack = scan.moments[number]
    check(f"{where}: position", sample["position"], scan.positions[number])
    check_record(where, sample["record"], scan.entries[number])
    check(f"{where}: registers written", sample["x_written"], sorted(x))
    for register, value in x.items():
        check(f"{where}: x{register}", int(sample["x"][register], 16), value)
    check_memory(where, sample["memory"], memory)
    check(f"{where}: depth of the stack", sample["depth"], len(stack))
    check(f"{where}: stack", [int(frame["return"], 16) for frame in sample["stack"]],
          stack[::-1][:len(sample["stack"])])
    for word in sample["words"]:
        address = int(word["address"], 16)
        writes = sorted({n for i in range(word["size"])
                         for n in scan.writes.get(address + i, [])})
        check(f"{where}: last write of {address:#x}", word["last_write"], before(writes, number))
        check(f"{where}: next write of {address:#x}", word["next_write"], after(writes, number))
    for pc in sample["pcs"]:
        executions = scan.executions[int(pc["pc"], 16)]
        check(f"{where}: last execution of {pc['pc']}", pc["last"], before(executions, number))
        check(f"{where}: next execution of {pc['pc']}", pc["next"], after(executions, number))
    for kind, numbers in scan.kinds.items():
        check(f"{where}: last {kind}", sample[kind]["last"], before(numbers, number))
        check(f"{where}: next {kind}", sample[kind]["next"], after(numbers, number))


def check_workload(make_long, earshot, workload, folder):
    name = folder / workload
    subprocess.run([make_long, "-n", str(RECORDS), "-w", workload, "--samples", str(SAMPLES),
                    "--seed", "7", name], check=True)
    answers = json.loads(name.with_suffix(".json").read_text())
    scan = Scan(sample["number"] for sample in answers["samples"])
    lines = subprocess.run([earshot, "decode", "-q", "-f", "json", name.with_suffix(".shot")],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    events = []
    for position, line in enumerate(map(json.loads, lines)):
        if line["kind"] == "event":
            events.append(len(scan.entries))
        scan.take(position, line)
    check(f"{workload}: records", answers["records"], len(scan.entries))
    check(f"{workload}: events", answers["events"], events)
    check(f"{workload}: calls of rare", answers["rare"]["numbers"],
          scan.executions[int(answers["rare"]["pc"], 16)])
    check(f"{workload}: rare is rare", len(answers["rare"]["numbers"]), 3)
    check(f"{workload}: writes of seldom", answers["seldom"]["writes"],
          scan.writes[int(answers["seldom"]["address"], 16)])
    if len(answers["samples"]) < SAMPLES // 2 or not scan.kinds["interrupt"]:
        sys.exit(f"{workload}: too few moments or no interrupts")
    for sample in answers["samples"]:
        check_sample(workload, sample, scan)


def check_times(make_long, earshot, folder):
    """With --time each record has its clock, and what reads the trace in batches sees the same."""
    name = folder / "timed"
    subprocess.run([make_long, "-n", str(RECORDS), "-w", "interpreter", "--time", name], check=True)
    lines = subprocess.run([earshot, "decode", "-q", "-f", "json", name.with_suffix(".shot")],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    records = [line for line in map(json.loads, lines) if line["kind"] == "instruction"]
    check("timed: records", len(records), RECORDS)
    clock = 0
    for number, record in enumerate(records):
        opcode, pc = int(record["opcode"], 16), int(record["pc"], 16)
        reads = any(not access["write"] for access in record.get("memory", []))
        straight = int(record["next_pc"], 16) == pc + record["opcode_size"]
        divides = opcode & 0xFE004077 == 0x02004033
        clock += 20 if divides else 1 + (reads or not straight)
        check(f"timed: record {number}", record["time"], clock)
    rows = subprocess.run([earshot, "stat", "-q", "-f", "json", name.with_suffix(".shot")],
                          check=True, capture_output=True, text=True).stdout
    check("timed: ticks", json.loads(rows)["traces"][0]["ticks"], clock - records[0]["time"])


def main():
    make_long, earshot = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        for workload in ("interpreter", "stream", "calls", "table"):
            check_workload(make_long, earshot, workload, Path(folder))
        check_times(make_long, earshot, Path(folder))


if __name__ == "__main__":
    main()
