#!/usr/bin/env python3
"""earshot farm: its results are those of the command alone, whoever runs the steps, how often, and in which order. A
real Slurm runs a campaign, and loses a node and its controller in the night."""
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

import slurm
from support import EARSHOT, NIGHT, PROGRAMS, Case, main, night


class Farm(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trace = cls.shared / "t.shot"
        case = cls()
        case.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / 'rtos.elf'},uart=/dev/null", "-o", cls.trace)
        case.earshot("index", "-q", cls.trace)

    def run_farm(self, *arguments, environment=None):
        return subprocess.run([EARSHOT, "farm", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              env=environment, timeout=600, check=False)

    def good(self, *arguments, environment=None):
        done = self.run_farm(*arguments, environment=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def alone(self, *arguments):
        return subprocess.run([EARSHOT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              check=False).stdout


class Local(Farm):
    def test_it_prints_what_the_command_prints(self):
        for command in (["profile"], ["coverage", "--isa", "--json"], ["branches"], ["calls", "--summary", "--limit", "5"],
                        ["calls", "-n3"], ["memory"], ["stat"], ["stat", "--json"], ["convert", "-q", "--quiet-loss"],
                        ["check", "--json"]):
            with self.subTest(command):
                self.assertEqual(self.good("--local", "--parts", 3, *command, self.trace),
                                 self.alone(*command, self.trace))
        self.assertEqual(list(self.folder.glob("farm-*")), [])

    def two_harts(self, program, limit=6000, missing=False):
        """Records of a program as those of two harts, some of which may be missing."""
        source, path = self.folder / f"{program}.jsonl", self.folder / f"{program}-2.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o",
                     self.folder / "one.shot", "--limit", limit)
        lines = self.alone("convert", "-q", "-f", "json", self.folder / "one.shot").splitlines(True)
        pick = random.Random(limit)
        source.write_text("".join(
            line.replace('"hart":0', f'"hart":{int(i // 9 % 2 and pick.random() < 0.4)}') for i, line in enumerate(lines)
            if not missing or pick.random() > 0.001))
        self.earshot("convert", "-q", "--quiet-loss", source, "-o", path)
        return path

    def test_each_command_on_each_trace(self):
        """Status, output and warnings of all that has parts, with several options, of two harts, with gaps, of a
        damaged trace and of one with interrupts and tasks; in the gate one of each command."""
        commands = [["profile"], ["profile", "--by", "function", "--json"], ["profile", "-f", "folded"],
                    ["profile", "--by", "task"], ["coverage"], ["coverage", "--isa"], ["coverage", "--isa", "--json"],
                    ["branches"], ["branches", "--json"], ["calls"], ["calls", "--summary"], ["calls", "--json"],
                    ["calls", "--histogram", "records"], ["calls", "--interrupts"], ["memory"], ["memory", "--json"],
                    ["memory", "--working-set", "1000"], ["stat"], ["stat", "--json"], ["check"], ["check", "--json"],
                    ["check", "--limit", "0"], ["check", "--only", "loaded,result"], ["check", "--device", "none"],
                    ["convert", "-f", "json"], ["convert", "-f", "whisper-log"]]
        cut, bad = self.folder / "cut.shot", self.folder / "bad.shot"
        data = bytearray(self.trace.read_bytes())
        cut.write_bytes(data[:len(data) * 3 // 4])
        for at in (len(data) // 3, len(data) // 2):
            data[at] ^= 0x55
        bad.write_bytes(data)
        traces = [self.trace, self.two_harts("timer"), bad, cut, self.two_harts("tasks", missing=True)]
        pairs = [(command, trace) for command in commands for trace in traces]
        pick = random.Random(4)
        named = re.compile(r"\S+(?:\.shot|/steps/\d+\.out)")  # of a part its file is named
        for command, trace in pairs if NIGHT else pick.sample(pairs, 4):
            parts = pick.choice((2, 3, 7))
            with self.subTest(command=command, trace=trace.name, parts=parts):
                alone = subprocess.run([EARSHOT, *command, trace], cwd=self.folder, capture_output=True, text=True,
                                       check=False, stdin=subprocess.DEVNULL)
                done = self.run_farm("--local", "--parts", parts, *command, trace)
                self.assertEqual((done.returncode, done.stdout), (alone.returncode, alone.stdout),
                                 done.stderr + alone.stderr)
                said = named.sub("TRACE", done.stderr)
                for line in alone.stderr.splitlines() if alone.stdout and command[0] != "convert" else ():
                    self.assertIn(named.sub("TRACE", line), said)

    def test_parts_of_a_text_are_the_text(self):
        """Wherever it is cut, of a whole and of a damaged capture; a text that depends on other parts is refused."""
        cut, two = self.folder / "cut.shot", self.folder / "two.shot"
        cut.write_bytes(self.trace.read_bytes()[:self.trace.stat().st_size * 3 // 4])
        lines = self.alone("convert", "-f", "json", "--limit", 300, self.trace).splitlines(True)
        (self.folder / "two.jsonl").write_text("".join(  # two harts, of which one comes late
            line.replace('"hart":0', f'"hart":{i % 3 > 0}'.replace("True", "1").replace("False", "0"))
            if i > 200 else line for i, line in enumerate(lines)))
        self.earshot("convert", "-q", self.folder / "two.jsonl", "-o", two)
        short = self.folder / "short.shot"
        self.earshot("convert", "-q", "--quiet-loss", "--limit", 2, self.trace, "-o", short)

        def convert(*words):
            return subprocess.run([EARSHOT, "convert", *map(str, words)], cwd=self.folder, capture_output=True,
                                  text=True, check=False)
        for path, form, count in ((self.trace, "whisper", 16), (self.trace, "whisper-log", 2), (self.trace, "riscv-dv", 3),
                                  (self.trace, "json", 5), (cut, "whisper", 3), (cut, "json", 2), (two, "json", 4),
                                  (short, "riscv-dv", 3)):
            with self.subTest(path=path, form=form):
                whole = convert("-f", form, path)
                parts = [convert("-f", form, "--part", f"{k}/{count}", path) for k in range(1, count + 1)]
                self.assertEqual("".join(part.stdout for part in parts), whole.stdout)
                self.assertEqual({part.returncode for part in parts} | {whole.returncode}, {0})
        self.assertIn("its end is missing", convert("--part", "2/2", cut).stderr)
        self.assertNotIn("its end is missing", convert("--part", "1/2", cut).stderr)
        done = [convert("--part", f"{k}/3", two) for k in (1, 2, 3)]  # a header for each hart
        self.assertEqual([each.returncode for each in done], [0, 0, 2])
        self.assertIn("has something for each hart", done[2].stderr)
        for source, made in ((two, "w.csv"), (self.folder / "w.csv", "packed.shot")):
            self.earshot("convert", "-q", source, "-o", self.folder / made)
        for path, cause in (("w.csv", "--part needs a capture file"), ("packed.shot", "comes back as a whole")):
            done = convert("--part", "1/2", path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(cause, done.stderr)

    def test_several_traces_keep_the_worst_status(self):
        (self.folder / "bad.csv").write_text("no trace\n" * 9)
        done = self.run_farm("--local", "why", self.trace, self.trace)
        self.assertEqual(done.returncode, 1, done.stderr)  # nothing is wrong
        self.assertEqual(done.stdout.count(f"== {self.trace} =="), 2)
        done = self.run_farm("--local", "-o", "f", "why", self.trace, "bad.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a step failed 3 times", done.stderr)
        self.assertIn("bad.csv", (self.folder / "f/log/2.txt").read_text())
        state = json.loads(self.run_farm("status", "f", "--json").stdout)
        self.assertEqual((state["done"], state["failed"], state["merged"]), (1, 1, False))

    def test_a_damaged_trace_has_the_answer_that_it_has_alone(self):
        """With status 2, which a step that cannot be done has, too."""
        cut = self.folder / "cut.shot"
        cut.write_bytes(self.trace.read_bytes()[:self.trace.stat().st_size * 3 // 4])
        empty = self.folder / "empty.shot"
        empty.write_bytes(self.trace.read_bytes()[:1000])  # no record is in it
        for words in (["profile", cut], ["branches", cut], ["profile", empty], ["info", cut, self.trace]):
            with self.subTest(words):
                alone = [subprocess.run([EARSHOT, words[0], path], capture_output=True, text=True, check=False)
                         for path in words[1:]]
                parts = [] if words[0] == "info" else ["--parts", 3]
                done = self.run_farm("--local", *parts, *words)
                self.assertEqual(done.returncode, max(each.returncode for each in alone), done.stderr)
                for each in alone:
                    self.assertIn(each.stdout, done.stdout)
        self.assertEqual(list(self.folder.glob("farm-*")), [])

    def test_what_is_done_is_not_done_again_and_damage_is(self):
        plan = ("-o", "f", "--local", "--parts", 4, "profile", self.trace)
        wanted = self.good(*plan)
        steps = sorted((self.folder / "f/steps").iterdir())
        times = [path.stat().st_mtime_ns for path in steps]
        self.assertEqual(self.good(*plan), wanted)
        self.assertEqual([path.stat().st_mtime_ns for path in steps], times)
        for damage in (lambda path: path.write_bytes(path.read_bytes()[:-1]), os.unlink,
                       lambda path: path.write_bytes(b"x" + path.read_bytes()[1:])):
            damage(self.folder / "f/steps/2.out")
            for path in (self.folder / "f/result").iterdir():
                path.unlink()
            self.assertEqual(self.good(*plan), wanted)
            now = [path.stat().st_mtime_ns for path in steps]
            self.assertEqual([a == b for a, b in zip(now, times)].count(False), 2)  # a result and its record
            times = now

    def test_steps_in_any_order_and_twice(self):
        lines = [json.loads(line) for line in
                 self.good("-o", "f", "--print-steps", "--parts", 5, "profile", self.trace).splitlines()]
        steps, merge = [line["command"] for line in lines[:-1]], lines[-1]["command"]
        self.assertEqual(len(steps), 5)
        order = steps + steps[:2]
        random.Random(1).shuffle(order)
        running = [subprocess.Popen(step) for step in order[:3]]
        self.assertEqual([process.wait() for process in running], [0, 0, 0])
        early = subprocess.run(merge, capture_output=True, text=True, check=False)
        self.assertEqual(early.returncode, 2)
        self.assertRegex(early.stderr, r"step \d is missing")
        for step in order[3:] + [merge]:
            subprocess.run(step, check=True)
        self.assertEqual((self.folder / "f/result/0001-t.shot.txt").read_text(), self.alone("profile", self.trace))
        self.assertRegex(self.run_farm("status", "f").stdout, "merged: yes")

    def test_a_trace_that_changed_and_a_plan_that_is_none(self):
        copy = self.folder / "c.shot"
        copy.write_bytes(self.trace.read_bytes())
        step = json.loads(self.good("-o", "f", "--print-steps", "profile", copy).splitlines()[0])["command"]
        copy.write_bytes(self.trace.read_bytes()[:-100] + bytes(100))
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has changed since the farm was planned", done.stderr)
        plan = self.folder / "f/plan"
        whole = plan.read_bytes()
        for at in range(len(whole)):  # every prefix, and every byte
            for text in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]) if at % 7 == 0 else ():
                plan.write_bytes(text)
                done = self.run_farm("status", "f")
                self.assertEqual(done.returncode, 2, text)
                self.assertRegex(done.stderr, "^earshot: .*(f/plan|No such file)")

    def test_captures_on_devices(self):
        """Two devices that are programs: each capture has one of them for itself, and the first result stays."""
        programs = [PROGRAMS / f"{name}.elf" for name in ("traps", "recursion")]
        (self.folder / "boards").write_text("# two boards\n" + "".join(
            f"* sim:{programs[i]},uart={self.folder}/uart{i}\n" for i in (0, 1)))
        words = ("-o", "f", "--local", "-j2", "--times", 2, "--devices", "boards", "capture", "-q", "--limit", 500)
        done = self.run_farm(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = done.stdout
        paths = [line.split("  ")[1] for line in out.splitlines()]
        self.assertEqual(paths, [str(self.folder / f"f/result/000{i}.shot") for i in (1, 2)])
        subprocess.run(["sha256sum", "-c"], input=out, text=True, capture_output=True, check=True)
        for path in paths:
            self.assertEqual(self.info(path)["records"], 500)
        self.assertEqual(self.good(*words), out)  # nothing is captured again
        (self.folder / "f/steps/1.done").rename(self.folder / "kept")
        self.assertEqual(self.run_farm("step", "f", 1).returncode, 0)  # it is captured again
        out = self.good("-o", "g", "--local", "capture", "-q", "-d", "sim:{},uart=/dev/null", "--limit", 100, *programs)
        self.assertEqual(out.count(".elf.shot\n"), 2)
        for arguments, cause in ((("capture", "-d", "x", "-o", "y"), "without --output"),
                                 (("capture",), "which device?"),
                                 (("--devices", "boards", "info", self.trace), "--devices is for capture")):
            self.assertIn(cause, self.run_farm(*arguments).stderr)
        (self.folder / "boards").write_text("elsewhere sim:x\n")
        done = self.run_farm("-o", "h", "--local", "--devices", "boards", "capture", "-q")
        self.assertEqual(done.returncode, 2)
        self.assertIn("boards: it has no device of", (self.folder / "h/log/1.txt").read_text() + done.stderr)

    def test_bad_words(self):
        for words, cause in (((), "which command?"), (("flash", "x"), "no command that a farm can run"),
                             (("profile",), "which traces"), (("profile", "--nonsense", "x"), "has no option"),
                             (("profile", "none.shot"), "No such file"), (("--parts", 2, "info", self.trace), "no parts"),
                             (("convert", "-f", "json", "-ox", self.trace), "give convert without --output"),
                             (("--parts", 65, "profile", self.trace), "--parts: '65'"),
                             (("step", "f"), "needs DIR and a number"), (("wait", "f"), "No such file")):
            with self.subTest(words):
                done = self.run_farm(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(cause, done.stderr)


@unittest.skipUnless(slurm.is_there(), "slurmctld and slurmd are not installed: scripts/setup --develop")
class Engine(Farm):
    def setUp(self):
        super().setUp()
        self.slurm = slurm.Slurm(self.folder / "slurm")
        self.addCleanup(self.slurm.stop)
        self.slurm.start()

    def campaign(self, *arguments, **keys):
        return self.good(*arguments, environment=self.slurm.environment, **keys)

    def test_a_campaign(self):
        """One step fails once, as where a file system was away; the next round has it alone."""
        words = ("-o", "f", "--parts", 4, "profile", self.trace)
        self.good("--dry-run", *words)
        (self.folder / "f/steps/3.failed.1").touch()
        (self.folder / "f/log/3.txt").mkdir()  # no log can be written: nothing depends on it
        self.assertEqual(self.campaign(*words), self.alone("profile", self.trace))
        self.assertEqual((self.folder / "f/round-1.list").read_text(), "1\n2\n3\n4\n")
        self.assertEqual(self.campaign(*words), self.alone("profile", self.trace))  # nothing is submitted
        self.assertFalse((self.folder / "f/round-2.list").exists())
        (self.folder / "f/steps/2.out").unlink()
        for path in (self.folder / "f/result").iterdir():
            path.unlink()
        self.assertEqual(self.campaign(*words), self.alone("profile", self.trace))
        self.assertEqual((self.folder / "f/round-2.list").read_text(), "2\n")

    def test_captures_with_gres(self):
        """One board a node: two nodes, four captures, each on the board of its node."""
        (self.folder / "boards").write_text("".join(
            f"n{i} sim:{PROGRAMS / 'traps.elf'},uart={self.folder}/uart{i}\n" for i in (1, 2)))
        out = self.campaign("-o", "f", "--gres", "board:1", "--times", 4, "--devices", "boards",
                            "capture", "-q", "--limit", 300)
        self.assertEqual(len(out.splitlines()), 4)
        devices = [(self.folder / f"f/log/{i}.txt").read_text() for i in range(1, 5)]
        self.assertEqual({device.splitlines()[0].rpartition("uart")[2] for device in devices}, {"1", "2"})

    def slow_program(self):
        """A command that takes long, so that something can happen to it: earshot behind a pause."""
        path = self.folder / "slow"
        path.write_text(f"#!/bin/sh\n[ \"$2\" = step ] && sleep 8\nexec {EARSHOT} \"$@\"\n")
        path.chmod(0o755)
        return path

    def begin_slow(self):
        """A campaign whose steps wait some seconds before they begin."""
        words = [EARSHOT, "farm", "-o", "f", "--parts", "4", "--no-wait", "profile", str(self.trace)]
        self.slow = self.slow_program()
        environment = dict(self.slurm.environment, PATH=f"{self.folder}/bin:{self.slurm.environment['PATH']}")
        wrapper = self.folder / "bin/sbatch"
        wrapper.parent.mkdir()
        wrapper.write_text("#!/bin/sh\nfor last; do :; done\nsed -i \"s|^exec '[^']*'|exec " + str(self.slow) +
                           "|\" \"$last\"\nexec /usr/bin/sbatch \"$@\"\n")
        wrapper.chmod(0o755)
        self.environment = environment
        subprocess.run(words, cwd=self.folder, env=environment, check=True, capture_output=True)
        name = "--name=farm-" + (self.folder / "f/plan").read_text().split()[2]
        self.slurm.wait(lambda: self.slurm.run("squeue", "-h", "-r", "-o", "%T", name).count("RUNNING") == 4,
                        "four steps that run")

    def end_slow(self):
        self.assertEqual(self.good("wait", "f", environment=self.environment), self.alone("profile", self.trace))

    @night
    def test_a_node_is_lost(self):
        self.begin_slow()
        self.slurm.crash("n1")
        self.end_slow()

    @night
    def test_the_controller_is_lost(self):
        self.begin_slow()
        self.slurm.kill("slurmctld")
        self.slurm.begin_controller()
        self.end_slow()

    @night
    def test_a_step_is_lost(self):
        self.begin_slow()
        victims = []

        def find():
            for process in slurm.processes_below(os.getpid()):
                try:
                    if b"slow\0farm\0step" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
                        victims.append(process)
                except OSError:
                    pass
            return victims

        self.slurm.wait(find, "a step")
        os.kill(victims[0], 9)
        self.end_slow()


if __name__ == "__main__":
    main()
