#!/usr/bin/env python3
"""What firmware/target offers to software: each call once, what a trace shows of it, and what it costs."""
import json
import pathlib
import re

from support import PROGRAMS, Case, main

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/event-port.md"
EVENTS = """process 1 1 init
switch 1
fork 2 2
clone 1 3
name 1 first
exec sh -c two\\x20words
mmap 0x40000000 0x40003000 0x1000 /lib/libc.so
munmap 0x40000000 0x40001000
symbol 0xbf000000 module_init
symbol-gone 0xbf000000
method-enter 1 0x42000000
native-enter 1 0x42000010
native-exit 1 0x42000010
native-enter 1 0x42000020
native-unwind 1 0x42000020
method-unwind 1 0x42000000
method-enter 1 0x42000030
method-exit 1 0x42000030
mark 7 ""
mark 8 frame\\x201
counter 3 40 ""
native-enter 1 FUNCTION
native-enter 1 FUNCTION
native-enter 1 FUNCTION
native-enter 1 FUNCTION
native-enter 1 FUNCTION
native-exit 1 FUNCTION
native-exit 1 FUNCTION
native-exit 1 FUNCTION
native-exit 1 FUNCTION
native-exit 1 FUNCTION
exit -2""".splitlines()


class PortTarget(Case):
    def take(self, name):
        path = self.folder / f"{name}.shot"
        self.capture(path, name, keys=",unit=small")
        return path

    def events(self, path, *arguments):
        text = self.earshot("convert", "-q", "--quiet-loss", "--tasks", "-f", "json", path, *arguments)[0]
        records = [json.loads(line) for line in text.splitlines() if '"event"' in line]
        return [r["name"] for r in records if r.get("kind") == "event" and r["source"] == 0]

    def check_events(self, names):
        """Addresses of functions are those of traced_function, all of them the same."""
        self.assertEqual([re.sub(r"0x8000.*", "FUNCTION", name) for name in names], EVENTS)
        self.assertEqual(len({name.split()[2] for name in names if "0x8000" in name}), 1)

    def test_each_call_is_its_event(self):
        path = self.take("port_calls")
        self.check_events(self.events(path, "--elf", PROGRAMS / "port_calls.elf"))

    def test_strings_by_value_need_no_program(self):
        path = self.take("port_calls_by_value")
        self.check_events(self.events(path))

    def count(self, path, function, *arguments):
        return int(self.earshot("grep", "--count", "--pc", function, *arguments, path)[0])

    def test_calls_cost_what_the_document_says(self):
        path = self.take("port_calls")
        table = DOCUMENT.read_text().split("<!-- costs -->")[1].split("<!-- end -->")[0]
        rows = re.findall(r"^\| (`.*`) \| (\d+) \| (\d+) \|$", table, re.M)
        calls = {call: (int(cost), int(stores))
                 for names, cost, stores in rows for call in re.findall(r"`(\w+)`", names)}
        self.assertEqual(len(calls), 22)
        for call, (cost, stores) in calls.items():
            with self.subTest(call):
                times = 2 if call in ("method_enter", "native_enter") else 1
                # The function around the call adds its return; tracing() stores what it got.
                own_store = call == "tracing"
                self.assertEqual(self.count(path, f"call_{call}"), times * (cost + 1))
                self.assertEqual(self.count(path, f"call_{call}", "--write"), times * (stores + own_store))
        self.assertEqual(self.count(path, "__cyg_profile_func_enter"), 5 * 3)
        self.assertEqual(self.count(path, "call_mark_text") + self.count(path, "ear_port_send") - 1, 56)


if __name__ == "__main__":
    main()
