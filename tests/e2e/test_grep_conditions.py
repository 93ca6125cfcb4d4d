#!/usr/bin/env python3
"""'earshot grep' by changes of mode, events and values in memory: against a look at every record, and the same by
each of the ways in which a trace is searched."""
import json
import random
import subprocess

from support import EARSHOT, NIGHT, Case, main, some

LENGTH = 60000 if NIGHT else 24000
MODES = {"u": 0, "s": 1, "m": 3}


class GrepConditions(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "sort.shot", "sort", "--start", "pc=main", "--limit", LENGTH)
        cls.text = cls.shared / "modes.csv"
        cls.text.write_text(cls.make_text(case.decode(cls.shared / "sort.shot").splitlines()))
        case.earshot("index", "-q", cls.text)
        cls.records = [json.loads(line) for line in case.earshot("convert", "-f", "json", cls.text)[0].splitlines()
                       if "kind" in json.loads(line)]

    @staticmethod
    def make_text(lines):
        """The lines with modes that change now and then, of two harts, with events and a gap among them."""
        chance, made, modes, hart, count = random.Random(5), [lines[0]], ["m", "m"], 0, 0
        for line in lines[1:]:
            if line.startswith("#"):
                continue
            count += 1
            if chance.random() < 0.01:
                hart = 1 - hart
            if chance.random() < (0.05 if count < 5000 else 0.0005):
                modes[hart] = chance.choice("usm")
            if chance.random() < 0.0005:
                name = chance.choice(("start trigger", "event port", "own name"))
                made.append(f"# event: {name}; value 0x{chance.randrange(3):x}; hart {hart}; before index {count}")
            if count in (3000, LENGTH // 2):
                made.append(f"# gap: 4 records missing; index {count} to {count + 3}; hart {hart}; the unit's FIFO was "
                            "full; stream byte 1234")
            columns = line.split(",")
            columns[6], columns[-1] = modes[hart], str(hart)
            made.append(",".join(columns))
        return "\n".join(made) + "\n"

    def changes(self, modes="usm"):
        """The number of each record that changes the mode of its hart to one of these."""
        last, found = {}, []
        for number, record in enumerate(self.records):
            hart = record.get("hart", 0)
            if record["kind"] == "gap":
                last.pop(hart, None)
            elif record["kind"] == "instruction":
                mode = record["privilege"]
                mode = mode if isinstance(mode, str) else {v: k for k, v in MODES.items()}[mode]
                if last.get(hart, mode) != mode and mode in modes:
                    found.append(number)
                last[hart] = mode
        return found

    def run_grep(self, *arguments, file=None, stdin=None):
        result = subprocess.run([EARSHOT, "grep", *map(str, arguments), file or self.text], capture_output=True,
                                check=False, stdin=stdin or subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr

    def everywhere(self, *arguments):
        """The answer, which is the same with the index, without it, from a pipe and with threads."""
        found = self.run_grep(*arguments)
        for more in (["--no-index"], ["-j2"]):
            with self.subTest(arguments, more=more):
                self.assertEqual(self.run_grep(*arguments, *more), found)
        with self.text.open("rb") as text, self.subTest(arguments, pipe=True), \
                subprocess.Popen(["cat"], stdin=text, stdout=subprocess.PIPE) as pipe:
            status, out, error = self.run_grep(*arguments, file="-", stdin=pipe.stdout)
            self.assertEqual((status, out, error.replace(b"standard input", str(self.text).encode())), found)
        self.assertRegex(found[2], rb"^(earshot: warning: \S+ is a part: the unit dropped [48] records\n)?$")
        return found

    def count(self, *arguments):
        status, out, _ = self.everywhere("-c", *arguments)
        self.assertEqual(status, 0 if int(out) else 1)
        return int(out)

    def test_changes_of_mode(self):
        for modes in ("usm", "u", "s", "m", "us"):
            expected = self.changes(modes)
            option = "--mode-change" if modes == "usm" else f"--mode-change={modes}"
            self.assertGreater(len(expected), 10)
            self.assertEqual(self.count(option), len(expected))
            out = self.everywhere(option, "-f", "json")[1].decode()
            self.assertEqual([json.loads(line)["index"] for line in out.splitlines() if "index" in json.loads(line)],
                             [self.records[number]["index"] for number in expected])
        self.assertEqual(self.count("--mode-change", "--privilege", "us"), len(self.changes("us")))
        self.assertEqual(self.count("--mode-change=us", "--privilege", "sm"), len(self.changes("s")))
        self.assertEqual(self.count("--mode-change=u", "--hart", 1),
                         sum(self.records[number].get("hart", 0) == 1 for number in self.changes("u")))

    def test_changes_of_mode_with_what_is_around_them(self):
        for more in (["-C2"], ["-B1000"], ["-A1000"], ["-B3", "-A7", "-m", "20"], ["-m", "1"], ["--status"], ["-n"],
                     ["--count-by", "pc"], ["--count-by", "hart"], ["-A3", "-m", "12", "-n"]):
            self.assertEqual(self.everywhere("--mode-change", *more)[0], 0)

    def test_changes_of_mode_in_a_part(self):
        changes = self.changes()
        numbers = [number for number, record in enumerate(self.records) if record["kind"] == "instruction"]
        place = {number: i for i, number in enumerate(numbers)}
        for first, last in ((0, 10), (4000, 4400), (LENGTH // 3, LENGTH - 1000), (2 * LENGTH // 3, 10**9)):
            expected = [place[number] for number in changes if first <= place[number] <= last]
            found = self.count("--mode-change", "--from", first, "--to", last)
            self.assertEqual(found, len(expected))
            self.everywhere("--mode-change", "--from", first, "--to", last, "-C3")
        for end, pick in (("--first", 0), ("--last", -1)):
            out = self.run_grep("--mode-change", end, "-f", "json")[1].decode().splitlines()
            self.assertIn(self.records[changes[pick]]["index"], [json.loads(line).get("index") for line in out])

    def test_more_changes_than_are_kept_at_once(self):
        path = self.folder / "many.csv"
        head, line = self.text.read_text().splitlines()[:2]
        columns, lines = line.split(","), []
        for i in range(210000):
            columns[0], columns[6], columns[-1] = f"{0x80000000 + 2 * i:x}", "umm"[i % 3], "0"
            lines.append(",".join(columns))
        path.write_text("\n".join([head, *lines]) + "\n")
        self.earshot("index", "-q", path)
        for more in some(["-c"], ["-m", 65536, "-A2"], ["-A1"], ["-B1", "-n"], ["-m", 66000], ["--count-by", "pc"], gate=2):
            found = self.run_grep("--mode-change", *more, file=path)
            self.assertEqual(found, self.run_grep("--mode-change", *more, "--no-index", file=path))
            self.assertEqual((found[0], found[2]), (0, b""))
        self.assertEqual(self.run_grep("--mode-change", "-c", file=path)[1], b"139999\n")

    def test_events(self):
        events = [record for record in self.records if record["kind"] == "event"]
        self.assertGreater(len(events), 10)
        self.assertEqual(self.count("--event"), len(events))
        for name, source in (("start", 1), ("port", 3), ("own name", 0), ("3", 3)):
            expected = [event for event in events if event.get("source", 0) == source]
            self.assertEqual(self.count(f"--event={name}"), len(expected), name)
            for value in range(3):
                self.assertEqual(self.count(f"--event={name}", "--event-value", value),
                                 sum(int(str(event["value"]), 0) == value for event in expected))
        self.assertEqual(self.count("--event-value", 2), sum(int(str(event["value"]), 0) == 2 for event in events))
        self.assertEqual(self.count("--event", "--hart", 1), sum(event.get("hart", 0) == 1 for event in events))
        self.assertEqual(self.count("--event=nothing"), 0)
        out = self.everywhere("--event", "-m2", "-C1")[1].decode()
        self.assertEqual(out.count("# event: "), 2)

    def test_values_in_memory(self):
        accesses = [access for record in self.records for access in record.get("memory", [])]
        value = next(access["value"] for access in accesses if access.get("write") and access.get("value"))
        number = int(str(value), 0)
        self.assertGreater(self.count("--data", value), 0)
        self.assertEqual(self.count("--data", value, "--write") + self.count("--data", value, "--read"),
                         self.count("--data", value))
        lines = self.everywhere("--data", f"{number & 0xff:#x}/0xff", "-f", "json")[1].decode().splitlines()
        for record in map(json.loads, lines):
            if record.get("kind") == "instruction":
                self.assertTrue(any(int(str(access["value"]), 0) & 0xff == number & 0xff
                                    for access in record["memory"]), record)

    def test_traps_leave_out_what_has_none(self):
        self.assertEqual(self.count("--trap"),
                         sum("trap" in record or "interrupt" in record or "cause" in record for record in self.records))


if __name__ == "__main__":
    main()
