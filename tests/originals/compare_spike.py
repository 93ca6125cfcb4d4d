"""Logs of Spike, read and written again, and their disassembly from the opcode."""
import bench as benches
import compare_whisper
import random_program

NEEDS = ("spike", "sample-reader")
MAX_INSTRUCTIONS = 20000  # a program that traps may end before: so Spike counts
EACH = 40                 # random instructions of each row of the instruction table

# What Spike executes of the extensions in decoder/isa/inst_extension.def, and those that they need.
EVERYTHING = ("imafdcvh_zicsr_zifencei_zicntr_zihpm_zawrs_zicond_zicbom_zicbop_zicboz_zimop_zcmop_zba_zbb_zbc_zbs_zbkb_"
              "zbkx_zcb_zfh_zfa_zfbfmin_zabha_zacas_zknd_zkne_zknh_zksed_zksh_svinval_zvbb_zvbc_zvfbfmin_zvfbfwma_zvfh_"
              "zvkg_zvkned_zvknhb_zvksed_zvksh")


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


def compare(bench):
    bench.tool("spike")
    programs = bench.programs()
    what = f"{len(programs)} programs of tests/programs"
    runs = [(elf, simulate(bench, elf, spike_isa(isa), f"--instructions={MAX_INSTRUCTIONS}"))
            for _, isa, elf in programs]
    compare_round_trip(bench, f"{what}: read and written", runs)
    compare_round_trip(bench, f"{what}: by way of JSON", runs, "json")
    compare_disassembly(bench, f"{what}: disassembly from the opcode", runs)
    if bench.has("sample-reader"):
        texts = [bench.convert(log, elf.stem + ".csv", "-f", "whisper") for elf, log in runs]
        compare_whisper.compare_with_trace_reader(bench, f"Spike's logs of {what} as CSV", texts)
    else:
        bench.skip("Spike's logs as CSV, read by Whisper's trace-reader", "sample-reader is missing")
    for xlen in (64, 32):
        rows = random_program.read_rows(xlen, EVERYTHING)
        elf = random_program.build(bench, xlen, rows, EACH)
        runs = [(elf, simulate(bench, elf, f"rv{xlen}{EVERYTHING}"))]
        what = f"random instructions of {len(rows)} mnemonics, RV{xlen}"
        compare_round_trip(bench, f"{what}: read and written", runs)
        compare_disassembly(bench, f"{what}: disassembly from the opcode", runs)
