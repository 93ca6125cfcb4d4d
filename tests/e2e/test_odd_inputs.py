#!/usr/bin/env python3
"""convert, diff and grep where something is in the way: damaged and odd files, full disks, Ctrl-C."""
import gzip
import os
import signal
import subprocess
import time

from support import EARSHOT, TREE, Case, main, records

DATA = TREE / "tests/data/whisper"
FPMIX, TIMER = (DATA / f"{name}.csv" for name in ("fpmix", "timer"))


class OddInputs(Case):
    def test_a_file_is_not_written_over_while_it_is_read(self):
        text, shot = self.folder / "t.csv", self.folder / "t.shot"
        text.write_bytes(FPMIX.read_bytes())
        self.earshot("convert", text, "-o", shot)
        packed = shot.read_bytes()
        for command, path in ("convert", text), ("convert", shot), ("decode", shot):
            with self.subTest(f"{command} {path.name}"):
                _, error = self.earshot(command, path, "-o", path, status=2)
                self.assertIn("is the file that is read", error)
        os.link(text, self.folder / "other.csv")
        self.earshot("convert", text, "-o", self.folder / "other.csv", status=2)
        with open(text, "ab") as out:
            result = subprocess.run([EARSHOT, "convert", text], stdout=out, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertEqual((text.read_bytes(), shot.read_bytes()), (FPMIX.read_bytes(), packed))

    def test_a_damaged_packed_file_gives_what_stands_before(self):
        """The lines before the damage, an error, and the same with any number of threads."""
        whole = FPMIX.read_bytes()
        packed = gzip.compress(whole, 1)
        for name, bytes_ in (("cut", packed[:len(packed) // 2]), ("noise", packed + b"noise")):
            path = self.folder / f"{name}.gz"
            path.write_bytes(bytes_)
            with self.subTest(name):
                one = self.earshot_bytes("convert", path, status=2)
                self.assertEqual(self.earshot_bytes("convert", "-j2", path, status=2), one)
                self.assertIn({"cut": "are cut off, at byte", "noise": "are damaged, at byte"}[name], one[1])
                self.assertTrue(whole.startswith(one[0]) and one[0].endswith(b"\n"))
                self.assertGreater(len(one[0]), 0.4 * len(whole))
                self.earshot("grep", "-c", path, status=2)
        _, error = self.earshot("convert", "-", stdin=b"\x1f\x8bnoise", status=2)
        self.assertIn("the gzip data are damaged, at byte", error)

    def test_a_line_without_end(self):
        line = FPMIX.read_bytes() + b"a" * (17 << 20)
        for jobs in 1, 2:
            out, error = self.earshot_bytes("convert", "-j", jobs, "-", stdin=line, status=2)
            self.assertEqual(out, FPMIX.read_bytes())
            self.assertIn("a line is longer than 16 MiB", error)

    def test_a_full_disk_is_told(self):
        for arguments in (["convert", TIMER], ["convert", "-j2", TIMER], ["convert", "-f", "shot", TIMER],
                          ["diff", TIMER, FPMIX], ["diff", TIMER, TIMER], ["grep", TIMER], ["grep", "-c", TIMER]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run([EARSHOT, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(result.returncode, 2)
                self.assertIn(b"No space left on device", result.stderr)

    def test_an_interrupt_where_no_record_comes(self):
        """From a pipe that stands still the records before are written; an endless header ends as well."""
        out = self.folder / "t.csv"
        shot = self.folder / "t.shot"
        self.earshot("convert", FPMIX, "-o", shot)
        whole = f"interrupted after {len(records(FPMIX.read_text()))} records"
        header = (FPMIX.read_text().splitlines(keepends=True)[0] * 1000).encode()
        cases = [(["convert", "-", "-o", out], FPMIX.read_bytes(), whole),
                 (["convert", "-", "-f", "json", "-o", out], shot.read_bytes(), whole),
                 (["decode", "-", "-o", out], shot.read_bytes(), "interrupted: the text ends after 3399 records"),
                 (["grep", "-c", "-j2", "-"], FPMIX.read_bytes(), "interrupted after"),
                 (["diff", "-j2", FPMIX, "-"], FPMIX.read_bytes(), "interrupted after"),
                 (["convert", "-"], header, "interrupted after 0 records")]
        for arguments, text, told in cases:
            with self.subTest(arguments):
                process = subprocess.Popen([EARSHOT, *map(str, arguments)], stdin=subprocess.PIPE,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.addCleanup(process.kill)
                process.stdin.write(text)
                process.stdin.flush()
                time.sleep(0.3)
                for _ in range(300 if text == header else 0):
                    process.stdin.write(header)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=60), 2)
                error = process.stderr.read().decode()
                process.stderr.close()
                try:
                    process.stdin.close()
                except BrokenPipeError:
                    pass
                self.assertIn(told, error)
                if arguments[0] == "convert" and text == FPMIX.read_bytes():
                    self.assertEqual(out.read_bytes(), text)


if __name__ == "__main__":
    main()
