#!/usr/bin/env python3
"""Capturing from the virtual board and from a dump, and what is in the files then."""
import collections
import subprocess

from support import EARSHOT, HEADER, NIGHT, PROGRAMS, RAW32, Case, endless_elf, gaps, main, read_frames, records, some

PROGRAM = "sort" if NIGHT else "tohost"


class Capture(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shot, cls.live, cls.record = (cls.shared / name for name in ("t.shot", "t.csv", "t.record"))
        case = cls()
        case.error = case.capture(cls.shot, PROGRAM, "-f", "whisper", "-o", cls.live, "--record", cls.record)
        cls.text = case.decode(cls.shot)
        cls.raw = subprocess.run(["zstd", "-d", "-c", cls.shot], check=True, capture_output=True).stdout
        cls.totals = case.info(cls.shot)

    def test_the_summary_has_three_digits_of_what_a_record_took(self):
        """A predicting unit sends a part of a bit for each record: never "0.0 bits"."""
        shot = self.folder / "x.shot"
        device = f"sim:{PROGRAMS}/demo.elf,uart=/dev/null"
        _, error = self.earshot("capture", "-d", device, "-o", shot)
        bits = 8 * self.info(shot)["wire_bytes"] / self.info(shot)["records"]
        self.assertLess(bits, 1)
        self.assertIn(f"({bits:.3f} bits each)", error)

    def test_info_is_consistent(self):
        info = self.totals
        self.assertEqual(info["complete"], "yes")
        self.assertEqual(info["format"], "earshot 1")
        self.assertEqual(info["end_reason"], "program ended")
        self.assertEqual(info["program"], str(PROGRAMS / f"{PROGRAM}.elf"))
        self.assertEqual((info["harts"], info["xlen"], info["mode"]), (1, 32, "raw"))
        self.assertEqual((info["lost"], info["missing"], info["gaps"], info["skipped_bytes"]), (0, 0, 0, 0))
        self.assertEqual(info["wire_bytes"], len(self.raw))
        self.assertEqual(info["frames"], len(list(read_frames(self.raw))))
        self.assertAlmostEqual(float(info["bits_per_instruction"]), 8 * len(self.raw) / info["records"], delta=0.1)
        self.assertGreater(info["records"], 9000)
        self.assert_accounted(info, self.text)

    def test_the_programs_hash_is_in_the_file(self):
        digest = subprocess.run(["sha256sum", PROGRAMS / f"{PROGRAM}.elf"], check=True, capture_output=True, text=True)
        self.assertEqual(self.totals["program_sha256"], digest.stdout.split()[0])

    def test_the_uart_is_heard(self):
        self.capture(self.folder / "demo.shot", "demo")
        self.assertIn("Hello", (self.folder / "demo.shot.uart").read_text())

    def test_text_begins_with_the_header_and_the_reset_address(self):
        lines = self.text.splitlines()
        self.assertEqual(lines[0], HEADER)
        self.assertTrue(lines[1].startswith("80000000,"), lines[1])
        self.assertEqual({line.count(",") for line in lines[1:]}, {9})

    def test_decoding_live_gives_the_same_text(self):
        self.assertEqual(self.live.read_text(), self.text)

    def test_a_second_capture_is_the_same(self):
        again = self.folder / "again.shot"
        self.capture(again, PROGRAM)
        self.assertEqual(self.decode(again), self.text)

    def test_plain_zstd_gives_the_bytes_of_the_wire(self):
        record = self.record.read_bytes()
        begin = record.find(self.raw)
        self.assertGreaterEqual(begin, 0, "the file's bytes are not in the record of the link")
        # Around them are only answers to control words.
        for part in (record[:begin], record[begin + len(self.raw):]):
            for _, _, payload in read_frames(part):
                self.assertEqual(payload[0], 0x89)
        sequences = [sequence for _, sequence, _ in read_frames(self.raw)]
        self.assertTrue(all((a + 1) % 65536 == b for a, b in zip(sequences, sequences[1:])))

    def test_a_raw_dump_decodes_like_the_file(self):
        dump = self.folder / "t.raw"
        dump.write_bytes(self.raw)
        self.assertEqual(self.decode(dump), self.text)
        info = self.info(dump)
        self.assertEqual(info["format"], "raw dump")
        for key in ("records", "retired", "lost", "frames", "wire_bytes", "complete"):
            self.assertEqual(info[key], self.totals[key])

    def test_a_raw_dump_is_a_device(self):
        dump, shot = self.folder / "t.raw", self.folder / "again.shot"
        dump.write_bytes(self.raw)
        self.earshot("capture", "-d", f"file:{dump}", "-o", shot)
        self.assertEqual(self.decode(shot), self.text)
        self.assertEqual(self.info(shot)["complete"], "yes")
        self.earshot("capture", "-d", "file:-", "-o", self.folder / "stdin.shot", stdin=self.raw)
        self.assertEqual(self.decode(self.folder / "stdin.shot"), self.text)

    def test_decode_writes_to_files_and_pipes_alike(self):
        out = self.folder / "t.csv"
        self.assertEqual(self.decode(self.shot, "-o", out), "")
        self.assertEqual(out.read_text(), self.text)
        self.assertEqual(self.decode(self.shot, "-f", "whisper", "-o", "-"), self.text)
        for data in (self.shot.read_bytes(), self.raw):
            self.assertEqual(self.earshot("decode", "-", stdin=data)[0], self.text)

    def test_a_capture_goes_through_a_pipe(self):
        device = f"sim:{PROGRAMS}/{PROGRAM}.elf,unit=raw,uart=/dev/null"
        out, _ = self.earshot_bytes("capture", "-d", device, "-f", "shot", "-o", "-")
        self.assertEqual(self.earshot("decode", "-", stdin=out)[0], self.text)
        out, _ = self.earshot("capture", "-d", device, "-f", "whisper", "-o", "-")
        self.assertEqual(out, self.text)

    def test_decode_stops_quietly_when_its_reader_does(self):
        first = subprocess.run(["bash", "-c", 'set -o pipefail; "$0" decode "$1" | head -n 1', EARSHOT, self.shot],
                               capture_output=True, text=True, check=False)
        self.assertEqual((first.returncode, first.stdout, first.stderr), (0, HEADER + "\n", ""))

    def test_decode_takes_a_limit(self):
        for limit in (0, 1, 1000):
            self.assertEqual(records(self.decode(self.shot, "--limit", limit)), records(self.text)[:limit])

    def test_dump_shows_every_packet_with_its_place(self):
        out, _ = self.earshot("dump", self.shot)
        lines = out.splitlines()
        frames = list(read_frames(self.raw))
        shown = [line.split() for line in lines if line.split()[1] == "frame"]
        self.assertEqual([int(words[0], 16) for words in shown], [offset for offset, _, _ in frames])
        self.assertEqual([int(words[5]) for words in shown], [sequence for _, sequence, _ in frames])
        kinds = collections.Counter(line.split()[1] for line in lines)
        self.assertEqual(kinds["RAW32"], self.totals["records"])
        self.assertEqual(kinds["STOP"], 1)
        for line in lines:
            if line.split()[1] == "RAW32":
                self.assertEqual(self.raw[int(line.split()[0], 16)], RAW32)
        self.assertEqual(self.earshot("dump", "--limit", "7", self.shot)[0].splitlines(), lines[:7])

    def test_time_is_wanted_per_record(self):
        shot = self.folder / "time.shot"
        self.capture(shot, PROGRAM, "--time", "record", "--limit", "1000")
        self.assertEqual(records(self.decode(shot)), records(self.text)[:1000])
        self.assertIn("TIME_DELTA1", self.earshot("dump", shot)[0])

    def test_quiet_says_nothing(self):
        self.assertNotIn("earshot: ", self.capture(self.folder / "t.shot", PROGRAM, "-q"))

    def test_the_default_device_is_the_demo(self):
        shot = self.folder / "demo.shot"
        self.earshot("capture", "-o", shot, "--limit", "1000")
        info = self.info(shot)
        self.assertTrue(info["program"].endswith("/demo.elf"))
        self.assertEqual((info["records"], info["complete"]), (1000, "yes"))

    def test_an_unwritable_output_does_not_harm_the_other(self):
        shot = self.folder / "t.shot"
        error = self.capture(shot, PROGRAM, "-f", "whisper", "-o", "/dev/full", status=2)
        self.assertIn("/dev/full: No space left on device", error)
        info = self.info(shot)
        self.assertEqual((info["complete"], info["end_reason"]), ("yes", "program ended"))
        self.assertIn("none lost; program ended", error)
        self.assertEqual(records(self.decode(shot)), records(self.text))

    def test_closed_descriptors_do_no_harm(self):
        device = f"sim:{PROGRAMS}/{PROGRAM}.elf,unit=raw,uart=/dev/null"
        shot = self.folder / "closed.shot"
        script = '"$0" capture -d "$1" --limit 1000 -o "$2" <&- >&- 2>&-'
        subprocess.run(["bash", "-c", script, EARSHOT, device, shot], check=True, timeout=60)
        info = self.info(shot)
        self.assertEqual((info["records"], info["skipped_bytes"], info["complete"]), (1000, 0, "yes"))
        for command in ('"$0" list >&-', '"$0" decode - <&-', '"$0" capture -d "$1" -f shot -o - >&-'):
            with self.subTest(command):
                result = subprocess.run(["bash", "-c", command, EARSHOT, device], check=False, timeout=60,
                                        capture_output=True)
                self.assertEqual((result.returncode, b"Bad file descriptor" in result.stderr), (2, True))


class Limit(Case):
    def test_of_a_dump_which_cannot_be_stopped(self):
        raw, shot = self.folder / "d.raw", self.folder / "t.shot"
        self.capture(self.folder / "whole.shot", "sort", "--limit", 20000, "--record", raw)
        whole = records(self.decode(self.folder / "whole.shot"))
        _, error = self.earshot("capture", "-d", f"file:{raw}", "-o", shot, "--limit", 1000)
        self.assertIn("none lost; limit", error)
        info = self.info(shot)
        self.assertLess(info["records"], 1100)  # and the rest of a frame or two
        self.assertGreaterEqual(info["records"], 1000)
        self.assertEqual(info["skipped_bytes"], 0)
        self.assertEqual(records(self.decode(shot)), whole[:info["records"]])

    def test_records_exactly(self):
        for limit in (1, 999, 5000):
            shot = self.folder / "t.shot"
            self.capture(shot, "sort", "--limit", limit)
            info = self.info(shot)
            self.assertEqual((info["records"], info["complete"]), (limit, "yes"))
            self.assertEqual(len(records(self.decode(shot))), limit)

    def test_more_records_than_there_are(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "tohost", "--limit", "1G")
        self.assertEqual(self.info(shot)["end_reason"], "program ended")

    def test_bytes(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "sort", "--limit", "20KB")
        info = self.info(shot)
        self.assertEqual((info["complete"], info["end_reason"]), ("yes", "limit"))
        self.assertGreaterEqual(info["wire_bytes"], 20000)

    def test_seconds(self):
        shot = self.folder / "t.shot"
        endless_elf(self.folder / "endless.elf")
        self.earshot("capture", "-d", f"sim:{self.folder}/endless.elf,unit=raw", "-o", shot, "--limit", "0.5s")
        info = self.info(shot)
        self.assertEqual((info["complete"], info["end_reason"]), ("yes", "limit"))
        self.assertGreater(info["records"], 0)


class Programs(Case):
    def test_every_program_is_captured_to_its_end(self):
        for program in some("failing", "tohost", "software", "alu", "crc32", "demo", "strings", "traps", "timer", gate=3):
            with self.subTest(program):
                shot = self.folder / f"{program}.shot"
                self.capture(shot, program)
                text, info = self.decode(shot), self.info(shot)
                self.assertEqual((info["complete"], info["end_reason"]), ("yes", "program ended"))
                self.assertEqual(gaps(text), [])
                self.assert_accounted(info, text)


if __name__ == "__main__":
    main()
