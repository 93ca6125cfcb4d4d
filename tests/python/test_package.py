#!/usr/bin/env python3
"""The package earshot against the command's own output and against known answers."""
import array
import errno
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import threading
import unittest
from pathlib import Path

import earshot
from earshot import (CheckRule, Completeness, Kind, MemoryErrorKind, Query, RegisterClass, ValueEnd, WhyKind,
                     WhyRole)
from support import FOLDER, NIGHT, answers, capture, children, decoded

try:
    import numpy
except ImportError:
    numpy = None


def as_command(record):
    """What the command prints of a record, as far as the two have the same."""
    made = {"kind": record.kind.name.lower(), "hart": record.hart, "index": record.index,
            "offset": record.offset}
    if not record.is_instruction:
        return made
    made |= {"xlen": record.xlen, "pc": hex(record.pc), "opcode": hex(record.opcode),
             "opcode_size": record.opcode_size, "privilege": record.privilege.name.lower(),
             "next_pc": hex(record.next_pc)}
    if record.registers:
        made["registers"] = [{"class": r.reg_class.name.lower(), "number": r.number,
                              "value": hex(r.value)} for r in record.registers]
    if record.accesses:
        made["memory"] = [{"write": a.write, "address": hex(a.address), "size": a.size,
                           "value": hex(a.value)} for a in record.accesses]
    return made


class Records(unittest.TestCase):
    def test_records_are_those_of_decode_in_every_workload(self):
        for workload in ("interpreter", "stream", "calls", "table") if NIGHT else ("interpreter",):
            expected = decoded(workload)
            with earshot.open(capture(workload)) as trace:
                records = list(trace)
            self.assertEqual(len(records), len(expected))
            number = 0
            for position, (record, line) in enumerate(zip(records, expected)):
                if NIGHT or position % 4 == 0 or not record.is_instruction:
                    made = as_command(record)
                    self.assertEqual(made, {key: line.get(key) for key in made}, f"at {position}")
                self.assertEqual((record.position, record.number), (position, number))
                self.assertEqual(record.trap or record.interrupt, record.cause is not None)
                self.assertEqual(record.interrupt, bool(line.get("interrupt")))
                number += record.is_instruction

    def test_short_properties_agree_with_the_lists(self):
        with earshot.open(capture("table")) as trace:
            for record in trace:
                x = [r for r in record.registers if r.reg_class == RegisterClass.X]
                self.assertEqual((record.rd, record.rd_value),
                                 (x[0].number, x[0].value) if x else (0, 0))
                access = record.accesses[0] if record.accesses else None
                self.assertEqual(record.address, access.address if access else None)
                self.assertEqual(record.data, access.value if access else None)
                self.assertEqual(record.is_write, access.write if access else False)

    def test_logs_of_ones_own_are_opened_with_their_patterns(self):
        folder = Path(__file__).parent.parent / "data/pattern"
        for name, patterns in [("vexriscv", "PC {pc} : reg[{n}] = {v}"),
                               ("rvfi", (folder / "rvfi.pattern").read_text().splitlines())]:
            with earshot.open(folder / name, pattern=patterns, index="none") as trace:
                records = [record for record in trace if record.is_instruction]
                self.assertEqual((trace.facts.format, len(records) > 2), ("pattern", True))
                self.assertEqual(records[0].rd, 5)
        with self.assertRaisesRegex(earshot.Error, "column 1: there is no field 'nothing'"):
            earshot.open(folder / "rvfi", pattern="{nothing}")

    def test_captures_opened_with_reads_have_what_was_read(self):
        x, checked = [0] * 32, 0
        with earshot.open(capture("calls"), reads=True) as trace:
            for record in trace:
                for read in record.reads:
                    if read.number and record.position > 10000:
                        self.assertEqual(read.value, x[read.number], record)
                        checked += 1
                if record.rd:
                    x[record.rd] = record.rd_value
        self.assertGreater(checked, 50000)

    def test_records_stay_valid_and_have_a_text(self):
        with earshot.open(capture("calls")) as trace:
            first, second = next(trace), next(trace)
            for _ in itertools.islice(trace, 5000):
                pass
        self.assertEqual((first.position, second.position), (0, 1))
        self.assertIn(hex(first.pc), repr(first))

    def test_the_position_is_that_of_the_next_record_at_every_step(self):
        with earshot.open(capture("interpreter")) as trace:
            for expected in range(3000):
                self.assertEqual(trace.position, expected)
                record = next(trace)
                self.assertEqual(record.position, expected)
                self.assertEqual(trace.number, record.number + record.is_instruction)

    def test_a_seek_during_a_loop_goes_on_there(self):
        with earshot.open(capture("interpreter")) as trace:
            seen = []
            for record in trace:
                seen.append(record.position)
                if len(seen) == 10:
                    trace.seek(40000)
                if len(seen) == 20:
                    break
            self.assertEqual(seen, [*range(10), *range(40000, 40010)])
            self.assertEqual(next(trace).position, 40010)

    def test_places_by_number_time_and_event(self):
        events = answers("calls")["events"]
        with earshot.open(capture("calls")) as trace:
            self.assertTrue(trace.seek_number(30000))
            self.assertEqual(trace.number, 30000)
            record = next(trace)
            self.assertEqual((record.number, record.is_instruction), (30000, True))
            self.assertTrue(trace.seek_event("port", 1000))
            record = next(trace)
            self.assertEqual(record.kind, Kind.EVENT)
            self.assertIn(record.number, events)
            self.assertEqual(record.event.source, 3)
            self.assertTrue(trace.seek_time(20000))
            self.assertGreaterEqual(next(trace).ticks, 20000)
            self.assertFalse(trace.seek(10**9))
            self.assertEqual(list(trace), [])
            self.assertEqual(trace.record_at(7).position, 7)
            with self.assertRaises(IndexError):
                trace.record_at(10**9)


class ColumnsTest(unittest.TestCase):
    def test_columns_are_the_members_of_the_records(self):
        with earshot.open(capture("calls")) as trace:
            records = list(trace)
            trace.seek(0)
            rows = 0
            for columns in trace.columns(rows=1000):
                self.assertEqual(set(columns), set(earshot.column_names()))
                for i in range(columns.rows):
                    record = records[rows + i]
                    self.assertEqual(columns["position"][i], record.position)
                    self.assertEqual(columns["number"][i], record.number)
                    self.assertEqual(columns["kind"][i], record.kind)
                    self.assertEqual(columns["pc"][i], record.pc)
                    self.assertEqual(columns["rd"][i], record.rd)
                    self.assertEqual(columns["rd_value"][i], record.rd_value)
                    self.assertEqual(columns["address"][i], record.address or 0)
                    self.assertEqual(columns["data"][i], record.data or 0)
                    self.assertEqual(columns["is_write"][i], record.is_write)
                rows += columns.rows
        self.assertEqual(rows, len(records))

    def test_columns_begin_where_a_loop_was_left(self):
        with earshot.open(capture("interpreter")) as trace:
            for record in trace:
                if record.position == 1234:
                    break
            columns = next(trace.columns(["position"], rows=10))
        self.assertEqual(columns["position"].tolist(), list(range(1235, 1245)))

    def test_kinds_choose_rows(self):
        with earshot.open(capture("calls")) as trace:
            found = [number for columns in trace.columns(["number"], kinds=Kind.EVENT)
                     for number in columns["number"]]
        self.assertEqual(found, answers("calls")["events"])

    def test_arrays_of_the_caller(self):
        pcs, kinds = array.array("Q", bytes(8 * 5000)), bytearray(5000)
        with earshot.open(capture("stream")) as trace:
            count = trace.read_into({"pc": pcs, "kind": kinds})
            trace.seek(0)
            self.assertEqual(pcs.tolist(), [r.pc for r in itertools.islice(trace, count)])
            self.assertEqual(count, 5000)
            with self.assertRaisesRegex(ValueError, "length"):
                trace.read_into({"pc": pcs, "kind": bytearray(4999)})
            with self.assertRaisesRegex(ValueError, "no column 'pcs'; there are position"):
                trace.read_into({"pcs": pcs})
            with self.assertRaises((TypeError, BufferError)):
                trace.read_into({"kind": bytes(10)})

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_numpy_takes_columns_without_a_copy(self):
        with earshot.open(capture("stream")) as trace:
            columns = next(trace.columns(["pc", "rd"]))
        pcs = numpy.asarray(columns["pc"])
        self.assertEqual((pcs.dtype, len(pcs)), (numpy.uint64, columns.rows))
        self.assertEqual(numpy.asarray(columns["rd"]).dtype, numpy.uint8)
        columns["pc"][3] = 12345
        self.assertEqual(pcs[3], 12345)


class Search(unittest.TestCase):
    """Every query against a plain look at all records."""

    @classmethod
    def setUpClass(cls):
        cls.trace = earshot.open(capture("table"))
        cls.records = list(cls.trace)
        cls.counter = next(r.address for r in cls.records[2000:] if r.is_write)

    @classmethod
    def tearDownClass(cls):
        cls.trace.close()

    def check(self, query, matches, least=1):
        expected = [r.position for r in self.records if matches(r)]
        self.assertGreaterEqual(len(expected), least)
        self.assertEqual([r.position for r in self.trace.find_all(query)], expected)
        self.assertEqual(self.trace.count(query), len(expected))
        for start in (0, expected[0], expected[0] + 1, 30000, len(self.records)):
            after = [p for p in expected if p >= start]
            before = [p for p in expected if p < start]
            self.assertEqual(self.trace.find(query, start), after[0] if after else None)
            self.assertEqual(self.trace.find_before(query, start), before[-1] if before else None)
        self.assertEqual(self.trace.find_before(query), expected[-1])

    def test_pcs(self):
        pc = self.records[20000].pc
        self.check(Query(pc=pc), lambda r: r.is_instruction and r.pc == pc, 1025)
        self.check(Query(pc=range(pc, pc + 8)),
                   lambda r: r.is_instruction and pc <= r.pc < pc + 8)
        self.check(Query(pc=[0x80000000, range(pc, pc + 2)]),
                   lambda r: r.is_instruction and r.pc in (0x80000000, pc))

    def test_accesses(self):
        a = self.counter
        self.check(Query(write=a), lambda r: any(
            x.write and x.address <= a < x.address + x.size for x in r.accesses))
        self.check(Query(read=range(a, a + 64)), lambda r: any(
            not x.write and x.address < a + 64 and x.address + x.size > a for x in r.accesses))
        self.check(Query(access=True), lambda r: bool(r.accesses))

    def test_registers_opcodes_traps_and_events(self):
        value, rd = next((r.rd_value, r.rd) for r in self.records[25000:] if r.rd)
        self.check(Query(register=(RegisterClass.X, rd), value=value),
                   lambda r: (r.rd, r.rd_value) == (rd, value) and rd != 0)
        self.check(Query(register="mscratch"), lambda r: any(
            x.reg_class == RegisterClass.CSR and x.number == 0x340 for x in r.registers))
        opcode = self.records[25000].opcode
        self.check(Query(opcode=opcode), lambda r: r.opcode == opcode)
        self.check(Query(opcode=(0x73, 0x7F)), lambda r: r.opcode and r.opcode & 0x7F == 0x73)
        self.check(Query(interrupt=True), lambda r: r.interrupt)
        self.check(Query(trap=True, interrupt=True), lambda r: r.trap or r.interrupt)
        self.check(Query(event=True), lambda r: r.kind == Kind.EVENT)
        self.check(Query(event="port", event_value=3),
                   lambda r: r.kind == Kind.EVENT and r.event.value == 3)

    def test_queries_that_cannot_be(self):
        for wrong in ({"read": 1, "write": 2}, {"value": 3}, {"register": "x99"}, {"pc": []},
                      {"pc": range(8, 0)}):
            with self.assertRaises(ValueError, msg=wrong):
                Query(**wrong)

    def test_a_gap_and_a_privilege_that_are_not_there(self):
        self.assertIsNone(self.trace.find(Query(gap=True)))
        self.assertIsNone(self.trace.find(Query(privilege=earshot.Privilege.U)))
        self.assertEqual(self.trace.count(Query(privilege=earshot.Privilege.M)),
                         answers("table")["records"])


class Moments(unittest.TestCase):
    def check_sample(self, trace, sample):
        number = sample["number"]
        with trace.moment_after(number) as moment:
            self.assertEqual(moment.number, number + 1)
            self.assertEqual(moment.position, sample["position"] + 1)
            self.assertEqual(moment.pc(), int(sample["record"]["pc"], 16))
            self.assertEqual(moment.next_pc(), int(sample["record"]["next_pc"], 16))
            self.assertEqual(moment.record.number, number)
            known = moment.registers()
            for register in sample["x_written"]:
                self.assertIn(earshot.register_name(RegisterClass.X, register), known)
            for i, value in enumerate(sample["x"]):
                self.assertIn(moment.register((RegisterClass.X, i)), (None, int(value, 16)))
            said = sample["memory"]
            base, values, seen = (int(said["address"], 16), bytes.fromhex(said["bytes"]),
                                  bytes.fromhex(said["seen"]))
            memory = moment.memory(base, len(values))
            for i, value in enumerate(values):
                if seen[i // 8] >> i % 8 & 1:
                    self.assertEqual(memory.known[i], earshot.Byte.TRACE, hex(base + i))
                if memory.known[i]:
                    self.assertEqual(memory.data[i], value, hex(base + i))
            frames = [f for f in moment.stack() if f.kind != earshot.FrameKind.BASE]
            self.assertEqual([f.return_pc for f in frames][:len(sample["stack"])],
                             [int(f["return"], 16) for f in sample["stack"]])
            self.assertEqual(len(frames), sample["depth"])

    def test_moments_are_as_it_was(self):
        for workload in ("interpreter", "stream", "calls", "table"):
            with earshot.open(capture(workload)) as trace:
                for sample in answers(workload)["samples"]:
                    with self.subTest(workload=workload, number=sample["number"]):
                        self.check_sample(trace, sample)

    def test_a_moment_moves_and_ends_with_its_trace(self):
        trace = earshot.open(capture("calls"))
        moment = trace.moment(100)
        moment.move(200)
        self.assertEqual(moment.position, 200)
        self.assertIsNone(moment.memory(0x90000000, 8).integer(0x90000000, 8))
        trace.close()
        trace.close()
        with self.assertRaisesRegex(ValueError, "moment is closed"):
            moment.pc()
        with self.assertRaisesRegex(ValueError, "trace is closed"):
            next(trace)

    def test_an_image_fills_what_the_run_has_not_touched(self):
        elf = capture("table").with_suffix(".elf")
        with earshot.open(capture("table")) as trace, earshot.Names(elf) as names:
            trace.set_program(names)
            with trace.moment(3000) as moment:
                seed = names.address("_start").first
                memory = moment.memory(seed, 4)
        self.assertEqual(set(memory.known), {earshot.Byte.IMAGE})
        self.assertEqual(memory.integer(seed, 4) & 0x7F, 0x6F)

    def test_last_writers(self):
        with earshot.open(capture("calls")) as trace:
            for sample in answers("calls")["samples"]:
                for word in sample["words"]:
                    address = int(word["address"], 16)
                    found = trace.last_write(range(address, address + word["size"]),
                                             sample["position"] + 1)
                    number = None if found is None else trace.record_at(found).number
                    self.assertEqual(number, word["last_write"], hex(address))


class NamesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = earshot.Names(capture("calls").with_suffix(".elf"))

    @classmethod
    def tearDownClass(cls):
        cls.names.close()

    def test_symbols_and_texts(self):
        names, rare = self.names, int(answers("calls")["rare"]["pc"], 16)
        symbol, offset = names.symbol_at(rare + 2)
        self.assertEqual((symbol.name, offset, symbol.address), ("rare", 2, rare))
        self.assertEqual(names.text(rare + 2), "rare+0x2")
        self.assertEqual([s.address for s in names.symbols("rare")], [rare])
        self.assertIn("walk", [s.name for s in names.symbols()])
        self.assertEqual(names.function_at(rare).name, "rare")
        self.assertIsNone(names.symbol_at(0x1000))
        self.assertEqual(names.text(0x1000), "")

    def test_addresses(self):
        address = self.names.address("seldom")
        self.assertEqual(address.ranges, (range(0x80010008, 0x80010010),))
        self.assertEqual(self.names.address("seldom+4").first, 0x8001000C)
        self.assertEqual(earshot.parse_address("0x10:8").ranges, (range(16, 24),))
        with self.assertRaisesRegex(earshot.ArgumentError, "seldon"):
            self.names.address("seldon")
        with earshot.open(capture("calls")) as trace, earshot.Names() as own:
            self.assertEqual(trace.add_program(own), 0)
            self.assertEqual(own.address("seldom"), address)
            writes = [r.number for r in trace.find_all(Query(write=address))]
        self.assertEqual(writes, answers("calls")["seldom"]["writes"])

    def test_a_file_that_is_no_program(self):
        path = FOLDER / "not-an-elf"
        path.write_text("hello")
        with self.assertRaisesRegex(earshot.FileError, "not-an-elf"):
            self.names.add(path)


def segments(path):
    """What an ELF file of 32 bit loads: (virtual, physical, bytes of the file, writable)."""
    data = path.read_bytes()
    table, = struct.unpack_from("<I", data, 28)
    size, count = struct.unpack_from("<HH", data, 42)
    for i in range(count):
        kind, at, virtual, physical, length, _, flags = struct.unpack_from(
            "<7I", data, table + i * size)
        if kind == 1:
            yield virtual, physical, data[at:at + length], bool(flags & 2)


class Program(unittest.TestCase):
    """The program of a trace: one that a compiler made."""
    ELF = Path(os.environ["EARSHOT_PROGRAMS"]) / "plain.elf"

    def setUp(self):
        self.names = earshot.Names(self.ELF)
        self.addCleanup(self.names.close)
        self.box = self.names.address("box").ranges[0]

    def trace(self, *lines):
        path = FOLDER / f"{self.id().rsplit('.', 1)[1]}.log"
        path.write_text("".join(f"core   0: 3 {line}\n" for line in lines))
        trace = earshot.open(path)
        self.addCleanup(trace.close)
        return trace

    def test_memory_is_as_in_the_file_until_it_is_written(self):
        first = self.box.start
        trace = self.trace("0x80000000 (0x00000013)",
                           f"0x80000004 (0x00b52023) mem {first:#010x} 0x11223344",
                           "0x80000008 (0x00000013)")
        trace.set_program(self.names)
        checked = 0
        with trace.moment(1) as moment:
            for virtual, physical, data, _ in segments(self.ELF):
                self.assertEqual(virtual, physical)
                found = moment.memory(virtual, len(data))
                self.assertEqual(found.data, data)
                self.assertEqual(set(found.known), {earshot.Byte.IMAGE})
                checked += len(data)
            self.assertEqual(moment.memory(first, 4).integer(first, 4), 3)
        self.assertGreater(checked, 500)
        with trace.moment(2) as moment:
            found = moment.memory(first, 8)
            self.assertEqual(found.data[:4], bytes.fromhex("44332211"))
            self.assertEqual(list(found.known), [earshot.Byte.TRACE] * 4 + [earshot.Byte.IMAGE] * 4)
            self.assertEqual(self.names.variable("box.count", moment).text, str(0x11223344))
            self.assertEqual(self.names.variable("box.delta", moment).text, "-3")

    def test_an_address_through_a_register(self):
        trace = self.trace("0x80000000 (0x80002137) x2  0x80002000")
        with trace.moment(1) as moment:
            for found in (self.names.address("sp+16:32", moment),
                          earshot.parse_address("$x2+16:32", None, moment)):
                self.assertEqual(found.kind, earshot.AddressKind.REGISTER)
                self.assertEqual(found.ranges, (range(0x80002010, 0x80002030),))
            with self.assertRaisesRegex(earshot.ArgumentError, "'a0': what this register holds"):
                self.names.address("a0:4", moment)
        with self.assertRaisesRegex(earshot.ArgumentError, "'sp' is neither a number nor"):
            earshot.parse_address("sp")

    def test_what_the_file_has_no_bytes_of_is_unknown(self):
        trace = self.trace("0x80000000 (0x00000013)")
        trace.set_program(self.names)
        bss = self.names.address("main_buffer").ranges[0]
        with trace.moment(0) as moment:
            self.assertEqual(set(moment.memory(bss.start, len(bss)).known), {earshot.Byte.UNKNOWN})

    def test_a_program_that_was_loaded_elsewhere(self):
        self.names.add(self.ELF, 0x100000)
        trace = self.trace("0x80000000 (0x00000013)")
        trace.set_program(self.names)
        with trace.moment(0) as moment:
            here = moment.memory(self.box.start, len(self.box))
            there = moment.memory(self.box.start + 0x100000, len(self.box))
            self.assertTrue(here.all_known)
            self.assertEqual(here.data, there.data)

    def test_the_program_is_given_before_memory_is_asked_for(self):
        trace = self.trace("0x80000000 (0x00000013)")
        with trace.moment(0) as moment:
            moment.memory(self.box.start, 4)
        with self.assertRaisesRegex(earshot.ArgumentError, "before memory"):
            trace.set_program(self.names)

    def test_the_program_that_a_capture_names_is_checked(self):
        kept = capture("calls", 1000)
        elf = kept.with_suffix(".elf")
        original = elf.read_bytes()
        with earshot.open(kept) as trace:
            with earshot.Names() as names:
                self.assertEqual(trace.add_program(names), 0)
                trace.set_program(names)
                with trace.moment(0) as moment:
                    pc = next(trace).pc
                    self.assertTrue(moment.memory(pc, 4).all_known)
            with earshot.Names() as names:
                elf.write_bytes(original + b"!")
                with self.assertRaises(earshot.FileError):
                    names.add(__file__)  # what is wrong with it is not said of the program
                with self.assertRaisesRegex(earshot.FileError, "not the program of the trace any"):
                    trace.add_program(names)
                elf.unlink()
                with self.assertRaises(OSError):
                    trace.add_program(names)
                elf.write_bytes(original)
                self.assertEqual(trace.add_program(names), 0)

    def test_a_text_names_no_program(self):
        with self.assertRaisesRegex(earshot.Unsupported, "does not name its program"):
            self.trace("0x80000000 (0x00000013)").add_program(self.names)


class BranchTraces(unittest.TestCase):
    """Three instructions at 0x80000000, and their N-Trace: a synchronisation, six half-words, the end."""
    TRACE = bytes.fromhex("ff240d00000000000784501907")

    def test_a_branch_trace_is_read_with_its_program(self):
        elf, trace = FOLDER / "branch.elf", FOLDER / "branch.bin"
        header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 243, 1, 0x80000000, 52, 0, 0, 52, 32, 1, 0, 0, 0)
        header += struct.pack("<8I", 1, 84, 0x80000000, 0x80000000, 12, 12, 5, 4)
        elf.write_bytes(header + struct.pack("<3I", 0x13, 0x13, 0x13))
        code = earshot.Names(elf).code()
        for data, kind in ((self.TRACE, Completeness.UNKNOWN), (self.TRACE[:-1], Completeness.DAMAGED)):
            trace.write_bytes(data)
            with earshot.open(trace, format="ntrace", code=code) as opened:
                if kind == Completeness.UNKNOWN:
                    self.assertEqual([record.pc for record in opened if record.kind == Kind.INSTRUCTION],
                                     [0x80000000, 0x80000004, 0x80000008])
                self.assertEqual(opened.verdict().kind, kind)
        elf.write_bytes(header[:52])
        with self.assertRaises(earshot.Error):
            earshot.Names(elf).code()


class Inferred(unittest.TestCase):
    def test_values_that_follow_are_apart_and_moments_say_which_they_are(self):
        log = FOLDER / "inferred.log"
        log.write_text("core   0: 0x80000000 (0x00000297) auipc   t0, 0x0\n"
                       "core   0: 0x80000004 (0x0052a023) sw      t0, 0(t0)\n"
                       "core   0: 0x80000008 (0x0002a503) lw      a0, 0(t0)\n")
        with earshot.open(log, xlen=32) as trace:
            trace.infer(ram=range(0x80000000, 0x80001000))
            records = list(trace)
            self.assertEqual([record.rd for record in records], [0, 0, 0])
            self.assertEqual([[write.value for write in record.inferred_registers] for record in records],
                             [[0x80000000], [], [0x80000000]])
            self.assertEqual([(access.write, access.address, access.value)
                              for record in records for access in record.inferred_accesses],
                             [(True, 0x80000000, 0x80000000), (False, 0x80000000, 0x80000000)])
            with trace.moment(3) as moment:
                self.assertEqual(moment.register("a0"), 0x80000000)
                self.assertTrue(moment.inferred("a0"))
                self.assertFalse(moment.inferred("a1"))
                self.assertEqual(set(moment.memory(0x80000000, 4).known), {earshot.Byte.INFERRED})
        with earshot.open(log, xlen=32) as trace, self.assertRaises(earshot.Error):
            trace.infer(core=log)


class WrongQueries(unittest.TestCase):
    def test_a_name_is_no_address(self):
        for wrong in ("main", ["main"], [range(4), "main"]):
            with self.assertRaisesRegex(TypeError, "'main' is a name"):
                Query(pc=wrong)

    def test_ranges_that_are_none(self):
        for wrong in (range(4, 4), range(8, 4), range(0, 8, 2)):
            with self.assertRaisesRegex(ValueError, "step of 1"):
                Query(write=wrong)


class InstructionsTest(unittest.TestCase):
    def test_what_opcodes_are(self):
        instructions = earshot.Instructions("rv32imac")
        addi = instructions.decode(0x00150513, 32)
        self.assertEqual((addi.mnemonic, addi.size), ("addi", 4))
        self.assertEqual([(o.number, o.is_written) for o in addi.operands[:2]],
                         [(10, True), (10, False)])
        self.assertEqual(addi.operands[2].immediate, 1)
        self.assertEqual(instructions.decode(0xFFFFFFFF, 32).instruction_class,
                         earshot.InstructionClass.ILLEGAL)
        with self.assertRaises(earshot.ArgumentError):
            earshot.Instructions("rv99")

    def test_records_have_a_text(self):
        instructions = earshot.Instructions()
        with earshot.open(capture("calls")) as trace:
            record = next(trace)
            self.assertTrue(instructions.text(record).startswith("j"))
            self.assertTrue(instructions.of(record).flags is not None)
            for record in itertools.islice(trace, 3000):
                self.assertEqual(bool(instructions.text(record)), record.is_instruction)


class Errors(unittest.TestCase):
    def test_files_that_cannot_be_opened(self):
        with self.assertRaises(OSError) as caught:
            earshot.open(FOLDER / "nothing")
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertIn("nothing", str(caught.exception))
        path = FOLDER / "noise"
        path.write_bytes(b"no trace of any format\n" * 100)
        with self.assertRaises(earshot.Error):
            earshot.open(path)
        with self.assertRaises(earshot.ArgumentError):
            earshot.open(capture("calls"), format="no such format")
        with self.assertRaisesRegex(ValueError, "auto"):
            earshot.open(capture("calls"), index="sometimes")
        with self.assertRaisesRegex(ValueError, "null byte"):
            earshot.open(f"{capture('calls')}\0")

    def test_a_report_ends_the_reading_and_its_exceptions_arrive(self):
        path = FOLDER / "bad.log"
        path.write_text("".join(
            f"core   0: 3 {0x80000000 + 4 * i:#010x} (0x00000013)\n" + "no line of a log\n" * (i == 7)
            for i in range(20)))

        def fail(*_):
            raise RuntimeError("from report")

        for report, error in ((fail, RuntimeError), (lambda *_: True, earshot.Cancelled)):
            with earshot.open(path, report=report) as trace:
                found = []
                with self.assertRaises(error):
                    for record in trace:
                        found.append(record.pc)
                self.assertLessEqual(len(found), 8)
                found += [record.pc for record in trace]
                self.assertEqual(found, [0x80000000 + 4 * i for i in range(20)])
        with earshot.open(path, report=lambda *_: None) as trace:
            self.assertEqual(len(list(trace)), 20)

    def test_where_lines_are_bad(self):
        path = FOLDER / "few-bad.log"
        path.write_text("".join(f"core   0: 3 {0x80000000 + 4 * i:#010x} (0x00000013)\n"
                                for i in range(20)))
        with earshot.open(path, index="none") as trace:
            self.assertEqual(trace.find_report(7), 7)
            self.assertEqual(trace.checkpoint_before(7), 7)
        with earshot.open(path) as trace:
            self.assertTrue(trace.index())
            self.assertIsNone(trace.find_report())
            self.assertEqual(trace.checkpoint_before(7), 0)

    def test_facts(self):
        with earshot.open(capture("calls")) as trace:
            self.assertEqual((trace.facts.format, trace.facts.seekable), ("shot", True))
            self.assertEqual(trace.facts.program, str(capture("calls").with_suffix(".elf")))
            self.assertEqual(trace.fact("workload"), "calls")
            self.assertIsNone(trace.fact("nothing"))
            self.assertTrue(trace.carries("interrupt"))
            self.assertRaises(ValueError, trace.carries, "nothing")
            counts, verdict = trace.counts(), trace.verdict()
        self.assertEqual(counts.instructions, answers("calls")["records"])
        self.assertEqual(counts.events, len(answers("calls")["events"]))
        self.assertTrue(verdict.complete)
        self.assertEqual((verdict.missing, verdict.harts), (0, (0,)))

    def test_the_verdict_is_that_of_info(self):
        whole, text = capture("calls"), FOLDER / "verdict.csv"
        subprocess.run([os.environ["EARSHOT_BIN"], "decode", "-q", "-f", "whisper", "-o", text, whole],
                       check=True)
        lines = text.read_bytes()
        cut, bad = FOLDER / "cut.shot", FOLDER / "bad.csv"
        cut.write_bytes(whole.read_bytes()[:whole.stat().st_size // 2])
        bad.write_bytes(lines[:5000] + b"nonsense\n" + lines[5000:])
        kind = earshot.Completeness
        for path, expected in ((whole, kind.WHOLE), (text, kind.UNKNOWN), (cut, kind.DAMAGED), (bad, kind.DAMAGED)):
            with self.subTest(path.name), earshot.open(path) as trace:
                verdict = trace.verdict()
                self.assertEqual(verdict.kind, expected)
                out = subprocess.run([os.environ["EARSHOT_BIN"], "info", path], capture_output=True, text=True,
                                     check=False).stdout
                self.assertEqual("complete: no" in out, not verdict.complete)
                records = list(trace)
                if records:  # else not even a place is left for a gap
                    self.assertEqual(any(record.gap for record in records), expected is kind.DAMAGED)

    def test_texts_are_traces(self):
        text = FOLDER / "calls.csv"
        subprocess.run([os.environ["EARSHOT_BIN"], "decode", "-q", "-f", "whisper", "-o", text,
                        capture("calls")], check=True)
        with earshot.open(capture("calls")) as shot, earshot.open(text) as csv:
            self.assertEqual(csv.facts.format, "whisper")
            shots = (r for r in shot if r.is_instruction)
            lines = (r for r in csv if r.is_instruction)
            for a, b in itertools.zip_longest(shots, lines):
                self.assertEqual((a.pc, a.opcode, a.registers, a.address, a.is_write, a.trap),
                                 (b.pc, b.opcode, b.registers, b.address, b.is_write, b.trap))
            csv.seek(100)
            record = next(csv)
            self.assertEqual((record.position, record.line > 100), (100, True))


class Checks(unittest.TestCase):
    def test_a_good_trace_has_no_violation(self):
        with earshot.open(capture("calls"), reads=True) as trace:
            result = trace.check()
            self.assertEqual(next(trace).position, 0)
        self.assertEqual((result.violations, result.violation_count), ([], 0))
        self.assertEqual(result.instructions, answers("calls")["records"])
        for rule in (CheckRule.FLOW, CheckRule.RESULT, CheckRule.OPERAND, CheckRule.LOADED):
            self.assertGreater(result.rules[rule].checked, 1000)

    def test_violations_are_found_and_counted(self):
        text = FOLDER / "wrong.csv"
        subprocess.run([os.environ["EARSHOT_BIN"], "decode", "-q", "-f", "whisper", "--limit", "2000", "-o", text,
                        capture("calls")], check=True)
        lines = text.read_text(encoding="ascii").splitlines(True)
        wrong = [index for index, line in enumerate(lines) if index > 1000 and ",addi " in line and "=" in line][:3]
        for index in wrong:
            lines[index] = re.sub(r"x(\d+)=(\w+)", lambda m: f"x{m[1]}={int(m[2], 16) ^ 1:x}", lines[index], count=1)
        text.write_text("".join(lines), encoding="ascii")
        with earshot.open(text) as trace:
            result = trace.check(most=1)
            other = trace.check([CheckRule.LOADED, CheckRule.ORDER])
        self.assertGreaterEqual(result.violation_count, 3)
        violation, = result.violations
        number = sum(not line.startswith(("#", "pc,")) for line in lines[:wrong[0]])
        self.assertEqual((violation.rule, violation.record.number), (CheckRule.RESULT, number))
        self.assertEqual(violation.expected ^ violation.actual, 1)
        self.assertIn("addi", violation.text)
        self.assertEqual(other.violations, [])
        self.assertEqual(other.rules[CheckRule.RESULT], result.rules[CheckRule.RESULT])

    def test_what_is_assumed_is_checked(self):
        text = FOLDER / "one.jsonl"
        text.write_text('{"kind":"instruction","xlen":32,"pc":"0x80000000","opcode":"0x00028313","opcode_size":4,'
                        '"next_pc":"0x80000004","registers":[{"class":"x","number":6,"value":"0x7"}]}\n',
                        encoding="ascii")
        with earshot.open(text) as trace:
            for options, checked, violations in (({}, 0, 0), ({"reset": True}, 0, 0), ({"assumed": {"t0": 7}}, 1, 0),
                                                 ({"assumed": {"x5": 6, "mtvec": 0}, "reset": True}, 1, 1)):
                result = trace.check(**options)
                self.assertEqual(result.rules[CheckRule.RESULT].checked, checked)
                self.assertEqual(result.violation_count, violations)


class Causes(unittest.TestCase):
    """A loop that waits for a word to change, in a text."""

    @classmethod
    def setUpClass(cls):
        cls.text = FOLDER / "hang.json"
        records = [(0x80000000, 0x00500293, {"registers": [(5, 5)]}),               # li t0, 5
                   (0x80000004, 0x00532023, {"memory": [(True, 0x80001000, 5)]})]   # sw t0, (t1)
        for _ in range(20):
            records.append((0x80000008, 0x00032383, {"registers": [(7, 5)],         # lw t2, (t1)
                                                     "memory": [(False, 0x80001000, 5)]}))
            records.append((0x8000000c, 0xfe728ee3, {"reads": [(5, 5), (7, 5)],     # beq t0, t2, . - 4
                                                     "next_pc": 0x80000008, "taken": True}))
        with open(cls.text, "w", encoding="ascii") as text:
            for index, (pc, opcode, more) in enumerate(records):
                line = {"kind": "instruction", "schema": 2, "hart": 0, "index": index, "isa": "riscv", "xlen": 32,
                        "pc": hex(pc), "opcode": hex(opcode), "opcode_size": 4, "privilege": "m",
                        "next_pc": hex(more.get("next_pc", pc + 4))}
                for name in ("registers", "reads"):
                    if name in more:
                        line[name] = [{"class": "x", "number": number, "value": hex(value)}
                                      for number, value in more[name]]
                if "memory" in more:
                    line["memory"] = [{"write": write, "address": hex(address), "size": 4, "value": hex(value)}
                                      for write, address, value in more["memory"]]
                if "taken" in more:
                    line["taken"] = True
                text.write(json.dumps(line) + "\n")

    def test_a_hang_and_its_operands(self):
        with earshot.open(self.text) as trace:
            next(trace)
            why = trace.why()
            self.assertEqual(next(trace).position, 1)
        self.assertEqual((why.kind, why.period, why.rounds, why.cause, why.code), (WhyKind.HANG, 2, 20, None, None))
        self.assertEqual((why.place.pc, why.loop.position), (0x8000000c, 2))
        self.assertEqual([(value.role, value.place.register) for value in why.values],
                         [(WhyRole.OPERAND, (RegisterClass.X, 5)), (WhyRole.OPERAND, (RegisterClass.X, 7))])
        self.assertEqual([node.position for node in why.values[1].chain.nodes], [40, 1, 0])
        self.assertIsNone(why.difference)

    def test_a_core_that_is_wrong(self):
        """li t0, 5 writes 4: the first record that contradicts the ISA."""
        text = FOLDER / "wrong.json"
        lines = self.text.read_text(encoding="ascii").splitlines()
        lines[0] = lines[0].replace('"value": "0x5"', '"value": "0x4"')
        text.write_text("\n".join(lines) + "\n", encoding="ascii")
        with earshot.open(text) as trace:
            why = trace.why()
        self.assertEqual((why.core.position, why.core.pc), (0, 0x80000000))
        self.assertIn("addi", why.core_text)
        with earshot.open(self.text) as trace:
            why = trace.why()
        self.assertEqual((why.core, why.core_text, why.choice, why.blocks, why.memory_errors, why.memory_error_count),
                         (None, None, None, [], [], 0))

    def test_chains_of_registers_and_of_memory(self):
        with earshot.open(self.text) as trace:
            for what, positions in (("t2", [40, 1, 0]), ((RegisterClass.X, 5), [0]),
                                    (range(0x80001000, 0x80001004), [1, 0]), (0x80001001, [1, 0])):
                with self.subTest(what):
                    chain = trace.value_chain(what, 42)
                    self.assertEqual([node.position for node in chain.nodes], positions)
                    self.assertEqual(chain.roots[0].node, 0)
                    self.assertEqual(chain.nodes[-1].end, ValueEnd.CONSTANT)
            chain = trace.value_chain("s0", 42)
            self.assertEqual((chain.value, chain.nodes, chain.roots[0].end), (None, [], ValueEnd.BEGIN))
            self.assertEqual(trace.value_chain(range(0x80001000, 0x80001004), 2).nodes[0].place.size, 4)
            for wrong in (range(0x1000, 0x1009), "nothing", "v3"):
                with self.assertRaises(ValueError):
                    trace.value_chain(wrong, 42)
            self.assertTrue(trace.value_chain("t2", 42, nodes=1).limited)

    def test_the_numbers_are_those_of_the_headers(self):
        from earshot._libearshot import ffi
        for enum, name, prefix in ((ValueEnd, "ear_value_end", "EAR_VALUE_"), (WhyKind, "ear_why_kind", "EAR_WHY_"),
                                   (WhyRole, "ear_why_role", "EAR_WHY_"),
                                   (MemoryErrorKind, "ear_memory_error_kind", "EAR_MEMORY_")):
            numbers = ffi.typeof(f"enum {name}").relements
            for each in enum:
                self.assertEqual(numbers[prefix + each.name], each)
            self.assertEqual(len(numbers), len(enum) + 1)


class LongCalls(unittest.TestCase):
    """A search through 50 million records for an opcode that is not there."""

    QUERY = {"opcode": 0x12345678}

    @classmethod
    def setUpClass(cls):
        cls.trace = earshot.open(capture("interpreter", 50000000), index="none")

    @classmethod
    def tearDownClass(cls):
        cls.trace.close()

    def setUp(self):
        self.calls = []

    def interrupt(self, *_):
        raise KeyboardInterrupt

    def test_ctrl_c_ends_a_call_and_the_trace_goes_on(self):
        before = signal.signal(signal.SIGALRM, self.interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            with self.assertRaises(KeyboardInterrupt):
                self.trace.find(Query(**self.QUERY))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.trace.seek(5)
        self.assertEqual(next(self.trace).position, 5)

    def test_ctrl_c_ends_a_call_that_waits_for_the_helper_of_names(self):
        elf = os.path.join(os.environ["EARSHOT_PROGRAMS"], "plain.elf")
        kept = capture("calls", 1000)
        before = signal.signal(signal.SIGALRM, self.interrupt)
        try:
            with earshot.open(kept) as trace:
                for ask in (lambda names: names.address("box.handler"),
                            lambda names: names.add(elf), trace.add_program):
                    helpers = children()
                    with earshot.Names(elf) as names:
                        helper, = children() - helpers
                        os.kill(helper, signal.SIGSTOP)
                        signal.setitimer(signal.ITIMER_REAL, 0.1)
                        with self.assertRaises(KeyboardInterrupt):
                            ask(names)
                    with earshot.Names(elf) as names:  # no interrupt is left for another object
                        self.assertTrue(names.address("box.handler").first)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_progress_cancels_and_its_exceptions_arrive(self):
        def stop(done, total, what):
            self.calls.append((done, total, what))
            return len(self.calls) == 3

        def fail(_done, _total, _what):
            raise RuntimeError("from progress")

        with self.assertRaises(earshot.Cancelled):
            self.trace.find(Query(**self.QUERY), progress=stop)
        self.assertEqual(len(self.calls), 3)
        self.assertEqual(sorted(self.calls), self.calls)
        self.assertTrue(self.calls[0][2])
        with self.assertRaises(earshot.Cancelled):
            self.trace.check(progress=lambda done, total, what: True)
        with self.assertRaisesRegex(RuntimeError, "from progress"):
            self.trace.check(progress=fail)
        with self.assertRaisesRegex(RuntimeError, "from progress"):
            self.trace.find(Query(**self.QUERY), progress=fail)

    def test_traces_work_in_parallel_threads(self):
        results, path = {}, capture("table")

        def scan(name):
            with earshot.open(path) as trace:
                results[name] = sum(c.rows for c in trace.columns(["pc"]))

        threads = [threading.Thread(target=scan, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(results.values()), {len(decoded("table"))})
        self.assertEqual(len(results), 4)


if __name__ == "__main__":
    unittest.main()
