#!/usr/bin/env python3
"""What a trace says about a moment of a run is true: every register and every byte of memory that is
called known, at random moments, against what the hardware held. The truth comes from the virtual
board (dump=), from the simulator where the demo core has no such instructions, and from QEMU.

    test_moments.py [--long]

--long compares a thousand moments of each program instead of a part of them.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import zlib

from support import PROGRAMS, TREE, Case, main, some

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

BUILD = pathlib.Path(os.environ["EARSHOT_BUILD"])
TRUTH = BUILD / "tests/earshot-truth"
ISS = os.path.abspath(os.environ["EARSHOT_ISS"])

MOMENTS = 1000 if LONG else 200
# Programs for the demo core, and how many instructions of them are looked at.
CORE = {"traps": 67000, "misaligned": 56000, "timer": 78000, "software": 41000, "nested": 100000, "rtos": 36000,
        "sections": 100000, "unwind": 42000, "polling": 31000, "recursion": 78000, "demo": 78000}
# For the simulator: program, folder of the ELF file, its instruction set, options.
SIMULATED = (
    ("atomics", "rv32imac", "rv32imacu", "sc_failure=20"), ("atomics", "rv64imac", "rv64imacu", "sc_failure=20"),
    ("user", "rv32imac", "rv32imacu", ""), ("tasks", "rv64imac", "rv64imacu", ""),
    ("rewrite", "rv64imac", "rv64imacu", ""), ("csrs", "rv32imc", "rv32imc", ""),
    ("float_edges", "rv32imafdc", "rv32imafdcu", ""),
    ("fft", "rv64imafdc_zba_zbb_zbs", "rv64imafdcu_zba_zbb_zbs", ""),
    ("packets", "rv32imac", "rv32imacu", "packets=2000"),
    ("uart_timer", "rv32imc", "rv32imc", "uart_busy=700,time_random=1"))
SIMULATED_LENGTH = 60000


def cut(stream, seed, pieces=3):
    """The stream without some pieces of a few hundred bytes."""
    chance, parts, at = random.Random(seed), [], 0
    for place in sorted(chance.sample(range(len(stream) // 50, len(stream)), pieces)):
        parts.append(stream[at:place])
        at = place + chance.randrange(1, 3000)
    return b"".join((*parts, stream[at:]))


class Moments(Case):
    def setUp(self):
        super().setUp()
        self.shot, self.dump = self.folder / "t.shot", self.folder / "t.dump"

    def list_moments(self, name, length, count=MOMENTS):
        path = self.folder / "moments"
        chance = random.Random(zlib.crc32(name.encode()))
        path.write_text("\n".join(map(str, chance.sample(range(length), count))), encoding="ascii")
        return path

    def run_core(self, program, *arguments, keys="", count=MOMENTS):
        moments = self.list_moments(program, CORE[program], count)
        device = f"sim:{PROGRAMS / program}.elf,uart=/dev/null,dump=@{moments}:{self.dump}{keys}"
        self.earshot("capture", "-q", "-d", device, "-o", self.shot, "--limit", CORE[program], *arguments)

    def run_simulator(self, name, folder, isa, options, count=MOMENTS):
        """Returns the ELF file. The trace is a raw stream."""
        elf = PROGRAMS / "workloads" / folder / f"{name}.elf"
        moments = self.list_moments(name + folder, SIMULATED_LENGTH, count)
        options = ",".join(filter(None, ("memory=1", options)))
        result = subprocess.run([ISS, "--isa", isa, "--quiet", "--set", options, "--max", str(SIMULATED_LENGTH),
                                 "--dump", f"@{moments}:{self.dump}", "-o", self.shot, elf],
                                capture_output=True, text=True, check=False)
        self.assertIn(result.returncode, (0, 124), result.stderr)
        return elf

    def compare(self, trace, elf, *arguments, status=0):
        """Returns what earshot-truth reports: moments, missing, wrong and what percentages are known."""
        result = subprocess.run([TRUTH, trace, self.dump, "--image", elf, *arguments], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, status, f"{elf.name}\n{result.stdout}\n{result.stderr}")
        if LONG:
            print(f"{elf.parent.name}/{elf.name}: {result.stdout.splitlines()[-1]}")
        words = result.stdout.splitlines()[-1].replace(",", "").replace(";", "").split()
        return {"moments": int(words[1]), "missing": int(words[3]), "wrong": int(words[5]),
                "registers": float(words[words.index("registers") + 1]), "bytes": float(words[-2])}

    def check_nearly_all(self, found, registers=99.9, touched=99.9, count=MOMENTS):
        self.assertGreater(found["moments"], 0.9 * count)
        self.assertEqual(found["missing"], 0)
        self.assertGreater(found["registers"], registers)
        self.assertGreater(found["bytes"], touched)

    def test_the_core(self):
        for program in some(*CORE, gate=2):
            with self.subTest(program):
                self.run_core(program)
                self.check_nearly_all(self.compare(self.shot, PROGRAMS / f"{program}.elf"))

    def test_the_simulator(self):
        # FP registers that the program never writes stay unknown; a packet source writes memory that no
        # instruction writes; FLD and FSD on RV32 show half of their bytes.
        least = {"float_edges": (60, 99), "fft": (60, 99), "packets": (99, 30)}
        for name, folder, isa, options in some(*SIMULATED, gate=2):
            with self.subTest(program=name, isa=isa):
                elf = self.run_simulator(name, folder, isa, options)
                self.check_nearly_all(self.compare(self.shot, elf), *least.get(name, (99.9, 99.9)))

    def test_after_gaps_of_the_unit(self):
        """Moments that follow a gap are compared, too: what is known again is true."""
        count = 1000
        compared = 0
        for program, keys in some(("rtos", ",link=8M,unit=raw"), ("timer", ",link=2M,unit=small"), ("timer", ",link=1M"),
                                  ("nested", ",link=12M,unit=raw"), ("traps", ",link=10M,unit=raw"),
                                  ("sections", ",link=14M,unit=raw"), gate=3):
            with self.subTest(program=program, keys=keys):
                self.run_core(program, "--policy", "drop", keys=keys, count=count)
                found = self.compare(self.shot, PROGRAMS / f"{program}.elf")
                self.assertGreater(found["missing"], 100)
                compared += found["moments"]
        self.assertGreater(compared, 500)

    def test_after_damage(self):
        programs = [(name, "core") for name in ("rtos", "nested", "sections", "timer")]
        programs += [(row, "simulator") for row in SIMULATED[:6]]
        if not LONG:
            programs = programs[::3]  # two of each
        compared = 0
        for number, (program, where) in enumerate(programs):
            for seed in range(number, number + (8 if LONG else 1)):
                with self.subTest(program=program, seed=seed):
                    if where == "core":
                        elf = PROGRAMS / f"{program}.elf"
                        self.run_core(program, keys=",unit=raw")
                        stream = subprocess.run(["zstd", "-d", "-c", self.shot], check=True, capture_output=True).stdout
                    else:
                        elf = self.run_simulator(*program)
                        stream = self.shot.read_bytes()
                    damaged = self.folder / "damaged"
                    damaged.write_bytes(cut(stream, seed))
                    found = self.compare(damaged, elf)
                    self.assertLess(found["bytes"], 99)
                    compared += found["moments"]
        self.assertGreater(compared, len(programs) * MOMENTS // 2)

    def test_what_a_filter_held_back_may_have_changed_anything(self):
        for program, arguments in some(("rtos", ("--filter", "pc=0x80000200-0x80000fff")),
                                       ("misaligned", ("--start", "pc=main", "--stop", "records=9000")),
                                       ("nested", ("--filter", "pc=0x80000100-0x800002ff")),
                                       ("traps", ("--filter", "pc=0x80000200-0x80000fff")), gate=2):
            for unit in ("large", "raw") if LONG else ("large",):
                with self.subTest(program=program, unit=unit):
                    self.run_core(program, *arguments, keys=f",unit={unit}", count=1000)
                    found = self.compare(self.shot, PROGRAMS / f"{program}.elf")
                    self.assertGreater(found["moments"], 100)
                    self.assertLess(found["bytes"], 50)

    def test_texts(self):
        """What a format does not carry is unknown, never wrong."""
        programs = [*some(("rtos", "core"), (SIMULATED[6], "simulator"), (SIMULATED[8], "simulator"), gate=2)]
        if LONG:
            programs += [("misaligned", "core"), ("nested", "core"), (SIMULATED[0], "simulator"),
                         (SIMULATED[7], "simulator")]
        for program, where in programs:
            if where == "core":
                elf = PROGRAMS / f"{program}.elf"
                self.run_core(program, count=100)
            else:
                elf = self.run_simulator(*program, count=100)
            for name in some("spike", "json", "tarmac", "whisper", "whisper-log", "qemu4v", "armulator", gate=3):
                with self.subTest(program=program, format=name):
                    text = self.folder / f"{name}.txt"
                    self.earshot("decode", self.shot, "-f", name, "-o", text)
                    found = self.compare(text, elf, "--text")
                    self.assertGreater(found["moments"], 50)

    def test_the_command_says_what_the_hardware_held(self):
        """`earshot state`, with the image of the program that the capture names."""
        for program, number in some(("rtos", 5000), ("nested", 77777), ("sections", 60001), ("unwind", 41000)):
            with self.subTest(program):
                device = f"sim:{PROGRAMS / program}.elf,uart=/dev/null,dump={number}:{self.dump}"
                self.earshot("capture", "-q", "-d", device, "-o", self.shot)
                out, _ = self.earshot("state", self.shot, "--at", number, "--reg", "x,mepc", "--mem", "0x80000000:4096",
                                      "--json")
                said = json.loads(out)
                truth = [line.split() for line in self.dump.read_text(encoding="ascii").splitlines()]
                registers = {int(words[1]): int(words[2], 16) for words in truth if words[0] == "x"}
                values = list(said["registers"].values())
                self.assertEqual([int(value, 16) for value in values[1:32]], [registers[k] for k in range(1, 32)])
                self.assertIn(["next", f"{int(said['next_pc'], 16):#010x}"], truth)
                memory = bytearray(4096)
                for words in truth:
                    if words[0] == "m" and 0x80000000 <= int(words[1], 16) < 0x80001000:
                        at = int(words[1], 16) - 0x80000000
                        memory[at:at + 64] = bytes.fromhex(words[2])
                shown = said["memory"][0]["bytes"]
                pairs = [(shown[2 * k:2 * k + 2], memory[k]) for k in range(4096)]
                self.assertGreater(sum("?" not in pair for pair, _ in pairs), 1000)
                self.assertEqual([pair for pair, byte in pairs if "?" not in pair and int(pair, 16) != byte], [])

    def test_qemu(self):
        for program, length, count in some(("traps", 3000, 20), ("unwind", 3000, 20), ("sections", 6000, 10)):
            if LONG:
                length, count = 5 * length, 200
            with self.subTest(program):
                moments = self.list_moments(program, length, count)
                subprocess.run([sys.executable, TREE / "tests/truth/qemu_dump.py", PROGRAMS / f"{program}.elf", moments,
                                self.dump], check=True, timeout=300)
                self.earshot("capture", "-q", "-d", f"sim:{PROGRAMS / program}.elf,uart=/dev/null", "-o", self.shot)
                self.check_nearly_all(self.compare(self.shot, PROGRAMS / f"{program}.elf"), registers=90, count=count)

    def test_a_core_that_goes_wrong_is_seen(self):
        """Memory that a store did not change, and a register that changed after it was written."""
        for program, keys in (("sections", ",fault=store:50"), ("recursion", ",fault=reg:50")):
            with self.subTest(program):
                self.run_core(program, keys=keys + ",max-cycles=60000", count=2000)
                found = self.compare(self.shot, PROGRAMS / f"{program}.elf", status=1)
                self.assertGreater(found["wrong"], 0)

    def test_nothing_to_compare_is_no_success(self):
        self.run_core("software", count=3)
        for trace, dump in ((self.shot, "# earshot-board dump 1\n# end: 0 of 3 moments\n"),
                            (self.shot, self.dump.read_text(encoding="ascii")[:3000])):
            self.dump.write_text(dump, encoding="ascii")
            result = subprocess.run([TRUTH, trace, self.dump], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    main()
