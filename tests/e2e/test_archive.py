"""A Whisper CSV kept in a capture file, and decoding that begins in the middle of one."""
import gzip
import hashlib
import os
import random
import time
import unittest
import unittest.mock
import zlib

import support

SAMPLES = support.TREE / "tests" / "data" / "whisper"


class Archive(support.Case):
    """From a text to a capture file and back."""

    def pack(self, text, *arguments):
        source, packed = self.folder / "t.csv", self.folder / "t.shot"
        source.write_bytes(text)
        self.earshot("convert", "-i", "whisper", source, "-o", packed, *arguments)
        return packed

    def assert_comes_back(self, text, *arguments):
        packed = self.pack(text, *arguments)
        for jobs in 1, 2:
            out, _ = self.earshot_bytes("decode", "-q", f"-j{jobs}", packed)
            self.assertEqual(out, text)
        out, _ = self.earshot_bytes("convert", "-q", packed, "-f", "whisper")
        self.assertEqual(out, text)

    def test_samples_come_back(self):
        for sample in sorted(SAMPLES.glob("*.csv")):
            with self.subTest(sample=sample.name):
                self.assert_comes_back(sample.read_bytes())

    def test_with_a_source_date_the_same_command_makes_the_same_bytes(self):
        """Also of a part that is cut out, and of a text with a date. A capture has the time of its clock."""
        made = []
        for _ in range(2):
            with unittest.mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="1700000000"):
                packed = self.pack((SAMPLES / "timer.csv").read_bytes())
                self.earshot("decode", packed, "--from", "10", "--to", "20", "-o", self.folder / "part.shot")
                text, _ = self.earshot("convert", "-f", "armulator", packed)
                self.earshot("capture", "-q", "-d", f"file:{support.TREE}/tests/fuzz/corpus/stream/events", "-o",
                             self.folder / "live.shot")
            made.append([packed.read_bytes(), (self.folder / "part.shot").read_bytes(), text])
            time.sleep(1.1)
        self.assertEqual(*made)
        for name in "t.shot", "part.shot":
            facts, _ = self.earshot("info", self.folder / name)
            self.assertIn("\ncreated: 2023-11-14T22:13:20Z\n", facts)
            self.assertIn("\nended: 2023-11-14T22:13:20Z\n", facts)
        self.assertIn("Date: Tue Nov 14 22:13:20 2023\n", text)
        self.assertNotIn(": 2023-", self.earshot("info", self.folder / "live.shot")[0])

    def test_a_text_without_records_comes_back_and_is_complete(self):
        for text in "", "\n", "p", support.HEADER + "\n", "no line of a trace\n":
            with self.subTest(text=text):
                self.assert_comes_back(text.encode())
                facts, error = self.earshot("info", self.folder / "t.shot")
                self.assertIn("records: 0\n", facts)
                skipped = text == "p" or text.startswith("no line")
                self.assertIn(f"complete: {'no' if skipped else 'yes'}\n", facts)
                self.assertEqual(error, "")

    def test_a_capture_of_the_board_comes_back_a_hundred_times_smaller_than_gzip_makes_it(self):
        capture = self.folder / "c.shot"
        self.capture(capture)
        text = self.decode(capture).encode()
        self.assert_comes_back(text, "--states", "0")
        self.assertLess(os.path.getsize(self.folder / "t.shot") * 100, len(zlib.compress(text, 9)))

    def test_every_geometry_gives_the_text_back(self):
        text = (SAMPLES / "fpmix.csv").read_bytes()
        for geometry in "raw", "tiny", "small", "medium", "large", "unified", "xl", "file":
            with self.subTest(geometry=geometry):
                self.assert_comes_back(text, "--geometry", geometry)

    def test_a_pipe_and_a_packed_text_are_kept_too(self):
        text = (SAMPLES / "timer.csv").read_bytes()
        packed, _ = self.earshot_bytes("convert", "-q", "-", "-f", "shot", stdin=text)
        self.assertEqual(self.earshot_bytes("decode", "-q", "-", stdin=packed)[0], text)
        packed, _ = self.earshot_bytes("convert", "-q", "-", "-f", "shot", stdin=gzip.compress(text))
        self.assertEqual(self.earshot_bytes("decode", "-q", "-", stdin=packed)[0], text)

    def test_harts_that_share_a_stream_id_are_not_taken_for_each_other(self):
        line = "80000004,40018193,x3=%x,x3;i400,,,m,,addi     x3; x3; 1024,%s\n"
        text = support.HEADER + "\n" + "".join(line % (16 * i + hart, f"{hart:x}")
                                              for i in range(1, 20) for hart in (1, 257))
        self.assert_comes_back(text.encode())
        out, _ = self.earshot("convert", "-q", "--quiet-loss", self.folder / "t.shot", "-f", "json")
        self.assertEqual(out.count('"hart":1,'), 19)
        self.assertEqual(out.count('"kind"'), 19)

    def test_what_was_packed_of_a_text_that_cannot_be_read_to_its_end_is_not_complete(self):
        text = (SAMPLES / "timer.csv").read_bytes()
        source, packed = self.folder / "t.csv.gz", self.folder / "t.shot"
        source.write_bytes(gzip.compress(random.Random(1).randbytes(20000) + text)[:-600])
        self.earshot("convert", "-i", "whisper", "--max-bad", "1000", source, "-o", packed, status=2)
        facts, _ = self.earshot("info", packed)
        self.assertIn("end_reason: failed\n", facts)
        self.assertIn("complete: no\n", facts)
        _, error = self.earshot_bytes("decode", packed)
        self.assertIn("the capture is not whole", error)

    def test_what_the_text_does_not_tell_is_not_shown(self):
        packed = self.pack((SAMPLES / "intsort.csv").read_bytes())
        out, _ = self.earshot("convert", "-q", packed, "-f", "json")
        self.assertIn('"memory":[{"write":false', out)
        for line in out.splitlines():
            if '"memory":[{"write":false' in line:
                self.assertNotIn('"value"', line.split('"memory":')[1].split("]")[0])
        facts = self.earshot("info", packed)[0]
        self.assertIn("source: whisper\n", facts)
        self.assertRegex(facts, "not_told: .*load value")

    def test_other_formats_are_kept_record_by_record(self):
        sample = support.TREE / "tests" / "data" / "spike"
        source = sorted(sample.glob("*.log"))[0]
        packed = self.folder / "s.shot"
        self.earshot("convert", "-q", "--quiet-loss", source, "-o", packed)
        before, _ = self.earshot("convert", "-q", "--quiet-loss", source, "-f", "whisper")
        after, _ = self.earshot("decode", "-q", packed)
        self.assertEqual(len(support.records(before)), len(support.records(after)))


class Range(support.Case):
    """Decoding from one record to another."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls("setUp")
        case.folder = cls.shared
        cls.captured = cls.shared / "c.shot"
        case.capture(cls.captured, "sort", "--states", "20000")
        cls.text = case.decode(cls.captured)
        cls.lines = support.records(cls.text)
        source = cls.shared / "t.csv"
        source.write_text(cls.text)
        cls.packed = cls.shared / "p.shot"
        case.earshot("convert", "-q", source, "-o", cls.packed, "--states", "20000")

    def check(self, path, first, last):
        out = self.decode(path, "-q", "--from", str(first), "--to", str(last))
        self.assertEqual(support.records(out), self.lines[first:last + 1])
        if first <= last:
            self.assertEqual(out.splitlines()[0], support.HEADER)

    def test_any_range_is_that_part_of_the_text(self):
        count = len(self.lines)
        generator = random.Random(4)
        ranges = [(0, 0), (0, 9), (1, 1), (count - 1, count - 1), (count - 5, count + 5), (7, 6)]
        ranges += [(first, first + generator.randrange(3000))
                   for first in (generator.randrange(count) for _ in range(8))]
        for path in self.captured, self.packed:
            for first, last in ranges:
                with self.subTest(path=path.name, first=first, last=last):
                    self.check(path, first, last)

    def test_a_range_behind_the_end_is_empty_and_said_to_be(self):
        for path in self.captured, self.packed:
            out, error = self.earshot("decode", path, "--from", "100000000")
            self.assertEqual(support.records(out), [])
            self.assertIn(f"it has {len(self.lines)} instruction records", error)
            _, error = self.earshot("decode", path, "--from", str(len(self.lines)))
            self.assertIn(f"it has {len(self.lines)} instruction records", error)

    def test_a_range_that_ends_before_it_begins_is_empty_and_said_to_be(self):
        out, error = self.earshot("decode", self.packed, "--from", "7", "--to", "6")
        self.assertEqual(out, "")
        self.assertIn("--to 6 is before --from 7", error)

    def test_a_file_without_its_end_has_ranges_too(self):
        cut = self.folder / "cut.shot"
        data = self.packed.read_bytes()
        cut.write_bytes(data[:-20])
        count = len(self.lines)
        self.check(cut, count - 200, count - 100)

    def test_a_damaged_state_is_not_begun_at(self):
        data = bytearray(self.packed.read_bytes())
        places = [at for at in range(len(data)) if data[at:at + 4] == b"ESNP"]
        damaged = self.folder / "damaged.shot"
        count = len(self.lines)
        for at in places[-1], places[0]:
            data[at + 60:at + 70] = bytes(10)
            damaged.write_bytes(data)
            self.check(damaged, count - 50, count - 40)
            self.check(damaged, 12000, 12010)

    def test_behind_damage_decoding_goes_on_at_the_next_state(self):
        data = bytearray(self.packed.read_bytes())
        places = [at for at in range(len(data)) if data[at:at + 4] == b"ESNP"]
        self.assertGreater(len(places), 3)
        # Nothing between the first state and the second can be read.
        begin, end = places[0] + 40, places[1] - 8
        data[begin:end] = bytes(end - begin)
        damaged = self.folder / "damaged.shot"
        damaged.write_bytes(data)
        out = self.earshot("decode", damaged)[0]
        gaps = [line for line in out.splitlines() if "# gap:" in line]
        self.assertEqual(len(gaps), 1, gaps)
        before, after = (support.records(part) for part in out.split(gaps[0]))
        missing = int(support.GAP.match(gaps[0]).group(1))
        self.assertEqual(before, self.lines[:len(before)])
        self.assertEqual(after, self.lines[-len(after):])
        self.assertEqual(len(before) + missing + len(after), len(self.lines))
        self.assertLess(missing, 60000)
        self.assertGreater(len(after), 20000)

    def test_the_text_is_the_same_with_threads_in_every_format(self):
        for name in "whisper", "json", "spike", "tarmac":
            one = self.earshot_bytes("decode", "-q", "-f", name, self.captured)[0]
            three = self.earshot_bytes("decode", "-q", "-j3", "-f", name, self.captured)[0]
            self.assertEqual(one, three, name)


class Old(support.Case):
    """A file that an older version wrote, with states of version 1: tests/data/shot."""
    FILE = support.TREE / "tests" / "data" / "shot" / "states-1.shot"
    # Of the text that the version which wrote the file made of it.
    TEXT_SHA256 = "eb68d5a90343ee317081c0d7b9a134de27815b058a746f9f183597656dc84e80"

    def test_it_decodes_as_before(self):
        text, _ = self.earshot_bytes("decode", self.FILE)
        self.assertEqual(hashlib.sha256(text).hexdigest(), self.TEXT_SHA256)
        lines = text.splitlines(keepends=True)
        self.assertEqual(len(lines), 6001)
        for first in 0, 1, 2000, 2318, 5990, 5999:
            for jobs in 1, 2:
                with self.subTest(first=first, jobs=jobs):
                    out, _ = self.earshot_bytes(
                        "decode", "-q", "--from", first, "-j", jobs, self.FILE)
                    self.assertEqual(out.splitlines(keepends=True), lines[:1] + lines[1 + first:])
        facts, _ = self.earshot("info", self.FILE)
        self.assertIn("complete: yes\n", facts)
        self.assertIn("records_between_states_max: 2318\n", facts)

    def test_its_states_help_after_damage(self):
        text, _ = self.earshot_bytes("decode", self.FILE)
        lines = text.splitlines(keepends=True)
        damaged = bytearray(self.FILE.read_bytes())
        damaged[damaged.index(b"ESNP") - 40] ^= 1  # near the end of the first zstd frame
        path = self.folder / "damaged.shot"
        path.write_bytes(damaged)
        out, _ = self.earshot_bytes("decode", "-q", path)
        rest = out.splitlines(keepends=True)
        self.assertGreater(len(rest), 3000)
        self.assertLess(len(rest), 6001)
        self.assertEqual(rest[-3000:], lines[-3000:])


if __name__ == "__main__":
    unittest.main()
