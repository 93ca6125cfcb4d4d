"""`earshot check` of what Spike and Whisper write: a simulator that is right has no violations."""
import json

import bench as benches
import compare_diff
import compare_spike
import compare_whisper
import random_program

NEEDS = ("spike", "whisper")
LIMIT = 200000  # instructions of Spike; each trap costs it the rest of a turn of 5000

# Violations that are real: what the simulator does is not what the specifications say, and why.
KNOWN = {}


class Sums:
    """Records and violations of the logs of one row."""

    def __init__(self, bench, format, tool, compared):
        self.bench, self.format, self.tool, self.compared = bench, format, tool, compared
        self.logs = []

    def add(self, log, elf, xlen):
        self.logs.append((log, elf, xlen))

    def violations(self, log, xlen, *options):
        done = self.bench.run(self.bench.earshot, "check", "--quiet", "--json", "--limit", 100, "--xlen", xlen, "-i",
                              self.format, *options, log, status=(0, 1))
        report = json.loads(done.stdout)
        if report["instructions"] == 0:
            raise benches.Failed(f"check {log}: nothing was checked")
        return report

    def row(self, *ways):
        """A row for each way to check: options of `check`, of which "--elf" gets the program."""
        for way in ways:
            records = count = 0
            for log, elf, xlen in self.logs:
                report = self.violations(log, xlen, *(("--elf", elf) if way else ()))
                records += report["records"]
                unexplained = abs(report["violations"] - KNOWN.get((log.name, way), 0))
                count += unexplained
                if unexplained:
                    first = report["found"][0]
                    print(f"{log}{' --elf' if way else ''}: {report['violations']} violations, the first one: {first}")
            self.bench.row(self.format, self.bench.title(self.tool),
                           f"{len(self.logs)} {self.compared}: `check{' --elf' if way else ''}`", records, count)


def check_spike(bench):
    programs = Sums(bench, "spike", "spike", "programs")
    for _, isa, elf in bench.programs():
        programs.add(compare_spike.simulate(bench, elf, compare_spike.spike_isa(isa), f"--instructions={LIMIT}"), elf,
                     isa[2:4])
    programs.row(False, True)
    others = Sums(bench, "spike", "spike", "programs of all modes")
    for name, source, harts, isa, spike_isa, _, defines in compare_diff.RUNS:
        elf = compare_diff.build(bench, name, source, harts, isa, defines)
        others.add(compare_diff.run_spike(bench, name, elf, harts, spike_isa), elf, isa[2:4])
    others.row(False, True)
    randoms = Sums(bench, "spike", "spike", "programs of random encodings")
    for xlen in (64, 32):
        elf = random_program.build(bench, xlen, random_program.read_rows(xlen, compare_spike.EVERYTHING), compare_spike.EACH)
        randoms.add(compare_spike.simulate(bench, elf, f"rv{xlen}{compare_spike.EVERYTHING}"), elf, xlen)
    randoms.row(False, True)


def check_whisper(bench):
    for format, ending, options in (("whisper", ".csv", ("--csvlog",)), ("whisper-log", ".whisper.log", ())):
        programs = Sums(bench, format, "whisper", "programs")
        for _, isa, elf in bench.programs():
            programs.add(compare_whisper.simulate(bench, elf, isa, elf.stem + ending, *options), elf, isa[2:4])
        programs.row(False, True)
        others = Sums(bench, format, "whisper", "programs of all modes")
        for name, source, harts, isa, _, whisper_isa, defines in compare_diff.RUNS:
            elf = compare_diff.build(bench, name, source, harts, isa, defines)
            others.add(compare_diff.run_whisper(bench, name, elf, harts, whisper_isa, text=not options), elf, isa[2:4])
        others.row(False, True)
    randoms = Sums(bench, "whisper", "whisper", "programs of random encodings")
    for xlen in (64, 32):
        rows = random_program.read_rows(xlen, compare_whisper.EVERYTHING, compare_whisper.CRASHING)
        elf = random_program.build(bench, xlen, rows, compare_whisper.EACH)
        randoms.add(compare_whisper.simulate(bench, elf, f"rv{xlen}{compare_whisper.EVERYTHING}", f"random{xlen}.csv",
                                             "--csvlog"), elf, xlen)
    randoms.row(False, True)


def compare(bench):
    for tool, check in (("spike", check_spike), ("whisper", check_whisper)):
        if bench.has(tool):
            check(bench)
        else:
            bench.skip(f"`check` of what {tool} writes", f"{tool} is missing")
