#!/usr/bin/env python3
"""The event port of the virtual board: a program that says itself what it stores, and what a trace shows of it."""
import json
import re

from support import PROGRAMS, Case, main

EVENT = re.compile(r"# event: port (.*?); value 0x([0-9a-f]+); hart 0; before index (\d+)$", re.M)
LOST = re.compile(r"# event: port events lost; value 0x([0-9a-f]+);")
UNKNOWN = re.compile(r"# event: unknown port registers; value 0x([0-9a-f]+);")
TRUTH = re.compile(r"^event ([0-9a-f]{8}) ([0-9a-f]{8})$", re.M)
PORT = 0x10020000


class EventPort(Case):
    def take(self, name, *arguments, keys="", status=0):
        path = self.folder / name
        self.capture(path, "events", *arguments, keys=keys, status=status)
        uart = (self.folder / f"{name}.uart").read_text()
        truth = [(int(source, 16), int(value, 16)) for source, value in TRUTH.findall(uart)]
        return path, truth, uart

    def events(self, path):
        """(source, value, index) of each event of the port, by the records themselves."""
        lines = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", path)[0].splitlines()
        found = [json.loads(line) for line in lines if '"event"' in line]
        return [(e["source"], int(e["value"], 16), e["index"]) for e in found
                if e.get("kind") == "event" and e["source"] >= 128]

    def test_every_store_is_an_event_right_before_its_record(self):
        for unit in ("raw", "small", "unified"):
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
        stores = [json.loads(line) for line in stores.splitlines()]
        stores = [s["index"] for s in stores if s.get("kind", "instruction") == "instruction"]
        indexes = [index for _, _, index in self.events(path)]
        self.assertEqual(len(indexes), len(set(indexes)))
        self.assertLessEqual(set(indexes), set(stores))
        self.assertEqual(len(stores) - len(indexes), 8)  # those to registers that no port has

    def test_on_a_slow_link_the_core_waits_or_events_are_counted(self):
        path, truth, _ = self.take("stall.shot", "--policy", "stall", keys=",link=8M")
        self.assertEqual([(s, v) for s, v, _ in self.events(path)], truth)
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
        for form in ("spike", "whisper", "whisper-log", "json", "tarmac", "shot"):
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

    def test_what_cannot_be_asked_for(self):
        path, _, _ = self.take("t.shot", keys=",unit=small")
        for arguments, reason in ((["--event-port", "here"], "event-port"),
                                  (["--elf", PROGRAMS / "events.elf"], "needs -f spike"),
                                  (["--event-port", "unit", "--elf", "/nonexistent"], "/nonexistent"),
                                  (["--event-port", "unit", "--elf", path], "cannot be read as a program")):
            _, error = self.earshot("convert", path, *arguments, status=2)
            self.assertIn(reason, error)

    def test_a_unit_without_a_port(self):
        path, _, uart = self.take("t.shot", keys=",unit=tiny")
        self.assertIn("absent", uart)
        self.assertEqual(self.events(path), [])


if __name__ == "__main__":
    main()
