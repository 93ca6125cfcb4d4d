#!/usr/bin/env python3
"""The Verilog of docs/retire-port.md and hdl/adapters/README.md elaborates as it is printed.

usage: test_examples.py IVERILOG VERILATOR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = """
module my_core (
    input wire clk_i, input wire rst_ni, input wire hold_i, output wire ended_o,
    `EAR_RVFI_OUTPUTS(1, 32)
);
endmodule
"""


def main():
    iverilog, verilator = sys.argv[1:]
    blocks = [block for document in ("docs/retire-port.md", "hdl/adapters/README.md")
              for block in re.findall(r"```verilog\n(.*?)```", (ROOT / document).read_text(), re.S)]
    assert len(blocks) == 2 and all("module my_top" in block for block in blocks)
    for block in blocks:
        with tempfile.NamedTemporaryFile("w", suffix=".v") as file:
            file.write(block + CORE)
            file.flush()
            for command in (
                    [iverilog, "-g2012", "-Wall", "-Wno-timescale", "-t", "null", "-s", "my_top",
                     "-c", "hdl/rtl/rtl.f", "-c", "hdl/adapters/adapters.f", file.name],
                    [verilator, "--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL",
                     "-Wno-DECLFILENAME", "--top-module", "my_top", "-f", "hdl/rtl/rtl.f",
                     "-f", "hdl/adapters/adapters.f", file.name]):
                run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
                if run.returncode or run.stderr:
                    sys.exit(" ".join(command) + "\n" + run.stdout + run.stderr)


if __name__ == "__main__":
    main()
