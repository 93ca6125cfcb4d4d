#!/usr/bin/env python3
"""'earshot grep' of a part of a trace, of its first and last matches, and counts of them: what a look at
all matches says."""
import collections
import random
import re
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, json_lines, main, some

LENGTH = 30000
# Conditions of rtos.elf that are rare, frequent, and never hold.
CONDITIONS = (["--write", "--addr", "rtos_current"], ["--read", "--addr", "rtos_current"], ["--pc", "rtos_schedule"],
              ["--trap"], ["--interrupt"], ["--reg", "mepc"], ["--opcode", "0x30200073"], ["--pc", "0x10"],
              ["--addr", "stacks", "--write", "--pc", "shuffle"], ["--reg", "a0=1"], ["--hart", "0"])


class GrepWindow(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = PROGRAMS / "rtos.elf"

    def setUp(self):
        super().setUp()
        self.shot = self.folder / "t.shot"
        self.earshot("capture", "-q", "-d", f"sim:{self.elf},uart=/dev/null", "-o", self.shot, "--limit", LENGTH)

    def grep(self, *arguments, file=None, status=(0, 1), feed=None):
        result = subprocess.run([EARSHOT, "grep", *map(str, arguments), file or self.shot], capture_output=True,
                                text=True, check=False, stdin=feed or subprocess.DEVNULL)
        self.assertIn(result.returncode, status, result.stderr)
        if result.returncode in (0, 1):
            self.assertEqual(result.stderr, "")
        return result

    def lines(self, *arguments, **keywords):
        return self.grep(*arguments, **keywords).stdout.splitlines()

    def numbers(self, *arguments, **keywords):
        """Which instructions match. The capture has no gap, so the index of a hart is the number."""
        return [int(re.search(r"index (\d+): ", line)[1]) for line in self.lines("-n", *arguments, **keywords)]

    def test_first_and_last_are_those_of_all_matches(self):
        chance = random.Random(1)
        for condition in some(*CONDITIONS, gate=6):
            every = self.numbers(*condition)
            for _ in range(8 if NIGHT else 2):
                limit, count = chance.randrange(LENGTH), chance.randrange(1, 4)
                with self.subTest(condition, limit=limit, count=count):
                    before = [number for number in every if number < limit]
                    after = [number for number in every if number > limit]
                    self.assertEqual(self.numbers(*condition, "--last", "--before", limit, "-m", count),
                                     before[-count:])
                    self.assertEqual(self.numbers(*condition, "--first", "--after", limit, "-m", count),
                                     after[:count])
                    self.assertEqual(self.numbers(*condition, "--first", "--before", limit), before[:1])
                    self.assertEqual(self.numbers(*condition, "--last", "--after", limit, "--no-index"), after[-1:])

    def test_without_a_limit_the_whole_trace_counts(self):
        for condition in some(*CONDITIONS, gate=6):
            with self.subTest(condition):
                every = self.numbers(*condition)
                self.assertEqual(self.numbers(*condition, "--first"), every[:1])
                self.assertEqual(self.numbers(*condition, "--last"), every[-1:])
                self.assertEqual(self.grep(*condition, "--last").returncode, 0 if every else 1)
                self.assertEqual(self.lines(*condition, "--last", "-m", 5, "-c"), [str(len(every[-5:]))])

    def test_a_part_of_the_trace(self):
        chance = random.Random(2)
        for condition in some(*CONDITIONS[:9], gate=4):
            every = self.numbers(*condition)
            for _ in range(3 if NIGHT else 2):
                first, last = sorted(chance.sample(range(LENGTH), 2))
                with self.subTest(condition, first=first, last=last):
                    inside = [number for number in every if first <= number <= last]
                    self.assertEqual(self.numbers(*condition, "--from", first, "--to", last), inside)
                    self.assertEqual(self.numbers(*condition, "--from", first, "--to", last, "--last"), inside[-1:])
                    self.assertEqual(self.lines(*condition, "--from", first, "-c"),
                                     [str(sum(number >= first for number in every))])
        self.assertEqual(self.numbers("--from", LENGTH - 2, "--pc", "0-0xffffffff"), [LENGTH - 2, LENGTH - 1])
        self.assertEqual(self.numbers("--to", 1), [0, 1])
        self.assertEqual(self.numbers("--from", 10 * LENGTH, "--pc", "0-0xffffffff"), [])

    def surroundings(self, matches, before, after):
        """What grep shows of these matches, from all records of the trace."""
        shown, lines = -1, []
        for match in matches:
            first = max(match - before, shown + 1)
            if lines and first > shown + 1:
                lines.append("--")
            following = min([other for other in matches if other > match], default=len(self.every))
            for number in range(first, min(match + after, following - 1, len(self.every) - 1) + 1):
                mark = ":" if number == match else "-"
                lines.append(re.sub(r"(index \d+)[:-]", r"\1" + mark, self.every[number], count=1))
                shown = number
        return lines

    def test_context_is_that_of_the_trace(self):
        self.every = self.lines("-n", "-A1")  # with the event at the end
        for condition in some(*CONDITIONS[:6], gate=3):
            matches = self.numbers(*condition)
            for count, before, after in some((4, 300, 400), (4, 3, 2), (3, 1000, 0), (1, 3, 2), (2, 0, 1), gate=3):
                with self.subTest(condition, count=count, before=before, after=after):
                    options = ("-n", f"-B{before}", f"-A{after}", "-m", count, *condition)
                    self.assertEqual(self.lines("--first", *options),
                                     self.surroundings(matches[:count], before, after))
                    self.assertEqual(self.lines("--last", *options),
                                     self.surroundings(matches[-count:], before, after))
        # At the ends of the trace. It ends with an event.
        self.assertEqual(self.numbers("--last", "-m3", "--pc", "0-0xffffffff"), [LENGTH - 3, LENGTH - 2, LENGTH - 1])
        self.assertEqual(len(self.lines("-n", "--last", "-m3", "-C5")), 9)
        self.assertEqual(self.lines("--first", "-B5", "-A1"), self.lines()[:3])

    def test_the_context_options_of_before_still_are(self):
        condition = CONDITIONS[0]
        self.assertEqual(self.lines("--before", 2, "--after", 1, *condition), self.lines("-B2", "-A1", *condition))
        self.assertEqual(self.lines("--before-context", 2, "--after-context", 1, *condition),
                         self.lines("-B2", "-A1", *condition))
        result = self.grep("--before", 1001, *condition, status=(2,))
        self.assertIn("with --first or --last it is a limit", result.stderr)

    def test_a_text_has_the_same_matches(self):
        for name, written in some(("spike", "t.log"), ("json", "t.json"), ("whisper", "t.csv")):
            text = self.folder / written
            self.earshot("decode", "-f", name, "-o", text, self.shot)
            for condition in CONDITIONS[3:7]:
                with self.subTest(name, condition=condition):
                    every = self.lines(*condition, file=text)
                    if not every:
                        continue
                    self.assertEqual(self.lines(*condition, "--last", file=text)[-1], every[-1])
                    self.assertEqual(self.lines(*condition, "--first", file=text)[-1], every[1])

    def test_a_pipe_has_a_part_but_no_last_match(self):
        csv = self.folder / "t.csv"
        self.earshot("decode", "-o", csv, self.shot)
        for arguments, expected in ((["--from", 100, "--to", 102], 3), (["--first", "--after", 500], 1),
                                    (["--first", "-m4", "--before", 3], 3)):
            with self.subTest(arguments):
                with subprocess.Popen(["cat", csv], stdout=subprocess.PIPE) as cat:
                    piped = self.lines(*arguments, file="-", feed=cat.stdout)
                self.assertEqual(piped, self.lines(*arguments, file=csv))
                self.assertEqual(len(piped), expected + 1)
        with subprocess.Popen(["cat", csv], stdout=subprocess.PIPE) as cat:
            self.assertIn("give a plain file", self.grep("--last", file="-", feed=cat.stdout, status=(2,)).stderr)

    def test_counts(self):
        records = json_lines(self.decode(self.shot, "-f", "json"))
        pcs = collections.Counter(record["pc"] for record in records if record.get("memory"))
        found = dict(reversed(line.split()) for line in self.lines("--count-by", "pc", "--addr", "0-0xffffffff"))
        self.assertEqual({pc: int(count) for pc, count in found.items()}, dict(pcs))
        by_function = self.lines("--count-by", "function", "--addr", "0-0xffffffff")
        self.assertEqual(sum(int(line.split()[0]) for line in by_function), sum(pcs.values()))
        counts = [int(line.split()[0]) for line in by_function]
        self.assertEqual(counts, sorted(counts, reverse=True))
        for name in ("rtos_schedule", "fibonacci"):
            expected = self.lines("-c", "--pc", name, "--addr", "0-0xffffffff")
            self.assertEqual([line.split()[0] for line in by_function if line.split()[1] == name], expected)
        self.assertEqual(self.lines("--count-by", "hart", "--from", 10, "--to", 19), ["        10  hart 0"])


if __name__ == "__main__":
    main()
