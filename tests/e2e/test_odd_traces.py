#!/usr/bin/env python3
"""Every analysis on traces and programs with something wrong: an answer or a sentence, never a crash."""
import json

import odd_traces
from support import Case, main, some

# Whether names are read, and the command.
COMMANDS = ((False, "stat"), (True, "profile"), (True, "profile --tree --interrupts-inside"), (True, "profile --lines"),
            (True, "profile --blocks"), (True, "profile --opcodes"), (True, "profile -f callgrind"),
            (True, "calls"), (True, "calls --summary"), (True, "timeline -o {}/t.json"), (True, "timeline -o {}/t.vcd"),
            (True, "coverage --isa --march rv32imc"), (True, "branches"), (True, "memory"))
# A program with so many names takes a second each time.
FEW = some("profile -f callgrind", "calls --summary", "timeline -o {}/t.json", "memory")


class OddTraces(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.odds = odd_traces.all(cls.shared)

    def test_each_command_answers(self):
        for odd in self.odds:
            for named, command in COMMANDS:
                if odd.name == "a million functions" and command not in FEW:
                    continue
                with self.subTest(odd.name, command=command):
                    words = command.format(self.folder).split()
                    status = 2 if odd.gaps else 0
                    out, error = self.earshot(*words, *(odd.options if named else ()), odd.trace, status=status)
                    if "-o" in words:
                        out = (self.folder / words[-1]).read_text()
                    self.assertTrue(out)
                    self.assertNotIn("\x1b", out + error)
                    for line in error.splitlines():
                        self.assertRegex(line, r"^earshot: (warning: .*|.*/stripped\.elf: has no symbols)")
                    if odd.gaps and command != "stat":
                        self.assertIn("gap", out if ".vcd" in command else error)

    def test_what_was_there_is_counted(self):
        for odd in self.odds:
            with self.subTest(odd.name):
                # Of what gaps left, what is there is counted.
                row = json.loads(self.earshot("stat", "-f", "json", "--incomplete", "ok", odd.trace)[0])["total"]
                self.assertEqual((row["records"], row["gaps"]), (odd.records, odd.gaps))
                if odd.name == "a million functions":
                    continue
                found = json.loads(self.earshot("profile", "-q", "-f", "json", "--incomplete", "ok", *odd.options,
                                                odd.trace)[0])
                self.assertEqual((found["total"]["records"], found["gaps"]), (odd.records, odd.gaps))
                self.assertEqual(sum(one["self"]["records"] for one in found["functions"]), odd.records)
                self.assertEqual(sum(one["self"]["records"] for one in found["nodes"]), odd.records)
                self.assertLessEqual(max(one["inclusive"]["records"] for one in found["functions"]), odd.records)

    def test_a_million_functions(self):
        odd = next(odd for odd in self.odds if odd.name == "a million functions")
        found = json.loads(self.earshot("profile", "-q", "-f", "json", *odd.options, odd.trace)[0])
        self.assertEqual({(one["name"], one["self"]["records"], one["calls"]) for one in found["functions"]},
                         {(f"f{number}", 4, 1) for number in range(0, 1000000, 125)} | {("main", 16000, 0)})

    def test_a_profile_says_what_is_wrong(self):
        sentences = {"no symbols": "there are no names", "stripped": "stripped.elf: has no symbols",
                     "wrong ELF": "nothing ran in a function of the program",
                     "ELF of another machine": "for another machine than RISC-V",
                     "gaps everywhere": "there are gaps, 300",
                     "self-modifying code": "at 2 addresses more than one instruction ran",
                     "two programs": "at 101 addresses more than one instruction ran"}
        for odd in self.odds:
            if odd.name == "a million functions":
                continue
            with self.subTest(odd.name):
                status = 2 if odd.gaps else 0
                _, error = self.earshot("profile", "--lines", *odd.options, odd.trace, status=status)
                self.assertEqual("is damaged" in error, bool(odd.gaps))
                self.assertIn(sentences.get(odd.name, "the program has no lines"), error)
                opcodes = {}
                for record in map(json.loads, odd.trace.read_text().splitlines()):
                    if record["kind"] == "instruction":
                        opcodes.setdefault(record["pc"], set()).add(record["opcode"])
                changed = sum(len(some) > 1 for some in opcodes.values())
                self.assertEqual(f"at {changed} addresses" in error, changed > 0)
                self.assertNotIn("warning", self.earshot("profile", "--lines", "-q", *odd.options, odd.trace,
                                                         status=status)[1])

    def test_lines_that_are_not_there(self):
        """Coverage of lines says why there are none."""
        for odd in self.odds:
            with self.subTest(odd.name):
                if odd.name == "a million functions":
                    continue
                _, error = self.earshot("coverage", "-o", self.folder / "c.info", *odd.options, odd.trace, status=2)
                self.assertIn("no lines", error)


if __name__ == "__main__":
    main()
