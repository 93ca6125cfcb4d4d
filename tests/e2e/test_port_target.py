#!/usr/bin/env python3
"""What firmware/target offers to software: each call once, what a trace shows of it, and what it costs."""
import bisect
import itertools
import json
import os
import re
import subprocess

from support import PROGRAMS, TREE, Case, json_lines, main

DOCUMENT = TREE / "docs/event-port.md"
TARGET, PROGRAM = TREE / "firmware/target", TREE / "tests/programs"
EVENTS = """process 1 1 init
mmap 0x10000 0x14000 0x0 /init
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
exit -2
clone 0 4
process 0 4 fourth
switch 4""".splitlines()

# tests/programs/port_strings.c. FAR is added to addresses that are made up.
STRINGS = """process 0 0 swapper
mmap FAR+0x10000 FAR+0x14000 0x1000 /init
switch 1
name 1 w3
name 1 w7
name 1 ""
name 1 abcd
mmap FAR+0x40000000 FAR+0x40003000 FAR+0x0 /lib
munmap FAR+0x40000000 FAR+0x40003000
symbol FAR+0x50000000 puts
symbol-gone FAR+0x50000000
method-enter 1 FAR+0x42000000
native-enter 1 FAR+0x42000010
native-exit 1 FAR+0x42000010
method-exit 1 FAR+0x42000000
mark 1 phase
counter 2 3 ""
process 0 0 boot
clone 0 1
process 0 1 red
clone 0 2
process 0 2 green
switch 1
switch 2
exit 4
switch 1
exit -3"""

RISCV = ["-misa-spec=2.2", "-mcmodel=medany"]
WIDTHS = {32: ["-march=rv32imc", "-mabi=ilp32"], 64: ["-march=rv64imac", "-mabi=lp64"]}


class PortTarget(Case):
    def take(self, name, *arguments, unit="small"):
        path = self.folder / f"{name}.shot"
        self.capture(path, name, *arguments, keys=f",unit={unit}")
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

    def clocks(self, path):
        """Of each function the clocks from its first instruction to its last one, the return."""
        names = subprocess.run(["riscv64-unknown-elf-nm", "-n", PROGRAMS / "port_calls.elf"], check=True,
                               capture_output=True, text=True).stdout
        symbols = [(int(address, 16), name) for address, kind, name in map(str.split, names.splitlines())
                   if kind in "tTwW"]
        begins = [address for address, _ in symbols]
        text = self.earshot("decode", "-q", "-f", "json", path)[0]
        records = [record for record in json_lines(text) if record["kind"] == "instruction"]
        found = {}
        for name, run in itertools.groupby(records, lambda record: symbols[bisect.bisect(
                begins, int(record["pc"], 16)) - 1][1]):
            times = [record["time"] for record in run]
            found.setdefault(name, set()).add(times[-1] - times[0])
        return found

    def test_calls_cost_what_the_document_says(self):
        path = self.take("port_calls")
        table = DOCUMENT.read_text().split("<!-- costs -->")[1].split("<!-- end -->")[0]
        rows = re.findall(r"^\| (`.*`).* \| (\d+) \| (\d+) \| (\d+) \|$", table, re.M)
        calls = {call: tuple(map(int, numbers)) for names, *numbers in rows for call in re.findall(r"`(\w+)`", names)}
        self.assertEqual(len(calls), 28)
        for unit in ("raw", "small", "unified"):
            with self.subTest(unit):
                found = self.clocks(self.take("port_calls", "--time", "record", unit=unit))
                self.assertEqual({call: found[f"call_{call}"] for call in calls},
                                 {call: {clocks} for call, (_, _, clocks) in calls.items()})
        for call, (cost, stores, _) in calls.items():
            with self.subTest(call):
                times = 2 if call in ("method_enter", "native_enter") else 1
                # The function around the call adds its return; these store to their own memory, too.
                own_stores = {"tracing": 1, "scheduler_switch": 1, "scheduler_create": 2}.get(call, 0)
                self.assertEqual(self.count(path, f"call_{call}"), times * (cost + 1))
                self.assertEqual(self.count(path, f"call_{call}", "--write"), times * (stores + own_stores))
        self.assertEqual(self.count(path, "__cyg_profile_func_enter"), 5 * 3)
        self.assertEqual(self.count(path, "call_mark_text") + self.count(path, "ear_port_send") - 1, 56)

    def check_strings(self, path, elf, port="unit", far=0):
        arguments = ["--tasks", "--event-port", port, "--elf", elf, path]
        text = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", *arguments)[0]
        events = [e for e in json_lines(text) if e.get("kind") == "event"]
        wanted = re.sub(r"FAR\+(\w+)", lambda address: hex(far + int(address[1], 16)), STRINGS)
        self.assertEqual([e["name"] for e in events if e["source"] == 0], wanted.splitlines())
        printed = [e.get("name") or int(e["value"], 16) for e in events if e["source"] in (188, 189, 190)]
        self.assertEqual(printed, ["done", 12, 31])

    def test_strings_of_buffers_and_groups_under_a_lock(self):
        for name in ("port_strings", "port_strings_by_value"):
            with self.subTest(name):
                self.check_strings(self.take(name), PROGRAMS / f"{name}.elf")

    def test_a_core_of_64_bits_passes_whole_addresses(self):
        """On the simulator of the instruction set, with the window in memory."""
        for choice in ([], ["-DEAR_PORT_BY_VALUE"], ["-DEAR_PORT_MACHINE"],
                       ["-DEAR_PORT_MACHINE", "-DEAR_PORT_BY_VALUE"]):
            with self.subTest(choice):
                elf, stream, path = (self.folder / name for name in ("t.elf", "t.raw", "t.shot"))
                sources = [PROGRAM / name for name in ("start.S", "support.c", "port_strings.c")]
                subprocess.run(["riscv64-unknown-elf-gcc", *RISCV, *WIDTHS[64], "--specs=picolibc.specs", "-O2",
                                "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T", PROGRAM / "link.ld", f"-I{TARGET}",
                                f"-I{TREE / 'common/protocol'}", "-DEAR_PORT_BASE=0x80200000", "-DFAR=0x4200000000", *choice,
                                *sources, TARGET / "ear_port.c", "-o", elf], check=True, timeout=100)
                subprocess.run([os.environ["EARSHOT_ISS"], "--quiet", "-o", stream, elf], check=True, timeout=100,
                               capture_output=True)
                self.earshot("capture", "-d", f"file:{stream}", "-o", path)
                self.check_strings(path, elf, "0x80200000", 0x4200000000)

    def test_headers_compile_as_c_and_as_cpp(self):
        source = self.folder / "all.c"
        source.write_text('#include "ear_port_scheduler.h"\n#include "ear_port_freertos.h"\n#include "ear_port.h"\n')
        flags = ["-ffreestanding", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wpedantic",
                 "-Werror", f"-I{TARGET}", f"-I{TREE / 'common/protocol'}", "-DEAR_PORT_BASE=0x10020000", "-c", "-o",
                 os.devnull]
        cross = [["riscv64-unknown-elf-gcc", "-std=c99", *RISCV],
                 ["riscv64-unknown-elf-g++", "-xc++", "-std=c++11", *RISCV]]
        machine = [[*compiler, "-DEAR_PORT_MACHINE", *width] for compiler in cross for width in WIDTHS.values()]
        for compiler in [*machine, ["cc", "-std=c99"], ["c++", "-xc++", "-std=c++11"]]:
            for choice in ("-DEAR_PORT_BY_VALUE", "-DEAR_PORT_OFF", "-O2"):
                for file in (source, TARGET / "ear_port.c", TARGET / "ear_port_functions.c"):
                    with self.subTest((compiler, choice, file.name)):
                        subprocess.run([*compiler, *flags, choice, file], check=True, timeout=100)


if __name__ == "__main__":
    main()
