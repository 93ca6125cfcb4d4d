#!/usr/bin/env python3
"""The commands of docs/own-simulation.md that build a model by Verilator give the trace of the example.

The other commands of that page run in test_examples.py.
"""
import os
import pathlib
import subprocess

import examples
from support import EARSHOT, TREE, Case, main

NAME = "docs/own-simulation.md"


class OwnSimulation(Case):
    def run_block(self, first, before=""):
        """The block of commands that has this text in it, as a shell runs it."""
        blocks, _ = examples.of_markdown(TREE / NAME, NAME)
        block = next(block for block in blocks if any(first in example.text for example in block))
        script = "set -e\nH=$(earshot --hdl-path)\n" + before + "\n".join(example.text for example in block)
        environment = dict(os.environ, PATH=f"{pathlib.Path(EARSHOT).parent}:{os.environ['PATH']}")
        result = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment, timeout=900,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr[-2000:])

    def check(self, name):
        """1000 instructions of a loop of two, all of them there."""
        info = self.info(self.folder / name)
        self.assertEqual((info["records"], info["complete"]), (1000, "yes"))
        text, _ = self.earshot("decode", "-q", "--from", "998", self.folder / name)
        rows = [line.split(",") for line in text.splitlines()[1:]]
        self.assertEqual([row[:3] for row in rows],
                         [["80000000", "128293", "x5=1f4"], ["80000004", "ffdff06f", "pc=80000000"]])

    def test_a_bench_in_cpp_live_and_with_files(self):
        self.run_block("verilator --cc", "earshot control start -o start.bin\n")
        self.check("own.shot")
        self.check("own.bin")

    def test_a_bench_in_verilog_by_dpi(self):
        self.run_block("verilator --binary")
        os.environ["EARSHOT_BOARD"] = str(self.folder / "obj_dir" / "own")
        self.earshot("capture", "-q", "-d", f"sim:{self.folder / 'obj_dir' / 'own'}", "-o", self.folder / "own.shot")
        self.check("own.shot")


if __name__ == "__main__":
    main()
