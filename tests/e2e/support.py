"""What the end-to-end tests share: running the command, and a second opinion on its files.

Where the programs are comes from the environment:
    EARSHOT_BIN       the earshot command
    EARSHOT_BOARD     the virtual board (the command reads this, too)
    EARSHOT_PROGRAMS  the folder of the RISC-V programs
    EARSHOT_NIGHT     1 in the night
"""
import gc
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

EARSHOT = os.path.abspath(os.environ["EARSHOT_BIN"])
PROGRAMS = pathlib.Path(os.environ["EARSHOT_PROGRAMS"]).resolve()
os.environ["EARSHOT_BOARD"] = os.path.abspath(os.environ["EARSHOT_BOARD"])
TREE = pathlib.Path(__file__).resolve().parents[2]

# The tier (docs/testing.md): the gate takes a sample of what takes long, the night all of it.
NIGHT = os.environ.get("EARSHOT_NIGHT") == "1"
night = unittest.skipUnless(NIGHT, "runs in the night: docs/testing.md")


def some(*values, gate=1):
    """All of these in the night, the first ones in the gate."""
    return values if NIGHT else values[:gate]


# A test may read 100 000 records of JSON. The collector of circles would look at all of them again and again, which
# takes up to half of the time; none of them is in a circle.
gc.disable()

HEADER = "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid"
GAP = re.compile(r"# gap: (?:up to )?(\d+) records? missing; index (\d+) to (\d+); hart \d+; (.*)")

RAW32 = 0x8A

# What the tests were started from may ignore these (nohup, a script's "&"), and the command would inherit
# that: a test that sends one says itself how it begins.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def endless_elf(path):
    """Write a program that counts in x5 and stores it, for ever."""
    code = [
        0x80000337,  # lui  x6, 0x80000
        0x00128293,  # addi x5, x5, 1
        0x7E532E23,  # sw   x5, 0x7fc(x6)
        0xFF9FF06F,  # jal  x0, -8
    ]
    write_elf(path, code)


def write_elf(path, code):
    """A program of these words, at 0x80000000."""
    text = struct.pack("<%dI" % len(code), *code)
    base, offset = 0x80000000, 0x1000
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 243, 1, base, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<8I", 1, offset, base, base, len(text), len(text), 5, 0x1000)
    pathlib.Path(path).write_bytes((header + segment).ljust(offset, b"\0") + text)


def read_frames(raw):
    """(offset, sequence, payload) of each frame of a stream without damage (docs/protocol.md, 2)."""
    position = 0
    while position < len(raw):
        magic, major, stream, sequence, size = struct.unpack_from("<HBBHH", raw, position)
        assert magic == 0xA1E5 and major == 1 and size % 4 == 0 and 4 <= size <= 500, hex(position)
        end = position + 8 + size
        crc, = struct.unpack_from("<I", raw, end)
        assert crc == zlib.crc32(raw[position:end]), f"CRC of the frame at {position}"
        yield position, sequence, raw[position + 8:end]
        position = end + 4


def json_lines(text):
    """What lines of JSON, text or bytes, say: parsed at once, in two thirds of the time."""
    lines = text.splitlines()
    joined = b",".join(lines).decode() if isinstance(text, bytes) else ",".join(lines)
    found = json.loads(f"[{joined}]")
    assert len(found) == len(lines), "a line is not one value"
    return found


def records(text):
    """The lines of a Whisper text that are instruction records."""
    return [line for line in text.splitlines() if line and not line.startswith(("#", "pc,"))]


def gaps(text):
    return [line for line in text.splitlines() if line.startswith("# gap:")]


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="earshot-")
        cls.addClassCleanup(holder.cleanup)
        cls.shared = pathlib.Path(holder.name)

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="earshot-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def earshot(self, *arguments, status=0, stdin=b""):
        """Run the command to its end. Returns its standard output and error, as text."""
        out, error = self.earshot_bytes(*arguments, status=status, stdin=stdin)
        return out.decode(), error

    def earshot_bytes(self, *arguments, status=0, stdin=b""):
        result = subprocess.run([EARSHOT, *map(str, arguments)], input=stdin, capture_output=True, timeout=300)
        error = result.stderr.decode()
        self.assertNotIn("Sanitizer", error)
        self.assertNotIn("runtime error", error)
        if status is not None:
            self.assertEqual(result.returncode, status, f"earshot {arguments}\n{error}")
        return result.stdout, error

    def capture(self, path, program="sort", *arguments, keys="", status=0):
        """Capture a test program; its UART output goes to PATH.uart. Returns standard error."""
        device = f"sim:{PROGRAMS / program}.elf,unit=raw,uart={path}.uart{keys}"
        return self.earshot("capture", "-d", device, "-o", path, *arguments, status=status)[1]

    def decode(self, path, *arguments, status=0):
        return self.earshot("decode", path, *arguments, status=status)[0]

    def info(self, path, status=0):
        out, _ = self.earshot("info", path, status=status)
        pairs = [line.split(": ", 1) for line in out.splitlines()]
        self.assertEqual(len(pairs), len(dict(pairs)), "a key comes twice")
        return {key: int(value) if re.fullmatch(r"\d+", value) else value for key, value in pairs}

    def assert_accounted(self, info, text):
        """Every record that the core retired is in the text, or in one of its gaps."""
        self.assertEqual(info["retired"], info["records"] + info["lost"] + info["filtered"])
        self.assertEqual(len(records(text)), info["records"])
        self.assertEqual(len(gaps(text)), info["gaps"])
        index = lost = 0
        for line in text.splitlines():
            gap = GAP.match(line)
            if gap:
                count, first, last = map(int, gap.groups()[:3])
                self.assertEqual((first, last), (index, index + count - 1), line)
                index += count
                lost += count
            elif not line.startswith(("#", "pc,")):
                index += 1
        self.assertEqual(lost, info["lost"])
        self.assertEqual(index, info["retired"])

    def start(self, *arguments):
        """Start the command; it is gone when the test ends."""
        process = subprocess.Popen([EARSHOT, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

        def end():
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def start_endless(self, shot):
        """Capture an endless program, until something of it is in the file."""
        endless_elf(self.folder / "endless.elf")
        process = self.start("capture", "-d", f"sim:{self.folder}/endless.elf,unit=raw,uart=/dev/null", "-o", shot)
        wait_until(lambda: shot.exists() and shot.stat().st_size > 2000 or process.poll() is not None)
        self.assertIsNone(process.poll(), "the capture ended too early")
        return process


def wait_until(condition, seconds=60):
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.02)


def children(pid):
    """The processes that a process has started."""
    return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()]


def is_running(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def main():
    unittest.main(verbosity=2)
