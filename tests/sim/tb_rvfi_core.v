// SPDX-License-Identifier: Apache-2.0
// What a core with RVFI shows, as the test says: its mode is 1 and its ixl 2, the rest is zero.
`include "ear_rvfi.vh"
`default_nettype none
module tb_rvfi_core (
    input wire [  1:0] valid_i,
    input wire [127:0] order_i,
    input wire [ 63:0] insn_i,
    input wire [  1:0] trap_i,
    `EAR_RVFI_OUTPUTS(2, 32)
);
  assign rvfi_valid = valid_i;
  assign rvfi_order = order_i;
  assign rvfi_insn = insn_i;
  assign rvfi_trap = trap_i;
  assign rvfi_mode = 4'b0101;
  assign rvfi_ixl = 4'b1010;
  assign {rvfi_halt, rvfi_intr} = 4'd0;
  assign {rvfi_rd_addr, rvfi_rs1_addr, rvfi_rs2_addr} = 30'd0;
  assign {rvfi_rd_wdata, rvfi_rs1_rdata, rvfi_rs2_rdata, rvfi_pc_rdata, rvfi_pc_wdata} = 320'd0;
  assign {rvfi_mem_addr, rvfi_mem_rdata, rvfi_mem_wdata, rvfi_mem_rmask, rvfi_mem_wmask} = 208'd0;
endmodule
`default_nettype wire
