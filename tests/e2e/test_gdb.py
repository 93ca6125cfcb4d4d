#!/usr/bin/env python3
"""'earshot gdb', packet by packet: what it says about a moment is what the hardware held, steps lead back to where they
came from, searches find what the records say, gaps and ends are reported, and nothing that a client sends harms it.

    test_gdb.py [--long]
"""
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time
import zlib

from gdb_client import PC, Client, read_dump
from support import EARSHOT, NIGHT, PROGRAMS, Case, json_lines, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

BUILD = pathlib.Path(os.environ["EARSHOT_BUILD"])
MOMENTS = 200 if LONG else 40
LENGTHS = {"traps": 67000, "timer": 78000 if NIGHT else 40000, "software": 41000, "nested": 100000, "rtos": 36000, "sections": 100000,
           "unwind": 42000, "recursion": 78000, "sort": 60000 if NIGHT else 30000, "strings": 40000}
# Unlike real hardware, all of these are known to the board as they are.
PLAIN_CSRS = (0x300, 0x305, 0x340, 0x341, 0x342)


def cut(stream, seed):
    """The stream without a piece of some hundred bytes."""
    chance = random.Random(seed)
    at = chance.randrange(len(stream) // 3, len(stream) // 2)
    return stream[:at] + stream[at + chance.randrange(300, 3000):]


class Gdb(Case):
    made, decoded = {}, {}  # captures, and the records of those that were decoded

    def capture(self, program, *arguments, keys=""):
        """The same capture is made once; each test has a file of its own, without an index."""
        shot, key = self.folder / f"{program}.shot", (program, *arguments, keys)
        if key in self.made and not keys:
            shot.write_bytes(self.made[key])
            return shot
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null{keys}", "-o", shot,
                     "--limit", LENGTHS.get(program, 100000), *arguments)
        self.made[key] = shot.read_bytes()
        return shot

    def decode(self, shot):
        """The records as JSON, instructions only."""
        data = shot.read_bytes()
        if data not in self.decoded:
            out = subprocess.run([EARSHOT, "decode", "-f", "json", shot], capture_output=True, check=True).stdout
            self.decoded[data] = [record for record in json_lines(out) if "pc" in record]
        return self.decoded[data]


class Truth(Gdb):
    def compare(self, program):
        """Every known register and byte at some moments; returns how many bytes were known."""
        dump, chance = self.folder / "dump", random.Random(zlib.crc32(program.encode()))
        moments = self.folder / "moments"
        moments.write_text("\n".join(map(str, chance.sample(range(LENGTHS[program]), MOMENTS))), encoding="ascii")
        shot = self.capture(program, keys=f",dump=@{moments}:{dump}")
        held = [(number, dict(registers), {csr: csrs.get(csr) for csr in PLAIN_CSRS}, dict(lines), pc)
                for number, registers, csrs, lines, pc in read_dump(dump)]
        self.assertGreater(len(held), MOMENTS // 2)
        chance.shuffle(held)
        known = 0
        with Client(shot) as client:
            for number, registers, csrs, lines, pc in held:
                client.goto(number + 1)
                where = f"{program} after {number}"
                found = client.registers()
                self.assertEqual(found[0], 0)
                self.assertEqual(found[PC], pc, where)
                for i, value in registers.items():
                    self.assertIn(found[i], (None, value), f"{where}: x{i}")
                for csr, value in csrs.items():
                    self.assertIn(client.register(65 + csr), (None, value), f"{where}: CSR {csr:#x}")
                for address in chance.sample(sorted(lines), min(8, len(lines))):
                    bytes_ = client.memory(address, 64)
                    known += len(bytes_)
                    self.assertEqual(bytes_, lines[address][:len(bytes_)], f"{where}: {address:#x}")
        return known

    def test_what_the_hardware_held(self):
        for program in some("traps", "timer", "software", "nested", "rtos", "sections", "unwind", "recursion", gate=2):
            with self.subTest(program):
                self.assertGreater(self.compare(program), MOMENTS * 64)

    def test_what_state_says(self):
        shot, chance = self.capture("rtos"), random.Random(5)
        with Client(shot) as client:
            for number in chance.sample(range(LENGTHS["rtos"] - 1), 12):
                client.goto(number + 1)
                out = subprocess.run([EARSHOT, "state", "--json", "--at", str(number), "--reg", "x", shot], check=True,
                                     capture_output=True).stdout
                values = [value and int(value, 0) for value in json.loads(out)["registers"].values()]
                self.assertEqual(client.registers()[:32], values)


class Steps(Gdb):
    def walk(self, shot, seed, into=False, rounds=12, length=60):
        """Forward and back, from places anywhere: the same moments in the other order."""
        chance = random.Random(seed)
        with Client(shot) as client:
            if into:
                client.monitor("handlers into")
            client.goto("end")
            last = client.number()
            for _ in range(rounds):
                client.goto(chance.randrange(last - 1))
                count = chance.randrange(1, length)
                way = [(client.number(), client.registers())]
                for _ in range(count):
                    client.step()
                    way.append((client.number(), client.registers()))
                if way[-1][0] == last:
                    continue
                for before in reversed(way[:-1]):
                    client.back()
                    self.assertEqual((client.number(), client.registers()), before)
                # And the other way round.
                back = [way[0]]
                for _ in range(count):
                    signal, reason = client.back()
                    if "replaylog" in reason:
                        break
                    back.append((client.number(), client.registers()))
                for after in reversed(back[:-1]):
                    client.step()
                    self.assertEqual((client.number(), client.registers()), after)

    def test_there_and_back(self):
        for i, program in enumerate(some("timer", "software", "nested", "rtos", "traps", "recursion", "unwind", "strings", gate=2)):
            with self.subTest(program):
                shot = self.capture(program)
                self.walk(shot, i, rounds=12 if NIGHT else 4)
                self.walk(shot, 100 + i, into=True, rounds=4 if NIGHT else 2)

    def test_one_record_at_a_time_into_handlers(self):
        shot = self.capture("nested")
        with Client(shot) as client:
            client.monitor("handlers into")
            client.goto(30000)
            for i in range(30001, 30600):
                client.step()
                self.assertEqual(client.number(), i)
            for i in range(30598, 30000, -1):
                client.back()
                self.assertEqual(client.number(), i)

    def test_handlers_are_stepped_over(self):
        shot = self.capture("timer")
        records = self.decode(shot)
        taken = [i for i, record in enumerate(records) if record.get("interrupt")]
        self.assertGreater(len(taken), 3)
        with Client(shot) as client:
            for at in taken[:8]:
                client.goto(at - 1)
                client.step()
                # Where the handler came back to.
                after = client.number()
                self.assertGreater(after, at + 4)
                self.assertEqual(records[after]["pc"], records[at]["pc"])
                client.back()
                self.assertEqual(client.number(), at - 1)
                # From the inside it goes step by step.
                client.goto(at + 1)
                client.back()
                self.assertEqual(client.number(), at)
                client.step()
                self.assertEqual(client.number(), at + 1)

    def test_a_range_takes_one_packet(self):
        shot = self.capture("sort")
        with Client(shot) as client:
            client.goto(20000)
            pc = client.registers()[PC]
            before = client.packets
            _, reason = client.go(f"vCont;r{pc & ~0xFFF:x},{(pc & ~0xFFF) + 0x1000:x}:1;c")
            self.assertEqual(client.packets, before + 1)
            self.assertTrue("replaylog" in reason or client.registers()[PC] >> 12 != pc >> 12)


class Searches(Gdb):
    def test_breakpoints_both_ways(self):
        shot = self.capture("sort")
        records, chance = self.decode(shot), random.Random(7)
        with Client(shot) as client:
            for _ in range(20):
                pc = chance.choice(records)["pc"]
                hits = [i for i, record in enumerate(records) if record["pc"] == pc]
                here = chance.randrange(len(records))
                client.goto(here)
                self.assertEqual(client.ask(f"Z0,{int(pc, 0):x},2"), "OK")
                after = [i for i in hits if i > here]
                before = [i for i in hits if i < here]
                signal, reason = client.go("vCont;c")
                self.assertEqual(client.number(), after[0] if after else len(records))
                self.assertEqual("swbreak" in reason, bool(after))
                client.goto(here)
                signal, reason = client.go("bc")
                self.assertEqual(client.number(), before[-1] if before else 0)
                self.assertEqual(reason.get("replaylog"), None if before else "begin")
                self.assertEqual(client.ask(f"z0,{int(pc, 0):x},2"), "OK")

    def test_watchpoints_both_ways(self):
        shot = self.capture("sort")
        records, chance = self.decode(shot), random.Random(8)
        accesses = [(i, int(access["address"], 0), access["size"], access["write"])
                    for i, record in enumerate(records) for access in record.get("memory", ())]
        self.assertGreater(len(accesses), 1000)
        with Client(shot) as client:
            for _ in range(30):
                _, address, size, _ = chance.choice(accesses)
                size = chance.choice((1, 2, size, 3, 64))
                kind = chance.choice((2, 3, 4))
                hits = [i for i, at, width, write in accesses
                        if at < address + size and address < at + width and (kind == 4 or write == (kind == 2))]
                here = chance.randrange(len(records))
                client.goto(here)
                self.assertEqual(client.ask(f"Z{kind},{address:x},{size:x}"), "OK")
                after = [i for i in hits if i >= here]
                before = [i for i in hits if i < here]
                _, reason = client.go("vCont;c")
                word = {2: "watch", 3: "rwatch", 4: "awatch"}[kind]
                if after:
                    self.assertEqual((client.number(), int(reason[word], 16)), (after[0], address))
                else:
                    self.assertEqual(reason["replaylog"], "end")
                client.goto(here)
                _, reason = client.go("bc")
                if before:
                    self.assertEqual((client.number(), int(reason[word], 16)), (before[-1] + 1, address))
                else:
                    self.assertEqual(reason["replaylog"], "begin")
                self.assertEqual(client.ask(f"z{kind},{address:x},{size:x}"), "OK")

    def test_conditions_are_evaluated_here(self):
        shot = self.capture("sort")
        records = self.decode(shot)
        # x10 == N at a pc that is hit often: reg 10, const32 N, equal, end.
        counts = {}
        for record in records:
            counts[record["pc"]] = counts.get(record["pc"], 0) + 1
        pc = max(counts, key=counts.get)
        hits = [i for i, record in enumerate(records) if record["pc"] == pc]
        with Client(shot) as client:
            values = []
            for i in (hits[3], hits[len(hits) // 2], hits[-3]):
                client.goto(i)
                values.append(client.registers()[10])
            for value in values:
                code = b"\x26\x00\x0a\x24" + value.to_bytes(4, "big") + b"\x13\x27"
                self.assertEqual(client.ask(f"Z0,{int(pc, 0):x},2;X{len(code):x},{code.hex()}"), "OK")
                client.goto("begin")
                found = []
                while "swbreak" in client.go("vCont;c")[1]:
                    self.assertEqual(client.registers()[10], value)
                    found.append(client.number())
                back = []
                while "swbreak" in client.go("bc")[1]:
                    back.append(client.number())
                self.assertEqual(back[::-1], found)
                self.assertTrue(set(found) <= set(hits))
                # All others have another value.
                for i in random.Random(9).sample(hits, 20):
                    client.goto(i)
                    self.assertEqual(client.registers()[10] == value, i in found)
                client.ask(f"z0,{int(pc, 0):x},2")

    def test_a_condition_that_cannot_be_evaluated_stops(self):
        shot = self.capture("sort")
        with Client(shot) as client:
            code = b"\x24\xf0\x00\x00\x00\x19\x27"  # memory that nobody knows
            pc = client.registers()[PC] + 2
            self.assertEqual(client.ask(f"Z0,{pc:x},2;X{len(code):x},{code.hex()}"), "OK")
            _, reason = client.go("vCont;c")
            self.assertIn("swbreak", reason)
            self.assertIn("memory at 0xf0000000 is not known", client.console)

    def test_traps_are_caught(self):
        shot = self.capture("timer")
        records = self.decode(shot)
        taken = [i for i, record in enumerate(records) if record.get("interrupt")]
        with Client(shot) as client:
            self.assertIn("nothing is caught", client.monitor("catch"))
            client.monitor("catch interrupt")
            for at in taken[:5]:
                client.go("vCont;c")
                self.assertIn("an interrupt, cause 0x7, comes next", client.console)
                self.assertEqual(client.number(), at)
            client.go("bc")
            self.assertEqual(client.number(), taken[3])
            self.assertIn("interrupts are caught, of cause 0x3", client.monitor("catch interrupt 3"))
            self.assertIn("replaylog", client.go("vCont;c")[1])


class Ends(Gdb):
    def test_both_ends(self):
        shot = self.capture("strings")
        with Client(shot) as client:
            self.assertEqual(client.number(), 0)
            self.assertEqual(client.back()[1]["replaylog"], "begin")
            self.assertEqual(client.go("vCont;c")[1]["replaylog"], "end")
            end = client.number()
            self.assertEqual(client.step()[1]["replaylog"], "end")
            client.back()
            self.assertEqual(client.number(), end - 1)
            self.assertNotIn("replaylog", client.step()[1])
            self.assertEqual(client.number(), end)

    def test_a_trap_at_the_end_is_where_it_begins(self):
        shot, path = self.capture("story_pointer"), self.folder / "t.csv"
        records = self.decode(shot)
        at = next(i for i, record in enumerate(records) if record.get("trap"))
        text = subprocess.run([EARSHOT, "decode", "-f", "whisper", shot], capture_output=True, check=True).stdout
        path.write_bytes(b"".join(text.splitlines(keepends=True)[:at + 2]))
        with Client(path) as client:
            self.assertEqual(client.go("?")[0], 11)
            self.assertEqual(client.number(), at + 1)
            client.back()
            self.assertEqual(client.number(), at)

    def test_an_event_at_the_end_is_where_it_begins(self):
        path = self.folder / "event.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/rtos.elf,uart=/dev/null", "--ring", "64K", "--until",
                     "pc=end_task", "-o", path)
        with Client(path) as client:
            self.assertIn("at the end", client.monitor("when"))
        with Client("--at", "begin", path) as client:
            self.assertNotIn("at the end", client.monitor("when"))

    def test_a_gap_in_the_middle(self):
        shot = self.capture("sort", keys=",unit=raw")
        stream = subprocess.run(["zstd", "-d", "-c", shot], check=True, capture_output=True).stdout
        path = self.folder / "damaged"
        path.write_bytes(cut(stream, 3))
        out = subprocess.run([EARSHOT, "decode", "-f", "json", path], capture_output=True, check=False).stdout
        records = json_lines(out)
        gap = next(i for i, record in enumerate(records) if record["kind"] == "gap")
        number = sum(record["kind"] == "instruction" for record in records[:gap])
        pcs = [int(record["pc"], 0) for record in records if record["kind"] == "instruction"]
        with Client("--at", "begin", path) as client:
            self.assertIn(f"before #{number}", client.monitor("gaps"))
            client.go("vCont;c")
            self.assertIn("records are missing here", client.console)
            self.assertEqual(client.number(), number)
            before = client.registers()
            self.assertEqual(before[PC], int(records[gap - 1]["next_pc"], 0))
            self.assertIsNotNone(before[2])
            # Over it by a step, in both directions.
            client.step()
            self.assertIn("records are missing here", client.console)
            after = client.registers()
            self.assertEqual((after[PC], after[1:32]), (pcs[number], [None] * 31))
            self.assertEqual(client.memory(before[2], 4), b"")
            client.back()
            self.assertEqual(client.registers(), before)
            # By running: it stops on either side, and goes on.
            client.goto(number + 50)
            client.go("bc")
            self.assertIn("records are missing here", client.console)
            self.assertEqual(client.registers()[PC], pcs[number])
            self.assertEqual(client.go("bc")[1]["replaylog"], "begin")
            client.goto(number - 50)
            client.go("vCont;c")
            self.assertEqual(client.registers(), before)
            self.assertEqual(client.go("vCont;c")[1]["replaylog"], "end")

    def test_what_a_filter_held_back_makes_unknown(self):
        pcs = sorted(int(record["pc"], 0) for record in self.decode(self.capture("sort")))
        shot = self.capture("sort", "--filter", f"pc={pcs[len(pcs) // 3]:#x}-{pcs[len(pcs) * 2 // 3]:#x}")
        records = self.decode(shot)
        jump = next(i for i in range(100, len(records)) if records[i]["index"] != records[i - 1]["index"] + 1)
        with Client(shot) as client:
            client.goto(jump)
            self.assertEqual(client.registers(), [0] + [None] * 31 + [int(records[jump]["pc"], 0)])
            client.goto(jump - 1)
            self.assertNotEqual(client.registers()[1:32], [None] * 31)


class Harts(Gdb):
    def make(self):
        """Two harts, of which each executes a program of its own, in turns of different length."""
        texts = []
        for program in ("sort", "strings"):
            text = subprocess.run([EARSHOT, "decode", "-f", "whisper", "--limit", "3000", self.capture(program)],
                                  capture_output=True, check=True, text=True).stdout.splitlines()
            texts.append(text[1:])
        chance, lines, harts = random.Random(2), [text[0]], []
        at = [0, 0]
        while at[0] < 3000 and at[1] < 3000:
            hart = chance.randrange(2)
            for line in texts[hart][at[hart]:at[hart] + chance.randrange(1, 40)]:
                lines.append(line[:line.rindex(",") + 1] + str(hart))
                harts.append(hart)
                at[hart] += 1
        path = self.folder / "two.csv"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        pcs = [int(line.split(",")[0], 16) for line in lines[1:]]
        return path, harts, pcs

    def test_harts_are_threads(self):
        path, harts, pcs = self.make()
        with Client(path) as client:
            client.goto(1000)
            self.assertEqual(client.ask("qfThreadInfo"), "m1,2")
            self.assertEqual(bytes.fromhex(client.ask("qThreadExtraInfo,2")), b"hart 1")
            for hart in (0, 1):
                self.assertEqual(client.ask(f"Hg{hart + 1}"), "OK")
                following = next(i for i in range(1000, len(harts)) if harts[i] == hart)
                self.assertEqual(client.register(PC), pcs[following])
            self.assertEqual(client.ask("T2"), "OK")
            self.assertEqual(client.ask("T3"), "E01")

    def test_tasks_are_threads(self):
        """Which ran last where is compared with the task of each record; what is shown of one that does not run, with
        what the hart held there."""
        shot, chance = self.capture("tasks"), random.Random(4)
        out = subprocess.run([EARSHOT, "convert", "-q", "-f", "json", "--tasks", shot], capture_output=True, check=True).stdout
        tasks = [record.get("task") for record in json_lines(out) if "pc" in record]
        with Client(shot) as client:
            client.goto("begin")
            self.assertEqual(client.ask("qfThreadInfo"), "m1")
            self.assertEqual(client.monitor("tasks"), "no task has run before here\n")
            for present in chance.sample(range(len(tasks) // 3, len(tasks)), 4):
                client.goto(present)
                last = {}
                for number, task in enumerate(tasks[:present]):
                    last[task] = number
                running = tasks[present - 1]
                names = client.ask("qfThreadInfo")[1:].split(",")
                self.assertEqual(names[0], "1")
                seen = {}
                for name in names[1:]:
                    text = bytes.fromhex(client.ask("qThreadExtraInfo," + name)).decode()
                    pid = int(re.search(r"\(?(\d+)\)?, ", text)[1])
                    seen[pid] = text
                    if pid == running:
                        self.assertTrue(text.endswith(", running on hart 0"), text)
                        continue
                    since = int(re.search(r"not running since #(\d+)$", text)[1])
                    self.assertEqual(since, last[pid] + 1)
                    shown = [client.ask("Hg" + name), client.registers(), client.register(65 + 0x341),
                             client.ask(f"qEarshot.Stack:{name}")]
                    client.ask("Hg1")
                    client.goto(since)
                    self.assertEqual(shown, ["OK", client.registers(), client.register(65 + 0x341),
                                             client.ask("qEarshot.Stack:1")])
                    client.goto(present)
                self.assertEqual(set(seen), set(last) - {None})
                hart = bytes.fromhex(client.ask("qThreadExtraInfo,1")).decode()
                self.assertEqual(hart, "hart 0, " + seen[running].removesuffix(", running on hart 0"))
            # A step of a task is one of its hart.
            client.ask("Hg" + names[1])
            self.assertEqual(client.step(int(names[1], 16))[1]["thread"], "1")
            self.assertEqual((client.number(), client.ask("T20fff"), client.ask("vCont;s:20fff")),
                             (present + 1, "E01", "E01"))

    def test_each_steps_by_itself(self):
        path, harts, pcs = self.make()
        with Client(path) as client:
            for hart in (0, 1):
                client.goto(1000)
                own = [i for i in range(1000, len(harts)) if harts[i] == hart]
                if harts[1000] != hart:
                    client.step(hart + 1)
                    own = own[1:]
                for i in own[1:100]:
                    _, reason = client.step(hart + 1)
                    self.assertEqual((client.number(), int(reason["thread"], 16)), (i, hart + 1))
                # GDB says "any" once, and looks at the hart that it means.
                client.ask(f"Hc{hart + 1}" if hart else "Hc0")
                for i in own[98:0:-1]:
                    client.back()
                    self.assertEqual(client.number(), i)
                client.ask("Hc0")
                for other in (1, 0):
                    client.goto(2000)
                    client.ask(f"Hg{other + 1}")
                    _, reason = client.back()
                    self.assertEqual(int(reason["thread"], 16), other + 1)

    def test_a_diversion_is_of_one_hart(self):
        path, _, _ = self.make()
        with Client(path, "--diverge") as client:
            client.goto(20)
            client.monitor("diverge")
            client.ask("Hg2")
            self.assertIn("another hart", client.ask("Pa=00000000"))
            client.go("vCont;s:2")
            self.assertIn("another hart", client.console)

    def test_another_hart_comes_to_a_breakpoint(self):
        path, harts, pcs = self.make()
        at = next(i for i in range(1000, len(harts)) if harts[i - 1] == 0 and harts[i] == 1 and harts[i + 1] == 1)
        with Client(path) as client:
            client.goto(at - 1)
            client.ask(f"Z0,{pcs[at + 1]:x},2")
            _, reason = client.step(1)
            self.assertEqual((client.number(), reason["thread"], "swbreak" in reason), (at + 1, "2", True))


class Diversions(Gdb):
    def test_what_is_written(self):
        with Client(self.capture("strings"), "--diverge") as client:
            client.goto(500)
            before = client.registers()
            self.assertEqual(client.ask("X80000000,0:"), "OK")  # a question, no write
            self.assertNotIn("diverged", client.monitor("when"))
            self.assertEqual(client.ask("Pa=2a000000"), "OK")
            self.assertIn("diverged at #500, 0 instructions ago", client.monitor("where"))
            self.assertEqual(client.registers(), before[:10] + [42] + before[11:])
            self.assertEqual(client.ask("M80700000,4:01020304"), "OK")
            self.assertEqual(client.ask("X80700002,2:#$"), "OK")
            self.assertEqual(client.memory(0x80700000, 4), b"\x01\x02#$")
            # All registers, as a client gives them that has zeros for what it does not know.
            floats = client.ask("g")[8 * 33:]
            self.assertIn("x", floats)
            values = "".join((value or 0).to_bytes(4, "little").hex() for value in before)
            self.assertEqual(client.ask("G" + values + "0" * 512), "OK")
            self.assertEqual(client.ask("g")[8 * 33:], floats)
            self.assertEqual(client.registers(), before)
            for packet in ("P", "Pa=", "Pa=00", "Pffff=00000000", "G00", "M80000000,4:00", "Mzz", "X80000000,4:a"):
                self.assertIn("not understood", client.ask(packet), packet)
            self.assertIn("changes by itself", client.ask(f"P{65 + 0xb00:x}=00000000"))
            client.step()
            self.assertIn("1 instructions ago", client.monitor("when"))
            self.assertIn("the diversion is over", client.monitor("goto 500"))
            self.assertEqual(client.registers(), before)
            self.assertIn("this is the recorded run", client.monitor("return"))

    def test_conditions_and_a_limit(self):
        program = self.capture("recursion")
        with Client(program, "--diverge") as client:
            client.goto("ackermann")
            client.monitor("diverge")
            pc = client.register(PC)
            # a0 == 1: "reg a0; const8 1; equal; end".
            self.assertEqual(client.ask(f"Z0,{pc:x},2;X7,26000a22011327"), "OK")
            signal, _ = client.go("c")
            self.assertEqual((signal, client.register(PC), client.register(10)), (5, pc, 1))
            client.ask(f"z0,{pc:x},2")
            # A loop without an end: "j .", and Ctrl-C.
            self.assertEqual(client.ask("M80700000,2:01a0"), "OK")
            self.assertEqual(client.ask("P20=00007080"), "OK")
            client.send("c")
            client.send_bytes(b"\x03")
            while (reply := client.receive().decode())[0] == "O":
                pass
            self.assertEqual(reply[:3], "T02")
            self.assertEqual(client.register(PC), 0x80700000)


class Refusals(Gdb):
    def test_marks_outlast_the_session(self):
        shot = self.capture("sort")
        marks = shot.with_suffix(".shot.marks")
        with Client(shot, "--no-index") as client:
            client.goto(5000)
            self.assertEqual(client.monitor("mark here"), "here is #5000\n")
            client.goto(6000)
            self.assertEqual(client.monitor("mark main"), "main is #6000\n")
        self.assertRegex(marks.read_text(), r"^earshot-marks 1\ntrace .*\nmark here 5000 \d+\nmark main 6000 \d+\nend\n$")
        with Client(shot) as client:
            self.assertEqual(client.monitor("marks").split(), ["#5000", "here", "#6000", "main"])
            for moment, number in (("here", 5000), ("mark=here-3", 4997), ("main", 6000)):
                client.goto(moment)
                self.assertEqual(client.number(), number)
            client.monitor("unmark main")
            self.assertIn("there is no mark 'main'", client.monitor("unmark main"))
            client.goto("main")
            self.assertNotEqual(client.number(), 6000)
        with Client(shot, "--at", "mark=here") as client:
            self.assertEqual(client.number(), 5000)
            # What else writes there.
            marks.write_text("notes\n")
            self.assertRegex(client.monitor("mark other"), "not a file of marks.*\n.*in this session only")
            self.assertIn("not a file of marks", client.monitor("marks"))
            client.goto("other")
            self.assertEqual(marks.read_text(), "notes\n")

    def test_the_past_is_not_changed(self):
        with Client(self.capture("strings")) as client:
            self.assertIn("nothing was refused", client.monitor("refused"))
            for packet in ("P2=00000000", "G" + "0" * 200, "M80000000,4:00000000", "X80000000,1:a"):
                self.assertIn("a recorded run cannot be changed", client.ask(packet))
            self.assertIn("4 attempts", client.monitor("refused"))
            client.close()
            self.assertIn("a recorded run cannot be changed", client.errors)

    def test_files(self):
        elf = PROGRAMS / "strings.elf"
        with Client(self.capture("strings")) as client:
            path = client.ask("qXfer:exec-file:read::0,1000")[1:]
            self.assertEqual(pathlib.Path(path), elf)
            self.assertEqual(client.ask("vFile:setfs:0"), "F0")
            self.assertEqual(client.ask(f"vFile:open:{path.encode().hex()},0,0"), "F3")
            client.send("vFile:pread:3,1000,10")
            reply = client.receive()
            self.assertEqual(reply.split(b";", 1)[1], elf.read_bytes()[16:16 + 4096])
            self.assertEqual(client.ask("vFile:pread:4,10,0"), "F-1,9")
            self.assertEqual(client.ask(f"vFile:open:{path.encode().hex()},2,0"), "F-1,1")
            self.assertEqual(client.ask(f"vFile:open:{b'/etc/passwd'.hex()},0,0"), "F-1,2")
            self.assertEqual(client.ask("vFile:close:3"), "F0")

    def test_bad_packets_are_answered(self):
        with Client(self.capture("strings")) as client:
            for packet in ("p", "pffff", "m", "m80000000", "mzz,4", "m80000000,fffffffffffffffff", "Z0", "Z9,0,0", "Z2,0,0",
                           "Z2,ffffffffffffffff,2", "Z0,0,2;X5,26", "Hx1", "Hg99999999", "vCont;x", "vCont;r1:1",
                           "vCont", "qRcmd,zz", "qXfer:features:read:target.xml:zz", "qXfer:memory-map:read::0,10",
                           "vFile:open:zz,0,0", "vFile:pread:3", "bx", "_", "", "qThreadExtraInfo,0"):
                client.ask(packet)
            self.assertEqual(client.ask("qC"), "QC1")
            # A checksum that is wrong, noise, a packet that is cut.
            client.send_bytes(b"noise$g#00")
            self.assertEqual(len(client.receive()), 8 * 33 + 16 * 32)
            client.send_bytes(b"$qSuppor$qC#b4")
            self.assertEqual(client.receive(), b"QC1")
            client.send_bytes(b"$" + b"m" * 40000 + b"#00")
            self.assertEqual(client.ask("qC"), "QC1")

    def test_acknowledgements(self):
        with Client(self.capture("strings"), acks=True) as client:
            client.send_bytes(b"$qC#00$qC#b4")
            # A '+' more says that a slow answer is coming.
            self.assertEqual(client.read_until(b"$").replace(b"+", b""), b"-")
            self.assertEqual(client.read_until(b"#") + client.read_byte() + client.read_byte(), b"QC1c5")
            client.send_bytes(b"-")
            self.assertEqual(client.receive(), b"QC1")

    def test_anything_at_all(self):
        """Packets made of pieces of good ones: an answer to each, and the truth afterwards."""
        shot, chance = self.capture("strings"), random.Random(11)
        words = ["vCont;", "s", "c", "bs", "bc", "r8", "0000000", ":1", ",", ";", "Z0,", "z2,", "Z4,", "80000100", "ffffffffffffffff",
                 "X", "3,26000a", "m", "p", "g", "H", "q", "Rcmd,", "676f746f20656e64", "676f746f202d35", "6c61737420737020",
                 "Xfer:", "features:read:target.xml:", "vFile:", "pread:3,", "0", "1", "-1", "T", "?", "QNonStop:1", "\x03"]
        with Client(shot) as client:
            for _ in range(3000 if LONG else 600):
                packet = "".join(chance.choice(words) for _ in range(chance.randrange(1, 6)))
                if packet[0] in "kD" or packet.startswith("vKill"):
                    continue
                client.ask(packet)
            client.goto(1234)
            self.assertEqual(client.number(), 1234)
            self.assertEqual(client.close(), 0)


class Connections(Gdb):
    def start(self, *arguments):
        process = subprocess.Popen([EARSHOT, "gdb", *map(str, arguments)], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        return process, process.stderr.readline()

    def talk(self, connection):
        connection.sendall(b"$qC#b4")
        data = b""
        while b"#" not in data:
            data += connection.recv(100)
        connection.sendall(b"+$k#6b")
        return data

    def test_a_port_has_one_client(self):
        process, line = self.start("--port", 0, self.capture("strings"))
        port = int(line.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                except ConnectionRefusedError:
                    break
            else:
                self.fail("a second client was not refused")
            self.assertIn(b"$QC1#", self.talk(connection))
        self.assertEqual(process.wait(30), 0)

    def test_a_socket(self):
        path = self.folder / "socket"
        process, _ = self.start("--socket", path, self.capture("strings"))
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            self.assertIn(b"$QC1#", self.talk(connection))
        self.assertEqual(process.wait(30), 0)
        self.assertFalse(path.exists())

    def test_a_client_that_leaves(self):
        client = Client(self.capture("strings"))
        client.process.stdin.close()
        self.assertEqual(client.process.wait(30), 0)
        client.process.stdout.close()
        client.process.stderr.close()

    def test_ctrl_c_ends_a_search(self):
        """A condition that is never true, at the instruction that is executed most, of a long run."""
        shot = self.folder / "long.shot"
        self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS}/demo.elf,uart=/dev/null", "-o", shot)
        with Client(shot) as client:
            code = b"\x22\x01\x20\x00\x00\x27"  # const 1, if goto 0: for ever
            for address in range(0x80000000, 0x80001000, 2):
                self.assertEqual(client.ask(f"Z0,{address:x},2;X{len(code):x},{code.hex()}"), "OK")
            client.send("vCont;c")
            client.send_bytes(b"\x03")
            data = client.receive()
            while data[:1] == b"O":
                data = client.receive()
            self.assertEqual(data[:1], b"T")
            self.assertEqual(client.ask("qC"), "QC1")

    def test_a_thread_that_does_not_exist(self):
        with Client(self.capture("strings")) as client:
            for packet, reply in ("Hg1", "OK"), ("Hg5", "E01"), ("Hc5", "E01"), ("Hg0", "OK"):
                self.assertEqual(client.ask(packet), reply)
            self.assertEqual(client.ask("qC"), "QC1")

    def test_ctrl_c_between_two_runs(self):
        """GDB that evaluates a condition sends Ctrl-C when nothing runs: the next run or step ends
        where it begins, and the one after that runs. Much later it is of nothing any more."""
        with Client(self.capture("strings")) as client:
            client.ask("vCont;s:1")
            for packet in "vCont;c", "vCont;s:1", "bc", "bs":
                before = client.ask("g")
                client.send_bytes(b"\x03")
                self.assertEqual(client.ask("g"), before)
                self.assertEqual(client.ask(packet)[:3], "T02")
                self.assertEqual(client.ask("g"), before)
            self.assertEqual(client.ask("vCont;s:1")[:3], "T05")
            self.assertNotEqual(client.ask("g"), before)
            client.send_bytes(b"\x03")
            self.assertEqual(client.ask("qC"), "QC1")
            time.sleep(1.5)
            self.assertEqual(client.ask("vCont;s:1")[:3], "T05")


if __name__ == "__main__":
    main()
