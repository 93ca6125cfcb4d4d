"""Instructions: what an opcode is."""
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._base import Guard, error_of, ffi, held, lib, new_sized, text_of
from .record import Record, RegisterClass, struct_of


class InstructionClass(enum.IntEnum):
    """What an instruction does."""

    ILLEGAL = lib.EAR_CLASS_ILLEGAL
    ALU = lib.EAR_CLASS_ALU
    MUL = lib.EAR_CLASS_MUL
    DIV = lib.EAR_CLASS_DIV
    LOAD = lib.EAR_CLASS_LOAD
    STORE = lib.EAR_CLASS_STORE
    AMO = lib.EAR_CLASS_AMO
    LR = lib.EAR_CLASS_LR
    SC = lib.EAR_CLASS_SC
    BRANCH = lib.EAR_CLASS_BRANCH
    JUMP = lib.EAR_CLASS_JUMP
    CSR = lib.EAR_CLASS_CSR
    FP = lib.EAR_CLASS_FP
    FENCE = lib.EAR_CLASS_FENCE
    CACHE = lib.EAR_CLASS_CACHE
    SYSTEM = lib.EAR_CLASS_SYSTEM
    VLOAD = lib.EAR_CLASS_VLOAD
    VSTORE = lib.EAR_CLASS_VSTORE
    VECTOR = lib.EAR_CLASS_VECTOR


class InstructionFlag(enum.IntFlag):
    CALL = lib.EAR_INSTRUCTION_CALL
    RETURN = lib.EAR_INSTRUCTION_RETURN
    INDIRECT = lib.EAR_INSTRUCTION_INDIRECT
    FLOAT = lib.EAR_INSTRUCTION_FLOAT
    ACQUIRE = lib.EAR_INSTRUCTION_ACQUIRE
    RELEASE = lib.EAR_INSTRUCTION_RELEASE
    MASKED = lib.EAR_INSTRUCTION_MASKED


@dataclass(frozen=True)
class Operand:
    """count registers from number on, or, with reg_class None, an immediate."""

    reg_class: RegisterClass | None
    number: int
    count: int
    immediate: int
    is_read: bool
    is_written: bool


class Instruction(NamedTuple):
    """What an opcode is (earshot/instruction.h)."""

    mnemonic: str
    instruction_class: InstructionClass
    size: int
    access_size: int
    flags: InstructionFlag
    operands: tuple[Operand, ...]


def _operand(operand: Any) -> Operand:
    return Operand(None if operand.is_immediate else RegisterClass(operand.reg_class),
                   operand.number, operand.count, operand.immediate,
                   bool(operand.access & lib.EAR_OPERAND_IS_READ),
                   bool(operand.access & lib.EAR_OPERAND_IS_WRITTEN))


def _instruction(made: Any) -> Instruction:
    return Instruction(text_of(made.mnemonic), InstructionClass(made.instruction_class),
                       made.opcode_size, made.access_size, InstructionFlag(made.flags),
                       tuple(map(_operand, made.operands[0:made.operand_count])))


class Instructions:
    """A set of instructions: an ISA string ("rv64gc_zba") or a profile ("rva23u64"); None: all
    that are known."""

    def __init__(self, legal: str | None = None) -> None:
        self._guard = Guard("the instructions are")
        made, error = ffi.new("struct ear_instructions **"), ffi.new(f"char[{_ERROR_MAX}]")
        result = lib.ear_instructions_new(made, ffi.NULL if legal is None else legal.encode(),
                                          error)
        if result < 0:
            raise error_of(result, text_of(error))
        self._handle = ffi.gc(made[0], lib.ear_instructions_free)

    @held
    def decode(self, opcode: int, xlen: int) -> Instruction:
        """What an opcode of RISC-V is."""
        made = self._new()
        result = lib.ear_instruction_decode(self._handle, made, opcode, xlen)
        if result < 0:
            raise error_of(result, "XLEN is 32 or 64")
        return _instruction(made)

    @held
    def of(self, record: Record) -> Instruction:
        """What the instruction of a record is."""
        made, (struct, _keep) = self._new(), struct_of(record)
        lib.ear_instruction_of(self._handle, made, struct)
        return _instruction(made)

    @held
    def text(self, record: Record) -> str:
        """The disassembly of a record; "" if it is no instruction."""
        text, (struct, _keep) = ffi.new("char[256]"), struct_of(record)
        lib.ear_instruction_text(self._handle, struct, text, 256)
        return text_of(text)

    @staticmethod
    def _new() -> Any:
        made = new_sized("struct ear_instruction")
        return made


_ERROR_MAX = int(lib.EAR_INSTRUCTIONS_ERROR_MAX)
