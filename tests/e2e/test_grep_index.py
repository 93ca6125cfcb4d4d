#!/usr/bin/env python3
"""'earshot grep' of a trace that has an index shows what a scan shows, byte for byte, and reads less of
it. The traces are long enough that parts are left out."""
import json
import os
import pathlib
import random
import re
import subprocess

from index_times import forge_times
from support import EARSHOT, NIGHT, Case, main, some

MAKE_LONG = pathlib.Path(os.environ["EARSHOT_BUILD"]) / "bench" / "make_long"
RECORDS = 5000000 if NIGHT else 500000
LINES = 400000 if NIGHT else 200000  # of the text
QUERIES = 40 if NIGHT else 12


class GrepIndex(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.shot, cls.text = cls.shared / "calls.shot", cls.shared / "calls.csv"
        subprocess.run([MAKE_LONG, "-n", str(RECORDS), "-w", "calls", "--samples", "20", "--seed", "3",
                        cls.shared / "calls"], check=True)
        case.earshot("decode", "-q", "-o", cls.text, "--limit", LINES, cls.shot)
        cls.answers = json.loads((cls.shared / "calls.json").read_text())
        for path in (cls.shot, cls.text):
            case.earshot("index", "-q", path)

    def run_grep(self, *arguments, file=None):
        result = subprocess.run([EARSHOT, "grep", *map(str, arguments), file or self.shot], capture_output=True,
                                check=False, stdin=subprocess.DEVNULL)
        return result.returncode, result.stdout, result.stderr

    def check_query(self, *arguments, file=None):
        found = self.run_grep(*arguments, file=file)
        with self.subTest(arguments, file=file):
            self.assertEqual(found, self.run_grep(*arguments, "--no-index", file=file))
        return found

    @staticmethod
    def conditions(chance):
        symbols = ["_start", "counter", "leaf_a", "leaf_tail", "rare", "seldom", "sparse", "tick", "ticks", "traps",
                   "trap_entry", "walk", "write_line"]
        span = f"{chance.choice(symbols)}{chance.choice(('+0', '+2', '+8', '-16'))}:{chance.choice((1, 4, 64, 4096))}"
        made = []
        kind = chance.randrange(6)
        if kind in (0, 3):
            made += ["--pc", span]
        if kind in (1, 3, 4):
            made += ["--addr", span]
        if kind in (2, 4):
            made += [chance.choice(("--read", "--write"))]
        if kind == 5:
            made += chance.choice((["--interrupt"], ["--reg", "mepc"], ["--reg", "a0=1"], ["--privilege", "u"],
                                   ["--gap"]))
        return made

    @staticmethod
    def forms(chance):
        made = []
        for option, values in (("-B", (0, 1, 3, 1000)), ("-A", (0, 1, 3, 1000)), ("-m", (1, 3, 100))):
            if chance.random() < 0.4:
                made += [option, chance.choice(values)]
        return made + chance.choice(([], ["-n"], ["-c"], ["--status"], ["-f", "json"], ["--count-by", "pc"]))

    def test_random_queries_are_those_of_a_scan(self):
        chance, found = random.Random(1), 0
        for number in range(QUERIES):
            file = (self.shot, self.shot, self.text)[number % 3]
            elf = [] if file == self.shot else ["--elf", self.shared / "calls.elf"]
            found += self.check_query(*self.conditions(chance), *self.forms(chance), *elf, file=file)[0] == 0
        self.assertGreater(found, QUERIES // 4)

    def test_rare_matches_with_what_is_around_them(self):
        writes = self.answers["seldom"]["writes"]
        self.assertGreater(len(writes), 2)
        status, out, _ = self.check_query("--write", "--addr", "seldom", "-c")
        self.assertEqual((status, int(out)), (0, len(writes)))
        for context in ("-C0", "-C2", "-B1000", "-A1000", "-B5"):
            out = self.check_query("--write", "--addr", "seldom", "-n", context)[1].decode()
            self.assertEqual(len(re.findall(r"index \d+: ", out)), len(writes))

    def test_what_cannot_match_is_not_read(self):
        """A line in the middle is damaged, and the index says that nobody wrote to the file. What is wrong with a
        part that is not read is not seen."""
        path = self.folder / "damaged.csv"
        data = bytearray(self.text.read_bytes())
        line = data.index(b"\n", len(data) // 2) + 1
        data[line:line + 8] = b"nonsense"
        path.write_bytes(data)
        index = self.folder / "damaged.csv.idx"
        index.write_bytes((self.shared / "calls.csv.idx").read_bytes())
        forge_times(index, path)
        self.assertEqual(self.run_grep("--write", "--addr", "0x10", file=path), (1, b"", b""))
        status, out, error = self.run_grep("--write", "--addr", "0x10", "--no-index", file=path)
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"1 bad line skipped", error)

    def test_bad_lines_are_those_of_a_scan(self):
        """The index knows where its reader reported a line: there it is read."""
        lines = self.text.read_bytes().splitlines(keepends=True)
        for count, end in some((14, b"no line\n"), (150, b""), (1, b""), gate=2):
            chance, made = random.Random(count), list(lines)
            for _ in range(count):
                made.insert(chance.randrange(1, len(made)), chance.choice((b"nonsense\n", b"1,2,3\n")))
            path = self.folder / f"bad-{count}.csv"
            path.write_bytes(b"".join(made) + end)
            self.earshot("index", "-q", path)
            for conditions in some(["--write", "--addr", "0x10"], ["--mode-change"], ["--interrupt"],
                                   ["--pc", "0x80000000+16"], ["--event"], gate=2):
                for more in ([], ["-B2"], ["-c"], ["-m1"], ["--status"], ["--from", 1000, "--to", LINES - 50000]):
                    self.check_query(*conditions, *more, file=path)
            status, _, error = self.check_query("--write", "--addr", "0x10", file=path)
            self.assertEqual(status, 2)
            said = min(count, 100) + bool(end)
            self.assertIn(f"{said} bad line{'s' if said > 1 else ''} skipped".encode(), error)

    def test_a_capture_with_gaps_is_scanned(self):
        """What a scan says of the gaps is said."""
        path = self.folder / "gap.shot"
        data = bytearray(self.shot.read_bytes())
        for at in range(len(data) // 8, len(data) // 8 + 64):
            data[at] ^= 0x55
        path.write_bytes(data)
        self.earshot("index", "-q", path)
        found = self.check_query("--write", "--addr", "0x10", file=path)
        self.assertIn(b"gap", found[2])

    def test_an_index_of_another_trace_is_not_used(self):
        path = self.folder / "other.csv"
        path.write_bytes(self.text.read_bytes()[:5000000])
        (self.folder / "other.csv.idx").write_bytes((self.shared / "calls.csv.idx").read_bytes())
        self.check_query("--elf", self.shared / "calls.elf", "--pc", "rare", file=path)
        (self.folder / "other.csv.idx").write_bytes(b"nonsense")
        self.check_query("--elf", self.shared / "calls.elf", "--pc", "rare", file=path)

    def test_a_trace_in_a_folder_that_cannot_be_written_has_its_index_in_the_cache(self):
        folder = self.folder / "read-only"
        folder.mkdir()
        (folder / "calls.shot").write_bytes(self.shot.read_bytes())
        folder.chmod(0o555)
        # root writes where nobody may, unless it gives that up
        prefix = [] if os.getuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        for command in (["state", "--at", "400000"], ["grep", "--from", "400000", "--pc", "0x10"], ["index"]):
            with self.subTest(command=command):
                cache = self.folder / f"{'-'.join(command)}/cache"
                subprocess.run([*prefix, EARSHOT, *command, folder / "calls.shot"], check=False, timeout=60,
                               stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
                self.assertEqual([path.suffix for path in cache.glob("earshot/*")], [".idx"])
        folder.chmod(0o755)


if __name__ == "__main__":
    main()
