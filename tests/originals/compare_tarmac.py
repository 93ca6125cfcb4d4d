"""Traces of ARM's tools, rewritten, as tarmac-trace-utilities see them."""
import re
import shutil

import bench as benches

NEEDS = ("tarmac-calltree", "tarmac-callinfo", "tarmac-profile", "tarmac-vcd", "tarmac-indextool")

# Of the source tree of tarmac-trace-utilities: a trace, its program, a function or an address for callinfo.
SAMPLES = (
    ("tests/quicksort.tarmac", "tests/quicksort.elf", "sys_write0"),
    ("tests/calltests/calltest32.tarmac", "tests/calltests/calltest32.elf", "main"),
    ("tests/calltests/calltest64.tarmac", "tests/calltests/calltest64.elf", "main"),
    ("tests/truncate/crash32.tarmac", None, "0x200b4"),
    ("tests/truncate/crash32m.tarmac", None, "0x6e6"),
    ("tests/truncate/crash64.tarmac", None, "0x200"),
    ("tests/truncate/loop.tarmac", None, "0x200b4"),
    ("tests/truncate/nontruncate.tarmac", None, "0x8000"),
    ("tests/indextest.tarmac", None, "0x8000"),
    ("samples/calculator-aarch32-es-ld-st-style.tarmac", "samples/calculator-aarch32.elf", "main"),
    ("samples/calculator-aarch32-fastmodel.tarmac", "samples/calculator-aarch32.elf", "main"),
    ("samples/calculator-aarch64-es-ld-st-style.tarmac", "samples/calculator-aarch64.elf", "main"),
    ("samples/calculator-aarch64-fastmodel.tarmac", "samples/calculator-aarch64.elf", "main"),
    ("samples/calculator-aarch64-gem5.tarmac", "samples/calculator-aarch64.elf", "main"),
)
QUESTIONS = {
    "call tree": ("tarmac-calltree", "-q"),
    "calls of a function": ("tarmac-callinfo", "-q"),
    "profile": ("tarmac-profile", "-q"),
    "signals": ("tarmac-vcd", "-q", "--no-date", "-o", "/dev/stdout"),
    "index by time": ("tarmac-indextool", "-q", "--omit-index-offsets", "--seq"),
    "index by address": ("tarmac-indextool", "-q", "--omit-index-offsets", "--bypc"),
}

# Traces without initial registers: tarmac-vcd shows other values of them each time.
UNKNOWN_AT_FIRST = "es-ld-st"
ATTEMPTS = 5  # of other traces it does so now and then: asked again, it says the same of both


def source_tree(bench):
    for folder in bench.tool("tarmac-calltree").resolve().parents:
        if (folder / "tests/quicksort.tarmac").exists():
            return folder
    raise benches.Missing("the source tree of tarmac-trace-utilities is missing, which has the traces")


def answer(bench, question, text, image, place):
    """What a tool prints about a trace: one file at a time, of one name, because the name is printed."""
    tool, *options = QUESTIONS[question]
    for old in bench.scratch.glob("t.tarmac*"):
        old.unlink()
    shutil.copyfile(text, bench.path("t.tarmac"))
    program = ("--image", image) if image and tool != "tarmac-indextool" else ()  # which has no such option
    done = bench.run(bench.tool(tool), *options, *program, "t.tarmac",
                     *((place,) if tool == "tarmac-callinfo" else ()), status=None)
    return done.stdout.splitlines() + [str(done.returncode).encode()]


def without_places(said):
    """Numbers of lines and bytes are others where a record has other lines."""
    return [re.sub(rb"\b(l:|line:|pos:)\s?\d+", rb"\1", line) for line in said]


def compare_answers(bench, question, pairs, how="rewritten", places=True):
    """A row: the tool says the same about both texts of each pair."""
    lines = differences = 0
    for first, second, image, place in pairs:
        if question == "signals" and UNKNOWN_AT_FIRST in first.name:
            continue
        counts = []
        for _ in range(ATTEMPTS if question == "signals" else 1):
            answers = [answer(bench, question, text, image, place) for text in (first, second)]
            if not places:
                answers = [without_places(said) for said in answers]
            for number, said in enumerate(answers):
                bench.path(f"answer-{number}").write_bytes(b"\n".join(said) + b"\n")
            counts.append(benches.differing_lines(bench.path("answer-0"), bench.path("answer-1")))
            if counts[-1] == 0:
                break
        lines += len(answers[0]) - 1
        differences += min(counts)
    bench.row("tarmac", bench.title("tarmac-calltree"), f"{len(pairs)} traces of its source, {how}: {question}",
              lines, differences)


def is_taken(bench, text):
    return answer(bench, "call tree", text, None, None)[-1] == b"0"


def compare_bytes(bench, pairs):
    bench.row("tarmac", bench.title("tarmac-calltree"), f"{len(pairs)} of its traces, rewritten: the same bytes",
              sum(benches.count_lines(first) for first, *_ in pairs),
              sum(benches.differing_lines(first, second) for first, second, *_ in pairs))


def compare_through_json(bench, pairs):
    """JSON has the records, and not the lines that they were read from."""
    again = []
    for first, _, image, place in pairs:
        records = bench.convert(first, "records.jsonl", "-i", "tarmac")
        text = bench.convert(records, f"json-{first.parent.name}-{first.name}", "--quiet-loss")
        again.append((first, text, image, place))
    for question in ("call tree", "calls of a function", "profile"):
        compare_answers(bench, question, again, "through JSON", places=False)


def compare_samples(bench):
    """What the utilities refuse cannot be compared with what they take: of it, only that they take it now."""
    tree = source_tree(bench)
    pairs, refused = [], []
    for name, program, place in SAMPLES:
        written = bench.convert(tree / name, name.replace("/", "-"), "-i", "tarmac", "--max-bad", "0", "-f",
                                "tarmac")
        pair = (tree / name, written, program and tree / program, place)
        (pairs if is_taken(bench, tree / name) else refused).append(pair)
    compare_bytes(bench, pairs)
    for question in QUESTIONS:
        compare_answers(bench, question, pairs)
    compare_through_json(bench, pairs)
    bench.row("tarmac", bench.title("tarmac-calltree"), f"{len(refused)} trace that it refuses, rewritten: refused",
              sum(benches.count_lines(first) for first, *_ in refused),
              sum(not is_taken(bench, second) for _, second, *_ in refused))


def compare(bench):
    for tool in NEEDS:
        bench.tool(tool)
    compare_samples(bench)
