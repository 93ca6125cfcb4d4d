#!/usr/bin/env python3
"""docs/boards.md, section 6, lists every parameter of ear_unit with its default. Icarus refuses the
values beyond each range that it gives, and hdl/configs has a configuration at both ends of it. Each
parameter has two values in what is simulated.

    test_parameters.py IVERILOG
"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

IVERILOG = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = (ROOT / "hdl/rtl/ear_unit.v").read_text()
PRESETS = (ROOT / "hdl/rtl/ear_geometry.vh").read_text()
SECTION = (ROOT / "docs/boards.md").read_text().split("\n## 6. ")[1]
SOURCES = [str(ROOT / line) for line in (ROOT / "hdl/rtl/rtl.f").read_text().splitlines()
           if line.endswith(".v")]


def preset(text):
    """A default as a number: a literal, or a macro of the preset `small` or the size `full`, number 0."""
    if match := re.fullmatch(r"\d+'h(\w+)", text):
        return int(match[1], 16)
    if match := re.fullmatch(r"(?:\d+'d)?(\d+)", text):
        return int(match[1])
    if match := re.fullmatch(r"`(EAR_(?:PRESET|SIZE)_\w+)", text):
        return int(re.search(rf"`define {match[1]} (\d+)", PRESETS)[1])
    name = re.fullmatch(r"`(EAR_\w+)\((?:PREDICT_GEOMETRY|PRESET|SIZE)\)", text)[1]
    body = re.search(rf"`define {name}\([GPS]\) (?:\\\n\s*)?\((.*)\)$", PRESETS, re.M)[1]
    return int(body.split(":")[-1])


def built():
    header = UNIT[UNIT.index("module ear_unit #("):UNIT.index(") (")]
    return {name: preset(value.strip()) for name, value in
            re.findall(r"^\s*parameter\s+(?:\[.*?\]\s*)?(\w+)\s*=\s*(.*?),?\s*(?://.*)?$", header, re.M)}


def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "hdl/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def configured():
    """The parameters of ear_unit in each configuration that is linted with it inside."""
    module = generator()
    return [module.numbers("ear_unit") | values for top, values in module.configurations().values()
            if top in ("ear_unit", "ear_board")]


def ends(legal):
    """The least and the greatest value that a cell of the table names."""
    values = [int(value) for value in re.findall(r"\b\d+\b", legal.replace("2^n", ""))]
    return set() if "bits" in legal else {min(values), max(values)}


def documented():
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| ([^|]*) \| [^|]*\|$", SECTION, re.M)
    return {name: (int(value), legal) for name, value, legal in rows}


def elaborate(name, value):
    return subprocess.run([IVERILOG, "-g2012", "-t", "null", f"-I{ROOT}/hdl/rtl", f"-I{ROOT}/common/protocol",
                           "-s", "ear_unit", f"-Pear_unit.{name}={value}", *SOURCES],
                          capture_output=True, text=True)


def beyond(legal):
    """Values just outside of what a cell of the table allows."""
    if match := re.search(r"(\d+) to (\d+)$", legal):
        low, high = int(match[1]), int(match[2])
        if "2^n" in legal:
            return [low // 2, low + 1, 2 * high] if "," in legal else []
        return ([low - 1] if not legal.startswith("0, ") or low == 0 else [low - 1, 1]) + [high + 1]
    if legal == "1, 2^n to 32768":
        return [0, 24, 65536]
    if legal == "0, 2^n":
        return [3, 100]
    if legal == "0 or more":
        return [-1]
    values = [int(value) for value in legal.split(", ")] if re.fullmatch(r"[\d, ]+", legal) else []
    return [values[-1] + 1, values[0] - 1] if values and values != [0, 1] else []


class Parameters(unittest.TestCase):
    def test_the_document_has_each_parameter_and_its_default(self):
        self.assertGreater(len(built()), 45)
        self.assertEqual({name: value for name, (value, _) in documented().items()}, built())

    def test_the_defaults_can_be_built(self):
        run = elaborate("XLEN", 32)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_each_parameter_is_linted_at_both_ends(self):
        configurations = configured()
        for name, (_, legal) in documented().items():
            linted = {int(values[name]) for values in configurations if name in values and
                      (values["PREDICT"] != "0" or not name.startswith("PREDICT_"))}
            with self.subTest(name=name):
                self.assertEqual(ends(legal) - linted, set())

    def test_each_parameter_is_simulated_with_two_values(self):
        words = set(re.findall(r"\w+", (ROOT / "tests/sim/unit.cmake").read_text()))
        module = generator()
        defaults = module.numbers("ear_unit")
        benches = [defaults | values for name, (top, values) in module.configurations().items()
                   if top == "ear_board" or (top == "ear_unit" and name in words)]
        for name in defaults:
            if name != "SIZE":  # tests/sim/tb_tops.v has two
                with self.subTest(name=name):
                    self.assertGreater(len({values[name] for values in benches}), 1)

    def test_size_and_preset_set_what_hdl_configs_says(self):
        module = generator()
        named = module.configurations()
        for preset, (size, values) in enumerate(
                [("full", {"PREDICT": "1"})] + [("lean", named[f"geometry_{name}"][1])
                                                for _, name, _ in module.geometries()[1:]] +
                    [("least", {"PREDICT": "0"}), ("full", named["geometry_small"][1] | {"PRESET": "7"})]):
            values = named[f"size_{size}"][1] | values
            shows = "".join(f'$display("{name}=%0d", u.{name});' for name in values)
            top = (f"module top; ear_unit #(.PRESET({preset}), .SIZE({module.SIZES.index(size)})) u (); "
                   f"initial begin {shows} end endmodule")
            with self.subTest(preset=preset), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "top.v").write_text(top)
                subprocess.run([IVERILOG, "-g2012", f"-I{ROOT}/hdl/rtl", f"-I{ROOT}/common/protocol", "-s", "top",
                                "-o", f"{folder}/top", f"{folder}/top.v", *SOURCES], check=True)
                text = subprocess.run([f"{folder}/top"], capture_output=True, text=True, check=True).stdout
                self.assertEqual(dict(line.split("=") for line in text.split()), values)

    def test_values_beyond_the_range_are_refused_with_the_rule(self):
        tried = 0
        for name, (_, legal) in documented().items():
            for value in beyond(legal):
                with self.subTest(name=name, value=value):
                    run = elaborate(name, value)
                    self.assertNotEqual(run.returncode, 0)
                    self.assertRegex(run.stderr, r"_must_be_|_is_for_|_is_too_small|smaller_than")
                    tried += 1
        self.assertGreater(tried, 30)


if __name__ == "__main__":
    unittest.main()
