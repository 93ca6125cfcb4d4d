#!/usr/bin/env python3
"""Logs of Spike through the command: round trips, and the labels of --elf."""
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

EARSHOT = os.environ["EARSHOT_BIN"]

HEAD = "core   0: "
# A program with a trap, its handler, and a loop to itself: label, pc, opcode, text, effect.
LOG = [
    ("_start", 0x80000000, 0x00100513, "li      a0, 1", " x10 0x0000000000000001"),
    (None, 0x80000004, 0x80006B7FFFFFFFF, "unknown", None),
    ("handler", 0x80000100, 0x34102573, "csrr    a0, mepc", " x10 0x0000000080000004"),
    (None, 0x80000104, 0x00450513, "addi    a0, a0, 4", " x10 0x0000000080000008"),
    (None, 0x80000108, 0x34151073, "csrw    mepc, a0", " c833_mepc 0x0000000080000008"),
    (None, 0x8000010C, 0x30200073, "mret", ""),
    ("done", 0x80000008, 0xA001, "c.j     pc + 0", ""),
]


def make_elf(path, symbols, bits=64):
    """An ELF file with these (name, value) as its symbols, in this order, and nothing else."""
    names = b"\0"
    table = b"\0" * (24 if bits == 64 else 16)
    for name, value in symbols:
        at = len(names)
        names += name.encode() + b"\0"
        if bits == 64:
            table += struct.pack("<IBBHQQ", at, 0, 0, 1, value, 0)
        else:
            table += struct.pack("<IIIBBH", at, value, 0, 0, 0, 1)
    sections = b"\0.symtab\0.strtab\0.shstrtab\0"
    size = 64 if bits == 64 else 52
    offsets = [size, size + len(table), size + len(table) + len(names)]
    header = "<IIQQQQIIQQ" if bits == 64 else "<IIIIIIIIII"
    rows = [struct.pack(header, *[0] * 10)]
    rows.append(struct.pack(header, 1, 2, 0, 0, offsets[0], len(table), 2, 1, 8, 24 if bits == 64 else 16))
    rows.append(struct.pack(header, 9, 3, 0, 0, offsets[1], len(names), 0, 0, 1, 0))
    rows.append(struct.pack(header, 17, 3, 0, 0, offsets[2], len(sections), 0, 0, 1, 0))
    ident = b"\x7fELF" + bytes([2 if bits == 64 else 1, 1, 1]) + b"\0" * 9
    begin = "<HHIQQQIHHHHHH" if bits == 64 else "<HHIIIIIHHHHHH"
    end = offsets[2] + len(sections)
    elf = ident + struct.pack(begin, 2, 243, 1, 0x80000000, 0, end, 0, size, 0, 0, len(rows[0]), len(rows), 3)
    path.write_bytes(elf + table + names + sections + b"".join(rows))


def make_log(labels, repeats=3):
    lines = []
    for name, pc, opcode, text, effect in LOG:
        if name in labels:
            lines.append(f"{HEAD}>>>>  {labels[name]}")
        lines.append(f"{HEAD}0x{pc:016x} (0x{opcode:08x}) {text}")
        if effect is None:
            lines.append(f"{HEAD}exception trap_illegal_instruction, epc 0x{pc:016x}")
            lines.append(f"{HEAD}          tval 0x{opcode & 0xFFFFFFFF:016x}")
            continue
        digits = 4 if opcode < 0x10000 else 8
        lines += [f"{HEAD}3 0x{pc:016x} (0x{opcode:0{digits}x}){effect}"] * (repeats if opcode == 0xA001 else 1)
    return "\n".join(lines) + "\n"


class Spike(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, *arguments, status=0):
        done = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_a_log_comes_back_byte_for_byte(self):
        log, json, again = (self.folder / name for name in ("a.spike.log", "a.jsonl", "b.spike.log"))
        log.write_text(make_log({}, 20000))
        self.run_command("convert", "-q", "--strict", log, "-o", json)
        for jobs in (1, 3):
            for source in (log, json):
                self.run_command("convert", "-q", "--strict", "-j", jobs, source, "-o", again)
                self.assertEqual(again.read_text(), log.read_text(), f"{source}, -j {jobs}")

    def test_what_a_capture_file_leaves_out_is_reported(self):
        log, shot, again = (self.folder / name for name in ("a.spike.log", "a.shot", "b.spike.log"))
        log.write_text(make_log({}))
        _, error = self.run_command("convert", log, "-o", shot)
        self.assertIn("cannot carry: opcode of more than 32 bits, of 1 record", error)
        self.run_command("decode", "-q", shot, "-o", again)
        self.assertEqual(again.read_text(), log.read_text().replace("0x80006b7ffffffff", "0xffffffff"))

    def test_labels_are_chosen_as_spike_does(self):
        log, elf, shot = (self.folder / name for name in ("a.spike.log", "a.elf", "a.shot"))
        log.write_text(make_log({}))
        # Of several names the first in the order of bytes; of a name that is there twice the last value.
        make_elf(elf, [("begin", 0x80000000), ("_start", 0x80000000), ("$xrv64i2p1", 0x80000100), ("main", 0x80000008),
                       ("handler", 0x80000100), ("done", 0x80000104), ("done", 0x80000008), ("data", 0x80002000)])
        wanted = make_log({"_start": "_start", "handler": "$xrv64i2p1", "done": "done"})
        self.assertEqual(self.run_command("convert", log, "-f", "spike", "--elf", elf)[0], wanted)
        self.run_command("convert", "-q", "--quiet-loss", log, "-o", shot)
        decoded, _ = self.run_command("decode", shot, "-f", "spike", "--elf", elf)
        self.assertEqual(decoded, wanted.replace("0x80006b7ffffffff", "0xffffffff"))

    def test_a_32_bit_program_has_symbols_too(self):
        log, elf = self.folder / "a.spike.log", self.folder / "a.elf"
        log.write_text(f"{HEAD}0x00001000 (0x00000013) nop\n{HEAD}3 0x00001000 (0x00000013)\n")
        make_elf(elf, [("boot", 0x1000)], bits=32)
        out, _ = self.run_command("convert", log, "-f", "spike", "--elf", elf)
        self.assertEqual(out, f"{HEAD}>>>>  boot\n" + log.read_text())

    def test_a_program_that_is_cut_off_is_refused(self):
        log, elf = self.folder / "a.spike.log", self.folder / "a.elf"
        log.write_text(make_log({}))
        make_elf(elf, [])
        elf.write_bytes(elf.read_bytes()[:200])
        _, error = self.run_command("convert", log, "-f", "spike", "--elf", elf, status=2)
        self.assertIn(str(elf), error)


if __name__ == "__main__":
    unittest.main()
