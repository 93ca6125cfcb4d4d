#!/usr/bin/env python3
"""Each board of hdl/boards: every port of its top has a pin of its own, its README says what must be said,
and the Makefile refuses a link that it has not.
"""
import pathlib
import re
import subprocess
import tempfile
import unittest

BOARDS = pathlib.Path(__file__).resolve().parents[1] / "boards"
PORT = re.compile(r"^\s+(?:input|output|inout)\s+wire\s*(?:\[(\d+):0\])?\s*(\w+)", re.M)
PIN = {  # port, pin
    ".pcf": r"^set_io (\S+) (\S+)$",
    ".lpf": r'^LOCATE COMP "(\S+)" SITE "(\w+)";$',
    ".xdc": r"^set_property -dict \{PACKAGE_PIN (?P<pin>\w+) IOSTANDARD \w+\} \[get_ports \{(?P<port>\S+)\}\]$",
    ".cst": r'^IO_LOC "(\S+)" (\d+);$',
}


def described(board):
    return dict(re.findall(r"^(\w+) = (.*)$", (board / "board.mk").read_text(), re.M))


class Boards(unittest.TestCase):
    def setUp(self):
        self.boards = sorted(path.parent for path in BOARDS.glob("*/board.mk"))
        self.assertGreater(len(self.boards), 1)

    def test_each_port_has_a_pin_of_its_own(self):
        for board in self.boards:
            top = described(board)["TOP"]
            ports = set()
            for bits, name in PORT.findall((board / f"{top}.v").read_text()):
                ports |= {f"{name}[{i}]" for i in range(int(bits) + 1)} if bits else {name}
            path = next(path for path in board.iterdir() if path.suffix in PIN)
            pins = {}
            for match in re.finditer(PIN[path.suffix], path.read_text(), re.M):
                names = match.groupdict() or {"port": match[1], "pin": match[2]}
                self.assertNotIn(names["port"], pins, path)
                pins[names["port"]] = names["pin"]
            self.assertEqual(sorted(pins), sorted(ports), path)
            self.assertEqual(len(set(pins.values())), len(pins), path)

    def test_each_readme_says_how_it_is_loaded_and_that_nobody_has_done_it(self):
        for board in self.boards:
            text = " ".join((board / "README.md").read_text().split())
            self.assertIn("has not been on hardware", text)
            self.assertIn("openFPGALoader", text)

    def test_a_link_that_it_has_not_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["make", "-f", BOARDS / "Makefile", "BOARD=ulx3s", "HDL=x",
                                   "EAR_LINK=fx2", "sim"], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("EAR_LINK=fx2: this board has uart ft232h", done.stderr)


if __name__ == "__main__":
    unittest.main()
