#!/usr/bin/env python3
"""'earshot memory': what it counts is what the records say, and what a program says of itself."""
import collections
import csv
import io
import json
import os
import pathlib
import random
import re
import struct
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, json_lines, main, night, some

DEVICES = ((0x100000, 0x100FFF), (0x2000000, 0x200FFFF), (0x10000000, 0x100000FF))


def sections(path):
    """Name, address, size, has bytes in the file: of an ELF file of 32 bits."""
    data = path.read_bytes()
    offset, size, count, names = *struct.unpack_from("<I", data, 32), *struct.unpack_from("<HHH", data, 46)
    headers = [struct.unpack_from("<10I", data, offset + i * size) for i in range(count)]
    start = headers[names][4]
    return [(data[start + h[0]:data.index(b"\0", start + h[0])].decode(), h[3], h[5], h[1] != 8) for h in headers if h[2] & 2]


class MemoryUse(Case):
    def capture(self, program, limit=30000):
        shot = self.folder / f"{program}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", shot, "--limit", limit)
        return shot

    def use(self, path, *arguments):
        return json.loads(self.earshot("memory", "-q", "-f", "json", *arguments, path)[0])

    @staticmethod
    def records(path):
        out = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "-f", "json", path],
                             capture_output=True, check=True, text=True).stdout
        return [record for record in json_lines(out) if "pc" in record]

    def expected(self, path):
        pages, written, read = collections.Counter(), set(), set()
        uninitialized, misaligned = collections.Counter(), collections.Counter()
        loaded = set()
        if path.suffix == ".shot":
            for name, address, size, in_file in sections(PROGRAMS / f"{path.stem}.elf"):
                if in_file or not re.search("stack|heap|noinit", name):
                    loaded.update(range(address, address + size))
        for record in self.records(path):
            if record.get("interrupt") or record.get("trap"):
                continue
            for access in record.get("memory", ()):
                address, size = int(access["address"], 0), access.get("size", 0)
                touched = set(range(address, address + size))
                pages[address >> 12 << 12, access["write"]] += 1
                if size and address % size:
                    misaligned[int(record["pc"], 0)] += 1
                if access["write"]:
                    written |= touched
                    continue
                read |= touched
                if any(byte not in written and byte not in loaded and
                       not any(first <= byte <= last for first, last in DEVICES) for byte in touched):
                    uninitialized[int(record["pc"], 0)] += 1
        return pages, written | read, uninitialized, misaligned

    def compare(self, path):
        found = self.use(path)
        pages, touched, uninitialized, misaligned = self.expected(path)
        self.assertEqual({(int(row["address"], 0), write): row["writes" if write else "reads"] for row in found["page"]
                          for write in (False, True) if row["writes" if write else "reads"]}, dict(pages))
        self.assertEqual(sum(row["touched"] for row in found["page"]), len(touched))
        for view in ("region", "section", "symbol", "page"):
            if found[view] is not None:
                self.assertEqual(sum(row["reads"] for row in found[view]), found["reads"], view)
                self.assertEqual(sum(row["writes"] for row in found[view]), found["writes"], view)
        self.assertEqual(sum(row["accesses"] for row in found["heat"]), found["reads"] + found["writes"])
        untrapped = {int(row["pc"], 0): row["count"] - row["trapped"] for row in found["misaligned"]}
        self.assertEqual({pc: count for pc, count in untrapped.items() if count}, dict(misaligned))
        if path.suffix == ".shot":
            self.assertEqual({int(row["pc"], 0): row["count"] for row in found["uninitialized"]}, dict(uninitialized))
        return found

    def test_what_is_counted_is_what_the_records_say(self):
        for program in some("memory", "sort", "traps", "timer", "rtos", "strings", "list", "misaligned", gate=2):
            with self.subTest(program):
                self.compare(self.capture(program))

    def test_texts(self):
        for sample in [*sorted((TREE / "tests/data/whisper").glob("*.csv"))[:3], TREE / "tests/data/spike/rv64.log"]:
            with self.subTest(sample.name):
                found = self.compare(sample)
                self.assertIsNone(found["uninitialized"])
                self.assertIsNone(found["symbol"])

    def test_a_text_shows_the_same_stacks_and_blocks(self):
        for program in some("memory", "rtos"):
            shot, text = self.capture(program), self.folder / f"{program}.csv"
            self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
            names, found = ("--elf", PROGRAMS / f"{program}.elf"), self.use(shot)
            again = self.use(text, *names)
            self.assertGreater(len(found["stack"]), 0)
            self.assertEqual((again["stack"], again["heap"]), (found["stack"], found["heap"]))

    def truth(self, shot):
        """The last value of each word that the program stores in mem_truth."""
        symbol = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / "memory.elf"], capture_output=True, check=True,
                                text=True).stdout
        base = int(re.search(r"(\w+) \w mem_truth$", symbol, re.M)[1], 16)
        words = dict.fromkeys(range(9), 0)
        for record in self.records(shot):
            for access in record.get("memory", ()):
                if access["write"] and 0 <= int(access["address"], 0) - base < 36:
                    words[(int(access["address"], 0) - base) // 4] = int(access["value"], 0)
        return dict(zip(("blocks", "bytes", "double", "unknown", "misaligned", "code", "fresh", "low", "high"), words.values()))

    def test_a_program_that_misuses_memory(self):
        shot = self.capture("memory", 100000)
        truth, found = self.truth(shot), self.use(shot)
        heap = collections.Counter()
        for row in found["heap"]:
            heap[row["fault"]] += row["count"]
        self.assertEqual((found["live"], found["live_bytes"]), (truth["blocks"], truth["bytes"]))
        self.assertEqual(heap, {"not freed": truth["blocks"], "freed twice": truth["double"],
                                "unknown free": truth["unknown"]})
        self.assertEqual(sum(row["count"] for row in found["misaligned"]), truth["misaligned"])
        self.assertEqual(sum(row["count"] for row in found["code_writes"]), truth["code"])
        fresh = [row for row in found["uninitialized"] if re.match("read_(stack|heap)", row["where"])]
        self.assertEqual(sum(row["bytes"] for row in fresh), truth["fresh"])
        self.assertIn((truth["high"], truth["low"]),
                      {(int(row["top"], 0), int(row["lowest"], 0)) for row in found["stack"]})

    def test_working_set(self):
        shot = self.capture("sort")
        found = self.use(shot, "--working-set", 1000)["working_set"]
        sets = collections.defaultdict(set)
        for number, record in enumerate(self.records(shot)):
            for access in record.get("memory", ()) if not record.get("trap") else ():
                sets[number // 1000] |= {int(access["address"], 0) // 64, (int(access["address"], 0) + access["size"] - 1) // 64}
        self.assertEqual([row["lines"] for row in found], [len(sets[i]) for i in range(len(found))])

    def test_between_two_places(self):
        shot = self.capture("sort")
        found = self.use(shot, "--from", 1500, "--to", 7499, "--working-set", 1000)["working_set"]
        self.assertEqual([(int(row["begin"]), int(row["records"])) for row in found],
                         [(1500 + 1000 * i, 1000) for i in range(6)])
        records = self.records(shot)[1500:7500]
        heat = self.use(shot, "--from", 1500, "--to", 7499, "--heat")["heat"]
        counts = collections.Counter()
        step = max(int(row["records"]) for row in heat)  # the first one may be shorter: they begin at its multiples
        for number, record in enumerate(records, 1500):
            for access in record.get("memory", ()) if not record.get("trap") else ():
                counts[int(access["address"], 0) // 4096 * 4096, max(number // step * step, 1500)] += 1
        self.assertEqual({(int(row["page"], 0), int(row["begin"])): int(row["accesses"]) for row in heat}, counts)

    def test_a_thread_that_reads_ahead_changes_nothing(self):
        shot = self.capture("sort", limit=200000)
        text = self.folder / "sort.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        for path in (shot, text):
            for view in ((), ("--by", "symbol"), ("--heat", "-f", "csv"), ("--working-set", "1000")):
                alone = self.earshot("memory", "-q", *view, path)[0]
                self.assertEqual(self.earshot("memory", "-q", "-j", "2", *view, path)[0], alone)

    def parts(self, path, count, *arguments):
        made = [self.folder / f"{path.name}.{k}of{count}.part" for k in range(1, count + 1)]
        for k, part in enumerate(made, 1):
            part.write_text(self.earshot("memory", "-q", "--part", f"{k}/{count}", *arguments, path)[0])
        return made

    @night
    def test_parts_are_the_whole(self):
        """The bytes of the whole, wherever it is cut: in handlers, tasks, calls of the heap, code that is written."""
        working = ("--working-set", 777)
        views = ((), ("-f", "json"), (*working, "-f", "csv"), ("--stack",), ("--stack", "-f", "json"), ("--heat", "-f", "csv"),
                 ("--heat",), ("--by", "symbol", "--limit", 0), ("--by", "region", "-f", "csv"), ("--heap", "--limit", 0),
                 ("--uninitialized", "-f", "csv"), ("--code-writes", "-f", "csv"), ("--misaligned", "-f", "csv"))
        for program in some("sort", "rtos", "tasks", "traps", "memory"):
            shot = self.capture(program, limit=30000)
            text = self.folder / f"{program}.csv"
            self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
            for path, counts in ((shot, (2, 5, 64)), (text, (3,))):
                names = ("--elf", PROGRAMS / f"{program}.elf")
                whole = [self.earshot("memory", "-q", *names, *view, path)[0] for view in views]
                for count in counts:
                    made = self.parts(path, count, *working, *names)
                    for view, expected in zip(views, whole):
                        with self.subTest(f"{path.name} {count} {view}"):
                            self.assertEqual(self.earshot("memory", "-q", *names, *view, *made)[0], expected)
        shot, text = self.capture("sort", limit=30000), self.folder / "sort.csv"
        for options in (("--from", 7000, "--to", 20000, *working), (*working, "--to", 12345)):
            self.assertEqual(self.earshot("memory", "-q", *working, *self.parts(shot, 4, *options))[0],
                             self.earshot("memory", "-q", *options, shot)[0])
        self.assertEqual(self.earshot("memory", "-q", *self.parts(text, 7))[0], self.earshot("memory", "-q", text)[0])
        self.assertEqual(self.earshot("memory", "-q", "--physical", *self.parts(text, 2, "--physical"))[0],
                         self.earshot("memory", "-q", "--physical", text)[0])

    @night
    def test_threads_change_nothing(self):
        """Each reads a part."""
        for workload in some("calls", "stream"):
            long = self.folder / workload
            subprocess.run([pathlib.Path(os.environ["EARSHOT_BUILD"]) / "bench/make_long", "-n", "3000000", "-w", workload, long],
                           check=True, capture_output=True)
            shot = long.with_suffix(".shot")
            for view in (("-f", "json"), ("--working-set", 10000, "--from", 123456), ("--heat", "--to", 2000000)):
                alone = self.earshot("memory", "-q", *view, shot)[0]
                for jobs in (2, 5):
                    self.assertEqual(self.earshot("memory", "-q", *view, "-j", jobs, shot)[0], alone)

    def many_stacks(self, count):
        """Each record sets sp to where no stack was."""
        path = self.folder / "stacks.csv"
        rows = (f"{0x1000 + 4 * (i % 64):x},00050113,x2={0x100000 + 64 * (i * 7 % 3000):x},x10=0,,,m,,mv x2 x10,0" for i in range(count))
        path.write_text("pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid\n" +
                        "\n".join(rows) + "\n")
        return path

    def test_a_part_that_cannot_be_joined_is_read_again(self):
        path = self.many_stacks(250000)
        for view in ((), ("--stack", "-f", "csv"), ("-f", "json")):
            self.assertEqual(self.earshot("memory", "-q", *view, "-j", 2, path)[0], self.earshot("memory", "-q", *view, path)[0])
        made = self.parts(path, 2)
        self.assertIn("depends too much on the parts before it", self.earshot("memory", "-q", *made, status=2)[1])

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("memory", limit=20000), self.capture("traps", limit=20000)
        one, two, three = self.parts(shot, 3)
        stranger = self.parts(other, 3)[1]
        for paths, message in (((one, three), "the part before it ends at"), ((two, one), "the part before it ends at"),
                               ((one, stranger), "another program"), ((one, shot), "line 1: ")):
            self.assertIn(message, self.earshot("memory", "-q", *paths, status=2)[1])
        self.assertIn("'earshot memory'", self.earshot("stat", "-q", one, status=2)[1])
        self.assertIn("the records from", self.earshot("memory", one, two)[1])
        for options, message in ((("--working-set", 10), "make the parts with --working-set 10"),
                                 (("--physical",), "it was made without --physical"), (("--task", "1"), "need the trace")):
            self.assertIn(message, self.earshot("memory", "-q", *options, one, two, three, status=2)[1])
        text = self.folder / "memory.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        names = ("--elf", PROGRAMS / "memory.elf")
        nameless = self.parts(text, 2)
        self.assertIn("made without names", self.earshot("memory", "-q", *names, *nameless, status=2)[1])
        moved = self.folder / "moved.elf"
        moved.write_bytes((PROGRAMS / "memory.elf").read_bytes())
        named = self.parts(text, 2, "--elf", moved)
        expected = self.earshot("memory", "-q", *named)[0]
        moved.unlink()
        self.assertIn("the program is not there", self.earshot("memory", "-q", *named, status=2)[1])
        self.assertEqual(self.earshot("memory", "-q", *names, *named)[0], expected)

    def test_damaged_parts(self):
        """They are refused with a sentence, or are other parts."""
        parts = self.parts(self.capture("memory", limit=20000), 3)
        text, wrong = parts[1].read_text(), self.folder / "wrong.part"
        for bad, message in ((text[:len(text) // 2], "line "), (text.replace("\npage ", "\npagi ", 1), "not a line of memory"),
                             (text.replace("\nrow 3 ", "\nrow 77 ", 1), "a number is wrong")):
            wrong.write_text(bad)
            self.assertIn(message, self.earshot("memory", "-q", parts[0], wrong, parts[2], status=2)[1])
        source = random.Random(5)
        begin = text.index("\nsums ")
        for _ in range(60 if NIGHT else 15):
            bad = list(text)
            for _ in range(source.randrange(1, 5)):
                bad[source.randrange(begin, len(bad))] = source.choice("0123456789 \n")
            wrong.write_text("".join(bad))
            result = subprocess.run([EARSHOT, "memory", "-q", "-f", "json", parts[0], wrong, parts[2]], capture_output=True,
                                    check=False, timeout=60)
            self.assertIn(result.returncode, (0, 2))
            self.assertEqual(result.returncode == 0, result.stderr == b"", result.stderr)

    def test_harts_that_share_lines(self):
        path = self.folder / "harts.csv"
        rows = []
        for i in range(4):
            for hart in (0, 1):
                rows.append(f"{0x1000 + 4 * i:x},0062a023,,x5=0 x6=0,{0x9000 + 4 * hart:x}={i:x},store,m,,sw x6 0(x5),{hart:x}")
        for hart in (0, 1):
            rows.append(f"2000,0062a023,,x5=0 x6=0,a000=1,store,m,,sw x6 0(x5),{hart:x}")
        path.write_text("pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid\n" +
                        "\n".join(rows) + "\n")
        found = self.use(path)["sharing"]
        self.assertEqual([(row["line"], row["sharing"], row["harts"], row["writers"], row["moves"]) for row in found],
                         [("0x9000", "false", 2, 2, 7), ("0xa000", "true", 2, 2, 1)])

    def test_tables_and_csv(self):
        shot = self.capture("memory")
        out, _ = self.earshot("memory", shot)
        self.assertIn("--uninitialized:", out)
        self.assertIn("read_stack", out)
        for view in (("--by", "symbol"), ("--stack",), ("--heat",), ("--heap",), ("--misaligned",)):
            rows = list(csv.DictReader(io.StringIO(self.earshot("memory", "-f", "csv", *view, shot)[0])))
            self.assertGreater(len(rows), 0, view)
        self.assertIn("|", self.earshot("memory", "--heat", shot)[0])


class Lacking(Case):
    def test_a_format_without_accesses_has_no_numbers_of_them(self):
        """riscv-dv has none: what follows from registers is there, also from a part."""
        shot, text, part = (self.folder / name for name in ("t.shot", "t.dv.csv", "t.part"))
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'rtos'}.elf,uart=/dev/null", "-o", shot, "--limit", 5000)
        self.earshot("convert", "-q", "-o", text, shot)
        names = ("--elf", PROGRAMS / "rtos.elf")
        part.write_text(self.earshot("memory", "-q", *names, "--part", "1/1", text)[0])
        for path in (text, part):
            found = json.loads(self.earshot("memory", "-q", *names, "-f", "json", path)[0])
            lists = ("region", "section", "symbol", "page", "heat", "uninitialized", "code_writes", "misaligned", "sharing")
            self.assertEqual({found[key] for key in ("reads", "writes", *lists)}, {None})
            self.assertGreater(len(found["stack"]), 1)
            self.assertIn("--by region:\n- the trace shows no accesses\n",
                          self.earshot("memory", "-q", *names, path)[0])

    def test_columns_are_as_wide_as_what_is_in_them(self):
        shot = self.folder / "t.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'sort'}.elf,uart=/dev/null", "-o", shot, "--limit", 30000)
        for view, top in (("--by=symbol", 0), ("--by=page", 2), ("--working-set=20", 0)):
            out, _ = self.earshot("memory", "-q", view, "--limit", top, shot)
            rows = [line for line in out.splitlines() if not line.startswith("...")]
            ends = [[match.end() for match in re.finditer(r"\S+", line)] for line in rows[:256]]
            last = len(ends[0]) - 1
            self.assertTrue(all(row[:last] == ends[0][:last] for row in ends), view)
            for column in range(last):
                begin = ends[0][column - 1] + 2 if column else 0
                self.assertTrue(any(line[begin] != " " for line in rows[:256]), view)
            if top == 0:
                self.assertEqual(len(rows), len(self.earshot("memory", "-q", view, "-f", "csv", shot)[0].splitlines()))


if __name__ == "__main__":
    main()
