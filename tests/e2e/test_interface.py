#!/usr/bin/env python3
"""The names that users and their scripts rely on are those of tests/data/interface.txt.

Needs EARSHOT_BIN; with EARSHOT_BOARD also what only the virtual board shows.
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])
LIST = TREE / "tests/data/interface.txt"
LOADER = importlib.machinery.SourceFileLoader("list_interface", str(TREE / "scripts/list-interface"))
SCRIPT = importlib.util.module_from_spec(importlib.util.spec_from_loader("list_interface", LOADER))
LOADER.exec_module(SCRIPT)
REMOVED = """names are gone that users and their scripts rely on: give them back.
(A name may go only in a new major version, with an entry in CHANGELOG.md.)
"""
ADDED = """names are new: add them to tests/data/interface.txt, if users are to rely on them from now on:
    scripts/list-interface build >tests/data/interface.txt
"""


def list_interface(command):
    done = subprocess.run([TREE / "scripts/list-interface", command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


def compare(held, found):
    """What is removed, and what is added, as a text; empty if nothing is."""
    removed, added = sorted(set(held) - set(found)), sorted(set(found) - set(held))
    text = "\n".join([REMOVED, *removed, ""]) if removed else ""
    return text + ("\n".join([ADDED, *added]) if added else "")


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = LIST.read_text().splitlines()
        cls.found = list_interface(EARSHOT)
        cls.has_board = any(line.startswith("board ") for line in cls.found)
        if not cls.has_board:
            cls.held = [line for line in cls.held if not line.startswith("board ")]

    def test_no_name_is_gone_and_none_is_new(self):
        difference = compare(self.held, self.found)
        self.assertFalse(difference, "\n" + difference)

    def test_the_list_is_sorted_and_of_every_kind(self):
        lines = LIST.read_text().splitlines()
        self.assertEqual(lines, sorted(set(lines)))
        self.assertEqual({line.split()[0] for line in lines},
                         {"board", "command", "device", "exit", "format", "info", "json", "option", "protocol", "shot"})

    def test_a_name_that_is_gone_and_a_new_one_are_reported(self):
        with tempfile.TemporaryDirectory(prefix="earshot-") as folder:
            other = pathlib.Path(folder) / "earshot"
            other.write_text(f"""#!/bin/sh
case "$1 $2" in
"decode --help") {EARSHOT} "$@" | sed '/--limit/d; s/--quiet/--silent/' ;;
*) exec {EARSHOT} "$@" ;;
esac
""")
            other.chmod(0o755)
            names = set(SCRIPT.helps(SCRIPT.Command(other, folder)))
        kinds = {name.split()[0] for name in names}
        found = names.union(line for line in self.found if line.split()[0] not in kinds)
        difference = compare(self.held, found)
        removed, added = difference.split(ADDED)
        self.assertEqual(removed.splitlines()[3:], ["option decode -n --limit =", "option decode -q --quiet"])
        self.assertEqual(added.splitlines()[1:], ["option decode -q --silent"])

    def refusal(self, command, *arguments):
        done = subprocess.run([EARSHOT, command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2, f"earshot {command} {arguments}")
        return done.stderr

    def test_the_command_takes_each_option(self):
        """An option is not refused as one that does not exist is. Nothing is run: an unknown option follows."""
        refused = {}
        for line in self.held:
            parts = re.fullmatch(r"option (?!earshot)(\w+) (?:-\w )?(--[\w-]+)( =| \[=\])?", line)
            if not parts or parts.group(2) == "--help":
                continue
            command, option, value = parts.groups()
            with self.subTest(line):
                unknown = "--no-such-option" + ("=1" if value else "")
                if (command, unknown) not in refused:
                    refused[command, unknown] = self.refusal(command, unknown, "--no-such-option")
                known = self.refusal(command, option + ("=1" if value else ""), "--no-such-option")
                self.assertNotEqual(known, refused[command, unknown].replace("no-such-option", option[2:], 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
