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

    def test_it_is_built_beside_the_trace_and_found_again(self):
        self.index("--no-build", self.shot, status=2)
        facts = self.facts(self.shot)
        self.assertEqual(facts["index"], f"{self.shot}.idx")
        self.assertEqual(facts["action"], "built")
        self.assertEqual(facts["size"], os.path.getsize(facts["index"]))
        self.assertAlmostEqual(facts["bits_per_record"], 8 * facts["size"] / facts["records"], places=3)
        self.assertEqual(self.facts("--no-build", self.shot)["action"], "found")
        self.assertEqual(self.facts("--verify", self.shot)["verified"], True)
        self.assertEqual(self.facts("--rebuild", "-j", "2", self.shot)["action"], "built")
        out, _ = self.index(self.shot)
        self.assertIn(f"records: {facts['records']}\n", out)
        os.remove(facts["index"])

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

    def test_capture_needs_a_file_for_it(self):
        result = subprocess.run([EARSHOT, "capture", "-o", "-", "-f", "shot", "--index"], capture_output=True,
                                text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--index is for a capture file", result.stderr)

    def test_a_text_has_one_too(self):
        text = self.shared / "t.csv"
        text.write_text(self.decode(self.shot))
        facts = self.facts(text)
        self.assertGreaterEqual(facts["records"], 20000)
        self.assertEqual(self.facts("--verify", text)["action"], "found")

    def test_another_trace_means_another_index(self):
        copy = self.shared / "copy.shot"
        copy.write_bytes(self.shot.read_bytes())
        self.index(copy)
        copy.write_bytes(self.shot.read_bytes()[:-1] + b"\0")
        _, error = self.index("--no-build", copy, status=2)
        self.assertIn("has changed", error)
        self.assertEqual(self.facts(copy)["action"], "built")

    def test_it_is_written_where_o_says(self):
        name = self.shared / "other.idx"
        self.assertEqual(self.facts("-o", name, self.shot)["index"], str(name))
        self.assertTrue(name.exists())

    def test_what_is_damaged_is_built_anew(self):
        name = self.shared / "damaged.idx"
        self.index("-o", name, self.shot)
        content = bytearray(name.read_bytes())
        content[-10] ^= 1
        name.write_bytes(content)
        self.assertEqual(self.facts("-o", name, self.shot)["action"], "built")

    def test_one_of_another_version_is_built_anew(self):
        name = self.shared / "version.idx"
        self.index("-o", name, self.shot)
        content = bytearray(name.read_bytes())
        self.assertEqual(content[8], 3)
        content[8] = 2
        name.write_bytes(content)
        _, error = self.index("--no-build", "-o", name, self.shot, status=2)
        self.assertIn("another version", error)
        self.assertEqual(self.facts("-o", name, self.shot)["action"], "built")
        self.assertEqual(name.read_bytes()[8], 3)

    def test_a_pipe_has_none(self):
        result = subprocess.run([EARSHOT, "index", "-"], input=self.shot.read_bytes(), capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr)


if __name__ == "__main__":
    main()
