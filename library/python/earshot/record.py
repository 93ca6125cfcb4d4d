"""Records: the entries of a trace."""
from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._base import ffi, lib, sized_text, text_of


class Kind(enum.IntEnum):
    """What a record is."""

    INSTRUCTION = lib.EAR_RECORD_INSTRUCTION
    GAP = lib.EAR_RECORD_GAP
    EVENT = lib.EAR_RECORD_EVENT
    MEMORY = lib.EAR_RECORD_MEMORY
    IDLE = lib.EAR_RECORD_IDLE
    REGISTERS = lib.EAR_RECORD_REGISTERS
    NOTE = lib.EAR_RECORD_NOTE


class Isa(enum.IntEnum):
    """Instruction sets."""

    RISCV = lib.EAR_ISA_RISCV
    A32 = lib.EAR_ISA_A32
    T32 = lib.EAR_ISA_T32
    T32EE = lib.EAR_ISA_T32EE
    JAZELLE = lib.EAR_ISA_JAZELLE
    A64 = lib.EAR_ISA_A64
    MIPS32 = lib.EAR_ISA_MIPS32
    MIPS64 = lib.EAR_ISA_MIPS64
    UNKNOWN = lib.EAR_ISA_UNKNOWN


class Privilege(enum.IntEnum):
    """Privilege of a hart."""

    U = lib.EAR_PRIVILEGE_U
    S = lib.EAR_PRIVILEGE_S
    RESERVED = lib.EAR_PRIVILEGE_RESERVED
    M = lib.EAR_PRIVILEGE_M
    VU = lib.EAR_PRIVILEGE_VU
    VS = lib.EAR_PRIVILEGE_VS
    DEBUG = lib.EAR_PRIVILEGE_DEBUG


class Flag(enum.IntFlag):
    """Flags of an instruction record."""

    TAKEN = lib.EAR_RECORD_TAKEN
    TRAP = lib.EAR_RECORD_TRAP
    INTERRUPT = lib.EAR_RECORD_INTERRUPT
    HANDLER = lib.EAR_RECORD_HANDLER
    HALT = lib.EAR_RECORD_HALT
    HAS_TIME = lib.EAR_RECORD_HAS_TIME
    PC_PHYSICAL = lib.EAR_RECORD_PC_PHYSICAL
    SKIPPED = lib.EAR_RECORD_SKIPPED
    SECURE = lib.EAR_RECORD_SECURE
    HAS_SECURITY = lib.EAR_RECORD_HAS_SECURITY
    NO_OPCODE = lib.EAR_RECORD_NO_OPCODE
    NO_PRIVILEGE = lib.EAR_RECORD_NO_PRIVILEGE
    NO_NEXT_PC = lib.EAR_RECORD_NO_NEXT_PC
    NO_CAUSE = lib.EAR_RECORD_NO_CAUSE


class RegisterClass(enum.IntEnum):
    """What kind of register a number is of."""

    X = lib.EAR_REGISTER_X
    F = lib.EAR_REGISTER_F
    CSR = lib.EAR_REGISTER_CSR
    V = lib.EAR_REGISTER_V
    NAMED = lib.EAR_REGISTER_NAMED


class GapReason(enum.IntEnum):
    """Why records are missing."""

    UNIT_FIFO = lib.EAR_GAP_UNIT_FIFO
    HOST_RING = lib.EAR_GAP_HOST_RING
    MISSING_FRAME = lib.EAR_GAP_MISSING_FRAME
    DAMAGE = lib.EAR_GAP_DAMAGE
    BAD_MESSAGE = lib.EAR_GAP_BAD_MESSAGE
    CUT = lib.EAR_GAP_CUT
    NO_SYNC = lib.EAR_GAP_NO_SYNC
    DISAGREE = lib.EAR_GAP_DISAGREE
    NO_START = lib.EAR_GAP_NO_START
    NO_END = lib.EAR_GAP_NO_END
    JUMP = lib.EAR_GAP_JUMP
    REPEATED = lib.EAR_GAP_REPEATED
    BAD_LINE = lib.EAR_GAP_BAD_LINE
    CUT_LINE = lib.EAR_GAP_CUT_LINE
    WORD = lib.EAR_GAP_WORD
    NO_CODE = lib.EAR_GAP_NO_CODE
    OFF = lib.EAR_GAP_OFF

    @property
    def text(self) -> str:
        """A phrase: "the unit's FIFO was full"."""
        return text_of(lib.ear_gap_reason_text(int(self)))


class RegisterWrite(NamedTuple):
    """A register that a record wrote or read. V and wide NAMED ones have ``data``, lowest byte first."""

    reg_class: RegisterClass
    number: int
    value: int
    name: str | None = None
    data: bytes | None = None


class Access(NamedTuple):
    """An access to memory. value None: unknown. unknown: bits of the value that are not known."""

    address: int
    size: int
    write: bool
    value: int | None
    physical: int | None = None
    unknown: int = 0
    masked: bool = False
    aborted: bool = False


@dataclass(frozen=True)
class Gap:
    """Which records are missing; count None: nobody knows how many."""

    reason: GapReason
    count: int | None
    first: int | None
    last: int | None
    upper_bound: bool
    at_start: bool
    skipped_bytes: int
    missing_frames: int


class Event(NamedTuple):
    """Something that is no instruction. name: of text formats."""

    source: int
    value: int
    name: str | None
    words: tuple[int, int]


class Record:
    """One entry of a trace. What it does not have is None, or empty, or 0.

    Records are small objects that stay valid; what they hold is worked out when it is asked for.
    """

    __slots__ = ()

    @property
    def position(self) -> int:
        """Records before this one, of any kind."""
        raise NotImplementedError

    @property
    def number(self) -> int:
        """Instruction records before this one."""
        raise NotImplementedError

    @property
    def kind(self) -> Kind:
        """What it is."""
        raise NotImplementedError

    @property
    def hart(self) -> int:
        """The hart that it is of."""
        raise NotImplementedError

    @property
    def index(self) -> int:
        """The hart's own number of the instruction; of other kinds that of the next instruction."""
        raise NotImplementedError

    @property
    def offset(self) -> int:
        """Byte of the stream or the text where the record begins."""
        raise NotImplementedError

    @property
    def line(self) -> int:
        """Line of a text, from 1; 0: not from a text."""
        raise NotImplementedError

    @property
    def ticks(self) -> int | None:
        """Core clocks, if known."""
        raise NotImplementedError

    @property
    def flags(self) -> Flag:
        """Flags of an instruction."""
        raise NotImplementedError

    @property
    def pc(self) -> int:
        """Address of the instruction."""
        raise NotImplementedError

    @property
    def next_pc(self) -> int | None:
        """Where the hart goes next, if known."""
        raise NotImplementedError

    @property
    def opcode(self) -> int | None:
        """All its bits, if known."""
        raise NotImplementedError

    @property
    def opcode_size(self) -> int:
        """Bytes: 2 or 4; 8 in some text formats."""
        raise NotImplementedError

    @property
    def xlen(self) -> int:
        """32 or 64."""
        raise NotImplementedError

    @property
    def isa(self) -> Isa:
        """Instruction set."""
        raise NotImplementedError

    @property
    def privilege(self) -> Privilege | None:
        """Privilege before the instruction, if known."""
        raise NotImplementedError

    @property
    def cause(self) -> int | None:
        """mcause with its interrupt bit, of a trap or an interrupt."""
        raise NotImplementedError

    @property
    def fflags(self) -> int:
        """Floating-point flags that the instruction raised."""
        raise NotImplementedError

    @property
    def frm(self) -> int:
        """Rounding mode in force; 0 if never seen."""
        raise NotImplementedError

    @property
    def registers(self) -> tuple[RegisterWrite, ...]:
        """Registers written: x, then f, then CSRs."""
        raise NotImplementedError

    @property
    def reads(self) -> tuple[RegisterWrite, ...]:
        """Registers that it read, with their values: of texts that have them, and of captures that
        were opened with reads."""
        raise NotImplementedError

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Accesses to memory, in order; an AMO is a read, then a write."""
        raise NotImplementedError

    @property
    def inferred_registers(self) -> tuple[RegisterWrite, ...]:
        """Registers written that the trace does not have, and that follow: :meth:`Trace.infer`."""
        return ()

    @property
    def inferred_accesses(self) -> tuple[Access, ...]:
        """Accesses that the trace does not have, or not their value, and that follow."""
        return ()

    @property
    def gap(self) -> Gap | None:
        """Of a gap: what is missing."""
        raise NotImplementedError

    @property
    def event(self) -> Event | None:
        """Of an event: which one."""
        raise NotImplementedError

    @property
    def note(self) -> str | None:
        """The text of a line that is no record of the run."""
        raise NotImplementedError

    @property
    def disassembly(self) -> str | None:
        """The disassembly of the source, if it differs from that of the opcode."""
        raise NotImplementedError

    @property
    def is_instruction(self) -> bool:
        return self.kind == Kind.INSTRUCTION

    @property
    def taken(self) -> bool:
        """A branch or jump went to next_pc."""
        return bool(self.flags & Flag.TAKEN)

    @property
    def trap(self) -> bool:
        """The instruction trapped."""
        return bool(self.flags & Flag.TRAP)

    @property
    def interrupt(self) -> bool:
        """An interrupt was taken instead of the instruction."""
        return bool(self.flags & Flag.INTERRUPT)

    @property
    def rd(self) -> int:
        """The first x register that was written, 1 .. 31; 0: none."""
        for register in self.registers:
            if register.reg_class == RegisterClass.X:
                return register.number
        return 0

    @property
    def rd_value(self) -> int:
        """Its value, or 0."""
        for register in self.registers:
            if register.reg_class == RegisterClass.X:
                return register.value
        return 0

    @property
    def address(self) -> int | None:
        """Of the first access."""
        accesses = self.accesses
        return accesses[0].address if accesses else None

    @property
    def data(self) -> int | None:
        """Value of the first access, if every bit is known."""
        accesses = self.accesses
        return accesses[0].value if accesses and not accesses[0].unknown else None

    @property
    def is_write(self) -> bool:
        """The first access is a write."""
        accesses = self.accesses
        return bool(accesses) and accesses[0].write

    def __repr__(self) -> str:
        if self.kind == Kind.INSTRUCTION:
            opcode = "" if self.opcode is None else f" opcode={self.opcode:#x}"
            return f"<Record {self.position} pc={self.pc:#x}{opcode}>"
        return f"<Record {self.position} {self.kind.name.lower()}>"


# Records of runs -----------------------------------------------------------------------------

#: struct ear_compact_record
COMPACT = struct.Struct("@5Q2I4B4x")
if COMPACT.size != ffi.sizeof("struct ear_compact_record"):
    raise ImportError("this version of the package is for another version of libearshot")

_NO_ACCESS = 255
_TAKEN = int(lib.EAR_COMPACT_TAKEN)
_WRITE = int(lib.EAR_COMPACT_WRITE)


class Run:
    """What the records of a run have in common."""

    __slots__ = ("position", "number", "index", "line", "offset", "ticks", "flags", "hart", "xlen",
                 "privilege", "frm", "vtype", "first_timed", "all_timed")

    def __init__(self, run: Any, position: int, number: int) -> None:
        self.position = position
        self.number = number
        self.index: int = run.first_index
        self.line: int = run.first_line
        self.offset: int = run.stream_offset
        self.ticks: int = run.ticks
        self.flags: int = run.flags
        self.hart: int = run.hart
        self.xlen: int = run.xlen
        self.privilege: int = run.privilege
        self.frm: int = run.frm
        self.vtype: int = run.vtype
        self.first_timed: bool = run.first_timed
        self.all_timed: bool = run.all_timed


class RunRecord(Record):
    """A record of a run: what it shares with the others, its own row, its place in the run."""

    __slots__ = ("_row", "_run", "_at")

    def __init__(self, row: tuple[int, ...], run: Run, at: int) -> None:
        self._row = row
        self._run = run
        self._at = at

    @property
    def position(self) -> int:
        return self._run.position + self._at

    @property
    def number(self) -> int:
        return self._run.number + self._at

    @property
    def kind(self) -> Kind:
        return Kind.INSTRUCTION

    @property
    def hart(self) -> int:
        return self._run.hart

    @property
    def index(self) -> int:
        return self._run.index + self._at

    @property
    def offset(self) -> int:
        return self._run.offset + self._row[6]

    @property
    def line(self) -> int:
        return self._run.line + self._at if self._run.line else 0

    @property
    def ticks(self) -> int | None:
        run = self._run
        return run.ticks if (run.all_timed if self._at else run.first_timed) else None

    @property
    def flags(self) -> Flag:
        flags = self._run.flags | self._row[10] & _TAKEN
        return Flag(flags | Flag.HAS_TIME if self.ticks is not None else flags)

    @property
    def taken(self) -> bool:
        return bool(self._row[10] & _TAKEN)

    @property
    def trap(self) -> bool:
        return bool(self._run.flags & 2)

    @property
    def interrupt(self) -> bool:
        return bool(self._run.flags & 4)

    @property
    def is_instruction(self) -> bool:
        return True

    @property
    def pc(self) -> int:
        return self._row[0]

    @property
    def next_pc(self) -> int | None:
        return None if self._run.flags & Flag.NO_NEXT_PC else self._row[1]

    @property
    def opcode(self) -> int | None:
        return None if self._run.flags & Flag.NO_OPCODE else self._row[5]

    @property
    def opcode_size(self) -> int:
        return self._row[7]

    @property
    def xlen(self) -> int:
        return self._run.xlen

    @property
    def isa(self) -> Isa:
        return Isa.RISCV

    @property
    def privilege(self) -> Privilege | None:
        run = self._run
        return None if run.flags & Flag.NO_PRIVILEGE else Privilege(run.privilege)

    @property
    def cause(self) -> int | None:
        return None

    @property
    def fflags(self) -> int:
        return 0

    @property
    def frm(self) -> int:
        return self._run.frm

    @property
    def registers(self) -> tuple[RegisterWrite, ...]:
        row = self._row
        return (RegisterWrite(RegisterClass.X, row[8], row[2]),) if row[8] else ()

    @property
    def accesses(self) -> tuple[Access, ...]:
        row = self._row
        if row[9] == _NO_ACCESS:
            return ()
        return (Access(row[3], row[9], bool(row[10] & _WRITE), row[4]),)

    @property
    def reads(self) -> tuple[RegisterWrite, ...]:
        return ()

    @property
    def rd(self) -> int:
        return self._row[8]

    @property
    def rd_value(self) -> int:
        return self._row[2] if self._row[8] else 0

    @property
    def address(self) -> int | None:
        return None if self._row[9] == _NO_ACCESS else self._row[3]

    @property
    def data(self) -> int | None:
        return None if self._row[9] == _NO_ACCESS else self._row[4]

    @property
    def is_write(self) -> bool:
        return self._row[9] != _NO_ACCESS and bool(self._row[10] & _WRITE)

    @property
    def gap(self) -> Gap | None:
        return None

    @property
    def event(self) -> Event | None:
        return None

    @property
    def note(self) -> str | None:
        return None

    @property
    def disassembly(self) -> str | None:
        return None


# All others ----------------------------------------------------------------------------------

_RECORD_SIZE = int(ffi.sizeof("struct ear_record"))
_REGISTER_SIZE = int(ffi.sizeof("struct ear_record_register"))
_ACCESS_SIZE = int(ffi.sizeof("struct ear_record_access"))
_CLASS_AT = int(ffi.offsetof("struct ear_record_register", "reg_class"))


def _register(reg: Any) -> RegisterWrite:
    reg_class, name, data = RegisterClass(reg.reg_class), None, None
    if reg_class == RegisterClass.V:
        data = ffi.buffer(reg.text.bytes, reg.text_size)[:]
    elif reg_class == RegisterClass.NAMED:
        name = ffi.buffer(reg.text.name, reg.text_size)[:].decode("utf-8", "replace")
        if reg.size > 8:
            data = ffi.buffer(reg.text.bytes + reg.text_size, reg.size)[:]
    return RegisterWrite(reg_class, reg.number, reg.value, name, data)


def _access(access: Any) -> Access:
    return Access(access.address, access.size, access.write,
                  access.value if access.has_value else None,
                  access.physical if access.has_physical else None, access.unknown,
                  access.masked, access.aborted)


class WholeRecord(Record):
    """A copy of a struct ear_record with what it points to."""

    __slots__ = ("_position", "_number", "_bytes", "_register_bytes", "_registers",
                 "_access_bytes", "_line", "_disassembly", "_name", "_note", "_reads",
                 "_inferred")

    def __init__(self, record: Any, position: int, number: int) -> None:
        self._position = position
        self._number = number
        self._bytes: bytes = ffi.buffer(record, _RECORD_SIZE)[:]
        count = record.register_count
        self._registers: tuple[RegisterWrite, ...] | None = None
        self._register_bytes: bytes = (
            ffi.buffer(record.registers, count * _REGISTER_SIZE)[:] if count else b"")
        if count and max(self._register_bytes[_CLASS_AT::_REGISTER_SIZE]) >= RegisterClass.V:
            self._registers = tuple(_register(record.registers[i]) for i in range(count))
        count = record.memory_count
        self._access_bytes: bytes = (
            ffi.buffer(record.memory, count * _ACCESS_SIZE)[:] if count else b"")
        extra = record.extra
        self._line = 0
        self._disassembly: str | None = None
        self._reads: tuple[RegisterWrite, ...] = ()
        self._inferred: tuple[tuple[RegisterWrite, ...], tuple[Access, ...]] = ((), ())
        if extra != ffi.NULL:
            self._line = extra.line
            self._disassembly = sized_text(extra.disassembly)
            if extra.read_count:
                self._reads = tuple(map(_register, extra.reads[0:extra.read_count]))
            if extra.inferred != ffi.NULL:
                found = extra.inferred
                self._inferred = (
                    tuple(map(_register, found.registers[0:found.register_count])),
                    tuple(map(_access, found.memory[0:found.memory_count])))
        self._name: str | None = None
        self._note: str | None = None
        if record.kind == Kind.EVENT:
            self._name = sized_text(record.u.event.name)
        elif record.kind == Kind.NOTE:
            self._note = sized_text(record.u.note.text)

    @property
    def _struct(self) -> Any:
        return ffi.from_buffer("struct ear_record *", self._bytes)

    @property
    def position(self) -> int:
        return self._position

    @property
    def number(self) -> int:
        return self._number

    @property
    def kind(self) -> Kind:
        return Kind(self._struct.kind)

    @property
    def hart(self) -> int:
        return int(self._struct.hart)

    @property
    def index(self) -> int:
        return int(self._struct.index)

    @property
    def offset(self) -> int:
        return int(self._struct.stream_offset)

    @property
    def line(self) -> int:
        return self._line

    @property
    def ticks(self) -> int | None:
        record = self._struct
        return int(record.ticks) if record.flags & Flag.HAS_TIME else None

    @property
    def flags(self) -> Flag:
        return Flag(self._struct.flags)

    @property
    def pc(self) -> int:
        record = self._struct
        return int(record.pc) if record.kind == Kind.INSTRUCTION else 0

    def _known(self, absent: Flag) -> Any:
        """The struct of an instruction, None if it is none or lacks something."""
        record = self._struct
        return None if record.kind != Kind.INSTRUCTION or record.flags & absent else record

    @property
    def next_pc(self) -> int | None:
        record = self._known(Flag.NO_NEXT_PC)
        return None if record is None else int(record.next_pc)

    @property
    def opcode(self) -> int | None:
        record = self._known(Flag.NO_OPCODE)
        return None if record is None else int(record.opcode)

    @property
    def opcode_size(self) -> int:
        record = self._known(Flag.NO_OPCODE)
        return 0 if record is None else int(record.opcode_size)

    @property
    def xlen(self) -> int:
        return int(self._struct.xlen)

    @property
    def isa(self) -> Isa:
        return Isa(self._struct.isa)

    @property
    def privilege(self) -> Privilege | None:
        record = self._known(Flag.NO_PRIVILEGE)
        return None if record is None else Privilege(record.privilege)

    @property
    def cause(self) -> int | None:
        record = self._known(Flag.NO_CAUSE)
        if record is None or not record.flags & (Flag.TRAP | Flag.INTERRUPT):
            return None
        return int(record.cause)

    @property
    def fflags(self) -> int:
        record = self._known(Flag(0))
        return 0 if record is None else int(record.fflags)

    @property
    def frm(self) -> int:
        record = self._known(Flag(0))
        return 0 if record is None else int(record.frm)

    @property
    def registers(self) -> tuple[RegisterWrite, ...]:
        if self._registers is not None:
            return self._registers
        if not self._register_bytes:
            return ()
        array = ffi.from_buffer("struct ear_record_register[]", self._register_bytes)
        return tuple(map(_register, array))

    @property
    def accesses(self) -> tuple[Access, ...]:
        if not self._access_bytes:
            return ()
        array = ffi.from_buffer("struct ear_record_access[]", self._access_bytes)
        return tuple(map(_access, array))

    @property
    def inferred_registers(self) -> tuple[RegisterWrite, ...]:
        return self._inferred[0]

    @property
    def inferred_accesses(self) -> tuple[Access, ...]:
        return self._inferred[1]

    @property
    def reads(self) -> tuple[RegisterWrite, ...]:
        return self._reads

    @property
    def gap(self) -> Gap | None:
        record = self._struct
        if record.kind != Kind.GAP:
            return None
        gap = record.u.gap
        known = gap.count_known
        return Gap(GapReason(gap.reason), gap.count if known else None,
                   gap.first if known else None, gap.last if known else None, gap.upper_bound,
                   gap.at_start, gap.skipped_bytes, gap.missing_frames)

    @property
    def event(self) -> Event | None:
        record = self._struct
        if record.kind != Kind.EVENT:
            return None
        event = record.u.event
        return Event(event.source, event.value, self._name, (event.words[0], event.words[1]))

    @property
    def note(self) -> str | None:
        return self._note

    @property
    def disassembly(self) -> str | None:
        return self._disassembly


def struct_of(record: Record) -> Any:
    """A struct ear_record of an instruction, without registers and accesses; and what must live as
    long as it does."""
    made = ffi.new("struct ear_record *")
    if isinstance(record, WholeRecord):
        ffi.memmove(made, record._bytes, _RECORD_SIZE)
        made.registers = ffi.NULL
        made.register_count = 0
        made.memory = ffi.NULL
        made.memory_count = 0
        made.extra = ffi.NULL
    else:
        made.kind = record.kind
        made.xlen = record.xlen
        made.flags = record.flags
        made.opcode = record.opcode or 0
        made.opcode_size = record.opcode_size
        made.pc = record.pc
        made.next_pc = record.next_pc or 0
        if isinstance(record, RunRecord):
            made.vtype = record._run.vtype
    keep = []
    if record.disassembly is not None:
        text = record.disassembly.encode()
        extra, chars = ffi.new("struct ear_record_extra *"), ffi.new("char[]", text)
        extra.disassembly.text = chars
        extra.disassembly.size = len(text)
        made.extra = extra
        keep = [extra, chars]
    return made, keep
