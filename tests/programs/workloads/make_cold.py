#!/usr/bin/env python3
"""Write the straight code of cold.c: functions of random arithmetic, and their results.

    make_cold.py XLEN > cold.S

Each function is some 130 instructions on a0 .. a5, without a branch; all together more than 64 KiB. The results
are computed here.
"""
import random
import sys

FUNCTIONS = 256  # 7 must not divide it, see cold.c
STEPS = 128
REGISTERS = ["a0", "a1", "a2", "a3", "a4", "a5"]


def signed(value, xlen):
    return value - (1 << xlen) if value >> (xlen - 1) else value


def make_function(number, xlen, source):
    mask = (1 << xlen) - 1
    values = {name: 0 for name in REGISTERS}
    values["a0"], values["a1"] = x, y = source.getrandbits(31), source.getrandbits(31)
    lines = [f"cold_{number}:"] + [f"\tli\t{name}, 0" for name in REGISTERS[2:]]
    for _ in range(STEPS):
        rd, rs1, rs2 = (source.choice(REGISTERS) for _ in range(3))
        a, b = values[rs1], values[rs2]
        constant = source.randrange(-2048, 2048)
        amount = source.randrange(1, xlen)
        line, value = source.choice([
            (f"add\t{rd}, {rs1}, {rs2}", a + b),
            (f"sub\t{rd}, {rs1}, {rs2}", a - b),
            (f"xor\t{rd}, {rs1}, {rs2}", a ^ b),
            (f"or\t{rd}, {rs1}, {rs2}", a | b),
            (f"and\t{rd}, {rs1}, {rs2}", a & b),
            (f"sltu\t{rd}, {rs1}, {rs2}", int(a < b)),
            (f"mul\t{rd}, {rs1}, {rs2}", a * b),
            (f"addi\t{rd}, {rs1}, {constant}", a + constant),
            (f"addi\t{rd}, {rs1}, {constant}", a + constant),
            (f"xori\t{rd}, {rs1}, {constant}", a ^ (constant & mask)),
            (f"slli\t{rd}, {rs1}, {amount}", a << amount),
            (f"srli\t{rd}, {rs1}, {amount}", a >> amount),
            (f"srai\t{rd}, {rs1}, {amount}", signed(a, xlen) >> amount),
        ])
        lines.append("\t" + line)
        values[rd] = value & mask
    lines += ["\txor\ta0, a0, a1", "\tadd\ta0, a0, a5", "\tret"]
    result = ((values["a0"] ^ values["a1"]) + values["a5"]) & mask
    return lines, (x, y, result)


def main():
    xlen = int(sys.argv[1])
    source = random.Random(2026)
    word = ".dword" if xlen == 64 else ".word"
    table = []
    print("# Written by make_cold.py.\n\t.section .text, \"ax\"")
    for number in range(FUNCTIONS):
        lines, row = make_function(number, xlen, source)
        print("\n".join(lines))
        table.append(row)
    print("\n\t.section .rodata, \"a\"\n\t.balign\t8\n\t.globl\tcold_functions\ncold_functions:")
    for number, (x, y, result) in enumerate(table):
        print(f"\t{word}\tcold_{number}, {x:#x}, {y:#x}, {result:#x}")
    print(f"\t.globl\tcold_count\ncold_count:\n\t.word\t{FUNCTIONS}")


if __name__ == "__main__":
    main()
