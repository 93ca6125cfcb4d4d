// SPDX-License-Identifier: Apache-2.0
// The smallest core that can be traced: a loop of two instructions, with RVFI. It retires one in
// each clock in which it is not held.
//
//   80000000  addi x5, x5, 1
//   80000004  jal x0, 80000000
`include "ear_rvfi.vh"
`default_nettype none
module own_core #(
    parameter COUNT = 1000  // instructions until the program ends
) (
    input  wire clk_i,
    input  wire rst_ni,
    input  wire hold_i,
    output wire ended_o,
    `EAR_RVFI_OUTPUTS(1, 32)
);
  localparam [31:0] ADDI = 32'h0012_8293;
  localparam [31:0] JAL = 32'hffdf_f06f;
  localparam [31:0] BEGIN = 32'h8000_0000;

  reg [63:0] order_q;
  reg [31:0] x5_q;
  wire jumps = order_q[0];
  assign ended_o = order_q >= COUNT;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      order_q <= 64'd0;
      x5_q    <= 32'd0;
    end else if (rvfi_valid) begin
      order_q <= order_q + 64'd1;
      if (!jumps) x5_q <= x5_q + 32'd1;
    end
  end

  assign rvfi_valid     = rst_ni && !hold_i && !ended_o;
  assign rvfi_order     = order_q;
  assign rvfi_insn      = jumps ? JAL : ADDI;
  assign rvfi_trap      = 1'b0;
  assign rvfi_halt      = 1'b0;
  assign rvfi_intr      = 1'b0;
  assign rvfi_mode      = 2'd3;
  assign rvfi_ixl       = 2'd1;
  assign rvfi_rs1_addr  = jumps ? 5'd0 : 5'd5;
  assign rvfi_rs2_addr  = 5'd0;
  assign rvfi_rs1_rdata = jumps ? 32'd0 : x5_q;
  assign rvfi_rs2_rdata = 32'd0;
  assign rvfi_rd_addr   = jumps ? 5'd0 : 5'd5;
  assign rvfi_rd_wdata  = jumps ? 32'd0 : x5_q + 32'd1;
  assign rvfi_pc_rdata  = jumps ? BEGIN + 32'd4 : BEGIN;
  assign rvfi_pc_wdata  = jumps ? BEGIN : BEGIN + 32'd4;
  assign rvfi_mem_addr  = 32'd0;
  assign rvfi_mem_rmask = 4'd0;
  assign rvfi_mem_wmask = 4'd0;
  assign rvfi_mem_rdata = 32'd0;
  assign rvfi_mem_wdata = 32'd0;
endmodule
`default_nettype wire
