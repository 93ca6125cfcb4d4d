#!/usr/bin/env python3
"""`cmake --install` puts everything where it belongs, and what it has installed works.

Also needs EARSHOT_BUILD, the build folder.
"""
import os
import re
import subprocess

from support import Case, main, records

FILES = """
bin/earshot
bin/earshot-board
lib/udev/rules.d/60-earshot.rules
share/bash-completion/completions/earshot
share/doc/earshot/CHANGELOG.md
share/doc/earshot/LICENSE
share/doc/earshot/README.md
share/doc/earshot/architecture.md
share/doc/earshot/boards.md
share/doc/earshot/file-format.md
share/doc/earshot/predict.md
share/doc/earshot/protocol.md
share/doc/earshot/retire-port.md
share/doc/earshot/security.md
share/doc/earshot/text-formats.md
share/doc/earshot/usb.md
share/earshot/demo.elf
share/earshot/earshot-fx2.bin
share/fish/vendor_completions.d/earshot.fish
share/man/man1/earshot-board.1
share/man/man1/earshot.1
share/zsh/site-functions/_earshot
""".split()


class Install(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prefix = cls.shared / "usr"
        subprocess.run(["cmake", "--install", os.environ["EARSHOT_BUILD"], "--prefix", cls.prefix],
                       check=True, capture_output=True)

    def test_the_files_are_there_and_no_others(self):
        found = sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file())
        self.assertEqual(found, FILES)

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

    def test_the_programs_are_hardened(self):
        """As cmake/EarHarden.cmake says: what readelf sees of it."""
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
