#!/usr/bin/env python3
"""Make the binary image of the firmware from the linker's Intel HEX file, and say how big it is.

usage: image.py IN.ihx OUT.bin IMAGE_MAX SETTINGS
The image begins at address 0; bytes in between that nothing was linked to are FF. It must not be
longer than IMAGE_MAX, and at address SETTINGS there must be the settings (docs/usb.md).
"""
import pathlib
import sys


def read_hex(path):
    memory = {}
    for number, line in enumerate(path.read_text().split(), 1):
        data = bytes.fromhex(line[1:])
        if line[0] != ":" or len(data) != data[0] + 5 or sum(data) & 0xFF:
            sys.exit(f"{path}:{number}: no line of Intel HEX")
        if data[3] == 1:
            return memory
        if data[3] != 0:
            sys.exit(f"{path}:{number}: record type {data[3]}")
        address = data[1] << 8 | data[2]
        for offset, byte in enumerate(data[4:-1]):
            if address + offset in memory:
                sys.exit(f"{path}:{number}: two things at address {address + offset:#06x}")
            memory[address + offset] = byte
    sys.exit(f"{path}: no end")


def main():
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    image_max, settings = int(sys.argv[3], 0), int(sys.argv[4], 0)
    memory = read_hex(source)
    size = max(memory) + 1
    image = bytes(memory.get(address, 0xFF) for address in range(size))
    if size > image_max:
        sys.exit(f"{target.name}: {size} bytes, but at most {image_max} fit")
    if image[settings:settings + 4] != b"EARS":
        sys.exit(f"{target.name}: no settings at {settings:#06x}")
    target.write_bytes(image)
    print(f"{target.name}: {size} of {image_max} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
