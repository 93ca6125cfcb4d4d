#!/usr/bin/env python3
"""libearshot as it is installed: what it exports, how programs find it, and the examples of docs/library.md.

Needs EARSHOT_BUILD, the build folder.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TREE / "docs" / "examples" / "library"
SPIKE = TREE / "tests" / "data" / "spike" / "rv64.log"
HEADERS = sorted((TREE / "include" / "earshot").glob("*.h"))

FILES = """
lib/cmake/earshot/earshot-config-version.cmake
lib/cmake/earshot/earshot-config.cmake
lib/cmake/earshot/earshot-targets.cmake
lib/earshot.so
lib/libearshot.a
lib/libearshot.so
lib/libearshot.so.0
lib/pkgconfig/earshot.pc
libexec/earshot/earshot-names
""".split()


VERSION = re.search(r'EAR_VERSION +"(.*)"', (TREE / "include/earshot/earshot.h").read_text())[1]


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.prefix = cls.folder / "usr"
        run("cmake", "--install", os.environ["EARSHOT_BUILD"], "--component", "library", "--prefix", cls.prefix)
        cls.lib = cls.prefix / "lib"
        cls.names = pathlib.Path(os.environ["EARSHOT_BUILD"]).resolve() / "bin" / "earshot-names"
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=str(cls.lib / "pkgconfig"),
                               LD_LIBRARY_PATH=str(cls.lib))

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def declared(self):
        return run(sys.executable, TREE / "tests/support/public_functions.py", *HEADERS).split()

    def test_the_files_are_there(self):
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*")
                 if not path.is_dir() and "earshot-targets-" not in path.name}
        self.assertEqual(found, {*FILES, f"lib/libearshot.so.{VERSION}"} | {f"include/earshot/{path.name}" for path in HEADERS})

    def test_the_list_of_symbols_is_that_of_the_headers(self):
        """If this fails: tests/support/public_functions.py include/earshot/*.h >library/symbols.txt"""
        self.assertGreater(len(self.declared()), 80)
        self.assertEqual(self.declared(), (TREE / "library" / "symbols.txt").read_text().split())

    def test_the_shared_library_exports_what_the_headers_declare_and_nothing_else(self):
        rows = [line.split() for line in run("nm", "-D", "--defined-only", self.lib / "libearshot.so").splitlines()]
        self.assertEqual([name.split("@")[0] for _, kind, name in rows if kind != "A"], self.declared())

    def test_the_static_library_has_no_other_global_names(self):
        rows = [line.split() for line in run("nm", "-g", "--defined-only", self.lib / "libearshot.a").splitlines()]
        self.assertEqual(sorted(row[2] for row in rows if len(row) == 3), self.declared())

    def test_the_name_of_the_shared_library_has_the_major_version(self):
        self.assertRegex(run("readelf", "-d", self.lib / "libearshot.so"), r"\(SONAME\).*\[libearshot\.so\.0\]")

    def test_every_header_stands_alone_in_c_and_in_cpp(self):
        for header in HEADERS:
            for language, standard in (("c", "c11"), ("c++", "c++20")):
                with self.subTest(f"{header.name} {language}"):
                    run("cc", "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                        "-fsyntax-only", "-I", self.prefix / "include", "-",
                        input=f"#include <earshot/{header.name}>\ntypedef int not_empty;\n")

    def test_versions_are_the_same_everywhere(self):
        header = (self.prefix / "include/earshot/earshot.h").read_text()
        version = re.search(r'EAR_VERSION +"(.*)"', header)[1]
        parts = [re.search(rf"EAR_VERSION_{part} +(\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(".".join(parts), version)
        self.assertEqual(run("pkg-config", "--modversion", "earshot", env=self.environment).strip(), version)

    def check_examples(self, program):
        """program: where the program of an example is."""
        self.assertRegex(run(program("classes"), SPIKE, env=self.environment), r"(?m)^alu +\d+$")
        wrote = run(program("last_write"), SPIKE, "0x80002008", "99", env=self.environment)
        self.assertRegex(wrote, r"^position \d+: [0-9a-f]+ s[wd] ")
        self.assertEqual(run(program("last_write"), SPIKE, "1", "99", env=self.environment),
                         "nothing wrote there before\n")
        self.assertRegex(run(program("columns"), SPIKE, env=self.environment), r"^[0-9a-f]+ \d+ times\n$")
        found = run(program("search"), SPIKE, "0x80000004", env=self.environment)
        self.assertRegex(found, r"^\d+ times, first at position \d+, last at \d+\n")
        self.assertTrue(run(program("search"), SPIKE, "0x3", env=self.environment).startswith("never\n"))
        elf = run("which", "true").strip()
        ranges = r"^[0-9a-f]+ to [0-9a-f]+\n$"
        helper = dict(self.environment, EARSHOT_NAMES=str(self.names))
        self.assertRegex(run(program("names"), elf, ".text", env=helper), ranges)
        if "libearshot" in run("ldd", program("names"), env=self.environment):  # the helper beside the library
            self.assertRegex(run(program("names"), elf, ".text", env=self.environment), ranges)
        self.assertRegex(run(program("moment"), SPIKE, "5", env=self.environment), r"^next pc [0-9a-f]+\nra .*\nsp (.*\n)+#0 base of ")

    def test_the_examples_work_with_pkg_config(self):
        flags = run("pkg-config", "--cflags", "--libs", "earshot", env=self.environment).split()
        static = run("pkg-config", "--static", "--cflags", "--libs", "earshot", env=self.environment).split()
        for source in sorted(EXAMPLES.glob("*.c")):
            warnings = ["-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
            run("cc", *warnings, "-o", self.folder / source.stem, source, *flags)
            static = [f"-l:libearshot.a" if flag == "-learshot" else flag for flag in static]
            run("cc", *warnings, "-o", self.folder / f"{source.stem}_static", source, *static)
        self.check_examples(lambda name: self.folder / name)
        self.assertIn("libearshot.so.0", run("ldd", self.folder / "classes", env=self.environment))
        self.check_examples(lambda name: self.folder / f"{name}_static")
        self.assertNotIn("libearshot", run("ldd", self.folder / "classes_static", env=self.environment))

    def test_the_examples_work_with_cmake(self):
        build = self.folder / "cmake"
        run("cmake", "-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", env=self.environment)
        run("cmake", "--build", build, env=self.environment)
        self.check_examples(lambda name: build / name)
        self.check_examples(lambda name: build / f"{name}_static")


unittest.main(verbosity=2)
