#!/usr/bin/env python3
"""Text from outside that would move a terminal: none of it comes out, of no command and of no file."""
import gzip
import json
import os
import pathlib
import pty
import random
import re
import socket
import struct
import subprocess
import termios
import threading
import unicodedata

from support import EARSHOT, PROGRAMS, TREE, Case, main, write_elf

DATA = TREE / "tests/data"
SAMPLES = {"whisper": "whisper/timer.csv", "whisper-log": "whisper/timer-default.log", "qemu4v": "qemu4v/published.txt",
           "tarmac": "tarmac/dialects.txt", "armulator": "armulator/published.txt", "spike": "spike/rv64.log",
           "riscv-dv": "riscv-dv/rv32.csv", "sail": "sail/rv64.log", "ibex": "ibex/rv32.log"}
PIECES = [b"\x1b]0;mine\x07", b"\x1b[2J\x1b[H", b"\x9b2J", b"\xc2\x9b2J", b"\x08\x08", b"\x7f", b"\x00", b"a\rb",
          "\u202egpj".encode(), "\u2066".encode(), "\u200b".encode(), "\u2028".encode(), b"\xff\xfe", b"\xed\xa0\x80",
          b"\xc0\x9b", b"\xe2\x80", "\U000e0041".encode(), "\ufeff".encode(), b"\xf4\x90\x80\x80"]


def faults(output):
    """What must not be shown, as (offset, character)."""
    try:
        text = output.decode()
    except UnicodeDecodeError as error:
        return [(error.start, output[error.start:error.start + 4])]
    return [(at, hex(ord(c))) for at, c in enumerate(text.replace("\r\n", "\n"))
            if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")]


def spoil(text, seed, many=20):
    """The text with such pieces in many of its places."""
    chance = random.Random(seed)
    lines = text.split(b"\n")
    for _ in range(many):
        number = chance.randrange(len(lines))
        at = chance.randrange(len(lines[number]) + 1)
        lines[number] = lines[number][:at] + chance.choice(PIECES) + lines[number][at:]
    return b"\n".join(lines)


def facts_frame(lines):
    body = b"EFCT" + b"".join(lines)
    return struct.pack("<II", 0x184D2A5D, len(body)) + body


class Hostile(Case):
    def clean(self, *arguments, stdin=b"", environment=None):
        """Run it, whatever becomes of it, and look at all that it says. Returns standard output."""
        arguments = [os.fsencode(argument) if isinstance(argument, (bytes, pathlib.Path)) else str(argument)
                     for argument in arguments]
        result = subprocess.run([EARSHOT, *arguments], input=stdin, capture_output=True, timeout=60, env=environment)
        self.assertIn(result.returncode, (0, 1, 2), arguments)
        for output in result.stdout, result.stderr:
            self.assertEqual(faults(output), [], (arguments, output[:3000]))
            self.assertNotIn(b"Sanitizer", output)
        return result.stdout

    def test_texts_of_every_format(self):
        as_json = self.folder / "t.json"
        self.earshot("convert", DATA / "whisper/vector.csv", "-f", "json", "-o", as_json)
        for number, (name, sample) in enumerate([*SAMPLES.items(), ("json", as_json)]):
            original = DATA / sample
            text = b"\n".join(original.read_bytes().split(b"\n")[:300])
            path = self.folder / "hostile"
            path.write_bytes(spoil(text, number))
            with self.subTest(name):
                for target in ("whisper", "json", "whisper-log", "spike", "riscv-dv", "tarmac", "armulator"):
                    self.clean("convert", "-i", name, "--max-bad", 1000, "-f", target, path)
                self.clean("convert", "-i", name, "--strict", path)
                self.clean("grep", "-i", name, "--trap", "-C", 3, path)
                self.clean("diff", "-a", name, "-b", name, "-n", 0, path, original)
                self.clean("diff", "-a", name, "-b", name, "-n", 0, "--json", path, original)

    def test_a_disassembly_and_names_of_registers(self):
        text = DATA.joinpath("whisper/timer.csv").read_bytes().split(b"\n")
        fields = text[1].split(b",")
        evil = b"".join(PIECES).replace(b"\n", b"")
        hostile = self.folder / "t.csv"
        fields[8] = b"addi " + evil
        hostile.write_bytes(text[0] + b"\n" + b",".join(fields) + b"\n")
        for target in "whisper", "whisper-log", "spike", "riscv-dv", "json":
            out = self.clean("convert", "-f", target, hostile)
            self.assertIn(b"mine", out, target)  # it is shown, and harmless
        # In JSON it can be read back, every byte of it.
        lines = [json.loads(line) for line in self.clean("convert", "-f", "json", hostile).splitlines()]
        shown = [line["disassembly"] for line in lines if "disassembly" in line][0]
        self.assertEqual(shown.encode("utf-8", "surrogateescape"), (b"addi " + evil).replace(b";", b","))
        traces = []
        for number, value in enumerate((1, 2)):
            path = self.folder / f"{number}.json"
            path.write_text(json.dumps({"pc": "0x1000", "opcode": "0x13", "registers": [
                {"name": "evil\x1b[2J\u202e\"\n", "value": f"0x{value}"}]}) + "\n")
            traces.append(path)
        for option in [], ["--json"]:
            out = self.clean("diff", *option, "-n", 0, *traces)
            for line in out.splitlines() if option else ():
                json.loads(line)

    def shot(self):
        path = self.folder / "t.shot"
        self.earshot("convert", DATA / "whisper/timer.csv", "-o", path)
        return path

    def test_facts_of_a_capture(self):
        raw = self.shot().read_bytes()
        size = struct.unpack_from("<I", raw, 4)[0]
        keys = re.findall(rb"^(\w+): ", raw[12:8 + size], re.M) + [b"device", b"command", b"program", b"end_reason"]
        path = self.folder / "evil.shot"
        for piece in PIECES:
            lines = [b"format: earshot 1\n", b"kind" + piece + b": x\n"]
            lines += [key + b": before" + piece + b"after\n" for key in dict.fromkeys(keys) if key != b"format"]
            path.write_bytes(facts_frame(lines) + raw[8 + size:])
            with self.subTest(piece):
                out = self.clean("info", path)
                if piece != b"\0":  # which ends a text
                    self.assertIn(b"device: before", out)
        for command in (["decode"], ["dump"], ["convert"], ["convert", "-f", "json"], ["grep", "--trap"]):
            self.clean(*command, path)
        self.clean("diff", path, DATA / "whisper/timer.csv")

    def test_a_packed_text_comes_back_exactly_but_not_onto_a_terminal(self):
        text = spoil(b"\n".join(DATA.joinpath("whisper/timer.csv").read_bytes().split(b"\n")[:200]) + b"\n", 7, 5)
        source, path = self.folder / "t.csv", self.folder / "t.shot"
        source.write_bytes(text)
        self.clean("convert", "--max-bad", 1000, source, "-o", path)
        self.assertEqual(self.earshot_bytes("decode", path)[0], text)
        self.assertEqual(self.earshot_bytes("decode", "-j2", path)[0], text)
        for command in (["decode", path], ["convert", path, "-f", "whisper"]):
            output = self.on_a_terminal(command)
            self.assertEqual(faults(output), [], output[:500])
            self.assertGreater(len(output), len(text) * 0.9)

    def on_a_terminal(self, command):
        own, other = pty.openpty()
        attributes = termios.tcgetattr(other)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(other, termios.TCSANOW, attributes)
        process = subprocess.Popen([EARSHOT, *map(str, command)], stdout=other, stderr=other)
        os.close(other)
        output = b""
        while True:
            try:
                piece = os.read(own, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
        os.close(own)
        self.assertIn(process.wait(timeout=60), (0, 2))
        return output

    def test_names_of_files_and_devices(self):
        for piece in PIECES:
            if b"\0" in piece:
                continue
            name = os.fsencode(self.folder) + b"/evil" + piece + b"\nearshot: forged line"
            for command in (["info"], ["dump"], ["decode"], ["convert"], ["grep"], ["diff", DATA / "whisper/timer.csv"]):
                self.clean(*command, name)
            self.clean("capture", "-d", b"sim:" + name, "-o", b"/nonexistent/" + piece)
            self.clean("capture", "-d", b"file:" + name, "-o", name + b".shot")
            self.clean("capture", "-d", b"uart:" + name, "-o", self.folder / "t.shot")
            self.clean("capture", "-d", b"tcp:" + piece + b":1", "-o", self.folder / "t.shot")
            self.clean("capture", "-d", b"usb:" + piece, "-o", self.folder / "t.shot")
            self.clean("load", "-d", "sim:x", name)
            self.clean("grep", "--elf", name, "--pc", piece, DATA / "whisper/timer.csv")
            self.clean("grep", "--elf", PROGRAMS / "sort.elf", "--pc", piece, DATA / "whisper/timer.csv")
            self.clean(b"no such command" + piece)
            self.clean("decode", b"--no-such-option" + piece)
        _, error = self.earshot("info", self.folder / "a\nearshot: forged", status=2)
        self.assertEqual(error.count("\n"), 1, "a name makes a line of its own")
        # A file that is there, so that it is named in what is found in it.
        evil = os.fsencode(self.folder) + b"/\x1b[2J\xc2\x9b.csv"
        pathlib.Path(os.fsdecode(evil)).write_bytes(spoil(DATA.joinpath("whisper/timer.csv").read_bytes(), 3))
        self.clean("convert", evil)
        self.clean("diff", "-n", 0, evil, DATA / "whisper/timer.csv")
        self.clean("convert", evil, "-o", evil + b"/\x1b")

    def test_symbols_of_a_program(self):
        elf = bytearray(PROGRAMS.joinpath("sort.elf").read_bytes())
        elf = elf.replace(b"main\0", b"\x1b[m\x07\0").replace(b"_start\0", b"\xc2\x9b2J\r\x7f\0")
        path = self.folder / "evil.elf"
        path.write_bytes(elf)
        shot = self.folder / "t.shot"
        self.clean("capture", "-d", f"sim:{path},unit=raw,uart=/dev/null", "--limit", 100, "-o", shot)
        for name in b"main", b"\x1b[m\x07", b"_start":
            self.clean("grep", "--elf", path, "--pc", name, shot)
        for command in "info", "decode", "dump":
            self.clean(command, shot)

    def test_words_of_a_server(self):
        """Whatever answers at the other end of tcp:."""
        chance = random.Random(4)
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            answers = [b"NO " + piece + b" go away\n" for piece in PIECES] + [
                bytes(chance.randrange(256) for _ in range(200)) for _ in range(5)] + [
                b"OK " + piece + b"\n" + piece for piece in PIECES]

            def serve():
                for answer in answers:
                    peer, _ = server.accept()
                    peer.sendall(answer)
                    peer.close()
            thread = threading.Thread(target=serve)
            thread.start()
            device = "tcp:127.0.0.1:%d" % server.getsockname()[1]
            for _ in answers:
                self.clean("capture", "-d", device, "-o", self.folder / "t.shot")
            thread.join()

    def test_bytes_without_a_meaning(self):
        """Random bytes under every name: whatever is said about them can be shown."""
        chance = random.Random(9)
        for number in range(12):
            noise = chance.randbytes(3000)
            if number % 3 == 1:
                noise = b"".join(chance.choice(PIECES + [b"0x80000000", b" ", b"\n", b"core   0: ", b",", b"{\"pc\":"])
                                 for _ in range(500))
            if number % 3 == 2:
                noise = gzip.compress(noise)
            path = self.folder / "noise"
            path.write_bytes(noise)
            for command in (["info"], ["dump"], ["decode"], ["convert"], ["grep"], ["diff", path]):
                self.clean(*command, path)
            for name in [*SAMPLES, "json", "shot"]:
                self.clean("convert", "-i", name, path)

    def test_what_a_program_prints(self):
        """The virtual board's UART: a file has every byte, a terminal what may be shown."""
        message = b"hello\r\n" + b"".join(PIECES) + b"end\n"
        code = [0x10000537]  # lui a0, 0x10000: the UART
        for byte in message:
            code += [byte << 20 | 0x593, 0x00B50023]  # li a1, byte; sb a1, 0(a0)
        code += [0x0000006F]  # for ever
        path = self.folder / "prints.elf"
        write_elf(path, code)
        uart = self.folder / "uart.txt"
        for key, output in ("uart=" + str(uart), None), (None, None):
            device = ",".join(filter(None, [f"sim:{path},unit=raw", key]))
            command = ["capture", "-q", "-d", device, "--limit", len(code) + 50, "-o", self.folder / "t.shot"]
            if key:
                self.earshot(*command)
                self.assertEqual(uart.read_bytes(), message)
            else:
                output = self.on_a_terminal(command)
                self.assertEqual(faults(output), [], output)
                self.assertIn(b"hello\r\n", output)
                self.assertIn(b"\\x1b]0;mine\\x07", output)


if __name__ == "__main__":
    main()
