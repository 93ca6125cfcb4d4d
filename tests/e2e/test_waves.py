#!/usr/bin/env python3
"""'earshot timeline -f vcd': after each change the waves are what the records say; and viewers' tools take them."""
import random
import re
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, some

NAMES = {"csr": {768: "mstatus", 784: "mstatush", 833: "mepc", 834: "mcause", 835: "mtval", 773: "mtvec"},
         "x": {1: "ra", 2: "sp", 8: "s0", 10: "a0", 15: "a5"}}


class Dump:
    """A value change dump, read by its rules: states(), the values after each time."""

    def __init__(self, text):
        self.variables, self.widths, self.comments, self.scale = {}, {}, [], None
        head, self.body = re.split(r"\$enddefinitions\s+\$end", text, maxsplit=1)
        scope = []
        for keyword, content in re.findall(r"\$(\w+)\s(.*?)\s?\$end", head, re.S):
            words = content.split()
            if keyword == "scope":
                scope.append(words[1])
            elif keyword == "upscope":
                scope.pop()
            elif keyword == "comment":
                self.comments.append(content)
            elif keyword == "timescale":
                self.scale = "".join(words)
            elif keyword == "var":
                assert words[2] not in self.variables, "an identifier comes twice"
                self.variables[words[2]] = ".".join([*scope, words[3]])
                self.widths[words[2]] = None if words[0] == "string" else int(words[1])
        assert not scope

    def changes(self):
        """(time, name, value): a number, a text, or None for what is not known."""
        now = None
        for line in self.body.split("\n"):
            if not line or line.startswith("$"):
                continue
            if line[0] == "#":
                assert now is None or int(line[1:]) >= now, "time goes back"
                now = int(line[1:])
                continue
            value, code = (line[0], line[1:]) if line[0] in "01xXzZ" else line.split(" ")
            width = self.widths[code]
            if value[0] == "s":
                assert width is None
                yield now, self.variables[code], value[1:]
                continue
            digits = value.lstrip("b").lower()
            assert width is not None and len(digits) <= width
            yield now, self.variables[code], None if "x" in digits else int(digits, 2)

    def states(self):
        """(time, values by name) after all changes of a time."""
        state, now = {}, None
        for time, name, value in self.changes():
            if time != now and now is not None:
                yield now, dict(state)
            now = time
            state[name] = value
        yield now, dict(state)


class Waves(Case):
    def capture(self, program, *arguments, limit=20000 if NIGHT else 8000):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit,
                     *arguments)
        return shot

    def records(self, path, *arguments):
        out = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "-f", "json", *arguments, path],
                             capture_output=True, check=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def waves(self, path, *arguments):
        out = self.folder / f"{len(list(self.folder.iterdir()))}.vcd"
        _, self.error = self.earshot("timeline", path, "-o", out, *arguments)
        self.last = out
        return Dump(out.read_text())

    def check(self, dump, records, numbers=False, symbols=None, first=0):
        """Where several records have one time, the last of them is seen."""
        expected = {}
        for number, record in enumerate(records, first):
            expected[number if numbers else record["time"]] = record
        found = {}
        registers, seen = {}, 0
        by_time = {}
        for number, record in enumerate(records, first):
            by_time.setdefault(number if numbers else record["time"], []).append(record)
        for time, state in dump.states():
            if time not in by_time:
                self.assertGreater(time, max(by_time), time)
                continue
            for record in by_time[time]:
                for register in record.get("registers", ()):
                    name = NAMES.get(register["class"], {}).get(register.get("number"))
                    if name:
                        registers[f"hart{record['hart']}.{register['class']}.{name}"] = int(register["value"], 16)
            record = by_time[time][-1]
            hart = f"hart{record['hart']}."
            seen += len(by_time[time])
            self.assertEqual(state[hart + "pc"], int(record["pc"], 16))
            trapped, interrupted = bool(record.get("trap")), bool(record.get("interrupt"))
            self.assertEqual(state[hart + "trap"], trapped)
            self.assertEqual(state[hart + "interrupt"], interrupted)
            self.assertEqual(state[hart + "opcode"], None if interrupted else int(record["opcode"], 16))
            self.assertEqual(state[hart + "cause"], int(record["cause"], 16) if trapped or interrupted else None)
            self.assertEqual(state[hart + "privilege"].lower(), record["privilege"])
            for name, value in registers.items():
                self.assertEqual(state[name], value, f"{name} at {time}")
            accesses = record.get("memory", ())
            self.assertEqual(bool(state.get(hart + "access0.valid")), len(accesses) > 0)
            for i, access in enumerate(accesses):
                self.assertEqual(state[f"{hart}access{i}.write"], access["write"])
                self.assertEqual(state[f"{hart}access{i}.address"], int(access["address"], 16))
                self.assertEqual(state[f"{hart}access{i}.size"], access["size"])
                value = access.get("value")
                self.assertEqual(state[f"{hart}access{i}.data"], value and int(value, 16))
            if symbols is not None:
                self.assertEqual(state[hart + "function"], symbols(int(record["pc"], 16)))
        self.assertEqual(seen, len(records))

    def symbols(self, program):
        out = subprocess.run(["riscv64-unknown-elf-nm", "-S", PROGRAMS / f"{program}.elf"], capture_output=True, text=True,
                             check=True).stdout
        fields = [line.split() for line in out.splitlines()]
        ranges = [(int(f[0], 16), int(f[1], 16), f[3]) for f in fields if len(f) == 4 and f[2] in "tTwW"]

        class Any(str):  # where no symbol has a size any name will do
            def __eq__(self, other):
                return True

            __hash__ = str.__hash__

        def name_of(pc):
            return next((name for start, size, name in ranges if start <= pc < start + size), Any())

        return name_of

    def test_waves_are_what_the_records_say(self):
        for program in some("timer", "traps", "rtos", "software", gate=2):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record")
                dump = self.waves(shot)
                self.assertEqual(dump.scale, "1ns")
                self.assertIn("clocks", dump.comments[0])
                self.check(dump, self.records(shot), symbols=self.symbols(program))

    def test_without_time_it_is_the_number(self):
        shot = self.capture("traps")
        dump = self.waves(shot)
        self.assertIn("number", dump.comments[0])
        self.assertIn("no time", self.error)
        self.check(dump, self.records(shot), numbers=True)

    def test_a_part(self):
        shot = self.capture("sort", "--time", "record", limit=3000)
        records = self.records(shot)
        dump = self.waves(shot, "--from", 500, "--to", 1234)
        self.check(dump, records[500:1235])
        self.check(self.waves(shot, "--from", 500, "--to", 500), records[500:501])
        self.assertIn("there is no instruction 3000",
                      self.earshot("timeline", shot, "-o", self.folder / "n.vcd", "--from", 3000, status=2)[1])

    def test_registers_of_a_part_have_what_they_had_before(self):
        shot = self.capture("recursion", "--time", "record", limit=5000)
        records = self.records(shot)
        dump = self.waves(shot, "--from", 3000, "--to", 3300)
        values = {register["number"]: int(register["value"], 16) for record in records[:3001]
                  for register in record.get("registers", ()) if register["class"] == "x"}
        state = next(dump.states())[1]
        for number in (1, 2, 8, 10, 15):
            self.assertEqual(state[f"hart0.x.{NAMES['x'][number]}"], values[number])

    def test_tools_of_viewers_take_them(self):
        """vcd2fst and back: the same values at the same times."""
        for program in some("timer", "software"):
            shot = self.capture(program, "--time", "record")
            dump = self.waves(shot)
            fst, back = self.folder / "t.fst", self.folder / "back.vcd"
            subprocess.run(["vcd2fst", self.last, fst], check=True, capture_output=True)
            subprocess.run(["fst2vcd", "-f", fst, "-o", back], check=True, capture_output=True)
            again = Dump(back.read_text())
            self.assertEqual(sorted(again.variables.values()), sorted(dump.variables.values()))
            expected = [change for change in dump.changes()]
            first = expected[0][0]
            # The other program also says what has no value yet.
            found = [change for change in again.changes() if change[0] is not None and change[0] >= first]
            known = {}
            changes = []
            for time, name, value in found:
                if known.get(name, None) != value:
                    changes.append((time, name, value))
                known[name] = value
            wanted, known = [], {}
            for time, name, value in expected:
                if known.get(name, None) != value:
                    wanted.append((time, name, value))
                known[name] = value
            self.assertEqual(sorted(changes, key=str), sorted(wanted, key=str))

    def test_texts_have_the_same_waves(self):
        shot = self.capture("recursion", limit=5000)
        expected = list(self.waves(shot).states())
        for text in ("whisper", "json", "spike"):
            with self.subTest(text):
                path = self.folder / f"t.{text}"
                self.earshot("decode", "-q", "-f", text, "-o", path, shot)
                dump = self.waves(path, "-i", text, "--elf", PROGRAMS / "recursion.elf")
                found = dict(dump.states())
                for time, state in expected[:-1]:
                    self.assertEqual(found[time]["hart0.pc"], state["hart0.pc"])
                    self.assertEqual(found[time]["hart0.function"], state["hart0.function"])

    def test_arm(self):
        path = self.folder / "arm.tarmac"
        path.write_text("Tarmac Text Rev 3t\n" + "".join(
            f"{10 * i} ps IT ({i}) {0x8000 + 4 * i:08x} e2888001 A svc_s : ADD r8,r8,#1\n"
            f"{10 * i} ps R r8 {i:08x}\n" + (f"{10 * i} ps MW4 {0x100 + i:08x} {i:08x}\n" if i % 2 else "")
            for i in range(1, 50)))
        dump = self.waves(path)
        self.assertEqual(dump.scale, "1ps")
        for time, state in list(dump.states())[:-1]:
            i = time // 10
            self.assertEqual((state["hart0.pc"], state["hart0.registers.r8"]), (0x8000 + 4 * i, i))
            self.assertEqual(state["hart0.access0.valid"], i % 2)
            if i % 2:
                self.assertEqual((state["hart0.access0.address"], state["hart0.access0.data"]), (0x100 + i, i))
        self.waves(TREE / "tests/data/tarmac/dialects.txt")
        self.waves(TREE / "tests/data/qemu4v/published.txt")

    def test_vectors(self):
        """Each has what was written last, also where a part begins; after a gap nothing is known."""
        text, gap, source, middle = self.folder / "t.csv", self.folder / "gap.csv", random.Random(3), 90
        head = (TREE / "tests/data/whisper/vector.csv").read_text().splitlines()[0]
        lines = [f"{0x80000000 + 4 * i:x},{0x205e007 | r << 7:x},v{r}={source.getrandbits(128):032x},x11,"
                 f"80001000;80001004;80001008;8000100c,v,m,,vle32.v v{r}; (x11),0"
                 for i, r in enumerate(source.choices(range(6, 14), k=200))]
        text.write_text("\n".join([head, *lines]) + "\n")
        lost = "# gap: 5 records missing; index 90 to 94; hart 0; the unit's FIFO was full; stream byte 2480"
        gap.write_text("\n".join([head, *lines[:middle], lost, *lines[middle:]]) + "\n")
        records = self.records(text)
        self.assertEqual(len(records), 200)
        for path, arguments, first in ((text, (), 0), (text, ("--from", middle), middle), (gap, (), 0)):
            known, found = {}, dict(self.waves(path, *arguments).states())
            for number, record in enumerate(records):
                if path == gap and number == middle:
                    known = {}
                known.update((f"hart{record['hart']}.v.v{register['number']}", int(register["value"], 16))
                             for register in record.get("registers", ()) if register["class"] == "v")
                if number < first:
                    continue
                shown = {name: value for name, value in found[number].items() if ".v.v" in name and value is not None}
                written = {name.split(".v.")[1] for name in found[number] if ".v.v" in name}
                self.assertEqual(shown, {name: value for name, value in known.items() if name.split(".v.")[1] in written},
                                 number)

    def test_after_a_gap_nothing_is_known(self):
        shot = self.folder / "gaps.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'sort'}.elf,uart=/dev/null,unit=raw,link=100K", "--policy", "drop",
                     "-o", shot, "--limit", 20000, status=None)
        dump = self.waves(shot)
        gaps = 0
        for time, name, value in dump.changes():
            if name.endswith(".event") and value == "gap":
                gaps += 1
        self.assertGreater(gaps, 0)
        self.assertTrue(any(value is None for _, name, value in dump.changes() if name.endswith(".x.sp")))


if __name__ == "__main__":
    main()
