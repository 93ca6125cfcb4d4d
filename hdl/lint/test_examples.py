#!/usr/bin/env python3
"""The whole modules in the Verilog of documents elaborate as they are printed.

usage: test_examples.py IVERILOG VERILATOR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = """
module my_core (
    input wire clk_i, input wire rst_ni, input wire hold_i, output wire ended_o,
    `EAR_RVFI_OUTPUTS(1, 32)
);
endmodule
module picorv32 (
    input wire clk, input wire resetn, output wire mem_valid, input wire mem_ready,
    output wire [31:0] mem_addr, output wire [31:0] mem_wdata, output wire [3:0] mem_wstrb,
    input wire [31:0] mem_rdata, input wire [31:0] irq, `EAR_RVFI_OUTPUTS(1, 32)
);
endmodule
module FemtoRV32 #(parameter RESET_ADDR = 0, parameter ADDR_WIDTH = 24) (
    input wire clk, output wire [31:0] mem_addr, output wire [31:0] mem_wdata,
    output wire [3:0] mem_wmask, input wire [31:0] mem_rdata, output wire mem_rstrb,
    input wire mem_rbusy, input wire mem_wbusy, input wire reset, `EAR_RVFI_OUTPUTS(1, 32)
);
endmodule
"""
TOPS = {"docs/retire-port.md": "my_top", "hdl/adapters/README.md": "my_top",
        "docs/cores/picorv32.md": "traced_picorv32", "docs/bring-up.md": "my_unit"}


def main():
    iverilog, verilator = sys.argv[1:]
    for document, top in TOPS.items():
        blocks = re.findall(r"```verilog\n(.*?)```", (ROOT / document).read_text(), re.S)
        assert blocks and all(f"module {top}" in block for block in blocks)
        for block in blocks:
            elaborate(iverilog, verilator, top, block)


def elaborate(iverilog, verilator, top, block):
    with tempfile.NamedTemporaryFile("w", suffix=".v") as file:
        file.write(block + CORES)
        file.flush()
        for command in (
                [iverilog, "-g2012", "-Wall", "-Wno-timescale", "-t", "null", "-s", top,
                 "-c", "hdl/rtl/rtl.f", "-c", "hdl/adapters/adapters.f", file.name],
                [verilator, "--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM",
                 "-Wno-DECLFILENAME", "-Wno-MULTITOP", "--top-module", top, "-f", "hdl/rtl/rtl.f",
                 "-f", "hdl/adapters/adapters.f", file.name]):
            run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            if run.returncode or run.stderr:
                sys.exit(" ".join(command) + "\n" + run.stdout + run.stderr)


if __name__ == "__main__":
    main()
