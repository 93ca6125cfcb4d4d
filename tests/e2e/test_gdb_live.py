#!/usr/bin/env python3
"""'earshot gdb -d': a run that continues. The core stops when the debugger does, what it did is there whole, and the same
as in a capture; the ring lets the oldest go; whoever leaves, nothing is left behind.
"""
import os
import re
import signal
import subprocess
import tempfile
import time

from gdb_client import PC, Client
from support import EARSHOT, PROGRAMS, Case, main, night

LEFT = re.compile(r"the oldest (\d+) records have left the ring")


def symbol(program, name):
    out = subprocess.run(["riscv64-unknown-elf-nm", PROGRAMS / f"{program}.elf"], capture_output=True, text=True,
                         check=True).stdout
    return next(int(line.split()[0], 16) for line in out.splitlines() if line.split()[2] == name)


class Live(Case):
    def device(self, program):
        return f"sim:{PROGRAMS / program}.elf,uart=/dev/null"

    def attach(self, program, *arguments):
        """All files of the ring are in self.ring."""
        self.ring = self.folder / "ring"
        self.ring.mkdir(exist_ok=True)
        client = Client("-d", self.device(program), "--ring-dir", self.ring, *arguments)
        self.addCleanup(client.__exit__)
        return client

    def interrupt(self, client, seconds):
        """Let it run so long; the stop reply."""
        client.send("vCont;c")
        time.sleep(seconds)
        client.send_bytes(b"\x03")
        data = client.answer()
        if data[:3] != "T02":
            time.sleep(1.5)  # it stopped by itself: Ctrl-C is not for what is sent next
        return data

    def word(self, client, address):
        data = client.memory(address, 4)
        return int.from_bytes(data, "little") if len(data) == 4 else None


class Attached(Live):
    def test_what_is_seen_is_what_a_capture_has(self):
        """The same run, seen live by steps, breakpoints and pauses, and in a file."""
        shot = self.folder / "t.shot"
        self.earshot("capture", "-q", "-d", self.device("sort"), "-o", shot)
        with self.attach("sort") as live, Client(shot) as whole:
            sift = symbol("sort", "sift.constprop.0")
            whole.goto("end")
            last, end = 0, whole.number()
            for round_ in range(12):
                if round_ % 3 == 0:
                    live.ask(f"Z0,{sift:x},2")
                    signal_, pairs = live.go("vCont;c")
                    live.ask(f"z0,{sift:x},2")
                    if "swbreak" not in pairs:
                        break
                    self.assertEqual((signal_, live.register(PC)), (5, sift))
                elif round_ % 3 == 1:
                    for _ in range(20):
                        live.step()
                else:
                    self.interrupt(live, 0.001)
                self.assertGreaterEqual(live.number(), last)  # it was one before
                last = live.number()
                whole.goto(last if last < end else "end")
                self.assertEqual(live.registers(), whole.registers(), last)
                live.back()
                whole.back()
                self.assertEqual(live.registers(), whole.registers(), last)
                self.assertEqual(live.number(), last - 1)
                if last >= end:  # a pause came late
                    break
            _, pairs = live.go("vCont;c")
            self.assertEqual(pairs.get("replaylog"), "end")
            self.assertEqual(live.heard.count("the run is over: "), 1)
            self.assertIn("the program has ended", live.heard)
            whole.goto("end")
            self.assertEqual((live.number(), live.registers()), (whole.number(), whole.registers()))
            _, pairs = live.go("bc")
            self.assertEqual((pairs.get("replaylog"), live.number()), ("begin", 0))
            self.assertEqual(live.close(), 0)
            self.assertEqual(list(self.ring.iterdir()), [])

    def test_the_core_is_held_while_gdb_is_stopped(self):
        with self.attach("endless") as client:
            self.assertTrue(client.ask("?").startswith("T05"))
            self.assertNotIn("replaylog", client.ask("?"))
            at = client.number()
            self.assertIn(f"at the end, after {at} ", client.monitor("when"))
            time.sleep(0.3)
            self.assertIn(f"at the end, after {at} ", client.monitor("goto end"))
            reply = self.interrupt(client, 0.3)
            self.assertTrue(reply.startswith("T02"), reply)
            now = client.number()
            self.assertGreater(now, at + 1000)
            time.sleep(0.3)
            self.assertIn(f"at the end, after {now} ", client.monitor("goto end"))
            # The timer went on, so that an interrupt may be what comes next.
            client.monitor("handlers into")
            client.step()
            self.assertEqual(client.number(), now + 1)
            self.assertEqual(client.close(), 0)

    def test_breakpoints_watchpoints_and_the_way_back(self):
        rounds, numbers = symbol("endless", "rounds"), symbol("endless", "numbers")
        with self.attach("endless") as client:
            client.ask(f"Z0,{symbol('endless', 'count_round'):x},2")
            seen = []
            for _ in range(5):
                _, pairs = client.go("vCont;c")
                self.assertIn("swbreak", pairs)
                values = [self.word(client, numbers + 4 * i) for i in range(16)]
                self.assertEqual(values, sorted(values))
                seen.append((client.number(), self.word(client, rounds)))
            self.assertEqual([value for _, value in seen], list(range(seen[0][1], seen[0][1] + 5)))
            # The past is the same as the present was.
            for number, value in reversed(seen[:-1]):
                client.go("bc")
                self.assertEqual((client.number(), self.word(client, rounds)), (number, value))
            client.ask(f"z0,{symbol('endless', 'count_round'):x},2")
            client.ask(f"Z2,{rounds:x},4")
            # First through what is recorded, then on.
            for value in range(seen[0][1], seen[0][1] + 20):
                _, pairs = client.go("vCont;c")
                self.assertEqual(int(pairs["watch"], 16), rounds)
                self.assertEqual(self.word(client, rounds), value)
                client.ask(f"z2,{rounds:x},4")
                client.step()
                client.ask(f"Z2,{rounds:x},4")
                self.assertEqual(self.word(client, rounds), value + 1)
            # A false condition, until it is interrupted: x0 is 1.
            client.ask(f"z2,{rounds:x},4")
            client.ask(f"Z0,{symbol('endless', 'count_round'):x},2;X3,220027")
            reply = self.interrupt(client, 0.5)
            self.assertTrue(reply.startswith("T02"), reply)
            self.assertGreater(self.word(client, rounds), seen[0][1] + 20)

    def test_the_ring_lets_the_oldest_go(self):
        rounds = symbol("endless", "rounds")
        with self.attach("endless", "--ring", "16Ki") as client:
            client.go("vCont;s")
            client.monitor("mark early")
            left = 0
            for _ in range(1000):  # a busy machine needs many
                reply = self.interrupt(client, 0.5)
                self.assertTrue(reply.startswith("T02"), reply)
                left += sum(map(int, LEFT.findall(client.console)))
                if left:
                    break
            self.assertGreater(left, 0)
            self.assertIn("with 1 of the marks", client.console)
            self.assertNotIn("early", client.monitor("marks"))
            before = self.word(client, rounds)
            number = client.number()
            client.monitor("mark late")
            # There is a begin, and from there the same way leads to here.
            _, pairs = client.go("bc")
            self.assertEqual((pairs.get("replaylog"), client.number()), ("begin", 0))
            client.ask(f"Z0,{symbol('endless', 'count_round'):x},2")
            client.go("vCont;c")
            client.go("vCont;c")
            first = self.word(client, rounds)
            self.assertLess(first, before)
            client.go("vCont;c")
            self.assertEqual(self.word(client, rounds), first + 1)
            client.ask(f"z0,{symbol('endless', 'count_round'):x},2")
            client.goto("late")
            self.assertEqual((client.number(), self.word(client, rounds)), (number, before))
            self.assertLessEqual(len(list(self.ring.glob("*/*.shot"))), 2)
            size = sum(path.stat().st_size for path in self.ring.glob("*/*.shot"))
            self.assertLess(size, 5 * 16384)
            self.assertEqual(client.close(), 0)
            self.assertEqual(list(self.ring.iterdir()), [])

    @night
    def test_a_small_index_lets_the_oldest_go_earlier(self):
        with self.attach("endless", "--memory", "8Ki") as client:
            for _ in range(1000):
                self.interrupt(client, 0.5)
                if LEFT.search(client.console):
                    break
            else:
                self.fail("nothing left the ring")
            client.go("bc")
            self.assertEqual(client.number(), 0)
            self.assertLess(sum(path.stat().st_size for path in self.ring.glob("*/*.idx")), 32768)


class Ends(Live):
    def gone(self):
        deadline = time.monotonic() + 30
        while list(self.ring.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return not list(self.ring.iterdir())

    def test_a_client_that_leaves_leaves_nothing(self):
        for how in ("D", "k", "close", "kill"):
            with self.subTest(how):
                client = self.attach("endless")
                self.assertEqual(len(list(self.ring.iterdir())), 1)
                if how == "kill":
                    client.process.kill()
                elif how == "close":
                    client.process.stdin.close()
                else:
                    client.send(how)
                client.process.wait(30)
                self.assertTrue(self.gone())
                if how != "close":
                    client.process.stdin.close()
                client.process.stdout.close()
                client.process.stderr.close()

    def test_the_process_that_captures_is_killed(self):
        with self.attach("endless") as client:
            children = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and self.parent(pid) == client.process.pid]
            for pid in children:
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if line.read().split(b"\0")[1:2] == [b"gdb"]:
                        os.kill(pid, signal.SIGKILL)
            _, pairs = client.go("vCont;c")
            self.assertEqual(pairs.get("replaylog"), "end")
            self.assertIn("the process that captures has ended", client.console)
            number = client.number()
            client.back()
            self.assertEqual(client.number(), number - 1)
            self.assertEqual(client.close(), 0)

    @staticmethod
    def parent(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])
        except FileNotFoundError:
            return None

    def test_a_dump_is_over_when_it_is_read(self):
        """Of a device that cannot be controlled the core is not held, and that is said."""
        raw = self.folder / "t.raw"
        self.earshot("capture", "-q", "-d", self.device("strings"), "--record", raw, "-o", self.folder / "t.shot")
        with Client("-d", f"file:{raw}") as client, Client(self.folder / "t.shot") as whole:
            whole.goto("end")
            client.go("vCont;c")
            self.assertIn("the run is over", client.console)
            self.assertEqual(client.number(), whole.number())
            self.assertEqual(client.close(), 0)
            self.assertIn("the core runs on while GDB is stopped", client.errors)

    def test_a_core_that_runs_on_while_gdb_looks(self):
        """Its past is there as long as GDB looks at it, though the ring has let it go."""
        raw, pipe = self.folder / "t.raw", self.folder / "pipe"
        self.earshot("capture", "-q", "-d", self.device("endless"), "--limit", 1000000, "--record", raw, "-o",
                     self.folder / "t.shot")
        stream = raw.read_bytes()
        os.mkfifo(pipe)
        self.ring = self.folder / "ring"
        self.ring.mkdir()
        client = Client("-d", f"file:{pipe}", "--ring-dir", self.ring, "--ring", "16Ki", acks=True)
        self.addCleanup(client.__exit__)
        with open(pipe, "wb", buffering=0) as feed, Client(self.folder / "t.shot") as whole:
            feed.write(stream[:8000])
            self.assertEqual(client.ask("QStartNoAckMode"), "OK")
            client.acks = False
            client.xlen = 32
            number = client.number()
            whole.goto(number)
            self.assertEqual(client.registers(), whole.registers())
            client.back()  # so that the end is not the present
            feed.write(stream[8000:])
            deadline = time.monotonic() + 30
            while list(self.ring.glob("*/live-1.shot")) and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertFalse(list(self.ring.glob("*/live-1.shot")))
            for back in range(2, 40):
                client.back()
                whole.goto(number - back)
                self.assertEqual(client.registers(), whole.registers(), back)
            _, pairs = client.go("bc")
            self.assertEqual((pairs.get("replaylog"), client.register(PC)), ("begin", 0x80000000))
            reply = self.interrupt(client, 0.5)
            self.assertIn("have left the ring", client.console)
            self.assertIn("were not looked through", client.console)
            self.assertTrue(reply.startswith("T02") or "replaylog:end" in reply, reply)
            client.goto("end")
            whole.goto("end")
        self.assertEqual(client.close(), 0)
        self.assertEqual(list(self.ring.iterdir()), [])

    def test_what_cannot_be_done(self):
        device = self.device("endless")
        for arguments, told in (
                (["-d", device, "t.shot"], "a trace or a device, not both"),
                (["--ring", "1Mi", "t.shot"], "for a device: give -d"),
                (["-d", device, "--at", "5"], "the newest record is the present"),
                (["-d", device, "--ring", "5"], "--ring"),
                (["-d", device, "--ring-dir", "/nowhere"], "/nowhere: no folder can be made: No such file"),
                (["-d", "sim:/nowhere.elf"], "/nowhere.elf"),
                (["-d", "usb:nothing"], "usb:nothing"),
                ([], "which trace? Or -d DEVICE")):
            with self.subTest(told):
                result = subprocess.run([EARSHOT, "gdb", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                                        text=True, timeout=60, check=False,
                                        env=dict(os.environ, TMPDIR=str(self.folder)))
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(told, result.stderr)
                self.assertEqual(list(self.folder.glob("earshot-*")), [])

    def test_a_folder_by_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TMPDIR"] = folder
            try:
                client = Client("-d", self.device("endless"))
            finally:
                del os.environ["TMPDIR"]
            with client:
                self.assertEqual(len(os.listdir(folder)), 1)
                self.assertEqual(client.close(), 0)
            self.assertEqual(os.listdir(folder), [])


main()
