#!/usr/bin/env python3
"""Another program into the memory of a board that runs already."""
import pathlib
import re
import signal
import struct

from support import PROGRAMS, Case, children, main, records, wait_until

BASE = 0x80000000


def elf(path, segments, entry=BASE, bits=32, machine=243, kind=2):
    """A program of these segments: (address, bytes, size in memory)."""
    wide = bits == 64
    head, entry_size = (64, 56) if wide else (52, 32)
    offset = head + entry_size * len(segments)
    table = data = b""
    for address, code, size in segments:
        place = offset + len(data)
        if wide:
            table += struct.pack("<IIQQQQQQ", 1, 7, place, address, address, len(code), size, 4)
        else:
            table += struct.pack("<8I", 1, place, address, address, len(code), size, 7, 4)
        data += code
    form = "<16sHHIQQQIHHHHHH" if wide else "<16sHHIIIIIHHHHHH"
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1])
    header = struct.pack(form, ident, kind, machine, 1, entry, head, 0, 0, head, entry_size, len(segments), 0, 0, 0)
    pathlib.Path(path).write_bytes(header + table + data)


# lui x5, 0x5; addi x5, x5, 0x555; lui x6, 0x100; sw x5, 0(x6); j . : the program ends with code 0.
END = struct.pack("<5I", 0x000052B7, 0x55528293, 0x00100337, 0x00532023, 0x0000006F)
NOP = struct.pack("<I", 0x00000013)


def ticks_of(pid):
    """Processor time that a process has had, in hundredths of a second."""
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])


class Load(Case):
    def serve(self, uart="/dev/null"):
        token = self.folder / "token"
        server = self.start("serve", "-d", f"sim:{PROGRAMS / 'sort.elf'},unit=raw,uart={uart}", "--port", "0",
                            "--token-file", token)
        address = re.search(r"at (tcp:127\.0\.0\.1:\d+);", server.stderr.readline().decode()).group(1)
        return f"{address},token-file={token}"

    def captured(self, device):
        shot = self.folder / "t.shot"
        self.earshot("capture", "-q", "-d", device, "-o", shot)
        return self.decode(shot)

    def refused(self, *arguments, device=None):
        _, error = self.earshot("load", "-d", device or f"sim:{PROGRAMS / 'sort.elf'},uart=/dev/null", *arguments,
                                status=2)
        return error

    def test_a_board_with_one_program_runs_another(self):
        device = self.serve()
        out, error = self.earshot("load", "-d", device, "--no-run", PROGRAMS / "alu.elf")
        self.assertEqual(out, "")
        self.assertRegex(error, r"\d+ bytes loaded and compared in .*; the core is in reset")
        self.capture(self.folder / "alu.shot", "alu")
        self.assertEqual(self.captured(device), self.decode(self.folder / "alu.shot"))

    def test_the_core_begins_at_the_entry(self):
        end = BASE + 0x8000 - 4  # across the border of the unit's window, and not the board's own address
        path = self.folder / "end.elf"
        elf(path, [(end, END, len(END)), (BASE + 0x100, NOP + END, 64)], entry=end)
        device = self.serve()
        self.earshot("load", "-q", "-d", device, "--no-run", path)
        lines = records(self.captured(device))
        self.assertEqual([line.split(",")[0] for line in lines], [f"{end + 4 * i:08x}" for i in range(4)])

        device = self.serve()
        self.earshot("load", "-q", "-d", device, "--no-run", path, "--entry", hex(BASE + 0x100))
        lines = records(self.captured(device))
        self.assertEqual([line.split(",")[0] for line in lines], [f"{BASE + 0x100 + 4 * i:08x}" for i in range(5)])

    def test_the_program_runs(self):
        uart = self.folder / "uart"
        _, error = self.earshot("load", "-d", self.serve(uart), PROGRAMS / "demo.elf")
        self.assertIn("the core runs from 0x80000000", error)
        wait_until(lambda: "Hello" in uart.read_text())
        device = self.serve()
        _, error = self.earshot("load", "-d", device, PROGRAMS / "sort.elf", "--entry", "main", "--no-run")
        self.assertIn("will begin at 0x8000", error)

    def test_what_is_no_program_is_refused(self):
        path = self.folder / "a.elf"
        self.assertIn("not an ELF file", self.refused(__file__))
        self.assertIn("No such file", self.refused(self.folder / "none"))
        self.assertIn("not a program for RISC-V (this one is for x86-64)", self.refused("/bin/true"))
        for keywords, message in (
                ({"bits": 64}, "the program is for RV64, but the core is RV32"),
                ({"kind": 1}, "has not been linked"),
                ({"kind": 3}, "not linked to fixed addresses"),
                ({"entry": BASE + 1}, "no instruction can begin at 0x80000001")):
            with self.subTest(keywords):
                elf(path, [(BASE, END, 20)], **keywords)
                self.assertIn(message, self.refused(path))
        elf(path, [(BASE, b"", 0)])
        self.assertIn("has nothing to load", self.refused(path))
        elf(path, [(0xFFFFFFF8, END, 20)])
        self.assertIn("is not below 4 GiB", self.refused(path))
        elf(path, [(BASE, END, 20)])
        path.write_bytes(path.read_bytes()[:90])
        self.assertIn("damaged", self.refused(path))
        self.assertIn("'nope' is neither a number nor a symbol of ", self.refused(PROGRAMS / "sort.elf", "--entry", "nope"))

    def test_what_does_not_fit_is_refused(self):
        path = self.folder / "a.elf"
        elf(path, [(BASE, END, 20), (BASE + (64 << 20) - 8, END, 20)])
        error = self.refused(path)
        self.assertIn("the segment 0x83FFFFF8-0x8400000B", error)
        self.assertIn("no memory at 0x84000000", error)
        elf(path, [(0x10000000, END, 20)])
        self.assertIn("no memory at 0x10000000", self.refused(path))

    def test_a_capture_loads_its_program(self):
        path, shot = self.folder / "end.elf", self.folder / "t.shot"
        elf(path, [(BASE + 0x100, NOP + END, 64)], entry=BASE + 0x100)
        for unit in ("raw", "small"):
            with self.subTest(unit):
                device = f"sim:{PROGRAMS / 'sort.elf'},unit={unit},uart=/dev/null"
                _, error = self.earshot("capture", "-d", device, "--load", path, "-o", shot)
                self.assertIn("64 bytes loaded and compared", error)
                self.assertEqual([line.split(",")[0] for line in records(self.decode(shot))],
                                 [f"{BASE + 0x100 + 4 * i:08x}" for i in range(5)])
                info = self.info(shot)
                self.assertEqual((info["program"], info["complete"]), (str(path), "yes"))
        # Symbols are those of the program that is loaded, and the records are those of a board that began with it.
        device = f"sim:{path},unit=raw,uart=/dev/null"
        self.earshot("capture", "-q", "-d", device, "--load", PROGRAMS / "sort.elf", "--start", "pc=main", "--limit",
                     "500", "-o", shot)
        self.capture(self.folder / "sort.shot", "sort", "--start", "pc=main", "--limit", "500")
        self.assertEqual(self.decode(shot), self.decode(self.folder / "sort.shot"))

    def test_a_capture_that_cannot_load_leaves_the_output_alone(self):
        path, shot = self.folder / "a.elf", self.folder / "t.shot"
        shot.write_text("from before")
        device = f"sim:{PROGRAMS / 'sort.elf'},uart=/dev/null"
        elf(path, [(0x10000000, END, 20)])
        for program, device, message in ((path, device, "no memory at 0x10000000"),
                                         (__file__, device, "not an ELF file"),
                                         (PROGRAMS / "sort.elf", "file:/dev/null", "no registers")):
            with self.subTest(message):
                _, error = self.earshot("capture", "-d", device, "--load", program, "-o", shot, status=2)
                self.assertIn(message, error)
                self.assertEqual(shot.read_text(), "from before")

    def test_an_interrupt_leaves_the_core_in_reset(self):
        path, shot = self.folder / "large.elf", self.folder / "t.shot"
        elf(path, [(BASE, END, 16 << 20)])
        device = f"sim:{PROGRAMS / 'sort.elf'},unit=raw,uart=/dev/null"
        for command in (["load", "-d", device, path], ["capture", "-d", device, "--load", path, "-o", shot]):
            with self.subTest(command[0]):
                process = self.start(*command)
                self.interrupt(process, signal.SIGINT)
                _, error = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 2, error)
                self.assertIn(b"interrupted: the program is loaded in part, and the core stays in reset", error)
                self.assertIn(b", 0 instructions", error)
                self.assertFalse(shot.exists())

    def interrupt(self, process, number):
        """Once the board works for it."""
        def works():
            return any(ticks_of(child) > 20 for child in children(process.pid))
        wait_until(works)
        process.send_signal(number)

    def test_a_device_that_takes_no_program(self):
        self.assertIn("no registers", self.refused(PROGRAMS / "sort.elf", device="file:/dev/null"))
        self.assertNotEqual(self.refused(PROGRAMS / "sort.elf", device="usb:none-such"), "")


if __name__ == "__main__":
    main()
