#!/usr/bin/env python3
"""The link test, on good links and on bad ones, and the device after it."""
import json
import os
import random
import re
import select
import signal
import socket
import struct
import subprocess
import threading
import tty
import zlib

from support import EARSHOT, PROGRAMS, Case, main

FRAME = 512
MAGIC = b"\xe5\xa1"


class Wire:
    """A virtual board at a serial port: what the board sends goes through `damage` on its way."""

    def __init__(self, damage=None):
        self.damage = damage or (lambda data: data)
        here, there = socket.socketpair()
        self.board = subprocess.Popen(
            [os.environ["EARSHOT_BOARD"], PROGRAMS / "sort.elf", "--fd", str(there.fileno()),
             "--uart", "/dev/null"], pass_fds=[there.fileno()], stderr=subprocess.DEVNULL)
        there.close()
        self.socket = here
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.slave = slave
        self.name = f"uart:{os.ttyname(slave)}"
        self.quit, self.quit_write = os.pipe()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            ready, _, _ = select.select([self.socket, self.master, self.quit], [], [])
            if self.quit in ready:
                return
            if self.master in ready:
                self.socket.sendall(os.read(self.master, 4096))
            if self.socket in ready:
                data = self.damage(self.socket.recv(4096))
                while data:
                    # Not blocked by a reader that has gone.
                    if self.quit in select.select([self.quit], [self.master], [])[0]:
                        return
                    data = data[os.write(self.master, data[:256]):]

    def close(self):
        os.write(self.quit_write, b"x")
        self.thread.join()
        self.socket.close()
        self.board.wait(60)
        for descriptor in (self.master, self.slave, self.quit, self.quit_write):
            os.close(descriptor)


def test_frame(number, words, sequence=0, flip=0):
    """A frame with a TEST message, by docs/protocol.md alone."""
    state = number ^ 0x9E3779B9
    payload = struct.pack("<BBHI", 0x8E, words, 0, number)
    for _ in range(words):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        payload += struct.pack("<I", state)
    payload = payload[:20] + bytes([payload[20] ^ flip]) + payload[21:]
    frame = struct.pack("<HBBHH", 0xA1E5, 1, 0, sequence, len(payload)) + payload
    return frame + struct.pack("<I", zlib.crc32(frame))


class Frames:
    """Cuts a stream without damage into its frames and gives each whole TEST frame to `change`."""

    def __init__(self, change):
        self.change, self.left, self.count = change, b"", 0

    def __call__(self, data):
        self.left += data
        out = b""
        while len(self.left) >= 8:
            size = 12 + int.from_bytes(self.left[6:8], "little")
            if len(self.left) < size:
                break
            frame, self.left = self.left[:size], self.left[size:]
            if size == FRAME:
                frame = self.change(self.count, frame)
                self.count += 1
            out += frame
        return out


class Selftest(Case):
    def selftest(self, *arguments, status=0):
        out, error = self.earshot("selftest", "--json", *arguments, status=status)
        return json.loads(out) if out else None, error

    def board(self, keys=""):
        return f"sim:{PROGRAMS / 'sort.elf'}{keys}"

    def wire(self, damage=None):
        wire = Wire(damage)
        self.addCleanup(wire.close)
        return wire

    def assert_good(self, result):
        for name in ("damaged_frames", "lost_frames", "repeated_frames", "wrong_bits", "lost_bytes", "extra_bytes",
                     "resyncs", "host_lost_bytes", "control_wrong", "control_resent", "errors", "overruns"):
            self.assertEqual(result[name], 0, name)
        self.assertTrue(result["ok"])
        self.assertGreater(result["frames"], 10)
        self.assertGreater(result["control_words"], 1)
        self.assertLessEqual(result["worst_second"], result["rate"])

    def test_the_virtual_board_has_a_good_link(self):
        for unit in ("raw", "small"):
            with self.subTest(unit):
                result, _ = self.selftest("--seconds", "0.2", self.board(f",unit={unit}"))
                self.assert_good(result)
                # Two replies and the frames: nothing else came.
                self.assertEqual(result["bytes"], FRAME * result["frames"] + 2 * 24)

    def test_the_result_can_be_read(self):
        out, _ = self.earshot("selftest", "--seconds", "0.2", self.board())
        self.assertEqual([line.split()[0] for line in out.splitlines()],
                         ["unit", "control", "stream", "frames", "damage", "result"])
        self.assertIn("result    no error", out)
        out, error = self.earshot("selftest", "-q", "--seconds", "0.2", self.board())
        self.assertIn("result    no error", out)
        self.assertEqual(error, "")

    def test_ctrl_c_ends_with_the_result(self):
        process = self.start("selftest", "--json", self.board())
        # The first of the pattern is on its way when control words have been tested, a second at most.
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assert_good(json.loads(out))

    def test_a_serial_port(self):
        wire = self.wire()
        result, _ = self.selftest("--seconds", "0.2", wire.name)
        self.assert_good(result)

    def test_every_bit_that_changes_is_counted(self):
        bits = []

        def change(number, frame):
            if number % 7 != 3:
                return frame
            frame, rng = bytearray(frame), random.Random(number)
            places = rng.sample(range(8 * FRAME), 1 + number % 5)
            for place in places:
                frame[place // 8] ^= 1 << place % 8
            bits.append(len(places))
            return bytes(frame)

        wire = self.wire(Frames(change))
        result, _ = self.selftest("--seconds", "0.2", wire.name, status=1)
        self.assertGreater(len(bits), 0)
        self.assertEqual((result["wrong_bits"], result["damaged_frames"]), (sum(bits), len(bits)))
        self.assertEqual((result["lost_frames"], result["lost_bytes"], result["extra_bytes"]), (0, 0, 0))
        self.assertFalse(result["ok"])

    def test_what_is_lost_and_what_comes_twice_is_counted(self):
        seen = {"lost": 0, "bytes": 0, "twice": 0}

        def change(number, frame):
            kind = number % 16
            if kind == 3:
                seen["lost"] += 1
                return b""
            if kind == 7:
                seen["bytes"] += 5
                return frame[:100] + frame[105:]
            if kind == 11:
                seen["twice"] += 1
                return frame + frame
            return frame

        wire = self.wire(Frames(change))
        result, _ = self.selftest("--seconds", "0.2", wire.name, status=1)
        self.assertGreater(seen["twice"], 0)
        self.assertEqual(result["lost_frames"], seen["lost"])
        self.assertEqual(result["lost_bytes"], seen["bytes"] + FRAME * seen["lost"])
        self.assertEqual(result["repeated_frames"], seen["twice"])
        self.assertEqual((result["wrong_bits"], result["extra_bytes"]), (0, 0))

    def test_over_the_network_and_the_device_is_as_it_was_before(self):
        token = self.folder / "token"
        server = self.start("serve", "-d", self.board(",unit=raw,uart=/dev/null"), "--port", "0", "--token-file", token)
        address = re.search(r"at (tcp:127\.0\.0\.1:\d+);", server.stderr.readline().decode()).group(1)
        device = f"{address},token-file={token}"
        result, _ = self.selftest("--seconds", "0.2", device)
        self.assert_good(result)
        # The board's program has waited in reset all the time.
        self.earshot("capture", "-q", "-d", device, "-o", self.folder / "net.shot", "--limit", 20000)
        self.capture(self.folder / "sim.shot", "sort", "--limit", 20000)
        self.assertEqual(self.decode(self.folder / "net.shot"), self.decode(self.folder / "sim.shot"))

    def test_dump_shows_the_pattern(self):
        path = self.folder / "raw"
        path.write_bytes(test_frame(7, 123) + test_frame(0xFFFFFFFF, 4, 1) + test_frame(1, 4, 2, flip=0x81))
        out, _ = self.earshot("dump", path)
        self.assertEqual([line.split("TEST ")[1] for line in out.splitlines() if "TEST" in line],
                         ["number 7 words 123, 0 bits not as expected",
                          "number 4294967295 words 4, 0 bits not as expected",
                          "number 1 words 4, 2 bits not as expected"])

    def test_what_cannot_be_tested_is_told(self):
        _, error = self.earshot("selftest", "usb:none-such", status=2)
        self.assertNotEqual(error, "")


if __name__ == "__main__":
    main()
