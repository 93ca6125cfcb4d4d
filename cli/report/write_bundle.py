#!/usr/bin/env python3
"""Write the bundle as a C source: write_bundle.py FOLDER OUT.c [SOURCES]

FOLDER holds report.js, report.css, live.js, live.css and SHA256SUMS, which build.mjs writes. With SOURCES, the folder
of build.mjs, the sums of the sources are compared as well: a bundle that was built from others is
refused.
"""
import base64
import hashlib
import pathlib
import sys

TEXTS = {"report.js": "ear_report_script", "report.css": "ear_report_style",
         "live.js": "ear_live_script", "live.css": "ear_live_style"}


def fail(text):
    sys.exit(f"write_bundle.py: {text}")


def read_sums(folder):
    try:
        lines = (folder / "SHA256SUMS").read_text().splitlines()
        return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")


def check(path, digest):
    try:
        content = path.read_bytes()
    except OSError as error:
        fail(f"{path}: {error.strerror}; build the bundle again, or remove {path.parent}")
    if hashlib.sha256(content).hexdigest() != digest:
        fail(f"{path} differs from its sum in SHA256SUMS: the bundle was built from other sources. Remove "
             f"cli/report/dist, or build it again with node cli/report/build.mjs")
    return content


def sources_of(folder):
    names = [path for path in (folder / "src").rglob("*") if path.is_file()]
    return {"../" + path.relative_to(folder).as_posix()
            for path in [*names, folder / "build.mjs", folder / "package-lock.json"]}


def array(name, content):
    rows = (content[at:at + 24] for at in range(0, len(content), 24))
    # A char of C may be signed.
    text = "".join("\t" + "".join(f"{byte if byte < 128 else byte - 256}," for byte in row) + "\n" for row in rows)
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    return (f"const char {name}[] = {{\n{text}\t0}};\n"
            f"const size_t {name}_size = {len(content)};\n"
            f"const char {name}_hash[] = \"sha256-{digest}\";\n")


def main(folder, out, sources=None):
    folder = pathlib.Path(folder)
    sums = read_sums(folder)
    content = {}
    for name in TEXTS:
        if name not in sums:
            fail(f"{folder / 'SHA256SUMS'} does not name {name}")
        content[name] = check(folder / name, sums.pop(name))
    if sources is not None:
        base = pathlib.Path(sources)
        if set(sums) != sources_of(base):
            fail(f"{folder} was built from other sources: {' '.join(sorted(set(sums) ^ sources_of(base)))}")
        for name, digest in sums.items():
            check(base / name.removeprefix("../"), digest)
    for name in TEXTS:
        closing = b"</script" if name.endswith(".js") else b"</style"
        if closing in content[name].lower() or b"<!--" in content[name] or b"\0" in content[name]:
            fail(f"{name} holds {closing.decode()}, <!-- or a NUL: it would end in the middle of the page")
    pathlib.Path(out).write_text(
        "/* Written by cli/report/write_bundle.py. */\n#include \"cli/report/report_bundle.h\"\n\n"
        + "\n".join(array(variable, content[name]) for name, variable in TEXTS.items()))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        fail(__doc__)
    main(*sys.argv[1:])
