#!/usr/bin/env python3
"""list_symbols.py HEADER...: the functions that the public headers declare, one a line, in order; with --map a version
script of the linker for them."""
import re
import sys


def functions(text):
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"/\*.*?\*/|^#.*?(?<!\\)$", "", text, flags=re.S | re.M)
    text = re.sub(r"^static inline .*?^}", "", text, flags=re.S | re.M)
    text = re.sub(r"\{[^{}]*\}", "", text)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", "", text)
    declarations = [part.strip() for part in text.split(";")]
    found = set()
    for declaration in declarations:
        match = re.match(r"(?!typedef\b)[a-z][\w\s*]*?[\s*](ear_\w+)\s*\(", declaration)
        if match:
            found.add(match[1])
    return found


def main():
    names = sorted(set().union(*(functions(open(path).read()) for path in sys.argv[1:] if path != "--map")))
    if "--map" in sys.argv:
        print("EARSHOT_0 {\nglobal:")
        print("".join(f"\t{name};\n" for name in names) + "local:\n\t*;\n};")
    else:
        print("\n".join(names))


main()
