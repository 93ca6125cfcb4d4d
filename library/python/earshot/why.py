"""Why a run ended, and where values come from (docs/why.md)."""
from __future__ import annotations

import enum
from typing import Any, NamedTuple

from ._base import ffi, lib, text_of
from .record import RegisterClass


class ValueEnd(enum.IntEnum):
    """Why a chain does not go further back."""

    FOLLOWED = 0
    CONSTANT = 1
    IMAGE = 2
    DEVICE = 3
    CORE = 4
    CHANGED = 5
    BEGIN = 6
    GAP = 7
    OPAQUE = 8
    LIMIT = 9
    NOT_ASKED = 10


class WhyKind(enum.IntEnum):
    """How a run ended."""

    UNKNOWN = 0
    ENDED = 1
    TRAP = 2
    EXIT = 3
    HANG = 4
    EVENT = 5


class WhyRole(enum.IntEnum):
    """What a value is to the cause."""

    ADDRESS = 0
    TARGET = 1
    INSTRUCTION = 2
    CODE = 3
    OPERAND = 4
    STATUS = 5
    INPUT = 6
    ENABLED = 7
    CHOICE = 8
    RESUMED = 9


class ValuePlace(NamedTuple):
    """A register of a hart, or size bytes of memory at address; the others are None."""

    hart: int | None
    register: tuple[RegisterClass, int] | None
    address: int | None
    size: int | None


class ValueSource(NamedTuple):
    """What a record read to make a value. node: the index of the one that wrote it; None: end says
    why there is none."""

    place: ValuePlace
    is_address: bool
    value: int | None
    end: ValueEnd
    node: int | None


class ValueNode(NamedTuple):
    """A record that wrote a value: before and after at its place. folded: so many older writes by
    the same instruction are part of it, back to the record first_number."""

    position: int
    number: int
    hart: int
    pc: int
    opcode: int
    place: ValuePlace
    before: int | None
    after: int | None
    end: ValueEnd
    depth: int
    folded: int
    first_number: int
    sources: list[ValueSource]


class ValueChain(NamedTuple):
    """Where a value came from. roots: the value, in parts if several records wrote its bytes;
    nodes: from the newest record to the oldest; limited: some part goes further back."""

    value: int | None
    roots: list[ValueSource]
    nodes: list[ValueNode]
    limited: bool


class WhyPlace(NamedTuple):
    """A record of a cause."""

    position: int
    number: int
    pc: int
    next_pc: int
    opcode: int


class WhyValue(NamedTuple):
    """A value that did it, before the record at a position."""

    role: WhyRole
    place: ValuePlace
    before: int
    chain: ValueChain


class WhyDifference(NamedTuple):
    """The last time that the same instruction was executed; where the ways part, then and now;
    registers with other values, then and now."""

    before: WhyPlace
    branch_then: WhyPlace | None
    branch_now: WhyPlace | None
    registers: list[tuple[ValuePlace, int, int]]
    interrupt: WhyPlace | None
    quiet_rounds: int


class WhyChanged(NamedTuple):
    """A register that the handler of an interrupt changed, and its values then and now."""

    interrupt: WhyPlace
    write: WhyPlace
    place: ValuePlace
    then: int
    now: int


class WhyLost(NamedTuple):
    """An update that was lost: load read the variable at place, other stored to it in another
    context, after interrupt if there is one, and store wrote what was made of the loaded value;
    the last of so many times."""

    place: ValuePlace
    load: WhyPlace
    other: WhyPlace
    store: WhyPlace
    interrupt: WhyPlace | None
    loaded: int
    other_value: int
    stored: int
    times: int


class MemoryErrorKind(enum.IntEnum):
    """What was wrong with an access (docs/analyses/memory-errors.md)."""

    FREED = 0
    OUTSIDE = 1
    UNWRITTEN = 2
    LEFT_FRAME = 3
    STACK_LIMIT = 4
    DOUBLE_FREE = 5
    WRONG_FREE = 6
    OVERLAP = 7
    OBJECT = 8


class MemoryMoment(NamedTuple):
    """A place in the run: the number of the record; of a call, the instruction that calls."""

    number: int
    pc: int


class MemoryBlock(NamedTuple):
    """A block of the heap: the function that allocated it, and the calls. The last two are of the
    newest block that was there before and was freed."""

    address: int
    bytes: int
    is_free: bool
    function: str | None
    allocated: MemoryMoment | None
    freed: MemoryMoment | None
    before_allocated: MemoryMoment | None
    before_freed: MemoryMoment | None


class MemoryAccessError(NamedTuple):
    """A memory error: text says it in words, moment is the first time, times how many."""

    kind: MemoryErrorKind
    text: str
    hart: int
    write: bool
    size: int
    times: int
    moment: MemoryMoment | None
    caller: int | None
    address: int
    block: MemoryBlock | None
    other: MemoryMoment | None


class WhyBlock(NamedTuple):
    """The block of the heap that a byte was in, before the record at a position."""

    position: int
    address: int
    block: MemoryBlock


class Why(NamedTuple):
    """Why a run ended as it did: text in words, place where it was. What does not apply, or is not
    known, is None. end_missing: records are missing after the instruction number end_after, and
    what is there may not be how it ended. core: the first record that contradicts the ISA.
    memory_errors: the first ones of memory_error_count, from the position memory_from on."""

    kind: WhyKind
    text: str
    hart: int
    place: WhyPlace | None
    cause: int | None
    trap_value: int | None
    jump: WhyPlace | None
    nested: int
    code: int | None
    branch: WhyPlace | None
    rounds: int
    period: int
    loop: WhyPlace | None
    earlier: bool
    interrupts_off: bool
    values: list[WhyValue]
    difference: WhyDifference | None
    end_reason: str
    end_missing: bool
    end_after: int | None
    missing: int | None
    overflow: WhyPlace | None
    overflow_sp: int | None
    overflow_calls: int | None
    skip: WhyPlace | None
    exits: list[WhyPlace]
    changed: WhyChanged | None
    choice: WhyPlace | None
    after_write: WhyPlace | None
    after: WhyDifference | None
    blocks: list[WhyBlock]
    core: WhyPlace | None
    core_text: str | None
    memory_errors: list[MemoryAccessError]
    memory_error_count: int
    memory_from: int
    lost: WhyLost | None


def _place_of(place: Any) -> ValuePlace:
    if place.kind == 0:
        register = RegisterClass(place.reg_class), int(place.number)
        return ValuePlace(int(place.hart), register, None, None)
    return ValuePlace(None, None, int(place.address), int(place.size))


def _source_of(source: Any) -> ValueSource:
    end = ValueEnd(source.end)
    return ValueSource(_place_of(source.place), bool(source.is_address),
                       int(source.value) if source.value_known else None, end,
                       int(source.node) if end == ValueEnd.FOLLOWED else None)


def chain_of(chain: Any) -> ValueChain:
    sources = [_source_of(chain.sources[i]) for i in range(chain.source_count)]

    def node_of(node: Any) -> ValueNode:
        first = int(node.first_source)
        return ValueNode(int(node.position), int(node.number), int(node.hart), int(node.pc),
                         int(node.opcode), _place_of(node.place),
                         int(node.before) if node.before_known else None,
                         int(node.after) if node.after_known else None, ValueEnd(node.end),
                         int(node.depth), int(node.folded), int(node.first_number),
                         sources[first:first + int(node.source_count)])

    return ValueChain(int(chain.value) if chain.value_known else None,
                      sources[:int(chain.root_count)],
                      [node_of(chain.nodes[i]) for i in range(chain.node_count)],
                      bool(chain.limited))


def _why_place(place: Any) -> WhyPlace | None:
    if not place.known:
        return None
    return WhyPlace(int(place.position), int(place.number), int(place.pc), int(place.next_pc),
                    int(place.opcode))


def _difference_of(difference: Any) -> WhyDifference | None:
    before = _why_place(difference.before)
    if before is None:
        return None
    registers = [(_place_of(each.place), int(each.then), int(each.now))
                 for each in list(difference.registers)[:difference.count]]
    return WhyDifference(before, _why_place(difference.branch_then),
                         _why_place(difference.branch_now), registers,
                         _why_place(difference.interrupt), int(difference.quiet_rounds))


def _changed_of(changed: Any) -> WhyChanged | None:
    interrupt, write = _why_place(changed.interrupt), _why_place(changed.write)
    if interrupt is None or write is None:
        return None
    return WhyChanged(interrupt, write, _place_of(changed.place), int(changed.then),
                      int(changed.now))


def _lost_of(lost: Any) -> WhyLost | None:
    load, other, store = map(_why_place, (lost.load, lost.other, lost.store))
    if load is None or other is None or store is None:
        return None
    return WhyLost(_place_of(lost.place), load, other, store, _why_place(lost.interrupt),
                   int(lost.loaded), int(lost.other_value), int(lost.stored), int(lost.count))


def _moment_of(moment: Any) -> MemoryMoment | None:
    return MemoryMoment(int(moment.number), int(moment.pc)) if moment.pc else None


def _block_of(block: Any) -> MemoryBlock:
    function = text_of(block.function) if block.function != ffi.NULL else None
    return MemoryBlock(int(block.address), int(block.bytes), bool(block.is_free), function,
                       _moment_of(block.allocated),
                       _moment_of(block.freed) if block.is_free else None,
                       _moment_of(block.before_allocated), _moment_of(block.before_freed))


def _memory_error_of(error: Any) -> MemoryAccessError:
    text = ffi.new("char[]", lib.EAR_MEMORY_ERROR_TEXT_MAX)
    lib.ear_memory_error_text(ffi.addressof(error), text, lib.EAR_MEMORY_ERROR_TEXT_MAX)
    return MemoryAccessError(MemoryErrorKind(error.kind), text_of(text), int(error.hart),
                             bool(error.write), int(error.size), int(error.count),
                             _moment_of(error.moment), int(error.caller) or None,
                             int(error.address),
                             _block_of(error.block) if error.has_block else None,
                             _moment_of(error.other))


def why_of(why: Any) -> Why:
    values = [WhyValue(WhyRole(value.role), _place_of(value.source.place),
                       int(value.source.before), chain_of(value.chain))
              for value in list(why.values)[:why.value_count]]
    exits = [_why_place(exit) for exit in list(why.exits)[:why.exit_count]]
    return Why(WhyKind(why.kind), text_of(why.text), int(why.hart), _why_place(why.place),
               int(why.cause) if why.cause_known else None,
               int(why.trap_value) if why.trap_value_known else None, _why_place(why.jump),
               int(why.nested), int(why.code) if why.has_code else None, _why_place(why.branch),
               int(why.rounds), int(why.period), _why_place(why.loop), bool(why.earlier),
               bool(why.interrupts_off),
               values, _difference_of(why.difference), text_of(why.end_reason),
               bool(why.end_missing), int(why.end_after) if why.end_missing else None,
               int(why.missing) if why.missing_known else None, _why_place(why.overflow),
               int(why.overflow_sp) if why.overflow.known else None,
               int(why.overflow_calls) if why.overflow.known else None,
               _why_place(why.skip), [exit for exit in exits if exit is not None],
               _changed_of(why.changed), _why_place(why.choice), _why_place(why.after_write),
               _difference_of(why.after),
               [WhyBlock(int(each.position), int(each.address), _block_of(each.block))
                for each in list(why.blocks)[:why.block_count]],
               _why_place(why.core), text_of(why.core_text) if why.core.known else None,
               [_memory_error_of(why.memory_errors[i]) for i in range(why.memory_error_count)],
               int(why.memory_errors_all), int(why.memory_from), _lost_of(why.lost))
