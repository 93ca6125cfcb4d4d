"""A client of GDB's remote protocol, for tests of 'earshot gdb' that need no GDB, and what a board's dump says."""
import pathlib
import re
import subprocess

from support import EARSHOT

STOP = re.compile(r"T([0-9a-f]{2})(.*)", re.DOTALL)
PC = 32


def checksum(data):
    return sum(data) & 0xFF


def escape(data):
    return b"".join(b"}" + bytes([byte ^ 0x20]) if byte in b"#$}*" else bytes([byte]) for byte in data)


class Client:
    """A session over pipes. stderr is in self.errors after close()."""

    def __init__(self, *arguments, xlen=32, acks=False):
        self.process = subprocess.Popen([EARSHOT, "gdb", *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.xlen, self.acks, self.pending = xlen, True, b""
        self.console = self.heard = ""  # of the last packet, of all of them
        self.packets = 0
        if not acks:
            assert self.ask("QStartNoAckMode") == "OK"
            self.acks = False

    def read_until(self, mark):
        """What comes before this byte, which is taken as well."""
        while mark not in self.pending:
            more = self.process.stdout.read1(65536)
            if not more:
                raise EOFError
            self.pending += more
        data, _, self.pending = self.pending.partition(mark)
        return data

    def read_byte(self):
        self.pending = self.pending or self.process.stdout.read1(65536)
        if not self.pending:
            raise EOFError
        byte, self.pending = self.pending[:1], self.pending[1:]
        return byte

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, packet):
        data = packet if isinstance(packet, bytes) else packet.encode()
        self.packets += 1
        self.send_bytes(b"$%s#%02x" % (escape(data), checksum(escape(data))))

    def receive(self):
        """The data of the next packet, as bytes."""
        self.read_until(b"$")
        data = self.read_until(b"#")
        wanted = int(self.read_byte() + self.read_byte(), 16)
        assert wanted == checksum(data), (data, wanted)
        if self.acks:
            self.send_bytes(b"+")
        return re.sub(rb"}(.)", lambda found: bytes([found[1][0] ^ 0x20]), data, flags=re.DOTALL)

    def answer(self):
        """The next reply; what is for the console goes to self.console."""
        self.console = ""
        while True:
            data = self.receive().decode("latin-1")
            if data[:1] != "O" or data == "OK":
                return data
            text = bytes.fromhex(data[1:]).decode("latin-1")
            self.console += text
            self.heard += text

    def ask(self, packet):
        self.send(packet)
        return self.answer()

    def monitor(self, command):
        assert self.ask("qRcmd," + command.encode().hex()) == "OK"
        return self.console

    def go(self, packet):
        """Move: the signal and what the stop reply says, a dictionary."""
        match = STOP.fullmatch(self.ask(packet))
        assert match, (packet, self.console)
        pairs = dict(pair.split(":", 1) for pair in match[2].split(";") if pair)
        return int(match[1], 16), pairs

    def step(self, thread=1):
        return self.go(f"vCont;s:{thread:x};c")

    def back(self):
        return self.go("bs")

    def value(self, text):
        """A number of a register's size, None: unknown."""
        return None if "x" in text else int.from_bytes(bytes.fromhex(text), "little")

    def register(self, number):
        return self.value(self.ask(f"p{number:x}"))

    def registers(self):
        """x0 to x31 and pc."""
        text, size = self.ask("g"), self.xlen // 4
        return [self.value(text[i * size:(i + 1) * size]) for i in range(33)]

    def memory(self, address, size):
        """As many bytes as are known from the address on."""
        data = self.ask(f"m{address:x},{size:x}")
        return b"" if data == "E01" else bytes.fromhex(data)

    def number(self):
        """That of the next record."""
        text = self.monitor("when")
        return int(re.search(r"#(\d+)|after (\d+)", text).group(0).strip("#after "))

    def goto(self, place):
        text = self.monitor(f"goto {place}")
        assert "there is no" not in text and "could not" not in text, text
        return text

    def close(self):
        """Leave; the exit status."""
        try:
            if self.process.poll() is None:
                self.send("k")
        except (BrokenPipeError, ValueError):
            pass
        _, errors = self.process.communicate(timeout=60)
        self.errors = errors.decode()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.close()


def read_dump(path):
    """(number, what registers hold, what CSRs hold, what memory holds, next pc) of each moment of a dump."""
    registers, csrs, lines, number, pc = {}, {}, {}, None, None
    for line in pathlib.Path(path).read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[0] in ("after", "#") and number is not None:
            yield number, registers, csrs, lines, pc
            number = None
        if words[0] == "after":
            number = int(words[1])
        elif words[0] == "next":
            pc = int(words[1], 0)
        elif words[0] == "x":
            registers[int(words[1])] = int(words[2], 0)
        elif words[0] == "c":
            csrs[int(words[1])] = int(words[2], 0)
        elif words[0] == "m":
            lines[int(words[1], 0)] = bytes.fromhex(words[2])
