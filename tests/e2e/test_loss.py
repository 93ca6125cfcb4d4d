#!/usr/bin/env python3
"""A link that is too slow: nothing is lost with policy stall, and everything lost is reported with drop."""
from support import GAP, PROGRAMS, Case, children, gaps, is_running, main, records, some, wait_until


class Loss(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.capture(cls.shared / "whole.shot")
        cls.whole = case.decode(cls.shared / "whole.shot")

    def test_stall_loses_nothing(self):
        self.capture(self.shared / "tohost.shot", "tohost")
        whole = self.decode(self.shared / "tohost.shot")
        for keys in some(",link=8M,stall=300", ",link=3M", ",stall=700,seed=3"):
            with self.subTest(keys):
                shot = self.folder / "t.shot"
                self.capture(shot, "tohost", "--policy", "stall", keys=keys)
                info = self.info(shot)
                self.assertEqual((info["lost"], info["gaps"], info["complete"]), (0, 0, "yes"))
                self.assertEqual(self.decode(shot), whole)

    def test_drop_accounts_for_every_record(self):
        for keys in some(",link=20M", ",stall=900,seed=1", ",link=1M", ",stall=950,seed=2", gate=2):
            with self.subTest(keys):
                shot = self.folder / "t.shot"
                error = self.capture(shot, "sort", "--policy", "drop", keys=keys)
                info = self.info(shot)
                text, told = self.earshot("decode", shot)
                self.assertEqual((info["policy"], info["complete"]), ("drop", "no"))
                self.assertEqual(info["accounted"], "yes")
                self.assertGreater(info["lost"], 0)
                self.assertEqual(info["retired"], len(records(self.whole)))
                self.assert_accounted(info, text)
                self.assertIn("lost", error)
                self.assertIn(f"{info['lost']} records lost by the unit", told)
                for line in gaps(text):
                    self.assertIn("the unit's FIFO was full", line)

    def test_what_is_not_lost_is_right(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "sort", "--policy", "drop", keys=",link=2M")
        whole, at = records(self.whole), 0
        for line in self.decode(shot).splitlines():
            if line.startswith("# gap"):
                at += int(line.split()[2])
            elif not line.startswith("pc,"):
                self.assertEqual(line, whole[at])
                at += 1

    def test_a_slow_link_delivers_nearly_the_share_that_it_carries(self):
        # timer needs 6.4 MB/s. A unit that filled its buffer again at once delivered 38 % of these
        # records, in hundreds of gaps.
        shot = self.folder / "t.shot"
        device = f"sim:{PROGRAMS}/workloads/rv32imc/timer.elf,link=4500K,max-cycles=500000,uart=/dev/null"
        self.earshot("capture", "-d", device, "--policy", "drop", "-o", shot)
        info = self.info(shot)
        self.assertGreater(info["records"], 0.6 * info["retired"])
        self.assertLess(info["gaps"], 30)

    def test_a_full_ring_of_the_host_is_told(self):
        # Nobody reads the text until the board has ended: the ring is full long before that.
        shot, device = self.folder / "t.shot", f"sim:{PROGRAMS}/sort.elf,unit=raw,uart=/dev/null"
        process = self.start("capture", "-d", device, "--buffer", "4096", "--buffer-full", "drop",
                             "-o", shot, "-f", "whisper", "-o", "-")
        wait_until(lambda: children(process.pid))
        board, = children(process.pid)
        wait_until(lambda: not is_running(board))
        out, error = process.communicate(timeout=60)
        # The unit's STOP message came to the full ring as well.
        self.assertEqual(process.returncode, 2)
        self.assertIn(b"without a STOP message", error)
        info, text = self.info(shot), self.decode(shot)
        self.assertEqual(out.decode(), text)
        self.assertGreater(info["host_lost_bytes"], 100000)
        self.assertEqual(info["complete"], "no")
        self.assertEqual(len(gaps(text)), info["gaps"])
        self.assertIn("the host's ring was full", self.earshot("dump", shot)[0])
        for line in gaps(text)[:-1]:
            self.assertIn("the host's ring was full", line)
        self.assertRegex(gaps(text)[-1], "the host's ring was full|the end of the capture is missing")
        # What came is right, and what did not come is counted up to the last frame that did.
        whole, at = records(self.whole), 0
        for line in text.splitlines():
            gap = GAP.match(line)
            if gap:
                self.assertEqual(int(gap.group(2)), at, line)
                at = int(gap.group(3)) + 1
            elif not line.startswith(("#", "pc,")):
                self.assertEqual(line, whole[at])
                at += 1
        self.assertEqual(info["last_index"] + 1, at)
        self.assertRegex(text.splitlines()[-1], "^# gap: an unknown number of records is missing")


if __name__ == "__main__":
    main()
