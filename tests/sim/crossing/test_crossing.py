#!/usr/bin/env python3
"""ear_async_fifo carries all words between two clocks with skew and metastability, and tb_crossing
finds each planted fault: binary pointers, and a flip-flop too few on either side.

usage: test_crossing.py IVERILOG VVP
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIFO = HERE.parents[2] / "hdl/rtl/link/ear_async_fifo.v"
# Periods in ps: nearly the same, and each side faster.
CLOCKS = (10000, 10006), (10000, 9400), (21000, 10000), (9000, 31000), (7000, 50000), (44000, 6000)

# Each fault: edits of the file, and what is said of it.
FAULTS = {
    "binary pointers": (
        [("wr_gray_q <= wr_ptr_d ^ (wr_ptr_d >> 1)", "wr_gray_q <= wr_ptr_d"),
         ("rd_gray_d = rd_ptr_d ^ (rd_ptr_d >> 1)", "rd_gray_d = rd_ptr_d"),
         ("{~rd_sync_q[1][PTR-1:PTR-2], rd_sync_q[1][PTR-3:0]}",
          "{~rd_sync_q[1][PTR-1], rd_sync_q[1][PTR-2:0]}")], "word"),
    "one flip-flop for the read pointer": (
        [("rd_sync_q[1] <= rd_sync_q[0]", "rd_sync_q[1] <= rd_gray_q")], "write side"),
    "one flip-flop for the write pointer": (
        [("wr_sync_q[1] <= wr_sync_q[0]", "wr_sync_q[1] <= wr_gray_q")], "read side"),
    "full by the first flip-flop": (
        [("{~rd_sync_q[1][PTR-1:PTR-2], rd_sync_q[1][PTR-3:0]}",
          "{~rd_sync_q[0][PTR-1:PTR-2], rd_sync_q[0][PTR-3:0]}")], "write side"),
    "an entry by the first flip-flop": (
        [("rd_gray_d != wr_sync_q[1]", "rd_gray_d != wr_sync_q[0]")], "read side"),
}


def build(iverilog, folder, edits=()):
    text = FIFO.read_text()
    for old, new in edits:
        if text.count(old) != 1:
            sys.exit(f"{FIFO.name} has not one '{old}'")
        text = text.replace(old, new)
    fifo, program = folder / FIFO.name, folder / "tb"
    fifo.write_text(text)
    subprocess.run([iverilog, "-g2012", "-s", "tb_crossing", "-o", program, fifo,
                    HERE / "tb_crossing.v"], check=True)
    return program


def said(vvp, program, clocks, seed):
    text = subprocess.run([vvp, "-n", program, f"+wr={clocks[0]}", f"+rd={clocks[1]}",
                           f"+seed={seed}"], check=True, capture_output=True, text=True).stdout
    return text.splitlines()[0]


def main():
    iverilog, vvp = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = build(iverilog, folder)
        for seed, clocks in enumerate(CLOCKS):
            line = said(vvp, program, clocks, seed)
            match = re.fullmatch(r"800 words, (\d+) metastable", line)
            if not match or int(match[1]) < 50:
                sys.exit(f"{clocks}: {line}")
        for fault, (edits, expected) in FAULTS.items():
            program = build(iverilog, folder, edits)
            if not any(re.match(f"fault: .*{expected}", said(vvp, program, clocks, 1))
                       for clocks in CLOCKS):
                sys.exit(f"{fault}: not found")


if __name__ == "__main__":
    main()
