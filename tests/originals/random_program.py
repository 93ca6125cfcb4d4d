"""A bare-metal program of random instructions of every row of the instruction table, for any simulator.

The rows come from decoder/isa/inst_list.def: the bits of the mask are as the row says, all others are
random. What would leave the program is left out: jumps, branches, returns from traps, waits, and CSR
instructions of CSRs that the trap handler needs. The handler skips what traps. Registers are loaded
with addresses of a data area again and again, so that most accesses are good ones; physical memory
protection keeps the code from being written to.
"""
import functools
import random
import re
import subprocess

import bench as benches

# The preprocessor makes ROW@...@END of each row: those of vector instructions are macros of macros.
ROWS = """
#define INST(id, name, match, mask, where, nonzero, format, kind, size, flags, extension) \
	ROW@name@match@mask@where@nonzero@kind@extension@END
#include "decoder/isa/inst_list.def"
"""
LEAVING_KINDS = {"JUMP", "BRANCH", "CSR"}
LEAVING_NAMES = re.compile(r"ret$|^wfi$|^wrs\.|^(c\.)?ebreak$|^ecall$|^cm\.(pop|j)|^sctrclr$")
SAFE_CSRS = (0x001, 0x002, 0x003)

CODE_SIZE = 1 << 21  # bytes

START = """
	.globl _start
_start:
	la x5, handler
	csrw mtvec, x5
	la x5, saved
	csrw mscratch, x5
	li x5, 0x6600
	csrs mstatus, x5
	li x5, (0x80000000 >> 2) + (CODE_SIZE / 8 - 1)
	csrw pmpaddr0, x5
	li x5, 0x9d
	csrw pmpcfg0, x5
	j body
	.align 4
handler:
	csrrw x5, mscratch, x5
	SREG x6, 0(x5)
	SREG x7, 8(x5)
	csrr x6, mepc
	lhu x7, 0(x6)
	andi x7, x7, 3
	addi x6, x6, 2
	addi x7, x7, -3
	bnez x7, 1f
	addi x6, x6, 2
1:	csrw mepc, x6
	LREG x6, 0(x5)
	LREG x7, 8(x5)
	csrrw x5, mscratch, x5
	mret
	.align 4
body:
"""
END = """
	la x5, tohost
	li x6, 1
	sw x6, 0(x5)
1:	j 1b
	.section .data
	.align 12
	.skip 4096
saved:	.skip 64
	.align 6
	.globl tohost
tohost:	.dword 0
	.align 6
	.globl fromhost
fromhost: .dword 0
	.align 12
	.skip 4096
area:	.skip 16384
"""


LINK = f"""
SECTIONS {{
	. = 0x80000000;
	.text : {{ *(.text) }}
	. = {0x80000000 + CODE_SIZE:#x};
	.data : {{ *(.data) }}
}}
"""


def extensions_of(isa, xlen):
    """Of "imc_zba": I, M, C, ZBA, and what they imply, as decoder/isa/inst_extension.def names them."""
    letters, *names = isa.upper().split("_")
    extensions = {*letters, *names}
    text = (benches.TREE / "decoder/isa/inst_extension.def").read_text()
    rules = [({one}, other) for one, other in re.findall(r"^IMPLIES\((\w+), (\w+)\)", text, re.M)]
    for rule, one, other, both in re.findall(r"^(BOTH\w*)\((\w+), (\w+), (\w+)\)", text, re.M):
        if rule == "BOTH" or xlen == 32:
            rules.append(({one, other}, both))
    while True:
        more = {implied for needed, implied in rules if needed <= extensions} - extensions
        if not more:
            return extensions
        extensions |= more


def evaluate(expression):
    """The value of a constant expression of C: numbers, brackets and a few operators."""
    if not re.fullmatch(r"[\s0-9a-fA-Fxu()|<>&~+*/%-]+", expression):
        raise benches.Failed(f"decoder/isa/inst_list.def: '{expression}' is not a number")
    return eval(re.sub(r"\b(0x[0-9a-fA-F]+|[0-9]+)u\b", r"\1", expression).replace("/", "//"))  # digits and operators


@functools.cache
def list_rows():
    """Of every row of the table: name, match, mask, where, nonzero, kind, extension."""
    done = subprocess.run(["cc", "-E", "-P", "-x", "c", "-I", benches.TREE, "-"], input=ROWS, text=True,
                          capture_output=True)
    if done.returncode:
        raise benches.Failed(f"decoder/isa/inst_list.def: {done.stderr.strip()}")
    rows = []
    for row in re.findall(r"ROW@(.*?)@END", " ".join(done.stdout.split())):
        name, match, mask, where, nonzero, kind, extension = (column.strip() for column in row.split("@"))
        name = re.sub(r'[" ]', "", name)
        rows.append((name, evaluate(match), evaluate(mask), where, evaluate(nonzero), kind, extension))
    return rows


def read_rows(xlen, isa, without=()):
    """(name, match, mask, nonzero, size) of each instruction that the program can have: of these extensions."""
    extensions = extensions_of(isa, xlen)
    rows = []
    for name, match, mask, where, nonzero, kind, extension in list_rows():
        fits = where not in ("RV32", "RV64") or where == f"RV{xlen}"
        fits = fits and extension in extensions and name not in without
        if fits and kind not in LEAVING_KINDS and not LEAVING_NAMES.search(name):
            rows.append((name, match, mask, nonzero, 4 if match & 3 == 3 else 2))
    return rows


def make_instruction(numbers, row):
    _, match, mask, nonzero, size = row
    while True:  # without the bits of nonzero it is another instruction, perhaps a jump
        word = match | numbers.getrandbits(8 * size) & ~mask
        if nonzero == 0 or word & nonzero:
            return word


def make_csr_instruction(numbers):
    source, target, operation = numbers.getrandbits(5), numbers.getrandbits(5), numbers.choice((1, 2, 3, 5, 6, 7))
    return numbers.choice(SAFE_CSRS) << 20 | source << 15 | operation << 12 | target << 7 | 0x73


def make_source(xlen, rows, each, seed=1):
    """Assembler source with `each` instructions of every row, in random order."""
    numbers = random.Random(seed)
    words = [(row[4], make_instruction(numbers, row)) for row in rows for _ in range(each)]
    words += [(4, make_csr_instruction(numbers)) for _ in range(12 * each)]
    numbers.shuffle(words)
    lines = [f"#define CODE_SIZE {CODE_SIZE}", "#define SREG " + ("sd" if xlen == 64 else "sw"),
             "#define LREG " + ("ld" if xlen == 64 else "lw"), START]
    for index, (size, word) in enumerate(words):
        if index % 4 == 0:
            register = numbers.choice((2, 8, 9, 10, 11, 12, 13, 14, 15, 16 + index // 4 % 16))
            lines.append(f"\tla x{register}, area + {64 * numbers.randrange(32, 224)}")
        if index % 48 == 0:
            lines.append(f"\tli x5, {numbers.randrange(1, 40)}\n\t.word {vsetvli(numbers):#x}")
        lines.append(f"\t.{'word' if size == 4 else 'half'} {word:#x}")
    return "\n".join(lines) + END


def vsetvli(numbers):
    """vsetvli x0, x5, a vtype that is legal; where there are no vectors it traps."""
    width, group = numbers.randrange(4), numbers.choice((0, 0, 1, 2, 3, 7, 6))
    return (numbers.getrandbits(2) << 6 | width << 3 | group) << 20 | 5 << 15 | 7 << 12 | 0x57


def build(bench, xlen, rows, each, seed=1):
    """The program as an ELF. rows: of read_rows()."""
    source, elf = bench.path(f"random{xlen}-{seed}.S"), bench.path(f"random{xlen}-{seed}.elf")
    script = bench.path("random.ld")
    script.write_text(LINK)
    source.write_text(make_source(xlen, rows, each, seed))
    isa, abi = ("rv64imac", "lp64") if xlen == 64 else ("rv32imac", "ilp32")
    bench.run("riscv64-unknown-elf-gcc", f"-march={isa}", "-misa-spec=2.2", f"-mabi={abi}", "-mcmodel=medany",
              "-nostdlib", "-nostartfiles", "-static", "-Wl,--no-relax", "-T", script,
              "-Wl,--no-warn-rwx-segments", source, "-o", elf)
    return elf
