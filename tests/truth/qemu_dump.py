#!/usr/bin/env python3
"""What QEMU holds behind chosen instructions of a program, in the form of the virtual board's dump.

    qemu_dump.py PROGRAM.elf LISTFILE FILE

QEMU is stepped through its debugger's interface, one instruction at a time from the program's entry,
and its registers, trap CSRs and the first 256 KiB of its memory are read behind those of LISTFILE. An
exception counts as an instruction, as in a trace. There are no interrupts: this is for programs, and
beginnings of programs, that do not depend on time.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

BASE, SIZE, LINE = 0x80000000, 0x40000, 64
PIECE = 0x800  # bytes of memory in a reply
CPU = "rv32,h=off,s=off,u=off,a=off,d=off,f=off"
# Number of a CSR -> the bits that the demo core has as well: mie, mtvec, mscratch, mepc, mcause, mtval.
CSRS = {0x304: 0x888, 0x305: ~0, 0x340: ~0, 0x341: ~0, 0x342: ~0, 0x343: ~0}


class Debugger:
    """The remote protocol of GDB."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                time.sleep(0.01)
        self.buffer = b""
        self.ask("QStartNoAckMode")
        self.socket.sendall(b"+")
        self.ask("qXfer:features:read:target.xml:0,ffb")  # QEMU shows CSRs only after that
        csrs = self.ask("qXfer:features:read:riscv-csr.xml:0,ffb")
        self.first_csr = int(re.search(r'"mstatus"[^>]*regnum="(\d+)"', csrs)[1]) - 0x300

    def ask(self, text):
        data = text.encode()
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 0xFF))
        while True:
            start, end = self.buffer.find(b"$"), self.buffer.find(b"#")
            if 0 <= start < end <= len(self.buffer) - 3:
                answer = self.buffer[start + 1:end]
                self.buffer = self.buffer[end + 3:]
                return answer.decode()
            part = self.socket.recv(1 << 16)
            if not part:
                raise EOFError("QEMU has gone")
            self.buffer += part

    def registers(self):
        """x0 to x31 and pc."""
        data = bytes.fromhex(self.ask("g")[:33 * 8])
        return [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]

    def csr(self, number):
        return int.from_bytes(bytes.fromhex(self.ask(f"p{self.first_csr + number:x}")), "little")

    def memory(self):
        return b"".join(bytes.fromhex(self.ask(f"m{BASE + at:x},{PIECE:x}")) for at in range(0, SIZE, PIECE))


def write_moment(file, debugger, number, pc, last):
    """last: what the moment before had."""
    registers = debugger.registers()
    file.write(f"after {number}\npc {pc:#010x}\nnext {registers[32]:#010x}\nprivilege 3\n")
    for k in range(1, 32):
        if last.get(("x", k)) != registers[k]:
            file.write(f"x {k} {registers[k]:#010x}\n")
            last["x", k] = registers[k]
    for k, mask in CSRS.items():
        value = debugger.csr(k) & mask
        if last.get(("c", k)) != value:
            file.write(f"c {k} {value:#010x}\n")
            last["c", k] = value
    memory, before = debugger.memory(), last.get("memory", bytes(SIZE))
    for at in range(0, SIZE, LINE):
        line = memory[at:at + LINE]
        if line != before[at:at + LINE]:
            file.write(f"m {BASE + at:#010x} {line.hex()}\n")
    last["memory"] = memory


def main():
    elf, names, path = sys.argv[1:4]
    moments = sorted({int(word) for word in pathlib.Path(names).read_text(encoding="ascii").split()})
    with tempfile.TemporaryDirectory() as folder, open(path, "w", encoding="ascii") as file:
        place = pathlib.Path(folder) / "gdb"
        with subprocess.Popen(["qemu-system-riscv32", "-M", "virt", "-cpu", CPU, "-bios", "none", "-kernel", elf, "-S",
                               "-gdb", f"unix:{place},server=on,wait=off", "-display", "none", "-serial", "null",
                               "-monitor", "none"]) as qemu:
            debugger = Debugger(place)
            debugger.ask(f"Z0,{BASE:x},2")
            debugger.ask("c")
            debugger.ask(f"z0,{BASE:x},2")
            file.write("# earshot-board dump 1\n")
            last, at = {}, 0
            for number in moments:
                while at < number:
                    debugger.ask("s")
                    at += 1
                pc = debugger.registers()[32]
                debugger.ask("s")
                at += 1
                write_moment(file, debugger, number, pc, last)
            file.write(f"# end: {len(moments)} of {len(moments)} moments\n")
            qemu.kill()


if __name__ == "__main__":
    main()
