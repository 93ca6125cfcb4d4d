#!/usr/bin/env python3
"""Call stacks are those of programs that say what they enter and leave: recursion, tail calls, longjmp,
nested interrupts, tasks that are preempted or give up the hart, arrays of variable size, routines that
save registers. On the simulator, on the virtual board, from a capture, a text, and in parts."""
import os
import pathlib
import re
import subprocess

from support import PROGRAMS, Case, main

BUILD = pathlib.Path(os.environ["EARSHOT_BUILD"])
CALL_LOG = BUILD / "tests/earshot-call-log"
ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
ROUTINES = ("", "-msave-restore")


class CallStacks(Case):
    def compare(self, trace, elf, *arguments, least=1000):
        """Returns the numbers that earshot-call-log prints, by their names."""
        result = subprocess.run([CALL_LOG, trace, elf, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout[-3000:] + result.stderr)
        found = {name: int(value) for value, name in re.findall(r"(\d+) (moments|wrong)", result.stdout)}
        found |= {name: int(value) for name, value in re.findall(r"(deepest|handlers|switches) (\d+)", result.stdout)}
        self.assertGreaterEqual(found["moments"], least, result.stdout)
        return found

    def simulate(self, name):
        elf, trace = PROGRAMS / f"{name}.elf", self.folder / f"{name}.stream"
        result = subprocess.run([ISS, "--isa", "rv32imc", "--quiet", "-o", trace, elf], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return elf, trace

    def test_every_program_has_the_stacks_that_it_says(self):
        for routines in ROUTINES:
            with self.subTest("frames", routines=routines):
                found = self.compare(*reversed(self.simulate(f"frames_log{routines}")))
                self.assertGreater(found["deepest"], 10)
                self.assertGreater(found["handlers"], 100)
                self.assertGreater(found["switches"], 20)
            with self.subTest("nested", routines=routines):
                found = self.compare(*reversed(self.simulate(f"nested_log{routines}")))
                self.assertGreater(found["handlers"], 1000)
            with self.subTest("rtos", routines=routines):
                found = self.compare(*reversed(self.simulate(f"rtos_log{routines}")))
                self.assertGreater(found["switches"], 50)
            with self.subTest("unwind", routines=routines):
                found = self.compare(*reversed(self.simulate(f"unwind_log{routines}")))
                self.assertGreater(found["deepest"], 15)

    def test_parts_of_any_length_have_the_same_stacks(self):
        for name in ("frames_log", "rtos_log"):
            elf, trace = self.simulate(name)
            for part in (1, 7, 4099):
                with self.subTest(name, part=part):
                    self.compare(trace, elf, "--part", str(part))

    def test_a_text_has_the_same_stacks(self):
        elf, trace = self.simulate("rtos_log")
        for text in ("whisper", "json", "spike"):
            with self.subTest(text):
                path = self.folder / f"t.{text}"
                self.earshot("decode", "-f", text, "-o", path, trace)
                self.compare(path, elf)

    def test_the_core_has_the_stacks_that_the_program_says(self):
        for name in ("frames_log", "nested_log", "rtos_log", "unwind_log"):
            with self.subTest(name):
                elf, shot = PROGRAMS / f"{name}.elf", self.folder / f"{name}.shot"
                self.earshot("capture", "-q", "-d", f"sim:{elf},uart=/dev/null", "-o", shot, "--limit", 60000)
                self.compare(shot, elf)


if __name__ == "__main__":
    main()
