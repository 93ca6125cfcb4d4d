#!/usr/bin/env python3
"""The examples in Python of docs/examples do what they say. Also needs EARSHOT_TREE."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from support import answers, capture

EXAMPLES = Path(os.environ["EARSHOT_TREE"]) / "docs/examples"


def run(name, *arguments):
    return subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


class Examples(unittest.TestCase):
    def test_no_example_is_missing_here(self):
        with open(__file__, encoding="utf-8") as source:
            tested = set(re.findall(r'run\("(\w+\.py)"', source.read()))
        self.assertEqual(tested, {path.name for path in EXAMPLES.glob("*.py")})

    def test_hottest(self):
        lines = run("hottest.py", capture("table")).splitlines()
        self.assertRegex(lines[0], r"^ *\d+  +\d+\.\d %  main$")
        self.assertIn("update", lines[1])
        self.assertEqual(run("hottest.py", capture("table"), capture("table").with_suffix(".elf")),
                         "\n".join(lines) + "\n")

    def test_who_wrote(self):
        writes = answers("calls")["seldom"]["writes"]
        lines = run("who_wrote.py", capture("calls"), "seldom", writes[1]).splitlines()
        self.assertRegex(lines[0], rf"^instruction {writes[0]}: sd .*\[0x80010008\] = 0x")
        self.assertIn("tick+", lines[1])
        self.assertIn("trap_entry", lines[2])

    def test_state_at(self):
        sample = answers("calls")["samples"][5]
        output = run("state_at.py", capture("calls"), sample["number"])
        self.assertIn(f"pc {sample['record']['pc']}, next {sample['record']['next_pc']}", output)
        self.assertRegex(output, rf"(?m)^sp +{sample['x'][2]}$")


if __name__ == "__main__":
    unittest.main()
