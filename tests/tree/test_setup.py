#!/usr/bin/env python3
"""scripts/setup and its layers: each package in one of them, and builds that need no higher one.

In the night it configures the tree twice, and makes the light build. apt-get and dpkg-query are stubs.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

night = unittest.skipUnless(os.environ.get("EARSHOT_NIGHT") == "1", "runs in the night: docs/testing.md")

TREE = pathlib.Path(__file__).resolve().parents[2]
SETUP = TREE / "scripts" / "setup"
LAYERS = {"decode": ["--decode"], "board": [], "develop": ["--develop"]}

# What a build uses if it is there, and does without if it is not.
OPTIONAL = {"decode": {"sdcc"}, "board": {"yosys", "nextpnr-ice40", "fpga-icestorm"}}

STUBS = {
    # Of packages: those that are in $INSTALLED.
    "dpkg-query": 'for name; do :; done; case " $INSTALLED " in *" $name "*) echo installed;; *) exit 1;; esac',
    "dpkg": 'cat "$STUB/audit" 2>/dev/null || true',
    # Commands that another source than Debian may have.
    "node": 'echo "v$NODE"',
    "npm": 'echo "${NPM-}"',
    "sudo": 'exec "$@"',
    # What it is called with is in calls.txt. --print-uris only asks how much it is.
    "apt-get": """case " $* " in *" --print-uris "*)
	echo '0 upgraded, 104 newly installed, 0 to remove and 5 not upgraded.'
	echo 'Need to get 90.9 MB of archives.'
	echo 'After this operation, 357 MB of additional disk space will be used.'
	exit;; esac
echo "$*" >>"$STUB/calls.txt"
case " $* " in *" --download-only "*) . "$STUB/download";; *" install "*) . "$STUB/install";; esac""",
}


def layer(name, *options, **environment):
    done = subprocess.run([SETUP, *LAYERS[name], *options], check=True, capture_output=True, text=True,
                          env=dict(os.environ, **environment))
    return done.stdout.split()


class Packages(unittest.TestCase):
    def test_each_package_is_in_one_layer_and_says_what_for(self):
        text = re.search(r"^table\(\).*?<<'END'\n(.*?)^END$", SETUP.read_text(), re.M | re.S)[1]
        rows = [line.split(None, 2) for line in text.splitlines() if line]
        self.assertEqual([row for row in rows if len(row) != 3 or row[0] not in LAYERS], [])
        self.assertEqual(len({package for _, package, _ in rows}), len(rows), "a package stands twice")
        for name in LAYERS:
            below = list(LAYERS)[:list(LAYERS).index(name) + 1]
            self.assertEqual(layer(name, "--list"), [row[1].partition(":")[0] for row in rows if row[0] in below])

    def test_a_layer_includes_those_below_it(self):
        decode, board, develop = (set(layer(name, "--list")) for name in LAYERS)
        self.assertTrue(decode < board < develop)
        self.assertIn("verilator", board - decode)
        self.assertIn("libcmocka-dev", develop - board)

    def test_one_layer_at_a_time(self):
        for options in (["--decode", "--develop"], ["--all"], ["decode"]):
            done = subprocess.run([SETUP, *options], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)


class Installation(unittest.TestCase):
    """What scripts/setup says and does, with an apt-get that installs nothing."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.stub = pathlib.Path(self.holder.name)
        for name, text in STUBS.items():
            (self.stub / name).write_text(f"#!/bin/bash\n{text}\n")
            (self.stub / name).chmod(0o755)
        self.environment = {"PATH": f"{self.stub}:{os.environ['PATH']}", "STUB": str(self.stub), "NODE": "16.9.1"}

    def start(self, install, *options, download="", installed=""):
        (self.stub / "download").write_text(download)
        (self.stub / "install").write_text(install)
        return subprocess.Popen([SETUP, *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=dict(os.environ, **self.environment, INSTALLED=installed), start_new_session=True)

    def run_setup(self, *arguments, **more):
        process = self.start(*arguments, **more)
        out, error = process.communicate(timeout=300)
        return process.returncode, out, error

    def test_dry_run_prints_what_is_missing(self):
        for name in LAYERS:
            everything = layer(name, "--list")
            with self.subTest(name):
                self.assertEqual(layer(name, "--dry-run", **self.environment, INSTALLED=""), everything)
                self.assertEqual(layer(name, "--dry-run", **self.environment, INSTALLED="gcc cmake"),
                                 [package for package in everything if package not in ("gcc", "cmake")])
        self.assertFalse((self.stub / "calls.txt").exists())

    def test_a_command_of_another_source_is_not_missing(self):
        everything = layer("develop", "--list")
        for node, npm, there in (("18.20.0", "9", {"nodejs", "npm"}), ("18.3.0", "10.0.0", {"npm"}), ("", "8.19.4", set())):
            with self.subTest(f"{node} {npm}"):
                self.assertEqual(layer("develop", "--dry-run", **{**self.environment, "NODE": node, "NPM": npm}, INSTALLED=""),
                                 [package for package in everything if package not in there])

    def test_only_what_is_missing_is_installed(self):
        installed = " ".join(package for package in layer("decode", "--list") if package not in ("gcc", "cmake"))
        status, out, error = self.run_setup("", "--decode", installed=installed)
        self.assertEqual((status, error), (0, ""))
        calls = (self.stub / "calls.txt").read_text().splitlines()
        self.assertEqual([re.sub(r"-[yq] |-o \S+ ", "", call) for call in calls],
                         ["update", "install --download-only --no-install-recommends cmake gcc",
                          "install --no-install-recommends cmake gcc"])
        self.assertIn("104 packages, 90.9 MB to download, 357 MB on the disk", out)
        self.assertRegex(out, r"setup: done in \d+ s\n$")

    def test_nothing_is_done_when_nothing_is_missing(self):
        everything = " ".join(layer("decode", "--list"))
        self.assertEqual(self.run_setup("", "--decode", installed=everything),
                         (0, "setup: everything is installed\n", ""))
        self.assertFalse((self.stub / "calls.txt").exists())

    @night
    def test_progress_is_a_line_every_15_seconds_where_there_is_no_terminal(self):
        status, out, _ = self.run_setup("", download="echo 'dlstatus:1:40.5:Retrieving file 3 of 24 (2s remaining)' >&3\n"
                                                     "sleep 17")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"\nsetup: downloading, 1\d s: 40 %, file 3 of 24\nsetup: done")

    def test_progress_is_one_line_that_is_rewritten_on_a_terminal(self):
        (self.stub / "download").write_text("")
        (self.stub / "install").write_text("echo 'pmstatus:libfoo:52.85:Unpacking libfoo (amd64)' >&3\nsleep 3\n")
        out = subprocess.run(["script", "-qec", str(SETUP), "/dev/null"], capture_output=True, timeout=300,
                             env=dict(os.environ, **self.environment, INSTALLED=""), stdin=subprocess.DEVNULL).stdout
        self.assertRegex(out.decode(), r"\rsetup: installing, \d s: 52 %, Unpacking libfoo \(amd64\)\x1b\[K"
                              r"(\r[^\n]*)?\r\x1b\[Ksetup: done")

    def test_a_failure_shows_the_end_of_the_log_and_what_to_do(self):
        for message, remedy in (("Unable to locate package verilator", "'main' of Debian 12"),
                                ("Failed to fetch http://x/y.deb", "network or the mirror"),
                                ("dpkg was interrupted, you must manually run it", "dpkg --configure -a"),
                                ("Could not get lock /var/lib/dpkg/lock-frontend", "Wait until it has ended"),
                                ("Something else", "apt-get install --no-install-recommends")):
            with self.subTest(message):
                status, out, error = self.run_setup(f"echo 'E: {message}' >&2; exit 100")
                self.assertEqual(status, 1, out)
                self.assertIn(f"E: {message}\n", error)
                self.assertIn(remedy, error.splitlines()[-1])
                self.assertNotIn("done", out)

    def interrupt(self, *arguments, **more):
        process = self.start(*arguments, **more)
        while not (self.stub / "begun").exists():
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, out + error)
        (self.stub / "begun").unlink()
        return out + error

    def test_ctrl_c_ends_a_download(self):
        # A shell that forks may lose the signal; who says that it has begun gets it itself.
        said = self.interrupt("", download="""python3 -c 'import os, time
open(os.environ["STUB"] + "/begun", "w").close()
time.sleep(30)' && touch "$STUB/ended"
""")
        self.assertFalse((self.stub / "ended").exists())
        self.assertIn("No package is half installed", said)

    def test_ctrl_c_does_not_reach_an_installation(self):
        for audit, left in (("", "No package is half installed"), ("libfoo", "dpkg --configure -a")):
            with self.subTest(left):
                (self.stub / "audit").write_text(audit)
                said = self.interrupt('touch "$STUB/begun"; sleep 2; touch "$STUB/ended"')
                self.assertTrue((self.stub / "ended").exists(), "did not wait")
                self.assertIn(left, said)
                (self.stub / "ended").unlink()


class Steps(unittest.TestCase):
    """run_step of scripts/common.sh, by which scripts/demo and scripts/test build."""

    def run_step(self, command, *wrapper):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "script"
            script.write_text(f". {TREE}/scripts/common.sh\nrun_step {folder}/log.txt 'a build' bash -c '{command}'\n")
            done = subprocess.run([*wrapper, f"bash {script}"], capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
            return done.returncode, done.stdout.decode()

    def test_a_terminal_shows_how_far_a_build_is(self):
        status, out = self.run_step('echo "[3/44] Building C object x.o"; sleep 3; exit 5', "script", "/dev/null", "-qec")
        self.assertEqual(status, 5)
        self.assertRegex(out, r"^a build +(\ra build +[^\r\n]*)*\ra build +\[3/44\] \d s\x1b\[K")
        self.assertRegex(out, r"\ra build +FAILED +\d s\x1b\[K\r\n$")

    def test_a_short_step_is_one_line_where_there_is_no_terminal(self):
        status, out = self.run_step("sleep 1", "bash", "-c")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"^a build +ok +\d s\n$")


@night
class Build(unittest.TestCase):
    """The options of CMake that match the layers."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folders = {}
        environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CFLAGS", "CXXFLAGS")}
        for name, more in (("decode", "OFF"), ("board", "ON")):
            cls.folders[name] = pathlib.Path(cls.holder.name).resolve() / name
            done = subprocess.run(["cmake", "-S", TREE, "-B", cls.folders[name], "-G", "Ninja", f"-DEAR_HDL={more}",
                                   f"-DEAR_DEVICES={more}"],
                                  capture_output=True, text=True, env=environment)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)

    def made(self, folder, target):
        """All files that are made for a target or read for it, by ninja's graph; but not the names of targets."""
        graph = subprocess.run(["ninja", "-C", folder, "-t", "graph", target], check=True, capture_output=True, text=True)
        nodes = re.findall(r'^"0x\w+" \[label="([^"]+)"\]$', graph.stdout, re.M)
        return {os.path.normpath(folder / name) for name in nodes if not re.search(r"(^|/)(all|descriptions|installed_files)$", name)}

    def installed(self, folder):
        """The files and folders in the build that cmake --install copies."""
        for script in folder.rglob("cmake_install.cmake"):
            for files in re.findall(r"file\(INSTALL DESTINATION [^)]*?FILES((?:\s+\"[^\"]+\")+)", script.read_text()):
                for name in re.findall(r'"([^"]+)"', files):
                    if name.startswith(f"{folder}/"):
                        yield name

    def test_the_default_build_makes_what_is_installed_and_nothing_else(self):
        for name, folder in self.folders.items():
            with self.subTest(name):
                everything = self.made(folder, "all")
                self.assertEqual(everything ^ self.made(folder, "installed_files"), set())
                installed = list(self.installed(folder))
                self.assertEqual(f"{folder}/bin/earshot-board" in installed, name == "board")
                self.assertEqual(f"{folder}/programs/demo.elf" in installed, name == "board")
                for file in installed:
                    # A folder has files that are made; a shared library has a link to the file with its version.
                    beginnings = (file.rstrip("/") + "/", file + ".")
                    self.assertTrue(os.path.exists(file) or os.path.normpath(file) in everything
                                    or any(made.startswith(beginnings) for made in everything), file)

    def test_the_light_build_works_and_says_what_it_has_not(self):
        """It reads traces and makes captures of dumps; of devices on USB it says why there are none."""
        folder = self.folders["decode"]
        subprocess.run(["cmake", "--build", folder], check=True, capture_output=True)
        earshot = folder / "bin/earshot"
        needed = subprocess.run(["ldd", earshot], check=True, capture_output=True, text=True).stdout
        self.assertNotRegex(needed, "libusb|libftdi")
        log = TREE / "tests/data/spike/rv64.log"
        for command in (["convert", log, "-o", folder / "t.shot"], ["diff", log, folder / "t.shot"],
                        ["profile", folder / "t.shot"], ["list"]):
            subprocess.run([earshot, *command], check=True, capture_output=True)
        for command in ("capture -d usb: -o t.shot", "capture -d ftdi:1-2 -o t.shot", "flash -d usb: --firmware",
                        "doctor --write-eeprom ftdi:", "selftest -d usb:"):
            done = subprocess.run([earshot, *command.split()], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("this earshot was built without devices on USB (EAR_DEVICES=OFF); build with", done.stderr)
        done = subprocess.run([earshot, "doctor"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nFIX +USB: this earshot was built without devices .*\n +-> install libusb")

    def test_no_test_is_registered(self):
        for folder in self.folders.values():
            done = subprocess.run(["ctest", "--test-dir", folder, "-N"], capture_output=True, text=True)
            self.assertNotIn("Test  #1", done.stdout)

    @unittest.skipIf(not shutil.which("dpkg-query"), "this is not a Debian")
    def test_a_layer_has_all_that_its_build_finds(self):
        develop = set(layer("develop", "--list"))
        for name, folder in self.folders.items():
            with self.subTest(name):
                cache = (folder / "CMakeCache.txt").read_text()
                files = {path for path in re.findall(r"^[^:\n]+:(?:FILEPATH|PATH|INTERNAL)=(/usr/\S+)$", cache, re.M)
                         if os.path.isfile(path)}
                owners = subprocess.run(["dpkg-query", "-S", *files], capture_output=True, text=True).stdout
                found = {re.sub(":.*", "", owner) for owner in owners.splitlines()}
                self.assertIn("pkg-config" if "pkg-config" in found else "pkgconf", found)
                self.assertEqual(found & (develop - set(layer(name, "--list"))) - OPTIONAL[name], set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
