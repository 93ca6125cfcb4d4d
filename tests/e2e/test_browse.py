"""'earshot browse' in a pseudo terminal that pyte reads: screens, keys, sizes, colours, signals."""
import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import support
from support import EARSHOT, NIGHT, PROGRAMS, TREE, some

try:
    import pyte
except ImportError:  # another python is first in PATH: Debian's has it (scripts/setup)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *os.sys.argv])

BOTTOM = "q quit"
KEYS = {"Down": "\x1bOB", "Up": "\x1bOA", "Left": "\x1bOD", "Right": "\x1bOC", "PgDn": "\x1b[6~", "PgUp": "\x1b[5~",
        "Home": "\x1bOH", "End": "\x1bOF", "Tab": "\t", "Shift-Tab": "\x1b[Z", "Enter": "\r", "Esc": "\x1b", "F1": "\x1bOP",
        "Space": " ", "Backspace": "\x7f", "Ctrl-L": "\x0c"}


class Screen(pyte.Screen):
    """With the two sequences by which ncurses scrolls, and which pyte does not know."""

    def scroll(self, change, count):
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        change(count)
        self.cursor.x, self.cursor.y = x, y

    def scroll_up(self, count=1):
        self.scroll(self.delete_lines, count)

    def scroll_down(self, count=1):
        self.scroll(self.insert_lines, count)


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


class Terminal:
    """The command in a pseudo terminal of its own."""

    def __init__(self, *arguments, columns=80, rows=24, term="xterm-256color", environment=None,
                 folder=TREE):
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.sent = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            given = {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8", **(environment or {})}
            for name in ("COLUMNS", "LINES") + (() if environment and "NO_COLOR" in environment else ("NO_COLOR",)):
                given.pop(name, None)
            os.chdir(folder)
            os.execve(EARSHOT, [EARSHOT, "browse", *map(str, arguments)], given)

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.sent += got
        self.stream.feed(got)
        return bool(got)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, wanted, seconds=30):
        """Until the screen has a sentence, or a condition holds for it."""
        end = time.monotonic() + seconds
        holds = wanted if callable(wanted) else lambda text: wanted in text
        while not holds(self.text()):
            if not self.read(max(0, end - time.monotonic())):
                raise AssertionError(f"not on the screen: {wanted}\n{self.text()}")
        return self.text()

    def press(self, keys, wanted=None, seconds=30):
        os.write(self.fd, keys.encode())
        return self.wait(wanted, seconds) if wanted else None

    def command(self, text, wanted):
        self.press(":")
        self.wait(lambda screen: screen.split("\n")[-1].startswith(":"))
        return self.press(text + "\r", wanted)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        self.screen.reset()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, keys="\x1b\x1bq"):
        """Its exit status."""
        if keys:
            os.write(self.fd, keys.encode())
        end = time.monotonic() + 60
        while time.monotonic() < end:
            while self.read(0.01):
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0):
                    pass
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("it does not end\n" + self.text())


def table():
    """The key table of docs/browse.md: labels of each key, its command, what it does."""
    rows = re.findall(r"^\| ((?:`[^`]+` ?)*) ?\| (?:`:([a-z-]+)[^`]*`)? *\| (.+) \|$", (TREE / "docs/browse.md").read_text(),
                      re.M)
    return [(re.findall("`([^`]+)`", labels), name, text) for labels, name, text in rows if labels or name]


class Browse(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.shared
        cls.freed, cls.recursion = folder / "freed.shot", folder / "recursion.shot"
        for shot, program in ((cls.freed, "story_freed"), (cls.recursion, "recursion")):
            subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS}/{program}.elf", "-o", shot], check=False)

    def ask(self, *arguments):
        run = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, text=True, check=False)
        return run.stdout

    def browse(self, *arguments, **options):
        terminal = Terminal(*arguments, **options)
        self.addCleanup(lambda: os.path.exists(f"/proc/{terminal.pid}/exe") and os.kill(terminal.pid, signal.SIGKILL))
        return terminal

    def at(self, terminal, number):
        terminal.wait(lambda text: re.search(rf"#{number} of ", text))

    def number(self, terminal, other=None):
        """Of the cursor, when it is drawn, and is another one."""
        def shown(text):
            found = re.search(r"#(\d+) of ", text)
            return found and found[1] != other
        return re.search(r"#(\d+) of ", terminal.wait(shown))[1]

    def test_values_are_those_of_the_other_commands(self):
        terminal = self.browse(self.freed, "--at", "380", columns=200, rows=60)
        for number in (380, 300, 120):
            terminal.command(str(number), "q quit") if number != 380 else None
            self.at(terminal, number)
            text = terminal.wait(BOTTOM)
            state = json.loads(self.ask("state", "--json", "--at", number, "--reg", "x", self.freed))
            known = 0
            for name, value in state["registers"].items() if "registers" in state else []:
                if name in ("zero", "pc"):
                    continue
                shown = re.search(rf"\b{name} +([0-9a-f]{{8}}|\?)", text)
                self.assertTrue(shown, f"{name}\n{text}")
                if value is None:
                    self.assertEqual(shown[1], "?", name)
                else:
                    known += 1
                    self.assertEqual(int(shown[1], 16), int(str(value), 0), name)
            self.assertGreater(known, 5, state)
        shown = json.loads(self.ask("show", "--json", "--from", "120", "--to", "120", self.freed).split("\n")[0])
        self.assertIn(f"{int(str(shown['pc']), 0):08x}", text)
        self.assertEqual(terminal.end(), 0)

    def test_the_cause_of_a_crash_is_found_with_keys_alone(self):
        terminal = self.browse(self.freed)
        terminal.wait(BOTTOM)
        terminal.press("y", "wild jump to")
        terminal.press("\x1bOB\x1bOB\r", "#381 of 422")
        terminal.press("k", "#380 of 422")
        terminal.press("[", "write of [0x80000294] 4 bytes before #380")
        terminal.wait("new_message")
        terminal.press("<", "#380 of 422")
        terminal.press("V", "where [0x80000294] 4 bytes came from")
        self.assertEqual(terminal.end(), 0)

    def keys_trace(self):
        """A text of rtos with times, with events, tasks and a gap that were put in; and the capture that it is of."""
        shot, path = self.folder / "rtos.shot", self.folder / "keys.json"
        self.ask("capture", "-q", "-d", f"sim:{PROGRAMS}/rtos.elf,uart=/dev/null", "-o", shot, "--time", "record",
                 "--limit", 6000)
        lines = self.ask("convert", "-q", "-f", "json", shot, "-o", "-").splitlines()
        event = {"kind": "event", "schema": 2, "hart": 0, "index": 0, "offset": 0, "source": 0, "value": "0x0",
                 "words": ["0x0", "0x0"]}
        lines[5600:5600] = ["{this is damaged"]
        lines[5000:5000] = [json.dumps({**event, "name": "switch 2"})]
        lines[400:400] = [json.dumps({**event, "name": name}) for name in (
            "process 1 1 left", "process 2 2 right", "switch 1")]
        path.write_text("\n".join(lines) + "\n")
        return path, shot

    def press_each(self, terminal, effects, by_name=False):
        """Each key of the table that effects has, or each command by its name, pressed at a record, has its effect,
        which was not there before. Returns which rows of the table were tried."""
        done = set()
        for labels, name, text in table():
            row = name or labels[0]
            if row not in effects:
                continue
            done.add(row)
            begin, argument, wanted, *before = effects[row]
            at = f"#{wanted} of "
            holds = wanted if callable(wanted) else lambda screen: (at if isinstance(wanted, int) else wanted) in screen
            ways = [(KEYS.get(label, label), f"{argument}\r" if argument else "") for label in labels]
            if name and (by_name or not labels):
                ways = [(f":{name}", f" {argument}\r")]
            for key, rest in ways:
                with self.subTest(key=key, command=name, what=text):
                    terminal.press("\x1b")  # leaves a list, and another pane
                    for number in begin if isinstance(begin, tuple) else (begin,):
                        terminal.command(str(number), f"#{number} of ")
                        terminal.wait("h help")
                    for step in before:
                        step() if callable(step) else terminal.press(*step)
                    self.assertFalse(holds(terminal.text()), f"it is so before the key\n{terminal.text()}")
                    terminal.press(key + rest, holds)
        return done

    def find(self, shot, *conditions):
        """The number of the record that 'grep' finds."""
        return int(re.match(r"#(\d+)", self.ask("grep", "-q", "-n", *conditions, shot))[1])

    def test_every_key_of_the_table_has_its_effect(self):
        path, shot = self.keys_trace()
        (call, last), (call2, last2), *_ = [(row["number"], row["last"]) for row in map(json.loads, self.ask(
            "calls", "--json", "--function", "make_task", shot).splitlines()) if "number" in row]
        inside, store = call + 8, call - 1  # in the function; main saves ra
        main, loop = self.find(shot, "--pc", "main", "--first"), self.find(shot, "--pc", "start.S:80", "--first")
        interrupt, trap = self.find(shot, "--interrupt", "--first"), self.find(shot, "--trap=11", "--first")
        a5, a5_next = self.find(shot, "--reg", "a5", "--before", last, "--last"), self.find(
            shot, "--reg", "a5", "--after", last, "--first")
        task = self.find(shot, "--addr", "tasks:4", "--write", "--after", call, "--first")
        task_next = self.find(shot, "--addr", "tasks:4", "--after", task + 1, "--first")

        def bottom(text):
            return lambda screen: screen.split("\n")[-1].startswith(text)

        def focus(name):
            """The heading of this pane is the one that is underlined."""
            return lambda _: "".join(cell.data for row in terminal.screen.buffer.values() for cell in row.values()
                                     if cell.underscore and cell.bold).startswith(name)

        def memory_of_task(screen):
            return bottom("[0x")(screen)

        effects = {
            "down": (call, "", call + 1), "up": (call, "", call - 1), "page-down": (1000, "", 1007),
            "page-up": (1000, "", 993), "first": (call, "", 0), "last": (call, "", 6000),
            "Left": ((0, store), "", bottom("[0x")), "Right": ((0, store), "", bottom("sp  [")),
            "step": (call, "", call + 1), "step-back": (last + 1, "", last), "over": (call, "", last + 1),
            "over-back": (last + 1, "", call),
            "line": (last + 1, "", last2 + 1), "line-back": (last2 + 1, "", last + 1),
            "out": (inside, "", last + 1), "caller": (inside, "", call), "call": (main, "", call),
            "call-back": (call2, "", call), "return": (inside, "", last), "return-back": (call2, "", last),
            "leave-loop": (1000, "", main - 3), "enter-loop": (1000, "", loop - 1),
            "last-write": (a5_next, "", a5), "next-write": (a5, "", a5_next),
            "next-access": ((0, task), "", task_next, ("\x1bOD", memory_of_task)),
            "last-access": ((0, task), "", task, ("\x1bOD", memory_of_task), ("}", f"#{task_next} of ")),
            "origin": (a5, "", "where a5 came from"), "menu": (call, "", "what can be done here"),
            "search": (0, "pc=make_task", call + 1), "search-back": (call2, "pc=make_task", last),
            "next": (inside, "", inside - 1), "previous": (inside, "", inside + 1),
            "matches": (call, "", "matches of 'pc=make_task'"),
            "trap": (interrupt, "", trap), "trap-back": (5999, "", trap), "interrupt": (call, "", interrupt),
            "interrupt-back": (5999, "", interrupt), "event": (
                call, "", lambda screen: "#5000 of " in screen and re.search(r"^#0 [a-z]", screen, re.M)),
            "event-back": (call, "", 400),
            "gap": (call, "", 5600), "gap-back": (5999, "", 5600),
            "goto": (0, str(inside), inside), "percent": (0, "50", 3000), "back": ((call, inside), "", call),
            "forth": ((call, inside), "", inside, ("<", f"#{call} of ")),
            "mark": (call, "here", "marked as here"), "marks": (0, "", "marks: Enter goes there"),
            "mark-back": (call2, "", call), "mark-next": (0, "", call),
            "unmark": (0, "here", "the mark here is deleted"),
            "why": (0, "", "why: Enter goes there"), "check": (0, "", "no rule is broken"),
            "print": (inside, "name", '"recurse"'),
            "locals": (inside, "", lambda screen: re.search(r'name  .* "recurse"  .*char', screen)),
            "harts": (0, "", "hart 0  "), "tasks": (0, "", "task 2  right"), "list": (0, "", "task 2  right"),
            "pane": (call, "", focus("rtos.c")), "pane-back": (call, "", focus("stack")),
            "records": (call, "", focus("records"), ("\t", focus("rtos.c"))),
            "zoom": (call, "", lambda screen: "registers" not in screen and "records" in screen),
            "fold": (store, "", f"+ make_task: {last - call} records"),
            "memory": (inside, "tasks", "tasks (kept)"), "follow": (inside, "", lambda screen: "(kept)" not in screen),
            "times": (inside, "", lambda screen: re.search(r"\n *\d+ @\d+ ", screen)),
            "mouse": (inside, "", "the mouse selects text"),
            "redraw": (inside, "", "registers", lambda: terminal.stream.feed(b"\x1b[2J")),
            ":": (inside, "", bottom(":")), "help": (inside, "", "help: Enter on a line does it"),
        }
        rows = {name or labels[0] for labels, name, _ in table()}
        pair = {"difference", "difference-back", "differences"}
        self.assertEqual(rows - {"quit"} - pair, set(effects))
        for by_name in some(False, True):
            terminal = self.browse("-i", "json", "--elf", f"{PROGRAMS}/rtos.elf", path)
            terminal.wait("could not be read")
            self.assertEqual(self.press_each(terminal, effects, by_name), set(effects))
            self.assertEqual(terminal.end(), 2, "the damaged line")

        # Of two traces: B has other values in two places, and neither is the one where they begin.
        other = self.folder / "other.json"
        lines = self.ask("convert", "-q", "-f", "json", shot, "-o", "-").splitlines()
        for number in (a5, a5_next):
            record = json.loads(lines[number])
            record["registers"][0]["value"] = "0x1234"
            lines[number] = json.dumps(record)
        other.write_text("\n".join(lines) + "\n")
        for by_name in some(False, True):
            terminal = self.browse("--elf", f"{PROGRAMS}/rtos.elf", shot, other, columns=120)
            terminal.wait("the first difference")
            self.assertEqual(self.press_each(terminal, {
                "difference": (a5, "", a5_next), "difference-back": (a5_next, "", a5),
                "differences": (0, "", "differences: Enter goes there")}, by_name), pair)
            self.assertEqual(terminal.end(), 0)

    def test_keys_act_on_the_pane_of_the_focus(self):
        """Of source, code, registers, memory and stack; the mouse; and the keys of a list."""
        terminal = self.browse(self.recursion, "--at", "ackermann")
        terminal.wait("h help")
        begin = int(self.number(terminal))
        call = self.find(self.recursion, "--reg", "ra", "--before", begin, "--last")  # main's

        def bottom(text):
            return lambda screen: screen.split("\n")[-1].startswith(text)

        def back(key, wanted):
            """The key acts on what is selected; then the cursor is where it was."""
            terminal.press(key, wanted)
            terminal.command(str(begin), f"#{begin} of ")
            terminal.wait("h help")
        sp = self.find(self.recursion, "--reg", "sp", "--before", begin, "--last")
        back("\x1b\t\t\t\x1bOC[", f"#{sp} of ")  # registers: ra, and sp at its right
        s0 = self.find(self.recursion, "--reg", "s0", "--after", begin + 1, "--first")
        back("\x1b\t\t\t\x1bODjjjjj]", f"#{s0} of ")
        terminal.press("k", bottom("a6  ["))
        source = terminal.press("\x1b\t", bottom("[ executed last"))
        line, = re.findall(r"^\* +(\d+) ", source, re.M)
        code = f"{line} " + source.split(f"*{line:>5} ")[1][8:16]
        terminal.press("\x1bOC", lambda text: "recursion.c:" in text and ", from column 9 " in text and code in text)
        terminal.press("\x1bOD", lambda text: "column 9" not in text)
        after = self.find(self.recursion, "--pc", f"recursion.c:{int(line) + 1}", "--after", begin, "--first")
        back("j]", f"#{after} of ")
        terminal.command(str(begin + 2), f"#{begin + 2} of ")
        back("\x1b\t\tk[", f"#{begin + 1} of ")  # the instruction before, in the code
        terminal.press("\x1b")
        terminal.command(str(call - 1), f"#{call - 1} of ")
        terminal.press("\x1b[Z", lambda text: "Enter go there" in text)
        terminal.command(str(begin), f"#{begin} of ")
        back("j\r", f"#{call} of ")  # the frame that called
        terminal.command("memory 0x80001000", "memory 0x80001000")
        terminal.press("\x1b\t\t\t\t", bottom("[0x80001000] 1 byte"))
        terminal.press("\x1bOC", bottom("[0x80001001] 1 byte"))
        terminal.press("j", bottom("[0x80001009] 1 byte"))
        terminal.press("\x1bOD", bottom("[0x80001008] 1 byte"))
        terminal.press("\x1b[6~", lambda text: not bottom("[0x80001008]")(text) and bottom("[0x800010")(text))

        rows = terminal.press("\x1b", bottom("a0  [")).split("\n")
        row = next(i for i, text in enumerate(rows) if re.match(f" *{begin + 2} ", text))
        terminal.press(f"\x1b[<0;5;{row + 1}M\x1b[<0;5;{row + 1}m", f"#{begin + 2} of ")
        terminal.press(f"\x1b[<65;5;{row + 1}M", f"#{begin + 5} of ")
        terminal.press(f"\x1b[<64;5;{row + 1}M", f"#{begin + 2} of ")

        count = int(re.search(r"  1 of (\d+)", terminal.press("h", "help: Enter"))[1])
        for keys, at in (("j\x1bOB", 3), ("k\x1bOA", 1), (" \x1b[6~", 41), ("b", 21), ("\x1b[5~", 1), ("G", count),
                         ("g", 1), ("\x1bOF", count), ("\x1bOH", 1), ("\x1b[<65;5;9M", 4)):
            terminal.press(keys, f"  {at} of {count}")
        terminal.press("\x1b[<0;9;3M", "why: Enter")  # the third row: y
        self.assertEqual(terminal.end(), 0)

    def test_the_table_of_the_document_is_the_help(self):
        terminal = self.browse(self.freed, columns=120, rows=120)
        terminal.wait(BOTTOM)
        text = terminal.press("h", "docs/browse.md has the rest")
        for labels, name, what in table():
            line = next((line for line in text.split("\n") if line.endswith(what)), "")
            self.assertIn(" ".join(labels) if labels else name, line, f"{what}\n{text}")
            self.assertIn(f":{name}" if name else "", line)
        # And no key of the help is missing in the document.
        for name in re.findall(r" :([a-z-]+)", text):
            self.assertIn(f"`:{name}", (TREE / "docs/browse.md").read_text())
        self.assertEqual(terminal.end(), 0)

    def test_steps_over_out_and_back(self):
        terminal = self.browse(self.freed, "--at", "main")
        terminal.wait("main  story_freed.c")
        first = self.number(terminal)
        terminal.press("c")
        call = self.number(terminal, first)
        terminal.press("s", f"#{int(call) + 1} of")
        terminal.wait("stack, 3 frames")
        terminal.press("U", f"#{call} of")
        terminal.press("o", lambda text: f"#{call} of" not in text and "stack, 2 frames" in text)
        after = self.number(terminal, call)
        self.assertGreater(int(after), int(call) + 1)
        terminal.press("O", f"#{call} of")
        self.assertEqual(terminal.end(), 0)

    def test_folds_of_calls(self):
        terminal = self.browse(self.freed, "--at", "main", columns=100, rows=50)
        terminal.wait(BOTTOM)
        terminal.press("z", "calls folded")
        text = terminal.wait(lambda screen: re.search(r"\+ \w+: \d+ records", screen))
        terminal.press("z", "calls and loops folded")
        terminal.press("z", "every record is a line")
        self.assertIn("records", text)
        self.assertEqual(terminal.end(), 0)

    def test_searches_and_what_is_wrong_with_them(self):
        terminal = self.browse(self.freed, "--at", "0")
        terminal.wait(BOTTOM)
        found = re.search(r"#(\d+)", self.ask("grep", "--pc", "new_message", "--first", "-n", self.freed))
        terminal.press("/")
        terminal.wait("search:")
        terminal.press("new_message\r", f"#{found[1]} of")
        terminal.press("N", "there is no match of 'new_message' before this record")
        terminal.press("/")
        terminal.wait("search:")
        terminal.press("nonsense=1\r", "is not a condition")
        terminal.press("/")
        terminal.wait("search:")
        terminal.press("reg=q9\r", "'q9' is not a register")
        self.assertEqual(terminal.end(), 0)

    def test_places(self):
        terminal = self.browse(self.freed, "--at", "0")
        terminal.wait(BOTTOM)
        terminal.press("G", "#421 of 422 100%")
        terminal.press("!")
        terminal.wait("percent:")
        terminal.press("50\r", "#211 of 422 50.0%")
        terminal.press("<", "#421 of 422")
        terminal.press(">", "#211 of 422")
        terminal.command("goto new_message", "new_message  story_freed.c")
        terminal.command("goto nowhere_at_all", "nowhere_at_all")
        terminal.command("mark here", "marked as here")
        terminal.press("g", "#0 of 422")
        terminal.press(";", "mark here")
        terminal.press("'", "marks: Enter goes there")
        terminal.press("q")
        terminal.command("unmark here", "the mark here is deleted")
        terminal.command("nonsense", "there is no command 'nonsense'")
        self.assertEqual(terminal.end(), 0)

    @support.night
    def test_without_a_file_of_the_index_it_is_in_memory(self):
        trace = self.folder / "long.log"
        with open(trace, "w", encoding="ascii") as out:
            for i in range(600000):
                out.write(f"core   0: 3 0x{0x80000000 + 4 * (i % 8):08x} (0x00150513) x10 0x{i:08x}\n")
        terminal = self.browse("--no-index", "--at", "5", trace)
        # How long it is is known, though its end was not shown.
        terminal.wait("#5 of 600000", 120)
        terminal.press("!50\r", "#300000 of 600000")
        terminal.press("S", "#299999 of 600000")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual([path.name for path in self.folder.glob("long*")], ["long.log"])

    def test_sizes(self):
        terminal = self.browse(self.recursion)
        terminal.wait(BOTTOM)
        for columns, rows in ((200, 60), (40, 10), (80, 24), (20, 5), (120, 30), (39, 9), (41, 60), (300, 11), (80, 24)):
            terminal.resize(columns, rows)
            small = columns < 40 or rows < 10
            terminal.wait("too small"[:columns] if small else "records" if columns >= 40 else "", 60)
            self.assertTrue(all(len(line) <= columns for line in terminal.screen.display))
        self.assertEqual(terminal.end(), 0)

    def test_colors(self):
        seen = {}
        for term, environment in (("xterm-256color", None), ("linux", None), ("vt100", None),
                                  ("xterm-256color", {"NO_COLOR": "1"})):
            terminal = self.browse(self.freed, term=term, environment=environment)
            terminal.wait(BOTTOM)
            colors = {cell.fg for line in terminal.screen.buffer.values() for cell in line.values()}
            grounds = {cell.bg for line in terminal.screen.buffer.values() for cell in line.values()}
            self.assertEqual(grounds, {"default"}, term)
            seen[term, bool(environment)] = colors - {"default"}
            self.assertEqual(terminal.end(), 0)
        self.assertGreater(len(seen["xterm-256color", False]), 2)
        self.assertGreater(len(seen["linux", False]), 2)
        self.assertEqual(seen["vt100", False], set())
        self.assertEqual(seen["xterm-256color", True], set())

    def test_no_screen(self):
        for term in ("dumb", "", "no-such-terminal"):
            terminal = self.browse(self.freed, term=term)
            self.assertEqual(terminal.end(keys=""), 2, term)
            self.assertIn(b"earshot show", terminal.sent)
        run = subprocess.run([EARSHOT, "browse", self.freed], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"is no terminal; in text: earshot show", run.stderr)

    def test_signals(self):
        terminal = self.browse(self.freed)
        terminal.wait(BOTTOM)
        terminal.press("\x03", "q quits")
        os.kill(terminal.pid, signal.SIGTERM)
        self.assertEqual(terminal.end(keys=""), 0)
        self.assertTrue(terminal.sent.rstrip().endswith(b"\x1b[?1049l\x1b[23;0;0t\r\x1b[?1l\x1b>") or
                        b"\x1b[?1049l" in terminal.sent[-200:])

    def test_two_traces(self):
        other = self.folder / "other.shot"
        self.ask("cut", "-q", "--from", "0", "--to", "400", "-o", other, self.freed)
        terminal = self.browse(self.freed, other, "--at", "100", columns=120, rows=30)
        terminal.wait("B #100")
        terminal.press("s", "B #101")
        terminal.press("=", "differences: Enter goes there")
        terminal.press("\r", "#401 of 422")
        self.assertEqual(terminal.end(), 0)
        terminal = self.browse(self.freed, self.recursion, columns=120, rows=30)
        terminal.wait("the first difference")
        terminal.press("=", "they part: no 4 instructions in a row are in both")
        self.assertEqual(terminal.end(), 0)

    def test_an_end_in_a_loop(self):
        shot = self.folder / "endless.shot"
        self.ask("capture", "-q", "-d", f"sim:{PROGRAMS}/endless.elf,uart=/dev/null", "-o", shot, "--limit", 20000)
        terminal = self.browse(shot)
        terminal.wait("h help")
        text = terminal.press("y", "cause unknown")
        end = int(re.search(r"#(\d+) of", text)[1])
        found = re.search(r"#(\d+) +(0x\w+) [^#]* round of the *loop that it is in; +(?:at least )?\d+ +rounds",
                          " ".join(text.split()))
        self.assertTrue(found, text)
        self.assertTrue(end - 1000 < int(found[1]) < end, text)
        terminal.press("\x1b")
        terminal.press("z", "calls folded")
        terminal.press("z", "this loop is open: ( and ) leave")
        self.assertEqual(terminal.end(), 0)

    def test_odd_traces(self):
        empty = self.folder / "empty.csv"
        empty.write_text(support.HEADER + "\n")
        terminal = self.browse("-i", "whisper", empty)
        terminal.wait("there are no records in it")
        for key in "jksoluUcrtexy[]<>zAd=V":
            terminal.press(key)
            terminal.press("\x1b")
        self.assertEqual(terminal.end(), 2, "of nothing there is no success")
        damaged = self.folder / "damaged.json"
        lines = self.ask("convert", "-f", "json", self.freed, "-o", "-").split("\n")
        lines[len(lines) // 2] = "{this is damaged"
        damaged.write_text("\n".join(lines))
        terminal = self.browse("-i", "json", damaged)
        terminal.wait("1 line could not be read")
        terminal.press("X", "gap: a line")
        terminal.wait("not known: the cursor is in a gap")
        terminal.wait(lambda screen: re.search(r"ra +\?", screen))
        self.assertEqual(terminal.end(), 2)
        cut = self.folder / "cut.shot"
        cut.write_bytes((TREE / "tests/data/shot/states-1.shot").read_bytes()[:3000])
        terminal = self.browse(cut)
        terminal.wait("skippable frame")
        self.assertEqual(terminal.end(), 2)
        self.assertIn(b"cut.shot is damaged, from instruction 6000 on", terminal.sent)

    def test_lists_answer_what_they_were_asked(self):
        terminal = self.browse(self.freed, columns=120, rows=30)
        text = terminal.wait(BOTTOM)
        self.assertFalse(re.search(r"[a-z]+ *[0-9a-f]{8}[a-z]", text), f"cells of registers touch\n{text}")
        terminal.press("H", "hart 0  422 instructions of the 422 records")
        # A key that a list does not have does what it does without one.
        terminal.press("'", "there are no marks")
        terminal.press("q", "q again quits")
        terminal.press("y", "why: Enter goes there")
        terminal.wait("read by #381")
        terminal.wait("timers[i]->on_timeout")  # the line of the source
        terminal.press("q", BOTTOM)
        terminal.press("w", "have no times")
        terminal.press("h", "Start here")
        terminal.press(" ", lambda screen: "Start here" not in screen)
        self.assertEqual(terminal.end(), 0)
        terminal = self.browse(self.freed)
        terminal.wait(BOTTOM)
        terminal.press("'", "there are no marks")
        self.assertEqual(terminal.end("qq"), 0)

    def test_variables_are_of_the_function_of_the_record(self):
        terminal = self.browse(self.recursion, "--at", "main", columns=100, rows=30)
        terminal.wait(BOTTOM)
        begin = self.number(terminal)
        terminal.press("c")
        call = f"#{self.number(terminal, begin)} of"
        terminal.press("s", "#0 ackermann")
        terminal.press("U", call)
        terminal.press("v", "variables after this record")
        self.assertIn("round ", terminal.text(), "of main, which calls")
        terminal.press("q", BOTTOM)
        terminal.press("s", "#0 ackermann")
        terminal.press("v", "variables after this record")
        self.assertNotIn("round ", terminal.text(), "of the function that is called")
        terminal.press("\r", "the last write of")
        self.assertEqual(terminal.end(), 0)

    def test_the_pane_of_memory_has_the_last_access(self):
        terminal = self.browse(self.freed, "--at", "381")
        terminal.wait("memory 0x80000294")
        terminal.command("120", "#120 of")
        terminal.wait(lambda text: "memory 0x80000294" not in text)
        terminal.command("381", "memory 0x80000294")
        self.assertEqual(terminal.end(), 0)

    def test_directions_marks_and_sequences(self):
        terminal = self.browse(self.freed, "--at", "0", term="vt100")
        terminal.wait(BOTTOM)
        terminal.command("mark first", "marked as first")
        terminal.press("'", "after #0")
        terminal.press("q", BOTTOM)
        terminal.command("unmark first", "the mark first is deleted")
        terminal.press("/")
        terminal.wait("search:")
        terminal.press("nonsense=1\r", "hart=")  # the end of a long sentence
        # A sequence that the terminal does not have is no keys.
        for sequence in ("\x1b[<0;11;6M", "\x1b[200~", "\x1bOq", "\x1b[M !!"):
            terminal.press(sequence)
        terminal.press("s", "#1 of 422")
        terminal.press("G", "#421 of")
        terminal.press("?")
        terminal.wait("search back:")
        terminal.press("write\r")
        found = int(self.number(terminal, "421"))
        terminal.press("n", lambda text: any(int(number) < found for number in re.findall(r"#(\d+) of", text)))
        terminal.press("N", f"#{found} of")
        terminal.resize(20, 5)
        terminal.wait("please")
        terminal.resize(80, 24)
        self.assertEqual(terminal.end(), 0)

    def test_two_traces_of_the_same_name(self):
        (self.folder / "b").mkdir()
        other = self.folder / "b" / "freed.shot"
        self.ask("cut", "-q", "--from", "0", "--to", "400", "-o", other, self.freed)
        terminal = self.browse(self.freed, other, columns=120, rows=30)
        terminal.wait("B b/freed.shot")
        terminal.wait("#401 of 422")
        terminal.wait("the first difference: B ends here")
        terminal.press("s", "d next difference  Tab to B")
        self.assertEqual(terminal.end(), 0)

    def test_the_line_of_a_command_lists_what_begins_so(self):
        terminal = self.browse(self.freed)
        terminal.wait(BOTTOM)
        terminal.press(":s\t", "step step-back search search-back")
        terminal.press("t\t", ":step")
        terminal.press("\t", lambda text: "step step-back" in text and "search" not in text)
        terminal.press("x\t", "no command begins so")
        terminal.press("\x1b", BOTTOM)
        # Names are looked for in the function of the record, which the sentence says.
        terminal.press("pnothing_here\r", "press U first")
        terminal.press("a12x\r", lambda text: "12x" in text and "press U" not in text)
        self.assertEqual(terminal.end(), 0)

    def test_records_of_other_harts_say_so(self):
        path = self.folder / "two.json"
        lines = self.ask("convert", "-q", "-f", "json", self.freed, "-o", "-").splitlines()[:100]
        path.write_text("".join(f"{line}\n" + line.replace('"hart":0', '"hart":1') + "\n" for line in lines))
        terminal = self.browse("-i", "json", "--at", "80", path)
        terminal.wait("no program is known: --elf FILE")
        self.assertTrue(re.search(r"^ +80 [a-z].*\n +81 h1 [a-z]", terminal.wait("h help"), re.M), terminal.text())
        terminal.command("81", "registers of hart 1")
        terminal.wait(lambda text: re.search(r"^ +80 h0 [a-z].*\n +81 [a-z]", text, re.M))
        self.assertEqual(terminal.end(), 0)

    def test_a_source_that_is_not_found_says_where_it_was_looked_for(self):
        terminal = self.browse(self.freed, folder=self.folder)
        terminal.wait("the file of the source is not there:")
        terminal.wait("./tests/programs/support.c")
        terminal.wait("from the folder of this command")
        self.assertEqual(terminal.end(), 0)

    def test_memory_of_a_device_is_called_so(self):
        terminal = self.browse(self.freed)
        terminal.wait(BOTTOM)
        terminal.wait("memory 0x100000 (device?)")
        self.assertEqual(terminal.end(), 0)

    def test_jumps_have_the_name_of_what_they_go_to(self):
        terminal = self.browse(self.freed, "--at", "417", columns=200, rows=60)
        text = terminal.wait("#417 of 422")
        self.assertRegex(text, r"417 800000d6 c\.jal \. \+ 0x\w+ <\w+(\+0x\w+)?>")
        self.assertEqual(terminal.end(), 0)

    def test_hostile_names(self):
        text = self.folder / "hostile.json"
        lines = self.ask("convert", "-f", "json", self.freed, "-o", "-").split("\n")
        record = json.loads(lines[-2] if lines[-1] == "" else lines[-1])
        record["disassembly"] = "evil\x1b[31m\x1b]0;owned\x07\u202eabc" + "x" * 1000000
        event = {"kind": "event", "schema": 2, "hart": 0, "index": 0, "offset": 0, "source": 0, "value": "0x0",
                 "words": ["0x0", "0x0"], "name": "process 7 7 task\\x1b]0\\x3bowned\\x07"}
        text.write_text("\n".join([json.dumps(event), json.dumps({**event, "name": "switch 7"}), *lines[:-1],
                                   json.dumps(record)]) + "\n")
        data = (PROGRAMS / "story_freed.elf").read_bytes()
        self.assertIn(b"\0run_timers\0", data)
        elf, path = self.folder / "hostile.elf", self.folder / "a\x1b]0;owned\x07\u202eb.json"
        elf.write_bytes(data.replace(b"\0run_timers\0", b"\0\x1b]0;owned\x07\0"))
        text.rename(path)
        terminal = self.browse("-i", "json", "--elf", elf, "--elf-anyway", "--at", "380", path, columns=120)
        terminal.wait(r"\x1b]0;owned\x07+0x")  # the function
        terminal.wait(r"a\x1b]0;owned\x07")  # the file
        terminal.press("P", r"task 7  task\x1b]0;owned\x07")
        self.assertNotIn(b"owned\x07", terminal.sent)
        self.assertNotIn("\u202e".encode(), terminal.sent)
        terminal.press("\x1b")
        terminal.command("421", "#421 of")
        terminal.press("G")
        terminal.wait(lambda screen: "evil" in screen or "#422 of" in screen)
        self.assertNotIn(b"owned\x07", terminal.sent)
        self.assertEqual(terminal.end(), 0)

    def test_any_keys_and_sizes(self):
        rng = random.Random(7)
        keys = list("jkbgGsSoOlLuUcCrRtTiIeExX[]{}nNzZwMfVvHPKyAdD=.'<>,;()") + list(KEYS.values()) + [
            "/trap\r", "?write\r", ":goto main\r", "!33\r", "#200\r", "asp\r", "\x1b[M !!", "\x1b[<0;11;6M", "\xff", "\u00e9"]
        terminal = self.browse(self.recursion)
        terminal.wait(BOTTOM)
        for i in range(4000 if NIGHT else 150):
            terminal.press(rng.choice(keys))
            if i % 10 == 9:
                terminal.resize(rng.randrange(10, 250), rng.randrange(3, 80))
            while terminal.read(0):
                pass
        terminal.resize(80, 24)
        terminal.press("\x1b\x1b\x1b")
        terminal.press("h", "help: Enter on a line does it", 300)
        self.assertEqual(terminal.end(), 0)


if __name__ == "__main__":
    support.main()
