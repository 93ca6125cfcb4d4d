"""Programs with a planted bug (tests/programs/faults.c): built, run on the simulator, and what they print about
themselves; and a reader of the text of 'earshot why' that takes every number of it to the records."""
import bisect
import json
import os
import re
import subprocess

from support import EARSHOT, TREE

ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
SOURCES = TREE / "tests/programs"
FAULTS = ("null_field wild_pointer off_by_one uninitialised overflow divide run_off misaligned wrong_function smashed "
          "use_after_free double_free illegal data_as_code bad_return bad_stack race masked flag asleep assertion "
          "exit_code forbidden").split()
BUILDS = (("rv32imac", "ilp32", "-O2"), ("rv64imac", "lp64", "-O0"), ("rv32imac", "ilp32", "-O0"),
          ("rv64imac", "lp64", "-Os"), ("rv32imac", "ilp32", "-Os"), ("rv64imac", "lp64", "-O2"))
REGISTERS = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "
             "t3 t4 t5 t6").split()
CSRS = {"mstatus": 0x300, "mie": 0x304, "mepc": 0x341}


def tool(name, *arguments):
    return subprocess.run([f"riscv64-unknown-elf-{name}", *map(str, arguments)], check=True, capture_output=True,
                          text=True, timeout=120).stdout


def build(folder, fault, isa, abi, level, seed):
    elf = folder / f"{fault}.elf"
    tool("gcc", f"-march={isa}", f"-mabi={abi}", "-misa-spec=2.2", "-mcmodel=medany", "--specs=picolibc.specs",
         "-std=gnu11", level, "-g", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-ffunction-sections",
         "-fno-optimize-sibling-calls", f"-DFAULT={fault}", f"-DSEED={seed}", "-nostartfiles", "-Wl,--gc-sections",
         "-Wl,--no-warn-rwx-segments", "-T", SOURCES / "link.ld",
         *(SOURCES / name for name in ("start.S", "support.c", "faults.c")), "-o", elf)
    return elf


def run(elf, isa):
    """The capture, and the log of the program: lists of values by name."""
    path = elf.with_suffix(".shot")
    done = subprocess.run([ISS, "--isa", isa + "u", "--set", "misaligned_traps=1", "--max", "60000", "-o", path, elf],
                          check=False, capture_output=True, text=True, timeout=120)
    log = {}
    for name, value in re.findall(r"^(\w+) (\S+)$", done.stderr, re.M):
        log.setdefault(name, []).append(int(value, 16) if value.startswith("0x") else value)
    return path, log


def numbers_of(text):
    """Operands that are no registers."""
    return sorted(int(number, 0) for number in re.findall(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d+)\b", text))


class Program:
    """Symbols and lines as the binutils see them, and records with who wrote what before."""

    def __init__(self, elf, records):
        self.elf, self.records = elf, records
        self.symbols = {}
        for line in tool("nm", elf).splitlines():
            address, kind, name = line.split()
            if kind in "tTbBdDrRsS":
                self.symbols.setdefault(name, int(address, 16))
        self.lines = {}  # of each address with a row, its rows
        for name, number, address in re.findall(r"^(\S+) +(\d+) +(0x[0-9a-f]+)\b", tool(
                "readelf", "--debug-dump=decodedline", elf), re.M):
            self.lines.setdefault(int(address, 16), []).append(f"{name}:{number}")
        self.rows = sorted(self.lines)
        self.code = {}  # of each address: the numbers of its instruction, and where it leads
        for address, text in re.findall(r"^ *([0-9a-f]+):\t[0-9a-f]+ +\t(.*)$", tool(
                "objdump", "-d", "-M", "no-aliases", elf), re.M):
            text = re.sub(r"[#].*", "", text)
            target = re.search(r"\b([0-9a-f]{8,16}) <", text)
            self.code[int(address, 16)] = int(target[1], 16) if target else numbers_of(text)
        tool("objcopy", "-O", "binary", elf, elf.with_suffix(".bin"))
        self.image = elf.with_suffix(".bin").read_bytes()

    def address(self, text):
        """Of "name", "name+0x12" and "0x80000000"."""
        if text.startswith("0x"):
            return int(text, 16)
        if re.search(r"[.\[]", text) and text.partition("+")[0] not in self.symbols:
            return self.member(text)
        name, _, offset = text.partition("+")
        return self.symbols[name] + int(offset or "0", 16)

    def member(self, text):
        """Of "sessions[2].name[3]+0x1", as GDB has it."""
        if text not in self.symbols:
            expression, _, offset = text.partition("+")
            said = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-ex", f"print/x (unsigned long)&{expression}",
                                   self.elf], check=True, capture_output=True, text=True, timeout=120).stdout
            self.symbols[text] = int(re.search(r"= (0x[0-9a-f]+)", said)[1], 16) + int(offset or "0", 16)
        return self.symbols[text]

    def line(self, pc):
        """Those that the line table has; addr2line has the wrong file for some."""
        at = bisect.bisect(self.rows, pc) - 1
        return self.lines[self.rows[at]]

    def writes(self, number, place):
        """What a record wrote to a register or to bytes of memory, as far as it did: None or a value."""
        record = self.records[number]
        if isinstance(place, str):
            kind, index = ("csr", CSRS[place]) if place in CSRS else ("x", REGISTERS.index(place))
            for register in record.get("registers", ()):
                if register["class"] == kind and register["number"] == index:
                    return int(register["value"], 16)
            return None
        address, size = place
        for access in record.get("memory", ()):
            offset = address - int(access["address"], 16)
            if access["write"] and not record.get("trap") and 0 <= offset and offset + size <= access["size"]:
                return int(access["value"], 16) >> 8 * offset & (1 << 8 * size) - 1
        return None

    def before(self, number, place):
        """The value of a place before a record, None if no record wrote it as a whole."""
        for earlier in range(number - 1, -1, -1):
            value = self.writes(earlier, place)
            if value is not None:
                return value
            if not isinstance(place, str) and any(
                    access["write"] and int(access["address"], 16) < place[0] + place[1]
                    and place[0] < int(access["address"], 16) + access["size"]
                    for access in self.records[earlier].get("memory", ())):
                return None  # a part of it
        return None

    def place(self, text):
        """"a5", "mepc", "table+0x4:4"."""
        if ":" not in text:
            return text
        where, size = text.rsplit(":", 1)
        return self.address(where), int(size)


WHERE = r"(?P<where>\S+)(?: \((?P<line>[^)]*)\))?"
RECORD = re.compile(r"#(?P<number>\d+) +(?P<pc>0x[0-9a-f]+)(?: +" + WHERE + r")?(?:  +(?P<instruction>.*))?$")
NODE = re.compile(r" +#(?P<number>\d+) +" + WHERE + r" +(?P<instruction>\S.*?)(?:  +(?P<place>\S+): "
                  r"(?P<then>0x[0-9a-f]+|\?) -> (?P<now>0x[0-9a-f]+))$")
FRAME = re.compile(r"  #(?P<number>\d+) +(?P<pc>0x[0-9a-f]+)(?: +" + WHERE + r")?$")
VALUE = re.compile(r"(?: *from|the (?:address|target|branch|code|instruction).*?|another branch .*?|the handler returned by|"
                   r"what may end the sleep:|interrupts are off by) "
                   r"(?P<place>\S+) = (?P<value>0x[0-9a-f]+)(?:: #(?P<see>\d+), see there|: \D*)?:?$")
FOLDED = re.compile(r" +\.\.\. and (?P<count>\d+) more by this instruction, back to #(?P<first>\d+)$")
DIFFERENCE = re.compile(r"  (?P<place>\S+) was (?P<then>0x[0-9a-f]+), and is (?P<now>0x[0-9a-f]+)$")
ONWARD = re.compile(r" +on to (?P<pc>0x[0-9a-f]+)(?: +" + WHERE + r")?$")
# Lines whose numbers the caller compares with the log: the cause, and what the handler did.
FIRST = re.compile(r"(?:load|store) access fault at address 0x|(?:load|store) address misaligned at address 0x|"
                   r"wild jump to 0x|illegal instruction 0x|(?:hang|endless wfi|overwritten code|boot loop|interrupt storm): |stack overflow over |  sp was 0x[0-9a-f]+, \d+ calls deep$|(?:lost update of \S+: )?the program ended with exit code \d+(?:$|, after )|"
                   r"  and so it was at least \d+ times? before$|"
                   r"its handler ended the program with code \d+$|and then \d+ more traps in its handler")
WORDS = re.compile(r"[^0-9]*$|interrupts are off \(mstatus.MIE is 0\)$|  its opcode was 0x\w+, and is 0x\w+$|"
                   r"note: |      The stack began | +accessed as ")
ENDS = re.compile(r"(?:the loop would end| ) if (?P<a>\w+) (?P<how>==|!=|<|>=) (?P<b>\w+)(?P<unsigned>, unsigned)?")
FOUND = re.compile(r", after (?P<a>\S+) (?P<how>==|!=|<|>=) (?P<b>\S+) in ")
ACCESSED = re.compile(r"    (?P<how>loaded|stored) (?P<value>0x[0-9a-f]+)$")
LOST = re.compile(r"an update of (?P<place>\S+) was lost: ")
CALLED = re.compile(r" +called by " + WHERE + "$")


class Text:
    """Reads the text of 'why' and checks each line; `case` fails where a line is not true, or not known."""

    def __init__(self, case, program, text):
        self.case, self.program = case, program
        self.frames, self.nodes = [], {}
        self.numbers = 0
        self.last = self.node = self.value = None  # last: the instruction where the program ended
        self.place = None  # that, or the branch before
        self.found = FOUND.search(text.splitlines()[0])
        for line in text.splitlines():
            self.check(line)

    def check_call(self, found):
        """The function of the node before was called there: by a call, or by a jump at the end of a function."""
        pc = self.program.address(found["where"])
        self.check_where(found, pc)
        self.case.assertTrue(any(int(record["pc"], 16) == pc for record in self.program.records[:self.node]), found[0])

    def check_where(self, found, pc):
        if found["where"] and found["where"] != "interrupt":
            self.case.assertEqual(self.program.address(found["where"]), pc, found[0])
        if found["line"]:
            self.case.assertIn(found["line"], self.program.line(pc), found[0])

    def check_instruction(self, pc, text):
        """Its numbers as objdump has them. What the program wrote itself is not there."""
        expected = self.program.code.get(pc)
        if isinstance(expected, list):
            self.case.assertEqual([number & 0xfffff for number in numbers_of(text)],
                                  [number & 0xfffff for number in expected], text)
        elif expected is not None:
            sign, distance = re.search(r"\. ([+-]) (0x[0-9a-f]+)", text).groups()
            self.case.assertEqual(pc + int(sign + distance, 16), expected, text)

    def check_condition(self, found, branch):
        """The loop went on, so it did not hold there."""
        values = [0 if name == "0" else self.program.before(branch, name) for name in (found["a"], found["b"])]
        if None in values:
            return
        if not found["unsigned"]:
            half = 1 << (self.program.records[branch]["xlen"] - 1)
            values = [(value ^ half) - half for value in values]
        a, b = values
        holds = {"==": a == b, "!=": a != b, "<": a < b, ">=": a >= b}[found["how"]]
        self.case.assertFalse(holds, found[0])

    def check_found(self, branch, instruction):
        """What the first line says that the branch found."""
        registers = re.match(r"\S+ (\w+), (?:(\w+), )?", instruction).groups()
        values = [int(self.found[name], 0) for name in "ab"]
        self.case.assertTrue({"==": values[0] == values[1], "!=": values[0] != values[1], "<": values[0] < values[1],
                              ">=": values[0] >= values[1]}[self.found["how"]], self.found[0])
        for register, value in zip(registers, values):
            known = 0 if register in (None, "zero") else self.program.before(branch, register)
            if known is not None:
                mask = (1 << self.program.records[branch]["xlen"]) - 1
                self.case.assertEqual(value & mask, known & mask, self.found[0])

    def check_node(self, found):
        number = int(found["number"])
        pc = int(self.program.records[number]["pc"], 16)
        self.check_where(found, pc)
        place, now = self.program.place(found["place"]), int(found["now"], 16)
        self.node = number
        if found["instruction"] == "interrupt":
            self.case.assertTrue(self.program.records[number].get("interrupt"), found[0])
            return
        self.case.assertEqual(self.program.writes(number, place), now, found[0])
        self.check_instruction(pc, found["instruction"])
        self.nodes[number] = place
        if self.value and self.value[0] == place:
            self.case.assertEqual(self.value[1], now, found[0])
        self.value = None
        then = self.program.before(number, place)
        if then is not None and not self.is_set_by_core(place, number):
            self.case.assertEqual(found["then"], f"{then:#x}", found[0])

    def is_set_by_core(self, place, number):
        """Traps, their returns and handlers change CSRs without a write in the record."""
        return place in CSRS and any(record.get("trap") or record.get("interrupt") or record["opcode"] == "0x30200073"
                                     for record in self.program.records[:number])

    def check(self, line):
        case, program = self.case, self.program
        self.numbers += len(re.findall(r"\b(?:0x[0-9a-f]+|\d+)\b", line))
        if found := FRAME.fullmatch(line):
            if int(found["number"]) == len(self.frames):
                self.check_where(found, int(found["pc"], 16))
                if not self.frames:
                    case.assertEqual(program.records[self.last]["pc"], hex(int(found["pc"], 16)), line)
                self.frames.append((found["where"] or found["pc"]).partition("+")[0])
                return
        if found := FOLDED.fullmatch(line):
            pc = program.records[self.node]["pc"]
            first = int(found["first"])
            between = [record["pc"] for record in program.records[first:self.node]]
            case.assertEqual(between[0], pc, line)
            case.assertLessEqual(int(found["count"]), between.count(pc), line)
        elif found := NODE.fullmatch(line):
            self.check_node(found)
        elif found := ONWARD.fullmatch(line):
            pc = int(found["pc"], 16)
            case.assertEqual(int(program.records[self.node + 1]["pc"], 16), pc, line)
            self.check_where(found, pc)
        elif found := RECORD.search(line):
            pc = int(found["pc"], 16)
            case.assertEqual(int(program.records[int(found["number"])]["pc"], 16), pc, line)
            self.check_where(found, pc)
            self.node = int(found["number"])
            if self.last is None:
                self.last = self.node
            if self.place is None or line.startswith("the last branch"):
                self.place = self.node
            if found["instruction"] and found["instruction"] != "interrupt":
                self.check_instruction(pc, found["instruction"])
            if self.found and line.startswith("the last branch"):
                self.check_found(self.node, found["instruction"])
        elif found := VALUE.fullmatch(line):
            place, value = program.place(found["place"]), int(found["value"], 16)
            self.value = place, value
            if "as in the program's file" in line:
                offset = place[0] - 0x80000000
                case.assertEqual(int.from_bytes(program.image[offset:offset + place[1]], "little"), value, line)
                return
            known = [program.writes(number, place) for number in range(len(program.records))]
            if isinstance(place, str) or any(one is not None for one in known):
                case.assertIn(value, known, line)
            if found["see"]:
                case.assertIn(int(found["see"]), self.nodes, line)
                self.value = None
                if isinstance(place, str):
                    case.assertEqual(self.nodes[int(found["see"])], place, line)
        elif found := DIFFERENCE.fullmatch(line):
            then = program.before(self.node, program.place(found["place"]))
            now = program.before(self.place, program.place(found["place"]))
            case.assertEqual((int(found["then"], 16), int(found["now"], 16)), (then, now), line)
        elif found := ACCESSED.fullmatch(line):
            value = [int(access["value"], 16) for access in program.records[self.node]["memory"]
                     if access["write"] == (found["how"] == "stored")]
            case.assertEqual(value, [int(found["value"], 16)], line)
        elif found := LOST.match(line):
            case.assertIsInstance(program.place(found["place"]), tuple, line)
        elif found := CALLED.fullmatch(line):
            self.check_call(found)
        elif found := ENDS.fullmatch(line):
            self.check_condition(found, self.last if line.startswith("the loop") else self.node)
        else:
            case.assertTrue(FIRST.match(line) or WORDS.match(line), line)


def explain(elf, path):
    """The JSON and the text of 'why'."""
    answers = []
    for option in (["--json"], []):
        done = subprocess.run([EARSHOT, "why", "-q", *option, "--elf", elf, path], check=False, capture_output=True,
                              text=True, timeout=120)
        answers.append((done.returncode, done.stdout, done.stderr))
    return json.loads(answers[0][1]), answers[1][1]
