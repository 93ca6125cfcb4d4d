#!/usr/bin/env python3
"""What commands give up: they run confined, and what they are for works all the same."""
import os
import pathlib
import signal
import subprocess
import threading

from support import EARSHOT, PROGRAMS, TREE, Case, endless_elf, main, wait_until

CSV = TREE / "tests/data/whisper/timer.csv"
MULTI = TREE / "tests/data/whisper/multi.csv"


def status(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.strip() for key, value in (line.split(":", 1) for line in lines)}


class Sandbox(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        told = subprocess.run([EARSHOT, "doctor", "--no-open"], capture_output=True, text=True, timeout=60).stdout
        cls.told = [line for line in told.splitlines() if " sandbox: " in line][0]
        cls.filtered = "system calls are filtered" in cls.told
        cls.confined = "Landlock version" in cls.told

    def setUp(self):
        super().setUp()
        self.shot = self.folder / "t.shot"
        self.earshot("convert", CSV, "-o", self.shot)

    def need_filter(self):
        if not self.filtered:
            self.skipTest(self.told)

    def waiting(self, *arguments, **environment):
        """The command while it waits for its input: what the kernel says of it."""
        process = subprocess.Popen([EARSHOT, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=dict(os.environ, **environment))
        self.addCleanup(process.kill)
        # Switched off, there is nothing to wait for but that it sleeps in its read.
        wait_until(lambda: status(process.pid)["Seccomp"] == "2" if not environment else
                   status(process.pid)["State"].startswith("S"))
        seen = status(process.pid)
        process.communicate(timeout=60)
        return seen

    def test_commands_that_read_files_are_confined(self):
        self.need_filter()
        for command in (["info", "-"], ["decode", "-"], ["dump", "-"], ["convert", "-"], ["grep", "-"],
                        ["diff", "-", CSV], ["state", "-"]):
            with self.subTest(command[0]):
                seen = self.waiting(*command)
                self.assertEqual((seen["Seccomp"], seen["NoNewPrivs"]), ("2", "1"))
        seen = self.waiting("info", "-", EARSHOT_SANDBOX="off")
        self.assertEqual((seen["Seccomp"], seen["NoNewPrivs"]), (status(os.getpid())["Seccomp"], "0"))

    def test_a_library_that_few_runs_need_is_loaded_before_rights_go(self):
        """A text of an instruction needs Capstone, unless it is RISC-V."""
        code = self.folder / "a64.jsonl"
        code.write_text('{"kind":"instruction","isa":"aarch64","pc":"0x1000","opcode":"0xd65f03c0","opcode_size":4}\n')
        for file, text in ((code, "ret"), (self.shot, "addi")):
            with self.subTest(file):
                done = subprocess.run([EARSHOT, "show", file], capture_output=True, text=True, timeout=60,
                                      env=dict(os.environ, LD_DEBUG="files"))
                self.assertRegex(done.stdout, rf"(?m)[ :]{text}\b")
                self.assertEqual("libcapstone" in done.stderr, file == code)
                self.assertNotIn("libmicrohttpd", done.stderr)

    def test_commands_with_devices_are_confined_in_all_threads(self):
        self.need_filter()
        endless_elf(self.folder / "endless.elf")
        device = f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null"
        dump = self.folder / "dump"
        os.mkfifo(dump)
        opened = threading.Thread(target=lambda: os.open(dump, os.O_RDWR))
        opened.start()
        opened.join()
        for command in (["capture", "-q", "-d", device, "-o", self.folder / "a.shot"],
                        ["serve", "-d", device, "--port", "0"], ["serve", "-d", f"file:{dump}", "--port", "0"]):
            with self.subTest(command):
                process = self.start(*command)

                def threads():
                    found = []
                    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
                        text = (task / "status").read_text()
                        found.append("Seccomp:\t2" in text and "NoNewPrivs:\t1" in text)
                    return found
                wait_until(lambda: len(threads()) >= 2 and all(threads()))
                if command[0] == "capture":  # the board as well; and stopped before its begin it has failed
                    shot = self.folder / "a.shot"
                    wait_until(lambda: shot.exists() and shot.stat().st_size > 0)
                    child = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
                    self.assertEqual(status(child)["NoNewPrivs"], "1")
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=60), 0)
                process.communicate()

    def test_inputs_and_outputs_of_every_kind(self):
        text = CSV.read_bytes()
        out = self.folder / "out.csv"

        def check(*arguments, stdin=b"", written=out):
            self.earshot_bytes(*arguments, stdin=stdin)
            if written:
                self.assertEqual(written.read_bytes(), text)
                written.unlink()
        check("decode", self.shot, "-o", out)
        check("decode", "-j", 2, self.shot, "-o", out)
        check("decode", "-", "-o", out, stdin=self.shot.read_bytes())
        check("convert", self.shot, "-o", out)
        check("convert", "-", "-o", out, stdin=text)
        check("decode", self.shot, "-o", "/dev/null", written=None)
        self.assertEqual(self.earshot_bytes("decode", self.shot)[0], text)
        self.assertEqual(self.earshot_bytes("decode", self.shot, "-f", "whisper", "-o", "/dev/stdout")[0], text)
        with open(out, "wb") as to:
            subprocess.run([EARSHOT, "decode", self.shot, "-f", "whisper", "-o", "/dev/stdout"], stdout=to, check=True)
        self.assertEqual(out.read_bytes(), text)
        # Over what was there, through links, also to what is not there yet, and in the working folder.
        check("decode", self.shot, "-o", out)
        for target in self.folder / "real.csv", self.shared / "new.csv":
            link = self.folder / f"to-{target.name}"
            link.symlink_to(target)
            check("decode", self.shot, "-o", link, written=target)
        subprocess.run([EARSHOT, "decode", "t.shot", "-o", "out.csv"], cwd=self.folder, check=True)
        self.assertEqual(out.read_bytes(), text)
        # Packed.
        for ending in "gz", "zst":
            packed = self.folder / f"t.csv.{ending}"
            check("decode", self.shot, "-o", packed, written=None)
            check("convert", packed, "-f", "whisper", "-o", out)
            self.assertIn("the same", self.earshot("diff", "-j", 2, packed, self.shot)[0])
        # A file for each hart, of which nobody has told the names.
        harts = self.folder / "t.tarmac"
        _, error = self.earshot("convert", "-q", "--quiet-loss", MULTI, "-o", harts)
        self.assertTrue((self.folder / "t.h1.tarmac").exists(), error)

    def test_named_pipes(self):
        text = CSV.read_bytes()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        feeder = threading.Thread(target=lambda: pipe.write_bytes(text))
        feeder.start()
        self.assertEqual(self.earshot_bytes("convert", pipe)[0], text)
        feeder.join()
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
        reader.start()
        self.earshot("decode", self.shot, "-f", "whisper", "-o", pipe)
        reader.join()
        self.assertEqual(read, [text])

    def test_symbols_come_from_any_file(self):
        self.capture(self.folder / "sort.shot", "sort")
        out, _ = self.earshot("grep", "-c", "--elf", PROGRAMS / "sort.elf", "--pc", "main", self.folder / "sort.shot")
        self.assertGreater(int(out), 0)


if __name__ == "__main__":
    main()
