#!/usr/bin/env python3
"""qtrace folders (docs/android.md): what the command reads from them, by a reader of its own.

Of the rules of section 5, assert_rules looks at 1 to 10 and 13 in each folder that a test makes. Tests that fail where
the writer does not keep a rule, whatever the records say:

 1, 2, 3  test_what_happens_at_one_moment_is_at_times_of_its_own, test_random_records_come_back_and_keep_the_rules
 4        test_qtrace_random.py
 5        test_a_block_ends_after_512_entries_and_at_a_page, test_an_instruction_is_in_one_block_whole
 6        test_wide_pids_become_others, test_a_pid_has_one_number_however_often_it_comes
 7, 8     test_random_records_come_back_and_keep_the_rules, test_wide_pids_become_others
 9        every test: a reader of its own wants the files and their end marks
10        test_random_records_come_back_and_keep_the_rules, test_records_without_time_take_a_clock_each
11        test_android_tools.py: test_an_elf_file_of_64_bits_is_none_for_the_tools
12        test_what_the_format_cannot_hold_is_refused_with_a_sentence, test_each_hart_has_a_folder,
          test_the_rest_of_a_trace_is_refused_where_an_address_or_hart_does_not_fit
13        every test, by the counts of a model
14        test_a_trace_that_stops_inside_of_a_block_has_what_ran
"""
import json
import random
import sys

from support import TREE, Case, main

sys.path.insert(0, str(TREE / "tests" / "support"))
import qtrace_model

SAMPLE = TREE / "tests" / "data" / "qtrace" / "sample1"


def entries(log):
    """(time, pc, word) of each entry."""
    for run in log.runs:
        address, words = log.blocks[run.number - 1]
        step = 2 if address & 1 else 4
        for i, time in enumerate(run.times):
            yield time, (address & ~1) + step * i, words[i]


class Android(Case):
    def records(self, folder):
        out, _ = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", folder)
        return [json.loads(line) for line in out.splitlines()]

    def test_raw_and_post_processed_folders_have_the_same_records(self):
        out, _ = self.earshot("diff", SAMPLE / "raw", SAMPLE / "post")
        self.assertTrue(out.startswith("the same: 1141 records"), out)
        self.assertEqual(self.records(SAMPLE / "raw"), self.records(SAMPLE / "post"))

    def test_instructions_are_those_of_the_log(self):
        log = qtrace_model.read(SAMPLE / "raw")
        expected = {pc: time for time, pc, _ in entries(log)}
        times = sorted((time, pc) for time, pc, _ in entries(log))
        found = [record for record in self.records(SAMPLE / "raw") if record["kind"] == "instruction"]
        own = []
        for record in found:
            pc = int(record["pc"], 16)
            own.append((record["time"], pc))
            if record["isa"] == "thumb" and record["opcode_size"] == 4:
                own.append((None, pc + 2))
        self.assertEqual(len(own), len(times))
        self.assertEqual({pc for _, pc in own}, set(expected))
        self.assertLessEqual({row for row in own if row[0] is not None}, set(times))
        words = {pc: word for _, pc, word in entries(log)}
        for record in found:
            if record["isa"] == "arm":
                self.assertEqual(int(record["opcode"], 16), words[int(record["pc"], 16)])

    def test_accesses_are_those_of_the_log(self):
        log = qtrace_model.read(SAMPLE / "raw")
        memory = [access for record in self.records(SAMPLE / "raw") for access in record.get("memory", ())]
        for rows, write in (log.loads, False), (log.stores, True):
            found = [int(access["address"], 16) for access in memory if access["write"] == write]
            self.assertEqual(found, [address for _, address in rows])

    def test_events_are_those_of_the_log(self):
        found = [(record["time"], record["name"]) for record in self.records(SAMPLE / "raw")
                 if record["kind"] == "event"]
        log = qtrace_model.read(SAMPLE / "raw")
        self.assertEqual(len(found), len(log.events) + len(log.methods) + sum(bool(run.exception) for run in log.runs))
        for time, kind, numbers, texts in log.events:
            if kind == 3:
                self.assertIn((time, f"switch {numbers[0]}"), found)
            if kind == 12:
                self.assertIn((time, f"name {numbers[0]} {texts[0].decode()}"), found)
        for run in log.runs:
            if run.exception:
                time, pc, target = run.exception
                self.assertIn((time, f"exception {pc:#x} {target:#x}"), found)
        for time, address, pid, kind in log.methods:
            word = ("native-" if kind & 4 else "method-") + ("enter", "exit", "unwind")[kind & 3]
            self.assertIn((time, f"{word} {pid} {address:#x}"), found)

    def test_records_are_found_by_task(self):
        log, names = qtrace_model.read(SAMPLE / "raw"), {0: "swapper", 1: "init", 100: "app_main", 101: "worker_thr"}
        switches = [(time, numbers[0]) for time, kind, numbers, _ in log.events if kind == 3]
        tasks = {}
        for record in self.records(SAMPLE / "raw"):
            if record["kind"] == "instruction":
                pid = ([0] + [pid for time, pid in switches if time <= record["time"]])[-1]
                tasks.setdefault(pid, []).append(record["index"])
        self.assertEqual(set(tasks), set(names))
        out, _ = self.earshot("grep", "--count-by", "task", SAMPLE / "raw")
        self.assertEqual({tuple(line.split()) for line in out.splitlines()},
                         {(str(len(tasks[pid])), "task", str(pid), names[pid]) for pid in tasks})

        def found(*options):
            out, _ = self.earshot("grep", "-f", "json", *options, SAMPLE / "raw")
            return [record["index"] for record in map(json.loads, out.splitlines())
                    if record.get("kind") == "instruction"]
        for pid in tasks:
            self.assertEqual(found("--task", pid), tasks[pid])
        self.assertEqual(found("--task=101", "--from", tasks[101][3], "-m2"), tasks[101][3:5])
        self.assertEqual(found("--task=101", "--first"), tasks[101][:1])
        # By the name that a task had then: a child has that of its parent, a program its own.
        self.assertEqual(found("--task", "init"), sorted(tasks[1] + [index for index in tasks[100] if index < 91]))
        self.assertEqual(found("--task", "worker_thr"), [index for index in tasks[101] if index >= 826])
        self.assertEqual(found("--task", "app"), [index for index in tasks[100] if 91 <= index < 140])
        self.earshot("grep", "--task", "nobody", SAMPLE / "raw", status=1)
        text = self.folder / "t.csv"
        self.earshot("convert", "-q", "--quiet-loss", "-f", "json", "-o", text, SAMPLE / "raw")
        out, _ = self.earshot("grep", "--task", 101, "-c", text)
        self.assertEqual(int(out), len(tasks[101]))
        plain = self.folder / "plain.json"
        plain.write_text("".join(line for line in text.read_text().splitlines(True) if '"event"' not in line))
        _, error = self.earshot("grep", "--task", 5, plain, status=1)
        self.assertIn("no event says which task runs", error)


PC = 0x80000000
CODE = [(0x00150513, 4), (0x0001, 2), (0x00052583, 4), (0x00B52223, 4), (0x0505, 2), (0xFE0518E3, 4), (0x0000006F, 4)]
EVENTS = ("process {pid} {pid} task", "switch {pid}", "fork {pid} {pid}", "clone {pid} {pid}", "exec /bin/a -v \"\"",
          "exit -3", "name {pid} n\\x20x", "mmap 0x1000 0x2000 0x0 /lib/x.so", "munmap 0x1000 0x2000",
          "symbol 0x4000 init", "symbol-gone 0x4000", "method-enter {pid} 0x42000100", "native-exit {pid} 0x42000100",
          "method-unwind {pid} 0x0", "exception 0x80000000 0x80000000")


def random_records(rng, count, timed=True, wide=False):
    """JSON lines of RISC-V instructions in straight runs, with accesses and events between them."""
    time, pc, lines = rng.randint(0, 3), PC, []
    for index in range(count):
        if rng.random() < 0.1:
            pid = rng.choice((0, 1, 2, 77, 32767) + ((32768, 40000, 1 << 40) if wide else ()))
            event = {"kind": "event", "hart": 0, "index": index, "source": 0, "value": "0x0", "words": ["0x0", "0x0"],
                     "name": rng.choice(EVENTS).format(pid=pid)}
            lines.append(event | ({"time": time} if timed else {}))
        opcode, size = rng.choice(CODE)
        record = {"kind": "instruction", "hart": 0, "index": index, "xlen": 32, "pc": hex(pc), "opcode": hex(opcode),
                  "opcode_size": size}
        time += rng.choice((0, 0, 1, 1, 1, 2, 50, 5000))
        if timed:
            record["time"] = time
        if opcode in (0x00052583, 0x00B52223):
            record["memory"] = [{"write": opcode == 0x00B52223, "address": hex(rng.choice((0x1000, 0x1000, 0x2000))),
                                 "size": 4}]
        if opcode == 0x0505 and rng.random() < 0.05:
            record["memory"] = [{"write": bool(i & 1), "address": "0x1000", "size": 4} for i in range(6)]
        lines.append(record)
        jumps = opcode in (0xFE0518E3, 0x0000006F) and rng.random() < 0.7 or rng.random() < 0.01
        pc = PC + 2 * rng.randrange(0x1000) if jumps else pc + size
    return lines


def instruction(pc, opcode, size, time=None):
    record = {"kind": "instruction", "hart": 0, "index": 0, "xlen": 32, "pc": hex(pc), "opcode": hex(opcode), "opcode_size": size}
    return record if time is None else record | {"time": time}


def event(name, time=None):
    record = {"kind": "event", "hart": 0, "index": 0, "source": 0, "value": "0x0", "words": ["0x0", "0x0"], "name": name}
    return record if time is None else record | {"time": time}


class Writing(Case):
    def make(self, records, name="q", status=0):
        text = self.folder / f"{name}.jsonl"
        text.write_text("".join(json.dumps(record) + "\n" for record in records))
        folder = self.folder / name
        _, error = self.earshot("convert", "--quiet-loss", "-f", "qtrace", "-o", f"{folder}/", text, status=status)
        return folder, error

    def records(self, folder):
        out, _ = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", folder)
        return [json.loads(line) for line in out.splitlines()]

    def assert_rules(self, folder):
        """docs/android.md, section 5; returns the log."""
        log = qtrace_model.read(folder)
        self.assertTrue(all(a.time < b.time for a, b in zip(log.runs, log.runs[1:])))
        self.assertTrue(all(a[0] < b[0] for a, b in zip(log.methods, log.methods[1:])))
        for rows in log.loads, log.stores:
            self.assertTrue(all(a != b for a, b in zip([(0, 0)] + rows, rows)))
        self.assertTrue(all(0 < len(words) <= 512 for _, words in log.blocks))
        self.assertTrue(all(run.times[0] == run.time for run in log.runs))
        self.assertGreater(log.end, max((run.times[-1] for run in log.runs), default=0))
        pid, named, known = 0, set(), set()
        self.assertEqual(log.events[0][1:3], (7, (0, 0)))
        for time, kind, numbers, _ in log.events:
            if kind in (1, 2):
                self.assertIn(pid, named)
            if kind == 4:
                self.assertNotEqual(pid, 0)
            if kind == 3:
                pid = numbers[0]
            for number in numbers if kind in (1, 2, 3, 7) else numbers[:1] if kind == 12 else ():
                self.assertLess(number, 32768)
            if kind in (1, 2, 3, 7, 12):
                known.add((time, numbers[-1]))
            if kind in (1, 2, 7):
                named.add(numbers[1])
            if kind in (4, 12):
                named.add(pid if kind == 4 else numbers[0])
        for time, _, task, _ in log.methods:
            self.assertTrue(any(then <= time and pid == task for then, pid in known))
        header = qtrace_model.static(log, True)[32:80]
        self.assertEqual((folder / "qtrace.static").read_bytes()[36:80], header[4:])
        return log

    def test_the_sample_comes_back(self):
        folder = self.folder / "sample"
        self.earshot("convert", "-q", "-f", "qtrace", "-o", folder, SAMPLE / "raw")
        self.assert_rules(folder)
        self.assertEqual(self.records(folder), self.records(SAMPLE / "raw"))
        for name in "bb", "insn", "load", "store", "exc", "pid", "method":
            self.assertEqual((folder / f"qtrace.{name}").read_bytes(), (SAMPLE / f"raw/qtrace.{name}").read_bytes())

    def test_random_records_come_back_and_keep_the_rules(self):
        for seed in range(8):
            with self.subTest(seed):
                records = random_records(random.Random(seed), 3000)
                folder, _ = self.make(records, f"r{seed}")
                log = self.assert_rules(folder)
                words = [word for _, _, word in entries(log)]
                self.assertTrue(all(word & 0xFFF000F0 == 0xF7F000F0 for word in words))
                back = [record for record in self.records(folder) if record["kind"] == "instruction"]
                given = [record for record in records if record["kind"] == "instruction"]
                self.assertEqual(len(back), len(given))
                for a, b in zip(given, back):
                    self.assertEqual([int(x["pc"], 16) for x in (a, b)], [int(a["pc"], 16)] * 2)
                    self.assertEqual(int(a["opcode"], 16), int(b["opcode"], 16))
                    self.assertGreaterEqual(b["time"], a["time"])
                    pick = lambda x: sorted((m["write"], int(m["address"], 16)) for m in x.get("memory", ()))
                    self.assertEqual(pick(a), pick(b))
                again = self.folder / f"again{seed}"
                self.earshot("convert", "-q", "--quiet-loss", "-f", "qtrace", "-o", again, folder)
                self.assertEqual(self.records(again), self.records(folder))

    def test_records_without_time_take_a_clock_each(self):
        folder, error = self.make(random_records(random.Random(5), 500, timed=False))
        self.assert_rules(folder)
        self.assertIn("500 instructions have no time", error)

    def test_arm_instructions_without_time_take_the_clocks_of_the_emulator(self):
        """But for misses of its data cache: 30 clocks a load, 5 a store."""
        records, accesses = [], {}
        for record in self.records(SAMPLE / "raw"):
            if record["kind"] == "instruction":
                loads_and_stores = [access["write"] for access in record.pop("memory", ())]
                accesses[len(records)] = loads_and_stores.count(False), loads_and_stores.count(True)
                del record["time"]
                records.append(record)
        folder, error = self.make(records)
        self.assert_rules(folder)
        self.assertIn("1141 instructions have no time: each takes the emulator's clocks, without caches", error)
        original, made = ([record for record in self.records(path) if record["kind"] == "instruction"]
                          for path in (SAMPLE / "raw", folder))
        self.assertEqual([record["pc"] for record in original], [record["pc"] for record in made])
        equal = 0
        for i in range(len(made) - 1):
            late = (original[i + 1]["time"] - original[i]["time"]) - (made[i + 1]["time"] - made[i]["time"])
            loads, stores = accesses[i]
            self.assertIn(late, {30 * a + 5 * b for a in range(loads + 1) for b in range(stores + 1)}, original[i])
            equal += late == 0
        self.assertEqual(equal, 1078)

    def test_wide_pids_become_others(self):
        folder, error = self.make(random_records(random.Random(6), 3000, wide=True))
        self.assert_rules(folder)
        self.assertIn("pids above 32767", error)
        # Beside the files of the format it says which ones they were: they come back.
        lines = (folder / "qtrace.earshot").read_text().splitlines()
        self.assertEqual(lines[:2], ["earshot 1", "isa rv32"])
        self.assertTrue({"40000", "32768", str(1 << 40)} <= {line.split()[2] for line in lines[2:]})
        names = [record["name"] for record in self.records(folder) if record["kind"] == "event"]
        original = [record["name"] for record in random_records(random.Random(6), 3000, wide=True)
                    if record["kind"] == "event"]
        def pids(events):
            words = [event.split() for event in events]
            return [row[:3] if row[0] in ("fork", "clone") else row[:2] for row in words
                    if row[0] in ("switch", "fork", "clone", "name") or row[0].startswith(("method", "native"))]
        self.assertEqual(pids(names), pids(original))
        self.assertIn(["name", str(1 << 40)], pids(names))
        self.assertIn("pid-40000", " ".join(names))
        # A folder that has none of them forgets what was there.
        self.make(random_records(random.Random(6), 100), folder.name)
        self.assertEqual((folder / "qtrace.earshot").read_text(), "earshot 1\nisa rv32\n")
        for damage in ("pid 32768 1", "pid 1", "pid x 1", "pid 1 99999999999999999999", "pid 1 2 3", "pids"):
            (folder / "qtrace.earshot").write_text(f"earshot 1\nisa rv32\n{damage}\n")
            _, error = self.earshot("convert", "-f", "json", folder, status=2)
            self.assertIn("qtrace.earshot: written by a later version", error)

    def test_a_block_ends_after_512_entries_and_at_a_page(self):
        nops = [{"kind": "instruction", "hart": 0, "index": i, "xlen": 32, "pc": hex(PC + 2 * i), "opcode": "0x1",
                 "opcode_size": 2, "time": i + 1} for i in range(3000)]
        log = self.assert_rules(self.make(nops)[0])
        self.assertEqual([len(words) for _, words in log.blocks], [512, 512, 512, 512, 512, 440])
        log = self.assert_rules(self.make([record | {"pc": hex(PC + 0xF00 + 2 * i)}
                                           for i, record in enumerate(nops[:600])], "page")[0])
        self.assertEqual([len(words) for _, words in log.blocks], [128, 472])

    def test_an_instruction_is_in_one_block_whole(self):
        """511 of two bytes, then one of four: it has no room for its second half."""
        records = [instruction(PC + 2 * i, 0x0001, 2, i + 1) for i in range(511)]
        records += [instruction(PC + 2 * 511 + 4 * i, 0x13, 4, 600 + i) for i in range(2)]
        log = self.assert_rules(self.make(records)[0])
        self.assertEqual([len(words) for _, words in log.blocks], [511, 4])
        self.assertEqual([run.times for run in log.runs][1], [600, 600, 601, 601])

    def test_code_that_changes_is_another_block(self):
        """At one address: three instructions, others of the same size, and two of them alone."""
        jump, records = 0x0000006F, []
        first, second, short = [0x13, 0x93, jump], [0x13, 0x113, jump], [0x13, jump]
        for code in first, second, first, second, short, first, short:
            records += [instruction(PC + 4 * i, word, 4, len(records) + i + 1) for i, word in enumerate(code)]
        log = self.assert_rules(self.make(records)[0])
        self.assertEqual([run.number for run in log.runs], [1, 2, 1, 2, 3, 1, 3])
        self.assertEqual([len(words) for _, words in log.blocks], [6, 6, 4])
        self.assertEqual({address for address, _ in log.blocks}, {PC | 1})

    def test_a_block_ends_where_the_run_may_go_elsewhere(self):
        """Also if it goes on: a branch that is not taken, a jump to the next instruction."""
        ends = [(0x00000463, 4), (0x0040006F, 4), (0x00008067, 4), (0x00000073, 4), (0x300022F3, 4), (0xC101, 2), (0xE101, 2),
                (0xA009, 2), (0x2009, 2), (0x8082, 2), (0x9082, 2), (0x9002, 2)]
        goes_on = [(0x13, 4), (0x0000100F, 4), (0x0001, 2), (0x4505, 2), (0x852E, 2), (0x952E, 2), (0x4502, 2), (0xC02A, 2)]
        for xlen in 32, 64:
            for opcode, size in ends + goes_on:
                with self.subTest(hex(opcode), xlen=xlen):
                    records = [instruction(PC, opcode, size, 1), instruction(PC + size, 0x0001, 2, 2)]
                    log = self.assert_rules(self.make([record | {"xlen": xlen} for record in records])[0])
                    both = (opcode, size) in goes_on or (opcode == 0x2009 and xlen == 64)  # c.jal is c.addiw there
                    self.assertEqual(len(log.blocks), 1 if both else 2)

    def test_half_an_instruction_stands_alone(self):
        """A text may show two bytes of a longer instruction: what follows is not its second half."""
        records = [instruction(PC, 0x0013, 2, 1), instruction(PC + 2, 0x0001, 2, 2)]
        folder, _ = self.make(records)
        self.assertEqual([len(words) for _, words in self.assert_rules(folder).blocks], [1, 1])
        back = [record["opcode_size"] for record in self.records(folder) if record["kind"] == "instruction"]
        self.assertEqual(back, [2, 2])

    def test_a_folder_says_how_wide_its_instruction_set_is(self):
        for xlen in 32, 64:
            folder, _ = self.make([instruction(PC, 0x2009, 2, 1) | {"xlen": xlen}], f"rv{xlen}")
            self.assertEqual((folder / "qtrace.earshot").read_text(), f"earshot 1\nisa rv{xlen}\n")
            self.assertEqual([record["xlen"] for record in self.records(folder) if record["kind"] == "instruction"], [xlen])

    def test_traps_and_interrupts_are_exceptions_that_return(self):
        trap = instruction(PC + 4, 0x73, 4, 20) | {"trap": True, "cause": "0xb", "next_pc": "0x80000100"}
        taken = instruction(PC + 0x104, 0x13, 4, 40) | {"interrupt": True, "cause": "0x80000007", "next_pc": "0x80000200"}
        records = [instruction(PC, 0x13, 4, 10), trap, instruction(PC + 0x100, 0x13, 4, 30), taken,
                   instruction(PC + 0x200, 0x13, 4, 50)]
        log = self.assert_rules(self.make(records)[0])
        self.assertEqual([run.time for run in log.runs], [10, 30, 50])
        # Where it is: the address of the block and 4 for each entry before the last, as the emulator has it of Thumb.
        self.assertEqual(log.runs[0].exception, (21, (PC | 1) + 4 * 3, PC + 4))
        self.assertEqual(log.runs[1].exception, (40, (PC + 0x100 | 1) + 4, PC + 0x104))
        self.assertIsNone(log.runs[2].exception)

    def test_what_is_done_otherwise_is_said_with_its_count(self):
        records = [instruction(PC + 4 * i, 0x13, 4, 5) for i in range(3)]
        records += [instruction(PC + 0x100 * i, 0x6F, 4, 5) for i in (1, 2)]
        folder, error = self.make([event("exec /bin/a", 1), event("exec /bin/b", 1)] + records)
        self.assert_rules(folder)
        self.assertIn("2 programs that pid 0 begins are left out", error)
        self.assertIn("2 instructions begin later than they did, as the format wants it", error)

    def test_what_happens_at_one_moment_is_at_times_of_its_own(self):
        """Methods between two instructions, and accesses to one address in one clock."""
        for timed in True, False:
            with self.subTest(timed=timed):
                access = [{"write": False, "address": "0x1000", "size": 4}]
                records = [instruction(PC + 4 * i, 0x00052583, 4, 7 if timed else None) | {"memory": access * 2} for i in range(4)]
                for name in ("method-exit 1 0x100", "method-enter 1 0x100", "method-enter 1 0x100", "switch 1"):
                    records.insert(2, event(name, 7 if timed else None))
                folder, _ = self.make(records, f"moment-{timed}")
                log = self.assert_rules(folder)
                self.assertEqual([row[1:] for row in log.methods], [(0x100, 1, 0), (0x100, 1, 0), (0x100, 1, 1)])
                self.assertEqual([address for _, address in log.loads], [0x1000] * 8)
                # What comes after them begins after them.
                back = [record for record in self.records(folder) if not record.get("name", "").startswith("process")]
                self.assertEqual([record["kind"][0] for record in back], list("iieeeeii"))

    def test_a_trace_that_stops_inside_of_a_block_has_what_ran(self):
        """A block that ran whole before: at the end only its beginning runs, and is counted."""
        code = [(PC, 0x13), (PC + 4, 0x93), (PC + 8, 0xFF9FF06F)]
        records = [instruction(pc, word, 4, i + 1) for i, (pc, word) in enumerate(code * 2 + code[:2])]
        folder, _ = self.make(records)
        log = self.assert_rules(folder)
        self.assertEqual([len(run.times) for run in log.runs], [6, 6, 4])
        self.assertEqual(log.end, 9)
        out, _ = self.earshot("android", "post_trace", folder)
        self.assertRegex(out, r"Dynamic instructions: +16\b")
        # A trace of the emulator says it with an exception without a target, which is kept.
        log.blocks, log.runs = log.blocks[:1], log.runs[:2] + [log.runs[2]]
        log.runs[2].number, log.runs[2].exception = 1, (9, PC + 13, 0)
        qtrace_model.write(self.folder / "q", log)
        again = self.folder / "again"
        self.earshot("convert", "-q", "-o", f"{again}/", self.folder / "q")
        made = self.assert_rules(again)
        self.assertEqual((len(made.runs[2].times), made.runs[2].exception[2]), (4, 0))

    def test_a_pid_has_one_number_however_often_it_comes(self):
        """Also the first one that is too large, before anything else."""
        names = ["switch 32768"] + [f"switch {pid}" for pid in (70000, 32767, 70000, 32768, 5, 32766)] * 3
        records = []
        for i, name in enumerate(names):
            records += [event(name, 2 * i + 1), instruction(PC, 0x6F, 4, 2 * i + 2)]
        folder, _ = self.make(records)
        log = self.assert_rules(folder)
        mapped = [row.split() for row in (folder / "qtrace.earshot").read_text().splitlines()[2:]]
        self.assertEqual(sorted(own for _, _, own in mapped), ["32766", "32767", "32768", "70000"])
        self.assertEqual(len({pid for _, pid, _ in mapped}), 4)
        back = [record["name"] for record in self.records(folder) if record["kind"] == "event"]
        self.assertEqual([name for name in back if name.startswith("switch")], names)
        self.assertEqual(len({numbers[0] for _, kind, numbers, _ in log.events if kind == 3}), 5)

    def test_the_rest_of_a_trace_is_refused_where_an_address_or_hart_does_not_fit(self):
        wide = "0x100000000: this format has addresses of 32 bits"
        for name in ("method-enter 0 0x100000000", "mmap 0x1000 0x100000000 0x0 a", "symbol 0x100000000 a",
                     "exception 0x80000000 0x100000000"):
            with self.subTest(name):
                folder, error = self.make([instruction(PC, 0x13, 4, 1), event(name, 2)], status=2)
                self.assertIn(wide, error)
                self.assertEqual(len(self.records(folder)), 2)
        interrupt = instruction(0x100000000, 0x13, 4, 2) | {"interrupt": True, "cause": "0x80000007"}
        folder, error = self.make([instruction(PC, 0x13, 4, 1), interrupt | {"xlen": 64}], status=2)
        self.assertIn(wide, error)
        folder, error = self.make([instruction(PC, 0x13, 4, 1), event("switch 1", 2) | {"hart": 1}], status=2)
        self.assertIn("and there is hart 1, too", error)

    def test_what_the_format_cannot_hold_is_refused_with_a_sentence(self):
        good = {"kind": "instruction", "hart": 0, "index": 0, "xlen": 64, "pc": "0x80000000", "opcode": "0x13",
                "opcode_size": 4, "time": 9}
        for change, sentence in (({"pc": "0xffffffff80000000"}, "0xffffffff80000000: this format has addresses of 32"),
                                 ({"hart": 1}, "holds one hart, and there is hart 1"),
                                 ({"isa": "arm", "xlen": 32}, "a folder has RISC-V or ARM, not both"),
                                 ({"isa": "mips", "xlen": 32}, "this format has RISC-V, ARM and Thumb"),
                                 ({"memory": [{"write": True, "address": "0x100000000", "size": 4}]},
                                  "0x100000000: this format has addresses of 32")):
            with self.subTest(sentence):
                folder, error = self.make([good, good | {"index": 1, "pc": "0x80000004"} | change], status=2)
                self.assertIn(sentence, error)
                self.assertEqual(len(self.records(folder)), 2)  # what came before, and pid 0

    def test_each_hart_has_a_folder(self):
        records = [dict(record, hart=hart) for hart in (0, 1) for record in random_records(random.Random(7 + hart), 400)]
        harts = {hart: [r for r in records if r["hart"] == hart] for hart in (0, 1)}
        mixed = [record for pair in zip(harts[0], harts[1]) for record in pair]
        _, error = self.make(mixed, "both", status=2)
        self.assertIn("and there is hart 1, too: write one for each with 'earshot convert --hart'", error)
        for hart in harts:
            folder, alone = self.folder / f"h{hart}", self.folder / f"alone{hart}"
            self.earshot("convert", "-q", "--quiet-loss", "--hart", hart, "-o", f"{folder}/", self.folder / "both.jsonl")
            count = sum(record["hart"] == hart for record in mixed)
            (self.folder / "alone.jsonl").write_text("".join(json.dumps(r) + "\n" for r in harts[hart][:count]))
            self.earshot("convert", "-q", "--quiet-loss", "-o", f"{alone}/", self.folder / "alone.jsonl")
            self.assert_rules(folder)
            self.assertEqual(self.records(folder), self.records(alone))


if __name__ == "__main__":
    main()
