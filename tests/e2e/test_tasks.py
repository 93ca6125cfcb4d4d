#!/usr/bin/env python3
"""Traces by task ('earshot grep --task', 'earshot diff --task'): texts whose tasks take turns differently, and a
program that reports its tasks to an event port."""
import random

from support import PROGRAMS, Case, json_lines, main

PORT = 0x10020000


class Tasks(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "sort.shot", "sort", "--start", "pc=main", "--limit", 6000)
        lines = case.decode(cls.shared / "sort.shot").splitlines()
        cls.head = lines[0]
        cls.lines = [line for line in lines[1:] if not line.startswith("#")]

    def interleave(self, name, parts, seed, names=("left", "right")):
        """A text in which each part is what a task runs, in slices of any size."""
        chance, text, count, running = random.Random(seed), [self.head], 0, None
        def event(words):
            text.append(f"# event: {words}; value 0x0; hart 0; before index {count}")
        for pid, task in enumerate(names, 1):
            event(f"process {pid} {pid} {task}")
        rests = {pid: list(part) for pid, part in enumerate(parts, 1)}
        while rests:
            pid = chance.choice(list(rests))
            if pid != running:
                event(f"switch {pid}")
            running, size = pid, chance.randrange(1, 60)
            text += rests[pid][:size]
            count += len(rests[pid][:size])
            del rests[pid][:size]
            if not rests[pid]:
                del rests[pid]
        path = self.folder / name
        path.write_text("\n".join(text) + "\n")
        return path

    def test_a_task_is_compared_whenever_it_runs(self):
        parts = self.lines[:2500], self.lines[2500:5000]
        a, b = self.interleave("a.csv", parts, 1), self.interleave("b.csv", parts, 2)
        self.earshot("diff", a, b, status=1)
        for task in ("left", "right", "1", "2"):
            out, _ = self.earshot("diff", "--task", task, a, b)
            self.assertTrue(out.startswith("the same: 2500 records"), out)

    def test_a_difference_is_that_of_its_task(self):
        left, right = self.lines[:2500], self.lines[2500:5000]
        a = self.interleave("a.csv", (left, right), 3)
        b = self.interleave("b.csv", (left[:1000] + left[1001:], right), 4)
        out, _ = self.earshot("diff", "--task", "right", a, b)
        self.assertTrue(out.startswith("the same: 2500 records"), out)
        out, _ = self.earshot("diff", "--task", "left", a, b, status=1)
        self.assertIn("1 record only in A", out)
        # The place is that in the whole file.
        line = a.read_text().splitlines().index(left[1000]) + 1
        self.assertIn(f"record 1000, line {line}", out)

    def test_a_task_with_another_number_is_found_by_name(self):
        parts = self.lines[:1000], self.lines[1000:2000]
        a = self.interleave("a.csv", parts, 5)
        b = self.interleave("b.csv", parts[::-1], 6, ("right", "/bin/left"))
        out, _ = self.earshot("diff", "--task", "left", a, b)
        self.assertTrue(out.startswith("the same: 1000 records"), out)

    def test_what_is_missing_is_said(self):
        parts = self.lines[:1000], self.lines[1000:2000]
        a = self.interleave("a.csv", parts, 7)
        plain = self.folder / "plain.csv"
        plain.write_text("\n".join(line for line in a.read_text().splitlines() if not line.startswith("#")) + "\n")
        _, error = self.earshot("diff", "--task", "nobody", a, a, status=2)
        self.assertIn("neither side has a record of task nobody", error)
        _, error = self.earshot("diff", "--task", "left", a, plain, status=1)
        self.assertIn("plain.csv: no event says which task runs", error)

    def test_a_gap_is_no_difference_of_a_task(self):
        parts = self.lines[:1000], self.lines[1000:2000]
        a = self.interleave("a.csv", parts, 8)
        text = a.read_text().splitlines()
        at = next(i for i in range(600, len(text)) if text[i].startswith("# event: switch 1;"))
        begin = next(i for i in range(at + 1, len(text)) if text[i].startswith("#")) - 1
        index = sum(not line.startswith("#") for line in text[1:begin])
        gap = f"# gap: 1 record missing; index {index} to {index}; hart 0; the unit's FIFO was full; stream byte 9"
        b = self.folder / "b.csv"
        b.write_text("\n".join(text[:begin] + [gap] + text[begin + 1:]) + "\n")
        out, _ = self.earshot("diff", "--task", "left", a, b)
        self.assertIn("gap", out)
        self.assertIn("the same: 999 records", out)

    def test_stores_to_an_event_port_say_which_task_runs(self):
        shot, elf = self.folder / "t.shot", PROGRAMS / "events.elf"
        self.capture(shot, "events", keys=",unit=small")
        plain = self.folder / "plain.csv"
        plain.write_text("\n".join(line for line in self.earshot("convert", "-q", shot)[0].splitlines()
                                   if not line.startswith("# event")) + "\n")
        for task in ("init", "worker", "0", "1", "3"):
            out, _ = self.earshot("diff", "--task", task, "--event-port", f"{PORT:#x}", "--elf", elf, shot, plain)
            self.assertTrue(out.startswith("the same: "), out)
            if task.isdigit():
                self.assertEqual(int(out.split()[2]), int(self.earshot("grep", "-c", "--task", task, shot)[0]))

    def test_records_are_found_by_what_the_port_says(self):
        shot, elf, pid, counts = self.folder / "t.shot", PROGRAMS / "events.elf", 0, {}
        self.capture(shot, "events", keys=",unit=small")
        records = json_lines(self.earshot("convert", "-q", "-f", "json", shot)[0])
        for record in records:
            if record.get("kind") == "event" and record["source"] == 128:
                pid = int(record["value"], 16)
            elif record.get("kind") == "instruction":
                counts[pid] = counts.get(pid, 0) + 1
        names = {0: "swapper", 1: "init", 2: "worker", 3: "worker", 4: "worker"}
        wanted = "".join(f"{counts[pid]:10}  task {pid}  {names[pid]}\n"
                         for pid in sorted(counts, key=counts.get, reverse=True))
        # The strings are in the program that the capture names.
        self.assertEqual(self.earshot("grep", "--count-by", "task", shot)[0], wanted)
        plain = self.folder / "plain.csv"
        plain.write_text("\n".join(line for line in self.earshot("convert", "-q", shot)[0].splitlines()
                                   if not line.startswith("# event")) + "\n")
        port = "--event-port", f"{PORT:#x}"
        self.assertEqual(self.earshot("grep", "--count-by", "task", *port, "--elf", elf, plain)[0], wanted)
        _, warning = self.earshot("grep", "--count-by", "task", *port, plain)
        self.assertIn("strings of the event port: memory is not known there", warning)


if __name__ == "__main__":
    main()
