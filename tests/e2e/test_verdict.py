#!/usr/bin/env python3
"""Damage of every kind and every command that reads: the verdict is said, in words, in JSON and in the status, and the
numbers are those of what could be read."""
import json
import os
import re
import shutil
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, main

ELF = PROGRAMS / "timer.elf"
# What is asked of the whole trace.
COMMANDS = ("stat", "stat --json", "stat -j3", "history trap_handler", "coverage", "coverage --isa", "memory", "memory --json", "calls",
            "calls --summary", "calls --interrupts", "profile", "profile --json", "profile -j3", "branches",
            "branches --json", "timeline -o t.json", "timeline -o t.vcd", "check", "check --json", "show", "grep --write",
            "grep -j3 --write", "grep --last --write", "why", "why --json", "state", "state --json", "why --value sp",
            "why --json --value sp", "top --plain")
HAS_PAGE = b"built without the page" not in subprocess.run(
    [EARSHOT, "report", __file__, "-o", os.devnull], capture_output=True, check=False).stderr
if NIGHT and HAS_PAGE:  # each runs twenty commands
    COMMANDS += ("report -o t.html",)
# All that is JSON and says something of a trace; a command may have several.
JSON = ("stat --json", "coverage --json", "coverage --isa --json", "info --json", "memory --json", "calls --json", "calls --summary --json",
        "calls --interrupts --json", "calls --function main --json", "profile --json", "profile --by task --json",
        "branches --json", "timeline -f json -o -", "check --json", "why --json", "state --json", "why --json --value sp",
        "history --json trap_handler", "memory --errors --json", "index --json", "diff --json", "profile --json --against")
# These write records or metadata, gaps among them, or ask no trace.
OTHER_JSON = {"decode", "convert", "grep", "show", "selftest", "capture", "list", "doctor", "farm", "top"}
SENTENCE = r"(?m)^earshot: warning: (\S+) is damaged(, from instruction (\d+) on)?: (.*)$"


def is_lines(command):
    return command.startswith(("calls", "diff"))


def verdicts(value):
    """Wherever it is in a JSON value."""
    if isinstance(value, list):
        for one in value:
            yield from verdicts(one)
    elif isinstance(value, dict):
        if "complete" in value:
            yield value["complete"], value["accounted"]
        for one in value.values():
            yield from verdicts(one)


class Damage:
    """A file, and what is true of it."""

    def __init__(self, path, words, lines=0, end=False):
        self.path, self.words, self.lines, self.end = path, words, lines, end


class Verdict(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.damages = {}
        case, folder = cls(), cls.shared
        cls.whole, dump, cls.text = folder / "whole.shot", folder / "whole.raw", folder / "whole.csv"
        case.earshot("capture", "-q", "-d", f"sim:{ELF},unit=raw,uart=/dev/null", "-o", cls.whole, "--record", dump,
                     "--limit", 6000)
        case.earshot("convert", "-q", "--quiet-loss", cls.whole, "-o", cls.text, "-f", "whisper")
        stream, text = dump.read_bytes(), cls.text.read_bytes()
        lines = text.splitlines(keepends=True)
        half = len(stream) // 2
        cls.place("cut.shot", cls.whole.read_bytes()[:3000], "cut off at byte 3000", end=True)
        cls.place("cut.raw", stream[:half], "its end is missing", end=True)
        wrong = bytes(byte ^ 0x5A for byte in stream[half:half + 20])
        cls.place("bytes.raw", stream[:half] + wrong + stream[half + 20:], "missing")
        cls.place("unended.raw", stream[:cls.last_frame(stream)], "its end is missing", end=True)
        cut = text.index(b"\n", len(text) // 2) + 12
        cls.place("cut.csv", text[:cut], "its end is missing", end=True)
        some = [line for i, line in enumerate(lines) for line in ([b"nonsense\n", line] if i % 80 == 7 else [line])]
        bad = len(some) - len(lines)
        cls.place("lines.csv", b"".join(some), f"{bad} lines could not be read", bad)
        log = case.earshot_bytes("convert", "-q", "--quiet-loss", cls.whole, "-f", "json")[0]
        rows = log.splitlines(keepends=True)
        rows[50:50] = [b'{"kind":"instruction","pc"\n'] * 3
        cls.place("lines.json", b"".join(rows), "3 lines could not be read", 3)

    @classmethod
    def place(cls, name, data, words, lines=0, end=False):
        path = cls.shared / name
        path.write_bytes(data)
        cls.damages[name] = Damage(path, words, lines, end)

    @staticmethod
    def last_frame(stream):
        """Where the frame begins that has the STOP: the last one."""
        return stream.rindex(b"\xe5\xa1")

    def run_on(self, command, path, *more):
        """more: options of any command."""
        words = command.split()
        named = ["--elf", ELF] if words[0] in ("coverage", "profile", "calls", "timeline", "history", "memory") else []
        result = subprocess.run([EARSHOT, words[0], *map(str, named), *more, *words[1:], path], capture_output=True,
                                cwd=self.folder, timeout=120, check=False)
        return result.returncode, result.stdout.decode(), result.stderr.decode()

    def records(self, path):
        """What can be read, by another way: the instructions, and the gaps between them."""
        out = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "--max-bad", "1000000", "-f", "json", path],
                             capture_output=True, check=False).stdout
        found = [json.loads(line) for line in out.splitlines()]
        return [one for one in found if one["kind"] == "instruction"], found

    def test_every_command_says_it(self):
        for name, damage in self.damages.items():
            instructions, found = self.records(damage.path)
            before = next((i for i, one in enumerate(found) if one["kind"] == "gap"), None)
            first = sum(one["kind"] == "instruction" for one in found[:before])
            for command in COMMANDS:
                with self.subTest(name, command=command):
                    status, out, error = self.run_on(command, damage.path)
                    self.assertEqual(status, 1 if status == 1 and command.startswith("check") else 2, error)
                    said = re.findall(SENTENCE, error)
                    self.assertEqual(len(said), 1, error)
                    self.assertIn(damage.words, said[0][3])
                    if said[0][2]:
                        self.assertEqual(int(said[0][2]), first)
                    if "json" in command and command.split()[0] != "timeline" and out.strip().startswith("{"):
                        answer = json.loads(out)
                        self.assertIs(answer["complete"], False)
                        if damage.end or damage.lines:
                            self.assertIs(answer["accounted"], False)
                    if command.startswith("stat --json"):
                        self.assertEqual(json.loads(out)["total"]["records"], len(instructions))
                    if command.split()[0] in ("show", "grep"):
                        continue
                    head, *rest = command.split()
                    quiet = self.run_on(" ".join([head, "-q", *rest]), damage.path)
                    self.assertEqual(quiet[0], status)
                    self.assertNotIn("is damaged", quiet[2])

    def test_all_json_says_it(self):
        """Once for each trace: (complete, accounted) are those of the trace, of a text they are unknown."""
        named = {words.split()[0] for words in JSON} | OTHER_JSON
        commands = re.findall(r"(?m)^  (\w[\w-]*)  ", self.earshot("--help")[0].split("First steps")[0])
        self.assertIn("stat", commands)
        for command in commands:
            if re.search(r"\bjson\b", self.earshot(command, "--help")[0]):
                self.assertIn(command, named)
        truths = [(self.whole, (True, True)), (self.text, (None, None))]
        truths += [(damage.path, (False, False)) for damage in self.damages.values() if damage.end or damage.lines]
        for path, truth in truths:
            shutil.copy(path, self.folder / path.name)
            for command in JSON:
                with self.subTest(path.name, command=command):
                    more = [path.name] if command.endswith(("diff --json", "--against")) else []
                    status, out, error = self.run_on(command, path.name, *more)
                    if not out and status == 2 and not self.records(path)[0]:
                        continue  # of nothing nothing is said
                    found = list(verdicts([json.loads(line) for line in out.splitlines()] if is_lines(command)
                                          else json.loads(out)))
                    self.assertEqual(found, [truth] * (1 + len(more)), error)

    def test_what_is_said_of_the_end_begins_with_it(self):
        """No answer about the end of a trace whose end is missing is without that."""
        for name, damage in self.damages.items():
            instructions = self.records(damage.path)[0]
            if not damage.end or not instructions:
                continue
            said = rf"the end of the trace is missing: (an unknown number of|\d+) records? after #{len(instructions) - 1}\n"
            for command in "check", "why", "state", "grep --last --write", "grep --last -c --write":
                with self.subTest(name, command=command):
                    _, out, error = self.run_on(command, damage.path)
                    self.assertRegex(error if command.startswith("grep") else out, said)
            report = self.run_on("check --junit -", damage.path)[1]
            self.assertRegex(report, r'errors="1"(.|\n)*name="reading">\n *<error message=".*missing')

    def test_it_can_be_no_failure(self):
        for name, damage in self.damages.items():
            for command in "stat", "coverage", "calls", "memory":
                with self.subTest(name, command=command):
                    status, _, error = self.run_on(command, damage.path, "--incomplete", "ok")
                    self.assertEqual(status, 0 if self.records(damage.path)[0] else status, error)
                    self.assertRegex(error, SENTENCE)

    def test_what_stops_before_owes_nothing(self):
        for name, damage in self.damages.items():
            if len(self.records(damage.path)[0]) < 1000 or damage.lines:
                continue
            for command in ("show --to 90", "state --at 90", "stat --to 90", "why --at 90 --value sp",
                            "grep --write --first"):
                with self.subTest(name, command=command):
                    status, _, error = self.run_on(command, damage.path)
                    self.assertEqual((status, "damaged" in error), (0, False), error)

    def test_a_whole_one_says_nothing(self):
        for path in self.whole, self.text:
            for command in COMMANDS:
                with self.subTest(path.name, command=command):
                    status, out, error = self.run_on(command, path)
                    self.assertIn(status, (0, 1) if command.startswith("why") else (0,), error)
                    self.assertNotIn("damaged", error)
                    if "json" in command and command.split()[0] != "timeline":
                        self.assertIs(json.loads(out)["complete"], None if path == self.text else True)

    def test_a_slice_is_a_part(self):
        part = self.folder / "part.shot"
        self.earshot("decode", "-q", "--from", 100, "--to", 3000, self.whole, "-o", part)
        for command in (*COMMANDS, "diff part.shot"):
            with self.subTest(command):
                status, _, error = self.run_on(command, part)
                self.assertIn(status, (0, 1) if command.startswith("why") else (0,), error)
                said = error.count(" is a part: it ends before its run did, as it was to\n")
                self.assertEqual(said, 2 if command.startswith("diff") else 1, error)

    def test_what_the_parity_made_good_is_whole(self):
        """One bit of the stream is another: each answer is that of the whole file, and says so."""
        data = bytearray(self.whole.read_bytes())
        parity = data.index(b"EREP")
        data[parity + int.from_bytes(data[parity - 4:parity], "little") + 200] ^= 0x10
        (self.folder / "whole.shot").write_bytes(data)
        for command in (*COMMANDS, "decode", "convert -f json", "dump"):
            with self.subTest(command):
                status, out, error = self.run_on(command, "whole.shot")
                wanted = self.run_on(command, self.whole)
                self.assertEqual((status, out.replace(str(self.whole), "whole.shot")),
                                 (wanted[0], wanted[1].replace(str(self.whole), "whole.shot")))
                self.assertRegex(error, r"warning: \S+: byte \d+ is damaged: it was made good by the parity in the file")
        self.assertRegex(self.run_on("info", "whole.shot")[1], r"(?s)\nrepaired: byte \d+ .*\ncomplete: yes")

    def test_nothing_is_no_success(self):
        head, empty = self.folder / "head.csv", self.folder / "no.shot"
        head.write_bytes(self.text.read_bytes().splitlines(keepends=True)[0])
        empty.write_bytes(self.whole.read_bytes()[:1500])
        for path in head, empty:
            for command in COMMANDS:
                with self.subTest(path.name, command=command):
                    status, out, error = self.run_on(command, path)
                    self.assertEqual(status, 2, error)
                    self.assertRegex(error, r"(?m)^earshot: (warning: )?\S+( is damaged)?: \S")
        for more in [], ["-j2"], ["--no-index"]:
            self.assertEqual(self.earshot("grep", "--status", "--write", *more, self.text), ("", ""))
        self.assertIn("neither side has a record", self.earshot("diff", head, head, status=2)[1])
        self.assertEqual(self.earshot("state", "--at", "begin", self.text)[1], "")

    def test_it_is_that_of_info(self):
        """Of captures: with STOP, by a limit; slices; dumps; damaged ones. However they are read."""
        cut, dump = self.folder / "slice.shot", self.folder / "limited.shot"
        self.earshot("decode", "-q", "--from", 100, "--to", 500, "-o", cut, self.whole)
        self.earshot("capture", "-q", "-d", f"file:{self.shared}/whole.raw", "-o", dump, "--limit", 500)
        damaged = [damage.path for damage in self.damages.values() if damage.path.suffix != ".csv"]
        for path in (self.whole, self.shared / "whole.raw", cut, dump, *(path for path in damaged if path.suffix != ".json")):
            facts = self.earshot("info", path, status=None)[0]
            for command in "stat --json", "stat -j3 --json", "memory --json", "check --json", "state --json", "why --json":
                with self.subTest(path.name, command=command):
                    answer = json.loads(self.run_on(command, path)[1])
                    self.assertIs(answer["complete"], "\ncomplete: yes\n" in facts, facts)
                    if answer["accounted"]:
                        self.assertIn("accounted: yes", facts)
                    self.assertEqual(self.run_on(command, path)[1], self.run_on(command, path)[1])

    def test_a_difference_stays_one(self):
        text = self.damages["lines.csv"].path
        out, error = self.earshot("diff", self.text, text, status=2)
        self.assertIn("the same: ", out)
        self.assertRegex(error, SENTENCE)
        self.assertEqual(self.earshot("diff", "--status", self.text, text, status=2), ("", ""))
        changed = self.folder / "changed.csv"
        changed.write_bytes(text.read_bytes().replace(b",x2=", b",x3=", 1))
        _, error = self.earshot("diff", self.text, changed, status=1)
        self.assertRegex(error, SENTENCE)

    def test_nothing_made_of_a_part_is_whole(self):
        for name, damage in self.damages.items():
            with self.subTest(name):
                made = self.folder / "made.shot"
                self.earshot("convert", "-q", "--max-bad", 100000, damage.path, "-o", made, status=None)
                if made.exists() and self.records(damage.path)[0]:
                    self.assertEqual(self.info(made)["complete"], "no")
                    self.assertEqual(self.run_on("stat", made)[0], 2)


if __name__ == "__main__":
    main()
