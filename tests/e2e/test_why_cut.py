#!/usr/bin/env python3
"""'earshot why' on captures whose end is missing: what looks like a cause may have gone on."""
import json
import subprocess

from support import EARSHOT, NIGHT, PROGRAMS, Case, main, some


class Cut(Case):
    def captured(self, name, *keys):
        path = self.folder / f"{name}.shot"
        device = ",".join([f"sim:{PROGRAMS / name}.elf", "uart=/dev/null", *keys])
        subprocess.run([EARSHOT, "capture", "-q", "-d", device, "-o", path], check=True, capture_output=True,
                       timeout=120)
        return path

    def why(self, path, *arguments):
        return subprocess.run([EARSHOT, "why", "-q", "--no-index", *arguments, path], check=False,
                              capture_output=True, text=True, timeout=120)

    def last_number(self, path):
        out = subprocess.run([EARSHOT, "decode", "-q", "-f", "json", path], check=False, capture_output=True,
                             text=True, timeout=120).stdout
        return sum('"kind":"instruction"' in line for line in out.splitlines()) - 1

    def check_cut(self, path, whole, last):
        """Returns the kind, and the words. last: the number of the whole's last record."""
        found = self.why(path, "--json")
        if not found.stdout:
            self.assertEqual(found.returncode, 2)
            return "", ""
        answer = json.loads(found.stdout)
        first, *more = self.why(path).stdout.splitlines()
        self.assertEqual(found.returncode, 2)
        if not answer["place"]:
            self.assertEqual(answer["kind"], "unknown")
            return answer["kind"], answer["text"]
        if not answer["end_missing"]:  # cut after the stream: nothing is missing of that
            self.assertEqual(self.last_number(path), last)
            self.assertEqual([answer[key] for key in ("kind", "text", "place")],
                             [whole[key] for key in ("kind", "text", "place")])
            return answer["kind"], answer["text"]
        self.assertEqual(answer["end_missing"]["after"], self.last_number(path))
        self.assertIsNone(answer["end_missing"]["records"])
        self.assertEqual(first, f"the end of the trace is missing: an unknown number of records after "
                                f"#{answer['end_missing']['after']}")
        self.assertEqual(more[0], answer["text"])
        if answer["kind"] == "unknown":
            self.assertTrue(answer["text"].startswith("cause unknown: the end was not seen; so far: "), answer["text"])
            self.assertEqual(answer["place"]["record"], answer["end_missing"]["after"])
            self.assertEqual((answer["values"], answer["jump"], answer["loop"]), ([], None, None))
        else:
            self.assertEqual([answer[key] for key in ("kind", "text", "place")],
                             [whole[key] for key in ("kind", "text", "place")])
        return answer["kind"], answer["text"]

    def check_cuts(self, name, *keys, cuts):
        path = self.captured(name, *keys, "unit=raw")
        whole = json.loads(self.why(path, "--json").stdout)
        self.assertIsNone(whole["end_missing"])
        last = self.last_number(path)
        data, torn, found = path.read_bytes(), self.folder / "torn.shot", set()
        for size in range(len(data) // 5, len(data) - len(data) // 50, len(data) // (35 * cuts if NIGHT else cuts)):
            torn.write_bytes(data[:size])
            found.add(self.check_cut(torn, whole, last))
        return found

    def test_a_trap_in_the_middle_is_no_cause(self):
        for name in some("traps", "nested", "timer", "misaligned"):
            with self.subTest(name):
                found = self.check_cuts(name, cuts=4)
                self.assertLessEqual({kind for kind, _ in found}, {"", "unknown", "ended"})
                self.assertIn("unknown", {kind for kind, _ in found})

    def test_only_what_is_certain_is_a_cause(self):
        for name in ("story_pointer", "story_interrupt", "failing", "endless"):
            with self.subTest(name):
                keys = ("max-cycles=20000",) if name in ("story_interrupt", "endless") else ()
                self.check_cuts(name, *keys, cuts=3)

    def test_the_state_at_the_end_begins_with_it(self):
        path = self.captured("traps", "unit=raw")
        torn = self.folder / "torn.shot"
        torn.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
        last = self.last_number(torn)
        line = f"the end of the trace is missing: an unknown number of records after #{last}\n"
        for file, at, missing in ((path, "end", False), (torn, "end", True), (torn, "10", False)):
            run = [EARSHOT, "state", "-q", "--no-index", "--at", at, file]
            text = subprocess.run(run, check=False, capture_output=True, text=True, timeout=120).stdout
            self.assertEqual(text.startswith(line), missing)
            self.assertNotEqual(missing, text.startswith("position"))
            answer = json.loads(subprocess.run([*run, "--json"], check=False, capture_output=True, text=True,
                                               timeout=120).stdout)
            self.assertEqual(answer.get("end_missing"), {"after": last, "records": None} if missing else None)

    def test_an_exit_that_was_seen_is_kept(self):
        """The records are all there: only the message STOP is missing."""
        path = self.captured("failing", "unit=raw")
        whole = json.loads(self.why(path, "--json").stdout)
        text = path.with_suffix(".jsonl")
        subprocess.run([EARSHOT, "convert", "-q", "-f", "json", path, "-o", text], check=True, timeout=120)
        gap = {"kind": "gap", "schema": 2, "hart": 0, "reason": "no-end"}
        with text.open("a") as file:
            file.write(json.dumps(gap) + "\n")
        answer = json.loads(self.why(text, "--json", "--elf", PROGRAMS / "failing.elf").stdout)
        self.assertEqual((answer["kind"], answer["code"]), (whole["kind"], whole["code"]))
        self.assertEqual(answer["end_missing"]["records"], None)


if __name__ == "__main__":
    main()
