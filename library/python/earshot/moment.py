"""Moments: registers, memory and call stacks between two records."""
from __future__ import annotations

import enum
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._base import InUse, Progress, Watch, error_of, ffi, held, lib, new_sized, text_of
from .record import Privilege, Record, RegisterClass, WholeRecord
from .search import Register, find_register, register_name

if TYPE_CHECKING:
    from .trace import Trace


_Result = TypeVar("_Result")


class Byte(enum.IntEnum):
    """What a byte of memory is known from."""

    UNKNOWN = lib.EAR_BYTE_UNKNOWN
    TRACE = lib.EAR_BYTE_TRACE
    IMAGE = lib.EAR_BYTE_IMAGE
    INFERRED = lib.EAR_BYTE_INFERRED


class Memory(NamedTuple):
    """Bytes of memory, and for each a :class:`Byte` in known; unknown bytes are 0."""

    address: int
    data: bytes
    known: bytes

    @property
    def all_known(self) -> bool:
        return Byte.UNKNOWN not in self.known

    def integer(self, address: int, size: int) -> int | None:
        """The little-endian number of so many bytes at an address; None if a byte is unknown."""
        at = address - self.address
        if at < 0 or at + size > len(self.data):
            raise IndexError(f"{address:#x} is not in it")
        if Byte.UNKNOWN in self.known[at:at + size]:
            return None
        return int.from_bytes(self.data[at:at + size], "little")


class FrameKind(enum.IntEnum):
    """What began a frame."""

    BASE = lib.EAR_FRAME_BASE
    CALL = lib.EAR_FRAME_CALL
    TRAP = lib.EAR_FRAME_TRAP
    INTERRUPT = lib.EAR_FRAME_INTERRUPT


class Frame(NamedTuple):
    """A frame of a call stack (earshot/call_frame.h). Of a BASE call_pc and return_pc mean
    nothing."""

    kind: FrameKind
    #: Where the hart is in this frame; None: unknown.
    pc: int | None
    #: Where the function began.
    entry: int
    #: Position of the record that called or trapped.
    position: int
    call_pc: int | None
    return_pc: int | None
    #: The stack pointer when it began; None: unknown.
    sp: int | None
    #: Number of its stack.
    stack: int


class Moment:
    """A moment of a run; made by :meth:`Trace.moment`. What is not known is None.

    hart None: the one of the last record before the moment.
    """

    def __init__(self, trace: Trace, handle: Any) -> None:
        self._trace = trace
        self._guard = trace._guard
        self._handle = handle

    @property
    def closed(self) -> bool:
        return self._handle is None or self._trace.closed

    @held
    def close(self) -> None:
        """Free it; closing the trace does the same."""
        handle, self._handle = self._handle, None
        self._trace._free_moment(handle)

    def __enter__(self) -> Moment:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except InUse:  # the garbage collector runs during any call
            self._trace._unused.append(self._handle)

    def _open(self) -> Any:
        if self.closed:
            raise ValueError("the moment is closed")
        return self._handle

    def _hart(self, hart: int | None) -> int:
        return int(lib.ear_moment_hart(self._open())) if hart is None else hart

    def _check(self, result: int, watch: Watch) -> int:
        if result < 0:
            watch.raise_error()
            raise error_of(result, text_of(lib.ear_trace_error(self._trace._open())))
        return result

    @held
    def move(self, position: int, *, progress: Progress | None = None) -> None:
        """Go to another position."""
        handle, watch = self._open(), Watch(progress)
        with watch as struct:
            result = lib.ear_moment_move(handle, position, struct)
        self._check(result, watch)

    @property
    @held
    def position(self) -> int:
        """Records before it."""
        return int(lib.ear_moment_position(self._open()))

    @property
    @held
    def number(self) -> int:
        """Instruction records before it."""
        return int(lib.ear_moment_number(self._open()))

    @property
    @held
    def hart(self) -> int:
        """Of the last record before it."""
        return self._hart(None)

    @property
    @held
    def record(self) -> Record | None:
        """The record before it; None at the beginning."""
        record = lib.ear_moment_record(self._open())
        if record == ffi.NULL:
            return None
        number = (int(lib.ear_moment_number(self._handle)) -
                  (record.kind == lib.EAR_RECORD_INSTRUCTION))
        return WholeRecord(record, int(lib.ear_moment_position(self._handle)) - 1, number)

    def _value(self, function: Any, *arguments: Any) -> int | None:
        value = ffi.new("uint64_t *")
        return int(value[0]) if function(self._open(), *arguments, value) else None

    @held
    def pc(self, hart: int | None = None) -> int | None:
        """Of the hart's last instruction."""
        return self._value(lib.ear_moment_pc, self._hart(hart))

    @held
    def next_pc(self, hart: int | None = None) -> int | None:
        """Where it goes next."""
        return self._value(lib.ear_moment_next_pc, self._hart(hart))

    @held
    def privilege(self, hart: int | None = None) -> Privilege | None:
        """Of the hart's next instruction."""
        privilege = ffi.new("unsigned *")
        known = lib.ear_moment_privilege(self._open(), self._hart(hart), privilege)
        return Privilege(privilege[0]) if known else None

    @property
    @held
    def ticks(self) -> int | None:
        """Time of the last record before it that has one."""
        return self._value(lib.ear_moment_ticks)

    @held
    def register(self, register: Register, hart: int | None = None) -> int | None:
        """What an x or f register or a CSR holds."""
        reg_class, number = find_register(register)
        return self._value(lib.ear_moment_register, self._hart(hart), reg_class, number)

    @held
    def inferred(self, register: Register, hart: int | None = None) -> bool:
        """Is what :meth:`register` gives inferred (:meth:`Trace.infer`)? The trace itself does not
        say it then. False also where nothing is known."""
        reg_class, number = find_register(register)
        return bool(lib.ear_moment_inferred(self._open(), self._hart(hart), reg_class, number))

    @held
    def registers(self, reg_class: RegisterClass = RegisterClass.X,
                  hart: int | None = None) -> dict[str, int]:
        """All x, f or CSR registers that are known, by name."""
        hart, found = self._hart(hart), {}
        for number in range(4096 if reg_class == RegisterClass.CSR else 32):
            value = self._value(lib.ear_moment_register, hart, int(reg_class), number)
            if value is not None:
                found[register_name(reg_class, number)] = value
        return found

    @held
    def vector(self, number: int, hart: int | None = None) -> bytes | None:
        """What a vector register holds, lowest byte first."""
        size = ffi.new("size_t *")
        data = lib.ear_moment_vector(self._open(), self._hart(hart), number, size)
        return None if data == ffi.NULL else bytes(ffi.buffer(data, size[0]))

    @held
    def named(self, name: str, hart: int | None = None) -> int | None:
        """A register of another instruction set, by the name that the trace uses."""
        return self._value(lib.ear_moment_named, self._hart(hart), name.encode())

    @held
    def memory(self, address: int, size: int, *, progress: Progress | None = None) -> Memory:
        """Memory from address on, at most 16 MiB."""
        handle, watch = self._open(), Watch(progress)
        if not 0 < size <= lib.EAR_MEMORY_MAX:
            raise ValueError("from 1 byte to 16 MiB")
        data, known = ffi.new("uint8_t[]", size), ffi.new("uint8_t[]", size)
        with watch as struct:
            result = lib.ear_moment_memory(handle, address, data, known, size, struct)
        self._check(result, watch)
        return Memory(address, bytes(ffi.buffer(data)), bytes(ffi.buffer(known)))

    @held
    def stack(self, hart: int | None = None, *, most: int = 4096,
              progress: Progress | None = None) -> list[Frame]:
        """The frames that are active, the newest first, at most so many."""
        handle, watch, hart = self._open(), Watch(progress), self._hart(hart)
        frames = ffi.new("struct ear_call_frame[]", most)
        with watch as struct:
            result = lib.ear_moment_stack(handle, hart, frames,
                                          ffi.sizeof("struct ear_call_frame"), most, struct)
        count = min(self._check(int(result), watch), most)
        found, pc = [], self._value(lib.ear_moment_next_pc, hart)
        for frame in frames[0:count]:
            kind = FrameKind(frame.kind)
            base = kind == FrameKind.BASE
            found.append(Frame(kind, pc, frame.entry, frame.position,
                               None if base else frame.call_pc,
                               None if base else frame.return_pc,
                               frame.sp if frame.sp_known else None, frame.stack))
            pc = None if base else frame.call_pc
        return found

    @held
    def _lend_view(self, hart: int | None, call: Callable[[Any], _Result]) -> _Result:
        """What a function makes of a struct ear_moment_view."""
        view = new_sized("struct ear_moment_view")
        lib.ear_moment_view(self._open(), self._hart(hart), view)
        return call(view)
