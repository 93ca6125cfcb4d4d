#!/usr/bin/env python3
"""Each number that 'earshot why' gives against the JSON records of the same trace, also where it lies further back
than the 65536 records that are searched in memory. And what it says of planted bugs, against what the programs
print about themselves.
"""
import collections
import json
import re
import subprocess

import planted_faults as planted
from support import EARSHOT, NIGHT, PROGRAMS, Case, json_lines, main, night, some, write_elf

MRET = 0x30200073

# Waits for a word that nothing writes, while the timer interrupts; the handler is 3 instructions long.
WAIT = [0x00000297, 0x04028293, 0x30529073,  # csrw mtvec, 0x80000040
        0x02004337, 0x0c800393, 0x00032223, 0x00732023,  # mtimecmp = t2 = 200
        0x08000e13, 0x304e1073, 0x30046073,  # mie, mstatus.MIE
        0x3c02a503, 0xfe050ee3,  # lw a0, 0x3c0(t0); beq a0, zero, . - 4
        0x0000006f, 0, 0, 0,
        0x7d038393, 0x00732023, MRET]  # t2 += 2000; mtimecmp = t2

# The same load traps again and again: the handler returns to it.
STORM = [0x00000297, 0x01028293, 0x30529073,  # csrw mtvec, 0x80000010
         0x00002503,  # lw a0, 0(zero)
         0x00138393, 0x30200073]  # t2 += 1; mret

# x5 counts down; then an instruction of the beginning is executed again, with another address.
AGAIN = [0x00000317,  # auipc t1, 0
         0x00032503,  # lw a0, 0(t1)
         0x000092b7,  # lui t0, 0x9: 36864 rounds
         0xfff28293, 0xfe029ee3,  # addi t0, t0, -1; bne t0, zero, . - 4
         0x00000313, 0xfedff06f]  # li t1, 0; j . - 20


class Numbers(Case):
    def captured(self, name, elf, *keys, arguments=()):
        path = self.folder / f"{name}.shot"
        device = ",".join([f"sim:{elf}", "uart=/dev/null", *keys])
        subprocess.run([EARSHOT, "capture", "-q", "-d", device, "-o", path, *map(str, arguments)], check=True,
                       capture_output=True, timeout=120)
        return path

    def words(self, name, words, cycles):
        elf = self.folder / f"{name}.elf"
        write_elf(elf, words)
        return self.captured(name, elf, f"max-cycles={cycles}")

    def answer(self, path):
        result = subprocess.run([EARSHOT, "why", "-q", "--json", path], check=False, capture_output=True, text=True,
                                timeout=120)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)

    def records(self, path):
        out = subprocess.run([EARSHOT, "decode", "-q", "-f", "json", path], check=True, capture_output=True, text=True,
                             timeout=120).stdout
        records = json_lines(out)
        return [record for record in records if record["kind"] == "instruction"]

    @staticmethod
    def walked(records):
        """The numbers of the records that are of no handler of an interrupt that returned, and the exceptions whose
        handlers did not return."""
        path, entries = [], []
        for number, record in enumerate(records):
            if record.get("interrupt"):
                entries.append((len(path), None))
            path.append(number)
            if record.get("trap"):
                entries.append((None, number))
            elif int(record["opcode"], 16) == MRET and entries:
                begin, _ = entries.pop()
                if begin is not None:
                    del path[begin:]
        return path, [trap for _, trap in entries if trap is not None]

    def check_loop(self, answer, records, path):
        pcs = [records[number]["pc"] for number in path][::-1]
        if int(records[path[-1]]["opcode"], 16) == 0x10500073:
            return
        i, period = 0, answer["period"]
        while i + period < len(pcs) and pcs[i] == pcs[i + period]:
            i += 1
        self.assertEqual((answer["loop"]["record"], answer["earlier"]), (path[-(i + period)], False))
        self.assertLessEqual(answer["rounds"], i // period + 1)
        if answer["difference"] and answer["difference"]["before"]:
            left = answer["difference"]["before"]
            branch = answer["place"]["pc"]
            ways = [(number, records[number + 1]["pc"]) for number in range(left["record"], answer["loop"]["record"])
                    if records[number]["pc"] == branch and not records[number].get("interrupt")]
            stays = records[answer["place"]["record"]]["next_pc"]
            self.assertEqual([number for number, way in ways if int(way, 16) != int(stays, 16)][-1], left["record"])

    def check_round(self, answer, records):
        now = answer["branch"] if answer["kind"] == "exit" else answer["jump"] or answer["place"]
        if not now or not now["instruction"]:
            return
        before = [number for number in range(now["record"]) if records[number]["pc"] == now["pc"]]
        said = answer["difference"] and answer["difference"]["before"]
        self.assertEqual(said and said["record"], before[-1] if before else None)

    def check(self, path):
        answer, records = self.answer(path), self.records(path)
        walked, traps = self.walked(records)
        nodes = [node for value in answer["values"] for node in value["nodes"]]
        places = [answer[key] for key in ("place", "jump", "branch", "loop") if answer[key]]
        for place in places + nodes:
            self.assertEqual(records[place["record"]]["pc"], place["pc"])
        for node in nodes:
            if "first_record" in node:
                self.assertEqual(records[node["first_record"]]["pc"], node["pc"])
        if answer["kind"] == "hang":
            self.check_loop(answer, records, walked)
        if answer["kind"] in ("trap", "exit"):
            self.check_round(answer, records)
        if answer["kind"] == "trap" and "returns to" not in answer["text"]:
            self.assertEqual(len([trap for trap in traps if trap > answer["place"]["record"]]), answer["nested"])
        return answer, records

    def test_programs(self):
        kinds = set()
        for name, keys in some(("story_pointer", ()), ("story_stack", ()), ("failing", ()),
                               ("story_interrupt", ("max-cycles=20000",)), ("story_freed", ()), ("story_race", ()),
                               ("tohost", ()), ("story_interrupt", ("max-cycles=220000",)), gate=4):
            with self.subTest(name, keys=keys):
                kinds.add(self.check(self.captured(name, PROGRAMS / f"{name}.elf", *keys))[0]["kind"])
        self.assertEqual(kinds, {"trap", "exit", "hang"})

    @night
    def test_every_program(self):
        """Of the board and of the simulator, as far as they come: the numbers of any answer."""
        kinds, count = collections.Counter(), 0
        for elf in sorted(PROGRAMS.glob("**/*.elf")):
            folder = elf.parent.name
            path = self.folder / "every.shot"
            with self.subTest(program=f"{folder}/{elf.name}"):
                if elf.parent == PROGRAMS:
                    self.captured("every", elf, arguments=("--limit", 20000))
                else:
                    isa = folder.replace("_", "u_", 1) if "_" in folder else folder + "u"
                    subprocess.run([planted.ISS, "--isa", isa, "--quiet", "--max", "20000", "-o", path, elf],
                                   check=False, capture_output=True, timeout=120)
                kinds[self.check(path)[0]["kind"]] += 1
                count += 1
        print(count, "programs:", dict(kinds))
        self.assertGreater(count, 50)

    def compare_with_log(self, log, answer, text, frames, records):
        """What the program said of itself."""
        def function(place):
            return place.get("symbol", "").partition("+")[0]

        nodes = [node for value in answer["values"] for node in value["nodes"]]
        one = {name: values[-1] for name, values in log.items()}
        self.assertEqual(answer["kind"], one["kind"])
        if "function" in one:
            places = [function(place) for place in (answer["jump"], answer["place"]) if place]
            self.assertIn(one["function"], places)
        if "writer" in one:
            self.assertIn(one["writer"], {function(node) for node in nodes})
        if "root" in one:
            self.assertIn(one["root"], {int(value["value"], 16) for value in answer["values"]})
        if "stored" in one:
            self.assertIn(one["stored"], {int(node["after"], 16) for node in nodes})
        if "before" in one:
            registers = answer["difference"]["registers"]
            self.assertIn(one["before"], {int(register["then"], 16) for register in registers})
        if "calls" in one:
            self.assertEqual(frames[len(frames) - 1 - one["calls"].count(",") - 1:-1], one["calls"].split(","))
        if "place" in one:
            self.assertEqual(int(answer["place"]["pc"], 16), one["place"])
        if "branch" in one:
            self.assertEqual(function(answer["branch"]), one["branch"])
        if "off" in one:
            self.assertTrue(answer["interrupts_off"])
        if "rounds" in one:
            self.assertGreaterEqual(answer["rounds"], one["rounds"])
            self.assertTrue(text.startswith(f"hang: a loop of {answer['period']} instructions, {answer['rounds']} "),
                            text)
        if "privilege" in one:
            self.assertEqual(records[answer["place"]["record"]]["privilege"], one["privilege"])
        if answer["kind"] == "exit":
            self.assertEqual((answer["code"], text.partition(", after ")[0].splitlines()[0]),
                             (one["code"], f"the program ended with exit code {one['code']}"))
        if "cause" in one:
            # The handler's own view, and the core's counter of instructions: what trapped is not in it.
            self.assertEqual((answer["cause"], int(answer["trap_value"], 16), answer["code"]),
                             (one["cause"], one["trap_value"], 255))
            self.assertIn("its handler ended the program with code 255\n", text)
            number, = re.findall("0x[0-9a-f]+", text.splitlines()[0])
            self.assertEqual(int(number, 16), one["trap_value"])
            handler, = [i for i, record in enumerate(records) if int(record["opcode"], 16) & 0xfffff07f == 0xb0202073]
            traps = [i for i, record in enumerate(records[:handler]) if record.get("trap")]
            interrupts = sum(bool(record.get("interrupt")) for record in records[:handler])
            self.assertEqual((traps, handler - one["instructions"]), ([answer["place"]["record"]], 1 + interrupts))

    def test_planted_faults(self):
        """Each number of the text against the records, and each sentence against what the program printed."""
        kinds, numbers, count = collections.Counter(), 0, 0
        for at, fault in enumerate(planted.FAULTS):
            if not NIGHT and fault not in ("masked", "assertion"):
                continue
            for seed in range(at, at + 5 if NIGHT else at + 1):
                isa, abi, level = planted.BUILDS[seed % len(planted.BUILDS)]
                with self.subTest(fault=fault, isa=isa, level=level, seed=seed):
                    elf = planted.build(self.folder, fault, isa, abi, level, seed)
                    path, log = planted.run(elf, isa)
                    answer, records = self.check(path)
                    answer, text = planted.explain(elf, path)
                    read = planted.Text(self, planted.Program(elf, records), text)
                    self.compare_with_log(log, answer, text, read.frames, records)
                    self.assertGreater(read.numbers, 5)
                    kinds[answer["kind"]] += 1
                    numbers += read.numbers
                    count += 1
        print(count, "planted faults:", dict(kinds), numbers, "numbers")
        self.assertEqual(count, 5 * len(planted.FAULTS) if NIGHT else 2)

    def test_a_loop_with_interrupts_before_the_window(self):
        for cycles in some(250000, 20000, 3000000):
            answer, records = self.check(self.words("wait", WAIT, cycles))
            self.assertEqual((answer["kind"], answer["loop"]["record"]), ("hang", 10))
            self.assertTrue(any(record.get("interrupt") for record in records))
            self.assertEqual(len(records) > 65536 + 1000, cycles > 20000)

    def test_a_trap_that_comes_again_since_before_the_window(self):
        for cycles in some(3000, 700000):
            answer, records = self.check(self.words("storm", STORM, cycles))
            self.assertEqual((answer["kind"], answer["place"]["record"], answer["earlier"]), ("trap", 3, False))
            self.assertEqual(len(records) > 65536 + 1000, cycles > 3000)
            traps = sum(bool(record.get("trap")) for record in records)
            self.assertIn(f", {traps} times or more: ", answer["text"])

    def test_an_execution_before_the_window(self):
        answer, records = self.check(self.words("again", AGAIN, 1000000))
        self.assertEqual(answer["kind"], "trap")
        self.assertGreater(len(records), 70000)
        self.assertEqual(answer["difference"]["before"]["record"], 1)
        register, = answer["difference"]["registers"]
        self.assertEqual((register["then"], register["now"]), ("0x80000000", "0x0"))


if __name__ == "__main__":
    main()
