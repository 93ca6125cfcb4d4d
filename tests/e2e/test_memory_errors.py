#!/usr/bin/env python3
"""'earshot memory --errors': small functions with one error and without, and programs that are correct."""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

from gdb_client import Client
from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, main, some

sys.path.insert(0, str(TREE / "tests/support"))
import memory_cases  # noqa: E402

ISS = pathlib.Path(os.environ["EARSHOT_ISS"]).resolve()
SOURCES = TREE / "tests/programs"
MARK = struct.pack("<II", 0x6863694D, 0x65734143)
BUILDS = {
    "O0": "-march=rv32imc -mabi=ilp32 -O0",
    "O2": "-march=rv32imc -mabi=ilp32 -O2",
    "Os-save-restore": "-march=rv32imc -mabi=ilp32 -Os -msave-restore",
    "double-O2": "-march=rv32imafdc -mabi=ilp32d -O2",
    "rv64-O2": "-march=rv64imafdc -mabi=lp64d -mcmodel=medany -O2",
}
# What they do is wrong, and is found.
WRONG = {"memory": ["double-free", "wrong-free"], "story_stack": ["stack-limit"]}


class MemoryErrors(Case):
    def build(self, build):
        source, elf = self.folder / "cases.c", self.folder / f"{build}.elf"
        source.write_text(memory_cases.source())
        subprocess.run(
            ["riscv64-unknown-elf-gcc", *BUILDS[build].split(), "-misa-spec=2.2", "--specs=picolibc.specs", "-std=gnu11",
             "-g", "-w", "-nostartfiles", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", f"-I{SOURCES}",
             "-T", SOURCES / "link.ld", SOURCES / "start.S", SOURCES / "support.c", source, "-o", elf],
            check=True)
        return elf.read_bytes()

    def errors(self, trace, elf):
        run = subprocess.run([EARSHOT, "memory", "--errors", "-q", "-f", "json", trace, "--elf", elf],
                             capture_output=True, text=True)
        errors = json.loads(run.stdout)["errors"]
        self.assertEqual(run.returncode, 1 if errors else 0, run.stderr)
        return errors

    def run_case(self, program, number):
        at = program.index(MARK) + len(MARK)
        elf, raw = self.folder / "case.elf", self.folder / "case.raw"
        elf.write_bytes(program[:at] + struct.pack("<i", number) + program[at + 4:])
        subprocess.run([ISS, "--quiet", "--max", "300000", "-o", raw, elf], capture_output=True)
        return self.errors(raw, elf)

    def check_cases(self, build, gate):
        program, cases = self.build(build), memory_cases.cases()
        bad = [number for number, case in enumerate(cases) if case.kind]
        good = [number for number, case in enumerate(cases) if not case.kind]
        objects = [number for number in bad if cases[number].name in ("bad_global_write_int", "bad_global_walk_char")]
        chosen = bad + good if NIGHT else random.Random(7).sample(bad, gate) + objects + [-1]
        for number in chosen:
            errors = self.run_case(program, number)
            case = cases[number] if number >= 0 else None
            with self.subTest(build=build, case=case.name if case else "all good ones"):
                kinds = {error["kind"] for error in errors}
                self.assertEqual(kinds, {case.kind} if case and memory_cases.is_found(case, build) else set(), errors)
                if case and memory_cases.is_found(case, build):
                    names = {error["at"]["function"].split("+")[0] for error in errors}
                    names |= {error.get("caller", error["at"])["function"].split("+")[0] for error in errors}
                    self.assertTrue(names & {case.name, "decide", "use", "give_up", "put_item"}, errors)

    def test_each_fault_is_found_and_nothing_else(self):
        self.check_cases("O0", 15)
        self.check_cases("O2", 10)
        for build in list(BUILDS)[2:] if NIGHT else []:
            self.check_cases(build, 0)

    def test_correct_programs_have_no_errors(self):
        for path in some(*sorted(PROGRAMS.glob("*.elf")), gate=0):
            self.check_program(path)
        for name in ("memory", "story_stack", "rtos", "frames_log-msave-restore", "nested"):
            self.check_program(PROGRAMS / f"{name}.elf")

    def check_program(self, path):
        shot = self.folder / f"{path.stem}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{path},uart=/dev/null", "-o", shot, "--limit", 2000000 if NIGHT else 40000)
        with self.subTest(program=path.stem):
            self.assertEqual([error["kind"] for error in self.errors(shot, path)], WRONG.get(path.stem, []))

    def test_a_text_has_the_same_errors(self):
        shot, text, elf = self.folder / "memory.shot", self.folder / "memory.csv", PROGRAMS / "memory.elf"
        self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot)
        self.earshot("convert", "-q", "-f", "whisper", "-o", text, shot)
        self.assertEqual(self.errors(text, elf), self.errors(shot, elf))

    def test_pools_are_named(self):
        program, cases = self.build("O0"), [case.name for case in memory_cases.cases()]
        self.assertEqual(self.run_case(program, cases.index("bad_pool")), [])
        elf, raw = self.folder / "case.elf", self.folder / "case.raw"
        named = ["--allocator", "pool_get=24", "--allocator", "pool_put=free"]
        out = self.earshot("memory", "--errors", "-q", "--elf", elf, *named, raw, status=1)[0]
        self.assertRegex(out, r"bad_pool\+\w+ \(cases.c:\d+\): freed: read of 4 bytes")
        self.assertRegex(out, r"the block: 24 bytes at \w+, offset 4\n    allocated .*\n    freed .* bad_pool")
        self.run_case(program, cases.index("good_pool"))
        self.earshot("memory", "--errors", "-q", "--elf", elf, *named, raw)
        for wrong in ("pool_get", "=24", "nothing=24", "pool_get=0", "pool_get=good", "pool_get=malloc:9"):
            self.assertIn("NAME=KIND", self.earshot("memory", "--errors", "--elf", elf, "--allocator", wrong, raw,
                                                    status=2)[1])

    def test_gdb_has_those_before_the_present(self):
        shot, elf = self.folder / "memory.shot", PROGRAMS / "memory.elf"
        self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot)
        second = self.errors(shot, elf)[1]["at"]["record"]
        with Client("--elf", elf, shot) as client:
            self.assertIn("there are none before here", client.monitor("errors"))
            client.monitor(f"goto {second}")
            self.assertRegex(client.monitor("errors"),
                             r"wrong_free.*\n  double-free: .*\n  allocated .*\n  freed .*memory.c:\d+\n")
            self.assertNotIn("wrong-free", client.console)
            client.monitor("goto end")
            self.assertIn("wrong-free: ", client.monitor("errors"))

    def test_what_needs_the_whole_is_refused(self):
        shot, elf = self.folder / "part.shot", PROGRAMS / "sort.elf"
        self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot, "--limit", 20000)
        self.assertIn("as a whole", self.earshot("memory", "--errors", "--part", "1/2", shot, status=2)[1])
        self.assertIn("--allocator needs --errors", self.earshot("memory", "--allocator", "a=1", shot, status=2)[1])
        one = self.earshot("memory", "--errors", "-q", "-f", "json", shot, "--elf", elf)[0]
        self.assertEqual(one, self.earshot("memory", "--errors", "-q", "-f", "json", "-j", "4", shot, "--elf", elf)[0])


if __name__ == "__main__":
    main()
