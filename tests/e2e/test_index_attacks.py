#!/usr/bin/env python3
"""An index is only ever about speed: whatever it holds, whatever happens to it or to its trace, answers
are those of a plain scan, or an error. Asked with tests/truth/queries.c and moments.c, which read the
trace themselves.

    test_index_attacks.py [--long]
"""
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys

from index_times import forge_times
from support import NIGHT, PROGRAMS, Case, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

BUILD = pathlib.Path(os.environ["EARSHOT_BUILD"])
QUERIES, MOMENTS = BUILD / "tests/earshot-queries", BUILD / "tests/earshot-moments"
DAMAGES = 400 if LONG else 24 if NIGHT else 8
STRETCH = 500  # cost of a stretch of the index: many in a short trace


class Attacks(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.shot = cls.shared / "rtos.shot"
        case.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/rtos.elf,uart=/dev/null", "-o", cls.shot)
        cls.text = cls.shared / "rtos.spike.log"
        case.earshot("decode", cls.shot, "-f", "spike", "-o", cls.text)
        cls.indexes = {}
        for trace in (cls.shot, cls.text):
            index = cls.shared / (trace.name + ".made")
            case.check(case.run_tool(QUERIES, trace, "--count", 3, "--index", index, "--stretch", STRETCH))
            cls.indexes[trace] = index.read_bytes()

    def run_tool(self, tool, trace, *arguments, **keywords):
        result = subprocess.run([tool, trace, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                                check=False, **keywords)
        self.assertNotIn("Sanitizer", result.stderr)
        self.assertNotIn("runtime error", result.stderr)
        return result

    def check(self, result):
        """The answers are right."""
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def check_never_wrong(self, result):
        """The answers are right, or there are none and it says why. Returns whether there are."""
        self.assertIn(result.returncode, (0, 2), result.stdout + result.stderr)
        if result.returncode == 2:
            self.assertTrue(result.stderr)
        return result.returncode == 0

    def ask(self, trace, index, seed=1, count=12):
        """Queries and moments, one after the other with what the index is now."""
        extra = ["--text"] if trace.suffix == ".log" else []
        first, second = (QUERIES, ("--count", count)), (MOMENTS, ("--count", 5, *extra))
        for tool, arguments in (first, second) if seed % 2 else (second, first):
            self.check(self.run_tool(tool, trace, "--seed", seed, "--index", index, "--stretch", STRETCH, *arguments))

    def damaged(self, data, chance):
        """The index with one kind of damage."""
        size, at = len(data), chance.randrange(len(data))
        kind = chance.randrange(6)
        if kind == 0:  # a bit
            return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]
        if kind == 1:  # cut off
            return data[:at]
        if kind == 2:  # zeros
            return data[:at] + bytes(min(64, size - at)) + data[at + 64:]
        if kind == 3:  # noise
            return data[:at] + chance.randbytes(min(16, size - at)) + data[at + 16:]
        if kind == 4:  # a large number
            return data[:at] + b"\xff" * min(8, size - at) + data[at + 8:]
        other = chance.randrange(size)  # a piece from elsewhere
        return (data[:at] + data[other:other + 32] + data[at + 32:])[:size]

    def test_damaged(self):
        for trace, data in self.indexes.items():
            for seed in range(DAMAGES):
                chance = random.Random(seed)
                # The ends have what everything else hangs on.
                part = data if seed % 3 else data[-256:]
                with self.subTest(trace=trace.name, seed=seed):
                    index = self.folder / "damaged.idx"
                    index.write_bytes(data[:len(data) - len(part)] + self.damaged(part, chance))
                    self.ask(trace, index, seed)

    def test_no_index_at_all(self):
        for content in (b"", b"\0" * 100000, b"\xff" * 5000, self.shot.read_bytes(), self.indexes[self.text]):
            with self.subTest(size=len(content)):
                index = self.folder / "other.idx"
                index.write_bytes(content)
                self.ask(self.shot, index)

    def test_the_trace_grows(self):
        raw = self.folder / "raw.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/rtos.elf,uart=/dev/null,unit=raw", "-o", raw)
        stream = subprocess.run(["zstd", "-d", "-c", raw], check=True, capture_output=True).stdout
        for trace, data in ((pathlib.Path("stream.raw"), stream), (raw, raw.read_bytes()),
                            (self.text, self.text.read_bytes())):
            growing, index = self.folder / ("growing-" + trace.name), self.folder / (trace.name + ".idx")
            for share in (0.4, 0.41, 0.9, 1) if trace != raw else (0.9, 1):
                with self.subTest(trace=trace.name, share=share):
                    growing.write_bytes(data[:int(len(data) * share)])
                    self.ask(growing, index, seed=int(share * 100))

    def test_the_trace_changes_underneath(self):
        """An edit in the middle with the same size, of which the index says that nothing changed; then the truth; and
        another trace in its place."""
        trace, index = self.folder / "t.log", self.folder / "t.idx"
        shutil.copy(self.text, trace)
        self.ask(trace, index)
        data = bytearray(trace.read_bytes())
        for at in range(len(data) // 2, len(data) // 2 + 4000):
            if data[at:at + 5] == b" mem " and data[at + 5:at + 7] == b"0x":
                data[at + 13] = ord("4") if data[at + 13] != ord("4") else ord("8")
        trace.write_bytes(data)
        honest = index.read_bytes()
        forge_times(index, trace)
        answered = 0
        for seed in range(1, 6):
            answered += self.check_never_wrong(self.run_tool(QUERIES, trace, "--count", 40, "--seed", seed,
                                                             "--index", index))
        index.write_bytes(honest)
        self.ask(trace, index)
        shutil.copy(self.shot, trace)
        result = self.run_tool(QUERIES, trace, "--count", 20, "--index", index)
        self.check(result)

    def test_two_builders_at_once(self):
        for count in (2, 4):
            index = self.folder / f"{count}.idx"
            processes = [subprocess.Popen([QUERIES, self.shot, "--count", "5", "--seed", str(k), "--index", index,
                                           "--jobs", str(1 + k % 2)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          text=True) for k in range(count)]
            for process in processes:
                out, error = process.communicate(timeout=100)
                self.assertEqual(process.returncode, 0, out + error)
            self.assertEqual([path.name for path in self.folder.glob(f"{count}.idx*")], [index.name])
            self.ask(self.shot, index)

    def test_no_place_for_an_index(self):
        for place in ("/proc/earshot.idx", "/nowhere/at/all.idx", self.folder):
            with self.subTest(place):
                self.check(self.run_tool(QUERIES, self.shot, "--count", 20, "--index", place))

    def test_a_full_disk_leaves_no_file(self):
        for size in (0, 1, 100, 4096, 20000):
            index = self.folder / "full.idx"

            def limit(size=size):
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

            with self.subTest(size=size):
                result = self.run_tool(QUERIES, self.shot, "--count", 20, "--index", index, preexec_fn=limit)
                self.check(result)
                if size < 1000:
                    self.assertEqual(list(self.folder.glob("full.idx*")), [])

    def test_a_killed_builder_leaves_what_the_next_one_can_use(self):
        index = self.folder / "killed.idx"
        for pause in some(0.005, 0.02, 0.01, 0.04, 0.08, gate=2):
            process = subprocess.Popen([QUERIES, self.shot, "--count", "1000", "--index", index],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(pause)
            except subprocess.TimeoutExpired:
                process.kill()
            process.wait()
        self.ask(self.shot, index)


if __name__ == "__main__":
    main()
