#!/usr/bin/env python3
"""Write what the hardware would otherwise repeat by hand.

usage: generate.py [--check]

Between a line "generate: WHAT ..." and the next "generate: end", both in a comment, the files below
hold text that comes from one of these places:

  hdl/rtl/retire.table                the retire port: ports, wires, connections, fields of an entry
  decoder/predict/operation.h         kinds and flags of operations (ear_predict.vh)
  decoder/predict/geometry.c          the geometries with a name (ear_geometry.vh, hdl/configs)
  hdl/configs                         what each board is made of (hdl/boards/ear_board.v)
  a module of hdl/                    its ports, wherever they are wired by name; its parameters
  common/protocol/protocol.table      fields that can differ from a prediction (ear_predict.vh)

Everything outside of these lines is written by hand and stays. Without an argument the files are
written. With --check nothing is written: the exit code is 1 and the stale files are named.
"""
import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = [
    "hdl/configs",  # others take from it
    "docs/retire-port.md",
    "hdl/adapters/ear_rvfi.v",
    "hdl/adapters/ear_rvfi.vh",
    "hdl/adapters/ear_unit_ft245.v",
    "hdl/adapters/ear_unit_fx2.v",
    "hdl/adapters/ear_unit_uart.v",
    "hdl/boards/ear_board.v",
    "hdl/boards/ear_board.vh",
    "hdl/boards/ear_board_top.v",
    "hdl/formal/formal_capture.v",
    "hdl/formal/formal_drop.v",
    "hdl/formal/formal_encoder.v",
    "hdl/formal/formal_port.v",
    "hdl/formal/formal_stall.v",
    "hdl/rtl/capture/ear_retire_stage.v",
    "hdl/rtl/ear_entry.vh",
    "hdl/rtl/ear_geometry.vh",
    "hdl/rtl/ear_predict.vh",
    "hdl/rtl/ear_unit.v",
    "hdl/rtl/ear_unit_check.vh",
    "hdl/rtl/predict/ear_predict_digest.v",
    "hdl/rtl/predict/ear_predictor.v",
    "hdl/rtl/wire/ear_body_fields.v",
    "hdl/rtl/wire/ear_predict_encoder.v",
    "hdl/rtl/wire/ear_raw_encoder.v",
    "hdl/sim/ear_demo_board.v",
    "hdl/soc/ear_demo_core.v",
    "hdl/soc/ear_demo_system.v",
    "hdl/timing/timing_entry.v",
    "hdl/timing/timing_load.v",
    "hdl/timing/timing_stall.v",
    "tests/bench/sizes/size_soc.v",
    "tests/sim/tb_unit.v",
]
PARAMETER = {"csr": "CSR_SLOTS", "frd": "FLEN", "paddr": "PADDR", "operands": "OPERANDS"}


class Signal:
    def __init__(self, name, bits, group, field, meaning, lacking):
        self.name, self.bits, self.group, self.field = name, bits, group, field
        self.meaning, self.lacking = meaning, lacking
        parameter = PARAMETER.get(group)
        self.optional = parameter is not None and parameter in bits  # one bit wide if not built
        self.built = bits.replace("*PADDR", "")

    def width(self):
        """Bits of one channel's port."""
        if not self.optional:
            return self.bits
        return f"({PARAMETER[self.group]} > 0 ? {self.built} : 1)"

    def value(self, xlen, slots):
        """Bits of one channel's port as a number, for a core without FP and physical addresses."""
        values = {"XLEN": xlen, "CSR_SLOTS": slots, "FLEN": 0, "PADDR": 0}
        return eval(self.bits.replace("/", "//"), {}, values) or 1  # pylint: disable=eval-used


def parse(path):
    signals = []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, meaning, lacking = line.split(" : ")
        signals.append(Signal(*head.split(), meaning.strip(), lacking.strip()))
    return signals


SIGNALS = parse(ROOT / "hdl/rtl/retire.table")


class Field:
    def __init__(self, signal):
        self.name, self.group, self.signals = signal.field, signal.group, [signal]

    def bits(self):
        """Of the field in an entry, as Verilog."""
        if len(self.signals) > 1:
            return str(sum(int(s.bits) for s in self.signals))
        return self.signals[0].built


def fields(*groups):
    out = []
    for signal in SIGNALS:
        if signal.group == "-" or (groups and signal.group not in groups):
            continue
        if out and out[-1].name == signal.field:
            out[-1].signals.append(signal)
        else:
            out.append(Field(signal))
    return out


def total(widths):
    """The sum of Verilog widths as one expression: numbers and terms of XLEN are added up."""
    count = {"1": 0, "XLEN": 0, "XLEN/8": 0}
    others = []
    for width in widths:
        if width.isdigit():
            count["1"] += int(width)
        elif width in count:
            count[width] += 1
        else:
            others.append(width)
    terms = [str(count["1"])] if count["1"] else []
    for name, term in (("XLEN", "(XLEN)"), ("XLEN/8", "((XLEN) / 8)")):
        if count[name]:
            terms.append(term if count[name] == 1 else f"{count[name]} * {term}")
    return " + ".join(terms + others) or "0"


def vector(bits):
    """The range of a declaration, with the space after it."""
    if bits.isdigit():
        return f"[{int(bits) - 1}:0] " if int(bits) > 1 else ""
    return f"[{bits}-1:0] "


def wrap(lead, items, end, first=None):
    """Items with commas, wrapped at 100 columns; lead is on the first line."""
    text, lines = first if first is not None else lead, []
    for i, item in enumerate(items):
        item += "," if i + 1 < len(items) else end
        if len(text) + 1 + len(item) > 98:
            lines.append(text)
            text = " " * (len(lead) - len(lead.lstrip()) + 4) + item
        else:
            text += ("" if text.endswith(("{", "(")) else " ") + item
    return lines + [text]


# The blocks. Each takes the words after its name and the settings NAME=VALUE, and returns lines.

def ports(words, settings):
    """ports unit | channel: inputs. ports core: outputs of an RV32 core with five CSR slots; last:
    without the last comma."""
    out = []
    if words[0] == "core":
        chosen = [s for s in SIGNALS if s.group not in ("frd", "paddr")]
        for s in chosen:
            out.append(f"output wire {vector(str(s.value(32, 5)))}rvfi_{s.name}_o,")
    else:
        for s in SIGNALS:
            bits = s.width()
            if words[0] == "unit":
                bits = "NRET" if bits == "1" else f"NRET*{bits}"
            out.append(f"input wire {vector(bits)}rvfi_{s.name}_i,")
    if "last" in words:
        out[-1] = out[-1].rstrip(",")
    return out


def wires(words, settings):
    """wires core: what an RV32 core with five CSR slots retires. wires unit: what ear_unit takes.
    wires fields: what ear_body_fields gives. wires base: the fields of base; FIELD=NAME renames."""
    out = []
    if words[0] == "base":
        return [f"wire {vector(f.bits())}{settings.get(f.name, f.name)};" for f in fields("base")]
    if words[0] == "fields":
        for f in fields():
            out.append(f"wire {vector(field_width(f))}{f.name};")
        return out
    for s in SIGNALS:
        if words[0] == "unit":
            bits = s.width()
            bits = "NRET" if bits == "1" else f"NRET*{bits}"
            out.append(f"wire {vector(bits)}rvfi_{s.name};")
        elif s.group not in ("frd", "paddr"):
            out.append(f"wire {vector(str(s.value(32, 5)))}rvfi_{s.name};")
    return out


class Place:
    """Where the block that is being written stands, and what surrounds it."""
    path, lines, number, indent = None, [], 0, ""

    @classmethod
    def declares(cls, name):
        """Is there a port, wire, reg or parameter of this name, here or in a header of this folder?"""
        text = re.sub(r"//.*", "", "\n".join(cls.lines))
        for header in re.findall(r'`include "(\w+\.vh)"', text):
            if (cls.path.parent / header).exists():
                text += (cls.path.parent / header).read_text()
        return re.search(rf"^\s*(?:input|output|wire|reg)\b[^;=\n]*\b{name}\b|"
                         rf"\b(?:parameter|localparam)\s+(?:\[.*?\]\s*)?{name}\b", text, re.M) is not None

    @classmethod
    def by_hand(cls):
        """The names that the same list has outside of the block: .NAME(...)."""
        names = set()
        for step, generated in (-1, False), (1, True):
            at = cls.number + step
            while not re.search(r"#\($|\bu_\w+ \($|\);$", cls.lines[at]):
                if " generate: " in cls.lines[at]:
                    generated = (" generate: end" in cls.lines[at]) == (step < 0)
                if not generated:
                    names |= set(re.findall(r"\.(\w+)\s*\(", cls.lines[at]))
                at += step
        return names


def module(name):
    """Of a module of hdl/: its parameters with their ranges and defaults; its ports: direction,
    bits, name."""
    text = re.sub(r"//[^\n]*", "", next((ROOT / "hdl").rglob(f"{name}.v")).read_text())
    head = text[text.index(f"module {name}"):]
    head = head[:re.search(r"^\);", head, re.M).start()]
    parameters = re.findall(r"\bparameter\s+(\[.*?\])?\s*(\w+)\s*=\s*(.*?)\s*(?=,\s*parameter\b|^\) \()",
                            head, re.M | re.S)
    found = re.findall(r"^\s*(input|output)\s+(?:wire|reg)\s*(?:\[(.*)\]\s*)?(\w+),?\s*$", head, re.M)
    return parameters, found


def joined(items, words):
    """Items of a list, as many in a line as fit; "last": the list ends with them."""
    lines = [""]
    for i, item in enumerate(items):
        item += "" if "last" in words and i + 1 == len(items) else ","
        if lines[-1] and len(Place.indent) + len(lines[-1]) + 1 + len(item) > 100:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + item
    return lines


def zero(name, bits):
    """0 for an input. Of a port of ear_unit: of one that has neither FP nor physical addresses."""
    known = {s.name: s for s in SIGNALS}.get(name.removeprefix("rvfi_"))
    if known:
        width = known.value(32, 0)
    elif match := re.fullmatch(r"\s*(\d+):0", bits):
        width = int(match[1]) + 1
    else:
        width = 1 if not bits else None
    if width is None:
        width = bits.split(":")[0].replace("-1", "").strip()
        return f"{{{width if width.isidentifier() else f'({width})'}{{1'b0}}}}"
    return f"{width}'{'b' if width == 1 else 'd'}0"


def connect(words, settings):
    """connect MODULE: each port to the port of this file that has its name, else to the wire that has
    it without _i or _o. What is connected by hand in the same instance is left out. "tied": what is
    not declared here is 0, or open. GROUP=0: a group of the retire port is 0. RETIRE_SIGNAL=VALUE.
    rvfi=PREFIX: the retire port is in wires with this prefix in place of rvfi_, where they are declared."""
    groups = {f"rvfi_{s.name}": s.group for s in SIGNALS}
    done = Place.by_hand()
    items = []
    for direction, bits, port in module(words[0])[1]:
        name = re.sub(r"_(n?)[io]$", r"_\1", port).rstrip("_")
        if port in done:
            continue
        if name.removeprefix("rvfi_") in settings:
            value = settings[name.removeprefix("rvfi_")]
        elif settings.get(groups.get(name)) == "0":
            value = zero(name, bits)
        elif "rvfi" in settings and Place.declares(name.replace("rvfi_", settings["rvfi"])):
            value = name.replace("rvfi_", settings["rvfi"])
        elif Place.declares(port):
            value = port
        elif "tied" in words and not Place.declares(name):
            value = zero(name, bits) if direction == "input" else ""
        else:
            value = name
        items.append(f".{port}({value})")
    return joined(items, words)


def channel(words, settings):
    """channel: channel k of the ports of ear_unit, to ear_retire_stage. SIGNAL=VALUE."""
    items = []
    for s in SIGNALS:
        name = {"CSR_SLOTS": "CSR_N", "12*CSR_SLOTS": "CSR_A", "XLEN*CSR_SLOTS": "CSR_D",
                "FLEN": "FRD", "64*PADDR": "PA"}.get(s.bits, s.bits)
        index = "k" if name == "1" else f"k*{name}+:{name}"
        items.append(f".rvfi_{s.name}_i({settings.get(s.name, f'rvfi_{s.name}_i[{index}]')})")
    return joined(items, words)


def copy(words, settings):
    """copy MODULE PREFIX: the inputs of that module that begin so."""
    return [f"input wire {f'[{bits}] ' if bits else ''}{port}," for direction, bits, port in module(words[0])[1]
            if direction == "input" and port.startswith(words[1])]


def body(words, settings):
    """body: ear_body_fields to wires with the names of the fields."""
    return joined([f".{f.name}_o({f.name})" for f in fields()], words)


def parameters(words, settings):
    """parameters MODULE: the same with the same defaults, without those of a declared width.
    without=NAME: without that one, too."""
    items = [f"parameter {name} = {value}" for bits, name, value in module(words[0])[0]
             if not bits and name != settings.get("without")]
    return joined(items, words)


def assign(words, settings):
    """assign MODULE: each parameter that is declared here, too, and is not set by hand."""
    done = Place.by_hand()
    return joined([f".{name}({name})" for _, name, _ in module(words[0])[0]
                   if name not in done and Place.declares(name)], words)


def choices(words, settings):
    """choices TOP MODULE...: the parameters of these modules in the configurations of TOP, as
    localparams that depend on CONFIG. Those that no configuration sets, or that are here, are left out."""
    chosen = [values for top, values in configurations().values() if top == words[0]]
    out = []
    for name, default in [(name, value) for m in words[1:] for name, value in numbers(m).items()]:
        values = [values.get(name, default) for values in chosen]
        if not any(name in one for one in chosen):
            continue
        usual = max(values, key=values.count)
        text = "".join(" || ".join(f"CONFIG == {i}" for i, value in enumerate(values) if value == one) +
                       f" ? {one} : " for one in dict.fromkeys(values) if one != usual)
        line = f"localparam {name} = {text}{usual};"
        out += [line] if len(line) <= 98 else line.replace("= ", "=\n    ", 1).split("\n")
    return out


def rvfi(words, settings):
    """rvfi ports: the signals of RVFI without CSR groups, as inputs. rvfi macros: for ear_rvfi.vh."""
    chosen = [s for s in SIGNALS if s.group in ("-", "base", "operands") and "*added*" not in s.meaning]
    ranges = {s.name: vector("NRET" if s.bits == "1" else f"NRET*{s.bits}") for s in chosen}
    if words[0] == "ports":
        return [f"input wire {ranges[s.name]}rvfi_{s.name}_i," for s in chosen]
    sized = {name: bits.replace("NRET", "(NRET)").replace("XLEN", "(XLEN)") for name, bits in ranges.items()}
    out = []
    for macro, lines in (("EAR_RVFI_WIRES(NRET, XLEN)", [f"wire {sized[s.name]}rvfi_{s.name};" for s in chosen]),
                         ("EAR_RVFI_OUTPUTS(NRET, XLEN)", [f"output wire {sized[s.name]}rvfi_{s.name}," for s in chosen]),
                         ("EAR_RVFI_CORE", [f".rvfi_{s.name}(rvfi_{s.name})," for s in chosen]),
                         ("EAR_RVFI_UNIT", [f".rvfi_{s.name}_i(rvfi_{s.name})," for s in chosen])):
        out += [f"`define {macro} \\"] + [f"    {line} \\" for line in lines]
        out[-1] = out[-1].removesuffix(" \\").removesuffix(",")
    return out


def boards(words, settings):
    """boards: the numbers of the boards as macros."""
    names = [name for name, (top, _) in configurations().items() if top == "ear_board"]
    return [f"`define EAR_{name.upper()} {i}" for i, name in enumerate(names)]


def configurations(outside=False):
    """hdl/configs: name -> (module, parameters). outside: without what this script writes there."""
    out = {}
    text = (ROOT / "hdl/configs").read_text()
    if outside:
        text = text[:text.index("# generate: ")]
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for line in re.sub(r"\n[ \t]+", " ", text).splitlines():
        if not line.strip():
            continue
        name, rest = line.split(":")
        words = rest.split()
        top = "" if "=" in words[0] or words[0][0] == "+" else words.pop(0)
        values = {}
        for word in words:
            values |= out[word[1:]][1] if word[0] == "+" else [word.split("=")]
        out[name] = (top, values)
    return out


def field_width(field):
    """As ear_body_fields gives it: there even if the group is not built."""
    return {"csr_valid": "SLOTS", "csr_addr": "12*SLOTS", "csr_wdata": "XLEN*SLOTS",
            "frd_wdata": "64"}.get(field.name, field.bits())


def outputs(words, settings):
    """outputs: the fields of an entry as outputs of ear_body_fields."""
    out = [f"output wire {vector(field_width(f))}{f.name}_o," for f in fields()]
    out[-1] = out[-1].rstrip(",")
    return out


def place(group):
    """Where a group begins in a body, as a macro."""
    return {"csr": "`EAR_BODY_CSR(XLEN)", "frd": "`EAR_BODY_FRD(XLEN, CSR_SLOTS)",
            "paddr": "`EAR_BODY_PADDR(XLEN, CSR_SLOTS, FLEN)",
            "operands": "`EAR_BODY_OPERANDS(XLEN, CSR_SLOTS, FLEN, PADDR)"}[group]


def size(group):
    return {"csr": "`EAR_BODY_CSR_WIDTH(XLEN, CSR_SLOTS)", "frd": "`EAR_BODY_FRD_WIDTH(FLEN)",
            "paddr": "`EAR_BODY_PADDR_WIDTH(PADDR)",
            "operands": "`EAR_BODY_OPERANDS_WIDTH(XLEN, OPERANDS)"}[group]


def slice_of(group, body):
    if group == "base":
        return f"{body}+:`EAR_BODY_BASE_WIDTH(XLEN)" if body else "`EAR_BODY_BASE_WIDTH(XLEN)-1:0"
    return f"{body + '+' if body else ''}{place(group)}+:{size(group)}"


def pack(words, settings):
    """pack: the ports of one channel into packed_body. SIGNAL=NAME takes NAME for the port."""
    def names(group):
        chosen = [s for s in SIGNALS if s.group == group]
        return [settings.get(s.name, f"rvfi_{s.name}_i") for s in reversed(chosen)]
    out = wrap(f"assign packed_body[{slice_of('base', '')}] = {{", names("base"), "};")
    out += ["", "generate"]
    for group, parameter in PARAMETER.items():
        out.append(f"  if ({parameter} != 0) begin : gen_{group}")
        lead = f"    assign packed_body[{slice_of(group, '')}] = {{"
        if len(lead) > 98:
            first, lead = lead.split("+:")
            out.append(first)
            lead = "        +:" + lead
        out += wrap(lead, names(group), "};")
        out.append(f"  end else begin : gen_no_{group}")
        out += wrap("    wire unused = &{1'b0,", names(group), "};")
        out.append("  end")
    return out + ["endgenerate"]


def unpack(words, settings):
    """unpack GROUP FROM [at=PLACE] [suffix=TEXT]: the fields of a group out of the vector FROM, in
    which the body begins at PLACE. unpack GROUP zero: a group that is not built."""
    group, vector_name = words
    suffix = settings.get("suffix", "")
    names = [settings.get(f.name, f.name + suffix) for f in reversed(fields(group))]
    if vector_name == "zero":
        bits = total([{"SLOTS": "1", "12*SLOTS": "12", "XLEN*SLOTS": "XLEN"}.get(
            field_width(f), field_width(f)) for f in fields(group)]).replace("(XLEN)", "XLEN")
        bits = bits if bits.isdigit() else f"({bits}) "
        return wrap("assign {", names, f"}} = {{{bits}{{1'b0}}}};")
    text = wrap("assign {", names, f"}} =")
    end = f"{vector_name}[{slice_of(group, settings.get('at', ''))}];"
    if len(text[-1]) + len(end) < 92:
        text[-1] += " " + end
    elif len(end) < 86:
        text.append("    " + end)
    else:
        text += ["    " + end.split("+:")[0], "    +:" + end.split("+:")[1]]
    return text


def entry(words, settings):
    """entry: widths and places of the fields of a body, for ear_entry.vh."""
    out = ["// base, from the lowest bit on: " + ", ".join(f.name for f in fields("base"))]
    out = wrap("// base, from the lowest bit on:", [f.name for f in fields("base")], ".")
    out = [line if line.startswith("//") else "// " + line.strip() for line in out]
    widths = []
    for field in fields("base"):
        inner = list(widths)
        for signal in field.signals:
            names = [field.name, signal.name] if signal is field.signals[0] else [signal.name]
            for name in dict.fromkeys(names):
                where = total(inner)
                argument = "(XLEN)" if "XLEN" in where else ""
                where = f"({where})" if argument else where
                out.append(f"`define EAR_BODY_{name.upper()}{argument} {where}")
            inner.append(signal.bits)
        widths.append(field.bits())
    out.append(f"`define EAR_BODY_BASE_WIDTH(XLEN) ({total(widths)})")
    out.append("")
    arguments = {"csr": "XLEN, CSR_SLOTS", "frd": "FLEN", "paddr": "PADDR", "operands": "XLEN, OPERANDS"}
    for group, parameter in PARAMETER.items():
        names = ", ".join(f.name for f in fields(group))
        out.append(f"// {group}, if {parameter} is not 0: {names}.")
        bits = total([re.sub(r"\b(XLEN|CSR_SLOTS|FLEN)\b(?!\))", r"\1", f.bits()) for f in fields(group)])
        bits = re.sub(r"\b(?<!\()(CSR_SLOTS|FLEN)\b", r"(\1)", bits)
        bits = re.sub(r"\bXLEN\b(?!\))", "(XLEN)", bits)
        out.append(f"`define EAR_BODY_{group.upper()}_WIDTH({arguments[group]}) \\")
        out.append(f"    (({parameter}) != 0 ? {bits} : 0)")
    return out


def document(words, settings):
    """document GROUP: the table of a group's signals, for docs/retire-port.md."""
    out = ["| signal | bits | meaning |", "|---|---|---|"]
    for s in SIGNALS:
        if s.group == words[0] or (words[0] == "base" and s.group == "-"):
            out.append(f"| `rvfi_{s.name}` | {s.built.replace('*', ' * ')} | {s.meaning} |")
    return out


def lacking(words, settings):
    """lacking GROUP: what happens when a core lacks a signal, for docs/retire-port.md."""
    out = ["| without | what happens |", "|---|---|"]
    effects = {}
    for s in SIGNALS:
        if s.group == words[0] or (words[0] == "base" and s.group == "-"):
            effects.setdefault(s.lacking, []).append(f"`{s.name}`")
    return out + [f"| {', '.join(names)} | {effect} |" for effect, names in effects.items()]


def kinds(words, settings):
    """kinds: the operations of decoder/predict/operation.h."""
    text = (ROOT / "decoder/predict/operation.h").read_text()
    body = re.search(r"enum ear_operation_kind \{(.*?)\n\}", text, re.S)[1]
    names = re.findall(r"^\s*(EAR_DO_\w+),?", body, re.M)
    assert names[-1] == "EAR_DO_COUNT" and len(names) <= 128
    return [f"`define {name} 7'd{i}" for i, name in enumerate(names[:-1])]


def flags(words, settings):
    """flags: the bits of flags that the RTL has; those from bit 6 on are the host's own."""
    text = (ROOT / "decoder/predict/operation.h").read_text()
    found = re.findall(r"^\s*(EAR_OPERATION_\w+) = 1 << (\d+)", text, re.M)
    return [f"`define {name} {bit}" for name, bit in found if int(bit) < 6]


def differ(words, settings):
    """differ: bits of the masks EAR_DIFFER_* of protocol.table."""
    spec = importlib.util.spec_from_file_location("protocol", ROOT / "common/protocol/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    group = next(g for g in module.parse(module.TABLE) if g.name == "differ")
    rows = [row for row in group.rows if row.name != "RESERVED"]
    assert all(row.value == 1 << i for i, row in enumerate(rows))
    out = [f"`define EAR_DIFFER_BIT_{row.name} {i}" for i, row in enumerate(rows)]
    return out + [f"`define EAR_DIFFER_BITS {len(rows)}"]


def geometries():
    """The geometries of decoder/predict/geometry.c: name, number, parameters."""
    header = (ROOT / "decoder/predict/geometry.h").read_text()
    order = re.findall(r"^\s*EAR_GEOMETRY_(\w+),", re.search(r"enum ear_geometry_name \{(.*?)\}",
                       header, re.S)[1], re.M)
    text = (ROOT / "decoder/predict/geometry.c").read_text()
    out = []
    for name, body in re.findall(r'\{"(\w+)",\s*\{(.*?\})\}', text, re.S):
        pool = {}
        for key in ("code", "data"):
            shape = re.search(rf"\.{key} = \{{(\d+), (\d+), (\d+)\}}", body)
            pool[key] = shape.groups() if shape else ("5", "0", "0")
        number = {key: (re.search(rf"\.{key} = (\d+)", body) or [0, "0"])[1]
                  for key in ("dictionary_log2", "csr_log2")}
        has = {key: "1" if f".{key} = true" in body else "0"
               for key in ("unified", "multiply", "divide", "base", "single")}
        values = {"UNIFIED": has["unified"], "MULTIPLY": has["multiply"], "DIVIDE": has["divide"]}
        for key in ("code", "data"):
            for part, value in zip(("WORDS", "WAYS", "LINE"), pool[key]):
                values[f"{key.upper()}_{part}_LOG2"] = value
        values |= {"DICTIONARY_LOG2": number["dictionary_log2"], "CSR_LOG2": number["csr_log2"],
                   "BASE": has["base"], "SINGLE": has["single"]}
        out.append((order.index(name.upper()), name, values))
    assert len(out) == len(order)
    return sorted(out)


def presets(words, settings):
    """presets: the parameters of each geometry as macros of its number, for ear_geometry.vh."""
    found = geometries()
    out = [f"`define EAR_GEOMETRY_{name.upper()} {number}" for number, name, _ in found]
    out.append(f"`define EAR_GEOMETRY_COUNT {len(found)}")
    for key in found[0][2]:
        default = found[0][2][key]  # the first geometry's; another number has it, too
        others = dict.fromkeys(values[key] for _, _, values in found if values[key] != default)
        text = ""
        for value in others:
            numbers = [number for number, _, values in found if values[key] == value]
            text += " || ".join(f"(G) == {number}" for number in numbers) + f" ? {value} : "
        line = f"`define EAR_PREDICT_{key}(G) ({text}{default})"
        out += [line] if len(line) <= 100 else line.replace("(G) (", "(G) \\\n    (").split("\n")
    raw = len(found)
    out += ["", "// Presets: a geometry by its number, raw mode, and a geometry parameter by parameter."]
    out += [f"`define EAR_PRESET_{name.upper()} {number}" for number, name, _ in found]
    out += [f"`define EAR_PRESET_RAW {raw}", f"`define EAR_PRESET_CUSTOM {raw + 1}",
            f"`define EAR_PRESET_COUNT {raw + 2}", f"`define EAR_PRESET_PREDICT(P) ((P) == {raw} ? 0 : 1)",
            f"`define EAR_PRESET_GEOMETRY(P) ((P) < {raw} ? (P) : 0)"]
    out += ["", "// Sizes."] + [f"`define EAR_SIZE_{name.upper()} {i}" for i, name in enumerate(SIZES)]
    out.append(f"`define EAR_SIZE_COUNT {len(SIZES)}")
    full, *others = sizes()
    for key, usual in full.items():
        text = "".join(f"(S) == {i} ? {one[key]} : " for i, one in enumerate(others, 1) if one[key] != usual)
        out.append(f"`define EAR_SIZE_{key}(S) ({text}{usual})")
    return out


SIZES = ["full", "lean", "least"]


def sizes():
    """The parameters of each size of hdl/configs."""
    return [configurations(True)[f"size_{name}"][1] for name in SIZES]


def named(words, settings):
    """named: the geometries as configurations, for hdl/configs."""
    out = []
    for number, name, values in geometries():
        preset = {"PRESET": number, "PREDICT": 1, "PREDICT_GEOMETRY": number}
        out += settings_line(f"geometry_{name}", preset | {f"PREDICT_{k}": v for k, v in values.items()})
    return out


def custom(words, settings):
    """custom: is a parameter of the geometry other than PREDICT_GEOMETRY says? For ear_unit_check.vh."""
    return [f"|| PREDICT_{key} != `EAR_PREDICT_{key}(PREDICT_GEOMETRY)" for key in geometries()[0][2]]


def numbers(name):
    """The parameters of a module with their defaults as numbers, without those of a declared width."""
    first = {f"`EAR_PREDICT_{key}(PREDICT_GEOMETRY)": value for key, value in geometries()[0][2].items()}
    first |= {f"`EAR_SIZE_{key}(SIZE)": value for key, value in sizes()[0].items()}
    first |= {"`EAR_PRESET_SMALL": "0", "`EAR_SIZE_FULL": "0", "`EAR_PRESET_PREDICT(PRESET)": "1",
              "`EAR_PRESET_GEOMETRY(PRESET)": "0"}
    return {parameter: first.get(text, text) for bits, parameter, text in module(name)[0] if not bits}


def defaults(words, settings):
    """defaults MODULE: its parameters with their defaults as numbers, for hdl/configs."""
    return settings_line(words[0].removeprefix("ear_"), numbers(words[0]))


def settings_line(name, values):
    """A line of hdl/configs, continued as often as needed."""
    lines = [f"{name}:"]
    for key, value in values.items():
        if len(lines[-1]) + len(f" {key}={value}") > 100:
            lines.append("   ")
        lines[-1] += f" {key}={value}"
    return lines


BLOCKS = {f.__name__: f for f in (ports, wires, copy, connect, channel, body, parameters, assign, choices, boards, rvfi, outputs,
                                  pack, unpack, entry, document, lacking, kinds, flags, differ, presets, defaults, named,
                                  custom)}
BEGIN = re.compile(r"^([ \t]*)(?://|#|<!--) generate: (\w.*?)(?: -->)?$")


def fill(path):
    """The text of a file with its blocks written anew. A block may need what an earlier one declares,
    so this is done until nothing changes."""
    text = (ROOT / path).read_text()
    for _ in range(4):
        before, text = text, filled_once(path, text)
        if text == before:
            if " generate: connect " in text:
                check_drivers(path, text)
            return text
    sys.exit(f"{path}: the blocks depend on each other in a circle")


def check_drivers(path, text):
    """Names connect by themselves: what an output of a block drives may not be driven by another one,
    and not be a reg or have an assignment."""
    output = r"\.\w+_n?o\s*\((\w+)\)"
    driven = re.findall(output, re.sub(r"//.*", "", text))
    blocks = "".join(re.findall(r" generate: connect .*?\n(.*?) generate: end", text, re.S))
    regs = re.findall(r"^\s*(?:reg|wire(?=.*=)|assign)\b\s*(?:\[.*?\])?\s*(\w+)", text, re.M)
    for name in sorted(set(re.findall(output, blocks))):
        if driven.count(name) > 1 or name in regs:
            sys.exit(f"{path}: {name} has two drivers")


def filled_once(path, text):
    out, inside = [], False
    Place.path, Place.lines = ROOT / path, text.splitlines()
    for number, line in enumerate(Place.lines, 1):
        match = BEGIN.match(line)
        if match and match[2] == "end":
            inside = False
        if inside:
            continue
        out.append(line)
        if match and match[2] != "end":
            words = match[2].split()
            if words[0] not in BLOCKS:
                sys.exit(f"{path}:{number}: no block is called {words[0]}")
            settings = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            Place.number, Place.indent = number - 1, match[1]
            lines = BLOCKS[words[0]]([w for w in words[1:] if "=" not in w], settings)
            out += [match[1] + text if text else "" for text in lines]
            inside = True
    if inside:
        sys.exit(f"{path}: a block has no end")
    return "\n".join(out) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stale = False
    for path in FILES:
        text = fill(path)
        if text == (ROOT / path).read_text():
            continue
        stale = True
        if sys.argv[1:]:
            print(f"{path} is stale: run hdl/generate.py", file=sys.stderr)
        else:
            (ROOT / path).write_text(text)
    return 1 if sys.argv[1:] and stale else 0


if __name__ == "__main__":
    sys.exit(main())
