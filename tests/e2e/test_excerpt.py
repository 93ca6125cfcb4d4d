#!/usr/bin/env python3
"""A part of a capture cut out as a capture: decode --from N --to M -o PART.shot. It decodes to the same records."""
import json
import random
import struct
import subprocess
import sys
import zlib

from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, main, read_frames, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")
LIMIT = 80000 if LONG else 9000  # records of a capture


def lines(text):
    """Records as JSON, without where they stand in the stream and how many bytes or frames a gap took."""
    found = []
    for line in text.splitlines():
        record = json.loads(line)
        for key in ("offset", "skipped_bytes", "missing_frames"):
            record.pop(key, None)
        found.append(record)
    return found


class Excerpt(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.captures = {}  # by unit and mode of time
        for unit in ("raw", "small", "unified"):
            for time in ("off", "sync", "record"):
                if unit == "unified" and time != "sync":
                    continue
                shot = cls.shared / f"{unit}-{time}.shot"
                case.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/traps.elf,unit={unit},uart=/dev/null",
                             "--time", time, "--limit", LIMIT, "--states", LIMIT // 4, "-o", shot, "--record",
                             f"{shot}.raw")
                cls.captures[f"{unit}-{time}"] = shot

    def cut(self, path, first, last, *arguments):
        part = self.folder / "part.shot"
        self.earshot("decode", "-q", path, "--from", first, "--to", last, "-o", part, *arguments)
        return part

    def assert_same(self, path, first, last):
        part = self.cut(path, first, last)
        expected = lines(self.decode(path, "-q", "-f", "json", "--from", first, "--to", last))
        found = lines(self.decode(part, "-q", "-f", "json"))
        for one, other in zip(expected, found):
            self.assertEqual(other, one, f"{path.name} {first} to {last}")
        self.assertEqual(len(found), len(expected), f"{path.name} {first} to {last}")
        return part, expected

    def test_any_part_of_any_capture(self):
        chance = random.Random(5)
        for number, (name, shot) in enumerate(self.captures.items()):
            total = self.info(shot)["records"]
            ranges = [(0, 0), (0, 99), (1, 1), (total - 1, total - 1), (total - 100, total + 5), (LIMIT // 4 - 1, LIMIT // 4 + 1), (0, total)]
            for _ in range(40 if LONG else 2):
                first = chance.randrange(total)
                ranges.append((first, first + chance.randrange(1000)))
            # In the gate each capture has a third of them.
            for first, last in ranges if NIGHT or LONG else ranges[number % 3::3]:
                with self.subTest(name, first=first, last=last):
                    part, expected = self.assert_same(shot, first, last)
                    info = self.info(part)
                    self.assertEqual(info["records"], min(last, total - 1) - first + 1)
                    self.assertEqual((info["first_index"], info["gaps"], info["missing"]), (first, 0, 0))

    def test_it_says_what_it_is_a_part_of(self):
        shot = self.captures["small-sync"]
        whole = self.info(shot)
        info = self.info(self.cut(shot, 1000, 1999))
        self.assertEqual((info["part_of"], info["part_first"], info["part_last"]), (str(shot), 1000, 1999))
        self.assertEqual((info["complete"], info["end_reason"]), ("no", "end of part"))
        self.assertNotIn("retired", info)
        for key in ("program", "program_sha256", "device", "geometry", "xlen", "policy"):
            self.assertEqual(info[key], whole[key], key)
        self.assertEqual(info["part_created"], whole["created"])
        info = self.info(self.cut(shot, 0, 1 << 40))
        self.assertEqual((info["complete"], info["records"]), ("no", whole["records"]))

    def test_a_part_is_small_and_a_part_of_a_part_is_one(self):
        shot = self.captures["unified-sync"]
        part = self.cut(shot, 3000, 6999)
        self.assertLess(part.stat().st_size, shot.stat().st_size + 10000)
        inner = self.folder / "inner.shot"
        self.earshot("decode", "-q", part, "--from", 500, "--to", 900, "-o", inner)
        expected = lines(self.decode(shot, "-f", "json", "--from", 3500, "--to", 3900))
        self.assertEqual(lines(self.decode(inner, "-f", "json")), expected)
        self.assertEqual(self.info(inner)["part_of"], str(part))
        for command in (["convert", "-f", "json"], ["grep", "-f", "json", "--pc", "0-0xffffffff"]):
            self.assertEqual(lines(self.earshot(*command, inner)[0]), expected)
        self.earshot("diff", inner, inner)

    def test_gaps_inside_stay_what_they_are(self):
        """Frames that are missing, damaged, or hold nonsense; records that the unit dropped; the end cut off."""
        chance = random.Random(7)
        dropped = self.folder / "dropped.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/traps.elf,unit=raw,link=1500000,uart=/dev/null", "--policy", "drop",
                     "--limit", "8000", "-o", dropped)
        self.assertGreater(self.info(dropped)["gaps"], 0)
        files = [dropped]
        for name in some("small-record", "raw-off", "raw-record", "small-sync"):
            raw = bytearray((self.captures[name].parent / f"{self.captures[name].name}.raw").read_bytes())
            frames = [position for position, _, _ in read_frames(raw)]
            for kind in ("missing", "flipped", "nonsense", "cut"):
                damaged = bytearray(raw)
                at = chance.randrange(len(frames) // 4, len(frames) // 2)
                if kind == "missing":
                    del damaged[frames[at]:frames[at + 3]]
                elif kind == "flipped":
                    damaged[frames[at] + 20] ^= 4
                elif kind == "nonsense":  # a message that is none, in a frame that is whole
                    damaged[frames[at] + 8] = 0xFF
                    size, = struct.unpack_from("<H", damaged, frames[at] + 6)
                    end = frames[at] + 8 + size
                    struct.pack_into("<I", damaged, end, zlib.crc32(damaged[frames[at]:end]))
                else:
                    del damaged[frames[at] + 50:]
                path = self.folder / f"{name}-{kind}.raw"
                path.write_bytes(damaged)
                files.append(path)
        for path in files:
            with self.subTest(path.name):
                expected = lines(self.decode(path, "-q", "-f", "json"))
                where = [number for number, record in enumerate(expected) if record["kind"] == "gap"]
                self.assertGreater(len(where), 0)
                before = sum(record["kind"] == "instruction" for record in expected[:where[0]])
                for first, last in ((max(0, before - 300), before + 300), (before, before + 1), (max(0, before - 40), 1 << 40)):
                    part, records = self.assert_same(path, first, last)
                    self.assertEqual(self.info(part)["gaps"], sum(record["kind"] == "gap" for record in records))

    def test_parts_of_damaged_streams(self):
        """Bytes of frames are others, with and without the right CRC: a part has what the whole has there."""
        path = self.folder / "damaged.raw"
        names = ("raw-sync", "raw-record", "small-sync", "small-record")
        for seed in range(400 if LONG else 12):
            chance = random.Random(seed)
            raw = bytearray((self.shared / f"{chance.choice(names)}.shot.raw").read_bytes())
            frames = [(position, len(payload)) for position, _, payload in read_frames(raw)]
            for _ in range(chance.randrange(1, 5)):
                position, size = chance.choice(frames)
                for _ in range(chance.randrange(1, 4)):
                    raw[position + 8 + chance.randrange(size)] = chance.randrange(256)
                if chance.randrange(3):
                    end = position + 8 + size
                    struct.pack_into("<I", raw, end, zlib.crc32(raw[position:end]))
            path.write_bytes(raw)
            first = chance.randrange(LIMIT)
            span = ["--from", first, "--to", first + chance.randrange(2000)] if chance.randrange(3) else []
            with self.subTest(seed=seed):
                results = []
                for out in (["-o", self.folder / "part.shot"], ["-f", "json", "-o", self.folder / "whole.jsonl"]):
                    results.append(subprocess.run([EARSHOT, "decode", "-q", path, *map(str, span), *out],
                                                  capture_output=True, text=True, timeout=60))
                self.assertIn(results[0].returncode, (0, 2))  # 2: a check of the digest failed
                self.assertEqual(results[0].returncode, results[1].returncode, results[0].stderr)
                part = subprocess.run([EARSHOT, "decode", "-q", self.folder / "part.shot", "-f", "json"],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(lines(part.stdout), lines((self.folder / "whole.jsonl").read_text()))

    def test_harts_triggers_and_packed_texts(self):
        multi = self.folder / "multi.shot"
        _, error = self.earshot("convert", TREE / "tests/data/whisper/multi.csv", "-o", multi)
        total = self.info(multi)["records"]
        for first, last in ((0, total), (total // 3, total // 2), (total - 1, total)):
            self.assert_same(multi, first, last)
        _, error = self.earshot("decode", multi, "--from", 5, "--to", 9, "-o", self.folder / "p.shot")
        self.assertIn("not the text that they were packed from", error)
        triggered = self.folder / "triggered.shot"
        for unit in some("small", "raw"):
            self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/sort.elf,unit={unit},uart=/dev/null", "--start", "pc=main",
                         "--stop", "records=5000", "--filter", "pc=main", "-o", triggered)
            total = self.info(triggered)["records"]
            self.assertGreater(total, 10)
            for first, last in ((0, total), (0, 3), (total // 3, total // 2), (total - 1, total)):
                self.assert_same(triggered, first, last)

    def test_a_flight_recorders_file(self):
        ring = self.folder / "ring.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/sort.elf,unit=small,uart=/dev/null", "--time", "record",
                     "--ring", "16Ki", "--limit", LIMIT * 3, "-o", ring)
        info = self.info(ring)
        self.assertGreater(info["let_go_records"], 0)
        for first, last in ((0, 50), (100, 2000), (0, 1 << 40)):
            self.assert_same(ring, first, last)


if __name__ == "__main__":
    main()
