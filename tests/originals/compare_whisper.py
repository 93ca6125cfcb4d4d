"""CSV and text log of Whisper, its own reader of traces, and the columns that follow from the opcode."""
import bench as benches

NEEDS = ("whisper", "sample-reader")
DATA = benches.TREE / "tests/data"

# Traces of other tools, whose records our writer turns into Whisper's CSV.
SAMPLES = ("whisper/atomtrap.csv", "whisper/fpmix.csv", "whisper/intsort.csv", "whisper/sv39-ptw.csv",
           "whisper/timer.csv", "whisper/vector.csv", "whisper/veer.csv", "whisper/walks.csv", "spike/rv64.log",
           "spike/rv32-commits.log", "riscv-dv/rv32.csv", "sail/rv64.log", "ibex/rv32.log")


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
    bench.row("whisper", bench.title("sample-reader"), compared, written, abs(written - read))


def text_with_gaps(bench):
    """A sample of which every tenth record is replaced by a gap or an event."""
    header, *lines = (DATA / "whisper/intsort.csv").read_text().splitlines(keepends=True)
    for index in range(0, len(lines), 10):
        lines[index] = f"# gap: 1 record missing; index {index} to {index}; hart 0; damaged bytes; stream byte 0\n"
    path = bench.path("gaps.csv")
    path.write_text(header + "".join(lines) + "# event: start trigger; value 0x1; hart 0; before index 9\n")
    return path


def compare(bench):
    if bench.has("sample-reader"):
        compare_with_trace_reader(
            bench, "samples of tests/data as CSV, read by its trace-reader",
            [without_more_headers(bench.convert(DATA / name, name.replace("/", "-") + ".csv")) for name in SAMPLES])
        compare_with_trace_reader(
            bench, "a text with gaps, --comments no, read by its trace-reader",
            [bench.convert(text_with_gaps(bench), "no-gaps.csv", "--comments", "no", status=(1,))])
    else:
        bench.skip("CSV read by Whisper's trace-reader", "sample-reader is missing")
    if not bench.has("whisper"):
        bench.skip("programs and random instructions", "whisper is missing")
