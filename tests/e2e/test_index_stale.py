#!/usr/bin/env python3
"""An index of a file that has changed since is never believed: every command answers as it does without one, however
small the change is, wherever it is, and whatever the time of the file says.

    test_index_stale.py [--long]
"""
import os
import random
import re
import shutil
import subprocess
import sys
import time

from gdb_client import Client
from index_times import forge_times
from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, main, records, some

sys.path.insert(0, str(TREE / "tests" / "support"))
import changed_file

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
CHANGES = 300 if LONG else 40 if NIGHT else 1
TIMES = ("now", "as before", "later")


class Stale(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        program = cls.shared / "rtos.elf"
        shutil.copy(PROGRAMS / "rtos.elf", program)
        cls.files = {name: cls.shared / name for name in ("t.shot", "t.csv", "t.log")}
        case.earshot("capture", "-q", "-d", f"sim:{program},uart=/dev/null", "-o", cls.files["t.shot"])
        case.earshot("decode", "-q", cls.files["t.shot"], "-o", cls.files["t.csv"])
        case.earshot("decode", "-q", cls.files["t.shot"], "-f", "spike", "-o", cls.files["t.log"])
        for path in cls.files.values():
            case.earshot("index", "-q", path)
        cls.count = len(records(cls.files["t.csv"].read_text()))
        lines = cls.files["t.csv"].read_text().splitlines()
        cls.addresses = [match[0] for line in lines if (match := re.search(r"(?<=,)\w{8,16}(?==)", line))]
        cls.pcs = [line.split(",")[0] for line in lines if re.match(r"[0-9a-f]+,", line)]

    def commands(self, chance):
        """Questions, of which some are about rare things: an index answers those without reading the file."""
        address, pc = "0x" + chance.choice(self.addresses), "0x" + chance.choice(self.pcs)
        at = chance.randrange(self.count)
        return (["grep", "--addr", f"{address}:4"], ["grep", "--pc", pc, "-c"],
                ["grep", "--write", "--addr", "0x1000:4"], ["grep", "--last", "--pc", pc],
                ["grep", "--interrupt", "--from", at],
                ["state", "--at", at, "--reg", "x", "--mem", f"{address}:16"],
                ["state", "--mem", f"{address}:16", "--stack"],
                ["why", "--value", f"{address}:4", "--at", at], ["why"],
                ["show", "--at", at, "--color", "never"], ["show", "--from", at, "-n", "5", "--color", "never"],
                ["stat", "--part", "2/3"], ["stat", "-j2"], ["profile", "-j2"])

    def run_in(self, folder, *arguments):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, cwd=folder, env=environment,
                                timeout=120, check=False)
        self.assertNotIn(b"Sanitizer", result.stderr)
        return result.returncode, result.stdout, result.stderr

    def debug(self, folder, name, chance):
        """What GDB is told of some moments."""
        client = Client(folder / name)
        answers = [client.ask(f"m{chance.choice(self.addresses)},10") for _ in range(3)]
        answers += [client.ask(packet) for packet in ("bc", "g", "bs", "g")]
        client.ask(f"Z2,{chance.choice(self.addresses)},4")
        answers += [client.ask("bc"), client.ask("g")]
        client.close()
        return answers

    def compare(self, name, chance):
        """The commands in 'here', where the index is, and in 'plain', where there is none before."""
        here, plain = self.folder / "here", self.folder / "plain"
        for arguments in self.commands(chance):
            with self.subTest(name=name, arguments=arguments):
                # Each question by itself finds the old index.
                shutil.copy(self.files[name].with_name(name + ".idx"), here / (name + ".idx"))
                self.assertEqual(self.run_in(here, *arguments, name), self.run_in(plain, *arguments, name))
                (plain / (name + ".idx")).unlink(missing_ok=True)  # made for -j2

    def place(self, name, data, times):
        """The file with these bytes, beside the index of before, and alone."""
        before = self.files[name].stat()
        for folder in ("here", "plain"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
            (self.folder / folder).mkdir()
            (self.folder / folder / name).write_bytes(data)
        if times != "now":
            extra = 10 ** 12 if times == "later" else 0
            os.utime(self.folder / "here" / name, ns=(before.st_atime_ns, before.st_mtime_ns + extra))
        shutil.copy(self.files[name].with_name(name + ".idx"), self.folder / "here" / (name + ".idx"))

    def test_every_command_answers_as_without_an_index(self):
        for number, (name, path) in enumerate(self.files.items()):
            original = path.read_bytes()
            self.assertGreater(len(original), 3 * 65536 if name != "t.shot" else 1000)
            for seed in range(CHANGES):
                chance = random.Random(seed)
                data = changed_file.changed(original, name != "t.shot", chance)
                self.assertEqual(len(data), len(original))
                times = TIMES[(number + seed) % len(TIMES)]
                with self.subTest(name=name, seed=seed, times=times):
                    self.place(name, data, times)
                    found = self.run_in(self.folder / "here", "index", "--no-build", name)
                    self.assertEqual(found, (2, b"", f"earshot: {name}: the trace has changed\n".encode()))
                    self.compare(name, chance)
                    state = chance.getstate()
                    answers = self.debug(self.folder / "here", name, chance)
                    chance.setstate(state)
                    self.assertEqual(answers, self.debug(self.folder / "plain", name, chance))
                    status, out, _ = self.run_in(self.folder / "here", "index", "--verify", name)
                    self.assertEqual((status, out.splitlines()[-1]), (0, b"verified: yes"))

    def test_what_only_looks_changed_keeps_its_index(self):
        for name, path in some(*self.files.items()):
            with self.subTest(name):
                self.place(name, path.read_bytes(), "later")
                time.sleep(0.02)  # longer than a tick of the clock of files
                before = (self.folder / "here" / (name + ".idx")).read_bytes()
                _, out, _ = self.run_in(self.folder / "here", "index", "--no-build", name)
                self.assertIn(b": found\n", out)
                after = (self.folder / "here" / (name + ".idx")).read_bytes()
                self.assertNotEqual(before, after)
                self.run_in(self.folder / "here", "index", "--no-build", name)
                self.assertEqual((self.folder / "here" / (name + ".idx")).read_bytes(), after)
                self.compare(name, random.Random(1))

    def test_the_index_is_used_at_all(self):
        """Else this test could not fail: an index that claims to be of the changed file is believed."""
        path = self.files["t.csv"]
        data = path.read_bytes()
        line = data.index(b"\n", len(data) // 2) + 1
        self.place("t.csv", data[:line] + b"nonsense" + data[line + 8:], "now")
        forge_times(self.folder / "here" / "t.csv.idx", self.folder / "here" / "t.csv")
        here, plain = (self.run_in(self.folder / folder, "grep", "--write", "--addr", "0x1000:4", "t.csv")
                       for folder in ("here", "plain"))
        self.assertNotEqual(here, plain)

    def test_a_damaged_index_is_not_found(self):
        name, chance = "t.csv", random.Random(2)
        self.place(name, self.files[name].read_bytes(), "now")
        index = self.folder / "here" / (name + ".idx")
        whole, damaged = index.read_bytes(), 0
        for _ in range(max(CHANGES, 3)):
            at = chance.randrange(32, len(whole))
            index.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1:])
            found = self.run_in(self.folder / "here", "index", "--no-build", "--verify", name)
            if found[0] == 0:  # a zstd frame has some bits without a meaning
                self.assertIn(b"verified: yes", found[1])
            else:
                damaged += 1
                self.assertEqual(found, (2, b"", f"earshot: {name}: the index is damaged\n".encode()))
        self.assertGreater(damaged, 0)
        index.write_bytes(whole[:len(whole) // 2] + bytes(8) + whole[len(whole) // 2 + 8:])
        self.assertEqual(self.run_in(self.folder / "here", "index", "--no-build", name)[0], 2)
        _, out, _ = self.run_in(self.folder / "here", "index", name)
        self.assertIn(b": built\n", out)


if __name__ == "__main__":
    main()
