"""Traces: open them, read records, go to a place, search."""
from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import length_hint
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from ._base import (Guard, Progress, Watch, error_of, ffi, held, lib, new_sized, path_bytes,
                    text_of)
from .check import CheckResult, CheckRule, Violation, result_of, violation_of
from .record import COMPACT, Record, Run, RunRecord, WholeRecord
from .search import (Addresses, Kinds, Query, Register, bit_set, find_register, span_array,
                     spans)
from .why import ValueChain, Why, chain_of, why_of

if TYPE_CHECKING:
    from .moment import Moment
    from .names import FlowCode, Names

#: Called with line, byte, cause, and whether the line was to be a record. Something true as a
#: result ends the call that reads with :class:`Cancelled`.
Report = Callable[[int, int, str, bool], object]

_INDEX = {"auto": lib.EAR_INDEX_AUTO, "existing": lib.EAR_INDEX_EXISTING,
          "none": lib.EAR_INDEX_NONE}
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


class Facts(NamedTuple):
    """What is known of a trace without reading on."""

    format: str
    path: str
    seekable: bool
    has_index: bool
    xlen: int
    file_size: int
    program: str | None
    program_sha256: str | None


class Counts(NamedTuple):
    """What the whole trace has."""

    records: int
    instructions: int
    exceptions: int
    interrupts: int
    gaps: int
    events: int
    first_ticks: int | None
    last_ticks: int | None


class Completeness(enum.IntEnum):
    """Can records be missing (docs/verdict.md)?"""

    WHOLE = lib.EAR_WHOLE
    UNKNOWN = lib.EAR_UNKNOWN
    PART = lib.EAR_PART
    DAMAGED = lib.EAR_DAMAGED


class Verdict(NamedTuple):
    """Is anything missing, and which harts are there. missing: records in gaps, where these are
    counted; missing_unknown: and others."""

    complete: bool
    missing: int
    missing_unknown: bool
    harts: tuple[int, ...]
    kind: Completeness


class Mark(NamedTuple):
    """A moment with a name, that is kept beside the trace. stale: the trace has changed since."""

    name: str
    position: int
    number: int
    stale: bool


class IndexFacts(NamedTuple):
    """Of the index of a trace. file None: there is none."""

    file: str | None
    built: bool
    extended: bool
    cached: bool
    file_size: int
    records: int
    built_records: int
    build_seconds: float
    cause: str


def column_names() -> tuple[str, ...]:
    """The names of all columns."""
    return tuple(text_of(lib.ear_column_name(i)) for i in range(lib.EAR_COLUMN_COUNT))


class Columns(Mapping[str, memoryview]):
    """Members of many records: a name to an array of numbers. The arrays are memoryviews with a
    format, so ``numpy.asarray(columns["pc"])`` copies nothing. They stay valid, and can be
    written.
    """

    def __init__(self, arrays: dict[str, memoryview], rows: int) -> None:
        self._arrays = arrays
        #: How many records there are.
        self.rows = rows

    def __getitem__(self, name: str) -> memoryview:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def _find_column(name: str) -> tuple[int, int]:
    column = lib.ear_column_find(name.encode())
    if column < 0:
        raise ValueError(f"no column '{name}'; there are {', '.join(column_names())}")
    return int(column), int(lib.ear_column_size(column))


def _array(size: int, rows: int) -> memoryview:
    return memoryview(bytearray(size * rows)).cast(_CODES[size])


class _Reports:
    """Calls a report function, and keeps an exception of it until the call has ended."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._error: BaseException | None = None
        self.callback = ffi.callback("int(void *, uint64_t, uint64_t, const char *, _Bool)",
                                     self._call, error=1, onerror=self._keep)

    def _call(self, _context: Any, line: int, byte: int, cause: Any, bad: bool) -> int:
        return 1 if self._report(line, byte, text_of(cause), bad) else 0

    def _keep(self, _kind: object, error: BaseException, _trace: object) -> None:
        self._error = error

    def raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


class Trace:
    """A trace that is open; made by :func:`earshot.open`. One call at a time may use it and its
    moments; others raise :class:`InUse`. Any number of Trace objects of the same file work in
    parallel.

    As an iterator it gives the records from the present place on. ``position`` counts records of
    any kind, ``number`` instruction records; both are those of the record that comes next.
    """

    def __init__(self, handle: Any, reports: _Reports | None, code: FlowCode | None) -> None:
        self._guard = Guard("the trace is")
        self._handle = handle
        self._code = code
        self._reports = reports
        self._batch = new_sized("struct ear_batch")
        self._rows: list[Any] = []
        self._left: Iterator[Any] = iter(self._rows)
        self._left_are_instructions = False
        self._records: Iterator[Record] = iter(())
        #: The structs of the moments that are not freed, and those of objects that are no more.
        self._moments: set[Any] = set()
        self._unused: list[Any] = []

    # Life ------------------------------------------------------------------------------------

    @held
    def close(self) -> None:
        """Close the trace and its moments. Closing again does nothing."""
        if self._handle is None:
            return
        self._drop()
        for moment in list(self._moments):
            self._free_moment(moment)
        handle, self._handle = self._handle, None
        lib.ear_trace_close(handle)

    def _free_moment(self, moment: Any) -> None:
        """Free a moment, if that was not done."""
        if moment in self._moments:
            self._moments.remove(moment)
            lib.ear_moment_free(moment)

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        return self._handle is None

    def _open(self) -> Any:
        if self._handle is None:
            raise ValueError("the trace is closed")
        return self._handle

    def _check(self, result: int, watch: Watch | None = None) -> int:
        if result >= 0:
            return result
        if watch is not None:
            watch.raise_error()
        if self._reports is not None:
            self._reports.raise_error()
        raise error_of(result, text_of(lib.ear_trace_error(self._handle)))

    def _check_names(self, result: int) -> int:
        """The same after a call that asks the helper of names."""
        from .names import raise_interrupt
        raise_interrupt()
        return self._check(result)

    def _call(self, function: Any, *arguments: Any, progress: Progress | None) -> int:
        """Call a function whose last argument is a progress."""
        handle, watch = self._open(), Watch(progress)
        with watch as struct:
            result: int = function(handle, *arguments, struct)
        return self._check(result, watch)

    # Records ---------------------------------------------------------------------------------

    @held
    def _fill(self) -> bool:
        """Get the next batch; False at the end."""
        batch = self._batch
        if self._check(lib.ear_trace_next_batch(self._open(), batch)) == 0:
            return False
        if batch.record == ffi.NULL:
            compacts = ffi.buffer(batch.compacts, batch.count * COMPACT.size)[:]
            self._rows = list(COMPACT.iter_unpack(compacts))
            self._left = iter(self._rows)
            self._left_are_instructions = True
            run = Run(batch.run, batch.position, batch.number)
            self._records = map(RunRecord, self._left, repeat(run), range(len(self._rows)))
        else:
            record = WholeRecord(batch.record, batch.position, batch.number)
            self._rows = [record]
            self._left_are_instructions = record.is_instruction
            self._records = self._left = iter(self._rows)
        return True

    def _drop(self) -> None:
        """Forget what was read ahead: iterators that hold it end."""
        self._rows.clear()

    def _settle(self) -> None:
        """Let the library be where the user sees the trace."""
        ahead = length_hint(self._left)
        if ahead:
            position = int(lib.ear_trace_position(self._open())) - ahead
            self._drop()
            self._check(lib.ear_trace_seek(self._open(), position, ffi.NULL))

    def __iter__(self) -> Iterator[Record]:
        while True:
            yield from self._records
            if not self._fill():
                return

    def __next__(self) -> Record:
        record = next(self._records, None)
        while record is None:
            if not self._fill():
                raise StopIteration
            record = next(self._records, None)
        return record

    def columns(self, names: Iterable[str] | None = None, *, rows: int = 65536,
                kinds: Kinds | None = None, progress: Progress | None = None) -> Iterator[Columns]:
        """The records from here on in columns of so many rows each; names None: all columns.
        kinds: only records of these kinds become rows."""
        wanted = {name: _find_column(name) for name in names or column_names()}
        while True:
            arrays = {name: _array(size, rows) for name, (_, size) in wanted.items()}
            count = self.read_into(arrays, kinds=kinds, progress=progress)
            if count:
                yield Columns({name: array[:count] for name, array in arrays.items()}, count)
            if count < rows:
                return

    @held
    def read_into(self, arrays: Mapping[str, Any], *, kinds: Kinds | None = None,
                  progress: Progress | None = None) -> int:
        """Read records into arrays of the caller, of any type with a writable buffer (numpy's,
        array.array, bytearray). Returns how many came; fewer than there is room for only at the
        end."""
        handle = self._open()
        self._settle()
        columns = ffi.new("struct ear_column[]", len(arrays))
        rows, buffers = None, []
        for column, (name, array) in zip(columns, arrays.items()):
            column.id, size = _find_column(name)
            view = ffi.from_buffer(array, require_writable=True)
            column.values = ffi.cast("void *", view)
            buffers.append(view)
            if len(view) % size or (rows is not None and len(view) // size != rows):
                raise ValueError(f"the array for '{name}' has another length")
            rows = len(view) // size
        if not rows:
            raise ValueError("no room for a record")
        watch = Watch(progress)
        with watch as struct:
            result = int(lib.ear_trace_columns(handle, columns, len(arrays), rows,
                                               0 if kinds is None else bit_set(kinds), ffi.NULL,
                                               struct))
        return self._check(result, watch)

    # Places ----------------------------------------------------------------------------------

    @property
    @held
    def position(self) -> int:
        """Of the record that comes next."""
        return int(lib.ear_trace_position(self._open())) - length_hint(self._left)

    @property
    @held
    def number(self) -> int:
        """Of the instruction record that comes next."""
        ahead = length_hint(self._left) if self._left_are_instructions else 0
        return int(lib.ear_trace_number(self._open())) - ahead

    @held
    def _seek(self, function: Any, *arguments: Any, progress: Progress | None) -> bool:
        self._settle()
        self._drop()
        return self._call(function, *arguments, progress=progress) == 1

    def seek(self, position: int, *, progress: Progress | None = None) -> bool:
        """Let the record at this position come next. False: the trace ends before."""
        return self._seek(lib.ear_trace_seek, position, progress=progress)

    def seek_number(self, number: int, *, progress: Progress | None = None) -> bool:
        """Let the instruction record of this number come next."""
        return self._seek(lib.ear_trace_seek_number, number, progress=progress)

    def seek_time(self, ticks: int, *, progress: Progress | None = None) -> bool:
        """Let the first record come next whose time is known and at least ticks."""
        return self._seek(lib.ear_trace_seek_time, ticks, progress=progress)

    def seek_event(self, event: str | int, start: int = 0, *,
                   progress: Progress | None = None) -> bool:
        """Let the first event from start on come next that has this name or source."""
        return self._seek(lib.ear_trace_seek_event, str(event).encode(), start, progress=progress)

    def record_at(self, position: int, *, progress: Progress | None = None) -> Record:
        """The record at this position; the next one is that behind it."""
        if not self.seek(position, progress=progress):
            raise IndexError(f"the trace ends before position {position}")
        return next(self)

    # Search ----------------------------------------------------------------------------------

    def find(self, query: Query, start: int = 0, *,
             progress: Progress | None = None) -> int | None:
        """Position of the first record from start on that meets the query."""
        return self._find(query, start, lib.EAR_FORWARD, progress)

    def find_before(self, query: Query, end: int = 2**64 - 1, *,
                    progress: Progress | None = None) -> int | None:
        """Position of the last record before position end that meets the query."""
        return self._find(query, end, lib.EAR_BACKWARD, progress)

    @held
    def _find(self, query: Query, start: int, direction: int,
              progress: Progress | None) -> int | None:
        position = ffi.new("uint64_t *")
        found = self._call(lib.ear_trace_find, query.struct, start, direction, position,
                           progress=progress)
        return int(position[0]) if found else None

    @held
    def find_report(self, start: int = 0, *, progress: Progress | None = None) -> int | None:
        """Position from start on at which reading may report a bad line; without an index start."""
        position = ffi.new("uint64_t *")
        found = self._call(lib.ear_trace_find_report, start, position, progress=progress)
        return int(position[0]) if found else None

    @held
    def checkpoint_before(self, position: int, *, progress: Progress | None = None) -> int:
        """Last position at or before one at which the index has a checkpoint; without one it."""
        before = ffi.new("uint64_t *")
        self._call(lib.ear_trace_checkpoint_before, position, before, progress=progress)
        return int(before[0])

    def find_all(self, query: Query, start: int = 0, end: int = 2**64 - 1, *,
                 progress: Progress | None = None) -> Iterator[Record]:
        """The records of positions start .. end - 1 that meet the query, in order."""
        while True:
            found, result = self._find_some(query, start, end, progress)
            yield from found
            if result == 0:
                return
            start = found[-1].position + 1

    @held
    def _find_some(self, query: Query, start: int, end: int,
                   progress: Progress | None) -> tuple[list[Record], int]:
        """Up to 1024 records; 0 if there are no more."""
        found: list[Record] = []
        watch = Watch(progress)

        def take(_context: Any, record: Any, position: int, number: int) -> int:
            found.append(WholeRecord(record, position, number))
            return 1 if len(found) >= 1024 else 0

        def keep(_kind: object, error: BaseException, _trace: object) -> int:
            watch.error = error
            return -1

        callback = ffi.callback(
            "int(void *, const struct ear_record *, uint64_t, uint64_t)", take, error=-1,
            onerror=keep)
        with watch as struct:
            result = lib.ear_trace_find_all(self._open(), query.struct, start, end, callback,
                                            ffi.NULL, struct)
        watch.raise_error()
        return found, self._check(result, watch)

    @held
    def count(self, query: Query, start: int = 0, end: int = 2**64 - 1, *,
              progress: Progress | None = None) -> int:
        """How many records of positions start .. end - 1 meet the query."""
        count = ffi.new("uint64_t *")
        self._call(lib.ear_trace_count_found, query.struct, start, end, count, progress=progress)
        return int(count[0])

    @held
    def last_write(self, addresses: int | range, before: int = 2**64 - 1, *,
                   progress: Progress | None = None) -> int | None:
        """Position of the last record before a position that wrote a byte there."""
        spans, count = span_array(addresses)
        position = ffi.new("uint64_t *")
        if count != 1:
            raise ValueError("one address or one range")
        found = self._call(lib.ear_trace_last_write, spans[0], before, position, progress=progress)
        return int(position[0]) if found else None

    @held
    def check(self, rules: CheckRule | Iterable[CheckRule] | None = None, *, most: int = 1000,
              assumed: Mapping[Register, int] | None = None, reset: bool = False,
              progress: Progress | None = None) -> CheckResult:
        """Check all records against what their instructions must do. rules: only violations of
        these; most: so many come back, all are counted; assumed: what registers (names, or classes
        and numbers) hold where the trace begins; reset: it begins at a reset. Operands are checked
        if the trace was opened with reads=True."""
        options, counts = (new_sized("struct ear_check_options"),
                           new_sized("struct ear_check_counts"))
        options.rules = 0 if rules is None else bit_set(rules)
        values = ffi.new("struct ear_record_register[]", len(assumed or ()))
        for value, (register, number) in zip(values, (assumed or {}).items()):
            value.reg_class, value.number = find_register(register)
            value.value = number
        options.reset, options.assumed, options.assumed_count = reset, values, len(values)
        found: list[Violation] = []
        watch = Watch(progress)

        def take(_context: Any, violation: Any) -> int:
            if len(found) < most:
                found.append(violation_of(violation, WholeRecord(
                    violation.record, violation.position, violation.number)))
            return 0

        def keep(_kind: object, error: BaseException, _trace: object) -> int:
            watch.error = error
            return -1

        callback = ffi.callback("int(void *, const struct ear_violation *)", take, error=-1,
                                onerror=keep)
        with watch as struct:
            result = lib.ear_trace_check(self._open(), options, callback, ffi.NULL, counts, struct)
        watch.raise_error()
        self._check(result, watch)
        return result_of(counts, found)

    # Causes ----------------------------------------------------------------------------------

    @held
    def value_chain(self, what: Register | range | int, before: int, *, hart: int = 0,
                    nodes: int = 0, depth: int = 0, repeats: int = 0, addresses: bool = False,
                    progress: Progress | None = None) -> ValueChain:
        """Where a value came from: of a register (a name, or a class and a number), or of memory
        (an address, or a range of up to 8), before the record at a position. nodes, depth, repeats:
        0 is the default of the library; addresses: follow those of loads and stores, too."""
        value, options = ffi.new("struct ear_value *"), self._chain_options(
            nodes, depth, repeats, addresses)
        value.before = before
        if isinstance(what, (range, int)):
            (first, last), = spans(what)
            if last - first > 7:
                raise ValueError("a value has 1 to 8 bytes")
            value.place.kind = lib.EAR_VALUE_MEMORY
            value.place.address, value.place.size = first, last - first + 1
        else:
            value.place.kind = lib.EAR_VALUE_REGISTER
            value.place.reg_class, value.place.number = find_register(what)
            value.place.hart = hart
        handle, watch = self._open(), Watch(progress)
        chain = ffi.new("const struct ear_value_chain **")
        with watch as struct:
            result = lib.ear_trace_value_chain(handle, value, options, chain, struct)
        self._check(result, watch)
        try:
            return chain_of(chain[0])
        finally:
            lib.ear_value_chain_free(chain[0])

    @held
    def why(self, *, hart: int | None = None, tohost: int | None = None,
            names: Names | None = None, allocators: Sequence[str] = (), nodes: int = 0,
            depth: int = 0, repeats: int = 0, addresses: bool = False,
            progress: Progress | None = None) -> Why:
        """Why the run ended as it did. hart: of this one, else of the one of which the end says
        most. tohost: a store of an odd number there ends the program. names: of the program, by
        which blocks of the heap, memory errors and functions that give up are known; allocators:
        "NAME=KIND" of those that have no usual name. The others are those of
        :meth:`value_chain`."""
        options = new_sized("struct ear_why_options")
        chain = self._chain_options(nodes, depth, repeats, addresses)
        options.hart, options.chain = -1 if hart is None else hart, chain
        options.has_tohost, options.tohost = tohost is not None, tohost or 0
        texts = [ffi.new("char[]", text.encode()) for text in allocators]
        listed = ffi.new("const char *[]", texts)
        options.allocators, options.allocator_count = listed, len(texts)
        handle, watch, found = self._open(), Watch(progress), ffi.new("const struct ear_why **")

        def ask(program: Any) -> int:
            options.names = program
            with watch as struct:
                return int(lib.ear_trace_why(handle, options, found, struct))

        self._check(ask(ffi.NULL) if names is None else names._lend(ask), watch)
        try:
            return why_of(found[0])
        finally:
            lib.ear_why_free(found[0])

    @staticmethod
    def _chain_options(nodes: int, depth: int, repeats: int, addresses: bool) -> Any:
        options = new_sized("struct ear_value_chain_options")
        options.nodes, options.depth, options.repeats = nodes, depth, repeats
        options.addresses = addresses
        return options

    # Moments ---------------------------------------------------------------------------------

    @held
    def moment(self, position: int, *, progress: Progress | None = None) -> Moment:
        """Registers, memory and stacks before the record at this position."""
        from .moment import Moment
        handle, watch, moment = self._open(), Watch(progress), ffi.new("struct ear_moment **")
        with watch as struct:
            result = lib.ear_moment_new(moment, handle, position, struct)
        self._check(result, watch)
        self._moments.add(moment[0])
        while self._unused:
            self._free_moment(self._unused.pop())
        return Moment(self, moment[0])

    @held
    def find_moment(self, text: str, names: Names | None = None, *, now: int | None = None,
                    progress: Progress | None = None) -> tuple[int, int] | None:
        """Positions of the moments before and after what the text names (docs/moments.md), as
        "trap=5#3" or "crc:return". None: the trace has no such thing. Functions and lines need
        names; "+5" and "-5" count from instruction now. begin, end and gap are one moment."""
        self._settle()
        self._drop()
        handle, watch, place = self._open(), Watch(progress), new_sized("struct ear_moment_place")
        here, number = lib.ear_trace_position(handle), 2**64 - 1 if now is None else now

        def find(program: Any) -> int:
            with watch as struct:
                return int(lib.ear_trace_find_moment(handle, text.encode(), program, number, place,
                                                     struct))

        try:
            found = self._check(find(ffi.NULL) if names is None else names._lend(find), watch)
        finally:
            lib.ear_trace_seek(handle, here, ffi.NULL)
        return (int(place.before), int(place.after)) if found == 1 else None

    @held
    def marks(self, *, progress: Progress | None = None) -> list[Mark]:
        """The marks of the trace, in its order (docs/moments.md, section 5)."""
        marks = ffi.new("struct ear_mark[]", lib.EAR_MARKS_MAX)
        count = self._call(lib.ear_trace_marks, marks, ffi.sizeof("struct ear_mark"),
                           lib.EAR_MARKS_MAX, progress=progress)
        return [Mark(text_of(mark.name), int(mark.position), int(mark.number), bool(mark.stale))
                for mark in marks[0:count]]

    @held
    def mark(self, name: str, position: int, *, progress: Progress | None = None) -> None:
        """Mark the moment before the record at this position; "mark=NAME" is that moment then."""
        self._settle()
        self._drop()
        here = lib.ear_trace_position(self._open())
        try:
            self._call(lib.ear_trace_mark, name.encode(), position, progress=progress)
        finally:
            lib.ear_trace_seek(self._handle, here, ffi.NULL)

    @held
    def unmark(self, name: str | None = None, *, progress: Progress | None = None) -> bool:
        """Delete a mark, or all of them. False: there is none."""
        return self._call(lib.ear_trace_unmark, ffi.NULL if name is None else name.encode(),
                          progress=progress) == 1

    def moment_after(self, number: int, *, progress: Progress | None = None) -> Moment:
        """The moment after the instruction record of this number."""
        place = self.position
        there = self.seek_number(number, progress=progress)
        position = self.position
        self.seek(place, progress=progress)
        if not there:
            raise IndexError(f"the trace ends before instruction {number}")
        return self.moment(position + 1, progress=progress)

    @held
    def set_program(self, names: Names) -> None:
        """Memory that the run has not touched is as in the files of names. Before the first moment
        is asked for memory."""
        handle = self._open()
        self._check_names(
            names._lend(lambda program: int(lib.ear_trace_set_program(handle, program))))

    @held
    def infer(self, names: Names | None = None, *, reset: bool = False, shared: bool = False,
              traps: bool = False, ram: Addresses = (),
              core: str | os.PathLike[str] | None = None) -> None:
        """Infer values that the trace does not have (docs/infer.md), before a record is read.
        names: the programs; reset: the trace begins where they were just loaded; shared: something
        else writes to memory; traps: each trap shows; ram: memory that no program has; core: a
        core dump of the end. Records have them apart, as inferred_registers and inferred_accesses;
        moments know them, and say which they are."""
        handle, options = self._open(), new_sized("struct ear_infer_options")
        options.reset, options.shared, options.traps = reset, shared, traps
        spans_kept, options.ram_count = span_array(ram)
        core_kept = ffi.NULL if core is None else ffi.new("char[]", path_bytes(core))
        options.ram, options.core = spans_kept, core_kept

        def with_names(program: Any) -> int:
            options.names = program
            return int(lib.ear_trace_infer(handle, options))

        self._check_names(with_names(ffi.NULL) if names is None else names._lend(with_names))

    # The trace as a whole --------------------------------------------------------------------

    @property
    @held
    def facts(self) -> Facts:
        facts = new_sized("struct ear_trace_facts")
        self._check(lib.ear_trace_facts(self._open(), facts))
        return Facts(text_of(facts.format), text_of(facts.path), facts.seekable, facts.has_index,
                     facts.xlen, facts.file_size, text_of(facts.program) or None,
                     text_of(facts.program_sha256) or None)

    @held
    def fact(self, key: str) -> str | None:
        """What a capture says about itself under a key; None: nothing."""
        text = ffi.new("char[65536]")
        size = lib.ear_trace_fact(self._open(), key.encode(), text, 65536)
        return None if size < 0 else text_of(text)

    @held
    def carries(self, field: str) -> bool:
        """Can its records have a field: "trap cause", "interrupt", "gap"? docs/text-formats.md

        Of a text, what its beginning shows that its tool leaves out, it cannot have."""
        result = lib.ear_trace_carries(self._open(), field.encode())
        if result < 0:
            raise ValueError(f"no field is called {field!r}")
        return bool(result == 1)

    @held
    def counts(self, *, progress: Progress | None = None) -> Counts:
        """From the index if there is one, else by reading the whole trace once."""
        counts = new_sized("struct ear_trace_counts")
        self._settle()
        self._call(lib.ear_trace_counts, counts, progress=progress)
        return Counts(counts.records, counts.instructions, counts.exceptions, counts.interrupts,
                      counts.gaps, counts.events,
                      counts.first_ticks if counts.has_time else None,
                      counts.last_ticks if counts.has_time else None)

    @held
    def verdict(self, *, progress: Progress | None = None) -> Verdict:
        """What only a reading of the whole trace shows."""
        verdict = new_sized("struct ear_trace_verdict")
        self._settle()
        self._call(lib.ear_trace_verdict, verdict, progress=progress)
        harts = tuple(verdict.harts[0:min(verdict.hart_count, len(verdict.harts))])
        return Verdict(verdict.complete, verdict.missing, verdict.missing_unknown, harts,
                       Completeness(verdict.kind))

    @property
    @held
    def fault(self) -> str | None:
        """What is wrong with the file as far as it was read; None: nothing."""
        return text_of(lib.ear_trace_fault(self._open())) or None

    @held
    def add_program(self, names: Names) -> int:
        """Add the program that the capture names to names; returns its number there."""
        handle = self._open()
        return self._check_names(
            names._lend(lambda program: int(lib.ear_trace_add_program(handle, program))))

    # Index -----------------------------------------------------------------------------------

    @held
    def index(self, *, rebuild: bool = False, progress: Progress | None = None) -> bool:
        """Let the trace have an index now. False: it can have none; index_facts says why."""
        self._settle()
        return self._call(lib.ear_trace_index, rebuild, progress=progress) == 1

    @property
    @held
    def index_facts(self) -> IndexFacts:
        facts = new_sized("struct ear_index_facts")
        self._check(lib.ear_trace_index_facts(self._open(), facts))
        return IndexFacts(text_of(facts.file) or None, facts.built, facts.extended, facts.cached,
                          facts.file_size, facts.records, facts.built_records,
                          facts.build_seconds, text_of(facts.cause))

    @held
    def verify_index(self, *, progress: Progress | None = None) -> None:
        """Compare the whole index with the whole trace; FileError says where they differ."""
        self._call(lib.ear_trace_index_verify, progress=progress)


def open(path: str | os.PathLike[str], *, format: str | None = None, xlen: int = 0,
         isa: str | None = None, pattern: str | Iterable[str] | None = None, reads: bool = False,
         initial_state: str | os.PathLike[str] | None = None, devices: Addresses = (),
         index: str = "auto", index_file: str | os.PathLike[str] | None = None,
         index_cache: str | os.PathLike[str] | None = None, jobs: int = 1,
         progress: Progress | None = None, report: Report | None = None,
         code: FlowCode | None = None, unit: str | None = None) -> Trace:
    """Open a trace: a capture, a dump, or a text of any format, plain or compressed; "-" is
    standard input.

    format, xlen, isa: of texts that do not show it themselves. pattern: the form of the lines of a
    log of your own, or several of them (docs/text-formats.md, "Logs of your own"). reads: records of captures have the
    registers that they read, too. initial_state: a file with registers before the first record.
    devices: addresses whose contents change by themselves. index: "auto", "existing" (build none)
    or "none". jobs: threads that build an index. report: called for lines of a text that are no
    records. code, unit: of a branch trace, the text of its programs (Names.code), and its trace
    unit: the name of one that is known, or its parameters as a JSON object.
    """
    watch = Watch(progress)
    options = new_sized("struct ear_trace_options")
    error = ffi.new("char[]", lib.EAR_TRACE_ERROR_MAX)
    keep: list[Any] = [error]
    if pattern is not None and not isinstance(pattern, str):
        pattern = "\n".join(pattern)
    for member, text in (("format", format), ("isa", isa), ("pattern", pattern),
                         ("unit", unit), ("initial_state", initial_state),
                         ("index_file", index_file), ("index_cache", index_cache)):
        if text is not None:
            keep.append(ffi.new("char[]", path_bytes(text)))
            setattr(options, member, keep[-1])
    array, count = span_array(devices)
    if index not in _INDEX:
        raise ValueError(f"index is one of {', '.join(_INDEX)}")
    options.xlen, options.reads, options.jobs, options.error = xlen, reads, jobs, error
    options.devices, options.device_count, options.index = array, count, _INDEX[index]
    if code is not None:
        options.code = code._handle
    reports = None if report is None else _Reports(report)
    if reports is not None:
        options.report = reports.callback
    handle = ffi.new("struct ear_trace **")
    with watch as struct:
        options.progress = struct
        result = lib.ear_trace_open(handle, path_bytes(path), options)
    if result < 0:
        watch.raise_error()
        raise error_of(result, text_of(error))
    return Trace(handle[0], reports, code)
