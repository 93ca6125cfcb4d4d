#!/usr/bin/env python3
"""Many traces in one call: folders, lists and several files, some at the same time."""
import json
import os
import re
import shutil
import signal
import subprocess
from xml.etree import ElementTree

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

    def test_there_may_be_more_traces_than_a_command_has_files(self):
        (self.folder / "many").mkdir()
        for i in range(260):
            os.link(self.runs / "b.csv", self.folder / "many" / f"{i}.csv")
        done = self.run_in("stat", "-j2", "-f", "csv", "many")
        self.assertEqual((done.returncode, done.stdout.count(b"\ntrace,"), done.stderr), (0, 260, b""))
        done = self.run_in("profile", "many", "-o", "many/7.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"many/7.csv: is the file that is read", done.stderr)

    def test_lists_come_from_files_and_from_standard_input(self):
        (self.folder / "list").write_text("runs/c.csv\nruns/deep\n")
        out, _ = self.same_for_jobs("info", "@list", status=0)
        self.assertEqual(out.splitlines()[-1], "2 traces: 2 done")
        piped = self.run_in("info", "@-", input=b"runs/c.csv\0runs/deep\0")
        self.assertEqual(piped.stdout.decode(), out)

    def test_pairs_of_two_folders_are_grouped_by_their_first_difference(self):
        other = self.folder / "other"
        (other / "deep").mkdir(parents=True)
        text = (self.runs / "b.csv").read_text().splitlines(keepends=True)
        for name, at in (("b", 5), ("c", 20), ("deep/z", 5)):
            lines = text.copy()
            lines[at] = re.sub("x([0-9]+)=[0-9a-f]+", r"x\1=7777", lines[at])
            self.assertNotEqual(lines, text)
            (other / f"{name}.csv").write_text("".join(lines))
        shutil.copy(self.runs / "e.csv", other / "e.csv")
        shutil.copy(self.runs / "a.shot", other / "a.shot")
        (self.runs / "bad.shot").unlink()
        out, _ = self.same_for_jobs("diff", "runs", "other", "--junit", "j.xml", status=1)
        self.assertIn("5 traces: 2 done, 3 differs", out)
        groups = out[out.index("  count  found first\n"):].splitlines()[1:]
        self.assertRegex(groups[0], r"^ +2  pc 0x[0-9a-f]+: x\d+: runs/b\.csv, runs/deep/z\.csv$")
        self.assertRegex(groups[1], r"^ +1  pc 0x[0-9a-f]+: x\d+: runs/c\.csv$")
        suite = ElementTree.parse(self.folder / "j.xml").getroot()[0]
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("5", "3", "0"))
        answer = json.loads(self.run_in("diff", "--json", "runs", "other").stdout)
        self.assertEqual([group["count"] for group in answer["groups"]], [2, 1])
        self.assertEqual(answer["traces"][1]["state"], "differs")
        (other / "deep" / "z.csv").unlink()
        self.assertEqual(self.run_in("diff", "-q", "runs", "other").returncode, 2)  # one has no partner

    def test_grep_has_the_name_before_each_line_and_check_a_table(self):
        out, errors = self.same_for_jobs("grep", "--pc", "0x80000000", "runs/b.csv", "runs/deep", status=0)
        line = self.run_in("grep", "--pc", "0x80000000", "runs/b.csv").stdout.decode()
        self.assertEqual(out, "".join(f"{name}:{text}\n" for name in ("runs/b.csv", "runs/deep/z.csv")
                                      for text in line.splitlines()))
        self.assertEqual(errors.splitlines()[-1], "2 traces: 2 done")
        out, _ = self.same_for_jobs("check", "runs/b.csv", "runs/e.csv", "--junit", "j.xml", status=1)
        self.assertIn("2 traces: 1 done, 1 wrong\n\n  count  found first\n      1  0x80000032: next-pc: runs/e.csv\n", out)
        self.assertEqual([case.get("name") for case in ElementTree.parse(self.folder / "j.xml").getroot()[0]],
                         ["runs/b.csv", "runs/e.csv"])

    def test_a_folder_is_converted_to_a_folder(self):
        (self.runs / "bad.shot").unlink()
        outs = []
        for jobs in 1, 2:
            done = self.run_in("convert", "-q", f"-j{jobs}", "-f", "json", "-o", f"out{jobs}", "runs")
            self.assertEqual(done.returncode, 0, done.stderr)
            outs.append({str(path.relative_to(self.folder / f"out{jobs}")): path.read_bytes()
                         for path in (self.folder / f"out{jobs}").rglob("*.jsonl")})
        self.assertEqual(outs[0], outs[1])
        self.assertEqual(sorted(outs[0]), ["a.jsonl", "b.jsonl", "c.jsonl", "deep/z.jsonl", "e.jsonl"])
        self.run_in("convert", "-q", "runs/deep/z.csv", "-o", "z.jsonl")
        self.assertEqual(outs[0]["deep/z.jsonl"], (self.folder / "z.jsonl").read_bytes())
        again = self.run_in("convert", "-q", "-f", "json", "-o", "out1", "runs")
        self.assertEqual((again.returncode, again.stderr.count(b"it is there already")), (2, 5))
        self.assertIn(b"several traces need -o FOLDER and -f FORMAT", self.run_in("convert", "runs").stderr)

    def test_profile_and_coverage_continue_after_a_bad_one(self):
        for command, words in (("profile", ("-f", "json")), ("coverage", ("--isa", "--json"))):
            out, errors = self.same_for_jobs(command, *words, "runs/deep", "runs/a.shot", "missing", "runs/b.csv",
                                             status=2)
            self.assertIn("missing: No such file or directory", errors)
            rows = (r"31 +done +runs/deep/z\.csv", r"6000 +done +runs/a\.shot", r"- +failed +missing")
            self.assertRegex(errors, "".join(rf"\n +{row}" for row in rows) + "\n")
            self.assertIn("\n4 traces: 3 done, 1 failed", errors)
            alone = self.run_in(command, *words, "runs/deep/z.csv", "runs/a.shot", "runs/b.csv").stdout.decode()
            self.assertEqual(out, alone)
            # Of so many traces some end while others have yet to begin.
            self.same_for_jobs(command, *words, *(f"runs/{name}" for name in ("a.shot", "b.csv", "deep/z.csv") * 4),
                               status=0)

    def test_overwrite_is_asked_for_and_spares_the_traces(self):
        os.mkdir(self.folder / "one")
        shutil.copy(self.runs / "b.csv", self.folder / "one" / "b.csv")
        (self.folder / "out").mkdir()
        old = self.folder / "out" / "b.csv"
        old.write_text("old")
        convert = ("convert", "-q", "-f", "whisper", "one", "-o")
        self.assertEqual(self.run_in(*convert, "out").returncode, 2)
        self.assertEqual(old.read_text(), "old")
        done = self.run_in(*convert, "out", "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotEqual(old.read_text(), "old")
        text = (self.folder / "one" / "b.csv").read_bytes()
        done = self.run_in(*convert, "one", "--overwrite")
        self.assertIn(b"it is one of the traces that are read", done.stderr)
        self.assertEqual((done.returncode, (self.folder / "one" / "b.csv").read_bytes()), (2, text))

    def test_an_archive_takes_lists(self):
        (self.folder / "list").write_text("runs/c.csv\nruns/deep\n")
        done = self.run_in("archive", "-q", "-o", "kept", "@list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_in("archive", "-q", "-o", "kept", "@-", input=b"runs/b.csv\0runs/deep/z.csv\0")
        self.assertEqual(self.run_in("restore", "-q", "kept", "-o", "back").returncode, 0)
        names = sorted(str(path.relative_to(self.folder / "back")) for path in (self.folder / "back").rglob("*.csv"))
        self.assertEqual(names, ["runs/b.csv", "runs/c.csv", "runs/deep/z.csv"])
        self.assertIn(b"standard input has no name", self.run_in("archive", "-o", "kept", "-").stderr)

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
