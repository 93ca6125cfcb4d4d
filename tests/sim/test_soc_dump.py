#!/usr/bin/env python3
"""The virtual board's option --dump: what the core and its memory hold behind chosen records.

    test_soc_dump.py EARSHOT_BOARD SOC_TRACE PROGRAM_DIR

What is dumped behind record N differs from what is dumped behind record N - 1 by exactly what the
retire port of another model of the core says that record N writes.
"""
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

BOARD, SOC_TRACE, PROGRAMS = sys.argv[1:4]

WRITE, CONTROL, CORE = 2, 0x20, 0x30
ENABLE, DROP = 1, 2
# What counts, or shows a line, changes without an instruction.
FREE_CSRS = {0x344, 0xB00, 0xB02, 0xB80, 0xB82, 0xC00, 0xC01, 0xC02, 0xC80, 0xC81, 0xC82}
CSRS = 113
FIRST = 4000  # records whose dumps are compared one by one


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


def run_board(elf, *options, control=ENABLE):
    """Let the program run to its end. Returns the exit code of the board and its errors."""
    host, board = socket.socketpair()
    process = subprocess.Popen([BOARD, elf, "--fd", str(board.fileno()), "--uart", "/dev/null", *options],
                               pass_fds=[board.fileno()], stderr=subprocess.PIPE)
    board.close()
    try:
        host.sendall(control_word(1, CONTROL, control) + control_word(2, CORE, 0))
        while host.recv(1 << 16):
            pass
    except OSError:
        pass  # the board has ended at once: its errors say why
    host.close()
    _, err = process.communicate(timeout=100)
    return process.returncode, err.decode()


class Moment:
    """What one "after" of the file changes."""

    def __init__(self, number):
        self.number = number
        self.fields, self.x, self.csrs, self.memory = {}, {}, {}, {}


def read_dump(path):
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    assert lines[0] == "# earshot-board dump 1", lines[0]
    moments = []
    for line in lines[1:-1]:
        key, *values = line.split()
        if key == "after":
            moments.append(Moment(int(values[0])))
        elif key == "x":
            moments[-1].x[int(values[0])] = int(values[1], 16)
        elif key == "c":
            moments[-1].csrs[int(values[0])] = int(values[1], 16)
        elif key == "m":
            moments[-1].memory[int(values[0], 16)] = bytes.fromhex(values[1])
        else:
            moments[-1].fields[key] = int(values[0], 0)
    return moments, lines[-1]


class Record:
    """A line of soc_trace --csv."""

    def __init__(self, line):
        columns = line.split(",")
        self.pc = int(columns[0], 16)
        self.opcode = int(columns[1], 16)
        self.x, self.csrs, self.store = {}, {}, None
        for change in filter(None, columns[2].split(";")):
            name, value = change.split("=")
            target = self.x if name[0] == "x" else self.csrs
            target[int(name[1:])] = int(value, 16)
        if "=" in columns[4]:
            self.store = int(columns[4].split("=")[0], 16)


def trace(name, count):
    process = subprocess.Popen([SOC_TRACE, "--csv", "--quiet", program(name)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    records = []
    for line in process.stdout:
        if re.match("[0-9a-f]+,", line):
            records.append(Record(line))
        if len(records) == count:
            break
    process.kill()
    process.communicate()
    return records


class Dumps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "dump")

    def dump(self, elf, moments, *options, **keywords):
        """The moments, and the last line."""
        names = os.path.join(self.folder, "moments")
        with open(names, "w", encoding="ascii") as file:
            file.write("\n".join(map(str, moments)))
        code, err = run_board(elf, "--dump", f"@{names}:{self.path}", *options, **keywords)
        self.assertEqual(code, 0, err)
        return read_dump(self.path)

    def check_step(self, record, before, after):
        """after lists the changes that record makes to the state `before`."""
        self.assertEqual(after.fields["pc"], record.pc)
        self.assertEqual(before.fields["next"], record.pc)
        self.assertEqual(after.x, {k: v for k, v in record.x.items() if before.x[k] != v})
        changed = {k: v for k, v in after.csrs.items() if k not in FREE_CSRS}
        wanted = {k: v for k, v in record.csrs.items() if before.csrs[k] != v and k not in FREE_CSRS}
        self.assertEqual(changed, wanted)
        number = record.opcode >> 20  # what an instruction reads of a CSR is what was dumped
        if record.opcode & 0x7F == 0x73 and record.opcode >> 12 & 3 and number not in FREE_CSRS and record.x:
            self.assertEqual(list(record.x.values()), [before.csrs[number]])
        if after.memory:
            self.assertEqual(list(after.memory), [record.store & ~63])

    def test_a_record_changes_what_it_writes_and_nothing_else(self):
        for name in "traps", "software", "sort":
            with self.subTest(program=name):
                records = trace(name, FIRST)
                moments, _ = self.dump(program(name), range(FIRST))
                self.assertEqual([moment.number for moment in moments], list(range(FIRST)))
                state = moments[0]
                self.assertEqual(sorted(state.x), list(range(1, 32)))
                self.assertEqual(len(state.csrs), CSRS)
                stores = 0
                for number in range(1, FIRST):
                    with self.subTest(record=number):
                        self.check_step(records[number], state, moments[number])
                    state.x.update(moments[number].x)
                    state.csrs.update(moments[number].csrs)
                    state.fields = moments[number].fields
                    stores += len(moments[number].memory)
                self.assertGreater(stores, 50)

    def test_the_first_moment_has_the_program_and_what_it_has_stored(self):
        with open(program("sort"), "rb") as file:
            elf = file.read()
        offset, _, address, size = struct.unpack_from("<4I", elf, struct.unpack_from("<I", elf, 28)[0] + 4)
        moments, _ = self.dump(program("sort"), [9000])
        memory = moments[0].memory
        code = elf[offset:offset + min(size, 1024)]
        for at in range(0, len(code) - 64, 64):
            self.assertEqual(memory.get(address + at, bytes(64)), code[at:at + 64])
        written = {record.store for record in trace("sort", 9001) if record.store}
        self.assertGreater(sum(any(memory.get(at & ~63, b"")) for at in written), len(written) // 2)

    def test_the_truth_is_the_same_whatever_is_captured(self):
        """Held by the unit, dropped by it, or with another unit: the program does not notice."""
        wanted = None
        for control, options in [(ENABLE, ()), (ENABLE, ("--unit", "raw", "--stall", "300")),
                                 (ENABLE | DROP, ("--unit", "small", "--link", "1M")),
                                 (0, ("--unit", "unified",))]:
            with self.subTest(options=options):
                self.dump(program("timer"), range(0, 60000, 611), *options, control=control)
                with open(self.path, encoding="ascii") as file:
                    text = file.read()
                wanted = wanted or text
                self.assertGreater(len(text), 50000)
                self.assertEqual(text, wanted)

    def test_moments_need_no_order_and_the_end_says_how_many_came(self):
        moments, end = self.dump(program("software"), [900, 3, 10 ** 12, 3, 12])
        self.assertEqual([moment.number for moment in moments], [3, 12, 900])
        self.assertEqual(end, "# end: 3 of 4 moments")

    def test_bad_lists_are_refused(self):
        for spec, words in (("", "LIST:FILE"), ("1,2", "LIST:FILE"), ("1:", "LIST:FILE"), (":f", "no number"),
                            ("1,x:f", "'x'"), ("-1:f", "'-1'"), ("1.5:f", "'1.5'"), ("99999999999999999999:f", "'9999"),
                            ("@/nowhere/list:f", "/nowhere/list: No such file"),
                            ("1:/nowhere/file", "/nowhere/file: No such file")):
            with self.subTest(spec=spec):
                code, err = run_board(program("software"), "--dump", spec)
                self.assertEqual(code, 2)
                self.assertIn("--dump", err)
                self.assertIn(words, err)

    def test_a_full_disk_is_an_error(self):
        code, err = run_board(program("software"), "--dump", "5:/dev/full")
        self.assertEqual(code, 2)
        self.assertIn("/dev/full: No space left", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
