#!/usr/bin/env python3
"""Tasks from the program to the answers: tests/programs/tasks.c reports what it does to the event port, and prints the
truth; a capture, a folder that is written at the same time, and the tools for folders show the same, exactly."""
import bisect
import collections
import json
import pathlib
import re
import shutil
import subprocess

from support import PROGRAMS, Case, json_lines, main, night, some

ELF = PROGRAMS / "tasks.elf"
PORT = "0x10020000"
TRUTH = re.compile(r"^event (.*)$", re.M)
COUNTS = re.compile(r"^task (\d+) (\d+) (\d+) (\d+)$", re.M)
CLOCKS = re.compile(r"^clocks (\d+) (\d+)$", re.M)
CALLS = re.compile(r"^calls (\d+) (\d+) (\d+)$", re.M)
TASK = re.compile(r'"task":(\d+)')
SPAN = re.compile(r"^span (\d+) (\d+) ", re.M)
NAMES = {1: "init", 2: "sh", 3: "worker", 4: "/bin/vm", 5: "sh", 6: "worker", 7: "/bin/vm"}
CAUSES = {"0x80000007": "timer", "0xb": "ecall", "0x3": "breakpoint", "0x2": "illegal"}


class MultiTask(Case):
    texts, parsed = {}, {}  # of the captures that are shared

    def take(self, *arguments, keys=",unit=small"):
        """A capture of tasks.elf, made once if only --time is asked for."""
        path = self.folder / "t.shot"
        if arguments in ((), ("--time", "record")):
            made = self.shared / f"{len(arguments)}-{keys.partition('=')[2]}.shot"
            if not made.exists():
                self.capture(made, "tasks", *arguments, keys=keys)
            shutil.copy(made, path)
            self.made = made
            uart = pathlib.Path(f"{made}.uart").read_text()
        else:
            self.capture(path, "tasks", *arguments, keys=keys)
            uart = (self.folder / "t.shot.uart").read_text()
        events = [f'{words} ""' if words.startswith("counter") else words for words in TRUTH.findall(uart)]
        counts = {int(pid): sum(map(int, rest)) for pid, *rest in COUNTS.findall(uart)}
        self.assertGreater(len(events), 190)
        self.assertEqual(set(counts), set(NAMES))
        return path, events, counts, uart

    def text(self, path):
        """The records of what take() made as JSON, written once for each capture."""
        if self.made not in self.texts:
            self.texts[self.made] = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", "--tasks", "--elf", ELF, path)[0]
        return self.texts[self.made]

    def records(self, path):
        if self.made not in self.parsed:
            self.parsed.clear()  # they are large: those of one capture
            self.parsed[self.made] = json_lines(self.text(path))
        return self.parsed[self.made]

    def events(self, *arguments):
        return self.events_of(self.earshot("convert", "-q", "--quiet-loss", "-f", "json", *arguments)[0])

    def events_of(self, text):
        records = [json.loads(line) for line in text.splitlines() if '"event"' in line]
        return [record["name"] for record in records if record.get("kind") == "event" and record["source"] == 0]

    def test_events_are_those_that_the_program_prints(self):
        for unit in some("small", "raw", "unified"):
            with self.subTest(unit):
                path, events, _, uart = self.take(keys=f",unit={unit}")
                self.assertEqual(self.events("--tasks", "--elf", ELF, path), events)
                # All kinds are there, and the timer took the processor away.
                self.assertEqual(len({words.split()[0] for words in events}), 19)
                self.assertGreater(sum(int(row[3]) for row in COUNTS.findall(uart)), 10)

    def test_each_record_is_of_the_task_that_the_program_counts_it_for(self):
        path, _, counts, _ = self.take()
        rows = [line.split() for line in self.earshot("grep", "--count-by", "task", path)[0].splitlines()]
        found = {int(pid): (int(count), name) for count, _, pid, name in rows if pid != "0"}
        self.assertEqual(found, {pid: (counts[pid], NAMES[pid]) for pid in counts})
        for pid in counts:
            self.assertEqual(int(self.earshot("grep", "-c", "--task", pid, path)[0]), counts[pid])
            out, _ = self.earshot("diff", "--task", pid, "--elf", ELF, path, path)
            self.assertTrue(out.startswith(f"the same: {counts[pid]} records"), out)

    def rows(self, path, key, *arguments):
        return json.loads(self.earshot("profile", "-q", "-f", "json", "--by", key, *arguments, path)[0])["rows"]

    def test_a_profile_by_task_is_what_the_program_counts(self):
        path, _, counts, uart = self.take("--time", "record")
        rows = self.rows(path, "task")
        found = {row["pid"]: (row["counts"]["records"], row["name"]) for row in rows if row["pid"]}
        self.assertEqual(found, {pid: (counts[pid], NAMES[pid]) for pid in counts})
        for pid, _, trapped, interrupted in COUNTS.findall(uart):
            row = next(row for row in rows if row["pid"] == int(pid))["counts"]
            self.assertEqual((row["traps"], row["interrupts"]), (int(trapped), int(interrupted)))
        total = json.loads(self.earshot("profile", "-q", "-f", "json", path)[0])["total"]
        for key in some("task", "privilege", "process", "hart", gate=2):
            for name, count in total.items():
                self.assertEqual(sum(row["counts"][name] for row in self.rows(path, key)), count, (key, name))
        processes = {row["process"]: row["counts"]["records"] for row in self.rows(path, "process")}
        self.assertEqual(processes[2], counts[2] + counts[3])
        out, _ = self.earshot("profile", "-q", "--by", "task", path)
        self.assertIn("3  worker  (of 2)", out)
        # The functions of one task; a store to the port is as good as its event.
        for pid in some(*counts, gate=2):
            own = json.loads(self.earshot("profile", "-q", "-f", "json", "--task", str(pid), path)[0])
            self.assertEqual(own["total"], next(row["counts"] for row in rows if row["pid"] == pid))
            self.assertEqual(sum(f["self"]["records"] for f in own["functions"]), counts[pid])
        plain = self.folder / "plain.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", plain, path)
        stores = self.rows(plain, "task", "-i", "whisper", "--event-port", PORT, "--elf", str(ELF))
        self.assertEqual([(row["pid"], row["counts"]["records"]) for row in stores],
                         [(row["pid"], row["counts"]["records"]) for row in rows])

    def parts(self, count, command, *arguments):
        """Files of the parts of what the command counts."""
        paths = []
        for number in range(1, count + 1):
            out, _ = self.earshot(command, "-q", "--part", f"{number}/{count}", *arguments)
            paths.append(self.folder / f"{number}-{count}.part")
            paths[-1].write_text(out)
        return paths

    def check_parts(self, path, command, options, count, views=((),)):
        """Parts, and threads, say what the whole does. views: said when parts are put together."""
        parts = self.parts(count, command, *options, path)
        for view in views:
            whole, _ = self.earshot(command, "-q", *options, *view, path)
            self.assertEqual(self.earshot(command, "-q", *options, *view, *parts)[0], whole, (command, options, view))
            self.assertEqual(self.earshot(command, "-q", "-j", 2, *options, *view, path)[0], whole, (options, view))

    @night
    def test_parts_of_a_profile_of_tasks(self):
        path, *_ = self.take("--time", "record")
        for options, count in some((("--by", "task"), 5), (("--by", "process"), 2), (("--by", "privilege"), 3),
                                   (("--by", "hart"), 2), (("--methods",), 20), (("--task", "worker"), 12),
                                   (("--task", "2", "--interrupts-inside"), 3), (("--by", "task"), 30)):
            self.check_parts(path, "profile", options, count, (("-f", "json"), ()))
        for options in some(("--methods",), ("--by", "task"), ("--task", "7")):
            self.check_parts(path, "profile", (*options, "--from", "60000", "--to", "160000"), 2)
        # Times and names come from what the parts before have, too.
        rows = self.rows(path, "task", "--from", 81234)
        self.assertEqual({row["name"] for row in rows if row["pid"]} - set(NAMES.values()), set())

    def test_parts_with_other_tasks_are_refused(self):
        path, *_ = self.take()
        one, two = self.parts(2, "profile", "--by", "task", path)
        for options, message in (((), "a part of 'earshot profile --by task'"), (("--by", "process"), "--by task"),
                                 (("--by", "task", "--event-port", PORT), "another --task or --event-port")):
            self.assertIn(message, self.earshot("profile", "-q", *options, one, two, status=2)[1])
        one, two = self.parts(2, "profile", "--task", "3", path)
        for options in ((), ("--task", "worker"), ("--task", "3" * 80)):
            self.assertIn("another --task", self.earshot("profile", "-q", *options, one, two, status=2)[1])
        self.assertIn("one trace", self.earshot("profile", "-q", "--task", "3", path, path, status=2)[1])

    def test_methods_from_a_place(self):
        """What ran from a place on is what ran in all, less what ran before it; what runs there was not called after it."""
        path, *_ = self.take("--time", "record")
        def rows(*places):
            text = self.earshot("profile", "-q", "-f", "json", "--methods", *places, path)[0]
            return {(row["native"], row["address"]): row for row in json.loads(text)["methods"]}
        whole = rows()
        for place in some(60000, 81234, 140000):
            before, after = rows("--to", place - 1), rows("--from", place)
            for name, row in whole.items():
                for what in ("self", "inclusive"):
                    sums = [one[name][what]["records"] for one in (before, after) if name in one]
                    self.assertEqual(sum(sums), row[what]["records"], (place, name, what))
                self.assertEqual(sum(one[name]["calls"] for one in (before, after) if name in one), row["calls"])

    def test_a_profile_of_tasks_from_a_place(self):
        """What lies between two places is what the run has up to the second, less that before the first."""
        path, *_ = self.take("--time", "record")
        for first, last in some((1, 70000), (60000, 60000), (81234, 140000)):
            for key in ("task", "process", "privilege", "hart"):
                known = lambda *places: {row.get("pid", row.get(key)): row["counts"]["records"]
                                         for row in self.rows(path, key, *places)}
                before, whole = known("--to", str(first - 1)), known("--to", str(last))
                found = known("--from", str(first), "--to", str(last))
                self.assertEqual(sum(found.values()), last - first + 1)
                self.assertEqual(found, {one: count - before.get(one, 0) for one, count in whole.items()
                                         if count > before.get(one, 0)}, (first, key))
            tasks = {row["pid"]: row["counts"]["records"]
                     for row in self.rows(path, "task", "--from", str(first), "--to", str(last))}
            for pid, count in tasks.items():
                own = json.loads(self.earshot("profile", "-q", "-f", "json", "--task", str(pid), "--from", str(first), "--to",
                                              str(last), path)[0])
                self.assertEqual(own["total"]["records"], count, pid)

    @night
    def test_coverage_of_a_task_is_of_its_records(self):
        path, _, _, _ = self.take()
        records = [record for record in self.records(path) if "pc" in record]
        for task in some(*sorted({record["task"] for record in records if record["task"]}), gate=2):
            own = collections.Counter(record["mnemonic"] for record in records if record["task"] == task and
                                      not record.get("interrupt") and not record.get("trap"))
            bins = json.loads(self.earshot("coverage", "--isa", "-q", "-f", "json", "--task", task, path)[0])["rows"]
            found = {row["name"]: row["count"] for row in bins if row["group"] == "opcode"}
            self.assertEqual({name: count for name, count in found.items() if count and name not in ("ecall", "ebreak")},
                             dict(own))
            pcs = {int(record["pc"], 0) for record in records if record["task"] == task and not record.get("interrupt")}
            out = self.earshot("coverage", "-q", "-o", "-", "--task", task, path)[0]
            branches = {int(line.split(",")[1]) for line in out.splitlines()
                        if line.startswith("BRDA:") and not line.endswith(",-")}
            self.assertLessEqual(branches, pcs)
            self.assertGreater(len(branches), 0)
            # What lies before a place and what comes after it, from which the tasks are known there.
            size = len(records)
            halves = [json.loads(self.earshot("coverage", "--isa", "-q", "-f", "json", "--task", task, *words, path,
                                              status=None)[0] or '{"rows": []}')["rows"]
                      for words in (("--to", size // 2 - 1), ("--from", size // 2))]
            sums = collections.Counter()
            for row in (row for rows in halves for row in rows if row["group"] == "opcode"):
                sums[row["name"]] += row["count"]
            self.assertEqual(+sums, collections.Counter({name: count for name, count in found.items() if count}))
        for more in ((), ("--isa",)):
            self.assertIn("no task is", self.earshot("coverage", "-q", "--task", "nobody", *more, path, status=2)[1])

    @night
    def test_parts_of_a_coverage_of_a_task(self):
        path, *_ = self.take()
        for task, count in some(("worker", 3), ("0", 2), ("worker", 7)):
            self.check_parts(path, "coverage", ("--isa", "--task", task), count, (("-f", "json"),))
        self.check_parts(path, "coverage", ("--task", "init"), 12, (("-o", "-"),))
        self.check_parts(path, "coverage", ("--isa", "--task", "5", "--from", "80000", "--to", "200000"), 2)
        for more in ((), ("--isa",)):
            one, two = self.parts(2, "coverage", *more, "--task", "7", path)
            for words in ((), ("--task", "worker"), ("--task", "7", "--event-port", PORT)):
                _, error = self.earshot("coverage", "-q", *more, *words, one, two, status=2)
                self.assertIn("--task or --event-port", error)
            # It does not run in the first part; that it runs nowhere is known when all are there.
            self.earshot("coverage", "-q", *more, "--task", "7", one, two)
            text = two.read_text()
            for old, new in (("\ntask 1 ", "\ntusk 1 "), ("\ntask 1 ", "\ntask 2 ")):
                two.write_text(text.replace(old, new))
                self.assertIn("line 7: ", self.earshot("coverage", "-q", *more, "--task", "7", one, two, status=2)[1])
            nobody = self.parts(2, "coverage", *more, "--task", "nobody", path)
            self.assertIn("no task is", self.earshot("coverage", "-q", *more, "--task", "nobody", *nobody, status=2)[1])

    def test_methods_are_slices_of_a_timeline(self):
        path, _, _, _ = self.take()
        words = self.folder / "words.json"
        words.write_text(self.text(path))
        stacks, expected, number = collections.defaultdict(list), set(), 0
        for record in self.records(path):
            number += record["kind"] == "instruction"
            if record["kind"] == "event" and record["source"] == 0 and record["name"].startswith(("method", "native")):
                kind, pid, address = record["name"].split()
                if kind.endswith("enter"):
                    stacks[pid].append((address, number))
                else:
                    entered, begin = stacks[pid].pop()
                    self.assertEqual(entered, address)
                    expected.add((pid, address, begin, number - begin, kind.endswith("unwind")))
        self.assertGreater(len(expected), 20)
        for trace in (path, words):
            out = self.folder / "methods.json"
            self.earshot("timeline", "-q", "-o", out, trace)
            events = json.loads(out.read_text())["traceEvents"]
            tracks = {event["tid"]: event["args"]["name"] for event in events
                      if event["name"] == "thread_name" and event["args"]["name"].startswith("methods")}
            found = {(tracks[event["tid"]].split()[3], event["name"].strip("[]"), event["args"]["record"],
                      round(event["dur"] * 1000), event["args"].get("end") == "unwound")
                     for event in events if event.get("cat") == "method"}
            self.assertEqual(found, expected)
        self.assertIn("methods of task 4 /bin/vm", tracks.values())  # of the words, which have names
        self.earshot("timeline", "-q", "--task", "4", "-o", out, path)
        events = json.loads(out.read_text())["traceEvents"]
        self.assertEqual(sum(event.get("cat") == "method" for event in events), sum(pid == "4" for pid, *_ in expected))

    def test_memory_and_calls_of_a_task_are_of_its_records(self):
        path, _, counts, uart = self.take()
        records = [record for record in self.records(path) if "pc" in record]
        truth = {int(pid): int(count) for pid, count, _ in CALLS.findall(uart)}
        for task in some(*sorted(counts, key=lambda pid: pid not in truth)):
            own = [record for record in records if record["task"] == task]
            pages, written = collections.Counter(), set()
            for record in own:
                for access in record.get("memory", ()) if not record.get("trap") and not record.get("interrupt") else ():
                    address = int(access["address"], 16)
                    pages[address // 4096, access["write"]] += 1
                    written |= set(range(address, address + access["size"]))
            found = json.loads(self.earshot("memory", "-q", "-f", "json", "--task", task, path)[0])
            self.assertEqual(found["records"], counts[task])
            self.assertEqual({(int(row["address"], 16) // 4096, write): row["writes" if write else "reads"]
                              for row in found["page"] for write in (False, True) if row["writes" if write else "reads"]}, pages)
            self.assertEqual(sum(row["touched"] for row in found["page"]), len(written))
            self.assertEqual(found["uninitialized"], [])  # what another task wrote is written
            # From the middle on, in the same way: the switches before it are known.
            late = json.loads(self.earshot("memory", "-q", "-f", "json", "--task", task, "--from", 40000, path)[0])
            self.assertEqual(late["records"], sum(record["task"] == task for record in records[40000:]))
            if task in truth:
                rows = self.earshot("calls", "-q", "-f", "json", "--function", "go_down", "--task", task, path)[0]
                self.assertEqual(len(rows.splitlines()) - 1, truth[task])  # the last one is the verdict
        stacks = json.loads(self.earshot("memory", "-q", "-f", "json", "--stack", path)[0])["stack"]
        names = {row["task"]: row["task_name"] for row in stacks}
        self.assertEqual({pid: name for pid, name in names.items() if pid in NAMES}.items() - NAMES.items(), set())
        self.assertLessEqual({1, 2, 3, 4}, set(names))
        for command in ("memory", "calls"):
            self.assertIn("no task is", self.earshot(command, "-q", "--task", "nobody", path, status=2)[1])

    @night
    def test_parts_of_the_calls_of_a_task(self):
        path, *_ = self.take("--time", "record")
        views = (), ("--summary", "-f", "json"), ("--depth", "3", "-f", "csv"), ("--limit", "25"), ("--histogram", "go_down")
        self.check_parts(path, "calls", ("--task", "2"), 3, views)
        self.check_parts(path, "calls", ("--task", "2"), 7, views)
        self.check_parts(path, "calls", ("--task", "worker"), 20, (("-f", "json"),))
        self.check_parts(path, "calls", ("--task", "0", "--from", "70000", "--to", "190000"), 2)
        one, two = self.parts(2, "calls", "--task", "5", path)
        for words in ((), ("--task", "worker"), ("--task", "5", "--event-port", PORT)):
            self.assertIn("another --task", self.earshot("calls", "-q", *words, one, two, status=2)[1])
        nobody = self.parts(2, "calls", "--task", "nobody", path)
        self.assertIn("no task is", self.earshot("calls", "-q", "--task", "nobody", *nobody, status=2)[1])

    def test_records_say_their_task(self):
        path, _, counts, _ = self.take()
        text, records = self.text(path), [record for record in self.records(path) if record["kind"] == "instruction"]
        found = collections.Counter(record["task"] for record in records)
        self.assertEqual({pid: count for pid, count in found.items() if pid}, counts)
        # A task has the name of its parent until it gets its own: the last one is the one that it is known by.
        self.assertEqual({record["task"]: record.get("task_name") for record in records if record["task"]}, NAMES)
        again, out = self.folder / "again.json", self.folder / "out.json"
        again.write_text(text)
        self.earshot("convert", "-q", "-i", "json", "-f", "json", "-o", out, again)
        self.assertEqual(*([(found := TASK.search(line)) and found[1] for line in one.splitlines()]
                           for one in (out.read_text(), text)))

    @night
    def test_methods_have_what_ran_in_them(self):
        """By hand: a stack of methods for each task, from the events in their order."""
        path, events, _, _ = self.take("--time", "record")
        own, whole, calls = collections.Counter(), collections.Counter(), collections.Counter()
        stacks, running = collections.defaultdict(list), 0
        for record in self.records(path):
            if record["kind"] == "event" and record["source"] == 0:
                kind, *rest = record["name"].split()
                if kind == "switch":
                    running = int(rest[0])
                elif kind.endswith("-enter"):
                    stacks[int(rest[0])].append((kind[0] == "n", rest[1]))
                    calls[stacks[int(rest[0])][-1]] += 1
                elif kind.endswith(("-exit", "-unwind")):
                    self.assertEqual(stacks[int(rest[0])].pop(), (kind[0] == "n", rest[1]))
            elif record["kind"] == "instruction":
                stack = stacks[running]
                own[stack[-1] if stack else None] += 1
                for method in set(stack) or {None}:
                    whole[method] += 1
        found = json.loads(self.earshot("profile", "-q", "-f", "json", "--methods", path)[0])
        rows = {(row["native"], row["address"]) if row["address"] else None: row for row in found["methods"]}
        self.assertEqual({key: row["self"]["records"] for key, row in rows.items()}, dict(own))
        self.assertEqual({key: row["inclusive"]["records"] for key, row in rows.items()}, dict(whole))
        self.assertEqual({key: row["calls"] for key, row in rows.items() if key}, dict(calls))
        self.assertEqual(found["unmatched"], 0)
        self.assertEqual(sum(calls.values()), sum("-enter " in words for words in events))
        total = json.loads(self.earshot("profile", "-q", "-f", "json", path)[0])["total"]
        self.assertEqual(sum(row["self"]["clocks"] for row in found["methods"]), total["clocks"])
        self.assertIn("(native)", self.earshot("profile", "-q", "--methods", path)[0])

    def test_events_from_handlers_that_lie_on_each_other(self):
        """Also: each cause has as many traps as the program took."""
        for unit in some("small", "raw", "unified"):
            with self.subTest(unit):
                path = self.folder / "n.shot"
                self.capture(path, "tasks_nested", keys=f",unit={unit}")
                uart = (self.folder / "n.shot.uart").read_text()
                events = TRUTH.findall(uart)
                self.assertGreater(len(events), 400)
                text = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", "--tasks", "--elf",
                                    PROGRAMS / "tasks_nested.elf", path)[0]
                self.assertEqual(self.events_of(text), events)
                lines = [line for line in text.splitlines() if '"trap":' in line or '"interrupt":' in line]
                traps = collections.Counter(record["cause"] for record in map(json.loads, lines)
                                            if record.get("trap") or record.get("interrupt"))
                counts = {name: int(count) for name, count in re.findall(r"^traps (\w+) (\d+)$", uart, re.M)}
                self.assertEqual({CAUSES[cause]: count for cause, count in traps.items()}, counts)
                self.assertGreaterEqual(int(re.search(r"^depth (\d+)$", uart, re.M)[1]), 3)

    def test_a_task_does_the_same_whenever_it_is_interrupted(self):
        path, _, _, uart = self.take()
        slow = self.folder / "slow.shot"
        self.capture(slow, "tasks_slow", keys=",unit=small")
        taken = [dict(re.findall(r"^task (\d+) \d+ \d+ (\d+)$", text, re.M))
                 for text in (uart, (self.folder / "slow.shot.uart").read_text())]
        # What a task asks of the system shows what others do; these two ask for nothing but their end.
        compare = ["diff", "--only", "pc,opcode", "--elf", ELF]
        self.earshot(*compare, path, slow, status=1)
        for pid in some("3", "6", "4", "7", gate=2):
            self.assertGreater(int(taken[0][pid]), int(taken[1][pid]))
            self.earshot(*compare, "--task", pid, path, slow, status=1)
            out, _ = self.earshot(*compare, "--task", pid, "--interrupts", "skip", path, slow)
            self.assertRegex(out, r"^the same: \d{4} records")
            self.assertIn(f"skipped {taken[0][pid]} handlers", out)

    @night
    def test_a_folder_is_written_while_the_capture_runs(self):
        folder = self.folder / "q"
        path, events, *_ = self.take("--time", "record", "-f", "qtrace", "-o", folder)
        self.check_folder(folder, path, events)

    def check_folder(self, folder, path, events):
        self.assertEqual(self.events("--tasks", "--elf", ELF, path), events)
        kept = [words for words in events if not words.startswith(("mark", "counter"))]
        self.assertEqual([words for words in self.events(folder) if not words.startswith("exception")], kept)
        self.check_tools(folder, kept)
        # An instruction of 32 bits has two entries there, and is one record all the same.
        rows = [line.split() for line in self.earshot("grep", "--count-by", "task", folder)[0].splitlines()]
        self.assertEqual({int(pid): name for _, _, pid, name in rows}, {0: "kernel", **NAMES})

    def check_tools(self, folder, events):
        kinds = ("method-enter", "method-exit", "method-unwind", "", "native-enter", "native-exit", "native-unwind")
        out, _ = self.earshot("android", "read_method", folder)
        rows = [line.split() for line in out.splitlines() if not line.startswith(" ")]
        self.assertEqual([f"{kinds[int(row[4])]} {row[2]} {row[3]}" for row in rows],
                         [words for words in events if words.startswith(("method", "native"))])
        out, _ = self.earshot("android", "read_pid", folder)
        lines = [line.split(" ", 1)[1] for line in out.splitlines() if line.startswith("t")]
        others = [words.split() for words in events if not words.startswith(("method", "native"))]
        self.assertEqual(len(lines), len(others))
        for line, (kind, *rest) in zip(lines, others):
            if kind in ("switch", "exit"):
                self.assertEqual(line, f"{kind} {rest[0]}")
            elif kind in ("fork", "clone"):
                self.assertEqual(line, f"{kind} tgid {rest[0]} pid {rest[1]}")
            elif kind == "exec":
                self.assertEqual(line, f"argc: {len(rest)}")
            elif kind == "name":
                self.assertEqual(line, f"name {rest[0]} {rest[1]}")
        out, _ = self.earshot("android", "profile_pid", folder)
        rows = [line.split() for line in out.splitlines()[1:]]
        found = {int(row[0]): (int(row[1]), " ".join(row[5:])) for row in rows}
        self.assertEqual(found, {0: (0, "T kernel"), 1: (0, "T init"), 2: (1, "sh -c make"), 3: (2, "T worker"),
                                 4: (1, "/bin/vm -v"), 5: (1, "sh -c make"), 6: (5, "T worker"), 7: (1, "/bin/vm -v")})

    def test_clocks_and_calls_are_those_that_the_program_counts(self):
        for unit in some("small", "raw", "unified"):
            with self.subTest(unit):
                folder = self.folder / f"q-{unit}"
                path, events, _, uart = self.take("--time", "record", "-o", f"{folder}/", keys=f",unit={unit}")
                self.check_folder(folder, path, events)
                self.assertEqual(self.earshot("android", "check_trace", folder, ELF), ("", ""))
                out, _ = self.earshot("android", "profile_pid", folder)
                cycles = {int(row[0]): int(row[2]) for row in map(str.split, out.splitlines()[1:])}
                total, kernel = sum(cycles.values()), cycles.pop(0)
                self.assertEqual(cycles, {int(pid): int(count) for pid, count in CLOCKS.findall(uart)})
                self.assertGreater(kernel, 0)
                self.check_functions(folder, path, uart, total)
                self.check_calls(folder, uart)
                self.check_dmtrace(folder, total)

    def check_functions(self, folder, path, uart, total):
        """The clocks of each function, also by the records of the capture alone; those of span() by the program."""
        out, _ = self.earshot("android", "profile_trace", folder, ELF)
        self.assertIn(f"total cycles: {total},", out)
        found = {row[-1]: int(row[1]) for row in map(str.split, out.splitlines()[3:])}
        names = subprocess.run(["riscv64-unknown-elf-nm", "-n", ELF], check=True, capture_output=True, text=True).stdout
        symbols = [(int(address, 16), name) for address, kind, name in map(str.split, names.splitlines())
                   if kind in "tTwW" and name != "__text_end"]
        begins = [address for address, _ in symbols]
        text = self.earshot("decode", "-q", "-f", "json", path)[0]
        records = [record for record in json_lines(text)
                   if record["kind"] == "instruction" and not record.get("interrupt")]
        spent = collections.Counter()
        for record, after in zip(records, records[1:]):
            name = symbols[bisect.bisect(begins, int(record["pc"], 16)) - 1][1]
            spent[name] += after["time"] - record["time"]
        last = symbols[bisect.bisect(begins, int(records[-1]["pc"], 16)) - 1][1]
        spent[last] += total - sum(spent.values())
        self.assertEqual(found, +spent)
        count, clocks = map(int, SPAN.search(uart).groups())
        # What is before and after the two reads of the counter takes as long each time.
        self.assertGreater(found["span"], clocks)
        self.assertEqual((found["span"] - clocks) % count, 0)

    def check_calls(self, folder, uart):
        out, _ = self.earshot("android", "stack_dump", folder, ELF)
        entered, deepest, active = collections.Counter(), collections.Counter(), collections.Counter()
        depths = collections.Counter()
        for line in out.splitlines():
            _, kind, _, pid, _, depth, _, name = line.split()
            # Each task's calls lie on each other, and all of them end.
            depths[pid] -= kind == "x"
            self.assertEqual(depths[pid], int(depth.rstrip(".")), line)
            depths[pid] += kind == "en"
            if name == "go_down":
                entered[int(pid)] += kind == "en"
                active[pid] += 1 if kind == "en" else -1
                deepest[int(pid)] = max(deepest[int(pid)], active[pid])
        self.assertEqual(set(depths.values()) | set(active.values()), {0})
        truth = {int(pid): (int(count), int(depth)) for pid, count, depth in CALLS.findall(uart)}
        self.assertEqual({pid: (entered[pid], deepest[pid]) for pid in truth}, truth)
        self.assertEqual(sum(entered.values()), sum(count for count, _ in truth.values()))

    def check_dmtrace(self, folder, total):
        if not shutil.which("dmtracedump"):
            self.skipTest("dmtracedump is not installed")
        path = self.folder / "t.trace"
        self.earshot("android", "q2dm", folder, ELF, path)
        out = subprocess.run(["dmtracedump", path], check=True, capture_output=True, text=True, timeout=60).stdout
        self.assertIn(f"Total cycles: {total}\n", out)


if __name__ == "__main__":
    main()
