#!/usr/bin/env python3
"""The built command with an emulated device on USB: exit status, messages, and what is in the file."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

EARSHOT = os.environ["EARSHOT_BIN"]
PRELOAD = os.environ["EARSHOT_PRELOAD"] + ":libumockdev-preload.so.0"

# What looks enough like firmware: a jump, and the settings without a serial number.
IMAGE = b"\x02\x01\x00".ljust(0x80, b"\0") + b"EARS\x01".ljust(0x100, b"\0")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.shot = self.folder / "t.shot"
        self.firmware = self.folder / "firmware.bin"
        self.firmware.write_bytes(IMAGE)

    def environment(self, device, **more):
        environment = dict(os.environ, EARSHOT_BOARD="/nowhere", **more)
        environment.pop("EARSHOT_TOKEN", None)
        environment.pop("EARSHOT_FX2_FIRMWARE", None)
        if device:
            # The emulated bus removes files of its own at the end, which the sandbox forbids.
            environment.update(EARSHOT_EMULATION=device, LD_PRELOAD=PRELOAD, EARSHOT_SANDBOX="off")
        environment.update(more)
        return environment

    def assert_clean(self, error):
        for text in ("LEFT:", "Sanitizer", "runtime error"):
            self.assertNotIn(text, error)

    def earshot(self, device, *arguments, status=0, **more):
        result = subprocess.run([EARSHOT, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                                check=False, env=self.environment(device, **more))
        self.assert_clean(result.stderr)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout, result.stderr

    def capture(self, device, *arguments, status=0, name="usb:"):
        return self.earshot(device, "capture", "-d", name, "-o", self.shot, *arguments, status=status)[1]

    def info(self):
        out, _ = self.earshot(None, "info", "-q", self.shot)
        return out

    def indexes(self):
        """The number of each record in the file, by the program counter of the fake unit, and the gaps."""
        out, _ = self.earshot(None, "decode", "-f", "json", self.shot)
        pcs = [int(pc, 0) for pc in re.findall(r'"pc": ?"?(0x[0-9a-f]+|\d+)', out)]
        return [(pc - 0x80000000) // 4 for pc in pcs], out

    def assert_contiguous(self, indexes):
        self.assertEqual(indexes, list(range(len(indexes))))

    def test_a_capture_comes_whole(self):
        for device, name in (("fx2,frames=500", "usb:"), ("ftdi,frames=500", "ftdi:")):
            with self.subTest(device):
                error = self.capture(device, name=name)
                self.assertIn("none lost; program ended", error)
                self.assertNotIn("the link had", error)
                indexes, _ = self.indexes()
                self.assert_contiguous(indexes)
                self.assertEqual(len(indexes), 5250)

    def test_unplugged_in_the_middle(self):
        error = self.capture("fx2,endless,unplug=400000", status=2)
        self.assertIn("unplugged", error)
        self.assertIn("the file is complete up to the last whole frame", error)
        indexes, _ = self.indexes()
        self.assert_contiguous(indexes)
        self.assertGreater(len(indexes), 1000)

    def test_unplugged_and_back(self):
        # The emulated device is faster than a loaded machine: it waits here, as nothing else shall be lost.
        error = self.capture("fx2,endless,unplug=400000,replug=50", "--reconnect", "20", "--limit", "4MB",
                             "--buffer-full", "wait")
        self.assertIn("disappeared and returned, 1 time\n", error)
        indexes, out = self.indexes()
        # The unit lost its power, so its count restarts after the gap.
        again = indexes.index(0, 1)
        self.assert_contiguous(indexes[:again])
        self.assert_contiguous(indexes[again:])
        self.assertEqual(len(re.findall(r'"gap"', out)), 1, "one gap, in its place")

    def test_faults_that_are_put_right(self):
        error = self.capture("fx2,endless,stall=200000,error=400000", "--limit", "2MB", "--buffer-full", "wait")
        self.assertIn("the link had", error)
        indexes, _ = self.indexes()
        self.assert_contiguous(indexes)

    def test_a_packet_too_long_is_a_gap(self):
        error = self.capture("fx2,endless,overflow=200000", "--limit", "1MB", "--buffer-full", "wait")
        self.assertIn("1 overflow and", error)
        _, out = self.indexes()
        self.assertIn('"gap"', out)

    def test_a_limit_of_the_kernel_is_told(self):
        error = self.capture("fx2,frames=10,megabytes=1")
        self.assertNotIn("warning", error)  # half a megabyte is in flight then

    def test_what_cannot_be_opened(self):
        cases = [
            ("fx2,forbidden", "udev rules"),
            ("fx2,busy", "another program uses the device"),
            ("fx2,mute", "no answer"),
            ("fx2,major=2", "speaks version 2."),
            ("bare", "/nowhere.bin, which EARSHOT_FX2_FIRMWARE names"),
        ]
        for device, message in cases:
            with self.subTest(device):
                _, error = self.earshot(device, "capture", "-d", "usb:", "-o", self.shot, status=2,
                                        EARSHOT_FX2_FIRMWARE="/nowhere.bin")
                self.assertIn(message, error)
                self.assertFalse(self.shot.exists())

    def test_list(self):
        out, _ = self.earshot("fx2", "list")
        self.assertRegex(out, r"(?m)^usb:EAR0001 +FX2LP with Earshot's firmware +/dev/bus/usb/001/\d+ at 1-3, 480 Mb/s$")
        out, _ = self.earshot("ftdi", "list")
        self.assertRegex(out, r"(?m)^ftdi:FT0001 +FTDI FT232H ")
        out, _ = self.earshot("bare", "list")
        self.assertRegex(out, r"(?m)^usb:1-3 +FX2LP without firmware .*gets its firmware when it is opened$")
        out, _ = self.earshot("fx2,forbidden", "list", status=1)
        self.assertRegex(out, r"(?m)^usb:EAR0001 .*not usable: .*no permission; install Earshot's udev rules")

    def doctor(self, device, *arguments):
        # The board and, on most machines, the udev rules are missing: there is always something to do.
        out, _ = self.earshot(device, "doctor", *arguments, status=1)
        for line in out.splitlines():
            self.assertRegex(line, r"^(ok   |FIX  |       -> ).")
        return out

    def test_doctor(self):
        out = self.doctor("fx2")
        self.assertIn("ok   memory for USB: usbfs_memory_mb is 16, 8192 KiB in flight", out)
        self.assertIn("ok   usb:EAR0001: firmware 7, version ", out)
        self.assertRegex(out, r"ok   usb:EAR0001: capture unit 0x00000107, protocol \d+\.\d+, RV32, 1 retire port\n")
        self.assertNotIn("firmware 7", self.doctor("fx2", "--no-open"))
        self.assertIn("capture unit 0x00000107", self.doctor("ftdi"))
        self.assertIn("capture unit 0x00000107", self.doctor("ftdi,channel=0x09"))  # an FT2232H with VCP driver
        for channel in ("0", "0x08", "0xFF"):
            out = self.doctor(f"ftdi,channel={channel}")
            self.assertIn("ok   ftdi:FT0001: by its EEPROM, channel A is not a 245 FIFO: good for uart:", out)
            self.assertNotIn("capture unit", out)
        out = self.doctor("fx2,megabytes=4")
        self.assertRegex(out, r"FIX  memory for USB: .*only 2048 KiB in flight\n       -> echo 16")
        self.assertRegex(self.doctor("fx2,forbidden"),
                         r"FIX  usb:EAR0001: cannot be opened: .*\n       -> .*60-earshot\.rules.*; or run as root\n")
        self.assertIn("another program uses it", self.doctor("fx2,busy"))
        self.assertRegex(self.doctor("fx2,mute"), r"FIX  usb:EAR0001: .*no answer.*: nothing came; check that.*\n       -> check power")
        self.assertRegex(self.doctor("fx2,major=9"), r"FIX  usb:EAR0001: .*version 9\..*\n       -> unplug")

    def eeprom(self, device, answer="", *more, status=0):
        result = subprocess.run([EARSHOT, "doctor", "--write-eeprom", "ftdi:", *more], input=answer, text=True,
                                capture_output=True, timeout=60, check=False, env=self.environment(device))
        self.assert_clean(result.stderr)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def test_doctor_writes_an_eeprom_after_a_question(self):
        self.assertIn("245 FIFO already; nothing is written", self.eeprom("ftdi"))
        for answer in ("y\n", "Y\n"):
            out = self.eeprom("ftdi,channel=0", answer)
            self.assertRegex(out, r"of 128 words change\n +0 from 0x0000 to 0x0001\n +127 from 0x\w{4} to 0x\w{4}\nWrite it\?")
            self.assertIn("written and read back", out)
        for answer in ("", "\n", "n\n", "no y\n"):
            self.assertIn("nothing is written", self.eeprom("ftdi,channel=0", answer, status=1))
        self.assertNotIn("Write it?", self.eeprom("ftdi,channel=0", "", "--yes"))
        self.assertIn("is empty; it gets", self.eeprom("ftdi,channel=0xFF", "", "--yes"))
        self.assertIn("no such device", self.eeprom("fx2", "", "--yes", status=2))
        self.earshot(None, "doctor", "--yes", status=2)
        self.earshot(None, "doctor", "--write-eeprom", "usb:", status=2)

    def selftest(self, device, name="usb:", status=0):
        out, error = self.earshot(device, "selftest", "--json", "--seconds", "0.3", name, status=status)
        return json.loads(out), error

    def test_the_fpga_behind_the_chip_is_loaded(self):
        bitstream = self.folder / "a.bin"
        bitstream.write_bytes(bytes(10001))
        _, error = self.earshot("fx2,fpga=10001", "flash", "-d", "usb:", bitstream)
        self.assertIn("the FPGA has its bitstream of 10001 bytes and runs", error)
        _, error = self.earshot("fx2,fpga=10000", "flash", "-d", "usb:", bitstream, status=2)
        self.assertIn("the FPGA did not start at the end of the bitstream", error)
        _, error = self.earshot("ftdi", "flash", "-d", "usb:", bitstream, status=2)
        self.assertIn("usb", error)
        _, error = self.earshot("fx2", "flash", "-d", "usb:", "--firmware", bitstream, status=2)
        self.assertIn("not Earshot's firmware", error)

    def test_the_link_is_tested(self):
        for device, name in (("fx2", "usb:"), ("ftdi", "ftdi:")):
            with self.subTest(device):
                result, _ = self.selftest(device, name)
                self.assertTrue(result["ok"])
                self.assertGreater(result["frames"], 10)
                self.assertGreater(result["control_words"], 10)

    def test_the_link_is_tested_and_bad(self):
        result, _ = self.selftest("fx2,stall=60000", status=1)
        self.assertGreater(result["stalls"], 0)  # of each transfer that was in flight
        self.assertFalse(result["ok"])
        result, _ = self.selftest("fx2,overflow=60000", status=1)
        self.assertEqual(result["overflows"], 1)
        # What is pulled out can be tested no further; the result until then is reported.
        result, error = self.selftest("fx2,unplug=60000", status=2)
        self.assertGreater(result["frames"], 10)
        self.assertIn("unplugged", error)

    def interrupted(self, device, *arguments, after):
        """Ctrl-C some seconds after the command has begun to catch it. Returns its status and standard error."""
        process = subprocess.Popen([EARSHOT, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=self.environment(device, EARSHOT_FX2_FIRMWARE=str(self.firmware)))
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while not int(re.search(r"SigCgt:\s*(\w+)", status.read_text()).group(1), 16) >> signal.SIGINT - 1 & 1:
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assert_clean(error)
        return process.returncode, error

    def test_an_interrupt_at_any_time_leaves_nothing_open(self):
        bitstream = self.folder / "a.bin"
        with bitstream.open("wb") as file:
            file.truncate(60 << 20)
        capture = ["capture", "-o", self.shot, "-d"]
        for device, arguments, statuses in (
                ("fx2,endless", [*capture, "usb:"], {0, 2}),
                ("ftdi,endless", [*capture, "ftdi:"], {0, 2}),
                ("bare", [*capture, "usb:"], {2}),
                ("fx2", ["selftest", "--seconds", 100, "usb:"], {0, 2}),
                ("ftdi,mute", ["doctor"], {2}),
                ("fx2,fpga=1", ["flash", "-d", "usb:", bitstream], {2})):
            for after in (0, 0.1):
                with self.subTest(device=device, after=after):
                    status, error = self.interrupted(device, *arguments, after=after)
                    self.assertIn(status, statuses, error)
        _, error = self.interrupted("bare", *capture, "usb:", after=0.4)
        self.assertIn("interrupted before the device came back with its firmware", error)

    def test_served_to_another(self):
        token = self.folder / "token"
        server = subprocess.Popen([EARSHOT, "serve", "-d", "usb:", "--port", "0", "--token-file", token],
                                  stderr=subprocess.PIPE, text=True, env=self.environment("fx2,frames=300"))
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.kill)
        address = re.search(r"at (tcp:127\.0\.0\.1:\d+);", server.stderr.readline()).group(1)
        self.assertEqual(token.stat().st_mode & 0o777, 0o600)
        error = self.capture(None, name=f"{address},token-file={token}")
        self.assertIn("none lost; program ended", error)
        self.assert_contiguous(self.indexes()[0])
        self.earshot(None, "capture", "-d", address, "-o", self.shot, status=2, EARSHOT_TOKEN="not-the-token")
        server.send_signal(signal.SIGTERM)
        _, error = server.communicate(timeout=60)
        self.assertEqual(server.returncode, 0, error)
        self.assert_clean(error)


if __name__ == "__main__":
    unittest.main(verbosity=2)
