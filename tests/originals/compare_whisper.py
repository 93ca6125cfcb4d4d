"""CSV and text log of Whisper, its own reader of traces, and the columns that follow from the opcode."""
import json

import bench as benches
import random_program

NEEDS = ("whisper", "sample-reader")
DATA = benches.TREE / "tests/data"
MAX_INSTRUCTIONS = 20000
EACH = 40  # random instructions of each row of the instruction table
MAX_RANDOM = 1000000  # more than they are, with the trap handler

# Traces of other tools, whose records our writer turns into Whisper's CSV.
SAMPLES = ("whisper/atomtrap.csv", "whisper/fpmix.csv", "whisper/intsort.csv", "whisper/sv39-ptw.csv",
           "whisper/timer.csv", "whisper/vector.csv", "whisper/veer.csv", "whisper/walks.csv", "spike/rv64.log",
           "spike/rv32-commits.log", "riscv-dv/rv32.csv", "sail/rv64.log", "ibex/rv32.log")

# What Whisper executes of the extensions in decoder/isa/inst_extension.def, and those that they need.
EVERYTHING = ("imafdcvhsu_zicsr_zifencei_zawrs_zicond_zihintpause_zihintntl_zicbom_zicbop_zicboz_zimop_zcmop_zba_"
              "zbb_zbc_zbs_zbkb_zbkx_zcb_zfh_zfhmin_zfa_zfbfmin_zabha_zacas_zknd_zkne_zknh_zksed_zksh_svinval_zvbb_"
              "zvbc_zvfbfmin_zvfbfwma_zvfh_zvfhmin_zvkb_zvkg_zvkned_zvknha_zvknhb_zvksed_zvksh")
CRASHING = ("amocas.q", "amocas.d", "ssamoswap.d")  # assertions of Whisper itself, with some registers


def simulate(bench, elf, isa, output, *options):
    """Whisper's trace of the beginning of a program."""
    bench.run(bench.tool("whisper"), "--isa", isa, *options, "--logfile", output, "--target", elf, "--maxinst",
              MAX_RANDOM if "random" in elf.name else MAX_INSTRUCTIONS, status=None)
    if benches.count_lines(bench.path(output)) < 100:
        raise benches.Failed(f"whisper --isa {isa}: the trace of {elf.name} has no 100 lines")
    return bench.path(output)


def simulate_all(bench, programs, ending, *options):
    return [simulate(bench, elf, isa, elf.stem + ending, *options) for isa, elf in programs]


def xlen(trace):
    """Few values of an RV64 trace may show its width, so it is said; the name of each trace has it."""
    return ("--xlen", "64" if "rv64" in trace.name or "random64" in trace.name else "32")


def compare_round_trip(bench, format, compared, traces, *ways):
    """A row: the text that is read and written again, by way of other formats, is the same."""
    lines = differences = 0
    for trace in traces:
        path = trace
        for number, way in enumerate((*ways, format)):
            path = bench.convert(path, f"way-{number}.{way}", "-f", way, "--max-bad", "0",
                                 *(xlen(trace) if number == 0 else ()))
        lines += benches.count_lines(trace)
        differences += benches.differing_lines(trace, path)
    bench.row(format, bench.title("whisper"), compared, lines, differences)


def written_csr(record, number):
    """What a record writes to a CSR; None: nothing."""
    return next((int(register["value"], 16) for register in record.get("registers", ())
                 if register["class"] == "csr" and register.get("number", 0) == number), None)


def is_explained(record, vstart):
    """Texts that no table can give: Whisper executes no vector arithmetic while vstart is not 0, and then notes no
    groups of registers; a record has no vstart. And its names of a draft, Zibi, which the table does not have."""
    texts = {"disassembly", "sources", "info"} & record.keys()
    if texts == {"sources"}:
        return vstart != 0 and record.get("trap") and int(record["cause"], 0) == 2
    return record.get("disassembly", "").split(" ")[0] in ("beqi", "bnei")


def compare_columns(bench, compared, traces):
    """A row: the columns of texts as the instruction table gives them. JSON has a text only if it does not."""
    lines = differences = explained = 0
    for trace in traces:
        vstart = 0
        with open(bench.convert(trace, "columns.jsonl", *xlen(trace)), "rb") as text:
            for line in text:
                lines += 1
                if any(name in line for name in (b'"disassembly":', b'"sources":', b'"info":')):
                    if is_explained(json.loads(line), vstart):
                        explained += 1
                    else:
                        differences += 1
                if b'"class":"csr","number":8,' in line:
                    vstart = written_csr(json.loads(line), 8)
    bench.row("whisper", bench.title("whisper"),
              f"{compared}, {explained} explained" if explained else compared, lines, differences)


def compare_random(bench, xlen):
    rows = random_program.read_rows(xlen, EVERYTHING, CRASHING)
    elf = random_program.build(bench, xlen, rows, EACH)
    trace = simulate(bench, elf, f"rv{xlen}{EVERYTHING}", f"random{xlen}.csv", "--csvlog")
    what = f"{len(rows)} random encodings, RV{xlen}"
    compare_round_trip(bench, "whisper", f"{what}: read and written", [trace])
    compare_columns(bench, f"{what}: columns", [trace])
    return trace


def compare_simulator(bench):
    programs = [(isa, elf) for _, isa, elf in bench.programs()]
    what = f"{len(programs)} programs"
    traces = simulate_all(bench, programs, ".csv", "--csvlog")
    compare_round_trip(bench, "whisper", f"{what}: read and written", traces)
    compare_round_trip(bench, "whisper", f"{what}: by way of JSON", traces, "json")
    compare_columns(bench, f"{what}: columns", traces)
    logs = simulate_all(bench, programs, ".whisper.log")
    compare_round_trip(bench, "whisper-log", f"{what}: read and written", logs)
    return traces + [compare_random(bench, xlen) for xlen in (64, 32)]


def count_records_read(bench, path):
    """How many records Whisper's reader takes of a CSV. It stops at the first line that it does not know."""
    said = bench.run(bench.tool("sample-reader"), path, stdout="read.txt", status=(0, 1))
    if said.stderr and b"Error" not in said.stderr:
        raise benches.Failed(f"sample-reader {path}: {said.stderr.decode(errors='replace')}")
    with open(bench.path("read.txt"), "rb") as text:
        return sum(line.startswith(b"PC=") for line in text)


def without_more_headers(path):
    """Whisper writes its header again before the first line of each hart; its own reader stops there."""
    first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"".join(line for line in others if line != first))
    return path


def compare_with_trace_reader(bench, compared, paths):
    """A row: every record that our writer wrote is one for Whisper's reader."""
    written = read = 0
    for path in paths:
        written += benches.count_lines(path) - 1
        read += count_records_read(bench, path)
    bench.row("whisper", bench.title("sample-reader"), f"{compared}, for its trace-reader", written,
              abs(written - read))


def text_with_gaps(bench):
    """A sample of which every tenth record is replaced by a gap."""
    header, *lines = (DATA / "whisper/intsort.csv").read_text().splitlines(keepends=True)
    for index in range(0, len(lines), 10):
        lines[index] = f"# gap: 1 record missing; index {index} to {index}; hart 0; damaged bytes; stream byte 0\n"
    path = bench.path("gaps.csv")
    path.write_text(header + "".join(lines) + "# event: start trigger; value 0x1; hart 0; before index 9\n")
    return path


def compare_reader(bench, traces):
    samples = [bench.convert(DATA / name, name.replace("/", "-") + ".csv") for name in SAMPLES]
    compare_with_trace_reader(bench, "`tests/data` as CSV", [without_more_headers(path) for path in samples])
    compare_with_trace_reader(
        bench, "a text with gaps, --comments no",
        [bench.convert(text_with_gaps(bench), "no-gaps.csv", "--comments", "no", status=(1,))])
    if traces:
        written = [bench.convert(trace, f"written-{trace.name}", *xlen(trace)) for trace in traces]
        compare_with_trace_reader(bench, "all of these, written by us", written)


def compare(bench):
    traces = []
    if bench.has("whisper"):
        traces = compare_simulator(bench)
    else:
        bench.skip("programs and random instructions", "whisper is missing")
    if bench.has("sample-reader"):
        compare_reader(bench, traces)
    else:
        bench.skip("CSV read by Whisper's trace-reader", "sample-reader is missing")
