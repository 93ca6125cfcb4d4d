"""A second opinion on qtrace folders, written from docs/android.md alone: sections 1 to 4.

A log is what happened: the blocks of code, the executions with the times of their entries, and the
other streams as lists, each in the order of time.
"""
import dataclasses
import pathlib
import struct

WINDOW = 1024
TEXT, TEXTS = "text", "texts"
FIELDS = {1: 2, 2: 2, 3: 1, 4: (TEXTS,), 5: (3, TEXT), 6: 1, 7: (2, TEXT), 8: (1, TEXT), 9: 1, 10: 2, 12: (1, TEXT)}


@dataclasses.dataclass
class Run:
    """An execution of a block; count: of the entries that began."""
    number: int
    time: int
    times: list
    exception: tuple = None  # time, pc, target


@dataclasses.dataclass
class Log:
    blocks: list = dataclasses.field(default_factory=list)  # (address, words), from number 1 on
    runs: list = dataclasses.field(default_factory=list)
    loads: list = dataclasses.field(default_factory=list)  # (time, address)
    stores: list = dataclasses.field(default_factory=list)
    events: list = dataclasses.field(default_factory=list)  # (time, type, numbers, texts)
    methods: list = dataclasses.field(default_factory=list)  # (time, address, pid, type)
    end: int = 0


def unsigned(value):
    for count in range(1, 7):
        if value < 1 << 7 * count:
            return prefixed(value, count)
    return b"\xfc" + value.to_bytes(8, "big")


def signed(value):
    for count in range(1, 5):
        if -(1 << 7 * count - 1) <= value < 1 << 7 * count - 1:
            return prefixed(value % (1 << 7 * count), count)
    return b"\xf0" + (value % (1 << 32)).to_bytes(4, "big")


def prefixed(value, count):
    """count - 1 ones and a zero, then the bits."""
    ones = (1 << count - 1) - 1
    return (ones << 8 * count - count + 1 | value).to_bytes(count, "big")


class Numbers:
    """The numbers of a file, one after the other."""

    def __init__(self, path):
        self.data, self.at = path.read_bytes(), 0

    def _take(self):
        first = self.data[self.at]
        count = 1
        while count < 9 and first & 0x80 >> count - 1:
            count += 1
        if first == 0xFC:
            value, bits, count = int.from_bytes(self.data[self.at + 1:self.at + 9], "big"), 64, 9
        else:
            assert count <= 6, f"byte {self.at}"
            bits = 7 * count
            value = int.from_bytes(self.data[self.at:self.at + count], "big") % (1 << bits)
        assert self.at + count <= len(self.data), f"byte {self.at}"
        self.at += count
        return value, bits

    def unsigned(self):
        return self._take()[0]

    def signed(self):
        value, bits = self._take()
        return value - (1 << bits) if value >> bits - 1 else value

    def text(self):
        size = self.unsigned()
        self.at += size
        return self.data[self.at - size:self.at]

    def ended(self):
        return self.at == len(self.data)


def fields(kind):
    """Numbers, and None, TEXT or TEXTS."""
    what = FIELDS[kind]
    if isinstance(what, int):
        return what, None
    return (what[0], what[1]) if len(what) == 2 else (0, what[0])


# --- Writing ---


def bb(log):
    """Executions joined in a window of 1024 records."""
    out, window, newest, last = bytearray(), [], {}, {}
    flushed = before_number = before_time = 0

    def put(number, time, repeat, step):
        nonlocal before_number, before_time
        out.extend(signed(number - before_number) + unsigned(time - before_time) + unsigned(repeat))
        if repeat:
            out.extend(unsigned(step))
        before_number, before_time = number, time

    for run in log.runs:
        previous = last.get(run.number, 0)
        last[run.number] = run.time
        if previous > flushed:
            record = newest[run.number]
            step = run.time - previous
            if record[2] == 0:
                record[2:] = [1, step]
                continue
            if record[3] == step:
                record[2] += 1
                continue
        if len(window) == WINDOW:
            for record in window:
                put(*record)
            window.clear()
            flushed = run.time
        newest[run.number] = [run.number, run.time, 0, 0]
        window.append(newest[run.number])
    for record in window:
        put(*record)
    if log.end > before_time:
        put(0, log.end, 0, 0)
    return bytes(out) + b"\0\0\0"


def insn(log):
    out, before, step, repeat = bytearray(), 0, None, 0
    for time in (time for run in log.runs for time in run.times):
        if time - before == step and repeat < 0xFFFFFFFF:
            repeat += 1
        else:
            if step is not None:
                out.extend(unsigned(step) + unsigned(repeat))
            step, repeat = time - before, 0
        before = time
    if step is not None:
        out.extend(unsigned(step) + unsigned(repeat))
    return bytes(out)


def accesses(rows):
    out, before, at = bytearray(), 0, 0
    for time, address in rows:
        delta = (address - at + (1 << 31)) % (1 << 32) - (1 << 31)
        out.extend(signed(delta) + unsigned(time - before))
        before, at = time, address
    return bytes(out) + b"\0\0"


def exceptions(log):
    out, before, ordinal = bytearray(), 0, 0
    for i, run in enumerate(log.runs, 1):
        if run.exception:
            time, pc, target = run.exception
            for value in (time - before, pc, i - ordinal, target, run.number, run.time, len(run.times)):
                out.extend(unsigned(value))
            before, ordinal = time, i
    return bytes(out) + bytes(7)


def events(rows):
    out, before = bytearray(), 0
    for time, kind, numbers, texts in rows:
        out.extend(unsigned(time - before) + unsigned(kind))
        for number in numbers:
            out.extend(unsigned(number))
        if fields(kind)[1] == TEXTS:
            out.extend(unsigned(len(texts)))
        for text in texts:
            out.extend(unsigned(len(text)) + text)
        before = time
    return bytes(out) + b"\0\0"


def methods(rows):
    out, before, at, task = bytearray(), 0, 0, 0
    for time, address, pid, kind in rows:
        delta = (address - at + (1 << 31)) % (1 << 32) - (1 << 31)
        out.extend(unsigned(time - before) + signed(delta) + signed(pid - task) + unsigned(kind))
        before, at, task = time, address, pid
    return bytes(out) + b"\0\0"


def running(log):
    """The pid at the time of each execution."""
    switches, pid = [row for row in log.events if row[1] == 3], 0
    at = 0
    for run in log.runs:
        while at < len(switches) and switches[at][0] <= run.time:
            pid = switches[at][2][0]
            at += 1
        yield pid


def static(log, counted, start=(0, 0, 0, 0)):
    pids = set(running(log))
    joined_end = log.end > last_record_time(log)
    unused = next((pid for pid in range(32768) if pid not in pids), -1)
    counts = (len(pids), unused, len(log.blocks) + 1, sum(len(words) for _, words in log.blocks),
              len(log.runs) + joined_end, sum(len(run.times) for run in log.runs)) if counted else (0,) * 6
    out = bytearray((b"qemu_trace_file" if counted else b"").ljust(16, b"\0"))
    out += struct.pack("<iIIII", 2, *start)
    out += struct.pack("<Ii4xQQQQQ", *counts, 0)
    out += struct.pack("<QII", 0, 0, 0)
    for number, (address, words) in enumerate(log.blocks, 1):
        out += struct.pack(f"<QII{len(words)}I", number, address, len(words), *words)
    return bytes(out)


def last_record_time(log):
    """The time of the last record of .bb: the last execution that did not join one before."""
    reader, time, latest = _Bytes(bb(dataclasses.replace(log, end=0))), 0, 0
    while True:
        reader.signed()
        delta = reader.unsigned()
        if delta == 0:
            return latest
        time += delta
        latest = time
        if reader.unsigned():
            reader.unsigned()


class _Bytes(Numbers):
    def __init__(self, data):
        self.data, self.at = data, 0


def write(folder, log, counted=True):
    files = {"static": static(log, counted), "bb": bb(log), "insn": insn(log), "load": accesses(log.loads),
             "store": accesses(log.stores), "exc": exceptions(log), "pid": events(log.events),
             "method": methods(log.methods)}
    for name, data in files.items():
        (pathlib.Path(folder) / f"qtrace.{name}").write_bytes(data)
    return files


# --- Reading ---


def read_static(path):
    data, at, blocks = path.read_bytes(), 88, []
    while at < len(data):
        number, address, count = struct.unpack_from("<QII", data, at)
        assert number == len(blocks)
        blocks.append((address, list(struct.unpack_from(f"<{count}I", data, at + 16))))
        at += 16 + 4 * count
    assert blocks[0] == (0, [])
    return blocks[1:]


def read_bb(path):
    """(time, number) of all executions in order, and the time of the end record."""
    reader, number, time, runs, end = Numbers(path), 0, 0, [], 0
    while True:
        number += reader.signed()
        delta, repeat = reader.unsigned(), reader.unsigned()
        step = reader.unsigned() if repeat else 0
        if delta == 0:
            assert reader.ended() and number >= 0
            return sorted(runs), end
        time += delta
        if number == 0:
            end = time
        else:
            runs.extend((time + k * step, number) for k in range(repeat + 1))


def read_accesses(path):
    reader, address, time, rows = Numbers(path), 0, 0, []
    while True:
        delta, later = reader.signed(), reader.unsigned()
        if delta == 0 and later == 0:
            return rows
        address, time = (address + delta) % (1 << 32), time + later
        rows.append((time, address))


def read_exceptions(path):
    reader, time, ordinal, rows = Numbers(path), 0, 0, {}
    while True:
        delta, pc, ordinals, target, number, start, count = (reader.unsigned() for _ in range(7))
        if delta == 0 and pc == 0:
            return rows
        time, ordinal = time + delta, ordinal + ordinals
        rows[ordinal] = (time, pc, target, number, start, count)


def read_events(path):
    reader, time, rows = Numbers(path), 0, []
    while True:
        delta, kind = reader.unsigned(), reader.unsigned()
        if kind == 0:
            return rows
        time += delta
        count, text = fields(kind)
        numbers = tuple(reader.unsigned() for _ in range(count))
        texts = reader.unsigned() if text == TEXTS else text == TEXT
        rows.append((time, kind, numbers, tuple(reader.text() for _ in range(texts))))


def read_methods(path):
    reader, time, address, pid, rows = Numbers(path), 0, 0, 0, []
    while True:
        delta = reader.unsigned()
        if delta == 0:
            return rows
        time += delta
        address, pid = (address + reader.signed()) % (1 << 32), pid + reader.signed()
        rows.append((time, address, pid, reader.unsigned()))


def read_times(path):
    reader, time = Numbers(path), 0
    while not reader.ended():
        step, repeat = reader.unsigned(), reader.unsigned()
        for _ in range(repeat + 1):
            time += step
            yield time


def read(folder):
    folder = pathlib.Path(folder)
    name = lambda end: folder / f"qtrace.{end}"
    log = Log(blocks=read_static(name("static")), loads=read_accesses(name("load")),
              stores=read_accesses(name("store")), events=read_events(name("pid")),
              methods=read_methods(name("method")))
    runs, log.end = read_bb(name("bb"))
    ends, times = read_exceptions(name("exc")), read_times(name("insn"))
    for ordinal, (time, number) in enumerate(runs, 1):
        run = Run(number, time, [])
        count = len(log.blocks[number - 1][1])
        if ordinal in ends:
            run.exception, (block, start, count) = ends[ordinal][:3], ends[ordinal][3:]
            assert (block, start) == (number, time)
        run.times = [next(times) for _ in range(count)]
        log.runs.append(run)
    assert next(times, None) is None
    return log
