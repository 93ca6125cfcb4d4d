#!/usr/bin/env python3
"""tests/bench/moments finds every answer of a short capture of each workload right: with an index, built
with one thread and with two, and without one; of a capture and of a text. And it notices a wrong one.

usage: test_moments.py MAKE_LONG EARSHOT MOMENTS
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDS = 400000 if os.environ.get("EARSHOT_NIGHT") == "1" else 100000


def ask(moments, *arguments):
    return subprocess.run([sys.executable, moments, "-q", *map(str, arguments)],
                          capture_output=True, text=True)


def must_be_right(moments, *arguments):
    done = ask(moments, *arguments)
    if done.returncode or done.stderr:
        sys.exit(f"{' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}")


def must_notice(moments, name):
    answers = json.loads(name.with_suffix(".json").read_text())
    word = next(word for sample in answers["samples"] for word in sample["words"]
                if word["last_write"])
    word["last_write"] -= 1
    wrong = name.with_suffix(".wrong.json")
    wrong.write_text(json.dumps(answers))
    done = ask(moments, "--keep", name.with_suffix(".shot"), wrong)
    if done.returncode != 1 or "last write of" not in done.stderr:
        sys.exit(f"a wrong answer was not noticed: status {done.returncode}\n{done.stderr}")


def main():
    make_long, earshot, moments = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        for workload in ("interpreter", "stream", "calls", "table"):
            name = Path(folder) / workload
            subprocess.run([make_long, "-n", str(RECORDS), "-w", workload, "--samples", "12",
                            "--seed", "11", name], check=True)
            shot, answers = name.with_suffix(".shot"), name.with_suffix(".json")
            must_be_right(moments, "--jobs", "1", shot, answers)
            must_be_right(moments, "--jobs", "2", shot, answers)
            must_be_right(moments, "--no-index", "--samples", "1", shot, answers)
        text = name.with_suffix(".csv")
        subprocess.run([earshot, "decode", "-q", "-f", "whisper", "-o", text, shot], check=True)
        must_be_right(moments, "--jobs", "1", text, answers)
        must_notice(moments, name)


if __name__ == "__main__":
    main()
