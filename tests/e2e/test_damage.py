#!/usr/bin/env python3
"""Damaged files: as much as possible is decoded, the rest is reported, nothing crashes or hangs."""
import random
import subprocess

from support import EARSHOT, NIGHT, Case, gaps, main, read_frames, records


COUNT = 60 if NIGHT else 20  # of damaged files of each kind


class Damage(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        path = cls.shared / "t.shot"
        case.capture(path, "traps", "--limit", "3000", "--level", "1")
        cls.shot = path.read_bytes()
        cls.raw = subprocess.run(["zstd", "-d", "-c", path], check=True, capture_output=True).stdout
        cls.lines = records(case.decode(path))
        cls.frames = list(read_frames(cls.raw))

    def decode_bytes(self, data):
        """Decode and inspect a damaged file. Returns the text, and what was said."""
        path = self.folder / "damaged"
        path.write_bytes(data)
        result = subprocess.run([EARSHOT, "decode", path], capture_output=True, text=True, timeout=60)
        self.assertNotIn("Sanitizer", result.stderr)
        self.assertNotIn("runtime error", result.stderr)
        self.assertIn(result.returncode, (0, 2), result.stderr)
        if result.returncode == 2:
            self.assertTrue(result.stderr)
            self.assertEqual(records(result.stdout), [])
        return result.stdout, result.stderr

    def assert_subsequence(self, lines):
        """Every line that came out is one that went in, in order."""
        whole = iter(self.lines)
        for line in lines:
            self.assertTrue(any(line == other for other in whole), f"invented: {line}")

    def test_a_file_cut_anywhere_decodes_up_to_there(self):
        step = max(1, len(self.shot) // COUNT)
        counts = []
        for size in [*range(0, len(self.shot), step), *range(len(self.shot) - 8, len(self.shot))]:
            with self.subTest(size):
                text, error = self.decode_bytes(self.shot[:size])
                lines = records(text)
                self.assertEqual(lines, self.lines[:len(lines)])
                self.assertNotEqual(error, "")
                counts.append(len(lines))
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(counts[-1], len(self.lines))

    def test_a_dump_cut_anywhere_keeps_its_whole_frames(self):
        for size in random.Random(1).sample(range(len(self.raw)), COUNT):
            with self.subTest(size):
                text, _ = self.decode_bytes(self.raw[:size])
                lines = records(text)
                self.assertEqual(lines, self.lines[:len(lines)])
                whole = sum(1 for offset, _, payload in self.frames if offset + len(payload) + 12 <= size)
                info = self.info(self.folder / "damaged", status=0 if whole else 2)
                self.assertEqual((info["frames"], info["complete"]), (whole, "no"))

    def test_a_flipped_byte_costs_one_frame(self):
        generator = random.Random(2)
        for place in generator.sample(range(len(self.raw)), COUNT):
            with self.subTest(place):
                data = bytearray(self.raw)
                data[place] ^= 1 << generator.randrange(8)
                text, error = self.decode_bytes(data)
                self.assert_subsequence(records(text))
                self.assertIn("belong to no valid frame", error)
                info = self.info(self.folder / "damaged")
                self.assertEqual((info["frames"], info["complete"]), (len(self.frames) - 1, "no"))
                size = next(len(payload) + 12 for offset, _, payload in reversed(self.frames) if offset <= place)
                self.assertEqual(info["skipped_bytes"], size)
                # Exactly the records of that frame are missing, and the text says so.
                if place < self.frames[-1][0]:
                    self.assertEqual(len(records(text)) + info["missing"], len(self.lines))
                self.assertGreaterEqual(len(gaps(text)), 1)

    def test_a_flipped_byte_in_a_capture_file(self):
        generator = random.Random(3)
        for place in generator.sample(range(len(self.shot)), COUNT):
            with self.subTest(place):
                data = bytearray(self.shot)
                data[place] ^= 1 << generator.randrange(8)
                text, _ = self.decode_bytes(data)
                self.assert_subsequence(records(text))

    def test_missing_and_doubled_pieces(self):
        generator = random.Random(4)
        for _ in range(COUNT):
            first, last = sorted(generator.sample(range(len(self.raw)), 2))
            with self.subTest((first, last)):
                text, error = self.decode_bytes(self.raw[:first] + self.raw[last:])
                self.assert_subsequence(records(text))
                self.assertNotEqual(error, "")

    def test_noise_between_the_frames(self):
        generator = random.Random(5)
        data, noise = bytearray(), 0
        for _, sequence, payload in self.frames:
            if generator.randrange(4) == 0:
                piece = generator.randbytes(generator.randrange(1, 600))
                data += piece
                noise += len(piece)
            frame = self.frames[sequence - self.frames[0][1]]
            data += self.raw[frame[0]:frame[0] + len(payload) + 12]
        text, _ = self.decode_bytes(bytes(data))
        self.assertEqual(records(text), self.lines)
        self.assertEqual(self.info(self.folder / "damaged")["skipped_bytes"], noise)

    def test_noise_alone(self):
        generator = random.Random(6)
        for size in (1, 3, 4, 100, 5000, 100000):
            with self.subTest(size):
                text, error = self.decode_bytes(generator.randbytes(size))
                self.assertEqual(records(text), [])
                self.assertIn("no frame of the wire protocol", error)
                for command in ("info", "dump"):
                    self.earshot(command, self.folder / "damaged", status=2)

    def test_nothing_at_all(self):
        _, error = self.decode_bytes(b"")
        self.assertIn("the file is empty", error)

    def test_a_capture_of_which_no_stream_is_left_is_not_called_empty(self):
        begin = self.shot.index(bytes.fromhex("28b52ffd"))  # of the first zstd frame
        _, error = self.decode_bytes(self.shot[:begin + 20])
        self.assertIn(f"cut off at byte {begin + 20}", error)
        self.assertIn("nothing of the stream is left", error)
        self.assertNotIn("empty", error)

    def test_who_joins_late_or_sees_the_end_alone_is_not_told_that_all_is_there(self):
        path, begin = self.folder / "part", [offset for offset, _, _ in self.frames]
        unit = next(i for i, frame in enumerate(self.frames) if frame[2][0] == 0x81)
        for first in (unit + 1, len(begin) - 1):
            with self.subTest(first):
                path.write_bytes(self.raw[begin[first]:])
                info, text = self.info(path), self.decode(path)
                self.assertIn("an unknown number of records is missing", gaps(text)[0])
                self.assertEqual((info["complete"], info["accounted"]), ("no", "yes"))
                self.assertEqual(info["records"] + info["missing"], info["retired"])

    def test_frames_that_come_twice_are_used_once(self):
        path, begin = self.folder / "twice", [offset for offset, _, _ in self.frames] + [len(self.raw)]
        for first in range(0, len(begin) - 1, 1 if NIGHT else 4):
            with self.subTest(first):
                again = self.raw[begin[first]:begin[first + 1]]
                path.write_bytes(self.raw[:begin[first + 1]] + again + self.raw[begin[first + 1]:])
                text, error = self.earshot("decode", path)
                self.assertEqual(records(text), self.lines)
                self.assertEqual(len(gaps(text)), 1)
                self.assertIn("1 frame came twice or too late", error)
                info = self.info(path)
                self.assertEqual((info["repeated_frames"], info["complete"], info["accounted"]), (1, "no", "yes"))

    def test_every_reader_survives(self):
        generator = random.Random(7)
        for _ in range(COUNT // 2):
            data = bytearray(self.shot)
            for _ in range(generator.randrange(1, 20)):
                data[generator.randrange(len(data))] = generator.randrange(256)
            path = self.folder / "damaged"
            path.write_bytes(data[:generator.randrange(len(data))])
            for command in ("info", "dump", "decode"):
                result = subprocess.run([EARSHOT, command, path], capture_output=True, timeout=60)
                self.assertIn(result.returncode, (0, 2), result.stderr)
                self.assertNotIn(b"Sanitizer", result.stderr)


if __name__ == "__main__":
    main()
