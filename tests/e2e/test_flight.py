#!/usr/bin/env python3
"""The flight recorder: of a run of any length the newest part is in the file, and it can be decoded."""
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import zlib

from support import EARSHOT, GAP, PROGRAMS, Case, children, endless_elf, gaps, main, read_frames, records, some, \
    wait_until

RING = 16384
LIMIT = 16000  # records of a run
KEPT = re.compile(r"kept (\d+) records in (\d+) bytes(?:, index (\d+) to (\d+))?; evicted (\d+) records in (\d+) bytes "
                  r"before them(?:, and (\d+) records in (\d+) bytes after them)?")
RECEIVED = re.compile(r"earshot: (\d+) records in (\d+) bytes")
EVENT = re.compile(r"the event of --until is at index (\d+), with (\d+) records after it")


class Flight(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "all.shot", "sort", "--limit", LIMIT)
        cls.all = records(case.decode(cls.shared / "all.shot"))
        # A ring of a unit that predicts, for the tests that only read it.
        case.folder = cls.shared
        cls.error = case.ring(unit="large")

    def ring(self, *arguments, program="sort", unit="raw", status=0, size=RING, keys=""):
        """A capture with a ring: its standard error. Time makes enough bytes in predict mode."""
        return self.capture(self.folder / "t.shot", program, "--ring", size, "--time", "record", "--limit", LIMIT,
                            *arguments, keys=f",unit={unit}{keys}", status=status)

    def check(self, error, whole=None, ring=True):
        """The file is the part of the run that the summary says, and every byte is accounted for. Returns the index
        of its first and last record."""
        whole = whole or self.all
        text, info = self.decode(self.folder / "t.shot"), self.info(self.folder / "t.shot")
        kept, size, first, last, let_go, let_go_size, surplus, surplus_size = (int(x or 0) for x in KEPT.search(error).groups())
        received, received_size = (int(x) for x in RECEIVED.search(error).groups())
        self.assertEqual(records(text), whole[first:last + 1])
        self.assertEqual((len(records(text)), gaps(text)), (kept, []))
        self.assertEqual((info["records"], info["first_index"], info["last_index"]), (kept, first, last))
        self.assertEqual((info["let_go_records"], info["let_go_bytes"]), (let_go, let_go_size))
        self.assertEqual(info["wire_bytes"], size)
        self.assertEqual(first, let_go)
        self.assertEqual(let_go_size + size + surplus_size, received_size)
        self.assertEqual(let_go + kept + surplus, received)
        self.assertEqual((info["skipped_bytes"], info["missing_frames"], info["bad_messages"]), (0, 0, 0))
        if ring and let_go:
            self.assertGreaterEqual(size, RING)
            self.assertLessEqual(size, RING * 5 // 4 + 2048)
        self.assertEqual(list(self.folder.glob("*.ring-*")), [])
        return first, last

    def event(self, error):
        return tuple(int(x) for x in EVENT.search(error).groups())

    def test_the_end_of_a_run(self):
        first, last = self.check(self.ring())
        self.assertGreater(first, LIMIT // 2)
        self.assertEqual(last, LIMIT - 1)
        info = self.info(self.folder / "t.shot")
        self.assertEqual((info["complete"], info["end_reason"], info["retired"]), ("yes", "limit", LIMIT))

    def test_the_end_of_a_run_that_was_predicted(self):
        self.folder = self.shared
        first, last = self.check(self.error)
        self.assertGreater(first, LIMIT // 2)
        self.assertEqual(last, LIMIT - 1)
        info = self.info(self.folder / "t.shot")
        self.assertEqual((info["mode"], info["xlen"], info["complete"]), ("predict", 32, "yes"))

    def test_every_command_reads_the_file(self):
        shot, first = self.shared / "t.shot", self.info(self.shared / "t.shot")["first_index"]
        self.assertEqual(records(self.decode(shot, "--from", 100)), self.all[first + 100:])
        self.earshot("convert", shot, "-o", self.folder / "t.csv")
        self.assertEqual((self.folder / "t.csv").read_text(), self.decode(shot))
        self.earshot("diff", shot, self.folder / "t.csv")
        self.assertEqual(self.earshot("grep", "-c", "--privilege", "m", shot)[0], f"{LIMIT - first}\n")
        out, _ = self.earshot("dump", shot)
        self.assertNotIn("unreadable", out)
        self.assertNotIn("which only a UNIT", out)
        self.assertRegex(out, r"^0+ frame hart 0 ")
        # The stream alone cannot be decoded: it is the state in the file that makes it readable.
        raw = subprocess.run(["zstd", "-d", "-c", shot], check=True, capture_output=True).stdout
        (self.folder / "t.raw").write_bytes(raw)
        self.assertEqual(records(self.decode(self.folder / "t.raw")), [])

    def test_text_beside_the_capture_file(self):
        text = self.folder / "t.csv"
        self.check(self.ring("-o", text, "--until", "records=8000", "--after", 5000, unit="large"), ring=False)
        self.assertEqual(text.read_text(), self.decode(self.folder / "t.shot"))

    def test_a_ring_larger_than_the_run(self):
        for unit in some("large", "raw"):
            with self.subTest(unit):
                self.assertEqual(self.check(self.ring(unit=unit, size="100M")), (0, LIMIT - 1))
                self.assertEqual(self.info(self.folder / "t.shot")["complete"], "yes")

    def test_files(self):
        self.assertGreater(self.check(self.ring("--ring-dir", self.folder))[0], LIMIT // 2)

    def test_the_units_trigger_is_exact(self):
        for unit, trigger, index in some(("large", "records=12k", 11999), ("large", "cycles=30k", None),
                                         ("raw", "records=12k", 11999), gate=2):
            with self.subTest(f"{unit} {trigger}"):
                error = self.ring("--until", trigger, unit=unit)
                last = self.check(error)[1]
                self.assertIn(index, (last, None))
                self.assertEqual(self.event(error), (last, 0))
                info = self.info(self.folder / "t.shot")
                self.assertEqual((info["complete"], info["end_reason"], info["event_index"]), ("yes", "event", last))

    def test_records_behind_the_event(self):
        for unit, after in some(("raw", 300), ("large", 5500), ("large", 1), gate=2):
            with self.subTest(f"{unit} {after}"):
                error = self.ring("--until", "records=10k", "--after", after, unit=unit)
                first, last = self.check(error, ring=False)
                self.assertEqual(self.event(error), (9999, last - 9999))
                # A frame holds some records: in predict mode more than in raw mode.
                self.assertIn(last - 9999 - after, range(0, 500))
                self.assertIn(first, range(1, 10000))

    def test_unit_and_records_find_the_same_event(self):
        for trigger in some("addr=a:w", "opcode=0x2003/0x707f"):
            with self.subTest(trigger):
                by_unit = self.event(self.ring("--until", trigger, unit="large"))
                by_host = self.event(self.ring("--until", trigger, "--after", 1, unit="large"))
                self.assertEqual(by_unit[0], by_host[0])

    def test_traps(self):
        self.capture(self.folder / "whole.shot", "traps")
        whole = records(self.decode(self.folder / "whole.shot"))
        error = self.ring("--until", "exception", "--after", 3, program="traps", unit="large")
        self.check(error, whole)
        found, _ = self.earshot("grep", "--trap", "-m", 1, self.folder / "whole.shot")
        self.assertEqual(whole[self.event(error)[0]], records(found)[0])
        error = self.ring("--until", "trap=2", program="traps")
        self.check(error, whole)
        found, _ = self.earshot("grep", "--trap=2", "-m", 1, self.folder / "whole.shot")
        self.assertEqual(whole[self.event(error)[0]], records(found)[0])

    def test_a_core_that_computes_wrong(self):
        """fault=alu flips bit 4 of each N-th result; the violation is the first that 'earshot check' finds in all."""
        for unit, fault in some(("large", "alu:3000"), ("small", "store:100"), ("raw", "alu:40:sll")):
            with self.subTest(fault):
                keys = f",fault={fault},max-cycles=200000"
                self.capture(self.folder / "whole.shot", keys=keys + ",unit=large")
                whole = records(self.decode(self.folder / "whole.shot"))
                first, _ = self.earshot("check", "--limit", 1, self.folder / "whole.shot", status=1)
                error = self.ring("--until", "violation", "--after", 20, unit=unit, keys=keys)
                self.check(error, whole, ring=False)
                index, what = self.event(error)[0], self.info(self.folder / "t.shot")["event_violation"]
                self.assertRegex(first, rf"^#{index} .*: {re.escape(what)}\n")
                self.assertIn(f"earshot: {what}\n", error)

    def test_a_core_without_a_fault_has_no_violation(self):
        for program in some("traps", "sort", "rtos"):
            self.assertIn("was not seen", self.ring("--until", "violation", program=program, unit="large", status=1))

    def test_a_violation_of_a_rule(self):
        keys = ",fault=store:100,max-cycles=200000"
        error = self.ring("--until", "violation=loaded", keys=keys, unit="large")
        self.assertIn("where", error)
        self.ring("--until", "violation=order,flow", keys=keys, unit="large", status=1)

    def test_an_event_that_never_comes(self):
        error = self.ring("--until", "exception", unit="large", status=1)
        first, last = self.check(error)
        self.assertIn(f"the event of --until was not seen; the file holds the last {last - first + 1} records", error)
        self.assertEqual(last, LIMIT - 1)

    def test_the_run_ends_soon_behind_the_event(self):
        error = self.ring("--until", "records=15900", "--after", 1000, unit="large")
        self.check(error)
        self.assertIn("the capture ended 100 records after the event, not 1000", error)

    def test_what_the_unit_drops_is_told(self):
        error = self.ring("--policy", "drop", keys=",link=20M")
        info, text = self.info(self.folder / "t.shot"), self.decode(self.folder / "t.shot")
        self.assertGreater(info["lost"], 0)
        self.assertEqual((info["complete"], info["accounted"], len(gaps(text))), ("no", "yes", info["gaps"]))
        at = info["first_index"]
        for line in text.splitlines():
            gap = GAP.match(line)
            if gap:
                self.assertEqual(int(gap.group(2)), at)
                at = int(gap.group(3)) + 1
            elif not line.startswith(("#", "pc,")):
                self.assertEqual(line, self.all[at])
                at += 1
        self.assertEqual(at, LIMIT)
        self.assertEqual(int(KEPT.search(error).group(1)), info["records"])


class Ends(Case):
    """A capture that is ended from outside."""

    def begin(self, *arguments):
        """Capture an endless program until the ring has let something go."""
        endless_elf(self.folder / "endless.elf")
        self.shot, rings = self.folder / "t.shot", self.folder / "rings"
        rings.mkdir(exist_ok=True)
        device = f"sim:{self.folder}/endless.elf,unit=large,uart=/dev/null"
        process = self.start("capture", "-d", device, "-o", self.shot, "--time", "record", "--ring", RING,
                             "--ring-dir", rings, *arguments)

        def wrapped():
            return any(int(file.name[-11:-5]) >= 30 for file in rings.iterdir()) or process.poll() is not None
        wait_until(wrapped)
        self.assertIsNone(process.poll(), "the capture ended too early")
        return process, rings

    def check_loop(self, lines):
        """The program counts, and nothing is missing."""
        counts = [int(re.search(r"x5=([0-9a-f]+)", line).group(1), 16) for line in lines if "addi " in line]
        self.assertGreater(len(counts), 100)
        self.assertEqual(counts, list(range(counts[0], counts[0] + len(counts))))
        return counts[0]

    def check_file(self, cut=False):
        text = self.decode(self.shot)
        self.assertEqual([line for line in gaps(text) if not cut or not re.search("the data end inside a frame|the end of the capture is missing", line)], [])
        self.assertGreater(self.check_loop(records(text)), 1000)

    def test_interrupt(self):
        for arguments, status in some(([], 0), (["--until", "pc=0x4"], 1)):
            process, rings = self.begin(*arguments)
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, status, error)
            self.check_file()
            info = self.info(self.shot)
            self.assertEqual((info["complete"], info["end_reason"]), ("yes", "interrupted"))
            self.assertGreater(info["let_go_records"], 1000)
            self.assertEqual(list(rings.iterdir()), [])

    def test_the_progress_line(self):
        endless_elf(self.folder / "endless.elf")
        terminal, other = pty.openpty()
        self.addCleanup(os.close, terminal)
        device = f"sim:{self.folder}/endless.elf,unit=large,uart=/dev/null"
        with subprocess.Popen([EARSHOT, "capture", "-d", device, "-o", self.folder / "t.shot", "--time", "record",
                               "--ring", str(RING)], stdin=subprocess.DEVNULL, stderr=other) as process:
            os.close(other)
            seen = b""
            while not re.search(rb"lost 0, \d+ records, ring 100%: the last [1-9]\d+ records, ", seen):
                seen += os.read(terminal, 65536)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 0)

    def test_the_device_goes_away(self):
        process, rings = self.begin()
        board, = children(process.pid)
        os.kill(board, signal.SIGKILL)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"the file is complete up to the last whole frame", error)
        self.check_file(cut=True)
        self.assertEqual(list(rings.iterdir()), [])

    def test_the_command_is_killed(self):
        process, rings = self.begin()
        time.sleep(1.2)  # files are made readable once a second
        process.kill()
        process.communicate()
        files = sorted(rings.iterdir())
        self.assertGreater(len(files), 10)
        # All but the last, which may have been begun only now, and hold nothing yet.
        lines = [line for file in files[:-1] for line in records(self.decode(file))]
        self.assertGreater(self.check_loop(lines), 1000)

    def test_the_output_cannot_be_written(self):
        # The disk is full when the file has 40 KiB; the segments are smaller.
        rings = self.folder / "rings"
        rings.mkdir()
        device = f"sim:{PROGRAMS}/sort.elf,unit=raw,uart=/dev/null"
        small = 'trap "" XFSZ; ulimit -f 40; "$0" "$@"'
        result = subprocess.run(["bash", "-c", small, EARSHOT, "capture", "-d", device, "-o", self.folder / "t.shot",
                                 "--limit", "20000", "--ring", "512Ki", "--ring-dir", rings],
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("t.shot: File too large", result.stderr)
        self.assertIn(f"what was kept is in {rings}/t.shot.ring-", result.stderr)
        files = sorted(rings.iterdir())
        self.assertEqual(sum(len(records(self.decode(file))) for file in files), 20000)


class Link(Case):
    """A unit that predicts at the other end of a bad line: the command asks it for a hard SYNC."""

    COUNT = 400000

    def bad_line(self):
        """A device tcp:... through which one bit of the stream comes wrong."""
        endless_elf(self.folder / "endless.elf")
        token = self.folder / "token"
        server = self.start("serve", "-d", f"sim:{self.folder}/endless.elf,unit=large,uart=/dev/null", "--port", "0",
                            "--token-file", token)
        port = int(re.search(r"at tcp:127\.0\.0\.1:(\d+);", server.stderr.readline().decode()).group(1))
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        # Little is on its way: what the host asks for comes long before the end of the capture.
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            listener.setsockopt(socket.SOL_SOCKET, option, 4096)

        def carry(source, sink, wrong):
            passed = 0
            try:
                while data := source.recv(65536):
                    if passed <= wrong < passed + len(data):
                        data = bytearray(data)
                        data[wrong - passed] ^= 4
                    passed += len(data)
                    sink.sendall(data)
            except OSError:
                pass
            for end in (source, sink):
                end.close()

        def serve():
            host, _ = listener.accept()
            unit = socket.socket()
            unit.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            unit.connect(("127.0.0.1", port))
            threading.Thread(target=carry, args=(host, unit, -1), daemon=True).start()
            carry(unit, host, 30000)
        threading.Thread(target=serve, daemon=True).start()
        return f"tcp:127.0.0.1:{listener.getsockname()[1]},token-file={token}"

    def capture_endless(self, *arguments):
        _, error = self.earshot("capture", "-d", self.bad_line(), "-o", self.folder / "t.shot", "--time", "record",
                                "--limit", self.COUNT, *arguments)
        return error, self.decode(self.folder / "t.shot"), self.info(self.folder / "t.shot")

    def check_counts(self, lines, index):
        """The loop of three instructions is at the right place in it: x5 counts the rounds."""
        for at, line in enumerate(lines, index):
            if at % 3 == 1:
                self.assertIn(f"x5={at // 3 + 1:x},", line)

    def test_decoding_goes_on_behind_the_sync(self):
        error, text, info = self.capture_endless()
        gap, = gaps(text)
        count, first, last = (int(x) for x in GAP.match(gap).groups()[:3])
        before, after = (records(part) for part in text.split(gap))
        self.assertEqual((len(before), last), (first, first + count - 1))
        self.assertEqual(len(after), self.COUNT - last - 1)
        self.assertGreater(len(after), 1000)
        self.check_counts(before, 0)
        self.check_counts(after, last + 1)
        self.assertEqual((info["missing"], info["missing_frames"]), (count, 1))
        self.assertIn(f"{count} lost", error)

    def test_the_ring_has_a_state_again(self):
        error, text, info = self.capture_endless("--ring", RING)
        self.assertEqual((gaps(text), info["last_index"]), ([], self.COUNT - 1))
        self.assertNotIn("cannot be decoded", error)
        self.check_counts(records(text), info["first_index"])


class Dump(Case):
    """A device that takes no orders."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case, shot = cls(), cls.shared / "all.shot"
        case.capture(shot, "sort", "--time", "record", "--limit", LIMIT, keys=",unit=large")
        cls.all = records(case.decode(shot))
        cls.raw = subprocess.run(["zstd", "-d", "-c", shot], check=True, capture_output=True).stdout

    def ring(self, raw, *arguments, status=0):
        (self.folder / "t.raw").write_bytes(raw)
        _, error = self.earshot("capture", "-d", f"file:{self.folder}/t.raw", "-o", self.folder / "t.shot", "--ring",
                                RING, *arguments, status=status)
        return error, records(self.earshot("decode", self.folder / "t.shot")[0])

    def test_the_end_and_an_event(self):
        _, found = self.ring(self.raw)
        self.assertEqual(found, self.all[-len(found):])
        self.assertLess(len(found), len(self.all) // 2)
        error, found = self.ring(self.raw, "--until", "pc=main", "--elf", PROGRAMS / "sort.elf", "--after", 10)
        index, after = (int(x) for x in EVENT.search(error).groups())
        self.assertEqual(found, self.all[index + after + 1 - len(found):index + after + 1])
        self.assertGreaterEqual(after, 10)
        error, _ = self.ring(self.raw, "--until", "addr=0x4:w", status=1)
        self.assertIn("was not seen", error)

    def test_damage_that_nobody_can_mend_is_told(self):
        # Behind it no record can be worked out, and nobody is there to be asked for a SYNC.
        damaged = bytearray(self.raw)
        damaged[5000] ^= 1
        error, found = self.ring(damaged)
        self.assertIn("bytes of the file cannot be decoded: something was lost before them", error)
        self.assertEqual(found, [])
        # Near the end: what came before is there.
        damaged = bytearray(self.raw)
        damaged[len(damaged) - 5000] ^= 1
        error, found = self.ring(damaged)
        self.assertNotIn("cannot be decoded", error)
        self.assertGreater(len(found), 1000)
        begin = self.all.index(found[0])
        self.assertTrue(any(self.all[i:i + len(found)] == found for i in range(begin, len(self.all))))

    def test_a_state_after_a_loss_is_written(self):
        """A SYNC in the middle of a frame is found by who has read the unit's properties before, and by nobody else."""
        path = self.folder / "all.raw"
        path.write_bytes(self.raw)
        out, _ = self.earshot("dump", path)
        record = int(re.search(r"(?m)^([0-9a-f]+) +GENERAL ", out)[1], 16)
        frames = [(at, payload) for at, _, payload in read_frames(self.raw)]
        first = next(i for i, (_, payload) in enumerate(frames) if payload[0] == 0x81)
        payloads = [payload for _, payload in frames[first:]]
        begin = record - frames[first][0] - 8
        head, tail = payloads[0][:begin], payloads[0][begin:]
        filler = bytes((1, 0x85, 2))  # a record of the stream before
        stream = bytearray()
        # The stream, damaged at its beginning; then it begins again.
        for number, payload in enumerate([*payloads, filler + head, tail, *payloads[1:20]]):
            payload += bytes((0x80,)) * (-len(payload) % 4)
            frame = struct.pack("<HBBHH", 0xA1E5, 1, 0, number, len(payload)) + payload
            stream += frame + struct.pack("<I", zlib.crc32(frame) ^ (number == 1))
        error, found = self.ring(stream)
        self.assertGreater(len(found), 100)
        self.assertTrue(any(self.all[i:i + len(found)] == found for i in range(len(self.all))))
        self.assertIn("cannot be decoded", error)


if __name__ == "__main__":
    main()
