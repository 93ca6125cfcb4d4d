#!/usr/bin/env python3
"""What is on the disk when: fsync, seen and made to fail by a library that is preloaded."""
import os
import shutil
import subprocess
import unittest.mock

from support import TREE, Case, endless_elf, main


class Sync(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = cls.shared / "fail_sync.so"
        subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-O1", "-o", cls.library,
                        TREE / "tests/e2e/fail_sync.c", "-ldl"], check=True)
        case = cls()
        case.capture(cls.shared / "whole.shot", "sort", "--limit", 2000)
        case.earshot("decode", cls.shared / "whole.shot", "-o", cls.shared / "whole.csv")

    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.preload(SYNC_LOG=self.log)

    def preload(self, **names):
        sanitizer = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
        change = unittest.mock.patch.dict(os.environ, LD_PRELOAD=str(self.library), ASAN_OPTIONS=sanitizer,
                                          **{key: str(value) for key, value in names.items()})
        change.start()
        self.addCleanup(change.stop)

    def synced(self):
        """The names of what was synced, in order; of files in the test's folder without it."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [os.path.relpath(line, self.folder) for line in lines]

    def test_a_capture_file_is_on_the_disk_at_its_end(self):
        self.capture(self.folder / "t.shot", "sort", "--limit", 2000)
        self.assertEqual(self.synced(), ["t.shot", "."])

    def test_so_is_one_that_was_packed_or_converted(self):
        for options in ((), ("--limit", "1000"), ("--geometry", "raw", "--limit", "1000")):
            with self.subTest(options):
                self.log.unlink(missing_ok=True)
                self.earshot("convert", "-q", self.shared / "whole.csv", "-o", self.folder / "t.shot", *options)
                self.assertEqual(self.synced(), ["t.shot", "."])

    def test_text_and_pipes_are_not_waited_for(self):
        self.capture(self.folder / "t.csv", "sort", "--limit", 2000)
        self.earshot("convert", "-q", self.shared / "whole.csv", "-f", "tarmac", "-o", self.folder / "t.tarmac")
        self.assertEqual(self.synced(), [])
        self.earshot_bytes("convert", "-q", self.shared / "whole.csv", "-f", "shot")  # to a pipe, which cannot be synced

    def test_with_sync_each_second(self):
        process = self.start("capture", "-d", f"sim:{self.endless()},unit=raw,uart=/dev/null", "-q", "--sync",
                             "-o", self.folder / "t.shot", "-o", self.folder / "t.csv", "--limit", "3.5s")
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertGreaterEqual(self.synced().count("t.shot"), 3)
        self.assertGreaterEqual(self.synced().count("t.csv"), 3)

    def endless(self):
        endless_elf(self.folder / "endless.elf")
        return self.folder / "endless.elf"

    def test_a_flight_recorder_at_its_event(self):
        error = self.capture(self.folder / "t.shot", "sort", "--ring", 16384, "--ring-dir", self.folder, "--until",
                             "records=5000", "--after", 4000)
        self.assertIn("event of --until is at index", error)
        names = self.synced()
        at_event = names[:names.index(".")]
        self.assertGreaterEqual(len(at_event), 4, names)
        for name in at_event:
            self.assertIn(".ring-", name)
        self.assertEqual(names[-2:], ["t.shot", "."])

    def test_an_error_of_fsync_or_close_is_one_of_the_output(self):
        for variable in ("SYNC_FAIL", "CLOSE_FAIL"):
            with self.subTest(variable):
                self.preload(**{"SYNC_FAIL": "", "CLOSE_FAIL": "", variable: "t.shot"})
                if variable == "SYNC_FAIL":
                    os.environ.pop("CLOSE_FAIL")
                else:
                    os.environ.pop("SYNC_FAIL")
                error = self.capture(self.folder / "t.shot", "sort", "--limit", 2000, status=2)
                self.assertIn("t.shot: Input/output error", error)
                _, error = self.earshot("convert", "-q", self.shared / "whole.csv", "-o", self.folder / "t.shot", status=2)
                self.assertIn("t.shot: Input/output error", error)


if __name__ == "__main__":
    main()
