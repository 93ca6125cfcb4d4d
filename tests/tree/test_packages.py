#!/usr/bin/env python3
"""Packages and releases: one version, a form of CHANGELOG.md, and debian/ agrees with what is installed.

It reads sources only and needs no build; scripts/release makes and tests the packages.
"""
import fnmatch
import pathlib
import re
import subprocess
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = TREE / "debian"
VERSION = re.search(r'EAR_VERSION +"(.*)"', (TREE / "include/earshot/earshot.h").read_text())[1]
PACKAGES = ["earshot", "libearshot0", "libearshot-dev", "python3-earshot", "earshot-hdl", "earshot-board"]
NOT_PACKAGED = {"usr/share/doc/earshot/AUTHORS", "usr/share/doc/earshot/LICENSE"}  # debian/copyright has both


def installed():
    """The files of test_install.py, where debian/rules puts them."""
    text = re.search(r'^FILES = """\n(.*?)"""', (TREE / "tests/e2e/test_install.py").read_text(), re.M | re.S)[1]
    names = [*text.split(), f"lib/libearshot.so.{VERSION}", "lib/python3/dist-packages/earshot/__init__.py",
             "share/earshot/hdl/ear_unit.v", "share/earshot/boards/Makefile"]
    for name in names:
        name = name.replace("libexec/", "lib/ARCH/libearshot0/")
        if name.startswith("lib/") and not re.match("lib/(udev|python3|ARCH)/", name):
            name = name.replace("lib/", "lib/ARCH/", 1)
        yield f"usr/{name}"


def patterns():
    return [(package, line.strip()) for package in PACKAGES
            for line in (DEBIAN / f"{package}.install").read_text().splitlines()]


def fits(name, pattern):
    return fnmatch.fnmatchcase(name, pattern) or name.startswith(f"{pattern}/") or fnmatch.fnmatchcase(name, f"{pattern}/*")


class Version(unittest.TestCase):
    def test_it_is_the_same_everywhere(self):
        done = subprocess.run([TREE / "scripts/release", "versions"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertIn(f"\nVersion {VERSION}.", (TREE / "README.md").read_text())
        self.assertIn(f"| software, `{VERSION}` |", (TREE / "docs/architecture.md").read_text())
        minor = re.sub("[.][^.]*$", ".0", VERSION)
        self.assertIn(f"\n (symver)EARSHOT_0 {minor}\n", (DEBIAN / "libearshot0.symbols").read_text())

    def test_the_changelog_has_a_section_a_release(self):
        sections = re.findall(r"^## (.*)$", (TREE / "CHANGELOG.md").read_text(), re.M)
        found = [re.fullmatch(r"\[(\d+)[.](\d+)[.](\d+)\] - (\d{4}-\d\d-\d\d)", section) for section in sections]
        self.assertNotIn(None, found, sections)
        versions = [tuple(map(int, section.groups()[:3])) for section in found]
        self.assertEqual(versions, sorted(set(versions), reverse=True))
        dates = [section[4] for section in found]
        self.assertEqual(dates, sorted(dates, reverse=True))


class Debian(unittest.TestCase):
    def test_each_installed_file_is_in_one_package(self):
        files = set(installed())
        self.assertGreater(len(files), 100)
        for name in files - NOT_PACKAGED:
            packages = [package for package, pattern in patterns() if fits(name, pattern)]
            self.assertEqual(len(packages), 1, f"{name} is in {packages}")
        for package, pattern in patterns():
            self.assertTrue([name for name in files if fits(name, pattern)], f"{package}: {pattern} is no file")

    def test_the_control_file_has_these_packages(self):
        self.assertEqual(re.findall(r"^Package: (.*)$", (DEBIAN / "control").read_text(), re.M), PACKAGES)

    def test_a_build_needs_what_setup_installs(self):
        done = subprocess.run([TREE / "scripts/setup", "--list"], check=True, capture_output=True, text=True)
        # A system that builds packages has these anyway.
        setup = set(done.stdout.split()) - {"g++", "gcc", "libc6-dev", "make"}
        needs = re.search(r"^Build-Depends:\n(.*?)\n\n", (DEBIAN / "control").read_text(), re.M | re.S)[1]
        needs = {re.sub(r" \(.*", "", line.strip().rstrip(",")) for line in needs.splitlines()}
        self.assertEqual(needs - {"debhelper-compat", "dh-sequence-python3"}, setup)


if __name__ == "__main__":
    unittest.main(verbosity=2)
