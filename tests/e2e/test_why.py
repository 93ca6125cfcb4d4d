#!/usr/bin/env python3
"""'earshot trace-value' and 'earshot why': from a symptom to where it came from."""
import json
import subprocess

from support import EARSHOT, PROGRAMS, Case, main


class Why(Case):
    def run_earshot(self, *arguments):
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, check=False, text=True,
                                stdin=subprocess.DEVNULL, timeout=120)
        self.assertNotIn("Sanitizer", result.stderr)
        return result.returncode, result.stdout, result.stderr

    def captured(self, program, *arguments):
        path = self.shared / f"{program}.shot"
        if not path.exists():
            subprocess.run([EARSHOT, "capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o",
                            path, *map(str, arguments)], check=True, capture_output=True, timeout=120)
        return path


class TraceValue(Why):
    def test_an_exit_code_is_followed_to_its_constant(self):
        """main of failing.c returns 7; support.c makes the word for the exit register of it."""
        status, out, err = self.run_earshot("trace-value", "-q", "a0", self.captured("failing"))
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^a0, after \d+ instructions: 0x00073333$")
        self.assertRegex(lines[1], r"^  #\d+ +0x[0-9a-f]{8}  finish\+0x[0-9a-f]+ \(support\.c:\d+\) +.*"
                                   r"a0: 0x00070000 -> 0x00073333$")
        self.assertRegex(out, r"\n +#\d+ .* main\+0x\w+ \(failing\.c:\d+\) +c\.li a0, 0x7 +a0: 0x\w+ -> 0x00000007\n")

    def test_json_has_the_same(self):
        status, out, _ = self.run_earshot("trace-value", "--json", "a0", "--at", "end", self.captured("failing"))
        self.assertEqual(status, 0)
        answer = json.loads(out)
        self.assertEqual((answer["register"], answer["value"], answer["limited"]), ("a0", "0x73333", False))
        nodes = answer["nodes"]
        self.assertEqual(nodes[answer["roots"][0]["node"]]["after"], "0x73333")
        self.assertEqual([node["record"] for node in nodes], sorted((node["record"] for node in nodes), reverse=True))
        constants = {(node["symbol"].split("+")[0], node["after"]) for node in nodes if node["end"] == "constant"}
        self.assertEqual(constants, {("main", "0x7"), ("finish", "0x3000")})

    def test_memory_by_address_and_by_name(self):
        """What the scheduler's stack pointer is, a variable of rtos.c."""
        path = self.captured("rtos")
        status, out, _ = self.run_earshot("trace-value", "rtos_stack_top", path)
        self.assertEqual(status, 0)
        self.assertRegex(out.splitlines()[1], r"main\+\w+ \(rtos\.c:\d+\) +sw .* 4 bytes at 0x\w+ \(rtos_stack_top\): ")
        address = json.loads(self.run_earshot("trace-value", "--json", "rtos_stack_top", path)[1])["address"]
        again = self.run_earshot("trace-value", f"{address}:4", path)[1]
        self.assertEqual(again.splitlines()[1:], out.splitlines()[1:])

    def test_the_index_changes_nothing(self):
        path = self.captured("rtos")
        for value in ("sp", "a5", "mepc", "rtos_current"):
            with self.subTest(value):
                plain = self.run_earshot("trace-value", "--no-index", "--json", value, "--at", 30000, path)
                self.assertEqual(self.run_earshot("trace-value", "--json", value, "--at", 30000, path), plain)
                self.assertEqual(plain[0], 0)

    def test_what_is_not_known_is_said(self):
        path = self.captured("failing")
        status, out, _ = self.run_earshot("trace-value", "a0", "--at", "begin", path)
        self.assertEqual((status, out), (1, "a0, after 0 instructions: ?\n"
                                            "  from a0 = ?: unknown: nothing in the trace wrote it\n"))

    def test_bad_usage(self):
        path = self.captured("failing")
        for arguments in ((), ("a0",), ("a0", path, path), ("nothing_there", path), ("v3", path),
                          ("0x1000:16", path), ("--nodes", "0", "a0", path), ("a0", self.folder / "none.shot")):
            with self.subTest(arguments):
                status, out, err = self.run_earshot("trace-value", *arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertTrue(err.startswith("earshot"), err)


if __name__ == "__main__":
    main()
