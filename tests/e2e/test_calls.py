"""earshot calls: the calls that programs log themselves, with arguments, results and ends."""
import collections
import csv
import io
import itertools
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, night, some

CALLED, RETURNED, TAIL = 1, 2, 3
COLORS = {0: "RED", 5: "GREEN", 0xFFFFFFFD: "BLUE"}


def symbols_of(elf):
    out = subprocess.run(["riscv64-unknown-elf-nm", elf], capture_output=True, text=True,
                         check=True).stdout
    return {fields[2]: int(fields[0], 16) for fields in map(str.split, out.splitlines()) if len(fields) == 3}


# How words of the log are shown: each takes words from an iterator.
def unsigned(words):
    return next(words)


def signed(words):
    return struct.unpack("<i", struct.pack("<I", next(words)))[0]


def long(words):
    return next(words) | next(words) << 32


def signed_long(words):
    return struct.unpack("<q", struct.pack("<Q", long(words)))[0]


def single(words):
    return struct.unpack("<f", struct.pack("<I", next(words)))[0]


def double(words):
    return struct.unpack("<d", struct.pack("<Q", long(words)))[0]


def color(words):
    number = next(words)
    return COLORS.get(number, number)


def boolean(words):
    return bool(next(words))


def point(words):
    return {"x": signed(words), "y": signed(words), "z": signed(words)}


def weight(words):
    return {"weight": single(words), "count": signed(words)}


def plane(words):
    return {"x": double(words), "y": double(words)}


def hidden(_):
    """What the log does not say."""
    return ...


# Of tests/programs/logged_calls.c, in the order of its numbers.
FUNCTIONS = [
    ("fibonacci", {"n": unsigned}, unsigned),
    ("narrow", {"a": unsigned, "b": signed, "c": unsigned, "d": signed, "e": boolean}, signed),
    ("wide", {"a": signed_long, "b": unsigned, "c": long}, long),
    ("paint", {"color": color}, color),
    ("measure", {"text": unsigned, "length": unsigned}, unsigned),
    ("scale", {"a": single, "b": double}, double),
    ("move", {"point": point, "by": signed}, point),
    ("grow", {"by": signed, "point": point}, hidden),
    ("center", {"box": hidden, "add": signed}, signed),
    ("many", {"a": signed, "b": signed, "c": signed, "d": signed, "e": signed_long, "f": signed,
              "g": signed_long, "h": signed}, signed),
    ("apply", {"function": unsigned, "argument": unsigned}, unsigned),
    ("first", {"x": unsigned}, None),
    ("second", {"x": unsigned, "y": unsigned}, None),
    ("leap", {"depth": signed}, signed),
    ("nothing", {}, lambda _: None),
    ("on_timer", {"cause": unsigned}, lambda _: None),
    ("count_tick", {"before": unsigned}, unsigned),
    ("mix", {"weight": weight, "plane": plane, "last": single}, plane),
]
HANDLERS = {"on_timer", "count_tick"}
ASKED = [word for name, _, _ in FUNCTIONS for word in ("--function", name)]


def logged(words):
    """Calls in the order of their begin: [function, arguments, result, end]."""
    calls, active, words = [], [], iter(words)
    for word in words:
        what, number = word >> 12, word & 0xFFF
        name, parameters, result = FUNCTIONS[number]
        if what == CALLED:
            call = {"function": name, "arguments": {key: take(words) for key, take in parameters.items()},
                    "result": None, "end": "unwound", "tail": False, "depth": len(active)}
            # leap(4) begins anew after it was left by longjmp.
            while active and name == "nothing":
                active.pop()
            calls.append(call)
            active.append(call)
        elif what == TAIL:
            active[-1]["tail"] = True
        else:
            while active[-1]["function"] != name:
                active.pop()
            ended = active.pop()
            ended["result"], ended["end"] = result(words), "returned"
            while active and active[-1]["tail"]:
                caller = active.pop()
                caller["result"], caller["end"] = ended["result"], "returned"
    return calls


class Calls(Case):
    def capture(self, program, *arguments, limit=100000):
        shot = self.folder / f"{program}{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit,
                     *arguments)
        return shot

    def records(self, path):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", path], capture_output=True, check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def calls(self, path, *arguments):
        out, _ = self.earshot("calls", "-q", "-f", "json", *arguments, path)
        *found, verdict = json_lines(out)
        self.assertEqual(verdict["kind"], "verdict")
        return found


    def stores(self, records, address):
        """[number of the record, value] of each store."""
        return [(number, int(access["value"], 0)) for number, record in enumerate(records)
                for access in record.get("memory", ()) if access["write"] and int(access["address"], 0) == address]

    def test_arguments_and_results_are_those_that_a_program_logs(self):
        for program in ("logged_calls", "logged_calls-O0"):
            with self.subTest(program):
                kinds = self.check_logged(self.capture(program), PROGRAMS / f"{program}.elf")
                self.assertEqual(kinds["tail"] > 0, program == "logged_calls")

    def test_arguments_of_64_bits_and_in_floating_point_registers(self):
        sources = [TREE / "tests/programs" / name for name in ("start.S", "support.c", "logged_calls.c")]
        for march, mabi in some(("rv64gc", "lp64d"), ("rv64imac", "lp64"), ("rv32imafc", "ilp32f")):
            with self.subTest(mabi):
                elf, raw = self.folder / f"{mabi}.elf", self.folder / f"{mabi}.raw"
                subprocess.run(["riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={mabi}", "-misa-spec=2.2",
                                "-mcmodel=medany", "--specs=picolibc.specs", "-std=gnu11", "-O2", "-g", "-nostartfiles",
                                "-Wl,--no-warn-rwx-segments", "-T", TREE / "tests/programs/link.ld", *sources, "-o", elf],
                               check=True)
                subprocess.run([os.environ["EARSHOT_ISS"], "--quiet", "--isa", "rv64gc" if "64" in march else "rv32gc",
                                "-o", raw, elf], check=True, capture_output=True, timeout=60)
                self.check_logged(raw, elf, "--elf", elf)

    def check_logged(self, trace, elf, *arguments):
        """Returns how many calls of each kind there were."""
        symbols, records = symbols_of(elf), self.records(trace)
        found = self.calls(trace, *ASKED, *arguments)
        self.assertGreater(len(found), 300)
        for which, word in ((False, "log_word"), (True, "log_handler")):
            values = (value & 0xFFFFFFFF for _, value in self.stores(records, symbols[word]))
            # The first one clears it.
            expected = logged(itertools.dropwhile(lambda value: value == 0, values))
            mine = [call for call in found if (call["function"] in HANDLERS) == which]
            self.assertEqual(len(mine), len(expected))
            for call, truth in zip(mine, expected):
                self.check_call(call, truth, records)
        self.assertGreater(len([call for call in found if call["end"] == "unwound"]), 5)
        return collections.Counter(call["kind"] for call in found)

    def check_call(self, call, truth, records):
        self.assertEqual(call["function"], truth["function"])
        self.assertEqual(call["end"], truth["end"], call)
        self.assertEqual(list(call["arguments"]), list(truth["arguments"]))
        for name, value in truth["arguments"].items():
            shown = call["arguments"][name]
            if isinstance(shown, str) and name == "text":
                continue # see below
            if isinstance(shown, dict) and "address" in shown or name == "cause":
                continue # the log does not say where; it has half of the cause
            self.assertEqual(shown, shown if value is ... else value, call)
        if call["end"] == "returned":
            in_memory = isinstance(call["result"], dict) and "address" in call["result"]
            expected = call["result"] if truth["result"] is ... or in_memory else truth["result"]
            self.assertEqual(call["result"], expected, call)
            last = records[call["last"]]
            self.assertTrue(last.get("disassembly", "ret").endswith("ret") or "next_pc" in last)
        else:
            self.assertIsNone(call["result"])
        self.assertEqual(int(records[call["number"]]["next_pc"], 0), int(call["entry"], 0))
        self.assertEqual(call["records"], call["last"] - call["number"])

    def test_strings_are_shown_where_they_are_known(self):
        shot = self.capture("logged_calls")
        out, _ = self.earshot("calls", "--function", "measure", shot)
        self.assertRegex(out, r'measure\(text=0x[0-9a-f]+ "a word", length=0x[0-9a-f]+\) = 6  from work\+0x')
        self.assertRegex(out, r'measure\(text=0x[0-9a-f]+ "\\"quoted\\" \\\\ text\\n", length=')
        self.assertRegex(out, r'measure\(text=0x[0-9a-f]+ "x", length=') # on the stack
        # It was written before what is read here.
        begin = self.calls(shot, "--function", "measure")[1]["number"]
        out, _ = self.earshot("calls", "--from", begin, "-n", 1, "--function", "measure", shot)
        self.assertRegex(out, r"measure\(text=0x[0-9a-f]+ <unknown>, length=")
        texts = {call["arguments"]["text"] for call in self.calls(shot, "--function", "measure")}
        self.assertLess({"", "a word", '"quoted" \\ text\n'}, texts)

    def test_calls_are_those_of_instrumented_programs(self):
        """-finstrument-functions: a store of its address when a function begins, and when it ends."""
        for program in some("frames_log", "nested_log", "rtos_log", "unwind_log", "nested_log-msave-restore"):
            with self.subTest(program):
                symbols, shot = symbols_of(PROGRAMS / f"{program}.elf"), self.capture(program, limit=40000)
                records, found = self.records(shot), self.calls(shot)
                entered = self.stores(records, symbols["log_enter"])
                left = self.stores(records, symbols["log_exit"])
                by_entry = collections.defaultdict(list)
                for call in found:
                    by_entry[int(call["entry"], 0)].append(call)
                self.assertGreater(len(entered), 20)
                begun = collections.Counter(entry for _, entry in entered if entry)
                for entry in begun:
                    calls = by_entry[entry]
                    stores = [number for number, value in entered if value == entry]
                    # What a task begins with is not called; what is called may not have stored yet.
                    self.assertTrue(not calls or 0 <= len(calls) - len(stores) <= 1, hex(entry))
                    for call, store in zip(calls, stores):
                        self.assertLess(call["number"], store)
                        self.assertTrue(call["last"] is None or store <= call["last"], call)
                    if not calls:
                        continue
                    ends = [number for number, value in left if value == entry]
                    lasts = sorted(call["last"] for call in calls if call["end"] == "returned")
                    # It stores its end a few instructions before it returns.
                    for end in ends:
                        self.assertTrue(any(end < last for last in lasts) or len(lasts) < len(calls), hex(entry))
                    self.assertIn(len(lasts), range(len(ends) - 1, len(calls) + 1), hex(entry))

    def test_a_tree_in_time(self):
        shot = self.capture("logged_calls", "--time", "record")
        found, records = self.calls(shot), self.records(shot)
        active = []
        self.assertEqual([call["number"] for call in found], sorted(call["number"] for call in found))
        for call in found:
            # The depth is the number of calls that have not ended.
            active = [other for other in active if other["last"] is None or other["last"] > call["number"]]
            if call["kind"] != "tail":
                self.assertEqual(call["depth"], len(active), call)
            active.append(call)
            if call["last"] is not None:
                self.assertEqual(call["clocks"], records[call["last"]]["time"] - records[call["number"]]["time"])
        shallow = self.calls(shot, "--depth", 2)
        self.assertEqual(shallow, [call for call in found if call["depth"] < 2])
        self.assertEqual(self.calls(shot, "-n", 7), found[:7])
        out, _ = self.earshot("calls", shot)
        self.assertEqual(len(out.splitlines()), 1 + len(found))
        self.assertRegex(out, r"(?m)^ +\d+ +\d+ +\d+        fibonacci  from fibonacci\+0x")
        self.assertRegex(out, r"(?m) trap_entry  from \S+, interrupt$")
        self.assertRegex(out, r"(?m) leap  from leap\+0x\S+, unwound$")
        rows = list(csv.DictReader(io.StringIO(self.earshot("calls", "-f", "csv", shot)[0])))
        self.assertEqual([(int(row["number"]), row["function"], row["records"]) for row in rows],
                         [(call["number"], call["function"], "" if call["records"] is None else str(call["records"]))
                          for call in found])
        rows = list(csv.DictReader(io.StringIO(self.earshot("calls", "-f", "csv", "--function", "move", shot)[0])))
        self.assertEqual(rows[0]["arguments"], "(point={x = 0, y = -2, z = 7}, by=3)")
        self.assertEqual(rows[0]["result"], "{x = 3, y = -5, z = 21}")

    def test_the_longest_calls_come_first(self):
        shot = self.capture("logged_calls", "--time", "record")
        found = self.calls(shot)
        for column in "records", "clocks":
            def length(call):
                return call["at_least"] if call["records"] is None else call[column]
            for sign in -1, 1:
                rows = self.calls(shot, f"--sort={'-' * (sign < 0)}{column}")
                self.assertCountEqual(map(str, rows), map(str, found))
                ends = [call for call in rows if column == "records" or call["clocks"] is not None]
                keys = [sign * length(call) for call in ends]
                self.assertEqual(keys, sorted(keys))
                self.assertEqual(self.calls(shot, f"--sort={'-' * (sign < 0)}{column}", "-n", 9), rows[:9])
        few = self.calls(shot, "--sort=-records", "-n", 5, "--function", "fibonacci")
        own = [call for call in found if call["function"] == "fibonacci"]
        self.assertEqual(few, sorted(own, key=lambda call: (-call["records"], call["number"]))[:5])
        self.assertEqual(self.calls(shot, "--sort=-records", "-j", 2), self.calls(shot, "--sort=-records"))

    def test_from_the_middle_on(self):
        shot = self.capture("logged_calls")
        names = ("--function", "fibonacci", "--function", "leap", "--function", "wide")
        for arguments in ((), names):
            found = self.calls(shot, *arguments)
            for begin, end in ((1000, 5000), (3333, 3700), (7000, 17410)):
                part = self.calls(shot, "--from", begin, "--to", end, *arguments)
                expected = [call for call in found if begin <= call["number"] <= end]
                for call in expected:
                    if call["last"] is None or call["last"] > end:
                        call |= {"last": None, "records": None, "end": "open"}
                        if arguments:
                            call["result"] = None
                for call in [*part, *expected]:
                    self.assertGreaterEqual(call.pop("at_least", 0), 0)
                    self.assertGreaterEqual(call.pop("at_least_clocks", 0), 0)
                self.assertEqual(part, expected)

    def parts(self, path, count, *arguments):
        made = [self.folder / f"{path.name}.{k}of{count}.part" for k in range(1, count + 1)]
        for k, part in enumerate(made, 1):
            part.write_text(self.earshot("calls", "-q", "--part", f"{k}/{count}", *arguments, path)[0])
        return made

    @night
    def test_parts_are_the_whole(self):
        """The bytes of the whole, wherever it is cut: in handlers, tasks, recursion, tail calls, gaps."""
        for program in some("logged_calls", "recursion", "rtos", "unwind", "nested", "frames_log-msave-restore"):
            shot = self.capture(program, limit=30000)
            text = self.folder / f"{program}.csv"
            self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
            for path, counts in ((shot, (2, 5, 64)), (text, (3,))):
                names = ("--elf", PROGRAMS / f"{program}.elf")
                for count in counts:
                    made = self.parts(path, count, *names)
                    for view in ((), ("--summary",), ("-f", "json", "--depth", 3), ("--histogram", "main"), ("-n", 7)):
                        with self.subTest(f"{path.name} {count} {view}"):
                            whole = self.earshot("calls", "-q", *names, *view, path)[0]
                            self.assertEqual(self.earshot("calls", "-q", *names, *view, *made)[0], whole)
        shot = self.capture("rtos", limit=30000)
        between = ("--from", 7000, "--to", 20000)
        self.assertEqual(self.earshot("calls", "-q", *self.parts(shot, 4, *between))[0],
                         self.earshot("calls", "-q", *between, shot)[0])

    @night
    def test_threads_change_nothing(self):
        """Each reads a part."""
        long = self.folder / "long"
        subprocess.run([pathlib.Path(os.environ["EARSHOT_BUILD"]) / "bench/make_long", "-n", "5000000", "-w", "calls", long],
                       check=True, capture_output=True)
        shot = long.with_suffix(".shot")
        for view in some(("--summary", "-f", "json"), ("--depth", 5), ("-n", 100000), ("--from", 1234567, "--summary")):
            alone = self.earshot("calls", "-q", *view, shot)[0]
            for jobs in (2, 5):
                self.assertEqual(self.earshot("calls", "-q", *view, "-j", jobs, shot)[0], alone)
        alone = self.earshot("calls", "-q", "--interrupts", "-f", "json", shot)[0]
        self.assertEqual(self.earshot("calls", "-q", "--interrupts", "-f", "json", "-j", 3, shot)[0], alone)

    @night
    def test_parts_of_interrupts(self):
        """Handlers, and stretches without interrupts, over cuts anywhere."""
        for program, count in some(("timer", 64), ("nested", 5), ("rtos", 7), ("tasks", 3)):
            shot = self.capture(program, "--time", "record", limit=60000)
            for options in ((), ("--event", "port-mark"), ("--from", 777, "--to", 30000)):
                parts = self.parts(shot, count, "--interrupts", *options)
                for show in (("-f", "json", "-n", 30), ()):
                    whole = self.earshot("calls", "-q", "--interrupts", *options, *show, shot)[0]
                    self.assertEqual(self.earshot("calls", "-q", "--interrupts", *options[:2 if "--event" in options else 0],
                                                  *show, *parts)[0], whole, (program, options))
        event = self.parts(shot, 2, "--interrupts", "--event", "port-mark")
        for options in ((), ("--event", "port-switch")):
            self.assertIn("another --event", self.earshot("calls", "-q", "--interrupts", *options, *event, status=2)[1])
        self.assertIn("a part of 'earshot calls --interrupts'", self.earshot("calls", "-q", *event, status=2)[1])
        event[0].write_text(event[0].read_text().replace("\nrow 2 0 ", "\nrow 2 99999 ", 1))
        self.earshot("calls", "-q", "--interrupts", "--event", "port-mark", *event, status=2)

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("recursion", limit=20000), self.capture("traps", limit=20000)
        one, two, three = self.parts(shot, 3)
        stranger = self.parts(other, 3)[1]
        wrong = self.folder / "wrong.part"
        for paths, message in (((one, three), "the part before it ends at"), ((two, one), "the part before it ends at"),
                               ((one, stranger), "another program"), ((one, shot), "line 1: ")):
            self.assertIn(message, self.earshot("calls", "-q", *paths, status=2)[1])
        self.assertIn("'earshot calls'", self.earshot("stat", "-q", one, status=2)[1])
        self.assertIn("the records from", self.earshot("calls", one, two)[1])
        text = one.read_text()
        for bad, message in ((text[:len(text) // 2], "line "), (text.replace("\nrow ", "\nrew ", 1), "not a line of calls"),
                             (re.sub(r"\nrow 3 0 \d+", "\nrow 3 0 99999999", text, count=1), "the file does not follow"),
                             (text.replace("\nrow 2 ", "\nrow 77 ", 1), "a number is wrong")):
            wrong.write_text(bad)
            self.assertIn(message, self.earshot("calls", "-q", wrong, status=2)[1])
        self.assertIn("needs the trace", self.earshot("calls", "--function", "main", one, two, three, status=2)[1])
        self.assertIn("a part of 'earshot calls'", self.earshot("calls", "--interrupts", one, two, three, status=2)[1])
        text = self.folder / "recursion.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        nameless = self.parts(text, 2)
        names = ("--elf", PROGRAMS / "recursion.elf")
        self.assertIn("made without names", self.earshot("calls", "-q", *names, *nameless, status=2)[1])
        self.earshot("calls", "-q", *nameless)

    def test_a_thread_that_reads_ahead_changes_nothing(self):
        shot = self.capture("timer", limit=60000)
        text = self.folder / "timer.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        for path in (shot, text):
            for arguments in (("-f", "json"), ("--summary",), ("--interrupts",), ("--from", "3000", "--to", "9000")):
                alone = self.earshot("calls", "-q", "--elf", f"{PROGRAMS}/timer.elf", *arguments, path)[0]
                self.assertEqual(
                    self.earshot("calls", "-q", "--elf", f"{PROGRAMS}/timer.elf", "-j", "2", *arguments, path)[0], alone)
        self.assertEqual(len(self.earshot("calls", "-q", "-j", "2", "-n", "3", shot)[0].splitlines()), 4)

    def test_durations_are_those_of_the_calls(self):
        for program in ("logged_calls", "rtos"):
            shot = self.capture(program, "--time", "record", limit=20000)
            found = collections.defaultdict(list)
            for call in self.calls(shot):
                found[call["function"]].append(call)
            rows = self.calls(shot, "--summary")
            self.assertEqual({row["function"] for row in rows}, set(found))
            self.assertEqual([row["function"] for row in self.calls(shot, "--summary", "-n", 3)],
                             [row["function"] for row in rows[:3]])
            for row in rows:
                calls = found[row["function"]]
                self.assertEqual(row["calls"], len(calls))
                for what in ("records", "clocks"):
                    self.check_durations(row[what], sorted(call[what] for call in calls if call[what] is not None))
            table = self.earshot("calls", "--summary", shot)[0].splitlines()
            self.assertEqual(len(table), 2 + len(rows))
            values = list(csv.DictReader(io.StringIO(self.earshot("calls", "--summary", "-f", "csv", shot)[0])))
            self.assertEqual([(row["function"], int(row["calls"])) for row in values],
                             [(row["function"], row["calls"]) for row in rows])
            out, _ = self.earshot("calls", "--histogram", "fibonacci", shot)
            fibonacci = next(row for row in rows if row["function"] == "fibonacci")
            lines = [list(map(int, line.split()[:3])) for line in out.splitlines() if re.match(r" +\d+ +\d+ +\d+", line)]
            self.assertEqual(lines, fibonacci["records"]["buckets"] + fibonacci["clocks"]["buckets"])
        shot = self.capture("sort")
        self.assertTrue(all(row["clocks"] is None for row in self.calls(shot, "--summary")))

    def check_durations(self, row, values):
        if not values:
            self.assertIsNone(row)
            return
        self.assertEqual((row["count"], row["min"], row["max"]), (len(values), values[0], values[-1]))
        self.assertAlmostEqual(row["mean"], sum(values) / len(values), 2)
        self.assertEqual(sum(count for _, _, count in row["buckets"]), len(values))
        for first, last, count in row["buckets"]:
            self.assertEqual(sum(first <= value <= last for value in values), count)
            self.assertLess(last - first, max(1, first / 4 + 1))
        for key, share in (("50_to", 50), ("99_to", 99)):
            true = values[(len(values) * share + 99) // 100 - 1]
            last = next(last for first, last, _ in row["buckets"] if first <= true <= last)
            self.assertEqual(row[key], min(last, values[-1]))

    def test_interrupts(self):
        for program in some("nested", "timer", "rtos", "tasks"):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record", limit=40000 if program == "tasks" else 20000)
                records = self.records(shot)
                found = self.calls(shot, "--interrupts", "-n", 1000)
                self.check_interrupts(found, records)
                # Without the values of CSRs they follow from what instructions and traps do.
                text = self.folder / f"{program}.json"
                with open(text, "w", encoding="ascii") as file:
                    for record in records:
                        kept = [reg for reg in record.get("registers", ()) if reg["class"] != "csr"]
                        print(json.dumps(record | {"registers": kept}), file=file)
                self.assertEqual(self.calls(text, "-i", "json", "--interrupts", "-n", 1000), found)

    def check_interrupts(self, rows, records):
        causes, active, sections, off, off_by_trap = {}, [], [], None, False
        for number, record in enumerate(records):
            stopped = record.get("trap") or record.get("interrupt")
            if active and active[-1][2] is None:
                active[-1][2] = record["time"]
                active[-1][0]["entry"].append(record["time"] - active[-1][1])
            if stopped:
                kind = "interrupt" if record.get("interrupt") else "exception"
                cause = causes.setdefault((kind, int(record["cause"], 0) & 0x7FFFFFFF),
                                          {"count": 0, "entry": [], "records": [], "clocks": []})
                cause["count"] += 1
                active.append([cause, record["time"], None, number])
            elif record["mnemonic"] == "mret" and active:
                cause, time, _, begin = active.pop()
                cause["records"].append(number - begin)
                cause["clocks"].append(record["time"] - time)
            status = [int(reg["value"], 0) for reg in record.get("registers", ())
                      if reg["class"] == "csr" and reg["number"] == 0x300]
            if not status:
                continue
            on = bool(status[-1] & 8)
            if on and off is not None:
                sections.append((off, number, "trap" if off_by_trap else "instruction"))
                off = None
            elif not on and off is None:
                off, off_by_trap = number, bool(stopped)
        found = {(row["kind"], row["cause"]): row for row in rows if row["kind"] in ("interrupt", "exception")}
        self.assertEqual(set(found), set(causes))
        for key, cause in causes.items():
            row = found[key]
            self.assertEqual(row["count"], cause["count"])
            for name, values in (("entry_clocks", cause["entry"]), ("records", cause["records"]), ("clocks", cause["clocks"])):
                if not values:
                    self.assertIsNone(row[name])
                    continue
                self.assertEqual([row[name][what] for what in ("count", "min", "max")],
                                 [len(values), min(values), max(values)])
        total = next(row for row in rows if row["kind"] == "disabled")
        self.assertEqual(total["records"]["count"], len(sections))
        lengths = [records[last]["time"] - records[first]["time"] for first, last, _ in sections]
        self.assertEqual(total["clocks"]["max"], max(lengths))
        self.assertAlmostEqual(total["clocks"]["mean"], sum(lengths) / len(lengths), 2)
        shown = [row for row in rows if row["kind"] == "section"]
        self.assertEqual([row["clocks"] for row in shown], sorted(lengths, reverse=True)[:32])
        for row in shown:
            self.assertIn((row["first"], row["last"], row["by"]), sections)
            self.assertEqual(row["first_pc"], records[row["first"]]["pc"])
            self.assertEqual(row["records"], row["last"] - row["first"])

    def test_interrupts_as_a_table(self):
        shot = self.capture("timer", "--time", "record", limit=15000)
        out, _ = self.earshot("calls", "--interrupts", "-n", 2, shot)
        self.assertRegex(out, r"(?m)^ +\d+ .*interrupt 0x7, machine timer$")
        self.assertRegex(out, r"(?m)^ +\d+ +\d+ +\d+ +\d+  \S+ \(trap\) to trap_entry\+0x\w+$")
        self.assertEqual(len(out.splitlines()), 3 + 1 + 2 + 2)
        out, _ = self.earshot("calls", "--interrupts", self.capture("sort", limit=3000))
        self.assertIn("whether interrupts are enabled is not known", out)
        # An event a few clocks before each interrupt.
        text = self.folder / "events.json"
        records = self.records(shot)
        with open(text, "w", encoding="ascii") as file:
            for record in records:
                if record.get("interrupt"):
                    print(json.dumps({"kind": "event", "schema": 2, "hart": 0, "index": record["index"],
                                      "time": record["time"] - 3, "name": "raise 7"}), file=file)
                print(json.dumps(record), file=file)
        row = self.calls(text, "-i", "json", "--interrupts", "--event", "raise")[0]
        self.assertEqual([row["event_clocks"][key] for key in ("count", "min", "max")],
                         [row["entry_clocks"]["count"], row["entry_clocks"]["min"] + 3, row["entry_clocks"]["max"] + 3])
        self.assertIn("clocks since the event",
                      self.earshot("calls", "-i", "json", "--interrupts", "--event", "raise", text)[0])

    def test_texts_have_the_same_calls(self):
        for program in some("logged_calls", "unwind"):
            shot = self.capture(program)
            names = ("--function", "fibonacci", "--function", "dive", "--function", "main") if program == "unwind" else (
                "--function", "scale", "--function", "leap")
            for arguments in ((), names):
                if program == "unwind" and arguments:
                    arguments = ("--function", "dive", "--function", "tail")
                expected = self.calls(shot, *arguments)
                for text in ("whisper", "json", "spike"):
                    with self.subTest(program=program, text=text):
                        path = self.folder / f"{program}.{text}"
                        self.earshot("decode", "-q", "-f", text, "-o", path, shot)
                        self.assertEqual(self.calls(path, "-i", text, "--elf", PROGRAMS / f"{program}.elf", *arguments),
                                         expected)

    def test_harts_are_apart(self):
        """Two runs as two harts of one trace, with turns of any length: each has its own calls."""
        runs = [self.capture(program, "--time", "record", limit=8000 if NIGHT else 5000) for program in ("logged_calls", "rtos")]
        records = [self.records(run) for run in runs]
        source, path, at = random.Random(4), self.folder / "two.json", [0, 0]
        with open(path, "w", encoding="ascii") as file:
            while at[0] < len(records[0]) or at[1] < len(records[1]):
                hart = source.randrange(2)
                for record in records[hart][at[hart]:at[hart] + source.randrange(1, 30)]:
                    print(json.dumps(record | {"hart": hart}), file=file)
                    at[hart] += 1
        found = self.calls(path, "-i", "json")
        self.assertEqual({call["hart"] for call in found}, {0, 1})
        for hart, run in enumerate(runs):
            text = self.folder / f"{hart}.json"
            text.write_text("".join(json.dumps(record) + "\n" for record in records[hart]), encoding="ascii")
            keys = ("entry", "call_pc", "depth", "kind", "end", "records", "clocks")
            self.assertEqual([[call[key] for key in keys] for call in found if call["hart"] == hart],
                             [[call[key] for key in keys] for call in self.calls(text, "-i", "json")])
        self.assertRegex(self.earshot("calls", "-i", "json", path)[0], r"(?m), hart 1$")
        for names in ((), ("--elf", PROGRAMS / "logged_calls.elf")):
            whole = self.earshot("calls", "-q", "-i", "json", *names, path)[0]
            for count in some(13, 2):
                made = self.parts(path, count, "-i", "json", *names)
                self.assertEqual(self.earshot("calls", "-q", *names, *made)[0], whole)

    def test_names_of_another_program(self):
        shot = self.capture("logged_calls", limit=5000)
        for other in ("rtos", "strings"):
            arguments = ("--elf", PROGRAMS / f"{other}.elf", "--elf-anyway")
            self.assertGreater(len(self.calls(shot, *arguments)), 50)
            out, _ = self.earshot("calls", "--function", "main", *arguments, shot)
            self.assertIn("depth  call", out)
            self.earshot("calls", "--summary", *arguments, shot)

    def test_an_end_by_a_signal(self):
        shot = self.capture("recursion") # more calls than a pipe holds
        with subprocess.Popen([EARSHOT, "calls", "-f", "csv", shot], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(error, r"interrupted: this is of the first \d+ records")
        self.assertTrue(out.endswith("\n"))

    def test_what_is_missing_is_said(self):
        shot = self.capture("logged_calls", limit=5000)
        stripped = self.folder / "stripped.elf"
        subprocess.run(["riscv64-unknown-elf-strip", "-g", "-o", stripped, PROGRAMS / "logged_calls.elf"], check=True)
        out, error = self.earshot("calls", "--function", "wide", "--elf", stripped, "--elf-anyway", shot)
        self.assertIn("types are not known", error)
        self.assertRegex(out, r"wide\(a0=0xfffffffb, a1=0xffffffff, a2=0x71, a3=0x9abcdef0\) = a0=0x")
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", "-o", text, shot)
        out, error = self.earshot("calls", text)
        self.assertIn("there are no names", error)
        self.assertRegex(out, r"\[0x800[0-9a-f]+\]  from \[0x800")
        entry = symbols_of(PROGRAMS / "logged_calls.elf")["wide"]
        self.assertRegex(self.earshot("calls", "--function", hex(entry), text)[0], r"\(a0=0xfffffffb, ")
        self.assertIn("did you mean wide?", self.earshot("calls", "--function", "wid", shot, status=2)[1])
        raw = self.folder / "t.raw"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'timer.elf'},uart=/dev/null", "-o",
                     self.folder / "whole.shot", "--record", raw, "--limit", 60000)
        data = raw.read_bytes()
        raw.write_bytes(data[:len(data) // 2] + data[len(data) // 2 + 100:])
        out, error = self.earshot("calls", "--elf", PROGRAMS / "timer.elf", raw, status=2)
        self.assertRegex(error, r"there are gaps, \d+")
        self.assertRegex(error, rf"{raw} is damaged, from instruction \d+ on: ")
        self.assertRegex(out, r"(?m) >\d+ .* main  from _start\S+, forgotten$")
        self.assertEqual(self.earshot("calls", "-q", "--elf", PROGRAMS / "timer.elf", raw, status=2)[1], "")
        self.earshot("calls", "-q", "--incomplete", "ok", "--elf", PROGRAMS / "timer.elf", raw)


if __name__ == "__main__":
    main()
