#!/usr/bin/env python3
"""Make the documents that are installed: all of them below one folder, with links that work there.

    docs/installed.py OUT DOCUMENT...

Documents of docs/ keep their place below it, all others are put into OUT itself. A link to another
one of the documents names it there; a picture is copied and keeps its place below docs/; of any other link into the tree only its text stays, for the tree is not installed.
"""
import os
import pathlib
import re
import shutil
import sys

TREE = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def place_of(path):
    """Where a file of the tree is installed."""
    return path.relative_to(TREE / "docs") if path.is_relative_to(TREE / "docs") else pathlib.Path(path.name)


def convert(source, sources, out):
    """The text of a document as it is installed. Copies its pictures."""
    def replace(link):
        picture, text, target, anchor = link.group(1), link.group(2), link.group(3), link.group(4) or ""
        if not target or re.match(r"[a-z]+:", target):
            return link.group()
        path = (source.parent / target).resolve()
        if not path.exists():
            raise SystemExit(f"{source}: link to {target}: there is no such file")
        if picture:
            copy = out / place_of(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        elif path not in sources:
            return text
        there = os.path.relpath(place_of(path), place_of(source).parent)
        return f"{picture}[{text}]({there}{anchor})"

    blocks = re.split(r"(^```.*?^```$)", source.read_text(), flags=re.M | re.S)
    return "".join(block if block.startswith("```") else LINK.sub(replace, block) for block in blocks)


def main():
    out = pathlib.Path(sys.argv[1])
    sources = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for source in sources:
        text = convert(source, sources, out) if source.suffix == ".md" else source.read_text()
        copy = out / place_of(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)


if __name__ == "__main__":
    main()
