"""Names of addresses: symbols, lines, functions, variables."""
from __future__ import annotations

import enum
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._base import Guard, error_of, ffi, held, lib, new_sized, path_bytes, text_of

if TYPE_CHECKING:
    from .moment import Moment

_Result = TypeVar("_Result")


class SymbolKind(enum.IntEnum):
    LABEL = lib.EAR_NAMES_LABEL
    FUNCTION = lib.EAR_NAMES_FUNCTION
    OBJECT = lib.EAR_NAMES_OBJECT


class FlowCode:
    """The text of programs, for branch traces; made by :meth:`Names.code`. It does not change, and
    any number of traces use it."""

    def __init__(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.ear_flow_code_free)


class Symbol(NamedTuple):
    """A symbol. size 0: unknown."""

    name: str
    linked: str
    address: int
    size: int
    kind: SymbolKind
    is_global: bool
    file: int


class Function(NamedTuple):
    """The function that an address is in. All of range(first, last + 1), which has the address, is
    in it; where functions are nested, that is not all of its code."""

    name: str
    entry: int
    first: int
    last: int
    file: int
    has_size: bool


class Line(NamedTuple):
    """A line of the source. column 0: unknown."""

    path: str
    line: int
    column: int
    is_statement: bool
    first: int
    last: int


class Inlined(NamedTuple):
    """A function at an address, where in it, and where it is defined; the innermost comes first.
    declared_line 0: unknown."""

    function: str
    path: str
    line: int
    column: int
    is_inlined: bool
    declared_path: str
    declared_line: int


class AddressKind(enum.IntEnum):
    NUMBER = lib.EAR_ADDRESS_NUMBER
    SYMBOL = lib.EAR_ADDRESS_SYMBOL
    SECTION = lib.EAR_ADDRESS_SECTION
    LINE = lib.EAR_ADDRESS_LINE
    VARIABLE = lib.EAR_ADDRESS_VARIABLE
    REGISTER = lib.EAR_ADDRESS_REGISTER
    INLINED = lib.EAR_ADDRESS_INLINED


@dataclass(frozen=True)
class Address:
    """What an address as people write it means: ranges of addresses."""

    kind: AddressKind
    is_point: bool
    has_size: bool
    ranges: tuple[range, ...]

    def __iter__(self) -> Iterator[range]:
        """The ranges: an Address is fit for a Query."""
        return iter(self.ranges)

    @property
    def first(self) -> int:
        return self.ranges[0].start


class Variable(NamedTuple):
    """A variable at a moment. data: its bytes; known: 0 or 1 for each. why: what is missing."""

    text: str
    json: str
    address: int | None
    size: int
    type_name: str
    data: bytes
    known: bytes
    why: str | None


def _symbol(symbol: Any) -> Symbol:
    return Symbol(text_of(symbol.name), text_of(symbol.linked), symbol.address, symbol.size,
                  SymbolKind(symbol.kind), bool(symbol.is_global), symbol.file)


def parse_address(text: str, names: Names | None = None, moment: Moment | None = None,
                  hart: int | None = None) -> Address:
    """Read an address: "0x8000-0x80ff", "main+4", "fw.c:12", "box.handler", ".bss"."""
    address, message = new_sized("struct ear_address"), ffi.new(f"char[{_MESSAGE_MAX}]")
    data = text.encode()

    def parse(handle: Any, view: Any) -> int:
        return int(lib.ear_address_parse(address, data, len(data), handle, view, message))

    def with_names(view: Any) -> int:
        if names is None:
            return parse(ffi.NULL, view)
        return names._lend(lambda handle: parse(handle, view))

    result = _with_view(moment, hart, with_names)
    raise_interrupt()
    if result < 0:
        raise error_of(result, text_of(message))
    ranges = tuple(range(span.first, span.last + 1) for span in address.ranges[0:address.count])
    return Address(AddressKind(address.kind), address.is_point, address.has_size, ranges)


def _with_view(moment: Moment | None, hart: int | None, call: Callable[[Any], _Result]) -> _Result:
    return call(ffi.NULL) if moment is None else moment._lend_view(hart, call)


_MESSAGE_MAX = int(lib.EAR_ADDRESS_MESSAGE_MAX)


class Names:
    """The names of one or more ELF files, read by a helper process that has given up its rights."""

    def __init__(self, *paths: str | os.PathLike[str]) -> None:
        handle = ffi.new("struct ear_names **")
        self._guard = Guard("the names are")
        self._handle: Any = None
        result = lib.ear_names_open(handle)
        if result < 0:
            message = "out of memory"
            if result != lib.EAR_E_NO_MEMORY:
                message = text_of(lib.ear_names_message(handle[0]))
                lib.ear_names_close(handle[0])
            raise error_of(result, message)
        self._handle = handle[0]
        lib.ear_names_set_progress(self._handle, _look_for_signals, ffi.NULL)
        for path in paths:
            self.add(path)

    @held
    def close(self) -> None:
        """Free them, and end the helper. Closing again does nothing."""
        if self._handle is not None:
            lib.ear_names_close(self._handle)
            self._handle = None

    def __enter__(self) -> Names:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    @held
    def _lend(self, call: Callable[[Any], _Result]) -> _Result:
        """What a function makes of the struct ear_names."""
        return call(self._open())

    def _open(self) -> Any:
        if self._handle is None:
            raise ValueError("the names are closed")
        return self._handle

    def _check(self, result: int) -> int:
        raise_interrupt()
        if result < 0:
            raise error_of(result, text_of(lib.ear_names_message(self._handle)))
        return result

    @held
    def code(self) -> FlowCode:
        """The text of the programs of all files, for earshot.open of a branch trace."""
        made = ffi.new("struct ear_flow_code **")
        error = ffi.new("char[]", lib.EAR_FLOW_ERROR_MAX)
        result = lib.ear_flow_code_of_names(made, self._open(), error)
        if result < 0:
            raise error_of(result, text_of(error))
        return FlowCode(made[0])

    @held
    def add(self, path: str | os.PathLike[str], offset: int = 0) -> int:
        """Add an ELF file that was loaded at its own addresses plus offset; returns its number."""
        return self._check(lib.ear_names_add(self._open(), path_bytes(path), offset))

    @held
    def add_debug(self, file: int, path: str | os.PathLike[str]) -> None:
        """The debug information of a file is in another one."""
        self._check(lib.ear_names_add_debug(self._open(), file, path_bytes(path)))

    @held
    def symbol_at(self, address: int) -> tuple[Symbol, int] | None:
        """The symbol that an address belongs to, and how far behind its start it is."""
        offset = ffi.new("uint64_t *")
        symbol = lib.ear_names_symbol_at(self._open(), address, offset)
        return None if symbol == ffi.NULL else (_symbol(symbol), int(offset[0]))

    @held
    def symbols(self, name: str | None = None) -> list[Symbol]:
        """The symbols with a name; all of them without one."""
        if name is None:
            listed = ffi.new("const struct ear_symbol **")
            count = lib.ear_names_symbols(self._open(), listed)
            return [_symbol(listed[0][i]) for i in range(count)]
        text = name.encode()
        room, count = 0, 1
        while count > room:
            room = max(count, 16)
            found = ffi.new("const struct ear_symbol *[]", room)
            count = lib.ear_names_symbols_named(self._open(), text, found, room)
        return [_symbol(found[i]) for i in range(count)]

    @held
    def function_at(self, address: int) -> Function | None:
        found = new_sized("struct ear_function")
        if not lib.ear_names_function_at(self._open(), address, found):
            return None
        return Function(text_of(found.name), found.entry, found.first, found.last, found.file,
                        bool(found.has_size))

    @held
    def line_at(self, address: int) -> Line | None:
        found = new_sized("struct ear_line")
        if not lib.ear_names_line_at(self._open(), address, found):
            return None
        return Line(text_of(found.path), found.line, found.column, found.is_statement, found.first,
                    found.last)

    @held
    def inlined_at(self, address: int) -> list[Inlined]:
        """The function at an address, and those that it was inlined into."""
        chain = ffi.new("struct ear_inlined[64]")
        count = lib.ear_names_inlined_at(self._open(), address, chain,
                                         ffi.sizeof("struct ear_inlined"), 64)
        return [Inlined(text_of(step.function), text_of(step.path), step.line, step.column,
                        step.is_inlined, text_of(step.declared_path), step.declared_line)
                for step in chain[0:count]]

    def text(self, address: int) -> str:
        """ "main+0x4", or "" without a symbol."""
        return self._text(lib.ear_names_text, address)

    def line_text(self, address: int) -> str:
        """ "fw.c:12", or ""."""
        return self._text(lib.ear_names_line_text, address)

    @held
    def _text(self, function: Any, address: int) -> str:
        text = ffi.new("char[4096]")
        function(self._open(), address, text, 4096)
        return text_of(text)

    def address(self, text: str, moment: Moment | None = None, hart: int | None = None) -> Address:
        """Read an address as people write it: "main+4", "fw.c:12", "box.handler", ".bss", and at a
        moment "sp+16:32"."""
        return parse_address(text, self, moment, hart)

    @held
    def variable(self, expression: str, moment: Moment | None = None, hart: int | None = None, *,
                 depth: int = 4) -> Variable:
        """A variable, and what it holds at a moment; without one only where it is."""
        return _with_view(moment, hart, lambda view: self._variable(expression, view, depth))

    def _variable(self, expression: str, view: Any, depth: int) -> Variable:
        variable, data = new_sized("struct ear_variable"), expression.encode()
        self._check(lib.ear_variable_find(variable, self._open(), data, len(data), view))
        try:
            count = variable.byte_count
            in_memory = variable.place == lib.EAR_PLACE_MEMORY
            return Variable(
                _freed(lib.ear_variable_text(variable, self._open(), depth)),
                _freed(lib.ear_variable_json(variable, self._open())),
                int(variable.address) if in_memory else None, variable.value_size,
                text_of(variable.types[0].type_name) if variable.type_count else "",
                bytes(ffi.buffer(variable.bytes, count)) if count else b"",
                bytes(ffi.buffer(variable.known, count)) if count else b"",
                text_of(variable.why) or None)
        finally:
            lib.ear_variable_free(variable)


def _freed(text: Any) -> str:
    """A string of the library, which is freed."""
    if text == ffi.NULL:
        raise MemoryError("out of memory")
    result = text_of(text)
    lib.free(text)
    return result


# Python handles signals whenever _look_for_signals is called; an exception gives up the call.
_running = threading.local()


def _keep_interrupt(_kind: object, error: BaseException, _trace: object) -> int:
    _running.interrupt = error
    return 1


def raise_interrupt() -> None:
    """After each call that may ask the helper: the exception that ended it."""
    error: BaseException | None = getattr(_running, "interrupt", None)
    if error is not None:
        _running.interrupt = None
        raise error


@ffi.callback("int(void *)", error=1, onerror=_keep_interrupt)  # type: ignore[misc]
def _look_for_signals(_context: Any) -> int:
    return 0
