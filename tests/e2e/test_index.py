#!/usr/bin/env python3
"""earshot index: an index is made where it can be, found again, verified, and made anew when the trace changes."""
import json
import os
import signal
import subprocess

from support import EARSHOT, Case, main, wait_until


class Index(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shot = cls.shared / "t.shot"
        cls().capture(cls.shot, "traps", "--limit", "20000")

    def index(self, *arguments, status=0, **environment):
        result = subprocess.run([EARSHOT, "index", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                                env={"PATH": "/usr/bin:/bin", "HOME": str(self.shared), **environment})
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout, result.stderr

    def facts(self, *arguments, **environment):
        return json.loads(self.index("--json", *arguments, **environment)[0])

    def test_capture_builds_it_too(self):
        alone, both = self.shared / "alone.shot", self.shared / "both.shot"
        self.capture(alone, "traps", "--limit", "20000")
        error = self.capture(both, "traps", "--limit", "20000", "--index")
        self.assertIn(f"index: {both}.idx", error)
        self.assertEqual(self.decode(both), self.decode(alone))
        self.assertEqual(self.facts("--no-build", "--verify", both)["action"], "found")

    def test_capture_builds_it_while_it_runs(self):
        shot, raw = self.shared / "running.shot", self.shared / "raw.shot"
        self.capture(raw, "traps", "--limit", "20000")
        stream = subprocess.run(["zstd", "-d", "-c", raw], check=True, capture_output=True).stdout
        capture = subprocess.Popen([EARSHOT, "capture", "-q", "-d", "file:-", "-o", shot, "--index"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        capture.stdin.write(stream[:len(stream) // 2])
        capture.stdin.flush()
        wait_until(lambda: os.path.exists(f"{shot}.idx"))
        self.assertIsNone(capture.poll())
        capture.stdin.write(stream[len(stream) // 2:])
        _, error = capture.communicate(timeout=120)
        self.assertEqual(capture.returncode, 0, error)
        self.assertEqual(self.decode(shot), self.decode(raw))
        self.assertEqual(self.facts("--no-build", "--verify", shot)["action"], "found")

    def test_an_interrupted_capture_has_it(self):
        shot, raw = self.shared / "interrupted.shot", self.shared / "whole.shot"
        self.capture(raw, "traps", "--limit", "20000")
        stream = subprocess.run(["zstd", "-d", "-c", raw], check=True, capture_output=True).stdout
        capture = subprocess.Popen([EARSHOT, "capture", "-q", "-d", "file:-", "-o", shot, "--index"],
                                   stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        capture.stdin.write(stream[:len(stream) // 2])
        capture.stdin.flush()
        wait_until(lambda: os.path.exists(f"{shot}.idx"))
        self.assertIsNone(capture.poll())
        capture.send_signal(signal.SIGINT)
        _, error = capture.communicate(timeout=120)
        self.assertEqual(error, b"")
        self.assertEqual(self.facts("--no-build", "--verify", shot)["action"], "found")
        self.assertGreaterEqual(self.facts(shot)["records"], self.info(shot)["records"])


if __name__ == "__main__":
    main()
