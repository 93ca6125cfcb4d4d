#!/usr/bin/env python3
"""'earshot branches': counts are those of a replay, of captures by their pcs and of a made-up run of two harts."""
import csv
import io
import json
import random
import re

from support import PROGRAMS, Case, main

NUMBERS = "executed", "taken", "not_taken", "unknown", "misses"


def is_branch(opcode):
    return opcode & 0x7F == 0x63 if opcode & 3 == 3 else opcode & 0xE003 in (0xC001, 0xE001)


class Replay:
    """A counter from 0 to 3 for each branch of each hart: 2 and 3 say that it is taken."""

    def __init__(self):
        self.counters, self.rows = {}, {}

    def step(self, hart, pc, taken):
        """taken None: not known."""
        row = self.rows.setdefault(pc, dict.fromkeys(NUMBERS, 0))
        row["executed"] += 1
        if taken is None:
            row["unknown"] += 1
            return
        row["taken" if taken else "not_taken"] += 1
        counter = self.counters.get((hart, pc), 1)
        row["misses"] += (counter >= 2) != taken
        self.counters[hart, pc] = min(counter + 1, 3) if taken else max(counter - 1, 0)

    def table(self):
        return {f"{pc:#x}": row for pc, row in self.rows.items()}


def replay_text(text):
    """Of a Whisper text: a branch was taken if its hart goes on elsewhere than after it. Before a gap, where that is
    not seen, the text says it itself."""
    replay, branch, seen = Replay(), None, {"next": 0, "text": 0}
    for line in [*text.splitlines()[1:], "# end"]:
        fields = line.split(",")
        is_record = not line.startswith("#")
        if branch and (is_record or re.match("# (gap|end)", line)):
            pc, after, way = branch
            taken = int(fields[0], 16) != after if is_record else way == "t"
            assert taken == (way == "t"), line
            seen["next" if is_record else "text"] += 1
            replay.step(0, pc, taken)
            branch = None
        if is_record and is_branch(int(fields[1], 16)) and not fields[7]:  # neither trap nor interrupt
            branch = int(fields[0], 16), int(fields[0], 16) + (4 if int(fields[1], 16) & 3 == 3 else 2), fields[5]
    return replay, seen


class Branches(Case):
    def table(self, *arguments):
        """The rows by pc, and the total, after comparing the three formats and the sums."""
        found = json.loads(self.earshot("branches", "-q", "-f", "json", *arguments)[0])
        rows, total = found["branches"], found["total"]
        listed = list(csv.DictReader(io.StringIO(self.earshot("branches", "-q", "-f", "csv", *arguments)[0])))
        table = self.earshot("branches", "-q", *arguments)[0].splitlines()[1:]
        self.assertEqual((len(listed), len(table)), (len(rows) + 1,) * 2)
        for row, cells, line in zip([*rows, {**total, "pc": "total"}], listed, table):
            for name, value in row.items():
                text = "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)
                self.assertEqual(cells[name], text)
            self.assertEqual(line.split()[:5], [cells[name] or "-" for name in NUMBERS])
            self.assertEqual(line.split()[6], row["pc"])
        for name in NUMBERS:
            self.assertEqual(total[name], sum(row[name] or 0 for row in rows))
        self.assertEqual(rows, sorted(rows, key=lambda row: (-row["misses"], int(row["pc"], 16))))
        return {row["pc"]: {name: row[name] for name in NUMBERS} for row in rows}, total

    def check_parts(self, trace, *options):
        whole = self.earshot("branches", "-q", "--incomplete", "ok", trace)[0]
        self.assertEqual(self.earshot("branches", "-q", "--incomplete", "ok", "-j", 3, trace)[0], whole)
        files = [self.folder / f"{number}.part" for number in range(1, 6)]
        for number, path in enumerate(files, 1):
            path.write_text(self.earshot("branches", "-q", "--incomplete", "ok", "--part", f"{number}/{len(files)}",
                                         trace)[0])
        self.assertEqual(self.earshot("branches", "-q", "--incomplete", "ok", *options, *files)[0], whole)

    def check_stat(self, trace, total):
        stat = json.loads(self.earshot("stat", "-q", "-f", "json", "--incomplete", "ok", trace)[0])["total"]
        self.assertEqual([total[name] for name in NUMBERS[:4]],
                         [stat[name] for name in ("branch", "taken", "not_taken", "unknown_outcomes")])

    def test_counts_are_those_of_a_replay_of_the_pcs(self):
        # A unit that predicts makes runs of records, a raw one makes single records.
        for program, interrupts, unit in (("sort", False, "small"), ("timer", True, "raw")):
            shot = self.folder / f"{program}.shot"
            self.capture(shot, program, "--limit", "20000", keys=f",unit={unit}")
            text = self.decode(shot)
            self.assertEqual(bool(re.search(r"^[^#].*,80000007,", text, re.M)), interrupts)
            replay, seen = replay_text(text)
            self.assertGreater(seen["next"], 1000)
            rows, total = self.table(shot)
            self.assertEqual(rows, replay.table())
            self.check_stat(shot, total)
            self.check_parts(shot)

    def test_a_gap_keeps_what_the_predictor_has_learnt(self):
        shot, trace, rng = self.folder / "t.shot", self.folder / "t.csv", random.Random(26)
        self.capture(shot, "sort", "--limit", "20000")
        head, *lines = self.decode(shot).splitlines()
        branches = [at for at, line in enumerate(lines) if re.search(",n?t,", line)]
        for at in reversed(branches[5::60]):
            first, last = at + 1, at + rng.randrange(1, 9)
            lines[first:last + 1] = [f"# gap: {last - at} records missing; index {first} to {last}; hart 0; "
                                     "the unit's FIFO was full; stream byte 9"]
        trace.write_text("\n".join([head, *lines]) + "\n")
        replay, seen = replay_text(trace.read_text())
        self.assertGreater(seen["text"], 20)
        rows, total = self.table(trace)
        self.assertEqual(rows, replay.table())
        self.check_stat(trace, total)
        self.assertIn("there are gaps", self.earshot("branches", trace)[1])
        self.check_parts(trace)

    def test_each_hart_has_its_predictor_and_what_is_not_shown_is_unknown(self):
        rng, replay, lines = random.Random(2026), Replay(), []
        for index in range(4000):
            if rng.randrange(50) == 0:
                lines.append({"kind": "gap", "hart": 0, "index": index, "reason": "jump"})
            hart, place, odd = rng.randrange(2), rng.randrange(12), rng.randrange(40)
            pc, size, opcode = 0x80000000 + 4 * place, *((4, 0x00000463) if place % 2 else (2, 0xC401))
            taken = rng.random() < place / 11 if place % 3 else index % 2 == hart
            record = {"kind": "instruction", "schema": 2, "hart": hart, "index": index, "isa": "riscv", "xlen": 32,
                      "pc": hex(pc), "opcode": hex(opcode), "opcode_size": size, "privilege": "m",
                      "next_pc": hex(pc + (8 if taken else size)), "taken": taken}
            if odd == 0 or place == 5:
                del record["next_pc"], record["taken"]
                replay.step(hart, pc, None)
            elif odd == 1:
                record.update(trap=True, cause="0x0")
            elif odd == 2:
                record.update(interrupt=True, cause="0x80000007")
            else:
                replay.step(hart, pc, taken)
            lines.append(record)
        trace = self.folder / "t.json"
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
        expected = replay.table()
        for row in expected.values():
            if row["unknown"] == row["executed"]:
                row.update(taken=None, not_taken=None, misses=None)
        found = json.loads(self.earshot("branches", "-q", "-f", "json", "--incomplete", "ok", trace)[0])
        self.assertEqual({row["pc"]: {name: row[name] for name in NUMBERS} for row in found["branches"]}, expected)
        self.check_stat(trace, found["total"])
        self.check_parts(trace)

    def test_a_task_and_a_range_are_those_of_the_whole(self):
        shot, elf = self.folder / "t.shot", PROGRAMS / "events.elf"
        self.capture(shot, "events", keys=",unit=small")
        _, total = self.table(shot)
        tasks = [self.table("--task", pid, shot)[1] for pid in range(5)]
        self.assertEqual(sum(task["executed"] for task in tasks), total["executed"])
        self.assertGreater(sum(task["executed"] > 0 for task in tasks), 1)
        named = self.earshot("branches", "-q", shot)[0]
        self.assertRegex(named, r"0x8[0-9a-f]{7} +\w+\+0x[0-9a-f]+  \w+\.\w:\d+\n")
        self.assertEqual(self.earshot("branches", "-q", "--elf", elf, shot)[0], named)
        half = [self.table(*arguments, shot)[1] for arguments in (("--to", 5000), ("--from", 5001))]
        self.assertEqual(sum(part["executed"] for part in half), total["executed"])


if __name__ == "__main__":
    main()
