#!/usr/bin/env python3
"""'earshot stat': what it counts is what the records say, in whatever form it is printed."""
import csv
import io
import json
import random
import re
import sqlite3
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, json_lines, main, night, some


class Stat(Case):
    def capture(self, program, *arguments, keys="", limit=30000):
        shot = self.folder / f"{program}-{len(list(self.folder.iterdir()))}.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "-o", shot,
                     *(("--limit", limit) if limit else ()), *arguments)
        return shot

    def numbers(self, *paths):
        found = json.loads(self.earshot("stat", "-f", "json", *paths)[0])
        return found["traces"], found["total"]

    def expected(self, path, *arguments):
        """The same from the JSON records, counted another way."""
        out = subprocess.run([EARSHOT, "convert", "-q", "--quiet-loss", "-f", "json", *arguments, path],
                             capture_output=True, check=True, text=True).stdout
        records = json_lines(out)
        instructions = [record for record in records if "pc" in record]
        executed = [record for record in instructions if not record.get("trap") and not record.get("interrupt")]
        accesses = [access for record in executed + [r for r in records if "pc" not in r and "memory" in r]
                    for access in record.get("memory", ())]
        return {
            "records": len(instructions),
            "executed": len(executed),
            "interrupts": sum(bool(record.get("interrupt")) for record in instructions),
            "traps": sum(bool(record.get("trap")) for record in instructions),
            "harts": len({record.get("hart", 0) for record in instructions}),
            "reads": sum(not access["write"] for access in accesses),
            "writes": sum(access["write"] for access in accesses),
            "written_bytes": sum(access.get("size", 0) for access in accesses if access["write"]),
            "first_pc": instructions[0]["pc"],
            "last_pc": instructions[-1]["pc"],
        }, executed

    def compare(self, path):
        (row,), total = self.numbers(path)
        expected, executed = self.expected(path)
        for name, value in expected.items():
            if name.endswith("_pc"):
                self.assertEqual(int(row[name], 16), int(value, 0), name)
            else:
                self.assertEqual(row[name], value, name)
        self.assertEqual(total["records"], row["records"])
        return row, executed

    def test_what_is_counted_is_what_the_records_say(self):
        for program in some("traps", "timer", "rtos", "software", "sort", "misaligned", gate=2):
            with self.subTest(program):
                shot = self.capture(program)
                row, executed = self.compare(shot)
                self.assertEqual(row["decoded"], row["executed"])
                self.assertEqual(sum(row[name] for name in self.classes(row)), row["decoded"])
                self.assertEqual(row["compressed"], sum(int(record["opcode"], 16) & 3 != 3 for record in executed))
                self.assertEqual(row["branch"], row["taken"] + row["not_taken"])
                self.assertEqual(row["load"], row["reads"])
                self.assertEqual(row["store"], row["writes"])
                branches = [record for record in executed if self.is_branch(int(record["opcode"], 16))]
                self.assertEqual(row["branch"], len(branches))
                self.assertEqual(row["taken"], sum(
                    int(record["next_pc"], 0) != int(record["pc"], 0) + (2 if int(record["opcode"], 16) & 3 != 3 else 4)
                    for record in branches))

    @staticmethod
    def is_branch(opcode):
        return opcode & 0x7F == 0x63 if opcode & 3 == 3 else opcode & 3 == 1 and opcode >> 13 & 7 in (6, 7)

    @staticmethod
    def classes(row):
        names = list(row)
        return names[names.index("illegal"):]

    def test_texts(self):
        samples = sorted((TREE / "tests/data/whisper").glob("*.csv"))[:6] + [TREE / "tests/data/spike/rv64.log"]
        for sample in samples:
            with self.subTest(sample.name):
                self.compare(sample)

    def test_what_a_trace_does_not_show_is_no_number(self):
        shot = self.capture("sort")
        (row,), _ = self.numbers(shot)
        self.assertIsNone(row["ticks"])
        (timed,), total = self.numbers(self.capture("sort", "--time", "record"))
        self.assertGreater(timed["ticks"], 30000)
        self.assertIsNone(total["ticks"])
        (row,), _ = self.numbers(sorted((TREE / "tests/data/armulator").iterdir())[0])
        self.assertGreater(row["records"], 0)
        self.assertEqual({row[name] for name in self.classes(row)}, {None})
        self.assertIsNone(row["compressed"])
        # A gap of unknown size: nobody knows how many are missing.
        stream = self.folder / "t.raw"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'timer.elf'},uart=/dev/null", "-o",
                     self.folder / "whole.shot", "--record", stream, "--limit", 30000)
        data = stream.read_bytes()
        stream.write_bytes(data[:len(data) // 2] + data[len(data) // 2 + 100:])
        (row,), _ = self.numbers("--incomplete", "ok", stream)
        self.assertGreater(row["gaps"], 0)

    def test_a_format_that_lacks_something_has_no_number_of_it(self):
        """Of one run in each format: the numbers of the capture, or none."""
        shot = self.capture("timer", "--time", "record", limit=4000)
        (whole,), _ = self.numbers(shot)
        self.assertGreater(min(whole[name] for name in ("interrupts", "reads", "writes", "taken", "not_taken")), 0)
        lacking = {}
        for name, extension in (("riscv-dv", "dv.csv"), ("whisper", "csv"), ("whisper-log", "whisper.log"),
                                ("spike", "spike.log"), ("qemu4v", "qemu4v"), ("tarmac", "tarmac"), ("json", "jsonl"),
                                ("armulator", "trc")):
            with self.subTest(name):
                path = self.folder / f"t.{extension}"
                self.earshot("convert", "-q", "-o", path, shot)
                (row,), total = self.numbers(path)
                lacking[name] = {key for key, value in row.items() if value is None and whole[key] is not None}
                same = ("interrupts", "traps", "reads", "writes", "read_bytes", "written_bytes")
                # Where an interrupt has no record, nothing says where the branch before it went.
                for key in ("taken", "not_taken"):
                    if row[key] is not None:
                        self.assertLessEqual(row[key], whole[key])
                self.assertEqual((row["taken"] or 0) + (row["not_taken"] or 0) + row["unknown_outcomes"], row["branch"])
                if "interrupts" not in lacking[name] and name != "armulator":
                    self.assertEqual((row["taken"], row["not_taken"]), (whole["taken"], whole["not_taken"]))
                for key in same:
                    if key not in lacking[name]:
                        self.assertEqual(row[key], whole[key], key)
                self.assertTrue(all(total[key] is None for key in lacking[name]))
                (_, _), both = self.numbers(shot, path)
                self.assertTrue(all(both[key] is None for key in lacking[name]))
                profile = json.loads(self.earshot("profile", "-q", "-f", "json", path)[0])["total"]
                for key in same:
                    if profile[key] is not None:
                        self.assertEqual(profile[key], whole[key], key)
        self.assertLessEqual({"traps", "interrupts", "reads", "writes", "gaps"}, lacking["riscv-dv"])
        self.assertLessEqual({"traps", "interrupts"}, lacking["qemu4v"])
        self.assertEqual(lacking["json"], set())

    def test_the_hash_is_that_of_the_run(self):
        """Time, unit, and encoding do not matter; a record that differs does."""
        one = self.capture("sort")
        hashes = {self.numbers(path)[0][0]["hash"] for path in (
            one, self.capture("sort", "--time", "record"), self.capture("sort", "--states", 1000))}
        self.assertEqual(len(hashes), 1)
        hashes = {self.numbers(self.capture("strings", keys=f",unit={unit}", limit=None))[0][0]["hash"]
                  for unit in ("small", "large", "raw")}
        self.assertEqual(len(hashes), 1)
        text = self.folder / "t.csv"
        self.earshot("decode", "-q", one, "-o", text)
        lines = text.read_text().splitlines(keepends=True)
        (row,), _ = self.numbers(text)
        chance = random.Random(1)
        for _ in range(20):
            at = chance.randrange(1, len(lines))
            changed = list(lines)
            fields = changed[at].split(",")
            match = re.fullmatch(r"(x\d+=)([0-9a-f]+)", fields[2])
            if not match:
                continue
            fields[2] = match[1] + f"{int(match[2], 16) ^ 1 << chance.randrange(32):x}"
            changed[at] = ",".join(fields)
            other = self.folder / "other.csv"
            other.write_text("".join(changed))
            (found,), _ = self.numbers(other)
            self.assertNotEqual(found["hash"], row["hash"])
            self.assertEqual(found["records"], row["records"])

    def test_csv_is_taken_by_a_database(self):
        shots = [self.capture(program) for program in ("sort", "traps", "timer")]
        out, _ = self.earshot("stat", "-f", "csv", *shots)
        rows = list(csv.DictReader(io.StringIO(out)))
        traces, total = self.numbers(*shots)
        self.assertEqual([row["trace"] for row in rows], [*map(str, shots), ""])
        for row, found in zip(rows, [*traces, total]):
            for name, value in found.items():
                self.assertEqual(row[name], "" if value is None else str(value), name)
        base = sqlite3.connect(":memory:")
        names = list(rows[0])
        base.execute(f"create table runs ({', '.join(f'[{name}]' for name in names)})")
        base.executemany(f"insert into runs values ({', '.join('?' * len(names))})", [list(row.values()) for row in rows])
        sums = dict(base.execute("select [row], sum(records) from runs group by [row]").fetchall())
        self.assertEqual(sums["trace"], sums["total"])
        base.close()

    @night
    def test_parts_and_threads(self):
        """The bytes of the whole, wherever it is cut; what lies between two places adds up."""
        shot = self.capture("sort", limit=300000)
        text = self.folder / "sort.csv"
        self.earshot("decode", "-q", "-f", "whisper", "-o", text, shot)
        for path in (shot, text):
            whole = self.earshot("stat", "-q", "-f", "csv", path)[0]
            self.assertEqual(self.earshot("stat", "-q", "-f", "csv", "-j", "3", path)[0], whole)
            self.assertEqual(self.earshot("stat", "-q", "-f", "csv", "--from", "0", path)[0], whole)
            for count in some(7, 1, 2, 64):
                parts = [self.folder / f"{path.suffix[1:]}-{k}of{count}.part" for k in range(1, count + 1)]
                for k, part in enumerate(parts, 1):
                    part.write_text(self.earshot("stat", "-q", "--part", f"{k}/{count}", path)[0])
                joined = self.earshot("stat", "-q", "-f", "csv", *parts)[0]
                self.assertEqual(joined, whole)
        first = self.numbers_of("--to", "999", shot)
        rest = self.numbers_of("--from", "1000", shot)
        (row,), _ = self.numbers(shot)
        for name in ("records", "reads", "taken", "alu"):
            self.assertEqual(first[name] + rest[name], row[name])
        self.assertEqual(first["records"], 1000)

    def numbers_of(self, *arguments):
        return json.loads(self.earshot("stat", "-q", "-f", "json", *arguments)[0])["traces"][0]

    def test_parts_that_do_not_fit_are_refused(self):
        shot, other = self.capture("sort"), self.capture("traps")
        parts = [self.folder / f"{k}.part" for k in range(1, 4)]
        for k, part in enumerate(parts, 1):
            part.write_text(self.earshot("stat", "-q", "--part", f"{k}/3", shot)[0])
        stranger = self.folder / "stranger.part"
        stranger.write_text(self.earshot("stat", "-q", "--part", "2/3", other)[0])
        wrong = self.folder / "wrong.part"
        for paths, message in (((parts[0], parts[2]), "the part before it"), ((parts[1], parts[0]), "the part before it"),
                               ((parts[0], stranger), "another trace")):
            self.assertIn(message, self.earshot("stat", "-q", *paths, status=2)[1])
        self.assertIn("'earshot stat'", self.earshot("profile", "-q", parts[0], status=2)[1])
        self.assertIn("of one trace", self.earshot("stat", "--part", "1/2", shot, shot, status=2)[1])
        self.assertIn("the records from", self.earshot("stat", parts[0], parts[1])[1])
        text = parts[0].read_text()
        for bad, message in ((text[:len(text) // 2], "line "), (text.replace("count 0", "count 99"), "a number is wrong"),
                             (text.replace("\nhash", "\nhush"), "none of stat"),
                             (re.sub(r"(?m)^hash .*", "hash 0xffffffffffffffff 1", text), "line "),
                             (text.replace("\nhart 0", "\nhart 65536"), "line ")):
            wrong.write_text(bad)
            self.assertIn(message, self.earshot("stat", "-q", wrong, status=2)[1])
        rng = random.Random(5)
        for _ in range(60):
            data = bytearray(text.encode())
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] = rng.choice(b"0123456789abcdefx \n-")
            wrong.write_bytes(data)
            self.assertIn(subprocess.run([EARSHOT, "stat", "-q", wrong], capture_output=True, check=False).returncode,
                          (0, 2))


if __name__ == "__main__":
    main()
