"""Records of a made-up run, as complete as a simulator knows them, in JSON lines.

The instructions follow each other at addresses that never come again, so a pc names a record. The
state that several CSRs show is kept as a core keeps it: flags add up, a trap writes its CSRs, and a
CSR is listed when it is written or changes.
"""
import json
import random

FFLAGS, FRM, FCSR, VSTART, VXSAT, VXRM, VCSR = 1, 2, 3, 8, 9, 10, 15
SSTATUS, SIE, MSTATUS, MIDELEG, MIE, MSCRATCH = 0x100, 0x104, 0x300, 0x303, 0x304, 0x340
MEPC, MCAUSE, MTVAL, VL, VTYPE = 0x341, 0x342, 0x343, 0xC20, 0xC21
SSTATUS_BITS = 0x80000003000DE762
PAGED = 0x40000000  # virtual addresses from here on are translated


def fp(funct7, rd, rs1, rs2, rm=0):
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | rm << 12 | rd << 7 | 0x53


def csr(number, rs1, rd=0, operation=1):
    return number << 20 | rs1 << 15 | operation << 12 | rd << 7 | 0x73


class Run:
    """vectors, traps: whether there are some. paged: physical addresses that differ."""

    def __init__(self, seed, count, hart=0, vectors=True, traps=True, paged=True, doubles=True):
        self.random = random.Random(seed)
        self.hart, self.doubles = hart, doubles
        self.records = []
        self.pc = 0x80000000
        self.flags, self.rounding, self.status, self.delegated = 0, 0, 0xA00007E80, 0
        self.vectors = {}
        self.privilege = "m"
        steps = [self.alu, self.compressed, self.load, self.store, self.narrow_store, self.branch, self.jump,
                 self.float_add, self.float_add, self.float_convert, self.scratch, self.set_rounding,
                 self.set_fcsr, self.set_sstatus, self.atomic, self.reserve, self.fail_to_store, self.succeed_to_store]
        if vectors:
            steps += [self.configure, self.vector_load, self.vector_add, self.vector_store]
        if traps:
            steps += [self.call_machine, self.fault, self.interrupt]
        if paged:
            steps += [self.paged_load]
        self.begin()
        while len(self.records) < count:
            self.random.choice(steps)()

    def value(self):
        return self.random.getrandbits(64) | 1 << 40

    def address(self):
        return 0x80100000 + 64 * self.random.randrange(4096)

    def add(self, opcode, registers=(), memory=(), size=4, **more):
        """The next record; its registers are (class, number, value)."""
        record = {"kind": "instruction", "hart": self.hart, "index": len(self.records), "isa": "riscv", "xlen": 64,
                  "pc": hex(self.pc), "opcode": hex(opcode), "opcode_size": size, "privilege": self.privilege,
                  "next_pc": hex(self.pc + size),
                  "registers": [{"class": kind, "number": number, "value": value if kind == "v" else hex(value)}
                                for kind, number, value in registers],
                  "memory": list(memory)}
        record.update(more)
        self.records.append(record)
        self.pc = int(record["next_pc"], 16)

    def access(self, write, address, size, value=None, **more):
        access = {"write": write, "address": hex(address), "size": size, **more}
        if value is not None:
            access["value"] = hex(value & (1 << 8 * size) - 1)
        return access

    # What a program does first, so that what follows is known.
    def begin(self):
        self.add(csr(MSTATUS, 5), [("csr", MSTATUS, self.status)])
        self.add(csr(MIDELEG, 5), [("csr", MIDELEG, 0x222)])
        self.add(csr(FCSR, 0), [("csr", FCSR, 0)])
        self.add(csr(SIE, 5), [("csr", SIE, 0x22)])
        self.add(csr(MIE, 5), [("csr", MIE, 0x8A2)])

    def alu(self):
        self.add(0x00130293, [("x", 5, self.value())])

    def compressed(self):
        self.add(0x4505, [("x", 10, 1)], size=2)

    def load(self):
        value = self.value()
        self.add(0x00053383, [("x", 7, value)], [self.access(False, self.address(), 8, value)])

    def store(self):
        value = self.random.choice((self.value(), self.random.getrandbits(31)))
        self.add(0x00753023, (), [self.access(True, self.address(), 8, value)])

    def narrow_store(self):
        self.add(0x00751023, (), [self.access(True, self.address(), 2, self.value())])

    def branch(self):
        taken = self.random.random() < 0.5
        more = {"taken": True, "next_pc": hex(self.pc + 8)} if taken else {}
        self.add(0x00628463, **more)

    def jump(self):
        self.add(0x010000EF, [("x", 1, self.pc + 4)], taken=True, next_pc=hex(self.pc + 16))

    def raise_flags(self):
        """The flags of an instruction, and the write of fcsr if they are new."""
        raised = self.random.choice((0, 1, 1, 1, 5, 16))
        before, self.flags = self.flags, self.flags | raised
        write = [("csr", FCSR, self.rounding << 5 | self.flags)] if self.flags != before else []
        return raised, write

    def float_add(self):
        raised, write = self.raise_flags()
        self.add(fp(1, 1, 2, 3), [("f", 1, self.value()), *write], fflags=raised)

    def float_convert(self):
        raised, write = self.raise_flags()
        self.add(fp(0x61, 5, 2, 0), [("x", 5, self.random.getrandbits(31)), *write], fflags=raised)

    def scratch(self):
        self.add(csr(MSCRATCH, 5, 6), [("x", 6, self.value()), ("csr", MSCRATCH, self.value())])

    def set_rounding(self):
        self.rounding = self.random.randrange(5)
        self.add(csr(FRM, 5), [("csr", FRM, self.rounding)])

    def set_fcsr(self):
        self.rounding, self.flags = self.random.randrange(5), 0
        self.add(csr(FCSR, 5), [("csr", FCSR, self.rounding << 5)])

    def set_sstatus(self):
        self.status ^= 0x40000
        self.add(csr(SSTATUS, 5), [("csr", SSTATUS, self.status & SSTATUS_BITS)])

    def atomic(self):
        address, value = self.address(), self.value()
        self.add(0x00C5362F, [("x", 12, value)],
                 [self.access(False, address, 8, value), self.access(True, address, 8, self.value())])

    def reserve(self):
        value = self.value()
        self.add(0x1005362F, [("x", 12, value)], [self.access(False, self.address(), 8, value)])

    def fail_to_store(self):
        self.add(0x18C5362F, [("x", 12, 1)], [self.access(True, self.address(), 8)])

    def succeed_to_store(self):
        self.add(0x18C5362F, [("x", 12, 0)], [self.access(True, self.address(), 8, self.value())])

    def configure(self):
        self.add(0x0D0372D7, [("x", 5, 4), ("csr", VL, 4), ("csr", VTYPE, 0xD0)])

    def vector(self, number):
        value = f"0x{self.random.getrandbits(128):032x}"
        self.vectors[number] = value
        return ("v", number, value)

    def vector_load(self):
        base = self.address()
        register = self.vector(2)
        words = [int(register[2][-8 * i - 8:][:8], 16) for i in range(4)]
        self.add(0x0205E107, [register], [self.access(False, base + 4 * i, 4, words[i]) for i in range(4)])

    def vector_add(self):
        self.add(0x022101D7, [self.vector(3)])

    def vector_store(self):
        base = self.address()
        words = [self.access(True, base + 4 * i, 4, self.value()) for i in range(4)]
        words[2]["masked"] = True
        self.add(0x0005E127, (), words)

    def trap(self, opcode, cause, tval, memory=(), **more):
        """An exception to M mode, and the return from it."""
        self.status = self.status & ~0x1800 | 0x1800
        self.add(opcode, [("csr", MEPC, self.pc), ("csr", MCAUSE, cause), ("csr", MTVAL, tval),
                          ("csr", MSTATUS, self.status)], memory, cause=hex(cause), **more)
        del self.records[-1]["next_pc"]
        self.pc = self.pc + 0x100
        self.alu()
        self.status &= ~0x1800
        self.add(0x30200073, [("csr", MSTATUS, self.status)])
        self.pc += 0x40

    def call_machine(self):
        self.trap(0x73, 11, 0, trap=True)

    def fault(self):
        address = self.address() + PAGED
        self.trap(0x00753023, 15, address, [self.access(True, address, 8)], trap=True)

    def interrupt(self):
        self.trap(0x00130293, 1 << 63 | 7, 0, interrupt=True)

    def paged_load(self):
        address, value = self.address(), self.value()
        self.add(0x00053383, [("x", 7, value)],
                 [self.access(False, address + PAGED, 8, value, physical=hex(address))])


def write(path, records):
    with open(path, "w", encoding="ascii") as text:
        for record in records:
            text.write(json.dumps(record, separators=(",", ":")) + "\n")
