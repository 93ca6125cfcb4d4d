#!/usr/bin/env python3
"""Errors planted in text traces: 'earshot check' finds each at its record, or at the first one after it that can
show it. What no check can find is in UNFINDABLE, and in docs/check.md with its reason.

A trace of the virtual board, or of the instruction set simulator for what the board lacks, is taken as JSON lines, one
record is made wrong, and the whole becomes a text of another format. --long: 25 times for each kind, in five formats,
and a table of what was found.
"""
import copy
import itertools
import json
import os
import random
import subprocess
import sys

from support import EARSHOT, NIGHT, PROGRAMS, Case, main

FORMATS = ("whisper", "spike", "qemu4v", "json", "whisper-log")
LONG = NIGHT or "--long" in sys.argv
if "--long" in sys.argv:
    sys.argv.remove("--long")
SEEDS = 25 if LONG else 1
RECORDS = 6000 if LONG else 3000
BEGIN = 300  # errors come after so many records

MSTATUS, MEPC, MCAUSE, MTVAL = 768, 833, 834, 835
STABLE = {772, 773, MEPC, MCAUSE, MTVAL}  # CSRs of the program that only it and its traps change
# Causes by which an instruction of these classes cannot trap.
IMPOSSIBLE = {"load": (6, 7, 8, 11, 15), "store": (4, 5, 8, 11, 13), "system": (4, 5, 6, 7), "alu": (4, 6, 8, 11)}


def flip(value, bit):
    return hex(int(value, 16) ^ 1 << bit)


def number(value):
    return int(value, 16)


def of(trace):
    """The trace that a kind is planted in, where it is not "traps"."""
    def mark(kind):
        kind.trace = trace
        return kind
    return mark


class Trace:
    """Records, and what they say of memory."""

    def __init__(self, records):
        self.records = records
        self.stored = []  # of each record: what it reads was stored in the trace before
        self.registers = []  # of each record: x registers before it
        memory, x = set(), {0: 0}
        for record in records:
            self.registers.append(dict(x))
            access = self.access(record)
            self.stored.append(bool(access) and self.bytes_of(access) <= memory)
            if access and access["write"]:
                memory |= self.bytes_of(access)
            for register in record.get("registers", ()):
                if register["class"] == "x":
                    x[register["number"]] = number(register["value"])

    @staticmethod
    def access(record):
        return record["memory"][0] if len(record.get("memory", ())) == 1 and not record.get("trap") else None

    @staticmethod
    def bytes_of(access):
        return set(range(number(access["address"]), number(access["address"]) + access["size"]))

    def written(self, at):
        """The x register that a record writes, and nothing else."""
        registers = self.records[at].get("registers", ())
        return registers[0] if len(registers) == 1 and registers[0]["class"] == "x" else None

    def next_use(self, at, register):
        """The next record that reads an x register."""
        return next(index for index in range(at + 1, len(self.records))
                    if any(read["number"] == register for read in self.records[index].get("reads", ())))

    def next_csr_read(self, at, csr):
        """The next record that reads a CSR, if nothing writes it before."""
        for index in range(at + 1, len(self.records)):
            record = self.records[index]
            opcode = number(record["opcode"])
            if record.get("trap"):
                return None
            if record["class"] == "csr" and opcode >> 20 == csr:
                return index if opcode >> 7 & 31 else None
        return None

    def next_load(self, at, where):
        """The next load of these bytes, if nothing stores to one of them before."""
        for index in range(at + 1, len(self.records)):
            access = self.access(self.records[index])
            if access and self.bytes_of(access) & where:
                return None if access["write"] else index
        return None


# Each takes a trace, a copy of its records and an index; it makes that record wrong and returns the first and the
# last record that may be the first violation, or None if this record is none that it can plant in.


def wrong_result(trace, records, at, rng):
    register = trace.written(at)
    if not register or records[at]["class"] not in ("alu", "jump"):
        return None
    records[at]["registers"][0]["value"] = flip(register["value"], rng.randrange(32))
    return at, at


def wrong_rd(trace, records, at, rng):
    register = trace.written(at)
    if not register or records[at]["class"] != "alu":
        return None
    records[at]["registers"][0]["number"] = register["number"] % 31 + 1
    return at, at


def wrong_pc(_, records, at, rng):
    """In texts the pc is also where the record before went."""
    records[at]["pc"] = flip(records[at]["pc"], rng.randrange(1, 32))
    return at - 1, at


def wrong_privilege(_, records, at, rng):
    if any(record.get("trap") or record["class"] != "alu" for record in records[at - 1:at + 1]):
        return None
    records[at]["privilege"] = rng.choice("us")
    return at, at


def skipped_record(trace, records, at, rng):
    if number(records[at]["next_pc"]) == number(records[at]["pc"]):
        return None
    del records[at]
    return at - 1, at


def repeated_record(trace, records, at, rng):
    if number(records[at]["next_pc"]) == number(records[at]["pc"]):
        return None
    records.insert(at, copy.deepcopy(records[at]))
    return at, at + 1


def wrong_load_address(trace, records, at, rng):
    access = trace.access(records[at])
    if not access or access["write"]:
        return None
    records[at]["memory"][0]["address"] = flip(access["address"], rng.randrange(2, 12))
    return at, at


def wrong_trapped_address(_, records, at, rng):
    if not records[at].get("trap") or len(records[at].get("memory", ())) != 1:
        return None
    records[at]["memory"][0]["address"] = flip(records[at]["memory"][0]["address"], rng.randrange(3, 12))
    return at, at


def wrong_store_address(trace, records, at, rng):
    access = trace.access(records[at])
    if not access or not access["write"]:
        return None
    records[at]["memory"][0]["address"] = flip(access["address"], rng.randrange(2, 12))
    return at, at


def wrong_stored_value(trace, records, at, rng):
    access = trace.access(records[at])
    if not access or not access["write"]:
        return None
    records[at]["memory"][0]["value"] = flip(access["value"], rng.randrange(8 * access["size"]))
    return at, at


def wrong_loaded_value(trace, records, at, rng):
    """Access and register say the same: memory has changed."""
    access = trace.access(records[at])
    if not access or access["write"] or access["size"] != 4 or not trace.stored[at] or not trace.written(at):
        return None
    value = flip(access["value"], rng.randrange(32))
    records[at]["memory"][0]["value"] = records[at]["registers"][0]["value"] = value
    return at, at


def set_csr(record, csr, change):
    for register in record["registers"]:
        if register["class"] == "csr" and register["number"] == csr:
            register["value"] = change(register["value"])
            return True
    return False


def wrong_cause(trace, records, at, rng):
    """One that the instruction cannot have. Of an illegal one nothing is known; the handler reads another one."""
    record = records[at]
    if not record.get("trap") or record["class"] not in IMPOSSIBLE:
        return None
    cause = rng.choice([c for c in IMPOSSIBLE[record["class"]] if hex(c) != record["cause"]])
    legal = record["cause"] != "0x2"
    record["cause"] = hex(cause)
    set_csr(record, MCAUSE, lambda _: hex(cause))
    return at, at if legal else trace.next_csr_read(at, MCAUSE)


def wrong_cause_register(trace, records, at, rng):
    """mcause is not the cause. QEMU4V shows no cause beside it: there it is the handler that reads another one."""
    if not records[at].get("trap"):
        return None
    read = trace.next_csr_read(at, MCAUSE)
    if read is None or not set_csr(records[at], MCAUSE, lambda value: flip(value, rng.randrange(3, 6))):
        return None
    return at, read


def wrong_epc(trace, records, at, rng):
    """In QEMU4V it is what shows a trap. Without one an illegal instruction says nothing; the handler reads mepc."""
    read = trace.next_csr_read(at, MEPC) if records[at].get("trap") else None
    if read is None or not set_csr(records[at], MEPC, lambda value: flip(value, rng.randrange(1, 32))):
        return None
    return at, read


def wrong_tval(trace, records, at, rng):
    """It is 0 or the opcode, pc or address. One of a misaligned access may be any of its bytes; then it is the handler
    that reads another one."""
    if not records[at].get("trap"):
        return None
    read = trace.next_csr_read(at, MTVAL)
    if read is None or not set_csr(records[at], MTVAL, lambda value: flip(value, rng.randrange(32))):
        return None
    return at, read


def wrong_handler(trace, records, at, rng):
    """Whisper does not show where a trap goes, but where the next instruction is."""
    if not records[at].get("trap"):
        return None
    records[at]["next_pc"] = records[at + 1]["pc"] = flip(records[at + 1]["pc"], rng.randrange(2, 10))
    return at, at + 1


def wrong_branch(trace, records, at, rng):
    """It goes on at its other target: what follows is of another place."""
    record = records[at]
    if record["class"] != "branch":
        return None
    for later in range(at + 1, len(records)):
        if later > at + 400:
            return None
        if records[later]["pc"] == hex(number(record["pc"]) + record["opcode_size"]) and record.get("taken"):
            break
    else:
        return None
    del records[at + 1:later]
    record["next_pc"] = records[at + 1]["pc"]
    del record["taken"]
    return at, at


def wrong_return(trace, records, at, rng):
    """mret goes two bytes on."""
    if records[at]["mnemonic"] != "mret":
        return None
    pc = hex(number(records[at]["next_pc"]) + 2)
    records[at]["next_pc"] = records[at + 1]["pc"] = pc
    return at, at + 1


def changed_opcode(trace, records, at, rng):
    """addi becomes xori, where that makes a difference."""
    record = records[at]
    opcode = number(record["opcode"])
    source = opcode >> 15 & 31
    if record["mnemonic"] != "addi" or source not in trace.registers[at] or opcode >> 7 & 31 == 0:
        return None
    immediate = (opcode >> 20) - (opcode >> 31 << 12)
    if (trace.registers[at][source] + immediate ^ (trace.registers[at][source] ^ immediate)) & 0xFFFFFFFF == 0:
        return None
    record["opcode"] = hex(opcode | 4 << 12)
    return at, at


def flipped_immediate(trace, records, at, rng):
    record = records[at]
    opcode = number(record["opcode"])
    if record["mnemonic"] not in ("addi", "lw", "lhu", "lui", "auipc") or opcode >> 7 & 31 == 0:
        return None
    record["opcode"] = flip(record["opcode"], rng.randrange(20, 32))
    return at, at


def flipped_source(trace, records, at, rng):
    """Another register, with another value."""
    record = records[at]
    opcode = number(record["opcode"])
    if record["mnemonic"] not in ("addi", "lw", "add", "sub") or record.get("trap") or not record.get("registers"):
        return None
    before, bit = opcode >> 15 & 31, 1 << rng.randrange(15, 20)
    after = (opcode ^ bit) >> 15 & 31
    x = trace.registers[at]
    if before not in x or after not in x or x[before] == x[after]:
        return None
    record["opcode"] = hex(opcode ^ bit)
    record.pop("reads", None)
    return at, at


def wrong_csr_value(trace, records, at, rng):
    """What is read of a CSR is not what was written. Spike's log does not show what a trap writes to mtval; there
    it is the register that another value is read from."""
    record, register = records[at], trace.written(at)
    if record["class"] != "csr" or number(record["opcode"]) >> 20 not in STABLE or not register:
        return None
    record["registers"][0]["value"] = flip(register["value"], rng.randrange(32))
    return at, trace.next_use(at, register["number"])


def wrong_csr_written(trace, records, at, rng):
    """mepc may hold fewer bits than are written, so the value is believed; mret then goes elsewhere."""
    record = records[at]
    if record["class"] != "csr" or record.get("trap") or not set_csr(
            record, MEPC, lambda value: flip(value, rng.randrange(1, 32))):
        return None
    for later in range(at + 1, at + 100):
        if records[later]["mnemonic"] == "mret":
            return at, later + 1
    return None


def wrong_size(trace, records, at, rng):
    access = trace.access(records[at])
    if not access or not access["write"] or access["size"] != 4:
        return None
    access = records[at]["memory"][0]
    access["size"] = 2
    access["value"] = hex(number(access["value"]) & 0xFFFF)
    return at, at


def extra_register(trace, records, at, rng):
    """A store or a branch writes a register."""
    if records[at]["class"] not in ("store", "branch") or records[at].get("trap") or records[at].get("registers"):
        return None
    records[at]["registers"] = [{"class": "x", "number": rng.randrange(1, 32), "value": hex(rng.randrange(1 << 32))}]
    return at, at


def second_register(trace, records, at, rng):
    """An instruction writes one register more than its own."""
    register = trace.written(at)
    if not register or records[at]["class"] != "alu":
        return None
    other = rng.choice([n for n in range(1, 32) if n != register["number"]])
    records[at]["registers"].append({"class": "x", "number": other, "value": hex(rng.randrange(1 << 32))})
    return at, at


def lost_store(trace, records, at, rng):
    """The text shows nothing of the store; the next load of the place does."""
    access = trace.access(records[at])
    if not access or not access["write"] or not trace.stored[at]:
        return None
    load = trace.next_load(at, trace.bytes_of(access))
    if load is None or trace.access(records[load])["size"] != access["size"] or records[load]["memory"] != [
            {**access, "write": False}]:
        return None
    before = next((r for r in reversed(records[:at]) if trace.access(r) and trace.bytes_of(trace.access(r)) ==
                   trace.bytes_of(access)), None)
    if before is None or trace.access(before)["value"] == access["value"]:
        return None
    del records[at]["memory"]
    return at, load


def swapped_records(trace, records, at, rng):
    if records[at]["pc"] == records[at + 1]["pc"]:
        return None
    records[at], records[at + 1] = records[at + 1], records[at]
    return at - 1, at + 1


def missing_register(trace, records, at, rng):
    """A text may leave out what an instruction wrote."""
    if not trace.written(at) or records[at]["class"] != "alu":
        return None
    del records[at]["registers"]
    return at, at


def equal_opcode(trace, records, at, rng):
    """addi becomes xori or ori, and that makes no difference."""
    record = records[at]
    opcode = number(record["opcode"])
    source = trace.registers[at].get(opcode >> 15 & 31)
    if record["mnemonic"] != "addi" or opcode >> 31 or source is None or source & opcode >> 20:
        return None
    record["opcode"] = hex(opcode | rng.choice((4, 6)) << 12)
    return at, at


def wrong_status(trace, records, at, rng):
    """MIE, MPIE, MPP and MPRV after a trap, if they were shown before."""
    if not records[at].get("trap") or not set_csr(
            records[at], MSTATUS, lambda value: flip(value, rng.choice((3, 7, 11, 12, 17)))):
        return None
    return at, at


def wrong_status_after_mret(trace, records, at, rng):
    """MIE and MPIE; MPP may be what it was as long as nobody has seen user mode."""
    if records[at]["mnemonic"] != "mret" or not set_csr(
            records[at], MSTATUS, lambda value: flip(value, rng.choice((3, 7)))):
        return None
    return at, at


def wrong_status_read(trace, records, at, rng):
    """MIE and MPIE. What MPP is after a trap Spike's log does not say: neither mstatus nor the privilege."""
    record, register = records[at], trace.written(at)
    if record["class"] != "csr" or number(record["opcode"]) >> 20 != MSTATUS or not register:
        return None
    record["registers"][0]["value"] = flip(register["value"], rng.choice((3, 7)))
    return at, at


def wrong_status_of_hardware(trace, records, at, rng):
    """Bits of mstatus that hardware changes at any time: FS, VS and XS."""
    if not records[at].get("trap") or not set_csr(
            records[at], MSTATUS, lambda value: flip(value, rng.choice((9, 10, 13, 14, 15, 16)))):
        return None
    return at, at


def lost_store_of_the_same(trace, records, at, rng):
    """What was stored was there already."""
    access = trace.access(records[at])
    if not access or not access["write"] or not trace.stored[at]:
        return None
    before = next((r for r in reversed(records[:at]) if trace.access(r) and
                   trace.bytes_of(trace.access(r)) & trace.bytes_of(access)), None)
    if before is None or {**trace.access(before), "write": True} != access:
        return None
    del records[at]["memory"]
    return at, at


# ---- Interrupts. ----


def interrupts(records):
    return [index for index, record in enumerate(records) if record.get("interrupt")]


@of("timer")
def interrupt_without_enable(trace, records, at, rng):
    """A second one at the first instruction of the handler, where MIE is clear."""
    at = rng.choice(interrupts(records)[1:])
    taken = copy.deepcopy(records[at])
    taken["pc"] = records[at + 1]["pc"]
    taken["opcode"], taken["opcode_size"] = records[at + 1]["opcode"], records[at + 1]["opcode_size"]
    set_csr(taken, MEPC, lambda _: taken["pc"])
    records.insert(at + 1, taken)
    return at + 1, at + 1


@of("timer")
def interrupt_not_in_mie(trace, records, at, rng):
    """Of the software: only the timer's is enabled."""
    at = rng.choice(interrupts(records)[1:])
    records[at] = copy.deepcopy(records[at])
    records[at]["cause"] = "0x80000003"
    set_csr(records[at], MCAUSE, lambda _: "0x80000003")
    return at, at


@of("timer")
def wrong_interrupt_epc(trace, records, at, rng):
    at = rng.choice(interrupts(records)[1:])
    records[at] = copy.deepcopy(records[at])
    set_csr(records[at], MEPC, lambda value: flip(value, rng.randrange(1, 32)))
    return at, at


@of("timer")
def lost_interrupt(trace, records, at, rng):
    """One of which the record is missing; each interrupt has one."""
    at = rng.choice(interrupts(records)[2:])
    del records[at]
    return at - 1, at


@of("timer")
def wrong_interrupt_handler(trace, records, at, rng):
    at = rng.choice(interrupts(records)[1:])
    records[at], records[at + 1] = copy.deepcopy(records[at]), copy.deepcopy(records[at + 1])
    records[at]["next_pc"] = records[at + 1]["pc"] = flip(records[at + 1]["pc"], rng.randrange(2, 10))
    return at, at + 1


# ---- User mode. ----


@of("user")
def wrong_mode_after_mret(trace, records, at, rng):
    """It stays in M where it returns to U. Where MPP was never shown, the next mode is too much."""
    if records[at]["mnemonic"] != "mret" or records[at + 1]["privilege"] != "u":
        return None
    if any(record.get("trap") for record in records[at + 1:at + 3]):  # Spike shows no mode of these
        return None
    records[at + 1]["privilege"] = "m"
    return at, at + 2


@of("user")
def ecall_without_trap(trace, records, at, rng):
    """It goes on after it, as where a simulator does what the system would."""
    if records[at]["mnemonic"] != "ecall" or not records[at].get("trap"):
        return None
    for key in ("trap", "cause", "registers"):
        records[at].pop(key, None)
    records[at]["next_pc"] = hex(number(records[at]["pc"]) + 4)
    del records[at + 1:]  # what else the handler did would show later
    return at, at


# ---- Atomics. ----


@of("atomics")
def wrong_amo_stored(trace, records, at, rng):
    record = records[at]
    if record["class"] != "amo" or len(record.get("memory", ())) != 2:
        return None
    record["memory"][1]["value"] = flip(record["memory"][1]["value"], rng.randrange(32))
    return at, at


@of("atomics")
def wrong_amo_result(trace, records, at, rng):
    """Of operations whose result would be another one."""
    record = records[at]
    if record["mnemonic"] not in ("amoadd.w", "amoxor.w") or not record.get("registers"):
        return None
    record["registers"][0]["value"] = flip(record["registers"][0]["value"], rng.randrange(32))
    return at, at


@of("atomics")
def wrong_sc_result(trace, records, at, rng):
    """It stored, and says that it failed."""
    record = records[at]
    if record["class"] != "sc" or not record.get("registers") or record["registers"][0]["value"] != "0x0":
        return None
    record["registers"][0]["value"] = "0x1"
    return at, at


@of("atomics")
def wrong_lr_value(trace, records, at, rng):
    """Memory had another value; but another hart may have stored it. What uses the value shows it."""
    access, register = trace.access(records[at]), trace.written(at)
    if records[at]["class"] != "lr" or not access or not register:
        return None
    value = flip(access["value"], rng.randrange(32))
    records[at]["memory"][0]["value"] = records[at]["registers"][0]["value"] = value
    return at, trace.next_use(at, register["number"])


@of("atomics")
def wrong_lr_address(trace, records, at, rng):
    access = trace.access(records[at])
    if records[at]["class"] != "lr" or not access:
        return None
    records[at]["memory"][0]["address"] = flip(access["address"], rng.randrange(2, 12))
    return at, at


# ---- Floating point. ----


def float_result(record):
    registers = record.get("registers", ())
    return record["class"] == "fp" and bool(registers) and registers[0]["class"] == "f" and not record.get("trap")


@of("mandelbrot")
def wrong_float_result(trace, records, at, rng):
    if not float_result(records[at]):
        return None
    register = records[at]["registers"][0]
    register["value"] = flip(register["value"], rng.randrange(2, 32))
    return at, at


@of("mandelbrot")
def wrong_float_register(trace, records, at, rng):
    if not float_result(records[at]):
        return None
    register = records[at]["registers"][0]
    register["number"] = (register["number"] + 1) % 32
    return at, at


@of("mandelbrot")
def wrong_comparison(trace, records, at, rng):
    register = trace.written(at)
    if not register or not records[at]["mnemonic"].startswith(("flt", "fle", "feq")):
        return None
    records[at]["registers"][0]["value"] = flip(register["value"], 0)
    return at, at


@of("mandelbrot")
def wrong_float_opcode(trace, records, at, rng):
    """fadd.s becomes fsub.s, where the operand that it takes away is known not to be 0."""
    if records[at]["mnemonic"] != "fadd.s" or not float_result(records[at]):
        return None
    source = number(records[at]["opcode"]) >> 20 & 31
    for before in range(at - 1, max(at - 60, 0), -1):
        for register in records[before].get("registers", ()):
            if register["class"] == "f" and register["number"] == source:
                if number(register["value"]) << 1 & 0xFFFFFFFF == 0:
                    return None
                result = records[at]["registers"][0]["value"]
                # Beside a much larger one it makes no difference.
                if (number(result) >> 23 & 255) > (number(register["value"]) >> 23 & 255) + 20:
                    return None
                records[at]["opcode"] = hex(number(records[at]["opcode"]) | 0x08000000)
                return at, at
    return None


@of("mandelbrot")
def wrong_float_flags(trace, records, at, rng):
    """A text shows the flags where they change, or always, or never: they are not compared."""
    if not float_result(records[at]) or len(records[at]["registers"]) != 1:
        return None
    records[at]["registers"].append({"class": "csr", "number": 1, "value": hex(1 << rng.randrange(5))})
    return at, at


# ---- Widths and signs. ----


def wrong_extension(trace, records, at, rng):
    """A load of a byte or of 16 bits is extended with the other sign."""
    access, register = trace.access(records[at]), trace.written(at)
    if not access or access["write"] or access["size"] == 4 or not register:
        return None
    records[at]["registers"][0]["value"] = hex(number(register["value"]) ^ (0xFFFFFFFF << 8 * access["size"]) & 0xFFFFFFFF)
    return at, at


def wrong_link(trace, records, at, rng):
    """A call that returns two bytes after where it should."""
    register = trace.written(at)
    if records[at]["class"] != "jump" or not register:
        return None
    records[at]["registers"][0]["value"] = hex(number(register["value"]) + 2)
    return at, at


# Each kind, and the formats that can show it. Whisper's have no sizes, and Spike's log not the CSRs that a trap
# writes.
SIZED = ("spike", "qemu4v", "json")
TRAPS = ("whisper", "qemu4v", "json", "whisper-log")
INTERRUPTS = ("whisper", "json", "whisper-log")  # QEMU4V shows neither interrupts nor that an instruction trapped
KINDS = {
    wrong_result: FORMATS,
    wrong_rd: FORMATS,
    wrong_pc: FORMATS,
    wrong_privilege: ("whisper", "spike", "qemu4v", "json", "whisper-log"),
    skipped_record: FORMATS,
    repeated_record: FORMATS,
    wrong_load_address: FORMATS,
    wrong_store_address: FORMATS,
    wrong_trapped_address: ("whisper", "json", "whisper-log"),
    wrong_stored_value: FORMATS,
    wrong_loaded_value: FORMATS,
    wrong_cause: FORMATS,
    wrong_cause_register: TRAPS,
    wrong_epc: TRAPS,
    wrong_tval: TRAPS,
    wrong_status: TRAPS,
    wrong_status_after_mret: TRAPS,
    wrong_status_read: FORMATS,
    wrong_handler: FORMATS,
    wrong_branch: FORMATS,
    wrong_return: FORMATS,
    changed_opcode: FORMATS,
    flipped_immediate: FORMATS,
    flipped_source: FORMATS,
    wrong_csr_value: FORMATS,
    wrong_csr_written: FORMATS,
    wrong_size: SIZED,
    extra_register: FORMATS,
    second_register: FORMATS,
    lost_store: FORMATS,
    swapped_records: FORMATS,
    interrupt_without_enable: INTERRUPTS,
    interrupt_not_in_mie: INTERRUPTS,
    wrong_interrupt_epc: INTERRUPTS,
    lost_interrupt: ("spike", *INTERRUPTS),
    wrong_interrupt_handler: ("spike", *INTERRUPTS),
    wrong_mode_after_mret: FORMATS,
    wrong_amo_stored: FORMATS,
    wrong_amo_result: FORMATS,
    wrong_sc_result: FORMATS,
    wrong_lr_value: FORMATS,
    wrong_lr_address: FORMATS,
    wrong_float_result: FORMATS,
    wrong_float_register: FORMATS,
    wrong_comparison: FORMATS,
    wrong_float_opcode: FORMATS,
    wrong_extension: FORMATS,
    wrong_link: FORMATS,
}
UNFINDABLE = (missing_register, equal_opcode, wrong_status_of_hardware, lost_store_of_the_same, wrong_float_flags,
              ecall_without_trap)
SIMULATED = {"user": "rv32imac", "atomics": "rv32imac", "mandelbrot": "rv32imafdc"}  # the board lacks what they need


class CheckPlanted(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.traces = {}
        for name in ("traps", "timer", *SIMULATED):
            cls.traces[name] = Trace(cls("test_every_error_is_found").trace_of(name))
        cls.trace = cls.traces["traps"]

    def trace_of(self, name):
        path = self.shared / f"{name}.shot"
        if name in SIMULATED:
            elf = PROGRAMS / "workloads" / SIMULATED[name] / f"{name}.elf"
            subprocess.run([os.environ["EARSHOT_ISS"], "--quiet", "--isa", f"{SIMULATED[name]}u", "--max", str(RECORDS),
                            "-o", path, elf], check=False, capture_output=True)  # it has more
        else:
            self.capture(path, name, "--limit", RECORDS)
        text = self.decode(path, "-q", "-f", "json", "--limit", RECORDS)
        return [json.loads(line) for line in text.splitlines() if '"kind":"instruction"' in line]

    def check(self, records, form, *arguments):
        """The first violation of these records as a text, None if there is none."""
        source, text = self.folder / "t.jsonl", self.folder / "t"
        for index, record in enumerate(records):
            record["index"] = index
        source.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="ascii")
        if form == "json":
            text = source
        else:
            text.unlink(missing_ok=True)
            self.earshot("convert", "-q", "-i", "json", "-f", form, source, "-o", text)
        result = subprocess.run([EARSHOT, "check", "-q", "--json", "--limit", "1", "-i", form, *arguments, text],
                                check=False, capture_output=True, stdin=subprocess.DEVNULL)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        found = json.loads(result.stdout)["found"]
        self.assertEqual(len(found), result.returncode)
        return found[0] if found else None

    def plant(self, kind, seed):
        """Records with one error, and where it may be found."""
        rng = random.Random(f"{kind.__name__} {seed}")
        trace = self.traces[getattr(kind, "trace", "traps")]
        for at in itertools.islice(iter(lambda: rng.randrange(BEGIN, len(trace.records) - 500), None), 100000):
            records = list(trace.records)
            for index in range(at - 1, at + 3):
                records[index] = copy.deepcopy(records[index])
            place = kind(trace, records, at, rng)
            if place:
                return records, place
        raise AssertionError(f"nowhere to plant {kind.__name__}")

    def test_a_trace_without_an_error(self):
        for name, trace in self.traces.items():
            for form in FORMATS if LONG or name == "traps" else FORMATS[:1]:
                with self.subTest(f"{name} {form}"):
                    self.assertIsNone(self.check(list(trace.records), form))

    def test_every_error_is_found(self):
        for index, (kind, forms) in enumerate(KINDS.items()):
            there = 0
            for seed in range(SEEDS):
                form = forms[(index + seed) % len(forms)]
                with self.subTest(f"{kind.__name__} {seed} {form}"):
                    records, (first, last) = self.plant(kind, seed)
                    found = self.check(records, form)
                    self.assertIsNotNone(found, f"not found; planted for record {first} to {last}")
                    self.assertGreaterEqual(found["record"], first, found)
                    self.assertLessEqual(found["record"], last, found)
                    there += 1
            if LONG:
                print(f"{kind.__name__}: {there} of {SEEDS} found", flush=True)

    def test_where_the_handler_was_not_seen_a_jump_is_found(self):
        """In an excerpt, before its first trap, the handler may be anywhere; these formats have a record for each
        interrupt."""
        for kind, form, seed in itertools.product(
                (wrong_pc, skipped_record, swapped_records), ("whisper", "whisper-log"), range(SEEDS)):
            with self.subTest(f"{kind.__name__} {seed} {form}"):
                records, (first, last) = self.plant(kind, seed)
                begin = first - 20
                found = self.check(records[begin:last + 20], form)
                self.assertIsNotNone(found, f"not found; planted for record {first} to {last}")
                self.assertGreaterEqual(found["record"] + begin, first, found)
                self.assertLessEqual(found["record"] + begin, last, found)

    def test_the_program_shows_another_opcode(self):
        program = ("--elf", PROGRAMS / "traps.elf")
        for form in FORMATS:
            with self.subTest(form):
                self.assertIsNone(self.check(list(self.trace.records), form, *program))
                records, (first, last) = self.plant(equal_opcode, FORMATS.index(form))
                found = self.check(records, form, *program)
                self.assertIsNotNone(found, f"not found; planted for record {first} to {last}")
                self.assertEqual(found["rule"], "loaded")
                self.assertEqual(found["record"], first)

    def test_what_nothing_shows_is_not_found(self):
        for kind in UNFINDABLE:
            for seed in range(SEEDS):
                form = FORMATS[seed % len(FORMATS)]
                with self.subTest(f"{kind.__name__} {seed} {form}"):
                    self.assertIsNone(self.check(self.plant(kind, seed)[0], form))
            if LONG:
                print(f"{kind.__name__}: 0 of {SEEDS} found, as expected", flush=True)


if __name__ == "__main__":
    main()
