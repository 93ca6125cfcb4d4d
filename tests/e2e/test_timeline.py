#!/usr/bin/env python3
"""'earshot timeline': slices are the calls of the records, found another way, and the file keeps the rules of its
format."""
import collections
import fractions
import functools
import json
import math
import os
import pathlib
import random
import re
import signal
import struct
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, night, some


def links(opcode):
    """Does it jump and link in x1 or x5?"""
    if opcode & 3 == 3:
        return opcode & 0x7F in (0x6F, 0x67) and opcode >> 7 & 31 in (1, 5)
    return opcode & 0xE003 == 0x2001 or (opcode & 0xF07F == 0x9002 and opcode >> 7 & 31 != 0)


def returns(opcode):
    """Does it jump to x1 or x5 without linking?"""
    if opcode & 3 == 3:
        return opcode & 0x7F == 0x67 and opcode >> 15 & 31 in (1, 5) and opcode >> 7 & 31 == 0
    return opcode in (0x8082, 0x8282)


class Checker:
    """The rules of the Trace Event Format: each event has what its phase needs; on a track slices begin in order, and
    are within each other or beside each other."""

    NEEDED = {"X": {"name", "cat", "ts", "dur", "pid", "tid"}, "i": {"name", "cat", "ts", "pid", "tid", "s"},
              "C": {"name", "ts", "pid", "args"}, "M": {"name", "pid", "args"}}

    def __init__(self, path):
        self.document = json.loads(path.read_bytes().decode("utf-8", "strict"), parse_float=fractions.Fraction)
        assert isinstance(self.document["traceEvents"], list) and self.document["displayTimeUnit"] in ("ms", "ns")
        self.events, self.names, open_slices, last = [], {}, collections.defaultdict(list), {}
        self.merged = 0
        for event in self.document["traceEvents"]:
            assert self.NEEDED[event["ph"]] <= set(event), event
            if event["ph"] == "M":
                if event["name"] == "thread_name":
                    self.names[event["tid"]] = event["args"]["name"]
                    self.merged += event["args"].get("merged", 0)
                continue
            for number in ("ts", "dur"):
                if number in event:
                    event[number] = fractions.Fraction(event[number]) * 1000
                    assert event[number].denominator == 1 and event[number] >= 0
                    event[number] = int(event[number])
            track = event["name"] if event["ph"] == "C" else event["tid"]
            assert event["ts"] >= last.get((event["ph"], track), 0), event
            last[event["ph"], track] = event["ts"]
            if event["ph"] == "X":
                above = open_slices[track]
                while above and above[-1]["ts"] + above[-1]["dur"] <= event["ts"] and (
                        above[-1]["ts"] + above[-1]["dur"] < event["ts"] + event["dur"] or event["dur"] == 0):
                    above.pop()
                if above:
                    assert above[-1]["ts"] + above[-1]["dur"] >= event["ts"] + event["dur"], (above[-1], event)
                above.append(event)
                self.merged += event["args"].get("merged", 0)
            if event["ph"] != "C":
                assert event["tid"] in self.names
            self.events.append(event)

    def slices(self, *categories):
        return [event for event in self.events if event["ph"] == "X" and event["cat"] in categories]

    def instants(self, *categories):
        return [event for event in self.events if event["ph"] == "i" and event["cat"] in categories]


def fields(data):
    """Of a message of protobuf: (number, value), by the encoding alone; a value of bytes may be a message."""
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    at = 0
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, data[at:at + 8]
            at += 8
        else:
            assert tag & 7 == 2, tag
            size = varint()
            assert at + size <= len(data)
            yield tag >> 3, data[at:at + size]
            at += size


class Perfetto:
    """The same of a file of Perfetto, by the rules of TrackEvent: numbers of names hold after they were said, each
    event has a track that was described, and each begin has its end."""

    def __init__(self, path):
        self.tracks, self.slices, self.instants, self.counters, interned = {}, [], [], [], {}
        open_slices, last, cleared = collections.defaultdict(list), {}, False
        for number, packet in fields(path.read_bytes()):
            assert number == 1
            packet = list(fields(packet))
            values = dict(packet)
            assert values[10] > 0
            cleared = cleared or values.get(13) == 1
            for kind, entry in fields(values.get(12, b"")):
                assert cleared
                entry = dict(fields(entry))
                interned[kind, entry[1]] = entry[2].decode("utf-8", "strict")
            if 60 in values:
                track = dict(fields(values[60]))
                assert track[1] not in self.tracks
                self.tracks[track[1]] = track.get(2, b"").decode()
                assert 3 in track or track[5] in self.tracks
            if 11 not in values:
                continue
            assert values[13] == 2 and cleared
            event = list(fields(values[11]))
            notes = {interned[3, note[1]]: note[3] if 3 in note else note[6].decode()
                     for note in (dict(fields(value)) for number, value in event if number == 4)}
            event = dict(event)
            track, time = event[11], values[8]
            assert track in self.tracks and time >= last.get(track, 0)
            last[track] = time
            if event[9] == 4:
                self.counters.append((self.tracks[track], time, struct.unpack("<d", event[44])[0]))
            elif event[9] == 2:
                made = open_slices[track].pop()
                made["dur"] = time - made["ts"]
            else:
                made = {"track": self.tracks[track], "ts": time, "name": interned[2, event[10]],
                        "cat": interned[1, event[3]], "args": notes}
                (self.slices if event[9] == 1 else self.instants).append(made)
                if event[9] == 1:
                    open_slices[track].append(made)
        assert not any(open_slices.values())


class Timeline(Case):
    def capture(self, program, *arguments, limit=20000 if NIGHT else 10000):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart={shot}.uart", "-o", shot,
                     *(("--limit", limit) if limit else ()), *arguments)
        return shot

    def timeline(self, path, *arguments):
        out = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        _, self.error = self.earshot("timeline", path, "-o", out, *arguments)
        return Checker(out)

    def records(self, path):
        out = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "-f", "json", path], capture_output=True,
                             check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def symbols(self, program):
        out = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / f"{program}.elf"], capture_output=True, text=True,
                             check=True).stdout
        return {int(line.split()[0], 16): line.split()[2] for line in out.splitlines() if line.split()[1] in "tTwW"}

    def expected(self, records, timed):
        """(entry, begin, end) of each call and handler, from calls and returns alone: for programs that do nothing
        else, on one stack."""
        time_of = lambda number: records[number]["time"] if timed else number
        stack, slices = [], []
        for number, record in enumerate(records):
            opcode, target = int(record.get("opcode", "0"), 16), int(record["next_pc"], 16)
            if record.get("trap") or record.get("interrupt"):
                stack.append((target, number))
            elif links(opcode):
                stack.append((target, number))
            elif stack and (returns(opcode) or opcode == 0x30200073):
                entry, begin = stack.pop()
                slices.append((entry, time_of(begin), time_of(number)))
        slices += [(entry, time_of(begin), time_of(len(records) - 1)) for entry, begin in stack]
        return sorted(slices, key=lambda s: s[1])

    def test_slices_are_the_calls_of_the_records(self):
        for program in some("recursion", "timer", "sort", "traps", "matrix", gate=2):
            for arguments in ((), ("--time", "record")):
                with self.subTest(program=program, arguments=arguments):
                    shot = self.capture(program, *arguments)
                    records, found, names = self.records(shot), self.timeline(shot), self.symbols(program)
                    expected = self.expected(records, bool(arguments))
                    slices = found.slices("call", "trap", "interrupt")
                    self.assertGreater(len(slices), 10)
                    self.assertEqual([(s["ts"], s["ts"] + s["dur"]) for s in slices], [s[1:] for s in expected])
                    for s, (entry, _, _) in zip(slices, expected):
                        self.assertIn(s["name"], (names.get(entry), f"[{entry:#x}]"))
                        self.assertEqual(s["ts"], records[s["args"]["record"]]["time"] if arguments else
                                         s["args"]["record"])
                    traps = [r for r in records if r.get("trap")]
                    self.assertEqual(len(found.instants("trap")), len(traps))
                    self.assertEqual(len(found.slices("trap")), len(traps))
                    interrupts = [r for r in records if r.get("interrupt")]
                    self.assertEqual(len(found.instants("interrupt")), len(interrupts))
                    self.assertEqual([s["dur"] for s in found.slices("privilege")],
                                     [records[-1]["time"] - records[0]["time"] if arguments else len(records) - 1])

    def test_perfetto_has_the_same(self):
        for program, arguments in some(("recursion", ()), ("timer", ("--time", "record")), ("tasks", ()), ("unwind", ()), gate=2):
            with self.subTest(program):
                shot = self.capture(program, *arguments, limit=100000 if NIGHT else 20000)
                document = self.timeline(shot, "--limit", 2000)
                path = self.folder / "t.pftrace"
                self.earshot("timeline", "-q", shot, "-o", path, "--limit", 2000)
                found = Perfetto(path)
                for events, phase in ((found.slices, "X"), (found.instants, "i")):
                    keys = ("ts", "name", "cat", "args") + (("dur",) if phase == "X" else ())
                    self.assertEqual([(e["track"], *(e[key] for key in keys)) for e in events],
                                     [(document.names[e["tid"]], *(e[key] for key in keys)) for e in document.events
                                      if e["ph"] == phase])
                counters = [(e["name"], e["ts"], e["args"]["value"]) for e in document.events if e["ph"] == "C"]
                self.assertEqual([c[:2] for c in found.counters], [c[:2] for c in counters])
                for a, b in zip(found.counters, counters):
                    self.assertAlmostEqual(a[2], float(b[2]), 6)
                self.assertGreater(len(found.slices), 10)

    def test_at_most_so_many_slices(self):
        shot = self.capture("recursion")
        everything = self.timeline(shot)
        whole = everything.slices("call", "trap", "interrupt", "base", "privilege")
        for most in (1, 10, 100, 1000):
            found = self.timeline(shot, "--limit", most)
            some = found.slices("call", "trap", "interrupt", "base", "privilege")
            self.assertLessEqual(len(some), most)
            least = found.document["otherData"]["least_duration"]
            self.assertEqual([(s["name"], s["ts"], s["dur"]) for s in some],
                             [(s["name"], s["ts"], s["dur"]) for s in whole if s["dur"] >= least])
            self.assertEqual(len(some) + found.merged, len(whole))
            self.assertEqual("--limit" in self.error, len(whole) > most)

    def test_shorter_and_deeper_ones_are_counted(self):
        shot = self.capture("recursion")
        whole = self.timeline(shot)
        count = len(whole.slices("call", "trap", "interrupt", "base", "privilege"))
        found = self.timeline(shot, "--min", 100)
        some = found.slices("call", "trap", "interrupt", "base", "privilege")
        self.assertEqual(len(some), sum(s["dur"] >= 100 for s in whole.slices("call", "base", "privilege")))
        self.assertEqual(len(some) + found.merged, count)
        found = self.timeline(shot, "--depth", 3)
        some = found.slices("call", "base", "privilege")
        self.assertLess(len(some), count)
        self.assertEqual(len(some) + found.merged, count)
        deepest = max(e["args"]["value"] for e in whole.events if e["ph"] == "C" and e["name"] == "hart 0 depth of calls")
        self.assertGreater(deepest, 3)

    def test_a_part_has_the_calls_that_are_active(self):
        shot = self.capture("recursion", "--time", "record")
        records, whole = self.records(shot), self.timeline(shot)
        first, last = 5000, 9000
        found = self.timeline(shot, "--from", first, "--to", last)
        begin, end = records[first]["time"], records[last]["time"]
        # What ends with the last record before has no length.
        clip = lambda s: (s["name"], max(s["ts"], begin), min(s["ts"] + s["dur"], end))
        expected = [clip(s) for s in whole.slices("call")
                    if s["ts"] + s["dur"] >= begin and s["ts"] <= end]
        self.assertEqual([clip(s) for s in found.slices("call")], expected)

    def test_tasks(self):
        shot = self.capture("tasks", limit=0)
        truth = re.findall(r"^event switch (\d+)", pathlib.Path(f"{shot}.uart").read_text(), re.M)
        found = self.timeline(shot)
        self.assertEqual([s["name"].split()[1] for s in found.slices("task")], truth)
        self.assertGreater(len(truth), 20)
        self.assertTrue(found.instants("mark"))
        self.assertTrue(any(e["ph"] == "C" and e["name"].startswith("counter ") for e in found.events))
        self.assertTrue(any(": task 1" in name for name in found.names.values()), found.names)
        one = self.timeline(shot, "--task", "3")
        runs = [(s["ts"], s["ts"] + s["dur"]) for s in found.slices("task") if s["name"].split()[1] == "3"]
        calls = one.slices("call", "trap", "interrupt")
        self.assertTrue(calls)
        for s in calls:
            self.assertTrue(any(begin <= s["ts"] <= end for begin, end in runs), s)

    def test_tasks_of_words(self):
        shot = self.capture("tasks", limit=0)
        text = self.folder / "t.jsonl"
        self.earshot("convert", "-q", "--tasks", "--elf", PROGRAMS / "tasks.elf", "-f", "json", "-o", text, shot)
        found = self.timeline(text, "--elf", PROGRAMS / "tasks.elf")
        self.assertIn("task 3 worker", {s["name"] for s in found.slices("task")})
        one = self.timeline(text, "--elf", PROGRAMS / "tasks.elf", "--task", "worker")
        self.assertTrue(one.slices("call"))
        self.assertLess(len(one.slices("call")), len(found.slices("call")))

    def test_the_heap_is_what_its_functions_gave(self):
        shot = self.capture("list", limit=0 if NIGHT else 30000)
        records, names = self.records(shot), self.symbols("list")
        entries = {entry: name for entry, name in names.items() if name in ("malloc", "free", "cfree")}
        a0, stack, blocks, truth = 0, [], {}, []
        for number, record in enumerate(records):
            opcode, target = int(record["opcode"], 16), int(record["next_pc"], 16)
            for register in record.get("registers", ()):
                if register["class"] == "x" and register["number"] == 10:
                    a0 = int(register["value"], 16)
            if links(opcode):
                stack.append((entries.get(target), a0))
            elif returns(opcode) and stack:
                function, argument = stack.pop()
                if function == "malloc":
                    blocks[a0] = argument
                elif function:
                    del blocks[argument]
                if function:
                    truth.append((number, sum(blocks.values())))
        samples = [(e["ts"], e["args"]["value"]) for e in self.timeline(shot).events
                   if e["ph"] == "C" and e["name"].startswith("heap")]
        self.assertGreater(len(samples), 100)
        self.assertGreater(max(value for _, value in samples), 1000)
        window = functools.reduce(math.gcd, (time for time, _ in samples[1:]))
        self.assertEqual(samples[0][0], truth[0][0])
        last = {time // window: value for time, value in truth}
        self.assertEqual({time // window: value for time, value in samples}, last)

    def test_functions_of_the_heap_that_are_jumped_to(self):
        """Some are only reached by tail calls: what is in use at the end is what memory says."""
        shot = self.capture("memory", limit=0)
        out, _ = self.earshot("memory", "-q", "--heap", shot)
        expected = int(re.search(r"blocks of (\d+) bytes not freed; at most (\d+)", out)[1])
        samples = [e["args"]["value"] for e in self.timeline(shot).events
                   if e["ph"] == "C" and e["name"].startswith("heap")]
        self.assertEqual(samples[-1], expected)
        records, names = self.records(shot), self.symbols("memory")
        entries = {entry for entry, name in names.items() if name in ("malloc", "free", "calloc", "realloc")}
        jumps = [record for record, before in zip(records[1:], records)
                 if int(record["pc"], 16) in entries and not links(int(before.get("opcode", "0"), 16))]
        self.assertGreater(len(jumps), 0)

    def test_gaps(self):
        shot = self.folder / "gaps.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'recursion'}.elf,uart=/dev/null,unit=raw,link=100K", "--policy",
                     "drop", "-o", shot, "--limit", 20000, status=None)
        out = json.loads(self.earshot("stat", "-f", "json", shot)[0])["total"]
        found = self.timeline(shot)
        self.assertGreater(out["gaps"], 0)
        self.assertEqual(len(found.slices("gap")), out["gaps"])
        self.assertIn("gaps", self.error)
        self.assertTrue(any(s["args"].get("end") == "forgotten" for s in found.slices("call", "base")))

    def test_texts_and_other_instruction_sets(self):
        shot = self.capture("recursion", limit=5000)
        expected = [(s["name"], s["ts"], s["dur"]) for s in self.timeline(shot).slices("call")]
        for text in ("whisper", "json", "spike"):
            path = self.folder / f"t.{text}"
            self.earshot("decode", "-q", "-f", text, "-o", path, shot)
            found = self.timeline(path, "-i", text, "--elf", PROGRAMS / "recursion.elf")
            self.assertEqual([(s["name"], s["ts"], s["dur"]) for s in found.slices("call")], expected)
        for path in (TREE / "tests/data/tarmac/dialects.txt", TREE / "tests/data/qemu4v/published.txt"):
            self.timeline(path)
            self.assertIn("no calls are known", self.error)

    @night
    def test_threads_change_nothing(self):
        """Waves are read in order; of the rest each thread reads parts, of which a long trace has several."""
        shot = self.capture("timer", limit=60000)
        long = self.folder / "long"
        subprocess.run([pathlib.Path(os.environ["EARSHOT_BUILD"]) / "bench/make_long", "-n", "3000000", "-w", "calls", long],
                       check=True, capture_output=True)
        for trace, name, views in ((shot, "t.vcd", ((), ("--from", 3000, "--to", 9000))),
                                   (shot, "t.json", ((), ("--from", 3000, "--to", 9000))),
                                   (long.with_suffix(".shot"), "t.pftrace", (("--from", 1234567), ("--limit", 1000)))):
            for view in views:
                written = []
                for jobs in ("1", "2", "5"):
                    self.earshot("timeline", "-q", "-j", jobs, *view, "-o", self.folder / name, trace)
                    written.append((self.folder / name).read_bytes())
                self.assertEqual(written, written[:1] * 3)

    # ---- Parts. ----

    def parts(self, path, count, *arguments):
        made = [self.folder / f"{path.name}.{k}of{count}.part" for k in range(1, count + 1)]
        for k, part in enumerate(made, 1):
            self.earshot("timeline", "-q", "--part", f"{k}/{count}", *arguments, "-o", part, path)
        return made

    def check_parts(self, path, counts, views, *names):
        for count in counts:
            made = self.parts(path, count, *names)
            for view in views:
                with self.subTest(f"{path.name} {count} {view}"):
                    written = []
                    for traces in ((path,), made):
                        out = self.folder / "t.json"
                        self.earshot("timeline", "-q", *names[:2], *view, "-o", out, *traces)
                        written.append(out.read_bytes())
                    self.assertEqual(*written)

    @night
    def test_parts_are_the_whole(self):
        """The bytes of the whole, wherever it is cut: in handlers, tasks, recursion, calls of the heap."""
        views = ((), ("--limit", 100), ("--depth", 2, "--min", 5))
        for program, timed, counts in some(("memory", ("--time", "record"), (5,)), ("rtos", ("--time", "record"), (13,)),
                                           ("tasks", (), (2, 64)), ("tasks", ("--time", "record"), (7,)),
                                           ("list", (), (2, 64)), ("memory", ("--time", "record"), (2, 64)),
                                           ("unwind", (), (5,)), ("nested", ("--time", "record"), (9,)), gate=2):
            shot = self.capture(program, *timed, limit=30000)
            names = ("--elf", PROGRAMS / f"{program}.elf")
            self.check_parts(shot, counts, (*views, ("--task", "3")) if program == "tasks" else views, *names)
        text = self.folder / "rtos.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        self.check_parts(text, (3,), views)
        shot, between = self.capture("tasks", limit=30000), ("--from", 7000, "--to", 20000)
        self.earshot("timeline", "-q", *between, "-o", self.folder / "t.pftrace", shot)
        whole = (self.folder / "t.pftrace").read_bytes()
        self.earshot("timeline", "-q", "-o", self.folder / "t.pftrace", *self.parts(shot, 4, *between))
        self.assertEqual((self.folder / "t.pftrace").read_bytes(), whole)

    @night
    def test_parts_of_any_trace(self):
        """Two harts in turns, with times that are missing, and that go back; gaps; events of words, methods and marks."""
        runs = [self.records(self.capture(program, "--time", "record", limit=6000)) for program in ("nested", "tasks")]
        source = random.Random(5)
        words = ("switch 1", "switch 2", "name 2 other", "mark here", "counter 3 17", "counter 3 9", "something else",
                 "method-enter 1 0x1000", "method-enter 2 0x2000", "method-exit 1 0x1000", "symbol 0x1000 A.b", "x" * 300)
        for trial in range(6):
            path, at, back = self.folder / f"any{trial}.json", [0, 0], 0
            begin = 0 if trial % 2 else 5990  # a short one is cut after each record
            at = [begin, begin]
            with open(path, "w", encoding="ascii") as file:
                while any(at[hart] < 6000 for hart in (0, 1)):
                    hart = source.randrange(2)
                    if source.random() < 0.1:
                        print(json.dumps({"kind": "event", "hart": hart, "name": source.choice(words)}), file=file)
                    if source.random() < 0.02:
                        print(json.dumps({"kind": "gap", "hart": hart, "reason": "unit-fifo", "count": 3}), file=file)
                    for record in runs[hart][at[hart]:min(at[hart] + source.randrange(1, 30), 6000)]:
                        back += source.randrange(500) if source.random() < 0.01 else 0
                        record = record | {"hart": hart, "time": max(record["time"] - back, 0)}
                        if source.random() < 0.05 or trial < 2:
                            del record["time"]
                        print(json.dumps(record), file=file)
                        at[hart] += 1
            found = self.timeline(path, "-i", "json")
            if begin == 0:
                self.assertTrue(found.slices("task") and found.slices("gap") and found.slices("method"))
            out = self.folder / "whole.json"
            self.earshot("timeline", "-q", "-i", "json", "-o", out, path)
            for count in (2, 64 if begin else 13):
                made = self.parts(path, count, "-i", "json")
                self.earshot("timeline", "-q", "-o", self.folder / "joined.json", *made)
                self.assertEqual(out.read_bytes(), (self.folder / "joined.json").read_bytes(), (trial, count))

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("list", limit=20000), self.capture("traps", limit=20000)
        names = ("--elf", PROGRAMS / "list.elf")
        out = ("-o", self.folder / "t.json")
        one, two, three = self.parts(shot, 3)
        stranger = self.parts(other, 3)[1]
        wrong = self.folder / "wrong.part"
        for paths, message in (((one, three), "the part before it ends at"), ((two, one), "the part before it ends at"),
                               ((one, stranger), "another program"), ((one, shot), "line 1: ")):
            self.assertIn(message, self.earshot("timeline", "-q", *out, *paths, status=2)[1])
        self.assertIn("'earshot timeline'", self.earshot("calls", "-q", one, status=2)[1])
        self.assertIn("the records from", self.earshot("timeline", *out, one, two)[1])
        text = one.read_text()
        for bad, message in ((text[:len(text) // 2], "line "), (text.replace("\nrow ", "\nrew ", 1), "not a line of a timeline"),
                             (re.sub(r"\nrow 5 0 \d+", "\nrow 5 0 99999999", text, count=1), "the file does not follow"),
                             (text.replace("\nrow 4 ", "\nrow 77 ", 1), "a number is wrong")):
            wrong.write_text(bad)
            self.assertIn(message, self.earshot("timeline", "-q", *out, wrong, status=2)[1])
        text = self.folder / "list.csv"
        self.earshot("decode", "-q", "-o", text, shot)
        nameless = self.parts(text, 2)
        self.assertIn("made without the names", self.earshot("timeline", "-q", *names, *out, *nameless, status=2)[1])
        self.earshot("timeline", "-q", *out, *nameless)
        self.assertIn("need the trace", self.earshot("timeline", "-o", "t.vcd", one, two, three, status=2)[1])
        self.assertIn("is the file that is read", self.earshot("timeline", "-f", "json", "-o", one, one, two, status=2)[1])

    def test_from_a_pipe_and_to_one(self):
        shot = self.capture("sort", limit=5000)
        out, _ = self.earshot("timeline", "-q", "-f", "json", "-o", "-", "-", stdin=shot.read_bytes())
        self.assertTrue(json.loads(out)["traceEvents"])

    def test_what_came_before_a_signal(self):
        text, _ = self.earshot_bytes("decode", "-q", self.capture("sort", limit=20000))
        self.assertGreater(len(text), 1 << 19)  # more than a pipe holds: it reads when all was written
        out = self.folder / "t.json"
        process = subprocess.Popen([EARSHOT, "timeline", "-i", "whisper", "-o", out, "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(text)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"interrupted", error)
        self.assertTrue(Checker(out).events is not None)

    def test_names_of_any_kind(self):
        """Without names, and with ones that JSON cannot hold as they are."""
        shot = self.capture("sort")
        elf = self.folder / "odd.elf"
        subprocess.run(["riscv64-unknown-elf-objcopy", "--redefine-sym", 'main=ma"\\in\u00e9\x01', PROGRAMS / "sort.elf",
                        elf], check=True)
        found = self.timeline(shot, "--elf", elf, "--elf-anyway")
        self.assertIn('ma"\\in\u00e9\x01', {s["name"] for s in found.slices("call")})
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", "-o", text, shot)
        found = self.timeline(text)
        self.assertTrue(all(re.fullmatch(r"\[0x[0-9a-f]+\]", s["name"]) for s in found.slices("call")))
        self.assertIn("no names", self.error)


if __name__ == "__main__":
    main()
