#!/usr/bin/env python3
"""What the documents, the man pages and --help tell a reader to type works, and prints what they show.

Every command of every example (examples.py says what one is) runs in a scratch folder in which the files lie that
examples take for granted. What cannot run is in NOT_RUN, with the reason; of such a command, and of each
`earshot ...` within a sentence, at least the options must exist.

Also needs EARSHOT_BUILD, the build folder.
"""
import os
import pathlib
import re
import shutil
import subprocess

import examples
from support import EARSHOT, NIGHT, PROGRAMS, TREE, Case, main

# Commands that do not run here: what they look like, and why.
NOT_RUN = {
    r"-d (usb|ftdi):|selftest (.* )?(usb|ftdi):": "needs a device on USB",
    r"-d uart:/dev/": "needs a serial port",
    r"-d openocd:|^openocd ": "needs a chip: test_openocd.py",
    r"-d tcp:": "needs the server of the line before: test_serve.py",
    r"^ssh ": "needs another machine",
    r"earshot doctor --write-eeprom": "writes to a device on USB: test_usb_command.py",
    r"^(build/bin/)?earshot doctor$": "asks every real device that is plugged in for its versions: test_command_line.py",
    r"^cmake ": "builds something of the tree, up to a bitstream for an FPGA",
    r"^ctest ": "runs tests, and some of these examples are",
    r"^verilator --(binary|cc)|obj_dir/own": "builds a model, for a minute: test_own_simulation.py, with --long",
    r"^make (-f hdl/boards/|-C my |clean|trace|synth)|trace\.shot|obj_dir/board": "builds a model of a board, for minutes: test_boards.py, with --long",
    r"^yosys ": "synthesises the unit, for minutes",
    r"\bX\.elf": "X.elf is any program",
    r"earshot android \w+ qtrace/$": "needs a folder of the emulator: test_android_tools.py",
    r"^scripts/test\b": "runs all tests, and so this one",
    r"^scripts/check\b": "builds a part of the tree and runs its tests",
    r"^tests/cores/run |obj_dir/my|my\.shot|program\.elf": "needs the sources of cores",
}

# Commands that end otherwise than with 0.
STATUS = {
    "build/bin/earshot-iss --max 1000 -o - build/programs/demo.elf | build/bin/earshot decode -": 124,  # cut off
    "build/bin/earshot diff t.shot whisper.csv": 1,
    "build/bin/earshot why t.shot": 1,  # nothing is wrong
    "earshot memory --errors memory.shot": 1,
    "earshot memory --errors --json memory.shot": 1,
    "earshot diff -n0 -c0 --interrupts skip --tolerate clocks run-a.csv run-b.csv": 1,
}

# What a text promises of an example without showing what it prints: what must be true after it.
PROMISES = {
    "earshot capture -d sim:hello.elf,unit=raw,link=100K --policy drop -o t.shot":
        lambda case: case.assertGreater(case.info(case.scratch / "t.shot")["lost"], 0),
}

# Documents whose examples run in the night only; the gate looks at their options.
IN_THE_NIGHT = ("hdl/README.md",)

# Programs that examples start and that must not do here what they do.
STUBS = {
    "less": "exec cat",
    "sudo": "exit 0",
    "cmake": "exit 0",  # scripts/demo builds: that is done
    "iceprog": "exit 0",
    "openFPGALoader": "exit 0",
    "kcachegrind": "exit 0",  # the viewers of docs/analyses/viewers.md
    "gtkwave": "exit 0",
    "flamegraph.pl": "exec cat",
}


def plant_difference(text, index):
    """Change the value that the first record from this one on loads into a register."""
    lines = text.splitlines()
    for at in range(index, len(lines)):
        fields = lines[at].split(",")
        found = re.fullmatch(r"x\d+=([0-9a-f]+)", fields[2])
        if found and fields[5] == "l":
            fields[2] = fields[2].split("=")[0] + f"={int(found.group(1), 16) ^ 8:x}"
            lines[at] = ",".join(fields)
            return "\n".join(lines) + "\n"
    raise AssertionError("no load in the trace")


class Examples(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = cls.shared / "base"
        cls.bin = cls.shared / "bin"
        cls.bin.mkdir()
        for name, script in STUBS.items():
            (cls.bin / name).write_text(f"#!/bin/sh\n{script}\n")
            (cls.bin / name).chmod(0o755)
        for name in ("earshot", "earshot-board"):
            (cls.bin / name).symlink_to(pathlib.Path(EARSHOT).parent / name)
        cls.environment = dict(os.environ, PATH=f"{cls.bin}:{os.environ['PATH']}", HOME=str(cls.shared), LC_ALL="C")
        del cls.environment["EARSHOT_BOARD"]
        cls.make_base()

    @classmethod
    def make_base(cls):
        """The folder that each document begins in: a build in a tree, and the files its examples read."""
        (cls.base / "build/hdl/boards/ice40_hx8k").mkdir(parents=True)
        (cls.base / "tests").mkdir()
        (cls.base / "scripts").mkdir()
        for folder in "hdl", "common":
            (cls.base / folder).symlink_to(TREE / folder)
        (cls.base / "build/bin").symlink_to(pathlib.Path(EARSHOT).parent)
        (cls.base / "build/programs").symlink_to(PROGRAMS)
        (cls.base / "tests/programs").symlink_to(TREE / "tests/programs")
        for name in ("demo", "common.sh"):
            shutil.copy(TREE / "scripts" / name, cls.base / "scripts")
        (cls.base / "scripts/setup").write_text("#!/bin/sh\n")  # installs; here everything is there
        (cls.base / "scripts/setup").chmod(0o755)

        blocks, _ = examples.of_markdown(TREE / "README.md", "README.md")
        program = next(block for block in blocks if block[0].bare.startswith("P="))
        for command in ("\n".join(example.text for example in program),
                        "cp hello.elf prog.elf; cp hello.elf PROGRAM.elf",
                        "earshot decode -q t.shot -o t.csv",
                        "earshot convert -q t.csv -f spike -o spike.log --quiet-loss",
                        "touch top.bin top.bit build/hdl/boards/ice40_hx8k/ice40_hx8k.bin"):
            subprocess.run(["bash", "-ec", command], cwd=cls.base, env=cls.environment, check=True,
                           capture_output=True, timeout=60)
        for run in "a", "b":
            shutil.copy(TREE / f"tests/data/across/{run}.csv", cls.base / f"run-{run}.csv")
        (cls.base / "whisper.csv").write_text(plant_difference((cls.base / "t.csv").read_text(), 1000))
        cls.options = {}

    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "tree"
        shutil.copytree(self.base, self.scratch, symlinks=True)

    def check_options(self, command):
        """The command and the options of a line that is not run exist."""
        words = command.replace("build/bin/", "").split()
        if words[0].startswith("scripts/"):
            self.assertTrue(os.access(TREE / words[0], os.X_OK), "is not there")
        if len(words) < 2 or words[0] != "earshot":
            return
        name = words[1]
        if name not in self.options:
            top = name.startswith("-")
            result = subprocess.run([EARSHOT, *([] if top else [name]), "--help"], capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.options[name] = result.stdout
        for word in words[2:]:
            option = re.match(r"--[a-z][a-z-]*|-[a-zA-Z]$", word)
            if option and not re.search(rf"(?<!\S){option.group(0)}(?![a-z-])", self.options[name]):
                self.fail(f"'earshot {name} --help' does not list {option.group(0)}")

    def run_example(self, example, before):
        """Run it after the assignments of its block. Returns all that it printed. Of a capture that several documents
        make in the same way the later ones get a copy."""
        capture = re.fullmatch(r"earshot capture -q -d sim:build/programs/\S+ -o (\w+\.shot)( --time record)?", example.bare)
        if capture and example.bare in self.captures:
            (self.scratch / capture[1]).write_bytes(self.captures[example.bare])
            return ""
        script = "set -o pipefail\n" + "".join(f"{line}\n" for line in before) + example.text
        result = subprocess.run(["bash", "-c", script], cwd=self.scratch, env=self.environment, timeout=60,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(result.returncode, STATUS.get(example.bare, 0),
                         f"{example.place}: {example.bare}\n{result.stderr}\n"
                         "(if it cannot run in a test, give the reason in NOT_RUN of test_examples.py)")
        if capture:
            self.captures[example.bare] = (self.scratch / capture[1]).read_bytes()
        return result.stdout

    def try_document(self, name, blocks, outputs=()):
        """Run a document from its beginning to its end."""
        printed = {}
        for block in blocks:
            assignments = []
            for example in block:
                reason = next((pattern for pattern in NOT_RUN if re.search(pattern, example.bare)), None)
                if re.match(r"[A-Za-z]+=(\S+|\$\(.*\))$", example.bare):
                    # The files of an installation are those of the tree: test_install.py.
                    assignments.append(example.text.replace("/usr/local/share/earshot/program", "tests/programs"))
                elif reason:
                    self.reasons.add(reason)
                    with self.subTest(f"{example.place}: {example.bare}"):
                        self.check_options(example.bare)
                elif name in IN_THE_NIGHT and not NIGHT:
                    with self.subTest(f"{example.place}: {example.bare}"):
                        self.check_options(example.bare)
                else:
                    with self.subTest(f"{example.place}: {example.bare}"):
                        self.assertTrue(examples.is_command(example.text), "not a program that examples.py knows")
                        printed[example.bare] = self.run_example(example, assignments)
                        self.worked.add(example.bare)
                        if example.bare in PROMISES:
                            PROMISES[example.bare](self)
        for output in outputs if NIGHT or name not in IN_THE_NIGHT else ():
            with self.subTest(f"{output.place}: what {output.command} prints"):
                self.assertIn(output.command, printed, "no example of this document runs it")
                self.check_output(output, printed[output.command])

    def check_output(self, output, printed):
        def plain(lines):
            varies = "|".join(map(re.escape, output.varies))
            return [re.sub(rf"\b({varies})(:? )\d\S*", r"\1\2N", line) if varies else line for line in lines]
        shown, printed = plain(output.lines), plain(printed.splitlines())
        self.assertTrue(examples.matches(shown, printed), "shown:\n{}\nprinted:\n{}".format(
            "\n".join(shown), "\n".join(printed[:200])))

    def test_examples_work(self):
        self.reasons, self.worked, self.captures = set(), set(), {}
        everything = [(name, *examples.of_markdown(path, name)) for path, name in examples.documents()]
        everything += [(name, examples.of_man_page(path, name)) for path, name in examples.man_pages()]
        everything.append(("earshot --help", examples.of_help(self.earshot("--help")[0])))
        for name, blocks, *outputs in everything:
            if blocks:
                shutil.rmtree(self.scratch)
                shutil.copytree(self.base, self.scratch, symlinks=True)
                self.try_document(name, blocks, *outputs)
            else:
                self.assertEqual(outputs, [[]], name)
        self.assertLessEqual(set(IN_THE_NIGHT), {name for name, *_ in everything})
        self.assertGreater(len(self.worked), 20, "the examples are not found")
        self.assertEqual(set(NOT_RUN) - self.reasons, set(), "no example looks like this any more")
        self.assertEqual({*PROMISES, *STATUS} - self.worked, set(), "no example is this any more")

    def test_options_within_sentences_exist(self):
        found = 0
        for path, name in examples.documents():
            for line, text in examples.spans(path):
                found += 1
                with self.subTest(f"{name}:{line}: {text}"):
                    self.check_options(text)
        self.assertGreater(found, 20)


class Finding(Case):
    """How examples are found: what is new and neither runs nor has a reason must not slip through."""

    def of(self, text):
        path = self.folder / "a.md"
        path.write_text(text)
        return examples.of_markdown(path, "a.md")

    def test_lines_that_are_continued_and_documents_within_are_one_command(self):
        blocks, _ = self.of("```\nA=b\ncat > x <<'END'\ntext\nEND\nearshot info \\\n  x   # why\n\nearshot list\n```\n")
        self.assertEqual([example.bare for example in blocks[0]], ["A=b", "cat > x <<'END'", "earshot info x", "earshot list"])
        self.assertEqual([example.line for example in blocks[0]], [2, 3, 6, 9])

    def test_text_and_bytes_are_no_examples(self):
        self.assertEqual(self.of("```\nin the FPGA --> host\n```\n\n```hex\n0E 2C\n```\n"), ([], []))

    def test_an_output_names_its_command(self):
        _, outputs = self.of("<!-- output of: earshot info x; varies: created, device -->\n```\na: 1\n```\n")
        self.assertEqual((outputs[0].command, outputs[0].varies, outputs[0].lines),
                         ("earshot info x", ["created", "device"], ["a: 1"]))

    def test_dots_stand_for_lines(self):
        for shown, printed, equal in (("a b", "a b", True), ("a b", "a b c", False), ("a ... c", "a x y c", True),
                                      ("a ...", "a", True), ("a ... c", "a c d", False), ("... c", "a b c", True)):
            self.assertEqual(examples.matches(shown.split(), printed.split()), equal, (shown, printed))


if __name__ == "__main__":
    main()
