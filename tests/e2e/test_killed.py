#!/usr/bin/env python3
"""A capture that is killed (SIGKILL) misses at most 2 s of a unit that predicts, where nothing differs and so nothing
is sent: a tight loop, and a program that sleeps. The virtual boards run for an eighth of the time, as on a busy
machine, so their clocks alone (FLUSH_CYCLES) would be too slow."""
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from support import EARSHOT, Case, children, endless_elf, gaps, main, records, wait_until, write_elf

RUNS_MS, STANDS_MS = 4, 28
ALLOWED = 2.0  # seconds
TOLERANCE = 0.9  # of what a board's processor time says about its instructions
TICK = os.sysconf("SC_CLK_TCK")

SLEEPER = [
    0x00001337,  # lui  x6, 1
    0x00128293,  # addi x5, x5, 1
    0xFE629EE3,  # bne  x5, x6, -4
    0x10500073,  # wfi, for ever: there is no interrupt
    0xFFDFF06F,  # jal  x0, -4
]
SLEEPER_RECORDS = 1 + 2 * 4096


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Brake:
    """Lets processes run for a part of the time."""

    def __init__(self, pids):
        self.pids, self.ended = pids, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ended.is_set():
            for number, pause in ((signal.SIGSTOP, STANDS_MS), (signal.SIGCONT, RUNS_MS)):
                for pid in self.pids:
                    send(pid, number)
                time.sleep(pause / 1000)

    def end(self):
        self.ended.set()
        self.thread.join()


class Capture:
    def __init__(self, case, program, *arguments, out=subprocess.DEVNULL):
        device = f"sim:{program},unit=large,uart=/dev/null"
        self.process = subprocess.Popen([EARSHOT, "capture", "-q", "-d", device, *map(str, arguments)], stdout=out,
                                        stdin=subprocess.DEVNULL)
        case.addCleanup(self.process.communicate)
        case.addCleanup(self.process.kill)

    def begin(self, output):
        """Once it has opened its outputs the capture begins."""
        wait_until(lambda: output.exists() or self.process.poll() is not None)
        self.board, = children(self.process.pid)
        self.begun = processor_seconds(self.board)

    def used(self):
        return processor_seconds(self.board) - self.begun


class Killed(Case):
    def counts(self, lines):
        """What a loop counted in whole lines: nothing is missing between."""
        counts = [int(re.search(r"x5=([0-9a-f]+)", line).group(1), 16) for line in lines if "addi " in line]
        self.assertEqual(counts, list(range(1, len(counts) + 1)))

    def check_shot(self, path, at_least):
        info, text = self.info(path), self.decode(path)
        lines = records(text)
        self.assertGreaterEqual(len(lines), at_least)
        self.assertEqual(info["records"], len(lines))
        self.assertEqual(len(gaps(text)), 1)
        self.assertIn("the end of the capture is missing", gaps(text)[0])
        self.assertEqual((info["first_index"], info["complete"], info["skipped_bytes"]), (0, "no", 0))
        return lines

    def check_text(self, path, at_least):
        lines = records(path.read_text())[:-1]  # the last one may be a part
        self.assertGreaterEqual(len(lines), at_least)
        return lines

    def test_what_is_left(self):
        loop, sleeper, rings = self.folder / "loop.elf", self.folder / "sleeper.elf", self.folder / "rings"
        endless_elf(loop)
        write_elf(sleeper, SLEEPER)
        rings.mkdir()
        shot, text, live, ring, idle, whole = (self.folder / name for name in (
            "t.shot", "t.csv", "live.csv", "ring.shot", "idle.shot", "whole.shot"))
        with live.open("wb") as out:
            files = Capture(self, loop, "-o", shot, "-o", text, "-o", "-", out=out)
        flight = Capture(self, loop, "-o", ring, "--ring", "1M", "--ring-dir", rings)
        sleeping = Capture(self, sleeper, "-o", idle)
        ended = Capture(self, loop, "-o", whole)  # in good order: it knows what had retired
        captures = {files: shot, flight: ring, sleeping: idle, ended: whole}
        for capture, output in captures.items():
            capture.begin(output)
        brake = Brake([capture.board for capture in captures])
        try:
            time.sleep(2)
            before = {capture: capture.used() for capture in captures}
            shown_before = live.stat().st_size
            time.sleep(ALLOWED)
            for capture in (files, flight, sleeping):
                capture.process.kill()
                capture.process.wait()
            used = ended.used()
            ended.process.send_signal(signal.SIGINT)
            self.assertEqual(ended.process.wait(60), 0)
        finally:
            brake.end()
            for capture in captures:
                send(capture.board, signal.SIGCONT)
        rate = self.info(whole)["retired"] / used
        self.assertEqual(self.info(whole)["complete"], "yes")

        wanted = rate * before[files] * TOLERANCE
        with self.subTest("text that is shown live"):
            self.assertGreater(shown_before, 1000, "in the first 2 s nothing was shown")
            self.counts(self.check_text(live, wanted))
        with self.subTest("a text file"):
            self.counts(self.check_text(text, wanted))
        with self.subTest("a capture file"):
            self.counts(self.check_shot(shot, wanted))
        with self.subTest("the ring of a flight recorder"):
            kept = [line for file in sorted(rings.iterdir()) for line in self.check_shot(file, 1)]
            self.assertGreaterEqual(len(kept), rate * before[flight] * TOLERANCE)
            self.counts(kept)
        with self.subTest("a program that sleeps"):
            self.assertEqual(len(self.check_shot(idle, SLEEPER_RECORDS)), SLEEPER_RECORDS)


if __name__ == "__main__":
    main()
