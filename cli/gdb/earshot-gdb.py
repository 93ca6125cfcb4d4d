"""Commands for GDB that is connected to 'earshot gdb' (docs/debugging.md).

    (gdb) source /usr/share/earshot/earshot-gdb.py

    when                  which record comes next
    goto PLACE            go to a record, a time, a bookmark, an event, begin or end
    last EXPRESSION       the last record that wrote it
    history EXPRESSION    its last changes, with record and line
"""
import re

import gdb


def monitor(command):
    """What the stub answers."""
    return gdb.execute("monitor " + command, to_string=True).rstrip("\n")


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
    """Go to a record (12, +5, -5), @TIME, begin, end, a bookmark, or event [NAME]."""
    name = "goto"

    def invoke(self, argument, from_tty):
        # The stub's last line is for those who do not have this command.
        print("\n".join(line for line in monitor("goto " + argument).splitlines() if "flush" not in line))
        gdb.execute("maintenance flush register-cache", to_string=True)
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


for command in (When, Goto, Last, History):
    command()

# What GDB keeps of registers is old after the stub went somewhere by itself.
gdb.execute("define hookpost-monitor\nmaintenance flush register-cache\nend", to_string=True)
