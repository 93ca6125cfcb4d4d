"""What the parts of scripts/originals share: the tools, the programs that run on them, the table.

A part is a module of this folder with a function compare(bench). It calls bench.row() once for each
comparison, and bench.skip() where a tool is missing; NEEDS names the tools that it can use.
"""
import dataclasses
import os
import pathlib
import subprocess

TREE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = TREE / "tests/programs"
TIMEOUT = 900
SEARCH_DEPTH = 4  # folders below DIR in which a tool is searched

# Programs without devices that a simulator does not have; the parts run the beginning of each.
PROGRAM_NAMES = {
    "rv32imc": "alu crc32 list matrix misaligned recursion sha256 software sort strings traps aes allocate chacha "
               "compress csrs deep divide fir graph huffman integer_edges interpreter modexp montgomery nbody "
               "reed_solomon regex rewrite states trap_storm",
    "rv32imac": "atomics user",
    "rv32imac_zba_zbb_zbs": "bits divide",
    "rv32imafdc": "fft float_edges mandelbrot nbody",
    "rv64imac": "aes allocate atomics compress csrs deep divide fir graph huffman integer_edges modexp reed_solomon "
                "regex rewrite states trap_storm user",
    "rv64imac_zba_zbb_zbs": "bits chacha interpreter montgomery sha256",
    "rv64imafdc_zba_zbb_zbs": "fft float_edges mandelbrot nbody",
}
MORE_SOURCES = {"sha256": ["sha256_hash.c"], "software": ["software_vectors.S"]}


class Failed(Exception):
    """A comparison could not be made."""


class Missing(Failed):
    """A tool or a file of the originals is not in DIR."""


@dataclasses.dataclass(frozen=True)
class Original:
    """Source of one or more tools: where it comes from, what was compared with, how it is built."""
    name: str
    source: str
    commit: str
    tools: tuple  # names of the executables
    build: tuple  # shell commands, in the folder of the source
    needs: str = ""


ORIGINALS = {original.name: original for original in (
    Original("spike", "riscv-software-src/riscv-isa-sim", "55b4658dbf574ba0b714083ec436ce2cb5be1998",
             ("spike", "spike-dasm"), ("mkdir build && cd build && ../configure && make spike spike-dasm",),
             "device-tree-compiler"),
    Original("whisper", "tenstorrent/whisper", "40c473e22e7375660bf9fc33beff4b45d1a2c8fb",
             ("whisper", "sample-reader"),
             ("mkdir -p boost/include boost/stage/lib && ln -s /usr/include/boost boost/include/",
              "ln -s /usr/lib/*/libboost_program_options.a boost/stage/lib/",
              "make BOOST_ROOT=$PWD/boost",
              "make -C trace-reader BOOST_ROOT=/usr sample-reader"),
             "Boost (libboost-all-dev), a compiler of C++20; the first two steps are for Debian"),
    Original("tarmac", "ARM-software/tarmac-trace-utilities", "629aafddeb41badb80493bb492b8a66b1701fff6",
             ("tarmac-calltree", "tarmac-indextool", "tarmac-callinfo", "tarmac-profile", "tarmac-vcd"),
             ("cmake -S . -B build && cmake --build build",), "CMake"),
    Original("qtools", "MIPS/development", "7ade5c7e292d453175c98c06876af64d6146e85c",
             ("read_trace", "check_trace", "bb_dump", "profile_trace", "bbprof", "hist_trace", "read_addr", "read_pid",
              "exc_dump", "check_stack", "read_method", "profile_pid", "dump_regions", "stack_dump", "coverage"),
             ("cd emulator/qtools && mkdir bin && echo 'void __attribute__((weak)) Usage(const char *) {}' > usage.cc",
              "cd emulator/qtools && for tool in $(sed -n 's/^LOCAL_MODULE := //p' Android.mk); do "
              "g++ -std=gnu++98 -O1 -w -fpermissive -include stdlib.h -include string.h -I. -o bin/$tool $tool.cpp "
              "usage.cc {trace_reader,decoder,armdis,thumbdis,opcode,read_elf,parse_options,dmtrace,gtrace}.cpp; done"),
             "trace_common.h of aosp-mirror/platform_external_qemu 9376dc26 in emulator/qtools"),
)}


@dataclasses.dataclass
class Row:
    """A line of the table. lines: of the original's text, or records where `compared` says so."""
    format: str
    original: str
    compared: str
    lines: int
    differences: int


def original_of(tool):
    return next(original for original in ORIGINALS.values() if tool in original.tools)


def describe(original):
    """How the tools of an original are got; printed, never run."""
    lines = [f"{original.name}: {', '.join(original.tools)}",
             f"    git clone https://github.com/{original.source} DIR/{original.name}",
             f"    git -C DIR/{original.name} checkout {original.commit}"]
    lines += [f"    (cd DIR/{original.name} && {command})" for command in original.build]
    if original.needs:
        lines.append(f"    needs {original.needs}")
    return "\n".join(lines)


def find_tools(folder):
    """The executables of all originals below the folder, the least deep one of each name."""
    wanted = {tool for original in ORIGINALS.values() for tool in original.tools}
    found = {}
    for path, folders, files in os.walk(folder):
        depth = len(pathlib.Path(path).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if name != ".git" and depth < SEARCH_DEPTH)
        for name in wanted.intersection(files):
            file = pathlib.Path(path, name)
            if os.access(file, os.X_OK) and file.is_file() and \
                    (name not in found or len(file.parts) < len(found[name].parts)):
                found[name] = file
    return found


def commit_of(tool):
    """The commit of the source tree in which a tool lies, or None for a lone binary."""
    done = subprocess.run(["git", "-C", tool.resolve().parent, "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


class Bench:
    """One part's view: tools, scratch folder, rows."""

    def __init__(self, earshot, tools, scratch):
        self.earshot = earshot
        self.tools = tools
        self.scratch = scratch
        self.rows = []
        self.skipped = []

    def tool(self, name):
        """The path of a tool; raises Missing."""
        if name not in self.tools:
            raise Missing(f"{name} of {original_of(name).name} is missing")
        return self.tools[name]

    def has(self, *names):
        return all(name in self.tools for name in names)

    def title(self, *names):
        """"whisper 40c473e2": what a row says about its original."""
        words = []
        for name in names:
            original = original_of(name)
            commit = commit_of(self.tool(name)) or "of unknown commit"
            words.append(f"{original.name} {commit[:8] if len(commit) == 40 else commit}")
        return ", ".join(dict.fromkeys(words))

    def row(self, format, original, compared, lines, differences):
        self.rows.append(Row(format, original, compared, lines, differences))

    def skip(self, compared, why):
        """A comparison that was not made; the exit status says so."""
        self.skipped.append(f"{compared}: {why}")

    def path(self, name):
        return self.scratch / name

    def run(self, *command, stdout=None, status=(0,), timeout=TIMEOUT):
        """Run a command in the scratch folder; stdout names a file there. Raises Failed for another status."""
        command = [str(word) for word in command]
        output = open(self.path(stdout), "wb") if stdout else subprocess.PIPE
        try:
            done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                  cwd=self.scratch, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"{' '.join(command)}: not finished after {timeout} s") from None
        finally:
            if stdout:
                output.close()
        if status is not None and done.returncode not in status:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-3:]
            raise Failed(f"{' '.join(command)}: exit status {done.returncode}: {' | '.join(said)}")
        return done

    def convert(self, source, output, *options, status=(0,)):
        """earshot convert; the result's path."""
        self.run(self.earshot, "convert", "--quiet", *options, source, "-o", output, status=status)
        return self.path(output)

    def program(self, name, isa="rv32imc"):
        """A program of tests/programs as an ELF, compiled by the RISC-V cross compiler, as short as it can be."""
        elf = self.path(f"{name}-{isa}.elf")
        if elf.exists():
            return elf
        base = isa.split("_")[0]
        abi = ("ilp32" if isa.startswith("rv32") else "lp64") + ("d" if "d" in base else "")
        folder = PROGRAMS if (PROGRAMS / f"{name}.c").exists() else PROGRAMS / "workloads"
        flags = [f"-mabi={abi}", "-misa-spec=2.2", "-mcmodel=medany", "--specs=picolibc.specs", "-std=gnu11",
                 "-nostartfiles", "-ffp-contract=off", "-ffunction-sections", f"-I{PROGRAMS}"]
        objects = []
        for source in (PROGRAMS / "start.S", PROGRAMS / "support.c", folder / f"{name}.c",
                       *(PROGRAMS / more for more in MORE_SOURCES.get(name, ()))):
            objects.append(self.path(f"{name}-{isa}-{source.stem}.o"))
            self.run("riscv64-unknown-elf-gcc", f"-march={isa}", *flags, "-O2", "-DREPEAT=1", "-c", source, "-o",
                     objects[-1])
        self.run("riscv64-unknown-elf-gcc", f"-march={base}", *flags, "-Wl,--gc-sections",
                 "-Wl,--no-warn-rwx-segments", "-Wl,--defsym=stack_size=0x40000", "-T", PROGRAMS / "link.ld", *objects,
                 "-o", elf)
        return elf

    def programs(self):
        """All of PROGRAM_NAMES: (name, isa, ELF)."""
        return [(name, isa, self.program(name, isa)) for isa, names in PROGRAM_NAMES.items() for name in names.split()]


def count_lines(path):
    with open(path, "rb") as text:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: text.read(1 << 20), b""))


def differing_lines(first, second):
    """How many lines of two files are in one of them only, in order; 0: the same bytes."""
    done = subprocess.run(["diff", "--text", "--speed-large-files", first, second], capture_output=True)
    if done.returncode > 1:
        raise Failed(f"diff {first} {second}: {done.stderr.decode(errors='replace').strip()}")
    lines = done.stdout.splitlines()
    only = [sum(line.startswith(mark) for line in lines) for mark in (b"<", b">")]
    return max(only) if done.returncode else 0
