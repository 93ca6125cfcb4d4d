#!/usr/bin/env python3
"""What the demo core promises beyond single instructions.

    test_soc_behaviour.py SOC_TRACE PROGRAM_DIR
"""
import csv
import os
import subprocess
import sys
import unittest

SOC_TRACE, PROGRAMS = sys.argv[1:3]
NIGHT = os.environ.get("EARSHOT_NIGHT") == "1"
BROKEN_RULE = 125


def run(program, *options):
    path = os.path.join(PROGRAMS, program + ".elf")
    return subprocess.run([SOC_TRACE, "--quiet", *options, path], capture_output=True, text=True,
                          timeout=100)


def trace(program, *options):
    return run(program, "--csv", *options).stdout.splitlines()


def rows(lines):
    return list(csv.DictReader(lines, skipinitialspace=True))


def csrs(row):
    return dict(item.split("=") for item in row["modified regs"].split(";") if item[0] == "c")


class Stall(unittest.TestCase):
    """Holding the retire port at random loses, repeats and changes nothing."""

    def test_a_stalled_core_retires_the_same_entries(self):
        for program in "traps", "software", "strings", "recursion":
            free = trace(program)
            for permille in (100, 500, 900) if NIGHT else (500,):
                with self.subTest(program=program, permille=permille):
                    held = trace(program, "--stall", str(permille), "--seed", str(permille))
                    self.assertEqual(free, held)

    def test_a_stall_takes_no_time(self):
        """mcycle, mtime and its interrupts stand still while the core is held: the program sees the same."""
        for program in "timer", "clocks":
            free = trace(program)
            for permille in (100, 700) if NIGHT else (700,):
                with self.subTest(program=program, permille=permille):
                    held = trace(program, "--stall", str(permille), "--seed", str(permille))
                    self.assertEqual(free, held)

    def test_a_stall_costs_cycles(self):
        free = run("recursion", "--summary").stdout.split()
        held = run("recursion", "--summary", "--stall", "500").stdout.split()
        self.assertEqual(free[1], held[1])
        self.assertGreater(int(held[2]), 1.3 * int(free[2]))


class Interrupts(unittest.TestCase):
    """An interrupt has an entry of its own, at the instruction that it keeps from executing."""

    def check(self, program, cause, handler_offset):
        entries = rows(trace(program))
        taken = [k for k, row in enumerate(entries) if row["trap"] == cause]
        self.assertGreater(len(taken), 50)
        for k in taken:
            row, handler = entries[k], entries[k + 1]
            written = csrs(row)
            self.assertEqual(list(written), ["c833", "c834", "c835", "c768", "c784"])
            self.assertEqual(written["c833"], row["pc"])
            self.assertEqual(written["c834"], cause)
            self.assertEqual(written["c835"], "0")
            self.assertEqual(row["memory"], "")
            self.assertEqual(int(handler["pc"], 16) & 0xff, handler_offset(handler))
            # The instruction that did not run, runs later, at the same pc with the same opcode.
            later = next(r for r in entries[k + 1:] if r["pc"] == row["pc"] and not r["trap"])
            self.assertEqual(later["inst"], row["inst"])

    def test_a_vectored_software_interrupt_goes_to_its_slot(self):
        self.check("software", "80000003", lambda handler: 3 * 4)

    def test_a_direct_timer_interrupt_goes_to_the_base(self):
        self.check("timer", "80000007", lambda handler: int(handler["pc"], 16) & 0xfc)


class Exit(unittest.TestCase):
    def test_the_exit_code_comes_out(self):
        result = run("failing", "--summary", "--check")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(result.stdout.split()[0], "7")

    def test_the_last_entry_is_the_store_to_the_exit_register(self):
        last = rows(trace("sort"))[-1]
        self.assertEqual(last["memory"], "100000=5555")


class Faults(unittest.TestCase):
    """Injected faults are seen where they should be, and only there."""

    def test_a_lost_store_breaks_a_later_load(self):
        result = run("sort", "--check", "--fault", "store:100")
        self.assertEqual(result.returncode, BROKEN_RULE)
        self.assertIn("rule 5", result.stderr)

    def test_a_flipped_register_bit_breaks_a_later_operand(self):
        result = run("sort", "--check", "--fault", "reg:1000")
        self.assertEqual(result.returncode, BROKEN_RULE)
        self.assertIn("rule 3", result.stderr)

    def test_a_wrong_alu_result_is_reported_as_the_core_has_it(self):
        good, bad = trace("alu"), trace("alu", "--fault", "alu:200:xor", "--limit", "20000")
        differing = next(k for k, (g, b) in enumerate(zip(good, bad)) if g != b)
        entry = rows([good[0], good[differing], bad[differing]])
        value = [int(row["modified regs"].split("=")[1], 16) for row in entry]
        self.assertEqual(entry[0]["inst"], entry[1]["inst"])
        insn = int(entry[0]["inst"], 16)
        self.assertTrue(insn & 0x707f in (0x4013, 0x4033) or insn & 0xfc63 == 0x8c21, hex(insn))
        self.assertEqual(value[0] ^ value[1], 0x10)

    def test_no_fault_without_the_option(self):
        self.assertEqual(run("alu", "--check").returncode, 0)

    def test_unknown_faults_are_refused(self):
        for spec in "", "cpu", "alu:0", "alu:x", "alu:-1", "store:5:add", "alu:5:mul":
            with self.subTest(spec=spec):
                self.assertEqual(run("alu", "--fault", spec).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
