#!/usr/bin/env python3
"""The virtual board as a program: its socket, its options, its ends.

    test_soc_board.py EARSHOT_BOARD SOC_TRACE PROGRAM_DIR

The host here knows frames and a few registers (docs/protocol.md) and nothing about records: those
are the decoder's business.
"""
import os
import re
import resource
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

BOARD, SOC_TRACE, PROGRAMS = sys.argv[1:4]

NIGHT = os.environ.get("EARSHOT_NIGHT") == "1"

WRITE = 2
CONTROL, FLUSH_CYCLES, CORE = 0x20, 0x2C, 0x30
ENABLE, DROP = 1, 2
STOP = 0x8C
STOP_SIZE = 34
ENDED = 3
CLOCK_HZ = 50_000_000


def program(name):
    return os.path.join(PROGRAMS, name + ".elf")


def control_word(tag, register, value):
    word = struct.pack("<BBBHI", 0xEC, WRITE, tag, register, value)
    crc = 0
    for byte in word:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 7) & 0xFF if crc & 0x80 else crc << 1
    return word + bytes([crc])


def payloads(stream):
    """The payload of every frame; raises if a byte belongs to none or a number is missing."""
    at, sequence = 0, 0
    while at < len(stream):
        magic, major, hart, number, size = struct.unpack_from("<HBBHH", stream, at)
        body = stream[at:at + 8 + size]
        crc, = struct.unpack_from("<I", stream, at + 8 + size)
        if magic != 0xA1E5 or crc != zlib.crc32(body) or number != sequence & 0xFFFF:
            raise ValueError(f"bad frame at byte {at}")
        yield body[8:]
        at += 12 + size
        sequence += 1


class Account:
    """The STOP message at the end of a stream: retired = delivered + lost + filtered."""

    def __init__(self, stream):
        last = list(payloads(stream))[-1].rstrip(b"\x80")
        last += b"\x80" * (-len(last) % 4)
        at = max(k for k in range(len(last)) if last[k] == STOP and
                 len(last) - k >= STOP_SIZE and len(last) - k < STOP_SIZE + 4)
        self.reason, self.retired, self.delivered, self.lost, self.filtered = \
            struct.unpack_from("<BQQQQ", last, at + 1)


class Run:
    """One run of the board on a socket pair, with the unit in raw mode if nothing else is said."""

    def __init__(self, elf, *options):
        if "--unit" not in options:
            options = ("--unit", "raw", *options)
        self.host, board = socket.socketpair()
        self.process = subprocess.Popen(
            [BOARD, elf, "--fd", str(board.fileno()), *options], pass_fds=[board.fileno()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        board.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.host.close()
        self.process.kill()
        self.process.communicate()

    def start(self, control=ENABLE):
        self.host.sendall(control_word(1, CONTROL, control) + control_word(2, CORE, 0))

    def stream(self, pause=0.0):
        parts = []
        while True:
            part = self.host.recv(1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
            if pause:
                time.sleep(pause)

    def end(self):
        """Returns exit code, standard output, standard error."""
        out, err = self.process.communicate(timeout=100)
        return self.process.returncode, out.decode(), err.decode()


def entries(name):
    summary = subprocess.run([SOC_TRACE, "--quiet", "--summary", program(name)],
                             capture_output=True, text=True, check=False).stdout
    return int(summary.split()[1])


class Capture(unittest.TestCase):
    def check_lossless(self, name, *options, pause=0.0):
        with Run(program(name), *options) as run:
            run.start()
            account = Account(run.stream(pause))
            code, _, err = run.end()
        self.assertEqual(code, 0, err)
        self.assertEqual(account.reason, ENDED)
        self.assertEqual(account.lost, 0)
        self.assertEqual(account.delivered, account.retired)
        self.assertEqual(account.retired, entries(name))
        return err

    def test_every_entry_is_delivered(self):
        for name in ("traps", "software", "strings") if NIGHT else ("software",):
            with self.subTest(program=name):
                self.check_lossless(name)

    def test_units_that_predict_deliver_every_entry_in_few_bytes(self):
        for unit in ("tiny", "small", "large", "unified") if NIGHT else ("tiny", "unified"):
            with self.subTest(unit=unit), Run(program("strings"), "--unit", unit) as run:
                run.start()
                stream = run.stream()
                account = Account(stream)
                self.assertEqual(run.end()[0], 0)
                self.assertEqual((account.reason, account.lost), (ENDED, 0))
                self.assertEqual(account.delivered, entries("strings"))
                self.assertLess(len(stream), account.delivered)  # raw mode: 20 bytes and more each

    def test_a_link_that_is_often_not_ready_loses_nothing(self):
        self.check_lossless("traps", "--stall", "700", "--seed", "5")

    def test_a_host_that_reads_slowly_loses_nothing(self):
        self.check_lossless("software", pause=0.01)

    def test_the_limited_link_keeps_to_its_rate(self):
        rate = 64_000_000
        with Run(program("software"), "--link", "64000000") as run:
            run.start()
            size = len(run.stream())
            _, _, err = run.end()
        cycles = int(re.search(r"after (\d+) cycles", err).group(1))
        waiting = 8192  # more than the unit's buffers can hold when the program ends
        self.assertGreater(cycles, (size - waiting) / rate * CLOCK_HZ)
        self.assertLess(cycles, 1.2 * size / rate * CLOCK_HZ + 20000)

    def test_policy_drop_accounts_for_what_it_loses(self):
        with Run(program("traps"), "--link", "8M") as run:
            run.start(ENABLE | DROP)
            account = Account(run.stream())
            run.end()
        self.assertGreater(account.lost, 1000)
        self.assertGreater(account.delivered, 1000)
        self.assertEqual(account.retired, account.delivered + account.lost + account.filtered)
        self.assertEqual(account.retired, entries("traps"))

    def test_a_second_run_gives_the_same_bytes(self):
        streams = []
        for _ in range(2):
            with Run(program("recursion"), "--stall", "100", "--seed", "3") as run:
                run.host.sendall(control_word(1, FLUSH_CYCLES, 0))
                run.start()
                streams.append(run.stream())
        self.assertEqual([len(s) > 100000 for s in streams], [True, True])


class Ends(unittest.TestCase):
    def message(self, name, *options):
        with Run(program(name), *options) as run:
            run.start()
            run.stream()
            return run.end()

    def test_the_program_s_exit_code_is_reported(self):
        code, _, err = self.message("failing")
        self.assertEqual(code, 0)
        self.assertRegex(err, r"program exited with 7 after \d+ cycles, \d+ instructions\n$")

    def test_tohost_ends_a_program(self):
        code, _, err = self.message("tohost")
        self.assertEqual(code, 0)
        self.assertIn("program exited with 5 after", err)

    def test_max_cycles_ends_a_program_that_would_go_on(self):
        with Run(program("sort"), "--max-cycles", "30000") as run:
            run.start()
            account = Account(run.stream())
            code, _, err = run.end()
        self.assertEqual(code, 1)
        self.assertIn("ended by --max-cycles", err)
        self.assertEqual(account.delivered, account.retired)

    def test_a_host_that_leaves_ends_the_board(self):
        for released in False, True:
            with self.subTest(released=released), Run(program("sort")) as run:
                if released:
                    run.start()
                    run.host.recv(1000)
                run.host.close()
                code, _, err = run.end()
                self.assertEqual(code, 0)
                self.assertIn("the host closed the link", err)

    def test_a_board_whose_core_is_held_uses_no_cpu(self):
        with Run(program("sort")) as run:
            run.host.sendall(control_word(1, CONTROL, ENABLE))
            self.assertTrue(select.select([run.host], [], [], 10)[0])
            time.sleep(0.5)
            stat = f"/proc/{run.process.pid}/stat"
            ticks = []
            for _ in range(2):
                with open(stat, encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                ticks.append(int(fields[11]) + int(fields[12]))
                time.sleep(1)
            self.assertLessEqual(ticks[1] - ticks[0], 5)
            self.assertIsNone(run.process.poll())

    def test_a_host_that_does_not_read_stops_the_board_without_loss(self):
        with Run(program("traps")) as run:
            run.start()
            time.sleep(1)
            account = Account(run.stream())
            self.assertEqual(account.lost, 0)
            self.assertEqual(run.end()[0], 0)


class Options(unittest.TestCase):
    def test_uart_output_goes_where_it_should(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "uart")
            for option, where in (None, 2), ("-", 1), (path, None):
                with self.subTest(option=option):
                    with Run(program("demo"), *(["--uart", option] if option else [])) as run:
                        run.start()
                        run.stream()
                        result = run.end()
                    if where is None:
                        with open(path, encoding="ascii") as file:
                            text = file.read()
                    else:
                        text = result[where]
                    self.assertIn("Hello from the core", text)

    def test_bad_options_are_refused(self):
        bad = [["--ram", "0"], ["--ram", "3G"], ["--ram", "4097"], ["--ram", "64Q"],
               ["--link", "-1"], ["--stall", "1000"], ["--fault", "cpu"], ["--fault", "alu:0"],
               ["--max-cycles", "x"], ["--nonsense"], ["--uart", "/nonexistent/file"],
               ["--listen", "/tmp/also"]]
        for options in bad:
            with self.subTest(options=options), Run(program("sort"), *options) as run:
                code, _, err = run.end()
                self.assertEqual(code, 2)
                self.assertIn(options[0].lstrip("-") if options[0] != "--uart" else options[1], err)

    def test_help_and_version(self):
        for option, text in ("--help", "Usage: earshot-board"), ("--version", "earshot-board "):
            result = subprocess.run([BOARD, option], capture_output=True, text=True, check=True)
            self.assertTrue(result.stdout.startswith(text))

    def test_a_host_can_connect_to_a_listening_board(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "board")
            process = subprocess.Popen([BOARD, program("software"), "--listen", path],
                                       stderr=subprocess.PIPE)
            host = socket.socket(socket.AF_UNIX)
            for _ in range(500):
                try:
                    host.connect(path)
                    break
                except OSError:
                    time.sleep(0.01)
            host.sendall(control_word(1, CONTROL, ENABLE) + control_word(2, CORE, 0))
            stream = b"".join(iter(lambda: host.recv(1 << 16), b""))
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(Account(stream).lost, 0)
            self.assertFalse(os.path.exists(path))
            host.close()

    def test_faults_change_the_run(self):
        for spec in "alu:3000", "store:50", "reg:2000":
            with self.subTest(spec=spec), Run(program("sort"), "--fault", spec, "--max-cycles",
                                              "4000000") as run:
                run.start()
                run.stream()
                _, _, err = run.end()
                self.assertNotIn("program exited with 0", err)


class BadPrograms(unittest.TestCase):
    """The ELF file is not trusted: each kind of damage is reported, with the file's name."""

    def refused(self, content, words):
        with tempfile.NamedTemporaryFile(suffix=".elf") as file:
            file.write(content)
            file.flush()
            with Run(file.name) as run:
                code, _, err = run.end()
        self.assertEqual(code, 2, err)
        self.assertIn(file.name, err)
        self.assertRegex(err, words)

    def setUp(self):
        with open(program("sort"), "rb") as file:
            self.elf = file.read()

    def patched(self, offset, form, value):
        elf = bytearray(self.elf)
        struct.pack_into(form, elf, offset, value)
        return bytes(elf)

    def test_header_fields(self):
        table = [(0, "<B", 0, "not an ELF"), (4, "<B", 2, "32-bit"), (5, "<B", 2, "little-endian"),
                 (16, "<H", 3, "fixed addresses"), (18, "<H", 62, "RISC-V"),
                 (24, "<I", 0x1000, "entry point"), (24, "<I", 0x80000001, "entry point"),
                 (28, "<I", 0xFFFFFFF0, "cut off"), (42, "<H", 56, "unknown size"),
                 (44, "<H", 0, "nothing to load")]
        for offset, form, value, words in table:
            with self.subTest(offset=offset, value=value):
                self.refused(self.patched(offset, form, value), words)

    def test_segment_fields(self):
        first = struct.unpack_from("<I", self.elf, 28)[0]
        table = [(4, 0xFFFFFFFF, "end of the file"), (12, 0x1000, "outside"),
                 (12, 0xFFFFFFF0, "outside"), (16, 0x7FFFFFFF, "larger in the file"),
                 (20, 0x7FFFFFFF, "outside")]
        for offset, value, words in table:
            with self.subTest(offset=offset, value=value):
                self.refused(self.patched(first + offset, "<I", value), words)

    def test_every_short_prefix_is_refused(self):
        for size in *range(0, 150, 7), 4096:
            with self.subTest(size=size):
                self.refused(self.elf[:size], ".")

    def test_damaged_symbols_do_no_harm(self):
        sections = struct.unpack_from("<I", self.elf, 32)[0]
        for value in 0xFFFFFFFF, 0x7FFFFFFF, len(self.elf) - 1:
            with tempfile.NamedTemporaryFile(suffix=".elf") as file:
                elf = bytearray(self.elf)
                for k in range(struct.unpack_from("<H", elf, 48)[0]):
                    struct.pack_into("<II", elf, sections + 40 * k + 16, value, value)
                file.write(elf)
                file.flush()
                with Run(file.name) as run:
                    run.start()
                    run.stream()
                    self.assertIn("exited with 0", run.end()[2])

    def test_a_missing_file_is_named(self):
        with Run("/nonexistent.elf") as run:
            code, _, err = run.end()
        self.assertEqual(code, 2)
        self.assertIn("/nonexistent.elf: No such file", err)

    def test_a_program_larger_than_memory_is_refused(self):
        with Run(program("sort"), "--ram", "8Ki") as run:
            code, _, err = run.end()
        self.assertEqual(code, 2)
        self.assertIn("outside the 8192 bytes of memory", err)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main(argv=sys.argv[:1])
