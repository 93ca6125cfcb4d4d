// SPDX-License-Identifier: Apache-2.0
// The parameters of ear_rvfi that a core needs, as it was measured with the version that
// docs/cores/README.md names. The rest is yours:
//
//   ear_rvfi #(`EAR_CORE_IBEX, .PRESET(`EAR_PRESET_LARGE)) u_trace (...);
//
// docs/cores has the wiring of each core.
`ifndef EAR_CORES_VH
`define EAR_CORES_VH
`include "ear_rvfi.vh"

// Electron, RV32IM. Held with its input `mem_rbusy`. Its retire port is an instance of ear_femtorv,
// which EAR_FEMTORV_PORT writes before the `endmodule` of the core (docs/cores/femtorv.md).
`define EAR_CORE_FEMTORV .CAUSES(0), .STALL_SLACK(1)
`define EAR_FEMTORV_PORT \
    ear_femtorv #(.ADDR_WIDTH(ADDR_WIDTH)) u_rvfi ( \
        .clk_i(clk), \
        .rst_ni(reset), \
        .execute_i(state[EXECUTE_bit]), \
        .waits_i(state[WAIT_ALU_OR_MEM_bit]), \
        .need_to_wait_i(needToWait), \
        .alu_busy_i(aluBusy), \
        .mem_rbusy_i(mem_rbusy), \
        .mem_wbusy_i(mem_wbusy), \
        .instr_i(instr), \
        .pc_i(PC), \
        .pc_new_i(PC_new), \
        .rs1_i(rs1), \
        .rs2_i(rs2), \
        .is_load_i(isLoad), \
        .is_store_i(isStore), \
        .is_branch_i(isBranch), \
        .loadstore_addr_i(loadstore_addr), \
        .store_wmask_i(STORE_wmask), \
        .write_back_data_i(writeBackData), \
        .mem_rdata_i(mem_rdata), \
        .mem_wdata_i(mem_wdata), \
        `EAR_RVFI_CORE \
    );

// Held at the bus of its instructions, by ear_hold. Its rvfi_ext_irq_valid goes to rvfi_ext_irq_i.
`define EAR_CORE_IBEX .NEXT_PC(1), .COUNT_ORDER(1), .OPCODE_READS(1), .CAUSES(0), .STALL_SLACK(8), \
    .RECORD_FIFO(32)

// With the file of its formal tests. Held at the bus of its instructions, by ear_hold_ahb.
`define EAR_CORE_HAZARD3 .CAUSES(0), .STALL_SLACK(10), .RECORD_FIFO(32)

// Its trace port as RVFI by ear_neorv32.vhd. Held at its external bus, by ear_hold.
`define EAR_CORE_NEORV32 .OPCODE_READS(1), .CAUSES(0), .STALL_SLACK(8), .RECORD_FIFO(32)

// Held with its input `stall`.
`define EAR_CORE_NERV .CAUSES(0), .STALL_SLACK(1)

// Held at its memory interface, by ear_hold.
`define EAR_CORE_PICORV32 .OPCODE_READS(1), .CAUSES(0), .STALL_SLACK(2)

// Held at the bus of its instructions, by ear_hold. DEBUG 1 and COMPRESSED 0.
`define EAR_CORE_SERV .CAUSES(0), .STALL_SLACK(1)

// With FormalPlugin. Held at the bus of its instructions, by ear_hold.
`define EAR_CORE_VEXRISCV .CAUSES(0), .STALL_SLACK(8), .RECORD_FIFO(32)

`endif
