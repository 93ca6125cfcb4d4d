#!/usr/bin/env python3
"""'earshot check' finds what is wrong in a core, where it is wrong, and nothing else."""
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main

CLEAN = ("alu", "misaligned", "nested", "rtos", "traps", "unwind")


class Check(Case):
    def run_check(self, *arguments):
        result = subprocess.run([EARSHOT, "check", "-q", *map(str, arguments)], capture_output=True, check=False,
                                text=True, stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr

    def capture(self, program, *settings):
        path = self.folder / f"{program}.shot"
        device = ",".join((f"sim:{PROGRAMS / program}.elf", *settings))
        subprocess.run([EARSHOT, "capture", "-q", "-d", device, "-o", path], check=False, capture_output=True,
                       timeout=120)
        return path

    def test_a_good_core_has_no_violation(self):
        """Traps, interrupts, tasks, misaligned accesses."""
        for program in CLEAN:
            with self.subTest(program):
                status, out, err = self.run_check("--json", self.capture(program))
                answer = json.loads(out)
                self.assertEqual((status, answer["found"], answer["violations"], err), (0, [], 0, ""))
                self.assertGreater(answer["instructions"], 10000)
                for rule in ("operand", "result", "next-pc", "access", "stored", "loaded"):
                    self.assertGreater(answer["rules"][rule]["checked"], 1000, rule)

    def first(self, path):
        status, out, _ = self.run_check("--json", "--max", 1, path)
        self.assertEqual(status, 1)
        return json.loads(out)["found"][0]

    def test_a_wrong_result_is_found(self):
        """fault=alu flips bit 4 of each N-th result."""
        for fault in ("alu:500", "alu:50:add", "alu:20:sltu"):
            with self.subTest(fault):
                found = self.first(self.capture("rtos", f"fault={fault}"))
                self.assertEqual(found["rule"], "result")
                self.assertEqual(int(found["expected"], 16) ^ int(found["actual"], 16), 0x10)

    def test_lost_stores_and_changed_registers_are_found(self):
        for fault, rule in (("store:100", "loaded"), ("reg:300", "operand")):
            with self.subTest(fault):
                self.assertEqual(self.first(self.capture("rtos", f"fault={fault}"))["rule"], rule)

    def test_what_is_printed(self):
        path = self.capture("rtos", "fault=alu:500")
        status, out, err = self.run_check("--max", 2, path)
        self.assertEqual((status, err), (1, ""))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^#\d+ 0x[0-9a-f]+ \S+ \(\S+:\d+\): result: x\d+ is 0x[0-9a-f]+, but ")
        self.assertRegex(lines[2], r"^\.\.\. and \d+ more \(--max N\)$")
        self.assertRegex(lines[-1], r"^\d+ instructions, \d+ violations$")
        status, out, _ = self.run_check("--only", "loaded,csr", path)
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()[1:-1]], ["loaded", "csr"])

    def test_bad_usage(self):
        for arguments in ((), ("--only", "nothing", "x"), ("--max", "-1", "x"), (self.folder / "none.shot",)):
            with self.subTest(arguments):
                status, out, err = self.run_check(*arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertTrue(err.startswith("earshot"), err)


if __name__ == "__main__":
    main()
