#!/usr/bin/env python3
"""Two runs of the virtual board are the same, clock by clock, however fast the host is."""
import hashlib
import re
import signal
import time

from support import PROGRAMS, Case, main, some


class Repeat(Case):
    def run_once(self, device, *arguments, disturb=None):
        """Capture. Returns what the board says of its clocks, and a digest of the records with their times.

        The bytes of the stream are not the same: a unit that was silent for so long is asked for what waits in
        it, by the host's clock.
        """
        shot = self.folder / "x.shot"
        process = self.start("capture", "-d", device, "-o", shot, *arguments)
        if disturb:
            disturb(process)
        error = process.communicate(timeout=100)[1].decode()
        self.assertEqual(process.returncode, 0, error)
        text = re.sub(r'"offset":\d+,', "", self.decode(shot, "-q", "-f", "json"))
        return re.search(r" after \d+ cycles, \d+ instructions", error).group(0), hashlib.sha256(text.encode()).hexdigest()

    def halt(self, process):
        """A host that does nothing for a while, several times."""
        for _ in range(4):
            time.sleep(0.03)
            if process.poll() is None:
                process.send_signal(signal.SIGSTOP)
                time.sleep(0.2)
                process.send_signal(signal.SIGCONT)

    def test_clocks_and_bytes_are_the_same_in_every_run(self):
        for program, keys, arguments in some(
                ("clocks", ",unit=small,stall=300,seed=5", ["--time", "sync"]),
                ("clocks", ",unit=raw,link=20M", ["--time", "record", "--policy", "drop"]),
                ("recursion", "", ["--time", "record"]),
                ("clocks", ",unit=raw", ["--time", "record"]),
                ("clocks", ",unit=tiny", []),
                ("clocks", "", ["--time", "record", "--load", PROGRAMS / "timer.elf"])):
            with self.subTest(program=program, keys=keys, arguments=arguments):
                device = f"sim:{PROGRAMS}/{program}.elf,uart=/dev/null{keys}"
                first = self.run_once(device, *arguments)
                self.assertEqual(self.run_once(device, *arguments), first)

    def test_a_host_that_pauses_stops_the_clock_and_nothing_is_lost_for_it(self):
        """With the policy drop, too: only the link of the options limits, not the machine's load."""
        for arguments in some(["--time", "record", "--policy", "drop"], ["--time", "record"]):
            with self.subTest(arguments):
                device = f"sim:{PROGRAMS}/clocks.elf,uart=/dev/null,unit=raw"
                first = self.run_once(device, *arguments)
                self.assertEqual(self.run_once(device, *arguments, disturb=self.halt), first)


if __name__ == "__main__":
    main()
