#!/usr/bin/env python3
"""'earshot memory': what it counts is what the records say, and what a program says of itself."""
import collections
import csv
import io
import json
import re
import struct
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, main

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
        return [record for record in map(json.loads, out.splitlines()) if "pc" in record]

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
        for program in ("memory", "sort", "traps", "timer", "rtos", "strings", "list", "misaligned"):
            with self.subTest(program):
                self.compare(self.capture(program))

    def test_texts(self):
        for sample in [*sorted((TREE / "tests/data/whisper").glob("*.csv"))[:3], TREE / "tests/data/spike/rv64.log"]:
            with self.subTest(sample.name):
                found = self.compare(sample)
                self.assertIsNone(found["uninitialized"])
                self.assertIsNone(found["symbol"])

    def test_a_text_shows_the_same_stacks_and_blocks(self):
        for program in ("memory", "rtos"):
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
        self.assertIn("one view", self.earshot("memory", "-f", "csv", shot, status=2)[1])
        self.assertIn("|", self.earshot("memory", "--heat", shot)[0])


if __name__ == "__main__":
    main()
