#!/usr/bin/env python3
"""Many traces in one call: folders, lists and several files, some at the same time."""
import os
import shutil
import signal
import subprocess

from support import EARSHOT, TREE, Case, main

DATA = TREE / "tests" / "data"


class Batch(Case):
    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"
        (self.runs / "deep").mkdir(parents=True)
        for name in ("b", "c", "deep/z"):
            shutil.copy(DATA / "across" / "a.csv", self.runs / f"{name}.csv")
        shutil.copy(DATA / "shot" / "states-1.shot", self.runs / "a.shot")
        shutil.copy(DATA / "whisper" / "intsort.csv", self.runs / "e.csv")
        (self.runs / "bad.shot").write_bytes((self.runs / "a.shot").read_bytes()[:40])
        (self.runs / "readme.txt").write_text("not a trace\n")
        os.symlink("/", self.runs / "root")

    def run_in(self, *arguments, **options):
        return subprocess.run([EARSHOT, *arguments], cwd=self.folder, capture_output=True, **options)

    def same_for_jobs(self, *arguments, status):
        one, two = (self.run_in(*arguments, f"-j{jobs}") for jobs in (1, 2))
        self.assertEqual((one.returncode, one.stdout, one.stderr), (two.returncode, two.stdout, two.stderr))
        self.assertEqual(one.returncode, status, one.stderr)
        return one.stdout.decode(), one.stderr.decode()

    def test_a_folder_is_read_to_its_end_whatever_is_in_it(self):
        out, errors = self.same_for_jobs("info", "runs", status=2)
        self.assertEqual([line for line in out.splitlines() if line.startswith("trace: ")],
                         [f"trace: runs/{name}" for name in
                          ("a.shot", "b.csv", "bad.shot", "c.csv", "deep/z.csv", "e.csv")])
        alone = self.run_in("info", "runs/a.shot").stdout.decode()
        self.assertTrue(out.startswith(f"trace: runs/a.shot\n{alone}\ntrace: runs/b.csv\n"), out)
        self.assertIn("runs/bad.shot", errors)
        self.assertRegex(out, r"\n +6000 .* done +runs/a\.shot\n +31 .* done +runs/b\.csv\n.* failed +runs/bad\.shot\n")
        self.assertEqual(out.splitlines()[-1],
                         "6 traces: 5 done, 1 failed; 1 other file skipped, 1 symbolic link not followed")

    def test_rows_of_stat_are_those_of_single_files(self):
        out, _ = self.same_for_jobs("stat", "-f", "csv", "runs/deep", "runs/a.shot", "missing", "runs/b.csv", status=2)
        rows = [self.run_in("stat", "-f", "csv", f"runs/{name}").stdout.decode().splitlines()
                for name in ("deep/z.csv", "a.shot", "b.csv")]
        self.assertEqual(out.splitlines()[:-1], [rows[0][0], *(row[1] for row in rows)])
        self.assertIn('total,"",6062,', out)

    def test_lists_come_from_files_and_from_standard_input(self):
        (self.folder / "list").write_text("runs/c.csv\nruns/deep\n")
        out, _ = self.same_for_jobs("info", "@list", status=0)
        self.assertEqual(out.splitlines()[-1], "2 traces: 2 done")
        piped = self.run_in("info", "@-", input=b"runs/c.csv\0runs/deep\0")
        self.assertEqual(piped.stdout.decode(), out)

    def test_a_wrong_command_line_is_said_once(self):
        for arguments in (("--no-such",), ("--xlen", "99"), ("-j", "x")):
            done = self.run_in("info", "runs", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count(b"Try 'earshot info --help'"), 1, done.stderr)
            self.assertEqual(done.stdout, b"")

    def test_a_signal_leaves_what_is_done_good(self):
        # A capture in a pipe does not end: its turn comes second.
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen([EARSHOT, "info", "runs/b.csv", "pipe", "runs/c.csv"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with open(self.folder / "pipe", "wb") as pipe:
                pipe.write((self.runs / "a.shot").read_bytes()[:4096])
                pipe.flush()  # it is open on the other side, too: the second trace is being read
                process.send_signal(signal.SIGINT)
                out, errors = (text.decode() for text in process.communicate(timeout=30))
        self.assertEqual(process.returncode, 2)
        self.assertEqual(out.splitlines()[-1], "3 traces: 1 done, 2 not done", errors)
        self.assertIn("interrupted: 2 of 3 traces were not done", errors)


if __name__ == "__main__":
    main()
