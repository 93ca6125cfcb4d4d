"""Logs of Spike, read and written again, and their disassembly by opcode."""
import random
import re

import bench as benches
import compare_whisper
import random_program

NEEDS = ("spike", "spike-dasm", "sample-reader")
MAX_INSTRUCTIONS = 20000  # a program that traps may end before: so Spike counts
EACH = 40                 # random instructions of each row of the instruction table
PER_ROW = 2000            # random opcodes of each row, for spike-dasm
ROWS = [benches.TREE / f"decoder/isa/inst_list{which}.def" for which in ("", "_vector")]
SEED = 20261122

# What Spike executes of the extensions in decoder/isa/inst_extension.def, and those that they need.
EVERYTHING = ("imafdcvh_zicsr_zifencei_zicntr_zihpm_zawrs_zicond_zihintpause_zihintntl_zicbom_zicbop_zicboz_zimop_"
              "zcmop_zba_zbb_zbc_zbs_zbkb_zbkx_zcb_zfh_zfa_zfbfmin_zabha_zacas_zknd_zkne_zknh_zksed_zksh_svinval_"
              "zvbb_zvbc_zvfbfmin_zvfbfwma_zvfh_zvkg_zvkned_zvknhb_zvksed_zvksh")


def spike_isa(isa):
    """Spike asks for what the compiler's names of old have in i."""
    base, *more = isa.split("_")
    return "_".join([base, "zicsr", "zifencei", *more])


def simulate(bench, elf, isa, *options):
    """Spike's log of the beginning of a program."""
    log = elf.stem + ".spike.log"
    bench.run(bench.tool("spike"), f"--isa={isa}", "-l", "--log-commits", f"--log={log}", *options, elf, status=None)
    if benches.count_lines(bench.path(log)) < 100:
        raise benches.Failed(f"spike --isa={isa}: the log of {elf.name} has no 100 lines")
    return bench.path(log)


def compare_round_trip(bench, compared, runs, *ways):
    """A row: the log that is read and written again, by way of other formats, is the same.

    Labels are no part of a record: --elf gives them back."""
    lines = differences = 0
    for elf, log in runs:
        path = log
        for number, way in enumerate((*ways, "spike")):
            path = bench.convert(path, f"way-{number}.{way}", "-f", way, "--max-bad", "0",
                                 *(("--elf", elf) if way == "spike" else ()))
        lines += benches.count_lines(log)
        differences += benches.differing_lines(log, path)
    bench.row("spike", bench.title("spike"), compared, lines, differences)


def compare_disassembly(bench, compared, runs):
    """A row: instructions of which JSON keeps a text, because the instruction table gives another."""
    lines = differences = 0
    for _, log in runs:
        with open(bench.convert(log, "texts.jsonl"), "rb") as text:
            for line in text:
                lines += 1
                differences += b'"disassembly":' in line
    bench.row("spike", bench.title("spike"), compared, lines, differences)


def opcodes_of(xlen):
    """All compressed opcodes, and random ones of each row of the table that XLEN has."""
    dice = random.Random(SEED + xlen)
    yield from (opcode for opcode in range(1 << 16) if opcode & 3 != 3)
    row = re.compile(r'^(?:INST|VECTOR|VECTOR_MEMORY)\(\w+,\s*"[^"]*",\s*(0x\w+),\s*(0x\w+),\s*(\w+),')
    for match, mask, where in (found.groups() for found in map(row.match, "".join(path.read_text() for path in ROWS).splitlines()) if found):
        if int(match, 16) & 3 != 3 or where == f"RV{96 - xlen}":
            continue
        for _ in range(PER_ROW):
            fill = dice.getrandbits(32) & dice.choice((0xFFFFFFFF, 0xFFFFF07F, 0xFFF07FFF, 0x000FFFFF, 0xFE0FFFFF))
            yield int(match, 16) | fill & ~int(mask, 16)


def compare_texts(bench, xlen):
    """Our disassembly of each opcode, by a log of commit lines alone, and that of spike-dasm."""
    width = xlen // 4
    opcodes = list(opcodes_of(xlen))
    log, asked = bench.path(f"opcodes{xlen}.spike.log"), bench.path(f"opcodes{xlen}.txt")
    log.write_text("".join(f"core   0: 3 0x{8 * place:0{width}x} (0x{opcode:0{8 if opcode & 3 == 3 else 4}x})\n"
                           for place, opcode in enumerate(opcodes)))
    asked.write_text("".join(f"DASM({opcode:x})\n" for opcode in opcodes))
    written = bench.convert(log, f"texts{xlen}.spike.log", "--quiet-loss")
    head = re.compile(rf"core   0: 0x[0-9a-f]{{{width}}} \(0x[0-9a-f]+\) (.*)\n")
    ours = bench.path(f"ours{xlen}.txt")
    with open(written) as text, open(ours, "w") as to:
        to.writelines(found.group(1) + "\n" for found in map(head.fullmatch, text) if found)
    dasm = bench.tool("spike-dasm")
    bench.run("sh", "-c", f"LD_LIBRARY_PATH={dasm.parent} {dasm} --isa=rv{xlen}gcv <{asked}", stdout=f"theirs{xlen}.txt")
    theirs = bench.path(f"theirs{xlen}.txt")
    if benches.count_lines(ours) != len(opcodes):
        raise benches.Failed(f"{benches.count_lines(ours)} texts of {len(opcodes)} opcodes")
    bench.row("spike", bench.title("spike-dasm"), f"opcodes of all rows: disassembly, RV{xlen}", len(opcodes),
              benches.differing_lines(ours, theirs))


def compare(bench):
    bench.tool("spike")
    programs = bench.programs()
    what = f"{len(programs)} programs"
    runs = [(elf, simulate(bench, elf, spike_isa(isa), f"--instructions={MAX_INSTRUCTIONS}"))
            for _, isa, elf in programs]
    compare_round_trip(bench, f"{what}: read and written", runs)
    compare_round_trip(bench, f"{what}: by way of JSON", runs, "json")
    compare_disassembly(bench, f"{what}: disassembly by opcode", runs)
    if bench.has("sample-reader"):
        texts = [bench.convert(log, elf.stem + ".csv", "-f", "whisper") for elf, log in runs]
        compare_whisper.compare_with_trace_reader(bench, f"Spike's {what} as CSV", texts)
    else:
        bench.skip("Spike's logs as CSV, read by Whisper's trace-reader", "sample-reader is missing")
    for xlen in (64, 32):
        rows = random_program.read_rows(xlen, EVERYTHING)
        elf = random_program.build(bench, xlen, rows, EACH)
        runs = [(elf, simulate(bench, elf, f"rv{xlen}{EVERYTHING}"))]
        what = f"{len(rows)} random encodings, RV{xlen}"
        compare_round_trip(bench, f"{what}: read and written", runs)
        compare_disassembly(bench, f"{what}: disassembly by opcode", runs)
    if bench.has("spike-dasm"):
        compare_texts(bench, 64)
        compare_texts(bench, 32)
    else:
        bench.skip("disassembly of opcodes", "spike-dasm is missing")
