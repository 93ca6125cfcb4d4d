#!/usr/bin/env python3
"""'earshot profile': counts are those of the records, by function and by call, from any format."""
import collections
import json
import re
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, json_lines, main, night, some

LENGTH = 60000 if NIGHT else 20000
PLAIN = ("sort", "recursion", "timer", "traps", "rtos", "software", "nested", "unwind")


def functions_of(program):
    """Those with a size: name, first address, end."""
    out = subprocess.run(["riscv64-unknown-elf-nm", "-S", PROGRAMS / f"{program}.elf"], capture_output=True, text=True,
                         check=True).stdout
    fields = [line.split() for line in out.splitlines()]
    return [(f[3], int(f[0], 16), int(f[0], 16) + int(f[1], 16)) for f in fields if len(f) == 4 and f[2] in "tTwW"]


def links(opcode):
    """Does it jump and link in x1 or x5?"""
    if opcode & 3 == 3:
        return opcode & 0x7F in (0x6F, 0x67) and opcode >> 7 & 31 in (1, 5)
    return opcode & 0xE003 == 0x2001 or (opcode & 0xF07F == 0x9002 and opcode >> 7 & 31 != 0)


class Profile(Case):
    def capture(self, program, *arguments, limit=LENGTH):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit,
                     *arguments)
        return shot

    def profile(self, *arguments):
        return json.loads(self.earshot("profile", "-q", "-f", "json", *arguments)[0])

    def records(self, path):
        out = subprocess.run([EARSHOT, "decode", "-f", "json", path], capture_output=True, check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def test_self_and_calls_are_those_of_the_records(self):
        for program in some(*PLAIN, gate=2):
            with self.subTest(program):
                shot = self.capture(program)
                found, records = self.profile("--no-inline", shot), self.records(shot)
                pcs = collections.Counter(int(record["pc"], 0) for record in records)
                entered = collections.Counter(
                    int(record["next_pc"], 0) for record in records
                    if record.get("trap") or record.get("interrupt") or links(int(record["opcode"], 16)))
                by_name = {function["name"]: function for function in found["functions"]}
                for name, first, end in functions_of(program):
                    count = sum(pcs[pc] for pc in range(first, end, 2))
                    if name not in by_name:
                        self.assertEqual(count, 0, name)
                        continue
                    self.assertEqual(by_name[name]["self"]["records"], count, name)
                    # The call of the last record has no record of its function yet.
                    self.assertLessEqual(entered[first] - by_name[name]["calls"],
                                         int(records[-1]["next_pc"], 0) == first, name)
                    self.assertGreaterEqual(entered[first], by_name[name]["calls"], name)
                self.assertEqual(found["total"]["records"], len(records))
                self.check_sums(found)

    def check_sums(self, found):
        functions, nodes = found["functions"], found["nodes"]
        for what in ("records", "reads", "writes", "read_bytes", "written_bytes"):
            total = found["total"][what]
            self.assertEqual(sum(function["self"][what] for function in functions), total)
            self.assertEqual(sum(node["self"][what] for node in nodes), total)
            self.assertEqual(sum(node["inclusive"][what] for node in nodes if node["parent"] is None), total)
            self.assertLessEqual(max(function["inclusive"][what] for function in functions), total)
        own, below = collections.Counter(), collections.Counter()
        for number, node in enumerate(nodes):
            own[node["function"]] += node["self"]["records"]
            if node["parent"] is not None:
                self.assertLess(node["parent"], number)
                below[node["parent"]] += node["inclusive"]["records"]
        for number, node in enumerate(nodes):
            self.assertEqual(node["inclusive"]["records"], node["self"]["records"] + below[number])
        # Inclusive, from the tree: a record once for each function above it.
        inclusive = collections.Counter()
        for node in nodes:
            above, at = set(), node
            while True:
                above.add(at["function"])
                if at["parent"] is None:
                    break
                at = nodes[at["parent"]]
            for function in above:
                inclusive[function] += node["self"]["records"]
        for number, function in enumerate(functions):
            self.assertEqual(function["self"]["records"], own[number])
            self.assertEqual(function["inclusive"]["records"], inclusive[number], function["name"])

    def test_calls_are_those_that_a_program_logs(self):
        """-finstrument-functions: each function stores its address when it begins."""
        for program in some("nested_log", "nested_log-msave-restore", "unwind_log"):
            with self.subTest(program):
                shot = self.capture(program, limit=100000 if NIGHT else 30000)
                out = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / f"{program}.elf"], capture_output=True,
                                     text=True, check=True).stdout
                log = next(int(line.split()[0], 16) for line in out.splitlines() if line.endswith(" log_enter"))
                logged = collections.Counter(
                    int(access["value"], 0) for record in self.records(shot) for access in record.get("memory", ())
                    if access["write"] and int(access["address"], 0) == log and int(access["value"], 0))
                found = {int(function["entry"], 16): function["calls"] for function in self.profile(shot)["functions"]
                         if function["entry"]}
                self.assertGreater(len(logged), 3)
                for entry, count in logged.items():
                    # One may have been called and not have stored yet; interrupts may have come between.
                    self.assertLessEqual(abs(found[entry] - count), 1, hex(entry))

    def test_a_text_has_the_same_profile(self):
        for program in some("recursion", "rtos"):
            shot = self.capture(program)
            expected = self.profile(shot)
            for text in some("spike", "json", "whisper", gate=2):
                with self.subTest(program=program, text=text):
                    path = self.folder / f"{program}.{text}"
                    self.earshot("decode", "-q", "-f", text, "-o", path, shot)
                    found = self.profile(path, "-i", text, "--elf", PROGRAMS / f"{program}.elf")
                    self.assertEqual([(f["name"], f["self"]["records"], f["inclusive"]["records"], f["calls"])
                                      for f in found["functions"]],
                                     [(f["name"], f["self"]["records"], f["inclusive"]["records"], f["calls"])
                                      for f in expected["functions"]])

    def check_innermost(self, shot, program, found):
        """Where functions are nested or overlap, a record is of the one that begins nearest before it."""
        own, functions = collections.Counter(), functions_of(program)
        for record in self.records(shot):
            pc = int(record["pc"], 0)
            own[max((first for _, first, end in functions if first <= pc < end), default=None)] += 1
        del own[None]  # of assembly without sizes
        by_entry = {int(f["entry"], 0): f["self"]["records"] for f in found["functions"]}
        self.assertGreater(len(own), 5)
        self.assertEqual({entry: by_entry.get(entry) for entry in own}, dict(own))

    def test_the_same_records_have_the_same_profile(self):
        """With or without time, from a text, by threads, in parts: also of functions that are nested."""
        def counts(found, keys=None):
            """All but clocks; of a text that lacks sizes of accesses, some."""
            if isinstance(found, dict):
                return {key: counts(value, keys) for key, value in found.items()
                        if key != "clocks" and (not keys or key in keys)}
            return [counts(value, keys) for value in found] if isinstance(found, list) else found

        common = ("functions", "name", "entry", "self", "inclusive", "records", "calls", "nodes", "parent", "function", "kind")
        for program in some("frames_log-msave-restore", "nested_log-msave-restore", "rtos_log-msave-restore",
                            "unwind_log-msave-restore", "nested_log", "rtos", "tasks"):
            elf = ("--elf", PROGRAMS / f"{program}.elf")
            shots = [self.capture(program, "--time", time) for time in ("off", "record")]
            expected = counts(self.profile(shots[0]))
            # QEMU4V and riscv-dv have no interrupts.
            for text in some("whisper", "tarmac", "spike", "json", "whisper-log", "armulator"):
                with self.subTest(program=program, text=text):
                    path = self.folder / f"{program}.{text}"
                    self.earshot("decode", "-q", "-f", text, "-o", path, shots[0])
                    for jobs in some(2, 1, 3):
                        self.assertEqual(counts(self.profile(path, "-i", text, *elf, "-j", jobs), common),
                                         counts(expected, common))
            for shot in shots:
                for jobs in some(1, 2, 3):
                    with self.subTest(shot=shot.name, jobs=jobs):
                        self.assertEqual(counts(self.profile(shot, "-j", jobs)), expected)
                for count in some(7, 2, 64):
                    with self.subTest(shot=shot.name, count=count):
                        self.assertEqual(counts(self.profile(*self.parts(shot, count))), expected)
            own, total = collections.Counter(), expected["total"]["records"]
            for first in range(0, total, total // 4 + 1):
                last = min(first + total // 4, total - 1)
                for function in self.profile(shots[1], "--from", first, "--to", last)["functions"]:
                    own[function["entry"]] += function["self"]["records"]
            self.assertEqual(+own, {f["entry"]: f["self"]["records"] for f in expected["functions"] if f["self"]["records"]})
            self.check_innermost(shots[0], program, expected)

    def test_interrupts_are_roots_or_inside(self):
        shot = self.capture("timer")
        apart, inside = self.profile(shot), self.profile(shot, "--interrupts-inside")
        self.assertEqual({node["parent"] for node in apart["nodes"] if node["kind"] == "interrupt"}, {None})
        self.assertNotIn(None, {node["parent"] for node in inside["nodes"] if node["kind"] == "interrupt"})
        main_of = lambda found: next(f for f in found["functions"] if f["name"] == "main")
        self.assertGreater(main_of(inside)["inclusive"]["records"], main_of(apart)["inclusive"]["records"])
        self.assertEqual(main_of(inside)["self"], main_of(apart)["self"])
        self.check_sums(inside)

    def test_clocks(self):
        shot = self.capture("sort", "--time", "record")
        found, records = self.profile(shot), self.records(shot)
        ticks = [record["time"] for record in records]
        self.assertEqual(found["total"]["clocks"], ticks[-1] - ticks[0])
        self.assertEqual(sum(f["self"]["clocks"] for f in found["functions"]), found["total"]["clocks"])
        self.assertIsNone(self.profile(self.capture("sort"))["total"]["clocks"])
        self.assertIn("clocks", self.earshot("profile", shot)[0].splitlines()[0])

    def parts(self, shot, count, *arguments):
        paths = []
        for number in range(1, count + 1):
            out, _ = self.earshot("profile", "-q", "--part", f"{number}/{count}", *arguments, shot)
            paths.append(self.folder / f"{number}-{count}.part")
            paths[-1].write_text(out)
        return paths

    def test_held_clocks_are_nobodys(self):
        """A link that is too slow holds the core, and changes no count."""
        free, held = self.folder / "free.shot", self.folder / "held.shot"
        for shot, link in ((free, ""), (held, ",unit=small,link=4M")):
            self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'sort'}.elf,uart=/dev/null{link}", "-o", shot, "--limit",
                         20000, "--time", "record")
        self.assertGreater(int(re.search(r"held_clocks: (\d+)", self.earshot("info", held)[0])[1]), 20000)
        self.assertEqual(self.profile(held), self.profile(free))

    @night
    def test_parts_are_the_whole(self):
        """Wherever it is cut, in handlers and recursions, too, and by any number of threads."""
        for program, count in some(("rtos", 7), ("nested", 64), ("unwind", 13), ("tasks", 5)):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record", limit=20000)
                for how, options in (("-f json", ()), ("-f callgrind", ("--lines",)), ("--lines", ("--lines",)),
                                     ("--tree --interrupts-inside", ("--interrupts-inside",))):
                    shown = [line for line in self.earshot("profile", "-q", *how.split(), shot)[0].splitlines()
                             if not line.startswith("cmd:")]
                    paths = self.parts(shot, count, *options)
                    joined = [line for line in self.earshot("profile", "-q", *how.split(), *paths)[0].splitlines()
                              if not line.startswith("cmd:")]
                    self.assertEqual(joined, shown, how)
        out, _ = self.earshot("profile", "-q", "-f", "json", "-j", "3", self.capture("sort", limit=400000))
        self.assertEqual(out, self.earshot("profile", "-q", "-f", "json", self.capture("sort", limit=400000))[0])

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("rtos", limit=5000), self.capture("nested", limit=5000)
        one, two, three = self.parts(shot, 3)
        foreign = self.parts(other, 2)[1]
        longer = self.parts(self.capture("rtos", limit=6000), 4)[1]
        for paths, message in (
                ((one, three), "the part before it ends at"), ((two, one), "the part before it ends at"),
                ((one, foreign), "another program"), ((one, longer), "another trace"),
                ((one, shot), "line 1: "), ((one, self.folder / "none.part"), "No such file")):
            _, error = self.earshot("profile", "-q", *paths, status=2)
            self.assertIn(message, error)
        _, error = self.earshot("profile", "-q", "--interrupts-inside", one, status=2)
        self.assertIn("counted without --interrupts-inside", error)
        _, error = self.earshot("profile", two, three)
        self.assertRegex(error, "of 500[01]")

    def test_several_traces_are_summed_up(self):
        shot = self.capture("recursion", "--time", "record")
        one, two = self.profile(shot), self.profile(shot, shot)
        self.assertEqual(two["total"], {name: 2 * count for name, count in one["total"].items()})
        self.assertEqual([f["calls"] for f in two["functions"]], [2 * f["calls"] for f in one["functions"]])
        _, error = self.earshot("profile", shot, self.capture("nested"), status=2)
        self.assertIn("another program", error)

    def test_from_and_to(self):
        shot = self.capture("rtos", "--time", "record")
        records = self.records(shot)
        for first, last in ((0, 0), (100, 2000), (1234, 1234), (len(records) - 1, len(records) - 1)):
            found = self.profile(shot, "--from", str(first), "--to", str(last))
            self.assertEqual(found["total"]["records"], last - first + 1)
            begin, end = records[first]["time"], records[last]["time"]
            by_time = self.profile(shot, "--from", f"@{begin}", "--to", f"@{end}")["total"]["records"]
            self.assertEqual(by_time, sum(begin <= record["time"] <= end for record in records))
        # Who called is known from the begin on.
        found = self.profile(shot, "--from", "2000", "--to", "3000")
        tree = self.earshot("profile", "-q", "--tree", "--from", "2000", "--to", "3000", shot)[0]
        self.assertIn("_start", tree.splitlines()[1])
        self.check_sums(found)
        first = next(number for number, record in enumerate(records) if record.get("interrupt"))
        self.assertEqual(self.profile(shot, "--to", "interrupt")["total"]["records"], first + 1)
        self.assertEqual(self.profile(shot, "--from", "interrupt")["total"]["records"], len(records) - first)

    def test_within_and_exclude(self):
        """The stacks of the whole, one by one, say what is counted."""
        shot = self.capture("rtos", "--time", "record")
        stacks = [line.rsplit(" ", 1) for line in self.earshot("profile", "-q", "-f", "folded", shot)[0].splitlines()]
        for within, without in (({"fibonacci"}, set()), (set(), {"shuffle"}), ({"main", "recurse"}, {"fibonacci"}),
                                ({"rtos_schedule", "timer_arm"}, {"timer_disarm"})):
            options = [word for name in sorted(within) for word in ("--within", name)]
            options += [word for name in sorted(without) for word in ("--exclude", name)]
            kept = [(stack, count) for stack, count in stacks
                    if (not within or within & set(stack.split(";"))) and not without & set(stack.split(";"))]
            out, _ = self.earshot("profile", "-q", "-f", "folded", *options, shot)
            self.assertEqual(sorted(tuple(line.rsplit(" ", 1)) for line in out.splitlines()), sorted(kept))
            found = self.profile(*options, shot)
            self.assertEqual(found["total"]["records"], sum(int(count) for _, count in kept))
            self.check_sums(found)
            self.assertEqual(self.profile("-j", "2", *options, shot), found)
            lines = self.earshot("profile", "-q", "--lines", "--limit", "0", *options, shot)[0].splitlines()[1:]
            self.assertEqual(sum(int(line.split()[0]) for line in lines), found["total"]["records"])

    def test_code(self):
        """Annotated code, blocks and opcodes against the records."""
        shot = self.capture("sort", "--time", "record", limit=30000)
        records = self.records(shot)
        pcs = collections.Counter(int(record["pc"], 0) for record in records)
        for name, first, end in functions_of("sort"):
            ran = {pc: count for pc, count in pcs.items() if first <= pc < end}
            if not ran:
                continue
            out, _ = self.earshot("profile", "-q", "--annotate", name, shot)
            self.assertIn(f"{name}: {sum(ran.values())} of {len(records)} records", out)
            shown = {int(pc, 16): int(count)
                     for count, pc in re.findall(r"^ +(\d+) +[0-9.]+ .*  ([0-9a-f]{8})  ", out, re.M)}
            self.assertEqual({pc: count for pc, count in shown.items() if count}, ran, name)
            dump = subprocess.run(["riscv64-unknown-elf-objdump", "-d", f"--start-address={first}",
                                   f"--stop-address={end}", PROGRAMS / "sort.elf"],
                                  capture_output=True, text=True, check=True).stdout
            listed = [int(pc, 16) for pc in re.findall(r"^ *([0-9a-f]+):\t", dump, re.M)]
            self.assertEqual(sorted(shown), listed, name)
        out, _ = self.earshot("profile", "-q", "--blocks", "--limit", "0", shot)
        rows = [line.split() for line in out.splitlines()[1:]]
        self.assertEqual(sum(int(row[0]) for row in rows), len(records))
        for row in rows:
            begin, last = (int(pc, 16) for pc in row[5].split("-"))
            inside = [pcs[pc] for pc in range(begin, last + 1, 2) if pc in pcs]
            self.assertEqual(len(inside), int(row[3]))
            self.assertEqual(sum(inside), int(row[0]))
            self.assertLessEqual(len(set(inside)), 1)
        out, _ = self.earshot("profile", "-q", "--opcodes", "--limit", "0", shot)
        named = collections.Counter(record["mnemonic"] for record in records if not record.get("trap"))
        found = {row[4]: int(row[0]) for row in map(str.split, out.splitlines()[1:])
                 if len(row) == 5 and row[0].isdigit()}
        self.assertEqual(found, dict(named))
        compressed = sum(record["opcode_size"] == 2 for record in records) / len(records)
        self.assertIn(f"{100 * compressed:.2f} % of {len(records)} are compressed", out)

    def test_branches_and_accesses(self):
        for program in some("sort", "traps", "rtos"):
            shot = self.capture(program)
            total = self.profile(shot)["total"]
            stat = json.loads(self.earshot("stat", "-q", "-f", "json", shot)[0])
            stat = stat["traces"][0] if "traces" in stat else stat
            for name in ("taken", "not_taken", "traps", "interrupts", "reads", "writes", "read_bytes", "written_bytes"):
                self.assertEqual(total[name], stat[name], name)
            lines = sum((int(access["address"], 0) % 64 + access["size"] - 1) // 64 + 1
                        for record in self.records(shot) if not record.get("trap") and not record.get("interrupt")
                        for access in record.get("memory", ()))
            self.assertEqual(total["lines"], lines)
            self.assertGreater(lines, 0)
        # What a text lacks is not 0: no accesses, no next pc.
        text = self.folder / "bare.txt"
        text.write_text("".join(f"core   0: 0x{0x80000000 + 4 * i:016x} (0x00b12023) sw a1, 0(sp)\n" for i in range(20)))
        total = self.profile("-i", "spike", text)["total"]
        self.assertIsNone(total["writes"])
        self.assertIsNone(total["clocks"])

    def test_against(self):
        """Functions are found again by their names; those of one side only are there, too."""
        old, new = self.capture("sort", "--time", "record", limit=5000), self.capture("sort", "--time", "record")
        by_name = [{f["name"]: f for f in self.profile(shot)["functions"]} for shot in (old, new)]
        found = json.loads(self.earshot("profile", "-q", "-f", "json", "--against", old, new)[0])["functions"]
        self.assertEqual({f["name"] for f in found}, set(by_name[0]) | set(by_name[1]))
        for function in found:
            for side, name in enumerate(("old", "new")):
                own = by_name[side].get(function["name"])
                self.assertEqual(function[name], own and {
                    "self": own["self"]["records"], "inclusive": own["inclusive"]["records"], "calls": own["calls"],
                    "clocks": own["self"]["clocks"], "inclusive_clocks": own["inclusive"]["clocks"]})
        changes = [abs((f["new"] or {"clocks": 0})["clocks"] - (f["old"] or {"clocks": 0})["clocks"]) for f in found]
        self.assertEqual(changes, sorted(changes, reverse=True))
        out, _ = self.earshot("profile", "-q", "--against", old, new)
        self.assertIn("by clocks", out.splitlines()[0])
        self.assertIn("did not change", self.earshot("profile", "-q", "--against", new, new)[0])
        other = self.earshot("profile", "-q", "--limit", "0", "--against", self.capture("rtos"), new)[0]
        self.assertIn("new  quicksort", other.replace(".constprop.0", ""))
        self.assertIn("by records", other)

    def weights(self, shot):
        """Of each stack, by the names of its functions, as the folded stacks have it."""
        stacks = collections.Counter()
        for line in self.earshot("profile", "-q", "-f", "folded", shot)[0].splitlines():
            stack, count = line.rsplit(" ", 1)
            stacks[tuple(stack.split(";"))] += int(count)
        return stacks

    def test_speedscope(self):
        """Its file-format-schema.json: frames, and profiles of samples and weights."""
        for time in ((), ("--time", "record")):
            shot = self.capture("recursion", *time)
            path = self.folder / f"{len(time)}.speedscope.json"
            self.earshot("profile", "-q", "-f", "speedscope", "-o", path, shot)
            found = json.loads(path.read_text())
            self.assertEqual(found["$schema"], "https://www.speedscope.app/file-format-schema.json")
            self.assertEqual(set(found) - {"name", "exporter"}, {"$schema", "shared", "profiles"})
            names = [frame["name"] for frame in found["shared"]["frames"]]
            self.assertEqual(len(found["profiles"]), 2 if time else 1)
            for profile in found["profiles"]:
                self.assertEqual(set(profile), {"type", "name", "unit", "startValue", "endValue", "samples", "weights"})
                self.assertEqual((profile["type"], profile["unit"], profile["startValue"]), ("sampled", "none", 0))
                self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                self.assertEqual(sum(profile["weights"]), profile["endValue"])
            stacks = collections.Counter()
            for sample, weight in zip(profile["samples"], profile["weights"]):
                stacks[tuple(names[frame] for frame in sample)] += weight
            self.assertEqual(stacks, self.weights(shot))
            total = self.profile(shot)["total"]
            if time:
                self.assertEqual(found["profiles"][0]["endValue"], total["clocks"])

    def test_pprof(self):
        """profile.proto, read by hand: fields and their numbers are pprof's."""
        def fields(data):
            at = 0

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

            out = collections.defaultdict(list)
            while at < len(data):
                key = varint()
                if key & 7 == 0:
                    out[key >> 3].append(varint())
                else:
                    self.assertEqual(key & 7, 2)
                    size = varint()
                    out[key >> 3].append(data[at:at + size])
                    at += size
            return out

        def packed(data):
            out, value, shift = [], 0, 0
            for byte in data:
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    out.append(value)
                    value = shift = 0
            return out

        shot = self.capture("recursion", "--time", "record")
        path = self.folder / "recursion.pb"
        self.earshot("profile", "-q", "-f", "pprof", "-o", path, shot)
        profile = fields(path.read_bytes())
        texts = [text.decode() for text in profile[6]]
        self.assertEqual(texts[0], "")
        types = [tuple(texts[fields(data)[n][0]] for n in (1, 2)) for data in profile[1]]
        self.assertEqual(types, [("instructions", "count"), ("clocks", "count")])
        functions = {fields(data)[1][0]: texts[fields(data)[2][0]] for data in profile[5]}
        locations = {}
        for data in profile[4]:
            location = fields(data)
            line = fields(location[4][0])
            locations[location[1][0]] = functions[line[1][0]]
        stacks, clocks = collections.Counter(), 0
        for data in profile[2]:
            sample = fields(data)
            stack = tuple(locations[number] for number in reversed(packed(sample[1][0])))
            values = packed(sample[2][0])
            stacks[stack] += values[0]
            clocks += values[1]
        self.assertEqual(stacks, self.weights(shot))
        self.assertEqual(clocks, self.profile(shot)["total"]["clocks"])
        # A text goes to a file, too; no input is written over.
        self.earshot("profile", "-q", "-o", self.folder / "table", shot)
        self.assertEqual((self.folder / "table").read_text(), self.earshot("profile", "-q", shot)[0])

    def test_folded(self):
        shot = self.capture("recursion", limit=60000)
        out, _ = self.earshot("profile", "-f", "folded", shot)
        found = self.profile(shot)
        stacks = {}
        for line in out.splitlines():
            stack, count = line.rsplit(" ", 1)
            self.assertNotIn(stack, stacks)
            stacks[stack] = int(count)
        self.assertEqual(sum(stacks.values()), found["total"]["records"])
        fibonacci = sum(count for stack, count in stacks.items() if "fibonacci" in stack.split(";"))
        self.assertEqual(fibonacci, next(f for f in found["functions"] if f["name"] == "fibonacci")["inclusive"]["records"])
        self.assertIn("_start;main;", out)

    def test_callgrind(self):
        """The costs of functions, lines and calls, as Valgrind's own program sums them up."""
        for program, arguments in some(("rtos", ("--time", "record")), ("unwind", ()), ("recursion", ()), ("nested", ()),
                                       ("tasks", ()), gate=2):
            with self.subTest(program):
                shot = self.capture(program, *arguments)
                path = self.folder / "callgrind.out"
                path.write_text(self.earshot("profile", "-q", "--no-inline", "-f", "callgrind", shot)[0])
                found = self.profile("--no-inline", shot)
                out = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", path], capture_output=True,
                                     text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
                numbers = [re.findall(r"[\d,]+(?= \()|(?<=:)\S+", line) for line in out.splitlines() if ":" in line and "%" in line]
                costs = collections.Counter()
                for *cost, name in (row for row in numbers if len(row) > 1):
                    costs[name] += int(cost[0].replace(",", ""))
                for function in found["functions"]:
                    if function["name"] and function["self"]["records"]:
                        self.assertEqual(costs[function["name"]], function["self"]["records"], function["name"])
                self.assertRegex(out, rf"(?m)^{found['total']['records']:,} .*PROGRAM TOTALS")
                self.check_calls(path, found)
                self.check_inclusive(path, found)

    def test_callgrind_from_a_place(self):
        """Calls that were active there are calls."""
        shot = self.capture("recursion")
        options = ("--from", "3000", "--to", "3010")
        path = self.folder / "callgrind.out"
        path.write_text(self.earshot("profile", "-q", "-f", "callgrind", *options, shot)[0])
        found = self.profile(*options, shot)
        out = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", path], capture_output=True,
                             text=True, check=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout
        costs = {name: int(cost.replace(",", "")) for cost, name in re.findall(r"(?m)^ *([\d,]+) .*:(\w+)", out)}
        self.assertGreater(len(found["functions"]), len(costs))
        self.assertEqual(costs, {function["name"]: function["self"]["records"] for function in found["functions"]
                                 if function["self"]["records"]})

    def check_inclusive(self, path, found):
        """A function costs its callers what it costs with all that it calls or jumps to; a root has others, too."""
        names, below, above, at, callee = {}, collections.Counter(), collections.Counter(), None, None
        for line in path.read_text().splitlines():
            match = re.fullmatch(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
            cost = re.match(r"0x[0-9a-f]+ \d+ (\d+)", line)
            if match:
                names.setdefault(match[2], match[3])
                at, callee = (at, match[2]) if match[1] else (match[2], None)
            elif cost:
                below[at] += int(cost[1])
                above[callee] += int(cost[1])
                callee = None
        roots = {node["function"] for node in found["nodes"] if node["parent"] is None}
        self.assertLess(len(roots), len(found["functions"]))
        for number, function in enumerate(found["functions"]):
            with self.subTest(function["name"]):
                if number in roots:
                    self.assertLessEqual(above[str(number + 1)], below[str(number + 1)])
                else:
                    self.assertEqual(above[str(number + 1)], below[str(number + 1)])

    def check_calls(self, path, found):
        """Calls of each function: those from functions that are known."""
        names, calls, callee, caller, count = {}, collections.Counter(), None, None, 0
        for line in path.read_text().splitlines():
            match = re.fullmatch(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
            if match:
                names.setdefault(match[2], match[3])
                callee = names[match[2]]
                caller = caller if match[1] else found["functions"][int(match[2]) - 1]["entry"]
            if count == 1 and line.split()[0] == caller:
                calls[at] -= 1  # a jump, from where the caller begins
            count = 0
            if line.startswith("calls="):
                count, at = int(line[6:].split()[0]), callee
                calls[at] += count
        roots = {node["function"]: node["calls"] for node in found["nodes"] if node["parent"] is None}
        for number, function in enumerate(found["functions"]):
            if function["name"]:
                self.assertEqual(calls[function["name"]], function["calls"] - roots.get(number, 0), function["name"])

    def test_lines(self):
        shot = self.capture("recursion", "--time", "record")
        out, _ = self.earshot("profile", "--lines", "--limit", 0, shot)
        head, *rows = out.splitlines()
        self.assertEqual(head.split(), ["self", "%", "clocks", "line"])
        pcs = collections.Counter(int(record["pc"], 0) for record in self.records(shot))
        addresses = list(pcs)
        text = subprocess.run(["riscv64-unknown-elf-addr2line", "-s", "-e", PROGRAMS / "recursion.elf", *map(hex, addresses)],
                              capture_output=True, text=True, check=True).stdout
        expected = collections.Counter()
        for pc, place in zip(addresses, text.splitlines()):
            expected[re.sub(r" \(discriminator.*", "", place)] += pcs[pc]
        found = {fields[3]: int(fields[0]) for fields in (row.split(maxsplit=3) for row in rows)}
        self.assertEqual(sum(found.values()), sum(pcs.values()))
        self.assertEqual(found, dict(expected))
        self.assertEqual(len(self.earshot("profile", "--lines", "--limit", 3, shot)[0].splitlines()), 5)

    def test_the_table_and_the_tree(self):
        shot = self.capture("recursion", limit=60000)
        found = self.profile(shot)
        for sort, key in (("self", lambda f: f["self"]["records"]), ("inclusive", lambda f: f["inclusive"]["records"]),
                          ("calls", lambda f: f["calls"])):
            out, _ = self.earshot("profile", "--sort", sort, "--limit", 5, shot)
            lines = out.splitlines()
            self.assertEqual(lines[0].split(), "self % inclusive % calls function".split())
            self.assertEqual(len(lines), 7)
            self.assertRegex(lines[-1], r"^\.\.\. and \d+ more \(--limit N\)$")
            values = sorted(map(key, found["functions"]), reverse=True)[:5]
            column = {"self": 0, "inclusive": 2, "calls": 4}[sort]
            self.assertEqual([int(line.split()[column]) for line in lines[1:6]], values)
        out, _ = self.earshot("profile", "--tree", "--limit", 0, shot)
        self.assertEqual(len(out.splitlines()), 1 + len(found["nodes"]))
        self.assertRegex(out, r"  _start\n.*    main\n")
        out, _ = self.earshot("profile", "--tree", "--limit", 4, shot)
        self.assertEqual(len(out.splitlines()), 6)
        self.assertIn("--limit 0 prints all", out)

    def test_what_is_missing_is_said(self):
        shot = self.capture("recursion")
        stripped = self.folder / "stripped.elf"
        subprocess.run(["riscv64-unknown-elf-strip", "-o", stripped, PROGRAMS / "recursion.elf"], check=True)
        out, error = self.earshot("profile", "--elf", stripped, "--elf-anyway", shot)
        self.assertIn("[0x", out)
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", "-o", text, shot)
        out, error = self.earshot("profile", text)
        self.assertIn("there are no names", error)
        self.assertRegex(out, r"\[0x800[0-9a-f]+\]")
        self.check_sums(self.profile(text))
        self.assertIn("is not the program", self.earshot("profile", "--elf", PROGRAMS / "sort.elf", shot, status=2)[1])
        raw = self.folder / "t.raw"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'timer.elf'},uart=/dev/null", "-o",
                     self.folder / "whole.shot", "--record", raw, "--limit", 60000)
        data = raw.read_bytes()
        raw.write_bytes(data[:len(data) // 2] + data[len(data) // 2 + 100:])
        _, error = self.earshot("profile", "--elf", PROGRAMS / "timer.elf", raw, status=2)
        self.assertRegex(error, r"there are gaps, \d+")
        self.assertRegex(error, rf"{raw} is damaged, from instruction \d+ on: ")
        self.assertEqual(self.earshot("profile", "-q", "--elf", PROGRAMS / "timer.elf", raw, status=2)[1], "")


if __name__ == "__main__":
    main()
