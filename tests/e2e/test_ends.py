#!/usr/bin/env python3
"""How a capture can end before its program does. The file is whole up to the last frame, always."""
import os
import signal
import time
import unittest.mock

from support import Case, children, endless_elf, gaps, is_running, main, records, wait_until

LOOP = ["addi", "sw", "j"]


class Ends(Case):
    def setUp(self):
        super().setUp()
        self.shot = self.folder / "t.shot"

    def assert_loop(self, text):
        """The text is that of the endless program, without a hole."""
        lines = records(text)
        self.assertGreater(len(lines), 100)
        for number, line in enumerate(lines):
            name = line.split(",")[8].split()[0]
            self.assertEqual(name, "lui" if number == 0 else LOOP[(number - 1) % 3])
            if name == "addi":
                self.assertIn(f"x5={(number - 1) // 3 + 1:x},", line)

    def test_interrupt_ends_in_good_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.shot = self.folder / f"{number}.shot"
                process = self.start_endless(self.shot)
                board, = children(process.pid)
                process.send_signal(number)
                _, error = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 0, error)
                info = self.info(self.shot)
                self.assertEqual((info["complete"], info["end_reason"]), ("yes", "interrupted"))
                self.assertEqual(info["retired"], info["records"] + info["lost"])
                self.assert_loop(self.decode(self.shot))
                self.assertFalse(is_running(board), "the board was left behind")

    def test_nohup_is_respected(self):
        """A SIGHUP that is ignored stays ignored: neither the command nor its board takes notice."""
        self.addCleanup(signal.signal, signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process = self.start_endless(self.shot)
        board, = children(process.pid)
        for pid in (process.pid, board, process.pid):
            os.kill(pid, signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        self.assertTrue(is_running(board))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def test_an_output_that_cannot_be_made_starts_nothing(self):
        endless_elf(self.folder / "endless.elf")
        device = f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null"
        _, error = self.earshot("capture", "-d", device, "-o", self.folder / "none" / "t.shot", status=2)
        self.assertIn("No such file or directory", error)
        self.assertIn(", 0 instructions", error)

    def test_a_vanished_device(self):
        process = self.start_endless(self.shot)
        board, = children(process.pid)
        os.kill(board, signal.SIGKILL)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"the file is complete up to the last whole frame", error)
        text, warning = self.earshot("decode", self.shot)
        self.assert_loop(text)
        info = self.info(self.shot)
        self.assertEqual((info["complete"], info["end_reason"]), ("no", "device vanished"))
        # What came of the last frame is in the file as well; it is reported, and it is less than a frame.
        self.assertLess(info["skipped_bytes"], 512)
        self.assertEqual(info["skipped_bytes"] > 0, "belong to no valid frame" in warning)

    def test_the_end_reason_is_what_ended_the_capture(self):
        endless_elf(self.folder / "endless.elf")
        device = f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null"
        dump = self.folder / "wire"
        for arguments, reason in ((["--limit", "1k"], "limit"), (["--limit", "20kB"], "limit"), (["--limit", "0.2s"], "limit"),
                                  (["--sync", "--limit", "1Ki"], "limit"), (["--stop", "records=100"], "stop trigger"),
                                  (["--stop", "records=100", "--limit", "1M"], "stop trigger"),
                                  (["--stop", "records=100M", "--limit", "60"], "limit"),
                                  (["--stop", "pc=0x80000004", "--record", dump], "stop trigger")):
            with self.subTest(arguments):
                self.earshot("capture", "-d", device, "-o", self.shot, *arguments)
                info = self.info(self.shot)
                self.assertEqual(info["end_reason"], reason)
                self.assertEqual(info["complete"], "yes")
        # A dump ends with its file, however the capture ended that it is of.
        self.earshot("capture", "-d", f"file:{dump}", "-o", self.shot)
        info = self.info(self.shot)
        self.assertEqual((info["end_reason"], info["stop"], info["complete"]), ("end of file", "stop trigger", "yes"))

    def test_a_killed_host_leaves_what_was_flushed(self):
        process = self.start_endless(self.shot)
        board, = children(process.pid)
        time.sleep(1.5)  # a file is flushed once a second
        process.kill()
        process.communicate()
        self.assert_loop(self.decode(self.shot))
        self.assertEqual(self.info(self.shot)["complete"], "no")
        wait_until(lambda: not is_running(board))

    def test_the_output_is_readable_while_it_grows(self):
        process = self.start_endless(self.shot)
        self.assert_loop(self.decode(self.shot))
        process.kill()

    def test_a_board_that_is_missing(self):
        with unittest.mock.patch.dict(os.environ, EARSHOT_BOARD=str(self.folder / "none")):
            endless_elf(self.folder / "endless.elf")
            _, error = self.earshot("capture", "-d", f"sim:{self.folder}/endless.elf,unit=raw", "-o", self.shot, status=2)
            self.assertIn("none", error)
            out, _ = self.earshot("list", status=1)
            self.assertIn("not usable", out)

    def test_a_program_that_is_missing_or_none(self):
        text = self.folder / "text.elf"
        text.write_text("not a program\n")
        for device in (f"sim:{self.folder}/none.elf", f"sim:{text}", "sim:", f"file:{self.folder}/none.raw",
                       "usb:", "nonsense", ""):
            with self.subTest(device):
                _, error = self.earshot("capture", "-d", device, "-o", self.shot, status=2)
                self.assertNotEqual(error, "")

    def test_a_bad_key_of_the_board(self):
        endless_elf(self.folder / "endless.elf")
        for keys in ("ram=12", "stall=1000", "nonsense=1", "link=fast"):
            with self.subTest(keys):
                device = f"sim:{self.folder}/endless.elf,unit=raw,{keys}"
                _, error = self.earshot("capture", "-d", device, "-o", self.shot, status=2)
                self.assertNotEqual(error, "")

    def test_max_cycles_ends_the_program(self):
        endless_elf(self.folder / "endless.elf")
        device = f"sim:{self.folder}/endless.elf,unit=raw,max-cycles=100000,uart={self.folder}/uart"
        self.earshot("capture", "-d", device, "-o", self.shot)
        info = self.info(self.shot)
        self.assertEqual((info["complete"], info["end_reason"]), ("yes", "program ended"))
        self.assertEqual(gaps(self.decode(self.shot)), [])


if __name__ == "__main__":
    main()
