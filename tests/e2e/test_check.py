#!/usr/bin/env python3
"""'earshot check' finds what is wrong in a core, where it is wrong, and nothing else."""
import json
import os
import random
import re
import subprocess
from xml.etree import ElementTree

from support import EARSHOT, NIGHT, PROGRAMS, Case, main

CLEAN = ("alu", "misaligned", "nested", "rtos", "traps", "unwind")


class Checked(Case):
    """What both kinds of tests use."""

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


class Check(Checked):
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



class Parts(Checked):
    """Joined parts print what the whole prints, with its status, wherever it was cut."""

    def compare(self, path, count, *options):
        def run(*words):
            done = subprocess.run([EARSHOT, "check", *map(str, options), *map(str, words)], capture_output=True,
                                  text=True, check=False, timeout=300)
            return done.returncode, done.stdout, done.stderr
        parts = [self.folder / f"{i}.part" for i in range(1, count + 1)]
        for i, part in enumerate(parts, 1):
            part.write_text(run("--part", f"{i}/{count}", path)[1])
        whole, joined = run(path), run(*parts)
        self.assertEqual(joined, whole, f"{count} parts of {path}, {options}")
        return whole[0]

    def records(self, program):
        path = self.capture(program)
        done = subprocess.run([EARSHOT, "convert", "-q", "-f", "json", "--limit", "9000", path], capture_output=True,
                              text=True, check=True)
        return done.stdout.splitlines()

    def planted(self, lines, kind, pick):
        """A capture of these records in which something is wrong, or with two harts."""
        made = []
        for i, line in enumerate(lines):
            number = re.compile(r'("(?:value|pc|opcode)": ?")(0x[0-9a-f]+)')
            if (kind == "values" and pick.random() < 0.003) or (
                    kind == "memory" and '"memory"' in line and pick.random() < 0.02):
                bit = 1 << pick.randrange(8)
                line = number.sub(lambda match, bit=bit: match[1] + hex(int(match[2], 16) ^ bit)
                                  if pick.random() < 0.3 else match[0], line)
            if kind == "harts":
                line = line.replace('"hart":0', f'"hart":{int(i // 7 % 2 and pick.random() < 0.3)}')
            if kind != "missing" or pick.random() > 0.002:
                made.append(line)
        (self.folder / "p.jsonl").write_text("\n".join(made) + "\n")
        path = self.folder / "p.shot"
        self.earshot("convert", "-q", "--quiet-loss", self.folder / "p.jsonl", "-o", path)
        return path

    def test_parts_are_the_whole(self):
        pick = random.Random(1)
        faulty, whole = self.capture("rtos", "fault=alu:500"), self.capture("timer")
        elf = PROGRAMS / "timer.elf"
        self.assertEqual(self.compare(faulty, 3, "--json"), 1)
        self.assertEqual(self.compare(whole, 4, "--elf", elf), 0)
        cut = self.folder / "cut.shot"
        cut.write_bytes(whole.read_bytes()[:whole.stat().st_size * 2 // 3])
        self.assertEqual(self.compare(cut, 2), 2)
        lines = self.records("timer")[1000:4000]
        for kind, options in (("harts", []), ("memory", ["--device", "none", "--limit", "0"])):
            self.assertEqual(self.compare(self.planted(lines, kind, pick), 5, *options), 1)
        junit = self.folder / "j.xml"
        self.compare(faulty, 2, "--junit", "-")
        self.compare(faulty, 2, "--only", "result,loaded", "--junit", junit)

    def test_parts_of_many(self):
        """In the night: planted errors, damage, harts, 1 to 16 parts, all options; in the gate two of them."""
        options = ([], ["--json"], ["--limit", "0"], ["--only", "loaded,csr"], ["--device", "none"], ["--assume", "reset"],
                   ["--assume", "sp=0x80010000"], None)
        programs = ("timer", "rtos", "nested", "polling", "traps", "memory", "tasks", "software")
        lines = {}
        for seed in range(400 if NIGHT else 2):
            pick = random.Random(seed)
            program = pick.choice(programs)
            words = pick.choice(options)
            words = ["--elf", PROGRAMS / f"{program}.elf"] if words is None else words
            if pick.random() < 0.5:
                if program not in lines:
                    lines[program] = self.records(program)
                first = pick.randrange(len(lines[program]) // 2)
                path = self.planted(lines[program][first * pick.randrange(2):][:3000],
                                    pick.choice(("none", "values", "memory", "memory", "harts", "missing")), pick)
            else:
                fault = pick.choice(("reg:300", "store:100", "alu:500", "alu:50:add"))
                path = self.capture(program, *pick.choice(([], [f"fault={fault}"])), "max-cycles=80000")
            data = bytearray(path.read_bytes())
            if pick.random() < 0.15:
                del data[pick.randrange(len(data) // 3, len(data)):]
            elif pick.random() < 0.15 and "--elf" not in words:  # the SHA-256 of the program is in it
                data[pick.randrange(len(data) // 3, len(data))] ^= 1 << pick.randrange(8)
            path.write_bytes(data)
            with self.subTest(seed):
                self.compare(path, pick.choice((1, 2, 2, 3, 4, 5, 8, 16)), *words)
            for old in path.parent.glob(path.name + "*"):
                os.unlink(old)

    def test_what_is_no_part(self):
        path = self.capture("traps")
        parts = [self.folder / f"{i}.part" for i in (1, 2)]
        for i, part in enumerate(parts, 1):
            part.write_text(self.run_check("--part", f"{i}/2", path)[1])
        text = parts[0].read_text()
        pick = random.Random(3)
        for _ in range(300 if NIGHT else 10):  # damage: an error, or the answer
            bytes_ = bytearray(text.encode())
            bytes_[pick.randrange(len(bytes_))] = pick.choice(b"0123456789 \nx")
            parts[0].write_bytes(bytes_)
            done = subprocess.run([EARSHOT, "check", *parts], capture_output=True, text=True, check=False, timeout=60,
                                  errors="replace")
            self.assertIn(done.returncode, (0, 1, 2))
            if done.returncode == 2:
                self.assertIn("earshot: ", done.stderr)
        parts[0].write_text(text)
        for words, cause in (([parts[1]], "the parts before it are missing"), ([parts[0], parts[0]], "it begins at record"),
                             (["--part", "1/2", parts[0]], "these are parts"),
                             (["--assume", "reset", *parts], "another --assume or --device"),
                             (["--part", "3/2", path], "K/N")):
            status, _, error = self.run_check(*words)
            self.assertEqual(status, 2)
            self.assertIn(cause, error)
        text = self.folder / "t.csv"
        self.earshot("convert", "-q", "--quiet-loss", path, "-o", text)
        status, out, error = self.run_check("--part", "1/2", text)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("only a capture can be checked in parts", error)
        with path.open("ab") as file:
            file.write(b"x")
        status, _, error = self.run_check(*parts)
        self.assertEqual(status, 2)
        self.assertIn("another trace", error)


if __name__ == "__main__":
    main()
