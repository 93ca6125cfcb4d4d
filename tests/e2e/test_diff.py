#!/usr/bin/env python3
"""diff of traces with gaps: only true differences are reported, in every format that has gaps.

Each trial takes a trace of known truth, cuts gaps into both sides (each hart has its own), plants
true differences in B, writes both sides in formats drawn at random, and compares what diff reports
with the truth. --long: 2000 trials; the seed of a failing trial is printed.
"""
import json
import random
import re
import sys

from support import HEADER, PROGRAMS, TREE, Case, main

SAMPLES = TREE / "tests/data/whisper"
FORMATS = {"whisper": "csv", "whisper-log": "whisper.log", "json": "jsonl", "shot": "shot"}
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")


class Trace:
    """Records with their harts, and what index each has in its hart."""

    def __init__(self, name):
        lines = (SAMPLES / f"{name}.csv").read_text().splitlines()
        self.lines = [line for line in lines if not line.startswith("pc,")]
        self.harts = [int(line.rsplit(",", 1)[1], 16) for line in self.lines]
        self.indexes, self.counts = [], {}
        for hart in self.harts:
            self.indexes.append(self.counts.get(hart, 0))
            self.counts[hart] = self.indexes[-1] + 1
        # Values that are other values if one digit is changed, and nothing else changes with them.
        self.plain = [at for at, line in enumerate(self.lines)
                      if re.fullmatch(r"[0-9a-f:]+,[0-9a-f]+,x\d+=[0-9a-f]+,.*", line) and line.split(",")[7] == ""]


def draw_gaps(numbers, count):
    """Ranges of indexes, in order: also at the beginning, at the end, and directly after each other."""
    found, at = [], 0 if numbers.random() < 0.3 else numbers.randrange(count)
    while at < count and len(found) < 8 and (not found or numbers.random() < 0.8):
        end = min(count, at + 1 + numbers.randrange(numbers.choice((3, 60, 1500))))
        found.append((at, end))
        at = end + (0 if numbers.random() < 0.2 else 1 + numbers.randrange(numbers.choice((3, 60, 900))))
    return found


def draw_like(numbers, gaps, count):
    """Gaps that have to do with those of the other side: the same, other ends, only some, one around them."""
    how = numbers.randrange(4)
    if how == 0 or not gaps:
        return list(gaps)
    if how == 1:
        return [gap for gap in gaps if numbers.random() < 0.5]
    if how == 2:
        return [(gaps[0][0], gaps[-1][1])]
    ends = [b for a, b in gaps[1:]] + [count]
    return [(a + numbers.randrange(b - a), numbers.randrange(b, limit + 1))
            for (a, b), limit in zip(gaps, [a for a, b in gaps[1:]] + ends[-1:])]


def text_of(trace, gaps, changed):
    """A Whisper CSV of the trace without what lies in gaps, and with the lines of changed in their place."""
    out = [HEADER]
    for at, line in enumerate(trace.lines):
        hart, index = trace.harts[at], trace.indexes[at]
        for first, end in gaps.get(hart, ()):
            if index == first:
                out.append(f"# gap: {end - first} record{'' if end - first == 1 else 's'} missing; index {first} to "
                           f"{end - 1}; hart {hart}; the unit's FIFO was full; stream byte 100")
            if first <= index < end:
                break
        else:
            out.append(changed.get(at, line))
    return "\n".join(out) + "\n"


def has(trace, gaps, at):
    return not any(a <= trace.indexes[at] < b for a, b in gaps.get(trace.harts[at], ()))


class Gaps(Case):
    def write(self, name, text, form):
        csv, path = self.folder / f"{name}.csv", self.folder / f"{name}.{FORMATS[form]}"
        csv.write_text(text)
        if form != "whisper":
            self.earshot("convert", csv, *([] if form == "shot" else ["-f", form]), "-o", path)
        return path

    def one(self, trace, seed):
        numbers = random.Random(seed)
        gaps = [{}, {}]
        for hart, count in trace.counts.items():
            gaps[0][hart] = draw_gaps(numbers, count)
            gaps[1][hart] = draw_like(numbers, gaps[0][hart], count) if numbers.random() < 0.5 else \
                draw_gaps(numbers, count) if numbers.random() < 0.8 else []
        changed, near = {}, set()
        for at in numbers.sample(trace.plain, numbers.choice((0, 1, 20))):
            # In a loop that waits, differences in a row could as well be another number of rounds.
            if (trace.harts[at], trace.indexes[at] // 16) in near:
                continue
            near |= {(trace.harts[at], trace.indexes[at] // 16 + by) for by in (-1, 0, 1)}
            head, value = trace.lines[at].split(",", 3)[2].split("=")
            other = f"{int(value, 16) ^ 1:x}"
            changed[at] = trace.lines[at].replace(f",{head}={value},", f",{head}={other},", 1)
        forms = [numbers.choice(list(FORMATS)) for _ in range(2)]
        for side in 0, 1:  # a capture that is made from text has no gap at its beginning
            if any(ranges and ranges[0][0] == 0 for ranges in gaps[side].values()) and forms[side] == "shot":
                forms[side] = "json"
        sides = [self.write("a", text_of(trace, gaps[0], {}), forms[0]),
                 self.write("b", text_of(trace, gaps[1], changed), forms[1])]

        both = [at for at in range(len(trace.lines)) if has(trace, gaps[0], at) and has(trace, gaps[1], at)]
        expected = {at for at in changed if at in set(both)}
        status = 1 if expected else 0 if both else 2
        read = ["-a", forms[0], "-b", forms[1]]
        out, _ = self.earshot("diff", "-n0", "--json", *read, *sides, status=status)
        same, _ = self.earshot("diff", "-n0", "--json", "-j2", *read, *sides, status=status)
        self.assertEqual(out, same)
        *events, summary = [json.loads(line) for line in out.splitlines()]
        self.assertLessEqual({event["kind"] for event in events}, {"different", "gap"})

        # Which record of a hart a side is at, by the truth.
        kept = [{hart: [at for at in range(len(trace.lines)) if trace.harts[at] == hart and has(trace, side, at)]
                 for hart in trace.counts} for side in gaps]
        found = {tuple(kept[side][event["ab"[side]]["hart"]][event["ab"[side]]["record"]] for side in (0, 1))
                 for event in events if event["kind"] == "different"}
        self.assertEqual(found, {(at, at) for at in expected})
        counts = [sum(map(len, side.values())) for side in kept]
        self.assertEqual(summary["pairs"], len(both))
        self.assertEqual((summary["not_compared_a"], summary["not_compared_b"]),
                         (counts[0] - len(both), counts[1] - len(both)))
        self.assertEqual(summary["gaps"], sum(len(ranges) for side in gaps for ranges in side.values()))
        self.assertEqual(summary["same"], None if not both else not expected)
        for side in (0, 1):
            again, _ = self.earshot("diff", "--json", "-a", forms[side], "-b", forms[side],
                                    sides[side], sides[side], status=0 if counts[side] else 2)
            summary = json.loads(again.splitlines()[-1])
            self.assertEqual((summary["pairs"], summary["not_compared_a"], summary["not_compared_b"]),
                             (counts[side], 0, 0))

    def test_only_true_differences_are_reported(self):
        traces = [Trace("fpmix"), Trace("multi"), Trace("timer")]
        for seed in range(2000 if LONG else 30):
            with self.subTest(seed=seed):
                self.one(traces[seed % len(traces)], seed)

    def test_a_gap_of_one_hart_may_be_longer_than_what_can_wait(self):
        """Hart 0 has 80000 records that A lost, while the other hart has all of its own."""
        count, line = 80000, "80000000,13,,,,,m,,,%d"
        a, b = [HEADER], [HEADER]
        for at in range(count):
            for hart in 0, 1:
                b.append(line % hart)
                if hart == 1 or at < 100 or at >= count - 100:
                    a.append(line % hart)
                elif at == 100:
                    a.append(f"# gap: {count - 200} records missing; index 100 to {count - 101}; hart 0; "
                             "the unit's FIFO was full; stream byte 100")
        paths = [self.folder / "a.csv", self.folder / "b.csv"]
        for path, lines in zip(paths, (a, b)):
            path.write_text("\n".join(lines) + "\n")
        for sides in (paths, paths[::-1]):
            out, _ = self.earshot("diff", *sides)
            self.assertIn(f"the same: {count + 200} records; 1 gap, over which {count - 200} records", out)


class Width(Case):
    """One digit too many in an RV32 text is one bad line, wherever it stands, and nothing else changes."""

    # The value of an integer register in a line of each format.
    VALUES = {
        "whisper": r",(x\d+=[0-9a-f]{8}),",
        "whisper-log": r" r [0-9a-f]{2} +([0-9a-f]{8}) ",
        "riscv-dv": r",([a-z0-9]+:[0-9a-f]{8}),",
        "spike": r" x\d+ +(0x[0-9a-f]{8})(?: mem .*)?$",
        "qemu4v": r" R x\d+ ([0-9a-f]{8})$",
        "tarmac": r" R x\w+ 0000000([0-9a-f]{9})$",
        "armulator": r"^(?:T .{8} +)?R (x\d+=[0-9a-f]{8})$",
    }
    PCS = {
        "whisper": r"^([0-9a-f]{8}),",
        "whisper-log": r"^#\d+ 0  M ([0-9a-f]{8}) ",
        "riscv-dv": r"^([0-9a-f]{8}),",
        "spike": r"^core   0: 3 (0x[0-9a-f]{8}) ",
        "qemu4v": r" IT \(\d+\) ([0-9a-f]{8}) ",
        "tarmac": r" IT \(\d+\) ([0-9a-f]{8}) ",
        "armulator": r"IT ([0-9a-f]{8}) ",
    }

    def one(self, form, pattern, lines, places):
        for place in places:
            at = next(at for at in range(place, len(lines)) if re.search(pattern, lines[at]))
            match = re.search(pattern, lines[at])
            value = match.group(1)
            # The digit in front; a Tarmac register has 16 digits already.
            wide = f"1{value[1:]}" if form == "tarmac" and len(value) == 9 else re.sub(r"([0-9a-f]{8})$", r"1\1", value)
            text = self.folder / f"b.{form}"
            text.write_text("\n".join(lines[:at] + [lines[at][:match.start(1)] + wide + lines[at][match.end(1):]]
                                      + lines[at + 1:]) + "\n")
            with self.subTest(form, line=lines[at]):
                options = ["-a", form, "-b", form, "-n0", "--json"]
                for jobs in 1, 2:
                    out, error = self.earshot("diff", *options, "-j", jobs, self.folder / f"a.{form}", text, status=None)
                    events = [json.loads(line) for line in out.splitlines()]
                    # The record is not there, or lacks what the line said; before it, where it went.
                    self.assertLessEqual(sum(event.get("count_a", 1) for event in events[:-1]), 2, out)
                    self.assertRegex(error, f"line {at + 1} skipped: (a value is wider than 32 bits|"
                                     "the pc has neither 8 nor 16 digits)")
                    self.assertIn("1 bad line skipped", error)
                    self.assertIn("b.{form} is damaged: 1 line could not be read".format(form=form), error)
                _, error = self.earshot("diff", *options, "--strict", self.folder / f"a.{form}", text, status=2)
                self.assertIn(f"line {at + 1}: ", error)

    def test_one_digit_too_many_is_one_bad_line(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "demo")
        for form in self.VALUES:
            text = self.folder / f"a.{form}"
            self.earshot("convert", shot, "-f", form, "-o", text, "--quiet-loss", "--limit", 3000)
            lines = text.read_text().splitlines()
            self.one(form, self.VALUES[form], lines, (60, 2000))
            self.one(form, self.PCS[form], lines, (60, 2000))


class Vectors(Case):
    def test_formats_without_masks(self):
        for form in "json", "whisper-log", "spike":
            text = self.folder / f"t.{form}"
            self.earshot("convert", SAMPLES / "vector.csv", "-f", form, "-o", text, "--quiet-loss")
            for sides in (SAMPLES / "vector.csv", text), (text, SAMPLES / "vector.csv"):
                with self.subTest(form):
                    options = ["--unknown-equal", "--ignore", "physical"] if form != "json" else []
                    out, _ = self.earshot("diff", *options, *sides)
                    (self.assertNotIn if form == "json" else self.assertIn)("masked", out)


class Units(Case):
    def test_what_the_unit_lacks_is_not_compared(self):
        """The unit tiny carries no CSR writes (CSR_SLOTS 0), raw does."""
        shots = {}
        for unit in "tiny", "raw":
            shots[unit] = self.folder / f"{unit}.shot"
            self.earshot("capture", "-d", f"sim:{PROGRAMS}/traps.elf,unit={unit},uart=/dev/null", "-o", shots[unit])
        text = self.folder / "raw.csv"
        self.earshot("decode", shots["raw"], "-o", text)
        self.assertIn(" csr_slots 0 ", self.earshot("dump", shots["tiny"])[0])
        for other in shots["raw"], text:
            for sides in (shots["tiny"], other), (other, shots["tiny"]):
                for jobs in 1, 2:
                    out, _ = self.earshot("diff", "-j", jobs, *sides)
                    self.assertRegex(out, r"^the same: \d+ records; not on both sides and not compared: csr\n$")
                out, _ = self.earshot("diff", "--only", "csr", *sides, status=1)
                self.assertIn("mie is", out)
        # Nothing is said of what neither side has anything of.
        self.assertRegex(self.earshot("diff", shots["raw"], text)[0], r"^the same: \d+ records\n$")
        self.assertRegex(self.earshot("diff", shots["tiny"], shots["tiny"])[0], r"^the same: \d+ records\n$")


if __name__ == "__main__":
    main()
