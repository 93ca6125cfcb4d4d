#!/usr/bin/env python3
"""Branch traces through the command: what a capture and the N-Trace of the same run have in common is the same. The
N-Trace is of an encoder of this file, written from the specification (HTM, no options)."""
import copy
import json
import os
import pathlib
import random
import re
import subprocess

from gdb_client import Client
from support import NIGHT, PROGRAMS, Case, json_lines, main, night, some, write_elf

EXCEPTION, INTERRUPT = 2, 3
LIMIT = () if NIGHT else ("--limit", 20000)  # of what is read record by record


def message(tcode, *fields):
    """Fields are (value, bits), with bits None for a variable field, which ends with its byte."""
    out, value, width = [], 0, 0
    for field, bits in ((tcode, 6), *fields):
        value |= field << width
        width += field.bit_length() if bits is None else bits
        if bits is None:
            width = max(width + -width % 6, 6)
            out += [(value >> at & 63) << 2 for at in range(0, width, 6)]
            out[-1] |= 1
            value = width = 0
    out[-1] |= 3
    return bytes(out)


def is_indirect(opcode):
    if opcode & 3 != 3:
        return opcode & 0xE07F == 0x8002 and opcode >> 7 & 31 != 0
    return opcode & 0x7F == 0x67 and opcode >> 15 & 31 != 0 or opcode in (0x30200073, 0x10200073)


def is_branch(opcode):
    return opcode & 0x7F == 0x63 if opcode & 3 == 3 else opcode & 0xE003 in (0xC001, 0xE001)


class Encoder:
    def __init__(self, pc):
        self.out = [b"\xff", message(9, (3, 4), (0, None), (pc >> 1, None))]
        self.reference, self.count, self.history = pc, 0, 1

    def jump(self, kind, target):
        self.out.append(message(28, (kind, 2), (self.count, None), ((target ^ self.reference) >> 1, None),
                                (self.history, None)))
        self.reference, self.count, self.history = target, 0, 1

    def push(self, record):
        opcode, target = int(record["opcode"], 16), int(record["next_pc"], 16)
        if record.get("interrupt") or record.get("trap"):
            self.jump(INTERRUPT if record.get("interrupt") else EXCEPTION, target)
            return
        self.count += record["opcode_size"] // 2
        if is_branch(opcode):
            self.history = self.history << 1 | record.get("taken", False)
            if self.history >> 31:
                self.out.append(message(27, (1, 4), (self.history, None)))
                self.history = 1
        elif is_indirect(opcode):
            self.jump(0, target)

    def end(self):
        self.out.append(message(33, (4, 4), (1, 2), (self.count, None), (self.history, None)))
        return b"".join(self.out)


def instructions(text):
    """(pc, did not retire) of the JSON lines of instructions."""
    found = (json.loads(line) for line in text.splitlines())
    return [(record["pc"], bool(record.get("trap") or record.get("interrupt")))
            for record in found if record["kind"] == "instruction"]


def ntrace_unit(chance):
    """A unit with any options."""
    return {"htm": chance.randrange(2), "stack": chance.choice((0, 1, 2, 8, 32)), "sijump": chance.randrange(2),
            "alljumps": chance.randrange(2), "extend": chance.randrange(2), "tstamp": chance.randrange(2),
            "hist_bits": chance.randint(1, 31), "icnt_max": chance.choice(((1 << 22) - 1, chance.randint(2, 100))),
            "icnt_by_sync": chance.randrange(2), "sync_every": chance.choice((0, chance.randint(2, 60))),
            "repeat_branch": chance.randrange(2), "repeat_hist": chance.randrange(2), "ownership": chance.randrange(2),
            "src_bits": chance.choice((0, 3, 12))}


def etrace_unit(chance, traps):
    """Implicit returns leave doubt where there are traps or synchronisations (docs/etrace.md)."""
    predicts, caches, returns = chance.randrange(2), chance.randrange(2), 0 if traps else chance.randrange(3)
    return {"full_address": chance.randrange(2), "sijump": chance.randrange(2), "branch_prediction": predicts,
            "bpred_size": predicts and chance.randint(1, 8), "jump_target_cache": caches,
            "cache_size": caches and chance.randint(1, 6), "f0s_width": predicts & caches,
            "implicit_return": int(returns > 0), "return_stack_size": chance.randint(1, 5) if returns == 1 else 0,
            "call_counter_size": chance.randint(1, 5) if returns == 2 else 0, "ras": chance.choice(("x1", "x1x5")),
            "time_width": chance.choice((0, 64)), "privilege_width": chance.choice((0, 2, 3)),
            "ecause_width": chance.choice((5, 6)), "resync_max": 0 if returns else chance.choice((0, chance.randint(1, 60))),
            "support": "pulp", "encapsulation": {"srcid_bits": chance.choice((0, 3, 8)), "type_bits": chance.choice((0, 2)),
                                                  "timestamp_bytes": chance.choice((0, 8))}}


class BranchTraces(Case):
    def encoded(self, program):
        """The capture of a program, its N-Trace, and the JSON lines of the capture's instructions."""
        shot, trace = self.folder / f"{program}.shot", self.folder / f"{program}.bin"
        self.capture(shot, program, *LIMIT)
        text = self.earshot("convert", "-f", "json", shot)[0]
        records = [record for record in json_lines(text) if record["kind"] == "instruction"]
        encoder = Encoder(int(records[0]["pc"], 16))
        for record in records:
            encoder.push(record)
        trace.write_bytes(encoder.end())
        return shot, trace, instructions(text)

    def test_what_the_capture_and_its_n_trace_share_is_the_same(self):
        for program in some("traps", "recursion", "rtos", "software", "nested", "strings", gate=2):
            with self.subTest(program=program):
                shot, trace, truth = self.encoded(program)
                elf = "--elf", PROGRAMS / f"{program}.elf"
                text, _ = self.earshot("convert", *elf, "-f", "json", trace)
                self.assertEqual(instructions(text), truth)
                piped, _ = self.earshot("convert", *elf, "-f", "json", "-", stdin=trace.read_bytes())
                self.assertEqual(piped, text)
                # Where a task is switched, only values of sp say so.
                for command in (("profile", "-f", "json"), ("branches", "-f", "csv"))[program == "rtos":]:
                    of_shot = shared(self.earshot(*command, *elf, shot)[0])
                    for jobs in 1, 2:
                        self.assertEqual(shared(self.earshot(*command, *elf, "-j", jobs, trace)[0]), of_shot, command)
                out, _ = self.earshot("diff", *elf, "--ignore", "trap,opcode", shot, trace)
                self.assertIn(f"the same: {len(truth)} records", out)
                at = len(truth) // 2
                middle = self.earshot("show", *elf, "--at", at, "--around", 2, trace)[0]
                self.assertIn(f"{int(truth[at][0], 16):x}", middle)

    def write(self, kind, unit, shot, *arguments):
        """A trace as a branch trace of this unit, and the unit's file."""
        file, trace = self.folder / "unit.json", self.folder / f"t.{kind}"
        file.write_text(json.dumps(unit))
        _, error = self.earshot("convert", *arguments, "--unit", file, shot, "-o", trace)
        self.assertIn("the unit is that of --unit; its reader needs the same --unit, and the program", error)
        return file, trace

    def test_a_capture_is_a_branch_trace_of_any_unit(self):
        rounds = 20 if NIGHT else 1
        chance = random.Random(os.environ.get("EAR_SEED", 1))
        for program in some("traps", "recursion", "rtos", "software", "nested", "strings", "sort", gate=2):
            shot = self.folder / f"{program}.shot"
            self.capture(shot, program)
            elf = "--elf", PROGRAMS / f"{program}.elf"
            for _ in range(rounds):
                traps = program not in ("recursion", "strings", "sort")
                for kind, unit, ignored in (("ntrace", ntrace_unit(chance), "trap,opcode"),
                                            ("etrace", etrace_unit(chance, traps), "opcode")):
                    with self.subTest(program=program, kind=kind, unit=json.dumps(unit)):
                        file, trace = self.write(kind, unit, shot, "--quiet-loss")
                        out, _ = self.earshot("diff", *elf, "--ignore", ignored, "-b", kind, "--unit-b", file,
                                              shot, trace)
                        self.assertIn("the same: ", out)

    @night
    def test_each_program_with_random_units_and_damage(self):
        trips = pathlib.Path(os.environ["EARSHOT_BUILD"]) / "bench/branch_trips"
        for elf in sorted(PROGRAMS.glob("*.elf")):
            shot = self.folder / f"{elf.stem}.shot"
            self.capture(shot, elf.stem, "--limit", 500000)
            for mode, count in ("trips", 20000000), ("damage", 600), ("damage", 2000):
                with self.subTest(program=elf.stem, mode=mode):
                    done = subprocess.run([trips, mode, elf, shot, str(count), os.environ.get("EAR_SEED", "1")],
                                          capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_a_branch_trace_lacks_is_said(self):
        shot = self.folder / "t.shot"
        self.capture(shot, "traps")
        for kind, lacked, carried in (("ntrace", "privilege", "branch taken"), ("etrace", "store value", "trap cause")):
            _, error = self.earshot("convert", "-f", kind, shot, "-o", self.folder / "t.bin")
            self.assertIn("the unit is the usual one; its reader needs no --unit", error)
            self.assertRegex(error, f"the output format cannot carry: {lacked}, of [0-9]+ records")
            self.assertNotIn(carried, error)
            _, error = self.earshot("convert", "-f", kind, "--strict", shot, "-o", self.folder / "t.bin", status=2)
            self.assertIn("the format cannot carry: ", error)
            for command in "decode", "grep":
                self.earshot(command, "-f", kind, shot, status=2)
        _, error = self.earshot("convert", "-f", "etrace", "--unit", "ntrace", shot, "-o", self.folder / "t.bin", status=2)
        self.assertIn("'ntrace' is not a unit that is known; those are reference, pulp, ", error)
        _, error = self.earshot("convert", "-f", "json", "--out-unit", "pulp", shot, status=2)
        self.assertIn("--out-unit needs -f etrace or -f ntrace", error)

    def test_interrupts_that_a_unit_does_not_mark_are_not_known(self):
        elf = "--elf", PROGRAMS / "software.elf"
        shot = self.folder / "t.shot"
        self.capture(shot, "software", "--limit", 20000)
        truth = json.loads(self.earshot("stat", "-f", "json", shot)[0])["traces"][0]["interrupts"]
        self.assertGreater(truth, 0)
        for kind, unit, wanted in (("ntrace", {"btype_ext": 0}, None), ("ntrace", {}, truth), ("etrace", {}, truth)):
            file, trace = self.write(kind, unit, shot)
            out = self.earshot("stat", "-f", "json", "-i", kind, "--unit", file, *elf, trace, trace)[0]
            found = json.loads(out)
            self.assertEqual(found["traces"][0]["interrupts"], wanted)
            self.assertEqual(found["total"]["interrupts"], wanted and 2 * wanted)

    def test_from_one_branch_trace_to_another(self):
        shot, final = self.folder / "t.shot", self.folder / "final.bin"
        self.capture(shot, "software")
        elf = "--elf", PROGRAMS / "software.elf"
        file, trace = self.write("etrace", {"time_width": 64, "resync_max": 9}, shot)
        _, error = self.earshot("convert", "-f", "ntrace", "-i", "etrace", "--unit", file, "--out-unit", "ntrace-btm", *elf,
                                trace, "-o", final)
        self.assertIn("the unit is that of --out-unit", error)
        out, _ = self.earshot("diff", *elf, "--ignore", "trap,opcode", "--unit-b", "ntrace-btm", shot, final)
        self.assertIn("the same: ", out)

    def test_a_log_of_pcs_has_the_opcodes_of_the_program(self):
        shot, log, trace = self.folder / "t.shot", self.folder / "t.tracerv", self.folder / "t.ntrace"
        self.capture(shot, "sort", *LIMIT)
        elf = "--elf", PROGRAMS / "sort.elf"
        self.earshot("convert", "--quiet-loss", shot, "-o", log)
        count = len(log.read_text().splitlines()) - 1
        self.earshot("convert", "--xlen", 32, *elf, log, "-o", trace)
        back = instructions(self.earshot("convert", *elf, "-f", "json", trace)[0])
        self.assertIn(len(back), (count, count - 1))  # where the last one went is not in the log

    def test_inferred_values_are_those_of_the_capture(self):
        for program in some("recursion", "traps", "rtos", "software"):
            with self.subTest(program=program):
                shot, trace, _ = self.encoded(program)
                truth = json_lines(self.earshot("convert", "-f", "json", shot)[0])
                text, error = self.earshot("infer", "--reset", "--elf", PROGRAMS / f"{program}.elf", trace)
                found = json_lines(text)
                truth, found = ([record for record in records if record["kind"] == "instruction"]
                                for records in (truth, found))
                self.assertEqual(len(found), len(truth))
                known = 0
                for record, true in zip(found, truth):
                    self.assertNotIn("registers", record)
                    self.assertNotIn("memory", record)
                    for register in record.get("inferred_registers", ()):
                        self.assertIn(register, true["registers"])
                        known += 1
                    for access in record.get("inferred_memory", ()):
                        same = [other for other in true["memory"] if other["write"] == access["write"]]
                        self.assertEqual(access, {key: same[0][key] for key in access})
                self.assertIn(f"registers written: {known} of ", error)
                writes = sum(any(r["class"] == "x" for r in record.get("registers", ()))
                             and not record.get("trap") and not record.get("interrupt") for record in truth)
                self.assertGreater(known, 0.75 * writes)
                # Other formats cannot mark them, so they do not get them.
                (self.folder / "inferred.jsonl").write_text(text)
                again, _ = self.earshot("convert", self.folder / "inferred.jsonl", "-f", "json")
                self.assertEqual(again.count("inferred_registers"), known)
                csv, error = self.earshot("convert", self.folder / "inferred.jsonl", "-f", "tracerv")
                self.assertIn("inferred value", error)

    def test_diff_compares_what_follows_with_a_reference(self):
        for program in some("sort", "recursion", "software", "strings", gate=1):
            with self.subTest(program=program):
                shot, trace, _ = self.encoded(program)
                truth = [record for record in json_lines(self.earshot("convert", "-f", "json", shot)[0])
                         if record["kind"] == "instruction"]
                infer = "--infer", "--reset", "--elf", PROGRAMS / f"{program}.elf"
                for sides in (("-a", "ntrace", trace, shot), ("-b", "ntrace", shot, trace)):
                    out, _ = self.earshot("diff", *infer, *sides)
                    self.assertIn(f"the same: {len(truth)} records", out)
                # A register of the reference is wrong, then a pc.
                at = next(i for i in range(len(truth) * 3 // 4, len(truth)) if truth[i].get("registers")
                          and truth[i]["class"] == "alu" and not truth[i].get("trap"))
                wrong = copy.deepcopy(truth)
                register = wrong[at]["registers"][0]
                value = int(register["value"], 16)
                register["value"] = hex(value ^ 4)
                reference = self.folder / "reference.jsonl"
                reference.write_text("".join(json.dumps(record) + "\n" for record in wrong))
                out, _ = self.earshot("diff", "--json", *infer, "-a", "ntrace", trace, reference, status=1)
                found = json.loads(out.splitlines()[0])
                self.assertEqual((found["register"], found["value_a"], found["value_b"], found["inferred_a"]),
                                 (f"x{register['number']}", hex(value), hex(value ^ 4), True))
                self.assertEqual((found["b"]["record"], found["a"]["pc"]), (at, truth[at]["pc"]))
                self.assertNotIn("inferred_b", found)
                out, _ = self.earshot("diff", *infer, "-b", "ntrace", reference, trace, status=1)
                self.assertIn(f"is {hex(value ^ 4)} in A and {hex(value)} (inferred) in B\n", out)
                wrong = copy.deepcopy(truth)
                wrong[at]["pc"] = hex(int(truth[at]["pc"], 16) ^ 0x100)
                reference.write_text("".join(json.dumps(record) + "\n" for record in wrong))
                out, _ = self.earshot("diff", *infer, "-a", "ntrace", trace, reference, status=1)
                self.assertIn(f"A goes to pc {truth[at]['pc']}, B to pc {wrong[at]['pc']}", out)

    def test_inferred_values_in_commands_are_those_of_the_capture_and_say_so(self):
        for program in some("sort", "recursion", "traps", "software", "strings", gate=1):
            with self.subTest(program=program):
                shot, trace, truth = self.encoded(program)
                elf = "--elf", PROGRAMS / f"{program}.elf"
                infer = "--reset", "-i", "ntrace", trace
                known = 0
                with Client(*elf, *infer) as client, Client(*elf, shot) as full:
                    for at in (len(truth) // 4, len(truth) // 2, len(truth) - 2):
                        found, true = (json.loads(self.earshot("state", "--json", "--at", at, "--reg", "x,mepc",
                                                               "--mem", "sp:64", "--stack", *elf, *path)[0])
                                       for path in (infer, (shot,)))
                        values = {name: value for name, value in found["registers"].items() if value is not None}
                        for name, value in values.items():
                            self.assertIn(true["registers"][name], (value, None), (at, name))
                        self.assertEqual(set(found["inferred"]), set(values) - {"zero"}, at)
                        for mine, other in zip(found["memory"], true["memory"]):
                            self.assertEqual(mine["address"], other["address"])
                            for i in range(0, 128, 2):
                                self.assertIn(mine["bytes"][i:i + 2], ("??", other["bytes"][i:i + 2]))
                                self.assertEqual(mine["inferred"][i], ".~"[mine["bytes"][i] != "?"])
                        self.assertEqual([frame["pc"] for frame in found["stack"]],
                                         [frame["pc"] for frame in true["stack"]])
                        known += len(values)
                        for session in client, full:
                            session.goto(at + 1)
                        for _ in range(4):  # backward, as GDB does it
                            for mine, other in zip(client.registers(), full.registers()):
                                self.assertIn(mine, (other, None))
                            # CSRs that traps wrote are named, too.
                            names = [name for name in client.monitor("inferred").replace("hart 0:", "").split()
                                     if re.fullmatch(r"ra|[sgt]p|fp|[sat]\d+", name)]
                            self.assertEqual(len(names), sum(v is not None for v in client.registers()[1:32]))
                            self.assertEqual(client.back()[0], full.back()[0])
                        self.assertIn("(inferred)", "".join(client.monitor("record") + client.back()[1].get("", "")
                                                            for _ in range(8)))
                self.assertGreater(known, 3 * 20)
                for command in ("coverage",), ("calls", "-f", "csv"):
                    self.assertEqual(*(shared(self.earshot(*command, *elf, path)[0]) for path in (trace, shot)), command)
                chain, error = self.earshot("why", "--value", "sp", "--json", *elf, *infer)
                chain, true = json.loads(chain), json.loads(self.earshot("why", "--value", "sp", "--json", *elf, shot)[0])
                self.assertTrue(chain["values_inferred"])
                self.assertEqual((chain["value"], chain["nodes"]), (true["value"], true["nodes"]))
                self.assertIn("are inferred from the program", self.earshot("why", *elf, *infer, status=None)[0])

    def test_logs_without_values_have_the_registers_of_the_capture(self):
        shot, _, _ = self.encoded("sort")
        records = [json.loads(line) for line in self.earshot("convert", "-f", "json", shot)[0].splitlines()]
        pairs = [(int(r["pc"], 16), int(r["opcode"], 16)) for r in records if r["kind"] == "instruction"]
        logs = {"spike": [f"core   0: 0x{pc:016x} (0x{opcode:08x}) nop" for pc, opcode in pairs],
                "qemu": [f"Trace 0: 0x7f0000000000 [00000000/{pc:016x}/00000003/ff000000] " for pc, _ in pairs]}
        state = "state", "--json", "--at", len(pairs) // 2, "--reg", "x", "--elf", PROGRAMS / "sort.elf"
        true = json.loads(self.earshot(*state, shot)[0])["registers"]
        for name, lines in logs.items():
            log = self.folder / f"{name}.log"
            log.write_text("\n".join(lines) + "\n")
            found = json.loads(self.earshot(*state, "--xlen", 32, "--reset", log)[0])
            self.assertEqual(found["registers"], true, name)
            self.assertEqual(set(found["inferred"]), set(true) - {"zero"}, name)

    def test_the_commands_answer_as_of_the_capture(self):
        shot, trace, _ = self.encoded("traps")
        elf = "--elf", PROGRAMS / "traps.elf"
        for command in (("grep", "-n", "--last", "--trap"), ("grep", "-n", "--first", "--trap"),
                        ("grep", "-n", "--last", "--pc", "main"), ("grep", "--names", "--last", "--pc", "main")):
            found = [re.sub(r"stream byte \d+", "", self.earshot(*command, *elf, path)[0]).split(",")[0]
                     for path in (trace, shot)]
            self.assertEqual(*found, command)
        totals = [json.loads(self.earshot("stat", "-f", "json", *elf, path)[0])["total"] for path in (trace, shot)]
        for key in ("records", "executed", "decoded", "taken", "not_taken", "branch", "jump"):
            self.assertEqual(totals[0][key], totals[1][key], key)
        out, error = self.earshot("check", "--json", *elf, trace)
        self.assertIn("opcodes and pcs of a branch trace come from the program", error)
        self.assertEqual(json.loads(out)["rules"]["loaded"]["checked"], 0)

    def test_a_report_of_a_trace_of_bytes_names_the_byte(self):
        trace = self.folder / "cut.bin"
        trace.write_bytes(b"\x05\x73\x00")
        for command in ("show",), ("convert", "-f", "json"), ("info",):
            _, error = self.earshot(*command, "-i", "etrace", "--elf", PROGRAMS / "recursion.elf", trace, status=2)
            self.assertRegex(error, "byte 0[^\n]*: the trace ends inside of a packet")
            self.assertNotRegex(error, r"line \d|bad line")

    def test_without_the_program_or_with_another_one(self):
        _, trace, truth = self.encoded("recursion")
        for command in ("info",), ("show",), ("profile",), ("convert", "-f", "json"), ("diff", trace):
            _, error = self.earshot(*command, trace, status=2)
            self.assertRegex(error, r"this is a branch trace: it needs the program that ran \(--elf\)")
        out, error = self.earshot("convert", "--elf", PROGRAMS / "sort.elf", "-f", "json", trace, status=2)
        self.assertEqual(instructions(out), [])
        self.assertIn("no record could be read: do --elf and --unit belong to the trace?", error)

    def test_values_that_are_not_traced_are_never_the_same(self):
        # lui a5, 0x10; then addi a5, a5, -1; bnez a5: a delay, whose end the trace does not reach.
        code, base = (0x000107B7, 0xFFF78793, 0xFE079EE3, 0x0000006F), 0x80000000
        write_elf(self.folder / "delay.elf", code)
        encoder = Encoder(base)
        for at in [0] + [1, 2] * 20000:
            encoder.push({"opcode": hex(code[at]), "opcode_size": 4, "taken": at == 2,
                          "next_pc": hex(base + 4 * (1 if at == 2 else at + 1))})
        (self.folder / "delay.bin").write_bytes(encoder.end())
        out, _ = self.earshot("why", "--elf", self.folder / "delay.elf", self.folder / "delay.bin", status=1)
        self.assertRegex(out, "^cause unknown: at the end is a loop of 2 instructions")
        log = self.folder / "pc.log"  # the same of a log without values, of spike -l
        log.write_text("core   0: 0x80000000 (0x000107b7) lui     a5, 0x10\n" + 20000 * (
            "core   0: 0x80000004 (0xfff78793) addi    a5, a5, -1\n"
            "core   0: 0x80000008 (0xfe079ee3) bnez    a5, pc - 4\n"))
        out, _ = self.earshot("why", log, status=1)
        self.assertRegex(out, "^cause unknown: at the end is a loop of 2 instructions")
        log.write_text(2 * "core   0: 0x80000000 (0x0007a703) lw      a4, 0(a5)\n"
                       + "core   0: exception trap_load_access_fault, epc 0x80000000\n"
                       + "core   0:           tval 0x00000000\n")
        out, _ = self.earshot("why", log)
        self.assertNotIn("same values", out)
        _, trace, _ = self.encoded("traps")
        out, _ = self.earshot("why", "--elf", PROGRAMS / "traps.elf", trace, status=None)
        self.assertNotIn("same values", out)

    def test_a_trace_that_is_cut_says_so(self):
        _, trace, truth = self.encoded("recursion")
        whole = trace.read_bytes()
        for size in some(len(whole) // 2, len(whole) - 3, len(whole) // 3, gate=2):
            trace.write_bytes(whole[:size])
            elf = "--elf", PROGRAMS / "recursion.elf"
            out, error = self.earshot("convert", *elf, "-f", "json", trace)
            self.assertIn("records are missing in 1 place", error)
            got = instructions(out)
            self.assertEqual(got, truth[:len(got)])
            self.assertEqual(json.loads(out.splitlines()[-1])["kind"], "gap", size)
            _, error = self.earshot("branches", *elf, trace, status=2)
            self.assertIn("missing", error)


def shared(text):
    """Without what only a capture has: clocks, accesses, whether an end is whole. Causes tell traps from interrupts."""
    text = re.sub(r'"(clocks|reads|writes|read_bytes|written_bytes|lines|traps|complete|accounted)": [a-z\d]+', "", text)
    return text.splitlines()


if __name__ == "__main__":
    main()
