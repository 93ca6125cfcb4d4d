#!/usr/bin/env python3
"""The registers of a hart and the top of its stack after an instruction.

    state_at.py TRACE NUMBER
"""
from __future__ import annotations

import sys

import earshot


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: state_at.py TRACE NUMBER")
    with earshot.open(sys.argv[1]) as trace:
        with trace.moment_after(int(sys.argv[2])) as moment:
            print(f"pc {moment.pc() or 0:#x}, next {moment.next_pc() or 0:#x}")
            for name, value in moment.registers().items():
                print(f"{name:5} {value:#x}")
            sp = moment.register("sp")
            if sp is None:
                return
            memory = moment.memory(sp, 64)
            for offset in range(0, 64, 8):
                word = memory.integer(sp + offset, 8)
                print(f"sp+{offset:<3} {'?' if word is None else hex(word)}")


if __name__ == "__main__":
    main()
