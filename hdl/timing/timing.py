#!/usr/bin/env python3
"""Timing diagrams of docs/timing/ from simulations of the RTL.

usage: timing.py [--check | --render COMMAND]

Each bench timing_<name>.v of this folder runs under Icarus and prints the values of its signals, a line
for each clock. From these come docs/timing/<name>.json, in the format of WaveDrom.
With --render, COMMAND makes <name>.svg of each: it is given "-i NAME.json" and prints the SVG
(wavedrom-cli of npm is such a command; hdl/README.md, "Timing diagrams").
With --check nothing is written: the exit code is 1 if a JSON file is not what the simulation gives, or
an SVG file was made of another one.

The first line of a bench names the signals: NAME[:FORMAT[:QUALIFIER]], the first being the clock, which
has no column. A FORMAT other than bit (dec, hex) is shown as a value; where the QUALIFIER, another
signal, is 0, the value means nothing. A signal that begins with "-" only qualifies.
"""
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUT = ROOT / "docs" / "timing"
TITLES = {
    "stall": "Policy stall, STALL_SLACK 2: two more entries retire while stall_o is high",
    "load": "Load port: a word is written, then read back",
    "fx2": "FX2LP: PKTEND# after END_CLOCKS 8 without a word; 16 data lines",
    "entry": "From the retire port to the link: one record in raw mode, FLUSH_CYCLES 16",
}
QUIET = 6  # clocks in which nothing changes; of more, all but three are a gap


def simulate(name):
    """The signals and the values of each clock."""
    sources = [ROOT / line for line in (ROOT / "hdl/rtl/rtl.f").read_text().splitlines()
               if line.endswith(".v")]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / name
        subprocess.run(["iverilog", "-g2012", f"-I{ROOT}/hdl/rtl", f"-I{ROOT}/common/protocol", f"-I{HERE}",
                        "-s", f"timing_{name}", "-o", program, HERE / f"timing_{name}.v", *sources],
                       check=True)
        text = subprocess.run(["vvp", "-n", program], check=True, capture_output=True, text=True,
                              timeout=100).stdout
    lines = [line.split() for line in text.splitlines()]
    assert lines[0][0] == "signals"
    signals = [(word.split(":") + ["bit", ""])[:3] if ":" not in word else (word.split(":") + [""])[:3]
               for word in lines[0][1:]]
    clocks = [line for line in lines[1:] if len(line) == len(signals) - 1]
    assert clocks, f"timing_{name} printed no clock"
    return signals, clocks


def meaningful(signals, clock):
    """The values of one clock, None where a value means nothing."""
    values = {name: value for (name, _, _), value in zip(signals[1:], clock)}
    return {name: None if qualifier and values[qualifier] != "1" else values[name]
            for name, _, qualifier in signals[1:]}


def diagram(name):
    signals, clocks = simulate(name)
    rows = [meaningful(signals, clock) for clock in clocks]
    shown, start = [], 0  # None: a gap
    for i in range(1, len(rows) + 1):
        if i < len(rows) and rows[i] == rows[start]:
            continue
        same = rows[start:i]
        shown += same if len(same) <= QUIET else same[:2] + [None] + same[-1:]
        start = i
    scale = 1
    out = [{"name": signals[0][0], "wave": "p" + "".join("|" if r is None else "." for r in shown[1:])}]
    for signal, kind, _ in signals[1:]:
        if signal.startswith("-"):
            continue
        wave, data, before = "", [], "nothing"
        for row in shown:
            if row is None:
                wave += "|"
                continue
            value = row[signal]
            if value == before:
                wave += "."
            elif value is None:
                wave += "x"
            elif kind == "bit":
                wave += value
            else:
                wave += "="
                data.append(value)
                scale = 2 if len(value) > 4 else scale
            before = value
        out.append({"name": signal, "wave": wave} | ({"data": data} if data else {}))
    return {"head": {"text": TITLES[name]}, "signal": out, "config": {"hscale": scale}}


def json_text(value):
    """One signal a line."""
    lines = ",\n".join("    " + json.dumps(signal) for signal in value["signal"])
    return (f'{{\n  "head": {json.dumps(value["head"])},\n  "signal": [\n{lines}\n  ],\n'
            f'  "config": {json.dumps(value["config"])}\n}}\n')


def mark(text):
    """What the last line of an SVG says of its source."""
    return f"<!-- of {hashlib.sha256(text.encode()).hexdigest()} -->\n"


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ["--check"]) and (len(arguments) != 2 or arguments[0] != "--render"):
        print(__doc__, file=sys.stderr)
        return 2
    stale = []
    for name in TITLES:
        text = json_text(diagram(name))
        source, image = OUT / f"{name}.json", OUT / f"{name}.svg"
        if arguments == ["--check"]:
            if not source.exists() or source.read_text() != text:
                stale.append(f"{source.name} is not what timing_{name}.v gives: run hdl/timing/timing.py")
            if not image.exists() or not image.read_text().endswith(mark(text)):
                stale.append(f"{image.name} is not of {source.name}: run hdl/timing/timing.py --render")
            continue
        source.write_text(text)
        if arguments:
            svg = subprocess.run([*shlex.split(arguments[1]), "-i", str(source)], check=True,
                                 capture_output=True, text=True).stdout
            image.write_text(svg.rstrip("\n") + "\n" + mark(text))
    for line in stale:
        print(line, file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
