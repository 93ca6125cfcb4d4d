#!/usr/bin/env python3
"""earshot info of text traces: what a text can say. Of capture files: everywhere in the other tests."""
import json

from support import TREE, Case, main

DATA = TREE / "tests" / "data"
TEXTS = [(DATA / folder / name, folder) for folder, name in (
    ("whisper", "timer.csv"), ("whisper", "multi.csv"), ("spike", "rv64.log"), ("sail", "rv64.log"),
    ("ibex", "rv32.log"), ("riscv-dv", "rv32.csv"), ("armulator", "published.txt"))]


class Info(Case):
    def records(self, path):
        out, _ = self.earshot("convert", "-q", "--quiet-loss", "-f", "json", path)
        return [record for record in map(json.loads, out.splitlines()) if record["kind"] == "instruction"]

    def test_a_text_has_its_records_and_their_ends(self):
        for path, name in TEXTS:
            with self.subTest(path.name):
                info, records = self.info(path), self.records(path)
                harts = {record["hart"] for record in records}
                self.assertEqual((info["format"], info["records"], info["harts"]), (name, len(records), len(harts)))
                self.assertEqual((info["gaps"], info["missing"], info["complete"]), (0, 0, "unknown"))
                self.assertEqual(info["xlen"], max(record["xlen"] for record in records))
                for hart in harts:
                    own = [record for record in records if record["hart"] == hart]
                    first, last = (hex(int(record["pc"], 16)) for record in (own[0], own[-1]))
                    if len(harts) == 1:
                        self.assertEqual((info["first_pc"], info["last_pc"]), (first, last))
                    else:
                        count = f"{len(own)} record{'s' * (len(own) != 1)}"
                        self.assertEqual(info[f"hart_{hart}"], f"{count}, pc {first} to {last}")

    def test_gaps_of_a_capture_are_those_of_its_text(self):
        shot, text = self.folder / "t.shot", self.folder / "t.csv"
        self.capture(shot, "recursion", "--policy", "drop", keys=",link=8M")
        self.earshot("decode", "-q", shot, "-o", text)
        of_shot, of_text = self.info(shot), self.info(text)
        self.assertGreater(of_shot["gaps"], 0)
        for key in "records", "gaps", "harts", "first_index", "last_index":
            self.assertEqual(of_text[key], of_shot[key], key)
        self.assertEqual(of_text["missing"], of_shot["lost"])
        self.assertEqual((of_text["incomplete"], of_text["complete"]), ("records are missing", "no"))

    def test_times_are_the_first_and_the_last(self):
        info = self.info(DATA / "ibex" / "rv32.log")
        times = [record["time"] for record in self.records(DATA / "ibex" / "rv32.log")]
        self.assertEqual((info["first_time"], info["last_time"]), (times[0], times[-1]))


if __name__ == "__main__":
    main()
