#!/usr/bin/env python3
"""What a command writes: to files that are full, too long, in use, or those that it reads; by their endings."""
import gzip
import os
import re
import resource
import signal
import subprocess

from support import EARSHOT, PROGRAMS, TREE, Case, main, some

COMMANDS = ["capture", "decode", "convert", "diff", "grep", "info", "dump", "control", "list", "doctor", "flash",
            "load", "new-board", "selftest", "serve"]


def device(folder, program="sort", keys=""):
    return f"sim:{PROGRAMS / program}.elf,unit=raw,uart={folder}/uart{keys}"


class Case(Case):
    def run_to(self, out, *arguments, size=None):
        """Run the command with this standard output; files may have so many bytes."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return subprocess.run([EARSHOT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, text=True,
                              stderr=subprocess.PIPE, timeout=120, preexec_fn=limit if size else None)


class FullDisk(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shot = cls.shared / "t.shot"
        cls().capture(cls.shot, "sort", "--limit", "20000")

    def test_all_that_is_printed_has_arrived(self):
        """Each command that prints, also its help, fails when standard output is full."""
        commands = [["--help"], ["help"], ["--version"], *([name, "--help"] for name in COMMANDS), ["list"],
                    ["info", self.shot], ["dump", self.shot], ["decode", self.shot], ["convert", self.shot],
                    ["convert", "-f", "shot", self.shot], ["grep", self.shot], ["grep", "-c", self.shot],
                    ["diff", self.shot, self.shot], ["diff", "--json", self.shot, self.shot]]
        for arguments in commands:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = self.run_to(full, *arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr, "No space left on device|disk full")

    def test_a_full_output_leaves_the_others_alone(self):
        """Of several outputs the healthy ones continue to the end, and the status says that one failed."""
        whole, raw = self.folder / "whole.shot", self.folder / "whole.raw"
        self.earshot("capture", "-q", "-d", device(self.folder), "-o", whole, "--record", raw)
        text, _ = self.earshot("decode", whole)
        shot, csv, record = (self.folder / name for name in ("t.shot", "t.csv", "t.raw"))
        for full in some(["-f", "json", "-o", "/dev/full"], ["-f", "tarmac", "-o", "/dev/full"]):
            for healthy in some(["-o", shot, "-o", csv], ["-o", shot, "--record", record], ["--record", record], gate=2):
                orders = full + healthy, healthy + full
                for outputs in some(*orders if csv in healthy else orders[::-1]):
                    with self.subTest(outputs=outputs):
                        for path in (shot, csv, record):
                            path.unlink(missing_ok=True)
                        _, error = self.earshot("capture", "-d", device(self.folder), "--limit", "1000000",
                                                *outputs, status=2)
                        self.assertIn(f"{full[-1]}: No space left on device; what was written before is kept", error)
                        self.assertEqual("the other outputs are not affected" in error, shot in healthy)
                        self.assertIn("program ended", error)
                        if shot in healthy:
                            info = self.info(shot)
                            self.assertEqual((info["complete"], info["end_reason"]), ("yes", "program ended"))
                            self.assertEqual(self.earshot("decode", shot)[0], text)
                        if csv in healthy:
                            self.assertEqual(csv.read_text(), text)
                        if record in healthy:
                            self.assertEqual(self.earshot("decode", record)[0], text)
        _, error = self.earshot("capture", "-d", device(self.folder), "-o", "/dev/full", status=2)
        self.assertIn("output failed", error)

    def test_a_format_of_one_hart_leaves_the_others_alone(self):
        """What cannot go into a text of one hart ends that text, with one message."""
        shot = self.folder / "multi.shot"
        self.earshot("convert", TREE / "tests/data/whisper/multi.csv", "-o", shot)
        raw = self.folder / "multi.raw"
        raw.write_bytes(subprocess.run(["zstd", "-dcq", shot], check=True, capture_output=True).stdout)
        result = subprocess.run([EARSHOT, "capture", "-d", f"file:{raw}", "-f", "tarmac", "-o", "-", "-o",
                                 self.folder / "t.shot"], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("one hart in a file"), 1)
        self.assertEqual(self.info(self.folder / "t.shot")["records"], self.info(shot)["records"])

    def test_a_reader_that_leaves_is_no_failure(self):
        for arguments in (["dump", self.shot], ["decode", self.shot], ["convert", self.shot], ["capture", "--help"]):
            with self.subTest(arguments):
                read, write = os.pipe()
                os.close(read)
                result = self.run_to(write, *arguments)
                os.close(write)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_file_that_may_not_grow_is_a_full_disk(self):
        """ulimit -f: an error with the name of the file, not death by SIGXFSZ."""
        out = self.folder / "out"
        cases = [("capture", "-d", device(self.folder), "-f", "whisper", "-o", out),
                 ("capture", "-d", device(self.folder), "-o", f"{out}.shot"),
                 ("capture", "-d", device(self.folder), "--record", out, "-f", "shot", "-o", "/dev/null"),
                 ("decode", self.shot, "-f", "whisper", "-o", out), ("convert", self.shot, "-f", "whisper", "-o", out)]
        for arguments in cases:
            with self.subTest(arguments[0]):
                result = self.run_to(subprocess.DEVNULL, *arguments, size=8192)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(str(out), result.stderr)
                self.assertIn("File too large", result.stderr)
        with open(out, "wb") as file:
            result = self.run_to(file, "dump", self.shot, size=8192)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("File too large", result.stderr)


class SameFile(Case):
    """No file that is read is written over, and no two outputs are one file, under whatever names."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.raw, cls.shot = cls.shared / "t.raw", cls.shared / "t.shot"
        cls().capture(cls.shot, "sort", "--limit", "2000")
        cls().capture(cls.shared / "r.shot", "sort", "--limit", "2000", "--record", cls.raw)

    def aliases(self, there):
        """Pairs of names of one file, which is there or not, of a kind each."""
        folder = self.folder
        (folder / "folder").mkdir()
        os.symlink("folder", folder / "link-to-folder")
        for number, kind in enumerate(("the same name", "another spelling", "through a folder's link", "symbolic link",
                                       "hard link", "link to a link")):
            name = folder / "folder" / f"f{number}"
            other = {"the same name": name, "another spelling": folder / "folder" / ".." / "folder" / "." / name.name,
                     "through a folder's link": folder / "link-to-folder" / name.name}.get(kind)
            if not other:
                other = folder / f"other{number}"
                if kind == "hard link" and there is None:
                    continue
                os.symlink(f"folder/{name.name}" if kind == "symbolic link" else f"step{number}", other)
                os.symlink(name, folder / f"step{number}")
            if there is not None:
                name.write_bytes(there)
                if kind == "hard link":
                    other.unlink()
                    os.link(name, other)
            yield kind, name, other

    def refuse(self, kind, name, *arguments, told="is the file that is read|two outputs go to this file"):
        with self.subTest(f"{kind}: {arguments[0]}"):
            before = name.read_bytes() if name.exists() else None
            _, error = self.earshot(*arguments, status=2)
            self.assertRegex(error, told)
            self.assertEqual(name.read_bytes() if name.exists() else None, before)

    def test_every_pair_of_a_capture(self):
        """What is read: a dump, the board's program, --load, --elf. What is written: -o, --record, the board's UART."""
        board = f"sim:{PROGRAMS / 'small.elf'},unit=raw"
        reads = {"-d file:": lambda path: ["-d", f"file:{path}"], "-d sim:": lambda path: ["-d", f"sim:{path},unit=raw"],
                 "--load": lambda path: ["-d", board, "--load", path], "--elf": lambda path: ["-d", board, "--elf", path]}
        writes = {"-o shot": lambda path: ["-f", "shot", "-o", path], "-o text": lambda path: ["-f", "json", "-o", path],
                  "--record": lambda path: ["--record", path]}
        end = ["-f", "shot", "-o", "/dev/null"]
        raw, program = self.raw.read_bytes(), (PROGRAMS / "small.elf").read_bytes()
        for kind, name, other in [*self.aliases(program)]:
            for read in reads.values():
                for write in writes.values():
                    name.write_bytes(raw if read is reads["-d file:"] else program)
                    self.refuse(kind, name, "capture", *read(name), *write(other), *end)
                    self.refuse(kind, name, "capture", *write(name), *read(other), *end)
            self.refuse(kind, name, "capture", "-d", f"sim:{name},unit=raw,uart={other}", *end)

    def test_every_pair_of_outputs(self):
        board = f"sim:{PROGRAMS / 'small.elf'},unit=raw"
        writes = [["-f", "shot", "-o"], ["-f", "json", "-o"], ["--record"], ["uart"]]
        end = ["-f", "shot", "-o", "/dev/null"]
        for kind, name, other in [*self.aliases(None)]:
            for first in writes:
                for second in writes:
                    if first == second and len(first) == 1:
                        continue  # the last one counts
                    words, keys = [], ""
                    for option, path in ((first, name), (second, other)):
                        words += [] if option == ["uart"] else [*option, path]
                        keys += f",uart={path}" if option == ["uart"] else ""
                    self.refuse(kind, name, "capture", "-d", board + keys, *words, *end, told="two outputs go to this file")

    def test_every_pair_of_the_other_commands(self):
        text = self.folder / "t.csv"
        self.earshot("decode", self.shot, "-o", text)
        for command, there, form in (("decode", self.shot.read_bytes(), "whisper"), ("convert", self.shot.read_bytes(), "json"),
                                     ("convert", text.read_bytes(), "shot")):
            for path in self.folder.iterdir():
                if path != text and not path.is_dir():
                    path.unlink()
            (self.folder / "link-to-folder").unlink(missing_ok=True)
            if (self.folder / "folder").exists():
                for path in (self.folder / "folder").iterdir():
                    path.unlink()
                (self.folder / "folder").rmdir()
            for kind, name, other in self.aliases(there):
                self.refuse(kind, name, command, name, "-f", form, "-o", other)

    def test_standard_output_and_input(self):
        """A shell's >> to the file that is read; a file, and the same file as /dev/stdout."""
        whole = self.shot.read_bytes()
        for arguments in (["decode", self.shot], ["convert", self.shot], ["grep", self.shot], ["info", self.shot],
                          ["dump", self.shot], ["diff", self.shot, self.shared / "r.shot"],
                          ["diff", self.shared / "r.shot", self.shot], ["convert", "-"],
                          ["decode", self.shot, "-f", "json", "-o", "/dev/stdout"]):
            with self.subTest(arguments), open(self.shot, "ab") as out, open(self.shot, "rb") as into:
                result = subprocess.run([EARSHOT, *map(str, arguments)], stdin=into, stdout=out, text=True,
                                        stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(result.returncode, 2)
                self.assertIn("is the file that is read", result.stderr)
                self.assertEqual(self.shot.read_bytes(), whole)
        for outputs in (["-o", "-", "-f", "json", "-o", "/dev/stdout"], ["-o", "-", "-o", "-"]):
            _, error = self.earshot("capture", "-d", f"file:{self.raw}", *outputs, status=2)
            self.assertIn("two outputs go to this file", error)

    def test_no_output_replaces_what_an_option_reads(self):
        """Programs, the file of a unit, a file of patterns, an older trace."""
        files = {name: self.folder / name for name in ("a.elf", "b.elf", "unit.json", "patterns", "old.shot")}
        for name, path in files.items():
            path.write_bytes(self.shot.read_bytes() if name == "old.shot" else b"{pc} {opcode}\n")
        files["unit.json"].write_text("{}")
        options = ["--elf", files["a.elf"], "--elf", files["b.elf"], "--unit", files["unit.json"], "--pattern",
                   f"@{files['patterns']}"]
        whole = {path: path.read_bytes() for path in files.values()}
        for name, path in files.items():
            against = ["--against", path] if name == "old.shot" else []
            for command in (["profile", *against, "-o"],) if against else (
                    ["convert", "-f", "json", "-o"], ["profile", "-o"], ["coverage", "-o"], ["timeline", "-f", "json", "-o"],
                    ["check", "--junit"], ["index", "-o"]):
                with self.subTest(file=name, command=command):
                    _, error = self.earshot(*command, path, *options, self.shot, status=2)
                    self.assertIn(f"{name}: is the file that is read (--", error)
                    self.assertEqual({file: file.read_bytes() for file in whole}, whole)

    def test_a_named_pipe_is_one_file(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        _, error = self.earshot("capture", "-d", f"file:{self.raw}", "-f", "json", "-o", pipe, "--record", pipe, status=2)
        self.assertIn("two outputs go to this file", error)
        _, error = self.earshot("convert", pipe, "-f", "json", "-o", pipe, status=2)
        self.assertIn("is the file that is read", error)

    def test_files_of_no_contents_may_be_shared(self):
        self.earshot("capture", "-d", f"file:{self.raw}", "-f", "shot", "-o", "/dev/null", "-f", "json", "-o", "/dev/null",
                     "--record", "/dev/null")
        self.earshot("decode", "/dev/null", "-f", "json", "-o", "/dev/null", status=2)  # the file is empty

    def test_the_file_of_another_hart(self):
        """A file that a format makes for another hart is none that is read."""
        text = self.folder / "out.h1.tarmac"
        multi = (TREE / "tests/data/whisper/multi.csv").read_bytes()
        text.write_bytes(multi)
        _, error = self.earshot("convert", "-i", "whisper", text, "-o", self.folder / "out.tarmac", status=2)
        self.assertIn("out.h1.tarmac: is the file that is read", error)
        self.assertEqual(text.read_bytes(), multi)


class Lock(Case):
    def test_a_file_that_is_written_is_not_written_twice(self):
        """A second capture, conversion or record of the same file is refused, and the first one continues unharmed."""
        shot = self.folder / "t.shot"
        process = self.start_endless(shot)
        os.symlink(shot, self.folder / "link.shot")
        source = self.folder / "source.shot"
        self.capture(source, "sort", "--limit", "1000")
        for arguments in (["capture", "-d", device(self.folder), "-o", shot], ["convert", source, "-o", self.folder / "link.shot"],
                          ["decode", source, "-f", "json", "-o", shot],
                          ["capture", "-d", device(self.folder), "--record", shot, "-f", "shot", "-o", "/dev/null"]):
            with self.subTest(arguments[0]):
                size = shot.stat().st_size
                _, error = self.earshot(*arguments, status=2)
                self.assertIn("another program writes this file (", error)
                self.assertRegex(error, rf"(earshot|a program), process {process.pid}|which, is not known")
                self.assertGreaterEqual(shot.stat().st_size, size)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, error)
        self.assertEqual(self.info(shot)["complete"], "yes")

    def test_a_lock_ends_with_its_process(self):
        shot = self.folder / "t.shot"
        process = self.start_endless(shot)
        process.kill()
        process.communicate()
        self.capture(shot, "sort", "--limit", "1000")
        self.assertEqual(self.info(shot)["records"], 1000)


class Endings(Case):
    """The format of an output is what its name says, or -f; no name gets a format that it does not say."""
    LISTED = {".shot": b"\x5d\x2a\x4d\x18", ".csv": b"pc, inst", ".dv.csv": b"pc,instr,", ".whisper.log": b"#", ".spike.log": b"core",
              ".qemu4v": b"", ".tarmac": b"", ".jsonl": b"{", ".trc": b"", ".tracerv": b"",
              ".rvvi": b"", ".ntrace": b"", ".etrace": b""}
    NO_TEXT = [".shot", ".ntrace", ".etrace"]  # 'decode' makes texts

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shot, cls.raw = cls.shared / "t.shot", cls.shared / "t.raw"
        cls().capture(cls.shot, "sort", "--limit", "500", "--record", cls.raw)

    def commands(self, *out):
        return [["decode", self.shot, *out], ["convert", self.shot, *out], ["capture", "-q", "-d", f"file:{self.raw}", *out]]

    def test_a_known_ending_is_its_format(self):
        document = (TREE / "docs/text-formats.md").read_text().split("## Which format a name means")[1].split("\n## ")[0]
        named = set(re.findall(r"`(\.[a-z0-9.]+)`", document))
        self.assertEqual(named, {*self.LISTED, ".gz", ".zst"})
        for ending, begin in self.LISTED.items():
            texts = []
            for arguments in self.commands("-o", self.folder / f"t{ending}"):
                with self.subTest(f"{arguments[0]} {ending}"):
                    if ending in self.NO_TEXT and arguments[0] == "decode":
                        continue
                    self.earshot(*arguments)
                    texts.append((self.folder / f"t{ending}").read_bytes())
                    self.assertTrue(texts[-1].startswith(begin), texts[-1][:20])
            if ending != ".shot":
                self.assertEqual(texts[0], texts[1], ending)
        for name in ("t.jsonl", "t.jsonl.gz"):
            self.earshot("decode", self.shot, "-o", self.folder / name)
        self.assertEqual(gzip.decompress((self.folder / "t.jsonl.gz").read_bytes()), (self.folder / "t.jsonl").read_bytes())

    def test_an_unknown_ending_is_refused_with_the_known_ones(self):
        for name in ("t.json", "t.log", "t.txt", "t.csv.bz2", "t.shot.gz", "t.json.zst", "t.SHOT", "a.b/../t.v2"):
            (self.folder / "a.b").mkdir(exist_ok=True)
            for arguments in self.commands("-o", self.folder / name):
                with self.subTest(f"{arguments[0]} {name}"):
                    _, error = self.earshot(*arguments, status=2)
                    self.assertIn("which format?", error)
                    for ending in self.LISTED if name != "t.shot.gz" else [".shot"]:
                        self.assertIn(ending, error)
                    self.assertFalse((self.folder / name).exists())
        for arguments in self.commands("-f", "json", "-o", self.folder / "t.log"):
            self.earshot(*arguments)
            self.assertTrue((self.folder / "t.log").read_bytes().startswith(b"{"))

    def test_what_has_no_ending(self):
        """Standard output, devices and pipes get whisper; a file only from decode."""
        os.mkfifo(self.folder / "pipe")
        os.mkdir(self.folder / "folder.d")
        for arguments in self.commands("-o", "/dev/stdout"):
            out, _ = self.earshot(*arguments)
            self.assertTrue(out.startswith("pc, inst"), arguments)
        for arguments in self.commands("-o", self.folder / "pipe"):
            reader = subprocess.Popen(["cat", self.folder / "pipe"], stdout=subprocess.PIPE)
            self.earshot(*arguments)
            self.assertTrue(reader.communicate(timeout=60)[0].startswith(b"pc, inst"))
        for arguments in self.commands("-o", "/dev/null"):
            self.earshot(*arguments)
        for name in ("trace", ".trace", "folder.d/trace", "trace.gz"):
            for arguments in self.commands("-o", self.folder / name):
                with self.subTest(f"{arguments[0]} {name}"):
                    _, error = self.earshot(*arguments, status=0 if arguments[0] == "decode" else 2)
                    if arguments[0] != "decode":
                        self.assertIn("which format? The name has no ending", error)


if __name__ == "__main__":
    main()
