#!/usr/bin/env python3
"""Where a program spends its instructions: the functions that execute most of them.

    hottest.py TRACE [ELF]

Without ELF it is the program that the capture names. Columns bring millions of pcs a second; with
numpy they are counted without a loop.
"""
from __future__ import annotations

import sys
from collections import Counter

import earshot


def count(trace: earshot.Trace) -> Counter[int]:
    """How often each pc was executed."""
    pcs: Counter[int] = Counter()
    for columns in trace.columns(["pc"], kinds=earshot.Kind.INSTRUCTION):
        try:
            import numpy
        except ImportError:
            pcs.update(columns["pc"])
        else:
            values, counts = numpy.unique(numpy.asarray(columns["pc"]), return_counts=True)
            pcs.update(dict(zip(values.tolist(), counts.tolist())))
    return pcs


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: hottest.py TRACE [ELF]")
    with earshot.open(sys.argv[1]) as trace, earshot.Names(*sys.argv[2:3]) as names:
        if len(sys.argv) == 2:
            trace.add_program(names)
        functions: Counter[str] = Counter()
        for pc, times in count(trace).items():
            function = names.function_at(pc)
            functions[function.name if function else "?"] += times
    total = functions.total()
    for name, times in functions.most_common(10):
        print(f"{times:12}  {100 * times / total:5.1f} %  {name}")


if __name__ == "__main__":
    main()
