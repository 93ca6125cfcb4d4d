#!/usr/bin/env python3
"""A unit that sees wrong results of the core: the EVENT, the trigger, and the flight recorder that waits for it."""
import json
import re

from support import PROGRAMS, Case, main

EVENT = re.compile(r"# event: mismatch; value 0x([0-9a-f]+); hart 0; before index (\d+)")
SEEN = re.compile(r"the event of --until is at index (\d+), with (\d+) records after it")


class Mismatch(Case):
    def faulty(self, name, fault, *arguments, unit="large", program="sort", status=0):
        path = self.folder / name
        return path, self.capture(path, program, *arguments, keys=f",unit={unit},fault={fault},max-cycles=60000",
                                  status=status)

    def endless(self, name, *arguments):
        """A board that cannot end before the host has stopped it, however slow the host is."""
        path = self.folder / name
        return path, self.capture(path, "endless", *arguments, keys=",unit=large,fault=alu:3000")

    def first_wrong(self, path):
        """Index of the first record with a wrong result, as the host sees it."""
        found, _ = self.earshot("check", "--json", "--only", "result", "--limit", 1, path, status=1)
        return json.loads(found)["found"][0]["record"]

    def test_the_unit_sees_what_the_host_sees(self):
        for fault in ("alu:3000", "alu:40:sll", "alu:700:add", "alu:90:xor", "alu:30:sltu", "alu:50:srl"):
            for unit in ("large", "small"):
                with self.subTest(f"{fault} {unit}"):
                    path, _ = self.faulty("t.shot", fault, unit=unit, program="rtos")
                    wrong = self.first_wrong(path)
                    value, before = EVENT.search(self.decode(path)).groups()
                    self.assertEqual(int(value, 16), wrong)
                    self.assertIn(int(before) - wrong, range(1, 80))  # the record FIFO has 64
                    self.assertEqual(len(EVENT.findall(self.decode(path))), 1)

    def test_a_flight_recorder_waits_for_it(self):
        whole, _ = self.faulty("whole.shot", "alu:3000")
        wrong = self.first_wrong(whole)
        for after in (0, 40, 2000):
            path, error = self.faulty("t.shot", "alu:3000", "--ring", 16384, "--until", "mismatch", "--after", after)
            index, behind = (int(x) for x in SEEN.search(error).groups())
            self.assertEqual(index, wrong)
            self.assertGreaterEqual(behind, after)
            self.assertEqual(self.info(path)["event_index"], wrong)

    def test_it_stops_a_capture(self):
        path, _ = self.faulty("t.shot", "alu:3000", "--stop", "mismatch")
        last = self.info(path)["last_index"]
        self.assertEqual(self.info(path)["stop"], "stop trigger")
        self.assertIn(last - self.first_wrong(path), range(80))

    def test_the_summary_has_the_number(self):
        """The unit still answers when the host has stopped it, and not when the virtual board has ended."""
        seen = re.compile(r"the unit saw (\d+|at least one) wrong results? of the core")
        arguments = ["--limit", 20000]
        path, error = self.endless("t.shot", *arguments)
        wrong = json.loads(self.earshot("check", "--json", "--only", "result", path, status=1)[0])["violations"]
        # A trace ends at its limit; the core had gone on.
        self.assertGreaterEqual(int(seen.search(error)[1]), wrong)
        _, error = self.endless("t.shot", "--stop", "mismatch")
        self.assertEqual(seen.search(error)[1], "1")
        _, error = self.faulty("t.shot", "alu:3000")
        self.assertEqual(seen.search(error)[1], "at least one")
        for unit in ("large", "raw"):
            error = self.capture(self.folder / "t.shot", "sort", *arguments, keys=f",unit={unit}")
            self.assertIsNone(seen.search(error))

    def test_a_core_without_a_fault_has_none(self):
        for program in ("sort", "traps", "rtos", "demo", "clocks"):
            with self.subTest(program):
                path = self.folder / "t.shot"
                self.capture(path, program, "--limit", 200000, keys=",unit=large")
                self.assertNotIn("mismatch", self.decode(path))
                self.assertEqual(self.earshot("grep", "--event=mismatch", path, status=1)[0], "")

    def test_a_fault_that_is_no_wrong_result(self):
        """A register that is upset while nobody writes it, and a store that is lost, are seen by the host alone."""
        for fault in ("reg:300", "store:100"):
            path, _ = self.faulty("t.shot", fault)
            self.assertNotIn("mismatch", self.decode(path))
            self.earshot("check", path, status=1)


if __name__ == "__main__":
    main()
