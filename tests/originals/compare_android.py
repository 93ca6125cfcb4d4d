"""The Android emulator's tools: what they print, and what they see in a folder that was written again."""
import re

import bench as benches

FOLDER = benches.TREE / "tests/data/qtrace"
KERNEL, ROOT, SAMPLE = FOLDER / "kernel.elf", FOLDER / "root", FOLDER / "sample1/post"

# Whether they take an ELF file. bb2sym ends by a signal, and the parts of q2dm and q2g are in their files.
TOOLS = {"read_trace": True, "check_trace": True, "bb_dump": True, "profile_trace": True, "bbprof": False,
         "hist_trace": False, "read_addr": False, "read_pid": False, "exc_dump": False, "check_stack": True,
         "read_method": True, "profile_pid": False, "dump_regions": False, "stack_dump": True, "coverage": True}
NEEDS = tuple(TOOLS)

# Of options that leave blocks out, docs/android.md names the tools that differ.
FILTERS = ("-e :kernel", "-i :kernel", "-e :libs", "-i :libs", "-e fib", "-i fib", "-e 100", "-i 100",
           "-i 100 -i fib", "-i nosuch")
FILTERED = ("bb_dump", "profile_trace", "profile_pid", "read_method")


def without_spelling(line):
    """Instructions are spelt as by Capstone, and the kernel is its name."""
    line = line.split(b"\t")[0]
    line = re.sub(rb"\s+[a-z]\S*( 0x0| #0)?$", b"", line) if re.match(rb"\s*\d+ ", line) else line
    return line.replace(str(KERNEL).encode(), KERNEL.name.encode())


def answer(bench, name, words, folder, own):
    """What a tool prints, or earshot android with its name."""
    roots = ("-r", ROOT) if TOOLS[name] or name in ("dump_regions", "profile_pid") else ()
    command = (bench.earshot, "android", name, "--compatible") if own else (bench.tool(name),)
    done = bench.run(*command, *roots, *words, folder, *((KERNEL,) if TOOLS[name] else ()))
    return [without_spelling(line) for line in done.stdout.splitlines()]


def compare_answers(bench, compared, questions, folders):
    """A row: questions are tools with options; folders two places and who is asked there."""
    lines = differences = 0
    for name, words in questions:
        answers = [answer(bench, name, words, folder, own) for folder, own in folders]
        for number, said in enumerate(answers):
            bench.path(f"answer-{number}").write_bytes(b"\n".join(said) + b"\n")
        lines += len(answers[0])
        differences += benches.differing_lines(bench.path("answer-0"), bench.path("answer-1"))
    bench.row("qtrace", bench.title("bb_dump"), compared, lines, differences)


def compare(bench):
    for tool in NEEDS:
        bench.tool(tool)
    plain = [(name, ()) for name in TOOLS]
    compare_answers(bench, f"{len(TOOLS)} tools: the same answers", plain, ((SAMPLE, False), (SAMPLE, True)))
    compare_answers(bench, f"{len(FILTERED)} tools, blocks left out: the same answers",
                    [(name, words.split()) for words in FILTERS for name in FILTERED],
                    ((SAMPLE, False), (SAMPLE, True)))
    bench.run(bench.earshot, "convert", "-q", "--quiet-loss", SAMPLE, "-f", "qtrace", "-o", "again")
    bench.path("again/qtrace.dexlist").write_bytes((SAMPLE / "qtrace.dexlist").read_bytes())
    # bbprof prints the rest of a block that an exception left.
    compare_answers(bench, f"the folder written again: {len(TOOLS) - 1} tools",
                    [question for question in plain if question[0] != "bbprof"],
                    ((SAMPLE, False), (bench.path("again"), False)))
