// SPDX-License-Identifier: Apache-2.0
// RVFI as macros: NRET channels of XLEN bits. ear_rvfi.v has an example.
//
//   EAR_RVFI_WIRES(NRET, XLEN)    declare a wire for each signal, rvfi_valid and so on
//   EAR_RVFI_OUTPUTS(NRET, XLEN)  the same as output ports, for a core that gets them
//   EAR_RVFI_CORE                 connect the core's ports to these wires, where both have the name
//   EAR_RVFI_UNIT                 connect the wires to ear_rvfi
//   EAR_RVFI_NO_CSRS(NRET)        ear_rvfi without CSR groups
//
// They end without a comma or a semicolon, but for EAR_RVFI_WIRES.
`ifndef EAR_RVFI_VH
`define EAR_RVFI_VH
`include "ear_geometry.vh"

// generate: rvfi macros
`define EAR_RVFI_WIRES(NRET, XLEN) \
    wire [(NRET)-1:0] rvfi_valid; \
    wire [(NRET)*64-1:0] rvfi_order; \
    wire [(NRET)*32-1:0] rvfi_insn; \
    wire [(NRET)-1:0] rvfi_trap; \
    wire [(NRET)-1:0] rvfi_halt; \
    wire [(NRET)-1:0] rvfi_intr; \
    wire [(NRET)*2-1:0] rvfi_mode; \
    wire [(NRET)*2-1:0] rvfi_ixl; \
    wire [(NRET)*5-1:0] rvfi_rd_addr; \
    wire [(NRET)*(XLEN)-1:0] rvfi_rd_wdata; \
    wire [(NRET)*(XLEN)-1:0] rvfi_pc_rdata; \
    wire [(NRET)*(XLEN)-1:0] rvfi_pc_wdata; \
    wire [(NRET)*(XLEN)-1:0] rvfi_mem_addr; \
    wire [(NRET)*(XLEN)-1:0] rvfi_mem_rdata; \
    wire [(NRET)*(XLEN)-1:0] rvfi_mem_wdata; \
    wire [(NRET)*(XLEN)/8-1:0] rvfi_mem_rmask; \
    wire [(NRET)*(XLEN)/8-1:0] rvfi_mem_wmask; \
    wire [(NRET)*5-1:0] rvfi_rs1_addr; \
    wire [(NRET)*5-1:0] rvfi_rs2_addr; \
    wire [(NRET)*(XLEN)-1:0] rvfi_rs1_rdata; \
    wire [(NRET)*(XLEN)-1:0] rvfi_rs2_rdata;
`define EAR_RVFI_OUTPUTS(NRET, XLEN) \
    output wire [(NRET)-1:0] rvfi_valid, \
    output wire [(NRET)*64-1:0] rvfi_order, \
    output wire [(NRET)*32-1:0] rvfi_insn, \
    output wire [(NRET)-1:0] rvfi_trap, \
    output wire [(NRET)-1:0] rvfi_halt, \
    output wire [(NRET)-1:0] rvfi_intr, \
    output wire [(NRET)*2-1:0] rvfi_mode, \
    output wire [(NRET)*2-1:0] rvfi_ixl, \
    output wire [(NRET)*5-1:0] rvfi_rd_addr, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_rd_wdata, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_pc_rdata, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_pc_wdata, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_mem_addr, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_mem_rdata, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_mem_wdata, \
    output wire [(NRET)*(XLEN)/8-1:0] rvfi_mem_rmask, \
    output wire [(NRET)*(XLEN)/8-1:0] rvfi_mem_wmask, \
    output wire [(NRET)*5-1:0] rvfi_rs1_addr, \
    output wire [(NRET)*5-1:0] rvfi_rs2_addr, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_rs1_rdata, \
    output wire [(NRET)*(XLEN)-1:0] rvfi_rs2_rdata
`define EAR_RVFI_CORE \
    .rvfi_valid(rvfi_valid), \
    .rvfi_order(rvfi_order), \
    .rvfi_insn(rvfi_insn), \
    .rvfi_trap(rvfi_trap), \
    .rvfi_halt(rvfi_halt), \
    .rvfi_intr(rvfi_intr), \
    .rvfi_mode(rvfi_mode), \
    .rvfi_ixl(rvfi_ixl), \
    .rvfi_rd_addr(rvfi_rd_addr), \
    .rvfi_rd_wdata(rvfi_rd_wdata), \
    .rvfi_pc_rdata(rvfi_pc_rdata), \
    .rvfi_pc_wdata(rvfi_pc_wdata), \
    .rvfi_mem_addr(rvfi_mem_addr), \
    .rvfi_mem_rdata(rvfi_mem_rdata), \
    .rvfi_mem_wdata(rvfi_mem_wdata), \
    .rvfi_mem_rmask(rvfi_mem_rmask), \
    .rvfi_mem_wmask(rvfi_mem_wmask), \
    .rvfi_rs1_addr(rvfi_rs1_addr), \
    .rvfi_rs2_addr(rvfi_rs2_addr), \
    .rvfi_rs1_rdata(rvfi_rs1_rdata), \
    .rvfi_rs2_rdata(rvfi_rs2_rdata)
`define EAR_RVFI_UNIT \
    .rvfi_valid_i(rvfi_valid), \
    .rvfi_order_i(rvfi_order), \
    .rvfi_insn_i(rvfi_insn), \
    .rvfi_trap_i(rvfi_trap), \
    .rvfi_halt_i(rvfi_halt), \
    .rvfi_intr_i(rvfi_intr), \
    .rvfi_mode_i(rvfi_mode), \
    .rvfi_ixl_i(rvfi_ixl), \
    .rvfi_rd_addr_i(rvfi_rd_addr), \
    .rvfi_rd_wdata_i(rvfi_rd_wdata), \
    .rvfi_pc_rdata_i(rvfi_pc_rdata), \
    .rvfi_pc_wdata_i(rvfi_pc_wdata), \
    .rvfi_mem_addr_i(rvfi_mem_addr), \
    .rvfi_mem_rdata_i(rvfi_mem_rdata), \
    .rvfi_mem_wdata_i(rvfi_mem_wdata), \
    .rvfi_mem_rmask_i(rvfi_mem_rmask), \
    .rvfi_mem_wmask_i(rvfi_mem_wmask), \
    .rvfi_rs1_addr_i(rvfi_rs1_addr), \
    .rvfi_rs2_addr_i(rvfi_rs2_addr), \
    .rvfi_rs1_rdata_i(rvfi_rs1_rdata), \
    .rvfi_rs2_rdata_i(rvfi_rs2_rdata)
// generate: end

`define EAR_RVFI_NO_CSRS(NRET) \
    .rvfi_csr_rmask_i({NRET{1'b0}}), .rvfi_csr_wmask_i({NRET{1'b0}}), \
    .rvfi_csr_rdata_i({NRET{1'b0}}), .rvfi_csr_wdata_i({NRET{1'b0}})

`endif
