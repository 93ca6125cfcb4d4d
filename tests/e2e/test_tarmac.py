#!/usr/bin/env python3
"""Tarmac of ARM through the command: rewritten, through JSON, compared, and into formats with less.

The trace is made here: programs that call, in AArch64, AArch32 and on a Cortex-M, with banked stack
pointers, SVE, flags after values, and unknown digits. A call tree is made from its lines alone.
"""
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])

PROFILES = {  # link register, stack pointer, digits, mode, size of an instruction, and its set
    "aarch64": ("X30", "SP_EL3", 16, "EL3h_s", 4, "O"),
    "aarch32": ("LR_SVC", "SP_SVC", 8, "svc_s", 4, "A"),
    "cortex-m": ("r14", "MSP", 8, "thread", 2, "T"),
}


class Program:
    """Calls at random depth, as lines of a trace."""

    def __init__(self, profile, calls, seed):
        self.link, self.stack, self.digits, self.mode, self.size, self.set = PROFILES[profile]
        self.random = random.Random(seed)
        self.lines, self.clock, self.calls = [], 0, 0
        self.sp, self.pc = 0x20001000, 0x8000
        self.write(f"R {self.stack} {self.sp:0{self.digits}x}")
        while self.calls < calls:
            self.call(0)

    def write(self, line):
        self.lines.append(f"{self.clock} clk {line}")

    def step(self, text, *effects):
        self.clock += 1
        opcode = self.random.getrandbits(8 * self.size)
        self.write(f"IT ({self.clock}) {self.pc:08x} {opcode:0{2 * self.size}x} {self.set} {self.mode} : {text}")
        for effect in effects:
            self.write(effect)
        self.pc += self.size

    def any_effects(self):
        """What a trace has besides plain registers; each line is one that its readers take."""
        number = self.random.randrange(32)
        wide = "_".join(f"{self.random.getrandbits(32):08x}" for _ in range(self.random.choice((4, 8, 64))))
        return self.random.choice((
            f"R cpsr {self.random.getrandbits(30):08x} __C_",
            f"R r13 {self.random.getrandbits(32):08x} (MSP)",
            f"R Z{number} {wide}",
            f"R P{number % 16} {self.random.getrandbits(16):04x}",
            f"R FPCR {self.random.getrandbits(32):08x}:{self.random.getrandbits(32):08x}",
            f"R Q{number} -------- -------- {self.random.getrandbits(32):08x} {self.random.getrandbits(32):08x}",
            f"R TTBR0_EL1 {self.random.getrandbits(64):016x}",
            f"MW4 {self.sp:08x} xxxxxxxx",
            f"MR8 {self.sp:08x}:{self.sp:012x} {self.random.getrandbits(32):08x}_{self.random.getrandbits(32):08x}",
            f"MR4 {self.sp:08x} (ABORTED)",
            "E 00008000 00000005 CoreEvent_handleDataAbort",
        ))

    def call(self, depth):
        self.calls += 1
        back = self.pc + self.size
        self.step("BL", f"R {self.link} {back:0{self.digits}x}")
        self.pc = 0x10000 + 0x100 * self.random.randrange(16)
        self.sp -= 16
        self.step("PUSH", f"R {self.stack} {self.sp:0{self.digits}x}", f"MW4 {self.sp:08x} {back:08x}")
        for _ in range(self.random.randrange(4)):
            self.step("NOP", self.any_effects())
            if depth < 6 and self.random.random() < 0.5:
                self.call(depth + 1)
        self.sp += 16
        self.step("POP", f"R {self.stack} {self.sp:0{self.digits}x}")
        self.step("RET")
        self.pc = back

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def call_tree(text, profile):
    """(depth, pc) of each function: a link register that is reached again with the same stack pointer."""
    link, stack = PROFILES[profile][:2]
    sp, pending, frames, tree = None, None, [], []
    for line in text.splitlines():
        words = line.split()[2:]
        if words[0] == "R" and words[1] == stack:
            sp = int(words[2], 16)
        elif words[0] == "R" and words[1] == link:
            pending = int(words[2], 16)
        elif words[0] == "IT":
            pc = int(words[2], 16)
            while frames and frames[-1] == (pc, sp):
                frames.pop()
            if pending is not None:
                frames.append((pending, sp))
                tree.append((len(frames), pc))
                pending = None
    return tree


def registers(text):
    """Names and digits, in order, however they are split."""
    found = re.findall(r"^\d+ clk R (\S+) ([0-9a-fx_: -]+?)(?: [_(].*)?$", text, re.MULTILINE)
    return [(name, re.sub("[_: ]", "", digits)) for name, digits in found]


class Tarmac(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def earshot(self, *arguments, status=0):
        done = subprocess.run([EARSHOT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def put(self, name, text):
        (self.folder / name).write_text(text)
        return text

    def get(self, name):
        return (self.folder / name).read_text()

    def test_a_rewritten_trace_is_the_same_bytes(self):
        for profile in PROFILES:
            for jobs in (1, 3):
                text = self.put("a.tarmac", Program(profile, 400, profile).text())
                said = self.earshot("convert", "--strict", "-j", jobs, "a.tarmac", "-o", "b.tarmac").stderr
                self.assertEqual(said, "")
                self.assertEqual(self.get("b.tarmac"), text)

    def test_what_went_through_json_has_every_register_and_the_same_calls(self):
        for profile in PROFILES:
            text = self.put("a.tarmac", Program(profile, 400, profile).text())
            said = self.earshot("convert", "--strict", "a.tarmac", "-o", "a.jsonl").stderr
            said += self.earshot("convert", "--strict", "a.jsonl", "-o", "b.tarmac").stderr
            self.assertEqual(said, "")
            again = self.get("b.tarmac")
            self.assertEqual(registers(again), registers(text))
            tree = call_tree(text, profile)
            self.assertGreater(len(tree), 300)
            self.assertEqual(call_tree(again, profile), tree)
            self.earshot("diff", "a.tarmac", "b.tarmac")
            self.earshot("diff", "a.tarmac", "a.jsonl")

    def test_what_other_formats_leave_out_is_counted(self):
        text = self.put("a.tarmac", Program("aarch64", 400, 7).text())
        notes = len(re.findall(r" __C_$| \(MSP\)$", text, re.MULTILINE))
        unknown = len(re.findall(r"^\d+ clk R Q\d+ --", text, re.MULTILINE))
        data = len(re.findall(r"^\d+ clk MW4 \w+ x", text, re.MULTILINE))
        aborted = text.count("(ABORTED)")
        events = text.count("CoreEvent")
        said = self.earshot("convert", "a.tarmac", "-f", "qemu4v", "-o", "b").stderr
        for what, count in (("text after a register value", notes), ("store address", data), ("event", events),
                            ("register of another instruction set", unknown), ("aborted access", aborted)):
            self.assertGreater(count, 5)
            self.assertIn(f"cannot carry: {what}, of {count} records", said)
        left = registers(text)
        written = registers(self.get("b"))
        self.assertEqual(written, [row for row in left if "-" not in row[1]])
        said = self.earshot("convert", "a.tarmac", "-f", "armulator", "-o", "c").stderr
        wide = sum(len(digits) > 16 for _, digits in left)  # SVE and Q
        self.assertIn(f"cannot carry: register of another instruction set, of {wide} records", said)
        self.assertIn(f"cannot carry: text after a register value, of {notes} records", said)
        self.earshot("convert", "--strict", "a.tarmac", "-f", "qemu4v", "-o", "b", status=2)


if __name__ == "__main__":
    unittest.main()
