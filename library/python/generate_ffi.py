#!/usr/bin/env python3
"""Write the module by which Python calls libearshot, from the public headers.

usage: generate_ffi.py COMPILER INCLUDE-FOLDER OUTPUT

What the headers declare after the preprocessor is what cffi gets, so no layout and no number is
written twice. The module needs no compiler when it is imported, and is the same for all versions
of Python.
"""
import re
import subprocess
import sys
from pathlib import Path

import cffi

HEADER = "#include <earshot/earshot.h>\n"
# Constants that only the preprocessor knows; those that are no plain numbers are left out.
CONSTANT = re.compile(r"#define (EAR_[A-Z0-9_]+) \(?(0x[0-9a-fA-F]+|\d+)[uUlL]*(?: << (\d+)\))?\)?\s*$")


def preprocess(compiler, folder, *options):
    command = [*compiler.split(), "-E", "-std=c11", *options, "-I", folder, "-x", "c", "-"]
    return subprocess.run(command, input=HEADER, check=True, capture_output=True, text=True).stdout


def own_lines(text, folder):
    """The lines that come from the headers in the folder, not from those of the system."""
    keep = False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            keep = Path(marker[1]).is_relative_to(folder)
        elif keep:
            yield line


def without_inline(text):
    """Without the functions that are defined in the headers."""
    while found := re.search(r"\bstatic inline\b", text):
        depth, end = 0, text.index("{", found.start())
        while True:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[:found.start()] + text[end:]
    return text


def constants(text):
    for line in text.splitlines():
        if found := CONSTANT.match(line):
            yield f"#define {found[1]} {int(found[2], 0) << int(found[3] or 0)}"


def main():
    compiler, folder, output = sys.argv[1:4]
    declarations = without_inline("\n".join(own_lines(preprocess(compiler, folder), folder)))
    numbers = "\n".join(constants(preprocess(compiler, folder, "-dM")))
    ffi = cffi.FFI()
    ffi.set_source("earshot._libearshot", None)
    ffi.cdef(declarations + "\nvoid free(void *);\n" + numbers)
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main()
