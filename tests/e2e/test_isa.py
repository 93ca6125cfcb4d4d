#!/usr/bin/env python3
"""--isa decides which RISC-V instructions are legal; docs/instructions.md lists them. Needs EARSHOT_BIN."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])

# fadd.d, div, c.addi, prefetch.r or ori: no text, so all texts are derived.
TRACE = """pc, inst, modified regs, privilege, hartid
80000000,2f77753,f14=1,m,0
80000004,23140b3,x1=5,m,0
80000008,0085,x1=6,m,0
8000000a,2156013,,m,0
"""


# Whisper names what is illegal: ld on RV32, a shift by 95. Nothing of it need be kept with a record.
NAMED = """pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid
80000000,5b583,c834=2,x11;i0,,l,m,2,ld       x11; 0x0(x11),0
80000004,5f11093,c834=2,x2;i5f,,,m,2,slli     x1; x2; 95,0
80000008,ffffffff,c834=2,,,,m,2,illegal,0
"""


def run(*arguments, ok=True):
    done = subprocess.run([EARSHOT, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) == ok, (arguments, done.returncode, done.stderr)
    return done.stdout if ok else done.stderr


class Isa(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = pathlib.Path(folder.name, "trace.csv")
        self.trace.write_text(TRACE)
        self.shot = pathlib.Path(folder.name, "trace.shot")

    def names(self, text):
        return [line.split(",")[8].split()[0] for line in text.splitlines()[1:]]

    def convert(self, *options):
        return run("convert", "-f", "whisper", *options, str(self.trace))

    def test_all_known_instructions_are_legal_by_default(self):
        self.assertEqual(self.names(self.convert()), ["fadd.d", "div", "c.addi", "ori"])

    def test_what_the_string_lacks_is_illegal(self):
        self.assertEqual(self.names(self.convert("--isa", "rv64im")), ["illegal", "div", "illegal", "ori"])
        self.assertEqual(self.names(self.convert("--isa", "RV64IC")), ["illegal", "illegal", "c.addi", "ori"])
        self.assertEqual(self.names(self.convert("--isa", "rva22u64")), ["fadd.d", "div", "c.addi", "ori"])

    def test_an_illegal_instruction_has_no_operands_and_no_class(self):
        line = self.convert("--isa", "rv64im").splitlines()[1]
        self.assertEqual(line, "80000000,2f77753,f14=1,,,,m,,illegal,0")

    def test_spike_names_what_is_illegal_all_the_same(self):
        lines = [line.split(")")[1].split()[0] for line in
                 run("convert", "-f", "spike", "--isa", "rv64im_zicbop", str(self.trace)).splitlines()
                 if ": 3 " not in line]
        self.assertEqual(lines, ["fadd.d", "div", "c.addi", "prefetch.r"])

    def test_xlen_follows(self):
        for isa, xlen in (("rv32i", '"xlen":32'), ("rv64i", '"xlen":64')):
            self.assertIn(xlen, run("convert", "-f", "json", "--isa", isa, str(self.trace)))

    def test_other_commands_have_it(self):
        run("convert", "-o", str(self.shot), str(self.trace))
        self.assertIn("fadd.d", run("decode", "-f", "whisper-log", str(self.shot)))
        self.assertNotIn("fadd.d", run("decode", "-f", "whisper-log", "--isa", "rv32im", str(self.shot)))
        self.assertIn("illegal", run("grep", "--isa", "rv64im", "--pc", "0x80000000", str(self.trace)))
        self.assertIn("the same", run("diff", "--isa", "rv64gc", str(self.trace), str(self.trace)))

    def test_names_of_illegal_opcodes_survive_every_text(self):
        self.trace.write_text(NAMED)
        log, dv = self.trace.with_suffix(".log"), self.trace.with_suffix(".dv.csv")
        run("convert", "--xlen", "32", "-f", "whisper-log", "-o", str(log), str(self.trace))
        self.assertIn("slli     x1, x2, 95 (exception)", log.read_text())
        self.assertEqual(run("convert", "-f", "whisper", "-i", "whisper-log", str(log)), NAMED)
        run("convert", "--xlen", "32", "-f", "riscv-dv", "-o", str(dv), str(self.trace))
        self.assertIn('"ld      a1, 0(a1)"', dv.read_text())
        for text in (run("convert", "-f", form, "--xlen", "32", str(self.trace)) for form in ("json", "whisper")):
            self.assertNotIn("disassembly\":", text)

    def test_errors_name_what_is_not_known(self):
        for isa, text in (("rv64imac_zbogus", "there is no extension 'zbogus'"), ("rv128i", "'rv128i' is not an ISA"),
                          ("z80", "'z80' is not an ISA string, nor one of: riscv arm")):
            self.assertIn(text, run("convert", "--isa", isa, str(self.trace), ok=False))
        for options in (["--xlen", "32", "--isa", "rv64i"], ["--isa", "rv64i", "--xlen", "32"]):
            self.assertIn("--isa has XLEN 64, and --xlen is 32", run("convert", *options, str(self.trace), ok=False))

    def test_the_page_has_the_instructions_of_the_table(self):
        done = subprocess.run([TREE / "scripts/list-instructions", "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
