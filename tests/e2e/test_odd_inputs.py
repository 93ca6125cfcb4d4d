#!/usr/bin/env python3
"""convert, diff and grep where something is in the way: damaged and odd files, full disks, Ctrl-C."""
import gzip
import os
import signal
import subprocess
import time

from support import EARSHOT, TREE, Case, main, records

DATA = TREE / "tests/data/whisper"
FPMIX, MULTI, TIMER, VECTOR = (DATA / f"{name}.csv" for name in ("fpmix", "multi", "timer", "vector"))


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

    def test_nothing_and_noise(self):
        empty = self.folder / "empty.csv"
        empty.write_bytes(b"")
        for command, others, option in (("convert", [], "-i"), ("grep", [], "-i"), ("diff", [TIMER], "-a")):
            with self.subTest(command):
                _, error = self.earshot(command, empty, *others, status=2)
                self.assertEqual(error, f"earshot: {empty}: there is nothing in it; say its format with {option}\n")
                _, error = self.earshot(command, option, "shot", TIMER, *others, status=2)
                self.assertIn("no frame of the wire protocol", error)
                _, error = self.earshot(command, option, "spike", TIMER, *others, status=2)
                self.assertIn("line 101: the line is not one of a Spike log; too many bad lines", error)
                self.assertIn("100 bad lines skipped", error)
                self.earshot(command, self.folder, *others, status=2)
        self.assertEqual(self.earshot("convert", "-i", "whisper", empty)[0], "")

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

    def test_what_diff_cannot_compare_is_not_the_same(self):
        for arguments, told in (
                (["--hart", 3, MULTI, MULTI], "neither side has a record of hart 3"),
                (["--start", "0x10", TIMER, TIMER], "pc 0x10 (--start) is reached on neither side"),
                (["--start", "0x8000010a", TIMER, VECTOR], f"{VECTOR}: pc 0x8000010a (--start) is never reached"),
                (["-", "-"], "standard input can be one of the files, not both"),
                (["--only", "", TIMER, TIMER], "which fields?"),
                (["--only", "nonsense", TIMER, TIMER], "there is no field 'nonsense'"),
                (["--run", 0, TIMER, TIMER], "--run: '0' is not a number from 1 to 1000"),
                (["-n", "x", TIMER, TIMER], "--most: 'x' is not a number")):
            with self.subTest(told):
                out, error = self.earshot("diff", *arguments, status=2)
                self.assertEqual(out, "")
                self.assertIn(told, error)

    def test_what_grep_is_asked_for(self):
        """Registers by any name, causes as a trace shows them, modes in any spelling."""
        def count(*arguments, status=0):
            return int(self.earshot("grep", "-c", *arguments, status=status)[0])

        lines = [line.split(",") for line in records(TIMER.read_text())]
        self.assertEqual(count("--reg", "a4", TIMER), count("--reg", "x14", TIMER))
        self.assertEqual(count("--reg", "a4", TIMER), sum("x14=" in line[2] for line in lines))
        self.assertEqual(count("--trap=0x8000000000000007", TIMER), sum(line[7] == "8000000000000007" for line in lines))
        self.assertEqual(count("--privilege", "M,S", TIMER), len(lines))
        self.assertEqual(count("--privilege", "vsu", TIMER, status=1), 0)
        self.assertGreater(count("--reg", "v2", VECTOR), 0)
        # An element that the mask switched off was not touched.
        self.assertEqual(count("--addr", "0x80001048", VECTOR), 1)
        for arguments, told in ((["--reg", "x32"], "--reg: there is no register 'x32'"), (["--reg", "a0=q"], "--reg: 'q' is not the value of a register"),
                                (["--privilege", "q"], "--privilege: 'q' is not a list of privilege modes"),
                                (["--trap=q"], "'q' is not the number of a cause"), (["--opcode", "1/"], "--opcode: '1/' is not an opcode"),
                                (["-C", 1001], "--context: '1001' is not a number from 0 to 1000"),
                                (["-m0"], "--most: '0' is not 1 or more"), (["-f", "q"], "--format: 'q' is not a format"),
                                (["-f", "tarmac"], "holds one hart: choose it with --hart")):
            with self.subTest(told):
                self.assertIn(told, self.earshot("grep", *arguments, MULTI, status=2)[1])
        out, _ = self.earshot("grep", "-f", "tarmac", "--hart", 1, MULTI)
        self.assertEqual(out.count(" IT ("), count("--hart", 1, MULTI))


if __name__ == "__main__":
    main()
