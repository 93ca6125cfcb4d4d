"""Traces of RISC-V cores, and of others, and any moment of them.

    import earshot

    with earshot.open("run.shot") as trace:
        for record in trace:
            print(hex(record.pc))

The guide is docs/library.md, section "Python"; what a word means is in the headers of libearshot.
"""
from ._base import (ArgumentError, Cancelled, Error, FileError, InUse, Progress,
                    SystemRefusal, Unsupported, lib as _lib, text_of as _text_of)
from .check import CheckResult, CheckRule, RuleCounts, Violation
from .instruction import Instruction, InstructionClass, InstructionFlag, Instructions, Operand
from .moment import Byte, Frame, FrameKind, Memory, Moment
from .names import (Address, AddressKind, FlowCode, Function, Inlined, Line, Names, Symbol, SymbolKind,
                    Variable, parse_address)
from .record import (Access, Event, Flag, Gap, GapReason, Isa, Kind, Privilege, Record,
                     RegisterClass, RegisterWrite)
from .search import Query, register_name
from .trace import (Columns, Completeness, Counts, Facts, IndexFacts, Mark, Report, Trace, Verdict,
                    column_names, open)
from .why import (MemoryAccessError, MemoryBlock, MemoryErrorKind, MemoryMoment, ValueChain,
                  ValueEnd, ValueNode, ValuePlace, ValueSource, Why, WhyBlock, WhyChanged,
                  WhyDifference, WhyKind, WhyLost, WhyPlace, WhyRole, WhyValue)

#: Of the library.
__version__ = _text_of(_lib.ear_version())

__all__ = [
    "Access", "Address", "AddressKind", "ArgumentError", "Byte", "Cancelled", "CheckResult",
    "CheckRule", "Columns", "Completeness", "Counts", "Error", "Event", "Facts", "FileError", "Flag", "FlowCode", "Frame",
    "FrameKind", "Function", "Gap", "GapReason", "InUse", "IndexFacts", "Inlined", "Instruction",
    "InstructionClass", "InstructionFlag", "Instructions", "Isa", "Kind", "Line", "Mark", "Memory",
    "MemoryAccessError", "MemoryBlock", "MemoryErrorKind", "MemoryMoment", "Moment", "Names",
    "Operand", "Privilege", "Progress", "Query", "Record", "RegisterClass",
    "RegisterWrite", "Report", "RuleCounts", "Symbol", "SymbolKind", "SystemRefusal", "Trace",
    "Unsupported", "ValueChain", "ValueEnd", "ValueNode", "ValuePlace", "ValueSource", "Variable",
    "Verdict", "Violation", "Why", "WhyBlock", "WhyChanged", "WhyDifference", "WhyKind", "WhyLost",
    "WhyPlace", "WhyRole", "WhyValue",
    "column_names", "open", "parse_address", "register_name",
]
