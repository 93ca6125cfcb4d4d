#!/usr/bin/env python3
"""The tree itself: rooms, who may include whom (scripts/includes.txt), no circle of modules.

It reads sources only and needs no build.
"""
import ast
import collections
import graphlib
import pathlib
import re
import subprocess
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["include", "common", "driver", "decoder", "library", "analyses", "cli"]  # each may use those before it
OTHER_ROOMS = {"firmware", "hdl", "tests", "docs", "scripts", "udev"}
PACKAGING = {"debian"}  # its place is given
FILES_MAX = 40  # of a folder

# Commands that are older than the public API. This list only becomes shorter.
BEFORE_THE_API = {f"cmd_{name}.c" for name in (
    "capture convert decode diff doctor dump flash grep info list load selftest serve").split()}

# Public headers that folders below library/api/ may include, which implements the others.
VOCABULARY = {f"earshot/{name}.h" for name in
              "record error search check call_frame names address variable moment_view task_event branch_trace "
              "infer".split()}


def tracked(*patterns):
    listed = subprocess.run(["git", "-C", TREE, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--",
                             *patterns], check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePosixPath(name) for name in listed.split("\0") if name and (TREE / name).exists()]


def who_may_include_whom():
    """Of each folder in scripts/includes.txt, in its order, the set of folders that it may include."""
    text = (TREE / "scripts" / "includes.txt").read_text().replace("\n\t", " ")
    rows = [line.partition(":") for line in text.splitlines() if line and not line.startswith("#")]
    assert len({folder for folder, _, _ in rows}) == len(rows), "a folder has two lines"
    return {folder: set(others.split()) for folder, _, others in rows}


def sources():
    rooms = tuple(f"{room}/" for room in ROOMS) + ("hdl/sim/",)
    return [path for path in tracked() if str(path).startswith(rooms) and path.suffix in (".c", ".h", ".def", ".cpp")]


class Rooms(unittest.TestCase):
    def test_there_are_thirteen(self):
        self.assertEqual({path.parts[0] for path in tracked() if len(path.parts) > 1 and path.parts[0][0] != "."},
                         {*ROOMS, *OTHER_ROOMS, *PACKAGING})

    def test_no_folder_has_too_many_files(self):
        files = collections.Counter(path.parent for path in tracked(*ROOMS, "firmware", "hdl", "docs", "scripts"))
        self.assertEqual([f"{folder}: {count}" for folder, count in files.items() if count > FILES_MAX], [])

    def test_end_to_end_tests_are_run(self):
        names = set(re.findall(r"\w+", (TREE / "tests/e2e/CMakeLists.txt").read_text()))
        self.assertEqual({path.stem[len("test_"):] for path in tracked("tests/e2e/test_*.py")} - names, set())

    def test_a_folder_says_what_it_is_for(self):
        """By a README of its own, or by a word of the one above."""
        for folder in {path.parent for path in sources()}:
            with self.subTest(str(folder)):
                above = TREE / folder.parent / "README.md"
                self.assertTrue((TREE / folder / "README.md").exists() or
                                above.exists() and f"`{folder.name}/`" in above.read_text())


class Includes(unittest.TestCase):
    def test_no_arrow_climbs(self):
        above = set()
        for folder, others in who_may_include_whom().items():
            with self.subTest(folder):
                self.assertLessEqual(others, above, "a folder may include only folders above it in the list")
                above.add(folder)
        rooms = [folder.split("/")[0] for folder in who_may_include_whom()]
        self.assertEqual(rooms, sorted(rooms, key=[*ROOMS, "hdl"].index), "rooms follow the way of the data")

    def test_folders_include_only_what_they_may(self):
        allowed = who_may_include_whom()
        needed = collections.defaultdict(set)
        self.assertGreater(len(sources()), 300)
        for source in sources():
            folder = str(source.parent)
            self.assertIn(folder, allowed, f"{folder} has no line in scripts/includes.txt")
            text = (TREE / source).read_text()
            for name in re.findall(r"^#include <(earshot/.*)>", text, re.M):
                self.assertTrue((TREE / "include" / name).exists(), f"{source} includes {name}, which is not there")
                needed[folder].add("include/earshot")
            for name in re.findall(r'^#include "(.*)"', text, re.M):
                if not (TREE / name).exists():
                    self.assertNotIn("/", name, f"{source} includes {name}, which is not there")  # generated
                elif str(pathlib.PurePosixPath(name).parent) != folder:
                    needed[folder].add(str(pathlib.PurePosixPath(name).parent))
        for folder, others in allowed.items():
            with self.subTest(folder):
                self.assertEqual(needed[folder] - {folder}, others, "in the sources, and in scripts/includes.txt")

    def test_what_the_library_stands_on_knows_only_its_vocabulary(self):
        folders = list(who_may_include_whom())
        below = set(folders[1:folders.index("library/api")])
        for source in sources():
            if str(source.parent) in below:
                for name in re.findall(r"^#include <(earshot/.*)>", (TREE / source).read_text(), re.M):
                    self.assertIn(name, VOCABULARY, f"{source} includes {name}")

    def test_new_commands_use_the_public_api_only(self):
        """docs/architecture.md, "Who may include whom"."""
        commands = {path.name: path for path in tracked("cli/commands") if re.fullmatch(r"cmd_.*\.c", path.name)}
        self.assertLessEqual(BEFORE_THE_API, set(commands), "a command is gone: take it from the list")
        for name in set(commands) - BEFORE_THE_API:
            for included in re.findall(r'^#include "(.*)"', (TREE / commands[name]).read_text(), re.M):
                self.assertRegex(included, r"^(cli|analyses)/", f"{name} is newer than the public API")


class Circles(unittest.TestCase):
    def test_modules_use_each_other_in_no_circle(self):
        """A module is NAME.c with NAME.h, and with NAME_private.h or NAME_internal.h. It uses those whose headers it
        includes, and those whose functions or objects it names."""
        code, defined, uses = {}, {}, {}
        for path in (path for path in sources() if path.suffix in (".c", ".h")):
            module = re.sub(r"(_private|_internal)?\.[ch]$", "", str(path))
            text = re.sub(r"/\*.*?\*/", "", (TREE / path).read_text(), flags=re.S)
            included = re.findall(r'^#include "(.*)"', text, re.M)
            uses.setdefault(module, set()).update(
                re.sub(r"(_private|_internal)?\.h$", "", name) for name in included if (TREE / name).exists())
            if path.suffix == ".c":
                text = re.sub(r'"(?:\\.|[^"\\\n])*"|__attribute__\(\(.*?\)\)|\b(?:struct|enum) \w+', "", text)
                code[module] = set(re.findall(r"\w+", text))
                function = r"^(?!static|typedef)[a-zA-Z*][^\n;{}=]*?\b(\w+)\([^;{}]*\)\n\{"
                an_object = r"^(?!static|typedef|extern)[a-zA-Z*][\w *]*?\b(\w+)(?:\[\w*\])?(?: = .*)?[;{]$"
                for name in re.findall(function, text, re.M) + re.findall(an_object, text, re.M):
                    defined.setdefault(name, set()).add(module)
        self.assertGreater(len(code), 150)
        self.assertGreater(len(defined), 700)
        for module, names in code.items():
            for name in names & set(defined):
                if len(defined[name]) == 1:  # not main, of which every program has one
                    uses[module] |= defined[name]
        try:
            graphlib.TopologicalSorter({module: used - {module} for module, used in uses.items()}).prepare()
        except graphlib.CycleError as error:
            self.fail("a circle of modules: " + " is used by ".join(error.args[1]))

    def test_python_modules_import_each_other_in_no_circle(self):
        package = TREE / "library" / "python" / "earshot"
        uses = {path.stem: set() for path in package.glob("*.py") if path.stem != "__init__"}
        self.assertGreater(len(uses), 5)
        for name, imported in uses.items():
            tree = ast.parse((package / f"{name}.py").read_text())
            for_types = {inner for node in ast.walk(tree) if isinstance(node, ast.If) and
                         ast.unparse(node.test) == "TYPE_CHECKING" for inner in ast.walk(node)}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.level == 1 and node not in for_types:
                    imported |= {node.module} if node.module else {alias.name for alias in node.names}
        graphlib.TopologicalSorter({name: imported & set(uses) for name, imported in uses.items()}).prepare()


if __name__ == "__main__":
    unittest.main()
