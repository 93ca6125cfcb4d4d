// SPDX-License-Identifier: Apache-2.0
// The names of cv32e40x_rvfi that EAR_CV32E40X_PORT takes.
// verilator lint_off SYMRSVDWORD
`default_nettype none
module tb_cv32e40x_rvfi;
  typedef struct packed {
    logic [1:0] cause_type;
    logic [2:0] debug_cause;
    logic [5:0] exception_cause;
    logic debug;
    logic exception;
    logic trap;
  } trap_t;
  typedef struct packed {
    logic [10:0] cause;
    logic interrupt;
    logic exception;
    logic intr;
  } intr_t;
  logic rvfi_valid;
  logic [31:0] rvfi_insn;
  trap_t rvfi_trap;
  intr_t rvfi_intr;
  logic [1:0] rvfi_mode;
  logic rvfi_dbg_mode;
  logic [31:0] rvfi_csr_mstatus_rdata;
  logic [4:0] rvfi_rs1_addr, rvfi_rs2_addr, rvfi_rd_addr;
  logic [31:0] rvfi_rs1_rdata, rvfi_rs2_rdata, rvfi_rd_wdata, rvfi_pc_rdata, rvfi_pc_wdata;
  logic [32*13-1:0] rvfi_mem_addr, rvfi_mem_rdata, rvfi_mem_wdata;
  logic [4*13-1:0] rvfi_mem_rmask, rvfi_mem_wmask;
endmodule
`default_nettype wire
