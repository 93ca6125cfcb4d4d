#!/usr/bin/env python3
"""qtrace folders (docs/android.md): what the command reads from them, by a reader of its own."""
import json
import shutil
import sys

from support import TREE, Case, main

sys.path.insert(0, str(TREE / "tests" / "support"))
import qtrace_model

SAMPLE = TREE / "tests" / "data" / "qtrace" / "sample1"


def entries(log):
    """(time, pc, word) of each entry."""
    for run in log.runs:
        address, words = log.blocks[run.number - 1]
        step = 2 if address & 1 else 4
        for i, time in enumerate(run.times):
            yield time, (address & ~1) + step * i, words[i]


class Android(Case):
    def records(self, folder):
        out, _ = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", folder)
        return [json.loads(line) for line in out.splitlines()]

    def test_raw_and_post_processed_folders_have_the_same_records(self):
        out, _ = self.earshot("diff", SAMPLE / "raw", SAMPLE / "post")
        self.assertEqual(out, "the same: 1141 records\n")
        self.assertEqual(self.records(SAMPLE / "raw"), self.records(SAMPLE / "post"))

    def test_instructions_are_those_of_the_log(self):
        log = qtrace_model.read(SAMPLE / "raw")
        expected = {pc: time for time, pc, _ in entries(log)}
        times = sorted((time, pc) for time, pc, _ in entries(log))
        found = [record for record in self.records(SAMPLE / "raw") if record["kind"] == "instruction"]
        own = []
        for record in found:
            pc = int(record["pc"], 16)
            own.append((record["time"], pc))
            if record["isa"] == "thumb" and record["opcode_size"] == 4:
                own.append((None, pc + 2))
        self.assertEqual(len(own), len(times))
        self.assertEqual({pc for _, pc in own}, set(expected))
        self.assertLessEqual({row for row in own if row[0] is not None}, set(times))
        words = {pc: word for _, pc, word in entries(log)}
        for record in found:
            if record["isa"] == "arm":
                self.assertEqual(int(record["opcode"], 16), words[int(record["pc"], 16)])

    def test_accesses_are_those_of_the_log(self):
        log = qtrace_model.read(SAMPLE / "raw")
        memory = [access for record in self.records(SAMPLE / "raw") for access in record.get("memory", ())]
        for rows, write in (log.loads, False), (log.stores, True):
            found = [int(access["address"], 16) for access in memory if access["write"] == write]
            self.assertEqual(found, [address for _, address in rows])

    def test_events_are_those_of_the_log(self):
        found = [(record["time"], record["name"]) for record in self.records(SAMPLE / "raw")
                 if record["kind"] == "event"]
        log = qtrace_model.read(SAMPLE / "raw")
        self.assertEqual(len(found), len(log.events) + len(log.methods) + sum(bool(run.exception) for run in log.runs))
        for time, kind, numbers, texts in log.events:
            if kind == 3:
                self.assertIn((time, f"switch {numbers[0]}"), found)
            if kind == 12:
                self.assertIn((time, f"name {numbers[0]} {texts[0].decode()}"), found)
        for run in log.runs:
            if run.exception:
                time, pc, target = run.exception
                self.assertIn((time, f"exception {pc:#x} {target:#x}"), found)
        for time, address, pid, kind in log.methods:
            word = ("native-" if kind & 4 else "method-") + ("enter", "exit", "unwind")[kind & 3]
            self.assertIn((time, f"{word} {pid} {address:#x}"), found)

    def test_a_folder_is_searched_shown_and_summed_up(self):
        out, _ = self.earshot("grep", "--event=switch", SAMPLE / "raw")
        self.assertEqual([line.split(";")[0] for line in out.splitlines() if line.startswith("#")],
                         [f"# event: switch {pid}" for pid in (1, 100, 101, 100, 1)])
        out, _ = self.earshot("show", SAMPLE / "raw")
        self.assertIn("c0008000  ldr     sp, [pc, #4]", out)
        self.assertIn("event: exec /system/bin/app -v --loop=3", out)
        info = self.info(SAMPLE / "post")
        self.assertEqual((info["format"], info["records"], info["first_time"], info["last_time"], info["events"]),
                         ("qtrace", 1141, 1, 2903, 36))

    def test_what_is_wrong_is_said_with_file_and_byte(self):
        folder = self.folder / "t"
        shutil.copytree(SAMPLE / "raw", folder)
        (folder / "qtrace.bb").write_bytes(bytes((1, 1, 0, 1, 0, 0, 0, 0, 0)))
        for command in (["convert"], ["show"], ["info"], ["diff", SAMPLE / "raw"]):
            _, error = self.earshot(*command, folder, status=2)
            self.assertIn("qtrace.bb, byte 3: the time is that of the record before", error)
        (folder / "qtrace.exc").unlink()
        _, error = self.earshot("convert", folder, status=2)
        self.assertIn("qtrace.exc: No such file or directory", error)
        _, error = self.earshot("convert", "-i", "qtrace", folder / "qtrace.bb", status=2)
        self.assertIn("a trace of this format is a folder", error)
        _, error = self.earshot("convert", "-i", "json", SAMPLE / "raw", status=2)
        self.assertIn("not recognised", error)

    def test_what_needs_a_file_is_refused(self):
        _, error = self.earshot("index", SAMPLE / "raw", status=2)
        self.assertIn("raw", error)
        _, error = self.earshot("info", self.folder, status=2)
        self.assertIn("is a folder without qtrace.static", error)


if __name__ == "__main__":
    main()
