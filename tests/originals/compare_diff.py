"""One program on Spike and on Whisper, compared by `earshot diff` without options."""
import json

import bench as benches
from compare_spike import spike_isa

NEEDS = ("spike", "whisper")
PROGRAMS = benches.TREE / "tests/originals/programs"
Z = "_zicsr_zifencei"

# Name, source, harts, ISA for the compiler, for Spike, for Whisper, defines.
RUNS = (
    ("integer-rv64", "integer.S", 1, f"rv64imac{Z}", f"rv64imac{Z}", "rv64imacsu", ()),
    ("integer-rv32", "integer.S", 1, f"rv32imac{Z}", f"rv32imac{Z}", "rv32imacsu", ()),
    ("csrs-rv64", "csrs.S", 1, f"rv64imac{Z}", f"rv64imac{Z}", "rv64imacsu", ()),
    ("csrs-rv32", "csrs.S", 1, f"rv32imac{Z}", f"rv32imac{Z}", "rv32imacsu", ()),
    ("traps-rv64", "traps.S", 1, f"rv64imac{Z}", f"rv64imac{Z}", "rv64imacsu", ()),
    ("traps-rv32", "traps.S", 1, f"rv32imac{Z}", f"rv32imac{Z}", "rv32imacsu", ()),
    ("fp-rv64", "fp.S", 1, f"rv64imafdc_zfh{Z}", f"rv64imafdc_zfh{Z}", "rv64imafdcsu_zfh", ("ZFH",)),
    ("fp-rv32", "fp.S", 1, f"rv32imafdc{Z}", f"rv32imafdc{Z}", "rv32imafdcsu", ()),
    ("fp-rv32f", "fp.S", 1, f"rv32imafc{Z}", f"rv32imafc{Z}", "rv32imafcsu", ()),
    ("vector-rv64", "vector.S", 1, f"rv64imafdcv{Z}", f"rv64imafdcv{Z}", "rv64imafdcvsu", ()),
    ("paged-rv64", "paged.S", 1, f"rv64imac{Z}", f"rv64imac{Z}", "rv64imacsu", ()),
    ("paged-rv32", "paged.S", 1, f"rv32imac{Z}", f"rv32imac{Z}", "rv32imacsu", ()),
    ("hypervisor-rv64", "hyper.S", 1, f"rv64imac{Z}", f"rv64imach{Z}", "rv64imacsuh", ()),
    ("harts-rv64", "harts.S", 4, f"rv64imac{Z}", f"rv64imac{Z}", "rv64imacsu", ()),
)
MEMORY = 0x80000000
LIMIT = 20000
# Differences that are there, by program: what it needs, only one of the simulators has.
KNOWN = {
    "software": 1,  # interrupts by msip, a device of Spike
    "csrs": 2,      # jumps to where no memory is: Whisper stops without a trap
}
MOST = 3000  # instructions of a hart under Whisper, which does not stop the harts that wait

# Whisper as Spike is: memory where Spike has it, vector tails left as they are, and H in misa.
MISA_H = 0x8000000000141185
CONFIGURATION = {
    "enable_misaligned_data": False,
    "vector": {"bytes_per_vec": 16, "max_bytes_per_elem": 8, "mask_agnostic_policy": "undisturb",
               "tail_agnostic_policy": "undisturb"},
    "memmap": {"size": "0x100000000", "page_size": 4096, "pma": [
        {"low": "0x0", "high": "0x1ffffff", "attribs": []},
        {"low": "0x2000000", "high": "0x20bffff", "attribs": ["read", "write", "idempotent"]},
        {"low": "0x20c0000", "high": "0x7fffffff", "attribs": []},
        {"low": "0x80000000", "high": "0x80ffffff",
         "attribs": ["read", "write", "exec", "amo", "rsrv", "idempotent"]}]},
}


def configure(csrs):
    return {**CONFIGURATION, **({"csr": csrs} if csrs else {})}


def build(bench, name, source, harts, isa, defines):
    elf = bench.path(f"{name}.elf")
    abi = "lp64" if isa.startswith("rv64") else "ilp32"
    bench.run("riscv64-unknown-elf-gcc", f"-march={isa}", f"-mabi={abi}", "-mcmodel=medany", "-nostdlib",
              "-nostartfiles", f"-DHARTS={harts}", *[f"-D{define}" for define in defines], f"-I{PROGRAMS}",
              "-Wl,--no-warn-rwx-segments", "-T", PROGRAMS / "link.ld", PROGRAMS / source, "-o", elf)
    return elf


def run_spike(bench, name, elf, harts, isa):
    log = bench.path(f"{name}.spike.log")
    bench.run(bench.tool("spike"), f"-p{harts}", f"--isa={isa}", "-l", "--log-commits", f"--log={log}",
              f"-m{MEMORY:#x}:0x1000000", elf)
    return log


def run_whisper(bench, name, elf, harts, isa, text):
    """The CSV, or the text log."""
    has_hypervisor = isa.partition("_")[0].endswith("h")
    configuration = configure({"misa": {"reset": hex(MISA_H), "mask": "0x0"}} if has_hypervisor else {})
    file = bench.path(f"{name}.json")
    file.write_text(json.dumps(configuration))
    log = bench.path(f"{name}.whisper.log" if text else f"{name}.csv")
    limit = ["--maxinst", str(MOST)] if harts > 1 else []
    bench.run(bench.tool("whisper"), "--configfile", file, "--isa", isa, "--xlen", isa[2:4], "--harts", harts,
              *([] if text else ["--csvlog"]), "--logfile", log, "--target", elf, *limit)
    return log


def differences(bench, a, b, xlen=64, limit=None):
    """Records that are the same, and differences. limit: records of the first side, if both runs are cut."""
    done = bench.run(bench.earshot, "diff", "-n0", "--json", "--xlen", xlen, a, b, status=(0, 1))
    *events, summary = map(json.loads, done.stdout.splitlines())
    if summary["pairs"] == 0:
        raise benches.Failed(f"{a} and {b}: nothing was compared")
    last = events[-1] if events else {}
    cut = limit is not None and last.get("kind") == "ended" and (last["side"] == "b" or summary["pairs"] >= limit)
    return summary["pairs"], summary["differences"] - bool(cut)


def compare_programs(bench):
    """The programs of tests/programs, until they leave them for a device that is not there."""
    sums, programs = [0, 0], bench.programs()
    for _, isa, elf in programs:
        letters, _, more = isa.partition("_")
        log = bench.path(elf.stem + ".spike.log")
        for limit in (LIMIT + 5000, 20 * LIMIT):  # each trap costs Spike the rest of a turn of 5000
            bench.run(bench.tool("spike"), f"--isa={spike_isa(isa)}", "-l", "--log-commits", f"--log={log}",
                      f"-m{MEMORY:#x}:0x1000000", f"--instructions={limit}", elf, status=None)
            if benches.count_lines(log) > LIMIT:
                break
        xlen = int(isa[2:4])
        configuration = configure({"mstatus": {"reset": hex(0xA00000000 if xlen == 64 else 0)}})
        file, csv = bench.path("programs.json"), bench.path(elf.stem + ".csv")
        file.write_text(json.dumps(configuration))
        bench.run(bench.tool("whisper"), "--configfile", file, "--isa", f"{letters}su{'_' * bool(more)}{more}",
                  "--csvlog", "--logfile", csv, "--target", elf, "--maxinst", LIMIT, status=None)
        pairs, count = differences(bench, csv, log, xlen, LIMIT)
        count = abs(count - KNOWN.get(elf.stem.split("-")[0], 0))
        sums[0] += pairs
        sums[1] += count
        if count:
            print(f"{elf.stem}: {count} differences between CSV and spike")
    bench.row("spike", bench.title("spike", "whisper"), f"{len(programs)} programs: `diff` with the CSV",
              *sums)


def compare(bench):
    if not bench.has("whisper"):
        bench.skip("programs on two simulators", "whisper is missing")
        return
    sums = {"spike": [0, 0], "whisper-log": [0, 0]}
    for name, source, harts, isa, spike_isa, whisper_isa, defines in RUNS:
        elf = build(bench, name, source, harts, isa, defines)
        csv = run_whisper(bench, name, elf, harts, whisper_isa, text=False)
        others = {}
        if harts == 1:  # harts are threads: another run has another order
            others["whisper-log"] = run_whisper(bench, name, elf, harts, whisper_isa, text=True)
        if bench.has("spike"):
            others["spike"] = run_spike(bench, name, elf, harts, spike_isa)
        for format, log in others.items():
            pairs, count = differences(bench, csv, log, isa[2:4])
            sums[format][0] += pairs
            sums[format][1] += count
            if count:
                print(f"{name}: {count} differences between CSV and {format}")
    bench.row("whisper-log", bench.title("whisper"), "13 programs: `diff` with the CSV", *sums["whisper-log"])
    if bench.has("spike"):
        bench.row("spike", bench.title("spike", "whisper"), "14 programs: `diff` with the CSV",
                  *sums["spike"])
        compare_programs(bench)
    else:
        bench.skip("programs on Spike and Whisper", "spike is missing")
