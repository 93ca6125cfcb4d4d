"""The examples of the documents: what a reader is told to type, and what the text says will come of it.

An example is a block of Markdown between ``` and ``` with a line that is a command, a literal block of a man page
in its section EXAMPLES, or the first steps of `earshot --help`. What a command prints is shown in a
block of its own, below a comment that names the command:

    <!-- output of: earshot grep -c t.shot -->

In it a line "..." (indented or not) stands for any number of lines. A number that is not the same each time is
named in the comment by what stands before it: <!-- output of: earshot info t.shot; varies: wire_bytes -->.
"""
import re

from support import TREE

# What begins a line that is typed, besides an assignment and a program of the tree.
PROGRAMS = ("earshot", "cat", "chmod", "cmake", "ctest", "find", "flamegraph.pl", "gdb-multiarch", "genhtml", "gtkwave", "iverilog", "iverilog-vpi",
            "kcachegrind", "lcov", "ls", "make", "mkdir", "openFPGALoader", "printf", "riscv64-unknown-elf-gcc",
            "ssh", "sudo", "verilator", "vvp", "yosys", "zstd")


class Example:
    """One command, with all its lines; `place` says where it stands, `text` is what a shell gets."""

    def __init__(self, document, line, text):
        self.document, self.line, self.text = document, line, text
        self.place = f"{document}:{line}"

    @property
    def bare(self):
        """The command on one line, without the comment after it: what it is known by."""
        if "<<" in self.text:
            return self.text.split("\n")[0]
        return " ".join(re.sub(r" +#.*", "", self.text.replace("\\\n", " ")).split())


class Output:
    """What a document shows as printed by a command."""

    def __init__(self, document, line, command, varies, lines):
        self.document, self.line, self.command, self.varies, self.lines = document, line, command, varies, lines
        self.place = f"{document}:{line}"


def is_command(line):
    first = line.split(" ")[0]
    return bool(re.match(r"[A-Z_a-z]+=\S", first)) or first in PROGRAMS or \
        bool(re.fullmatch(r"(build/bin|build/tests|hdl/boards|scripts|tests|bench)/\S+", first))


def commands_of(document, first_line, lines):
    """The commands of a block: continued lines are joined, a here-document belongs to its command."""
    found, at = [], 0
    while at < len(lines):
        begin = at
        here = re.search(r"<<'?(\w+)'?", lines[at])
        if here:
            at = lines.index(here.group(1), at)
        while lines[at].endswith("\\"):
            at += 1
        at += 1
        text = "\n".join(lines[begin:at])
        if text.strip() and not text.lstrip().startswith("#"):
            found.append(Example(document, first_line + begin, text))
    return found


def of_markdown(path, name):
    """(blocks of commands, outputs) of a document; a block is a list of examples."""
    lines = path.read_text().split("\n")
    blocks, outputs, at, comment = [], [], 0, None
    while at < len(lines):
        indent = re.match(r" *", lines[at]).group(0)
        if lines[at].startswith(indent + "```"):
            end = lines.index(indent + "```", at + 1)
            block = [line.removeprefix(indent) for line in lines[at + 1:end]]
            if comment:
                outputs.append(Output(name, at + 1, *comment, block))
            elif any(map(is_command, block)):
                blocks.append(commands_of(name, at + 2, block))
            at = end
            comment = None
        elif lines[at]:
            found = re.fullmatch(r"<!-- output of: (.*?)(?:; varies: (.*))? -->", lines[at])
            comment = (found.group(1), (found.group(2) or "").split(", ")) if found else None
        at += 1
    return blocks, outputs


def of_man_page(path, name):
    """The literal blocks of the section EXAMPLES."""
    lines = path.read_text().split("\n")
    blocks, at = [], lines.index(".Sh EXAMPLES")
    while at < len(lines) and not (lines[at].startswith(".Sh") and lines[at] != ".Sh EXAMPLES"):
        if lines[at].startswith(".Bd -literal"):
            end = lines.index(".Ed", at)
            block = [line.replace("\\e", "\\").replace("\\-", "-").replace("\\&", "") for line in lines[at + 1:end]]
            blocks.append(commands_of(name, at + 2, block))
            at = end
        at += 1
    return blocks


def of_help(text):
    """The first steps of `earshot --help`, whose comments stand behind two blanks or more."""
    steps = re.split(r"\nFirst steps.*\n", text)[1].split("\n\n")[0]
    lines = [re.sub(r"   +.*", "", line.strip()) for line in steps.splitlines()]
    return [commands_of("earshot --help", 1, lines)]


def documents():
    """Every document that a user or a contributor reads, as (path, name)."""
    paths = [TREE / "README.md", TREE / "CONTRIBUTING.md", *(TREE / "docs").rglob("*.md")]
    for folder in TREE.iterdir():
        if folder.is_dir() and not folder.name.startswith((".", "build")):
            paths += folder.rglob("README.md")
    return [(path, str(path.relative_to(TREE))) for path in sorted(paths)]


def man_pages():
    return [(path, str(path.relative_to(TREE))) for path in sorted((TREE / "docs" / "man").glob("*.1*"))]


def spans(path):
    """(line, text) of each `earshot COMMAND ...` within the sentences of a Markdown document."""
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"), path.read_text(), flags=re.M | re.S)
    for found in re.finditer(r"`(earshot\s+[a-z-][^`]+)`", text):
        yield text.count("\n", 0, found.start()) + 1, " ".join(found.group(1).split())


def matches(shown, printed):
    """Are these lines what was printed, "..." standing for any number of lines?"""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])
