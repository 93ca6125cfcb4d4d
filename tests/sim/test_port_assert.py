#!/usr/bin/env python3
"""ear_port_assert says nothing of a good port, and of each fault what it is and what cures it.

usage: test_port_assert.py IVERILOG VVP
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = [
    [],
    ["order 10: X at the retire port; reset the core, or tie what it does not have"],
    ["order 12: rvfi_order jumped from 10; entries are lost, or the core does not count them: "
     "COUNT_ORDER 1 of ear_rvfi"],
    ["order 10: rvfi_mem_rmask is set, but opcode 00100513 reads nothing; OPCODE_READS 1"],
    ["order 10: rvfi_mem_wmask is set, but opcode 00100513 writes nothing; zero it in the adapter"],
    ["order 10: compressed opcode 00134501 has an upper half; zero it in the adapter"],
    [],  # an operand that is not read: NORMALIZE takes it away
    ["order 11: pc is 0000010c, but rvfi_pc_wdata of the entry before was 00000300; give the "
     "address of the next instruction"],
    ["order 11: pc is 0000010c, but rvfi_pc_wdata of the trap before was 00000300; give the "
     "address of the handler"],
    ["order 18: 2 entries retired while stall_o was high; STALL_SLACK 2 or more",
     "order 19: 3 entries retired while stall_o was high; STALL_SLACK 3 or more"],
    ["order 20: an entry 10 clocks after ended_i and the last entry; ENDED_CLOCKS more than that, "
     "or raise ended_i later"],
    ["order 83: the core still retires 129 clocks after ended_i; hold it, or raise ended_i later"],
]


def main():
    iverilog, vvp = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for normalize in 1, 0:
            program = f"{folder}/tb{normalize}"
            subprocess.run([iverilog, "-g2012", "-DEAR_ASSERT", "-c", "hdl/rtl/rtl.f", "-s",
                            "tb_port_assert", f"-Ptb_port_assert.NORMALIZE={normalize}", "-o",
                            program, "tests/sim/tb_port_assert.v"], cwd=ROOT, check=True)
            for fault, expected in enumerate(FAULTS):
                if normalize == 0:
                    if fault not in (0, 6):
                        continue
                    expected = ["order 10: the entry of opcode 00100513 is not in its normal form; "
                                "NORMALIZE 1"] if fault else []
                text = subprocess.run([vvp, "-n", program, f"+fault={fault}"], check=True,
                                      capture_output=True, text=True).stdout
                said = [line.removeprefix("EAR_ASSERT: ") for line in text.splitlines()
                        if line.startswith("EAR_ASSERT")]
                if said != expected:
                    sys.exit(f"fault {fault}, NORMALIZE {normalize}: {said}, not {expected}")


if __name__ == "__main__":
    main()
