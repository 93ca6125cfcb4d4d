"""Commands for GDB that is connected to 'earshot gdb' (docs/debugging.md).

    (gdb) source /usr/share/earshot/earshot-gdb.py

    when                  which record comes next
    goto PLACE            go to a record, a time, a mark, an event, begin or end
    last EXPRESSION       the last record that wrote it
    history EXPRESSION    its last changes, with record and line

Frames are those of the trace, too: 'backtrace', 'up', 'finish' and local variables of callers are right in handlers,
after a return address was written over, and where pc is no code. 'print' shows what is known of an object of which
some bytes are not.
"""
import itertools
import re

import gdb
from gdb.FrameDecorator import FrameDecorator
from gdb.unwinder import Unwinder, register_unwinder


def monitor(command):
    """What the stub answers."""
    return gdb.execute("monitor " + command, to_string=True).rstrip("\n")


def moved():
    """The stub went somewhere by itself: what GDB keeps of registers and of the stack is old."""
    gdb.execute("maintenance flush register-cache", to_string=True)
    gdb.execute("maintenance flush dcache", to_string=True)
    FRAMES.refresh()


def place_of(text):
    """An expression as the stub understands it: ADDRESS:SIZE where it is in memory, else the text (a register)."""
    if re.fullmatch(r"\$\w+", text):
        return text[1:], None
    try:
        value = gdb.parse_and_eval(text)
    except gdb.error:
        return text, None
    if value.address is None:
        return text, None
    return "0x%x:%d" % (int(value.address), value.type.sizeof), value.type


class Command(gdb.Command):
    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_RUNNING, self.completion)

    completion = gdb.COMPLETE_NONE


class When(Command):
    """Which record comes next, and its time."""
    name = "when"

    def invoke(self, argument, from_tty):
        print(monitor("when"))


class Goto(Command):
    """Go to a record (12, +5, -5), @TIME, begin, end, a mark, or event [NAME]."""
    name = "goto"

    def invoke(self, argument, from_tty):
        # The stub's last line is for those who do not have this command.
        print("\n".join(line for line in monitor("goto " + argument).splitlines() if "flush" not in line))
        moved()
        if gdb.selected_thread() is not None:
            gdb.execute("frame")


class Last(Command):
    """The last record that wrote an expression or a register ($sp), or that executed code."""
    name = "last"
    completion = gdb.COMPLETE_EXPRESSION

    def invoke(self, argument, from_tty):
        print(monitor("last " + place_of(argument)[0]))


class History(Command):
    """The last changes of an expression, the newest first: history EXPRESSION [COUNT]."""
    name = "history"
    completion = gdb.COMPLETE_EXPRESSION

    def show(self, text, type_):
        """A number as its type shows it."""
        if text == "?" or type_ is None:
            return text
        try:
            number = int(text, 16)
            code = type_.strip_typedefs().code
            if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR):
                return str(gdb.Value(number).cast(type_))
        except gdb.error:
            pass
        return text

    def invoke(self, argument, from_tty):
        match = re.fullmatch(r"(.*?)(?:\s+(\d+))?", argument)
        place, type_ = place_of(match[1])
        for line in monitor("history %s %s" % (place, match[2] or "")).splitlines():
            change = re.match(r"(#\d+\s+)(\S+) -> (\S+)(  .*)", line)
            if change:
                place = re.sub(r"0x[0-9a-f]+ <(.*?)>", r"\1", change[4])
                line = "%s%s -> %s%s" % (change[1], self.show(change[2], type_), self.show(change[3], type_), place)
            print(line)


# ---- Objects of which some bytes are not known. ----
#
# GDB reads an object as a whole, and prints nothing of it if one byte cannot be read. 'print' is 'call' here, which is
# the same but for functions that return nothing; if that fails, members and elements are read one by one.

UNAVAILABLE = "<unavailable>"
AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY)


def runs(texts):
    """Equal texts in a row as one, as GDB has them."""
    for text, group in itertools.groupby(texts):
        count = len(list(group))
        yield from [f"{text} <repeats {count} times>"] if count >= 10 else [text] * count


def characters(value, first, count):
    """An array of characters: strings, and what is between them."""
    parts, known = [], b""
    type_ = value.type.strip_typedefs().target()
    for i in range(first, first + count + 1):
        try:
            byte = None if i == first + count else int(value[i]).to_bytes(1, "little", signed=int(value[i]) < 0)
        except gdb.MemoryError:
            byte = None
        if byte is not None:
            known += byte
            continue
        if known:
            parts.append(str(gdb.Value(known, type_.array(len(known) - 1))))
        if i < first + count:
            parts.append(UNAVAILABLE)
        known = b""
    return ", ".join(runs(parts))


def partly(value, format_):
    """The text of a value, as far as it is known."""
    type_ = value.type.strip_typedefs()
    if type_.code not in AGGREGATES:
        try:
            return value.format_string(**({"format": format_} if format_ else {}))
        except gdb.MemoryError:
            return UNAVAILABLE
    if type_.code == gdb.TYPE_CODE_ARRAY:
        first, last = type_.range()
        limit = gdb.parameter("print elements") or last - first + 1
        count, more = min(last - first + 1, limit), "..." if last - first + 1 > limit else ""
        target = type_.target().strip_typedefs()
        if not format_ and target.sizeof == 1 and target.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
            return characters(value, first, count) + more
        return "{" + ", ".join(runs(partly(value[i], format_) for i in range(first, first + count))) + more + "}"
    fields = [field for field in type_.fields() if hasattr(field, "bitpos")]  # others are static
    return "{" + ", ".join((f"{field.name} = " if field.name and not field.is_base_class else "") + partly(value[field], format_)
                           for field in fields) + "}"


class Print(gdb.Command):
    """Print the value of an expression, as GDB's own command does; of an object of which some bytes are not known, the
others.
Usage: print [[OPTION]... --] [/FMT] [EXP]"""

    def __init__(self):
        super().__init__("print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        try:
            gdb.execute("call " + argument, from_tty)
            return
        except gdb.error as error:
            cause = error
        try:
            _, format_, text = re.fullmatch(r"(-.*?-- *)?(?:/([a-z]) +)?(.*)", argument, re.DOTALL).groups()
            value = gdb.parse_and_eval(text) if isinstance(cause, gdb.MemoryError) else None
            if value is not None and value.type.strip_typedefs().code in AGGREGATES:
                print("(partly known) " + partly(value, format_))
                return
        except gdb.error:
            pass
        raise gdb.GdbError(str(cause))


# ---- Frames of the trace. ----
#
# GDB works callers out from the stack in memory, by the rules of the debug information. At each stop its frames are
# compared with those of the trace. A frame of which it has another caller is mended: its caller is that of the trace,
# with the registers that it had. The canonical frame address, by which GDB finds variables, is sp where the frame began,
# so they are right in a mended frame.

FRAMES_MAX = 64  # that are compared
MENDED_MAX = 16


def number_of(value):
    return int(value) & (1 << 8 * value.type.sizeof) - 1


def place_of_frame(frame):
    """Its level, pc and sp; None: they are not available."""
    try:
        return frame.level(), frame.pc(), number_of(frame.read_register("sp"))
    except gdb.error:
        return None


def own(frame):
    """The frame of a call, from one of an inlined function in it, or of a tail call before it."""
    while frame is not None and frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
        frame = frame.older()
    return frame


def older(frame):
    """The caller's frame; None: GDB stops there; False: it cannot work it out."""
    try:
        return own(frame.older())
    except gdb.error:
        return False


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Mended:
    """A frame whose caller is that of the trace."""

    def __init__(self, kind, reply):
        identity, *registers = reply.split(";")
        self.interrupts = kind != "call"
        self.sp, self.entry = (int(number, 16) for number in identity.split(","))
        self.registers = [[int(part, 16) for part in register.split(":")] for register in registers]


class Frames(Unwinder):
    def __init__(self):
        super().__init__("earshot")
        self.mended = {}  # by place
        self.thread = None  # to which they belong
        self.other = None  # a connection that is none of Earshot's

    def __call__(self, pending):
        if not self.mended:
            return None
        pc, sp = (number_of(pending.read_register(name)) for name in ("pc", "sp"))
        mended = self.mended.get((pending.level(), pc, sp))
        if mended is None:
            return None
        info = pending.create_unwind_info(FrameId(gdb.Value(mended.sp), gdb.Value(mended.entry)))
        for number, value in mended.registers:
            type_ = pending.read_register(number).type
            info.add_saved_register(number, gdb.Value(value.to_bytes(8, "little")[:type_.sizeof], type_))
        return info

    def ask(self, question, *numbers):
        """What the stub answers; None: nothing, or it is another one."""
        connection, thread = gdb.selected_inferior().connection, gdb.selected_thread()
        if thread is None or connection is self.other or not hasattr(connection, "send_packet"):
            return None
        reply = connection.send_packet("qEarshot.%s:%s" % (question, ",".join("%x" % n for n in numbers)))
        if not reply:
            self.other = connection
        return reply.decode("ascii") if reply and not reply.startswith(b"E") else None

    def refresh(self, *_):
        """The present is another one, or the thread."""
        self.mended = {}
        thread = gdb.selected_thread()
        self.thread = thread.num if thread else None
        reply = self.ask("Stack", thread.ptid[1]) if thread else None
        if reply is None:
            return
        frames = [frame.split(",") for frame in reply.split(";")]
        gdb.invalidate_cached_frames()
        while len(self.mended) < MENDED_MAX and self.mend(frames[:FRAMES_MAX], thread.ptid[1]):
            gdb.invalidate_cached_frames()
        FILTER.enabled = bool(self.mended)

    def before_prompt(self):
        thread = gdb.selected_thread()
        if thread is not None and thread.num != self.thread:
            self.refresh()

    def mend(self, frames, thread):
        """Mend the first frame of which GDB has, or may have, another caller. Returns whether there was one."""
        frame, interrupted = own(gdb.newest_frame()), False
        for number, (kind, _, _) in enumerate(frames[:-1]):
            caller, here = older(frame), place_of_frame(frame)
            place = place_of_frame(caller) if caller else None
            wanted = [int(part, 16) if part else None for part in frames[number + 1][1:]]
            is_right = place and all(want in (None, have) for want, have in zip(wanted, place[1:]))
            # GDB looks for the rules of an interrupted frame before its pc, where another function may be; then 'finish'
            # would not know the frame again.
            if is_right and (not interrupted or here in self.mended):
                frame, interrupted = caller, kind != "call"
                continue
            is_end = caller is None and frame.unwind_stop_reason() == gdb.FRAME_UNWIND_NO_REASON
            if is_end and not interrupted:
                return False  # main: 'set backtrace past-main' shows more
            reply = self.ask("Caller", thread, number)
            if reply is None or here is None or here in self.mended:
                return False
            self.mended[here] = Mended(kind, reply)
            return True
        return False


class Named(FrameDecorator):
    """GDB's own decorator looks for a name at the return address of a call, which may be that of the next function."""

    def function(self):
        return self.inferior_frame().name() or "??"


class Interrupted(FrameDecorator):
    """The frame below a handler. It stands at pc; GDB, which takes that for a return address, looks before it."""

    def __init__(self, base, has_inlined):
        super().__init__(base)
        self.has_inlined = has_inlined  # the line is that of a call in it

    def function(self):
        block, function = gdb.block_for_pc(self.inferior_frame().pc()), None
        while block is not None:
            function, block = block.function or function, block.superblock
        return function.name if function is not None else self.inferior_frame().name() or "??"

    def place(self):
        place = gdb.find_pc_line(self.inferior_frame().pc())
        return None if self.has_inlined or place.symtab is None else place

    def filename(self):
        place = self.place()
        return place.symtab.filename if place else super().filename()

    def line(self):
        place = self.place()
        return place.line if place else super().line()

    def frame_args(self):
        function = self.inferior_frame().function()
        return super().frame_args() if function is not None and function.name == self.function() else None


class Filter:
    """Frames as 'backtrace' shows them."""
    name, enabled, priority = "earshot", False, 100

    def filter(self, frames):
        has_inlined = interrupted = False
        for frame in frames:
            if frame.inferior_frame().type() == gdb.INLINE_FRAME:
                has_inlined = True
                yield frame
                continue
            yield Interrupted(frame, has_inlined) if interrupted else Named(frame)
            mended = FRAMES.mended.get(place_of_frame(frame.inferior_frame()))
            has_inlined, interrupted = False, mended is not None and mended.interrupts


FILTER, FRAMES = Filter(), Frames()
gdb.frame_filters[FILTER.name] = FILTER
register_unwinder(None, FRAMES, replace=True)
gdb.events.stop.connect(FRAMES.refresh)
gdb.events.before_prompt.connect(FRAMES.before_prompt)

for command in (When, Goto, Last, History, Print):
    command()

gdb.execute("define hookpost-monitor\npython moved()\nend", to_string=True)
FRAMES.refresh()
