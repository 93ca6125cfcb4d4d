#!/usr/bin/env python3
"""'earshot top' and 'earshot capture --top': what is shown is what 'profile' and 'stat' count, on a device, in a file
that still grows, as lines and on a screen."""
import collections
import json
import os
import shutil
import signal
import subprocess

from support import EARSHOT, PROGRAMS, Case, children, json_lines, main, night, some, wait_until
from terminal import Terminal

KEYS = ("records", "clocks", "traps", "interrupts")


def device(program):
    return f"sim:{PROGRAMS / program}.elf,uart=/dev/null"


class Views(Case):
    def capture(self, program, *arguments):
        shot = self.folder / f"{program}.shot"
        self.earshot("capture", "-q", "-d", device(program), "-o", shot, *arguments)
        return shot

    def view(self, *arguments):
        """Start a view of lines of JSON. Returns it, and the file that they go to."""
        out = self.folder / "out"
        with open(out, "wb") as file, open(self.folder / "error", "wb") as error:
            command = [EARSHOT, "top", "--json", "--rows", "0", "--interval", "0.1", *map(str, arguments)]
            view = subprocess.Popen(command, stdout=file, stderr=error)
        self.addCleanup(lambda: view.poll() is None and view.kill())
        return view, out

    @staticmethod
    def seen(out):
        return sum(json.loads(line)["records"] for line in out.read_bytes().splitlines(True) if line.endswith(b"\n"))

    def sums(self, lines):
        """All intervals together: of functions, of instructions, and of all."""
        functions, pcs, whole = (collections.Counter() for _ in range(3))
        for line in lines:
            for row in line["functions"]:
                for key in KEYS:
                    functions[row["function"], row["entry"], key] += row[key] or 0
            for row in line["instructions"]:
                for key in KEYS:
                    pcs[row["pc"], key] += row[key] or 0
            for key in (*KEYS, "gaps", "missing", "events", "decoded"):
                whole[key] += line[key] or 0
            for name, count in line["classes"].items():
                whole[name] += count or 0
        return +functions, +pcs, +whole

    def compare(self, lines, shot):
        """With --rows 0: the sums are those of profile and stat."""
        functions, pcs, whole = self.sums(lines)
        # A file whose end is missing, as after a kill, is status 2, and is counted all the same.
        profile = json.loads(self.earshot("profile", "--json", "--no-inline", shot, status=None)[0])
        expected = collections.Counter()
        for row in profile["functions"]:
            name = row["name"] if row["name"] and not row["name"].startswith("0x") else None
            for key in KEYS:
                expected[name, row["entry"], key] += row["self"][key] or 0
        self.assertEqual(functions, +expected)
        for key in KEYS:
            self.assertEqual(sum(count for (_, own), count in pcs.items() if own == key), whole[key], key)
            self.assertEqual(profile["total"][key] or 0, whole[key], key)
        stat, = json.loads(self.earshot("stat", "--json", shot, status=None)[0])["traces"]
        for key in ("records", "traps", "interrupts", "gaps", "missing", "events", "decoded", *lines[0]["classes"]):
            self.assertEqual(stat[key] or 0, whole[key], key)
        return whole


class Top(Views):
    def test_all_intervals_are_what_profile_and_stat_count(self):
        for program in some("rtos", "traps", "timer", "recursion", gate=2):
            with self.subTest(program):
                shot = self.capture(program, "--time", "record")
                lines = json_lines(self.earshot("top", "--json", "--rows", 0, "--every", 5000, shot)[0])
                self.assertGreater(len(lines), 2)
                self.assertEqual([line["interval"] for line in lines], list(range(len(lines))))
                self.assertEqual({line["state"] for line in lines[:-1]}, {"running"})
                self.assertEqual(lines[-1]["state"], "ended")
                whole = self.compare(lines, shot)
                self.assertGreater(whole["clocks"], whole["records"])
                # Fewer rows: the others are their rest.
                for line in json_lines(self.earshot("top", "--json", "--rows", 2, "--every", 5000, shot)[0]):
                    for rows, rest in ("functions", "other_functions"), ("instructions", "other_instructions"):
                        self.assertLessEqual(len(line[rows]), 2)
                        for key in KEYS:
                            self.assertEqual(sum(row[key] for row in line[rows]) + line[rest][key], line[key])

    def test_by_time_and_through_a_pipe_it_is_the_same(self):
        shot = self.capture("traps")
        with open(shot, "rb") as file:
            out = subprocess.run([EARSHOT, "top", "--json", "--rows", "0", "-"], stdin=file, capture_output=True,
                                 check=True, timeout=60).stdout
        self.compare(json_lines(out), shot)
        self.compare(json_lines(self.earshot("top", "--json", "--rows", 0, "--interval", 0.05, shot)[0]), shot)
        # Nothing has come as it ran, so there are no rates.
        line = json_lines(out)[0]
        self.assertFalse(line["live"])
        self.assertIsNone(line["capture"])

    @night
    def test_a_device_shows_what_its_capture_has(self):
        shot = self.capture("traps", "--time", "record")
        out, error = self.earshot("top", "-q", "--json", "--rows", 0, "--interval", 0.2, "-d", device("traps"))
        self.assertEqual(error, "")
        lines = json_lines(out)
        whole = self.compare(lines, shot)
        capture = lines[-1]["capture"]
        self.assertEqual(capture["records"], whole["records"])
        self.assertEqual(sum(line["capture"]["skipped"] for line in lines), 0)
        self.assertGreater(sum(line["capture"]["received"] for line in lines), 1000)
        self.assertTrue(lines[0]["live"])

    def test_a_capture_with_a_view_is_the_same_capture(self):
        plain = self.capture("rtos", "--limit", 30000)
        shot = self.folder / "seen.shot"
        out, error = self.earshot("capture", "-d", device("rtos"), "-o", shot, "--limit", 30000, "--top=json")
        self.assertIn("30000 records", error)
        self.earshot("diff", plain, shot)
        lines = json_lines(out)
        self.assertEqual(sum(line["records"] for line in lines), 30000)
        self.assertEqual(lines[-1]["state"], "ended")
        self.assertEqual(sum(count or 0 for line in lines for count in line["classes"].values()), sum(
            line["decoded"] for line in lines))

    @night
    def test_the_reader_of_a_view_leaves_and_the_capture_continues(self):
        shot = self.folder / "left.shot"
        command = [EARSHOT, "capture", "-q", "-d", device("endless"), "-o", shot, "--limit", "60000", "--top=plain"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        error = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(60), 0, error)
        self.assertEqual(self.info(shot)["records"], 60000)

    @night
    def test_a_view_that_stands_still_costs_the_capture_nothing(self):
        """What does not fit in its queue is skipped by the view, and said; the capture has it."""
        shot, out, error = (self.folder / name for name in ("slow.shot", "slow.json", "slow.error"))
        command = [EARSHOT, "capture", "-d", device("endless") + ",unit=raw", "-o", shot, "--top=json"]
        with open(out, "wb") as file, open(error, "wb") as complaints:
            capture = subprocess.Popen(list(map(str, command)), stdout=file, stderr=complaints)
        self.addCleanup(lambda: capture.poll() is None and capture.kill())
        wait_until(lambda: out.read_bytes().count(b"\n") > 1)
        view, = [child for child in children(capture.pid) if os.readlink(f"/proc/{child}/exe") == EARSHOT]
        os.kill(view, signal.SIGSTOP)
        wait_until(lambda: shot.stat().st_size > 12 << 20, 200)
        os.kill(view, signal.SIGCONT)
        count = out.read_bytes().count(b"\n")
        wait_until(lambda: out.read_bytes().count(b"\n") > count + 3)
        capture.send_signal(signal.SIGINT)
        self.assertEqual(capture.wait(60), 0)
        self.earshot("stat", shot)  # 0: nothing is missing
        lines = json_lines(out.read_text())
        captures = [line["capture"] for line in lines]
        self.assertGreater(sum(capture["skipped"] for capture in captures), 0)
        self.assertLess(sum(line["records"] for line in lines), self.info(shot)["records"])
        self.assertEqual(lines[-1]["state"], "ended")

    def test_a_capture_that_another_process_writes_is_followed_to_its_end(self):
        shot = self.folder / "grows.shot"
        capture = self.start_endless(shot)
        view, out = self.view(shot)
        wait_until(lambda: b'"live": true' in out.read_bytes())
        capture.send_signal(signal.SIGINT)
        capture.communicate(timeout=60)
        self.assertEqual(view.wait(60), 0)
        lines = json_lines(out.read_text())
        self.assertEqual([line["state"] for line in lines], ["running"] * (len(lines) - 1) + ["ended"])
        self.compare(lines, shot)

    @night
    def test_what_its_killed_writer_has_left_is_counted(self):
        shot = self.folder / "whole.shot"
        capture = self.start_endless(shot)
        view, out = self.view(shot)
        wait_until(lambda: out.read_bytes().count(b"\n") > 2)
        capture.kill()  # its lock goes with it
        self.assertEqual(view.wait(60), 2)
        lines = json_lines(out.read_text())
        self.assertEqual(lines[-1]["state"], "ended")
        self.compare(lines, shot)

    def test_a_text_that_grows_is_followed_until_ctrl_c(self):
        shot = self.capture("traps", "--limit", 4000)
        text = self.earshot("convert", shot, "-f", "whisper")[0].splitlines(keepends=True)
        path = self.folder / "t.csv"
        path.write_text("".join(text[:3000]))  # more than the 64 KiB that show what it is
        view, out = self.view("--follow", path)
        wait_until(lambda: self.seen(out) > 0)
        with open(path, "a") as file:
            file.write("".join(text[3000:]))
        wait_until(lambda: self.seen(out) == 4000)
        view.send_signal(signal.SIGINT)
        self.assertEqual(view.wait(60), 0)
        self.assertEqual(json_lines(out.read_text())[-1]["state"], "interrupted")
        # Without --follow it ends at the end.
        self.assertEqual(json_lines(self.earshot("top", "--json", path)[0])[-1]["state"], "ended")

    @night
    def test_lines_of_text(self):
        shot = self.capture("timer", "--time", "record")
        out, _ = self.earshot("top", "--plain", "--every", 20000, shot)
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^ *0: \d+ instructions, \d+ clocks, idle [\d.]+%, \d+ traps, \d+ interrupts, "
                                   r"lost 0; \S+ [\d.]+%, \S+ [\d.]+%, \S+ [\d.]+%$")
        self.assertTrue(lines[-1].endswith("; ended"), lines[-1])
        self.assertEqual(self.earshot("top", "--every", 20000, "-n", 1, shot)[0].splitlines(), lines[:1])
        # A hart that waits shows nothing without time, and that is what is said.
        self.assertIn("idle unknown", self.earshot("top", self.capture("timer"))[0])

    def test_loss_is_shown(self):
        shot = self.folder / "lossy.shot"
        out, _ = self.earshot("capture", "-q", "-d", device("traps") + ",unit=raw,stall=200", "--policy", "drop",
                              "-o", shot, "--top=json", status=None)
        lost = self.info(shot)["lost"]
        self.assertGreater(lost, 0)
        self.assertEqual(sum(line["missing"] for line in json_lines(out)), lost)
        self.assertIn(f", lost {lost}", self.earshot("top", "--plain", "--every", 10**9, shot, status=None)[0])

    def test_what_only_waits(self):
        shot = self.capture("timer")
        line, = json_lines(self.earshot("top", "--json", "--idle", "main", "--every", 10**9, "--rows", 0, shot)[0])
        own = sum(row["records"] for row in line["functions"] if row["function"] == "main")
        self.assertGreater(own, 0)
        self.assertGreaterEqual(line["idle"]["records"], own)
        self.assertIn("no function is called 'mein'", self.earshot("top", "--idle", "mein", shot, status=2)[1])


class Screen(Views):
    def terminal(self, *arguments, **options):
        terminal = Terminal(*arguments, **options)
        self.addCleanup(terminal.close)
        return terminal

    def test_a_screen_of_a_file_and_its_keys(self):
        shot = self.capture("rtos", "--time", "record", "--limit", 20000)
        for columns, lines in (80, 24), (200, 60), (40, 10):
            with self.subTest(columns=columns):
                terminal = self.terminal("top", shot, columns=columns, lines=lines)
                text = terminal.wait("ended")
                rows = text.split("\n")
                self.assertEqual(len(rows), lines)
                self.assertTrue(rows[0].startswith(" earshot top"), rows[0])
                self.assertIn("20.0k", rows[1])
                self.assertIn("share function", text)
                if columns > 40:
                    self.assertIn("share instruction", text)
                    self.assertIn("interrupts", text)
                    self.assertIn("opcodes alu", text)
                    self.assertIn("clocks", text)
                    self.assertIn("q leave", rows[-1])
                terminal.key("s")
                terminal.wait("clocks   share function")
                terminal.key("?")
                terminal.wait("any key: back")
                terminal.key(" ")
                terminal.wait("share function")
                terminal.key("l")
                terminal.wait(lambda text: "share instruction" not in text)
                terminal.key("l")
                terminal.wait(lambda text: "share function" not in text and "share instruction" in text)
                if columns > 40:
                    terminal.key("h")
                    terminal.wait("clocks, hart 0 ")
                    terminal.key("h")
                    terminal.wait("clocks, all harts ")
                terminal.resize(100, 30)
                terminal.wait(lambda text: "q leave" in text.split("\n")[-1] and len(text.split("\n")) == 30)
                terminal.key("q")
                self.assertEqual(terminal.end(), 0)
                self.assertTrue(terminal.raw.rstrip().endswith(b"\x1b[?25h\x1b[?1049l"), terminal.raw[-60:])

    @night
    def test_a_screen_of_a_device(self):
        terminal = self.terminal("top", "-d", device("endless"), "--interval", 0.1)
        terminal.wait("buffer")
        terminal.wait("instr/s   share function")
        text = terminal.wait(lambda text: "sort_numbers" in text)
        self.assertIn("link", text)
        terminal.key(" ")
        terminal.wait("paused, running")
        terminal.key(" ")
        terminal.wait(lambda text: "paused" not in text)
        terminal.key("t")
        terminal.wait("total, by")
        terminal.key("q")
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"; view left", terminal.raw)

    def test_ctrl_c_leaves_a_good_file(self):
        shot = self.folder / "good.shot"
        terminal = self.terminal("capture", "-d", device("endless"), "-o", shot, "--top")
        terminal.wait(lambda text: "sort_numbers" in text)
        terminal.key("\x03")
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"; interrupted", terminal.raw)
        self.earshot("stat", shot)  # 0: nothing is missing

    def test_leaving_the_screen_does_not_end_the_capture(self):
        shot = self.folder / "on.shot"
        terminal = self.terminal("capture", "-d", device("endless"), "-o", shot, "--top")
        terminal.wait(lambda text: "sort_numbers" in text)
        terminal.key("t")
        terminal.wait("total, by")
        terminal.key("t")
        terminal.wait("this interval, by")
        terminal.key(" ")
        terminal.wait("paused, running")
        terminal.key(" ")
        terminal.wait(lambda text: "paused" not in text)
        terminal.key("q")
        terminal.wait_raw(b"\x1b[?1049l")  # the end of the screen
        size = shot.stat().st_size
        wait_until(lambda: shot.stat().st_size > size)
        terminal.key("\x03")
        self.assertEqual(terminal.end(), 0)
        self.earshot("stat", shot)  # 0: nothing is missing

    @night
    def test_colours_are_only_where_they_are_wanted(self):
        shot = self.capture("traps", "--limit", 2000)
        for environment, coloured in ({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False):
            terminal = self.terminal("top", shot, environment=environment)
            terminal.wait("ended")
            terminal.key("q")
            terminal.end()
            self.assertEqual(b"\x1b[36m" in terminal.raw, coloured, environment)
        # No screen where there is none.
        terminal = self.terminal("top", shot, environment={"TERM": "dumb"})
        terminal.end()
        self.assertNotIn(b"\x1b", terminal.raw)

    def test_a_hostile_name_is_text(self):
        shot = self.capture("traps", "--limit", 2000)
        elf = self.folder / "hostile.elf"
        data = (PROGRAMS / "traps.elf").read_bytes()
        self.assertIn(b"\0main\0", data)
        elf.write_bytes(data.replace(b"\0main\0", b"\0\x1b[2J\0"))
        path = self.folder / "a\x1b]0;mine\x07\u202eb.shot"
        shutil.copy(shot, path)
        terminal = self.terminal("top", "--elf", elf, "--elf-anyway", path, columns=200)
        text = terminal.wait("ended")
        self.assertIn(r"\x1b[2J", text)
        self.assertIn(r"\x1b]0;mine\x07", text)
        terminal.key("q")
        terminal.end()
        body = terminal.raw[len(b"\x1b[?1049h\x1b[?25l\x1b[2J"):]
        self.assertNotIn(b"\x1b[2J", body)
        self.assertNotIn(b"\x1b]", body)
        self.assertNotIn("\u202e".encode(), body)
        for how in "--plain", "--json":
            out, _ = self.earshot_bytes("top", how, "--elf", elf, "--elf-anyway", path)
            self.assertNotIn(b"\x1b", out)


if __name__ == "__main__":
    main()
