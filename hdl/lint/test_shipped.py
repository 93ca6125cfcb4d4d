#!/usr/bin/env python3
"""What is installed for other projects (hdl/Installed.cmake): every list names the same files, and the
constraints name all paths between the two clocks, and nothing else.

usage: test_shipped.py YOSYS FOLDER
"""
import fnmatch
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import yaml
except ImportError:  # Debian's package is for its own Python
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

YOSYS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
# The commands of the tools, each of which prints its words: yosys -c is an interpreter of Tcl.
TCL = """
proc said {name args} { puts "SAID $name $args" }
foreach name {add_files set_property set_global_assignment set_max_delay set_min_delay set_false_path} {
    proc $name {args} "said $name {*}\\$args"
}
foreach name {get_files get_filesets get_property} { proc $name {args} { return "" } }
proc get_cells {args} { return [lindex [lindex $args end] end] }
proc get_pins {args} { return [lindex [lindex $args end] end] }
proc get_registers {args} { return [lindex $args end] }
"""


def run_tcl(name):
    """What a script says to the tool: lists of words."""
    with tempfile.NamedTemporaryFile("w", suffix=".tcl") as file:
        file.write(f"{TCL}\nsource {FOLDER / name}\n")
        file.flush()
        text = subprocess.run([YOSYS, "-q", "-c", file.name], check=True, capture_output=True, text=True).stdout
    return [line.split()[1:] for line in text.splitlines() if line.startswith("SAID")]


class Netlist:
    """The crossing, elaborated. A bit of a register has the name that a tool gives it."""

    def __init__(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            files = " ".join(str(FOLDER / name) for name in ("ear_link_crossing.v", "ear_async_fifo.v"))
            subprocess.run([YOSYS, "-q", "-p", f"read_verilog -sv {files}; hierarchy -top ear_link_crossing; "
                            f"proc; flatten; opt_clean; memory_collect; write_json {file.name}"], check=True)
            module = json.load(file)["modules"]["ear_link_crossing"]
        names = {}
        # Of several names of a bit, the one of a register: it is set last.
        for name, net in sorted(module["netnames"].items(), key=lambda item: "_q" in item[0].rsplit(".")[-1]):
            for i, bit in enumerate(net["bits"]):
                names[bit] = f"{name}[{i}]"
        self.driver = {}    # bit: the bits that it comes from, through gates only
        self.register = {}  # bit: name, clock
        self.inputs = []    # name, clock, bits that it takes
        for cell in module["cells"].values():
            self.add(cell, names)

    def add(self, cell, names):
        pins = cell["connections"]
        if cell["type"].startswith("$mem"):
            name = cell["parameters"]["MEMID"].lstrip("\\")
            for bit in pins["RD_DATA"]:
                self.register[bit] = (name, pins["WR_CLK"][0])
            self.inputs.append((name, pins["WR_CLK"][0], pins["WR_DATA"] + pins["WR_ADDR"] + pins["WR_EN"]))
            return
        if "CLK" in pins:
            for bit, data in zip(pins["Q"], pins["D"]):
                self.register[bit] = (names[bit], pins["CLK"][0])
                self.inputs.append((names[bit], pins["CLK"][0], [data] + pins.get("EN", [])))
            return
        directions = cell["port_directions"]
        sources = [bit for pin, bits in pins.items() if directions[pin] == "input" for bit in bits]
        for pin, bits in pins.items():
            if directions[pin] == "output":
                self.driver.update((bit, sources) for bit in bits)

    def crossings(self):
        """(from, to) of each path between two clocks."""
        found = set()
        for name, clock, bits in self.inputs:
            todo, seen = list(bits), set()
            while todo:
                bit = todo.pop()
                if bit in seen:
                    continue
                seen.add(bit)
                if bit in self.register:
                    if self.register[bit][1] != clock:
                        found.add((self.register[bit][0], name))
                else:
                    todo += self.driver.get(bit, [])
        return found


def pattern(text):
    """A name of a tool, as one of the elaborated design."""
    text = re.sub(r"_reg(?=[\[*])", "", text).replace("/", ".").replace("|", ".")
    return re.compile(fnmatch.translate(text.replace("[*]", "\0").replace("[", "[[]").replace("\0", "[[]*]")))


def paths(name):
    """(from, to) of each path that a file limits."""
    if name.endswith(".lpf"):
        return re.findall(r'^MAXDELAY FROM CELL "(.*?)" TO CELL "(.*?)" 10.0 NS DATAPATH_ONLY ;$',
                          (FOLDER / name).read_text(), re.M)
    return [(words[words.index("-from") + 1].strip("{}"), words[words.index("-to") + 1].strip("{}"))
            for words in run_tcl(name) if words[0] == "set_max_delay"]


class Lists(unittest.TestCase):
    def setUp(self):
        self.files = [line for line in (FOLDER / "ear_unit.F").read_text().splitlines() if line.endswith(".v")]
        self.headers = sorted(path.name for path in FOLDER.glob("*.vh"))
        self.assertGreater(len(self.files), 60)
        self.assertIn("ear_rvfi.v", self.files)

    def test_each_file_is_there_and_has_its_license(self):
        for path in [FOLDER / name for name in self.files] + [x for x in FOLDER.iterdir() if x.suffix != ".F"]:
            self.assertIn("SPDX-License-Identifier: Apache-2.0", path.read_text()[:80], path)

    def test_fusesoc(self):
        core = yaml.safe_load((FOLDER / "ear_unit.core").read_text().split("\n", 1)[1])
        self.assertTrue((FOLDER / "ear_unit.core").read_text().startswith("CAPI=2:\n"))
        files = core["filesets"]["rtl"]["files"]
        self.assertEqual([x for x in files if isinstance(x, str)], self.files)
        self.assertEqual(sorted(next(iter(x)) for x in files if isinstance(x, dict)), self.headers)
        for name in ("vivado", "quartus"):
            self.assertTrue((FOLDER / next(iter(core["filesets"][name]["files"][0]))).exists())
        self.assertLessEqual({"rtl"}, set(core["targets"]["default"]["filesets"]))

    def test_bender(self):
        bender = yaml.safe_load((FOLDER / "Bender.yml").read_text())
        self.assertEqual(bender["sources"][0]["files"], self.files)

    def test_litex(self):
        """With a stand-in for Migen: the same files, and each port of the unit once."""
        class Node:
            def __init__(self, *words, **settings):
                self.words, self.settings = words, settings

            def __invert__(self):
                return self

            def __iadd__(self, other):
                self.instance = other
                return self

        class Module:
            specials = Node()

        class Platform:
            def __init__(self):
                self.sources, self.folders = [], []
                self.add_source, self.add_verilog_include_path = self.sources.append, self.folders.append

        migen = types.ModuleType("migen")
        for name in ("ClockSignal", "Instance", "ResetSignal", "Signal"):
            setattr(migen, name, Node)
        migen.Module = Module
        sys.modules["migen"] = migen
        module = runpy.run_path(str(FOLDER / "ear_litex.py"))
        platform = Platform()
        pads = types.SimpleNamespace(tx=0, rx=0)
        made = module["EarTrace"](platform, pads, 50e6, 1e6, CAUSES=0)
        self.assertEqual([pathlib.Path(path).name for path in platform.sources], self.files)
        self.assertTrue(pathlib.Path(platform.folders[0]).samefile(FOLDER))
        text = (FOLDER / "ear_unit_uart.v").read_text().split(") (", 1)[1]
        found = re.findall(r"^ *(input|output) +wire(?: \[.*\])? +(\w+)", text, re.M)
        ports = {f"{way[0]}_{name}" for way, name in found}
        settings = made.specials.instance.settings
        self.assertEqual({name for name in settings if name[0] != "p"}, ports)
        self.assertEqual((settings["p_DIVISOR"], settings["p_XLEN"], settings["p_CAUSES"]), (50, 32, 0))
        bits = {"rd_addr": 5, "rd_wdata": 32, "mem_rmask": 4, "order": 64, "valid": 1}
        for name, count in bits.items():
            self.assertEqual(settings[f"i_rvfi_{name}_i"].words, (count,))

    def test_vivado_and_quartus(self):
        vivado = [words[-1].rsplit("/", 1)[1] for words in run_tcl("ear_unit_vivado.tcl") if words[0] == "add_files"]
        self.assertEqual(sorted(vivado), sorted(self.files + self.headers + ["ear_crossing.xdc"]))
        quartus = [words for words in run_tcl("ear_unit_quartus.tcl") if words[2] == "SYSTEMVERILOG_FILE"]
        self.assertEqual([words[-1].rsplit("/", 1)[1] for words in quartus], self.files)


class Constraints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = Netlist().crossings()

    def test_the_design_has_paths_between_its_clocks(self):
        # Two Gray pointers of five bits in each FIFO, and its memory.
        self.assertEqual(sum("_gray_q" in a and "_sync_q[0]" in b for a, b in self.found), 20)
        self.assertEqual(len({a for a, _ in self.found if "memory" in a}), 2)

    def test_each_path_is_named_and_each_name_is_a_path(self):
        for name in ("ear_crossing.xdc", "ear_crossing.sdc", "ear_crossing.lpf"):
            limits = [(pattern(a), pattern(b)) for a, b in paths(name)]
            for a, b in self.found:
                self.assertTrue(any(x.match(a) and y.match(b) for x, y in limits), f"{name}: {a} to {b}")
            for x, y in limits:
                self.assertTrue(any(x.match(a) and y.match(b) for a, b in self.found), f"{name}: {x} {y}")

    def test_the_resets_are_named(self):
        instances = [name for path in FOLDER.glob("*.v")
                     for name in re.findall(r"^\s*ear_reset (\w+) \($", path.read_text(), re.M)]
        self.assertGreater(len(instances), 2)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run([YOSYS, "-q", "-p", f"read_verilog -sv {FOLDER}/ear_reset.v; proc; write_json {file.name}"],
                           check=True)
            module = json.load(file)["modules"]["ear_reset"]
        registers = [cell for cell in module["cells"].values() if "ARST" in cell["connections"]]
        self.assertEqual([cell["connections"]["Q"] for cell in registers], [module["netnames"]["rst_nq"]["bits"]])
        for name, pin in ("ear_crossing.xdc", "/CLR"), ("ear_crossing.sdc", "|clrn"):
            words = next(words for words in run_tcl(name) if words[0] == "set_false_path")
            self.assertEqual(words[1], "-to")
            limit = words[2].strip("{}")
            self.assertTrue(limit.endswith(pin))
            for instance in instances:
                self.assertTrue(pattern(limit.removesuffix(pin)).match(f"u_x.{instance}.rst_nq[0]"), instance)
        self.assertIn("\nBLOCK RESETPATHS ;\n", (FOLDER / "ear_crossing.lpf").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
