// SPDX-License-Identifier: Apache-2.0
// The parameters of ear_rvfi that a core needs, as it was measured with the version that
// docs/cores/README.md names; of CVA6, CV32E40X and Rocket as their sources say. The rest is yours:
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

// CVA6, its RVFI by ear_cva6. The last entry of a capture is not sent, as nothing says where it
// goes. Its fields, with one commit port or two: INSTR is rvfi_instr_o, ITI is rvfi_to_iti_o of
// cva6_rvfi.
`define EAR_CORE_CVA6 .NEXT_PC(2), .COUNT_ORDER(1)
`define EAR_CVA6_PORT_1(INSTR, ITI) \
    .ex_valid_i(ITI.ex_valid), \
    .ex_cause_i(ITI.cause), \
    .valid_i(INSTR[0].valid), \
    .insn_i(INSTR[0].insn), \
    .mode_i(INSTR[0].mode), \
    .rs1_addr_i(INSTR[0].rs1_addr), \
    .rs2_addr_i(INSTR[0].rs2_addr), \
    .rs1_rdata_i(INSTR[0].rs1_rdata), \
    .rs2_rdata_i(INSTR[0].rs2_rdata), \
    .rd_addr_i(INSTR[0].rd_addr), \
    .rd_wdata_i(INSTR[0].rd_wdata), \
    .pc_rdata_i(INSTR[0].pc_rdata), \
    .mem_addr_i(INSTR[0].mem_addr), \
    .mem_rmask_i(INSTR[0].mem_rmask), \
    .mem_wmask_i(INSTR[0].mem_wmask), \
    .mem_rdata_i(INSTR[0].mem_rdata), \
    .mem_wdata_i(INSTR[0].mem_wdata)
`define EAR_CVA6_PORT_2(INSTR, ITI) \
    .ex_valid_i(ITI.ex_valid), \
    .ex_cause_i(ITI.cause), \
    .valid_i({INSTR[1].valid, INSTR[0].valid}), \
    .insn_i({INSTR[1].insn, INSTR[0].insn}), \
    .mode_i({INSTR[1].mode, INSTR[0].mode}), \
    .rs1_addr_i({INSTR[1].rs1_addr, INSTR[0].rs1_addr}), \
    .rs2_addr_i({INSTR[1].rs2_addr, INSTR[0].rs2_addr}), \
    .rs1_rdata_i({INSTR[1].rs1_rdata, INSTR[0].rs1_rdata}), \
    .rs2_rdata_i({INSTR[1].rs2_rdata, INSTR[0].rs2_rdata}), \
    .rd_addr_i({INSTR[1].rd_addr, INSTR[0].rd_addr}), \
    .rd_wdata_i({INSTR[1].rd_wdata, INSTR[0].rd_wdata}), \
    .pc_rdata_i({INSTR[1].pc_rdata, INSTR[0].pc_rdata}), \
    .mem_addr_i({INSTR[1].mem_addr, INSTR[0].mem_addr}), \
    .mem_rmask_i({INSTR[1].mem_rmask, INSTR[0].mem_rmask}), \
    .mem_wmask_i({INSTR[1].mem_wmask, INSTR[0].mem_wmask}), \
    .mem_rdata_i({INSTR[1].mem_rdata, INSTR[0].mem_rdata}), \
    .mem_wdata_i({INSTR[1].mem_wdata, INSTR[0].mem_wdata})

// CV32E40X and CV32E40S, their RVFI by ear_cv32e40x. Its port: CORE is the instance of
// cv32e40x_rvfi, with the path to it.
`define EAR_CORE_CV32E40X .COUNT_ORDER(1), .STALL_SLACK(24), .RECORD_FIFO(64)
`define EAR_CV32E40X_PORT(CORE) \
    .valid_i(CORE.rvfi_valid), \
    .insn_i(CORE.rvfi_insn), \
    .exception_i(CORE.rvfi_trap.exception), \
    .cause_i(CORE.rvfi_trap.exception_cause), \
    .trigger_i(CORE.rvfi_trap.debug && CORE.rvfi_trap.debug_cause == 3'd2), \
    .intr_i(CORE.rvfi_intr.intr), \
    .interrupt_i(CORE.rvfi_intr.interrupt), \
    .intr_cause_i(CORE.rvfi_intr.cause), \
    .mpp_i(CORE.rvfi_csr_mstatus_rdata[12:11]), \
    .mode_i(CORE.rvfi_mode), \
    .dbg_mode_i(CORE.rvfi_dbg_mode), \
    .rs1_addr_i(CORE.rvfi_rs1_addr), \
    .rs2_addr_i(CORE.rvfi_rs2_addr), \
    .rs1_rdata_i(CORE.rvfi_rs1_rdata), \
    .rs2_rdata_i(CORE.rvfi_rs2_rdata), \
    .rd_addr_i(CORE.rvfi_rd_addr), \
    .rd_wdata_i(CORE.rvfi_rd_wdata), \
    .pc_rdata_i(CORE.rvfi_pc_rdata), \
    .pc_wdata_i(CORE.rvfi_pc_wdata), \
    .mem_addr_i(CORE.rvfi_mem_addr), \
    .mem_rmask_i(CORE.rvfi_mem_rmask), \
    .mem_wmask_i(CORE.rvfi_mem_wmask), \
    .mem_rdata_i(CORE.rvfi_mem_rdata), \
    .mem_wdata_i(CORE.rvfi_mem_wdata)

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

// Rocket and BOOM, their trace port as RVFI by ear_rocket; RESULTS 1 with its WDATA. It has neither
// accesses nor operands, so the unit is in raw mode. The last entry of a capture is not sent.
`define EAR_CORE_ROCKET .NEXT_PC(2), .COUNT_ORDER(1), .PREDICT(0), .OPERANDS(0), .ACCESSES(0)

// Held at the bus of its instructions, by ear_hold. DEBUG 1 and COMPRESSED 0.
`define EAR_CORE_SERV .CAUSES(0), .STALL_SLACK(1)

// With FormalPlugin. Held at the bus of its instructions, by ear_hold.
`define EAR_CORE_VEXRISCV .CAUSES(0), .STALL_SLACK(8), .RECORD_FIFO(32)

`endif
