#!/usr/bin/env python3
"""'earshot check' finds what is wrong in a core, where it is wrong, and nothing else."""
import json
import subprocess
from xml.etree import ElementTree

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
        status, out, _ = self.run_check("--json", "--limit", 1, path)
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
        status, out, err = self.run_check("--limit", 2, path)
        self.assertEqual((status, err), (1, ""))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^#\d+ 0x[0-9a-f]+ \S+ \(\S+:\d+\): result: x\d+ is 0x[0-9a-f]+, but ")
        self.assertRegex(lines[2], r"^\.\.\. and \d+ more \(--limit N\)$")
        self.assertRegex(lines[-1], r"^\d+ instructions, \d+ violations$")
        status, out, _ = self.run_check("--only", "loaded,csr", path)
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()[1:-1]], ["loaded", "csr"])

    def suite(self, path):
        """The test suite of a JUnit file: its counts, and the names of its cases by what came of them."""
        suite = ElementTree.parse(path).getroot().find("testsuite")
        cases = {"failure": [], "skipped": [], "error": [], None: []}
        for case in suite:
            kind = next((child.tag for child in case if child.tag != "system-out"), None)
            cases[kind].append(case.get("name"))
        counts = {key: int(suite.get(key)) for key in ("tests", "failures", "skipped", "errors")}
        return suite, counts, cases

    def test_junit(self):
        path, junit = self.capture("rtos", "fault=alu:500"), self.folder / "j.xml"
        status, out, err = self.run_check("--junit", junit, path)
        self.assertEqual((status, err), (1, ""))
        suite, counts, cases = self.suite(junit)
        self.assertEqual(suite.get("name"), f"earshot check {path}")
        self.assertEqual(counts, {"tests": 13, "failures": 1, "skipped": 1, "errors": 0})
        self.assertEqual((cases["failure"], cases["skipped"]), (["result"], ["pmp"]))  # machine mode alone
        message = suite.find("testcase/failure").get("message")
        first = out.splitlines()[0]
        self.assertEqual(message, first.replace("result: ", ""))
        # The first violation of each rule is there, however few are printed.
        status, out, err = self.run_check("--limit", 0, "--only", "result,loaded", "--junit", junit, path)
        suite, counts, cases = self.suite(junit)
        self.assertEqual((counts["tests"], cases["failure"]), (2, ["result"]))
        self.assertEqual(suite.find("testcase/failure").get("message"), message)
        status, out, err = self.run_check("--junit", "-", path)
        self.assertEqual((status, ElementTree.fromstring(out).tag, err), (1, "testsuites", ""))
        # Why it could not be done is there, too.
        status, out, err = self.run_check("--junit", junit, self.folder / "none.shot")
        suite, counts, cases = self.suite(junit)
        self.assertEqual((status, counts["errors"], cases["error"]), (2, 1, ["reading"]))
        self.assertIn("No such file", err)

    def test_what_is_assumed_is_checked(self):
        path = self.capture("rtos")
        answers = [json.loads(self.run_check("--json", *options, path)[1])
                   for options in ((), ("--assume", "mtvec=0", "--assume", "reset"), ("--assume", "sp=7"))]
        self.assertEqual([answer["violations"] for answer in answers], [0, 0, 0])
        for value, violations in (("0", 0), ("5", 1)):
            text = self.folder / "t.jsonl"
            text.write_text("".join(json.dumps(record) + "\n" for record in (
                {"kind": "instruction", "xlen": 32, "pc": "0x80000000", "opcode": "0x00028313", "opcode_size": 4,
                 "next_pc": "0x80000004", "registers": [{"class": "x", "number": 6, "value": "0x0"}]},)),
                encoding="ascii")
            answer = json.loads(self.run_check("--json", "-i", "json", "--assume", f"t0={value}", text)[1])
            self.assertEqual(answer["violations"], violations)
            self.assertEqual(answer["rules"]["result"]["checked"], 1)


if __name__ == "__main__":
    main()
