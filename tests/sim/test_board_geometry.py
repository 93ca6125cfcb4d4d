#!/usr/bin/env python3
"""Each predicting unit of the virtual board has the geometry whose name it bears: the one that the
reference encoder has under that name. So PREDICT_GEOMETRY and decoder/predict/geometry.c agree.

    test_board_geometry.py EARSHOT BOARD SMALL_ELF WHISPER_CSV
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EARSHOT, BOARD, PROGRAM, SAMPLE = sys.argv[1:5]


class Geometry(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def geometry(self, *arguments):
        """The geometry of the capture file that a command makes."""
        out = self.folder / "t.shot"
        out.unlink(missing_ok=True)
        subprocess.run([EARSHOT, *arguments, "-o", out], check=True, capture_output=True, timeout=100,
                       env=os.environ | {"EARSHOT_BOARD": BOARD})
        info = subprocess.run([EARSHOT, "info", out], check=True, capture_output=True, text=True).stdout
        return dict(line.split(": ", 1) for line in info.splitlines())["geometry"]

    def test_a_name_is_the_same_geometry_in_rtl_and_in_the_encoder(self):
        seen = set()
        for name in "tiny", "small", "large", "unified":
            with self.subTest(name=name):
                rtl = self.geometry("capture", "-q", "-d", f"sim:{PROGRAM},unit={name},uart=/dev/null",
                                    "--limit", "100")
                encoder = self.geometry("convert", "-q", "-i", "whisper", SAMPLE, "--geometry", name)
                self.assertEqual(rtl, encoder)
                seen.add(rtl)
        self.assertEqual(len(seen), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
