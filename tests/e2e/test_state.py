#!/usr/bin/env python3
"""earshot state: registers, memory, variables and the stack at a moment, against what the lines of the trace say."""
import json
import os
import re
import shutil
import struct
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, main, records

PROGRAM = PROGRAMS / "sections.elf"
NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()


def symbols(path):
    out = subprocess.run(["riscv64-unknown-elf-nm", "-S", path], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in rows if len(row) == 4}


def replay(lines):
    """x registers and the bytes that were stored, after these lines of a Whisper text."""
    registers, memory = {0: 0}, {}
    for line in lines:
        columns = line.split(",")
        for change in columns[2].split(";"):
            if found := re.fullmatch(r"x(\d+)=([0-9a-f]+)", change):
                registers[int(found[1])] = int(found[2], 16)
        kind = columns[5]
        for access in columns[4].split(";"):
            if "=" in access and "s" in kind:
                address, value = access.split("=")
                opcode = int(columns[1], 16)
                size = 1 << (opcode >> 12 & 3) if opcode & 3 == 3 else 4
                for i in range(size):
                    memory[int(address, 16) + i] = int(value, 16) >> 8 * i & 0xFF
    return registers, memory


class State(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.elf, cls.shot, cls.csv = cls.shared / "p.elf", cls.shared / "t.shot", cls.shared / "t.csv"
        shutil.copy(PROGRAM, cls.elf)
        case.earshot("capture", "-q", "-d", f"sim:{cls.elf},uart=/dev/null", "--time", "record", "--limit", "60000",
                     "-o", cls.shot)
        case.earshot("decode", cls.shot, "-o", cls.csv)
        cls.lines = records(cls.csv.read_text())
        cls.symbols = symbols(cls.elf)

    def state(self, *arguments, file=None, status=0):
        return json.loads(self.earshot("state", "--json", *arguments, file or self.shot, status=status)[0])

    def test_registers_are_those_of_the_lines_before(self):
        for number in (0, 1, 999, 30000, len(self.lines) - 1):
            for file in (self.shot, self.csv):
                with self.subTest(number, file=file.name):
                    found = self.state("--at", number, file=file)
                    expected, _ = replay(self.lines[:number + 1])
                    for i, name in enumerate(NAMES):
                        value = found["registers"][name]
                        self.assertEqual(value, f"0x{expected[i]:x}" if i in expected else None, name)
                    self.assertEqual(found["instructions"], number + 1)
                    self.assertEqual(int(found["pc"], 16), int(self.lines[number].split(",")[0], 16))

    def test_memory_is_what_was_stored_and_the_image(self):
        base = self.symbols["records"][0] & ~63
        for number in (2000, 30000, 59000):
            _, stored = replay(self.lines[:number + 1])
            with self.subTest(number):
                text = self.state("--at", number, "--mem", f"0x{base:x}:4096")["memory"][0]["bytes"]
                for i in range(4096):
                    if base + i in stored:
                        self.assertEqual(text[2 * i:2 * i + 2], f"{stored[base + i]:02x}", hex(base + i))
        self.assertGreater(len(stored), 300)

    def test_what_nothing_was_seen_of_is_unknown(self):
        address = self.symbols["zeroed"][0]
        # Before start.S clears .bss, and of the rest of memory for ever.
        self.assertEqual(self.state("--at", 0, "--mem", f"0x{address:x}:4")["memory"][0]["bytes"], "????????")
        self.assertEqual(self.state("--mem", "0x80f00000:2")["memory"][0]["bytes"], "????")
        # The image is known from the beginning, but not without the program.
        place = f"0x{self.symbols['main'][0]:x}:4"
        self.assertNotIn("?", self.state("--at", "begin", "--mem", place)["memory"][0]["bytes"])
        self.assertEqual(self.state("--at", "begin", "--mem", place, file=self.csv)["memory"][0]["bytes"], "????????")
        self.assertNotIn("?", self.state("--at", "begin", "--elf", self.elf, "--mem", place,
                                         file=self.csv)["memory"][0]["bytes"])

    def test_devices_are_never_known(self):
        place = ("--mem", "0x02004000:4")
        self.assertEqual(self.state(*place)["memory"][0]["bytes"], "????????")
        self.assertNotEqual(self.state("--device", "none", *place)["memory"][0]["bytes"], "????????")
        address = self.symbols["records"][0]
        found = self.state("--device", f"0x{address:x}+2", "--mem", "records:4")["memory"][0]["bytes"]
        self.assertEqual(found[:4], "????")
        self.assertNotIn("?", found[4:])

    def test_a_moment_is_a_number_a_time_an_event_or_an_end(self):
        lines = self.earshot("decode", "-f", "json", self.shot)[0].splitlines()
        all_records = [json.loads(line) for line in lines]
        instruction = [record for record in all_records if record["kind"] == "instruction"][1234]
        found = self.state("--at", f"@{instruction['time']}")
        self.assertEqual(int(found["pc"], 16), int(str(instruction["pc"]), 0))
        self.assertEqual(found["time"], instruction["time"])
        self.assertEqual(self.state("--at", "end")["position"], len(all_records))
        self.assertEqual(self.state("--at", "begin")["position"], 0)
        self.assertEqual(self.state()["position"], len(all_records))
        events = [i for i, record in enumerate(all_records) if record["kind"] == "event"]
        if events:
            name = all_records[events[0]].get("name")
            if name:
                self.assertEqual(self.state("--at", name)["position"], events[0] + 1)
        _, error = self.earshot("state", "--at", "nothing-like-it", self.shot, status=1)
        self.assertIn("there is no event 'nothing-like-it'", error)

    def make_events(self):
        """A text of the trace with traps, interrupts, events and a gap among its records; and the position of each
        record, by kind."""
        lines, places = self.csv.read_text().splitlines(), {"trap": [], "interrupt": [], "event": [], "gap": []}
        made, position = [lines[0]], 0
        for count, line in enumerate(line for line in lines[1:] if not line.startswith("#")):
            if count % 7000 == 5:
                name = ("port", "event port", "gap")[count % 3]
                made.append(f"# event: {name}; value 0x{count:x}; hart 0; before index {count}")
                places["event"].append((position, name))
                position += 1
            if count in (20000, 40000):
                made.append(f"# gap: 4 records missing; index {count} to {count + 3}; hart 0; the unit's FIFO was full; "
                            "stream byte 1234")
                places["gap"].append(position)
                position += 1
            columns = line.split(",")
            if count % 9000 == 800:
                columns[7] = "80000007" if count % 18000 == 800 else "b"
                places["trap"].append((position, columns[7]))
            made.append(",".join(columns))
            position += 1
        path = self.folder / "events.csv"
        path.write_text("\n".join(made) + "\n")
        return path, places

    def test_a_moment_is_a_trap_an_interrupt_an_event_or_a_gap(self):
        path, places = self.make_events()
        traps = [position for position, _ in places["trap"]]
        interrupts = [position for position, cause in places["trap"] if cause != "b"]
        self.assertGreater(len(interrupts), 1)
        self.assertGreater(len(traps), len(interrupts) + 1)
        events = [position for position, _ in places["event"]]
        ports = [position for position, name in places["event"] if name != "gap"]
        for at, expected in (("first", 1), ("last", places["gap"][-1]), ("trap", traps[0] + 1),
                             ("trap:2", traps[1] + 1), ("trap:-1", traps[-1] + 1), (f"trap:-{len(traps)}", traps[0] + 1),
                             ("interrupt", interrupts[0] + 1), ("interrupt:-1", interrupts[-1] + 1),
                             ("interrupt=7", interrupts[0] + 1), ("trap=0x80000007:2", interrupts[1] + 1),
                             ("trap=11", min(set(traps) - set(interrupts)) + 1),
                             ("event", events[0] + 1), ("event:-1", events[-1] + 1), ("event:2", events[1] + 1),
                             ("event=port:-1", ports[-1] + 1), ("port:2", ports[1] + 1), ("port:-2", ports[-2] + 1),
                             ("event=gap", next(p for p, name in places["event"] if name == "gap") + 1),
                             ("gap", places["gap"][0]), ("gap:2", places["gap"][1]), ("gap:-2", places["gap"][0])):
            for more in ([], ["--no-index"]):
                with self.subTest(at, more=more):
                    found = self.state("--at", at, *more, file=path)
                    if at == "last":
                        self.assertEqual(found, self.state("--at", "end", file=path))
                    else:
                        self.assertEqual(found["position"], expected)
        # Before a gap all is known that was known before.
        self.assertIsNotNone(self.state("--at", "gap", "--reg", "sp", file=path)["registers"]["sp"])

    def test_memory_is_found_through_a_register(self):
        number = 30000
        registers, _ = replay(self.lines[:number + 1])
        for text, address, size in (("sp:32", registers[2], 32), ("sp+16:32", registers[2] + 16, 32),
                                    ("sp-8:8", registers[2] - 8, 8), ("x2", registers[2], 64),
                                    ("$sp:4", registers[2], 4), ("pc:4", None, 4)):
            for file in (self.shot, self.csv):
                with self.subTest(text, file=file.name):
                    found = self.state("--at", number, "--mem", text, file=file)
                    if address is None:
                        address = int(found["next_pc"], 16)
                    again = self.state("--at", number, "--mem", f"0x{address:x}:{size}", file=file)
                    self.assertEqual(found["memory"], again["memory"])
                    self.assertEqual(int(found["memory"][0]["address"], 16), address)

    def test_long_recursions_are_folded(self):
        source, elf, shot = (self.folder / f"deep.{end}" for end in ("c", "elf", "shot"))
        source.write_text('''
volatile int sink;
__attribute__((noinline)) void bottom(void) { asm volatile("ebreak"); }
__attribute__((noinline)) int odd(int n);
__attribute__((noinline)) int even(int n) { int r = n ? odd(n - 1) : (bottom(), 1); sink = r; return r; }
__attribute__((noinline)) int odd(int n) { int r = even(n - 1); sink = r; return r; }
__attribute__((noinline)) int fact(int n) { int r = n ? n * fact(n - 1) : even(300); sink = r; return r; }
int main(void) { return fact(1500); }
''')
        programs = TREE / "tests" / "programs"
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32",
                        "--specs=picolibc.specs", "-nostartfiles", "-Wl,--no-warn-rwx-segments", "-T",
                        programs / "link.ld", "-I", programs, "-O1", "-fno-optimize-sibling-calls", "-g",
                        programs / "start.S", programs / "support.c", programs / "libc.c", source, "-o", elf],
                       check=True)
        self.earshot("capture", "-q", "-d", f"sim:{elf}", "-o", shot, "--limit", 100000)
        trapped = next(json.loads(line)["index"] for line in
                       self.earshot("grep", "-f", "json", "--pc", "bottom", shot)[0].splitlines()
                       if "index" in line)
        out = self.earshot("state", "--at", trapped, "--stack", shot)[0]
        stack = [line for line in out.splitlines() if line.startswith(("#", "..."))]
        self.assertEqual([re.sub(r" 0x\S+ ", "", re.sub(r"\+0x\S+|  deep.c.*|  start.S.*", "", line))
                          for line in stack if not line.startswith("#")],
                         ["... 295 more of even, odd ...", "... 1495 more of fact ..."])
        numbers = [int(line[1:5]) for line in stack if line.startswith("#")]
        self.assertEqual(numbers, [*range(6), *range(301, 307), *range(1802, 1806)])
        self.assertRegex(stack[-2], r"^#1804 0x[0-9a-f]{8}  main\+")
        frames = json.loads(self.earshot("state", "--json", "--at", trapped, "--stack", shot)[0])["stack"]
        self.assertEqual(len(frames), 1806)

    def test_what_is_wrong_with_the_end_is_said(self):
        cut = self.folder / "cut.shot"
        cut.write_bytes(self.shot.read_bytes()[:450])
        _, error = self.earshot("state", "--no-index", cut, status=2)
        self.assertIn(f"{cut} is damaged: cut off at byte 450", error)
        self.assertIn("there are no records in it", error)
        _, error = self.earshot("show", cut, status=2)
        self.assertIn(f"{cut} is damaged: cut off at byte 450", error)
        self.assertEqual(self.earshot("state", "--at", 5, "--no-index", self.shot)[1], "")

    def test_only_addresses_have_names(self):
        shot = self.folder / "traps.shot"
        self.capture(shot, "traps", "--limit", "4000")
        out = self.earshot("state", "--reg", "mepc,mcause,mstatus,sp,ra,mtvec", shot)[0]
        found = {line.split()[0]: line.split()[2:] for line in out.splitlines() if "0x" in line}
        self.assertTrue(found["mepc"][0].startswith("main"), found)
        self.assertEqual(found["mcause"], [])
        self.assertEqual(found["mstatus"], [])

    def test_a_hart_that_is_not_there_is_unknown(self):
        out, error = self.earshot("state", "--hart", 5, self.shot)
        self.assertIn("nothing is known of hart 5 at this moment", error)
        self.assertRegex(out, r"last pc +\?")
        self.assertEqual(self.earshot("state", "--hart", 0, "--at", "begin", self.shot)[1], "")

    def test_memory_ends_with_the_addresses(self):
        out = self.earshot("state", "--mem", "0xfffffffffffffff0", self.shot)[0]
        self.assertIn("16 bytes at 0xfffffffffffffff0", out)
        self.assertIn("\n64 bytes at 0x80000000 (_start", self.earshot("state", "--mem", "0x80000000", self.shot)[0])
        self.assertIn("\n64 bytes at 0x80000000 (_start", self.earshot("state", "--mem", "_start", self.shot)[0])
        self.assertIn("\n64 bytes at 0x80000002 (_start+0x2", self.earshot("state", "--mem", "_start+2", self.shot)[0])
        self.assertIn("\n2 bytes at 0x80000002 (_start+0x2", self.earshot("state", "--mem", "_start+2:2", self.shot)[0])

    def test_many_segments_of_the_same_bytes_take_memory_once(self):
        """A file of 1 MB of which a loader makes 250 MiB: they are there, and there are no copies of them."""
        size, count, program = 1 << 20, 250, bytearray(self.elf.read_bytes())
        data = len(program)
        program += b"\x5a" * size
        struct.pack_into("<I", program, 28, len(program))
        struct.pack_into("<H", program, 44, count)
        for i in range(count):
            address = 0x10000000 + i * size
            program += struct.pack("<8I", 1, data, address, address, size, size, 7, 4096)
        path = self.folder / "many.elf"
        path.write_bytes(program)
        process = subprocess.Popen([EARSHOT, "state", "-q", "--no-index", "--at", "5", "--elf", path, "--elf-anyway",
                                    "--mem", "0x10100000:4", self.shot], stdout=subprocess.PIPE)
        text = process.stdout.read().decode()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertIn("10100000  5a 5a 5a 5a", text)
        self.assertLess(usage.ru_maxrss, 400 * 1024)

    def test_variables_and_the_stack_have_names(self):
        number = 30000
        out = self.earshot("state", "--at", number, "--var", "records[1]", "--var", "wide[0]", "--stack", self.shot)[0]
        self.assertRegex(out, r"(?m)^records\[1\] = \{byte = ")
        self.assertRegex(out, r"(?m)^wide\[0\] = ")
        self.assertRegex(out, r"(?m)^#0 +0x[0-9a-f]{8}  ")
        found = self.state("--at", number, "--var", "records[1].word", "--stack")
        _, stored = replay(self.lines[:number + 1])
        word = self.symbols["records"][0] + self.symbols["records"][1] // 8 + 4
        if word in stored:
            value = sum(stored[word + i] << 8 * i for i in range(4))
            self.assertEqual(found["variables"]["records[1].word"], value)
        self.assertEqual(found["stack"][0]["pc"], found["next_pc"])
        self.assertTrue(found["stack"][-1]["symbol"].startswith(("_start", "main")), found["stack"])
        _, error = self.earshot("state", "--var", "recordz", self.shot, status=2)
        self.assertIn("recordz", error)
        out, error = self.earshot("state", "--json", "--mem", "recordz", self.shot, status=2)
        self.assertEqual(out, "")
        self.assertIn("--mem: ", error)

    def test_the_text_is_aligned_and_marks_what_is_unknown(self):
        out = self.earshot("state", "--at", 30000, "--mem", "0x80f00000:20", "--reg", "sp,mcycle,pc", self.shot)[0]
        self.assertRegex(out, r"(?m)^80f00000  \?\? \?\? \?\? \?\? \?\? \?\? \?\? \?\?  (\?\? ){8} \|\?{16}\|$")
        self.assertRegex(out, r"(?m)^sp        0x[0-9a-f]{8}")
        self.assertRegex(out, r"(?m)^mcycle    \?$")
        self.assertNotRegex(out, r"(?m) $")
        rows = self.earshot("state", "--at", 30000, self.shot)[0].split("\n\n")[1].splitlines()
        self.assertEqual({len(row) for row in rows[:8]}, {4 * 18 + 3 * 2})

    def test_with_and_without_an_index_it_is_the_same(self):
        for number in (5, 20000, 59999):
            arguments = ("--at", number, "--mem", "area", "--mem", "copy", "--stack", "--reg", "x,csr")
            self.assertEqual(self.state(*arguments), self.state("--no-index", *arguments))


if __name__ == "__main__":
    main()
