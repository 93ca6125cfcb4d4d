#!/usr/bin/env python3
"""Searches in traces find what is there, and nothing else: random queries through libearshot against
a program that looks at every record (tests/truth/queries.c). Moments are the same whichever way one
comes to them (tests/truth/moments.c). Each with an index and without. Likewise the tables of SQLite
against plain ones (tests/truth/sql.c).

    test_queries.py [--long]

--long asks 10 000 queries of each trace.
"""
import os
import pathlib
import re
import subprocess
import sys

from support import NIGHT, PROGRAMS, Case, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

TOOLS = pathlib.Path(os.environ["EARSHOT_BUILD"]) / "tests"
ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
COUNT, MOMENTS = (10000, 300) if LONG else (200, 25)
# Of a stretch of the index, much less than usual: the traces are short, and have many stretches.
STRETCHES = (100, 300, 2000, 0)


class Queries(Case):
    """Traces with interrupts, tasks, gaps, user mode, floating point; captures, dumps, texts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.traces = [case.core("rtos", "--time", "record"),
                      case.core("timer", "--policy", "drop", keys=",unit=small,link=2M"),
                      case.simulator("user", "rv32imac", "rv32imacu"),
                      case.simulator("fft", "rv64imafdc_zba_zbb_zbs", "rv64imafdcu_zba_zbb_zbs")]
        for number, name in enumerate(("spike", "whisper", "tarmac")):
            path = cls.shared / f"{name}.txt"
            case.earshot("decode", cls.traces[number], "-f", name, "-o", path)
            cls.traces.append(path)

    def core(self, program, *arguments, keys=""):
        path = self.shared / f"{program}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "-o", path,
                     *arguments)
        return path

    def simulator(self, name, folder, isa, length=40000):
        path = self.shared / f"{name}.raw"
        subprocess.run([ISS, "--isa", isa, "--quiet", "--max", str(length), "-o", path,
                        PROGRAMS / "workloads" / folder / f"{name}.elf"], check=False, stdout=subprocess.DEVNULL)
        return path

    def index_of(self, trace):
        return self.folder / f"{trace.name}.idx"

    def follow(self, trace, *arguments, count=MOMENTS):
        """Returns how many bytes of memory were known."""
        arguments = [*arguments, *(["--text"] if trace.suffix == ".txt" else [])]
        result = subprocess.run([TOOLS / "earshot-moments", trace, "--count", str(count), *map(str, arguments)],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, f"{trace.name}\n{result.stdout}{result.stderr}")
        return int(re.search(r"(\d+) bytes known", result.stdout)[1])

    def ask(self, trace, *arguments, count=COUNT):
        result = subprocess.run([TOOLS / "earshot-queries", trace, "--count", str(count), *map(str, arguments)],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, f"{trace.name}\n{result.stdout}{result.stderr}")
        found = re.search(r"(\d+) queries, 0 wrong, (\d+) with an answer, (\d+) records", result.stdout)
        self.assertGreater(int(found[2]), count // 5)
        self.assertGreater(int(found[3]), 20000)

    def test_without_an_index(self):
        for seed, trace in enumerate(some(*self.traces, gate=3)):
            with self.subTest(trace.name):
                self.ask(trace, "--no-index", "--seed", seed)

    def test_with_an_index(self):
        for seed, trace in enumerate(some(*self.traces, gate=5)):
            with self.subTest(trace.name):
                index = self.index_of(trace)
                self.ask(trace, "--index", index, "--stretch", STRETCHES[seed % 4], "--seed", seed + 100,
                         "--jobs", 1 + seed % 3)
                self.assertGreater(index.stat().st_size, 300)

    def test_sql(self):
        """Tables of SQLite: conditions that a search answers, against SQLite's own comparisons."""
        for seed, trace in enumerate(some(*self.traces, gate=1)):
            for indexed in (False, True):
                with self.subTest(trace.name, indexed=indexed):
                    if indexed:
                        self.earshot("index", "-q", trace)
                    count = 10000 if LONG else 400 if NIGHT else 25
                    result = subprocess.run([TOOLS / "earshot-sql", trace, str(count), str(seed)],
                                            capture_output=True, text=True, check=False)
                    self.assertEqual(result.returncode, 0, f"{trace.name}\n{result.stdout}{result.stderr}")
                    self.assertRegex(result.stdout, r"queries, 0 wrong, [1-9]\d* with an answer, \d{5}")

    def test_an_interrupt_ends_a_search_of_sql(self):
        trace = self.simulator("tasks", "rv32imac", "rv32imacu", 60000)
        done = subprocess.run([TOOLS / "earshot-sql", "--interrupt", trace], capture_output=True, text=True,
                              check=False, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n"), done.stderr)

    def test_moments(self):
        known = 0
        for seed, trace in enumerate(some(*self.traces, gate=5)):
            with self.subTest(trace.name):
                index = self.index_of(trace)
                known += self.follow(trace, "--index", index, "--stretch", STRETCHES[seed % 4], "--seed", seed,
                                     "--jobs", 1 + seed % 3)
        self.assertGreater(known, 100000)

    def test_a_trace_of_some_millions(self):
        """With stretches as they are, and so many that the tree has levels."""
        path = self.simulator("tasks", "rv32imac", "rv32imacu", 8000000 if LONG else 1400000 if NIGHT else 300000)
        index = self.index_of(path)
        self.ask(path, "--index", index, "--jobs", 2, count=2000 if LONG else 40 if NIGHT else 20)
        self.follow(path, "--index", index, "--jobs", 2, count=40 if LONG else 6)


if __name__ == "__main__":
    main()
