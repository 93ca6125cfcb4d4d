#!/usr/bin/env python3
"""Whatever happened to an index, or to its trace since: answers are those of a fresh read without one.

    test_indexes.py [--stale N] [--damaged N] [--seed N]

Stale: bytes of the trace are others at the same size, and its time is as before, of now or later. Damaged: the index
is. Both are opened, random questions are asked, and a handle that has no index is asked the same. Of a damaged index
an error is an answer, too. Commands and GDB are asked in tests/e2e/test_index_stale.py, and more of libearshot by
tests/truth/queries.c in tests/e2e/test_index_attacks.py.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import earshot
from earshot import Query
from support import NIGHT, capture

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import changed_file

STALE, DAMAGED = (300, 1000) if NIGHT else (10, 24)
SEED = 1
QUESTIONS = 3  # of each file
COUNTS = {"stale": 0, "damaged": 0, "refused": 0, "questions": 0}


def queries(chance, addresses, pcs):
    """Common and rare things; an index answers about rare ones without reading the trace."""
    address, pc = chance.choice(addresses), chance.choice(pcs)
    return chance.choice((
        lambda: Query(pc=pc), lambda: Query(access=range(address, address + 4)),
        lambda: Query(write=range(address, address + 4)), lambda: Query(access=range(0x1000, 0x1004)),
        lambda: Query(opcode=0x12345678), lambda: Query(trap=True), lambda: Query(register="sp")))()


def question(chance, count, addresses, pcs):
    """A random question: a function of a trace."""
    at, query, address = chance.randrange(count), queries(chance, addresses, pcs), chance.choice(addresses)
    return chance.choice((
        lambda t: t.count(query), lambda t: t.find(query), lambda t: t.find_before(query),
        lambda t: [record.position for _, record in zip(range(5), t.find_all(query))],
        lambda t: (t.record_at(at).pc, t.record_at(at).opcode, t.record_at(at).index),
        lambda t: (t.moment(at).pc(), t.moment(at).registers()), lambda t: t.moment(at).memory(address & ~15, 32),
        lambda t: [frame.pc for frame in t.moment(at).stack()], lambda t: t.last_write(range(address, address + 4), at),
        lambda t: t.counts(), lambda t: t.verdict(), lambda t: t.moment(at).next_pc()))


def answer(trace, asked):
    try:
        return repr(asked(trace))
    except earshot.Error as error:
        return error


class Indexes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="earshot-indexes-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shot = capture("interpreter", 20000)
        cls.files = {}
        for name, form in ("t.shot", None), ("t.csv", "whisper"), ("t.log", "spike"):
            path = cls.folder / name
            if form is None:
                shutil.copy(shot, path)
            else:
                subprocess.run([os.environ["EARSHOT_BIN"], "decode", "-q", "-f", form, "-o", path, shot], check=True,
                               stderr=subprocess.DEVNULL)
            with earshot.open(path) as trace:
                trace.index()
                cls.count = trace.counts().records
            cls.files[name] = path.read_bytes(), path.with_name(name + ".idx").read_bytes(), path.stat()
        lines = (cls.folder / "t.csv").read_text().splitlines()
        cls.addresses = [int(found[0], 16) for line in lines if (found := re.search(r"(?<=,)\w{8,16}(?==)", line))]
        cls.pcs = [int(line.split(",")[0], 16) for line in lines if re.match(r"[0-9a-f]+,", line)]

    def ask(self, chance, path, with_index, plain):
        """The same of both. Errors of a damaged index are counted, others are the same."""
        asked = [question(chance, self.count, self.addresses, self.pcs) for _ in range(QUESTIONS)]
        try:
            trace = earshot.open(path, index=chance.choice(("existing", "auto")))
        except earshot.Error as error:
            self.assertTrue(str(error))
            COUNTS["refused"] += 1
            return
        with trace, earshot.open(plain, index="none") as fresh:
            for one in asked:
                got, wanted = answer(trace, one), answer(fresh, one)
                COUNTS["questions"] += 1
                if isinstance(wanted, earshot.Error) or (isinstance(got, earshot.Error) and with_index == "stale"):
                    self.assertEqual((type(got), str(got).replace(str(path), "")),
                                     (type(wanted), str(wanted).replace(str(plain), "")))
                elif isinstance(got, earshot.Error):
                    self.assertTrue(str(got))
                    COUNTS["refused"] += 1
                else:
                    self.assertEqual(got, wanted)

    @staticmethod
    def damage(data, chance):
        at, kind = chance.randrange(len(data)), chance.randrange(6)
        if kind == 0:
            return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]
        if kind == 1:
            return data[:at]
        if kind == 2:
            return data[:at] + bytes(min(64, len(data) - at)) + data[at + 64:]
        if kind == 3:
            return data[:at] + chance.randbytes(min(40, len(data) - at)) + data[at + 40:]
        if kind == 4:
            return data[:at] + data[at + chance.randrange(1, 200):]
        other = chance.randrange(len(data))
        return data[:at] + data[other:other + 300] + data[at + 300:]

    def test_a_stale_index_is_not_believed(self):
        for seed in range(SEED, SEED + STALE):
            chance = random.Random(seed)
            name = chance.choice(list(self.files))
            data, index, status = self.files[name]
            path, plain = self.folder / name, self.folder / ("plain-" + name)
            for file in path, plain:
                file.write_bytes(changed_file.changed(data, name != "t.shot", random.Random(seed)))
            path.with_name(name + ".idx").write_bytes(index)
            times = chance.choice(("now", "before", "later"))
            if times != "now":
                later = 10 ** 12 if times == "later" else 0
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + later))
            with self.subTest(seed=seed, name=name, times=times):
                self.ask(chance, path, "stale", plain)
            COUNTS["stale"] += 1

    def test_a_damaged_index_gives_no_wrong_answer(self):
        for name, (data, _, status) in self.files.items():
            for file in self.folder / name, self.folder / ("plain-" + name):
                file.write_bytes(data)
            os.utime(self.folder / name, ns=(status.st_atime_ns, status.st_mtime_ns))
        for seed in range(SEED, SEED + DAMAGED):
            chance = random.Random(seed)
            name = chance.choice(list(self.files))
            path = self.folder / name
            path.with_name(name + ".idx").write_bytes(self.damage(self.files[name][1], chance))
            with self.subTest(seed=seed, name=name):
                self.ask(chance, path, "damaged", self.folder / ("plain-" + name))
            COUNTS["damaged"] += 1

    @classmethod
    def tearDownClass(cls):
        print(", ".join(f"{key}: {value}" for key, value in COUNTS.items()))


def main():
    global STALE, DAMAGED, SEED
    parser = argparse.ArgumentParser()
    parser.add_argument("--stale", type=int, default=STALE)
    parser.add_argument("--damaged", type=int, default=DAMAGED)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    STALE, DAMAGED, SEED = options.stale, options.damaged, options.seed
    unittest.main(argv=["test_indexes.py"])


if __name__ == "__main__":
    main()
