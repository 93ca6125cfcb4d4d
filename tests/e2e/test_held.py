#!/usr/bin/env python3
"""A core that the unit holds: what the traced program sees of it, what the times say, and what is reported."""
import json
import re

from support import PROGRAMS, Case, main

CSRR_MCYCLE = 0xB0002073  # csrrs rd, mcycle, x0


class Held(Case):
    def held_capture(self, name, *options, unit="large"):
        shot = self.folder / f"{name}.shot"
        device = f"sim:{PROGRAMS}/clocks.elf,unit={unit},uart={shot}.uart"
        return shot, self.earshot("capture", "-d", device, "-o", shot, *options)[1]

    def test_a_program_that_measures_itself_sees_the_same(self):
        free, _ = self.held_capture("free", "--time", "off")
        for unit, options in (("large", ["--time", "record"]), ("raw", ["--time", "off"]), ("tiny", [])):
            with self.subTest(unit=unit):
                held, _ = self.held_capture(unit, *options, unit=unit)
                same = ["--ignore", "csr"] if unit == "tiny" else []
                self.earshot("diff", *same, free, held)
                self.assertEqual((self.folder / "free.shot.uart").read_text(),
                                 (self.folder / f"{unit}.shot.uart").read_text())

    def test_the_times_are_those_of_the_programs_own_clock(self):
        shot, told = self.held_capture("times", "--time", "record")
        pairs = []
        for line in self.decode(shot, "-f", "json").splitlines():
            record = json.loads(line)
            if "opcode" not in record or int(record["opcode"], 16) & 0xFFFFF07F != CSRR_MCYCLE:
                continue
            pairs.append((record["time"], int(record["registers"][0]["value"], 16)))
        self.assertGreater(len(pairs), 40)
        self.assertEqual({time - cycle for time, cycle in pairs}, {pairs[0][0] - pairs[0][1]})
        info = self.info(shot)
        self.assertGreater(info["held_clocks"], 10000)
        told = re.search(r"the core was held for (\d+) clocks \((\d+) %\)", told)
        self.assertEqual(int(told[1]), info["held_clocks"])
        self.assertGreater(int(told[2]), 5)

    def test_a_core_that_is_not_held_is_said_to_be_so(self):
        shot, told = self.held_capture("drop", "--time", "off", "--policy", "drop")
        self.assertEqual(self.info(shot)["held_clocks"], 0)
        self.assertNotIn("held for", told)
        shot, _ = self.held_capture("tiny", unit="tiny")
        self.assertNotIn("held_clocks", self.info(shot))  # it is not built

    def test_held_clocks_are_no_event_between_the_records(self):
        shot, _ = self.held_capture("events", "--time", "record")
        self.assertNotIn("# event", self.decode(shot))
        self.assertEqual(self.info(shot)["events"], 0)
        dump = self.earshot("dump", shot)[0]
        self.assertIn("held clocks, lower half", dump)


if __name__ == "__main__":
    main()
