#!/usr/bin/env python3
"""The event port of the virtual board: a program that says itself what it stores, and what a trace shows of it."""
import json
import re

from support import PROGRAMS, Case, json_lines, main, some

EVENT = re.compile(r"# event: port (.*?); value 0x([0-9a-f]+); hart 0; before index (\d+)$", re.M)
LOST = re.compile(r"# event: port events lost; value 0x([0-9a-f]+);")
UNKNOWN = re.compile(r"# event: unknown port registers; value 0x([0-9a-f]+);")
TRUTH = re.compile(r"^event ([0-9a-f]{8}) ([0-9a-f]{8})$", re.M)
PORT = 0x10020000


class EventPort(Case):
    taken = {}

    def take(self, name, *arguments, keys="", status=0):
        """Of this class; the same once."""
        path = self.taken.setdefault((name, arguments, keys), self.shared / f"{len(self.taken)}-{name}")
        if not path.exists():
            self.capture(path, "events", *arguments, keys=keys, status=status)
        uart = path.with_name(f"{path.name}.uart").read_text()
        truth = [(int(source, 16), int(value, 16)) for source, value in TRUTH.findall(uart)]
        return path, truth, uart

    def events(self, path):
        """(source, value, index) of each event of the port, by the records themselves."""
        lines = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", path)[0].splitlines()
        found = [json.loads(line) for line in lines if '"event"' in line]
        return [(e["source"], int(e["value"], 16), e["index"]) for e in found
                if e.get("kind") == "event" and e["source"] >= 128]

    def test_every_store_is_an_event_right_before_its_record(self):
        for unit in some("raw", "small", "unified"):
            with self.subTest(unit):
                path, truth, uart = self.take("t.shot", keys=f",unit={unit}")
                self.assertIn("there", uart)
                self.assertGreater(len(truth), 150)
                text = self.decode(path)
                got = [(name, int(value, 16), int(index)) for name, value, index in EVENT.findall(text)]
                self.assertEqual([value for _, value, _ in got], [value for _, value in truth])
                self.assertEqual([(s, v) for s, v, _ in self.events(path)], truth)
                lines = text.splitlines()
                for at, line in enumerate(lines):
                    if EVENT.match(line):
                        source, value = truth.pop(0)
                        number = source - 0x80
                        offset = 4 * number if number < 112 else 0x1000 + 4 * (number - 112)
                        self.assertIn(f",{PORT + offset:x}={value:x},", lines[at + 1])
                self.assertEqual(UNKNOWN.findall(text), ["8"])
                self.assertEqual(LOST.findall(text), [])

    def test_the_index_of_an_event_is_that_of_its_store(self):
        path, _, _ = self.take("t.shot", keys=",unit=small")
        stores = self.earshot("grep", "--addr", f"{PORT:#x}-{PORT + 0x1fff:#x}", "--write", "-f", "json", path)[0]
        stores = json_lines(stores)
        stores = [s["index"] for s in stores if s.get("kind", "instruction") == "instruction"]
        indexes = [index for _, _, index in self.events(path)]
        self.assertEqual(len(indexes), len(set(indexes)))
        self.assertLessEqual(set(indexes), set(stores))
        self.assertEqual(len(stores) - len(indexes), 8)  # those to registers that no port has

    def test_on_a_slow_link_the_core_waits_or_events_are_counted(self):
        path, truth, _ = self.take("stall.shot", "--policy", "stall", keys=",link=32M")
        self.assertEqual([(s, v) for s, v, _ in self.events(path)], truth)
        self.assertGreater(self.info(path)["held_clocks"], 100000)
        path, truth, _ = self.take("drop.shot", "--policy", "drop", keys=",link=8M")
        text = self.decode(path)
        self.assertGreater(self.info(path)["lost"], 1000)
        got = EVENT.findall(text)
        lost = sum(int(count, 16) for count in LOST.findall(text))
        self.assertEqual(len(got) + lost, len(truth))
        self.assertGreater(len(got), 20)
        rest = iter(value for _, value in truth)
        for _, value, _ in got:  # in order, whatever is missing
            self.assertIn(int(value, 16), rest)

    def test_a_filter_holds_no_event_back(self):
        path, truth, _ = self.take("t.shot", "--filter", "pc=0x80000000-0x8000000f", keys=",unit=small")
        self.assertEqual([(s, v) for s, v, _ in self.events(path)], truth)
        self.assertLess(self.info(path)["records"], 10)

    def test_events_are_found_by_name(self):
        path, truth, _ = self.take("t.shot", keys=",unit=small")
        for name, source in (("switch", 0x80), ("name", 0x90), ("method-entry", 0xF0), ("mark", 0xF8)):
            count = int(self.earshot("grep", "--count", f"--event=port-{name}", path)[0])
            self.assertEqual(count, sum(s == source for s, _ in truth))
            self.assertEqual(count, int(self.earshot("grep", "--count", f"--event={source}", path)[0]))
        self.assertEqual(self.earshot("grep", "--event=port-unknown", "--count", path)[0], "1\n")

    def test_texts_and_parts_of_captures_keep_them(self):
        path, truth, _ = self.take("t.shot", keys=",unit=small")
        wanted = self.events(path)
        for form in ("json", "whisper"):
            text = self.folder / f"t.{form}"
            self.earshot("convert", path, "-f", form, "-o", text)
            back = self.folder / "back.shot"
            self.earshot("convert", text, "-o", back)
            self.assertEqual(self.events(back), wanted)
        part = self.folder / "part.shot"
        self.earshot("decode", path, "--from", 6000, "--to", 9000, "-o", part)
        self.assertEqual(self.events(part), [e for e in wanted if 6000 <= e[2] <= 9000])

    def test_stores_of_any_trace_give_the_same_events(self):
        path, truth, _ = self.take("t.shot", keys=",unit=small")
        wanted = self.events(path)
        for form in some("whisper", "shot", "spike", "whisper-log", "json", "tarmac"):
            with self.subTest(form):
                text = self.folder / f"t.{form}"
                bare = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", path)[0]
                lines = [line for line in bare.splitlines() if '"kind":"instruction"' in line]
                plain = self.folder / "plain.json"
                plain.write_text("\n".join(lines) + "\n")
                self.earshot("convert", "-q", "--quiet-loss", plain, "-f", form, "-o", text)
                arguments = ["-i", form] if form != "shot" else []
                out = self.folder / "out.json"
                self.earshot("convert", "-q", "--quiet-loss", "--event-port", f"{PORT:#x}", *arguments, text,
                             "-f", "json", "-o", out)
                self.assertEqual(self.events(out), wanted)

    def test_a_trace_with_events_gets_no_second_ones(self):
        path, _, _ = self.take("t.shot", keys=",unit=small")
        out = self.folder / "out.json"
        self.earshot("convert", "-q", path, "--event-port", f"{PORT:#x}", "-j", 2, "-f", "json", "-o", out)
        self.assertEqual(self.events(out), self.events(path))

    def test_strings_are_what_the_program_points_to(self):
        path, truth, _ = self.take("t.shot", keys=",unit=small")
        named = re.compile(r"# event: port (\S+); value 0x[0-9a-f]+; text ([^;]*);")
        strings = {"init-name": "swapper", "name": "init", "execve-exepath": "/init", "cmdline": "sh -c true",
                   "mmap-exepath": "/lib/libc.so"}
        elf = PROGRAMS / "events.elf"
        text = self.earshot("convert", "-q", "--quiet-loss", path, "--event-port", "unit", "--elf", elf)[0]
        found = named.findall(text)
        self.assertEqual([t for n, t in found if n == "name"], ["init", "worker", "worker", "worker"])
        for name, string in strings.items():
            if name != "name":
                self.assertEqual({t for n, t in found if n == name}, {string})
        # Without the program nothing is known of what it never read; strings by value are.
        text = self.earshot("convert", "-q", "--quiet-loss", path, "--event-port", "unit")[0]
        found = named.findall(text)
        self.assertRegex(dict(found)["init-name"], r"^<string at 0x8000[0-9a-f]{4} unknown>$")
        self.assertEqual([t for n, t in found if n == "name"][1:], ["worker"] * 3)
        # Texts with comments keep them.
        back = self.folder / "back.csv"
        back.write_text(text)
        again = self.earshot("convert", "-q", "--quiet-loss", back, "-f", "whisper")[0]
        self.assertEqual(named.findall(again), found)

    def meaning(self, truth):
        """The events of tasks that stores mean, by docs/event-port.md; strings are those of the program."""
        kept, pid, found = {}, 0, []
        methods = {112: "method-enter", 113: "method-exit", 114: "method-unwind", 116: "native-enter",
                   117: "native-exit", 118: "native-unwind"}
        for source, value in truth:
            number = source - 128
            kept[number] = value
            if number == 0:
                pid = value
                found.append(f"switch {value}")
            elif number in (1, 13):
                found.append(f"{'fork' if number == 1 else 'clone'} {kept[17]} {value}")
            elif number in (6, 10):
                path = "/init" if number == 6 else "/lib/libc.so"
                found.append(f"mmap {kept[3]:#x} {kept[4]:#x} {kept[5]:#x} {path}")
            elif number == 7:
                found.append(f"exit {value - (value >> 31 << 32)}")
            elif number == 8:
                found.append("exec sh -c true")
            elif number == 12:
                found.append(f"process {kept[17]} {kept[11]} swapper")
            elif number == 15:
                found.append(f"munmap {kept[14]:#x} {value:#x}")
            elif number == 16:
                found.append(f"name {pid} {'init' if value else 'worker'}")
            elif number in methods:
                found.append(f"{methods[number]} {pid} {value:#x}")
            elif number == 120:
                found.append(f'mark {value} ""')
            elif number == 122:
                found.append(f'counter {kept[121]} {value} ""')
        return found

    def tasks(self, *arguments):
        text = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", *arguments)[0]
        events = [json.loads(line) for line in text.splitlines() if '"event"' in line]
        return [(e["name"], e["index"]) for e in events if e.get("kind") == "event" and e["source"] == 0]

    def test_stores_become_events_of_tasks(self):
        path, truth, _ = self.take("t.shot", keys=",unit=small")
        elf = PROGRAMS / "events.elf"
        wanted = self.meaning(truth)
        self.assertGreater(len(wanted), 80)
        got = self.tasks("--tasks", "--elf", elf, path)
        self.assertEqual([name for name, _ in got], wanted)
        indexes = [index for _, _, index in self.events(path)]
        self.assertLessEqual({index for _, index in got}, set(indexes))
        self.assertEqual(got[0][1], indexes[2])  # of INIT_NAME, the third store
        # The same from the stores alone, and from a text that has the events with their strings.
        plain = self.folder / "plain.csv"
        plain.write_text("\n".join(line for line in self.earshot("convert", "-q", path)[0].splitlines()
                                   if not line.startswith("# event")) + "\n")
        self.assertEqual(self.tasks("--tasks", "--event-port", f"{PORT:#x}", "--elf", elf, plain), got)
        named = self.folder / "named.jsonl"
        self.earshot("convert", "-q", "--quiet-loss", "--event-port", "unit", "--elf", elf, path, "-o", named)
        self.assertEqual(self.tasks("--tasks", named), got)

    def test_a_folder_has_what_the_stores_mean(self):
        elf = PROGRAMS / "events.elf"
        folder = self.folder / "live"
        path, truth, _ = self.take("t.shot", "--time", "record", "-f", "qtrace", "-o", folder, keys=",unit=small")
        wanted = [name for name in self.meaning(truth) if not name.startswith(("mark", "counter"))]
        self.assertEqual([name for name, _ in self.tasks(folder)], wanted)
        after = self.folder / "after"
        self.earshot("convert", "-q", "--quiet-loss", path, "--elf", elf, "-f", "qtrace", "-o", after)
        for part in sorted(after.iterdir()):
            if part.name != "qtrace.static":  # the date is in it
                self.assertEqual(part.read_bytes(), (folder / part.name).read_bytes(), part.name)
        # The capture names its program, which is there.
        self.earshot("convert", "-q", "--quiet-loss", path, "-f", "qtrace", "-o", after)
        self.assertEqual((after / "qtrace.pid").read_bytes(), (folder / "qtrace.pid").read_bytes())
        self.assertEqual(self.tasks("--tasks", path), self.tasks("--tasks", "--elf", elf, path))
        text = self.folder / "plain.csv"  # which names none
        self.earshot("convert", "-q", path, "-o", text)
        _, warning = self.earshot("convert", "--quiet-loss", text, "-f", "qtrace", "-o", after)
        self.assertRegex(warning, r"9 strings of the event port: memory is not known there; with --elf")

    def test_a_unit_without_a_port(self):
        path, _, uart = self.take("t.shot", keys=",unit=tiny")
        self.assertIn("absent", uart)
        self.assertEqual(self.events(path), [])


if __name__ == "__main__":
    main()
