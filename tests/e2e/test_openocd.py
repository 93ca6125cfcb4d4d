#!/usr/bin/env python3
"""`earshot capture -d openocd:`, against a server that answers as OpenOCD 0.12's Tcl port. In front of it is a chip
with a trace encoder, a funnel and a RAM sink by the Trace Control Interface 1.0; what the encoder sends comes from
`earshot convert`. The file that the capture writes is read without any option but the program.
"""
import json
import re
import signal
import socketserver
import threading

from support import PROGRAMS, Case, main

ENCODER, FUNNEL, SINK = 0x30000000, 0x30001000, 0x30003000
BUFFER = 0x90000000
ACTIVE, ENABLE, EMPTY, STOP_ON_WRAP = 1, 2, 8, 0x100
TIME = ENCODER + 0x40
COMMAND = re.compile(r'format "%d %s" \[catch \{(.*)\} earshot\] \$earshot', re.DOTALL)
LOOP = re.compile(r"set earshot_words \{\}; for \{set i 0\} \{\$i < (\d+)\} \{incr i\} "
                  r"\{append earshot_words \{ \} \[read_memory (\w+) 32 1\]\}; set earshot_words")


class Failed(Exception):
    """What OpenOCD says of a command that failed."""


class Chip:
    """Registers by address. The stream goes to the sink when the encoder is switched off."""

    def __init__(self, stream, size=1024, protocol=1, system=False, word=4, time=True):
        self.stream, self.size, self.protocol, self.word, self.time = stream, size, protocol, word, time
        self.state, self.polls, self.log = "running", 0, []
        self.memory, self.start = bytearray(b"\xa5" * size), BUFFER if system else 0
        self.registers = {ENCODER + 4: 0x110101, FUNNEL + 4: 0x801, SINK + 4: 0x901 | 1 << (13 if system else 12),
                          ENCODER: 0, FUNNEL: 0, SINK: 0, SINK + 0x10: self.start, SINK + 0x14: 0,
                          SINK + 0x18: size - 4, SINK + 0x1C: 0, SINK + 0x20: 0, SINK + 0x24: 0,
                          SINK + 0x28: 0, ENCODER + 8: 0}

    def flush(self):
        """The stream into the ring, in whole words."""
        idle = b"\xff" if self.protocol else b"\0"
        data = self.stream + idle * (-len(self.stream) % self.word)
        if self.registers[SINK] & STOP_ON_WRAP:
            data = data[:self.size]
        for at, byte in enumerate(data):
            self.memory[at % self.size] = byte
        self.registers[SINK + 0x20] = self.start + len(data) % self.size | (len(data) >= self.size)

    def write(self, address, value):
        old = self.registers.get(address, 0)
        if address in (ENCODER, FUNNEL, SINK):
            if address == ENCODER and value & ACTIVE:
                value |= self.protocol << 24
                if old & ENABLE and not value & ENABLE:
                    self.flush()
            if address == SINK:
                value = value & ~0x70E0 | 0x1000 * (self.protocol == 0)
            value |= 0 if value & ENABLE else EMPTY
        elif address == SINK + 0x18:
            value = value + 4 - self.word if self.start else self.size - 4
        elif address == SINK + 0x10 and not self.start:
            value = 0
        elif address == TIME and not self.time:
            value = 0
        elif address & 0xFFF == 4:
            return
        self.registers[address] = value

    def read(self, address):
        if address == SINK + 0x40:
            at = self.registers[SINK + 0x28]
            self.registers[SINK + 0x28] = (at + 4) % self.size
            return int.from_bytes(self.memory[at:at + 4], "little")
        if self.start and self.start <= address < self.start + self.size:
            at = address - self.start
            return int.from_bytes(self.memory[at:at + 4], "little")
        if not any(base <= address < base + 0x1000 for base in (ENCODER, FUNNEL, SINK)):
            raise Failed("failed to read memory")
        return self.registers.get(address, 0)

    def do(self, command):
        self.log.append(command)
        words = command.split()
        loop = LOOP.fullmatch(command)
        if loop:
            return "".join(f" {self.read(int(loop[2], 16)):#x}" for _ in range(int(loop[1])))
        if words[0] == "read_memory":
            base = int(words[1], 16)
            return " ".join(f"{self.read(base + 4 * i):#x}" for i in range(int(words[3])))
        if words[0] == "write_memory":
            self.write(int(words[1], 16), int(words[3], 16))
        elif command in ("halt", "reset halt"):
            self.state = "halted"
        elif command == "resume":
            self.state, self.polls = "running", 0
        elif command == "[target current] curstate":
            self.polls += 1
            if self.polls == 2 and any(line.startswith("bp ") for line in self.log):
                self.state = "halted"
            if self.polls == 2 and self.registers[SINK] & STOP_ON_WRAP and len(self.stream) >= self.size:
                self.registers[SINK] &= ~ENABLE
            return self.state
        elif words[0] not in ("bp", "rbp"):
            raise Failed(f'invalid command name "{words[0]}"')
        return ""


class Server(socketserver.TCPServer):
    allow_reuse_address = True

    def __init__(self, chip, change=lambda command, answer: answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.chip, self.change, self.seen = chip, change, threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        self.device = f"openocd:127.0.0.1:{self.server_address[1]}"

    def __exit__(self, *arguments):
        self.shutdown()
        self.thread.join()
        super().__exit__(*arguments)


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        text = b""
        while True:
            try:
                got = self.connection.recv(4096)
            except ConnectionResetError:  # it has not read all of an answer
                return
            if not got:
                return
            text += got
            while b"\x1a" in text:
                command, text = text.split(b"\x1a", 1)
                command = COMMAND.fullmatch(command.decode())[1]
                try:
                    answer = f"0 {self.server.chip.do(command)}"
                except Failed as error:
                    answer = f"1 {error}"
                answer = self.server.change(command, answer.encode() + b"\x1a")
                if command == "[target current] curstate":
                    self.server.seen.set()
                if answer is None:
                    return
                self.connection.sendall(answer)


def instructions(text):
    found = (json.loads(line) for line in text.splitlines())
    return [(record["pc"], record["next_pc"]) for record in found
            if record["kind"] == "instruction" and "next_pc" in record]


class OpenOcd(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elf = PROGRAMS / "recursion.elf"

    def streams(self, kind, unit):
        """The branch trace of a run, and its instructions."""
        shot, trace, file = (self.folder / name for name in ("t.shot", f"t.{kind}", "unit.json"))
        if not shot.exists():
            self.capture(shot, "recursion", "--limit", 6000)
        file.write_text(json.dumps(unit))
        self.earshot("convert", "--unit", file, shot, "-o", trace)
        return trace.read_bytes(), self.read("-i", kind, "--unit", file, trace)

    def read(self, *arguments):
        return instructions(self.earshot("convert", "--elf", self.elf, "-f", "json", *arguments)[0])

    def fetch(self, chip, name, *arguments, bases=(ENCODER,), status=0, **server):
        """Capture from a chip; what is said."""
        path = self.folder / name
        with Server(chip, **server) as openocd:
            _, error = self.earshot("capture", "-d", openocd.device, "--trace-base", ",".join(map(hex, bases)),
                                    "--limit", "0.05s", *arguments, "-o", path, status=status)
        return path, error

    def assert_end_of(self, found, truth):
        self.assertGreater(len(found), 0)
        self.assertEqual(found, truth[-len(found):])

    def test_a_trace_that_fits_the_sink_is_whole(self):
        stream, truth = self.streams("ntrace", {"ownership": 1, "stack": 0})
        for chip in (Chip(stream, 1 << 16), Chip(stream, 1 << 16, system=True, word=16)):
            buffer = ("--trace-buffer", f"{BUFFER:#x}+64Ki") if chip.start else ()
            path, error = self.fetch(chip, "t1.ntrace", *buffer)
            self.assertIn("bytes of N-Trace by 1 encoder", error)
            self.assertEqual(self.read(path), truth)
            raw = path.read_bytes().split(b"\n", 1)[1]
            self.assertEqual(raw.rstrip(b"\xff"), stream.rstrip(b"\xff"))
            self.assertEqual(chip.log[0], "reset halt")
            self.assertEqual(chip.log[-1], "resume")
            self.assertFalse(chip.registers[SINK] & ENABLE or chip.registers[ENCODER] & ENABLE)

    def test_a_ring_that_wrapped_is_read_from_its_first_synchronisation(self):
        stream, _ = self.streams("ntrace", {"sync_every": 10, "stack": 0})
        trace = self.folder / "cut.bin"
        for size in range(len(stream) - 20, len(stream), 4):
            trace.write_bytes(stream[:size])
            path, error = self.fetch(Chip(stream[:size], 512), "t2.ntrace", "--keep-running",
                                     bases=(ENCODER, FUNNEL, SINK))
            self.assertIn("512 bytes, of which older ones were overwritten", error)
            self.assert_end_of(self.read(path), self.read("-i", "ntrace", trace))

    def test_a_sink_that_stops_when_it_is_full_has_the_first_of_the_trace(self):
        stream, truth = self.streams("ntrace", {"sync_every": 10, "stack": 0})
        chip = Chip(stream, 512)
        path, error = self.fetch(chip, "t6.ntrace", "--trace-first", "--limit", "1000s", status=0)
        self.assertIn("in 512 bytes, which are full: what came later is missing", error)
        self.assertLess(chip.polls, 4)  # it did not wait for the limit
        found = self.read(path)
        self.assertGreater(len(found), 100)
        self.assertEqual(found, truth[:len(found)])
        self.assertEqual(path.read_bytes().split(b"\n", 1)[1], stream[:512])
        chip, shorter = Chip(stream, 1 << 16), self.fetch(Chip(stream, 1 << 16), "t6.ntrace", "--trace-first")[0]
        self.assertEqual(self.read(shorter), truth)

    def test_time_stamps_are_sent_if_the_encoder_has_them(self):
        shot, file = self.folder / "timed.shot", self.folder / "unit.json"
        self.capture(shot, "recursion", "--limit", 6000, "--time", "record")
        file.write_text(json.dumps({"stack": 0, "tstamp": 1}))
        self.earshot("convert", "--unit", file, shot, "-o", self.folder / "timed.ntrace")
        chip = Chip((self.folder / "timed.ntrace").read_bytes(), 1 << 16)
        path, _ = self.fetch(chip, "t7.ntrace", "--time", "sync")
        self.assertEqual(chip.registers[TIME], 0x8023)
        self.assertEqual(json.loads(path.read_bytes().split(b"\n")[0])["tstamp"], 1)
        text = self.earshot("convert", "--elf", self.elf, "-f", "json", path)[0]
        times = [json.loads(line)["time"] for line in text.splitlines() if '"time"' in line]
        self.assertGreater(len(times), 100)
        self.assertEqual(times, sorted(times))
        error = self.fetch(Chip(b"", time=False), "t7.ntrace", "--time", "sync", status=2)[1]
        self.assertIn("has no time stamps (trTsControl): leave --time out", error)
        error = self.fetch(Chip(b"", protocol=0), "t7.etrace", "--time", "sync", status=2)[1]
        self.assertIn("sends E-Trace, of which the place of the time is not known", error)

    def test_the_unit_of_an_e_trace_is_joined_with_that_of_the_user(self):
        unit = {"time_width": 5, "resync_max": 6}
        stream, truth = self.streams("etrace", unit)
        aligned, at = b"", 0
        while at < len(stream):
            size = 1 + (stream[at] & 31)
            aligned += (bytes(40) + b"\x80") * (at % 3 == 0) + stream[at:at + size]
            at += size
        path, error = self.fetch(Chip(aligned, 1024, protocol=0), "t3.etrace", "--unit", self.folder / "unit.json")
        self.assertIn("of E-Trace", error)
        self.assert_end_of(self.read(path), truth)
        self.assertIn("hanoi", self.earshot("profile", "--elf", self.elf, path)[0])
        head = json.loads(path.read_bytes().split(b"\n")[0])
        self.assertEqual(head | unit | {"earshot": "etrace", "wrapped": 1, "srcid_bits": 0}, head)

    def test_the_core_stops_at_an_address_or_by_ctrl_c(self):
        stream, truth = self.streams("ntrace", {"stack": 0})
        chip, path = Chip(stream, 1 << 16), self.folder / "t4.ntrace"
        with Server(chip) as openocd:
            self.earshot("capture", "-d", openocd.device, "--trace-base", hex(ENCODER), "--stop", "pc=main",
                         "--elf", self.elf, "-o", path)
        self.assertEqual(self.read(path), truth)
        at = next(line for line in chip.log if line.startswith("bp "))
        self.assertRegex(at, r"^bp 0x8[0-9a-f]{7} 2 hw$")
        self.assertIn("r" + at.rsplit(" ", 2)[0], chip.log)
        self.assertNotEqual(chip.log[-1], "resume")  # it halted by itself
        chip = Chip(stream, 1 << 16)
        with Server(chip) as openocd:
            run = self.start("capture", "-d", openocd.device, "--trace-base", hex(ENCODER), "-o", path)
            self.assertTrue(openocd.seen.wait(20))
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(20), 0)
        self.assertEqual(self.read(path), truth)

    def test_what_fails_is_said_with_its_command(self):
        stream, _ = self.streams("ntrace", {"stack": 0})
        answers = {  # to the first command
            "OpenOCD has ended the connection": lambda command, answer: None,
            "this is no answer of OpenOCD's Tcl port": lambda command, answer: b"hello\x1a",
            "the answer has no end": lambda command, answer: b"0 " + b"1 " * 40000,
        }
        for text, change in answers.items():
            path, error = self.fetch(Chip(stream), "t5.ntrace", status=2, change=change)
            self.assertIn(f"'reset halt': {text}", error)
        later = {
            "the answer is not so many numbers": lambda command, answer: b"0 0x1 0x2 0x3\x1a" if "read_m" in command else answer,
            "OpenOCD says: target is gone": lambda command, answer:
                b"1 target is\ngone\x1a" if "write_memory" in command else answer,
        }
        for text, change in later.items():
            path, error = self.fetch(Chip(stream), "t5.ntrace", status=2, change=change)
            self.assertIn(text, error)
        self.assertEqual(path.read_bytes(), b"")
        chip = Chip(stream)
        chip.registers[ENCODER + 4] = 0
        self.assertIn("no trace encoder, funnel or RAM sink is at 0x30000000",
                      self.fetch(chip, "t5.ntrace", status=2)[1])
        self.assertIn("no trace encoder is among", self.fetch(Chip(stream), "t5.ntrace", bases=(SINK,), status=2)[1])
        chip = Chip(stream)
        self.assertIn("give -o NAME.ntrace", self.fetch(chip, "t5.etrace", status=2)[1])
        self.assertFalse((chip.registers[SINK] | chip.registers[ENCODER]) & ENABLE)
        self.assertIn("say to which (--trace-buffer", self.fetch(Chip(stream, system=True), "t5.ntrace", status=2)[1])


if __name__ == "__main__":
    main()
