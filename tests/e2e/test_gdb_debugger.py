#!/usr/bin/env python3
"""Stock GDB over 'earshot gdb': what it shows of recorded runs, forward and backward, is what the records say.

    test_gdb_debugger.py [--long]
"""
import json
import os
import random
import shutil
import subprocess
import sys
import zlib

from gdb_client import Client
from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

GDB = shutil.which("gdb-multiarch")
LIMITS = {"nested": 60000, "rtos": 36000, "traps": 40000, "timer": 50000} if NIGHT else {}

# What the scripts share. It runs in GDB's own Python.
PRELUDE = """
import gdb, json, re
for word in ("pagination off", "confirm off", "sysroot /", "substitute-path . TREE"):
    gdb.execute("set " + word)
gdb.execute("target remote | EARSHOT gdb --quiet ARGUMENTS", to_string=True)

def run(command):
    return gdb.execute(command, to_string=True)

def when():
    return int(re.search(r"#(\\d+)|after (\\d+)", run("monitor when")).group(0).strip("#after "))

def goto(place):
    run("monitor goto %s" % place)
    run("maintenance flush register-cache")

def pc():
    return int(gdb.parse_and_eval("$pc")) & 0xFFFFFFFF

def function():
    return gdb.selected_frame().name()

def report(value):
    print("@" + json.dumps(value))
"""


class Debugger(Case):
    def capture(self, program, *arguments, keys=""):
        shot = self.folder / f"{program}.shot"
        if not shot.exists():
            self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "-o", shot,
                         "--limit", LIMITS.get(program, 60000 if NIGHT else 20000), *arguments)
        return shot

    def decode(self, shot):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", shot], capture_output=True, check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def gdb(self, shot, script, *arguments):
        """Run a script in GDB. Returns what it reports, and all that was printed."""
        path = self.folder / "script.py"
        prelude = PRELUDE.replace("TREE", str(TREE)).replace("EARSHOT", EARSHOT)
        prelude = prelude.replace("ARGUMENTS", " ".join(map(str, (*arguments, shot))))
        path.write_text(prelude + script, encoding="ascii")
        environment = {**os.environ, "HOME": str(self.folder), "LC_ALL": "C"}
        result = subprocess.run([GDB, "-nx", "-batch", "-x", path], capture_output=True, text=True, timeout=300,
                                stdin=subprocess.DEVNULL, env=environment)
        text = result.stdout + result.stderr
        self.assertNotIn("Traceback", text)
        self.assertNotIn("Sanitizer", text)
        self.assertEqual(result.returncode, 0, text)
        return [json.loads(line[1:]) for line in result.stdout.splitlines() if line.startswith("@")], text

    def symbol(self, program, name):
        out = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / f"{program}.elf"], capture_output=True, check=True,
                             text=True).stdout
        return next(int(line.split()[0], 16) for line in out.splitlines() if line.split()[-1] == name)


class Searches(Debugger):
    PROGRAMS = ("sort", "rtos", "recursion", "strings", "list", "software", "traps", "timer")

    def test_the_right_writer(self):
        """watch and reverse-continue, from the end, at words that are written with changing values."""
        for program in some(*self.PROGRAMS):
            with self.subTest(program):
                shot = self.capture(program)
                records, chance = self.decode(shot), random.Random(zlib.crc32(program.encode()))
                writes, others = {}, set()
                for i, record in enumerate(records):
                    for access in record.get("memory", ()):
                        if access["write"] and access["size"] == 4 and "value" in access:
                            address = int(access["address"], 0)
                            if address >= 0x80000000 and address % 4 == 0:
                                writes.setdefault(address, []).append((i, int(access["value"], 0)))
                        elif access["write"]:
                            others.add(int(access["address"], 0) & ~3)
                # Words of which the last value is another one than that before it.
                words = [address for address, list_ in writes.items()
                         if len(list_) > 1 and list_[-1][1] != list_[-2][1] and address not in others]
                words = chance.sample(words, min(6, len(words)))
                self.assertGreater(len(words), 2)
                got, _ = self.gdb(shot, f"""
for address in {words}:
    goto("end")
    run("watch *(unsigned *)%d" % address)
    run("reverse-continue")
    report([when(), int(gdb.parse_and_eval("*(unsigned *)%d" % address))])
    run("delete")
""")
                for address, (number, before) in zip(words, got):
                    list_ = writes[address]
                    last = max(k for k in range(len(list_)) if list_[k][1] != list_[k - 1][1])
                    self.assertEqual(number, list_[last][0], hex(address))

    def test_breakpoints_with_conditions_both_ways(self):
        for program, name, register in some(("recursion", "hanoi", "a0"), ("recursion", "fibonacci", "a0"),
                                            ("rtos", "fibonacci", "a0")):
            with self.subTest(program=program, name=name):
                shot = self.capture(program)
                records, address = self.decode(shot), self.symbol(program, name)
                held, calls = None, []
                for i, record in enumerate(records):
                    if int(record["pc"], 0) == address and not record.get("interrupt"):
                        calls.append((i, held))
                    for change in record.get("registers", ()):
                        if change["class"] == "x" and change["number"] == 10:
                            held = int(change["value"], 0)
                value = calls[len(calls) // 2][1]
                wanted = [i for i, a0 in calls if a0 == value][:40]
                got, _ = self.gdb(shot, f"""
goto("begin")
run("break *{address} if ${register} == {value}")
numbers = []
for i in range({len(wanted)}):
    run("continue")
    numbers.append(when())
report(numbers)
back = []
for i in range({len(wanted) - 1}):
    run("reverse-continue")
    back.append(when())
report(back)
""")
                self.assertEqual(got, [wanted, wanted[-2::-1]])

    def test_tbreak_until_advance_and_finish(self):
        got, text = self.gdb(self.capture("recursion"), """
goto("begin")
run("tbreak main")
run("continue")
report(function())
run("advance hanoi")
report(function())
run("break hanoi")
run("continue")
run("delete")
report(gdb.selected_frame().older().name())
run("finish")
report(gdb.selected_frame().older().name())
""")
        self.assertEqual(got, ["main", "hanoi", "hanoi", "main"])


class Steps(Debugger):
    def test_instructions_there_and_back(self):
        for program in some("timer", "nested", "rtos", "sections", "software", "unwind", "recursion", "polling", gate=2):
            with self.subTest(program):
                got, _ = self.gdb(self.capture(program), """
import random
chance = random.Random(4)
goto("end")
last = when()
good = True
for i in range(4):
    goto(chance.randrange(100, last - 2000))
    way = [(when(), pc(), int(gdb.parse_and_eval("$sp")))]
    for k in range(15):
        run("stepi")
        way.append((when(), pc(), int(gdb.parse_and_eval("$sp"))))
    for k in range(15):
        way.pop()
        run("reverse-stepi")
        good = good and way[-1] == (when(), pc(), int(gdb.parse_and_eval("$sp")))
report(good)
""")
                self.assertEqual(got, [True])

    def test_lines_over_interrupts(self):
        """In a program with interrupts, next, step and their reverses never end in a handler."""
        handlers = {"trap_handler", "trap_entry", "handler", "timer_handler"}
        for program in some("timer", "software"):
            with self.subTest(program):
                got, _ = self.gdb(self.capture(program), """
goto("begin")
run("tbreak main")
run("continue")
run("continue 1") if False else None
seen = []
for i in range(60):
    run("next" if i % 3 else "step")
    seen.append(function())
for i in range(60):
    run("reverse-next" if i % 3 else "reverse-step")
    seen.append(function())
report(seen)
""")
                self.assertFalse(set(got[0]) & handlers, got[0])
                self.assertGreater(len(set(got[0])), 1)

    def test_a_line_takes_few_packets(self):
        _, text = self.gdb(self.capture("sort"), """
goto("begin")
run("tbreak main")
run("continue")
run("next")
run("set debug remote 1")
run("set logging enabled off")
import os
gdb.execute("next")
""")
        self.assertLess(text.count("Sending packet: $vCont"), 10, text[-3000:])

    def test_reverse_finish_goes_to_the_call(self):
        for program, name in some(("recursion", "hanoi"), ("recursion", "fibonacci"), ("rtos", "fibonacci"), ("sort", None)):
            if not name:
                continue
            with self.subTest(program=program, name=name):
                shot = self.capture(program)
                records, address = self.decode(shot), self.symbol(program, name)
                calls = [i for i, record in enumerate(records) if int(record["pc"], 0) == address]
                call = next(i for i in calls[len(calls) // 2:] if records[i - 1]["class"] == "jump")
                got, _ = self.gdb(shot, f"""
goto({call})
run("stepi 4")
run("reverse-finish")
report([when(), pc()])
""")
                self.assertEqual(got, [[call - 1, int(records[call - 1]["pc"], 0)]])


class Harts(Debugger):
    def test_threads_step_by_themselves(self):
        """Two harts in turns of 25 records: each steps there and back, whichever GDB looks at."""
        texts = [subprocess.run([EARSHOT, "decode", "-f", "whisper", "--limit", "2000", self.capture(program)],
                                capture_output=True, check=True, text=True).stdout.splitlines()
                 for program in ("sort", "strings")]
        lines, harts = [texts[0][0]], []
        for at in range(1, 2001, 25 if NIGHT else 250):
            for hart in (0, 1):
                for line in texts[hart][at:at + 25]:
                    lines.append(line[:line.rindex(",") + 1] + str(hart))
                    harts.append(hart)
        path = self.folder / "two.csv"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        got, _ = self.gdb(path, """
goto(1010)
for thread in (1, 2, 1):
    run("thread %d" % thread)
    way = [when()]
    for i in range(40):
        run("stepi")
        way.append(when())
    for i in range(40):
        run("reverse-stepi")
        way.append(when())
    report([thread, way, gdb.selected_thread().num])
""")
        self.assertEqual([(thread, selected) for thread, _, selected in got], [(1, 1), (2, 2), (1, 1)])
        for thread, way, _ in got:
            self.assertEqual({harts[number] for number in way[1:]}, {thread - 1})
            self.assertEqual(way[41:80], way[39:0:-1])


class Shows(Debugger):
    def test_what_is_not_known(self):
        _, text = self.gdb(self.capture("sort"), """
goto("begin")
gdb.execute("info registers a0 mcause")
try:
    gdb.execute("x/x 0xf0000000")
except gdb.MemoryError as error:
    print(error)
try:
    gdb.execute("set var $a0 = 1")
except gdb.error as error:
    print(error)
gdb.execute("monitor refused")
""")
        self.assertIn("a0             <unavailable>", text)
        self.assertIn("mcause         <unavailable>", text)
        self.assertIn("Cannot access memory at address 0xf0000000", text)
        self.assertIn("1 attempt to change what has happened", text)

    def test_the_ends(self):
        _, text = self.gdb(self.capture("sort"), """
goto("begin")
gdb.execute("reverse-stepi")
gdb.execute("continue")
""")
        self.assertEqual(text.count("No more reverse-execution history"), 2)

    def test_without_the_program(self):
        """Registers, memory that was seen, code that was executed: all but names."""
        shot = self.capture("sort")
        text = self.folder / "t.csv"
        text.write_bytes(subprocess.run([EARSHOT, "decode", "-f", "whisper", shot], capture_output=True,
                                        check=True).stdout)
        got, out = self.gdb(text, """
goto(5000)
gdb.execute("x/2i $pc")
report([when(), pc(), int(gdb.parse_and_eval("$sp"))])
run("stepi")
run("reverse-stepi")
report(when())
""")
        self.assertEqual(got[0][1], int(self.decode(shot)[5000]["pc"], 0))
        self.assertEqual(got[1], 5000)
        self.assertIn(f"=> {got[0][1]:#x}:", out)

    def test_commands_of_the_monitor(self):
        shot = self.capture("story_pointer")
        _, text = self.gdb(shot, """
goto("begin")
for command in ("help", "when", "record", "gaps", "why", "bookmark here", "goto 500", "mark there", "bookmarks",
                "goto here", "last sp", "goto end", "last sessions[2].counter", "last receive", "next sp",
                "history sessions[2].counter 3", "history sessions", "history", "goto -3", "stack",
                "history set_name 2", "history receive 1", "history story_pointer.c:22 1", "goto begin", "history set_name", "goto end",
                "goto nowhere", "frobnicate", "catch", "handlers into", "handlers", "last", "bookmark 5",
                "last nothing_of_that_name"):
    print(">>> " + command)
    print(run("monitor " + command))
""")
        answers = dict(part.split("\n", 1) for part in text.split(">>> ")[1:])
        self.assertIn("go there: 12, +5, -5", answers["help"])
        self.assertIn("before #0", answers["when"])
        self.assertIn("_start", answers["record"])
        self.assertIn("there are no gaps", answers["gaps"])
        self.assertIn("load access fault", answers["why"])
        self.assertIn("here is #0", answers["bookmark here"])
        self.assertIn("#500", answers["goto 500"])
        self.assertIn("there", answers["bookmarks"])
        self.assertIn("nothing wrote it before here", answers["last sp"])
        self.assertIn("set_name", answers["last sessions[2].counter"])
        self.assertIn("wrote 0x0 (1 byte)", answers["last sessions[2].counter"])
        self.assertIn("<receive+0x2>", answers["last receive"])
        self.assertEqual(answers["history sessions[2].counter 3"].split("\n")[0].split()[:4],
                         ["#255", "0x80726568", "->", "0x726568"])
        self.assertEqual(answers["history sessions[2].counter 3"].count("->"), 3)
        self.assertIn("more than 8 bytes", answers["history sessions"])
        out = subprocess.run([EARSHOT, "history", "-f", "json", "set_name", shot], capture_output=True, check=True).stdout
        rows = json.loads(out)["executions"]
        self.assertEqual([int(line.split()[0][1:]) for line in answers["history set_name 2"].splitlines() if line],
                         [row["number"] for row in rows[:-3:-1]])
        self.assertRegex(answers["history receive 1"], r"<receive> story_pointer.c:\d+  session=0x\w+ <sessions\+")
        self.assertRegex(answers["history story_pointer.c:22 1"], r"^#\d+ .* story_pointer.c:22\n")
        self.assertIn("not executed before here", answers["history set_name"])
        self.assertIn("nothing wrote it after here", answers["next sp"])
        self.assertRegex(answers["stack"], r"<trap>\n#2   0x\w+ <receive\S+ story_pointer.c:28\n#3   0x\w+ <main")
        self.assertIn("there is no event 'nowhere'", answers["goto nowhere"])
        self.assertIn("'monitor help' lists them", answers["frobnicate"])
        self.assertIn("into the handlers", answers["handlers into"])
        self.assertIn("neither a number nor a symbol", answers["last nothing_of_that_name"])
        self.assertIn("needs a name", answers["bookmark 5"])

    def test_the_helper(self):
        script = self.earshot("gdb", "--script")[0].strip()
        _, text = self.gdb(self.capture("story_pointer"), f"""
gdb.execute("source {script}")
for command in ("goto end", "when", "history sessions[2].counter 2", "history counters[1].bytes", "last $sp",
                "last counters[1]", "goto 255", "print sessions[2].name", "monitor goto 12", "print $pc"):
    print(">>> " + command)
    print(run(command))
""")
        answers = dict(part.split("\n", 1) for part in text.split(">>> ")[1:])
        self.assertIn("finish (code=255)", answers["goto end"])
        self.assertIn("at the end", answers["when"])
        # Types are those of the program.
        self.assertIn("0x8000026c <counters+16> -> 0x80000268 <counters+12>",
                      self.gdb(self.capture("story_pointer"), f"""
gdb.execute("source {script}")
run("goto 255")
gdb.execute("history sessions[2].counter")
""")[1])
        self.assertRegex(answers["history counters[1].bytes"], r"#\d+ +\d+ -> \d+  receive")
        self.assertIn("sp = ", answers["last $sp"])
        self.assertIn("christop", answers["print sessions[2].name"])
        self.assertIn("<_start+", answers["print $pc"])

    def test_what_is_known_of_an_object(self):
        """Each byte is printed, or <unavailable>, as the trace knows it."""
        script, shot = self.earshot("gdb", "--script")[0].strip(), self.capture("strings")
        got, text = self.gdb(shot, f"""
gdb.execute("source {script}")
run("goto 3000")
report(int(gdb.parse_and_eval("$sp")))
report(run("print/x *(unsigned char (*)[192])$sp"))
for command in ("print 5", "print/x $", "print nothing", "print *(int *)4", "print", "frame function numbers", "print text"):
    try:
        print(">>> " + command + "\\n" + run(command))
    except gdb.error as error:
        print(">>> " + command + "\\n" + str(error))
""")
        sp, found = got
        with Client(shot) as client:
            client.goto(3000)
            known = [client.memory(sp + i, 1) for i in range(192)]
        self.assertTrue(found.startswith("(partly known) {"), found)
        shown = []
        for part in found[found.index("{") + 1:found.index("}")].split(", "):
            value, _, times = part.partition(" <repeats ")
            shown += [value] * (int(times.split()[0]) if times else 1)
        self.assertEqual(shown, [f"{byte[0]:#x}" if byte else "<unavailable>" for byte in known])
        self.assertIn("<unavailable>", shown)
        answers = dict(part.split("\n", 1) for part in text.split(">>> ")[1:])
        self.assertRegex(answers["print 5"], r"^\$\d+ = 5")
        self.assertRegex(answers["print/x $"], r"= 0x5")
        self.assertIn('No symbol "nothing"', answers["print nothing"])
        self.assertIn("Cannot access memory at address 0x4", answers["print *(int *)4"])
        self.assertRegex(answers["print"], "= 0x5|= 5")
        self.assertRegex(answers["print text"], r'^\(partly known\) "1892.*", <unavailable> <repeats 28 times>')

    def test_the_stack_is_that_of_the_present(self):
        """GDB keeps what it has read of the stack, and does not know that goto has moved."""
        script, shot = self.earshot("gdb", "--script")[0].strip(), self.capture("recursion")
        walk = f"""
gdb.execute("source {script}")
for moment in MOMENTS:
    run("monitor goto %d" % moment)
    report(run("backtrace"))
"""
        both, _ = self.gdb(shot, walk.replace("MOMENTS", "(17000, 1585)"))
        alone, _ = self.gdb(shot, walk.replace("MOMENTS", "(1585,)"))
        self.assertEqual(both[1:], alone)

    def test_non_stop_is_refused(self):
        path = self.folder / "non-stop"
        path.write_text(f"set non-stop on\ntarget remote | {EARSHOT} gdb --quiet {self.capture('sort')}\n",
                        encoding="ascii")
        result = subprocess.run([GDB, "-nx", "-batch", "-x", path], capture_output=True, text=True, timeout=60,
                                stdin=subprocess.DEVNULL)
        self.assertIn("does not support non-stop", result.stdout + result.stderr)


class Frames(Debugger):
    """Frames of GDB with earshot-gdb.py are those of the trace, which test_call_stacks holds against the programs' own
    logs."""
    PROGRAMS = ("nested_log", "unwind_log", "rtos_log", "frames_log", "nested_log-msave-restore", "rtos_log-msave-restore",
                "frames_log-msave-restore", "unwind_log-msave-restore", "traps", "recursion", "software", "rtos")
    MOMENTS = 85 if NIGHT else 6
    WALK = """
import sys
gdb.execute("source SCRIPT")
own, older = (getattr(sys.modules["__main__"], name) for name in ("own", "older"))
run("monitor handlers into")
run("set print frame-arguments none")
run("set backtrace past-main on")

def called():
    # Frames of calls as they are printed, without inlined ones.
    frame, levels = own(gdb.newest_frame()), {}
    while frame:
        levels[frame.level()] = int(frame.read_register("sp")) & 0xFFFFFFFF
        frame = older(frame)
    lines = re.findall(r"^#(\\d+) +(?:0x[0-9a-f]+ in )?([\\w.?]+)", run("backtrace"), re.MULTILINE)
    return [(name, levels[int(level)]) for level, name in lines if int(level) in levels]
"""

    def wanted(self, shot, moment):
        """Functions, and sp where each is; the oldest frame is GDB's."""
        state = json.loads(self.earshot("state", "--at", moment - 1, "--stack", "--reg", "sp", "--json", shot)[0])
        frames = state["stack"]
        sps = [state["registers"]["sp"]] + [frame["sp"] for frame in frames]
        return [(frame.get("symbol", "??").split("+")[0], int(sp, 0)) for frame, sp in zip(frames, sps)]

    def test_the_stack_at_random_moments(self):
        for program in some(*self.PROGRAMS, gate=2):
            with self.subTest(program):
                shot, chance = self.capture(program), random.Random(zlib.crc32(program.encode()))
                last = json.loads(self.earshot("stat", "-f", "json", shot)[0])["traces"][0]["records"]
                moments = [chance.randrange(300, last) for _ in range(self.MOMENTS)]
                got, _ = self.gdb(shot, self.WALK.replace("SCRIPT", self.earshot("gdb", "--script")[0].strip()) + f"""
for moment in {moments}:
    run("goto %d" % moment)
    report(called())
""")
                for moment, found in zip(moments, got):
                    wanted = [list(frame) for frame in self.wanted(shot, moment)]
                    self.assertEqual(found[:len(wanted)], wanted, moment)

    def test_callers_of_a_handler_are_what_its_end_shows(self):
        """Registers and variables of all frames below it, before and after 'finish'."""
        shot = self.capture("nested_log")
        got, _ = self.gdb(shot, self.WALK.replace("SCRIPT", self.earshot("gdb", "--script")[0].strip()) + """
def below(frame):
    rows = []
    while frame:
        frame.select()
        rows.append([run("print $" + name).split("=")[1] for name in ("pc", "sp", "s0", "s1", "s2", "s3")])
        rows[-1] += [frame.name(), run("info locals"), run("info args")]
        frame = frame.older() if frame.name() != "main" else None
    return rows

goto("begin")
run("break on_timer")
for i in range(TIMES):
    run("continue")
    handler = gdb.newest_frame()
    if handler.name() != "on_timer":
        break  # the end
    while handler.name() != "nested_entry":
        handler = handler.older()
    before = below(handler.older())
    handler.select()
    run("disable")  # the handler may be interrupted, too
    run("finish")
    if "at the end" in run("monitor when"):
        break
    run("enable")
    report([before, below(gdb.newest_frame())])
""".replace("TIMES", "200" if NIGHT else "8"))
        # Of what was interrupted, GDB looks up names and variables before pc (docs/debugging.md): before its first
        # instruction a function is another one.
        of_gdb = [(before, after) for before, after in got if before[0][-3] == after[0][-3]]
        self.assertGreater(2 * len(of_gdb), len(got))
        for before, after in got:
            self.assertEqual(before[0][:6], after[0][:6])
        for before, after in of_gdb:
            self.assertEqual(before[1:], after[1:])
        self.assertTrue(any("=" in row[-2] + row[-1] for before, _ in got for row in before), "there are no variables")


class Diversions(Debugger):
    """What if: other values, functions that are called, and back to the recorded run."""

    def test_functions_values_and_back(self):
        got, text = self.gdb(self.capture("recursion"), """
goto("main")
at = when()
report([int(gdb.parse_and_eval("fibonacci(%d)" % n)) for n in (11, 7)] + [int(gdb.parse_and_eval("ackermann(2, 3)"))])
report([run("monitor where"), pc() == int(gdb.parse_and_eval("&main"))])
run("set var pegs[0] = 255")
run("set var pegs[2] = 0")
run("set var moves = 0")
report(int(gdb.parse_and_eval("pegs[0]")))
run("call (void)hanoi(8, 0, 2)")
report([int(gdb.parse_and_eval(word)) for word in ("moves", "pegs[0]", "pegs[2]")])
run("watch moves if moves == 3")
run("continue")
report([function(), int(gdb.parse_and_eval("moves"))])
run("delete")
run("tbreak queens")
run("continue")
report(function())
run("set var $a0 = 0")
run("finish")
report([function(), int(gdb.parse_and_eval("$a0"))])
run("monitor return")
run("maintenance flush register-cache")
report([when() == at, int(gdb.parse_and_eval("moves")), run("monitor where")])
run("stepi")
run("set var $a0 = 1")
run("reverse-stepi")
report(when() - at)
run("reverse-stepi")
report([when() - at, "diverged" in run("monitor where")])
""", "--diverge")
        self.assertEqual(got[0], [89, 13, 9])
        self.assertRegex(got[1][0], r"^diverged at #\d+, \d+ instructions ago")
        self.assertTrue(got[1][1])
        self.assertEqual(got[2:7], [255, [255, 0, 255], ["hanoi", 3], "queens", ["main", 1]])
        self.assertEqual(got[7][:2], [True, 0])
        self.assertNotIn("diverged", got[7][2])
        self.assertEqual(got[8:], [1, [0, False]])
        self.assertIn("earshot: diverged at #", text)
        self.assertIn("No more reverse-execution history", text)

    def test_steps_of_a_diversion_are_those_of_the_run(self):
        """Without a changed value it does what the run did, until that takes an interrupt or reads a device."""
        for program in some("sort", "strings", "list", "unwind"):
            with self.subTest(program):
                shot = self.capture(program)
                got, _ = self.gdb(shot, """
goto(400)
run("monitor diverge")
names = ["$x%d" % i for i in range(1, 32)]
way = []
for i in range(40):
    way.append([pc()] + [str(gdb.parse_and_eval(name)) for name in names])
    run("stepi")
run("monitor return")
run("maintenance flush register-cache")
same = 0
for step in way:
    same += step == [pc()] + [str(gdb.parse_and_eval(name)) for name in names]
    run("stepi")
report(same)
""", "--diverge")
                self.assertEqual(got, [40])

    def test_what_is_unknown_stops_it(self):
        got, text = self.gdb(self.capture("strings"), """
goto("uart_put")
ended = run("continue")
report(when())
run("monitor diverge")
ended = run("continue")
report(ended)
""", "--diverge")
        self.assertEqual(len(got), 2)
        self.assertRegex(got[1] + text, r"0x8[0-9a-f]+: a branch depends on the device at 0x10000005, read at 0x8[0-9a-f]+, "
                         "which is unknown")


class Attached(Debugger):
    """A run that goes on."""

    def test_ctrl_c_back_and_on(self):
        device = f"sim:{PROGRAMS / 'endless.elf'},uart=/dev/null"
        got, text = self.gdb(device, """
import os, signal, threading
def rounds():
    return int(gdb.parse_and_eval("rounds"))
first = when()
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
run("continue")
report([when() - first > 1000])
now, count = when(), rounds()
run("watch rounds")
run("reverse-continue")
report([rounds() == count - 1, when() < now])
run("reverse-continue")
report([rounds() == count - 2])
run("delete")
run("break count_round if rounds == %d" % (count + 100))
run("continue")
report([rounds() == count + 100, gdb.selected_frame().name()])
run("delete")
run("finish")
report([rounds() == count + 101, gdb.selected_frame().name()])
run("reverse-next")
run("stepi 30")
report([len(run("backtrace").splitlines()) > 0])
run("detach")
""", "-d")
        self.assertEqual(got, [[True], [True, True], [True], [True, "count_round"], [True, "main"], [True]], text)
        self.assertIn("Program received signal SIGINT", text)


class Stories(Debugger):
    """From a crash to the culprit, as docs/debugging.md tells it."""

    def test_a_pointer_that_was_overwritten(self):
        got, text = self.gdb(self.capture("story_pointer"), """
run("monitor goto end")
run("break receive if session->counter == 0x726568")
run("reverse-continue")
run("watch -l session->counter")
run("reverse-continue")
report(function())
report(gdb.selected_frame().older().find_sal().line)
""", "--at", "end")
        self.assertEqual(got[0], "set_name")


if __name__ == "__main__":
    if not GDB:
        sys.exit("there is no gdb-multiarch: scripts/setup --develop installs it")
    main()
