#!/usr/bin/env python3
"""The registers that an instruction read, as the unit sent them, reach JSON; compared with the simulator of tests/.

Needs EARSHOT_ISS, its command. Its stream is read here, not by the decoder.
"""
import json
import os
import struct
import subprocess

from support import PROGRAMS, RAW32, Case, json_lines, main

ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
COUNT = 20000


def operands(raw, at):
    """pc and the x registers read, of the RAW32 message at this byte (docs/protocol.md, 4.1)."""
    kind, _, mask = struct.unpack_from("<BBH", raw, at)
    assert kind == RAW32
    at += 4 + (8 if mask & 1 else 0) + (4 if mask & 2 else 2)
    pc, = struct.unpack_from("<I", raw, at)
    at += 8
    reads = []
    for bit in (4, 8):
        if mask & bit:
            number, value = struct.unpack_from("<BI", raw, at)
            at += 5
            if number and (number, value) not in reads:
                reads.append((number, value))
    return pc, reads


class Reads(Case):
    def simulate(self, program):
        """What the simulator says."""
        stream = self.folder / "iss.raw"
        subprocess.run([ISS, "--quiet", "--isa", "rv32imc", "--set", "misaligned_traps=1", "--max",
                        str(COUNT), "-o", stream, PROGRAMS / f"{program}.elf"], stdout=subprocess.DEVNULL, check=False)
        raw = stream.read_bytes()
        dump, _ = self.earshot("dump", stream)
        return [operands(raw, int(line.split()[0], 16)) for line in dump.splitlines()
                if len(line.split()) > 1 and line.split()[1] == "RAW32"]

    @staticmethod
    def read_json(text):
        records = json_lines(text)
        return [(int(record["pc"], 16), [(read["number"], int(read["value"], 16)) for read in record.get("reads", [])])
                for record in records if record["kind"] == "instruction"], records

    def test_a_capture_has_the_reads_of_the_simulator(self):
        """Live, decoded, converted and searched; with a unit that sends each value, and with units that predict."""
        expected = self.simulate("alu")
        self.assertEqual(len(expected), COUNT)
        self.assertGreater(sum(len(reads) for _, reads in expected), COUNT)
        for unit in ("raw", "small", "large"):
            live, shot = self.folder / "t.jsonl", self.folder / "t.shot"
            self.capture(shot, "alu", "-o", live, "--limit", str(COUNT), keys=f",unit={unit}")
            text = live.read_text()
            reads, records = self.read_json(text)
            self.assertEqual(reads, expected)
            self.assertEqual({read["class"] for record in records for read in record.get("reads", [])}, {"x"})
            for command in (["decode"], ["decode", "-j", 2], ["convert", "-q"], ["convert", "-q", "-j", 2]):
                with self.subTest(unit=unit, command=command):
                    self.assertEqual(self.earshot(*command, "-f", "json", shot)[0], text)
            found, _ = self.earshot("grep", "-f", "json", "--pc", hex(expected[7][0]), "-m", "1", shot)
            self.assertEqual(found.splitlines()[0], text.splitlines()[7])

    def test_a_wrong_value_in_a_register_shows_where_it_is_read(self):
        """The unit sends what the core read, not what was written before."""
        for fault, least, most in (("", 0, 0), (",fault=reg:500", 5, 100)):
            shot = self.folder / "t.shot"
            self.capture(shot, "sort", "--limit", "20000", keys=f",unit=small{fault}")
            _, records = self.read_json(self.earshot("decode", "-f", "json", shot)[0])
            registers, wrong = {}, 0
            for record in records:
                for read in record.get("reads", []):
                    wrong += registers.get(read["number"], read["value"]) != read["value"]
                    registers[read["number"]] = read["value"]
                for write in record.get("registers", []):
                    if write["class"] == "x":
                        registers[write["number"]] = write["value"]
            self.assertTrue(least <= wrong <= most, wrong)

    def test_a_unit_without_operands_has_no_reads(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "alu", "--limit", "2000", keys=",unit=tiny")
        self.assertNotIn('"reads"', self.earshot("decode", "-f", "json", shot)[0])

    def test_reads_come_back_from_json(self):
        shot, text = self.folder / "t.shot", self.folder / "t.jsonl"
        self.capture(shot, "alu", "--limit", "2000", keys=",unit=small")
        self.earshot("decode", shot, "-o", text)
        again, _ = self.earshot("convert", "-q", "-f", "json", text)
        # A record of a text says its line; otherwise nothing changes.
        without = [{key: value for key, value in json.loads(line).items() if key not in ("line", "offset")}
                   for line in (again + text.read_text()).splitlines()]
        self.assertEqual(without[:len(without) // 2], without[len(without) // 2:])


if __name__ == "__main__":
    main()
