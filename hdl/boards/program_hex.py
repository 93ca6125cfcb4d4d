#!/usr/bin/env python3
"""Write a bare-metal RV32 program as the contents of block RAM: one word a line, for $readmemh.

    program_hex.py PROGRAM.elf BYTES OUTPUT.hex

BYTES is the size of the memory at 0x80000000. The program must fit with its stack.
"""
import struct
import sys

BASE = 0x80000000
PT_LOAD = 1


def image(elf, size):
    if elf[:6] != b"\x7fELF\x01\x01" or struct.unpack_from("<HH", elf, 16) != (2, 243):
        raise ValueError("not a 32-bit RISC-V program")
    entry, header = struct.unpack_from("<II", elf, 24)
    header_size, header_count = struct.unpack_from("<HH", elf, 42)
    if entry != BASE:
        raise ValueError(f"starts at {entry:#x}, the board at {BASE:#x}")
    memory = bytearray(size)
    for k in range(header_count):
        kind, offset, _, address, file_size, memory_size = \
            struct.unpack_from("<IIIIII", elf, header + k * header_size)
        if kind != PT_LOAD:
            continue
        start = address - BASE
        if start < 0 or start + memory_size > size:
            raise ValueError(f"needs memory up to {address + memory_size:#x}, there is none "
                             f"from {BASE + size:#x} on")
        memory[start:start + file_size] = elf[offset:offset + file_size]
    return bytes(memory)


def main():
    program, size, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(program, "rb") as file:
        try:
            memory = image(file.read(), size)
        except (ValueError, struct.error) as error:
            sys.exit(f"{program}: {error}")
    with open(output, "w", encoding="ascii") as file:
        for word, in struct.iter_unpack("<I", memory):
            file.write(f"{word:08x}\n")


if __name__ == "__main__":
    main()
