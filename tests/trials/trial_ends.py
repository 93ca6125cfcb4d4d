#!/usr/bin/env python3
"""Trials of ends: captures and conversions that are killed, interrupted, or run out of room.

Whatever is left must be the true records, minus what gap lines name, and never be called complete
when it is not. What a command does not say with its exit status it must not have lost.

    trial_ends.py [--count N] [--seed N] [--kind NAME]
"""
import argparse
import collections
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import EARSHOT, PROGRAMS, records  # noqa: E402

ISS = os.path.abspath(os.environ["EARSHOT_ISS"])
CODEC = os.path.abspath(os.environ["EARSHOT_CODEC_RUN"])
KNOWN = re.compile(r"# gap: (?:up to )?(\d+) records? missing; index (\d+) to (\d+); hart \d+; ")
PROGRAMS_USED = ("crc32", "sort", "traps", "strings")
RAW_RECORDS = 20000


class Untrue(Exception):
    """Something was said that is not so."""


def expect(condition, text):
    if not condition:
        raise Untrue(text)


class Stream:
    """One stream of the wire and the lines that it decodes to."""

    def __init__(self, path):
        self.path = path
        self.bytes = path.read_bytes()
        self.lines = records(run("decode", path)[1])


def run(*arguments, **options):
    """(exit status, standard output, standard error) of the command."""
    result = subprocess.run([EARSHOT, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=120, **options)
    error = result.stderr.decode(errors="replace")
    expect("Sanitizer" not in error and "runtime error" not in error, error)
    expect(result.returncode >= 0, f"{arguments[0]} died of signal {-result.returncode}")
    return result.returncode, result.stdout.decode(errors="replace"), error


def make_streams(folder):
    streams = []
    for name in PROGRAMS_USED:
        elf = PROGRAMS / f"{name}.elf"
        raw, predict = folder / f"{name}.raw", folder / f"{name}.predict"
        subprocess.run([ISS, "--isa", "rv32imc", "--max", str(RAW_RECORDS), "-o", raw, elf],
                       capture_output=True)  # its status says that the limit was reached
        subprocess.run([CODEC, "-g", "small", "--isa", "rv32imc", "--wire", predict, elf], check=True,
                       capture_output=True)
        streams += [Stream(raw), Stream(predict)]
    return streams


def judge_text(text, stream, ended):
    """The lines are the true ones minus what gap lines name. Returns how many are there."""
    index = count = 0
    unknown = False
    for line in text.splitlines():
        if line.startswith("# gap:"):
            known = KNOWN.match(line)
            if known:
                first, last = int(known[2]), int(known[3])
                expect(unknown or first == index, f"a gap begins at {first}, the records ended at {index}")
                index = last + 1
            elif "no record is missing" not in line:
                unknown = True
        elif line and not line.startswith(("#", "pc,")):
            if unknown:
                while index < len(stream.lines) and stream.lines[index] != line:
                    index += 1
            unknown = False
            expect(index < len(stream.lines) and line == stream.lines[index], f"record {index} is wrong: {line}")
            index += 1
            count += 1
    expect(not ended or unknown or index == len(stream.lines), f"the records end at {index} and no gap says so")
    return count


def judge_file(path, stream):
    """Decode what is left of a capture. Returns the number of records and the facts."""
    status, text, error = run("decode", path)
    expect(status in (0, 2), f"decode: {status}")
    expect(status == 0 or error, "decode failed without a word")
    count = judge_text(text, stream, False)
    status, out, _ = run("info", path)
    facts = dict(line.split(": ", 1) for line in out.splitlines() if ": " in line)
    complete = facts.get("complete") == "yes"
    expect(not complete or count == len(stream.lines), f"complete: yes with {count} of {len(stream.lines)}")
    return count, complete


def feed(process, data, generator, stop_at):
    """Write a part of the stream to the command, in pieces. The command may end before."""
    at = 0
    try:
        while at < stop_at:
            size = generator.randrange(1, max(2, stop_at // 3))
            process.stdin.write(data[at:min(at + size, stop_at)])
            process.stdin.flush()
            at += size
            if generator.randrange(3) == 0:
                time.sleep(generator.random() * 0.02)
    except BrokenPipeError:
        pass


def capture(folder, stream, generator, outputs, stop_at=None, **options):
    """Start a capture of the stream and feed it. Returns the process."""
    process = subprocess.Popen(
        [EARSHOT, "capture", "-q", "-d", "file:-", *(word for name in outputs for word in ("-o", str(folder / name)))],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    feed(process, stream.bytes, generator, len(stream.bytes) if stop_at is None else stop_at)
    return process


def finish(process):
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    return process.communicate(timeout=60)[1].decode(errors="replace")


def trial_kill(folder, stream, generator):
    process = capture(folder, stream, generator, ["t.shot", "t.csv"], generator.randrange(len(stream.bytes)))
    time.sleep(generator.random() * 0.05)
    process.send_signal(signal.SIGKILL)
    finish(process)
    if (folder / "t.shot").exists():
        _, complete = judge_file(folder / "t.shot", stream)
        expect(not complete, "a killed capture is complete")
    if (folder / "t.csv").exists():
        text = (folder / "t.csv").read_text()
        judge_text(text[:text.rfind("\n") + 1], stream, False)


def trial_interrupt(folder, stream, generator):
    process = capture(folder, stream, generator, ["t.shot"], generator.randrange(len(stream.bytes)))
    time.sleep(0.05)
    process.send_signal(generator.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
    finish(process)
    if (folder / "t.shot").exists():
        judge_file(folder / "t.shot", stream)


def limit_files(size):
    def act():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return act


def trial_no_room(folder, stream, generator):
    """The file must not grow over a limit, which is what a full disk does too."""
    size = generator.randrange(1, 20000)
    outputs = generator.choice((["t.shot"], ["t.csv"]))
    process = capture(folder, stream, generator, outputs, preexec_fn=limit_files(size))
    error = finish(process)
    path = folder / outputs[0]
    expect(process.returncode in (0, 2), f"status {process.returncode}")
    expect(process.returncode == 0 or error, "failed without a word")
    if outputs[0] == "t.shot" and path.exists():
        count, complete = judge_file(path, stream)
        expect(process.returncode == 2 or count == len(stream.lines), "status 0, and records are missing")
    elif path.exists():
        text = path.read_text()
        whole = judge_text(text[:text.rfind("\n") + 1], stream, False)
        expect(process.returncode == 2 or whole == len(stream.lines), "status 0, and records are missing")


def trial_one_full_output(folder, stream, generator):
    """One output has no room; the other is none the worse."""
    process = subprocess.Popen([EARSHOT, "capture", "-q", "-d", "file:-", "-f", "whisper", "-o", "/dev/full",
                                "-o", str(folder / "t.shot")],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    feed(process, stream.bytes, generator, len(stream.bytes))
    error = finish(process)
    expect(process.returncode == 2 and "/dev/full" in error, f"status {process.returncode}: {error}")
    count, _ = judge_file(folder / "t.shot", stream)
    expect(count == len(stream.lines), f"the healthy output has {count} of {len(stream.lines)} records")


def trial_same_file(folder, stream, generator):
    """A command that would write over what it reads does nothing."""
    source = folder / "source"
    shutil.copy(stream.path, source)
    names = [source]
    for kind in ("link", "symlink"):
        other = folder / kind
        os.link(source, other) if kind == "link" else other.symlink_to(source)
        names.append(other)
    target = generator.choice(names)
    words = generator.choice((
        ["capture", "-q", "-d", f"file:{source}", "-f", "shot", "-o", target],
        ["capture", "-q", "-d", f"file:{source}", "-o", folder / "t.shot", "--record", target],
        ["convert", source, "-f", "whisper", "-o", target],
        ["decode", source, "-f", "whisper", "-o", target],
    ))
    status, _, error = run(*words)
    expect(status == 2 and error, f"{words[0]}: status {status}")
    expect(source.read_bytes() == stream.bytes, f"{words[0]} has changed its source")


def trial_convert_kill(folder, stream, generator):
    name = generator.choice(("t.shot", "t.csv"))
    process = subprocess.Popen([EARSHOT, "convert", str(stream.path), "-o", str(folder / name)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(generator.random() * 0.06)
    process.send_signal(generator.choice((signal.SIGKILL, signal.SIGINT)))
    process.wait(timeout=60)
    path = folder / name
    if name == "t.shot" and path.exists():
        count, complete = judge_file(path, stream)
        expect(not complete or count == len(stream.lines), "complete, and records are missing")
    elif path.exists():
        text = path.read_text()
        judge_text(text[:text.rfind("\n") + 1], stream, False)


def trial_file_damage(folder, stream, generator):
    """A capture file with wrong bytes, or cut, or with a hole."""
    path = folder / "t.shot"
    if not path.exists():
        run("capture", "-q", "-d", f"file:{stream.path}", "-o", path)
    data = bytearray(path.read_bytes())
    kind = generator.randrange(3)
    if kind == 0:
        for _ in range(generator.choice((1, 1, 5))):
            data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    else:
        first, last = sorted(generator.randrange(len(data) + 1) for _ in range(2))
        data = data[:first] if kind == 1 else data[:first] + data[last:]
    path.write_bytes(data)
    judge_file(path, stream)


KINDS = {name[len("trial_"):].replace("_", "-"): act for name, act in list(globals().items())
         if name.startswith("trial_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=56)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    tried, failed = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix="earshot-") as name:
        base = pathlib.Path(name)
        streams = make_streams(base)
        for seed in range(options.seed, options.seed + options.count):
            generator = random.Random(seed)
            kind = options.kind or list(KINDS)[seed % len(KINDS)]
            folder = base / str(seed)
            folder.mkdir()
            stream = generator.choice(streams)
            tried[kind] += 1
            try:
                KINDS[kind](folder, stream, generator)
            except (Untrue, subprocess.TimeoutExpired) as error:
                failed[kind] += 1
                print(f"seed {seed}, {kind}, {stream.path.name}: {error}")
            shutil.rmtree(folder)
    for kind in KINDS:
        print(f"{kind:16} {tried[kind]:6} {failed[kind]:6}")
    print(f"{sum(tried.values())} trials, {sum(failed.values())} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
