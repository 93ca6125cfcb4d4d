#!/usr/bin/env python3
"""`cmake --install` puts everything where it belongs, and what it has installed works.

Also needs EARSHOT_BUILD, the build folder.
"""
import os
import pathlib
import re
import shutil
import subprocess

import examples
from support import TREE, Case, main, records

FILES = """
bin/earshot
bin/earshot-board
include/earshot/address.h
include/earshot/branch_trace.h
include/earshot/call_frame.h
include/earshot/calls.h
include/earshot/check.h
include/earshot/diversion.h
include/earshot/earshot.h
include/earshot/error.h
include/earshot/event_source.h
include/earshot/history.h
include/earshot/index.h
include/earshot/infer.h
include/earshot/instruction.h
include/earshot/marks.h
include/earshot/memory_errors.h
include/earshot/moment.h
include/earshot/moment_text.h
include/earshot/moment_view.h
include/earshot/names.h
include/earshot/record.h
include/earshot/search.h
include/earshot/task_event.h
include/earshot/tasks.h
include/earshot/trace.h
include/earshot/value_chain.h
include/earshot/variable.h
include/earshot/why.h
lib/cmake/earshot/earshot-config-version.cmake
lib/cmake/earshot/earshot-config.cmake
lib/cmake/earshot/earshot-targets.cmake
lib/libearshot.a
lib/earshot.so
lib/libearshot.so
lib/libearshot.so.0
lib/pkgconfig/earshot.pc
lib/udev/rules.d/60-earshot.rules
libexec/earshot/earshot-names
share/bash-completion/completions/earshot
share/doc/earshot/AUTHORS
share/doc/earshot/CHANGELOG.md
share/doc/earshot/LICENSE
share/doc/earshot/README.md
share/doc/earshot/analyses.md
share/doc/earshot/analyses/branches.md
share/doc/earshot/analyses/calls.md
share/doc/earshot/analyses/coverage.md
share/doc/earshot/analyses/flamegraph.png
share/doc/earshot/analyses/genhtml.png
share/doc/earshot/analyses/gtkwave.png
share/doc/earshot/analyses/isa-coverage.md
share/doc/earshot/analyses/kcachegrind.png
share/doc/earshot/analyses/memory-errors.md
share/doc/earshot/analyses/memory.md
share/doc/earshot/analyses/notebook.png
share/doc/earshot/analyses/profile.md
share/doc/earshot/analyses/speedscope.png
share/doc/earshot/analyses/stat.md
share/doc/earshot/analyses/timeline.md
share/doc/earshot/analyses/timeline.png
share/doc/earshot/analyses/viewers.md
share/doc/earshot/android.md
share/doc/earshot/architecture.md
share/doc/earshot/archive.md
share/doc/earshot/boards.md
share/doc/earshot/bring-up.md
share/doc/earshot/check.md
share/doc/earshot/cores/README.md
share/doc/earshot/cores/cv32e40p.md
share/doc/earshot/cores/cv32e40x.md
share/doc/earshot/cores/cva6.md
share/doc/earshot/cores/femtorv.md
share/doc/earshot/cores/hazard3.md
share/doc/earshot/cores/ibex.md
share/doc/earshot/cores/neorv32.md
share/doc/earshot/cores/nerv.md
share/doc/earshot/cores/picorv32.md
share/doc/earshot/cores/rocket.md
share/doc/earshot/cores/serv.md
share/doc/earshot/cores/vexriscv.md
share/doc/earshot/debugging.md
share/doc/earshot/esp32.md
share/doc/earshot/etrace.md
share/doc/earshot/event-port.md
share/doc/earshot/farm.md
share/doc/earshot/file-format.md
share/doc/earshot/history.md
share/doc/earshot/images/debugging.svg
share/doc/earshot/images/report-flame.png
share/doc/earshot/images/report-functions.png
share/doc/earshot/images/report-source.png
share/doc/earshot/images/report-summary-narrow.png
share/doc/earshot/images/report-summary.png
share/doc/earshot/images/report-timeline.png
share/doc/earshot/images/report-why.png
share/doc/earshot/index.md
share/doc/earshot/infer.md
share/doc/earshot/instructions.md
share/doc/earshot/library.md
share/doc/earshot/linux-target.md
share/doc/earshot/look.md
share/doc/earshot/many-traces.md
share/doc/earshot/moments.md
share/doc/earshot/names.md
share/doc/earshot/ntrace.md
share/doc/earshot/own-simulation.md
share/doc/earshot/parts.md
share/doc/earshot/predict.md
share/doc/earshot/protocol.md
share/doc/earshot/report.md
share/doc/earshot/retire-port.md
share/doc/earshot/security.md
share/doc/earshot/testing.md
share/doc/earshot/branch-trace.md
share/doc/earshot/browse.md
share/doc/earshot/text-formats.md
share/doc/earshot/timing/entry.svg
share/doc/earshot/timing/fx2.svg
share/doc/earshot/timing/load.svg
share/doc/earshot/timing/stall.svg
share/doc/earshot/analyses/top.md
share/doc/earshot/analyses/web.md
share/doc/earshot/usb.md
share/doc/earshot/verdict.md
share/doc/earshot/sql.md
share/doc/earshot/why.md
share/earshot/demo.elf
share/earshot/earshot-fx2.bin
share/earshot/earshot-gdb.py
share/earshot/earshot.magic
share/earshot/program/libc.c
share/earshot/program/link.ld
share/earshot/program/start.S
share/earshot/program/support.c
share/earshot/program/support.h
share/earshot/target/ear_port.c
share/earshot/target/ear_port.h
share/earshot/target/ear_port_freertos.h
share/earshot/target/ear_port_functions.c
share/earshot/target/ear_port_scheduler.h
share/earshot/target/ear_protocol.h
share/fish/vendor_completions.d/earshot.fish
share/man/man1/earshot-board.1
share/man/man1/earshot.1
share/mime/packages/earshot.xml
share/zsh/site-functions/_earshot
""".split()


VERSION = re.search(r'EAR_VERSION +"(.*)"', (TREE / "include/earshot/earshot.h").read_text())[1]


def hardware():
    """What hdl/Installed.cmake puts into one folder: what rtl.f lists, headers, the link of a simulation,
    constraints, and lists of the files."""
    listed = [line for name in ("rtl/rtl.f", "adapters/adapters.f") for line in (TREE / "hdl" / name).open()]
    sources = [pathlib.Path(line.strip()).name for line in listed if line.endswith(".v\n")]
    others = [path.name for folder in ("hdl/rtl", "hdl/adapters", "common/protocol") for path in (TREE / folder).glob("*.vh")]
    link = [path.name for path in (TREE / "hdl/sim/link").iterdir() if path.suffix in (".v", ".h", ".cpp")]
    others += [path.name for path in (TREE / "hdl/constraints").glob("ear_crossing.*")]
    others += [path.name for path in (TREE / "hdl/soc").glob("*.v")]
    others += [path.name for path in (TREE / "hdl/adapters").glob("*.vhd")]
    lists = [path.stem for path in (TREE / "hdl/lists").glob("*.in")]
    return [f"share/earshot/hdl/{name}" for name in [*sources, *others, *link, *lists]] + boards()


def boards():
    """What `earshot new-board` copies."""
    home = TREE / "hdl/boards"
    names = [f"new/{path.name}" for path in (home / "new").iterdir()]
    names += [f"{path.parent.name}/{path.name}" for folder in home.glob("*/board.mk") for path in folder.parent.iterdir()]
    names += [f"cores/{path.name}" for folder in ("hdl/boards/cores", "tests/cores")
              for path in (TREE / folder).glob("core_*.v") if path.name != "core_memory.v"]
    names += [f"new/ear_board{name}" for name in (".vh", "_bench.v", "_link.v", "_reset.v")]
    return [f"share/earshot/boards/{name}" for name in ["Makefile", *names]]


def python_package():
    """The files of the Python package, if the build has one: it needs cffi."""
    cache = (pathlib.Path(os.environ["EARSHOT_BUILD"]) / "CMakeCache.txt").read_text()
    found = re.search(r"^EAR_PYTHON_DIR:STRING=(.+)$", cache, re.M)
    names = [path.name for path in (TREE / "library/python/earshot").iterdir() if path.is_file()]
    return [f"{found[1]}/earshot/{name}" for name in [*names, "_libearshot.py"]] if found else []


class Install(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.shared / "usr"
        subprocess.run(["cmake", "--install", os.environ["EARSHOT_BUILD"], "--prefix", cls.prefix],
                       check=True, capture_output=True)

    def test_the_files_are_there_and_no_others(self):
        found = sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()
                       and not path.name.startswith("earshot-targets-"))  # one for each type of build
        self.assertEqual(found, sorted([*FILES, f"lib/libearshot.so.{VERSION}", *hardware(), *python_package()]))

    def test_links_of_the_installed_documents_lead_somewhere(self):
        folder = self.prefix / "share/doc/earshot"
        check = [TREE / "scripts/check-documents", folder]
        done = subprocess.run(check, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        linked = re.findall(r"\]\(([\w-]+\.md)", (folder / "README.md").read_text())
        self.assertGreaterEqual(len(linked), 8, "links to documents stay links")
        (folder / "zz.md").write_text("# Zz\n\n[there](README.md) [gone](docs/usb.md) [none](usb.md#nothing)\n")
        self.addCleanup((folder / "zz.md").unlink)
        done = subprocess.run(check, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"zz.md:3: link to docs/usb.md: .*\n.*zz.md:3: link to usb.md#nothing: .*\n$")

    def test_every_document_is_installed(self):
        documents = {path.relative_to(TREE / "docs") for path in (TREE / "docs").rglob("*.md")}
        folder = self.prefix / "share/doc/earshot"
        installed = {path.relative_to(folder) for path in folder.rglob("*.md")}
        self.assertEqual(documents - installed, set())

    def test_nothing_names_the_folder_of_the_build(self):
        """So a build in another folder is the same. But for the board: Verilator knows sources by their path."""
        folders = {str(TREE).encode(), os.path.realpath(os.environ["EARSHOT_BUILD"]).encode()}
        for path in sorted(self.prefix.rglob("*")):
            if not path.is_file() or path.name == "earshot-board":
                continue
            with self.subTest(path.name):
                content = path.read_bytes()
                if path.name == "earshot" and b".debug_info" in content:
                    self.skipTest("built with debug information")
                self.assertEqual([folder for folder in folders if folder in content], [])

    def test_destdir_is_respected(self):
        subprocess.run(["cmake", "--install", os.environ["EARSHOT_BUILD"], "--prefix", "/usr"], check=True,
                       capture_output=True, env=dict(os.environ, DESTDIR=str(self.folder)))
        self.assertTrue((self.folder / "usr/bin/earshot").exists())

    def test_the_installed_command_captures_its_demo_on_its_board(self):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}

        def run(*arguments):
            return subprocess.run([self.prefix / "bin/earshot", *arguments], cwd=self.folder, env=environment,
                                  check=True, capture_output=True, text=True, timeout=300).stdout

        self.assertIn(str(self.prefix / "bin/earshot-board"), run("list"))
        run("capture", "-o", "x.shot", "--limit", "20000")
        info = run("info", "x.shot")
        self.assertIn(f"\nprogram: {self.prefix}/share/earshot/demo.elf\n", info)
        self.assertRegex(info, re.compile(r"^records: 20000$", re.M))
        self.assertTrue(info.endswith("complete: yes\n"))
        self.assertEqual(len(records(run("decode", "x.shot"))), 20000)
        self.check_sql(environment)
        self.check_types(environment)

    def check_types(self, environment):
        """file and desktops know a capture and an index by their bytes."""
        subprocess.run([self.prefix / "bin/earshot", "index", "x.shot"], cwd=self.folder, env=environment, check=True,
                       capture_output=True)
        for name, known in (("x.shot", "earshot-capture"), ("x.shot.idx", "earshot-index")):
            found = subprocess.run(["file", "-b", "--mime-type", "-m", self.prefix / "share/earshot/earshot.magic", name],
                                   cwd=self.folder, check=True, capture_output=True, text=True).stdout
            self.assertEqual(found, f"application/x-{known}\n")
        shutil.copytree(self.prefix / "share/mime", self.folder / "mime")
        subprocess.run(["update-mime-database", self.folder / "mime"], check=True, capture_output=True)
        magic = (self.folder / "mime/magic").read_bytes()
        self.assertIn(b"application/x-earshot-capture]\n>0=\x00\x04\x5d\x2a\x4d\x18\n1>8=\x00\x04EFCT\n", magic)

    def check_sql(self, environment):
        """The extension of SQLite finds its library and the helper for names; a database has the same rows."""
        if b"__asan_init" in (self.prefix / "bin/earshot").read_bytes():
            return  # sqlite3 is built without sanitizers
        sums = "count(number), sum(pc), sum(rd_value), count(DISTINCT function)"
        subprocess.run([self.prefix / "bin/earshot", "convert", "x.shot", "-o", "x.sqlite"], cwd=self.folder,
                       env=environment, check=True, timeout=300)
        answers = [subprocess.run(["sqlite3", "-cmd", f".load {self.prefix}/lib/earshot", database,
                                   f"SELECT {sums} FROM {table}"], cwd=self.folder, env=environment, check=True,
                                  capture_output=True, text=True, timeout=300).stdout
                   for database, table in ((":memory:", "trace('x.shot')"), ("x.sqlite", "records"))]
        self.assertEqual(answers[0], answers[1])
        self.assertRegex(answers[0], r"^20000\|\d+\|-?\d+\|[1-9]\d*$")

    def test_a_program_of_ones_own_is_built_as_the_readme_says_and_captured(self):
        """The README's lines, and only P is what it is after an installation."""
        environment = {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "HOME": str(self.folder)}
        installed = f"P={self.prefix}/share/earshot/program"
        (self.folder / "build").mkdir()
        (self.folder / "build/bin").symlink_to(self.prefix / "bin")
        for document, name, printed in (("README.md", "hello", "100 squares\n"), ("docs/boards.md", "call", "144\n")):
            with self.subTest(document):
                blocks, _ = examples.of_markdown(TREE / document, document)
                block = next(block for block in blocks if block[0].bare.startswith("P="))
                self.assertEqual(block[0].bare, "P=tests/programs")
                for example in block[1:]:
                    script = f"{installed}\n{example.text}".replace("| less", "| cat")
                    result = subprocess.run(["bash", "-c", script], cwd=self.folder, env=environment,
                                            capture_output=True, text=True, timeout=60)
                    self.assertEqual(result.returncode, 0, f"{example.text}\n{result.stderr}")
                    if " capture " in example.bare:
                        shot = self.folder / example.bare.split()[-1]
                        uart = self.folder / "call.txt"
                        self.assertIn(printed, uart.read_text() if name == "call" else result.stderr)
                self.assertEqual(self.info(shot)["complete"], "yes")
                self.assertEqual(self.info(shot)["program"], f"{name}.elf")
                self.assertGreater(len(records(self.decode(shot))), 500)

    def test_the_doctor_names_the_rules_that_were_installed(self):
        out = subprocess.run([self.prefix / "bin/earshot", "doctor", "--no-open"], env={"PATH": "/usr/bin:/bin"},
                             capture_output=True, text=True, timeout=60).stdout
        rules = self.prefix / "lib/udev/rules.d/60-earshot.rules"
        self.assertTrue(rules.is_file())
        if "udev rules: 60-earshot.rules is not where" in out:  # else they are on this machine already
            self.assertIn(f"sudo cp '{rules}' /etc/udev/rules.d/", out)

    def test_the_programs_are_hardened(self):
        """As scripts/cmake/EarHarden.cmake says: what readelf sees of it."""
        for program in "earshot", "earshot-board":
            with self.subTest(program):
                def look(*options):
                    return subprocess.run(["readelf", "-W", *options, self.prefix / "bin" / program], check=True,
                                          capture_output=True, text=True).stdout
                imported = re.findall(r"UND (\w+)", look("--dyn-syms"))
                if "__asan_init" in imported or "__tsan_init" in imported:
                    self.skipTest("built with sanitizers")
                self.assertRegex(look("-h"), r"Type: +DYN")
                self.assertRegex(look("-d"), r"FLAGS_1.*NOW.*PIE")
                self.assertRegex(look("-l"), r"GNU_RELRO")
                self.assertRegex(look("-l"), r"GNU_STACK .* RW +0x")
                self.assertIn("__stack_chk_fail", imported)
                self.assertTrue([name for name in imported if re.fullmatch(r"__\w+_chk", name)], "no FORTIFY_SOURCE")
                self.assertNotRegex(look("-d"), "RPATH|RUNPATH")


if __name__ == "__main__":
    main()
