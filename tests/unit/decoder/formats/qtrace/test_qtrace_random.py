#!/usr/bin/env python3
"""Random execution logs: two writers that know nothing of each other make the same bytes, and two
readers the same log. The other ones are tests/support/qtrace_model.py.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[5]
sys.path.insert(0, str(TREE / "tests" / "support"))
import qtrace_model
from qtrace_model import Log, Run

COPY = sys.argv.pop(1)
EXECUTIONS = 100_000 if os.environ.get("EARSHOT_NIGHT") == "1" else 20_000  # docs/testing.md


def any_step(rng):
    """Of any length that a number has, mostly short."""
    if rng.random() < 0.999:
        return rng.randint(1, 40)
    return rng.randint(1, 1 << rng.choice((7, 14, 21, 28, 35, 42, 50)))


def any_address(rng):
    return rng.getrandbits(32) if rng.random() < 0.2 else 0x8000 + rng.getrandbits(rng.choice((6, 13, 20, 27)))


def make_blocks(rng, count):
    blocks = []
    for _ in range(count):
        size = rng.choice((1, 2, 3, 5, 8)) if rng.random() < 0.98 else 512
        thumb = rng.random() < 0.3
        words = [rng.getrandbits(32) for _ in range(size)]
        if thumb:
            words = [0xF7F000F0 | (word & 0xFFF0) << 4 | word & 0xF for word in words]
        blocks.append((any_address(rng) & ~3 | thumb, words))
    return blocks


class Maker:
    """A log, made execution by execution."""

    def __init__(self, rng, blocks):
        self.rng, self.time = rng, 0
        self.log = Log(blocks=make_blocks(rng, blocks))
        self.named = {0}
        self.pid = 0
        self.log.events.append((1, 7, (0, 0), (b"swapper",)))
        self.access = {True: (0, 0), False: (0, 0)}
        self.method = 0

    def run(self, number, step=None):
        rng, log = self.rng, self.log
        begin = self.time + (any_step(rng) if step is None else step)
        count = len(log.blocks[number - 1][1])
        cut = rng.random() < 0.01
        if cut:
            count = rng.randint(1, count)
        times = [begin]
        for _ in range(count - 1):
            times.append(times[-1] + (0 if rng.random() < 0.1 else rng.choice((1, 1, 1, 2, 30))))
        exception = None
        if cut:
            pc = log.blocks[number - 1][0] + 4 * (count - 1) & 0xFFFFFFFF
            exception = (times[-1] + 1, pc or 4, rng.choice((0, any_address(rng))))
        log.runs.append(Run(number, begin, times, exception))
        self.time = times[-1]
        if rng.random() < 0.5:
            self.touch()
        if rng.random() < 0.05:
            self.happen()

    def touch(self):
        for _ in range(self.rng.choice((1, 1, 2, 16))):
            store = self.rng.random() < 0.4
            row = (self.time + 1, any_address(self.rng))
            if row != self.access[store]:
                (self.log.stores if store else self.log.loads).append(row)
                self.access[store] = row

    def happen(self):
        rng, time = self.rng, self.time + 1
        text = lambda: bytes(rng.getrandbits(8) for _ in range(rng.choice((0, 1, 12, 200))))
        kind = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, "method", "method"))
        if kind == "method":
            if time > self.method:
                self.log.methods.append((time, any_address(rng), self.pid, rng.choice((0, 1, 2, 4, 5, 6))))
                self.method = time
            return
        numbers, texts = qtrace_model.fields(kind)
        values = [any_address(rng) for _ in range(numbers)]
        if kind in (1, 2, 7):
            values = [rng.randrange(32768), rng.randrange(32768)]
        if kind in (1, 2) and self.pid not in self.named or kind == 4 and self.pid == 0:
            return
        if kind in (3, 12):
            values = [rng.randrange(32768) if kind == 3 else self.pid]
        if kind == 3:
            self.pid = values[0]
        if kind == 6:
            values = [rng.choice((0, 42, (1 << 64) - 42))]
        if kind in (1, 2, 7):
            self.named.add(values[1])
        if kind in (4, 12):
            self.named.add(self.pid)
        count = rng.randrange(4) if texts == qtrace_model.TEXTS else int(texts == qtrace_model.TEXT)
        self.log.events.append((time, kind, tuple(values), tuple(text() for _ in range(count))))

    def finish(self, step):
        self.log.end = self.time + step
        return self.log


class Random(unittest.TestCase):
    def assert_same(self, log):
        with tempfile.TemporaryDirectory() as name:
            ours, theirs = pathlib.Path(name, "a"), pathlib.Path(name, "b")
            ours.mkdir()
            theirs.mkdir()
            files = qtrace_model.write(ours, log)
            done = subprocess.run((COPY, ours, theirs), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for file, data in files.items():
                other = (theirs / f"qtrace.{file}").read_bytes()
                if data != other:
                    at = next((i for i, (a, b) in enumerate(zip(data, other)) if a != b), min(len(data), len(other)))
                    self.fail(f"qtrace.{file} differs at byte {at}")
            back = qtrace_model.read(theirs)
            self.assertEqual(back.runs, log.runs)
            self.assertEqual(back, log)
            return files

    def test_many_blocks_fill_the_window(self):
        rng = random.Random(1)
        maker = Maker(rng, 3000)
        for _ in range(EXECUTIONS):
            maker.run(min(int(rng.expovariate(1 / 400)) + 1, 3000))
        self.assert_same(maker.finish(7))

    def test_1024_blocks_repeat_at_once(self):
        rng = random.Random(2)
        maker = Maker(rng, 1024)
        maker.log.blocks = [(0x1000 + 4 * i, [i]) for i in range(1024)]
        for _ in range(EXECUTIONS // 1024):
            for number in range(1, 1025):
                maker.run(number, 3)
        files = self.assert_same(maker.finish(1))
        self.assertLess(len(files["bb"]), 8 * 1024)

    def test_one_block_more_than_the_window(self):
        maker = Maker(random.Random(3), 1025)
        for _ in range(EXECUTIONS // 1025):
            for number in range(1, 1026):
                maker.run(number, 1)
        self.assert_same(maker.finish(1))

    def test_few_blocks_repeat_with_steps_that_change(self):
        rng = random.Random(4)
        maker = Maker(rng, 40)
        for _ in range(EXECUTIONS // 10):
            number, step = rng.randint(1, 40), rng.choice((1, 9, 100))
            for _ in range(10):
                maker.run(number, step)
        self.assert_same(maker.finish(1))

    def test_long_steps_between_blocks(self):
        rng = random.Random(5)
        maker = Maker(rng, 300)
        for _ in range(2000):
            maker.run(rng.randint(1, 300), 1 + rng.getrandbits(rng.randint(1, 52)))
        self.assert_same(maker.finish(1))

    def test_the_end_record_is_left_out_where_no_time_passed(self):
        maker = Maker(random.Random(6), 1)
        maker.log.blocks = [(0x8000, [1])]
        for i in range(3):
            maker.run(1, 1 + i)
        log = maker.log
        log.runs = log.runs[:1]
        log.loads, log.stores, log.events, log.methods = [], [], [], []
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(qtrace_model.write(name, log)["bb"][-3:], bytes(3))

    def test_an_empty_log(self):
        self.assert_same(Log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
